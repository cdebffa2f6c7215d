/** A change of the account began a session with a proof and a lifetime of its own: one change every five minutes kept both up for ever. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { follow, testProvider } from '../support/oidc.ts';
import { passkeyFor } from '../support/passkey.ts';
import { asPerson, codeNow, cookieOf, fromBase32, PASSWORD, post, signIn, withPassword } from '../support/sign-in.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
}, 60_000);
afterAll(() => app.close());

const me = (cookie: string) => app.call('GET', '/v2/chain/session', { headers: { cookie } });
const MINUTE = 60_000;

/** Each change that a person can make of how they sign in. */
const CHANGES: Record<string, (cookie: string) => ReturnType<typeof asPerson>> = {
  'new recovery codes': (cookie) => asPerson(app, cookie, '/account/recovery-codes'),
  'a new password': async (cookie) => {
    const { body } = await asPerson(app, cookie, '/account/codes');
    const code = codeNow(app, fromBase32(body.data?.secret ?? ''));
    return asPerson(app, cookie, '/account/password', {
      step: body.data?.step ?? 'x'.repeat(43),
      password: PASSWORD,
      code,
    });
  },
  'a removed passkey': async (cookie) => {
    const { body } = await me(cookie);
    await app.db.query('DELETE FROM passkeys WHERE user_id = $1', [body.data?.userId ?? '']);
    const { id } = await passkeyFor(app, body.data?.userId ?? '');
    return asPerson(app, cookie, '/account/remove-passkey', { passkeyId: id.toString('base64url') });
  },
};

test.each(Object.keys(CHANGES))('%s renews neither the proof nor the end of the session', async (name) => {
  const change = CHANGES[name] as (typeof CHANGES)[string];
  const person = await withPassword(app, `${name.replaceAll(' ', '-')}@harbor.example`);
  let cookie = cookieOf(await signIn(app, person)) ?? '';
  const { endsAt } = (await me(cookie)).body.data;
  app.clock.now += 4 * MINUTE;
  const done = await change(cookie);
  expect(done.status, done.text).toBe(200);
  cookie = cookieOf(done) ?? '';
  expect((await me(cookie)).body.data.endsAt, 'the end').toBe(endsAt);
  app.clock.now += MINUTE + 1;
  const late = await change(cookie);
  expect(['proof_required', 422], 'five minutes after signing in').toContain(late.body.code ?? late.status);
  expect((await asPerson(app, cookie, '/account/recovery-codes')).body.code).toBe('proof_required');
  while (app.clock.now < Date.parse(endsAt) - 20 * MINUTE) {
    app.clock.now += 20 * MINUTE;
    cookie = cookieOf(await me(cookie)) ?? cookie;
  }
  expect((await me(cookie)).status).toBe(200);
  app.clock.now = Date.parse(endsAt) + 1;
  expect((await me(cookie)).status, 'over in any case').toBe(401);
});

test('a provider that signs in without a question proves nothing anew; asked to, it says when it has asked', async () => {
  const callback = `${app.url}/sign-in/callback/${app.organizationId}`;
  const provider = await testProvider([callback]);
  try {
    await app.call('POST', '/v2/chain/identity-provider', {
      token: await app.token(),
      key: app.credentials.apiKey,
      body: { issuer: provider.issuer, ...provider.client },
    });
    await withPassword(app, 'silent@harbor.example');
    provider.accounts.set('silent', { email: 'silent@harbor.example', email_verified: true });
    provider.signsIn.accountId = 'silent';
    // The provider has a clock of its own, which is the machine's.
    app.clock.now = Date.now();
    const enter = async (again: boolean) => {
      const left = await post(app, '/sign-in/provider', { organizationId: app.organizationId, again });
      const cookie = cookieOf(left, 'daybook_sign_in') ?? '';
      const url = new URL(left.body.data.url);
      expect(url.searchParams.get('max_age')).toBe(again ? '300' : null);
      const at = await follow(url.href, callback);
      const arrived = await post(app, at.pathname, { query: at.search.slice(1) }, { cookie });
      expect(arrived.status, arrived.text).toBe(200);
      return cookieOf(arrived) ?? '';
    };
    const silent = await asPerson(app, await enter(false), '/account/recovery-codes');
    expect(silent.body.code, 'it does not say when').toBe('proof_required');
    const proven = await asPerson(app, await enter(true), '/account/recovery-codes');
    expect(proven.status, proven.text).toBe(200);
  } finally {
    provider.close();
  }
});
