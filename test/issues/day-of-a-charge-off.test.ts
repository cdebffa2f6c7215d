/** Money that comes in after a charge-off is a recovery, on the day of the charge-off too; what was recorded before it is not. */
import { describe, expect, test } from 'vitest';
import { bookFiguresOf } from '../../src/core/books.ts';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { delinquency } from '../../src/core/delinquency.ts';
import { append, fold, foldAll } from '../../src/core/fold.ts';
import { payoff } from '../../src/core/payoff.ts';
import { statement } from '../../src/core/statement.ts';
import { closedBy, statusOf } from '../../src/core/status.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { contractOf, inAnotherOrder, type Life, live, money } from '../support/life.ts';

const chargeOff = (collateral: string, on: string | null = null): Command => ({
  do: 'charge-off',
  date: on === null ? null : date(on),
  reason: '120 days',
  collateral: money(collateral),
});
const recover = (refId: string, amount: string): Command => ({
  do: 'record-recovery',
  refId,
  amount: money(amount),
  date: null,
});

/**
 * 888.49 on 1 February pays 100.00 of interest and 788.49 of principal: 9,211.51 is left. To 30 June, 149 days of 30/360, that earns
 * 9,211.51 × 12 % × 149 ÷ 360 = 457.50. Of the principal 6,000.00 is kept for the vehicle, and 3,211.51 is the expense.
 */
function chargedOff(): Life {
  const life = live().fund().pay('2026-02-01', '888.49', 'p1');
  life.take('2026-06-30', chargeOff('6000'));
  return life;
}

const booked = (life: Life, on: string) => {
  const { loanPrincipal, chargeOffExpense, interestIncome, recoveryIncome } = balances(booksOf(life.loan(on)));
  return [loanPrincipal, chargeOffExpense, interestIncome, recoveryIncome];
};

describe.each(['2026-06-30', '2026-07-01'])('charged off on 30 June, the vehicle sold on %s', (day) => {
  test('the sale price replaces the principal that was kept, and the charge-off stays as it was', () => {
    const life = chargedOff();
    expect(booked(life, '2026-06-30')).toEqual([600_000, 321_151, -10_000, 0]);
    life.pay(day, '6000', 'SALE', { purpose: 'sale' });
    const loan = life.loan(day);
    expect(loan.payments[1]).toMatchObject({
      recovery: true,
      allocation: { interest: 45_750, principal: 554_250, fees: 0, credit: 0 },
    });
    expect(loan.chargeOff).toMatchObject({ principal: 921_151, interest: 45_750, recovered: 600_000 });
    expect(bookFiguresOf(loan).loanPrincipal).toBe(0);
    expect(booked(life, day)).toEqual([0, 321_151, -10_000, 0]);
  });

  test('a recovery satisfies no installment: days past due continue from 1 March', () => {
    const life = chargedOff().pay(day, '6000', 'SALE', { purpose: 'sale' });
    life.take(day, recover('R', '2500'));
    const loan = life.loan('2026-07-01');
    expect([loan.principal, statusOf(loan)]).toEqual([116_901, 'ChargedOff']);
    expect(delinquency(loan)).toMatchObject({ daysPastDue: 122, paidAhead: 0, nextDueDate: '2026-03-01' });
    expect(booked(life, '2026-07-01')).toEqual([0, 321_151, -10_000, -250_000]);
  });
});

test('a recovery in full on that day closes the loan as recovered, and the excess can be refunded', () => {
  // 10,000.00 × 12 % × 179 ÷ 360 = 596.67 of interest.
  const life = live(contractOf({ prepaymentPenalty: money('300') })).fund();
  life.take('2026-06-30', chargeOff('0'));
  expect(payoff(life.loan('2026-06-30'))).toMatchObject({ payoff: 1_059_667, prepaymentPenalty: 0 });
  life.pay('2026-06-30', '10700', 'R', { acceptOverpayment: true });
  life.take('2026-06-30', { do: 'acknowledge-repayment', refId: 'R' });
  life.take('2026-06-30', { do: 'refund-credit', refId: 'back', amount: money('103.33') });
  const loan = life.loan('2026-06-30');
  expect([loan.principal, loan.interest, loan.credit, closedBy(loan)]).toEqual([0, 0, 0, 'recovery']);
  expect(booked(life, '2026-06-30')).toEqual([0, 1_000_000, 0, -1_059_667]);
});

test('a payment that was recorded before the charge-off of its day is not a recovery', () => {
  const life = live().fund().pay('2026-06-30', '888.49', 'p1');
  life.take('2026-06-30', chargeOff('0'));
  expect(life.loan('2026-06-30')).toMatchObject({ payments: [{ recovery: false }], chargeOff: { recovered: 0 } });
  // Nor, in a read of the past, one of a day on which the loan is charged off later.
  const earlier = live().fund().pay('2026-06-20', '888.49', 'p1');
  earlier.take('2026-06-30', chargeOff('0', '2026-06-20'));
  expect(earlier.loan('2026-06-30')).toMatchObject({ payments: [{ recovery: false }], chargeOff: { recovered: 0 } });
});

test('folded at once or one by one, it is the same; the statement has the same order', () => {
  const life = chargedOff().pay('2026-06-30', '6000', 'SALE', { purpose: 'sale' });
  life.take('2026-06-30', recover('T', '2500'));
  const day = date('2026-06-30');
  expect(fold(inAnotherOrder(life.events), day)).toEqual(fold(life.events, day));
  let folding = foldAll(life.events.slice(0, 1));
  life.events.forEach((event, i) => {
    if (i === 0) return;
    const next = append(folding, [event]);
    expect([event.type, next === null]).toEqual([event.type, false]);
    folding = next ?? folding;
  });
  expect(folding).toEqual(foldAll(life.events));
  const rows = statement(life.events, day).rows.map(({ kind, balance }) => [kind, balance]);
  expect(rows.slice(-3)).toEqual([
    ['chargedOff', 921_151],
    ['payment', 366_901],
    ['payment', 116_901],
  ]);
});
