/**
 * Service and database are killed under load, at random moments: everything acknowledged is recorded once, nothing twice, the books
 * balance and the chain is valid. Two rounds always; `TEST_LONG=1` runs 24. `FAULTS_SEED` repeats the times of a run, `FAULTS_ROUNDS`
 * sets the number of rounds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { type Db, openDb } from '../../src/store/db/db.ts';
import { startPostgres } from '../../src/store/db/embedded.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { migratedDataDir } from '../support/data-dir.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  allSealed,
  checkBook,
  checkDisclosures,
  checkRecords,
  type Entrance,
  fundLoans,
  isReady,
  openLoad,
  repeat,
  type Sent,
  send,
  sendTogether,
  signalDatabase,
  zoneAtNoon,
} from '../support/faults.ts';
import { type Random, randomFrom } from '../support/fuzz/random.ts';
import { urlOf } from '../support/server.ts';
import {
  type Credentials,
  endAll,
  eventually,
  newDataDir,
  type Service,
  spawnService,
  startService,
} from '../support/service.ts';

const SEED = Number(process.env.FAULTS_SEED ?? 20_260_115);
const ROUNDS = Number(process.env.FAULTS_ROUNDS ?? (process.env.TEST_LONG ? 24 : 2));
const FAULTS = ['both', 'database', 'service', 'frozen', 'backend', 'postmaster'] as const;
const LOANS = 20;
/** Requests repeated after each round, beside all those whose outcome was unknown. */
const REPEATED = 30;
// A loaded machine takes ten times as long.
const PATIENT = { timeout: 120_000 };
const CREDENTIALS: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-fault-tests',
  apiKey: 'first-key-of-the-fault-tests',
};

afterAll(endAll, PATIENT.timeout);

describe(`killed under load (FAULTS_SEED=${SEED})`, PATIENT, () => {
  let dataDir: string;
  const env = { RATE_LIMIT: '0', TIME_ZONE: zoneAtNoon(), REQUEST_TIMEOUT: '5' };
  const settings = () => ({ dataDir, credentials: CREDENTIALS, env });
  const sent: Sent[] = [];
  let service: Service;
  let entrance: Entrance;
  let loanIds: string[];

  beforeAll(async () => {
    dataDir = await migratedDataDir();
    await come();
    loanIds = await fundLoans(entrance, LOANS);
  }, PATIENT.timeout);
  afterAll(() => service?.stop(), PATIENT.timeout);

  async function come(): Promise<void> {
    service = await startService(settings());
    entrance = { url: service.url, token: await service.token(), apiKey: CREDENTIALS.apiKey };
  }

  const rounds = Array.from({ length: ROUNDS }, (_, n) => ({ n, fault: FAULTS[n % FAULTS.length] as Fault }));
  test.each(rounds)(
    'round $n ($fault): what was acknowledged is recorded once, and the book verifies',
    async ({ n, fault }) => {
      const random = randomFrom(SEED * 1_000 + n);
      const load = openLoad({
        name: `r${n}`,
        loanIds,
        random: randomFrom(SEED * 1_000 + n + 500),
        earlier: sent,
        entrances: () => [entrance],
        mayBeCut: fault === 'service' || fault === 'both',
      });
      let struckAt = 0;
      try {
        await eventually(() => load.sent.filter(({ at }) => at > 0).length > 20, 30_000);
        await pause(random.int(500));
        struckAt = performance.now();
        await strike(fault, random);
        await pause(200 + random.int(200));
      } finally {
        await load.stop();
        sent.push(...load.sent);
      }
      expect(load.trouble).toEqual([]);
      expect(service.hasEnded()).toBe(false);
      // No request hangs: during an outage each is answered within seconds.
      expect(load.longest()).toBeLessThan(20_000);

      const doubtful = load.sent.filter(({ repeated }) => repeated);
      const before = load.sent.filter(({ at }) => at > 0 && at < struckAt);
      const after = load.sent.filter(({ at }) => at > struckAt);
      expect(after.length).toBeGreaterThan(0);
      const once = new Set([...doubtful, ...before.slice(-REPEATED), ...after.slice(-REPEATED)]);
      for (const one of once) if (one.known === 'acknowledged') expect(await repeat(entrance, one)).toEqual([]);

      await withBook(async (db) => {
        await eventually(() => allSealed(db), 10_000);
        expect(await checkBook(db, loanIds, sent)).toEqual([]);
        expect(await checkDisclosures(db, load.fullReads)).toEqual([]);
        const masterKeys = openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId);
        const { complaints, unsealed } = await verifyBook({ db, masterKeys });
        expect(complaints).toEqual([]);
        expect(unsealed).toBe(0);
      });
      expect(await checkRecords(entrance, loanIds, sent)).toEqual([]);
    },
  );

  /** Returns when everything serves again. */
  async function strike(fault: Fault, random: Random): Promise<void> {
    if (fault === 'frozen') {
      signalDatabase(dataDir, 'all', 'SIGSTOP');
      await pause(500 + random.int(6_000));
      signalDatabase(dataDir, 'all', 'SIGCONT');
    } else if (fault !== 'service') {
      signalDatabase(dataDir, fault === 'both' || fault === 'database' ? 'all' : fault);
    }
    if (fault !== 'service' && fault !== 'both') {
      // The service is alive, and starts its database again.
      await eventually(() => isReady(service.url), 60_000);
      return;
    }
    await service.stop('SIGKILL');
    // Every third is killed again while it starts.
    if (random.chance(1 / 3)) {
      const again = spawnService(settings());
      await pause(random.int(1_500));
      signalDatabase(dataDir, 'all');
      await again.stop('SIGKILL');
    }
    await come();
  }

  async function withBook(work: (db: Db) => Promise<void>): Promise<void> {
    const server = await startPostgres({ dataDir, own: false });
    const db = openDb(server.connection);
    try {
      await openVolumes(db, null);
      await work(db);
    } finally {
      await db.close();
      await server.stop();
    }
  }
});

type Fault = (typeof FAULTS)[number];

describe('under pressure', PATIENT, () => {
  let database: TestDatabase;
  let service: Service;
  let entrance: Entrance;
  beforeAll(async () => {
    database = await testDatabase();
    const env = {
      DATABASE_URL: urlOf(database.connection),
      MASTER_KEY: '5a'.repeat(32),
      RATE_LIMIT: '0',
      TIME_ZONE: zoneAtNoon(),
    };
    service = await startService({ dataDir: newDataDir(), credentials: CREDENTIALS, env });
    entrance = { url: service.url, token: await service.token(), apiKey: CREDENTIALS.apiKey };
  }, PATIENT.timeout);
  afterAll(async () => {
    await service.stop();
    await database.drop();
  }, PATIENT.timeout);

  test('requests beyond the queue’s limit get Retry-After, and all that wait are done', async () => {
    const loanIds = await fundLoans(entrance, 20, 'queue');
    const payments = Array.from({ length: 3_000 }, (_, n) => ({
      loanId: loanIds[n % loanIds.length],
      refId: `Q-${n}`,
      amount: '1.00',
    }));
    const trial = () => send(entrance, 'POST', '/loan-repay?dryRun=true', payments[0] as object);
    // Nothing is saved while another transaction locks the heads of the ledger, so the queue fills.
    const { together } = await database.db.transaction(async (tx) => {
      await tx.query('SELECT number FROM ledger_heads ORDER BY volume FOR UPDATE');
      const begun = { together: sendTogether(entrance, '/loan-repay', payments) };
      await eventually(async () => {
        await tx.query('SELECT 1');
        return (await Promise.race([trial(), pause(500, null)]))?.status === 429;
      }, 60_000);
      return begun;
    });
    const answers = await together;
    const told = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length + told.length).toBe(payments.length);
    expect(told.length).toBeGreaterThan(0);
    for (const { head, body } of told) {
      expect(head).toMatch(/^retry-after: \d+$/im);
      expect(JSON.parse(body).code).toBe('too_many_waiting');
    }
    const [paid] = await database.db.query<{ count: bigint }>(
      "SELECT count(*) FROM events WHERE type = 'paymentSubmitted'",
    );
    expect(Number(paid?.count)).toBe(payments.length - told.length);
    expect((await send(entrance, 'POST', '/loan-repay', { ...payments[0], refId: 'after' })).status).toBe(200);
  });

  test('on SIGTERM it answers the requests it has accepted: what was acknowledged is recorded, and nothing else is', async () => {
    const loanIds = await fundLoans(entrance, 8, 'stop');
    const random = randomFrom(SEED);
    const load = openLoad({
      name: 'stop',
      loanIds,
      random,
      entrances: () => [entrance],
      mayBeCut: true,
      persistent: false,
    });
    await eventually(() => load.sent.filter(({ at }) => at > 0).length > 100, 30_000);
    await pause(random.int(300));
    const code = await service.stop('SIGTERM');
    await load.stop();
    expect(code).toBe(0);
    expect(load.trouble).toEqual([]);
    expect(load.sent.some(({ known }) => known === 'unknown')).toBe(true);
    expect(await checkBook(database.db, loanIds, load.sent)).toEqual([]);
  });
});
