/** A quota is raised for a time: by an administrator up to the ceiling, by the operator beyond it; it ends by itself and is in the audit trail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await testApp({ RATE_LIMIT: '60', ORGANIZATION_RATE_LIMIT: '100' });
});
afterAll(() => service.close());

async function newClient(scopes: Scope[], organizationId?: string) {
  const own = organizationId ?? (await service.access.createOrganization('Limited', null)).organizationId;
  const made = await service.access.createClient(own, { name: 'limited', scopes });
  const { clientId, clientSecret } = made;
  const { token } = (await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body
    .data;
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/v2/chain/${path}`, { token, ...(body === undefined ? {} : { body }) });
  const policy = async () => (await call('GET', 'me')).headers.get('ratelimit-policy');
  return { clientId, organizationId: own, call, policy };
}
const hours = (n: number) => new Date(service.clock.now + n * 3_600_000).toISOString();
const QUOTAS = (own: number, all: number) => `"default";q=${own};w=60, "organization";q=${all};w=60`;

test('an administrator raises it up to the ceiling of the organization', async () => {
  const admin = await newClient(['admin', 'audit:read']);
  const loader = await newClient(['loans:read'], admin.organizationId);
  const until = hours(24);
  const raise = (raisedRateLimit: unknown, clientId = loader.clientId) =>
    admin.call('POST', 'update-client', { clientId, raisedRateLimit });
  expect(await loader.policy()).toBe(QUOTAS(60, 100));
  const done = await raise({ perMinute: 90, until });
  expect(done.status, done.text).toBe(200);
  expect(await loader.policy()).toBe(QUOTAS(90, 100));
  const listed = async () =>
    (await admin.call('GET', 'clients')).body.data.items.find(
      (one: { clientId: string }) => one.clientId === loader.clientId,
    );
  expect(await listed()).toMatchObject({ rateLimitPerMinute: null, raisedRateLimit: { perMinute: 90, until } });
});

test('a caller that goes on calling has its lasting quota from the minute on in which it ends', async () => {
  const admin = await newClient(['admin', 'audit:read']);
  const until = hours(0.5);
  expect(
    (await admin.call('POST', 'update-client', { clientId: admin.clientId, raisedRateLimit: { perMinute: 80, until } }))
      .status,
  ).toBe(200);
  expect(await admin.policy()).toBe(QUOTAS(80, 100));
  service.clock.now = Date.parse(until) - 60_000;
  expect(await admin.policy()).toBe(QUOTAS(80, 100));
  service.clock.now = Date.parse(until);
  expect(await admin.policy()).toBe(QUOTAS(60, 100));
  expect((await admin.call('GET', 'clients')).body.data.items[0]).toMatchObject({ raisedRateLimit: null });
  const entries = (await admin.call('GET', 'audit?operation=update-client')).body.data.items;
  expect(entries[0]).toMatchObject({ operation: 'update-client', outcome: 'done', clientId: admin.clientId });
});

test('it can be ended early, leaves the lasting quota alone, and needs the scope admin', async () => {
  const admin = await newClient(['admin']);
  const loader = await newClient(['loans:read', 'loans:write'], admin.organizationId);
  const change = (more: object, by = admin) => by.call('POST', 'update-client', { clientId: loader.clientId, ...more });
  expect((await change({ raisedRateLimit: { perMinute: 90, until: hours(1) } }, loader)).status).toBe(403);
  expect((await change({ rateLimitPerMinute: 30 })).status).toBe(200);
  expect((await change({ raisedRateLimit: { perMinute: 90, until: hours(1) } })).status).toBe(200);
  expect((await change({ name: 'renamed' })).status).toBe(200);
  expect(await loader.policy()).toBe(QUOTAS(90, 100));
  expect((await change({ raisedRateLimit: null })).status).toBe(200);
  expect(await loader.policy()).toBe(QUOTAS(30, 100));
});

test.each([
  [{ perMinute: 101, until: 24 }, '/raisedRateLimit/perMinute'],
  [{ perMinute: 0, until: 24 }, '/raisedRateLimit/perMinute'],
  [{ perMinute: 90, until: -1 }, '/raisedRateLimit/until'],
  [{ perMinute: 90, until: 24 * 32 }, '/raisedRateLimit/until'],
  [{ perMinute: 90, until: 'tomorrow' }, '/raisedRateLimit/until'],
])('it is refused beyond the ceiling, without an end and for too long: %j', async ({ perMinute, until }, pointer) => {
  const admin = await newClient(['admin']);
  const raisedRateLimit = { perMinute, until: typeof until === 'number' ? hours(until) : until };
  const refused = await admin.call('POST', 'update-client', { clientId: admin.clientId, raisedRateLimit });
  expect([refused.status, refused.body.errors?.[0].pointer], refused.text).toEqual([422, pointer]);
});

test('the operator raises the ceiling for a time, and a client above it is bound again when it ends', async () => {
  const admin = await newClient(['admin']);
  const until = hours(0.5);
  await service.access.updateOrganization(admin.organizationId, { raisedRateLimit: { perMinute: 500, until } });
  const raised = { clientId: admin.clientId, raisedRateLimit: { perMinute: 400, until: hours(0.75) } };
  expect((await admin.call('POST', 'update-client', raised)).status).toBe(200);
  expect(await admin.policy()).toBe(QUOTAS(400, 500));
  service.clock.now = Date.parse(until);
  expect(await admin.policy()).toBe('"organization";q=100;w=60');
  service.clock.now = Date.parse(raised.raisedRateLimit.until);
  expect(await admin.policy()).toBe(QUOTAS(60, 100));
});
