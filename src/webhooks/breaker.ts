/**
 * The health of an endpoint as a whole. After several failures in a row, of more than one loan, it counts as down: then it is tried with
 * one event at a time, another loan's each time, and the first success lets everything flow again. The failures of one loan alone say
 * nothing about the others, so they hold nobody up.
 */
import { DAY, probeWait } from './waits.ts';

const FAILURES_IN_A_ROW = 5;

export type BreakerState = { failures: number; failingSince: number | null; heldUntil: number | null; isDown: boolean };

export type Breaker = {
  /** Everything may be sent, one event alone, or nothing before a time. */
  allows(now: number): 'all' | 'one' | { from: number };
  isDown(): boolean;
  /** True: it was down until now. */
  succeeded(): boolean;
  /** `retryAfterMs`: the receiver has asked not to be called before. */
  failed(now: number, loan: string, retryAfterMs: number | null): void;
  /** Nothing is left that has failed. */
  cleared(): void;
  /** Nothing was delivered for a day of failing. */
  isHopeless(now: number): boolean;
  state(): BreakerState;
};

export function openBreaker(before: BreakerState, random: () => number): Breaker {
  let { failures, failingSince, heldUntil } = before;
  const loans = new Set<string>();
  // A process that takes over one that is down begins with a probe.
  let down = before.isDown;
  let failedProbes = 0;
  let probeAt = 0;
  return {
    allows(now) {
      const from = Math.max(heldUntil ?? 0, down ? probeAt : 0);
      if (now < from) return { from };
      return down ? 'one' : 'all';
    },
    isDown: () => down,
    succeeded() {
      const was = down;
      [failures, failingSince, heldUntil, down, failedProbes] = [0, null, null, false, 0];
      loans.clear();
      return was;
    },
    failed(now, loan, retryAfterMs) {
      failures += 1;
      failingSince ??= now;
      loans.add(loan);
      if (retryAfterMs !== null) heldUntil = Math.max(heldUntil ?? 0, now + retryAfterMs);
      if (down && now >= probeAt) failedProbes += 1;
      if (failures >= FAILURES_IN_A_ROW && loans.size > 1) down = true;
      // Those that were under way when it went down fail after it: they are not probes.
      if (down && now >= probeAt) probeAt = now + probeWait(failedProbes, random);
    },
    cleared() {
      if (!down) [failures, failingSince] = [0, null];
      loans.clear();
    },
    isHopeless: (now) => failingSince !== null && now - failingSince >= DAY,
    state: () => ({ failures, failingSince, heldUntil, isDown: down }),
  };
}
