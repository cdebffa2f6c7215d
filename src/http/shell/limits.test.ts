import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Budget, openRateLimiter, rateLimitHeaders } from './limits.ts';

const client = (perMinute: number, of = 'a'): Budget => ({ name: 'default', of, perMinute });
const organization = (perMinute: number): Budget => ({ name: 'organization', of: 'o', perMinute });

it('no minute that begins with a window lets more through than the quota, and what is left is told truly', () => {
  const steps = fc.array(
    fc.record({ wait: fc.nat(20_000), of: fc.constantFrom('a', 'b'), cost: fc.integer({ min: 1, max: 5 }) }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 20 }), steps, (quota, sequence) => {
      let now = 1_000_000;
      const limiter = openRateLimiter(() => now);
      const windows = new Map<string, { from: number; used: number }>();
      for (const { wait, of, cost } of sequence) {
        now += wait;
        let window = windows.get(of);
        if (window === undefined || now - window.from >= 60_000) {
          window = { from: now, used: 0 };
          windows.set(of, window);
        }
        const { refused, states } = limiter.take([client(quota, of)], cost);
        const resetSeconds = Math.ceil((window.from + 60_000 - now) / 1000);
        const fits = window.used + cost <= quota;
        if (fits) window.used += cost;
        expect(refused === null).toBe(fits);
        const remaining = quota - window.used;
        if (refused !== null) expect(refused).toMatchObject({ remaining, retryAfterSeconds: resetSeconds });
        expect(states).toEqual([{ budget: client(quota, of), remaining, resetSeconds }]);
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});

it('on average nothing gets through beyond the quota, whatever a call costs; and what it says of waiting is true', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(90_000), cost: fc.integer({ min: 1, max: 60 }) }), {
    minLength: 1,
    maxLength: 100,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), steps, (quota, sequence) => {
      const start = 1_000_000;
      let now = start;
      const limiter = openRateLimiter(() => now);
      let [paid, last] = [0, 0];
      for (const { wait, cost } of sequence) {
        now += wait;
        let { refused } = limiter.take([client(quota)], cost);
        if (refused !== null) {
          now += refused.retryAfterSeconds * 1_000;
          ({ refused } = limiter.take([client(quota)], cost));
          expect(refused).toBeNull();
        }
        [paid, last] = [paid + cost, cost];
        const minutes = Math.floor((now - start) / 60_000) + 1;
        expect(paid - last).toBeLessThanOrEqual(quota * minutes);
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});

it('a call that costs more than a minute’s budget needs an untouched one, and the next minutes pay for it', () => {
  let now = 1_000_000;
  const limiter = openRateLimiter(() => now);
  const take = (cost: number) => limiter.take([client(10)], cost);
  expect(take(35)).toMatchObject({ refused: null, states: [{ remaining: 0, resetSeconds: 180 }] });
  expect(take(1).refused).toEqual({ budget: client(10), remaining: 0, retryAfterSeconds: 180 });
  expect(take(35).refused).toMatchObject({ retryAfterSeconds: 240 });
  now += 180_000;
  expect(take(4)).toMatchObject({ refused: null, states: [{ remaining: 1, resetSeconds: 60 }] });
  expect(take(35).refused).toMatchObject({ remaining: 1, retryAfterSeconds: 60 });
  now += 60_000;
  expect(take(35).refused).toBeNull();
});

it('a call is paid by the client and its organization, or by neither', () => {
  const limiter = openRateLimiter(() => 0);
  const take = (of: string, cost: number) => limiter.take([client(10, of), organization(15)], cost);
  expect(take('a', 10).refused).toBeNull();
  expect(take('b', 6).refused).toMatchObject({ budget: { name: 'organization' }, remaining: 5 });
  expect(take('b', 5)).toMatchObject({ refused: null, states: [{ remaining: 5 }, { remaining: 0 }] });
  expect(take('a', 1).refused).toMatchObject({ budget: { name: 'default' } });
});

it('what was charged too much is returned', () => {
  let now = 0;
  const limiter = openRateLimiter(() => now);
  const taken = limiter.take([client(10)], 9);
  taken.giveBack(7);
  expect(limiter.take([client(10)], 8).refused).toBeNull();
  now += 60_000;
  expect(limiter.take([client(10)], 10).refused).toBeNull();
  taken.giveBack(9);
  expect(limiter.take([client(10)], 1).refused, 'not from the minute after').not.toBeNull();
});

it('a clock that was set back does not lock a client out', () => {
  let now = 1_000_000_000;
  const limiter = openRateLimiter(() => now);
  expect(limiter.take([client(1)], 1).refused).toBeNull();
  now -= 3_600_000;
  expect(limiter.take([client(1)], 1)).toMatchObject({ refused: null, states: [{ resetSeconds: 60 }] });
});

it('the headers list every budget', () => {
  const { states } = openRateLimiter(() => 0).take([client(600), organization(6_000)], 5);
  expect(rateLimitHeaders(states)).toEqual({
    'RateLimit-Policy': '"default";q=600;w=60, "organization";q=6000;w=60',
    RateLimit: '"default";r=595;t=60, "organization";r=5995;t=60',
  });
});
