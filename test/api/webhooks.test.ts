/** Webhooks of the assembled service: real receivers on this machine, which verify each request with the stock library. */
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import { FILTERS } from '../../src/loans/feed/catalogue.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';
import { inOrder, type Receiver, webhookReceiver } from '../support/webhook-receiver.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
let token: string;
const receivers: Receiver[] = [];
beforeAll(async () => {
  service = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  token = await service.token();
  service.webhooks.start();
});
afterEach(async () => {
  const { items } = (await call('GET', 'webhook-endpoints?limit=100')).body.data;
  for (const { endpointId } of items) await done('delete-webhook-endpoint', { endpointId });
  for (const receiver of receivers.splice(0)) {
    expect(receiver.forged).toEqual([]);
    receiver.close();
  }
});
afterAll(() => service.close());

const call = (
  method: string,
  path: string,
  body?: unknown,
  more: { token?: string; headers?: Record<string, string> } = {},
) => service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, ...more });

async function done(path: string, body: object) {
  const answer = await call('POST', path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

async function endpoint(more: object = {}): Promise<{ receiver: Receiver; endpointId: string; secret: string }> {
  const receiver = await webhookReceiver();
  receivers.push(receiver);
  const { endpointId, secret } = await done('webhook-endpoints', { url: receiver.url, ...more });
  receiver.secrets = [secret];
  return { receiver, endpointId, secret };
}

let count = 0;
const loan = async (): Promise<string> => {
  count += 1;
  const answer = await call('POST', 'loans', creation({ applicationId: `hook-${count}` }));
  expect(answer.status, answer.text).toBe(200);
  return answer.body.loanId;
};
/** Three events. */
const underwritten = async (): Promise<string> => {
  const loanId = await loan();
  for (const path of ['start-underwriting', 'complete-underwriting']) {
    const answer = await call('POST', path, {
      loanId,
      ...(path === 'complete-underwriting' ? { approved: true } : {}),
    });
    expect(answer.status, answer.text).toBe(200);
  }
  return loanId;
};

const until = (check: () => unknown, timeout = 15_000) =>
  vi.waitFor(async () => void (await check()), { timeout, interval: 20 });
const read = async (endpointId: string) => (await call('GET', `webhook-endpoints/${endpointId}`)).body.data;

function refusedTarget({ body }: Answered): void {
  const errors = [{ pointer: '/url', code: 'target_forbidden' }];
  expect(body).toMatchObject({ status: 422, code: 'target_forbidden', errors });
}

function refusedValue(answer: Answered, pointer: string, code: string): void {
  expect([answer.status, answer.body.code], answer.text).toEqual([422, 'invalid_request']);
  expect(answer.body.errors).toMatchObject([{ pointer, code }]);
}

describe('delivery', () => {
  test('every event arrives once, thin, signed, and in order for each loan', async () => {
    const { receiver } = await endpoint();
    const loans = await Promise.all([underwritten(), underwritten(), underwritten()]);
    await until(() => expect(receiver.taken()).toHaveLength(9));
    for (const loanId of loans) expect(inOrder(receiver.taken()).get(loanId)).toEqual([1, 2, 3]);
    const [first] = receiver.got;
    expect(Object.keys(first?.event ?? {}).sort()).toEqual(
      ['id', 'type', 'loanId', 'transactionHash', 'sequence', 'dateEffective', 'recordedAt', 'subject'].sort(),
    );
    expect(first).toMatchObject({ id: first?.event.id, type: first?.event.type, timestamp: first?.event.recordedAt });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Daybook-Webhooks/1',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-id': expect.stringMatching(/^evt_[0-9a-z_]+$/),
    });
    expect(service.logged.join()).not.toContain('whsec_');
  });

  test('only the types that it wants', async () => {
    const { receiver } = await endpoint({ types: ['application.underwriting_started', 'loan.*'] });
    await underwritten();
    await until(() => expect(receiver.taken()).toHaveLength(2));
    expect(receiver.taken().map(({ type }) => type)).toEqual(['loan.created', 'application.underwriting_started']);
  });

  slowTest(
    'a receiver that was down gets everything when it is back, each loan in order',
    async () => {
      const { receiver, endpointId } = await endpoint();
      let isUp = false;
      receiver.answers = () => (isUp ? 200 : 500);
      const loans = await Promise.all([underwritten(), underwritten(), underwritten(), underwritten()]);
      await until(() => expect(receiver.got.length).toBeGreaterThan(3));
      isUp = true;
      await until(() => expect(receiver.taken()).toHaveLength(12));
      for (const loanId of loans) expect(inOrder(receiver.taken()).get(loanId)).toEqual([1, 2, 3]);
      await until(async () => {
        const { body } = await call('GET', `webhook-deliveries?endpointId=${endpointId}&limit=100`);
        expect(body.data.items).toHaveLength(receiver.got.length);
      });
      const failed = (await call('GET', `webhook-deliveries?endpointId=${endpointId}&outcome=failed`)).body.data.items;
      expect(failed.length).toBeGreaterThan(0);
      expect(failed[0]).toMatchObject({
        status: 500,
        failure: 'response',
        outcome: 'failed',
        loanId: expect.any(String),
      });
      const { eventId, loanId } = failed[0];
      const one = (await call('GET', `webhook-deliveries?eventId=${eventId}&loanId=${loanId}`)).body.data.items;
      expect(one.map(({ outcome }: { outcome: string }) => outcome)).toContain('delivered');
      expect(await read(endpointId)).toMatchObject({ waiting: 0, failingSince: null, status: 'active' });
    },
    30_000,
  );

  test('one loan that fails holds up no other', async () => {
    const poison = await loan();
    const { receiver, endpointId } = await endpoint();
    receiver.answers = ({ loanId }) => (loanId === poison ? 422 : 200);
    await call('POST', 'start-underwriting', { loanId: poison });
    await call('POST', 'complete-underwriting', { loanId: poison, approved: true });
    const other = await underwritten();
    await until(() => expect(inOrder(receiver.taken()).get(other)).toEqual([1, 2, 3]));
    await until(async () => expect(await read(endpointId)).toMatchObject({ waiting: 2 }));
    expect(receiver.got.filter(({ event }) => event.loanId === poison).every(({ event }) => event.sequence === 2)).toBe(
      true,
    );
  }, 20_000);

  test('a slow endpoint holds up no other, and has a bounded number of requests', async () => {
    const slow = await endpoint();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.receiver.answers = () => held.then(() => 200);
    const { receiver } = await endpoint();
    const loans = await Promise.all(Array.from({ length: 24 }, loan));
    await until(() => expect(receiver.taken()).toHaveLength(24));
    await until(() => expect(slow.receiver.busy.now).toBe(16));
    release();
    await until(() => expect(slow.receiver.taken()).toHaveLength(24));
    expect(slow.receiver.busy.most).toBe(16);
    expect(inOrder(slow.receiver.taken()).size).toBe(loans.length);
  }, 30_000);

  test('410 pauses at once, tells the other endpoints, and nothing is lost', async () => {
    const gone = await endpoint();
    const other = await endpoint({ types: ['webhook_endpoint.*'] });
    gone.receiver.answers = () => 410;
    const loanId = await loan();
    await until(async () =>
      expect(await read(gone.endpointId)).toMatchObject({
        status: 'paused',
        pausedBecause: 'gone',
        pausedAt: expect.any(String),
      }),
    );
    await until(() =>
      expect(other.receiver.taken().map(({ event }) => [event.type, event.subject])).toEqual([
        ['webhook_endpoint.paused', gone.endpointId],
      ]),
    );
    expect(gone.receiver.got).toHaveLength(1);
    gone.receiver.answers = () => 200;
    await done('update-webhook-endpoint', { endpointId: gone.endpointId, status: 'active' });
    await until(() => expect(inOrder(gone.receiver.taken()).get(loanId)).toEqual([1]));
    await until(() => expect(other.receiver.taken().at(-1)?.type).toBe('webhook_endpoint.resumed'));
  }, 20_000);

  slowTest(
    'Retry-After of a 429 holds the whole endpoint',
    async () => {
      const { receiver } = await endpoint();
      let first = true;
      receiver.answers = (_, response) => {
        if (!first) return 200;
        first = false;
        response.setHeader('retry-after', '4');
        return 429;
      };
      await loan();
      await until(() => expect(receiver.got).toHaveLength(1));
      const heldAt = performance.now();
      const other = await loan();
      await until(() => expect(inOrder(receiver.taken()).get(other)).toEqual([1]));
      expect(performance.now() - heldAt).toBeGreaterThan(3_500);
    },
    20_000,
  );

  test('a redirect is a failure and is not followed', async () => {
    const inner = await webhookReceiver();
    receivers.push(inner);
    const { receiver, endpointId } = await endpoint();
    receiver.answers = (_, response) => {
      response.setHeader('location', inner.url);
      return 307;
    };
    const outcome = await done('test-webhook', { endpointId });
    expect(outcome).toMatchObject({ outcome: 'failed', status: 307, failure: 'redirect' });
    expect(inner.got).toEqual([]);
  });

  test('a response whose body never ends counts by its status', async () => {
    const { receiver } = await endpoint();
    receiver.answers = (_, response) => {
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('x');
      return 200;
    };
    await loan();
    await until(() => expect(receiver.got).toHaveLength(1));
    const after = await loan();
    await until(() => expect(inOrder(receiver.got).get(after)).toEqual([1]));
  });
});

describe('administration', () => {
  test('pausing stops within about a second, resuming goes on where it stood', async () => {
    const { receiver, endpointId } = await endpoint();
    await loan();
    await until(() => expect(receiver.taken()).toHaveLength(1));
    const paused = await done('update-webhook-endpoint', { endpointId, status: 'paused' });
    expect(paused).toMatchObject({ status: 'paused', pausedBecause: 'by_user' });
    await until(() => expect(service.webhooks.figures().working).toBe(0));
    const meanwhile = await underwritten();
    expect(receiver.taken()).toHaveLength(1);
    expect(await done('update-webhook-endpoint', { endpointId, status: 'active' })).toMatchObject({
      pausedBecause: null,
    });
    await until(() => expect(inOrder(receiver.taken()).get(meanwhile)).toEqual([1, 2, 3]));
  }, 20_000);

  test('while a secret is rotated both sign, and the former one alone is not enough later', async () => {
    const { receiver, endpointId, secret } = await endpoint();
    const rotated = await done('rotate-webhook-secret', { endpointId });
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Date.parse(rotated.formerSecretUntil) - Date.now()).toBeGreaterThan(86_000_000);
    receiver.secrets = [secret, rotated.secret];
    await loan();
    await until(() => expect(receiver.taken()).toHaveLength(1));
    expect(receiver.got[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    await service.db.query(
      "UPDATE webhook_endpoints SET former_until = now() - interval '1 second', version = version + 1",
    );
    receiver.secrets = [rotated.secret];
    await done('test-webhook', { endpointId });
    expect(receiver.got.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });

  test('a new URL is used, and what waits goes there', async () => {
    const { receiver, endpointId, secret } = await endpoint();
    receiver.answers = () => 500;
    const loanId = await loan();
    await until(() => expect(receiver.got.length).toBeGreaterThan(0));
    const next = await webhookReceiver([secret]);
    receivers.push(next);
    await done('update-webhook-endpoint', { endpointId, url: next.url });
    await until(() => expect(inOrder(next.taken()).get(loanId)).toEqual([1]));
  }, 20_000);

  test('a test tells the outcome: delivered, refused, and nobody there', async () => {
    const { receiver, endpointId } = await endpoint({ types: ['payment.*'] });
    expect(await done('test-webhook', { endpointId })).toMatchObject({
      ...{ endpointId, outcome: 'delivered', status: 204, failure: null },
      ...{ eventId: expect.stringMatching(/^evt_test_/), ms: expect.any(Number) },
    });
    expect(receiver.got).toMatchObject([{ type: 'webhook.test', event: { subject: endpointId, loanId: null } }]);
    receiver.answers = () => 503;
    expect(await done('test-webhook', { endpointId })).toMatchObject({
      outcome: 'failed',
      status: 503,
      failure: 'response',
    });
    receiver.close();
    const failed = await done('test-webhook', { endpointId });
    expect(failed).toMatchObject({ outcome: 'failed', status: null, failure: 'connection' });
    const { items } = (await call('GET', `webhook-deliveries?endpointId=${endpointId}`)).body.data;
    expect(items.map(({ deliveryId }: { deliveryId: string }) => deliveryId)[0]).toBe(failed.deliveryId);
    expect(items).toHaveLength(3);
  });

  test('deliveries come page by page', async () => {
    const { endpointId } = await endpoint();
    for (let i = 0; i < 3; i++) await done('test-webhook', { endpointId });
    const first = (await call('GET', `webhook-deliveries?endpointId=${endpointId}&limit=2`)).body.data;
    const path = `webhook-deliveries?endpointId=${endpointId}&limit=2&cursor=${first.nextCursor}`;
    const second = (await call('GET', path)).body.data;
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
    expect(new Set([...first.items, ...second.items].map(({ deliveryId }) => deliveryId)).size).toBe(3);
  });

  test('`*` means all types, is shown as it was given, and stands alone', async () => {
    const { receiver, endpointId } = await endpoint({ types: ['*'] });
    expect(await read(endpointId)).toMatchObject({ types: ['*'] });
    const loanId = await loan();
    await until(() => expect(receiver.taken().map(({ event }) => event.loanId)).toContain(loanId));
    const mixed = await call('POST', 'webhook-endpoints', { url: receiver.url, types: ['payment.*', '*'] });
    refusedValue(mixed, '/types/0', 'contradiction');
    refusedValue(
      await call('POST', 'update-webhook-endpoint', { endpointId, types: ['*', 'no.such'] }),
      '/types/1',
      'unknown_type',
    );
    const [all, every] = await Promise.all(
      ['', '&types=*'].map(async (types) => (await call('GET', `events?loanId=${loanId}${types}`)).body.data),
    );
    expect(every).toEqual(all);
    expect(every.items.length).toBeGreaterThan(0);
    refusedValue(await call('GET', 'events?types=*,payment.*'), '/types', 'contradiction');
    refusedValue(await call('GET', 'events?types=**'), '/types', 'enum');
  });

  test('a paused endpoint shows how much waits for it, and since when; resumed, it gets all of it', async () => {
    const { receiver, endpointId } = await endpoint({ types: ['loan.*'] });
    const before = { waiting: 0, waitingExact: true, oldestWaitingAt: null };
    expect(await done('update-webhook-endpoint', { endpointId, status: 'paused' })).toMatchObject(before);
    expect(await read(endpointId)).toMatchObject(before);
    const ids = [await loan(), await loan()];
    const { items: made } = (await call('GET', `events?loanId=${ids[0]}&types=loan.*`)).body.data;
    const there = { status: 'paused', waiting: 2, waitingExact: true, oldestWaitingAt: made[0].recordedAt };
    expect(await read(endpointId)).toMatchObject(there);
    const listed = (await call('GET', 'webhook-endpoints?limit=100')).body.data.items;
    expect(listed.find((one: { endpointId: string }) => one.endpointId === endpointId)).toMatchObject(there);
    // The types of now decide what waits.
    const other = await done('update-webhook-endpoint', { endpointId, types: ['payment.*'] });
    expect(other).toMatchObject({ ...before, status: 'paused' });
    expect(await done('update-webhook-endpoint', { endpointId, types: ['*'], status: 'active' })).toMatchObject({
      waiting: 2,
    });
    await until(() => expect(receiver.taken().map(({ event }) => event.loanId)).toEqual(expect.arrayContaining(ids)));
    await until(async () =>
      expect(await read(endpointId)).toMatchObject({ status: 'active', waiting: 0, oldestWaitingAt: null }),
    );
  });

  test('what it may not be', async () => {
    const add = (body: object) => call('POST', 'webhook-endpoints', body);
    const forbidden = [
      'https://10.1.2.3/hook',
      'https://127.0.0.2/hook',
      'https://2130706434/hook',
      'https://0x7f000002/hook',
      'https://0.0.0.0/hook',
      'https://[::]/hook',
      'https://[::ffff:10.1.2.3]/hook',
      'https://[fe80::1]/hook',
      'https://[fd00::1]/hook',
      'http://nobody.invalid/hook',
      'https://169.254.169.254/latest',
      'https://[::1]/hook',
      'http://example.com/hook',
      'http://192.168.1.1/hook',
    ];
    for (const url of forbidden) refusedTarget(await add({ url }));
    const wrong = [
      'ftp://example.com',
      'https://user:secret@example.com',
      'https://example.com/#x',
      'https://',
      'nowhere',
      'https://example.com:0/',
      'https://example.com:65536/',
      ' https://example.com/',
      'https://exämple.com/',
    ];
    for (const url of wrong) {
      const answer = await add({ url });
      refusedValue(answer, '/url', 'format');
      expect(answer.text).not.toContain('secret');
    }
    expect((await add({ url: `https://example.com/${'a'.repeat(2_100)}` })).status).toBe(422);
    const unknown = await add({ url: 'https://example.com', types: ['payment.*', 'payment.exploded'] });
    refusedValue(unknown, '/types/1', 'unknown_type');
    expect(unknown.body.errors[0].detail).toContain(FILTERS.join(', '));
    const bodies = [
      {},
      { url: 7 },
      { url: 'https://example.com', types: 'all' },
      { url: 'https://example.com', more: 1 },
    ];
    for (const body of bodies) expect((await add(body)).status).toBe(422);
    const { endpointId } = await endpoint();
    refusedTarget(await call('POST', 'update-webhook-endpoint', { endpointId, url: 'https://127.0.0.2/' }));
    const gone = { endpointId: 'endpoint_none', url: 'https://127.0.0.2/' };
    expect((await call('POST', 'update-webhook-endpoint', gone)).status).toBe(404);
  });

  test('names that do not resolve are accepted, and refused when they are connected to a private address', async () => {
    const { endpointId } = await done('webhook-endpoints', { url: 'https://nobody.invalid/hook' });
    expect(await done('test-webhook', { endpointId })).toMatchObject({ outcome: 'failed', failure: 'connection' });
    await service.db.query("UPDATE webhook_endpoints SET url = 'https://localhost/hook' WHERE endpoint_id = $1", [
      endpointId,
    ]);
    // 127.0.0.1 is allowed here, ::1 is not; where localhost has only the former, nobody listens there.
    const { failure } = await done('test-webhook', { endpointId });
    expect(['forbidden', 'connection']).toContain(failure);
    await service.db.query("UPDATE webhook_endpoints SET url = 'https://127.0.0.2/hook' WHERE endpoint_id = $1", [
      endpointId,
    ]);
    expect(await done('test-webhook', { endpointId })).toMatchObject({ status: null, failure: 'forbidden' });
  });

  test('another organization has no such endpoint', async () => {
    const { endpointId } = await endpoint();
    const { organizationId } = await service.access.createOrganization('other');
    const { clientId, clientSecret } = await service.access.createClient(organizationId, {
      name: 'other',
      scopes: ['admin', 'events:read'],
    });
    const signed = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const other = { token: signed.body.data.token, headers: {} };
    const theirs = (method: string, path: string, body?: object) =>
      service.call(method, `/v2/chain/${path}`, { token: other.token, ...(body === undefined ? {} : { body }) });
    expect((await theirs('GET', `webhook-endpoints/${endpointId}`)).status).toBe(404);
    const writes: [string, object][] = [
      ['update-webhook-endpoint', { status: 'paused' }],
      ['update-webhook-endpoint', { url: 'https://10.0.0.1' }],
      ['rotate-webhook-secret', {}],
      ['delete-webhook-endpoint', {}],
      ['test-webhook', {}],
      ['replay-webhook', { deadLetters: true }],
    ];
    for (const [path, more] of writes) {
      const answer = await theirs('POST', path, { endpointId, ...more });
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await theirs('GET', 'webhook-endpoints')).body.data.items).toEqual([]);
    await done('test-webhook', { endpointId });
    expect((await theirs('GET', 'webhook-deliveries')).body.data.items).toEqual([]);
  });

  slowTest(
    'scopes, the limit of 50, pages, and a repeated key',
    async () => {
      const reader = await service.token(['loans:read']);
      expect((await call('GET', 'webhook-endpoints', undefined, { token: reader })).status).toBe(403);
      expect((await call('GET', 'webhook-deliveries', undefined, { token: reader })).status).toBe(403);
      const watcher = await service.token(['events:read']);
      const deliveries = await service.call('GET', '/v2/chain/webhook-deliveries', { token: watcher });
      expect(deliveries.status).toBe(200);
      const headers = { 'idempotency-key': 'one-endpoint' };
      const body = { url: 'https://example.com/hook', description: 'Core banking' };
      const first = await call('POST', 'webhook-endpoints', body, { headers });
      expect(first.body.data).toMatchObject({
        ...body,
        types: [],
        status: 'active',
        secret: expect.stringMatching(/^whsec_/),
      });
      expect((await call('POST', 'webhook-endpoints', body, { headers })).body.code).toBe('already_answered');
      for (let i = 1; i < 50; i++) await done('webhook-endpoints', { url: 'https://example.com/hook' });
      expect((await call('POST', 'webhook-endpoints', body)).body.code).toBe('conflict');
      const page = (await call('GET', 'webhook-endpoints?limit=30')).body.data;
      const rest = (await call('GET', `webhook-endpoints?limit=30&cursor=${page.nextCursor}`)).body.data;
      expect([page.items.length, rest.items.length, rest.nextCursor]).toEqual([30, 20, null]);
      expect(JSON.stringify(page)).not.toContain('whsec_');
      expect((await call('GET', 'webhook-endpoints?cursor=x')).status).toBe(422);
    },
    30_000,
  );

  test('secrets are not in the database in usable form', async () => {
    const { secret, endpointId } = await endpoint();
    const [row] = await service.db.query<{ secret: Buffer }>(
      'SELECT secret FROM webhook_endpoints WHERE endpoint_id = $1',
      [endpointId],
    );
    const raw = Buffer.from(secret.slice(6), 'base64');
    expect(row?.secret.includes(raw)).toBe(false);
    expect(row?.secret.toString('latin1')).not.toContain(secret.slice(6, 20));
  });
});

describe('replay', () => {
  const replayed = async (endpointId: string, asked: object) => {
    const started = await done('replay-webhook', { endpointId, ...asked });
    await until(async () => {
      const { replays } = await read(endpointId);
      expect(replays[0]).toMatchObject({ replayId: started.replayId, status: 'done' });
    });
    return (await read(endpointId)).replays[0];
  };

  slowTest(
    'delivers a range again: by events, by times, with the same ids and in order',
    async () => {
      const { receiver, endpointId } = await endpoint();
      const loans = await Promise.all([underwritten(), underwritten()]);
      await until(() => expect(receiver.taken()).toHaveLength(6));
      const before = receiver.taken().map(({ id }) => id);
      const { items } = (await call('GET', 'events?limit=1000')).body.data;
      const ids: string[] = items.map(({ id }: { id: string }) => id).slice(-6);
      expect(new Set(before)).toEqual(new Set(ids));
      receiver.got = [];
      expect(await replayed(endpointId, { from: ids[1], to: ids[4] })).toMatchObject({ replayed: 4, deadLetters: 0 });
      const backwards = await call('POST', 'replay-webhook', { endpointId, from: ids[4], to: ids[1] });
      expect([backwards.status, backwards.body.errors?.[0]?.pointer]).toEqual([422, '/to']);
      expect(receiver.got.map(({ id }) => id).sort()).toEqual(ids.slice(1, 5).sort());
      receiver.got = [];
      await replayed(endpointId, { from: ids[0] });
      for (const loanId of loans) expect(inOrder(receiver.taken()).get(loanId)).toEqual([1, 2, 3]);
      expect(receiver.got).toHaveLength(6);
      receiver.got = [];
      // The clock of the service stands still here, so that all events have the same time.
      const at = new Date(service.clock.now);
      const all = await replayed(endpointId, { from: at.toISOString(), to: at.toISOString() });
      expect(all.replayed).toBe(receiver.got.length);
      expect(receiver.got.length).toBeGreaterThanOrEqual(6);
      receiver.got = [];
      const none = await replayed(endpointId, { from: new Date(service.clock.now + 60_000).toISOString() });
      expect([none.replayed, receiver.got.length]).toEqual([0, 0]);
    },
    30_000,
  );

  test('what cannot be replayed', async () => {
    const { endpointId } = await endpoint();
    const ask = (body: object) => call('POST', 'replay-webhook', { endpointId, ...body });
    refusedValue(await ask({}), '/from', 'invalid_value');
    refusedValue(await ask({ from: 'yesterday' }), '/from', 'format');
    refusedValue(await ask({ from: 'evt_zz_1_1_00000000' }), '/from', 'unknown_event');
    refusedValue(await ask({ from: '2026-02-02T00:00:00Z', to: '2026-02-01T00:00:00Z' }), '/to', 'invalid_value');
    refusedValue(await ask({ deliveryId: 'delivery_none' }), '/deliveryId', 'unknown_reference');
    expect((await ask({ deadLetters: true })).body.code).toBe('conflict');
    const { deliveryId } = await done('test-webhook', { endpointId });
    refusedValue(await ask({ deliveryId }), '/deliveryId', 'not_dead');
    await done('update-webhook-endpoint', { endpointId, status: 'paused' });
    expect((await ask({ from: '2026-01-01T00:00:00Z' })).body.code).toBe('conflict');
  });
});
