/** The pools of one process: they know the same servers, and either may find that they accept no writes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { urlOf } from '../../../test/support/server.ts';
import { newDataDir } from '../../../test/support/service.ts';
import { type OpenedDatabase, openDatabase } from './open.ts';

let database: TestDatabase;
let opened: OpenedDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrated: false });
  const url = urlOf(database.connection);
  const options = { databaseReadUrl: null, dataDir: newDataDir(), pool: 2, own: true };
  opened = await openDatabase({ databaseUrl: twice(url), ...options });
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

/** The same server under two names, as a URL of two servers. */
function twice(url: string): string {
  if (/[?&]host=/.test(url)) return url.replace(/([?&]host=)([^&]*)/, '$1$2,$2');
  return url.replace(/@([^/]+)/, '@$1,$1');
}

test('each server is watched over one connection for both pools', async () => {
  await opened.db.query('SELECT 1');
  await opened.accessDb.query('SELECT 1');
  const rows = await opened.db.query(
    'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE $1',
    ['%pg_is_in_recovery%'],
  );
  expect(rows.length).toBeLessThanOrEqual(2);
});

test('a write refused to either pool is visible to both', async () => {
  expect(await opened.takesWrites()).toBe(true);
  const refused = opened.accessDb.transaction(async (tx) => {
    await tx.query('SET TRANSACTION READ ONLY');
    await tx.query('CREATE TABLE refused (n int)');
  });
  await expect(refused).rejects.toThrow();
  expect(await opened.db.takesWrites()).toBe(true);
  expect(await opened.takesWrites()).toBe(false);
});
