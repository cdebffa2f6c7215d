/**
 * The guard against guessing. Ten failures for a client from one address, then a wait for that pair that doubles with
 * each further failure: 1 s, 2 s, 4 s, … 15 minutes. During the wait nothing is tried, not even the right secret, so
 * that a guesser learns nothing. Other clients at that address and the same client elsewhere are not affected.
 *
 * An attempt in progress counts as a failure until it has succeeded: fifty guesses sent at once get ten tries, not fifty.
 * Counts are kept in bounded memory, over all processes (usage-reports.ts): until they have reached the others, which takes less than a
 * second, the ten are per process. Ids of clients that do not exist are counted and reported the same way but separately, so that inventing
 * 100,000 ids does not evict a single real one.
 */
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import { openUnreported } from './unreported.ts';
import type { Tally } from './usage-reports.ts';

const FREE_FAILURES = 10;
const LONGEST_WAIT_MS = 15 * 60_000;
const FORGET_AFTER_MS = 24 * 3_600_000;

type Pair = { failures: number; underWay: number; waitUntil: number; failedAt: number };

export type Attempt = {
  /** Reports the outcome. `undecided`: the attempt could not be made (no database) and does not count. `cleared`: earlier failures that were forgiven. */
  end(outcome: 'right' | 'wrong' | 'undecided'): { cleared: number };
};

export type Guard = {
  begin(of: { clientId: string; exists: boolean; address: string }): Attempt | { retryAfterSeconds: number };
  /** For clients that exist, and for ids that belong to no client. */
  tallies: { real: Tally; invented: Tally };
};

export function openGuard(options: {
  clock: () => number;
  maxPairs?: number;
  /** The name of a pair in memory and in reports. */
  nameOf?: (pair: string) => string;
}): Guard {
  const { clock, nameOf = (pair) => pair } = options;
  const bounds = atMost(options.maxPairs ?? 100_000);
  const real = { pairs: new LRUCache<string, Pair>(bounds), unreported: openUnreported() };
  const invented = { pairs: new LRUCache<string, Pair>(bounds), unreported: openUnreported() };

  return {
    tallies: { real: tallyOf(real), invented: tallyOf(invented) },
    begin({ clientId, exists, address }) {
      const { pairs, unreported } = exists ? real : invented;
      // A newline cannot occur in an address, so two pairs never share a name.
      const name = nameOf(`${addressBlock(address)}\n${clientId}`);
      const now = clock();
      let pair = pairs.get(name);
      if (!pair || isForgotten(pair, now)) {
        pair = { failures: 0, underWay: 0, waitUntil: 0, failedAt: now };
        pairs.set(name, pair);
      }
      if (now < pair.waitUntil) return { retryAfterSeconds: Math.ceil((pair.waitUntil - now) / 1_000) };
      // After the free failures, each wait allows one attempt.
      const room = Math.max(FREE_FAILURES - pair.failures, 1);
      if (pair.underWay >= room) return { retryAfterSeconds: 1 };

      const mine = pair;
      mine.underWay += 1;
      let ended = false;
      return {
        end(outcome) {
          if (ended) return { cleared: 0 };
          ended = true;
          mine.underWay -= 1;
          const cleared = outcome === 'right' ? mine.failures : 0;
          if (outcome === 'right') {
            if (mine.failures > 0) unreported.restart(name);
            mine.failures = 0;
            mine.waitUntil = 0;
          } else if (outcome === 'wrong') {
            fail(mine, 1, clock());
            unreported.add(name, 1);
          }
          if (mine.failures === 0 && mine.underWay === 0 && pairs.get(name) === mine) pairs.delete(name);
          return { cleared };
        },
      };
    },
  };

  function tallyOf({ pairs, unreported }: typeof real): Tally {
    return {
      takeUnreported: unreported.take,
      addReported(lines, ageMs) {
        const failedAt = clock() - ageMs;
        for (const [name, failures = 0, restarted = 0] of lines) {
          const pair = pairs.get(name) ?? { failures: 0, underWay: 0, waitUntil: 0, failedAt };
          if (restarted === 1 || isForgotten(pair, failedAt)) {
            pair.failures = 0;
            pair.waitUntil = 0;
          }
          if (failures > 0) fail(pair, failures, failedAt);
          if (pair.failures > 0 || pair.underWay > 0) pairs.set(name, pair);
          else pairs.delete(name);
        }
      },
    };
  }
}

const isForgotten = ({ underWay, failedAt }: Pair, now: number): boolean =>
  underWay === 0 && now - failedAt > FORGET_AFTER_MS;

/**
 * Counts failures and starts the wait that follows. Several at once come only from another process, which tried them at the same time as this one
 * its own: together they lead to the first or the next wait, as they would have in one process, and not across ten waits.
 */
function fail(pair: Pair, failures: number, at: number): void {
  pair.failures = Math.min(pair.failures + failures, Math.max(FREE_FAILURES, pair.failures + 1));
  pair.failedAt = Math.max(pair.failedAt, at);
  const excess = pair.failures - FREE_FAILURES;
  if (excess < 0) return;
  pair.waitUntil = Math.max(pair.waitUntil, at + Math.min(1_000 * 2 ** Math.min(excess, 20), LONGEST_WAIT_MS));
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
