/**
 * A circuit breaker: a service that has failed several times in a row is not called for a while. Then one call is let through as a
 * probe; until it has ended, all others are refused at once.
 *
 * Written by hand, because its rules are exact and few: each admission ends in exactly one of two ways, a call from before it opened neither keeps
 * it open nor ends the probe, and the clock is a parameter.
 */
export type BreakerSettings = {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** The time for which it stays open. */
  readonly coolingMs: number;
};

export type Breaker = {
  /** Null: do not call. */
  admit(): Admission | null;
};

/** Exactly one of these must be called when the call is over. */
export type Admission = { alive(): void; failed(): void };

export function newBreaker({ failures, coolingMs }: BreakerSettings, monotonic: () => number): Breaker {
  let inARow = 0;
  /** Null: closed. */
  let openUntil: number | null = null;
  let isProbed = false;
  const open = () => {
    openUntil = monotonic() + coolingMs;
    isProbed = false;
  };
  const close = () => {
    inARow = 0;
    openUntil = null;
    isProbed = false;
  };
  return {
    admit() {
      if (openUntil === null) {
        return {
          alive: close,
          failed() {
            // A call that was let through before it opened does not count.
            if (openUntil !== null) return;
            inARow += 1;
            if (inARow >= failures) open();
          },
        };
      }
      if (isProbed || monotonic() < openUntil) return null;
      isProbed = true;
      return { alive: close, failed: open };
    },
  };
}
