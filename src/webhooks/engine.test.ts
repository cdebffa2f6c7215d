/** The engine on a database of its own, with a feed in memory, a clock that the test moves, and receivers that are functions. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { slowTest, usualTest as test } from '../../test/support/whole.ts';
import type { Feed } from '../loans/feed/feed.ts';
import type { FeedEvent } from '../loans/feed/read.ts';
import type { Outbound } from '../outbound/client.ts';
import { listDeliveries } from '../store/webhooks/deliveries.ts';
import { sealing } from '../vault/cipher.ts';
import { openEndpoints, secretsOf } from './endpoints.ts';
import { type Engine, openEngine } from './engine.ts';
import { openRedelivery } from './redelivery.ts';

const HOUR = 3_600_000;
const ORGANIZATION = 'org_test';
const seals = sealing(new Uint8Array(32).fill(4), 'test');
const keep = async () => {};

let database: TestDatabase;
let clock: number;
/** The time by which the test has moved the clock. */
let moved: number;
let engines: Engine[];
let feed: ReturnType<typeof memoryFeed>;
/** By the host of the URL: the status that it answers. */
let hosts: Map<string, (event: FeedEvent) => number | Promise<number>>;
/** The Retry-After header of every response. */
let retryAfter: string | null;
let sent: { host: string; event: FeedEvent; status: number }[];
let grants: { ownerOrganizationId: string; access: 'read'; servicerId: null }[];

beforeEach(async () => {
  database = await testDatabase();
  clock = Date.UTC(2026, 0, 15, 12);
  moved = 0;
  retryAfter = null;
  [engines, sent, grants, feed, hosts] = [[], [], [], memoryFeed(), new Map()];
  await database.db.query(
    "INSERT INTO organizations (organization_id, name, created_at, time_zone, clock_kind) VALUES ($1, 'Test', now(), 'UTC', 'live')",
    [ORGANIZATION],
  );
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  await database.drop();
});

/** Each event is a place of its own: `evt_<n>_0_0_0`, which is also a cursor. */
function memoryFeed() {
  const events: FeedEvent[] = [];
  /** By loan; absent: the organization's own. */
  const owners = new Map<string, string>();
  const waiting = new Set<() => void>();
  const placeOf = (after: string | null) => (after === null ? 0 : Number.parseInt(after.split('_')[1] ?? '', 36));
  return {
    events,
    owners,
    add(loan: string, type = 'payment.submitted') {
      const place = (events.length + 1).toString(36);
      const sequence = events.filter(({ loanId }) => loanId === loan).length + 1;
      const recordedAt = new Date(clock).toISOString();
      const about = { transactionHash: null, dateEffective: null, recordedAt, subject: null };
      events.push({ id: `evt_${place}_0_0_0`, type, loanId: loan, sequence, ...about });
      for (const wake of [...waiting]) wake();
    },
    feed: {
      caughtUp: () => Promise.resolve(),
      async read(reach, { after, types, loanId, limit }) {
        const from = placeOf(after);
        const seen = (event: FeedEvent) => {
          const owner = owners.get(event.loanId ?? '') ?? ORGANIZATION;
          return owner === ORGANIZATION || reach.grants.some((grant) => grant.ownerOrganizationId === owner);
        };
        const rest = events
          .slice(from)
          .filter((event) => seen(event) && (loanId === null || event.loanId === loanId))
          .filter(({ type }) => types.length === 0 || types.includes(type));
        const page = rest.slice(0, limit);
        const more = rest.length > limit;
        return {
          events: page,
          more,
          nextCursor: more ? (page.at(-1)?.id ?? '') : `cur_${events.length.toString(36)}_0_0`,
        };
      },
      head: async () => `cur_${events.length.toString(36)}_0_0`,
      changed: (after, ms, signal) =>
        new Promise<void>((resolve) => {
          if (placeOf(after) < events.length || signal?.aborted) return resolve();
          const done = () => {
            clearTimeout(timer);
            waiting.delete(done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          waiting.add(done);
          signal?.addEventListener('abort', done);
        }),
      note: async (_tx, _organization, { type, subject }) => {
        const at = new Date(clock).toISOString();
        const about = { loanId: null, transactionHash: null, sequence: null, dateEffective: null, recordedAt: at };
        events.push({ id: `evt_${(events.length + 1).toString(36)}_0_0_0`, type, ...about, subject });
      },
    } as Partial<Feed> as Feed,
  };
}

const outbound: Outbound = {
  async send({ url, body }) {
    const event = (JSON.parse(Buffer.from(body ?? []).toString()) as { data: FeedEvent }).data;
    const one = { host: url.hostname, event, status: 0 };
    const status = await (hosts.get(url.hostname)?.(event) ?? 200);
    one.status = status;
    sent.push(one);
    return status === 0
      ? { failed: 'connection', code: 'ECONNREFUSED' }
      : { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter }, body: Buffer.alloc(0) };
  },
  close: async () => {},
};

function options(processId = 'process_one') {
  return {
    db: database.db,
    feed: feed.feed,
    outbound,
    clock: () => clock,
    monotonic: () => performance.now() + moved,
    random: () => 0.5,
    processId,
    reachOf: async () => ({ organizationId: ORGANIZATION, grants }),
    log: {
      event: () => {},
      failure: (name: string, error: unknown) => {
        throw new Error(name, { cause: error });
      },
    },
  };
}

function engine(processId?: string): Engine {
  const made = openEngine({ ...options(processId), secretsOf: (row, now) => secretsOf(seals, row, now) });
  engines.push(made);
  made.start();
  return made;
}

const operations = () => {
  const shared = { ...options(), sealing: seals, onChange: wake };
  return { ...openEndpoints({ ...shared, checkTarget: async () => null }), ...openRedelivery(shared) };
};

async function endpoint(host = 'one'): Promise<string> {
  const made = await operations().create(ORGANIZATION, { url: `https://${host}/`, types: [], description: '' }, keep);
  return 'endpointId' in made ? made.endpointId : '';
}

function wake(): void {
  for (const one of engines) one.wake();
}

/** Moves the clock and lets the workers notice. */
function pass(ms: number): void {
  clock += ms;
  moved += ms;
  wake();
}

const until = (check: () => unknown) => vi.waitFor(async () => void (await check()), { timeout: 15_000, interval: 10 });
const taken = (host: string, loan?: string) =>
  sent
    .filter((one) => one.host === host && one.status === 200 && (loan === undefined || one.event.loanId === loan))
    .map(({ event }) => event.sequence);

slowTest(
  'a poison event is tried for a day, becomes a dead letter, and its loan goes on; then it is delivered by a replay',
  async () => {
    const endpointId = await endpoint();
    engine();
    let isPoison = true;
    hosts.set('one', ({ loanId, sequence }) => (isPoison && loanId === 'bad' && sequence === 1 ? 500 : 200));
    feed.add('bad');
    feed.add('bad');
    await until(() => expect(sent).toHaveLength(1));
    for (const [i, wait] of [5, 20, 60, 300, 1_200, 3_600, 7_200, 14_400, 28_800, 28_800].entries()) {
      feed.add('good');
      await until(() => expect(taken('one', 'good')).toHaveLength(i + 1));
      expect(sent.filter(({ event }) => event.loanId === 'bad')).toHaveLength(i + 1);
      pass(wait * 1_000);
      await until(() => expect(sent.filter(({ status }) => status === 500)).toHaveLength(i + 2));
    }
    await until(() => expect(taken('one', 'bad')).toEqual([2]));
    await until(async () =>
      expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ deadLetters: 1, waiting: 0 }),
    );
    const filter = { endpointId, outcome: 'dead', loanId: null, eventId: null, before: null, limit: 10 } as const;
    const [dead] = await listDeliveries(database.db, ORGANIZATION, filter);
    expect(dead).toMatchObject({ attempt: 11, status: 500, loanId: 'bad' });
    isPoison = false;
    const asked = { what: 'delivery', deliveryId: dead?.deliveryId ?? '' } as const;
    expect(await operations().replay(ORGANIZATION, endpointId, asked, keep)).toMatchObject({ events: 1 });
    await until(() => expect(taken('one', 'bad')).toEqual([2, 1]));
    await until(async () =>
      expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({
        deadLetters: 0,
        replays: [{ status: 'done', replayed: 1 }],
      }),
    );
  },
  60_000,
);

test('an endpoint that is down is tried with one event at a time, keeps its cursor, and gets everything when it is back', async () => {
  const endpointId = await endpoint();
  engine();
  let isUp = false;
  hosts.set('one', () => (isUp ? 200 : 0));
  for (let i = 0; i < 40; i++) feed.add(`loan ${i % 20}`);
  // Sixteen at once, and a few more until five have failed.
  await until(async () => {
    const [row] = await database.db.query('SELECT failures, cursor FROM webhook_endpoints');
    expect(row).toEqual({ failures: sent.length, cursor: 'cur_0_0_0' });
    expect(sent.length).toBeGreaterThan(15);
  });
  const atOnce = sent.length;
  expect(atOnce).toBeLessThan(21);
  for (let i = 1; i <= 6; i++) {
    pass(300_000);
    await until(() => expect(sent).toHaveLength(atOnce + i));
  }
  expect(await database.db.query('SELECT 1 FROM webhook_waiting')).toEqual([]);
  isUp = true;
  pass(300_000);
  await until(() => expect(taken('one')).toHaveLength(40));
  for (let i = 0; i < 20; i++) expect(taken('one', `loan ${i}`)).toEqual([1, 2]);
  await until(async () =>
    expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ failingSince: null, waiting: 0 }),
  );
}, 60_000);

slowTest(
  'after a day of nothing but failures it is paused, others are told, and resuming brings everything',
  async () => {
    const endpointId = await endpoint();
    await endpoint('two');
    engine();
    let isUp = false;
    hosts.set('one', () => (isUp ? 200 : 503));
    for (let i = 0; i < 12; i++) feed.add(`loan ${i}`);
    await until(() => expect(sent.filter(({ host }) => host === 'one')).toHaveLength(12));
    pass(23 * HOUR);
    await until(() => expect(sent.filter(({ host }) => host === 'one').length).toBeGreaterThan(12));
    expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ status: 'active' });
    pass(2 * HOUR);
    await until(async () =>
      expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({
        status: 'paused',
        pausedBecause: 'failing',
      }),
    );
    await until(() =>
      expect(sent.filter(({ host }) => host === 'two').at(-1)?.event).toMatchObject({
        subject: endpointId,
        type: 'webhook_endpoint.paused',
      }),
    );
    isUp = true;
    feed.add('loan 0');
    await operations().update(ORGANIZATION, endpointId, { status: 'active' }, keep);
    await until(() => expect(taken('one').length).toBe(13));
    expect(taken('one', 'loan 0')).toEqual([1, 2]);
  },
  60_000,
);

slowTest(
  'of two processes one delivers; when it ends the other goes on, also when it was killed',
  async () => {
    const endpointId = await endpoint();
    const first = engine('process_one');
    await until(() => expect(first.figures().working).toBe(1));
    const second = engine('process_two');
    for (let i = 0; i < 20; i++) feed.add(`loan ${i}`);
    await until(() => expect(taken('one')).toHaveLength(20));
    expect(second.figures().working).toBe(0);
    await first.stop();
    await until(() => expect(second.figures().working).toBe(1));
    feed.add('loan 0');
    await until(() => expect(taken('one', 'loan 0')).toEqual([1, 2]));
    await second.stop();
    // A process that was killed left its lease behind, and has sent what it had not saved.
    await database.db.query(
      "UPDATE webhook_endpoints SET worked_by = 'process_dead', worked_until = clock_timestamp() + interval '1 second', cursor = 'cur_j_0_0'",
    );
    const third = engine('process_three');
    await until(() => expect(third.figures().working).toBe(1));
    await until(() => expect(taken('one', 'loan 0')).toEqual([1, 2, 2]));
    expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ status: 'active' });
  },
  60_000,
);

test('a process whose lease was taken over saves nothing', async () => {
  await endpoint();
  const first = engine();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  hosts.set('one', () => held.then(() => 200));
  feed.add('loan');
  await until(() => expect(first.figures().working).toBe(1));
  await database.db.query(
    "UPDATE webhook_endpoints SET worked_by = 'process_two', worked_until = clock_timestamp() + interval '1 hour'",
  );
  release();
  await until(() => expect(first.figures().working).toBe(0));
  const [row] = await database.db.query('SELECT cursor, worked_by FROM webhook_endpoints');
  expect(row).toEqual({ cursor: 'cur_0_0_0', worked_by: 'process_two' });
}, 30_000);

test('what a revoked grant showed is not delivered any more', async () => {
  feed.owners.set('theirs', 'org_other');
  grants = [{ ownerOrganizationId: 'org_other', access: 'read', servicerId: null }];
  await endpoint();
  engine();
  hosts.set('one', () => 500);
  feed.add('theirs');
  feed.add('own');
  await until(() => expect(sent).toHaveLength(2));
  grants = [];
  hosts.set('one', () => 200);
  pass(5_000);
  await until(() => expect(taken('one', 'own')).toEqual([1]));
  await until(async () => expect(await database.db.query('SELECT 1 FROM webhook_waiting')).toEqual([]));
  expect(taken('one', 'theirs')).toEqual([]);
}, 30_000);

test('a new URL is tried at once, whatever the former one has asked for, and its 410 counts no longer', async () => {
  const endpointId = await endpoint();
  engine();
  retryAfter = '86400';
  hosts.set('one', () => 503);
  for (let i = 0; i < 8; i++) feed.add(`loan ${i}`);
  feed.add('loan 0');
  await until(() => expect(sent.length).toBeGreaterThanOrEqual(8));
  await until(async () => {
    const [row] = await database.db.query(
      'SELECT held_until IS NOT NULL AS held, is_down AS down FROM webhook_endpoints',
    );
    expect(row).toEqual({ held: true, down: true });
  });
  // The worker that stood still saves once more when it ends.
  await operations().update(ORGANIZATION, endpointId, { url: 'https://two/' }, keep);
  await until(() => expect(taken('two')).toHaveLength(9));
  expect(taken('two', 'loan 0')).toEqual([1, 2]);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  hosts.set('two', () => held.then(() => 410));
  feed.add('loan 1');
  await until(async () => expect(await database.db.query('SELECT 1 FROM webhook_waiting')).toEqual([]));
  await database.db.query("UPDATE webhook_endpoints SET url = 'https://three/', resets = resets + 1");
  release();
  await until(() => expect(sent.at(-1)?.host).toBe('three'));
  expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ status: 'active' });
}, 60_000);

test('attempts while an endpoint is down do not count until an event is given up', async () => {
  const endpointId = await endpoint();
  engine();
  let isUp = false;
  hosts.set('one', ({ loanId }) => (isUp && loanId !== 'late' ? 200 : 500));
  for (const loan of ['a', 'late']) feed.add(loan);
  await until(() => expect(sent).toHaveLength(2));
  for (let i = 1; i <= 26; i++) {
    const before = sent.length;
    pass(300_000);
    await until(() => expect(sent.length).toBeGreaterThan(before));
  }
  const tries = () => sent.filter(({ event }) => event.loanId === 'late').length;
  const down = tries();
  expect(down).toBeGreaterThan(11);
  isUp = true;
  pass(300_000);
  await until(() => expect(taken('one').length).toBe(1));
  await until(() => expect(tries()).toBeGreaterThan(down));
  expect(await operations().read(ORGANIZATION, endpointId)).toMatchObject({ status: 'active', deadLetters: 0 });
}, 60_000);

slowTest(
  'a clock that is set back or forward changes no wait',
  async () => {
    await endpoint();
    engine();
    let isUp = false;
    hosts.set('one', () => (isUp ? 200 : 500));
    feed.add('loan');
    await until(() => expect(sent).toHaveLength(1));
    // Set back by a year: the first retry still comes within five seconds. Forward by two: nothing is sent or paused for it.
    clock -= 365 * 24 * HOUR;
    const before = performance.now();
    await until(() => expect(sent).toHaveLength(2));
    expect(performance.now() - before).toBeLessThan(14_000);
    clock += 730 * 24 * HOUR;
    wake();
    await until(async () =>
      expect(await database.db.query('SELECT attempts, steps FROM webhook_waiting')).toEqual([
        { attempts: 2, steps: 2 },
      ]),
    );
    isUp = true;
    moved += 20_000;
    wake();
    await until(() => expect(taken('one')).toEqual([1]));
    await until(async () => {
      const [row] = await database.db.query('SELECT status, failing_since FROM webhook_endpoints');
      expect(row).toEqual({ status: 'active', failing_since: null });
    });
  },
  60_000,
);

test('a process that comes back after another had its lease begins anew and does not move the cursor back', async () => {
  await endpoint();
  engine();
  feed.add('loan');
  await until(() => expect(taken('one')).toEqual([1]));
  await until(async () =>
    expect(await database.db.query('SELECT cursor FROM webhook_endpoints')).toEqual([{ cursor: 'cur_1_0_0' }]),
  );
  // Another process has had it, delivered the second event, and given it back.
  feed.events.push({ ...(feed.events[0] as FeedEvent), id: 'evt_2_0_0_0', sequence: 2 });
  await database.db.query(
    "UPDATE webhook_endpoints SET worked_by = NULL, worked_until = NULL, lease = lease + 1, cursor = 'evt_2_0_0_0'",
  );
  wake();
  await until(async () =>
    expect(await database.db.query('SELECT lease FROM webhook_endpoints')).toEqual([{ lease: 3 }]),
  );
  feed.add('loan');
  await until(() => expect(taken('one').at(-1)).toBe(3));
  const rows = await database.db.query<{ cursor: string }>('SELECT cursor FROM webhook_endpoints');
  expect(rows[0]?.cursor).toMatch(/^(evt_2|evt_3|cur_3)_/);
}, 30_000);
