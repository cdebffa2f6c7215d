/** Links of invitations could be guessed, and invitations mailed, without an end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { invite, post } from '../support/sign-in.ts';
import { mailServer, type TestMailServer } from '../support/smtp.ts';

let app: TestApp;
let mail: TestMailServer;
beforeAll(async () => {
  mail = await mailServer();
  app = await testApp({ TRUST_PROXY: 'true', SMTP_URL: mail.url, MAIL_FROM: 'loans@bank.example' });
}, 60_000);
afterAll(async () => {
  await app.close();
  await mail.close();
});

const from = (address: string) => ({ 'x-forwarded-for': address });

test('whoever guesses links has thirty at once, over all requests of the page; others go on', async () => {
  const { token } = await invite(app, 'invited@harbor.example');
  const at = from('198.51.100.1');
  const paths = ['/invitation/person', '/invitation/codes', '/invitation/passkey-options', '/invitation/provider'];
  const statuses: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    statuses.push((await post(app, paths[i % 4] ?? '', { token: `guess${i}` }, at)).status);
  }
  expect(statuses).toEqual([...Array(30).fill(404), ...Array(10).fill(429)]);
  const refused = await post(app, '/invitation/person', { token }, at);
  expect([refused.status, refused.headers.get('retry-after')], 'not even the right one').toEqual([429, '2']);
  expect((await post(app, '/invitation/person', { token }, from('198.51.100.2'))).status).toBe(200);
});

test('the holder of a link begins no more steps than others', async () => {
  const { token } = await invite(app, 'steps@harbor.example');
  const at = from('198.51.100.3');
  const begun = await Promise.all(
    Array.from({ length: 80 }, () => post(app, '/invitation/codes', { token }, at).then(({ status }) => status)),
  );
  expect(begun.filter((status) => status === 200)).toHaveLength(60);
  expect(begun.filter((status) => status === 429)).toHaveLength(20);
});

describe('mails', () => {
  const RECEIVED = /^RCPT TO:<(.*)>/;
  const received = (email: string) => mail.said.filter((line) => RECEIVED.exec(line)?.[1] === email).length;

  test('one person is mailed five at once; then the invitation is refused, and nothing changes', async () => {
    const token = await app.token();
    const key = app.credentials.apiKey;
    const body = { email: 'often@harbor.example', name: 'Often Asked', roles: ['agent'] };
    const made = await app.call('POST', '/v2/chain/users', { token, key, body });
    expect(made.body.data.sent, made.text).toBe(true);
    const { userId } = made.body.data;
    const again = () => app.call('POST', '/v2/chain/invite-user', { token, key, body: { userId } });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await again()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(received('often@harbor.example')).toBe(5);
    const count = () => app.db.query('SELECT count(*)::int AS n FROM invitations WHERE user_id = $1', [userId]);
    const before = await count();
    expect((await again()).body.code).toBe('rate_limited');
    expect(await count()).toEqual(before);
  });

  test('a sandbox counts for the organization that made it: the same address is not mailed five more times by each', async () => {
    const token = await app.token();
    const statuses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const { body: made } = await app.call('POST', '/v2/chain/sandboxes', { token, body: { name: `Box ${i}` } });
      const { clientId, clientSecret, apiKey: key } = made.data;
      const { body } = await app.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      const answer = await app.call('POST', '/v2/chain/users', {
        token: body.data.token,
        key,
        body: { email: 'bombed@harbor.example', name: 'Bombed', roles: ['agent'] },
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(received('bombed@harbor.example')).toBe(5);
  });

  test('an organization mails three hundred at once', async () => {
    const sent = Array.from({ length: 320 }, (_, i) =>
      app.signIn.mailWait({ organizationId: 'org_busy', email: `person${i}@harbor.example` }),
    );
    expect(sent.slice(0, 300)).toEqual(Array(300).fill(null));
    expect(sent.at(-1)).toEqual({ retryAfterSeconds: 10 });
    expect(app.signIn.mailWait({ organizationId: 'org_other', email: 'person1@harbor.example' })).toBeNull();
  });
});
