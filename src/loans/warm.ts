/**
 * After a start nothing is remembered, and the first payment on each loan loads and folds its history. The loans that were last written
 * are therefore folded ahead, a few at a time, while requests are served.
 */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../store/db.ts';
import { lastWritten, loadLoans } from '../store/loans.ts';
import { fromStored, type LoanCache } from './loan-cache.ts';

/** Loaded with one statement. */
const AT_ONCE = 16;

/** At most `limit` loans, the last written of each volume, until `stopped`; how many those were. */
export async function warmLoans(
  { db, cache }: { db: Db; cache: LoanCache },
  limit: number,
  stopped: () => boolean,
): Promise<number> {
  let warmed = 0;
  const share = Math.ceil(limit / db.volumes.count);
  for (let volume = 0; volume < db.volumes.count; volume++) {
    const loanIds = await lastWritten(db, volume, share);
    for (let from = 0; from < loanIds.length; from += AT_ONCE) {
      const cold = loanIds.slice(from, from + AT_ONCE).filter((loanId) => cache.get(loanId) === undefined);
      for (const stored of cold.length === 0 ? [] : await loadLoans(db, cold)) {
        if (stopped()) return warmed;
        cache.put(fromStored(stored).known);
        warmed += 1;
        // A loan with years of payments takes a millisecond; requests come first.
        await setImmediate();
      }
    }
  }
  return warmed;
}
