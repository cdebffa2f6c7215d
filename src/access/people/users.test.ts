import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { TRAIL } from '../../../test/support/trail.ts';
import { cents } from '../../core/money.ts';
import { type Access, type Caller, openAccess } from '../access.ts';
import type { Giver } from '../giving.ts';
import { SCOPES, type Scope } from '../scopes.ts';

let database: TestDatabase;
let access: Access;
let organizationId: string;
let now = Date.UTC(2026, 0, 15, 12);

beforeAll(async () => {
  database = await testDatabase();
  access = openAccess({ db: database.db, clock: () => now, secret: new Uint8Array(32).fill(7) });
});
beforeEach(async () => {
  organizationId = (await access.createOrganization('Harbor')).organizationId;
});
afterAll(() => database.drop());

let people = 0;
function email(): string {
  people += 1;
  return `person${people}@example.com`;
}
const add = async (roles: string[]): Promise<string> =>
  (await access.createUser(organizationId, { email: email(), name: 'A Person', roles })).userId;
async function active(roles: string[]): Promise<string> {
  const { userId, token } = await access.createUser(organizationId, { email: email(), name: 'A Person', roles });
  expect(await accept(token)).toMatchObject({ userId, status: 'active' });
  return userId;
}
const accept = (token: string, given = {}) => access.people.change((tx) => access.people.accept(tx, token, given));
const client = (scopes: readonly Scope[], keyId: string | null = 'key_x'): Giver => ({
  organizationId,
  clientId: 'client_x',
  scopes: new Set(scopes),
  keyId,
});
const personActing = (userId: string): Giver => ({ ...client(['admin', 'audit:read']), keyId: 'session_x', userId });
const conflict = (about: RegExp) => ({
  name: 'AccessRefused',
  code: 'conflict',
  message: expect.stringMatching(about),
});
const invalid = (member: string) => ({ name: 'AccessRefused', code: 'invalid', member });

describe('a person', () => {
  test('is found by address however it is typed, and stored sealed', async () => {
    const { userId, token } = await access.createUser(organizationId, {
      email: ' Dana.Reyes@Harbor.EXAMPLE ',
      name: 'Dana Reyes',
      roles: ['agent'],
    });
    expect(await access.people.byEmail('dana.reyes@harbor.example', organizationId)).toBeNull();
    await accept(token);
    for (const typed of ['dana.reyes@harbor.example', 'DANA.REYES@harbor.example ', 'ｄana.reyes@harbor.example']) {
      expect(await access.people.byEmail(typed, organizationId), typed).toMatchObject({
        ...{ userId, organizationId, organizationName: 'Harbor' },
        ...{ email: 'Dana.Reyes@Harbor.EXAMPLE', name: 'Dana Reyes' },
      });
    }
    const [row] = await database.db.query<{ text: string }>('SELECT u::text AS text FROM users u WHERE user_id = $1', [
      userId,
    ]);
    expect(row?.text).not.toMatch(/dana|reyes|harbor/i);
    expect(row?.text).not.toContain(Buffer.from('Dana').toString('hex'));
  });

  test('has an address that is unique in the organization, and says nothing of other organizations', async () => {
    const person = { email: email(), name: 'A Person', roles: ['agent'] };
    const here = await access.createUser(organizationId, person);
    const other = (await access.createOrganization('Bay')).organizationId;
    const there = await access.createUser(other, person);
    expect(Object.keys(there)).toEqual(Object.keys(here));
    await expect(
      access.createUser(organizationId, { ...person, email: person.email.toUpperCase() }),
    ).rejects.toMatchObject(conflict(/this e-mail/));
    expect(await access.people.byId(there.userId)).toMatchObject({ organizationId: other });
    expect(await access.updateUser(organizationId, there.userId, { name: 'Mine' })).toBeNull();
    expect(await access.disableUser(organizationId, there.userId)).toBeNull();
    expect(await access.inviteUser(organizationId, there.userId)).toBeNull();
    expect(await access.endSessions(organizationId, there.userId)).toBeNull();
    expect((await access.listUsers(organizationId, { limit: 100, cursor: null }))?.items).toHaveLength(1);
  });

  test.each([
    '',
    'nobody',
    'a@b@c',
    'a b@c.example',
    'a@b\n.example',
    'a,b@c.example',
    '<a@c.example>',
    `${'a'.repeat(300)}@b.example`,
  ])('has an e-mail address: not %j', async (wrong) => {
    const refused = access.createUser(organizationId, { email: wrong, name: 'A Person', roles: ['agent'] });
    await expect(refused).rejects.toMatchObject(invalid('email'));
  });

  test.each([[[]], [['nobody']], [['agent', 'agent']], [['__proto__']], [['agent', 'Agent']]])(
    'has roles that exist: not %j',
    async (roles) => {
      const refused = access.createUser(organizationId, { email: email(), name: 'A Person', roles });
      await expect(refused).rejects.toMatchObject(invalid('roles'));
    },
  );

  test('people are listed page by page, each once', async () => {
    const all = [];
    for (let i = 0; i < 5; i += 1) all.push(await add(['agent']));
    const seen: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const page: Awaited<ReturnType<Access['listUsers']>> = await access.listUsers(organizationId, {
        limit: 2,
        cursor,
      });
      seen.push(...(page?.items ?? []).map(({ userId }) => userId));
      cursor = page?.nextCursor ?? null;
      if (cursor === null) break;
    }
    expect(seen.sort()).toEqual(all.sort());
    expect(await access.listUsers(organizationId, { limit: 2, cursor: 'nonsense' })).toBeNull();
  });
});

describe('an invitation', () => {
  test('works once, for 72 hours, and a new one ends it', async () => {
    const first = await access.createUser(organizationId, { email: email(), name: 'A Person', roles: ['agent'] });
    expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await access.people.invited(first.token)).toMatchObject({ userId: first.userId, status: 'invited' });
    const second = await access.inviteUser(organizationId, first.userId);
    expect(await access.people.invited(first.token)).toBeNull();
    expect(await accept(first.token)).toBeNull();
    const both = await Promise.all([accept(second?.token ?? ''), accept(second?.token ?? '')]);
    expect(both.filter((person) => person !== null)).toHaveLength(1);
    expect(await access.people.invited(second?.token ?? '')).toBeNull();
    const late = await access.inviteUser(organizationId, first.userId);
    now += 72 * 3_600_000;
    expect(await access.people.invited(late?.token ?? '')).toBeNull();
    expect(await accept(late?.token ?? '')).toBeNull();
    const stored = await database.db.query<{ text: string }>('SELECT i::text AS text FROM invitations i');
    expect(stored.map(({ text }) => text).join()).not.toContain(first.token);
    const entries = await database.db.query(
      `SELECT 1 FROM ${TRAIL} WHERE operation = 'accept-invitation' AND user_id = $1`,
      [first.userId],
    );
    expect(entries).toHaveLength(1);
  });

  test('of someone who lost every means replaces them all when it is accepted, and not before', async () => {
    const userId = await active(['agent']);
    const tables = ['passkeys', 'recovery_codes', 'provider_subjects'];
    await database.db.query(
      `INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, name, created_at)
       VALUES ($2, $1, '\\x01', 0, '{}', 'Key', now())`,
      [userId, Buffer.from(userId)],
    );
    await database.db.query(`INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, sha256('\\x01'))`, [userId]);
    await database.db.query(
      `INSERT INTO provider_subjects (subject_digest, organization_id, user_id, linked_at) VALUES (sha256($3), $2, $1, now())`,
      [userId, organizationId, Buffer.from(userId)],
    );
    const left = async () => {
      const counts = tables.map((table) => database.db.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [userId]));
      return (await Promise.all(counts)).map((rows) => rows.length);
    };
    const session = await access.people.begin(userId, { method: 'passkey', requestId: 'r' });
    const admitted = async () => access.sessions.admit({ secret: session?.secret ?? '', address: () => '' });
    const again = await access.inviteUser(organizationId, userId);
    expect(await left()).toEqual([1, 1, 1]);
    expect(await admitted()).toMatchObject({ userId });
    await accept(again?.token ?? '');
    expect(await left()).toEqual([0, 0, 0]);
    expect(await admitted()).toEqual({ denied: 'bad_session' });
  });

  test('brings a disabled person back; an invitation from before does not', async () => {
    const { userId, token } = await access.createUser(organizationId, { email: email(), name: 'A', roles: ['agent'] });
    await access.disableUser(organizationId, userId);
    expect(await accept(token)).toBeNull();
    const back = await access.inviteUser(organizationId, userId);
    expect(await access.people.byId(userId)).toMatchObject({ status: 'invited' });
    expect(await accept(back?.token ?? '')).toMatchObject({ userId, status: 'active' });
  });

  test('of the first start has no address: whoever accepts gives it', async () => {
    const first = await access.createFirstUser(organizationId);
    expect(await access.createFirstUser(organizationId)).toBeNull();
    const token = first?.token ?? '';
    expect(await access.people.invited(token)).toMatchObject({ email: '', name: '', roles: ['administrator'] });
    await expect(accept(token)).rejects.toMatchObject(invalid('email'));
    await expect(accept(token, { email: email(), name: ' ' })).rejects.toMatchObject(invalid('name'));
    const taken = email();
    await access.createUser(organizationId, { email: taken, name: 'B', roles: ['agent'] });
    await expect(accept(token, { email: taken, name: 'C' })).rejects.toMatchObject(conflict(/this e-mail/));
    const mine = email();
    expect(await accept(token, { email: mine, name: 'First' })).toMatchObject({ email: mine, status: 'active' });
    expect(await access.people.byEmail(mine, organizationId)).toMatchObject({ name: 'First' });
    // Address and name of another invitation do not count.
    const other = await access.createUser(organizationId, { email: email(), name: 'D', roles: ['agent'] });
    expect(await accept(other.token, { email: 'x@example.com', name: 'X' })).toMatchObject({ name: 'D' });
  });
});

describe('who may give what', () => {
  test('a person who administers gives any role, but not to themselves', async () => {
    const me = await active(['administrator']);
    const other = await active(['agent']);
    const acting = personActing(me);
    await access.updateUser(acting, other, { roles: ['manager'] });
    await access.createUser(acting, { email: email(), name: 'A', roles: ['auditor', 'underwriter'] });
    await expect(access.updateUser(acting, me, { roles: ['administrator', 'manager'] })).rejects.toMatchObject(
      conflict(/own roles/),
    );
    expect(await access.updateUser(acting, me, { name: 'Renamed', roles: ['administrator'] })).toEqual({ userId: me });
    await expect(access.disableUser(acting, me)).rejects.toMatchObject(conflict(/disable yourself/));
    await expect(access.inviteUser(acting, me)).rejects.toMatchObject(conflict(/invite yourself/));
  });

  test('nobody widens a role that they have', async () => {
    const other = await active(['administrator']);
    await access.putRole(personActing(other), { name: 'helper', scopes: ['admin'], limits: {} });
    const me = await active(['helper']);
    const wider = { name: 'helper', scopes: ['admin', 'loans:fund'], limits: {} };
    await expect(access.putRole(personActing(me), wider)).rejects.toMatchObject(conflict(/have yourself/));
    await access.putRole(personActing(other), wider);
  });

  test('a client gives only scopes that its token has, and funding and personal data only with its key', async () => {
    const agent = { email: email(), name: 'A', roles: ['agent'] };
    const lacking = {
      name: 'MayNotGive',
      scopes: ['loans:read', 'loans:read_pii', 'payments:write', 'servicing:write', 'events:read'],
    };
    await expect(access.createUser(client(['admin']), agent)).rejects.toMatchObject(lacking);
    await expect(access.createUser(client(SCOPES, null), agent)).rejects.toMatchObject({
      name: 'MayNotGive',
      scopes: [],
    });
    const { userId } = await access.createUser(client(SCOPES), agent);
    await expect(access.inviteUser(client(['admin']), userId)).rejects.toMatchObject(lacking);
    // Roles that stay are not given.
    expect(
      await access.updateUser(client(['admin', 'audit:read']), userId, { roles: ['agent', 'administrator'] }),
    ).not.toBeNull();
    await expect(access.updateUser(client(['admin']), userId, { roles: ['manager'] })).rejects.toMatchObject({
      name: 'MayNotGive',
    });
    const role = { name: 'funder', scopes: ['loans:fund'], limits: {} };
    await expect(access.putRole(client(['admin']), role)).rejects.toMatchObject({ scopes: ['loans:fund'] });
    await expect(access.putRole(client(SCOPES, null), role)).rejects.toMatchObject({ scopes: [] });
    await access.putRole(client(SCOPES), role);
  });

  test('the last active administrator stays, whoever asks', async () => {
    const only = await active(['administrator', 'agent']);
    await add(['administrator']);
    const last = conflict(/last active administrator/);
    for (const acting of [organizationId, client(SCOPES)]) {
      await expect(access.disableUser(acting, only)).rejects.toMatchObject(last);
      await expect(access.updateUser(acting, only, { roles: ['agent'] })).rejects.toMatchObject(last);
      await expect(access.updateUser(acting, only, { roles: ['agent', 'agent'] })).rejects.toMatchObject(
        invalid('roles'),
      );
    }
    await access.updateUser(organizationId, only, { roles: ['administrator'] });
    const second = await active(['administrator']);
    await access.disableUser(personActing(second), only);
    await expect(access.disableUser(organizationId, second)).rejects.toMatchObject(last);
    // By an own role.
    await access.putRole(organizationId, { name: 'boss', scopes: ['admin'], limits: {} });
    await access.updateUser(organizationId, second, { roles: ['boss'] });
    await expect(
      access.putRole(organizationId, { name: 'boss', scopes: ['loans:read'], limits: {} }),
    ).rejects.toMatchObject(last);
  });

  test('two administrators who disable each other at once: one stays', async () => {
    const [one, two] = [await active(['administrator']), await active(['administrator'])];
    const done = await Promise.allSettled([
      access.disableUser(personActing(one), two),
      access.disableUser(personActing(two), one),
    ]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('an own role', () => {
  test.each(['agent', 'administrator', 'Agent', '1st', '-x', 'a_b', '', 'a'.repeat(41)])(
    'has a name of its own: not %j',
    async (name) => {
      const refused = access.putRole(organizationId, { name, scopes: ['loans:read'], limits: {} });
      await expect(async () => refused).rejects.toMatchObject(invalid('name'));
    },
  );

  test('has known scopes, and limits on operations with an amount that it allows', async () => {
    const put = (scopes: string[], limits = {}) => access.putRole(organizationId, { name: 'clerk', scopes, limits });
    await expect(async () => put([])).rejects.toMatchObject(invalid('scopes'));
    await expect(async () => put(['loans:burn'])).rejects.toMatchObject(invalid('scopes'));
    await expect(async () => put(['servicing:write'], { extend: 5 })).rejects.toMatchObject(invalid('limits/extend'));
    await expect(async () => put(['loans:read'], { 'waive-fee': 5 })).rejects.toMatchObject(
      invalid('limits/waive-fee'),
    );
    await expect(async () => put(['servicing:write'], { 'waive-fee': -5 })).rejects.toMatchObject(
      invalid('limits/waive-fee'),
    );
    await put(['servicing:write'], { 'waive-fee': cents(1234) });
    expect((await access.listRoles(organizationId)).at(-1)).toEqual({
      name: 'clerk',
      scopes: ['servicing:write'],
      limits: { 'waive-fee': 1234 },
      builtIn: false,
      description: '',
    });
  });

  test('belongs to one organization, and stays while someone has it', async () => {
    await access.putRole(organizationId, { name: 'clerk', scopes: ['loans:read'], limits: {} });
    const other = (await access.createOrganization('Bay')).organizationId;
    await expect(access.createUser(other, { email: email(), name: 'A', roles: ['clerk'] })).rejects.toMatchObject(
      invalid('roles'),
    );
    expect(await access.removeRole(other, 'clerk')).toBeNull();
    const userId = await add(['clerk']);
    await access.disableUser(organizationId, userId);
    await expect(access.removeRole(organizationId, 'clerk')).rejects.toMatchObject(conflict(/1 person has/));
    await access.updateUser(organizationId, userId, { roles: ['agent'] });
    expect(await access.removeRole(organizationId, 'clerk')).toEqual({ name: 'clerk' });
    expect(await access.removeRole(organizationId, 'clerk')).toBeNull();
  });
});

test('a session of another organization is a caller of that organization alone', async () => {
  const userId = await active(['auditor']);
  const session = await access.people.begin(userId, { method: 'password', requestId: 'r' });
  const caller = (await access.sessions.admit({ secret: session?.secret ?? '', address: () => '' })) as Caller;
  expect(caller.organizationId).toBe(organizationId);
  const clients = await access.listClients(organizationId, { limit: 100, cursor: null });
  expect(clients?.items.map(({ clientId }) => clientId)).toContain(caller.clientId);
});
