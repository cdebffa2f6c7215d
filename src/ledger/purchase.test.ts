/**
 * Loans that were bought, boarded with their price: 10,000.00 at 12 % in twelve months from 1 January 2026, of which four payments of 888.26 were
 * made elsewhere. Worked by hand as in `core/deferral.test.ts`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { anyOpening, anyPlan, live as livedBy } from '../../test/support/simulate/lives.ts';
import { bookFiguresOf } from '../core/books.ts';
import { date } from '../core/calendar.ts';
import type { Amortized, Deferral } from '../core/deferral.ts';
import type { OnFile } from '../core/loan.ts';
import { cents } from '../core/money.ts';
import { payoff } from '../core/payoff.ts';
import { formatDecimal } from '../core/rate.ts';
import { journalOf } from './journal.ts';
import { balances, booksOf } from './post.ts';

const NONE: OnFile = { decision: null, deals: [], opening: null };
const yieldOn = (life: Life, day: string) => formatDecimal((life.loan(day).deferral as Deferral).yield as never);
const lastOf = (life: Life, day: string) => {
  const { carrying, days, effective, interest, amount } = (life.loan(day).deferral as Deferral).last as Amortized;
  return [carrying, days, effective, interest, amount];
};

describe('a loan that was bought', () => {
  // 6,794.45 and ten days' interest of 22.34 on 11 May 2026, after four payments, for 6,616.79 or 7,016.79.
  const bought = (price: string, creditDiscount = '0') => {
    const life = live(contractOf({ dayCount: 'actual/365' })).approve('2026-05-11');
    const purchase = { price: money(price), date: date('2026-05-11'), creditDiscount: money(creditDiscount) };
    const figures = { principal: money('6794.45'), interest: money('22.34'), fees: cents(0) };
    const opening = { date: date('2026-05-11'), ...figures, paidThrough: date('2026-05-01'), purchase };
    life.take('2026-05-11', { do: 'fund-loan', date: null, opening }, NONE);
    return life;
  };
  const held = (life: Life, day: string) => balances(booksOf(life.loan(day)));

  test('at a discount: the yield is that of the price, and the discount becomes income', () => {
    const life = bought('6616.79');
    // 200.00 of discount on 6,794.45, seven payments of 888.26 and the last.
    expect(held(life, '2026-05-11')).toMatchObject({
      ...{ loanPrincipal: 6_794_45, interestReceivable: 22_34, purchaseDiscount: -200_00, opening: -6_616_79 },
    });
    expect(yieldOn(life, '2026-05-11')).toBe('20.7654835756');
    life.pay('2026-06-01', '888.26', 'P5');
    expect(lastOf(life, '2026-06-01')).toEqual([659_445, 21, 7_879, 4_691, 3_188]);
    const { payoff: amount } = payoff(life.loan('2026-06-16'));
    life.pay('2026-06-16', String(amount / 100), 'OFF');
    expect(held(life, '2026-06-16')).toMatchObject({ purchaseDiscount: 0, loanPrincipal: 0 });
  });

  test('at a premium: less than the contract’s interest is earned', () => {
    const life = bought('7016.79');
    expect(held(life, '2026-05-11').purchaseDiscount).toBe(200_00);
    expect(yieldOn(life, '2026-05-11')).toBe('3.6220746545');
    life.pay('2026-06-01', '888.26', 'P5');
    expect(lastOf(life, '2026-06-01')).toEqual([699_445, 21, 1_458, 4_691, -3_233]);
  });

  test('with deteriorated credit: the credit discount is allowance and never becomes income', () => {
    const life = bought('6116.79', '500');
    expect(held(life, '2026-05-11')).toMatchObject({
      purchaseDiscount: -200_00,
      allowance: -500_00,
      opening: -6_116_79,
    });
    expect(yieldOn(life, '2026-05-11')).toBe('20.7654835756');
    expect(life.loan('2026-05-11').purchase).toMatchObject({ creditDiscount: 500_00 });
  });

  test('over random lives what is posted is what the loan shows, and nothing is left of a loan that is over', {
    timeout: 600_000,
  }, () => {
    const lives = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 1_000 : 40));
    const any = fc.record({ plan: anyPlan, opening: anyOpening, price: fc.integer({ min: 700, max: 1_200 }) });
    const property = fc.property(any, ({ plan, opening, price }) => {
      const principal = Math.max(1, Math.floor((plan.shape.amount * opening.principal) / 1_000));
      const paid = cents(Math.max(1, Math.floor((principal * price) / 1_000)));
      const { events } = livedBy({ ...plan, extras: null, charges: null, opening: { ...opening, price: paid } });
      const { lines, loan } = journalOf(events);
      const sums: Record<string, number> = {};
      for (const { account, amount } of lines.flat()) sums[account] = (sums[account] ?? 0) + amount;
      const { purchaseDiscount, openDiscount } = bookFiguresOf(loan);
      expect((sums.purchaseDiscount ?? 0) + purchaseDiscount + openDiscount + 0).toBe(0);
      expect(balances(booksOf(loan)).purchaseDiscount).toBe((sums.purchaseDiscount ?? 0) + 0);
      expect(Object.values(sums).reduce((sum, amount) => sum + amount, 0)).toBe(0);
      if (loan.stage === 'Funded' && (loan.principal === 0 || loan.chargeOff !== null))
        expect(purchaseDiscount).toBe(0);
    });
    fc.assert(property, { numRuns: lives, seed: 326 });
  });
});
