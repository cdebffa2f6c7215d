/** The demonstration is filled by one instance at a time. Null: another one is at it. */
import type { Db, Session } from './db.ts';

export function whileFillingDemo<T>(db: Db, work: () => Promise<T>): Promise<T | null> {
  return db.session(async (session: Session) => {
    const [row] = await session.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(1145392463) AS mine');
    return row?.mine ? work() : null;
  });
}
