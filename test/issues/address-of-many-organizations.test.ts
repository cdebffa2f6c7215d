/**
 * Signing in looked for an address in ten organizations: whoever put somebody's address into ten of theirs, sandboxes too, locked them out,
 * and could tell from their own accounts whether others have the address.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { codeNow, fromBase32, PASSWORD, post, withPassword } from '../support/sign-in.ts';

const EMAIL = 'owner@harbor.example';
let app: TestApp;

/** An account with this address in an organization, made by its administrator, who sees the invitation. */
async function accountIn(organizationId: string, email = EMAIL) {
  const { token } = await app.access.createUser(organizationId, { email, name: 'Someone', roles: ['agent'] });
  const { body } = await post(app, '/invitation/codes', { token });
  const secret = fromBase32(body.data.secret);
  const { step } = body.data;
  const done = await post(app, '/invitation/password', { token, step, password: PASSWORD, code: codeNow(app, secret) });
  expect(done.status, done.text).toBe(200);
  return { organizationId, email, secret };
}

const enter = ({ email, secret }: { email: string; secret: Buffer }, organizationId?: string) =>
  post(app, '/sign-in/password', { email, password: PASSWORD, code: codeNow(app, secret), organizationId });

beforeAll(async () => {
  app = await testApp();
}, 60_000);
afterAll(() => app.close());

describe('an address that is put into many organizations', () => {
  test('by sandboxes: its owner signs in as before, and each sandbox by its own name', async () => {
    const token = await app.token();
    const sandboxes: Awaited<ReturnType<typeof accountIn>>[] = [];
    for (let i = 0; i < 12; i += 1) {
      const made = await app.call('POST', '/v2/chain/sandboxes', { token, body: { name: `Sandbox ${i}` } });
      sandboxes.push(await accountIn(made.body.data.organizationId));
    }
    // The oldest ones came first.
    app.clock.now += 1_000;
    const owner = await withPassword(app, EMAIL);
    expect((await enter(owner)).status, 'without naming the organization').toBe(200);
    const [first, last] = [sandboxes[0], sandboxes.at(-1)];
    if (first === undefined || last === undefined) throw new Error('No sandboxes.');
    expect((await enter(first)).status, 'a sandbox has to be named').toBe(401);
    expect((await enter(last, last.organizationId)).status).toBe(200);
    expect((await enter(last, first.organizationId)).status, 'and only its own').toBe(401);
  });

  test('by live organizations: everybody names theirs, and nothing tells of the others', async () => {
    const others: Awaited<ReturnType<typeof accountIn>>[] = [];
    for (let i = 0; i < 11; i += 1) {
      const { organizationId } = await app.access.createOrganization(`Lender ${i}`);
      others.push(await accountIn(organizationId, 'many@harbor.example'));
    }
    const owner = await withPassword(app, 'many@harbor.example');
    app.clock.now += 60_000;
    expect((await enter(owner, app.organizationId)).status, 'the owner').toBe(200);
    const statuses = await Promise.all(others.slice(0, 3).map((one) => enter(one, one.organizationId)));
    expect(
      statuses.map(({ status }) => status),
      'the others',
    ).toEqual([200, 200, 200]);

    const alone = await accountIn(others[0]?.organizationId ?? '', 'alone@harbor.example');
    app.clock.now += 60_000;
    const unnamed = await Promise.all([
      enter(owner),
      enter(alone),
      enter({ email: 'nobody@harbor.example', secret: owner.secret }),
    ]);
    for (const { status, body } of unnamed) {
      expect([status, body.errors?.[0]?.pointer], 'the same, whoever has the address').toEqual([
        422,
        '/organizationId',
      ]);
    }
    const [known, unknown] = await Promise.all([
      enter({ ...owner, secret: Buffer.alloc(20) }, app.organizationId),
      enter({ ...alone, secret: Buffer.alloc(20) }, app.organizationId),
    ]);
    expect([known?.status, known?.body.detail], 'in an organization that has it or not').toEqual([
      401,
      unknown?.body.detail,
    ]);
  });
});
