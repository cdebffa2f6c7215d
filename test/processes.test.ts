/**
 * One short proof each of what `test/slow` tries at length with processes that are killed, doubled and cut off. Two services on one
 * database serve the first of them.
 */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { FeedEvent } from '../src/loans/feed/read.ts';
import { migratedDataDir } from './support/data-dir.ts';
import { type TestDatabase, testDatabase } from './support/database.ts';
import {
  allSealed,
  checkBook,
  checkRecords,
  type Entrance,
  fundLoans,
  isReady,
  openLoad,
  type Sent,
  send,
  signalDatabase,
  zoneAtNoon,
} from './support/faults.ts';
import { randomFrom } from './support/fuzz/random.ts';
import { startReplicated } from './support/replicated.ts';
import { urlOf } from './support/server.ts';
import {
  type Answered,
  type Credentials,
  call,
  endAll,
  eventually,
  newDataDir,
  postmasterOf,
  type Service,
  spawnService,
  startService,
} from './support/service.ts';
import { webhookReceiver } from './support/webhook-receiver.ts';
import { slowTest, usualTest as test } from './support/whole.ts';

const FIRST: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-short-proofs',
  apiKey: 'first-key-of-the-short-proofs',
};
const PATIENT = { timeout: 120_000 };
const MASTER_KEY = '5a'.repeat(32);

let database: TestDatabase;
let services: [Service, Service];
let entrances: [Entrance, Entrance];
let env: Record<string, string>;

const come = () => startService({ dataDir: newDataDir(), env, credentials: FIRST });
const entranceOf = async (service: Service): Promise<Entrance> => ({
  url: service.url,
  token: await service.token(),
  apiKey: FIRST.apiKey,
});

beforeAll(async () => {
  database = await testDatabase();
  const limits = { RATE_LIMIT: '0', OUTBOUND_ALLOW: '127.0.0.1' };
  env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY, TIME_ZONE: zoneAtNoon(), ...limits };
  services = await Promise.all([come(), come()]);
  entrances = await Promise.all([entranceOf(services[0]), entranceOf(services[1])]);
}, PATIENT.timeout);
afterAll(async () => {
  await endAll();
  await database.drop();
}, PATIENT.timeout);

describe('two services on one database', PATIENT, () => {
  test('one payment that is sent to both at once is one payment', async () => {
    const [loanId] = (await fundLoans(entrances[0], 1, 'same')) as [string];
    const body = { loanId, refId: 'same', amount: '10.00' };
    const answers = await Promise.all(entrances.map((entrance) => send(entrance, 'POST', '/loan-repay', body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    const { body: read } = await send(entrances[1], 'GET', `/loans/${loanId}`, {});
    expect(read.data.loanDetails.loanPayments).toHaveLength(1);
  });

  test('a client has its quota once', async () => {
    const made = await send(entrances[0], 'POST', '/clients', {
      ...{ name: 'limited', scopes: ['loans:read'], rateLimitPerMinute: 40 },
    });
    const token = await services[0].token(made.body.data);
    const me = (n: 0 | 1) => call(services[n].url, 'GET', '/v2/chain/me', { token });
    for (let n = 0; n < 40; n++) expect((await me(0)).status).toBe(200);
    await eventually(async () => (await me(1)).status === 429);
  });

  test('the clock of a sandbox, moved through one, dates what the other does', async () => {
    const made = await send(entrances[0], 'POST', '/sandboxes', { name: 'Two', start: '2026-01-01' });
    const sandbox: Credentials = made.body.data;
    const token = await services[0].token(sandbox);
    const ask = (n: 0 | 1, method: string, path: string, body?: object): Promise<Answered> =>
      call(services[n].url, method, `/v2/chain/${path}`, { token, key: sandbox.apiKey, ...(body && { body }) });
    const advanced = await ask(0, 'POST', 'clock/advance', { to: '2026-01-03' });
    expect(advanced.body.data).toMatchObject({ today: '2026-01-03', advancing: null });
    expect((await ask(1, 'GET', 'clock')).body.data.today).toBe('2026-01-03');
  });

  slowTest(
    'one that is killed under load loses nothing: its loans are paid through the other, and a webhook gets every event',
    async () => {
      const receiver = await webhookReceiver();
      const made = await send(entrances[0], 'POST', '/webhook-endpoints', { url: receiver.url });
      receiver.secrets = [made.body.data.secret];
      const loanIds = await fundLoans(entrances[0], 4, 'killed');
      const random = randomFrom(20_260_115);
      let open: Entrance[] = entrances;
      const load = openLoad({ name: 'killed', loanIds, random, entrances: () => open, mayBeCut: true });
      const acknowledged = () => load.sent.filter(({ known }) => known === 'acknowledged').length;
      try {
        await eventually(() => acknowledged() > 20, 60_000);
        open = [entrances[1]];
        await services[0].stop('SIGKILL');
        const before = acknowledged();
        await eventually(() => acknowledged() > before + 20, 60_000);
      } finally {
        await load.stop();
      }
      expect(load.trouble).toEqual([]);
      await eventually(() => allSealed(database.db), 30_000);
      expect(await checkBook(database.db, loanIds, load.sent)).toEqual([]);
      await eventually(async () => {
        const { body } = await send(entrances[1], 'GET', '/events?limit=1000', {});
        const ids = (body.data.items as FeedEvent[]).filter(({ loanId }) => loanIds.includes(loanId ?? ''));
        const got = new Set(receiver.taken().map(({ id }) => id));
        return ids.length > 40 && ids.every(({ id }) => got.has(id));
      }, 60_000);
      expect(receiver.forged).toEqual([]);
      receiver.close();
    },
  );
});

slowTest('kill -9 of a service and of its own database loses nothing; SIGTERM leaves no process', PATIENT, async () => {
  const dataDir = await migratedDataDir();
  const settings = { dataDir, credentials: FIRST, env: { RATE_LIMIT: '0', TIME_ZONE: zoneAtNoon() } };
  const service = await startService(settings);
  const entrance = await entranceOf(service);
  const [loanId] = (await fundLoans(entrance, 1)) as [string];
  const body = { loanId, refId: 'before', amount: '10.00' };
  const paid = await send(entrance, 'POST', '/loan-repay', body, 'K-1');
  expect(paid.status).toBe(200);
  await service.stop('SIGKILL');
  signalDatabase(dataDir, 'all');
  const again = await startService(settings);
  const repeated = await send(await entranceOf(again), 'POST', '/loan-repay', body, 'K-1');
  expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([paid.text, 'true']);
  expect(await again.stop()).toBe(0);
  expect(postmasterOf(dataDir)).toBeUndefined();
});

test(
  'a service whose DATA_DIR knows a later root of the ledger than its database refuses to start',
  PATIENT,
  async () => {
    const dataDir = newDataDir();
    await mkdir(dataDir, { recursive: true });
    const root = { number: 900_000, hash: `0x${'ab'.repeat(32)}` };
    writeFileSync(join(dataDir, 'ledger-root.json'), JSON.stringify(root));
    const refused = spawnService({ dataDir, env, credentials: FIRST });
    expect(await refused.ended).toBe(2);
    expect(refused.output()).toMatch(/^The last root of the ledger was number 900000 .* ACCEPT_RESTORE=/);
  },
);

slowTest('a promoted replica has what was acknowledged, and the service goes on with it', PATIENT, async () => {
  const pair = await startReplicated();
  try {
    const replicated = { ...env, DATABASE_URL: pair.url };
    const service = await startService({ dataDir: newDataDir(), env: replicated, credentials: FIRST });
    const entrance = await entranceOf(service);
    const loanIds = (await fundLoans(entrance, 1)) as [string];
    const pay = (refId: string) =>
      send(entrance, 'POST', '/loan-repay', { loanId: loanIds[0], refId, amount: '10.00' }, refId);
    expect((await pay('before')).status).toBe(200);
    await pair.killPrimary('SIGKILL');
    await eventually(async () => !(await isReady(service.url)), 60_000);
    await pair.promote();
    await eventually(async () => (await pay('after')).status === 200, 60_000);
    const sent = ['before', 'after'].map(
      (refId): Sent => ({
        ...{ does: 'loan-repay', loanId: loanIds[0], refId, cents: 1_000, key: refId },
        ...{ hash: '', text: '', known: 'acknowledged', repeated: false, at: 0 },
      }),
    );
    expect(await checkRecords(entrance, loanIds, sent)).toEqual([]);
    await service.stop('SIGKILL');
  } finally {
    await pair.remove();
  }
});
