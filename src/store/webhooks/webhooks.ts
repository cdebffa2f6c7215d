/** The SQL of webhook endpoints: what an organization has set, how far delivery has come, and which process delivers. */
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type EndpointRow = Omit<Tables['webhook_endpoints'], 'worked_by' | 'worked_until'>;

const COLUMNS = `endpoint_id, organization_id, url, types, description, status, paused_because, paused_at, secret, former_secret,
  former_until, cursor, failures, failing_since, held_until, delivered_at, is_down, resets, lease, version, created_at, updated_at`;

/** In the transaction that adds one: two at once could otherwise both find room for it. */
export async function lockEndpoints(tx: Sql, organizationId: string): Promise<number> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtext('daybook webhooks ' || $1))", [organizationId]);
  const [row] = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM webhook_endpoints WHERE organization_id = $1',
    [organizationId],
  );
  return row?.n ?? 0;
}

export type NewEndpoint = Pick<
  EndpointRow,
  'endpoint_id' | 'organization_id' | 'url' | 'types' | 'description' | 'secret' | 'cursor' | 'created_at'
>;

export async function insertEndpoint(tx: Sql, row: NewEndpoint): Promise<EndpointRow> {
  const [made] = await tx.query<EndpointRow>(
    `INSERT INTO webhook_endpoints (endpoint_id, organization_id, url, types, description, status, secret, cursor, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8, $8) RETURNING ${COLUMNS}`,
    [row.endpoint_id, row.organization_id, row.url, row.types, row.description, row.secret, row.cursor, row.created_at],
  );
  return made as EndpointRow;
}

/** The oldest first; from after one of them on. */
export function listEndpoints(
  sql: Sql,
  organizationId: string,
  { after, limit }: { after: { createdAt: Date; endpointId: string } | null; limit: number },
): Promise<EndpointRow[]> {
  return sql.query<EndpointRow>(
    `SELECT ${COLUMNS} FROM webhook_endpoints
     WHERE organization_id = $1 AND ($2::timestamptz IS NULL OR (created_at, endpoint_id) > ($2, $3))
     ORDER BY created_at, endpoint_id LIMIT $4`,
    [organizationId, after?.createdAt ?? null, after?.endpointId ?? '', limit],
  );
}

export async function endpointOf(sql: Sql, organizationId: string, endpointId: string): Promise<EndpointRow | null> {
  const [row] = await sql.query<EndpointRow>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE organization_id = $1 AND endpoint_id = $2`,
    [organizationId, endpointId],
  );
  return row ?? null;
}

/** In a transaction that changes it: two changes at once come one after the other. */
export async function lockEndpoint(tx: Sql, organizationId: string, endpointId: string): Promise<EndpointRow | null> {
  const [row] = await tx.query<EndpointRow>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE organization_id = $1 AND endpoint_id = $2 FOR UPDATE`,
    [organizationId, endpointId],
  );
  return row ?? null;
}

type Settings = Pick<EndpointRow, 'url' | 'types' | 'description' | 'status' | 'paused_because' | 'paused_at'>;

/** Earlier failures count no longer: an endpoint that is active again is tried at once. */
export async function updateEndpoint(tx: Sql, endpointId: string, to: Settings, at: Date): Promise<EndpointRow> {
  const [row] = await tx.query<EndpointRow>(
    `UPDATE webhook_endpoints SET url = $2, types = $3, description = $4, status = $5, paused_because = $6, paused_at = $7,
       updated_at = $8, version = version + 1, resets = resets + 1, failures = 0, failing_since = NULL, held_until = NULL, is_down = false
     WHERE endpoint_id = $1 RETURNING ${COLUMNS}`,
    [endpointId, to.url, to.types, to.description, to.status, to.paused_because, to.paused_at, at],
  );
  await tx.query(
    'UPDATE webhook_waiting SET next_at = $2 WHERE endpoint_id = $1 AND dead_at IS NULL AND next_at > $2',
    [endpointId, at],
  );
  return row as EndpointRow;
}

export async function rotateSecret(
  tx: Sql,
  endpointId: string,
  to: { secret: Buffer; former: Buffer; formerUntil: Date; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE webhook_endpoints SET secret = $2, former_secret = $3, former_until = $4, updated_at = $5, version = version + 1
     WHERE endpoint_id = $1`,
    [endpointId, to.secret, to.former, to.formerUntil, to.at],
  );
}

/** With everything that waits for it; the log of its deliveries stays. */
export async function deleteEndpoint(tx: Sql, endpointId: string): Promise<void> {
  await tx.query('DELETE FROM webhook_endpoints WHERE endpoint_id = $1', [endpointId]);
}

/** Makes the worker look again. */
export async function touchEndpoint(tx: Sql, endpointId: string): Promise<void> {
  await tx.query('UPDATE webhook_endpoints SET version = version + 1 WHERE endpoint_id = $1', [endpointId]);
}

// ---- leases: by the clock of the database ----

/** An organization that has ended, a sandbox, gets nothing any more. */
const WORKABLE = `e.status = 'active'
  AND NOT EXISTS (SELECT 1 FROM sandboxes b WHERE b.organization_id = e.organization_id AND b.ended_at IS NOT NULL)`;

/**
 * Renews the leases of a process and takes up to `most` free ones. The answer is everything that it holds, with the version and the number of
 * the lease of each: what is not in it any more was paused, deleted or taken over.
 */
export async function holdLeases(
  db: Sql,
  { processId, ms, most }: { processId: string; ms: number; most: number },
): Promise<{ endpointId: string; version: string }[]> {
  await db.query(
    `UPDATE webhook_endpoints SET lease = lease + (worked_by IS DISTINCT FROM $1)::int, worked_by = $1, worked_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
     WHERE endpoint_id IN (
       SELECT endpoint_id FROM webhook_endpoints e
       WHERE ${WORKABLE} AND (worked_by IS NULL OR worked_until < clock_timestamp())
       ORDER BY worked_until NULLS FIRST LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    [processId, ms, most],
  );
  await db.query(
    `UPDATE webhook_endpoints e SET worked_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
     WHERE worked_by = $1 AND ${WORKABLE} AND worked_until < clock_timestamp() + $2::float8 * 0.7 * interval '1 millisecond'`,
    [processId, ms],
  );
  const rows = await db.query<{ endpoint_id: string; version: string }>(
    `SELECT endpoint_id, version || '.' || lease AS version FROM webhook_endpoints e
     WHERE worked_by = $1 AND worked_until > clock_timestamp() AND ${WORKABLE}`,
    [processId],
  );
  return rows.map(({ endpoint_id: endpointId, version }) => ({ endpointId, version }));
}

export async function releaseLeases(db: Sql, processId: string, endpointIds: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE webhook_endpoints SET worked_by = NULL, worked_until = NULL
     WHERE worked_by = $1 AND endpoint_id = ANY($2::text[])`,
    [processId, endpointIds],
  );
}

/** Reads an endpoint for the process that holds its lease. */
export async function readLeased(db: Sql, processId: string, endpointId: string): Promise<EndpointRow | null> {
  const [row] = await db.query<EndpointRow>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE endpoint_id = $1 AND worked_by = $2`,
    [endpointId, processId],
  );
  return row ?? null;
}

/** The part of an endpoint that a worker read when it began. */
export type LeasedEndpoint = Pick<EndpointRow, 'resets' | 'lease'>;

/** The service pauses it by itself. False: another process works it, it is not active any more, or it has been changed meanwhile. */
export async function pauseLeased(
  db: Sql,
  processId: string,
  endpointId: string,
  { because, at, resets, lease }: { because: 'gone' | 'failing'; at: Date } & LeasedEndpoint,
): Promise<boolean> {
  const rows = await db.query(
    `UPDATE webhook_endpoints SET status = 'paused', paused_because = $3, paused_at = $4, updated_at = $4, version = version + 1
     WHERE endpoint_id = $1 AND worked_by = $2 AND status = 'active' AND resets = $5 AND lease = $6 RETURNING 1`,
    [endpointId, processId, because, at, resets, lease],
  );
  return rows.length > 0;
}

export type Progress = {
  /** Null: it has not moved. */
  cursor: string | null;
  failures: number;
  failingSince: Date | null;
  heldUntil: Date | null;
  isDown: boolean;
  /** Null: nothing was delivered since the last save. */
  deliveredAt: Date | null;
};

/**
 * `lost`: so is the lease, and nothing may be saved. `changed`: the endpoint was, since the worker began: then its failures, which were of the
 * former URL perhaps, are not saved any more.
 */
export async function saveProgress(
  tx: Sql,
  { processId, endpointId, resets, lease }: { processId: string; endpointId: string } & LeasedEndpoint,
  to: Progress,
): Promise<'saved' | 'changed' | 'lost'> {
  const [row] = await tx.query<{ same: boolean }>(
    `UPDATE webhook_endpoints SET cursor = coalesce($5, cursor), delivered_at = coalesce($6, delivered_at),
       failures = CASE WHEN resets = $4 THEN $7 ELSE failures END,
       failing_since = CASE WHEN resets = $4 THEN $8 ELSE failing_since END,
       held_until = CASE WHEN resets = $4 THEN $9 ELSE held_until END,
       is_down = CASE WHEN resets = $4 THEN $10 ELSE is_down END
     WHERE endpoint_id = $1 AND worked_by = $2 AND lease = $3 RETURNING resets = $4 AS same`,
    [
      ...[endpointId, processId, lease, resets],
      ...[to.cursor, to.deliveredAt, to.failures, to.failingSince, to.heldUntil, to.isDown],
    ],
    'webhook_progress',
  );
  if (row === undefined) return 'lost';
  return row.same ? 'saved' : 'changed';
}

export async function countPaused(db: Sql): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM webhook_endpoints WHERE status = 'paused'",
  );
  return row?.n ?? 0;
}
