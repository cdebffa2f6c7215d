/** An endpoint receives every event of the organization: whoever makes or changes one, or reads what was sent, must have `events:read` too. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/http/routes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { signedIn } from '../support/people.ts';

let service: TestApp;
let endpointId: string;
beforeAll(async () => {
  service = await testApp();
  const token = await service.token(['admin', 'events:read']);
  const made = await service.call('POST', '/v2/chain/webhook-endpoints', { token, body: { url: URL } });
  expect(made.status, made.text).toBe(200);
  endpointId = made.body.data.endpointId;
}, 60_000);
afterAll(() => service.close());

const URL = 'https://hooks.example.com/all';

const READING = () =>
  [
    ['POST', 'webhook-endpoints', { url: URL }],
    ['POST', 'update-webhook-endpoint', { endpointId, url: URL }],
    ['POST', 'rotate-webhook-secret', { endpointId }],
    ['POST', 'replay-webhook', { endpointId, from: '2026-01-01T00:00:00Z' }],
    ['GET', 'webhook-deliveries', undefined],
  ] as const;

test('is refused to a client and to a person that only administer', async () => {
  const token = await service.token(['admin']);
  const { headers } = await signedIn(service, ['administrator']);
  for (const [method, path, body] of READING()) {
    for (const by of [{ token }, { headers }]) {
      const answer = await service.call(method, `/v2/chain/${path}`, { ...by, ...(body && { body }) });
      expect([path, answer.status, answer.body.code, answer.body.scope]).toEqual([
        ...[path, 403, 'insufficient_scope', 'events:read'],
      ]);
    }
  }
  const { body } = await service.call('GET', '/v2/chain/webhook-endpoints', { token });
  expect(body.data.items).toHaveLength(1);
});

test('is refused to whoever only reads events', async () => {
  const token = await service.token(['events:read']);
  for (const [method, path, body] of READING().slice(0, 4)) {
    const answer = await service.call(method, `/v2/chain/${path}`, { token, ...(body && { body }) });
    expect([path, answer.status, answer.body.scope]).toEqual([path, 403, 'admin']);
  }
});

test('is allowed to whoever has both; what shows no event needs `admin` alone', async () => {
  const token = await service.token(['admin', 'events:read']);
  for (const [method, path, body] of READING()) {
    const answer = await service.call(method, `/v2/chain/${path}`, { token, ...(body && { body }) });
    expect([path, answer.status]).toEqual([path, 200]);
  }
  const ofWebhooks = operations.filter(({ path }) => path.includes('webhook'));
  const needing = ofWebhooks.filter(
    ({ access }) => access !== 'anonymous' && (access.also === 'events:read' || access.scopes.join() === 'events:read'),
  );
  const others = ofWebhooks.filter((one) => !needing.includes(one)).map(({ id }) => id);
  expect(others.sort()).toEqual([
    'deleteWebhookEndpoint',
    'listWebhookEndpoints',
    'readWebhookEndpoint',
    'testWebhook',
  ]);
});

test('an export of events is refused without `events:read` too, and other exports are not', async () => {
  const [reader, both] = [await service.token(['reports:read']), await service.token(['reports:read', 'events:read'])];
  const asked = async (what: string, token: string) =>
    (await service.call('GET', `/v2/chain/exports/${what}`, { token })).status;
  expect([await asked('events', reader), await asked('loans', reader), await asked('events', both)]).toEqual([
    403, 200, 200,
  ]);
});
