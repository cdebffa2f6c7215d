/** A payment that moves no date writes no entry of an index over `loans`: PostgreSQL calls such an update HOT. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { repay, testLoans } from '../../../test/support/loans.ts';
import { eventually } from '../../../test/support/service.ts';
import { type Db, openDb } from '../../store/db/db.ts';
import { openVolumes } from '../../store/db/volumes.ts';

const LOANS = 6;
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('the second payment of a day changes no column of an index, and is a HOT update', async () => {
  const db = openDb(database.connection);
  await openVolumes(db, null);
  const room = await testLoans({}, Promise.resolve({ db, drop: async () => {} }));
  const loans: string[] = [];
  for (let n = 0; n < LOANS; n++) loans.push(await room.live());
  room.clock.now += 40 * 86_400_000;
  // More than interest and fees, so that the second one is principal.
  for (const [n, loanId] of loans.entries()) await room.done(loanId, repay(`first-${n}`, 20_000));
  const before = await rowsOf(db);
  for (const [n, loanId] of loans.entries()) await room.done(loanId, repay(`second-${n}`, 700));
  const after = await rowsOf(db);

  const names = Object.keys(after[0] ?? {});
  const changed = names.filter((name) => after.some((row, i) => row[name] !== before[i]?.[name]));
  expect(changed).toEqual(expect.arrayContaining(['version', 'last_hash', 'principal', 'principal_received']));
  const indexed = await indexedColumns(db);
  expect(indexed).toEqual(expect.arrayContaining(['principal_step', 'published', 'recorded_on', 'next_due']));
  expect(changed.filter((name) => indexed.includes(name))).toEqual([]);

  // The server counts a connection's updates when it has ended, at the latest.
  await room.close();
  await db.close();
  await eventually(async () => {
    const [there] = await database.db.query<{ count: bigint }>(
      'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return there?.count === 0n;
  });
  const [counted] = await database.db.query<{ hot: bigint }>(
    "SELECT n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'loans'",
  );
  expect(counted?.hot).toBe(BigInt(LOANS));
});

async function rowsOf(db: Db): Promise<Record<string, unknown>[]> {
  const rows = await db.query<{ row: Record<string, unknown> }>(
    'SELECT to_jsonb(l) AS row FROM loans l ORDER BY loan_id',
  );
  return rows.map(({ row }) => row);
}

/** Columns of keys, those included beside them, and those in the conditions of partial indexes. */
async function indexedColumns(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT DISTINCT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
     WHERE i.indrelid = 'loans'::regclass AND a.attnum > 0 AND (a.attnum = ANY (i.indkey) OR EXISTS (
       SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
         AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum))`,
  );
  return rows.map(({ name }) => name);
}
