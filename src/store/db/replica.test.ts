import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { openFairReader } from '../../loans/door/fair-reads.ts';
import { type Db, openDb, type Sql } from './db.ts';
import { openReader } from './replica.ts';

let database: TestDatabase;
let replica: Db;
beforeAll(async () => {
  database = await testDatabase();
  // A second pool of one connection acts as the replica; the connection shows which of the two has answered.
  replica = openDb(database.connection, { max: 1 });
});
afterAll(async () => {
  await replica.close();
  await database.drop();
});

const pidAfter = (seconds: number) => async (sql: Sql) =>
  (await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid FROM pg_sleep($1)', [seconds]))[0]?.pid;

test('organizations take turns at the replica, and a long wait for a turn does not make it count as unavailable', async () => {
  const reader = openFairReader(() => database.db, replica, 1);
  const there = await pidAfter(0)(replica);
  const answered: string[] = [];
  const read = async (organizationId: string) => {
    const pid = await reader({ organizationId }).fitting(pidAfter(0.3), () => true);
    answered.push(organizationId);
    return pid;
  };
  const many = Array.from({ length: 5 }, () => read('many'));
  const all = await Promise.all([...many, read('one')]);
  expect(all).toEqual(all.map(() => there));
  expect(answered.indexOf('one')).toBeLessThanOrEqual(2);
});

test('a replica that fails is not used for a while, and the primary answers', async () => {
  const reader = openReader(replica)(database.db, (work) => work());
  const there = await pidAfter(0)(replica);
  let asked = 0;
  const read = () =>
    reader.fitting(
      async (sql) => {
        if (sql !== replica) return pidAfter(0)(sql);
        asked += 1;
        return pidAfter(0)({ volumes: sql.volumes, query: () => sql.query('SELECT 1 / 0') });
      },
      () => true,
    );
  for (let n = 0; n < 3; n++) expect(await read()).not.toBe(there);
  expect(asked).toBe(1);
});

test('a result that does not fit is read from the primary', async () => {
  const reader = openReader(replica)(database.db, (work) => work());
  const there = await pidAfter(0)(replica);
  expect(await reader.fitting(pidAfter(0), (pid) => pid === there)).toBe(there);
  expect(await reader.fitting(pidAfter(0), (pid) => pid !== there)).not.toBe(there);
  // It is not in recovery, so it never catches up.
  expect(await reader.current(pidAfter(0))).not.toBe(there);
});
