/** Months in which an organization had no open loan, or only applications, are closed and exported like any others. */
import { afterEach, beforeEach, expect } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { answered, expectMonthsToAgree, OWN_CODES } from '../support/months.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
  await room.loans.books.setCodes(ACTOR, OWN_CODES);
});
afterEach(() => room.close());

const on = (day: string) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};
const cyclesThrough = (day: string) => room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date(day));
const close = (period: string) => room.loans.books.close(ACTOR, period);
const exported = (period: string) => room.loans.books.exported(ACTOR, { period, lenderId: null });

async function complaints() {
  while ((await room.loans.ledger.seal()) > 0);
  return (await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints;
}

/** A loan of January that is paid off on 3 February: nothing is open from then on. */
async function paidOff(amount = 1_010_667): Promise<string> {
  on('2026-01-25');
  const loanId = await room.live({ lenderId: 'L-A' });
  on('2026-02-03');
  await room.done(loanId, repay('all', amount, { acceptOverpayment: true }));
  await room.done(loanId, { do: 'acknowledge-repayment', refId: 'all' });
  return loanId;
}

slowTest('after the last loan was paid off, and still when it is open again', async () => {
  const loanId = await paidOff();
  on('2026-05-05');
  await cyclesThrough('2026-05-04');
  const idle = ['2026-01', '2026-02', '2026-03', '2026-04'];
  await expectMonthsToAgree(room.loans.books, ACTOR, idle, ['L-A']);
  for (const period of idle) expect(await close(period)).toHaveProperty('hash');
  expect(await complaints()).toEqual([]);
  // The idle days leave no row, and no entry until there is something to post again.
  const entriesOn = (day: string) =>
    room.loans.books.entries(ACTOR, { day: date(day), lenderId: null, after: null, limit: 10 });
  expect(await entriesOn('2026-03-10')).toEqual([]);

  on('2026-05-20');
  await room.done(loanId, { do: 'return-repayment', refId: 'all', date: null, reason: 'no funds' });
  on('2026-06-02');
  await cyclesThrough('2026-06-01');
  expect(answered(await close('2026-05')).lenders).toHaveLength(1);
  const [made] = await entriesOn('2026-03-10');
  expect(made?.event).toMatchObject({ accrued: 0, amount: 0 });
  await expectMonthsToAgree(room.loans.books, ACTOR, [...idle, '2026-05'], ['L-A']);
  expect(await complaints()).toEqual([]);
});

slowTest('with a credit that is owed back, which every month end reports', async () => {
  await paidOff(1_100_000);
  on('2026-05-05');
  await cyclesThrough('2026-05-04');
  const shown = await room.db.query(
    `SELECT to_char(date, 'YYYY-MM-DD') AS date, status, principal::int, credits::int FROM positions ORDER BY date`,
  );
  const credit = { status: 'ClosedEarly', principal: 0, credits: 89_333 };
  expect(shown.slice(1)).toEqual(['2026-02-28', '2026-03-31', '2026-04-30'].map((date) => ({ date, ...credit })));
  for (const period of ['2026-01', '2026-02', '2026-03', '2026-04']) expect(await close(period)).toHaveProperty('hash');
  expect(await complaints()).toEqual([]);
});

test('are not closed while their cycles have not run, and the first missing one is named', async () => {
  await paidOff();
  on('2026-05-05');
  await cyclesThrough('2026-04-20');
  for (const period of ['2026-01', '2026-02', '2026-03']) expect(await close(period)).toHaveProperty('hash');
  const pending = { refused: 'cycle_pending', facts: { date: '2026-04-21' } };
  expect(await close('2026-04')).toMatchObject(pending);
  expect(await exported('2026-04')).toMatchObject(pending);
  await cyclesThrough('2026-05-04');
  expect(await close('2026-04')).toHaveProperty('hash');
});

slowTest('with an application alone, from its own month on, though nothing is posted in it', async () => {
  on('2026-01-15');
  const loanId = await room.create({ lenderId: 'L-A' });
  on('2026-04-20');
  await cyclesThrough('2026-04-19');
  for (const period of ['2026-01', '2026-02']) expect(await close(period)).toHaveProperty('hash');
  expect(await complaints()).toEqual([]);
  await room.done(loanId, { do: 'start-underwriting' });
  await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  on('2026-05-02');
  await cyclesThrough('2026-05-01');
  for (const period of ['2026-03', '2026-04']) expect(await close(period)).toHaveProperty('hash');
  const months = ['2026-01', '2026-02', '2026-03', '2026-04'];
  expect(await expectMonthsToAgree(room.loans.books, ACTOR, months, ['L-A'])).toBeGreaterThan(0);
  expect(await complaints()).toEqual([]);
});

slowTest('of a lender without an open loan beside one that has some', async () => {
  await paidOff();
  on('2026-02-20');
  await room.live({ lenderId: 'L-B' });
  on('2026-03-02');
  await cyclesThrough('2026-03-01');
  const months = ['2026-01', '2026-02'];
  await expectMonthsToAgree(room.loans.books, ACTOR, months, ['L-A', 'L-B']);
  for (const period of months) expect(await close(period)).toHaveProperty('hash');
  expect(await complaints()).toEqual([]);
});
