/**
 * Cash after a loan was sold. Money that the seller took is in the seller's cash, whatever becomes of it, and what it changes of the loan
 * stands between the two owners: `dueFrom` in the books of the one that is owed, `dueTo` in those of the other.
 *
 * The loan: 10,000.00 at 12 %, 30/360, from 1 January. By 11 January it has earned 33.33.
 */
import { afterEach, beforeEach, expect } from 'vitest';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import type { LoanView } from '../../src/loans/reads/view.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { FLAT_LATE_FEE } from '../support/life.ts';
import { repay, ACTOR as SELLER, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

const BUYER: Actor = { ...SELLER, organizationId: 'org_other', clientId: 'buyer' };
const THIRD: Actor = { ...SELLER, organizationId: 'org_third', clientId: 'third' };
const OWNERS = [SELLER, BUYER, THIRD];

let room: TestLoans;
let loanId: string;
let today: PlainDate;
beforeEach(async () => {
  room = await testLoans();
  await room.db.query("INSERT INTO organizations VALUES ('org_third', 'Third', now())");
  on('2026-01-01');
  loanId = await room.live();
});
afterEach(() => room.close());

function on(day: string): void {
  today = date(day);
  room.on(today);
}

async function as(actor: Actor, command: Command): Promise<void> {
  expect(await room.write(loanId, command, { actor, reason: 'r' })).toMatchObject({ kind: 'done' });
}
const acknowledge = (refId: string): Command => ({ do: 'acknowledge-repayment', refId });
const returned = (refId: string) =>
  ({ do: 'return-repayment', refId, date: null, code: 'R01', reason: 'NSF' }) as Command;
const late = (refId: string, cents: number, day: string) => repay(refId, cents, { date: date(day), reason: 'Lockbox' });

/** Offered and accepted the day before, carried out in the night. */
async function sell(day: string, from: Actor = SELLER, to: Actor = BUYER): Promise<void> {
  on(addDays(date(day), -1));
  const owner = { organizationId: to.organizationId, lenderId: 'L-9' };
  await as(from, {
    ...{ do: 'transfer', transferId: `T-${day}`, what: 'owner', to: owner },
    ...{ date: date(day), reason: 'sale', from: null },
  } as Command);
  await as(to, { do: 'accept-transfer', servicerId: '' });
  room.on(date(day), 0.1);
  for (const { organizationId } of OWNERS) {
    await room.loans.cycle.runCyclesThrough(organizationId, addDays(date(day), -1));
  }
  expect(await room.loans.transfers.carryOutDue()).toBe(1);
  on(day);
}

/** The balance of each account in cents, debits positive, by the trial balance of a day; those at zero are left out. */
async function books(actor: Actor, asOf: string = today): Promise<Record<string, number>> {
  const found = await room.loans.books.trialBalance(actor, { asOf: date(asOf), lenderId: null });
  if (isRefusal(found)) throw new Error(found.detail);
  const held: Record<string, number> = {};
  for (const { account, debit, credit } of found.accounts) if (debit !== credit) held[account] = debit - credit;
  expect(Object.values(held).reduce((sum, amount) => sum + amount, 0)).toBe(0);
  return held;
}

/** Cash, and what stands between the owners. */
async function between(actor: Actor, asOf: string = today): Promise<Record<string, number>> {
  const { cash = 0, cashClearing = 0, dueFrom = 0, dueTo = 0 } = await books(actor, asOf);
  return { cash, cashClearing, dueFrom, dueTo };
}

/** Days on which the books of all owners are compared, beside the last. */
const DAYS = ['2026-01-07', '2026-01-10', '2026-01-11', '2026-01-15'];

/** On each of these days the owners are even with each other, and each book ties to its loans; the whole book is sound. */
async function isEven(): Promise<void> {
  for (const day of [...DAYS.filter((one) => one < today), today]) {
    let due = 0;
    for (const actor of OWNERS) {
      const { dueFrom = 0, dueTo = 0 } = await books(actor, day);
      due += dueFrom + dueTo;
      const tied = await room.loans.books.tieOut(actor, { asOf: date(day), lenderId: null });
      if (isRefusal(tied)) throw new Error(tied.detail);
      expect(tied.accounts.filter(({ difference }) => difference !== 0)).toEqual([]);
    }
    expect(due, day).toBe(0);
  }
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints.map(complaintLine)).toEqual([]);
}

const NOTHING = { cash: 0, cashClearing: 0, dueFrom: 0, dueTo: 0 };

test('a payment that the seller took and that is returned after the sale goes out of the seller’s cash, who is owed it', async () => {
  on('2026-01-05');
  await as(SELLER, repay('P-1', 500_00));
  await as(SELLER, acknowledge('P-1'));
  await sell('2026-01-11');
  on('2026-01-15');
  const before = { seller: await books(SELLER), buyer: await books(BUYER) };
  expect(await between(SELLER)).toEqual({ ...NOTHING, cash: -10_000_00 + 500_00 });
  await as(BUYER, returned('P-1'));
  // All that changes in the seller's books: the bank took 500.00, and the buyer, who bought a loan with 500.00 less, owes them.
  expect(await books(SELLER)).toEqual({ ...before.seller, cash: -10_000_00, dueFrom: 500_00 });
  const buyer = await books(BUYER);
  expect(buyer).toMatchObject({ dueTo: -500_00, loanPrincipal: 10_000_00 });
  expect(buyer.cash).toBeUndefined();
  expect(before.buyer.loanPrincipal).toBe(10_000_00 - 500_00 + 13_33);
  await isEven();
});

test('a payment posted after the sale but dated before it is the seller’s cash, who owes it; its return leaves nothing', async () => {
  await sell('2026-01-11');
  on('2026-01-15');
  await as(BUYER, late('P-2', 200_00, '2026-01-08'));
  expect(await between(SELLER)).toEqual({ cash: -10_000_00, cashClearing: 200_00, dueFrom: 0, dueTo: -200_00 });
  expect(await between(BUYER)).toEqual({ ...NOTHING, dueFrom: 200_00 });
  await as(BUYER, acknowledge('P-2'));
  expect(await between(SELLER)).toEqual({ ...NOTHING, cash: -10_000_00 + 200_00, dueTo: -200_00 });
  expect(await between(BUYER)).toEqual({ ...NOTHING, dueFrom: 200_00 });
  on('2026-01-20');
  await as(BUYER, returned('P-2'));
  expect(await between(SELLER)).toEqual({ ...NOTHING, cash: -10_000_00 });
  expect(await between(BUYER)).toEqual(NOTHING);
  expect((await books(BUYER)).loanPrincipal).toBe(10_000_00);
  await isEven();
});

test('a payment of the day of the sale is the buyer’s, and so is one that was not acknowledged when the loan was sold', async () => {
  on('2026-01-10');
  await as(SELLER, repay('P-3', 100_00));
  await sell('2026-01-11');
  await as(BUYER, repay('P-4', 50_00));
  await as(BUYER, acknowledge('P-3'));
  await as(BUYER, acknowledge('P-4'));
  expect(await between(SELLER)).toEqual({ ...NOTHING, cash: -10_000_00 });
  expect(await between(BUYER)).toEqual({ ...NOTHING, cash: 150_00 });
  on('2026-01-12');
  await as(BUYER, returned('P-3'));
  await as(BUYER, { do: 'reverse-repayment', refId: 'P-4', date: null, reason: 'Another loan' } as Command);
  expect(await between(BUYER)).toEqual(NOTHING);
  await isEven();
});

slowTest(
  'a reversal is as a return, and a credit that went with the loan is refunded out of the buyer’s cash',
  async () => {
    on('2026-01-05');
    await as(SELLER, repay('P-5', 10_100_00, { acceptOverpayment: true }));
    await as(SELLER, acknowledge('P-5'));
    const credit = -((await books(SELLER)).borrowerCredits ?? 0);
    // 10,000.00 and four days of 30/360 at 12 %.
    expect(credit).toBe(10_100_00 - 10_000_00 - 13_33);
    await sell('2026-01-07');
    await as(BUYER, { do: 'refund-credit', refId: 'R-1', amount: credit } as Command);
    expect(await between(BUYER)).toEqual({ ...NOTHING, cash: -credit });
    on('2026-01-08');
    await as(BUYER, { do: 'reverse-repayment', refId: 'P-5', date: null, reason: 'Another loan' } as Command);
    expect(await between(SELLER)).toEqual({ ...NOTHING, cash: -10_000_00, dueFrom: 10_100_00 });
    expect(await between(BUYER)).toEqual({ ...NOTHING, cash: -credit, dueTo: -10_100_00 });
    expect((await books(BUYER)).loanPrincipal).toBe(10_000_00 + credit);
    await isEven();
  },
);

slowTest('after a second sale the claim is on the owner whose loan is owed again', async () => {
  on('2026-01-05');
  await as(SELLER, repay('P-1', 500_00));
  await as(SELLER, acknowledge('P-1'));
  await sell('2026-01-07');
  on('2026-01-08');
  await as(BUYER, late('P-2', 200_00, '2026-01-06'));
  await sell('2026-01-09', BUYER, THIRD);
  on('2026-01-10');
  await as(THIRD, acknowledge('P-2'));
  await as(THIRD, returned('P-1'));
  expect(await between(SELLER)).toEqual({
    cash: -10_000_00 + 200_00,
    cashClearing: 0,
    dueFrom: 500_00,
    dueTo: -200_00,
  });
  expect(await between(BUYER)).toEqual({ ...NOTHING, dueFrom: 200_00 });
  expect(await between(THIRD)).toEqual({ ...NOTHING, dueTo: -500_00 });
  await isEven();
});

slowTest(
  'interest that the seller earned is an expense when the buyer loses it, and no income taken back',
  async () => {
    await sell('2026-01-11');
    on('2026-01-21');
    await as(BUYER, { do: 'charge-off', date: null, reason: 'policy', collateral: 0 } as Command);
    // 33.33 of interest by the sale, and ten more days of the buyer's own; the loan and the first part were bought.
    expect(await books(BUYER)).toEqual({ chargeOffExpense: 10_033_33, opening: -10_033_33 });
    expect((await books(SELLER)).interestIncome).toBe(-33_33);
    await isEven();
  },
);

/** Balances of accounts on which a fee can be lost; those at zero are left out. */
const LOSSES = ['feeReceivable', 'feeIncome', 'chargeOffExpense', 'recoveryIncome', 'smallBalanceExpense'];
async function fees(actor: Actor): Promise<Record<string, number>> {
  return Object.fromEntries(Object.entries(await books(actor)).filter(([account]) => LOSSES.includes(account)));
}

async function viewed(): Promise<LoanView> {
  const view = await room.loans.reads.read(BUYER, loanId, { asOf: null, knownAt: null });
  if (view === null || view === 'before') throw new Error('Not seen.');
  return view;
}

slowTest(
  'a fee of non-accrual that was never income is neither an expense nor income of the buyer until it is paid',
  async () => {
    const policy = { ...DEFAULT_POLICY, lateFee: FLAT_LATE_FEE, nonAccrualDays: 30, feesInNonAccrual: 'memo' as const };
    loanId = await room.create({}, { policy });
    for (const command of [
      { do: 'start-underwriting' },
      { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null },
      { do: 'initiate-repayment', date: null, opening: null },
    ] as Command[]) {
      await room.done(loanId, command);
    }
    // 25.00 on 12 February, before the loan is in non-accrual, and 25.00 on 12 March, in it.
    await sell('2026-03-20');
    on('2026-03-21');
    expect((await viewed()).loan.fees.map(({ feeId, amount, memo }) => [feeId, amount, memo])).toEqual([
      ['late-1', 25_00, false],
      ['late-2', 25_00, true],
    ]);
    const [seller, before] = [{ feeIncome: -25_00 }, { feeReceivable: 25_00 }];
    expect([await fees(SELLER), await fees(BUYER)]).toEqual([seller, before]);
    const undo = async () => {
      await as(BUYER, { do: 'undo', sequence: (await viewed()).version, reason: 'A mistake' } as Command);
      expect([await fees(SELLER), await fees(BUYER)]).toEqual([seller, before]);
    };

    await as(BUYER, { do: 'waive-fee', feeId: 'late-2', amount: null, reason: 'courtesy' } as Command);
    expect([await fees(SELLER), await fees(BUYER)]).toEqual([seller, before]);
    await undo();
    // The other was income of the seller: it is lost to the buyer, who paid for it.
    await as(BUYER, { do: 'waive-fee', feeId: 'late-1', amount: null, reason: 'courtesy' } as Command);
    expect(await fees(BUYER)).toEqual({ chargeOffExpense: 25_00 });
    await undo();
    await as(BUYER, { do: 'charge-off', date: null, reason: 'policy', collateral: 0 } as Command);
    // The principal, the first fee, and as of an opening the interest of 79 days that the seller had.
    expect(await fees(BUYER)).toEqual({ chargeOffExpense: 10_000_00 + 25_00 + 263_33 });
    await undo();

    // Both installments and both fees: what pays the second fee is the buyer's income.
    await as(BUYER, repay('P-1', 888_49 * 2 + 50_00));
    expect([await fees(SELLER), await fees(BUYER)]).toEqual([seller, { feeIncome: -25_00 }]);
    await as(BUYER, returned('P-1'));
    expect([await fees(SELLER), await fees(BUYER)]).toEqual([seller, before]);
    await isEven();
  },
);
