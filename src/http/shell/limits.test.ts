import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openRateLimiter } from './limits.ts';

it('no minute that begins with a window lets more through than the quota, and what is left is told truly', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(20_000), client: fc.constantFrom('a', 'b') }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), steps, (quota, sequence) => {
      let now = 1_000_000;
      const limiter = openRateLimiter(() => now);
      const windows = new Map<string, { from: number; used: number }>();
      for (const { wait, client } of sequence) {
        now += wait;
        let window = windows.get(client);
        if (window === undefined || now - window.from >= 60_000) {
          window = { from: now, used: 0 };
          windows.set(client, window);
        }
        const { allowed, remaining, resetSeconds } = limiter.take(client, quota);
        expect(allowed).toBe(window.used < quota);
        if (allowed) window.used += 1;
        expect(remaining).toBe(quota - window.used);
        expect(resetSeconds).toBe(Math.ceil((window.from + 60_000 - now) / 1000));
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});

it('a clock that was set back does not lock a client out', () => {
  let now = 1_000_000_000;
  const limiter = openRateLimiter(() => now);
  expect(limiter.take('a', 1).allowed).toBe(true);
  now -= 3_600_000;
  expect(limiter.take('a', 1)).toMatchObject({ allowed: true, resetSeconds: 60 });
});
