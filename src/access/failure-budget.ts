/**
 * The number of failures that an address may cause before its further attempts are handled separately: `burst` at once, then `perSecond`.
 * Counted per address block (guard.ts) over all processes (usage-reports.ts), in bounded memory: beyond `maxAddresses` the least recently
 * used block is dropped.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import { addressBlock } from './guard.ts';
import { openUnreported } from './unreported.ts';
import type { Tally } from './usage-reports.ts';

export type FailureBudget = {
  /** Whether one more failure of this address is within its budget. */
  hasRoom(address: string): boolean;
  /** Counts an attempt as failed; `giveBack` undoes it when the attempt did not fail after all. */
  spend(address: string): void;
  giveBack(address: string): void;
  tally: Tally;
};

export function openFailureBudget(options: {
  /** Monotonic milliseconds. */
  monotonic: () => number;
  burst: number;
  perSecond: number;
  maxAddresses?: number;
  /** The name of an address block in memory and in reports. */
  nameOf?: (block: string) => string;
}): FailureBudget {
  const { monotonic, burst, perSecond, nameOf = (block) => block } = options;
  const unreported = openUnreported();
  const spent = new LRUCache<string, { failures: number; at: number }>(atMost(options.maxAddresses ?? 50_000));

  /** The failures that remain after those that have expired since. */
  function failuresOf(name: string, at: number): number {
    const known = spent.get(name);
    if (known === undefined) return 0;
    return Math.max(0, known.failures - (Math.max(0, at - known.at) / 1_000) * perSecond);
  }

  /** A change reported by another process is a moment old; what was counted here since then stays. */
  function count(name: string, change: number, at: number): void {
    const failures = failuresOf(name, at) + change;
    if (failures <= 0) spent.delete(name);
    else spent.set(name, { failures, at: Math.max(at, spent.peek(name)?.at ?? at) });
  }

  function countHere(address: string, change: 1 | -1): void {
    const name = nameOf(addressBlock(address));
    count(name, change, monotonic());
    unreported.add(name, change);
  }

  return {
    hasRoom: (address) => failuresOf(nameOf(addressBlock(address)), monotonic()) + 1 <= burst,
    spend: (address) => countHere(address, 1),
    giveBack: (address) => countHere(address, -1),
    tally: {
      takeUnreported: unreported.take,
      addReported(lines, ageMs) {
        for (const [name, failures = 0] of lines) count(name, failures, monotonic() - ageMs);
      },
    },
  };
}
