/** The SQL of deliveries: events that wait for another attempt, dead letters, replays, and the log of attempts. */
import { DELIVERIES_KEPT_DAYS } from '../db/by-day.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

// ---- events that wait ----

export type WaitingRow = {
  lane: string;
  eventId: string;
  place: number;
  /** JSON. */
  event: string;
  preceding: string | null;
  reach: string;
  attempts: number;
  steps: number;
  nextAt: Date;
  firstFailedAt: Date | null;
  lastOutcome: string | null;
  deadAt: Date | null;
};

/** The live ones, and those of the replay that runs. */
export async function readWaitingDeliveries(db: Sql, endpointId: string, lane: string): Promise<WaitingRow[]> {
  const rows = await db.query<Omit<WaitingRow, 'place'> & { place: bigint }>(
    `SELECT lane, event_id AS "eventId", place, event, preceding, reach, attempts, steps, next_at AS "nextAt",
       first_failed_at AS "firstFailedAt", last_outcome AS "lastOutcome", dead_at AS "deadAt"
     FROM webhook_waiting WHERE endpoint_id = $1 AND lane = $2 AND dead_at IS NULL ORDER BY place`,
    [endpointId, lane],
  );
  return rows.map(({ place, ...row }) => ({ ...row, place: Number(place) }));
}

export async function saveWaiting(tx: Sql, endpointId: string, rows: readonly WaitingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO webhook_waiting (endpoint_id, lane, event_id, place, event, preceding, reach, attempts, steps, next_at,
       first_failed_at, last_outcome, dead_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[],
       $10::timestamptz[], $11::timestamptz[], $12::text[], $13::timestamptz[])
     ON CONFLICT (endpoint_id, lane, event_id) DO UPDATE SET attempts = excluded.attempts, steps = excluded.steps, next_at = excluded.next_at,
       first_failed_at = excluded.first_failed_at, last_outcome = excluded.last_outcome, dead_at = excluded.dead_at`,
    [
      endpointId,
      rows.map(({ lane }) => lane),
      rows.map(({ eventId }) => eventId),
      rows.map(({ place }) => place),
      rows.map(({ event }) => event),
      rows.map(({ preceding }) => preceding),
      rows.map(({ reach }) => reach),
      rows.map(({ attempts }) => attempts),
      rows.map(({ steps }) => steps),
      rows.map(({ nextAt }) => nextAt),
      rows.map(({ firstFailedAt }) => firstFailedAt),
      rows.map(({ lastOutcome }) => lastOutcome),
      rows.map(({ deadAt }) => deadAt),
    ],
    'webhook_waiting',
  );
}

export async function removeWaiting(
  tx: Sql,
  endpointId: string,
  gone: readonly { lane: string; eventId: string }[],
): Promise<void> {
  if (gone.length === 0) return;
  await tx.query(
    `DELETE FROM webhook_waiting w USING unnest($2::text[], $3::text[]) AS gone (lane, event_id)
     WHERE w.endpoint_id = $1 AND w.lane = gone.lane AND w.event_id = gone.event_id`,
    [endpointId, gone.map(({ lane }) => lane), gone.map(({ eventId }) => eventId)],
    'webhook_delivered',
  );
}

/** The events with a row, at most `limit` of each endpoint, and the first of them: live ones before those of a replay. */
export async function readWaiting(
  db: Sql,
  endpointIds: readonly string[],
  limit: number,
): Promise<Map<string, { eventIds: string[]; oldest: string | null }>> {
  const rows = await db.query<{ endpoint_id: string; event_id: string; event: string | null }>(
    `SELECT e.endpoint_id, w.event_id, CASE WHEN w.n = 1 THEN w.event END AS event
     FROM unnest($1::text[]) AS e (endpoint_id)
     CROSS JOIN LATERAL (
       SELECT event_id, event, row_number() OVER (ORDER BY lane, place)::int AS n FROM (
         SELECT event_id, event, lane, place FROM webhook_waiting
         WHERE endpoint_id = e.endpoint_id AND dead_at IS NULL ORDER BY lane, place LIMIT $2) first) w
     ORDER BY 1, w.n`,
    [endpointIds, limit],
  );
  const found = new Map<string, { eventIds: string[]; oldest: string | null }>();
  for (const { endpoint_id, event_id, event } of rows) {
    const one = found.get(endpoint_id) ?? { eventIds: [], oldest: event };
    one.eventIds.push(event_id);
    found.set(endpoint_id, one);
  }
  return found;
}

export async function countDead(db: Sql, endpointIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ endpoint_id: string; dead: number }>(
    `SELECT endpoint_id, count(*)::int AS dead FROM webhook_waiting
     WHERE endpoint_id = ANY($1::text[]) AND dead_at IS NOT NULL GROUP BY 1`,
    [endpointIds],
  );
  return new Map(rows.map(({ endpoint_id, dead }) => [endpoint_id, dead]));
}

/** Moves dead letters into a lane of their own, where they are due at once; all of them, or that of one event. Returns how many. */
export async function reviveDead(
  tx: Sql,
  { endpointId, replayId, eventId, at }: { endpointId: string; replayId: string; eventId: string | null; at: Date },
): Promise<number> {
  const rows = await tx.query(
    `WITH gone AS (
       DELETE FROM webhook_waiting WHERE endpoint_id = $1 AND dead_at IS NOT NULL AND ($3::text IS NULL OR event_id = $3) RETURNING *
     )
     INSERT INTO webhook_waiting (endpoint_id, lane, event_id, place, event, preceding, reach, attempts, steps, next_at)
     SELECT $1, $2, event_id, row_number() OVER (ORDER BY first_failed_at, place), event, preceding, reach, 0, 0, $4
     FROM (SELECT DISTINCT ON (event_id) * FROM gone ORDER BY event_id, first_failed_at) once RETURNING 1`,
    [endpointId, replayId, eventId, at],
  );
  return rows.length;
}

// ---- replays ----

export type ReplayRow = Tables['webhook_replays'];

export type NewReplay = Omit<ReplayRow, 'replayed' | 'dead' | 'ended_at'>;

export async function insertReplay(tx: Sql, row: NewReplay): Promise<void> {
  await tx.query(
    `INSERT INTO webhook_replays (replay_id, endpoint_id, kind, from_time, to_time, from_event, to_event, cursor, read_all, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      row.replay_id,
      row.endpoint_id,
      row.kind,
      row.from_time,
      row.to_time,
      row.from_event,
      row.to_event,
      row.cursor,
      row.read_all,
      row.created_at,
    ],
  );
}

/** The newest first. */
export function listReplays(db: Sql, endpointId: string, limit: number): Promise<ReplayRow[]> {
  return db.query<ReplayRow>(
    'SELECT * FROM webhook_replays WHERE endpoint_id = $1 ORDER BY created_at DESC, replay_id LIMIT $2',
    [endpointId, limit],
  );
}

/** Those that have not ended, the oldest first: they are carried out one after the other. */
export function openReplays(db: Sql, endpointId: string): Promise<ReplayRow[]> {
  return db.query<ReplayRow>(
    'SELECT * FROM webhook_replays WHERE endpoint_id = $1 AND ended_at IS NULL ORDER BY created_at, replay_id',
    [endpointId],
  );
}

export async function saveReplay(
  tx: Sql,
  to: {
    replayId: string;
    cursor: string | null;
    readAll: boolean;
    replayed: number;
    dead: number;
    endedAt: Date | null;
  },
): Promise<void> {
  await tx.query(
    `UPDATE webhook_replays SET cursor = coalesce($2, cursor), read_all = $3, replayed = replayed + $4, dead = dead + $5, ended_at = $6
     WHERE replay_id = $1`,
    [to.replayId, to.cursor, to.readAll, to.replayed, to.dead, to.endedAt],
  );
}

// ---- the log ----

export type DeliveryRow = {
  deliveryId: string;
  endpointId: string;
  eventId: string;
  type: string;
  loanId: string | null;
  attempt: number;
  at: Date;
  ms: number;
  status: number | null;
  failure: string | null;
  outcome: 'delivered' | 'failed' | 'dead';
  replayId: string | null;
};

export async function logDeliveries(tx: Sql, organizationId: string, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO webhook_deliveries (organization_id, delivery_id, endpoint_id, event_id, type, loan, attempt, at, ms, status, failure,
       outcome, replay_id)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::timestamptz[], $9::int[],
       $10::int[], $11::text[], $12::text[], $13::text[])`,
    [
      organizationId,
      rows.map(({ deliveryId }) => deliveryId),
      rows.map(({ endpointId }) => endpointId),
      rows.map(({ eventId }) => eventId),
      rows.map(({ type }) => type),
      rows.map(({ loanId }) => loanId),
      rows.map(({ attempt }) => attempt),
      rows.map(({ at }) => at),
      rows.map(({ ms }) => ms),
      rows.map(({ status }) => status),
      rows.map(({ failure }) => failure),
      rows.map(({ outcome }) => outcome),
      rows.map(({ replayId }) => replayId),
    ],
    'webhook_log',
  );
}

export type DeliveryFilter = {
  endpointId: string | null;
  outcome: DeliveryRow['outcome'] | null;
  loanId: string | null;
  eventId: string | null;
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
};

/** The newest first. */
export function listDeliveries(db: Sql, organizationId: string, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const values: unknown[] = [organizationId, filter.limit];
  const conditions = ['organization_id = $1'];
  const where = (condition: (name: string) => string, value: string | null) => {
    if (value === null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((name) => `endpoint_id = ${name}`, filter.endpointId);
  where((name) => `outcome = ${name}`, filter.outcome);
  where((name) => `loan = ${name}`, filter.loanId);
  where((name) => `event_id = ${name}`, filter.eventId);
  where((name) => `delivery_id < ${name}`, filter.before);
  return db.query<DeliveryRow>(
    `SELECT delivery_id AS "deliveryId", endpoint_id AS "endpointId", event_id AS "eventId", type, loan AS "loanId", attempt, at, ms,
       status, failure, outcome, replay_id AS "replayId"
     FROM webhook_deliveries WHERE ${conditions.join(' AND ')} ORDER BY delivery_id DESC LIMIT $2`,
    values,
  );
}

export async function deliveryOf(db: Sql, organizationId: string, deliveryId: string): Promise<DeliveryRow | null> {
  const [row] = await db.query<DeliveryRow>(
    `SELECT delivery_id AS "deliveryId", endpoint_id AS "endpointId", event_id AS "eventId", type, loan AS "loanId", attempt, at, ms,
       status, failure, outcome, replay_id AS "replayId"
     FROM webhook_deliveries WHERE organization_id = $1 AND delivery_id = $2`,
    [organizationId, deliveryId],
  );
  return row ?? null;
}

/** Dead letters and finished replays that are too old, and former secrets that sign nothing any more. */
export async function forgetOld(db: Sql): Promise<void> {
  const old = `now() - ${DELIVERIES_KEPT_DAYS} * interval '1 day'`;
  await db.query(`DELETE FROM webhook_waiting WHERE dead_at < ${old}`);
  await db.query(`DELETE FROM webhook_replays WHERE ended_at < ${old}`);
  await db.query('UPDATE webhook_endpoints SET former_secret = NULL, former_until = NULL WHERE former_until < now()');
}
