/** Sandboxes and their clocks over HTTP: who may create, read, advance and end them, and which dates they give. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { sandboxIn } from '../support/clocks.ts';
import { creation, loanIn } from '../support/statuses.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

let service: TestApp;
let admin: string;
beforeAll(async () => {
  service = await testApp();
  admin = await service.token();
});
afterAll(() => service.close());
afterEach(async () => {
  for (const organizationId of made.splice(0)) await service.access.endSandbox(service.organizationId, organizationId);
});

/** Sandboxes of the first organization that a test has made. */
const made: string[] = [];

type Sandbox = { organizationId: string; clientId: string; clientSecret: string; apiKey: string; token: string };

const get = (path: string, token = admin, key?: string): Promise<Answered> =>
  service.call('GET', `/v2/chain/${path}`, { token, ...(key === undefined ? {} : { key }) });
const post = (
  path: string,
  body: object,
  token = admin,
  more: { key?: string; headers?: Record<string, string> } = {},
) => service.call('POST', `/v2/chain/${path}`, { token, body, ...more });
const signIn = async ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
  (await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body.data.token as string;

async function create(
  body: object = {},
  as = admin,
  headers: Record<string, string> = {},
): Promise<Omit<Sandbox, 'token'>> {
  const answer = await post('sandboxes', { name: 'Rehearsal', ...body }, as, { headers });
  expect(answer.status, answer.text).toBe(200);
  made.push(answer.body.data.organizationId);
  return answer.body.data;
}

async function sandbox(body: object = {}): Promise<Sandbox> {
  const one = await create(body);
  return { ...one, token: await signIn(one) };
}

/** A loan of the sandbox that is being repaid. */
const liveLoan = ({ token, apiKey: key }: Sandbox) =>
  loanIn(
    'Current',
    (path, body) => post(path, body, token, { key }),
    async () => '',
  );

/** Lets another sandbox of the same organization see its loans. */
async function share(owner: Sandbox, other: Sandbox, access: 'read' | 'servicing'): Promise<void> {
  const offer = { granteeOrganizationId: other.organizationId, access };
  const offered = await post('grants', offer, owner.token, { key: owner.apiKey });
  expect(offered.status, offered.text).toBe(200);
  const { grantId } = offered.body.data;
  expect((await post('accept-grant', { grantId }, other.token)).status).toBe(200);
}

const end = ({ organizationId }: Pick<Sandbox, 'organizationId'>) => post('end-sandbox', { organizationId });

describe('a sandbox', () => {
  it('is an organization with a test clock and a client with every scope, whatever its creator has', async () => {
    const one = await create({ start: '2019-03-01' }, await service.token(['admin']));
    expect(Object.keys(one).sort()).toEqual(['apiKey', 'clientId', 'clientSecret', 'organizationId']);
    const token = await signIn(one);
    const me = (await get('me', token, one.apiKey)).body.data;
    expect(me.scopes).toEqual([...SCOPES]);
    expect(me.organization).toEqual({ organizationId: one.organizationId, name: 'Rehearsal' });
    expect((await get('clock', token)).body.data).toEqual({
      ...{ kind: 'test', timeZone: 'UTC', today: '2019-03-01', now: '2019-03-01T00:00:00.000Z', advancing: null },
    });
  });

  it('starts on its creator’s today unless another day is given', async () => {
    const one = await sandbox();
    expect((await get('clock', one.token)).body.data).toMatchObject({ kind: 'test', today: '2026-01-15' });
  });

  it('is listed, page by page, and ended by its creator alone', async () => {
    service.clock.now += 1;
    const first = await sandbox({ name: 'One' });
    service.clock.now += 1;
    const second = await create({ name: 'Two' });
    service.clock.now -= 2;
    const page = await get('sandboxes?limit=1');
    expect(page.body.data.items).toMatchObject([{ today: '2026-01-15', endedAt: null }]);
    const next = await get(`sandboxes?limit=1&cursor=${page.body.data.nextCursor}`);
    const ids = [page, next].flatMap(({ body }) => body.data.items).map(({ organizationId }) => organizationId);
    expect(ids).toEqual([second.organizationId, first.organizationId]);
    expect((await get('sandboxes?cursor=bm9uZQ')).body.errors).toMatchObject([{ pointer: '/cursor' }]);

    const other = (await service.access.createOrganization('Other')).organizationId;
    const stranger = await signIn(await service.access.createClient(other, { name: 'stranger', scopes: ['admin'] }));
    expect((await get('sandboxes', stranger)).body.data).toEqual({ items: [], nextCursor: null });
    for (const token of [stranger, first.token]) {
      const answer = await post('end-sandbox', { organizationId: second.organizationId }, token);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await post('end-sandbox', { organizationId: service.organizationId })).status).toBe(404);
  });

  it('lists loans from before 1970 page by page', async () => {
    const one = await sandbox({ start: '1955-06-01' });
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C']) {
      const answer = await post('loans', creation({ applicationId: `OLD-${name}` }), one.token, { key: one.apiKey });
      ids.push(answer.body.loanId);
      service.clock.now += 1;
    }
    for (const sort of ['createdAt', '-createdAt']) {
      const seen: string[] = [];
      for (let cursor = ''; cursor !== null; ) {
        const page = await get(`loans?limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`, one.token, one.apiKey);
        expect(page.status, page.text).toBe(200);
        seen.push(...page.body.data.items.map(({ loanId }: { loanId: string }) => loanId));
        cursor = page.body.data.nextCursor;
      }
      expect(seen).toEqual(sort === 'createdAt' ? ids : ids.toReversed());
    }
    service.clock.now -= 3;
  });

  it('gives its clients what its creator may have, and no more', async () => {
    const { organizationId } = await service.access.createOrganization('Small', 100);
    const maker = await service.access.createClient(organizationId, { name: 'maker', scopes: ['admin'] });
    const one = (await post('sandboxes', { name: 'Its' }, await signIn(maker))).body.data;
    const token = await signIn(one);
    const client = (rateLimitPerMinute: number) =>
      post('clients', { name: 'more', scopes: ['loans:read'], rateLimitPerMinute }, token);
    expect((await client(101)).body.errors).toMatchObject([{ pointer: '/rateLimitPerMinute' }]);
    expect((await client(100)).status).toBe(200);
  });

  it('sees nothing of its creator, and its creator nothing of it', async () => {
    const one = await sandbox({ start: '2026-01-01' });
    const [its, makers] = [
      await liveLoan(one),
      await loanIn(
        'Current',
        (path, body) => post(path, body, admin, { key: service.credentials.apiKey }),
        async () => '',
      ),
    ];
    expect((await get(`loan-data/${its}`, one.token)).status).toBe(200);
    for (const [loanId, token] of [
      [its, admin],
      [makers, one.token],
    ] as const) {
      expect((await get(`loan-data/${loanId}`, token)).status).toBe(404);
      expect((await get(`loans/${loanId}/history`, token)).status).toBe(404);
      expect((await post('loan-repay', { loanId, amount: '10', refId: 'X-1' }, token)).status).toBe(404);
    }
    expect((await get('loans', one.token)).body.data.items).toHaveLength(1);
  });

  it('cannot create sandboxes, and an organization has at most twenty', async () => {
    const first = await sandbox({ name: 'One' });
    for (let n = 1; n < 20; n++) made.push(await sandboxIn(service, '2026-01-01', { madeBy: service.organizationId }));
    const own = await post('sandboxes', { name: 'Inner' }, first.token);
    expect([own.status, own.body.code]).toEqual([409, 'conflict']);
    expect(own.body.detail).toContain('A sandbox cannot create sandboxes');
    const more = await post('sandboxes', { name: 'One more' });
    expect([more.status, more.body.code]).toEqual([409, 'conflict']);
    expect(more.body.detail).toContain('POST /end-sandbox');
    await end(first);
    await create({ name: 'One more' });
  });

  it('is created once under an idempotency key, and its secret is not shown again', async () => {
    const headers = { 'idempotency-key': 'sandbox-1' };
    const first = await create({ name: 'Once' }, admin, headers);
    const again = await post('sandboxes', { name: 'Once' }, admin, { headers });
    expect([again.status, again.body.code]).toEqual([409, 'already_answered']);
    expect(again.text).not.toContain(first.clientSecret);
    const other = await post('sandboxes', { name: 'Another' }, admin, { headers });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const elsewhere = await post('create-key', { clientId: first.clientId }, admin, { headers });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'idempotency_key_reused']);
    // A key belongs to its client.
    await create({ name: 'Once' }, await service.token(['admin']), headers);
    const found = await get('sandboxes?limit=100');
    expect(found.body.data.items.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(2);
  });

  it('counts its requests under the ceiling of its creator', async () => {
    const { organizationId } = await service.access.createOrganization('Limited', 200);
    const client = await service.access.createClient(organizationId, { name: 'admin', scopes: ['admin'] });
    const token = await signIn(client);
    const limited = await post('sandboxes', { name: 'Limited' }, token);
    const inside = await signIn(limited.body.data);
    const left = async (as: string) =>
      Number(/"organization";r=(\d+)/.exec((await get('me', as)).headers.get('ratelimit') ?? '')?.[1]);
    const before = await left(token);
    expect(before).toBe(149);
    expect(await left(inside)).toBe(148);
    expect(await left(token)).toBe(147);
  });

  it.each([
    [{}, '/name', 'required'],
    [{ name: '' }, '/name', 'too_short'],
    [{ name: 'x'.repeat(201) }, '/name', 'too_long'],
    [{ name: 'a\u0000b' }, '/name', 'format'],
    [{ name: '123-45-6789' }, '/name', 'personal'],
    [{ name: 'A', start: '2026-02-30' }, '/start', 'format'],
    [{ name: 'A', start: '1899-12-31' }, '/start', 'format'],
    [{ name: 'A', start: '2026-01-01T00:00:00Z' }, '/start', 'too_long'],
    [{ name: 'A', start: 20260101 }, '/start', 'type'],
    [{ name: 'A', kind: 'live' }, '/kind', 'unknown_member'],
  ])('%j is refused', async (body, pointer, code) => {
    const answer = await post('sandboxes', body);
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });

  it('needs the scope admin, and a token', async () => {
    const token = await service.token(['loans:write']);
    for (const answer of [
      await post('sandboxes', { name: 'A' }, token),
      await get('sandboxes', token),
      await post('end-sandbox', { organizationId: 'org_x' }, token),
      await post('clock/advance', { to: '2026-01-16' }, token),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await service.call('GET', '/v2/chain/sandboxes')).status).toBe(401);
  });
});

describe('a sandbox that has ended', () => {
  it('has no clients any more, and nothing of it can be read', async () => {
    const one = await sandbox({ start: '2026-01-01' });
    const loanId = await liveLoan(one);
    await post('publish', { loanId, published: true }, one.token);
    await post('release-hold', { loanId, holdId: 'H-1', reason: 'Discharged' }, one.token);
    const other = await sandbox({ start: '2026-01-01' });
    await share(one, other, 'read');
    expect((await get(`loans/${loanId}/history`, other.token)).status).toBe(200);
    expect((await get(`loan-data/${loanId}`)).status).toBe(200);

    const ended = await end(one);
    expect(ended.body.data).toEqual({ organizationId: one.organizationId, endedAt: '2026-01-15T12:00:00.000Z' });
    expect((await end(one)).body.data).toEqual(ended.body.data);
    expect((await get('me', one.token)).status).toBe(401);
    const { clientId, clientSecret } = one;
    expect((await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).status).toBe(401);
    expect((await get(`loans/${loanId}/history`, other.token)).status).toBe(404);
    expect((await get(`loan-data/${loanId}`)).status).toBe(404);
    expect((await get('loans', other.token)).body.data.items).toEqual([]);
    const { items } = (await get('sandboxes?limit=100')).body.data;
    expect(items.find(({ organizationId }: Sandbox) => organizationId === one.organizationId).endedAt).not.toBeNull();
    const grant = { granteeOrganizationId: one.organizationId, access: 'read' };
    expect((await post('grants', grant, admin, { key: service.credentials.apiKey })).status).toBe(404);
  });
});

describe('POST /clock/advance', () => {
  slowTest('moves the clock day by day, and the books tie on each', async () => {
    const one = await sandbox({ start: '2026-01-01' });
    const loanId = await liveLoan(one);
    // On a busy machine a call may answer on the way; the next one goes on.
    let advanced = await post('clock/advance', { to: '2026-03-20' }, one.token);
    while (advanced.status === 200 && advanced.body.data.advancing !== null)
      advanced = await post('clock/advance', { to: '2026-03-20' }, one.token);
    expect(advanced.status, advanced.text).toBe(200);
    expect(advanced.body.data).toMatchObject({ kind: 'test', today: '2026-03-20', advancing: null });
    expect((await get(`loan-data/${loanId}`, one.token)).body.data.loanDetails.loanStatus).toBe('Delinquent');
    expect((await get('loans?status=Delinquent', one.token)).body.data.items).toHaveLength(1);
    for (const day of ['2026-01-31', '2026-02-28', '2026-03-19', '2026-03-20']) {
      const tie = (await get(`ledger/tie-out?asOf=${day}`, one.token)).body.data;
      expect(tie.accounts.filter(({ difference }: { difference: string }) => difference !== '0')).toEqual([]);
    }
    const entries = (await get('ledger/entries?date=2026-02-10', one.token)).body.data.items;
    expect(entries).toHaveLength(1);
    expect((await get('ledger/tie-out?asOf=2026-03-21', one.token)).status).toBe(422);

    const paid = await post('loan-repay', { loanId, amount: '50', refId: 'P-9' }, one.token);
    expect(paid.status, paid.text).toBe(200);
    const last = (await get(`loans/${loanId}/transactions`, one.token)).body.data.items.at(-1);
    expect(last.recordedAt).toMatch(/^2026-03-20T00:00/);
    for (const period of ['2026-01', '2026-02']) {
      expect((await post('ledger/close', { period }, one.token)).body.data.closedAt).toMatch(/^2026-03-20T/);
    }
  });

  it('refuses a live clock, an earlier date, and a date too far ahead', async () => {
    const live = await post('clock/advance', { to: '2026-02-01' });
    expect([live.status, live.body.code]).toEqual([409, 'live_clock']);
    const one = await sandbox({ start: '2026-01-10' });
    const refusals = [
      ['2026-01-09', 'can only move forward'],
      ['2126-01-10', '3660 days at a time'],
    ];
    for (const [to, why] of refusals) {
      const answer = await post('clock/advance', { to }, one.token);
      expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
      expect(answer.body.errors).toMatchObject([{ pointer: '/to', code: 'invalid_value' }]);
      expect(answer.body.detail).toContain(why);
    }
    // The date it is at already: a call that is repeated after its answer was lost changes nothing.
    expect((await post('clock/advance', { to: '2026-01-10' }, one.token)).body.data.today).toBe('2026-01-10');
  });

  it.each([
    [{}, 'required'],
    [{ to: 'tomorrow' }, 'format'],
    [{ to: '2026-02-29' }, 'format'],
    [{ to: '2200-01-01' }, 'format'],
    [{ to: `2026-01-1${'0'.repeat(100)}` }, 'too_long'],
    [{ to: 5 }, 'type'],
    [{ to: '2026-03-01', force: true }, 'unknown_member'],
  ])('refuses %j', async (body, code) => {
    const answer = await post('clock/advance', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ code }]);
  });
});

describe('real time stays real time in a sandbox of 2019', () => {
  slowTest('tokens, quotas, idempotency and disclosures', async () => {
    const one = await sandbox({ start: '2019-01-07' });
    const loanId = await liveLoan(one);
    const list = (await get('loans', one.token)).body.data.items;
    expect(list[0].createdAt).toBe('2019-01-07T00:00:00.000Z');
    const me = (await get('me', one.token)).body.data;
    expect(me.tokenExpiresAt).toBe('2026-01-15T13:00:00.000Z');

    const headers = { 'idempotency-key': 'pay-1' };
    const pay = () => post('loan-repay', { loanId, amount: '10', refId: 'P-7' }, one.token, { headers });
    expect((await pay()).status).toBe(200);
    await post('clock/advance', { to: '2019-03-01' }, one.token);
    const replayed = await pay();
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);

    expect((await get(`loans/${loanId}`, one.token, one.apiKey)).status).toBe(200);
    const { items } = (await get(`loans/${loanId}/disclosures`, one.token, one.apiKey)).body.data;
    expect(items[0].at).toMatch(/^2026-01-15T12:00/);
    await service.loans.ledger.seal();
    const { proof } = (await get(`loans/${loanId}/transactions`, one.token)).body.data.items[0];
    expect(proof.header.sealedAt).toMatch(/^2026-01-15T12:00/);
    expect((await get('sandboxes')).body.data.items[0].createdAt).toMatch(/^2026-01-15T12:00/);
  });
});

describe('the owner’s clock counts, whichever organization calls', () => {
  it('a servicer with another clock pays on the day of the loan’s owner', async () => {
    const one = await sandbox({ start: '2026-01-01' });
    const loanId = await liveLoan(one);
    const other = await sandbox({ start: '2026-01-15' });
    await share(one, other, 'servicing');
    await post('clock/advance', { to: '2026-01-05' }, one.token);
    const pay = { loanId, amount: '10', refId: 'P-2' };
    const ahead = await post('loan-repay', { ...pay, paymentDate: '2026-01-06' }, other.token);
    expect(ahead.status).toBe(422);
    expect((await post('loan-repay', pay, other.token)).status).toBe(200);
    const last = (await get(`loans/${loanId}/transactions`, other.token)).body.data.items.at(-1);
    expect(last.recordedAt).toMatch(/^2026-01-05T00:00/);
    expect((await get('clock', other.token)).body.data).toMatchObject({ kind: 'test', today: '2026-01-15' });
    const found = (await get('loans?createdTo=2026-01-01', other.token)).body.data.items;
    expect(found.map(({ loanId: id }: { loanId: string }) => id)).toContain(loanId);
  });

  it('its zone is set from its own next day', async () => {
    const one = await sandbox({ start: '2026-01-01' });
    const set = await post('clock', { timeZone: 'America/New_York' }, one.token);
    expect(set.body.data).toMatchObject({ timeZone: 'UTC', next: { from: '2026-01-02T00:00:00.000Z' } });
    const moved = await post('clock/advance', { to: '2026-01-03' }, one.token);
    expect(moved.body.data).toMatchObject({
      ...{ timeZone: 'America/New_York', today: '2026-01-03', now: '2026-01-03T05:00:00.000Z' },
    });
  });
});

it('a new loan of a sandbox has the day of its clock', async () => {
  const one = await sandbox({ start: '2031-05-05' });
  const answer = await post('loans', creation(), one.token, { key: one.apiKey });
  expect(answer.status, answer.text).toBe(200);
  const { items } = (await get('loans', one.token)).body.data;
  expect(items[0].createdAt).toBe('2031-05-05T00:00:00.000Z');
});
