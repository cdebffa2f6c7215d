/** The heartbeats of the processes: who is alive, and where it is reached. All times are by the clock of the database. */
import type { Sql } from '../db/db.ts';

export type ProcessRow = { readonly processId: string; readonly address: string };

/** The time for which the rows of processes that ended without removing theirs are kept. */
const FORGOTTEN = '1 minute';

/**
 * Writes a process's row, or removes it when the process does not count as alive, and answers who else was seen in the last `aliveMs`
 * milliseconds, and what time it is.
 */
export async function beat(
  db: Sql,
  { processId, address, aliveMs, isAlive }: ProcessRow & { aliveMs: number; isAlive: boolean },
): Promise<{ now: number; others: ProcessRow[] }> {
  const rows = await db.query<{ now: number; process_id: string | null; address: string | null }>(
    `WITH beaten AS (
       INSERT INTO processes (process_id, address, seen_at) SELECT $1, $2, clock_timestamp() WHERE $4
       ON CONFLICT (process_id) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at
     ), removed AS (
       DELETE FROM processes WHERE process_id = $1 AND NOT $4
     )
     SELECT (extract(epoch FROM t.now) * 1000)::float8 AS now, p.process_id, p.address
     FROM (SELECT clock_timestamp() AS now) t LEFT JOIN processes p
       ON p.process_id <> $1 AND p.seen_at > t.now - $3::float8 * interval '1 millisecond'`,
    [processId, address, aliveMs, isAlive],
    'process_beat',
  );
  const others = rows.flatMap(({ process_id, address: at }) =>
    process_id === null || at === null ? [] : [{ processId: process_id, address: at }],
  );
  return { now: rows[0]?.now ?? 0, others };
}

export async function removeProcess(db: Sql, processId: string): Promise<void> {
  await db.query('DELETE FROM processes WHERE process_id = $1', [processId]);
}

export async function removeForgotten(db: Sql): Promise<void> {
  await db.query('DELETE FROM processes WHERE seen_at < clock_timestamp() - $1::interval', [FORGOTTEN]);
}
