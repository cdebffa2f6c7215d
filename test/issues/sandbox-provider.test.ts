/** A sandbox's provider says who the people of the sandbox are, and never who live people are. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { follow, type TestProvider, testProvider } from '../support/oidc.ts';
import { cookieOf, post, withPassword } from '../support/sign-in.ts';

let app: TestApp;
let provider: TestProvider;
let sandbox: { organizationId: string; token: string; key: string };
const EMAIL = 'live@harbor.example';
const callbackOf = (organizationId: string) => `${app.url}/sign-in/callback/${organizationId}`;

beforeAll(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  const made = await app.call('POST', '/v2/chain/sandboxes', { token: await app.token(), body: { name: 'Rehearsal' } });
  const { organizationId, clientId, clientSecret, apiKey: key } = made.body.data;
  const { body } = await app.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  sandbox = { organizationId, token: body.data.token, key };
  provider = await testProvider([callbackOf(app.organizationId), callbackOf(organizationId)]);
  provider.accounts.set('live', { email: EMAIL, email_verified: true });
  provider.signsIn.accountId = 'live';
  await withPassword(app, EMAIL);
}, 60_000);
afterAll(async () => {
  provider.close();
  await app.close();
});

const set = (by: { token: string; key: string }, clientId: string) =>
  app.call('POST', '/v2/chain/identity-provider', {
    ...by,
    body: { issuer: provider.issuer, ...provider.client, clientId },
  });
const live = async () => ({ token: await app.token(), key: app.credentials.apiKey });

async function enter(organizationId: string, invitation?: string) {
  const [path, body] = invitation
    ? ['/invitation/provider', { token: invitation }]
    : ['/sign-in/provider', { organizationId }];
  const left = await post(app, path, body);
  if (left.status !== 200) return left;
  const at = await follow(left.body.data.url, callbackOf(organizationId));
  return post(app, at.pathname, { query: at.search.slice(1) }, { cookie: cookieOf(left, 'daybook_sign_in') ?? '' });
}

test('it signs in nobody of the live organization, and in the sandbox only the sandbox’s own person', async () => {
  expect((await set(sandbox, 'another')).status).toBe(200);
  expect((await enter(sandbox.organizationId)).status, 'a live person is none of the sandbox').toBe(401);
  const person = { email: EMAIL, name: 'Twin', roles: ['agent'] };
  const { userId, token } = await app.access.createUser(sandbox.organizationId, person);
  const entered = await enter(sandbox.organizationId, token);
  expect(entered.status, entered.text).toBe(200);
  const me = await app.call('GET', '/v2/chain/session', { headers: { cookie: cookieOf(entered) ?? '' } });
  expect(me.body.data).toMatchObject({ userId, organization: { organizationId: sandbox.organizationId } });
  expect((await enter(app.organizationId)).status, 'the live organization still has none').toBe(404);
});

test('an invitation of the live organization is not accepted by it', async () => {
  const newcomer = { email: 'newcomer@harbor.example', name: 'New', roles: ['administrator'] };
  const { token } = await app.access.createUser(app.organizationId, newcomer);
  provider.accounts.set('newcomer', { email: newcomer.email, email_verified: true });
  const left = await post(app, '/invitation/provider', { token });
  expect(left.status, 'the provider of the person’s own organization').toBe(404);
});

test('the client that live people sign in with is not the sandbox’s, whoever was first', async () => {
  expect((await set(sandbox, 'daybook')).status, 'before the live organization has it').toBe(200);
  expect((await set(await live(), 'daybook')).status).toBe(200);
  expect((await enter(sandbox.organizationId)).status, 'as if there were none').toBe(404);
  const refused = await set(sandbox, 'daybook');
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.detail).toContain('Register another client');
  expect((await enter(app.organizationId)).status).toBe(200);
  expect((await set(sandbox, 'another')).status).toBe(200);
  expect((await enter(sandbox.organizationId)).status).toBe(200);
});
