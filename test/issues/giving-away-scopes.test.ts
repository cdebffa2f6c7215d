/** A client can grant only what its own token has, whichever operation it uses; funding and personal data only with its key. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
/** The token of the first client, which has every scope. */
let full: string;
/** An administrator with few scopes of its own. */
let lesser: { token: string; key: string; clientId: string };

beforeAll(async () => {
  service = await testApp();
  full = await service.token();
  const made = await newClient(['admin', 'loans:read']);
  lesser = { token: await tokenOf(made), key: made.apiKey, clientId: made.clientId };
});
afterAll(() => service.close());

const newClient = (scopes: Scope[]) => service.access.createClient(service.organizationId, { name: 'made', scopes });
const post = (path: string, body: unknown, token: string, key?: string) =>
  service.call('POST', `/v2/chain${path}`, { token, body, ...(key === undefined ? {} : { key }) });
async function tokenOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  return (await post('/auth-token', { clientId, clientSecret }, '')).body.data.token;
}
const answer = async (call: Promise<{ status: number; body: { code?: string; scope?: string } }>) => {
  const { status, body } = await call;
  return [status, body.code ?? body.scope];
};

describe('scopes that the caller does not have', () => {
  test('are not granted to a new client', async () => {
    const create = (scopes: Scope[]) => post('/clients', { name: 'x', scopes }, lesser.token, lesser.key);
    const refused = await create(['admin', 'loans:write', 'loans:fund']);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'insufficient_scope', scope: 'loans:write loans:fund' });
    expect(refused.headers.get('www-authenticate')).toContain('scope="loans:write loans:fund"');
    expect((await create(['admin', 'loans:read'])).status).toBe(200);
  });

  test('are not added to a client, itself included; others can be removed', async () => {
    const change = (clientId: string, scopes: Scope[]) =>
      answer(post('/update-client', { clientId, scopes }, lesser.token, lesser.key));
    const other = await newClient(['loans:write', 'payments:write']);
    expect(await change(lesser.clientId, ['admin', 'loans:read', 'loans:fund'])).toEqual([403, 'insufficient_scope']);
    expect(await change(other.clientId, ['loans:write', 'payments:write', 'reports:read'])).toEqual([
      403,
      'insufficient_scope',
    ]);
    // Its existing scopes stay, though the caller has none of them.
    expect(await change(other.clientId, ['loans:read', 'loans:write'])).toEqual([200, undefined]);
  });

  test('cannot be obtained through new credentials of a client that has them', async () => {
    const other = await newClient(['loans:write']);
    const body = { clientId: other.clientId };
    for (const what of ['secret', 'key', 'both']) {
      expect(await answer(post('/rotate-client', { ...body, what }, lesser.token, lesser.key))).toEqual([
        403,
        'insufficient_scope',
      ]);
    }
    expect(await answer(post('/create-key', body, lesser.token, lesser.key))).toEqual([403, 'insufficient_scope']);
    expect((await post('/auth-token', other && { ...body, clientSecret: other.clientSecret }, '')).status).toBe(200);
    expect(await answer(post('/revoke-client', body, lesser.token))).toEqual([200, undefined]);
  });

  test('are not granted to another organization', async () => {
    const { organizationId } = await service.access.createOrganization('Other');
    const servicer = await newClient(['admin', 'loans:read', 'loans:read_pii', 'reports:read', 'events:read']);
    const grant = (access: string) => ({ granteeOrganizationId: organizationId, access });
    expect(await answer(post('/grants', grant('read'), lesser.token, lesser.key))).toEqual([403, 'insufficient_scope']);
    const token = await tokenOf(servicer);
    expect(await answer(post('/grants', grant('servicing'), token, servicer.apiKey))).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await answer(post('/grants', grant('read'), token, servicer.apiKey))).toEqual([200, undefined]);
  });

  test('include those that the token lacks, though its client has them', async () => {
    const { clientId, clientSecret } = service.credentials;
    const narrow = await service.call('POST', '/v2/chain/oauth/token', {
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        scope: 'admin',
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const body = { name: 'x', scopes: ['admin', 'loans:read'] };
    expect(await answer(post('/clients', body, narrow.body.access_token, service.credentials.apiKey))).toEqual([
      403,
      'insufficient_scope',
    ]);
  });
});

describe('funding and personal data, without the key', () => {
  test.each(['loans:fund', 'loans:read_pii'] as const)('%s is granted to no client', async (scope) => {
    const key = service.credentials.apiKey;
    const other = await newClient(['loans:read']);
    const create = { name: 'x', scopes: ['loans:read', scope] };
    const change = { clientId: other.clientId, scopes: ['loans:read', scope] };
    const mine = { clientId: service.credentials.clientId };
    expect(await answer(post('/clients', create, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/update-client', change, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/create-key', mine, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/rotate-client', { ...mine, what: 'key' }, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/clients', create, full, key))).toEqual([200, undefined]);
    expect(await answer(post('/update-client', change, full, key))).toEqual([200, undefined]);
    expect(await answer(post('/create-key', { clientId: other.clientId }, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/create-key', { clientId: other.clientId }, full, key))).toEqual([200, undefined]);
  });

  test('no grant is made to another organization', async () => {
    const { organizationId } = await service.access.createOrganization('Third');
    const grant = { granteeOrganizationId: organizationId, access: 'read' };
    expect(await answer(post('/grants', grant, full))).toEqual([403, 'key_required']);
    expect(await answer(post('/grants', grant, full, service.credentials.apiKey))).toEqual([200, undefined]);
  });
});

test('a scope that was removed from a client no longer counts in its tokens', async () => {
  const made = await newClient(['admin', 'loans:read']);
  const token = await tokenOf(made);
  await service.access.updateClient(service.organizationId, made.clientId, { scopes: ['loans:read'] });
  expect(await answer(post('/clients', { name: 'x', scopes: ['loans:read'] }, token))).toEqual([
    403,
    'insufficient_scope',
  ]);
});
