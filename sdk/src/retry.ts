/** Transient failures, and the wait before the next attempt. */
import { ConnectionError, ProblemError } from './errors.ts';

export const FIRST_WAIT_MS = 250;
export const LONGEST_WAIT_MS = 8_000;
/** A server that asks for more is not waited for: the caller gets the problem with `retryAfterSeconds`. */
export const LONGEST_RETRY_AFTER_S = 60;

/** 502 and 504 come from proxies, and say as little about what happened as a connection that was cut. */
const PASSING = new Set([429, 502, 503, 504]);

/** Whether the same request may succeed later. `repeated`: an earlier attempt may still be at work under the same key. */
export function passes(failure: unknown, repeated: boolean): boolean {
  if (failure instanceof ConnectionError) return true;
  if (!(failure instanceof ProblemError)) return false;
  if (failure.code === 'idempotency_key_in_use') return repeated;
  if ((failure.retryAfterSeconds ?? 0) > LONGEST_RETRY_AFTER_S) return false;
  return PASSING.has(failure.status) && failure.problem.retryable !== false;
}

/** Full jitter: anywhere between nothing and a bound that doubles, so that clients which failed together do not come back together. */
export function waitBefore(attempt: number, failure: unknown, random: () => number, longest = LONGEST_WAIT_MS): number {
  const bound = Math.min(longest, FIRST_WAIT_MS * 2 ** Math.min(attempt, 20));
  const requested = failure instanceof ProblemError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
  return requested + Math.floor(random() * bound);
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
