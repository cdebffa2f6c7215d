/** Money that honours a payoff quote or a settlement, the choice among several quotes, and the part that becomes a credit. */
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { payoff } from '../../src/core/payoff.ts';
import { DEFAULT_WATERFALL } from '../../src/core/policy.ts';
import { closedBy } from '../../src/core/status.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { contractOf, live, money } from '../support/life.ts';

const settle = (amount: string, goodThrough: string): Command => ({
  do: 'settle',
  quoteId: 'S',
  amount: money(amount),
  goodThrough: date(goodThrough),
  reason: 'hardship',
});
const quote = (goodThrough: string): Command => ({
  do: 'payoff-quotes',
  quoteId: 'Q',
  date: null,
  goodThrough: date(goodThrough),
});
const fee = (amount: string): Command => ({
  do: 'assess-fee',
  feeId: 'F',
  kind: 'fee',
  name: 'title',
  amount: money(amount),
  date: null,
});

describe('the price of the collateral and an insurer’s money', () => {
  test('fulfil no settlement of a charged-off loan, and none of it becomes a credit; the borrower’s money does', () => {
    const life = live().fund();
    life.take('2026-06-30', { do: 'charge-off', date: null, reason: 'policy', collateral: money('6000') });
    life.take('2026-07-01', settle('1500', '2026-12-31'));
    // 10,000.00 × 12 % × 179 ÷ 360 = 596.67 of interest; the rest of 6,000.00, 5,403.33, is principal.
    life.pay('2026-07-10', '6000', 'SALE', { purpose: 'sale' });
    expect(life.loan('2026-07-10')).toMatchObject({
      principal: 459_667,
      interest: 0,
      credit: 0,
      quotes: [{ received: 0, honouredOn: null, isVoid: false }],
    });
    expect(balances(booksOf(life.loan('2026-07-10')))).toMatchObject({ loanPrincipal: 0, recoveryIncome: 0 });
    life.pay('2026-07-20', '1500', 'B');
    for (const refId of ['SALE', 'B']) life.take('2026-07-21', { do: 'acknowledge-repayment', refId });
    const settled = life.loan('2026-07-21');
    expect([settled.totals.principalForgiven, settled.credit, closedBy(settled)]).toEqual([309_667, 0, 'settlement']);
  });

  test('fulfil none of a loan in repayment either', () => {
    const life = live().fund();
    life.take('2026-03-01', settle('5000', '2026-12-31'));
    // 69 days: 230.00 of interest, 8,770.00 of principal.
    life.pay('2026-03-10', '9000', 'INS', { purpose: 'insurance' });
    expect(life.loan('2026-03-10')).toMatchObject({ principal: 123_000, interest: 0, credit: 0 });
    expect(life.loan('2026-03-10').totals.principalForgiven).toBe(0);
  });

  test('honour a payoff quote, and none of it becomes a credit while something is owed', () => {
    const life = live().fund();
    life.take('2026-03-01', quote('2026-03-10'));
    life.take('2026-03-02', fee('100'));
    // Quoted: 10,230.00. Of 10,300.00, 230.00 is interest, 10,000.00 principal, 70.00 of the fee; 30.00 is waived.
    life.pay('2026-03-10', '10300', 'INS', { purpose: 'insurance' });
    const loan = life.loan('2026-03-10');
    expect(loan.quotes[0]).toMatchObject({ amount: 1_023_000, honouredOn: '2026-03-10' });
    expect(loan.payments[0]?.allocation).toEqual({ fees: 7_000, interest: 23_000, principal: 1_000_000, credit: 0 });
    expect(loan.totals.feesWaived).toBe(3_000);
  });
});

describe('a quote that was reduced by a credit', () => {
  /** 10,100.00 on 20 January pays 63.33 of interest and the principal: 36.67 is credit. 150.00 − 36.67 = 113.33. */
  function quoted() {
    const life = live().fund().pay('2026-01-20', '10100', 'A', { acceptOverpayment: true });
    life.take('2026-01-25', fee('150'));
    life.take('2026-01-26', quote('2026-01-30'));
    expect(life.loan('2026-01-26')).toMatchObject({ credit: 3_667, quotes: [{ amount: 11_333 }] });
    return life;
  }

  test('waives nothing once the credit was refunded', () => {
    const life = quoted();
    life.take('2026-01-27', { do: 'refund-credit', refId: 'R', amount: money('36.67') });
    life.pay('2026-01-28', '113.33', 'B');
    const loan = life.loan('2026-01-28');
    expect(loan.fees[0]).toMatchObject({ paid: 11_333, waived: 0 });
    expect(loan.quotes[0]).toMatchObject({ isVoid: true, honouredOn: null });
    expect(payoff(loan).payoff).toBe(3_667);
  });

  test('is honoured with the credit while it is there; a refund before the quote was not counted in it', () => {
    expect(quoted().pay('2026-01-28', '113.33', 'B').loan('2026-01-28')).toMatchObject({
      credit: 0,
      fees: [{ paid: 15_000, waived: 0 }],
      quotes: [{ honouredOn: '2026-01-28', isVoid: false }],
    });
    const before = live().fund().pay('2026-01-20', '10100', 'A', { acceptOverpayment: true });
    before.take('2026-01-26', { do: 'refund-credit', refId: 'R', amount: money('36.67') });
    before.take('2026-01-26', fee('150'));
    before.take('2026-01-26', quote('2026-01-30'));
    before.pay('2026-01-28', '150', 'B');
    expect(before.loan('2026-01-28').quotes[0]).toMatchObject({ amount: 15_000, honouredOn: '2026-01-28' });
  });

  test('a refund of what was paid beyond an honoured quote leaves it honoured', () => {
    const life = live().fund();
    life.take('2026-01-10', settle('6000', '2026-02-10'));
    life.pay('2026-01-12', '7000', 'P');
    life.take('2026-01-13', { do: 'refund-credit', refId: 'R', amount: money('1000') });
    const loan = life.loan('2026-01-13');
    expect([loan.principal, loan.credit, loan.quotes[0]?.honouredOn]).toEqual([0, 0, '2026-01-12']);
  });
});

describe('what is paid beyond a settlement becomes a credit', () => {
  test('when it had paid interest', () => {
    const life = live().fund();
    life.take('2026-08-01', settle('300', '2026-08-31'));
    // 211 days: 703.33 of interest is owed. 300.00 of it is paid, 403.33 waived.
    life.pay('2026-08-02', '500', 'A');
    const loan = life.loan('2026-08-02');
    expect(loan.payments[0]).toMatchObject({
      allocation: { interest: 30_000, principal: 0, fees: 0, credit: 20_000 },
      steps: [
        { bucket: 'pastDue.interest', amount: 30_000 },
        { bucket: 'credit', amount: 20_000 },
      ],
    });
    expect(loan).toMatchObject({ principal: 0, interest: 0, credit: 20_000 });
    expect(loan.totals).toMatchObject({ interestForgiven: 40_333, principalForgiven: 1_000_000, credited: 20_000 });
    expect(balances(booksOf(loan))).toMatchObject({ interestIncome: -30_000, borrowerCredits: -20_000 });
  });

  test('when it had paid fees, the last first', () => {
    const feesFirst = [...DEFAULT_WATERFALL].sort((a, b) => Number(b.endsWith('fee')) - Number(a.endsWith('fee')));
    const life = live(contractOf(), { waterfall: feesFirst }).fund();
    life.take('2026-01-10', fee('100'));
    life.take('2026-01-11', { ...fee('40'), feeId: 'G' } as Command);
    life.take('2026-01-12', settle('70', '2026-02-12'));
    life.pay('2026-01-13', '120', 'A');
    const loan = life.loan('2026-01-13');
    expect(loan.fees).toMatchObject([
      { paid: 7_000, waived: 3_000 },
      { paid: 0, waived: 4_000 },
    ]);
    expect([loan.credit, loan.totals.feesPaid, loan.totals.feesWaived]).toEqual([5_000, 7_000, 7_000]);
  });
});

describe('of two quotes that are open', () => {
  /** Quoted for 20 January: 10,000.00 and 63.33 of interest. */
  function both() {
    const life = live().fund();
    life.take('2026-01-10', settle('6000', '2026-02-10'));
    life.take('2026-01-11', quote('2026-01-20'));
    expect(life.loan('2026-01-11').quotes.map(({ amount }) => amount)).toEqual([600_000, 1_006_333]);
    return life;
  }

  test('the payoff is honoured when it is paid, in one payment or in parts, and the settlement is void', () => {
    for (const parts of [['10063.33'], ['4000', '6063.33']]) {
      const life = both();
      for (const [i, part] of parts.entries()) life.pay('2026-01-12', part, `P${i}`);
      // 11 days: 36.67 of interest, 26.66 less than was quoted.
      const loan = life.loan('2026-01-12');
      expect([loan.principal, loan.credit, loan.totals.principalForgiven]).toEqual([0, 2_666, 0]);
      expect(loan.quotes).toMatchObject([
        { honouredOn: null, isVoid: true },
        { honouredOn: '2026-01-12', isVoid: false },
      ]);
      // A fee that comes later is owed: the settlement's amount had arrived, but not for it.
      life.take('2026-01-13', fee('50'));
      life.pay('2026-01-14', '10', 'Z');
      expect(life.loan('2026-01-14')).toMatchObject({ credit: 2_666, fees: [{ paid: 1_000, waived: 0 }] });
    }
  });

  test('the settlement is honoured when no more than it is paid, or less than the payoff', () => {
    const exact = both().pay('2026-01-12', '6000', 'P').loan('2026-01-12');
    expect([exact.quotes[0]?.honouredOn, exact.credit, exact.totals.principalForgiven]).toEqual([
      '2026-01-12',
      0,
      403_667,
    ]);
    const more = both().pay('2026-01-12', '7000', 'P').loan('2026-01-12');
    expect([more.quotes[0]?.honouredOn, more.quotes[1]?.isVoid, more.credit]).toEqual(['2026-01-12', true, 100_000]);
  });
});
