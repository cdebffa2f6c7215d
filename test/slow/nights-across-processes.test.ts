/**
 * Nightly cycles whose process is killed, or whose database becomes unreachable, in the middle: the process that continues leaves every
 * row as an undisturbed run does, and none twice.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { startCycleJobs } from '../../src/jobs/cycle.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { openDb } from '../../src/store/db/db.ts';
import { startPostgres } from '../../src/store/db/embedded.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { migratedDataDir } from '../support/data-dir.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';
import { fillWinter, interruptedDb, keepBook, LAST_NIGHT, writtenRows } from '../support/nights.ts';
import { connectionTo, urlOf } from '../support/server.ts';
import { endAll, eventually, postmasterOf, type Running, run } from '../support/service.ts';

const PATIENT = { timeout: 120_000 };
const PROCESS = fileURLToPath(new URL('../support/nights-process.ts', import.meta.url));
const ORG = ACTOR.organizationId;

afterAll(endAll, PATIENT.timeout);

/** The rows of an undisturbed run, and how many statements it takes. The book is as before afterwards. */
async function undisturbed(room: TestLoans, restore: () => Promise<void>) {
  const counting = interruptedDb(room.db, {
    after: Number.POSITIVE_INFINITY,
    within: 'anything',
    before: async () => {},
  });
  await room.another({ cycleDb: counting.db }).cycle.runCyclesThrough(ORG, LAST_NIGHT);
  const rows = await writtenRows(room.db);
  await restore();
  return { rows, statements: counting.asked() };
}

async function through({ loans }: TestLoans): Promise<string | null> {
  return (await loans.cycle.list(ACTOR, { before: null, limit: 1 })).through;
}

async function inOrder(room: TestLoans): Promise<void> {
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
}

describe('processes that are killed', PATIENT, () => {
  let room: TestLoans;
  let url: string;
  let restore: () => Promise<void>;
  let should: Awaited<ReturnType<typeof undisturbed>>;

  const spawn = (...args: string[]): Running =>
    run(process.execPath, [PROCESS, ...args], { env: { DATABASE_URL: url } });
  const stands = (one: Running) => eventually(() => one.output().includes('stands'), 60_000, 5);

  beforeAll(async () => {
    room = await testLoans();
    const [found] = await room.db.query<{ name: string }>('SELECT current_database() AS name');
    url = urlOf(connectionTo(inject('server'), found?.name ?? ''));
    await fillWinter(room);
    restore = await keepBook(room.db);
    should = await undisturbed(room, restore);
  }, PATIENT.timeout);
  beforeEach(() => restore());
  afterAll(() => room.close(), PATIENT.timeout);

  test('in a transaction and between two, one after the other: the last finishes', async () => {
    const part = Math.floor(should.statements / 4);
    for (const within of ['transaction', 'anything', 'transaction']) {
      const before = await through(room);
      const one = spawn('run', String(part), within);
      await stands(one);
      await one.stop('SIGKILL');
      expect(((await through(room)) ?? '') > (before ?? '')).toBe(true);
    }
    const last = spawn('run');
    expect(await last.ended, last.output()).toBe(0);
    expect(await writtenRows(room.db)).toEqual(should.rows);
    await inOrder(room);
  });

  test('of two that work on the queue, the other takes the job over', async () => {
    const dying = spawn('jobs', String(Math.floor(should.statements / 2)), 'transaction');
    await stands(dying);
    const other = spawn('jobs');
    await dying.stop('SIGKILL');
    // As if the time had passed after which a silent process counts as dead, and a failed job is tried again.
    await eventually(
      async () => {
        await room.db.query("UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'");
        await room.db.query("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
        return (await through(room)) === LAST_NIGHT;
      },
      60_000,
      500,
    );
    await other.stop('SIGKILL');
    expect(other.output()).not.toContain('failed');
    expect(await writtenRows(room.db)).toEqual(should.rows);
    await inOrder(room);
  });

  test('two at once, none of them killed', async () => {
    const two = [spawn('run'), spawn('run')];
    expect(await Promise.all(two.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(await writtenRows(room.db)).toEqual(should.rows);
  });
});

test('a server that is killed and restarted: the cycle waits, continues, and logs it once', PATIENT, async () => {
  const dataDir = await migratedDataDir();
  const server = await startPostgres({ dataDir, own: true, settings: { fsync: 'off' } });
  const db = openDb(server.connection);
  await openVolumes(db, null);
  const close = async () => {
    await db.close();
    await server.stop();
  };
  const room = await testLoans({}, Promise.resolve({ db, drop: close }));
  try {
    await fillWinter(room);
    const should = await undisturbed(room, await keepBook(db));
    const half = Math.floor(should.statements / 2);
    const { db: cycleDb } = interruptedDb(db, {
      after: half,
      within: 'a transaction',
      before: async () => {
        const pid = postmasterOf(dataDir);
        if (pid === undefined) throw new Error('There is no server to kill.');
        process.kill(pid, 'SIGKILL');
        await eventually(() => postmasterOf(dataDir) !== pid, 20_000, 5);
      },
    });
    const said: string[] = [];
    const log = { event: (name: string) => said.push(name), failure: (name: string) => said.push(`failed: ${name}`) };
    const { cycle: cycles } = room.another({ cycleDb });
    const jobs = startCycleJobs({ cycles, db, log, pollSeconds: 0.5, lookMs: 50 });
    await eventually(async () => (await through(room).catch(() => null)) === LAST_NIGHT, 60_000, 50);
    await jobs.stop();
    expect(said).toEqual([
      'cycles are waiting for the database',
      'cycles resumed: the database is available again',
      ...(said.includes('cycles run') ? ['cycles run'] : []),
    ]);
    expect(await writtenRows(db)).toEqual(should.rows);
    await inOrder(room);
  } finally {
    await room.close();
  }
});
