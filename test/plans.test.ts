/**
 * No statement goes through a list again and again, whatever the statistics say. A named one gets a plan for all values with its sixth
 * execution on a connection. Here that is made with its first, of one row, when the statistics say that every table is empty: then a nested
 * loop that reads a whole list or table for each row looks cheap.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenLoans } from '../src/loans/open.ts';
import { readOwners } from '../src/store/audit/audit.ts';
import { readBodies } from '../src/store/books/books.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import {
  type Key,
  readAnswers,
  readReservations,
  releaseKeys,
  reserveKeys,
  storeAnswer,
  sweepReservations,
} from '../src/store/door/idempotency.ts';
import { loadLoans, readApplications, readDataKeys, readFiles, readVersions } from '../src/store/door/loans.ts';
import { readExportedLoans, readExportedPeople } from '../src/store/exports/exports.ts';
import { readStanding, recordDisclosures } from '../src/store/reads/reads.ts';
import { readAnswersPage } from '../src/store/verify/answers.ts';
import { readSealedPeople } from '../src/store/verify/verify.ts';
import { removeWaiting, saveWaiting } from '../src/store/webhooks/deliveries.ts';
import { testDatabase } from './support/database.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from './support/loans.ts';
import { watched } from './support/visited.ts';

/** A batch of each of the two lanes. */
const MANY = 256;
const ENDPOINT = 'endpoint_1';
const repeated: string[] = [];
let room: TestLoans;
let db: ReturnType<typeof watched>;
let loans: OpenLoans;

beforeAll(async () => {
  const database = await testDatabase();
  // One connection, so that a plan that was made is the plan that is used.
  const single = openDb(database.connection, { max: 1 });
  await openVolumes(single, null);
  db = watched(single, (line) => repeated.push(line));
  room = await testLoans({}, Promise.resolve({ db: database.db, drop: () => single.close().then(database.drop) }));
  loans = room.another({ db });
  // Nothing but this test takes statistics.
  const tables = await database.db.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  for (const { name } of tables) await database.db.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
  await database.db.query(
    `INSERT INTO webhook_endpoints (endpoint_id, organization_id, url, types, description, status, secret, created_at, updated_at)
     VALUES ($1, 'org_test', 'https://example.org', '{}', '', 'active', '', now(), now())`,
    [ENDPOINT],
  );
});
afterAll(() => room.close());

async function made(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: Math.min(50, count - ids.length) }, () => room.live()))));
  return ids;
}

const hash = () => `0x${randomBytes(32).toString('hex')}`;

/** The statements that ask for loans by a list, and a payment of each loan. */
async function askForLoans(ids: readonly string[]): Promise<void> {
  await loadLoans(db, ids);
  await readFiles(db, ids);
  await readVersions(db, ids);
  await readDataKeys(db, ids);
  await readOwners(db, ids);
  await readStanding(db, ids);
  await readBodies(db, ids);
  await readExportedPeople(db, ids);
  await readSealedPeople(db, ids);
  const application = { organizationId: 'org_test', lenderId: 'L-1', loanId: ids[0] as string };
  await readApplications(
    db,
    ids.map((_, n) => ({ ...application, applicationId: `APP-${n + 1}` })),
  );
  for (const withHashes of [false, true])
    await readExportedLoans(db, { volume: 0, through: 1_000_000, loanIds: ids, withHashes });
  const paid = await Promise.all(
    ids.map((loanId) =>
      loans.write(ACTOR, { loanId, command: repay(hash(), 1_000), reason: null, answer: () => '' }, PLAIN),
    ),
  );
  expect(paid.filter(({ kind }) => kind !== 'done')).toEqual([]);
  await loans.ledger.seal();
}

/** The statements on tables whose rows come and go: keys and their answers, audit entries, deliveries. */
async function askForWaiting(sql: Db, ids: readonly string[], forever: boolean): Promise<void> {
  const keys: Key[] = ids.map((loanId) => ({ keyHash: hash(), requestHash: hash(), loanId, forever }));
  const hashes = keys.map(({ keyHash }) => keyHash);
  await reserveKeys(sql, keys, 'process');
  await readReservations(sql, hashes);
  for (const key of keys) await storeAnswer(room.db, key, { answer: '{}', version: 1 });
  await readAnswers(sql, new Map(keys.map((key) => [key.keyHash, key])));
  for (let volume = 0; volume < 16; volume++) await readAnswersPage(sql, volume, { loanId: '', keyHash: '' }, 1_000);
  await room.db.query("UPDATE reservations SET at = at - interval '2 days'");
  await room.db.query('DELETE FROM answers');
  for (let volume = 0; volume < 16; volume++) await sweepReservations(sql, volume, 192);
  await releaseKeys(sql, hashes, 'process');
  const look = { organizationId: 'org_test', clientId: 'client', userId: null, keyId: null, requestId: 'request' };
  await recordDisclosures(
    sql,
    ids.map((loanId) => ({ ...look, loanId, operation: 'read-loan', what: 'all', purpose: null })),
    new Date(),
  );
  const attempt = { attempts: 0, steps: 0, nextAt: new Date(), firstFailedAt: null, lastOutcome: null, deadAt: null };
  const waiting = ids.map((eventId, place) => ({
    lane: 'live',
    eventId,
    place,
    event: '{}',
    preceding: null,
    reach: '',
  }));
  await sql.transaction((tx) =>
    saveWaiting(
      tx,
      ENDPOINT,
      waiting.map((row) => ({ ...row, ...attempt })),
    ),
  );
  await sql.transaction((tx) => removeWaiting(tx, ENDPOINT, waiting));
}

test('with a plan that was made for empty tables, no list is read for each row', async () => {
  // Loans and the keys of payments stay. Of what comes and goes the pages stay, and the statistics have no row on so many pages.
  await askForWaiting(
    room.db,
    Array.from({ length: MANY }, () => hash()),
    false,
  );
  for (const name of ['reservations', 'audit_waiting']) await room.db.query(`DELETE FROM ${name}`);
  await room.db.query('ANALYZE');

  for (const ids of [await made(1), await made(MANY)]) {
    repeated.length = 0;
    await askForWaiting(db, ids, false);
    await askForWaiting(db, ids, true);
    await askForLoans(ids);
  }
  expect([...new Set(repeated)]).toEqual([]);

  // Every statement that asks by volume was among them.
  const folder = join(import.meta.dirname, '../src/store');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
  const named = [...source.matchAll(/queryByVolume[^;]*?'([a-z_]+)'/g)].map(([, name]) => name as string);
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter((name) => !db.statements.has(name))).toEqual([]);
});
