/**
 * An entry by hand dated in a month that another process is closing: one of them is first. Either the close has the entry in its balances, or
 * the entry finds the month closed, needs an approval and is posted today.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { date, type PlainDate } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import type { Db, Sql } from '../../src/store/db/db.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const TODAY = '2026-02-02';
let room: TestLoans;
let lenderId: string;
beforeEach(async () => {
  room = await testLoans();
  room.on('2026-01-15');
  await room.live();
  const [loan] = await room.db.query<{ lender_id: string }>('SELECT lender_id FROM loans');
  lenderId = loan?.lender_id ?? '';
  room.on(TODAY);
  await room.loans.books.accrue(ACTOR.organizationId, date('2026-01-31'));
});
afterEach(() => room.close());

/** Another process; `before` is called with the text of each of its statements, and awaited before the statement is sent. */
function process(before: (text: string) => Promise<unknown> | undefined): OpenLoans {
  const seen =
    (query: Sql['query']): Sql['query'] =>
    async (text, values, name) => {
      await before(text);
      return query(text, values, name);
    };
  const db: Db = {
    ...room.db,
    query: seen(room.db.query),
    transaction: (work) => room.db.transaction((tx) => work({ ...tx, query: seen(tx.query) })),
  };
  return room.another({ db });
}

type Way = { readonly posted: PlainDate; readonly asked: boolean };

/** 10.00 of capital on the last day of January; the day on which it is posted, and whether it needs an approval whatever its amount. */
async function record(loans: OpenLoans): Promise<Way> {
  const lines = [
    { account: 'cash' as const, amount: 10_00 },
    { account: 'equity' as const, amount: -10_00 },
  ];
  let asked = false;
  const keep = Object.assign(async () => {}, {
    begin: async (_tx: Sql, found: { always?: boolean } = {}) => {
      asked = found.always === true;
    },
  });
  const given = { date: date('2026-01-31'), lenderId, lines, reason: 'Capital', reverseOn: null };
  const done = await loans.books.recordEntry(ACTOR, given as never, { dryRun: false, keep } as never);
  if (isRefusal(done)) throw new Error(done.detail);
  return { posted: done.datePosted, asked };
}

const close = (loans: OpenLoans) => loans.books.close(ACTOR, '2026-01');

/** The equity of the closed month, which is what the trial balance of its last day shows. */
async function closedEquity(): Promise<number> {
  const [row] = await room.db.query<{ balances: string }>('SELECT balances FROM ledger_periods');
  type Kept = { accounts: { account: string; balance: number }[] };
  const kept = (JSON.parse(row?.balances ?? '[]') as Kept[]).flatMap(({ accounts }) => accounts);
  const equity = kept.find(({ account }) => account === 'equity')?.balance ?? 0;
  const shown = await room.loans.books.trialBalance(ACTOR, { asOf: date('2026-01-31'), lenderId: null });
  if (isRefusal(shown)) throw new Error(shown.detail);
  const now = shown.accounts.find(({ account }) => account === 'equity');
  expect((now?.debit ?? 0) - (now?.credit ?? 0)).toBe(equity);
  while ((await room.loans.ledger.seal()) > 0);
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
  return equity;
}

const IN_TIME: Way = { posted: date('2026-01-31'), asked: false };
const TOO_LATE: Way = { posted: date(TODAY), asked: true };

test('while the month is being closed the entry waits, and then finds it closed', async () => {
  const [begun, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const closing = process((text) => {
    if (!text.includes('INSERT INTO ledger_periods')) return undefined;
    begun.resolve();
    return waited.promise;
  });
  let tries = 0;
  const recording = process(async (text) => {
    if (!text.includes('pg_try_advisory_xact_lock')) return;
    tries += 1;
    // It has found the lock taken, and looks again.
    if (tries === 2) waited.resolve();
  });
  const closed = close(closing);
  await begun.promise;
  expect(await record(recording).finally(waited.resolve)).toEqual(TOO_LATE);
  expect(await closed).toHaveProperty('hash');
  expect(await closedEquity()).toBe(0);
});

test('while an entry is being recorded the close waits, and has it', async () => {
  const [begun, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const recording = process((text) => {
    // It has found the month open.
    if (!text.includes('INSERT INTO books')) return undefined;
    begun.resolve();
    return waited.promise;
  });
  let tries = 0;
  const closing = process(async (text) => {
    if (!text.includes('pg_try_advisory_xact_lock')) return;
    tries += 1;
    if (tries === 2) waited.resolve();
  });
  const recorded = record(recording);
  await begun.promise;
  expect(await close(closing).finally(waited.resolve)).toHaveProperty('hash');
  expect(await recorded).toEqual(IN_TIME);
  expect(await closedEquity()).toBe(-10_00);
});

test('an entry that is saved after the close has looked and before it has its lock is in the month', async () => {
  let way: Way | null = null;
  const closing = process(async (text) => {
    if (way === null && text.includes('pg_try_advisory_xact_lock')) way = await record(room.loans);
  });
  expect(await close(closing)).toHaveProperty('hash');
  expect(way).toEqual(IN_TIME);
  expect(await closedEquity()).toBe(-10_00);
});

test('an entry that has its lock after the month was closed finds it closed, whatever it saw before', async () => {
  let closed: unknown = null;
  const recording = process(async (text) => {
    if (closed === null && text.includes('pg_try_advisory_xact_lock')) closed = await close(room.loans);
  });
  expect(await record(recording)).toEqual(TOO_LATE);
  expect(closed).toHaveProperty('hash');
  expect(await closedEquity()).toBe(0);
});

test('however they meet', async () => {
  const [way, closed] = await Promise.all([record(room.another()), close(room.another())]);
  expect(closed).toHaveProperty('hash');
  expect([IN_TIME, TOO_LATE]).toContainEqual(way);
  expect(await closedEquity()).toBe(way.asked ? 0 : -10_00);
});
