/**
 * Webhooks while processes are killed. Payments run, a consumer verifies everything with the stock library, and the service, its database or the
 * process that delivers is killed: the consumer ends up with every event of every loan, each loan in order. What came twice has the same id.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FeedEvent } from '../../src/loans/feed/read.ts';
import { migratedDataDir } from '../support/data-dir.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Entrance, fundLoans, openLoad, type Sent, send, signalDatabase, zoneAtNoon } from '../support/faults.ts';
import { randomFrom } from '../support/fuzz/random.ts';
import { urlOf } from '../support/server.ts';
import { type Credentials, endAll, eventually, newDataDir, type Service, startService } from '../support/service.ts';
import { inOrder, type Receiver, webhookReceiver } from '../support/webhook-receiver.ts';

const PATIENT = { timeout: 180_000 };
const PATIENCE_MS = 90_000;
const LOANS = 8;
const CREDENTIALS: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-killed-webhooks',
  apiKey: 'first-key-of-killed-webhooks',
};
const ENV = { RATE_LIMIT: '0', TIME_ZONE: zoneAtNoon(), OUTBOUND_ALLOW: '127.0.0.1' };

const receivers: Receiver[] = [];
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.close();
});
afterAll(endAll, PATIENT.timeout);

async function entranceOf(service: Service): Promise<Entrance> {
  return { url: service.url, token: await service.token(), apiKey: CREDENTIALS.apiKey };
}

async function consumerOf(entrance: Entrance): Promise<Receiver> {
  const receiver = await webhookReceiver();
  receivers.push(receiver);
  const made = await send(entrance, 'POST', '/webhook-endpoints', { url: receiver.url });
  expect(made.status, made.text).toBe(200);
  receiver.secrets = [made.body.data.secret];
  return receiver;
}

/** Everything in the feed, by loan. */
async function feedOf(entrance: Entrance): Promise<Map<string, string[]>> {
  const loans = new Map<string, string[]>();
  for (let after = ''; ; ) {
    const { body } = await send(entrance, 'GET', `/events?limit=1000${after}`, {});
    const { items, nextCursor, more } = body.data as { items: FeedEvent[]; nextCursor: string; more: boolean };
    for (const { id, loanId } of items) if (loanId !== null) loans.set(loanId, [...(loans.get(loanId) ?? []), id]);
    if (!more) return loans;
    after = `&after=${nextCursor}`;
  }
}

/** Payments while `strike` happens, and until the consumer has got some after it. */
async function underLoad(
  options: { name: string; loanIds: string[]; entrances: () => Entrance[]; receiver: Receiver; sent: Sent[] },
  strike: () => Promise<void>,
): Promise<void> {
  const { name, loanIds, entrances, receiver, sent } = options;
  const load = openLoad({ name, loanIds, random: randomFrom(17), earlier: sent, entrances, mayBeCut: true });
  try {
    const before = receiver.taken().length;
    await eventually(() => receiver.taken().length > before + 40, PATIENCE_MS);
    await strike();
    const struck = load.sent.filter(({ known }) => known === 'acknowledged').length;
    await eventually(() => load.sent.filter(({ known }) => known === 'acknowledged').length > struck + 20, PATIENCE_MS);
  } finally {
    await load.stop();
    sent.push(...load.sent);
  }
  expect(load.trouble).toEqual([]);
}

/** The consumer has everything that is in the feed, each loan in order, and nothing else. */
async function expectEverything(entrance: Entrance, receiver: Receiver, loanIds: string[]): Promise<void> {
  // The last request, never answered, may be written a moment after this began: the feed is read again until both are the same.
  let feed = await feedOf(entrance);
  let ids = new Set<string>();
  await eventually(async () => {
    feed = await feedOf(entrance);
    ids = new Set([...feed.values()].flat());
    const got = new Set(receiver.taken().flatMap(({ id, event }) => (event.loanId === null ? [] : [id])));
    return ids.symmetricDifference(got).size === 0;
  }, PATIENCE_MS);
  expect(receiver.forged).toEqual([]);
  const sequences = inOrder(receiver.taken());
  for (const loanId of loanIds) {
    const count = feed.get(loanId)?.length ?? 0;
    expect(sequences.get(loanId)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  }
  const strange = receiver.got.filter(({ event }) => event.loanId !== null && !ids.has(event.id));
  expect(strange).toEqual([]);
}

test(
  'a service that is killed, and then its database, loses nothing and keeps the order of each loan',
  PATIENT,
  async () => {
    const dataDir = await migratedDataDir();
    const come = () => startService({ dataDir, credentials: CREDENTIALS, env: ENV });
    const sent: Sent[] = [];
    let service = await come();
    let entrance = await entranceOf(service);
    const receiver = await consumerOf(entrance);
    const loanIds = await fundLoans(entrance, LOANS);
    await underLoad({ name: 'killed', loanIds, entrances: () => [entrance], receiver, sent }, async () => {
      await service.stop('SIGKILL');
      service = await come();
      entrance = await entranceOf(service);
    });
    await expectEverything(entrance, receiver, loanIds);
    const before = receiver.got.length;
    await underLoad({ name: 'database', loanIds, entrances: () => [entrance], receiver, sent }, async () => {
      signalDatabase(dataDir, 'all');
    });
    await expectEverything(entrance, receiver, loanIds);
    expect(receiver.got.length).toBeGreaterThan(before + 20);
    await service.stop();
  },
);

describe('two processes on one database', PATIENT, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test('when the one that delivers is killed, the other goes on', async () => {
    const env = { ...ENV, DATABASE_URL: urlOf(database.connection), MASTER_KEY: '6c'.repeat(32) };
    const dataDir = newDataDir();
    const come = () => startService({ dataDir, credentials: CREDENTIALS, env });
    const first = await come();
    const receiver = await consumerOf(await entranceOf(first));
    const workedBy = async () => {
      const [row] = await database.db.query<{ worked_by: string | null }>('SELECT worked_by FROM webhook_endpoints');
      return row?.worked_by ?? null;
    };
    await eventually(async () => (await workedBy()) !== null, PATIENCE_MS);
    const deliverer = await workedBy();
    const second = await come();
    const entrances = [await entranceOf(first), await entranceOf(second)] as [Entrance, Entrance];
    const loanIds = await fundLoans(entrances[1], LOANS);
    const sent: Sent[] = [];
    let open: Entrance[] = entrances;
    await underLoad({ name: 'takeover', loanIds, entrances: () => open, receiver, sent }, async () => {
      expect(await workedBy()).toBe(deliverer);
      open = [entrances[1]];
      await first.stop('SIGKILL');
      await eventually(async () => ![null, deliverer].includes(await workedBy()), PATIENCE_MS);
    });
    await expectEverything(entrances[1], receiver, loanIds);
    await second.stop();
  });
});
