import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, openRateLimiter, type RateLimiter, rateLimitHeaders } from './limits.ts';

const client = (perMinute: number, of = 'a'): Budget => ({ name: 'default', of, perMinute });
const organization = (perMinute: number): Budget => ({ name: 'organization', of: 'o', perMinute });

it('no minute that begins with a window lets more through than the quota, and the remaining units are reported correctly', () => {
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

describe('of several processes', () => {
  /** Processes whose clocks differ, and which hear of each other when the test says so, `ageMs` late. */
  function processes(count: number) {
    const time = { now: 1_000_000 };
    const all = Array.from({ length: count }, (_, n) => openRateLimiter(() => time.now + n * 7_000));
    const exchange = (ageMs = 0) => {
      const reports = all.map(({ tally }) => tally.takeUnreported(100));
      time.now += ageMs;
      all.forEach(({ tally }, reader) => {
        reports.forEach((lines, reporter) => {
          if (reporter !== reader) tally.addReported(lines, ageMs);
        });
      });
      return reports;
    };
    const take = (n: number, cost = 1, budget = client(10)) => (all[n] as RateLimiter).take([budget], cost);
    return { time, all, exchange, take };
  }

  it('a client gets its quota once, whichever it asks', () => {
    const { exchange, take } = processes(3);
    let paid = 0;
    for (let n = 0; n < 60; n++) {
      if (take(n % 3).refused === null) paid += 1;
      exchange();
    }
    expect(paid).toBe(10);
    expect(take(1).refused).toMatchObject({ remaining: 0 });
    expect(take(2, 1, client(10, 'b')).refused, 'another client').toBeNull();
  });

  it('what gets through beyond the quota was let through between two exchanges, whatever is asked of whom', () => {
    const steps = fc.array(
      fc.record({ wait: fc.nat(400), of: fc.nat(2), cost: fc.integer({ min: 1, max: 5 }), exchange: fc.boolean() }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 40 }), steps, (quota, sequence) => {
        const { time, exchange, take } = processes(3);
        // The first call and its report begin the minute for all.
        take(0, 1, client(quota));
        exchange(5);
        let [paid, since, known, left] = [1, time.now, 1, Number.POSITIVE_INFINITY];
        for (const step of sequence) {
          if (time.now + step.wait - since >= 55_000) return;
          time.now += step.wait;
          const { refused, states } = take(step.of, step.cost, client(quota));
          if (refused === null) {
            paid += step.cost;
            expect(known + step.cost, 'what all know of already').toBeLessThanOrEqual(quota);
          }
          expect(states[0]?.remaining).toBeLessThanOrEqual(Math.max(0, quota - known));
          if (step.exchange) {
            exchange(5);
            known = paid;
            const told = [0, 1, 2].map((n) => take(n, 1_000, client(quota)).states[0]);
            for (const one of told) expect(one).toMatchObject({ remaining: Math.max(0, quota - paid) });
            // All say the same end, to the second.
            expect(new Set(told.map((one) => one?.resetSeconds)).size).toBe(1);
            expect(told[0]?.remaining).toBeLessThanOrEqual(left);
            left = told[0]?.remaining ?? 0;
          }
        }
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('the minute is one for all: it ends everywhere when it ends, and what is late from it is not counted in the next', () => {
    const { time, exchange, take, all } = processes(2);
    take(0, 10);
    exchange(20);
    time.now += 59_000;
    expect(take(1).refused, 'heard of, and not yet over').toMatchObject({ retryAfterSeconds: 1 });
    time.now += 980;
    expect(take(0, 4).refused, 'the next minute').toBeNull();
    const late = all[0]?.tally.takeUnreported(10) ?? [];
    time.now += 60_000;
    all[1]?.tally.addReported(late, 60_001);
    expect(take(1, 10).refused).toBeNull();
  });

  it('a minute that another process has begun a moment early replaces one that is about to end', () => {
    const { time, all, take } = processes(2);
    take(1, 10);
    time.now += 59_990;
    all[1]?.tally.addReported([['default a', 3, 60_000, 10]], 5);
    expect(take(1).refused, 'seven of the next minute are left').toBeNull();
    expect(take(1).states).toMatchObject([{ remaining: 5, resetSeconds: 60 }]);
  });

  it('minutes that were begun apart become one, so that going from one to the other gains nothing', () => {
    const { time, exchange, take } = processes(2);
    take(0, 5);
    time.now += 30_000;
    take(1, 5);
    exchange();
    expect(take(0).refused).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
    expect(take(1).refused).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
    let paid = 0;
    for (const ms = time.now + 120_000; time.now < ms; time.now += 1_000) {
      for (const n of [0, 1]) {
        if (take(n).refused === null) paid += 1;
        exchange();
      }
    }
    expect(paid).toBeLessThanOrEqual(20);
  });

  it('what got through beyond the quota before the others heard of it is paid by the next minute', () => {
    const { time, exchange, take } = processes(2);
    take(0, 10);
    take(1, 7);
    exchange();
    for (const n of [0, 1]) expect(take(n).refused).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
    time.now += 60_000;
    expect(take(0, 4).refused).toMatchObject({ remaining: 3, retryAfterSeconds: 60 });
    expect(take(1, 3).refused).toBeNull();
    exchange();
    expect(take(0).refused).toMatchObject({ remaining: 0, retryAfterSeconds: 60 });
  });

  it('what a call was charged too much is returned everywhere', () => {
    const { exchange, take } = processes(2);
    const taken = take(0, 9);
    exchange();
    expect(take(1, 2).refused).not.toBeNull();
    taken.giveBack(7);
    exchange();
    expect(take(1, 8).refused).toBeNull();
  });

  it('a call that costs more than a minute is paid off by the following ones everywhere', () => {
    const { time, exchange, take } = processes(2);
    take(0, 35);
    exchange();
    expect(take(1).refused).toMatchObject({ retryAfterSeconds: 180 });
    time.now += 180_000;
    expect(take(1, 4)).toMatchObject({ refused: null, states: [{ remaining: 1 }] });
  });

  it('what was not reported in its minute is reported in the next without what that minute has paid', () => {
    const { time, exchange, take } = processes(2);
    take(0, 35);
    time.now += 60_000;
    exchange();
    expect(take(1).refused, 'of 35 units, 25 are still owed').toMatchObject({ retryAfterSeconds: 120 });
  });

  it('a report holds the largest first, each once; what does not fit is in the next', () => {
    const limiter = openRateLimiter(() => 0);
    for (const [n, of] of ['a', 'b', 'c'].entries()) limiter.take([client(10, of)], n + 1);
    expect(limiter.tally.takeUnreported(2)).toEqual([
      ['default c', 3, 60_000, 10],
      ['default b', 2, 60_000, 10],
    ]);
    expect(limiter.tally.takeUnreported(2)).toEqual([['default a', 1, 60_000, 10]]);
    expect(limiter.tally.takeUnreported(2)).toEqual([]);
    limiter.take([client(10)], 100);
    expect(limiter.tally.takeUnreported(2), 'a refused call').toEqual([]);
  });
});

it('a limiter that reports to nobody keeps nothing for a report', () => {
  const limiter = openRateLimiter(() => 0, { reports: false });
  for (let n = 0; n < 100; n += 1) limiter.take([{ ...client(600), of: `192.0.2.${n}` }], 1);
  expect(limiter.tally.takeUnreported(100)).toEqual([]);
});
