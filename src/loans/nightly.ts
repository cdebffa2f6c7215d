/** What a date brings to many loans, written down. Nothing depends on it but how fast late loans are found. */
import type { Db } from '../store/db.ts';
import { markLate, organizationsWithLoans } from '../store/loans.ts';
import { type Clock, type Clocks, todayBy } from './clock/clocks.ts';

/** Loans marked in one statement. */
const MARKED_AT_ONCE = 2_000;

/**
 * Marks the loans that have become past due, of organizations whose business day has not been marked by this process yet. It can be run
 * again, and days late, without changing a figure.
 */
export function openMarking({ db, clock, clocks }: { db: Db; clock: () => number; clocks: Clocks }) {
  /** By organization: the last day whose loans were marked. */
  const marked = new Map<string, string>();
  return async (stopped: () => boolean): Promise<number> => {
    let count = 0;
    const owners = await organizationsWithLoans(db);
    const clockOf = await clocks.of(owners);
    for (const owner of owners) {
      const today = todayBy(clockOf.get(owner) as Clock, clock());
      if (marked.get(owner) === today) continue;
      let last = MARKED_AT_ONCE;
      while (last === MARKED_AT_ONCE && !stopped()) {
        last = await markLate(db, owner, today, MARKED_AT_ONCE);
        count += last;
      }
      if (last < MARKED_AT_ONCE) marked.set(owner, today);
    }
    return count;
  };
}
