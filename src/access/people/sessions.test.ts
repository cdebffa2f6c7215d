import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { TRAIL } from '../../../test/support/trail.ts';
import { type Access, type Caller, openAccess } from '../access.ts';
import type { Denial } from '../refused.ts';

const MINUTE = 60_000;
let database: TestDatabase;
let organizationId: string;
let now = Date.UTC(2026, 0, 15, 12);
let millis = 0;
let access: Access;
let other: Access;

const open = () =>
  openAccess({ db: database.db, clock: () => now, secret: new Uint8Array(32).fill(7), monotonic: () => millis });
const pass = (ms: number) => {
  now += ms;
  millis += ms;
};

beforeAll(async () => {
  database = await testDatabase();
  [access, other] = [open(), open()];
  organizationId = (await access.createOrganization('Harbor')).organizationId;
});
afterAll(() => database.drop());

let people = 0;
async function person(roles = ['agent']): Promise<string> {
  people += 1;
  const made = await access.createUser(organizationId, { email: `p${people}@example.com`, name: 'A Person', roles });
  await access.people.change((tx) => access.people.accept(tx, made.token));
  return made.userId;
}

async function begun(userId: string): Promise<{ sessionId: string; secret: string; endsAt: number }> {
  const session = await access.people.begin(userId, { method: 'password', requestId: 'r' });
  if (session === null) throw new Error('No session.');
  return session;
}

/** Used by its holder, and stored as such. */
async function confirmed(secret: string): Promise<void> {
  await access.sessions.used((await admit(secret)) as Caller, secret);
  const isStored = async () => {
    const [row] = await database.db.query('SELECT 1 FROM sessions WHERE secret_hash = sha256($1) AND confirmed', [
      Buffer.from(secret),
    ]);
    return row !== undefined;
  };
  await expect.poll(isStored).toBe(true);
}

const admit = async (secret: string, by = access): Promise<Caller | Denial> =>
  by.sessions.admit({ secret, address: () => '192.0.2.1' });
const ENDED = { denied: 'bad_session' };
const audited = async (operation: string) =>
  database.db.query<{ user_id: string; key_id: string; subject: string; client_id: string }>(
    `SELECT user_id, key_id, subject, client_id FROM ${TRAIL} WHERE operation = $1 ORDER BY at, entry_id`,
    [operation],
  );

describe('a session', () => {
  test('is a caller with the scopes and limits of the roles, and is admitted at once when it is cached', async () => {
    const userId = await person(['agent', 'accountant']);
    const { secret, sessionId } = await begun(userId);
    const caller = (await admit(secret)) as Caller;
    expect(caller).toMatchObject({ userId, organizationId, keyId: sessionId, clientName: 'Console' });
    expect([...caller.scopes]).toEqual([
      'loans:read',
      'loans:read_pii',
      'payments:write',
      'servicing:write',
      'reports:read',
      'books:write',
      'events:read',
    ]);
    expect(caller.limits).toMatchObject({ 'waive-fee': 5000, settle: 0 });
    expect(access.sessions.admit({ secret, address: () => '' })).toBe(caller);
    expect((await audited('sign-in')).at(-1)).toMatchObject({
      user_id: userId,
      key_id: sessionId,
      subject: 'password',
    });
  });

  test('ends when it is not used, and in any case after twelve hours', async () => {
    const userId = await person();
    const { secret } = await begun(userId);
    pass(29 * MINUTE);
    const caller = (await admit(secret)) as Caller;
    await access.sessions.used(caller, secret);
    expect(await admit((await begun(userId)).secret)).toMatchObject({ userId });
    const idle = await begun(userId);
    await admit(idle.secret);
    pass(31 * MINUTE);
    expect(await admit(idle.secret)).toEqual(ENDED);
    let kept = (await begun(userId)).secret;
    for (let i = 0; i < 12 * 6; i += 1) {
      const used = (await admit(kept)) as Caller;
      kept = (await access.sessions.used(used, kept)) ?? kept;
      pass(10 * MINUTE);
    }
    expect(await admit(kept)).toEqual(ENDED);
  });

  test('gets a new secret after ten minutes; the one before is accepted for a minute, and ends the session after that', async () => {
    const userId = await person();
    const { secret, sessionId } = await begun(userId);
    expect(await access.sessions.used((await admit(secret)) as Caller, secret)).toBeNull();
    // In the other process it is cached, too.
    await admit(secret, other);
    pass(10 * MINUTE);
    const next = await access.sessions.used((await admit(secret)) as Caller, secret);
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(next).not.toBe(secret);
    for (const one of [access, other]) {
      const late = (await admit(secret, one)) as Caller;
      expect(late).toMatchObject({ userId });
      expect(await one.sessions.used(late, secret)).toBeNull();
      expect(await admit(next as string, one)).toMatchObject({ userId });
    }
    await confirmed(next as string);
    pass(61_000);
    expect(await admit(next as string)).toMatchObject({ userId });
    expect(await admit(secret, other)).toEqual(ENDED);
    expect(await admit(next as string, other)).toEqual(ENDED);
    pass(1_000);
    expect(await admit(next as string)).toEqual(ENDED);
    expect((await audited('stolen-session')).at(-1)).toMatchObject({ user_id: userId, key_id: sessionId });
  });

  test('an answer that is under way with the secret before ends, and the session does not', async () => {
    const userId = await person();
    const { secret, sessionId } = await begun(userId);
    const readmit = () => access.sessions.readmit({ secret, address: () => '203.0.113.9' });
    expect(await readmit()).toMatchObject({ userId });
    pass(10 * MINUTE);
    const next = (await access.sessions.used((await admit(secret)) as Caller, secret)) as string;
    await confirmed(next);
    expect(await readmit()).toMatchObject({ userId });
    pass(61_000);
    expect(await readmit()).toEqual(ENDED);
    pass(1_000);
    expect(await admit(next)).toMatchObject({ userId });
    expect((await audited('stolen-session')).filter(({ key_id }) => key_id === sessionId)).toEqual([]);
  });

  test('whose new secret was lost on the way gets another; the lost one ends the session', async () => {
    const userId = await person();
    const { secret, sessionId } = await begun(userId);
    pass(10 * MINUTE);
    const lost = await access.sessions.used((await admit(secret)) as Caller, secret);
    pass(5 * MINUTE);
    const late = (await admit(secret, other)) as Caller;
    expect(late).toMatchObject({ userId });
    const next = (await other.sessions.used(late, secret)) as string;
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(next).not.toBe(lost);
    // It may be lost again.
    pass(2 * MINUTE);
    const again = (await access.sessions.used((await admit(secret)) as Caller, secret)) as string;
    await confirmed(again);
    pass(2 * MINUTE);
    expect(await admit(again)).toMatchObject({ userId });
    // Somebody else has got the answer that was lost.
    expect(await admit(next)).toEqual(ENDED);
    pass(1_000);
    expect(await admit(again)).toEqual(ENDED);
    expect((await audited('stolen-session')).at(-1)).toMatchObject({ user_id: userId, key_id: sessionId });
  });

  test('of two requests at the moment of rotation, one gets the new secret', async () => {
    const userId = await person();
    const { secret } = await begun(userId);
    pass(10 * MINUTE);
    const [one, two] = await Promise.all([admit(secret), admit(secret, other)]);
    const rotated = await Promise.all([
      access.sessions.used(one as Caller, secret),
      other.sessions.used(two as Caller, secret),
    ]);
    expect(rotated.filter((next) => next !== null)).toHaveLength(1);
  });

  test.each([
    ['signing out', (userId: string, sessionId: string) => access.people.end(sessionId, 'signed_out', userId)],
    ['signing out everywhere', (userId: string) => access.people.endAll(userId)],
    ['the administrator who ends all sessions', (userId: string) => access.endSessions(organizationId, userId)],
    ['disabling', (userId: string) => access.disableUser(organizationId, userId)],
  ])('ends by %s, in another process within a second', async (_what, ends) => {
    const userId = await person();
    const { secret, sessionId } = await begun(userId);
    expect(await admit(secret, other)).toMatchObject({ userId });
    await ends(userId, sessionId);
    expect(await admit(secret)).toEqual(ENDED);
    pass(1_000);
    expect(await admit(secret, other)).toEqual(ENDED);
  });

  test('has other scopes a second after the roles have changed, or the own role', async () => {
    const userId = await person();
    const { secret } = await begun(userId);
    await admit(secret, other);
    await access.putRole(organizationId, { name: 'clerk', scopes: ['reports:read'], limits: {} });
    await access.updateUser(organizationId, userId, { roles: ['clerk'] });
    pass(1_000);
    expect([...((await admit(secret, other)) as Caller).scopes]).toEqual(['reports:read']);
    await access.putRole(organizationId, { name: 'clerk', scopes: ['audit:read'], limits: {} });
    pass(1_000);
    expect([...((await admit(secret, other)) as Caller).scopes]).toEqual(['audit:read']);
  });

  test('invented secrets are limited by address, and those of sessions are not', async () => {
    const userId = await person();
    const { secret } = await begun(userId);
    await admit(secret);
    const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => admit(String(i).padStart(43, 'x'))));
    expect(answers.filter((answer) => 'denied' in answer && answer.denied === 'bad_session').length).toBe(100);
    expect(answers.at(-1)).toMatchObject({ denied: 'too_many_failures' });
    await access.updateUser(organizationId, userId, { name: 'Another Name' });
    expect(await admit(secret)).toMatchObject({ userId });
    expect(await admit('too short')).toEqual(ENDED);
  });

  test('of one person there are twenty at most, and old ones are forgotten', async () => {
    const userId = await person();
    const first = await begun(userId);
    pass(1);
    const others = [];
    for (let i = 0; i < 19; i += 1) others.push(await begun(userId));
    expect(await admit(first.secret)).toMatchObject({ userId });
    pass(1);
    await begun(userId);
    expect(await admit(first.secret)).toEqual(ENDED);
    for (const { secret } of others) expect(await admit(secret)).toMatchObject({ userId });
    pass(31 * 24 * 60 * MINUTE);
    await begun(userId);
    const left = await database.db.query('SELECT 1 FROM sessions WHERE user_id = $1', [userId]);
    expect(left).toHaveLength(1);
  });

  test('the one that begins is never ended as one too many, also where all began at the same moment', async () => {
    const userId = await person();
    for (let i = 0; i < 30; i += 1) {
      const { secret } = await begun(userId);
      expect(await admit(secret)).toMatchObject({ userId });
    }
  });

  test('cannot begin for someone who is disabled or was never there', async () => {
    const userId = await person();
    await access.disableUser(organizationId, userId);
    expect(await access.people.begin(userId, { method: 'password', requestId: 'r' })).toBeNull();
    expect(await access.people.begin('user_none', { method: 'password', requestId: 'r' })).toBeNull();
  });

  test('nobody gets a token for the console', async () => {
    await person();
    const console = (await access.listClients(organizationId, { limit: 100, cursor: null }))?.items.find(
      ({ kind }) => kind === 'console',
    );
    const clientId = console?.clientId ?? '';
    expect(console).toMatchObject({ name: 'Console', scopes: [], keys: [], status: 'active' });
    expect(
      await access.issueToken({
        clientId,
        clientSecret: 'x'.repeat(40),
        address: '192.0.2.9',
        issuer: 'https://loans.example',
      }),
    ).toEqual({
      denied: 'bad_credentials',
    });
    for (const change of [
      () => access.rotateClient(organizationId, clientId, { what: 'both' }),
      () => access.updateClient(organizationId, clientId, { name: 'Mine' }),
      () => access.createKey(organizationId, clientId),
      () => access.revokeClient(organizationId, clientId),
    ]) {
      await expect(change()).rejects.toMatchObject({ name: 'AccessRefused', code: 'conflict' });
    }
  });
});
