/** Signing in with an OpenID Connect provider that the test starts, through its redirects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { follow, type TestProvider, testProvider } from '../support/oidc.ts';
import { signedIn } from '../support/people.ts';
import { cookieOf, fromPage, invite, post, withPassword } from '../support/sign-in.ts';
import { TRAIL } from '../support/trail.ts';

let app: TestApp;
let provider: TestProvider;
let token: string;
let callback: string;

beforeAll(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  callback = `${app.url}/sign-in/callback/${app.organizationId}`;
  provider = await testProvider([callback]);
  token = await app.token();
  expect((await setProvider()).status).toBe(200);
}, 60_000);
afterAll(async () => {
  provider.close();
  await app.close();
});

const setProvider = (more: object = {}) =>
  app.call('POST', '/v2/chain/identity-provider', {
    token,
    key: app.credentials.apiKey,
    body: { issuer: provider.issuer, ...provider.client, ...more },
  });

/** Leaves for the provider: where to, and the cookie that binds the way back to this browser. */
async function leave(path = '/sign-in/provider', body: object = { organizationId: app.organizationId }) {
  const answer = await post(app, path, body);
  expect(answer.status, answer.text).toBe(200);
  const [set = ''] = answer.headers.getSetCookie();
  expect(set).toMatch(/^daybook_sign_in=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  return { url: new URL(answer.body.data.url), cookie: cookieOf(answer, 'daybook_sign_in') ?? '' };
}

const arrive = (at: URL | string, cookie: string) =>
  post(
    app,
    `/sign-in/callback/${app.organizationId}`,
    { query: typeof at === 'string' ? at : at.search.slice(1) },
    { cookie },
  );

async function whole(accountId: string, change: (url: URL) => void = () => {}) {
  provider.signsIn.accountId = accountId;
  const { url, cookie } = await leave();
  change(url);
  return arrive(await follow(url.href, callback), cookie);
}

const me = (cookie: string | null) => app.call('GET', '/v2/chain/session', { headers: { cookie: cookie ?? '' } });

/** A person with that address, and an account of the provider with it. */
async function person(email: string, more: object = {}) {
  const { userId } = await withPassword(app, email);
  provider.accounts.set(`subject of ${email}`, { email, email_verified: true, ...more });
  return { userId, accountId: `subject of ${email}` };
}

test('a person is found by the verified address once, and from then on by the provider’s own name for them', async () => {
  const { userId, accountId } = await person('robin@harbor.example');
  const first = await whole(accountId);
  expect(first.status, first.text).toBe(200);
  expect((await me(cookieOf(first))).body.data).toMatchObject({ userId, method: 'provider' });
  provider.accounts.set(accountId, { email: 'married@harbor.example', email_verified: true });
  const second = await whole(accountId);
  expect((await me(cookieOf(second))).body.data).toMatchObject({ userId });
  const [row] = await app.db.query<{ subject_digest: Buffer }>('SELECT * FROM provider_subjects WHERE user_id = $1', [
    userId,
  ]);
  expect(row?.subject_digest.toString('latin1')).not.toContain('subject');
  const audits = await app.db.query(
    `SELECT kind, outcome, subject FROM ${TRAIL} WHERE user_id = $1 AND operation = 'sign-in' AND subject = 'provider'`,
    [userId],
  );
  expect(audits).toEqual(Array(2).fill({ kind: 'did', outcome: 'done', subject: 'provider' }));
});

test('the request has PKCE, state and nonce, and asks for no more than the address', async () => {
  const { url } = await leave();
  expect(url.origin).toBe(provider.issuer);
  const parameters = Object.fromEntries(url.searchParams);
  expect(parameters).toEqual({
    client_id: 'daybook',
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
  });
});

describe('nobody gets in', () => {
  const refused = async (answer: { status: number; body: { code: string }; headers: Headers }, why: string) => {
    expect([answer.status, answer.body.code], why).toEqual([401, 'invalid_credentials']);
    expect(answer.headers.getSetCookie(), why).toEqual([]);
  };

  test('who is not a person here, and nobody is created', async () => {
    provider.accounts.set('stranger', { email: 'stranger@harbor.example', email_verified: true });
    const count = () => app.db.query('SELECT count(*)::int AS n FROM users');
    const before = await count();
    await refused(await whole('stranger'), 'a stranger');
    expect(await count()).toEqual(before);
  });

  test('whose address is not verified, is missing, belongs to an invited or disabled person, or is linked to another', async () => {
    await refused(
      await whole((await person('unverified@harbor.example', { email_verified: false })).accountId),
      'unverified',
    );
    await refused(
      await whole((await person('unsaid@harbor.example', { email_verified: undefined })).accountId),
      'unsaid',
    );
    provider.accounts.set('addressless', {});
    await refused(await whole('addressless'), 'no address');
    await invite(app, 'invited@harbor.example');
    provider.accounts.set('invited', { email: 'invited@harbor.example', email_verified: true });
    await refused(await whole('invited'), 'invited');
    const gone = await person('gone@harbor.example');
    expect((await whole(gone.accountId)).status).toBe(200);
    await app.access.disableUser(app.organizationId, gone.userId);
    await refused(await whole(gone.accountId), 'disabled');
    const { accountId } = await person('taken@harbor.example');
    expect((await whole(accountId)).status).toBe(200);
    provider.accounts.set('thief', { email: 'taken@harbor.example', email_verified: true });
    await refused(await whole('thief'), 'another subject with a linked person’s address');
  });

  test('with another state, nonce, issuer, challenge or client', async () => {
    const { accountId } = await person('changed@harbor.example');
    await refused(await whole(accountId, (url) => url.searchParams.set('nonce', 'x'.repeat(43))), 'nonce');
    await refused(await whole(accountId, (url) => url.searchParams.set('state', 'x'.repeat(43))), 'state');
    await refused(await whole(accountId, (url) => url.searchParams.set('code_challenge', 'x'.repeat(43))), 'challenge');
    await refused(await whole(accountId, (url) => url.searchParams.set('client_id', 'another')), 'client');
    for (const [name, value] of [
      ['iss', 'https://evil.example'],
      ['state', 'y'.repeat(43)],
      ['code', 'z'.repeat(43)],
    ] as const) {
      const { url, cookie } = await leave();
      const back = await follow(url.href, callback);
      back.searchParams.set(name, value);
      await refused(await arrive(back, cookie), `changed on the way back: ${name}`);
    }
    expect((await whole(accountId)).status, 'unchanged').toBe(200);
  });

  test('with a code or a step that was used, in another browser, too late, or after giving up', async () => {
    const { accountId } = await person('replayed@harbor.example');
    provider.signsIn.accountId = accountId;
    const { url, cookie } = await leave();
    const back = await follow(url.href, callback);
    const both = await Promise.all([arrive(back, cookie), arrive(back, cookie)]);
    expect(both.map(({ status }) => status).sort(), 'of two at once, one').toEqual([200, 401]);
    await refused(await arrive(back, cookie), 'again');
    const other = await leave();
    await refused(await arrive(back, other.cookie), 'the code of another redirect');

    const mine = await leave();
    const there = await follow(mine.url.href, callback);
    await refused(await arrive(there, ''), 'another browser, without the cookie');
    await refused(await arrive(there, `daybook_sign_in=${'A'.repeat(43)}`), 'an invented cookie');
    app.clock.now += 10 * 60_000;
    await refused(await arrive(there, mine.cookie), 'too late');

    provider.signsIn.accountId = null;
    const left = await leave();
    await refused(await arrive(await follow(left.url.href, callback), left.cookie), 'given up');
    await refused(await arrive('', (await leave()).cookie), 'no answer at all');
  });

  test('from another page than ours', async () => {
    const answer = await app.call('POST', `/sign-in/callback/${app.organizationId}`, {
      body: { query: 'code=x' },
      headers: { origin: provider.issuer, 'sec-fetch-site': 'cross-site' },
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'forged_request']);
  });
});

test('whoever was invited may begin with the provider, if it has verified the invited address', async () => {
  const { token: invitation, userId } = await invite(app, 'newcomer@harbor.example');
  const accept = async (accountId: string) => {
    provider.signsIn.accountId = accountId;
    const { url, cookie } = await leave('/invitation/provider', { token: invitation });
    return arrive(await follow(url.href, callback), cookie);
  };
  provider.accounts.set('somebody else', { email: 'else@harbor.example', email_verified: true });
  expect((await accept('somebody else')).status).toBe(401);
  provider.accounts.set('newcomer', { email: 'Newcomer@Harbor.example', email_verified: true });
  const done = await accept('newcomer');
  expect((await me(cookieOf(done))).body.data).toMatchObject({ userId, method: 'provider' });
  expect((await post(app, '/invitation/person', { token: invitation })).status, 'used').toBe(404);
});

test('whoever was linked, disabled and invited again may begin with the provider again', async () => {
  const { userId, accountId } = await person('back@harbor.example');
  expect((await whole(accountId)).status).toBe(200);
  await app.access.disableUser(app.organizationId, userId);
  const again = await app.access.inviteUser(app.organizationId, userId);
  expect((await whole(accountId)).status, 'not by the old link').toBe(401);
  const { url, cookie } = await leave('/invitation/provider', { token: again?.token });
  const done = await arrive(await follow(url.href, callback), cookie);
  expect((await me(cookieOf(done))).body?.data).toMatchObject({ userId, method: 'provider' });
  expect((await whole(accountId)).status, 'from then on').toBe(200);
});

test('by https the cookie of the redirect is one that no other host of the domain can plant', async () => {
  const publicUrl = 'https://loans.example';
  const secure = await testApp({ OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: publicUrl });
  try {
    const { apiKey: key } = secure.credentials;
    const body = { issuer: provider.issuer, ...provider.client };
    await secure.call('POST', '/v2/chain/identity-provider', { token: await secure.token(), key, body });
    const answer = await secure.call('POST', '/sign-in/provider', {
      body: { organizationId: secure.organizationId },
      headers: { origin: publicUrl },
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-daybook_sign_in=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  } finally {
    await secure.close();
  }
});

describe('the setting', () => {
  test('is a client’s to make only with every scope and its key, because the provider says who people are', async () => {
    const body = { issuer: provider.issuer, ...provider.client };
    const set = async (more: { token: string; key?: string }) => {
      const answer = await app.call('POST', '/v2/chain/identity-provider', { body, ...more });
      return [answer.status, answer.body.code];
    };
    expect(await set({ token: await app.token(['admin']) })).toEqual([403, 'insufficient_scope']);
    expect(await set({ token })).toEqual([403, 'key_required']);
    // In another organization: where somebody administers, a client waits for them.
    const { organizationId } = await app.access.createOrganization('Other');
    const { headers } = await signedIn(app, ['administrator'], organizationId);
    const byPerson = await app.call('POST', '/v2/chain/identity-provider', { body, headers });
    expect(byPerson.status, byPerson.text).toBe(200);
  });

  test('is shown without its secret, which is stored sealed', async () => {
    const shown = await app.call('GET', '/v2/chain/identity-provider', { token });
    expect(shown.body.data).toEqual({
      issuer: provider.issuer,
      clientId: 'daybook',
      allowedDomains: [],
      changedAt: expect.any(String),
      redirectUri: callback,
      signInUrl: `${app.url}/sign-in?organization=${app.organizationId}`,
    });
    const [row] = await app.db.query<{ client_secret_sealed: Buffer }>('SELECT * FROM identity_providers');
    expect(row?.client_secret_sealed.includes(provider.client.clientSecret)).toBe(false);
    expect(app.logged.join('\n')).not.toMatch(/a secret of the provider|harbor\.example|code=/);
    const reader = await app.token(['loans:read']);
    expect((await app.call('GET', '/v2/chain/identity-provider', { token: reader })).status).toBe(403);
  });

  test('may list domains, and others are not linked', async () => {
    const { accountId } = await person('listed@elsewhere.example');
    expect((await setProvider({ allowedDomains: ['Harbor.example'] })).body.data.allowedDomains).toEqual([
      'harbor.example',
    ]);
    expect((await whole(accountId)).status).toBe(401);
    await setProvider({ allowedDomains: ['harbor.example', 'elsewhere.example'] });
    expect((await whole(accountId)).status).toBe(200);
  });

  test.each([
    'ftp://x.example',
    'https://user:secret@x.example',
    'https://x.example/?a',
    'https://x.example/#a',
    'https://@x.example',
    'https:x.example',
    ' https://x.example',
    'https://x.example\n',
    'https://x.example\\y',
    'nonsense',
  ])('refuses the issuer %s', async (issuer) => {
    const answer = await setProvider({ issuer });
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, '/issuer']);
  });

  test('an issuer that says it is another one, or is not there, signs nobody in', async () => {
    for (const issuer of [
      provider.issuer.replace('127.0.0.1', 'localhost'),
      `${provider.issuer}/tenant`,
      'http://127.0.0.1:9',
    ]) {
      await setProvider({ issuer });
      const answer = await post(app, '/sign-in/provider', { organizationId: app.organizationId });
      expect([answer.status, answer.body.code], issuer).toEqual([503, 'unavailable']);
    }
    await setProvider();
  });

  test('can be removed, and then there is none', async () => {
    const remove = () => app.call('POST', '/v2/chain/remove-identity-provider', { token, body: {} });
    expect((await remove()).body.data).toEqual({ removed: true });
    expect((await remove()).status).toBe(404);
    expect((await app.call('GET', '/v2/chain/identity-provider', { token })).status).toBe(404);
    const answer = await post(app, '/sign-in/provider', { organizationId: app.organizationId });
    const invented = await post(app, '/sign-in/provider', { organizationId: 'org_invented' });
    expect([answer.status, answer.body.detail]).toEqual([404, invented.body.detail]);
    await setProvider();
  });
});

test('without the operator’s leave no address of the own network is reached', async () => {
  const guarded = await testApp();
  try {
    const body = { issuer: provider.issuer, ...provider.client };
    const { apiKey: key } = guarded.credentials;
    const set = await guarded.call('POST', '/v2/chain/identity-provider', { token: await guarded.token(), key, body });
    expect(set.status).toBe(200);
    const answer = await guarded.call('POST', '/sign-in/provider', {
      body: { organizationId: guarded.organizationId },
      headers: fromPage(guarded),
    });
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
  } finally {
    await guarded.close();
  }
});
