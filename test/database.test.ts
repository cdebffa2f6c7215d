import { afterAll, expect, inject, test } from 'vitest';
import { openDb } from '../src/store/db/db.ts';
import { type TestDatabase, testDatabase } from './support/database.ts';
import { withServer } from './support/server.ts';

const open: TestDatabase[] = [];
afterAll(async () => {
  await Promise.all(open.map((database) => database.drop()));
});

test('databases made at the same time are separate, migrated or empty as asked', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, (_, n) => testDatabase({ migrated: n % 2 === 0 })));
  open.push(...made);
  await Promise.all(made.map(({ db }) => db.query('CREATE TABLE only_here (n int)')));
  const count =
    "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
  const tables = await Promise.all(made.map(({ db }) => db.query<{ tables: number }>(count)));
  for (const [n, rows] of tables.entries()) {
    if (n % 2 === 0) expect(rows[0]?.tables).toBeGreaterThan(1);
    else expect(rows).toEqual([{ tables: 1 }]);
  }
});

test('a dropped database is gone, though a forgotten connection was still open', async () => {
  const { db, connection, drop } = await testDatabase({ migrated: false });
  const forgotten = openDb(connection);
  await forgotten.query('SELECT 1');
  const [row] = await db.query<{ name: string }>('SELECT current_database() AS name');
  await drop();
  await expect(forgotten.query('SELECT 1')).rejects.toThrow();
  await forgotten.close();
  const left = await withServer(inject('server').connection, (admin) =>
    admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [row?.name]),
  );
  expect(left).toEqual([]);
});
