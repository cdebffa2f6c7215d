import { describe, expect, test } from 'vitest';
import { contractOf, live, money } from '../../test/life.ts';
import { explain, FIGURES } from './explain.ts';
import type { Loan } from './loan.ts';
import { cents } from './money.ts';
import { percent } from './rate.ts';

const told = (loan: Loan, figure: Parameters<typeof explain>[1]) => {
  const explanation = explain(loan, figure);
  if (explanation === null) throw new Error('Nothing explained.');
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

  test('interest: what was paid and what was given up is taken off', () => {
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

  test('nothing for a payment that does not exist', () => {
    expect(explain(live().fund().loan('2026-01-11'), 'payment:X')).toBeNull();
  });

  test('every figure adds up through a life with late fees, a quote honoured, a credit and a charge-off', () => {
    const lateFee = { flat: cents(2500), percent: null, floor: null, cap: null, graceDays: 10 };
    const life = live(contractOf({ prepaymentPenalty: money('50') }), { lateFee }).fund();
    life.pay('2026-03-05', '1500', 'A').pay('2026-03-20', '100', 'B', { principalOnly: true });
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
