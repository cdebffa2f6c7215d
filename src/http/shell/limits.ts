/**
 * Requests per minute per client, counted in the memory of this process and reported in the headers of the IETF draft
 * "RateLimit header fields for HTTP": `RateLimit-Policy` is the quota, `RateLimit` the rest of it.
 */
export type RateLimiter = {
  /** Counts one request. `allowed` is false when the quota of the current window is used up. */
  take(clientId: string, perMinute: number): { allowed: boolean; remaining: number; resetSeconds: number };
};

const WINDOW_MS = 60_000;
/** Windows that have ended are removed when there are this many; a window is two numbers. */
const SWEEP_AT = 10_000;

export function openRateLimiter(clock: () => number): RateLimiter {
  const windows = new Map<string, { used: number; endsAt: number }>();
  return {
    take(clientId, perMinute) {
      const now = clock();
      let window = windows.get(clientId);
      if (window === undefined || now >= window.endsAt || window.endsAt - now > WINDOW_MS) {
        if (windows.size >= SWEEP_AT) {
          for (const [id, old] of windows) if (now >= old.endsAt) windows.delete(id);
        }
        window = { used: 0, endsAt: now + WINDOW_MS };
        windows.set(clientId, window);
      }
      const allowed = window.used < perMinute;
      if (allowed) window.used += 1;
      return {
        allowed,
        remaining: perMinute - window.used,
        resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
      };
    },
  };
}

export function rateLimitHeaders(
  perMinute: number,
  state: { remaining: number; resetSeconds: number },
): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${perMinute};w=60`,
    RateLimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
  };
}
