import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { presentTo } from '../../test/support/present.ts';
import { openDb } from '../store/db/db.ts';
import { openVolumes } from '../store/db/volumes.ts';
import { openAccess } from './access.ts';
import { bootstrap, bootstrapProblems } from './bootstrap.ts';
import { SCOPES } from './scopes.ts';

const clock = () => Date.UTC(2026, 0, 15, 12);
const secret = new Uint8Array(32).fill(7);
const common = { clock, secret, unlimited: false };

async function emptyDatabase() {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  return database;
}

test('the first client gets random credentials that work, and all scopes', async () => {
  const { db } = await emptyDatabase();
  const first = await bootstrap(db, common);
  if (!first.created) throw new Error('nothing was created');
  const access = openAccess({ db, clock, secret, quotas: { client: 600, organization: 6_000 } });
  const answer = await access.issueToken({ ...first, address: '192.0.2.1', issuer: 'https://loans.example' });
  if ('denied' in answer) throw new Error(answer.denied);
  const caller = await presentTo(access, { token: answer.token, key: first.apiKey });
  expect(caller).toMatchObject({
    clientId: first.clientId,
    organizationId: first.organizationId,
    scopes: new Set(SCOPES),
    keyId: expect.stringMatching(/^key_/),
    quota: { perMinute: 600, organizationPerMinute: 6_000 },
  });
});

test('values from the operator are used unchanged', async () => {
  const { db } = await emptyDatabase();
  const given = { clientId: 'Desk 7 (ops)', clientSecret: 'pässword: 1', apiKey: 'k' };
  expect(await bootstrap(db, { ...common, ...given, unlimited: true })).toMatchObject({ created: true, ...given });
  const access = openAccess({ db, clock, secret, quotas: { client: 600, organization: 6_000 } });
  const answer = await access.issueToken({ ...given, address: '192.0.2.1', issuer: 'https://loans.example' });
  if ('denied' in answer) throw new Error(answer.denied);
  const caller = await presentTo(access, { token: answer.token, key: 'k' });
  expect(caller).toMatchObject({
    clientId: given.clientId,
    quota: { perMinute: 0, organizationPerMinute: 0 },
    keyId: expect.any(String),
  });
});

test('a database that has a client, even a revoked one, is not changed', async () => {
  const { db } = await emptyDatabase();
  const first = await bootstrap(db, { ...common, clientId: 'one' });
  if (!first.created) throw new Error('nothing was created');
  await openAccess({ db, clock, secret }).revokeClient(first.organizationId, 'one');
  expect(await bootstrap(db, { ...common, clientId: 'two', clientSecret: 's' })).toEqual({
    created: false,
    clientId: 'one',
  });
  expect(await db.query('SELECT 1 FROM clients')).toHaveLength(1);
});

test('ten instances that start at once create one organization, one client and one signing key', async () => {
  const { db, connection } = await emptyDatabase();
  const pools = Array.from({ length: 10 }, () => openDb(connection, { max: 2 }));
  await Promise.all(pools.map((pool) => openVolumes(pool, null)));
  try {
    const answers = await Promise.all(
      pools.map(async (pool) => {
        const access = openAccess({ db: pool, clock, secret });
        await access.start();
        access.stop();
        return bootstrap(pool, common);
      }),
    );
    expect(answers.filter((answer) => answer.created)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.clientId)).size).toBe(1);
    for (const table of ['organizations', 'clients', 'api_keys', 'signing_keys']) {
      expect(await db.query(`SELECT 1 FROM ${table}`), table).toHaveLength(1);
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
});

test('an invalid value is reported by name', async () => {
  expect(bootstrapProblems({ clientId: 'a', clientSecret: 'b', apiKey: 'c' })).toEqual([]);
  expect(bootstrapProblems({ clientId: '', clientSecret: 'a\0', apiKey: 'ü' }).map(({ value }) => value)).toEqual([
    'clientId',
    'clientSecret',
    'apiKey',
  ]);
  const { db } = await emptyDatabase();
  await expect(bootstrap(db, { ...common, apiKey: 'line\nbreak' })).rejects.toThrow('apiKey');
});
