/**
 * A circuit breaker: a service that has failed several times in a row is not called for a while. Then one call is let through to see
 * whether it is back; until that one has ended, all others are turned away at once.
 *
 * By hand, because its rules are exact and few: each admission ends in exactly one of two ways, a call from before it opened neither keeps
 * it open nor ends the probe, and the clock is a parameter.
 */
export type BreakerSettings = {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** It stays open so long. */
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
            // One that was let through before it opened says nothing new.
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
