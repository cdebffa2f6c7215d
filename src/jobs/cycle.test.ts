import { afterAll, beforeAll, expect } from 'vitest';
import { ACTOR, type TestLoans, testLoans } from '../../test/support/loans.ts';
import { eventually } from '../../test/support/service.ts';
import { slowTest, usualTest as test } from '../../test/support/whole.ts';
import type { Nights } from '../loans/cycle/nights.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { startCycleJobs } from './cycle.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
  await room.live();
  await room.live({ lenderId: 'L-2' });
}, 60_000);
afterAll(() => room.close());

const at = (day: string) => {
  room.clock.now = Date.parse(`${day}T00:05:00Z`);
};

const through = async () => (await room.loans.cycle.list(ACTOR, { before: null, limit: 1 })).through;

test('cycles run automatically after the end of a day, in one of the processes, and survive an unavailable database', async () => {
  const failures: unknown[] = [];
  const said: string[] = [];
  const log = {
    event: (name: string) => said.push(name),
    failure: (_: string, error: unknown) => failures.push(error),
  };
  let away = true;
  const gone = () => Promise.reject(new DatabaseUnavailable('gone'));
  const flaky: Db = {
    ...room.db,
    query: (...statement) => (away ? gone() : room.db.query(...statement)),
    transaction: (work) => (away ? gone() : room.db.transaction(work)),
    script: (...statement) => (away ? gone() : room.db.script(...statement)),
  };
  at('2026-01-05');
  const fast = { log, pollSeconds: 0.5, lookMs: 20 };
  const jobs = [1, 2].map(() => {
    const { cycle: cycles } = room.another({ cycleDb: flaky });
    return startCycleJobs({ ...fast, cycles, db: flaky });
  });
  // It was unavailable when they started.
  away = false;
  await eventually(async () => (await through()) === '2026-01-04', 20_000, 50);
  at('2026-01-08');
  await eventually(async () => (await through()) === '2026-01-07', 20_000, 50);
  await eventually(async () => jobs.every((job) => job.figures().organizationsBehind === 0), 20_000, 50);
  const figures = jobs.map((job) => job.figures());
  expect(figures.reduce((sum, one) => sum + one.days, 0)).toBeGreaterThanOrEqual(7);
  expect(figures.map(({ failures: count }) => count)).toEqual([0, 0]);
  expect(failures).toEqual([]);
  // Each process logged the start and the end of it once.
  expect(said.filter((name) => name !== 'cycles run').sort()).toEqual([
    ...Array(2).fill('cycles are waiting for the database'),
    ...Array(2).fill('cycles resumed: the database is available again'),
  ]);
  await Promise.all(jobs.map((job) => job.stop()));
  const [entries] = await room.db.query<{ count: number }>('SELECT count(*)::int AS count FROM books');
  expect(entries?.count).toBe(2);
  const [schema] = await room.db.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname = 'pgboss'",
  );
  expect(schema?.name).toBe('pgboss');
}, 90_000);

slowTest(
  'an error of the queue is logged once with its kind, code and place, although pg-boss reports a copy of it',
  async () => {
    const failures: unknown[] = [];
    const log = { event: () => {}, failure: (_: string, error: unknown) => failures.push(error) };
    let fetches = 0;
    const broken: Db = {
      ...room.db,
      script(text, values) {
        if (!text.includes('SKIP LOCKED')) return room.db.script(text, values);
        fetches += 1;
        return Promise.reject(Object.assign(new TypeError('quotes a value'), { code: 'XX001' }));
      },
    };
    const { cycle: cycles } = room.another();
    const jobs = startCycleJobs({ cycles, db: broken, log, pollSeconds: 0.5, lookMs: 60_000, superviseSeconds: 1 });
    await eventually(() => fetches >= 6, 20_000, 50);
    await jobs.stop();
    expect(failures).toEqual([expect.any(Error)]);
    expect(failures[0]).toMatchObject({
      name: 'TypeError',
      code: 'XX001',
      stack: expect.stringContaining('cycle.test.ts'),
    });
  },
  60_000,
);

test('the days before one that fails are counted', async () => {
  const { cycle: cycles } = room.another();
  let days = 0;
  const failing: Nights = {
    ...cycles,
    runCyclesThrough: (organizationId, date, how) =>
      cycles.runCyclesThrough(organizationId, date, {
        ...how,
        onDay(done) {
          how?.onDay?.(done);
          days += 1;
          if (days === 2) throw new Error('The third day fails.');
        },
      }),
  };
  const log = { event: () => {}, failure: () => {} };
  at('2026-02-05');
  const jobs = startCycleJobs({ cycles: failing, db: room.db, log, pollSeconds: 0.5, lookMs: 60_000 });
  await eventually(() => jobs.figures().failures > 0, 20_000, 50);
  await jobs.stop();
  expect(jobs.figures()).toMatchObject({ days: 2, failures: 1 });
}, 60_000);

test('a server that answers but accepts no writes is logged once, for as long as it accepts none', async () => {
  const said: string[] = [];
  const log = { event: (name: string) => said.push(name), failure: (name: string) => said.push(`failed: ${name}`) };
  let readOnly = false;
  let refused = 0;
  let looks = 0;
  const db: Db = {
    ...room.db,
    takesWrites: async () => !readOnly,
    script(text, values) {
      if (!readOnly || !text.includes('SKIP LOCKED')) return room.db.script(text, values);
      refused += 1;
      const cause = Object.assign(new Error('read-only'), { code: '25006' });
      return Promise.reject(new DatabaseUnavailable('The database cannot be reached.', { cause }));
    },
  };
  const { cycle: cycles } = room.another();
  const behind = () => {
    looks += 1;
    return cycles.behind();
  };
  const jobs = startCycleJobs({ cycles: { ...cycles, behind }, db, log, pollSeconds: 0.5, lookMs: 20 });
  await eventually(() => looks >= 2, 20_000, 20);
  readOnly = true;
  await eventually(() => refused >= 2, 20_000, 20);
  const seen = looks;
  await eventually(() => looks > seen + 2, 20_000, 20);
  expect(said).toEqual(['cycles are waiting for the database']);
  readOnly = false;
  await eventually(() => said.length > 1, 20_000, 20);
  await jobs.stop();
  expect(said).toEqual(['cycles are waiting for the database', 'cycles resumed: the database is available again']);
}, 60_000);
