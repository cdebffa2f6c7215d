/** People over HTTP: sessions in place of tokens on every operation, forged requests, purposes, administration. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { operations } from '../../src/http/routes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type SignedIn, sessionFor, signedIn } from '../support/people.ts';
import { mailServer } from '../support/smtp.ts';
import { creation } from '../support/statuses.ts';
import { TRAIL } from '../support/trail.ts';
import { usualTest as it, WHOLE } from '../support/whole.ts';

let service: TestApp;
let token: string;
let admin: SignedIn;
let all: SignedIn;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  await service.access.putRole(service.organizationId, { name: 'everything', scopes: SCOPES, limits: {} });
  admin = await signedIn(service, ['administrator']);
  all = await signedIn(service, ['everything']);
});
afterAll(() => service.close());

const api = (path: string) => `/v2/chain${path}`;
const get = (path: string, headers: Record<string, string>) => service.call('GET', api(path), { headers });
const post = (path: string, body: unknown, headers: Record<string, string>) =>
  service.call('POST', api(path), { headers, body });
const byToken = (path: string, body: unknown) =>
  service.call('POST', api(path), { token, key: service.credentials.apiKey, body });

describe('a session', () => {
  it('says who it is, and what they may do', async () => {
    const agent = await signedIn(service, ['agent']);
    const { status, body } = await get('/session', agent.cookie);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      userId: agent.userId,
      email: expect.stringMatching(/@example\.com$/),
      organization: { organizationId: service.organizationId },
      roles: ['agent'],
      limits: { 'waive-fee': { amount: '50.00' }, settle: { amount: '0.00' } },
      method: 'password',
      csrfToken: agent.headers['x-csrf-token'],
      endsAt: new Date(service.clock.now + 12 * 3_600_000).toISOString(),
    });
    expect((await get('/me', agent.cookie)).body.data).toMatchObject({
      userId: agent.userId,
      keyId: agent.sessionId,
      client: { name: 'Console' },
    });
    for (const [path, method] of [
      ['/session', 'GET'],
      ['/sign-out', 'POST'],
      ['/sign-out-everywhere', 'POST'],
    ] as const) {
      const answer = await service.call(method, api(path), { token, ...(method === 'POST' ? { body: {} } : {}) });
      expect(answer.body, path).toMatchObject({ status: 403, code: 'session_required' });
      expect(answer.body.detail).toContain('A bearer token is not a session');
      const without = await service.call(method, api(path), method === 'POST' ? { body: {} } : {});
      expect(without.body, path).toMatchObject({ status: 401, detail: 'There is no session; sign in at /sign-in.' });
    }
  });

  test('is admitted on every operation, exactly where a token with the same scopes is', async () => {
    const none = await signedIn(service, ['administrator']);
    const plain = await service.token(['audit:read', 'admin']);
    let tried = 0;
    for (const operation of operations.filter((_, n) => WHOLE || n % 4 === 0)) {
      if (operation.access === 'anonymous' || /^\/(sign-out|session)/.test(operation.path)) continue;
      const path = operation.path.replaceAll(/\{\w+\}/g, 'x');
      const ask = (headers: Record<string, string>, as: { token?: string } = {}) =>
        service.call(operation.method, api(path), {
          ...as,
          headers: { ...headers, purpose: 'test' },
          ...(operation.method === 'POST' ? { body: { nonsense: 1 } } : {}),
        });
      const session = await ask(all.headers);
      const program = await ask({ key: service.credentials.apiKey }, { token });
      expect(session.status, operation.path).toBe(program.status);
      expect(session.body.code, operation.path).toBe(program.body.code);
      expect([401, 403]).not.toContain(session.status);
      const lacking = await ask(none.headers);
      const other = await ask({}, { token: plain });
      // A session counts as having the key.
      const code = other.body.code === 'key_required' ? 'insufficient_scope' : other.body.code;
      expect(lacking.body.code, operation.path).toBe(code);
      tried += 1;
    }
    expect(tried).toBeGreaterThan(WHOLE ? 100 : 25);
  });

  it('does not count beside a bearer token, right or wrong', async () => {
    expect((await get('/me', { ...all.cookie, authorization: `Bearer ${token}` })).body.data.userId).toBeNull();
    expect((await get('/me', { ...all.cookie, authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('ends by signing out, here and everywhere', async () => {
    const one = await signedIn(service, ['agent']);
    const two = await sessionFor(service, one.userId);
    const left = await post('/sign-out', {}, one.headers);
    expect(left.status).toBe(200);
    expect(left.headers.get('set-cookie')).toBe('daybook_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
    expect((await get('/session', one.cookie)).body).toMatchObject({ code: 'unauthorized' });
    expect((await get('/session', two.cookie)).status).toBe(200);
    const three = await sessionFor(service, one.userId);
    expect((await post('/sign-out-everywhere', {}, two.headers)).status).toBe(200);
    for (const { cookie } of [two, three]) expect((await get('/session', cookie)).status).toBe(401);
    const entries = await service.db.query<{ operation: string; request_id: string | null }>(
      `SELECT operation, request_id FROM ${TRAIL} WHERE user_id = $1 AND operation LIKE 'sign-%' ORDER BY entry_id`,
      [one.userId],
    );
    expect(entries.map(({ operation }) => operation)).toEqual([
      'sign-in',
      'sign-in',
      'sign-out',
      'sign-in',
      'sign-out-everywhere',
    ]);
    expect(entries[2]?.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('gets a new cookie after ten minutes, with whatever answer comes', async () => {
    const agent = await signedIn(service, ['agent']);
    expect((await get('/me', agent.cookie)).headers.get('set-cookie')).toBeNull();
    service.clock.now += 600_000;
    const answer = await get('/loans/x/summary', agent.cookie);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(answer.status).toBe(404);
    expect(cookie).toMatch(/^daybook_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const renewed = { cookie: cookie.split(';')[0] as string };
    for (const one of [agent.cookie, renewed]) {
      const next = await get('/me', one);
      expect([next.status, next.headers.get('set-cookie')]).toEqual([200, null]);
    }
    // The token against forged requests stays the same: a page need not load again.
    expect((await get('/session', renewed)).body.data.csrfToken).toBe(agent.headers['x-csrf-token']);
    service.clock.now += 61_000;
    expect((await get('/me', agent.cookie)).status).toBe(401);
    expect((await get('/me', renewed)).status).toBe(401);
  });

  it('ends without requests, and an invented or fixated secret is none', async () => {
    const agent = await signedIn(service, ['agent']);
    service.clock.now += 31 * 60_000;
    expect((await get('/me', agent.cookie)).status).toBe(401);
    for (const secret of ['x'.repeat(43), '', agent.sessionId, agent.headers['x-csrf-token']]) {
      expect((await get('/me', { cookie: `daybook_session=${secret}` })).status).toBe(401);
    }
    admin = await sessionFor(service, admin.userId);
    all = await sessionFor(service, all.userId);
  });

  it('is limited by person, and by organization', async () => {
    const limited = await testApp({ RATE_LIMIT: '5', ORGANIZATION_RATE_LIMIT: '100' });
    try {
      await limited.db.query('UPDATE organizations SET rate_limit_per_minute = NULL');
      const [one, two] = [await signedIn(limited, ['agent']), await signedIn(limited, ['agent'])];
      const ask = async ({ cookie }: SignedIn) => (await limited.call('GET', api('/me'), { headers: cookie })).status;
      const statuses = [];
      for (let i = 0; i < 6; i += 1) statuses.push(await ask(one));
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(await ask(two)).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('by https', () => {
  it('the cookie has the prefix __Host- and is Secure, and no other name counts', async () => {
    const secure = await testApp({ TRUST_PROXY: 'true' });
    try {
      const agent = await signedIn(secure, ['agent']);
      const https = { 'x-forwarded-proto': 'https' };
      const ask = (headers: Record<string, string>) => secure.call('GET', api('/me'), { headers });
      expect((await ask({ ...https, ...agent.cookie })).status).toBe(401);
      const cookie = `__Host-daybook_session=${agent.secret}`;
      expect((await ask({ ...https, cookie })).status).toBe(200);
      expect((await ask({ cookie })).status).toBe(401);
      secure.clock.now += 600_000;
      expect((await ask({ ...https, cookie })).headers.get('set-cookie')).toMatch(
        /^__Host-daybook_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    } finally {
      await secure.close();
    }
  });

  it('PUBLIC_URL says so where a proxy ends it, and is where links lead', async () => {
    const secure = await testApp({ PUBLIC_URL: 'https://loans.example' });
    try {
      const boss = await signedIn(secure, ['administrator']);
      const headers = {
        ...boss.headers,
        cookie: `__Host-daybook_session=${boss.secret}`,
        origin: 'https://loans.example',
      };
      const body = { email: 'x@example.com', name: 'X', roles: ['agent'] };
      const made = await secure.call('POST', api('/users'), { headers, body });
      expect(made.body.data.invitationUrl).toMatch(/^https:\/\/loans\.example\/invitation#[\w-]{43}$/);
    } finally {
      await secure.close();
    }
  });
});

describe('a forged request', () => {
  const forged = { status: 403, body: { code: 'forged_request' } };
  const write = (headers: Record<string, string>) => post('/roles', { name: 'made', scopes: ['loans:read'] }, headers);

  it.each<[string, (signed: SignedIn) => Record<string, string>]>([
    ['without the token of the session', ({ cookie }) => cookie],
    ['with an empty one', ({ headers }) => ({ ...headers, 'x-csrf-token': '' })],
    ['with that of another session', ({ headers }) => ({ ...headers, 'x-csrf-token': all.headers['x-csrf-token'] })],
    ['with part of it', ({ headers }) => ({ ...headers, 'x-csrf-token': headers['x-csrf-token'].slice(0, -1) })],
    ['from another origin', ({ headers }) => ({ ...headers, origin: 'https://evil.example' })],
    ['from no origin', ({ headers }) => ({ ...headers, origin: 'null' })],
    ['from another port', ({ headers }) => ({ ...headers, origin: 'http://127.0.0.1:1' })],
    ['from another site', ({ headers }) => ({ ...headers, 'sec-fetch-site': 'cross-site' })],
    ['from another host of the site', ({ headers }) => ({ ...headers, 'sec-fetch-site': 'same-site' })],
    ['from no page', ({ headers }) => ({ ...headers, 'sec-fetch-site': 'none' })],
  ])('is refused: a write %s', async (_what, headers) => {
    const before = await service.access.listRoles(service.organizationId);
    expect(await write(headers(admin))).toMatchObject(forged);
    expect(await service.access.listRoles(service.organizationId)).toEqual(before);
  });

  it('is refused: a read of another site; a typed address and a page of ours are not', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect(await get('/me', { ...admin.cookie, 'sec-fetch-site': site })).toMatchObject(forged);
    }
    // A browser that does not send Sec-Fetch-Site.
    for (const origin of ['https://evil.example', 'null']) {
      expect(await get('/me', { ...admin.cookie, origin }), origin).toMatchObject(forged);
    }
    expect((await get('/me', { ...admin.cookie, origin: service.url })).status).toBe(200);
    for (const site of ['none', 'same-origin']) {
      expect((await get('/me', { ...admin.cookie, 'sec-fetch-site': site })).status).toBe(200);
    }
  });

  it('is not one that a page of ours sends', async () => {
    const ours = { ...admin.headers, origin: service.url, 'sec-fetch-site': 'same-origin' };
    expect((await write(ours)).status).toBe(200);
  });

  it('with a token there is nothing to forge', async () => {
    const headers = { ...admin.cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await service.call('POST', api('/roles'), {
      token,
      headers,
      body: { name: 'made', scopes: ['loans:read'] },
    });
    expect(answer.status).toBe(200);
  });

  it('an allowed origin never gets credentials', async () => {
    const open = await testApp({ CORS_ORIGINS: 'https://desk.example' });
    try {
      const agent = await signedIn(open, ['agent']);
      const headers = { ...agent.headers, origin: 'https://desk.example' };
      const answer = await open.call('GET', api('/me'), { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://desk.example');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('csrf');
      const body = { loanId: `0x${'0'.repeat(64)}` };
      expect((await open.call('POST', api('/payment-reminders'), { headers, body })).body.code).toBe('forged_request');
    } finally {
      await open.close();
    }
  });
});

describe('personal data', () => {
  it('is shown to a person only with a purpose, which is kept', async () => {
    const { loanId } = (await byToken('/loans', creation({}))).body;
    const auditor = await signedIn(service, ['auditor']);
    const personal = operations.filter(
      ({ access }) => access !== 'anonymous' && access.scopes.includes('loans:read_pii'),
    );
    // This one is masked for everybody.
    const paths = personal.filter(({ path }) => path !== '/loans/{loan_id}/identity');
    expect(paths.length).toBe(personal.length - 1);
    expect(paths.length).toBeGreaterThan(3);
    for (const { method, path } of paths) {
      const at = path.replace('{loan_id}', loanId).replace('{n}', '1');
      for (const purpose of [undefined, '', '  ']) {
        const answer = await service.call(method, api(at), {
          headers: { ...auditor.headers, ...(purpose === undefined ? {} : { purpose }) },
          ...(method === 'POST' ? { body: {} } : {}),
        });
        expect(answer, path).toMatchObject({ status: 422, body: { code: 'purpose_required' } });
      }
    }
    const seen = await get(`/loans/${loanId}`, { ...auditor.cookie, purpose: 'yearly review' });
    expect(seen.status).toBe(200);
    const list = await get(`/loans/${loanId}/disclosures`, { ...auditor.cookie, purpose: 'a look at looks' });
    expect(list.body.data.items).toContainEqual(
      expect.objectContaining({ purpose: 'yearly review', keyId: auditor.sessionId }),
    );
  });

  it('without one, what has a masked form is masked', async () => {
    const { loanId } = (await byToken('/loans', creation({}))).body;
    await byToken('/place-hold', { loanId, kind: 'fraud', reason: 'a reason to hide' });
    const auditor = await signedIn(service, ['auditor']);
    const reasons = async (headers: Record<string, string>) => (await get(`/loans/${loanId}/holds`, headers)).text;
    expect(await reasons(auditor.cookie)).not.toContain('a reason to hide');
    expect(await reasons({ ...auditor.cookie, purpose: 'check' })).toContain('a reason to hide');
  });
});

describe('administration of people', () => {
  it('invites, changes, invites again and disables', async () => {
    const body = { email: 'new.person@example.com', name: 'New Person', roles: ['agent'] };
    const made = await post('/users', body, { ...admin.headers, 'idempotency-key': 'one' });
    expect(made.body.data).toEqual({
      userId: expect.stringMatching(/^user_[a-z2-7]{24}$/),
      invitationUrl: expect.stringMatching(new RegExp(`^${service.url}/invitation#[A-Za-z0-9_-]{43}$`)),
      expiresAt: new Date(service.clock.now + 72 * 3_600_000).toISOString(),
      sent: false,
    });
    const { userId } = made.body.data;
    expect((await post('/users', body, { ...admin.headers, 'idempotency-key': 'one' })).body.code).toBe(
      'already_answered',
    );
    expect((await post('/users', body, admin.headers)).body.code).toBe('conflict');
    const token = made.body.data.invitationUrl.split('#')[1];
    const { access } = service;
    await access.people.change((tx) => access.people.accept(tx, token));
    const person = await sessionFor(service, userId);
    expect((await post('/update-user', { userId, roles: ['auditor'] }, admin.headers)).body.data).toEqual({ userId });
    expect((await get('/session', person.cookie)).body.data.roles).toEqual(['auditor']);
    // Somebody else administers too (test/issues/one-administrator-alone.test.ts).
    expect((await post('/invite-user', { userId }, admin.headers)).status).toBe(202);
    expect((await post('/end-sessions', { userId }, admin.headers)).status).toBe(200);
    expect((await get('/session', person.cookie)).status).toBe(401);
    const again = await sessionFor(service, userId);
    expect((await post('/disable-user', { userId }, admin.headers)).body.data).toMatchObject({ userId });
    expect((await get('/session', again.cookie)).status).toBe(401);
    const items: { userId: string; status: string }[] = [];
    for (let cursor = ''; ; ) {
      const { data } = (await get(`/users?limit=3${cursor}`, admin.cookie)).body;
      items.push(...data.items);
      if (data.nextCursor === null) break;
      cursor = `&cursor=${data.nextCursor}`;
    }
    expect(items.find((one) => one.userId === userId)).toMatchObject({
      ...body,
      roles: ['auditor'],
      status: 'disabled',
    });
    expect((await get('/users?cursor=nonsense', admin.cookie)).status).toBe(422);
  });

  it('invitations are sent where there is a mail server, and an answer never waits for one that fails', async () => {
    const [taking, refusing] = [await mailServer(), await mailServer(true)];
    const sent = [];
    for (const { url } of [taking, refusing]) {
      const mailing = await testApp({ SMTP_URL: url, MAIL_FROM: 'Loans <loans@bank.example>' });
      const boss = await signedIn(mailing, ['administrator']);
      const body = { email: 'dana@harbor.example', name: 'Dana Reyes', roles: ['agent'] };
      const made = await mailing.call('POST', api('/users'), { headers: boss.headers, body });
      const { userId } = made.body.data;
      const again = await mailing.call('POST', api('/invite-user'), { headers: boss.headers, body: { userId } });
      sent.push(made.body.data.sent, again.body.data.sent);
      if (url === taking.url) {
        expect(taking.said).toContain('RCPT TO:<dana@harbor.example>');
        // Quoted-printable lines are joined again.
        const text = taking.said.join('\n').replaceAll('=\n', '');
        for (const answer of [made, again]) expect(text).toContain(answer.body.data.invitationUrl);
      }
      await mailing.close();
    }
    expect(sent).toEqual([true, true, false, false]);
    await Promise.all([taking.close(), refusing.close()]);
  });

  it('roles: lists, creates, replaces and removes', async () => {
    const role = {
      name: 'night-desk',
      scopes: ['loans:read', 'servicing:write'],
      limits: { 'waive-fee': { amount: 20.5 } },
    };
    expect((await post('/roles', role, admin.headers)).body.data).toEqual({ name: 'night-desk' });
    const listed = (await get('/roles', admin.cookie)).body.data.items;
    expect(listed.find(({ name }: { name: string }) => name === 'night-desk')).toEqual({
      ...role,
      limits: { 'waive-fee': { amount: '20.50' } },
      builtIn: false,
      description: '',
    });
    for (const [wrong, pointer] of [
      [{ ...role, limits: { extend: { amount: '1' } } }, '/limits/extend'],
      [{ ...role, limits: { 'waive-fee': { amount: '1.005' } } }, '/limits/waive-fee/amount'],
      [{ ...role, name: 'agent' }, '/name'],
      [{ ...role, scopes: ['loans:read'] }, '/limits/waive-fee'],
      [{ ...role, limits: { 'no-such': { amount: '1' } } }, '/limits/no-such'],
    ] as const) {
      const { status, body } = await post('/roles', wrong, admin.headers);
      expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
    }
    expect((await post('/remove-role', { name: 'night-desk' }, admin.headers)).status).toBe(200);
    expect((await post('/remove-role', { name: 'agent' }, admin.headers)).status).toBe(404);
  });

  it('what belongs to another organization does not exist', async () => {
    const { organizationId } = await service.access.createOrganization('Elsewhere');
    const there = await signedIn(service, ['administrator'], organizationId);
    for (const path of ['/update-user', '/disable-user', '/invite-user', '/end-sessions']) {
      const answer = await post(path, { userId: admin.userId }, there.headers);
      expect([answer.status, answer.body.detail], path).toEqual([404, 'No such person.']);
    }
    const email = 'both@example.com';
    const [here, elsewhere] = [admin, there].map(({ headers }) =>
      post('/users', { email, name: 'Both', roles: ['agent'] }, headers),
    );
    expect((await here)?.status).toBe(200);
    const answer = await elsewhere;
    expect(answer?.status).toBe(200);
    expect(Object.keys(answer?.body.data)).toEqual(['userId', 'invitationUrl', 'expiresAt', 'sent']);
  });

  it('colleagues are named for everybody who reads loans, and nobody else is', async () => {
    const agent = await signedIn(service, ['agent']);
    const { organizationId } = await service.access.createOrganization('Another lender');
    const stranger = await signedIn(service, ['manager'], organizationId);
    const { userId: invited } = (
      await byToken('/users', { email: 'not.yet@example.com', name: 'Not Yet', roles: ['agent'] })
    ).body.data;
    const ids = [admin.userId, stranger.userId, 'user_none', invited, admin.userId];
    const read = (of: string, headers: Record<string, string>) => get(`/users/names?ids=${of}`, headers);
    const { body: users } = await get('/users?limit=100', admin.cookie);
    const nameOf = (id: string) => users.data.items.find(({ userId }: { userId: string }) => userId === id).name;
    const { status, body } = await read(ids.join(), agent.cookie);
    expect(status).toBe(200);
    const named = body.data.items.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1));
    expect(named).toEqual(
      [admin.userId, invited]
        .map((userId) => ({ userId, name: nameOf(userId) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    expect((await read(admin.userId, stranger.cookie)).body.data).toEqual({ items: [], nextCursor: null });
    for (const wrong of ['', ',', 'a,', 'a b', Array(101).fill('user_1').join(), "x' OR '1'='1"]) {
      expect((await read(encodeURIComponent(wrong), agent.cookie)).status, wrong).toBe(422);
    }
    expect((await read(Array(100).fill('user_1').join(), agent.cookie)).status).toBe(200);
    const publicOnly = await service.token(['public:read']);
    expect((await service.call('GET', api('/users/names?ids=user_1'), { token: publicOnly })).status).toBe(403);
  });

  it('the console is shown among the clients, and cannot be used or changed', async () => {
    const { items } = (await get('/clients', admin.cookie)).body.data;
    const { clientId } = items.find(({ kind }: { kind: string }) => kind === 'console');
    for (const [path, body] of [
      ['/update-client', { clientId, name: 'Mine' }],
      ['/rotate-client', { clientId, what: 'both' }],
      ['/create-key', { clientId }],
      ['/revoke-client', { clientId }],
    ] as const) {
      expect((await byToken(path, body)).body.code, path).toBe('conflict');
    }
  });

  it('no address and no name is ever logged', () => {
    expect(service.logged.join('\n')).not.toMatch(/@example\.com|Person \d|New Person|new\.person/);
    expect(service.logged.length).toBeGreaterThan(100);
  });
});
