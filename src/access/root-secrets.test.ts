import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { presentTo } from '../../test/support/present.ts';
import { readConfig } from '../config.ts';
import { openMasterKeys } from '../key-files/master-keys.ts';
import { openDb } from '../store/db/db.ts';
import { openVolumes } from '../store/db/volumes.ts';
import { masterKeyId, newDataKey, WrongMasterKey, wrap } from '../vault/master-keys.ts';
import { openAccess } from './access.ts';
import { openRootSecrets } from './root-secrets.ts';

const clock = () => Date.UTC(2026, 0, 15, 12);
const ONE = '01'.repeat(32);
const TWO = '02'.repeat(32);
const keysOf = (...texts: string[]) => openMasterKeys(readConfig({ MASTER_KEY: texts.join(',') }), masterKeyId);

async function emptyDatabase() {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  return database;
}

test('five different secrets are created once and stay the same', async () => {
  const { db } = await emptyDatabase();
  const secrets = await openRootSecrets(db, keysOf(ONE));
  expect(Object.keys(secrets)).toEqual(['access', 'index', 'party', 'idempotency', 'forwarding']);
  expect(new Set(Object.values(secrets).map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(5);
  expect(Object.values(secrets).every((secret) => secret.length === 32)).toBe(true);
  expect(await openRootSecrets(db, keysOf(ONE))).toEqual(secrets);
  expect(await openRootSecrets(db, keysOf(TWO, ONE)), 'an older key works too').toEqual(secrets);
});

test('none of them, and no master key, can be read in the database', async () => {
  const { db } = await emptyDatabase();
  const secrets = await openRootSecrets(db, keysOf(ONE));
  const stored = JSON.stringify(await db.query(`SELECT name, key_id, encode(wrapped, 'hex') AS hex FROM root_secrets`));
  for (const secret of [Buffer.from(ONE, 'hex'), ...Object.values(secrets)]) {
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

test('ten instances that start at once have the same secrets, and admit the same client', async () => {
  const { db, connection } = await emptyDatabase();
  const pools = Array.from({ length: 10 }, () => openDb(connection, { max: 2 }));
  await Promise.all(pools.map((pool) => openVolumes(pool, null)));
  onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.close()))));
  const all = await Promise.all(
    pools.map(async (pool) => {
      const secrets = await openRootSecrets(pool, keysOf(ONE));
      const access = openAccess({ db: pool, clock, secret: secrets.access });
      await access.start();
      access.stop();
      return secrets;
    }),
  );
  for (const secrets of all) expect(secrets).toEqual(all[0]);
  expect(await db.query('SELECT 1 FROM root_secrets')).toHaveLength(5);
});

test('a wrong master key is detected at the start, with a message that says what to do', async () => {
  const { db } = await emptyDatabase();
  await openRootSecrets(db, keysOf(ONE));
  await expect(openRootSecrets(db, keysOf(TWO))).rejects.toThrow(WrongMasterKey);
  await expect(openRootSecrets(db, keysOf(TWO))).rejects.toThrow(/^MASTER_KEY does not match this database: [^\n]*$/);
});

test('a secret that was changed or swapped with another cannot be decrypted', async () => {
  const { db } = await emptyDatabase();
  await openRootSecrets(db, keysOf(ONE));
  await db.query(`UPDATE root_secrets SET wrapped = (SELECT wrapped FROM root_secrets WHERE name = 'party')
                   WHERE name = 'index'`);
  await expect(openRootSecrets(db, keysOf(ONE))).rejects.toThrow(WrongMasterKey);
});

test('a missing key that still protects a loan is reported by its id at the start', async () => {
  const { db } = await emptyDatabase();
  const keys = keysOf(ONE, TWO);
  await openRootSecrets(db, keys);
  const loanId = `0x${'1a'.repeat(32)}`;
  const older = keys.all()[1] ?? keys.current();
  await db.query(
    `INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at) VALUES (10, $1, $2, $3, '', now())`,
    [Buffer.alloc(32, 0x1a), older.keyId, wrap(older, newDataKey(), loanId)],
  );
  await expect(openRootSecrets(db, keysOf(ONE))).rejects.toThrow(
    new RegExp(`^Master key ${older.keyId} is missing from MASTER_KEY but [^\n]*$`),
  );
  await openRootSecrets(db, keys);
});

test.each([
  ['alone', [ONE]],
  ['behind a newer one', [TWO, ONE]],
])('a database from before root secrets keeps its keys and clients (its master key %s)', async (_, texts) => {
  const { db } = await emptyDatabase();
  const before = openAccess({ db, clock, secret: Buffer.from(ONE, 'hex') });
  await before.start();
  const { organizationId } = await before.createOrganization('Harbor Auto Finance');
  const client = await before.createClient(organizationId, { name: 'desk', scopes: ['loans:read'] });
  before.stop();

  const secrets = await openRootSecrets(db, keysOf(...texts));
  expect(Buffer.from(secrets.access).toString('hex')).toBe(ONE);
  const access = openAccess({ db, clock, secret: secrets.access });
  const answer = await access.issueToken({ ...client, address: '192.0.2.1', issuer: 'https://loans.example' });
  if ('denied' in answer) throw new Error(answer.denied);
  const caller = await presentTo(access, { token: answer.token, key: client.apiKey });
  expect(caller).toMatchObject({ clientId: client.clientId, keyId: client.keyId });
  expect(Buffer.from(secrets.index).toString('hex')).not.toBe(ONE);
});

test('a wrong master key does not change a database from before root secrets', async () => {
  const { db } = await emptyDatabase();
  const before = openAccess({ db, clock, secret: Buffer.from(ONE, 'hex') });
  await before.start();
  before.stop();
  await expect(openRootSecrets(db, keysOf(TWO))).rejects.toThrow(WrongMasterKey);
  expect(await db.query('SELECT 1 FROM root_secrets')).toHaveLength(0);
});
