/** What a date brings to many loans, written down. Nothing depends on it but how fast late loans are found. */
import type { PlainDate } from '../core/calendar.ts';
import type { Db } from '../store/db.ts';
import { markLate, organizationsWithLoans } from '../store/loans.ts';

/** Loans marked in one statement. */
const MARKED_AT_ONCE = 2_000;

/** Marks the loans that have become past due. It can be run again, and days late, without changing a figure. */
export async function markLateLoans(db: Db, today: PlainDate, stopped: () => boolean): Promise<number> {
  let marked = 0;
  for (const organizationId of await organizationsWithLoans(db)) {
    for (let last = MARKED_AT_ONCE; last === MARKED_AT_ONCE && !stopped(); ) {
      last = await markLate(db, organizationId, today, MARKED_AT_ONCE);
      marked += last;
    }
  }
  return marked;
}
