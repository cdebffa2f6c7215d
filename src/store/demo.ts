/** The demo is filled by one process at a time. Null: another process holds the lock. */
import type { Db, Session } from './db.ts';

export function whileFillingDemo<T>(db: Db, work: () => Promise<T>): Promise<T | null> {
  return db.session(async (session: Session) => {
    const [row] = await session.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(1145392463) AS mine');
    return row?.mine ? work() : null;
  });
}
