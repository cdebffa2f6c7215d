/** The order of the feed in the audit trail: when a root is made, the ticks since the last record are written down as one SHA-256. */
import { auditVolume, recordAudit } from '../audit/audit.ts';
import type { Sql } from '../db/db.ts';

const OPERATION = 'record-feed';
/** Ticks of one record. */
const MOST_TICKS = 10_000;

/** From the first tick to the last, both included. */
export type Ticks = { readonly first: number; readonly last: number };
/** As it stands in the content of an entry. */
export type FeedRecord = { readonly table: 'feed_marks'; readonly key: string; readonly hash: string };

const textOf = ({ first, last }: Ticks): string => `${first}-${last}`;

/** The ticks of a record; null: it has none. */
export function ticksIn(key: string): Ticks | null {
  const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(key) ?? [];
  return first === undefined || last === undefined ? null : { first: Number(first), last: Number(last) };
}

/** Each volume by itself, along its index. */
const MARKS = `generate_series(0, $3::int - 1) AS v (volume)
  CROSS JOIN LATERAL (SELECT number, last_block FROM feed_marks WHERE feed_marks.volume = v.volume AND number BETWEEN $1 AND $2) m`;

/** The marks and notes of some ticks, as the SHA-256 of a text. */
export async function hashTicks(sql: Sql, { first, last }: Ticks): Promise<string> {
  const [row] = await sql.query<{ hash: string }>(
    `SELECT encode(sha256(convert_to(coalesce(string_agg(line, chr(10) ORDER BY number, volume), ''), 'UTF8')), 'hex') AS hash FROM (
       SELECT m.number, v.volume, concat_ws(' ', m.number, v.volume, m.last_block) AS line FROM ${MARKS}
       UNION ALL
       SELECT number, -1, concat_ws(' ', number, organization_id, type, to_jsonb(at) #>> '{}', subject) FROM feed_notes
       WHERE number BETWEEN $1 AND $2
     ) f`,
    [first, last, sql.volumes.count],
  );
  return row?.hash ?? '';
}

/** Within a transaction that one process at a time is in. */
export async function recordFeed(tx: Sql, at: Date): Promise<void> {
  const [head] = await tx.query<{ number: bigint }>('SELECT number FROM feed_head');
  const through = Number(head?.number ?? 0);
  for (let done = await lastRecorded(tx); done < through; ) {
    const ticks = { first: done + 1, last: Math.min(through, done + MOST_TICKS) };
    const row: FeedRecord = { table: 'feed_marks', key: textOf(ticks), hash: await hashTicks(tx, ticks) };
    const what = { kind: 'did', operation: OPERATION, outcome: 'done', subject: textOf(ticks) } as const;
    const content = JSON.stringify({ number: 0, rows: [row] });
    await recordAudit(tx, [{ at, organizationId: '', clientId: 'service', ...what, content, requestId: null }]);
    done = ticks.last;
  }
}

/** Some of the newest: processes whose clocks differ may have recorded in another order. */
async function lastRecorded(tx: Sql): Promise<number> {
  const rows = await tx.query<{ subject: string | null }>(
    `(SELECT subject FROM audit WHERE volume = $1 AND organization_id = '' AND operation = '${OPERATION}' ORDER BY entry_id DESC LIMIT 20)
     UNION ALL SELECT subject FROM audit_waiting WHERE volume = $1 AND organization_id = '' AND operation = '${OPERATION}'`,
    [auditVolume(tx, { organizationId: '' })],
  );
  return Math.max(0, ...rows.map(({ subject }) => ticksIn(subject ?? '')?.last ?? 0));
}

export type FeedEnds = { readonly head: number; readonly newest: number; readonly empty: number | null };

/** The last tick; the last that has a mark or a note; the first after a tick that has neither. Null: the row of the last tick is missing. */
export async function readFeedEnds(sql: Sql, after: number): Promise<FeedEnds | null> {
  const [row] = await sql.query<{ head: bigint; newest: bigint; empty: bigint | null }>(
    `WITH made AS (
       SELECT m.number FROM ${MARKS} UNION SELECT number FROM feed_notes WHERE number BETWEEN $1 AND $2
     )
     SELECT h.number AS head, n.newest, (SELECT min(t) FROM generate_series($1::bigint, least(n.newest, h.number)) AS t
       WHERE NOT EXISTS (SELECT 1 FROM made WHERE made.number = t)) AS empty
     FROM feed_head h, (SELECT greatest($1::bigint - 1, (SELECT max(number) FROM made)) AS newest) n`,
    [after + 1, Number.MAX_SAFE_INTEGER, sql.volumes.count],
  );
  if (row === undefined) return null;
  const { head, newest, empty } = row;
  return { head: Number(head), newest: Number(newest), empty: empty === null ? null : Number(empty) };
}
