/**
 * The book may be in use while it is checked, and what belongs together is then read at different moments: a loan after its policy, its sealed
 * part after its row. What does not match at first is read again, all of one moment, and only that counts. So a change that is under way is
 * no complaint, and nothing that is wrong is let through: it is wrong at every moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Session, Sql } from '../../store/db/db.ts';
import { inOneMoment } from '../../store/db/one-moment.ts';

/** Tables that are spread over servers are of one moment on each of them, so a change of several may be seen in part. */
const LOOKS_AT_SHARDS = 5;
/** Such a change is through everywhere within milliseconds. */
const BETWEEN_LOOKS_MS = 200;

/** The result of a look; where something is wrong in it, that of the last look at one moment. */
export async function surely<T>(
  session: Session,
  first: T,
  isWrong: (found: T) => boolean,
  look: (tx: Sql) => Promise<T>,
): Promise<T> {
  let found = first;
  for (let looks = session.volumes.sharded ? LOOKS_AT_SHARDS : 1; looks > 0 && isWrong(found); looks -= 1) {
    found = await inOneMoment(session, look);
    if (looks > 1 && isWrong(found)) await delay(BETWEEN_LOOKS_MS);
  }
  return found;
}

/** The same for a list of complaints. */
export const surelyWrong = async <T>(session: Session, look: (sql: Sql) => Promise<T[]>): Promise<T[]> =>
  surely(session, await look(session), (found) => found.length > 0, look);
