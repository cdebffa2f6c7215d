/**
 * The cost of a calculator is bounded by its work, not by the size of its request: thirteen kilobytes with 150 rate changes over 5,300
 * installments once took seconds, and 2,000 of them minutes. Work is counted in steps, which are the same on every machine; that the count
 * is right is checked with the engine's own counters of executed blocks.
 */
import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays, date, type Frequency, type PlainDate } from '../../src/core/calendar.ts';
import { irr } from '../../src/core/irr.ts';
import type { ScheduleTerms } from '../../src/core/loan.ts';
import { type Cents, cents, ZERO } from '../../src/core/money.ts';
import type { LateFeePolicy } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { dueDatesFrom } from '../../src/core/schedule.ts';
import { MAX_STEPS, type SimulatedEvent, type Simulation, simulate } from '../../src/core/simulate.ts';
import { Work } from '../../src/core/work.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { slowTest, WHOLE } from '../support/whole.ts';

const START = date('2020-01-01');
const day = (n: number) => addDays(START, n);
const LATE_FEE: LateFeePolicy = {
  flat: cents(2_500),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst',
};

function terms(count: number, frequency: Frequency, more: Partial<ScheduleTerms> = {}): ScheduleTerms {
  return {
    disbursements: [{ date: START, amount: cents(10_000_000) }],
    rate: percent('7.25'),
    rateChanges: [],
    dayCount: 'actual/365',
    rounding: 'half-up',
    interestStart: START,
    dueDates: dueDatesFrom(day(7), frequency, count),
    amortization: 'FullAmortization',
    balloon: ZERO,
    interestOnlyCount: 0,
    skip: [],
    payment: null,
    ...more,
  };
}

function simulation(count: number, events: readonly SimulatedEvent[], more: Partial<Simulation> = {}): Simulation {
  const usual = { frequency: null, waterfall: [], lateFee: null, graceDays: 10, asOf: null };
  return { terms: terms(count, 'Weekly'), ...usual, events, ...more };
}

const payment = (on: PlainDate, refId: string, amount = 16_000): SimulatedEvent => ({
  type: 'payment',
  date: on,
  amount: amount as Cents,
  refId,
  principalOnly: false,
});
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Weekly payments over thirty years; one in twenty is returned after three days and made again later. */
const serviced = terms(1_560, 'Weekly').dueDates.flatMap((due, i): SimulatedEvent[] => {
  if (i % 20 !== 0) return [payment(due, `p${i}`)];
  const back: SimulatedEvent = { type: 'return', date: addDays(due, 3), refId: `p${i}`, amount: null };
  return [payment(due, `p${i}`), back, payment(addDays(due, 12), `q${i}`)];
});

describe('a loan as it is serviced is never refused', () => {
  test.each([
    ['2,000 payments', times(2_000, (i) => payment(day(7 * i + 7), `p${i}`, 10_000))],
    ['78 returns', serviced],
    [
      'changes beside them',
      [
        ...serviced,
        ...times(10, (i): SimulatedEvent => ({ type: 'extension', date: day(400 * i), periods: 1 })),
        ...times(
          10,
          (i): SimulatedEvent => ({ type: 'rateChange', date: day(300 * i), rate: percent('6'), why: 'scra' }),
        ),
        ...times(10, (i): SimulatedEvent => ({ type: 'reamortize', date: day(500 * i + 3) })),
      ],
    ],
  ])('weekly over thirty years, with late fees: %s', (_, events) => {
    const work = new Work(MAX_STEPS);
    const asked = simulation(1_560, events, { lateFee: LATE_FEE, asOf: day(1_560 * 7 + 30) });
    expect(isRefusal(simulate(asked, work))).toBe(false);
  });
});

test('a return costs the events since its payment, not the whole history again', () => {
  const steps = (share: number) => {
    const events = serviced.filter((event) => event.type !== 'return' || Number(event.refId?.slice(1)) % share === 0);
    const work = new Work(MAX_STEPS);
    expect(isRefusal(simulate(simulation(1_560, events), work))).toBe(false);
    return work.done;
  };
  // 78 returns instead of 4.
  expect(steps(20)).toBeLessThan(3 * steps(400));
});

const kinds: Record<string, (i: number) => SimulatedEvent> = {
  scra: (i) => ({ type: 'rateChange', date: day(i), rate: percent(String(1 + (i % 5))), why: 'scra' }),
  reamortize: (i) => ({ type: 'reamortize', date: day(i) }),
  reage: (i) => ({ type: 'reage', date: day(18 * i) }),
  extension: (i) => (i < 120 ? { type: 'extension', date: day(i), periods: 1 } : payment(day(i), `p${i}`)),
  payments: (i) => payment(day(18 * i), `p${i}`, 1),
};

describe('whatever the events are', () => {
  const tried = Object.keys(kinds).filter((kind) => WHOLE || ['reage', 'payments'].includes(kind));

  test.each(tried)('2,000 × %s over 5,300 installments end at the limit', (kind) => {
    const work = new Work(MAX_STEPS);
    const asked = simulation(5_300, times(2_000, kinds[kind] as (i: number) => SimulatedEvent), {
      lateFee: LATE_FEE,
      asOf: date('2121-01-01'),
    });
    const found = simulate(asked, work);
    expect(work.done).toBeLessThan(1.05 * MAX_STEPS);
    if (!isRefusal(found)) return;
    expect(found).toMatchObject({ refused: 'invalid_value', member: 'events' });
    expect(found.detail).toContain(String(MAX_STEPS));
  });

  slowTest('the counted steps match the executed blocks', { timeout: 60_000 }, async () => {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    for (const kind of tried) {
      const make = kinds[kind] as (i: number) => SimulatedEvent;
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      const work = new Work(MAX_STEPS / 5);
      simulate(simulation(1_300, times(600, make), { lateFee: LATE_FEE, asOf: date('2045-01-01') }), work);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      await session.post('Profiler.stopPreciseCoverage');
      const core = result.filter(({ url }) => url.includes('/src/core/'));
      expect(core.length).toBeGreaterThan(5);
      const blocks = core.flatMap(({ functions }) =>
        functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)),
      );
      expect(blocks.reduce((sum, count) => sum + count, 0) / work.done, kind).toBeLessThan(12);
    }
    session.disconnect();
  });
});

test('a rate that would take too many steps to solve is refused', () => {
  const amounts = times(6_000, (i) => ({ digits: i % 2 === 0 ? -10_000n : 10_001n, scale: 2 }));
  expect(irr(amounts, 12)).toMatchObject({ refused: 'invalid_value' });
  // A loan of as many payments is not.
  const loan = times(6_000, (i) => ({ digits: i === 0 ? -10_000_000n : 5_000n, scale: 2 }));
  expect(irr(loan, 52)).toHaveProperty('irrPercent');
});

describe('over HTTP', () => {
  let service: TestApp;
  let token: string;
  beforeAll(async () => {
    service = await testApp();
    token = await service.token(['loans:read']);
  });
  afterAll(() => service.close());

  slowTest('thirteen kilobytes that took seconds are answered or refused', { timeout: 30_000 }, async () => {
    const body = {
      terms: {
        disbursements: [{ date: START, amount: '100000.00' }],
        annualRatePercent: '7.25',
        firstPaymentDate: day(7),
        count: 5_300,
        paymentFrequency: 'Weekly',
      },
      events: times(150, (i) => ({ type: 'rateChange', date: day(i), annualRatePercent: 1 + (i % 5), why: 'scra' })),
      explain: ['interest', 'payoff', 'pastDue', 'fees', 'nextPayment'],
    };
    expect(JSON.stringify(body).length).toBeLessThan(14_000);
    const { status, body: answered } = await service.call('POST', '/v2/chain/simulate-loan', { token, body });
    expect([200, 422]).toContain(status);
    if (status === 422) expect(answered.errors[0].pointer).toBe('/events');
  });
});
