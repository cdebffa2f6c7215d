/** Signing in with a password and a code, by plain HTTP as the page does it, against a real database. */
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { withUsualCosts } from '../support/hashing.ts';
import {
  asPerson,
  codeNow,
  cookieOf,
  fromBase32,
  fromPage,
  invite,
  PASSWORD,
  post,
  type Signed,
  signIn,
  withPassword,
} from '../support/sign-in.ts';
import { TRAIL } from '../support/trail.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let app: TestApp;
let robin: Signed;

beforeAll(async () => {
  app = await testApp({ TRUST_PROXY: 'true' });
  robin = await withPassword(app, 'robin@harbor.example');
}, 60_000);
afterAll(() => app.close());

const me = (cookie: string | null) => app.call('GET', '/v2/chain/session', { headers: { cookie: cookie ?? '' } });
const audits = async (userId: string) => {
  await app.signIn.settled();
  return app.db.query(`SELECT kind, operation, outcome, subject FROM ${TRAIL} WHERE user_id = $1 ORDER BY entry_id`, [
    userId,
  ]);
};

test('password and code together begin a session, and the cookie is out of reach of scripts and other sites', async () => {
  app.clock.now += 30_000;
  const answer = await signIn(app, robin);
  expect(answer.status, answer.text).toBe(200);
  const [cookie = ''] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^daybook_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect((await me(cookieOf(answer))).body.data).toMatchObject({ email: robin.email, method: 'password' });
});

test('a code is accepted once, also of two at the same moment', async () => {
  const noor = await withPassword(app, 'noor@harbor.example', 'Noor Haddad');
  const both = await Promise.all([signIn(app, noor), signIn(app, noor)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect((await signIn(app, noor)).status, 'used').toBe(401);
  app.clock.now += 30_000;
  expect((await signIn(app, noor)).status, 'the next one').toBe(200);
});

test('a code of an earlier step than the last one is refused, although its time has not passed', async () => {
  const ida = await withPassword(app, 'ida@harbor.example', 'Ida Holm');
  const earlier = codeNow(app, ida.secret);
  app.clock.now += 30_000;
  expect((await signIn(app, ida)).status).toBe(200);
  expect((await post(app, '/sign-in/password', { email: ida.email, password: PASSWORD, code: earlier })).status).toBe(
    401,
  );
});

test('a recovery code stands in for the time code, once', async () => {
  const [code = ''] = robin.recoveryCodes;
  const enter = (with_: string) =>
    post(app, '/sign-in/password', { email: robin.email, password: PASSWORD, code: with_ });
  const both = await Promise.all([enter(code.toLowerCase()), enter(code)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect((await enter(code)).status).toBe(401);
  const wrong = await post(app, '/sign-in/password', {
    email: robin.email,
    password: 'x',
    code: robin.recoveryCodes[1],
  });
  expect(wrong.status).toBe(401);
  expect((await enter(robin.recoveryCodes[1] ?? '')).status, 'a wrong password costs no code').toBe(200);
});

test('each sign-in and each refusal of a known person is an entry of the audit trail, without an address', async () => {
  const person = await withPassword(app, 'audited@harbor.example');
  await signIn(app, person);
  await post(app, '/sign-in/password', { email: person.email, password: 'not it at all', code: '000000' });
  expect(await audits(person.userId)).toEqual([
    { kind: 'did', operation: 'accept-invitation', outcome: 'done', subject: null },
    { kind: 'did', operation: 'change-sign-in', outcome: 'done', subject: 'password' },
    { kind: 'did', operation: 'sign-in', outcome: 'done', subject: 'invitation' },
    { kind: 'did', operation: 'sign-in', outcome: 'done', subject: 'password' },
    { kind: 'tried', operation: 'sign-in', outcome: 'invalid_credentials', subject: 'password' },
  ]);
});

describe('enumeration', () => {
  /** The visible part of an answer, without the ids that every answer has of its own. */
  const seen = ({ status, headers, text }: Answered) => ({
    status,
    text: text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'),
    headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'daybook-request-id'].includes(name)),
  });

  test('unknown, wrong password, wrong code, without password, disabled and merely invited: the same answer, byte for byte', async () => {
    const known = await withPassword(app, 'known@harbor.example');
    const disabled = await withPassword(app, 'disabled@harbor.example');
    await app.access.disableUser(app.organizationId, disabled.userId);
    await invite(app, 'invited@harbor.example');
    const none = await withPassword(app, 'passwordless@harbor.example');
    await app.db.query('DELETE FROM passwords WHERE user_id = $1', [none.userId]);
    const right = codeNow(app, known.secret);
    const tries: Record<string, { email: string; password: string; code: string }> = {
      unknown: { email: 'nobody@harbor.example', password: PASSWORD, code: right },
      'wrong password': { email: known.email, password: 'some other words', code: right },
      'wrong code': { email: known.email, password: PASSWORD, code: '000000' },
      'wrong recovery code': { email: known.email, password: PASSWORD, code: 'AAAA-AAAA-AAAA-AAAA' },
      'code of another kind': { email: known.email, password: PASSWORD, code: 'nonsense' },
      disabled: { email: disabled.email, password: PASSWORD, code: codeNow(app, disabled.secret) },
      invited: { email: 'invited@harbor.example', password: PASSWORD, code: right },
      'without a password': { email: none.email, password: PASSWORD, code: codeNow(app, none.secret) },
      'not an address': { email: '\u0000', password: PASSWORD, code: right },
    };
    const answers = await Promise.all(
      Object.entries(tries).map(
        async ([name, body]) => [name, seen(await post(app, '/sign-in/password', body))] as const,
      ),
    );
    const [, first] = answers[0] ?? [];
    expect(first).toMatchObject({ status: 401 });
    expect(first?.text).toContain('The e-mail address, the password or the code is wrong.');
    for (const [name, answer] of answers) expect(answer, name).toEqual(first);
    expect((await signIn(app, known)).status, 'and the right ones are right').toBe(200);
  });

  test('the options of a passkey are the same for everyone, without a list of credentials', async () => {
    const [one, other] = [
      await post(app, '/sign-in/passkey-options', {}),
      await post(app, '/sign-in/passkey-options', {}),
    ];
    const shape = ({ body }: Answered) => ({ ...body.data.options, challenge: 'random' });
    expect(shape(one)).toEqual({
      challenge: 'random',
      rpId: '127.0.0.1',
      timeout: 300_000,
      userVerification: 'required',
    });
    expect(shape(other)).toEqual(shape(one));
    expect(one.body.data.options.challenge).not.toBe(other.body.data.options.challenge);
    const named = await post(app, '/sign-in/passkey-options', { email: robin.email });
    expect(named.status, 'it takes no address').toBe(422);
  });

  test('an invitation that is used, invented or expired: the same answer', async () => {
    const { token } = await invite(app, 'late@harbor.example');
    app.clock.now += 73 * 3_600_000;
    const answers = await Promise.all(
      [token, 'x'.repeat(43), 'short'].map(async (one) => seen(await post(app, '/invitation/person', { token: one }))),
    );
    expect(answers[0]).toMatchObject({ status: 404 });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

slowTest(
  'ten wrong passwords, then a growing wait, right or wrong; another person at that address gets in, and the same person elsewhere',
  async () => {
    const guessed = await withPassword(app, 'guessed@harbor.example');
    const other = await withPassword(app, 'other@harbor.example');
    for (const email of [guessed.email, 'nobody-guessed@harbor.example']) {
      const tries: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        tries.push((await post(app, '/sign-in/password', { email, password: `guess ${i}`, code: '000000' })).status);
      }
      expect(tries, 'the same for an address of nobody').toEqual([...Array<number>(10).fill(401), 429, 429]);
    }
    const right = await signIn(app, guessed);
    expect(right.status).toBe(429);
    expect(right.headers.get('retry-after')).toBe('1');
    expect((await signIn(app, other)).status).toBe(200);
    const elsewhere = await signIn(app, guessed, { 'x-forwarded-for': '198.51.100.7' });
    expect(elsewhere.status, 'their own address').toBe(200);
    app.clock.now += 1_000;
    expect((await post(app, '/sign-in/password', { email: guessed.email, password: 'x', code: '1' })).status).toBe(401);
    const wait = await signIn(app, guessed);
    expect([wait.status, wait.headers.get('retry-after')]).toEqual([429, '2']);
    app.clock.now += 30_000;
    expect((await signIn(app, guessed)).status, 'after the wait').toBe(200);
  },
);

describe('with hashes that take as long as they do', () => {
  withUsualCosts();

  test('the password is stored as an argon2id hash, the secret of the codes sealed, recovery codes as digests', async () => {
    const person = await withPassword(app, 'stored@harbor.example');
    const [row] = await app.db.query<{ password_hash: string; code_secret: Buffer }>(
      'SELECT password_hash, code_secret FROM passwords WHERE user_id = $1',
      [person.userId],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=32768,t=2,p=1\$/);
    expect(row?.code_secret.includes(person.secret)).toBe(false);
    const codes = await app.db.query<{ code_hash: Buffer }>('SELECT code_hash FROM recovery_codes WHERE user_id = $1', [
      person.userId,
    ]);
    expect(codes).toHaveLength(10);
  });

  slowTest('an unknown address takes about as long as a wrong password', async () => {
    // A service that has checked no password faster: it imitates what its last checks took.
    const own = await testApp();
    onTestFinished(() => own.close());
    const known = await withPassword(own, 'timed@harbor.example');
    const took = async (email: string) => {
      const started = performance.now();
      await post(own, '/sign-in/password', { email, password: 'some other words', code: '000000' });
      return performance.now() - started;
    };
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let i = 0; i < 7; i += 1) {
      times.known.push(await took(known.email));
      times.unknown.push(await took('nobody-timed@harbor.example'));
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[3] ?? 0;
    // Without the slow check an answer takes a few milliseconds. The machine of the tests is busy, so the bound is wide.
    expect(median(times.unknown)).toBeGreaterThan(median(times.known) / 4);
    expect(median(times.unknown)).toBeLessThan(median(times.known) * 4);
    expect(median(times.known)).toBeGreaterThan(20);
  });

  test('fifty guesses at once get ten tries', async () => {
    const person = await withPassword(app, 'flooded@harbor.example');
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post(app, '/sign-in/password', { email: person.email, password: `guess ${i}`, code: '000000' }),
      ),
    );
    expect(tries.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
    expect(tries.every(({ status }) => [401, 429, 503].includes(status))).toBe(true);
  });
});

describe('forged requests', () => {
  const body = () => ({ email: robin.email, password: PASSWORD, code: codeNow(app, robin.secret) });
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin at all', {}],
    ['the origin null', { origin: 'null' }],
    ['a page of another site', { origin: 'OWN', 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of the site', { origin: 'OWN', 'sec-fetch-site': 'same-site' }],
  ])('signing in from %s is refused, and no cookie is set', async (_, headers) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', app.url)]),
    );
    for (const path of ['/sign-in/password', '/sign-in/passkey-options', '/sign-in/provider', '/invitation/person']) {
      const answer = await app.call('POST', path, { body: FITTING[path] ?? body(), headers: sent });
      expect([answer.status, answer.body.code], path).toEqual([403, 'forged_request']);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });
  const FITTING: Record<string, object> = {
    '/sign-in/passkey-options': {},
    '/sign-in/provider': { organizationId: 'org_x' },
    '/invitation/person': { token: 'x' },
  };

  test('what a form of another site can send is refused before it is read', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const headers = fromPage(app, { 'content-type': type });
      const answer = await app.call('POST', '/sign-in/password', { body: JSON.stringify(body()), headers });
      expect(answer.status, type).toBe(415);
    }
  });

  test('a change of the account needs the session’s own token', async () => {
    app.clock.now += 30_000;
    const cookie = cookieOf(await signIn(app, robin)) ?? '';
    const answer = await post(app, '/account/recovery-codes', {}, { cookie });
    expect([answer.status, answer.body.code]).toEqual([403, 'forged_request']);
    const token = await app.token();
    expect((await app.call('POST', '/account/recovery-codes', { token, body: {} })).status, 'a program').toBe(401);
  });
});

describe('a session', () => {
  test('that was planted before signing in is not adopted, and one that was there is ended', async () => {
    app.clock.now += 30_000;
    const planted = `daybook_session=${'A'.repeat(43)}`;
    const first = await signIn(app, robin, { cookie: planted });
    const cookie = cookieOf(first);
    expect(cookie).not.toBe(planted);
    expect((await me(planted)).status).toBe(401);
    app.clock.now += 30_000;
    const second = cookieOf(await signIn(app, robin, { cookie: cookie ?? '' }));
    expect(second).not.toBe(cookie);
    expect((await me(cookie)).status, 'the one before').toBe(401);
    expect((await me(second)).status).toBe(200);
  });

  test('ends when it is signed out, not used for long, or its person is disabled', async () => {
    const person = await withPassword(app, 'ending@harbor.example');
    const begin = async () => {
      app.clock.now += 30_000;
      return cookieOf(await signIn(app, person)) ?? '';
    };
    const signedOut = await begin();
    expect((await asPerson(app, signedOut, '/v2/chain/sign-out')).status).toBe(200);
    expect((await me(signedOut)).status, 'replayed').toBe(401);
    const idle = await begin();
    app.clock.now += 31 * 60_000;
    expect((await me(idle)).status, 'expired').toBe(401);
    // Background reads of a page do not keep it alive; requests of a person do.
    const [watched, used] = [await begin(), await begin()];
    const unattended = (cookie: string) =>
      app.call('GET', '/v2/chain/session', { headers: { cookie, 'daybook-background': '1' } });
    app.clock.now += 20 * 60_000;
    expect([(await unattended(watched)).status, (await me(used)).status]).toEqual([200, 200]);
    app.clock.now += 11 * 60_000;
    expect([(await unattended(watched)).status, (await unattended(used)).status]).toEqual([401, 200]);
    const last = await begin();
    expect((await me(last)).status).toBe(200);
    await app.access.disableUser(app.organizationId, person.userId);
    expect((await me(last)).status, 'disabled').toBe(401);
    expect((await signIn(app, person)).status).toBe(401);
  });

  test('whose former secret is used after the rotation is taken for stolen, and ends for both', async () => {
    const person = await withPassword(app, 'stolen@harbor.example');
    const stolen = cookieOf(await signIn(app, person)) ?? '';
    app.clock.now += 11 * 60_000;
    const renewed = cookieOf(await me(stolen)) ?? '';
    expect(renewed).not.toBe(stolen);
    expect((await me(renewed)).status).toBe(200);
    app.clock.now += 2 * 60_000;
    expect((await me(stolen)).status).toBe(401);
    expect((await me(renewed)).status).toBe(401);
  });
});

describe('an invitation', () => {
  test('is used once, and what the person had before is gone', async () => {
    const person = await withPassword(app, 'again@harbor.example');
    const before = cookieOf(await signIn(app, person)) ?? '';
    const { token = '' } = (await app.access.inviteUser(app.organizationId, person.userId)) ?? {};
    const { body } = await post(app, '/invitation/codes', { token });
    const secret = fromBase32(body.data.secret);
    const accept = () =>
      post(app, '/invitation/password', {
        token,
        step: body.data.step,
        password: 'other words entirely',
        code: codeNow(app, secret),
      });
    const both = await Promise.all([accept(), accept()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    app.clock.now += 60_000;
    expect((await signIn(app, person)).status, 'the former password').toBe(401);
    expect((await me(before)).status, 'the former session').toBe(401);
  });

  test('a weak password and a wrong code are told where they are, and the invitation stays', async () => {
    const { token } = await invite(app, 'weak@harbor.example', 'Sam Weaver');
    const { body } = await post(app, '/invitation/codes', { token });
    const { step } = body.data;
    const code = codeNow(app, fromBase32(body.data.secret));
    const weak = await post(app, '/invitation/password', { token, step, password: 'password12345', code });
    expect([weak.status, weak.body.errors]).toEqual([422, [expect.objectContaining({ pointer: '/password' })]]);
    const wrong = await post(app, '/invitation/password', { token, step, password: PASSWORD, code: '000000' });
    expect([wrong.status, wrong.body.errors]).toEqual([422, [expect.objectContaining({ pointer: '/code' })]]);
    expect((await post(app, '/invitation/password', { token, step, password: PASSWORD, code })).status).toBe(200);
  });

  test('the secret of another invitation is not accepted, and a step ends after ten minutes', async () => {
    const [one, other] = [await invite(app, 'one@harbor.example'), await invite(app, 'two@harbor.example')];
    const { body } = await post(app, '/invitation/codes', { token: one.token });
    const secret = fromBase32(body.data.secret);
    const accept = (token: string) =>
      post(app, '/invitation/password', {
        token,
        step: body.data.step,
        password: PASSWORD,
        code: codeNow(app, secret),
      });
    expect((await accept(other.token)).status).toBe(404);
    app.clock.now += 10 * 60_000;
    expect((await accept(one.token)).status).toBe(404);
  });
});

describe('the account', () => {
  test('changes need a sign-in within five minutes, end the other sessions, and go on in a new one', async () => {
    const person = await withPassword(app, 'changing@harbor.example');
    const other = cookieOf(await signIn(app, person)) ?? '';
    app.clock.now += 30_000;
    const cookie = cookieOf(await signIn(app, person)) ?? '';
    app.clock.now += 5 * 60_000 + 1;
    const late = await asPerson(app, cookie, '/account/recovery-codes');
    expect([late.status, late.body.code]).toEqual([403, 'proof_required']);
    app.clock.now += 30_000;
    const fresh = cookieOf(await signIn(app, person)) ?? '';
    const done = await asPerson(app, fresh, '/account/recovery-codes');
    expect(done.body.data.recoveryCodes).toHaveLength(10);
    expect(done.body.data.recoveryCodes).not.toContain(person.recoveryCodes[0]);
    const next = cookieOf(done);
    expect((await me(next)).status).toBe(200);
    for (const ended of [other, cookie, fresh]) expect((await me(ended)).status).toBe(401);
    const former = { email: person.email, password: PASSWORD, code: person.recoveryCodes[0] };
    expect((await post(app, '/sign-in/password', former)).status, 'a former recovery code').toBe(401);
  });

  test('the last means cannot be removed', async () => {
    const person = await withPassword(app, 'last@harbor.example');
    const cookie = cookieOf(await signIn(app, person)) ?? '';
    const answer = await asPerson(app, cookie, '/account/remove-password');
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect((await me(cookie)).status, 'nothing has ended').toBe(200);
    app.clock.now += 30_000;
    expect((await signIn(app, person)).status).toBe(200);
  });
});

test('steps are sealed, and expired ones are dropped', async () => {
  const { token } = await invite(app, 'sealed@harbor.example');
  await post(app, '/invitation/codes', { token });
  const rows = await app.db.query<{ sealed: Buffer }>('SELECT sealed FROM sign_in_steps');
  expect(rows.length).toBeGreaterThan(0);
  for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toMatch(/userId|challenge|secret/);
  app.clock.now += 11 * 60_000;
  await post(app, '/invitation/codes', { token });
  expect(await app.db.query('SELECT 1 FROM sign_in_steps WHERE expires_at <= $1', [new Date(app.clock.now)])).toEqual(
    [],
  );
});

test('nothing that was typed is in the log', () => {
  const log = app.logged.join('\n');
  expect(log.length).toBeGreaterThan(1_000);
  for (const word of [PASSWORD, 'harbor.example', robin.secret.toString('base64'), ...robin.recoveryCodes]) {
    expect(log.includes(word), word).toBe(false);
  }
});
