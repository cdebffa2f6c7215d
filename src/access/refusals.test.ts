import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { TRAIL } from '../../test/support/trail.ts';
import type { Db } from '../store/db/db.ts';
import { openRefusals } from './refusals.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const opened = (db: Db, most: number) =>
  openRefusals({ db, clock: () => Date.UTC(2026, 0, 15), nameOf: (text) => `named ${text}`, most });
const taken = async () => {
  const rows = await database.db.query(
    `SELECT organization_id AS "organizationId", client_id AS "clientId", outcome, subject, count FROM ${TRAIL} ORDER BY entry_id`,
  );
  await database.db.query('DELETE FROM audit_waiting');
  return rows;
};

test('one entry for each address block, client and cause, with their number', async () => {
  const refusals = opened(database.db, 100);
  const one = { address: '2001:db8::1', outcome: 'unauthorized', clientId: null };
  refusals.count(one);
  refusals.count({ ...one, address: '2001:db8::2' });
  refusals.count({ ...one, outcome: 'rate_limited', clientId: 'client_1' });
  refusals.countGuess({ organizationId: 'org_1', clientId: 'client_1' });
  refusals.countGuess({ organizationId: 'org_1', clientId: 'client_1' });
  await refusals.flush();
  const subject = 'named 2001:db8:0:0::/64';
  expect(await taken()).toEqual([
    { organizationId: '', clientId: null, outcome: 'unauthorized', subject, count: 2 },
    { organizationId: '', clientId: 'client_1', outcome: 'rate_limited', subject, count: 1 },
    { organizationId: 'org_1', clientId: null, outcome: 'invalid_credentials', subject: 'client_1', count: 2 },
  ]);
  await refusals.flush();
  expect(await taken()).toEqual([]);
});

test('beyond the bound all others are counted together', async () => {
  const refusals = opened(database.db, 3);
  for (let n = 0; n < 50; n++) refusals.count({ address: `192.0.2.${n}`, outcome: 'unauthorized', clientId: null });
  await refusals.flush();
  const rows = await taken();
  expect(rows).toHaveLength(4);
  expect(rows.at(-1)).toMatchObject({ subject: 'others', count: 47 });
});

test('without a database they are counted on', async () => {
  let fails = true;
  const db: Db = {
    ...database.db,
    query: (...asked) => (fails ? Promise.reject(new Error('away')) : database.db.query(...asked)),
  };
  const refusals = opened(db, 100);
  const one = { address: '192.0.2.1', outcome: 'unauthorized', clientId: null };
  refusals.count(one);
  await refusals.flush();
  refusals.count(one);
  fails = false;
  await refusals.flush();
  expect(await taken()).toMatchObject([{ count: 2 }]);
});
