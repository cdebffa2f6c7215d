/**
 * The guard against guessing. Ten failures for a client from one address, then a wait for that pair that doubles with
 * each further failure: 1 s, 2 s, 4 s, … 15 minutes. During the wait nothing is tried, not even the right secret, so
 * that a guesser learns nothing. Other clients at that address and the same client elsewhere are not affected.
 *
 * An attempt under way counts as a failure until it has succeeded: fifty guesses sent at once get ten tries, not fifty.
 * Counts are kept per process, in bounded memory. Ids of clients that do not exist are counted alike and apart, so that inventing
 * 100,000 ids does not make the guard forget a single real one.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

const FREE_FAILURES = 10;
const LONGEST_WAIT_MS = 15 * 60_000;
const FORGET_AFTER_MS = 24 * 3_600_000;

type Pair = { failures: number; underWay: number; waitUntil: number; failedAt: number };

export type Attempt = {
  /** Says how it went. `undecided`: it could not be tried (no database), which counts neither way. */
  end(outcome: 'right' | 'wrong' | 'undecided'): void;
};

export type Guard = {
  begin(of: { clientId: string; exists: boolean; address: string }): Attempt | { retryAfterSeconds: number };
};

export function openGuard(options: { clock: () => number; maxPairs?: number }): Guard {
  const { clock } = options;
  const bounds = atMost(options.maxPairs ?? 100_000);
  const real = new LRUCache<string, Pair>(bounds);
  const invented = new LRUCache<string, Pair>(bounds);

  return {
    begin({ clientId, exists, address }) {
      const pairs = exists ? real : invented;
      // A newline cannot occur in an address, so two pairs never share a name.
      const name = `${addressBlock(address)}\n${clientId}`;
      const now = clock();
      let pair = pairs.get(name);
      if (!pair || (pair.underWay === 0 && now - pair.failedAt > FORGET_AFTER_MS)) {
        pair = { failures: 0, underWay: 0, waitUntil: 0, failedAt: now };
        pairs.set(name, pair);
      }
      if (now < pair.waitUntil) return { retryAfterSeconds: Math.ceil((pair.waitUntil - now) / 1_000) };
      // Past the free failures each wait buys one attempt.
      const room = Math.max(FREE_FAILURES - pair.failures, 1);
      if (pair.underWay >= room) return { retryAfterSeconds: 1 };

      const mine = pair;
      mine.underWay += 1;
      let ended = false;
      return {
        end(outcome) {
          if (ended) return;
          ended = true;
          mine.underWay -= 1;
          if (outcome === 'right') {
            mine.failures = 0;
            mine.waitUntil = 0;
          } else if (outcome === 'wrong') {
            mine.failures += 1;
            mine.failedAt = clock();
            const excess = mine.failures - FREE_FAILURES;
            if (excess >= 0) {
              mine.waitUntil = mine.failedAt + Math.min(1_000 * 2 ** Math.min(excess, 20), LONGEST_WAIT_MS);
            }
          }
          if (mine.failures === 0 && mine.underWay === 0 && pairs.get(name) === mine) pairs.delete(name);
        },
      };
    },
  };
}

/**
 * The unit of "one address": an IPv4 address, or the /64 of an IPv6 address, because a single subscriber owns a whole /64
 * and could otherwise send every guess from another address. Anything else is taken as it is.
 */
export function addressBlock(address: string): string {
  const text = address.slice(0, 64).toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (mapped?.[1]) return mapped[1];
  if (!text.includes(':')) return text;
  const [head = '', tail] = (text.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+/, '') || '0')
    .join(':')}::/64`;
}
