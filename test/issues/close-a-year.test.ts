/**
 * A year is closed once, when all its months and the year before are: income and expense of each lender go to its retained earnings, posted on
 * the first day that is open. A year that is closed late takes its own income alone, and what is recorded of it later is of a later year.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { date, type PlainDate } from '../../src/core/calendar.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const RESULT = ['interestIncome', 'feeIncome', 'chargeOffExpense', 'recoveryIncome', 'saleLoss'];

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
  room.on('2026-11-15');
  await room.live({ lenderId: 'L-A' });
  await room.live({ lenderId: 'L-B', applicationId: 'APP-2' });
}, 60_000);
afterAll(() => room.close());

const books = () => room.loans.books;
/** The balance of accounts of a lender at the end of a day, in cents; debits positive. */
async function held(asOf: string, lenderId: string, accounts: readonly string[]): Promise<number> {
  const found = await books().trialBalance(ACTOR, { asOf: date(asOf), lenderId });
  if ('refused' in found) throw new Error(found.detail);
  return found.accounts.reduce((sum, one) => sum + (accounts.includes(one.account) ? one.debit - one.credit : 0), 0);
}
async function closeThrough(today: string, through: string, last: string): Promise<void> {
  room.on(today);
  await books().accrue(ACTOR.organizationId, date(last));
  const done = await books().closeMonths(ACTOR, { from: null, through });
  expect(done).toHaveProperty('closed');
}
const entry = (of: string, lines: { account: string; amount: number }[]) =>
  books().recordEntry(ACTOR, {
    ...{ date: of as PlainDate, lenderId: 'L-A', reason: 'A test', reverseOn: null },
    lines: lines as never,
  });

test('it waits for its months, and for the year before', async () => {
  room.on('2027-01-10');
  expect(await books().closeYear(ACTOR, 2026)).toMatchObject({
    refused: 'wrong_period',
    detail: 'All months of 2026 must be closed first; the next is 2026-11.',
  });
  expect(await books().closeYear(ACTOR, 2025)).toMatchObject({ refused: 'wrong_period' });
  await closeThrough('2027-01-10', '2026-12', '2027-01-09');
});

test('income and expense are closed on the first of the next year, once, and the closed month stays as it was', async () => {
  const december = { A: await held('2026-12-31', 'L-A', RESULT), B: await held('2026-12-31', 'L-B', RESULT) };
  expect(december.A).toBeLessThan(0);
  const dry = await books().closeYear(ACTOR, 2026, { dryRun: true, keep: async () => {} });
  expect(dry).toMatchObject({ year: 2026, datePosted: '2027-01-01' });
  expect(await held('2027-01-10', 'L-A', ['retainedEarnings'])).toBe(0);
  const closed = await books().closeYear(ACTOR, 2026);
  expect(closed).toMatchObject({
    year: 2026,
    datePosted: '2027-01-01',
    lenders: [{ lenderId: 'L-A' }, { lenderId: 'L-B' }],
  });
  expect(await books().closeYear(ACTOR, 2026)).toEqual(closed);
  const [one] = await Promise.all([books().closeYear(ACTOR, 2026), books().closeYear(ACTOR, 2026)]);
  expect(one).toEqual(closed);
  expect(await held('2026-12-31', 'L-A', RESULT)).toBe(december.A);
  expect(await held('2027-01-01', 'L-A', ['retainedEarnings'])).toBe(december.A);
  expect(await held('2027-01-01', 'L-B', ['retainedEarnings'])).toBe(december.B);
  // The interest of the first of January is left.
  const january = await held('2027-01-01', 'L-A', RESULT);
  expect(january).toBeLessThanOrEqual(0);
  expect(january).toBeGreaterThan(december.A / 10);
  const [shown] = await books().handEntries(ACTOR, { lenderId: 'L-A', day: null, before: null, limit: 1 });
  expect(shown).toMatchObject({ type: 'yearClosed', year: 2026, date: '2026-12-31', priorPeriod: true });
});

test('a year whose next months are closed already is closed today, with its own income alone', async () => {
  const loss = [
    { account: 'saleLoss', amount: 12_345 },
    { account: 'suspense', amount: -12_345 },
  ];
  room.on('2027-06-10');
  await entry('2027-06-09', loss);
  await closeThrough('2028-03-10', '2028-02', '2028-03-09');
  const retained = await held('2027-12-31', 'L-A', ['retainedEarnings']);
  const of2027 = await held('2027-12-31', 'L-A', RESULT);
  const now = await held('2028-03-10', 'L-A', RESULT);
  const closed = await books().closeYear(ACTOR, 2027);
  expect(closed).toMatchObject({ datePosted: '2028-03-10' });
  expect(await held('2028-03-10', 'L-A', ['retainedEarnings'])).toBe(retained + of2027);
  expect(await held('2028-03-10', 'L-A', RESULT)).toBe(now - of2027);
  expect(await books().closeYear(ACTOR, 2028)).toMatchObject({ refused: 'wrong_period' });
}, 200_000);

test('what is recorded of a closed year is of the income of the year in which it is posted; and all of it verifies', async () => {
  const before = await held('2028-03-10', 'L-A', ['retainedEarnings']);
  const lines = [
    { account: 'feeIncome', amount: -500 },
    { account: 'cash', amount: 500 },
  ];
  expect(await entry('2027-05-05', lines)).toMatchObject({ datePosted: '2028-03-10', priorPeriod: true });
  expect(await held('2028-03-10', 'L-A', ['retainedEarnings'])).toBe(before);
  expect(await held('2028-03-10', 'L-A', ['feeIncome'])).toBe(-500);
  await room.loans.ledger.seal();
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
  await room.db.query(`UPDATE books SET first_posted = '2026-01-01' WHERE kind = 'entries' AND lender_id = 'L-A'`);
  await room.db.query(`UPDATE events SET note = '\\x00' WHERE type = 'entryRecorded' AND sequence = 2`);
  const damaged = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(damaged.complaints.map(({ table }) => table)).toEqual(expect.arrayContaining(['books', 'events']));
}, 60_000);
