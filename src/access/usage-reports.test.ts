import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { exchangeUsage, type UsageLine } from '../store/access/usage.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { openUnreported } from './unreported.ts';
import { openUsageReports, type Tally } from './usage-reports.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.db.query('TRUNCATE usage_reports'));

/** A process with one tally, which counts and records what it receives. */
function process(db: Db = database.db) {
  const unreported = openUnreported();
  const heard: { lines: readonly UsageLine[]; ageMs: number }[] = [];
  const failures: unknown[] = [];
  const tally: Tally = {
    takeUnreported: unreported.take,
    addReported: (lines, ageMs) => void heard.push({ lines, ageMs }),
  };
  let now = 0;
  const reports = openUsageReports({
    db,
    tallies: { tally },
    monotonic: () => now,
    onFailure: (error) => failures.push(error),
  });
  return {
    add: unreported.add,
    exchange: reports.exchange,
    failures,
    pass: (ms: number) => {
      now += ms;
    },
    /** Everything it has received so far. */
    lines: () => heard.flatMap(({ lines }) => lines),
    ages: () => heard.map(({ ageMs }) => ageMs),
  };
}
const stored = async () => (await database.db.query('SELECT * FROM usage_reports')).length;
/** The database; `fails` decides what happens to the next statements. */
function failing(fails: (query: () => Promise<unknown[]>) => Promise<unknown[]>) {
  const state = { fails: false };
  const query = ((text: string, values?: readonly unknown[]) => {
    const asked = () => database.db.query(text, values);
    return state.fails ? fails(asked) : asked();
  }) as Db['query'];
  return { state, db: { ...database.db, query } as Db };
}

test('each process receives the counts of every other process once, many counts in one row', async () => {
  const [a, b, c] = [process(), process(), process()];
  for (let n = 0; n < 100; n++) a.add(`name ${n}`, n + 1);
  b.add('name 1', 7);
  for (const one of [a, b, c, a, b, c]) await one.exchange();
  expect(await stored()).toBe(2);
  expect(a.lines()).toEqual([['name 1', 7]]);
  expect(b.lines()).toHaveLength(100);
  expect(c.lines()).toHaveLength(101);
  a.add('name 0', 1);
  await a.exchange();
  await c.exchange();
  expect(c.lines().at(-1)).toEqual(['name 0', 1]);
  expect(c.lines()).toHaveLength(102);
});

test('a process without counts writes nothing', async () => {
  const idle = { reporter: 'idle', report: null, heard: new Map<string, number>() };
  // A write would get a transaction id.
  const wrote = await database.db.transaction(async (tx) => {
    await exchangeUsage(tx, idle);
    return tx.query('SELECT pg_current_xact_id_if_assigned() AS id');
  });
  expect(wrote).toEqual([{ id: null }]);
});

test('reports age by the database clock, are kept for 90 seconds, and are read by a process that starts', async () => {
  const a = process();
  a.add('name', 1);
  await a.exchange();
  await database.db.query("UPDATE usage_reports SET counted_at = counted_at - interval '30 seconds'");
  const started = process();
  await started.exchange();
  expect(started.lines()).toEqual([['name', 1]]);
  expect(started.ages()[0]).toBeGreaterThanOrEqual(30_000);
  expect(started.ages()[0]).toBeLessThan(60_000);
  await database.db.query("UPDATE usage_reports SET counted_at = counted_at - interval '60 seconds'");
  const later = process();
  await later.exchange();
  expect(later.lines()).toEqual([]);
  expect(await stored()).toBe(0);
});

test('while the database is unavailable counts stay in memory, and are reported when it is back', async () => {
  const { state, db } = failing(async () => {
    throw new DatabaseUnavailable('away');
  });
  const [a, b] = [process(db), process()];
  state.fails = true;
  a.add('name', 1);
  await a.exchange();
  a.add('name', 2);
  await a.exchange();
  state.fails = false;
  a.pass(5_000);
  await a.exchange();
  await a.exchange();
  await b.exchange();
  expect(b.lines()).toEqual([
    ['name', 1],
    ['name', 2],
  ]);
  expect(b.ages()[0], 'counted before it was sent').toBeGreaterThanOrEqual(5_000);
  expect(a.failures).toEqual([]);
});

test('a report with an unknown outcome is not counted twice', async () => {
  const { state, db } = failing(async (query) => {
    await query();
    throw new DatabaseUnavailable('silent');
  });
  const [a, b] = [process(db), process()];
  state.fails = true;
  a.add('name', 1);
  await a.exchange();
  await a.exchange();
  state.fails = false;
  await b.exchange();
  await a.exchange();
  await b.exchange();
  expect(b.lines()).toEqual([['name', 1]]);
});

test('a failure for another reason is reported once, and again after a success', async () => {
  const { state, db } = failing(async () => {
    throw new Error('wrong');
  });
  const a = process(db);
  state.fails = true;
  await a.exchange();
  await a.exchange();
  expect(a.failures).toHaveLength(1);
  state.fails = false;
  await a.exchange();
  state.fails = true;
  await a.exchange();
  expect(a.failures).toHaveLength(2);
});
