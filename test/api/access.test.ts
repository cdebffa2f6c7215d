/** Signing in and administration over HTTP, as clients, stock OAuth libraries and attackers do it. */
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const api = (path: string) => `/v2/chain${path}`;
const post = (path: string, body: unknown, as = token, key = as === token ? service.credentials.apiKey : '') =>
  service.call('POST', api(path), { token: as, body, key });
const signIn = (clientId: string, clientSecret: string) =>
  service.call('POST', api('/auth-token'), { body: { clientId, clientSecret } });

describe('POST /auth-token', () => {
  it('answers with a token and its expiry time, in the documented shape', async () => {
    const { clientId, clientSecret } = service.credentials;
    const { status, body } = await signIn(clientId, clientSecret);
    const end = Math.floor(service.clock.now / 1000) + 3600;
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'ok',
      data: {
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresIn: end,
        expiresAt: new Date(end * 1000).toISOString(),
        tokenType: 'Bearer',
        scope: SCOPES.join(' '),
      },
    });
  });

  it('a wrong secret and an unknown client get the same 401, which does not say which it was', async () => {
    const wrong = await signIn('first', 'wrong');
    const unknown = await signIn('nobody', 'wrong');
    for (const answer of [wrong, unknown]) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    const plain = ({ body }: typeof wrong) => ({ ...body, requestId: '', instance: '' });
    expect(plain(wrong)).toEqual(plain(unknown));
  });

  it('after ten failures from one address even the right secret has to wait', async () => {
    const { clientId, clientSecret } = await service.access.createClient(service.organizationId, {
      name: 'guessed',
      scopes: ['loans:read'],
    });
    for (let i = 0; i < 10; i++) expect((await signIn(clientId, `guess ${i}`)).status).toBe(401);
    const blocked = await signIn(clientId, clientSecret);
    expect(blocked.status).toBe(429);
    expect(blocked.body.code).toBe('too_many_failures');
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
    // Another client from the same address is not locked out.
    expect((await signIn('first', 'first-secret')).status).toBe(200);
    service.clock.now += Number(blocked.headers.get('retry-after')) * 1000;
    expect((await signIn(clientId, clientSecret)).status).toBe(200);
  });
});

describe('POST /oauth/token', () => {
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    service.call('POST', api('/oauth/token'), {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const grant = { grant_type: 'client_credentials' };

  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ] as const)('a stock OAuth client library gets a working token by %s', async (_name, authenticate) => {
    const server = { issuer: service.url, token_endpoint: service.url + api('/oauth/token') };
    const config = new oauth.Configuration(server, 'first', {}, authenticate('first-secret'));
    oauth.allowInsecureRequests(config);
    const answer = await oauth.clientCredentialsGrant(config, { scope: 'loans:read payments:write' });
    expect(answer.expires_in).toBe(3600);
    expect(answer.scope).toBe('loans:read payments:write');
    const me = await service.call('GET', api('/me'), { token: answer.access_token });
    expect(me.body.data.scopes).toEqual(['loans:read', 'payments:write']);
  });

  it('a stock library understands the refusal', async () => {
    const server = { issuer: service.url, token_endpoint: service.url + api('/oauth/token') };
    const config = new oauth.Configuration(server, 'first', {}, oauth.ClientSecretPost('wrong'));
    oauth.allowInsecureRequests(config);
    await expect(oauth.clientCredentialsGrant(config)).rejects.toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
    });
  });

  it.each([
    ['no grant type', {}, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no credentials', grant, 401, 'invalid_client'],
    [
      'an unknown scope',
      { ...grant, client_id: 'first', client_secret: 'first-secret', scope: 'root' },
      400,
      'invalid_scope',
    ],
  ])('%s', async (_name, fields, status, error) => {
    const answer = await form(fields as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body).toMatchObject({ error, status });
  });

  it('credentials twice, or a parameter twice, are refused', async () => {
    const basic = `Basic ${Buffer.from('first:first-secret').toString('base64')}`;
    const twice = await form({ ...grant, client_secret: 'first-secret' }, { authorization: basic });
    expect(twice.body.error).toBe('invalid_request');
    const repeated = await service.call('POST', api('/oauth/token'), {
      body: 'grant_type=a&grant_type=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(repeated.status).toBe(400);
  });

  it('the published keys verify a token without calling the service', async () => {
    const { createLocalJWKSet, jwtVerify } = await import('jose');
    const { body, headers } = await service.call('GET', '/.well-known/jwks.json');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    const { payload } = await jwtVerify(token, createLocalJWKSet(body), { currentDate: new Date(service.clock.now) });
    expect(payload.sub).toBe('first');
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

describe('the API key', () => {
  it('is optional on /me, but checked when it is sent', async () => {
    const me = (key?: string) => service.call('GET', api('/me'), key === undefined ? { token } : { token, key });
    expect((await me()).body.data.keyId).toBeNull();
    expect((await me('')).body.data.keyId).toBeNull();
    expect((await me('first-key')).body.data.keyId).toMatch(/^key_/);
    const other = await service.access.createClient(service.organizationId, { name: 'other', scopes: ['admin'] });
    for (const key of ['nonsense', other.apiKey]) {
      const answer = await me(key);
      expect(answer.status).toBe(403);
      expect(answer.body.code).toBe('invalid_key');
    }
  });
});

describe('administration', () => {
  it('needs the scope admin, and says so', async () => {
    const reader = await service.token(['loans:read']);
    for (const [method, path, body] of [
      ['GET', '/clients'],
      ['POST', '/clients', { name: 'x', scopes: ['loans:read'] }],
      ['POST', '/update-client', { clientId: 'first' }],
      ['POST', '/rotate-client', { clientId: 'first', what: 'both' }],
      ['POST', '/revoke-client', { clientId: 'first' }],
      ['POST', '/create-key', { clientId: 'first' }],
      ['POST', '/revoke-key', { keyId: 'key_x' }],
      ['GET', '/grants'],
      ['POST', '/grants', { granteeOrganizationId: 'org_x', access: 'read' }],
      ['POST', '/revoke-grant', { grantId: 'grant_x' }],
      ['POST', '/accept-grant', { grantId: 'grant_x' }],
      ['POST', '/decline-grant', { grantId: 'grant_x' }],
      ['POST', '/end-grant', { grantId: 'grant_x' }],
    ] as const) {
      const answer = await service.call(
        method,
        api(path),
        body === undefined ? { token: reader } : { token: reader, body },
      );
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'insufficient_scope']);
      expect(answer.headers.get('www-authenticate')).toContain('scope="admin"');
    }
  });

  it('a client is created, listed, changed, rotated and revoked', async () => {
    const made = (await post('/clients', { name: 'desk', scopes: ['loans:read', 'admin'] })).body.data;
    const first = (await signIn(made.clientId, made.clientSecret)).body.data.token;
    const me = (as: string) => service.call('GET', api('/me'), { token: as });
    expect((await me(first)).body.data.client).toEqual({ clientId: made.clientId, name: 'desk' });

    const listed = await service.call('GET', api('/clients'), { token });
    const mine = listed.body.data.items.find((item: { clientId: string }) => item.clientId === made.clientId);
    expect(mine).toMatchObject({ name: 'desk', status: 'active', scopes: ['loans:read', 'admin'], revokedAt: null });
    expect(listed.text).not.toContain(made.clientSecret);
    expect(listed.text).not.toContain(made.apiKey);

    await post('/update-client', { clientId: made.clientId, scopes: ['loans:read'] });
    expect((await me(first)).body.data.scopes).toEqual(['loans:read']);

    const rotated = (await post('/rotate-client', { clientId: made.clientId, what: 'secret' })).body.data;
    expect(rotated.clientSecret).not.toBe(made.clientSecret);
    expect((await me(first)).status).toBe(401);
    expect((await signIn(made.clientId, made.clientSecret)).status).toBe(401);
    const second = (await signIn(made.clientId, rotated.clientSecret)).body.data.token;
    expect((await me(second)).status).toBe(200);

    expect((await post('/revoke-client', { clientId: made.clientId })).status).toBe(200);
    expect((await me(second)).status).toBe(401);
    expect((await signIn(made.clientId, rotated.clientSecret)).status).toBe(401);
    expect((await post('/rotate-client', { clientId: made.clientId, what: 'key' })).status).toBe(404);
  });

  it('another organization’s client, key and grant do not exist', async () => {
    const { organizationId } = await service.access.createOrganization('Other');
    const theirs = await service.access.createClient(organizationId, { name: 'theirs', scopes: ['admin'] });
    const grant = await granted(service.access, organizationId, {
      granteeOrganizationId: service.organizationId,
      access: 'read',
    });
    for (const [path, body] of [
      ['/rotate-client', { clientId: theirs.clientId, what: 'both' }],
      ['/update-client', { clientId: theirs.clientId, name: 'mine' }],
      ['/revoke-client', { clientId: theirs.clientId }],
      ['/create-key', { clientId: theirs.clientId }],
      ['/revoke-key', { keyId: theirs.keyId }],
      ['/revoke-grant', { grantId: grant?.grantId }],
    ] as const) {
      expect([path, (await post(path, body)).status]).toEqual([path, 404]);
    }
    expect((await signIn(theirs.clientId, theirs.clientSecret)).status).toBe(200);
  });

  it('a grant is made once, visible to both organizations, and revoked by its owner', async () => {
    const { organizationId } = await service.access.createOrganization('Servicer');
    const theirs = await service.access.createClient(organizationId, { name: 'theirs', scopes: ['admin'] });
    const theirToken = (await signIn(theirs.clientId, theirs.clientSecret)).body.data.token;
    const body = { granteeOrganizationId: organizationId, access: 'servicing', servicerId: 'SRV-1' };
    const made = await post('/grants', body);
    expect(made.body.data).toMatchObject({ ...body, ownerOrganizationId: service.organizationId, revokedAt: null });
    expect((await post('/grants', body)).body.data.grantId).toBe(made.body.data.grantId);
    const seen = await service.call('GET', api('/grants'), { token: theirToken });
    expect(seen.body.data.items).toEqual([{ ...made.body.data, direction: 'received' }]);
    expect((await post('/revoke-grant', { grantId: made.body.data.grantId }, theirToken)).status).toBe(404);
    expect((await post('/revoke-grant', { grantId: made.body.data.grantId })).body.data.revokedAt).not.toBeNull();
  });

  it.each([
    ['to oneself', () => ({ granteeOrganizationId: service.organizationId, access: 'read' }), 422],
    ['to an unknown organization', () => ({ granteeOrganizationId: 'org_nobody', access: 'read' }), 404],
    ['of another kind', () => ({ granteeOrganizationId: 'org_nobody', access: 'own' }), 422],
  ])('a grant %s is refused', async (_name, body, status) => {
    expect((await post('/grants', body())).status).toBe(status);
  });
});
