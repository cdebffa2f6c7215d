/** Quotas count what a call costs, refused calls included, and no client gets more than the operator's ceiling for its organization. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { readConfig } from '../../src/config.ts';
import { operations } from '../../src/http/routes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
beforeAll(async () => {
  service = await testApp({ RATE_LIMIT: '60', ORGANIZATION_RATE_LIMIT: '100' });
});
afterAll(() => service.close());

const SCHEDULE = {
  disbursements: [{ date: '2026-01-15', amount: '1200' }],
  annualRatePercent: '12',
  firstPaymentDate: '2026-02-15',
  count: 4,
  paymentFrequency: 'Monthly',
};

/** A client of an organization of its own. */
async function newClient(more: { ceiling?: number | null; perMinute?: number; scopes?: Scope[]; in?: string } = {}) {
  const organizationId =
    more.in ?? (await service.access.createOrganization('Limited', more.ceiling ?? null)).organizationId;
  const made = await service.access.createClient(organizationId, {
    name: 'limited',
    scopes: more.scopes ?? ['loans:read'],
    rateLimitPerMinute: more.perMinute,
  });
  const { clientId, clientSecret } = made;
  const answer = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const token: string = answer.body.data.token;
  const call = (method: string, path: string, body?: unknown, key?: string) =>
    service.call(method, `/v2/chain${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    });
  return { ...made, organizationId, token, call };
}
const left = ({ headers }: { headers: Headers }) => headers.get('ratelimit');

describe('a call', () => {
  test('takes what its operation costs', async () => {
    const { call } = await newClient();
    const first = await call('GET', '/me');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60, "organization";q=100;w=60');
    expect(left(first)).toBe('"default";r=59;t=60, "organization";r=99;t=60');
    expect(left(await call('POST', '/calculate-schedule', SCHEDULE))).toBe(
      '"default";r=54;t=60, "organization";r=94;t=60',
    );
  });

  test('that costs more than is left is refused, with its cost, what is left and Retry-After', async () => {
    const { call } = await newClient({ perMinute: 7, ceiling: 0 });
    expect((await call('POST', '/calculate-schedule', SCHEDULE)).status).toBe(200);
    service.clock.now += 15_000;
    const refused = await call('POST', '/calculate-schedule', SCHEDULE);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', cost: 5, remaining: 2, retryable: true });
    expect(refused.body.detail).toBe(
      'This call costs 5 quota units, and this client has 2 of its 7 units per minute left; try again in 45 s.',
    );
    expect(refused.headers.get('retry-after')).toBe('45');
    expect(left(refused), 'nothing was taken').toBe('"default";r=2;t=45');
    expect((await call('GET', '/me')).status).toBe(200);
  });

  test('that costs more than a whole quota is allowed when nothing else was called, and is charged afterwards', async () => {
    const { call } = await newClient({ perMinute: 2, ceiling: 0 });
    expect((await call('POST', '/calculate-schedule', SCHEDULE)).status).toBe(200);
    const refused = await call('GET', '/me');
    expect(refused.headers.get('retry-after')).toBe('120');
    service.clock.now += 120_000;
    expect((await call('GET', '/me')).status).toBe(200);
    expect((await call('POST', '/calculate-schedule', SCHEDULE)).status).toBe(429);
  });

  test('that is refused is charged', async () => {
    const { call } = await newClient({ perMinute: 9, ceiling: 0 });
    for (const [method, path, body, key, status] of [
      ['GET', '/me', undefined, 'dbk_wrong', 403],
      ['GET', '/clients', undefined, undefined, 403],
      ['GET', `/loans/0x${'0'.repeat(64)}/schedule`, undefined, undefined, 404],
      ['POST', '/calculate-irr', { nonsense: 1 }, undefined, 422],
      ['POST', '/calculate-irr', '{', undefined, 400],
    ] as const) {
      service.clock.now += 60_000;
      const answers = [];
      for (let i = 0; i < 12; i++) answers.push((await call(method, path, body, key)).status);
      const [first, ...rest] = [...new Set(answers)];
      expect([path, first, rest]).toEqual([path, status, [429]]);
    }
  });

  test('with a large body takes more, and a body without a length no more than it has', async () => {
    const { call, token } = await newClient({ perMinute: 1_000, ceiling: 0 });
    expect(left(await call('POST', '/calculate-irr', { pad: 'x'.repeat(200_000) }))).toBe('"default";r=980;t=60');
    const chunked = (bytes: number) =>
      new Promise<unknown>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const sent = request(`${service.url}/v2/chain/calculate-irr`, { method: 'POST', headers }, (answer) => {
          answer.resume().on('end', () => resolve([answer.statusCode, answer.headers.ratelimit]));
        });
        sent.on('error', reject);
        sent.write(`{"pad":"${'x'.repeat(bytes)}`);
        sent.end('"}');
      });
    expect(await chunked(10)).toEqual([422, '"default";r=975;t=60']);
    expect(await chunked(70_000)).toEqual([422, '"default";r=965;t=60']);
    expect(left(await call('GET', '/me'))).toBe('"default";r=964;t=60');
  });
});

describe('the clients of an organization', () => {
  test('share its budget, however many they are', async () => {
    const one = await newClient({ ceiling: 10 });
    const others = await Promise.all([1, 2].map(() => newClient({ in: one.organizationId })));
    let served = 0;
    for (let i = 0; i < 5; i++) {
      for (const { call } of [one, ...others]) served += (await call('GET', '/me')).status === 200 ? 1 : 0;
    }
    expect(served).toBe(10);
    const refused = await one.call('GET', '/me');
    expect(refused.body.detail).toContain('this organization has 0 of its 10 units per minute left');
    const elsewhere = await newClient();
    expect((await elsewhere.call('GET', '/me')).status).toBe(200);
  });

  test('cannot be given more than its ceiling, by any caller', async () => {
    const { call, organizationId, clientId } = await newClient({ ceiling: 50, scopes: ['admin', 'loans:read'] });
    const create = (rateLimitPerMinute: number) =>
      call('POST', '/clients', { name: 'x', scopes: ['loans:read'], rateLimitPerMinute });
    const update = (rateLimitPerMinute: number | null) =>
      call('POST', '/update-client', { clientId, rateLimitPerMinute });
    for (const [answer, status] of [
      [await create(51), 422],
      [await create(50), 200],
      [await update(51), 422],
    ] as const) {
      expect(answer.status).toBe(status);
    }
    service.clock.now += 60_000;
    for (const [answer, status] of [
      [await create(0), 422],
      [await update(0), 422],
      [await update(50), 200],
      [await update(null), 200],
    ] as const) {
      expect(answer.status).toBe(status);
    }
    const refused = await update(51);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/rateLimitPerMinute' });
    expect(refused.body.detail).toContain('1 to 50');
    // At the command line too: the operator raises the ceiling first.
    await expect(
      service.access.updateClient(organizationId, clientId, { rateLimitPerMinute: 51 }),
    ).rejects.toMatchObject({ member: 'rateLimitPerMinute' });
    await service.access.updateOrganization(organizationId, { rateLimitPerMinute: 60 });
    await service.access.updateClient(organizationId, clientId, { rateLimitPerMinute: 51 });
    expect((await call('GET', '/me')).headers.get('ratelimit-policy')).toBe(
      '"default";q=51;w=60, "organization";q=60;w=60',
    );
  });

  test('are limited by the ceiling when it is lowered below their quotas', async () => {
    const { call, organizationId } = await newClient({ ceiling: 0, perMinute: 0 });
    expect((await call('GET', '/me')).headers.get('ratelimit-policy')).toBeNull();
    await service.access.updateOrganization(organizationId, { rateLimitPerMinute: 3 });
    expect((await call('GET', '/me')).headers.get('ratelimit-policy')).toBe('"organization";q=3;w=60');
  });
});

slowTest(
  'a client makes 600 full reads a minute by default, and another client of its organization as many',
  async () => {
    const { client, organization } = readConfig({}).quotas;
    const limits = { RATE_LIMIT: String(client), ORGANIZATION_RATE_LIMIT: String(organization) };
    const usual = await testApp(limits);
    try {
      const { organizationId } = await usual.access.createOrganization('Reader', null);
      const reader = async () => {
        const scopes: Scope[] = ['loans:write', 'loans:read_pii'];
        const made = await usual.access.createClient(organizationId, { name: 'reader', scopes });
        const { clientId, clientSecret, apiKey } = made;
        const { body } = await usual.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
        return { token: body.data.token as string, key: apiKey };
      };
      const one = await reader();
      const { loanId } = (await usual.call('POST', '/v2/chain/loans', { ...one, body: creation({}) })).body;
      usual.clock.now += 60_000;
      const served = async (by: { token: string; key: string }, reads: number) => {
        const read = () => usual.call('GET', `/v2/chain/loans/${loanId}`, by);
        let good = 0;
        for (let i = 0; i < reads; i += 20) {
          const answers = await Promise.all(Array.from({ length: 20 }, read));
          good += answers.filter(({ status }) => status === 200).length;
        }
        return good;
      };
      expect(await served(one, 620)).toBe(600);
      expect(await served(await reader(), 620)).toBe(600);
    } finally {
      await usual.close();
    }
  },
);

test('the document states what every operation costs', async () => {
  const { body } = await service.call('GET', '/openapi.json');
  // Another name of an operation is described with it.
  const described = operations.filter(({ isAlias = false }) => !isAlias);
  for (const { path, method, access, cost = 1, outside } of described) {
    const at = body.paths[outside ? path : `/v2/chain${path}`][method.toLowerCase()];
    expect([path, at['x-cost']]).toEqual([path, access === 'anonymous' ? undefined : cost]);
    if (cost > 1) expect(at.description).toContain(`Costs ${cost} quota units`);
  }
});
