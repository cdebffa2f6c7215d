/**
 * After a start nothing is remembered, and the first payment on each loan loads and folds its history. The loans that were last written
 * are therefore folded ahead, a few at a time: the newest of every volume, then the next ones of every volume.
 */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../store/db/db.ts';
import { lastWritten, loadLoans, type StoredLoan } from '../../store/door/loans.ts';
import type { Clock, Clocks } from './clocks.ts';
import { fromStored, type LoanCache } from './loan-cache.ts';

/** Loaded with one statement. */
const AT_ONCE = 16;

/** At most `limit` loans, the last written of each volume, until `stopped`; how many those were. */
export async function warmLoans(
  { db, clocks, cache }: { db: Db; clocks: Clocks; cache: LoanCache },
  limit: number,
  stopped: () => boolean,
): Promise<number> {
  const share = Math.ceil(limit / db.volumes.count);
  const newest: string[][] = [];
  for (let volume = 0; volume < db.volumes.count; volume++) newest.push(await lastWritten(db, volume, share));
  const groups: string[][] = [];
  for (let from = 0; from < share; from += AT_ONCE) {
    groups.push(...newest.map((loanIds) => loanIds.slice(from, from + AT_ONCE)).filter(({ length }) => length > 0));
  }
  let warmed = 0;
  let next = load(groups[0] ?? []);
  for (let i = 0; i < groups.length; i++) {
    const stored = await next;
    // The server reads the next ones while these are folded here.
    next = load(groups[i + 1] ?? []);
    const clockOf = await clocks.of(new Set(stored.map(({ organizationId }) => organizationId)));
    for (const one of stored) {
      if (stopped()) return warmed;
      cache.put(fromStored(one, (clockOf.get(one.organizationId) as Clock).policies).known);
      warmed += 1;
      // A loan with years of payments takes a millisecond; requests come first.
      await setImmediate();
    }
  }
  return warmed;

  function load(loanIds: readonly string[]): Promise<StoredLoan[]> {
    const cold = loanIds.filter((loanId) => cache.get(loanId) === undefined);
    const loaded = cold.length === 0 ? Promise.resolve([]) : loadLoans(db, cold);
    // Its failure is met where it is awaited, which may be a while later, or not at all after a stop.
    loaded.catch(() => {});
    return loaded;
  }
}
