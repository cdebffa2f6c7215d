/**
 * How many failures an address may cause before its further attempts are kept apart: `burst` at once, and `perSecond` again after that.
 * Counted for an address block (guard.ts), per process, in bounded memory: beyond `maxAddresses` the block unused for longest is forgotten.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import { addressBlock } from './guard.ts';

export type FailureBudget = {
  /** Whether one more failure of this address is within its budget. */
  hasRoom(address: string): boolean;
  /** Counts an attempt as failed; `giveBack` when it was none after all. */
  spend(address: string): void;
  giveBack(address: string): void;
};

export function openFailureBudget(options: {
  /** Milliseconds that never jump. */
  monotonic: () => number;
  burst: number;
  perSecond: number;
  maxAddresses?: number;
}): FailureBudget {
  const { monotonic, burst, perSecond } = options;
  const spent = new LRUCache<string, { failures: number; at: number }>(atMost(options.maxAddresses ?? 50_000));

  /** What is left of the failures once the time since has paid for some of them. */
  function failuresOf(address: string): number {
    const known = spent.get(addressBlock(address));
    if (known === undefined) return 0;
    return Math.max(0, known.failures - ((monotonic() - known.at) / 1_000) * perSecond);
  }

  function count(address: string, change: 1 | -1): void {
    const failures = failuresOf(address) + change;
    if (failures <= 0) spent.delete(addressBlock(address));
    else spent.set(addressBlock(address), { failures, at: monotonic() });
  }

  return {
    hasRoom: (address) => failuresOf(address) + 1 <= burst,
    spend: (address) => count(address, 1),
    giveBack: (address) => count(address, -1),
  };
}
