/**
 * A clock that is set forward over many days at once, beside one that goes on day by day, over the same loans: trial balances of every day, the
 * journal, positions, events and loans are the same. `npm test` jumps over ten days, `npm run test:slow` over some weeks; `TEST_LONG=1` over 366 days.
 *
 * `JUMP_DAYS`, `JUMP_LOANS` and `SEED` choose other sizes and another set.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { monthEnd, plusDays } from '../support/auditor/days.ts';
import { LENDERS, planYear } from '../support/auditor/year-plan.ts';
import { sandboxBook } from '../support/sandbox-book.ts';
import { csvRows } from '../support/twins.ts';
import { WHOLE } from '../support/whole.ts';
import { daysOf, Year } from '../support/year.ts';

const LONG = process.env.TEST_LONG !== undefined;
const DAYS = Number(process.env.JUMP_DAYS ?? (LONG ? 366 : WHOLE ? 32 : 10));
const LOANS = Number(process.env.JUMP_LOANS ?? (LONG ? 30 : WHOLE ? 6 : 4));
const SEED = Number(process.env.SEED ?? 29);
const PATIENCE = 240_000 + DAYS * LOANS * 300;
/** Days on which borrowers still act, in both. */
const LIVED = LONG ? 60 : 4;
const FROM = DAYS >= 366 ? '2027-06-01' : DAYS >= 32 ? '2028-01-28' : '2028-02-22';
const JUMP = plusDays(FROM, LIVED);
const TO = plusDays(JUMP, DAYS);

let service: TestApp;
let slow: Year;
let fast: Year;
beforeAll(async () => {
  service = await testApp();
  const plan = planYear({ from: FROM, to: TO, loans: LOANS, spread: 1, ages: [20, 118] }, SEED);
  slow = new Year(await sandboxBook(service, FROM), plan, FROM);
  fast = new Year(await sandboxBook(service, FROM, 'jump'), plan, FROM);
  for (const year of [slow, fast]) {
    await year.agree();
    while (year.today < JUMP) await year.liveADay();
  }
  for (const day of daysOf(JUMP, TO).slice(1)) await slow.book.on(day);
  await fast.book.on(TO);
}, PATIENCE);
afterAll(() => service.close(), 120_000);

type Row = Record<string, string>;

/** The number of the loan for its id; rows of a lender's book have none. */
function numbered(year: Year, rows: readonly Row[], columns: readonly string[]): string[] {
  const numbers = new Map(year.loans.map(({ loanId, planned }) => [loanId, String(planned.n)]));
  return rows.map((row) => [numbers.get(row.loanId ?? '') ?? '', ...columns.map((name) => row[name])].join(' ')).sort();
}

test('the trial balance of every day is the same', { timeout: PATIENCE }, async () => {
  for (const day of daysOf(FROM, TO)) {
    for (const lenderId of LENDERS) {
      const path = `ledger/trial-balance?asOf=${day}&lenderId=${lenderId}`;
      expect([path, await fast.book.get(path)]).toEqual([path, await slow.book.get(path)]);
    }
  }
});

const TABLES = {
  journal: 'sequence line lenderId entry account debit credit dateEffective datePosted priorPeriod',
  positions:
    'date knownOn lenderId loanStatus daysPastDue nonAccrualSince remainingInstallments principal interest fees credit kept openingPrincipal ' +
    'disbursed principalReceived interestReceived feesReceived unscheduledPrincipal chargedOff recovered forgiven returned receivedLate scheduled',
  payments: 'refId paymentDate amount status principalPaid interestPaid feesPaid credited remainingBalance',
  loans:
    'loanStatus version nextPaymentDate remainingInstallments principal interest fees credit pastDueAmount daysPastDue nonAccrualSince bucket ' +
    'received principalPaid interestPaid feesPaid chargedOff recovered',
} as const;

test.each(Object.entries(TABLES))('the %s are the same', { timeout: PATIENCE }, async (table, columns) => {
  const [is, should] = [fast, slow].map(async (year) =>
    numbered(year, await csvRows(year.book, `exports/${table}`), columns.split(' ')),
  );
  expect((await is)?.length).toBeGreaterThan(0);
  expect(await is).toEqual(await should);
});

test('events are the same, on the same days', { timeout: PATIENCE }, async () => {
  const events = async (year: Year) =>
    numbered(
      year,
      (await csvRows(year.book, 'exports/events')).map((row) => ({
        ...row,
        recordedOn: row.recordedAt?.slice(0, 10) ?? '',
      })),
      ['sequence', 'type', 'dateEffective', 'recordedOn'],
    );
  const is = await events(fast);
  expect(is.length).toBeGreaterThan(LOANS);
  expect(is).toEqual(await events(slow));
});

test('and so is what the nights did', { timeout: PATIENCE }, async () => {
  const days = daysOf(FROM, plusDays(TO, -1)).filter((day) => LONG || day === monthEnd(day) || day.endsWith('9'));
  const done = async (year: Year, day: string) => {
    const { steps } = await year.book.get(`cycles/${day}`);
    return steps.map(({ step, counts, amount }: Record<string, unknown>) => [step, counts, amount]);
  };
  for (const day of days) expect([day, await done(fast, day)]).toEqual([day, await done(slow, day)]);
});
