/**
 * Service and database are killed under load, at random moments: whatever was acknowledged is there once, nothing is there twice, the
 * books balance and the chain holds. Two rounds always; `TEST_LONG=1` runs 24. `FAULTS_SEED` repeats the moments of a run, `FAULTS_ROUNDS`
 * sets the number of rounds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMasterKeys, readConfig } from '../src/config.ts';
import { verifyBook } from '../src/loans/verify.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { startPostgres } from '../src/store/embedded.ts';
import { masterKeyId } from '../src/vault/seal.ts';
import {
  allSealed,
  checkBook,
  checkRecords,
  type Entrance,
  fundLoans,
  isReady,
  killDatabase,
  openLoad,
  repeat,
  type Sent,
  zoneAtNoon,
} from './faults.ts';
import { randomFrom } from './fuzz/random.ts';
import {
  type Credentials,
  endAll,
  eventually,
  newDataDir,
  type Service,
  spawnService,
  startService,
} from './service.ts';

const SEED = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.FAULTS_ROUNDS ?? (process.env.TEST_LONG ? 24 : 2));
const FAULTS = ['both', 'database', 'service', 'backend', 'postmaster'] as const;
const LOANS = 20;
/** Repeated after each round, beside everything that was in doubt. */
const REPEATED = 30;
// A loaded machine takes ten times as long.
const PATIENT = { timeout: 120_000 };
const CREDENTIALS: Credentials = { clientId: 'first', clientSecret: 'first-secret', apiKey: 'first-key' };

afterAll(endAll, PATIENT.timeout);

describe(`killed under load (FAULTS_SEED=${SEED})`, PATIENT, () => {
  const dataDir = newDataDir();
  const start = () => ({ dataDir, credentials: CREDENTIALS, env: { RATE_LIMIT: '0', TIME_ZONE: zone } });
  const zone = zoneAtNoon();
  const sent: Sent[] = [];
  let service: Service;
  let entrance: Entrance;
  let loanIds: string[];

  beforeAll(async () => {
    await come();
    loanIds = await fundLoans(entrance, LOANS);
  }, PATIENT.timeout);
  afterAll(() => service?.stop(), PATIENT.timeout);

  async function come(): Promise<void> {
    service = await startService(start());
    entrance = { url: service.url, token: await service.token(), apiKey: CREDENTIALS.apiKey };
  }

  const rounds = Array.from({ length: ROUNDS }, (_, n) => ({ n, fault: FAULTS[(SEED + n) % FAULTS.length] as Fault }));
  test.each(rounds)(
    'round $n ($fault): what was acknowledged is there once, and the book is in order',
    async ({ n, fault }) => {
      const random = randomFrom(SEED * 1_000 + n);
      const ofService = fault === 'service' || fault === 'both';
      const load = openLoad({
        name: `r${n}`,
        loanIds,
        random: randomFrom(SEED * 1_000 + n + 500),
        earlier: sent,
        entrances: () => [entrance],
        mayBeCut: ofService,
      });
      await pause(150 + random.int(500));
      const struckAt = performance.now();
      if (fault !== 'service') killDatabase(dataDir, fault === 'both' || fault === 'database' ? 'all' : fault);
      if (ofService) {
        service.process.kill('SIGKILL');
        await service.ended;
        // Every third of them dies again on its way up.
        if (random.chance(1 / 3)) {
          const again = spawnService(start());
          await pause(random.int(1_500));
          killDatabase(dataDir, 'all');
          await again.stop('SIGKILL');
        }
        await come();
      } else {
        await eventually(() => isReady(service.url), 60_000);
      }
      await pause(200 + random.int(200));
      await load.stop();
      sent.push(...load.sent);
      expect(load.trouble).toEqual([]);
      expect(service.hasEnded()).toBe(false);
      // Nobody hangs: whatever cannot be reached is said within seconds.
      expect(load.longest()).toBeLessThan(20_000);

      const doubtful = load.sent.filter(({ repeated }) => repeated);
      const before = load.sent.filter(({ at, known }) => at > 0 && at < struckAt && known === 'acknowledged');
      const after = load.sent.filter(({ at }) => at > struckAt);
      expect(before.length).toBeGreaterThan(0);
      expect(after.length).toBeGreaterThan(0);
      const once = new Set([...doubtful, ...before.slice(-REPEATED), ...after.slice(-REPEATED)]);
      for (const one of once) if (one.known === 'acknowledged') expect(await repeat(entrance, one)).toEqual([]);

      await withBook(async (db) => {
        await eventually(() => allSealed(db), 10_000);
        expect(await checkBook(db, loanIds, sent)).toEqual([]);
        const masterKeys = openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId);
        const { complaints, unsealed } = await verifyBook({ db, masterKeys });
        expect(complaints).toEqual([]);
        expect(unsealed).toBe(0);
      });
      expect(await checkRecords(entrance, loanIds, sent)).toEqual([]);
    },
  );

  async function withBook(work: (db: Db) => Promise<void>): Promise<void> {
    const server = await startPostgres({ dataDir, own: false });
    const db = openDb(server.connection);
    try {
      await work(db);
    } finally {
      await db.close();
      await server.stop();
    }
  }
});

type Fault = (typeof FAULTS)[number];
