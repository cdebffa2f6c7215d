/** The demo is filled by one process at a time. Null: another process holds the lock. */
import type { Db, Session, Sql } from '../db/db.ts';

const LOCK = 1_145_392_463;

export function whileFillingDemo<T>(db: Db, work: () => Promise<T>): Promise<T | null> {
  return db.session(async (session: Session) => {
    const [row] = await session.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS mine`);
    return row?.mine ? work() : null;
  });
}

/** Whether a process is currently filling it. */
export async function isDemoBeingFilled(sql: Sql): Promise<boolean> {
  const found = await sql.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${LOCK} AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return found.length > 0;
}
