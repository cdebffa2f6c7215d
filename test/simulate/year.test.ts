/**
 * A year of six kinds of loans and two lenders, through the service, with 29 February in it, beside an independent book that shares nothing with
 * it: on every day every account of each lender; at every month end every account and figure of each loan, and the journal, exports, positions,
 * reports and roll-forward against each other. `npm test` lives two weeks of it, `npm run test:slow` forty days; `TEST_LONG=1` all 366 days of sixty loans.
 *
 * `YEAR_DAYS`, `YEAR_LOANS` and `SEED` choose other sizes and another set.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { monthEnd, plusDays } from '../support/auditor/days.ts';
import type { Balances } from '../support/auditor/plain-books.ts';
import { LENDERS, planYear } from '../support/auditor/year-plan.ts';
import { testMasterKeys } from '../support/loans.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { cents, csvRows } from '../support/twins.ts';
import { WHOLE } from '../support/whole.ts';
import { daysOf, type LoanOfTheYear, Year } from '../support/year.ts';

const LONG = process.env.TEST_LONG !== undefined;
const DAYS = Number(process.env.YEAR_DAYS ?? (LONG ? 366 : WHOLE ? 40 : 14));
const LOANS = Number(process.env.YEAR_LOANS ?? (LONG ? 60 : WHOLE ? 12 : 8));
const SEED = Number(process.env.SEED ?? 2028);
const PATIENCE = 240_000 + DAYS * LOANS * 500;
/** The leap day is in it, with the end of its month. */
const FROM = DAYS >= 366 ? '2027-07-01' : DAYS >= 40 ? '2028-01-27' : '2028-02-20';
const TO = plusDays(FROM, DAYS - 1);
const AGES = DAYS >= 366 ? ([20, 25] as const) : ([20, 140] as const);

let service: TestApp;
let book: SandboxBook;
let year: Year;
/** By day and lender, as it was when the day was over. */
const seen = new Map<string, Figures>();
beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, FROM);
  year = new Year(
    book,
    planYear({ from: FROM, to: TO, loans: LOANS, spread: Math.min(75, Math.ceil(DAYS / 5)), ages: AGES }, SEED),
    FROM,
  );
  await year.agree();
  for (const day of daysOf(FROM, TO)) {
    await year.liveADay();
    for (const lenderId of LENDERS) seen.set(`${day} ${lenderId}`, await trialBalance(day, lenderId));
  }
}, PATIENCE);
afterAll(() => service.close(), 120_000);

type Row = Record<string, string>;
/** By name, in cents, without zeros. */
type Figures = Record<string, bigint>;

const figures = (all: Iterable<readonly [string, bigint]>): Figures => {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of all) sums.set(name, (sums.get(name) ?? 0n) + amount);
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)));
};
const less = (a: Figures, b: Figures) =>
  figures([...Object.entries(a), ...Object.entries(b).map(([name, amount]) => [name, -amount] as const)]);
const accountsOf = (rows: readonly Row[]) =>
  figures(rows.map(({ account = '', debit, credit }) => [account, cents(debit) - cents(credit)]));
const heldBy = (balances: Balances) => figures(balances);

async function trialBalance(asOf: string, lenderId: string): Promise<Figures> {
  return accountsOf((await book.get(`ledger/trial-balance?asOf=${asOf}&lenderId=${lenderId}`)).accounts);
}

/** The months that are over, with their last days. */
const months = () =>
  [...new Set(daysOf(FROM, TO).map(monthEnd))]
    .filter((end) => end <= TO)
    .map((end) => ({ end, period: end.slice(0, 7), before: plusDays(`${end.slice(0, 7)}-01`, -1) }));

test('on every day every account of each lender is that of the independent book', { timeout: PATIENCE }, () => {
  for (const day of daysOf(FROM, TO)) {
    for (const lenderId of LENDERS) {
      const is = seen.get(`${day} ${lenderId}`);
      expect({ day, lenderId, ...is }).toEqual({ day, lenderId, ...heldBy(year.balances(day, lenderId)) });
    }
  }
  // In two weeks much of it does not happen.
  const rare = DAYS < 40 ? [] : RARE.filter((what) => (year.counts[what] ?? 0) === 0);
  expect(rare, `Nothing of this has happened: ${JSON.stringify(year.counts)}`).toEqual([]);
});

const RARE = [
  ...['payments', 'for principal', 'backdated', 'acknowledged', 'returned', 'refunded', 'waived', 'recovered'],
  'charged off by the cycle',
  ...(LONG ? ['charged off', 'written down', 'reversed', 'fees', 'non-accrual begun', 'non-accrual ended'] : []),
];

test('a day that is over stays as it was, and one report of all lenders is their sum', {
  timeout: PATIENCE,
}, async () => {
  const days = daysOf(FROM, TO).filter((day) => LONG || day.endsWith('5') || day === monthEnd(day));
  for (const day of days) {
    const all: [string, bigint][] = [];
    for (const lenderId of LENDERS) {
      const is = await trialBalance(day, lenderId);
      expect([day, lenderId, is]).toEqual([day, lenderId, seen.get(`${day} ${lenderId}`)]);
      all.push(...Object.entries(is));
    }
    const { accounts } = await book.get(`ledger/trial-balance?asOf=${day}`);
    expect([day, accountsOf(accounts)]).toEqual([day, figures(all)]);
  }
});

test('at every month end journal, exports and roll-forward lead from one balance to the next', {
  timeout: PATIENCE,
}, async () => {
  const { proposed } = await book.get('ledger/account-codes');
  await book.post('ledger/account-codes', {
    codes: Object.fromEntries(proposed.map((one: Row) => [one.account, one.code])),
  });
  for (const { end, period, before } of months()) {
    for (const lenderId of LENDERS) {
      const opening = before < FROM ? {} : await trialBalance(before, lenderId);
      const closing = await trialBalance(end, lenderId);
      const moved = [period, lenderId, less(closing, opening)];
      const own = `lenderId=${lenderId}`;
      const exported = await csvRows(book, `ledger/export?period=${period}&${own}`);
      expect([period, lenderId, accountsOf(exported)]).toEqual(moved);
      const from = before < FROM ? FROM : plusDays(before, 1);
      const journal = await csvRows(book, `exports/journal?from=${from}&to=${end}&${own}`);
      expect([period, lenderId, accountsOf(journal)]).toEqual(moved);
      const { lenders } = await book.get(`ledger/roll-forward?period=${period}&${own}`);
      type Rolled = {
        account: string;
        opening: string;
        closing: string;
        activity: { entry: string; amount: string }[];
      };
      const rolled: Rolled[] = lenders[0]?.accounts ?? [];
      const sum = (of: (one: Rolled) => bigint) => figures(rolled.map((one) => [one.account, of(one)]));
      expect([period, lenderId, sum((one) => cents(one.opening))]).toEqual([period, lenderId, opening]);
      expect([period, lenderId, sum((one) => cents(one.closing))]).toEqual([period, lenderId, closing]);
      const activity = (one: Rolled) => one.activity.reduce((all, { amount }) => all + cents(amount), 0n);
      expect([period, lenderId, sum(activity)]).toEqual(moved);
      // Entry by entry the same lines as the month's export.
      const byEntry = rolled.flatMap((one) =>
        one.activity.map(({ entry, amount }) => [`${entry} ${one.account}`, cents(amount)] as const),
      );
      const lines = exported.map(
        (one) => [`${one.entry} ${one.account}`, cents(one.debit) - cents(one.credit)] as const,
      );
      expect([period, lenderId, figures(byEntry)]).toEqual([period, lenderId, figures(lines)]);
    }
  }
});

test('at every month end each loan has the balances and the position of the independent book', {
  timeout: PATIENCE,
}, async () => {
  for (const { end } of months()) {
    const { items, nextCursor } = await book.get(`ledger/loans?asOf=${end}&limit=100`);
    expect(nextCursor).toBeNull();
    const held = new Map<string, Figures>(
      items.map(({ loanId, accounts }: { loanId: string; accounts: { account: string; balance: string }[] }) => [
        loanId,
        figures(accounts.map(({ account, balance }) => [account, cents(balance)])),
      ]),
    );
    const positions = await csvRows(book, `exports/positions?asOf=${end}&knownAt=${end}T23:59:59.999Z`);
    for (const loan of year.loans) {
      const { loanId, planned } = loan;
      const which = `${end}: loan ${planned.n}, ${planned.kind}, ${planned.habit}`;
      const books = loan.books(end);
      expect([which, held.get(loanId) ?? {}]).toEqual([which, books === null ? {} : heldBy(books.balances)]);
      const row = positions.find((one) => one.loanId === loanId);
      expect([which, row === undefined ? nothing : positionShown(row)]).toEqual([which, positionOf(loan, end)]);
    }
  }
});

const nothing = { principal: 0n, interest: 0n, fees: 0n, credit: 0n, kept: 0n, daysPastDue: 0 };

function positionShown(row: Row) {
  const { principal, interest, fees, credit, kept, daysPastDue } = row;
  return {
    ...{ principal: cents(principal), interest: cents(interest), fees: cents(fees), credit: cents(credit) },
    ...{ kept: cents(kept), daysPastDue: Number(daysPastDue) },
  };
}

function positionOf(loan: LoanOfTheYear, day: string): typeof nothing {
  const books = loan.books(day);
  if (books === null) return nothing;
  const { audit, balances } = books;
  const on = (account: string) => balances.get(account) ?? 0n;
  return {
    principal: BigInt(audit.principal),
    interest: on('accruedInterest') + on('interestReceivable'),
    fees: on('feeReceivable'),
    credit: -on('borrowerCredits'),
    kept: loan.isChargedOff(day) ? on('loanPrincipal') : 0n,
    daysPastDue: audit.daysPastDue,
  };
}

test('at every month end the reports are the sums of what each loan is, and tie to the books', {
  timeout: PATIENCE,
}, async () => {
  for (const { end } of months()) {
    const known = `asOf=${end}&knownAt=asReported`;
    const { slices } = await book.get(`portfolio/summary?${known}&by=lender`);
    const { slices: buckets } = await book.get(`portfolio/delinquency?${known}&by=lender`);
    for (const lenderId of LENDERS) {
      const own = year.loans.filter((loan) => loan.planned.lenderId === lenderId);
      const positions = own.map((loan) => ({ charged: loan.isChargedOff(end), ...positionOf(loan, end), loan }));
      const open = positions.filter(({ charged, loan }) => !charged && loan.owes(end));
      const sum = (list: readonly Record<string, unknown>[], name: string) =>
        list.reduce((all, one) => all + (one[name] as bigint), 0n);
      const row: Row = slices.find(({ slice }: Row) => slice === lenderId) ?? {};
      const is = {
        ...{ count: Number(row.count ?? 0), principal: cents(row.principal), interest: cents(row.interest) },
        ...{ fees: cents(row.fees), credits: cents(row.credits), kept: cents(row.kept) },
        chargedOffCount: Number(row.chargedOffCount ?? 0),
      };
      expect({ end, lenderId, ...is }).toEqual({
        ...{ end, lenderId, count: open.length, principal: sum(open, 'principal') },
        ...{ interest: sum(open, 'interest'), fees: sum(open, 'fees') },
        ...{ credits: sum(positions, 'credit'), kept: sum(positions, 'kept') },
        chargedOffCount: positions.filter(({ charged, principal }) => charged && principal > 0n).length,
      });
      const balances = await trialBalance(end, lenderId);
      const on = (...accounts: string[]) => accounts.reduce((all, account) => all + (balances[account] ?? 0n), 0n);
      expect([end, is.principal + is.kept, is.interest, is.fees, is.credits]).toEqual([
        ...[end, on('loanPrincipal'), on('accruedInterest', 'interestReceivable'), on('feeReceivable')],
        0n - on('borrowerCredits'),
      ]);
      const inBuckets = (buckets as Row[]).filter(({ slice }) => slice === lenderId);
      const counted = figures(
        inBuckets.map(({ bucket = '', count }) => [bucket.replace('–', '-'), BigInt(count ?? 0)]),
      );
      expect([end, lenderId, counted]).toEqual([
        end,
        lenderId,
        figures(open.map((one) => [bucketOf(one.daysPastDue), 1n])),
      ]);
    }
  }
});

function bucketOf(days: number): string {
  if (days === 0) return 'current';
  const from = days < 30 ? 1 : days - (days % 30);
  return days >= 120 ? '120+' : `${from}-${days < 30 ? 29 : from + 29}`;
}

test('the cash flows of the months follow each other, and are the money that came', { timeout: PATIENCE }, async () => {
  const ends = months();
  const { end: last } = ends.at(-1) as { end: string };
  for (const knownAt of ['', '&knownAt=asReported']) {
    const { totals } = await book.get(`portfolio/cashflows?asOf=${last}${knownAt}`);
    const rows: Row[] = totals;
    const of = (row: Row | undefined, ...names: string[]) => names.reduce((sum, name) => sum + cents(row?.[name]), 0n);
    for (const [i, row] of rows.entries()) {
      if (i > 0) expect(row.openingPrincipal).toBe(rows[i - 1]?.closingPrincipal);
      const given = of(row, 'openingPrincipal', 'priorPeriod', 'disbursed');
      const taken = of(row, 'scheduledPrincipal', 'unscheduledPrincipal', 'chargedOff', 'forgiven');
      expect([row.month, given - taken]).toEqual([row.month, of(row, 'closingPrincipal')]);
      if (knownAt === '') continue;
      const { totals: summary } = await book.get(`portfolio/summary?asOf=${row.through}${knownAt}`);
      expect([row.month, row.closingPrincipal]).toEqual([row.month, summary.principal]);
    }
  }
  const { totals } = await book.get(`portfolio/cashflows?asOf=${last}&knownAt=${last}`);
  const received = (totals as Row[]).reduce((sum, row) => sum + cents(row.received), 0n);
  expect(received).toBe(year.loans.reduce((sum, loan) => sum + loan.moneyApplied(last), 0n));
});

test('the book verifies', { timeout: PATIENCE }, async () => {
  while ((await service.loans.ledger.seal()) > 0);
  expect((await verifyBook({ db: service.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});
