/** Lists over HTTP: every one by pages, with the same items as at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let loanId: string;

const ask = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...(body && { body }) });

async function done(path: string, body: object) {
  const answer = await ask('POST', path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data ?? answer.body;
}

async function page(path: string, query: string) {
  const answer = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
  expect(answer.status, `${path} ${query}: ${answer.text}`).toBe(200);
  return { ...answer.body.data, etag: answer.headers.get('etag') };
}

async function walked(path: string, limit: number): Promise<{ items: object[]; etags: string[] }> {
  const [items, etags]: [object[], string[]] = [[], []];
  for (let cursor: string | null = '', n = 0; cursor !== null; n += 1) {
    const found: { items: object[]; nextCursor: string | null; etag: string | null } = await page(
      path,
      `limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect(found.items.length).toBeLessThanOrEqual(limit);
    items.push(...found.items);
    if (found.etag !== null) etags.push(found.etag);
    cursor = found.nextCursor;
    if (n > 200) throw new Error(`${path} does not end.`);
  }
  return { items, etags };
}

beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  const terms = (TermsTerm: number) => ({ TermsLoanAmount: '12000', TermsAPR: '9', TermsTerm });
  const assessed = {
    Response: { Decision: 'APPROVED' },
    Underwriting: {
      DealTermsInfo: [12, 24, 36].map(terms),
      UnderwritingInfo: [12, 24, 36].map(() => ({ DecisionStatus: 'APPROVED' })),
    },
  };
  loanId = (await done('loans', creation({ applicationId: 'LISTS', ...assessed }))).loanId;
  const other = await service.access.createOrganization('Other');
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
  await done('initiate-repayment', { loanId });
  for (const n of [1, 2, 3]) {
    await done('loan-repay', { loanId, amount: `${n}0.00`, refId: `P-${n}`, reason: `Reason ${n}` });
    await done('payoff-quotes', { loanId });
    await done('roles', { name: `desk-${n}`, scopes: ['loans:read'] });
    await done('clients', { name: `client ${n}`, scopes: ['loans:read'] });
    await done('grants', { granteeOrganizationId: other.organizationId, access: 'read', servicerId: `S-${n}` });
    await service.access.createGrant(other.organizationId, {
      granteeOrganizationId: service.organizationId,
      access: 'read',
      servicerId: `T-${n}`,
    });
    await ask('GET', `loans/${loanId}`);
  }
  for (const kind of ['dispute', 'fraud']) await done('place-hold', { loanId, kind, reason: 'Said so' });
  const { items } = (await ask('GET', 'clients')).body.data;
  const [first, second] = items.filter(({ name }: { name: string }) => name.startsWith('client '));
  for (const { clientId } of [second, first]) await done('revoke-client', { clientId });
  await done('ledger/account-codes', { codes: { cash: '1010', loanPrincipal: '1400', feeReceivable: '1200' } });
  for (const minute of [1, 2, 3]) {
    service.clock.now += 60_000 * minute;
    await done('loan-repay', { loanId, amount: '1.00', refId: `M-${minute}` });
    while ((await service.loans.ledger.seal()) > 0);
  }
}, 60_000);
afterAll(() => service?.close());

describe('a list that has a bound of its own comes whole, or by pages', () => {
  it.each([
    ['transactions', 5],
    ['journal', 5],
    ['timeline', 5],
    ['payoff-quotes', 3],
    ['holds', 2],
    ['deals', 3],
  ])('%s of a loan', async (name, least) => {
    const path = `loans/${loanId}/${name}`;
    const whole = await page(path, '');
    expect(whole.items.length).toBeGreaterThanOrEqual(least);
    expect(whole.nextCursor).toBeNull();
    for (const limit of [1, 2, 1_000]) {
      const { items, etags } = await walked(path, limit);
      expect(items).toEqual(whole.items);
      // A page is not taken for another one, or for the whole.
      expect(new Set(etags).size).toBe(etags.length);
    }
    for (const cursor of ['x', '%20', 'MDk5OTk', Buffer.from('__proto__').toString('base64url')]) {
      const refused = await ask('GET', `${path}?cursor=${cursor}`);
      expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/cursor', code: 'format' }] });
    }
    expect((await ask('GET', `${path}?limit=0`)).status).toBe(422);
    expect((await ask('GET', `${path}?limit=1001`)).status).toBe(422);
  });

  it.each(['roles', 'ledger/account-codes'])('%s', async (path) => {
    const whole = await page(path, '');
    expect(whole.items.length).toBeGreaterThanOrEqual(3);
    expect((await walked(path, 1)).items).toEqual(whole.items);
    expect((await ask('GET', `${path}?cursor=none`)).status).toBe(422);
  });

  it('the totals of a journal are those of all pages', async () => {
    const [whole, first] = [
      await page(`loans/${loanId}/journal`, ''),
      await page(`loans/${loanId}/journal`, 'limit=1'),
    ];
    expect(first.totals).toEqual(whole.totals);
  });
});

describe('a list that may be long has 25 items unless more are asked for', () => {
  it('clients: active ones by age, then revoked ones, the last one first', async () => {
    const { items } = await page('clients', 'limit=100');
    const named = items.filter(({ name }: { name: string }) => name.startsWith('client '));
    expect(named.map(({ status }: { status: string }) => status)).toEqual(['active', 'revoked', 'revoked']);
    for (const limit of [1, 2]) expect((await walked('clients', limit)).items).toEqual(items);
    expect((await ask('GET', 'clients?cursor=none')).status).toBe(422);
  });

  it('more clients than the first page holds are all reached', async () => {
    const { organizationId } = await service.access.createOrganization('Many clients');
    for (let n = 0; n < 30; n += 1) {
      await service.access.createClient(organizationId, { name: `n${n}`, scopes: ['loans:read'] });
    }
    const first = await service.access.listClients(organizationId, { limit: 25, cursor: null });
    const rest = await service.access.listClients(organizationId, { limit: 25, cursor: first?.nextCursor ?? null });
    const ids = [...(first?.items ?? []), ...(rest?.items ?? [])].map(({ clientId }) => clientId);
    expect([new Set(ids).size, rest?.nextCursor]).toEqual([30, null]);
  }, 30_000);

  it('grants: on both sides, or in one direction', async () => {
    const { items } = await page('grants', '');
    expect(items.map(({ direction }: { direction: string }) => direction).sort()).toEqual([
      ...Array(3).fill('given'),
      ...Array(3).fill('received'),
    ]);
    expect((await walked('grants', 2)).items).toEqual(items);
    for (const direction of ['given', 'received']) {
      const some = items.filter((one: { direction: string }) => one.direction === direction);
      expect((await walked(`grants?direction=${direction}`, 1)).items).toEqual(some);
    }
    expect((await ask('GET', 'grants?direction=sideways')).status).toBe(422);
  });

  it('disclosures: by pages, with the reasons on the first', async () => {
    const first = await page(`loans/${loanId}/disclosures`, 'limit=2');
    expect(first.reasons.map(({ reason }: { reason: string }) => reason)).toContain('Reason 1');
    const next = await page(`loans/${loanId}/disclosures`, `limit=2&cursor=${first.nextCursor}`);
    expect(next.reasons).toEqual([]);
    const seen = [...first.items, ...next.items].map(({ requestId }: { requestId: string }) => requestId);
    expect(new Set(seen).size).toBe(4);
    expect((await ask('GET', `loans/${loanId}/disclosures?cursor=none`)).status).toBe(422);
  });

  it('roots of the ledger, the newest first', async () => {
    const { items } = await page('ledger/roots', 'limit=100');
    expect(items.length).toBeGreaterThanOrEqual(3);
    const walk = (await walked('ledger/roots', 1)).items;
    expect(walk).toEqual(items);
    expect((await ask('GET', 'ledger/roots?cursor=0')).status).toBe(422);
  });
});

it('names of colleagues come in the order of their ids, by pages too', async () => {
  const answer = await ask('GET', 'users/names?ids=user_b,user_a&limit=1');
  expect(answer.body.data).toEqual({ items: [], nextCursor: null });
});
