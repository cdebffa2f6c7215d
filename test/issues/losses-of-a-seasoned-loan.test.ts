/** Opening interest and fees of a seasoned loan were never income here: when they are lost, no income is reversed. */
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';

/** Boarded on 1 June with 9,000.00, 400.00 of interest and 75.00 of fees, paid through February: 92 days past due. */
function seasoned(nonAccrualDays: number | null): Life {
  const life = live(contractOf(), { nonAccrualDays }).approve('2026-06-01');
  const opening = {
    date: date('2026-06-01'),
    principal: money('9000'),
    interest: money('400'),
    fees: money('75'),
    paidThrough: date('2026-02-01'),
  };
  life.take('2026-06-01', { do: 'fund-loan', date: null, opening });
  return life;
}

const settle = (amount: string): Command => ({
  do: 'settle',
  quoteId: 'S',
  amount: money(amount),
  goodThrough: date('2026-06-30'),
  reason: 'hardship',
});

const booked = (life: Life, on: string) => {
  const { opening, interestReceivable, feeReceivable, interestIncome, feeIncome, chargeOffExpense } = balances(
    booksOf(life.loan(on)),
  );
  return { opening, interestReceivable, feeReceivable, interestIncome, feeIncome, chargeOffExpense };
};
const NOTHING = { interestReceivable: 0, feeReceivable: 0, interestIncome: 0, feeIncome: 0, chargeOffExpense: 0 };

test('on charge-off all opening figures are an expense; a day of 3.00 earned here is taken out of income', () => {
  for (const days of [null, 90]) {
    const life = seasoned(days);
    life.take('2026-06-02', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
    expect(booked(life, '2026-06-02')).toEqual({ ...NOTHING, opening: -947_500, chargeOffExpense: 947_500 });
  }
});

test('after the charge-off it stays so, whatever is recovered', () => {
  const life = seasoned(null);
  life.take('2026-06-02', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
  // 9,000.00 + 403.00 + 75.00: everything.
  life.take('2026-06-03', { do: 'record-recovery', refId: 'R', amount: money('9478'), date: null });
  expect(life.loan('2026-06-03').fees[0]?.paid).toBe(7_500);
  expect(booked(life, '2026-06-03')).toEqual({ ...NOTHING, opening: -947_500, chargeOffExpense: 947_500 });
});

test('in non-accrual the opening interest goes back to the opening account until it is received', () => {
  const life = seasoned(90);
  expect(booked(life, '2026-06-01')).toEqual({ ...NOTHING, opening: -907_500, feeReceivable: 7_500 });
  const { lines } = journalOf(life.events);
  expect(lines.flat().filter(({ account }) => account === 'interestIncome')).toEqual([]);
  // Nine days: 27.00 was earned here. 500.00 pays 427.00 of interest: 27.00 of it is income.
  life.pay('2026-06-10', '500', 'A');
  expect(booked(life, '2026-06-10')).toEqual({
    ...NOTHING,
    opening: -947_500,
    feeReceivable: 7_500,
    interestIncome: -2_700,
  });
});

test('waived under a settlement it is an expense', () => {
  const life = seasoned(null);
  life.take('2026-06-01', settle('300'));
  // 403.00 of interest is owed; 300.00 of the opening interest is paid. 9,000.00, 100.00 of the opening interest and the fees are waived.
  life.pay('2026-06-02', '300', 'A');
  expect(booked(life, '2026-06-02')).toEqual({ ...NOTHING, opening: -947_500, chargeOffExpense: 917_500 });
});

test('an opening fee that is waived is an expense; one that was charged here is taken out of income', () => {
  const life = seasoned(null);
  const fee = { kind: 'fee', name: 'title', amount: money('20'), date: null } as const;
  life.take('2026-06-02', { do: 'assess-fee', feeId: 'F', ...fee });
  life.take('2026-06-03', { do: 'waive-fee', feeId: 'F', amount: null, reason: 'courtesy' });
  expect(booked(life, '2026-06-03')).toMatchObject({ feeReceivable: 7_500, feeIncome: 0, chargeOffExpense: 0 });
  life.take('2026-06-04', { do: 'waive-fee', feeId: 'opening', amount: money('50'), reason: 'courtesy' });
  expect(booked(life, '2026-06-04')).toMatchObject({ feeReceivable: 2_500, feeIncome: 0, chargeOffExpense: 5_000 });
});

test('what a settlement waived stays an expense when money is lent again and its interest is paid', () => {
  const life = seasoned(null);
  life.take('2026-06-01', settle('300'));
  life.pay('2026-06-02', '300', 'A');
  // An overpayment of 500.00 is refunded and then bounces: it is lent again, and 10 days of interest on it are 1.67.
  life.pay('2026-06-03', '500', 'B', { acceptOverpayment: true });
  life.take('2026-06-03', { do: 'refund-credit', refId: 'R', amount: money('500') });
  life.take('2026-06-04', { do: 'return-repayment', refId: 'B', date: null, reason: 'R01' });
  expect(booked(life, '2026-06-13')).toMatchObject({ chargeOffExpense: 917_500, interestIncome: 0 });
  life.pay('2026-06-13', '1.67', 'C');
  expect(booked(life, '2026-06-13')).toMatchObject({ chargeOffExpense: 917_500, interestIncome: -167 });
});
