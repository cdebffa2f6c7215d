/**
 * The guard against guessing counted an address at a network, whatever the organization, and one success cleared it: with an own account of
 * the same address elsewhere one could guess for ever; so one could over many addresses, and over many networks.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { codeAt } from '../../src/access/people/time-codes.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { passkeyFor, signInWithPasskey } from '../support/passkey.ts';
import {
  asPerson,
  codeNow,
  cookieOf,
  fromBase32,
  PASSWORD,
  post,
  type Signed,
  withPassword,
} from '../support/sign-in.ts';
import { TRAIL } from '../support/trail.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let app: TestApp;
let otherId: string;

beforeAll(async () => {
  app = await testApp({ TRUST_PROXY: 'true' });
  otherId = (await app.access.createOrganization('Another lender')).organizationId;
}, 60_000);
afterAll(() => app.close());

let networks = 0;
/** A network that nobody has used before. */
const network = () => {
  networks += 1;
  return { 'x-forwarded-for': `10.1.${networks >> 8}.${networks & 255}` };
};

type Guess = {
  email: string;
  organizationId?: string;
  headers?: Record<string, string>;
  password?: string;
  code?: string;
};
const guess = ({
  email,
  organizationId = app.organizationId,
  headers = {},
  password = 'not it at all',
  code = '000000',
}: Guess) => post(app, '/sign-in/password', { email, password, code, organizationId }, headers);
const enter = ({ email, secret }: Signed, more: Partial<Guess> = {}) =>
  guess({ email, password: PASSWORD, code: codeNow(app, secret), ...more });
const statuses = (answers: Answered[]) => answers.map(({ status }) => status);

/** Days until nothing is counted any more: the wrong attempts, for the accounts of one test, which has a clock of its own. */
const counted = async () =>
  (
    await app.db.query<{ days: number; locked: boolean }>(
      `SELECT round(extract(epoch FROM forgotten_at - $1) / 86400)::int AS days, locked_at IS NOT NULL AS locked
         FROM sign_in_failures WHERE forgotten_at > $1 OR locked_at IS NOT NULL ORDER BY 1`,
      [new Date(app.clock.now)],
    )
  ).map(({ days, locked }) => (locked ? 'locked' : days));
const forgetAll = () => app.db.query('DELETE FROM sign_in_failures');
/** As if so many had come before, for every account that has one. */
const addAttempts = (failures: number) =>
  app.db.query(`UPDATE sign_in_failures SET forgotten_at = forgotten_at + $1::int * interval '24 hours'`, [failures]);

test('72 guesses at one person, with an own account of the same address between them, meet the wait', async () => {
  const email = 'robin@harbor.example';
  await withPassword(app, email);
  const own = await ownAccount(email);
  const at = network();
  const answers: number[] = [];
  for (let i = 0; i < 72 && !answers.includes(429); i += 1) {
    if (i % 9 === 0) {
      app.clock.now += 30_000;
      expect((await enter(own, { organizationId: otherId, headers: at })).status, 'the own account').toBe(200);
    }
    answers.push((await guess({ email, headers: at })).status);
  }
  expect(answers).toEqual([...Array<number>(10).fill(401), 429]);
});

async function ownAccount(email: string): Promise<Signed> {
  const { token, userId } = await app.access.createUser(otherId, { email, name: 'Somebody Else', roles: ['agent'] });
  const begun = await post(app, '/invitation/codes', { token });
  const secret = fromBase32(begun.body.data.secret);
  const { step } = begun.body.data;
  await post(app, '/invitation/password', { token, step, password: PASSWORD, code: codeNow(app, secret) });
  app.clock.now += 60_000;
  return { userId, email, secret, recoveryCodes: [], cookie: '' };
}

test('72 guesses from one network over addresses and organizations meet 429, and no success there clears that', async () => {
  const known = await withPassword(app, 'clears@harbor.example');
  const at = network();
  expect((await enter(known, { headers: at })).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 72 }, (_, i) =>
      guess({
        email: `spread${i % 36}@harbor.example`,
        organizationId: i % 2 ? otherId : app.organizationId,
        headers: at,
      }),
    ),
  );
  const count = (wanted: number) => statuses(answers).filter((status) => status === wanted).length;
  expect([count(401), count(429)]).toEqual([30, 42]);
  // The clock stands still, so that nothing comes back; a code may be one step early.
  const code = codeAt(known.secret, Math.floor(app.clock.now / 30_000) + 1);
  const refused = await enter(known, { headers: at, code });
  expect([refused.status, refused.headers.get('retry-after')], 'everybody at that network').toEqual([429, '2']);
  expect((await enter(known, { headers: network(), code })).status, 'and nobody elsewhere').toBe(200);
});

describe('an account over many networks', () => {
  /** Guesses so often, each time from another network. */
  const attack = async (email: string, times: number) => {
    const answers: Answered[] = [];
    for (let i = 0; i < times; i += 1) answers.push(await guess({ email, headers: network() }));
    return answers;
  };
  const seen = ({ status, headers, text }: Answered) => ({
    status,
    text: text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'),
    headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'daybook-request-id'].includes(name)),
  });

  async function locked(email: string): Promise<Signed> {
    const person = await withPassword(app, email);
    await forgetAll();
    await attack(email, 2);
    await addAttempts(98);
    await attack(email, 1);
    return person;
  }

  test('has a hundred attempts; then no password is accepted, in the same words for an address of nobody', async () => {
    const person = await withPassword(app, 'many@harbor.example');
    await forgetAll();
    for (const email of [person.email, 'nobody-many@harbor.example']) {
      expect(statuses(await attack(email, 2))).toEqual([401, 401]);
    }
    await addAttempts(97);
    for (const email of [person.email, 'nobody-many@harbor.example']) {
      expect(statuses(await attack(email, 1)), 'the hundredth').toEqual([401]);
    }
    expect(await counted()).toEqual([100, 100]);
    app.clock.now += 30_000;
    const right = await enter(person, { headers: network() });
    const [nobody] = await attack('nobody-many@harbor.example', 1);
    expect(right.status).toBe(429);
    expect(right.body).toMatchObject({ code: 'too_many_failures', retryable: false });
    expect(right.body.detail).toMatch(/passkey.*new invitation/);
    expect(nobody && seen(nobody), 'nobody’s').toEqual(seen(right));
    expect(await counted()).toEqual(['locked', 'locked']);
    await app.signIn.settled();
    const trail = await app.db.query(
      `SELECT outcome, subject FROM ${TRAIL} WHERE user_id = $1 AND operation = 'sign-in' AND outcome = 'too_many_failures'`,
      [person.userId],
    );
    expect(trail, 'told once').toEqual([{ outcome: 'too_many_failures', subject: 'password' }]);
  });

  slowTest('a hundred for real', async () => {
    const person = await withPassword(app, 'hundred@harbor.example');
    await forgetAll();
    expect(new Set(statuses(await attack(person.email, 100)))).toEqual(new Set([401]));
    expect(statuses(await attack(person.email, 1))).toEqual([429]);
  });

  test('many at once get no more than are left', async () => {
    const { email } = await withPassword(app, 'at-once@harbor.example');
    await forgetAll();
    await attack(email, 1);
    await addAttempts(94);
    const answers = await Promise.all(Array.from({ length: 20 }, () => guess({ email, headers: network() })));
    expect(statuses(answers).filter((status) => status === 401)).toHaveLength(5);
    expect(statuses(answers).filter((status) => status === 429)).toHaveLength(15);
  });

  test('the lock outlives the process, does not end with time, and other accounts of the address have none', async () => {
    const person = await locked('outlives@harbor.example');
    const own = await ownAccount(person.email);
    const again = await testApp({ TRUST_PROXY: 'true' }, async () => ({ db: app.db, drop: async () => {} }));
    try {
      again.clock.now = app.clock.now + 400 * 24 * 3_600_000;
      const body = { email: person.email, password: PASSWORD, code: codeNow(again, person.secret) };
      const answer = await post(again, '/sign-in/password', { ...body, organizationId: app.organizationId });
      expect(answer.status, answer.text).toBe(429);
    } finally {
      await again.close().catch(() => {});
    }
    expect((await enter(own, { organizationId: otherId, headers: network() })).status).toBe(200);
  });

  test('a passkey is accepted all the same, and a new password set with it', async () => {
    const person = await locked('passkey@harbor.example');
    const passkey = await passkeyFor(app, person.userId);
    const crowded = network();
    for (let i = 0; i < 70; i += 1) await post(app, '/sign-in/passkey-options', {}, crowded);
    expect((await signInWithPasskey(app, passkey, crowded)).status, 'whatever others do at that network').toBe(200);
    const entered = await signInWithPasskey(app, passkey, network());
    expect(entered.status, entered.text).toBe(200);
    const cookie = cookieOf(entered) ?? '';
    const begun = await asPerson(app, cookie, '/account/codes');
    const secret = fromBase32(begun.body.data.secret);
    const set = { step: begun.body.data.step, password: PASSWORD, code: codeNow(app, secret) };
    const done = await asPerson(app, cookie, '/account/password', set);
    expect(done.status, done.text).toBe(200);
    app.clock.now += 60_000;
    expect((await enter({ ...person, secret }, { headers: network() })).status).toBe(200);
  });

  test('a new invitation helps', async () => {
    const person = await locked('invited@harbor.example');
    const { token = '' } = (await app.access.inviteUser(app.organizationId, person.userId)) ?? {};
    const { body } = await post(app, '/invitation/codes', { token });
    const secret = fromBase32(body.data.secret);
    const accept = { token, step: body.data.step, password: PASSWORD, code: codeNow(app, secret) };
    expect((await post(app, '/invitation/password', accept)).status).toBe(200);
    app.clock.now += 60_000;
    expect((await enter({ ...person, secret }, { headers: network() })).status).toBe(200);
  });

  test('a success gives back what failed at its own network, and nothing else', async () => {
    const person = await withPassword(app, 'own@harbor.example');
    await forgetAll();
    const home = network();
    await attack(person.email, 3);
    for (let i = 0; i < 2; i += 1) await guess({ email: person.email, headers: home });
    expect(await counted()).toEqual([5]);
    app.clock.now += 30_000;
    expect((await enter(person, { headers: home })).status).toBe(200);
    expect(await counted()).toEqual([3]);
    app.clock.now += 2 * 24 * 3_600_000;
    expect(await counted(), 'one comes back each day').toEqual([1]);
  });
});
