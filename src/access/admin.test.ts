import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { granted } from '../../test/support/granted.ts';
import { type Access, openAccess } from './access.ts';
import { AccessRefused } from './refused.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const AT = new Date(NOW).toISOString();

let database: TestDatabase;
let access: Access;

beforeAll(async () => {
  database = await testDatabase();
  access = openAccess({ db: database.db, clock: () => NOW, secret: new Uint8Array(32).fill(7) });
});
afterAll(() => database.drop());

const ALL = { limit: 100, cursor: null };
const clientsOf = async (organizationId: string) => (await access.listClients(organizationId, ALL))?.items ?? [];

const newOrganization = async (name = 'Harbor') => (await access.createOrganization(name)).organizationId;

test('a client is shown with everything except its secrets', async () => {
  const organization = await newOrganization();
  const made = await access.createClient(organization, {
    name: 'desk',
    scopes: ['admin', 'loans:read', 'admin'],
    rateLimitPerMinute: 90,
  });
  expect(made).toEqual({
    clientId: expect.stringMatching(/^client_[a-z2-7]{24}$/),
    clientSecret: expect.stringMatching(/^dbs_/),
    apiKey: expect.stringMatching(/^dbk_/),
    keyId: expect.stringMatching(/^key_/),
  });
  expect(await clientsOf(organization)).toEqual([
    {
      clientId: made.clientId,
      name: 'desk',
      kind: 'program',
      scopes: ['loans:read', 'admin'],
      status: 'active',
      raisedRateLimit: null,
      rateLimitPerMinute: 90,
      numbers: 'interface',
      createdAt: AT,
      revokedAt: null,
      holders: [],
      keys: [{ keyId: made.keyId, createdAt: AT, revokedAt: null }],
    },
  ]);
});

test('the database contains no secrets, API keys or private signing keys in plain text', async () => {
  const organization = await newOrganization();
  const made = await access.createClient(organization, { name: 'desk', scopes: ['admin'] });
  await access.issueToken({ ...made, address: '192.0.2.1', issuer: 'https://loans.example' });
  for (const table of ['organizations', 'clients', 'api_keys', 'grants', 'signing_keys']) {
    const rows = await database.db.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
    const text = rows.map((row) => row.text).join('\n');
    for (const secret of [made.clientSecret, made.apiKey]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(text).not.toContain('"d"');
  }
});

test('keys can be added, revoked one by one, and replaced all at once', async () => {
  const organization = await newOrganization();
  const { clientId, keyId } = await access.createClient(organization, { name: 'desk', scopes: ['admin'] });
  const second = await access.createKey(organization, clientId);
  expect(await access.revokeKey(organization, keyId)).toEqual({ keyId, revokedAt: AT });
  expect(await access.revokeKey(organization, keyId), 'again').toEqual({ keyId, revokedAt: AT });
  const rotated = await access.rotateClient(organization, clientId, { what: 'key' });
  expect(rotated).toEqual({ clientId, keyId: expect.any(String), apiKey: expect.any(String) });
  const [client] = await clientsOf(organization);
  const active = client?.keys.filter((key) => key.revokedAt === null);
  expect(active).toEqual([{ keyId: rotated?.keyId, createdAt: AT, revokedAt: null }]);
  expect(client?.keys.map((key) => key.keyId)).toContain(second?.keyId);
});

test('a client has at most twenty active keys', async () => {
  const organization = await newOrganization();
  const { clientId } = await access.createClient(organization, { name: 'desk', scopes: ['admin'] });
  for (let i = 1; i < 20; i += 1) await access.createKey(organization, clientId);
  await expect(access.createKey(organization, clientId)).rejects.toMatchObject({
    name: 'AccessRefused',
    code: 'limit',
  });
});

test('a revoked client stays revoked', async () => {
  const organization = await newOrganization();
  const { clientId } = await access.createClient(organization, { name: 'desk', scopes: ['admin'] });
  expect(await access.revokeClient(organization, clientId)).toEqual({ clientId, revokedAt: AT });
  expect(await access.revokeClient(organization, clientId), 'again').toEqual({ clientId, revokedAt: AT });
  expect(await access.rotateClient(organization, clientId, { what: 'both' })).toBeNull();
  expect(await access.updateClient(organization, clientId, { name: 'x' })).toBeNull();
  expect(await access.createKey(organization, clientId)).toBeNull();
  expect(await clientsOf(organization)).toMatchObject([{ status: 'revoked', keys: [{ revokedAt: AT }] }]);
});

test('objects of another organization are not found', async () => {
  const [mine, theirs] = [await newOrganization(), await newOrganization('Other')];
  const { clientId, keyId } = await access.createClient(theirs, { name: 'desk', scopes: ['admin'] });
  const grant = await access.createGrant(theirs, { granteeOrganizationId: mine, access: 'read' });
  expect(await clientsOf(mine)).toEqual([]);
  expect(await access.updateClient(mine, clientId, { name: 'x' })).toBeNull();
  expect(await access.rotateClient(mine, clientId, { what: 'both' })).toBeNull();
  expect(await access.revokeClient(mine, clientId)).toBeNull();
  expect(await access.createKey(mine, clientId)).toBeNull();
  expect(await access.revokeKey(mine, keyId)).toBeNull();
  expect(await access.revokeGrant(mine, grant?.grantId ?? ''), 'only its owner may revoke it').toBeNull();
  expect(await access.acceptGrant(theirs, grant?.grantId ?? ''), 'only the other side may accept it').toBeNull();
  expect(await clientsOf(theirs)).toMatchObject([{ name: 'desk', status: 'active', keys: [{ revokedAt: null }] }]);
});

test('ids of an unknown form are not found, and never reach SQL with a NUL', async () => {
  const organization = await newOrganization();
  for (const odd of ['', 'a\0b', '\0', "'; DROP TABLE clients; --", 'x'.repeat(10_000), '\ud800']) {
    expect(await access.revokeClient(organization, odd)).toBeNull();
    expect(await access.rotateClient(organization, odd, { what: 'key' })).toBeNull();
    expect(await access.revokeKey(organization, odd)).toBeNull();
    expect(await access.revokeGrant(organization, odd)).toBeNull();
    expect(await access.acceptGrant(organization, odd)).toBeNull();
    expect(await access.declineGrant(organization, odd)).toBeNull();
    expect(await access.endGrant(organization, odd)).toBeNull();
    expect(await access.createGrant(organization, { granteeOrganizationId: odd, access: 'read' })).toBeNull();
    expect(await clientsOf(odd)).toEqual([]);
  }
});

test('an invalid value is refused with the name of its field', async () => {
  const organization = await newOrganization();
  const refused = (member: string) => ({ name: 'AccessRefused', code: 'invalid', member });
  const make = (change: object) => access.createClient(organization, { name: 'desk', scopes: ['admin'], ...change });
  await expect(make({ name: '' })).rejects.toMatchObject(refused('name'));
  await expect(make({ name: 'a\0b' })).rejects.toMatchObject(refused('name'));
  await expect(make({ scopes: [] })).rejects.toMatchObject(refused('scopes'));
  await expect(make({ scopes: ['root'] })).rejects.toMatchObject(refused('scopes'));
  await expect(make({ rateLimitPerMinute: -1 })).rejects.toMatchObject(refused('rateLimitPerMinute'));
  await expect(make({ rateLimitPerMinute: 1.5 })).rejects.toMatchObject(refused('rateLimitPerMinute'));
  await expect(access.createOrganization('x'.repeat(201))).rejects.toThrow(AccessRefused);
  await expect(access.createClient('org_nobody', { name: 'desk', scopes: ['admin'] })).rejects.toThrow(
    'no such organization',
  );
  const grant = (change: object) =>
    access.createGrant(organization, { granteeOrganizationId: 'org_x', access: 'read', ...change });
  await expect(grant({ granteeOrganizationId: organization })).rejects.toMatchObject(refused('granteeOrganizationId'));
  await expect(grant({ servicerId: 'a b' })).rejects.toMatchObject(refused('servicerId'));
  await expect(grant({ access: 'write' })).rejects.toMatchObject(refused('access'));
});

test('a grant is visible to both sides, exists once, and is revoked by its owner', async () => {
  const [owner, grantee] = [await newOrganization('Owner'), await newOrganization('Servicer')];
  const terms = { granteeOrganizationId: grantee, access: 'servicing', servicerId: 'SRV-12' } as const;
  const grant = await access.createGrant(owner, terms);
  expect(grant).toEqual({
    grantId: expect.stringMatching(/^grant_/),
    ownerOrganizationId: owner,
    ...terms,
    state: 'pending',
    createdAt: AT,
    acceptedAt: null,
    endedAt: null,
    revokedAt: null,
  });
  expect(await access.createGrant(owner, terms), 'the same again').toEqual(grant);
  expect(await access.listGrants(owner, ALL)).toEqual({ items: [{ ...grant, direction: 'given' }], nextCursor: null });
  expect(await access.listGrants(grantee, ALL)).toEqual({
    items: [{ ...grant, direction: 'received' }],
    nextCursor: null,
  });
  expect((await access.listGrants(grantee, { ...ALL, direction: 'given' }))?.items).toEqual([]);
  expect(await access.grantsFor({ organizationId: grantee }), 'not accepted yet').toEqual([]);
  await access.acceptGrant(grantee, grant?.grantId ?? '');
  const received = { ownerOrganizationId: owner, access: 'servicing', servicerId: 'SRV-12' };
  expect(await access.grantsFor({ organizationId: grantee })).toEqual([received]);
  expect(await access.grantsFor({ organizationId: owner })).toEqual([]);

  const all = await granted(access, owner, { granteeOrganizationId: grantee, access: 'read' });
  expect(all.servicerId).toBeNull();
  expect(await access.grantsFor({ organizationId: grantee })).toHaveLength(2);
  await access.revokeGrant(owner, grant?.grantId ?? '');
  expect(await access.grantsFor({ organizationId: grantee })).toEqual([
    { ownerOrganizationId: owner, access: 'read', servicerId: null },
  ]);
  expect((await access.listGrants(owner, ALL))?.items.map((one) => one.revokedAt)).toEqual([null, AT]);
  expect((await access.createGrant(owner, terms))?.grantId, 'a new one after the old was revoked').not.toBe(
    grant?.grantId,
  );
});

test('every change increments the epoch, however it is made; a rolled-back change does not', async () => {
  const epoch = async () =>
    (await database.db.query<{ epoch: bigint }>('SELECT epoch FROM access_epoch'))[0]?.epoch ?? 0n;
  for (const table of ['organizations', 'clients', 'api_keys', 'grants', 'signing_keys']) {
    const before = await epoch();
    await database.db.query(`DELETE FROM ${table} WHERE false`);
    expect(await epoch(), table).toBe(before + 1n);
  }
  const before = await epoch();
  const rolledBack = database.db.transaction(async (tx) => {
    await tx.query('DELETE FROM api_keys');
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(await epoch()).toBe(before);
});
