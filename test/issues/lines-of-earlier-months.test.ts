/**
 * The lines that a backdated event posts for earlier months: each late fee on its own day, and interest by the amount that the month really
 * changes.
 */
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { cents, formatCents } from '../../src/core/money.ts';
import { type DatedLine, isPriorPeriod, journalOf } from '../../src/ledger/journal.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';

const lateFee = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};

const linesOf = (life: Life) => journalOf(life.events).lines.flat();
const postedOn = (life: Life, day: string) => linesOf(life).filter(({ datePosted }) => datePosted === day);

const assessed = (lines: readonly DatedLine[]) =>
  lines
    .filter(({ account, entry }) => entry === 'assessment' && account === 'feeReceivable')
    .map((line) => `${line.dateEffective}${isPriorPeriod(line) ? ' prior' : ''} ${formatCents(line.amount)}`);

const total = (lines: readonly DatedLine[]) => formatCents(cents(lines.reduce((sum, { amount }) => sum + amount, 0)));

/** The balance of an account by the lines that take effect by a day. */
const held = (life: Life, account: string, asOf: string) => {
  return total(linesOf(life).filter((line) => line.account === account && line.dateEffective <= asOf));
};

test('a late fee of this month that a payment of last month cancels is cancelled in this month', () => {
  const life = live(contractOf(), { lateFee }).fund().pay('2026-02-01', '888.49', 'P1');
  life.pay('2026-03-20', '888.49', 'P2', { date: date('2026-02-25'), reason: 'lockbox' });
  expect(assessed(linesOf(life))).toEqual(['2026-03-12 25.00', '2026-03-12 -25.00']);
  expect(held(life, 'feeReceivable', '2026-02-28')).toBe('0.00');
  expect(held(life, 'feeIncome', '2026-02-28')).toBe('0.00');
});

test('a late fee after a backdated charge-off of last month is cancelled on its own day', () => {
  const life = live(contractOf(), { lateFee })
    .fund()
    .pay('2026-02-01', '888.49', 'P1')
    .pay('2026-03-01', '888.49', 'P2');
  life.take('2026-04-15', { do: 'charge-off', date: date('2026-03-20'), reason: 'policy', collateral: money('0') });
  expect(assessed(postedOn(life, '2026-04-15'))).toEqual(['2026-04-12 -25.00']);
  expect(held(life, 'feeReceivable', '2026-03-31')).toBe('0.00');
  expect(held(life, 'loanPrincipal', '2026-03-31')).toBe('0.00');
});

test('a contract that is recorded months later posts every late fee on its own day', () => {
  const life = live(contractOf(), { lateFee }).approve('2026-06-15');
  life.take('2026-06-15', { do: 'fund-loan', date: date('2026-01-01'), opening: null });
  expect(assessed(linesOf(life))).toEqual([
    '2026-02-12 prior 25.00',
    '2026-03-12 prior 25.00',
    '2026-04-12 prior 25.00',
    '2026-05-12 prior 25.00',
    '2026-06-12 25.00',
  ]);
  // 100.00 a month (January has 30 days of interest by its last day), and nothing in all: the lender's book posts it on 15 June.
  expect(held(life, 'accruedInterest', '2026-05-31')).toBe('500.00');
  expect(held(life, 'accruedInterest', '2026-06-15')).toBe('0.00');
});

test('a refund of this month that becomes principal when a payment of last month bounces is posted in this month', () => {
  const life = live(contractOf()).fund().pay('2026-02-01', '888.49', 'P1');
  life.pay('2026-03-15', '9600', 'P2', { acceptOverpayment: true });
  const { credit } = life.loan('2026-03-15');
  expect(credit).toBeGreaterThan(0);
  life.take('2026-03-15', { do: 'refund-credit', refId: 'R', amount: credit });
  life.take('2026-03-20', { do: 'return-repayment', refId: 'P1', date: null, reason: 'NSF' });
  const refunds = postedOn(life, '2026-03-20').filter(({ entry }) => entry === 'refund');
  expect(refunds.length).toBeGreaterThan(0);
  expect(refunds.filter(isPriorPeriod)).toEqual([]);
});

test('the interest of a closed month changes by the difference in what it really earned', () => {
  // 300.00 of principal from 25 June: 5 days of interest on it are 0.50, by the day count of 30/360.
  const life = live(contractOf({ contractDate: date('2026-05-01'), firstPaymentDate: date('2026-06-01') })).fund(
    '2026-05-01',
  );
  life.pay('2026-06-01', '888.49', 'P1').pay('2026-06-25', '300', 'P2', { purpose: 'principal' });
  life.take('2026-07-15', { do: 'reverse-repayment', refId: 'P2', reason: 'another borrower' });
  const income = postedOn(life, '2026-07-15').filter(({ account }) => account === 'interestIncome');
  expect(total(income.filter(isPriorPeriod))).toBe('-0.50');
});

test('an event of a later month changes nothing of an earlier one', () => {
  const life = live(contractOf(), { lateFee }).fund().pay('2026-02-01', '888.49', 'P1');
  const before = linesOf(life).filter(({ dateEffective }) => dateEffective <= '2026-02-28');
  life.pay('2026-04-20', '888.49', 'P2', { date: date('2026-03-01'), reason: 'lockbox' });
  expect(linesOf(life).filter(({ dateEffective }) => dateEffective <= '2026-02-28')).toEqual(before);
});
