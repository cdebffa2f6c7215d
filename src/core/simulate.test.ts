import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, date, type PlainDate } from './calendar.ts';
import type { ScheduleTerms } from './loan.ts';
import { cents, ZERO } from './money.ts';
import type { LateFeePolicy } from './policy.ts';
import { percent } from './rate.ts';
import { isRefusal } from './refusal.ts';
import { dueDatesFrom } from './schedule.ts';
import { type Simulated, type SimulatedEvent, type Simulation, simulate } from './simulate.ts';

const START = date('2026-01-15');
const terms: ScheduleTerms = {
  disbursements: [{ date: START, amount: cents(120_000) }],
  rate: percent('12'),
  rateChanges: [],
  dayCount: 'actual/365',
  rounding: 'half-up',
  interestStart: START,
  dueDates: dueDatesFrom(date('2026-02-15'), 'Monthly', 4),
  amortization: 'FullAmortization',
  balloon: ZERO,
  interestOnlyCount: 0,
  skip: [],
  payment: null,
};
const flat: LateFeePolicy = {
  flat: cents(1_500),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst',
};

function ask(events: SimulatedEvent[], more: Partial<Simulation> = {}): Simulated {
  const simulated = simulate({
    terms,
    frequency: 'Monthly',
    waterfall: [],
    lateFee: null,
    graceDays: 10,
    events,
    asOf: null,
    ...more,
  });
  if (isRefusal(simulated)) throw new Error(`${simulated.refused}: ${simulated.detail}`);
  return simulated;
}

const pay = (on: string, amount: number, refId: string | null = null): SimulatedEvent => ({
  type: 'payment',
  date: date(on),
  amount: cents(amount),
  refId,
  principalOnly: false,
});
const back = (on: string, refId: string | null = null, amount: number | null = null): SimulatedEvent => ({
  type: 'return',
  date: date(on),
  refId,
  amount: amount === null ? null : cents(amount),
});

describe('a loan history, by hand', () => {
  // 1,200.00 × 12 % × 31 ÷ 365 = 12.2301…; the level payment of four is 307.43.
  it('a payment on its due date', () => {
    const { events, loan, delinquency, payoff } = ask([pay('2026-02-15', 30_743)]);
    expect(events[0]).toMatchObject({
      refId: 'payment-1',
      allocation: { fees: 0, interest: 1_223, principal: 29_520, credit: 0 },
      balance: 90_480,
    });
    expect([loan.principal, payoff.payoff, delinquency.nextDueDate]).toEqual([90_480, 90_480, '2026-03-15']);
  });

  it('a return undoes its payment to the cent, and events in between keep what they showed then', () => {
    const between = pay('2026-03-01', 10_000, 'b');
    const { events, loan } = ask([pay('2026-02-15', 30_743, 'a'), between, back('2026-03-10', 'a')]);
    const [a, b, undone] = events;
    expect(undone?.allocation).toEqual({ fees: 0, interest: -1_223, principal: -29_520, credit: 0 });
    expect([undone?.refId, undone?.amount]).toEqual(['a', 30_743]);
    expect(b?.allocation.principal).toBe(10_000 - (b?.allocation.interest ?? 0));
    expect(b?.balance).toBe((a?.balance ?? 0) - (b?.allocation.principal ?? 0));
    const without = ask([between], { asOf: date('2026-03-10') }).loan;
    expect([loan.principal, loan.interest]).toEqual([without.principal, without.interest]);
    expect(undone?.balance).toBe(without.principal);
  });

  it('a return finds its payment: by name, by amount, or the latest', () => {
    const payments = [pay('2026-02-15', 100, 'a'), pay('2026-02-16', 200, 'b'), pay('2026-02-17', 300, 'c')];
    const returned = (...returns: SimulatedEvent[]) =>
      ask([...payments, ...returns])
        .events.filter(({ type }) => type === 'return')
        .map(({ refId }) => refId);
    expect(returned(back('2026-02-20', 'a'))).toEqual(['a']);
    expect(returned(back('2026-02-20', null, 200))).toEqual(['b']);
    expect(returned(back('2026-02-20', null, 999))).toEqual(['c']);
    expect(returned(back('2026-02-16'))).toEqual(['b']);
    expect(returned(back('2026-02-18'), back('2026-02-19'), back('2026-02-20', 'c'))).toEqual(['b', 'a', 'c']);
  });

  it('the late fee is charged after the grace days, or with a return on the day of the return', () => {
    const feeDates = (events: SimulatedEvent[], asOf: string) =>
      ask(events, { lateFee: flat, asOf: date(asOf) }).loan.fees.map((fee) => fee.date);
    expect(feeDates([], '2026-02-25')).toEqual([]);
    expect(feeDates([], '2026-02-26')).toEqual(['2026-02-26']);
    expect(feeDates([pay('2026-02-15', 30_743), back('2026-03-05')], '2026-03-05')).toEqual(['2026-03-05']);
  });

  it('a return after years causes every late fee on its own day', () => {
    // Three hundred weeks paid ahead at once, and returned when two hundred have passed: one replay shows them all.
    const weekly = { ...terms, dueDates: dueDatesFrom(date('2026-01-22'), 'Weekly', 400), payment: cents(500) };
    const events = [pay('2026-01-16', 110_000), back('2029-11-15')];
    const { loan } = ask(events, { terms: weekly, frequency: 'Weekly', lateFee: flat });
    expect(loan.fees.length).toBeGreaterThan(190);
    expect(new Set(loan.fees.map((fee) => fee.date))).toEqual(new Set(['2029-11-15']));
  });

  it('buckets left out of the waterfall follow, so that no money is left unapplied', () => {
    const { loan } = ask([pay('2026-03-01', 500_000)], { waterfall: ['pastDue.fee'] });
    expect([loan.principal, loan.interest]).toEqual([0, 0]);
    expect(loan.credit).toBeGreaterThan(0);
  });

  it('a paid-off loan is closed, and later money is a credit that can be refunded', () => {
    const refund: SimulatedEvent = { type: 'refund', date: date('2026-02-20'), amount: cents(1_000) };
    const { status, loan, events } = ask([pay('2026-02-15', 130_000), refund]);
    expect([status, loan.credit, loan.principal]).toEqual(['ClosedEarly', 130_000 - 121_223 - 1_000, 0]);
    expect(events[1]?.balance).toBe(0);
  });

  it('a refund of money that is returned later is owed again', () => {
    const refund: SimulatedEvent = { type: 'refund', date: date('2026-02-20'), amount: cents(1_000) };
    const { events, loan } = ask([pay('2026-02-15', 130_000), refund, back('2026-02-25')]);
    expect(events.map(({ balance }) => balance)).toEqual([0, 0, 121_000]);
    expect(loan.principal).toBe(121_000);
  });

  it('later disbursements of the terms are in the balance', () => {
    const disbursements = [...terms.disbursements, { date: date('2026-02-20'), amount: cents(50_000) }];
    const { events, loan } = ask([pay('2026-02-15', 30_743), pay('2026-02-20', 100)], {
      terms: { ...terms, disbursements },
    });
    expect(loan.totals.disbursed).toBe(170_000);
    expect(events[1]?.balance).toBe(loan.principal);
  });
});

describe('properties', () => {
  const day = fc.integer({ min: 0, max: 150 }).map((n): PlainDate => addDays(START, n));
  const amount = fc
    .oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 60_000, max: 200_000 }))
    .map((n) => cents(n));
  const event: fc.Arbitrary<SimulatedEvent> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('payment'),
        date: day,
        amount,
        refId: fc.constant(null),
        principalOnly: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('return'),
        date: day,
        refId: fc.constant(null),
        amount: fc.constant(null),
      }),
    },
    fc.record({
      type: fc.constant('fee'),
      date: day,
      amount,
      feeId: fc.constant(null),
      name: fc.constant('fee'),
      kind: fc.constant('fee'),
    }),
    fc.record({
      type: fc.constant('rateChange'),
      date: day,
      rate: fc.constantFrom(percent('6'), percent('0'), percent('29.99')),
      why: fc.constant('contract'),
    }),
    fc.record({
      type: fc.constant('rateChange'),
      date: day,
      rate: fc.constantFrom(percent('6'), percent('0')),
      why: fc.constant('scra'),
    }),
    fc.record({ type: fc.constant('extension'), date: day, periods: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ type: fc.constant('disbursement'), date: day, amount }),
    fc.record({ type: fc.constantFrom('reamortize', 'reage'), date: day }),
    fc.record({ type: fc.constant('refund'), date: day, amount: fc.constantFrom(cents(1), cents(50_000)) }),
    day.chain((on) =>
      fc.record({
        type: fc.constant('dueDateChange'),
        date: fc.constant(on),
        to: fc.integer({ min: 1, max: 40 }).map((n) => addDays(on, n)),
      }),
    ),
    fc.record({ type: fc.constant('chargeOff'), date: day, collateral: fc.constant(ZERO) }),
  ) as fc.Arbitrary<SimulatedEvent>;
  const life = fc.array(event, { maxLength: 12 });

  /** Simulated, or null where a return found no payment, a refund no credit, or a due date moved too far. */
  const lived = (events: readonly SimulatedEvent[], asOf: PlainDate | null = null): Simulated | null => {
    const simulated = simulate({
      terms,
      frequency: 'Monthly',
      waterfall: [],
      lateFee: flat,
      graceDays: 10,
      events,
      asOf,
    });
    if (!isRefusal(simulated)) return simulated;
    expect(['contradiction', 'amount_exceeds_balance', 'invalid_value']).toContain(simulated.refused);
    return null;
  };

  it('what an event shows is the loan of that day, had nothing happened since (one fold an event)', () => {
    fc.assert(
      fc.property(life, (events) => {
        const whole = lived(events);
        if (whole === null) return;
        // The same events with their names, so that each prefix means the same payments.
        const named = whole.events.map(({ index, refId, feeId, amount: sum }): SimulatedEvent => {
          const one = events[index] as SimulatedEvent;
          if ('refId' in one) return { ...one, refId, amount: sum } as SimulatedEvent;
          return one.type === 'fee' ? { ...one, feeId } : one;
        });
        whole.events.forEach((told, i) => {
          const then = lived(named.slice(0, i + 1), told.date) as Simulated;
          expect(told.balance).toBe(then.loan.principal);
          expect({ ...told, index: i }).toEqual(then.events.at(-1));
          if (told.type === 'payment') {
            expect(told.allocation).toEqual(then.loan.payments.find(({ refId }) => refId === told.refId)?.allocation);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('the order in which events are given does not matter', () => {
    fc.assert(
      fc.property(
        life.map((events) => events.map((one, i) => (one.type === 'payment' ? { ...one, refId: `r${i}` } : one))),
        fc.infiniteStream(fc.nat()),
        (events, random) => {
          const returns = events.filter(({ type }) => type === 'return').length;
          const rates = events.filter(({ type }) => type === 'rateChange').map(({ date: on }) => on);
          if (returns > 0 || new Set(rates).size < rates.length) return;
          const shuffled = events
            .map((one) => ({ one, key: random.next().value as number }))
            .sort((a, b) => a.key - b.key);
          const [a, b] = [lived(events), lived(shuffled.map(({ one }) => one))];
          expect(a?.loan.totals).toEqual(b?.loan.totals);
          expect(a?.payoff).toEqual(b?.payoff);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('a payment returned on its own day leaves no trace in the balances', () => {
    fc.assert(
      fc.property(life, day, amount, (events, on, money) => {
        const others = events.filter(({ type }) => type !== 'return');
        const asOf = addDays(START, 160);
        const payment: SimulatedEvent = {
          type: 'payment',
          date: on,
          amount: money,
          refId: 'gone',
          principalOnly: false,
        };
        const both = lived([...others, payment, { type: 'return', date: on, refId: 'gone', amount: null }], asOf);
        const neither = lived(others, asOf);
        expect(both?.payoff).toEqual(neither?.payoff);
      }),
      { numRuns: 200 },
    );
  });
});
