/**
 * Five loans worked by hand: carrying amount × yield × days ÷ 365, rounded to the cent, less the contract's interest. The first is Example 1
 * of Appendix B of FASB Statement 91; the others have 10,000.00 at 12 % in twelve months from 1 January 2026, fees of 300.00 and costs of
 * 100.00, so that 200.00 net is deferred and 9,800.00 is carried.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { anyPlan, live as livedBy } from '../../test/support/simulate/lives.ts';
import { amortizationOn, deferredOn } from './amortize.ts';
import { bookFiguresOf } from './books.ts';
import { addDays, date } from './calendar.ts';
import { decide } from './decide/decide.ts';
import { type Amortized, type Deferral, NOTHING_DEFERRED, netOf } from './deferral.ts';
import type { LoanEvent } from './event.ts';
import { explain } from './explain.ts';
import { fold } from './fold.ts';
import type { OnFile } from './loan.ts';
import { cents } from './money.ts';
import { payoff } from './payoff.ts';
import type { Policy } from './policy.ts';
import { formatDecimal, percent } from './rate.ts';
import { isRefusal } from './refusal.ts';

const NONE: OnFile = { decision: null, deals: [], opening: null };
const CHARGES: OnFile = {
  ...NONE,
  prepaidFinanceCharge: money('300'),
  dealerReserve: money('80'),
  directCosts: money('20'),
};

function funded(policy: Partial<Policy> = {}): Life {
  const life = live(contractOf({ dayCount: 'actual/365' }), policy).approve('2026-01-01');
  life.take('2026-01-01', { do: 'fund-loan', date: null, opening: null }, CHARGES);
  return life;
}

/** Pays the installments of these months. */
function paying(life: Life, from: number, to: number): Life {
  for (let n = from; n <= to; n++) {
    const day = `2026-${String(n + 1).padStart(2, '0')}-01`;
    life.pay(day, '888.26', `P${n}`);
  }
  return life;
}

/** The last stretch that ended: carrying amount, days, at the yield, interest, amortized. */
function lastOf(life: Life, day: string) {
  const { carrying, days, effective, interest, amount } = (life.loan(day).deferral as Deferral).last as Amortized;
  return [carrying, days, effective, interest, amount];
}

const yieldOn = (life: Life, day: string) => formatDecimal((life.loan(day).deferral as Deferral).yield as never);
const leftOn = (life: Life, day: string) => deferredOn(life.loan(day))?.left;
const netLeft = (life: Life, day: string) => netOf(leftOn(life, day) ?? NOTHING_DEFERRED);

test('FASB Statement 91, Appendix B, Example 1: a net fee of 2,000 on 100,000 at 10 % for ten years yields 10.47 %', () => {
  const contract = contractOf({
    ...{ amount: money('100000'), rate: percent('10'), dayCount: 'actual/365', frequency: 'Annual', count: 10 },
    payment: money('16275'),
    firstPaymentDate: date('2027-01-01'),
  });
  const begun = live(contract).approve('2026-01-01');
  const charges = { ...NONE, prepaidFinanceCharge: money('3000'), directCosts: money('1000') };
  begun.take('2026-01-01', { do: 'fund-loan', date: null, opening: null }, charges);
  // The example counts whole years: every one has 365 days here.
  const dueDates = Array.from({ length: 10 }, (_, n) => addDays(date('2026-01-01'), 365 * (n + 1)));
  const events: LoanEvent[] = begun.events.map((event) =>
    event.type === 'funded' ? { ...event, terms: { ...event.terms, dueDates } } : event,
  );
  expect(formatDecimal((fold(events, dueDates[0] as never).deferral as Deferral).yield as never)).toBe('10.4729986761');
  const years = dueDates.map((today, n) => {
    const amount = n < 9 ? money('16275') : payoff(fold(events, today)).payoff;
    const how = { purpose: 'installment', acceptOverpayment: false, reason: null, date: null } as const;
    const answer = decide(
      events,
      { do: 'loan-repay', refId: `${n}`, amount, ...how },
      { today, at: `${today}T12:00:00Z` },
    );
    if (isRefusal(answer)) throw new Error(answer.detail);
    events.push(...answer.events);
    const { carrying, effective, amount: amortized } = (fold(events, today).deferral as Deferral).last as Amortized;
    return [carrying, effective, amortized];
  });
  // The example's ten payments of 16,275 are 7 more in all than what is owed, so that it has 10.4736 %, and 264 and 262 in the first two years.
  expect(years).toEqual([
    [9_800_000, 1_026_354, 26_354],
    [9_198_854, 963_396, 26_146],
    [8_534_750, 893_844, 25_619],
    [7_801_094, 817_008, 24_710],
    [6_990_602, 732_126, 23_349],
    [6_095_228, 638_353, 21_448],
    [5_106_081, 534_760, 18_914],
    [4_013_341, 420_317, 15_637],
    [2_806_158, 293_889, 11_491],
    [1_472_547, 154_220, 6_332],
  ]);
  expect(years.reduce((sum, [, , amount]) => sum + (amount as number), 0)).toBe(200_000);
});

describe('200.00 net on 10,000.00 at 12 %: a yield of 15.87 %', () => {
  test('paid as agreed', () => {
    const life = funded();
    expect(yieldOn(life, '2026-01-01')).toBe('15.8709673655');
    const rows = Array.from({ length: 11 }, (_, i) => {
      paying(life, i + 1, i + 1);
      return lastOf(life, `2026-${String(i + 2).padStart(2, '0')}-01`);
    });
    expect(rows).toEqual([
      [980_000, 31, 13_210, 10_192, 3_018],
      [904_384, 28, 11_011, 8_482, 2_529],
      [826_569, 31, 11_142, 8_572, 2_570],
      [748_885, 30, 9_769, 7_503, 2_266],
      [669_828, 31, 9_029, 6_925, 2_104],
      [590_031, 30, 7_697, 5_894, 1_803],
      [508_902, 31, 6_860, 5_245, 1_615],
      [426_936, 31, 5_755, 4_393, 1_362],
      [343_865, 30, 4_486, 3_419, 1_067],
      [259_525, 31, 3_498, 2_662, 836],
      [174_197, 30, 2_272, 1_726, 546],
    ]);
    // The net 2.84 that is left is 4.26 of fees and 1.42 of costs, in the proportion of 300 to 100. The last payment takes it.
    expect(leftOn(life, '2026-12-01')).toEqual({ fees: 426, costs: 142, discount: 0 });
    life.pay('2027-01-01', '888.23', 'P12');
    expect(life.loan('2027-01-01').principal).toBe(0);
    expect(leftOn(life, '2027-01-01')).toEqual(NOTHING_DEFERRED);
    expect(deferredOn(life.loan('2027-01-01'))?.ended).toEqual({ fees: 30_000, costs: 10_000, discount: 0 });
  });

  test('day by day: 9,800.00 earns 42.61 in ten days, of which 32.88 is interest', () => {
    const { openFees, openCosts, deferredFees, deferredCosts } = bookFiguresOf(funded().loan('2026-01-11'));
    // 9.73 net is 14.60 of fees and 4.87 of costs: 9.73 × 100 ÷ 200 = 4.865.
    expect([openFees, openCosts]).toEqual([1_460, 487]);
    expect([deferredFees, deferredCosts]).toEqual([28_540, 9_513]);
  });

  test('prepaid in part: the yield stays, and less is earned on less', () => {
    const life = paying(funded(), 1, 3);
    life.pay('2026-04-11', '3000', 'PART', { purpose: 'principal' });
    expect(lastOf(life, '2026-04-11')).toEqual([748_885, 10, 3_256, 2_501, 755]);
    paying(life, 4, 5);
    expect(yieldOn(life, '2026-06-01')).toBe('15.8709673655');
    expect(lastOf(life, '2026-05-01')).toEqual([449_640, 20, 3_910, 3_030, 880]);
    expect(lastOf(life, '2026-06-01')).toEqual([367_225, 31, 4_950, 3_847, 1_103]);
    expect(netLeft(life, '2026-06-01')).toBe(9_145);
  });

  test('paid off early: the rest is income that day, and no longer when the payment is returned', () => {
    const life = paying(funded(), 1, 5);
    const { payoff: amount } = payoff(life.loan('2026-06-16'));
    life.pay('2026-06-16', String(amount / 100), 'OFF');
    expect(lastOf(life, '2026-06-16')).toEqual([590_031, 15, 3_848, 2_947, 901]);
    expect(leftOn(life, '2026-06-16')).toEqual(NOTHING_DEFERRED);
    life.take('2026-06-18', { do: 'return-repayment', refId: 'OFF', date: null, reason: 'NSF' });
    // 75.13 less what 17 days amortize: 5,900.31 × 15.8709673655 % × 17 ÷ 365 = 43.61, less 33.40.
    expect(netLeft(life, '2026-06-18')).toBe(7_513 - (4_361 - 3_340));
  });

  test('modified: an extension by a month lowers the yield from that day on', () => {
    const life = paying(funded(), 1, 4);
    life.take('2026-05-11', { do: 'extend', periods: 1, date: null, reason: 'hardship' });
    expect(yieldOn(life, '2026-05-11')).toBe('15.0994283056');
    life.pay('2026-07-01', '888.26', 'P5');
    // Ten days at the old yield earn 29.13, and 51 at the new one 141.46; the contract earns 136.26.
    expect(lastOf(life, '2026-07-01').slice(2)).toEqual([17_059, 13_626, 3_433]);
    expect(netLeft(life, '2026-07-01')).toBe(6_184);
    life.pay('2026-08-01', '888.26', 'P6');
    expect(lastOf(life, '2026-08-01').slice(2)).toEqual([7_670, 6_158, 1_512]);
  });

  test('charged off: nothing in non-accrual, and the rest is part of the loss', () => {
    const life = paying(funded({ nonAccrualDays: 60 }), 1, 5);
    // 60 days past due on 30 August: the 89 days from 1 June to 29 August amortize.
    const before = life.loan('2026-09-14');
    expect(before.nonAccrualSince).toBe('2026-08-30');
    expect(amortizationOn(before)).toMatchObject({ days: 89, effective: 22_834, interest: 17_484, amount: 5_350 });
    expect(netLeft(life, '2026-08-29')).toBe(2_163);
    expect(netLeft(life, '2026-09-14')).toBe(2_163);
    life.take('2026-09-15', { do: 'charge-off', date: null, collateral: cents(0), reason: 'lost' });
    const after = deferredOn(life.loan('2026-09-15'));
    // 21.63 net: 32.44 of fees and 10.81 of costs. 178.37 × 100 ÷ 200 = 89.19 of the costs were amortized.
    expect([after?.lost, after?.left]).toEqual([{ fees: 3_244, costs: 1_081, discount: 0 }, NOTHING_DEFERRED]);
  });
});

test('why: the carrying amount, the yield and the interest of a stretch add up to what it amortizes', () => {
  const life = paying(funded(), 1, 2);
  const told = explain(life.loan('2026-03-11'), 'amortization');
  expect(told?.steps.map(({ how, amount }) => [how, amount])).toEqual([
    ['8265.69 carrying amount × 0.158709673655 × 10 days ÷ 365, rounded to the cent', 3_594],
    ['from 2026-03-01 to 2026-03-11', -2_765],
  ]);
  expect(told?.amount).toBe(829);
  expect(told?.sentences[1]).toBe('Of 200.00 net, 63.76 is amortized by 2026-03-11 and 136.24 is left.');
  expect(explain(live().fund().loan('2026-01-11'), 'amortization')?.amount).toBe(0);
});

test('over random lives every deferred balance ends at zero with its loan', { timeout: 600_000 }, () => {
  const lives = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 1_000 : 40));
  const deferring = anyPlan.filter(
    ({ charges, extras, opening }) => charges !== null && extras === null && opening === null,
  );
  const property = fc.property(deferring, (plan) => {
    const { events, today } = livedBy(plan);
    const loan = fold(events, today);
    const all = [...events];
    if (loan.stage === 'Funded' && loan.chargeOff === null && loan.principal > 0) {
      const end = addDays(today, 20);
      const { payoff: amount } = payoff(fold(events, end));
      const how = { purpose: 'installment', acceptOverpayment: true, reason: null, date: null } as const;
      const answer = decide(
        events,
        { do: 'loan-repay', refId: 'END', amount, ...how },
        { today: end, at: `${end}T23:00:00Z` },
      );
      if (isRefusal(answer)) throw new Error(answer.detail);
      all.push(...answer.events);
    }
    const last = fold(all, addDays(today, 30));
    const { deferredFees, deferredCosts } = bookFiguresOf(last);
    const isVoid = last.rescission !== null;
    expect([deferredFees, isVoid ? 0 : deferredCosts]).toEqual([0, 0]);
    const deferred = deferredOn(last);
    const { fees = 0, costs = 0 } = last.deferral ?? {};
    if (deferred !== null && !isVoid) {
      expect(deferred.ended.fees + deferred.lost.fees).toBe(fees);
      expect(deferred.ended.costs + deferred.lost.costs).toBe(costs);
    }
  });
  fc.assert(property, { numRuns: lives, seed: 310_20 });
});
