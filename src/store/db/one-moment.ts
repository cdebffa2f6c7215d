/** Several statements that see the same moment. */
import type { Session, Sql } from './db.ts';

/** Everything `work` reads is of one moment. Where tables are spread over servers, of one moment on each of them (docs/scaling.md). */
export function inOneMoment<T>(
  db: Session,
  work: (tx: Sql) => Promise<T>,
  mode: 'READ ONLY' | 'READ WRITE' = 'READ ONLY',
): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, ${mode}`);
    return work(tx);
  });
}
