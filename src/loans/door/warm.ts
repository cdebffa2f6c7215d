/**
 * After a start nothing is remembered, and the first payment on each loan loads and folds its history, which takes as long as two more
 * payments. The loans that were last written are therefore folded ahead: the newest of every volume, then the next ones of every volume.
 * A start does so before it is ready, for some seconds. Afterwards requests come first: while writes wait or are at the database nothing is
 * folded ahead, and they load what they need themselves.
 */
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Db } from '../../store/db/db.ts';
import { lastWritten, loadLoans, type StoredLoan } from '../../store/door/loans.ts';
import type { Clock, Clocks } from './clocks.ts';
import { fromStored, type LoanCache } from './loan-cache.ts';

/** Loaded with one statement. */
const AT_ONCE = 16;
/** The event loop is given to others after so long; one loan with years of payments takes less than half a millisecond. */
const SLICE_MS = 2;
/** Until it looks again whether writes are under way. */
const BUSY_MS = 20;

export type WarmOptions = {
  db: Db;
  clocks: Clocks;
  cache: LoanCache;
  /** Whether no write waits or is at the database. */
  isIdle: () => boolean;
};

/** At most `limit` loans, the last written of each volume, until `stopped`; how many those were. */
export async function warmLoans(
  { db, clocks, cache, isIdle }: WarmOptions,
  limit: number,
  stopped: () => boolean,
): Promise<number> {
  const groups = await newestFirst(db, limit);
  let warmed = 0;
  let next = load(groups[0] ?? []);
  for (let i = 0; i < groups.length; i++) {
    const stored = await next;
    // The server reads the next ones while these are folded here.
    next = load(groups[i + 1] ?? []);
    const clockOf = await clocks.of(new Set(stored.map(({ organizationId }) => organizationId)));
    let began = performance.now();
    for (const one of stored) {
      while (!isIdle() && !stopped()) await delay(BUSY_MS, undefined, { ref: false });
      if (stopped()) return warmed;
      cache.put(fromStored(one, (clockOf.get(one.organizationId) as Clock).policies).known);
      warmed += 1;
      if (performance.now() - began < SLICE_MS) continue;
      await setImmediate();
      began = performance.now();
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

/** The loans to fold, in groups of one volume each, those that were written last first. */
async function newestFirst(db: Db, limit: number): Promise<string[][]> {
  const share = Math.ceil(limit / db.volumes.count);
  const volumes = Array.from({ length: db.volumes.count }, (_, volume) => volume);
  const newest = await Promise.all(volumes.map((volume) => lastWritten(db, volume, share)));
  const groups: string[][] = [];
  for (let from = 0; from < share; from += AT_ONCE) {
    groups.push(...newest.map((loanIds) => loanIds.slice(from, from + AT_ONCE)).filter(({ length }) => length > 0));
  }
  return groups;
}
