import { describe, expect, test } from 'vitest';
import { contractOf, FLAT_LATE_FEE, live, money } from '../../test/support/life.ts';
import { difference, explain, FIGURES } from './explain.ts';
import type { Loan } from './loan.ts';
import { cents } from './money.ts';
import { percent } from './rate.ts';

const told = (loan: Loan, figure: Parameters<typeof explain>[1]) => {
  const explanation = explain(loan, figure);
  if (explanation === null) throw new Error('There is no explanation.');
  return explanation;
};

describe('explain: days × rate × balance, each rounding, each step of the waterfall', () => {
  test('interest: 20,000 × 5 % × 30 ÷ 365 = 82.19 (Southeast Toyota Finance)', () => {
    const contract = contractOf({ amount: money('20000'), rate: percent('5'), dayCount: 'actual/365', count: 60 });
    const { amount, steps } = told(live(contract).fund().loan('2026-01-31'), 'interest');
    expect(amount).toBe(8219);
    expect(steps).toEqual([
      {
        what: 'interest from 2026-01-01 to 2026-01-31',
        how: '20000.00 × 0.05 × 30 days ÷ 365, rounded to the cent',
        amount: 8219,
      },
    ]);
  });

  test('interest: paid and waived amounts are subtracted', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    const { steps, amount } = told(life.loan('2026-02-16'), 'interest');
    expect(steps.map((step) => step.amount)).toEqual([10000, 4606, -10000]);
    expect(amount).toBe(4606);
  });

  test('a payment: the buckets that took it, in order, as they sum to it', () => {
    const life = live().fund().pay('2026-02-01', '1000', 'A');
    const { amount, steps } = told(life.loan('2026-02-01'), 'payment:A');
    expect(amount).toBe(100000);
    expect(steps.map(({ what, amount: part }) => [what, part])).toEqual([
      ['due.interest', 10000],
      ['due.principal', 78849],
      ['inAdvance.principal', 11151],
    ]);
  });

  test('a returned payment pays nothing, and says so', () => {
    const life = live().fund().pay('2026-02-01', '1000', 'A');
    life.take('2026-02-03', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(told(life.loan('2026-02-03'), 'payment:A')).toMatchObject({ amount: 0, steps: [] });
  });

  test('past due: what is open of each installment', () => {
    const { amount, steps, sentences } = told(live().fund().loan('2026-03-15'), 'pastDue');
    expect(amount).toBe(2 * 88849);
    expect(steps.map(({ what }) => what)).toEqual(['installment 1, due 2026-02-01', 'installment 2, due 2026-03-01']);
    expect(sentences[0]).toContain('42 days before 2026-03-15');
  });

  test('payoff: its parts, and what each further day adds', () => {
    const { steps, sentences } = told(live().fund().loan('2026-01-11'), 'payoff');
    expect(steps.map(({ what, amount }) => [what, amount])).toEqual([
      ['principal', 1000000],
      ['interest', 3333],
    ]);
    expect(sentences.join(' ')).toContain('adds 3.33');
  });

  test('null for a payment that does not exist', () => {
    expect(explain(live().fund().loan('2026-01-11'), 'payment:X')).toBeNull();
  });

  test('every figure adds up through a history with late fees, an honoured quote, a credit and a charge-off', () => {
    const lateFee = FLAT_LATE_FEE;
    const life = live(contractOf({ prepaymentPenalty: money('50') }), { lateFee }).fund();
    life.pay('2026-03-05', '1500', 'A').pay('2026-03-20', '100', 'B', { purpose: 'principal' });
    life.take('2026-04-01', {
      do: 'settle',
      quoteId: 'S',
      amount: money('5000'),
      goodThrough: life.loan('2026-05-01').on,
      reason: 'x',
    });
    life.take('2026-04-02', { do: 'charge-off', date: null, reason: 'x', collateral: cents(0) });
    life.pay('2026-04-20', '5100', 'C');
    for (const day of ['2026-02-20', '2026-03-05', '2026-04-01', '2026-04-02', '2026-04-20', '2026-06-01']) {
      const loan = life.loan(day);
      for (const figure of [...FIGURES, ...loan.payments.map(({ refId }) => `payment:${refId}` as const)]) {
        const { amount, steps } = told(loan, figure);
        expect(steps.reduce((sum, step) => sum + step.amount, 0)).toBe(amount);
      }
    }
    expect(life.loan('2026-06-01')).toMatchObject({ principal: 0, credit: 10000 });
  });
});

describe('the difference between two folds', () => {
  /** 12,000.00 at 12 % by actual days, with a late fee of 25.00 after ten days. */
  const contract = contractOf({ amount: money('12000'), dayCount: 'actual/365' });
  const lateFee = {
    flat: money('25'),
    percent: null,
    floor: null,
    cap: null,
    graceDays: 10,
    judge: 'currentFirst' as const,
  };
  const begin = () => live(contract, { lateFee }).approve('2026-01-01').fund('2026-01-01');
  const on = '2026-03-01';

  test('of a loan and itself is nothing', () => {
    const loan = begin().pay('2026-02-01', '1066.20', 'a').loan(on);
    expect(difference(loan, loan)).toEqual({ since: null, parts: [], reasons: [] });
  });

  test('of a backdated payment: the late fee is reversed, interest since its day is less, and each has its reason', () => {
    const { since, parts, reasons } = difference(begin().loan(on), begin().pay('2026-02-01', '1066.20', 'a').loan(on));
    expect(since).toBe('2026-01-01');
    // 31 days of 12 % on 12,000.00 are 122.30 (12000 × 0.12 × 31 ÷ 365 = 122.301…), so 943.90 of 1,066.20 is principal.
    // Until 1 March: 59 days on 12,000.00 are 232.77; with the payment 122.30, paid, and 28 days on 11,056.10: 101.78.
    expect(parts).toEqual([
      { part: 'principal', before: 1_200_000, after: 1_105_610, change: -94_390 },
      { part: 'interest', before: 23_277, after: 10_178, change: -13_099 },
      { part: 'fees', before: 2_500, after: 0, change: -2_500 },
      { part: 'totals.interestAccrued', before: 0, after: 12_230, change: 12_230 },
      { part: 'totals.feesAssessed', before: 2_500, after: 0, change: -2_500 },
      { part: 'totals.received', before: 0, after: 106_620, change: 106_620 },
      { part: 'totals.principalPaid', before: 0, after: 94_390, change: 94_390 },
      { part: 'totals.interestPaid', before: 0, after: 12_230, change: 12_230 },
    ]);
    expect(reasons).toEqual([
      'payment a: pays 122.30 interest, 943.90 principal, 0.00 fees, 0.00 credit',
      'fee late-1: removed; before: 25.00 on 2026-02-12, 0.00 paid, 0.00 waived',
    ]);
  });

  test('of a return: the payment pays nothing, the fee is charged on the day it is recorded, and the parts are restored', () => {
    const life = begin().pay('2026-02-01', '1066.20', 'a');
    const before = life.loan(on);
    life.take('2026-02-20', { do: 'return-repayment', refId: 'a', date: null, reason: 'insufficient funds' });
    const { parts, reasons } = difference(before, life.loan(on));
    expect(parts.find(({ part }) => part === 'principal')?.change).toBe(94_390);
    expect(reasons).toEqual([
      'payment a: returned; before: pays 122.30 interest, 943.90 principal, 0.00 fees, 0.00 credit',
      'fee late-1: 25.00 on 2026-02-20, 0.00 paid, 0.00 waived',
    ]);
  });
});
