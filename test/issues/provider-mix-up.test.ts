/**
 * OpenID Connect mix-up across organizations. An organization (the attacker's) names a provider of its own, whose page sends the browser on
 * to the provider of another organization (the victim's), with the attacker's own state of a sign-in there. The victim is signed in at their
 * provider without a question and comes back with a real code. If the service sends that code to the attacker's token endpoint, the attacker
 * finishes their own sign-in with it, as the victim.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { follow, type TestProvider, testProvider } from '../support/oidc.ts';
import { cookieOf, post, withPassword } from '../support/sign-in.ts';

/** A provider that the attacker runs: a description that says what they like, and a token endpoint that keeps what it is sent. */
async function attackersProvider() {
  const sent: URLSearchParams[] = [];
  const says: { authorization: ((asked: URL) => string) | null; metadata: object } = {
    authorization: null,
    metadata: {},
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/token') {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        sent.push(new URLSearchParams(body));
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      });
    } else if (url.pathname === '/authorize') {
      response.writeHead(302, { location: says.authorization?.(url) ?? '/' }).end();
    } else {
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      const rest = { jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer, ...endpoints, ...rest, ...says.metadata }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    says,
    /** Codes that came to its token endpoint. */
    codes: () => sent.map((body) => body.get('code') ?? ''),
    forget: () => sent.splice(0),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.each([
  ['a provider that names itself in its answers', true],
  ['a provider that does not', false],
])('%s', (_, namesItself) => {
  let app: TestApp;
  let provider: TestProvider;
  let evil: Awaited<ReturnType<typeof attackersProvider>>;
  let evilId: string;
  /** The callbacks that each organization registers: the victim's provider knows the callback of the victim's organization alone. */
  let callbacks: { victims: string; attackers: string };
  const victim = 'vera@harbor.example';

  beforeAll(async () => {
    app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
    evil = await attackersProvider();
    const credentials = await organizationOf('Evil Lending');
    evilId = credentials.organizationId;
    const attackers = await setProvider(credentials, { issuer: evil.issuer });
    const mine = { ...app.credentials, organizationId: app.organizationId };
    // The address of the callback is known before the provider is: it has to be registered there.
    const victims = await setProvider(mine, { issuer: 'https://soon.example' });
    provider = await testProvider([victims], { namesItself });
    await setProvider(mine, { issuer: provider.issuer });
    callbacks = { victims, attackers };
    await withPassword(app, victim, 'Vera Lund');
    provider.accounts.set('vera', { email: victim, email_verified: true });
    provider.signsIn.accountId = 'vera';
  }, 60_000);
  afterAll(async () => {
    evil.close();
    provider.close();
    await app.close();
  });
  beforeEach(() => {
    evil.forget();
    evil.says.authorization = null;
    evil.says.metadata = {};
  });

  type Credentials = { organizationId: string; clientId: string; clientSecret: string; apiKey: string };

  async function organizationOf(name: string): Promise<Credentials> {
    const { organizationId } = await app.access.createOrganization(name);
    return { organizationId, ...(await app.access.createClient(organizationId, { name, scopes: [...SCOPES] })) };
  }

  /** Resolves to the redirect URI. */
  async function setProvider(of: Credentials, more: object): Promise<string> {
    const { clientId, clientSecret, apiKey: key } = of;
    const { body } = await app.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const answer = await app.call('POST', '/v2/chain/identity-provider', {
      token: body.data.token,
      key,
      body: { clientId: 'daybook', clientSecret: 'a secret of the provider', ...more },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.redirectUri;
  }

  async function leave(organizationId: string) {
    const answer = await post(app, '/sign-in/provider', { organizationId });
    expect(answer.status, answer.text).toBe(200);
    return { url: new URL(answer.body.data.url), cookie: cookieOf(answer, 'daybook_sign_in') ?? '' };
  }

  /** The page of the callback sends what it was opened with. */
  const arrive = (at: URL, cookie: string) => post(app, at.pathname, { query: at.search.slice(1) }, { cookie });

  /** The page of the attacker's provider: on to the victim's, with the state of the victim's browser and the rest of the attacker's. */
  function sendingOn(theirs: URL, redirectUri: string) {
    return (asked: URL) => {
      const on = new URL(theirs);
      on.searchParams.set('state', asked.searchParams.get('state') ?? '');
      on.searchParams.set('redirect_uri', redirectUri);
      return on.href;
    };
  }

  /** The attacker, with a code that they got: in their own browser, with the query that they like. */
  async function finish(mine: Awaited<ReturnType<typeof leave>>, code: string) {
    const back = new URL(callbacks.victims);
    back.searchParams.set('code', code);
    back.searchParams.set('state', mine.url.searchParams.get('state') ?? '');
    if (namesItself) back.searchParams.set('iss', provider.issuer);
    return arrive(back, mine.cookie);
  }

  async function nobodyGotIn(mine: Awaited<ReturnType<typeof leave>>, at: URL, cookie: string) {
    const arrived = await arrive(at, cookie);
    expect([arrived.status, cookieOf(arrived)], 'the victim’s browser').toEqual([401, null]);
    const finished = await Promise.all(evil.codes().map((code) => finish(mine, code)));
    expect(
      finished.map(({ status }) => status),
      'the attacker is not the victim',
    ).toEqual(finished.map(() => 401));
    expect(evil.codes(), 'the code was sent to nobody').toEqual([]);
  }

  test('the victim’s real code does not reach the attacker, who is not signed in as the victim', async () => {
    const mine = await leave(app.organizationId);
    evil.says.authorization = sendingOn(mine.url, callbacks.victims);
    const theirs = await leave(evilId);
    const at = await follow(theirs.url.href, callbacks.victims);
    expect(at.searchParams.get('code'), 'a real code').toMatch(/./);
    await nobodyGotIn(mine, at, theirs.cookie);
  });

  test('nor at the attacker’s own callback, which the victim’s provider does not know', async () => {
    const mine = await leave(app.organizationId);
    evil.says.authorization = sendingOn(mine.url, callbacks.attackers);
    const theirs = await leave(evilId);
    await expect(follow(theirs.url.href, callbacks.attackers), 'the provider refuses').rejects.toThrow();
    expect(evil.codes()).toEqual([]);
  });

  // A browser moves nothing by itself; a provider that names itself is safe even then.
  if (namesItself) {
    test('nor when somebody moves the query to the attacker’s callback by hand', async () => {
      const mine = await leave(app.organizationId);
      evil.says.authorization = sendingOn(mine.url, callbacks.victims);
      const theirs = await leave(evilId);
      const at = await follow(theirs.url.href, callbacks.victims);
      const moved = new URL(callbacks.attackers);
      moved.search = at.search;
      const arrived = await arrive(moved, theirs.cookie);
      expect(arrived.status).toBe(401);
      expect(evil.codes(), 'the answer names another issuer').toEqual([]);
    });
  }

  test('nor with a description that names the victim’s authorization endpoint and the attacker’s token endpoint', async () => {
    evil.says.metadata = { authorization_endpoint: `${provider.issuer}/auth` };
    // Descriptions are kept for a while by issuer and client.
    const another = await organizationOf('Another evil one');
    await setProvider(another, { issuer: evil.issuer, clientSecret: 'read again' });
    const theirs = await leave(another.organizationId);
    expect(theirs.url.origin).toBe(provider.issuer);
    await expect(follow(theirs.url.href, app.url), 'the provider refuses').rejects.toThrow();
    const mine = await leave(app.organizationId);
    theirs.url.searchParams.set('redirect_uri', callbacks.victims);
    await nobodyGotIn(mine, await follow(theirs.url.href, callbacks.victims), theirs.cookie);
  });
  test('nor with a description that claims the victim’s issuer, which is not believed', async () => {
    evil.says.metadata = { issuer: provider.issuer, authorization_endpoint: `${provider.issuer}/auth` };
    const another = await organizationOf('A claiming one');
    await setProvider(another, { issuer: evil.issuer, clientSecret: 'read once more' });
    const answer = await post(app, '/sign-in/provider', { organizationId: another.organizationId });
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(cookieOf(answer, 'daybook_sign_in')).toBeNull();
  });

  test('nor with the victim’s issuer and client as the attacker’s own, without its secret', async () => {
    const copy = await organizationOf('Copy');
    await setProvider(copy, { issuer: provider.issuer, clientSecret: 'not the secret' });
    const theirs = await leave(copy.organizationId);
    theirs.url.searchParams.set('redirect_uri', callbacks.victims);
    const at = await follow(theirs.url.href, callbacks.victims);
    for (const path of [at, new URL(`${callbacks.attackers}${at.search}`)]) {
      const arrived = await arrive(path, theirs.cookie);
      expect([arrived.status, cookieOf(arrived)]).toEqual([401, null]);
    }
  });

  test('with the state of another sign-in, or the step of another organization, nobody gets in', async () => {
    const [mine, theirs] = [await leave(app.organizationId), await leave(app.organizationId)];
    const at = await follow(theirs.url.href, callbacks.victims);
    at.searchParams.set('state', mine.url.searchParams.get('state') ?? '');
    expect((await arrive(at, theirs.cookie)).status, 'state').toBe(401);
    const own = await leave(app.organizationId);
    const back = await follow(own.url.href, callbacks.victims);
    expect((await arrive(back, (await leave(evilId)).cookie)).status, 'step').toBe(401);
    expect(evil.codes()).toEqual([]);
  });

  test('the provider’s name is checked whenever it is sent, and required where it says that it sends it', async () => {
    const changed: ((query: URLSearchParams) => void)[] = [
      (query) => query.set('iss', evil.issuer),
      (query) => query.set('iss', ''),
      (query) => query.append('iss', evil.issuer),
    ];
    if (namesItself) changed.push((query) => query.delete('iss'));
    for (const change of changed) {
      const { url, cookie } = await leave(app.organizationId);
      const at = await follow(url.href, callbacks.victims);
      change(at.searchParams);
      expect((await arrive(at, cookie)).status, at.search).toBe(401);
    }
  });

  test('a provider that was changed since the browser left gets nothing', async () => {
    const { url, cookie } = await leave(app.organizationId);
    const at = await follow(url.href, callbacks.victims);
    const mine = { ...app.credentials, organizationId: app.organizationId };
    await setProvider(mine, { issuer: evil.issuer });
    expect((await arrive(at, cookie)).status).toBe(401);
    expect(evil.codes()).toEqual([]);
    await setProvider(mine, { issuer: provider.issuer });
  });

  test('and the victim signs in as before', async () => {
    const { url, cookie } = await leave(app.organizationId);
    const arrived = await arrive(await follow(url.href, callbacks.victims), cookie);
    expect(arrived.status, arrived.text).toBe(200);
    const me = await app.call('GET', '/v2/chain/session', { headers: { cookie: cookieOf(arrived) ?? '' } });
    expect(me.body.data).toMatchObject({ email: victim, method: 'provider' });
  });
});
