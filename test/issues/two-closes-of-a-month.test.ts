/** Two requests close one month at the same time, in two processes: both are told that it is closed, as any later one is. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import type { Db, Sql } from '../../src/store/db/db.ts';
import { ACTOR, type TestLoans, testLoans } from '../support/loans.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
  room.on('2026-01-15');
  await room.live();
  room.on('2026-02-02');
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

const close = (loans: OpenLoans) => loans.books.close(ACTOR, '2026-01');
const isFirstLook = (text: string) => text.includes('FROM ledger_periods') && text.includes('LIMIT');
const periods = () => room.db.query('SELECT period FROM ledger_periods');

test('while the first is at work, the second waits for it', async () => {
  const [begun, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = process((text) => {
    if (!text.includes('INSERT INTO ledger_periods')) return undefined;
    begun.resolve();
    return waited.promise;
  });
  let tries = 0;
  const second = process(async (text) => {
    if (text.includes('pg_try_advisory_xact_lock')) tries += 1;
    // It has found the lock taken, and looks again.
    if (tries > 0 && text.includes('AND period = $2')) waited.resolve();
  });
  const one = close(first);
  await begun.promise;
  const other = await close(second).finally(waited.resolve);
  expect(other).toHaveProperty('hash');
  expect(await one).toEqual(other);
  expect(await periods()).toHaveLength(1);
});

test('the first has finished between two looks of the second', async () => {
  let closed: unknown = null;
  const second = process(async (text) => {
    // It has found the month open, and asks now which one is next.
    if (closed === null && isFirstLook(text)) closed = await close(room.loans);
  });
  const other = await close(second);
  expect(closed).toHaveProperty('hash');
  expect(other).toEqual(closed);
  expect(await periods()).toHaveLength(1);
});

test('in one process and in two, however they meet', async () => {
  const [one, ...others] = await Promise.all([room.loans, room.loans, room.another(), room.another()].map(close));
  expect(one).toHaveProperty('hash');
  for (const other of others) expect(other).toEqual(one);
  expect(await periods()).toHaveLength(1);
});

test('an answer that cannot be given to the first, such as a request for approval, is not given to the second', async () => {
  let second: ReturnType<typeof close> | null = null;
  const waits = async () => {
    second = close(room.loans);
    throw new Error('The first waits for an approval.');
  };
  const first = room.loans.books.close(ACTOR, '2026-01', { dryRun: false, keep: waits });
  await expect(first).rejects.toThrow('The first waits for an approval.');
  expect(await second).toHaveProperty('hash');
  expect(await periods()).toHaveLength(1);
});
