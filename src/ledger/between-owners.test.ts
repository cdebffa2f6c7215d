/** Lines of a loan that was sold, by the owner in whose books they are: 10,000.00 at 12 %, 30/360, sold on 11 January. */
import { expect, test } from 'vitest';
import { type Life, live, money } from '../../test/support/life.ts';
import { date } from '../core/calendar.ts';
import type { Command } from '../core/decide/decide.ts';
import type { LoanEvent } from '../core/event.ts';
import { journalOf } from './journal.ts';

const owner = (n: number) => ({ organizationId: `org_${n}`, lenderId: `L-${n}` });

function sell(life: Life, day: string, from: number): void {
  const facts = { type: 'transferred', transferId: `T-${day}`, what: 'owner', servicerId: '' } as const;
  const stamp = { date: date(day), recordedOn: date(day), recordedAt: `${day}T00:00:00.000Z` };
  (life.events as LoanEvent[]).push({ ...facts, from: owner(from), to: owner(from + 1), ...stamp });
}

/** Cents by account, debits positive, of each owner; those at zero are left out. Without the interest that the lenders' books accrue. */
function booksOf(life: Life): Record<string, number>[] {
  const books: Record<string, number>[] = [{}];
  let present = 0;
  journalOf(life.events).lines.forEach((lines, i) => {
    const isSale = life.events[i]?.type === 'transferred';
    if (isSale) books.push({});
    for (const { account, amount, enters, former } of lines) {
      const own = books[former ?? (enters === true ? present + 1 : present)] as Record<string, number>;
      own[account] = (own[account] ?? 0) + amount;
    }
    if (isSale) present += 1;
  });
  return books.map((one) => {
    const held = Object.entries(one).filter(([, amount]) => amount !== 0);
    expect(held.reduce((sum, [, amount]) => sum + amount, 0)).toBe(0);
    return Object.fromEntries(held);
  });
}

const acknowledge = (refId: string): Command => ({ do: 'acknowledge-repayment', refId });
const returned = (refId: string) =>
  ({ do: 'return-repayment', refId, date: null, code: 'R01', reason: 'NSF' }) as Command;
const reversed = (refId: string): Command => ({ do: 'reverse-repayment', refId, reason: 'Another loan' });

const cashOf = ({ cash = 0, cashClearing = 0, dueFrom = 0, dueTo = 0 }: Record<string, number> = {}) => ({
  cash,
  cashClearing,
  dueFrom,
  dueTo,
});
const NOTHING = cashOf();

test.each([
  ['returned', returned],
  ['reversed', reversed],
] as const)('a payment that the seller took is %s out of its cash', (_, undo) => {
  const life = live().fund().pay('2026-01-05', '500', 'P-1');
  life.take('2026-01-05', acknowledge('P-1'));
  sell(life, '2026-01-11', 0);
  const [before] = booksOf(life);
  life.take('2026-01-15', undo('P-1'));
  const [seller, buyer] = booksOf(life);
  expect(seller).toEqual({ ...before, cash: -10_000_00, dueFrom: 500_00 });
  expect(buyer).toMatchObject({ loanPrincipal: 10_000_00, dueTo: -500_00 });
  expect(cashOf(buyer)).toEqual({ ...NOTHING, dueTo: -500_00 });
});

test('a payment recorded after the sale is the money of the owner of its day, until it is returned', () => {
  const life = live().fund();
  sell(life, '2026-01-11', 0);
  life.pay('2026-01-15', '200', 'P-2', { date: date('2026-01-08'), reason: 'Lockbox' });
  const steps = [booksOf(life).map(cashOf)];
  life.take('2026-01-16', acknowledge('P-2'));
  steps.push(booksOf(life).map(cashOf));
  life.take('2026-02-20', returned('P-2'));
  steps.push(booksOf(life).map(cashOf));
  expect(steps).toEqual([
    [
      { cash: -10_000_00, cashClearing: 200_00, dueFrom: 0, dueTo: -200_00 },
      { ...NOTHING, dueFrom: 200_00 },
    ],
    [
      { cash: -9_800_00, cashClearing: 0, dueFrom: 0, dueTo: -200_00 },
      { ...NOTHING, dueFrom: 200_00 },
    ],
    [{ ...NOTHING, cash: -10_000_00 }, NOTHING],
  ]);
});

test('a payment that was not acknowledged goes with the loan; one that lies with the seller does not go on', () => {
  const life = live().fund().pay('2026-01-10', '100', 'P-3');
  sell(life, '2026-01-11', 0);
  life.pay('2026-01-12', '200', 'P-2', { date: date('2026-01-08'), reason: 'Lockbox' });
  sell(life, '2026-01-21', 1);
  life.take('2026-01-22', acknowledge('P-3'));
  life.take('2026-01-22', acknowledge('P-2'));
  expect(booksOf(life).map(cashOf)).toEqual([
    { cash: -9_800_00, cashClearing: 0, dueFrom: 0, dueTo: -200_00 },
    { ...NOTHING, dueFrom: 200_00 },
    { ...NOTHING, cash: 100_00 },
  ]);
  life.take('2026-01-25', returned('P-2'));
  // The second buyer's loan is owed again; the first one keeps what it is owed.
  expect(booksOf(life).map(cashOf)).toEqual([
    { cash: -10_000_00, cashClearing: 0, dueFrom: 200_00, dueTo: -200_00 },
    { ...NOTHING, dueFrom: 200_00 },
    { ...NOTHING, cash: 100_00, dueTo: -200_00 },
  ]);
});

test('interest and fees that the seller earned are an expense when the buyer loses them', () => {
  const life = live().fund();
  life.take('2026-01-01', { do: 'initiate-repayment', date: null, opening: null });
  life.take('2026-01-05', {
    do: 'assess-fee',
    feeId: 'F',
    kind: 'fee',
    name: 'Fee',
    amount: money('40'),
    date: null,
  } as Command);
  sell(life, '2026-01-11', 0);
  life.take('2026-01-21', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
  const [seller, buyer] = booksOf(life);
  expect(seller).toMatchObject({ feeIncome: -40_00 });
  // 20 days are 66.67, 33.33 of them by the sale. The buyer's own 33.34 are earned and taken back; the lender's book takes in 33.33 that
  // the transfer takes out here, and gives them back with the end of the stretch.
  expect(buyer).toEqual({ chargeOffExpense: 10_000_00 + 33_33 + 40_00, opening: -(10_000_00 + 33_33 + 40_00) });
});

test('in non-accrual interest from before the sale goes back to the opening, not out of income', () => {
  const life = live(undefined, { nonAccrualDays: 30 }).fund();
  sell(life, '2026-02-11', 0);
  life.pay('2026-03-20', '50', 'P', {});
  const [, buyer] = booksOf(life);
  // 40 days at 3.33… are 133.33, by the sale; 39 more to 20 March are the buyer's. 50.00 of the oldest is paid.
  expect(buyer).toMatchObject({ opening: -(10_000_00 + 50_00), cashClearing: 50_00, loanPrincipal: 10_000_00 });
  expect(buyer?.interestIncome ?? 0).toBe(0);
});

test('a late fact that changes what was earned before the sale changes no income of the buyer', () => {
  const life = live().fund();
  sell(life, '2026-01-31', 0);
  life.pay('2026-02-10', '3000', 'P', { date: date('2026-01-16'), reason: 'Lockbox', purpose: 'principal' });
  const [, buyer] = booksOf(life);
  // 15 days at 3.33… and 15 at 2.33… are 50.00 and 35.00 instead of 100.00; the lender's book then has 10 days fewer of it as well.
  expect(buyer?.opening).toBe(-10_000_00 - 85_00);
});
