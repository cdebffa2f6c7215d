/** The judge of statements, which `npm test` asks about all that were sent (`scripts/statements.ts`), and the recorder that collects them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unsealedVolumes } from '../src/store/ledger/sealing.ts';
import { type TestDatabase, testDatabase } from './support/database.ts';
import { complaintsAbout, statementsOfFunctions } from './support/judge/judge.ts';
import { isDistributed, tablesIn } from './support/judge/tables.ts';
import { recordedHere } from './support/recorder.ts';

const textOf = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const tables = tablesIn(textOf('migrations/schema.sql'));
const complaints = (text: string, sharded = true) => complaintsAbout(text, tables, { sharded });

test('the distributed tables are those of docs/scaling.md', () => {
  const named = [...textOf('docs/scaling.md').matchAll(/create_distributed_table\('(\w+)', 'volume'/g)].map(
    ([, name]) => name,
  );
  const parts = /^(answers|reservations)_/;
  const found = [...tables].map(([name]) => name).filter((name) => isDistributed(tables, name) && !parts.test(name));
  expect(found.toSorted()).toEqual(named.toSorted());
});

describe('a statement that Citus refuses', () => {
  test.each<[string, RegExp, string]>([
    [
      'organizations that have loans',
      /correlated subquery on the distributed loans for rows of the local organizations/,
      'SELECT organization_id FROM organizations o WHERE EXISTS (SELECT 1 FROM loans l WHERE l.organization_id = o.organization_id)',
    ],
    [
      'how far the feed has come',
      /correlated subquery on the distributed blocks for rows of the local feed_head/,
      `SELECT t.number, v, (SELECT number FROM blocks b WHERE b.volume = v AND b.number <= t.number ORDER BY b.number DESC LIMIT 1)
       FROM feed_head t, generate_series(0, $1::int - 1) v`,
    ],
    [
      'the public record: one table is of a constant volume, one tied by a lateral join, one by an outer join',
      /joins applications, assessments, people, which are not tied by volume/,
      `SELECT coalesce(s.file, a.file), p.key_id FROM applications a
       LEFT JOIN LATERAL (SELECT file FROM assessments s WHERE s.volume = a.volume AND s.loan_id = a.loan_id ORDER BY sequence DESC LIMIT 1) s ON true
       LEFT JOIN people p ON p.volume = $1 AND p.loan_id = a.loan_id WHERE a.volume = $1 AND a.loan_id = $2`,
    ],
    [
      'the bounds of the volumes',
      /outer join that keeps the rows of a set-returning function and adds ledger_heads/,
      `SELECT v.volume, h.number, (SELECT max(number) FROM blocks b WHERE b.volume = v.volume)
       FROM generate_series(0, $1::int - 1) AS v (volume) LEFT JOIN ledger_heads h USING (volume)`,
    ],
    [
      'a local table, joined',
      /joins the distributed loans with the local organizations/,
      'SELECT 1 FROM loans JOIN organizations USING (organization_id)',
    ],
    [
      'a local table after a comma',
      /the local organizations/,
      'SELECT 1 FROM loans l, organizations o WHERE l.organization_id = o.organization_id',
    ],
    [
      'a local table, with a constant volume',
      /the local organizations/,
      'SELECT 1 FROM loans JOIN organizations USING (organization_id) WHERE volume = $1',
    ],
    [
      'a local table within a subquery',
      /the local organizations/,
      'SELECT 1 FROM organizations JOIN (SELECT organization_id FROM loans) l USING (organization_id)',
    ],
    [
      'a local table and a WITH',
      /the local organizations/,
      'WITH l AS (SELECT organization_id FROM loans) SELECT 1 FROM organizations JOIN l USING (organization_id)',
    ],
    [
      'a local table, asked about each row',
      /correlated subquery on the local sandboxes for rows of the distributed loans/,
      'SELECT (SELECT made_at FROM sandboxes s WHERE s.organization_id = l.organization_id) FROM loans l',
    ],
    [
      'an EXISTS for rows of a function',
      /correlated subquery on people for rows of a set-returning function/,
      'SELECT key_id FROM unnest($1::text[]) AS asked (key_id) WHERE EXISTS (SELECT 1 FROM people p WHERE p.key_id = asked.key_id)',
    ],
    [
      'a lateral join for rows of a function',
      /LATERAL on blocks for rows of a set-returning function/,
      'SELECT b.hash FROM unnest($1::smallint[]) AS asked (volume) CROSS JOIN LATERAL (SELECT hash FROM blocks WHERE blocks.volume = asked.volume LIMIT 1) b',
    ],
    [
      'a lateral join that is not tied',
      /joins loans, events, which are not tied by volume/,
      'SELECT 1 FROM loans l CROSS JOIN LATERAL (SELECT hash FROM events e WHERE e.loan_id = l.loan_id LIMIT 1) e',
    ],
    [
      'a join that is not tied',
      /joins loans, events, which are not tied/,
      'SELECT 1 FROM loans JOIN events USING (loan_id)',
    ],
    [
      'constants that differ',
      /not tied/,
      'SELECT 1 FROM loans l JOIN events e USING (loan_id) WHERE l.volume = $1 AND e.volume = $2',
    ],
    [
      'a subquery in the list of columns that is not tied',
      /joins positions, former_owners, which are not tied/,
      'SELECT CASE WHEN (p.volume, p.loan_id) IN (SELECT volume, loan_id FROM former_owners) THEN 1 END FROM positions p',
    ],
    [
      'row locks of several volumes',
      /locks rows of ledger_heads/,
      'SELECT number FROM ledger_heads WHERE volume = ANY($1) FOR UPDATE',
    ],
    [
      'row locks in a subquery',
      /locks rows of ledger_heads/,
      'SELECT 1 FROM (SELECT number FROM ledger_heads FOR SHARE) h',
    ],
    [
      'a change within a WITH',
      /changes the distributed table loans within a WITH/,
      'WITH c AS (UPDATE loans SET version = 1 WHERE volume = $1 RETURNING 1) SELECT count(*) FROM c',
    ],
    [
      'the time of the moment, for some rows',
      /within a CASE or COALESCE/,
      "UPDATE reservations SET kept = CASE WHEN $2 THEN 'infinity' ELSE current_date END WHERE volume = $1",
    ],
    [
      'the value of a function for a changed row',
      /returns the value of a function for rows of the distributed table approvals/,
      "UPDATE approvals SET state = 'lapsed' WHERE volume = $1 RETURNING to_jsonb(approvals.volume) #>> '{}' AS volume",
    ],
    [
      'a local table that is changed',
      /changes the local table feed_head/,
      'UPDATE feed_head SET number = (SELECT max(number) FROM ledger_heads)',
    ],
    [
      'recursion over volumes',
      /recursively/,
      'WITH RECURSIVE r AS (SELECT loan_id FROM loans UNION ALL SELECT e.loan_id FROM events e JOIN r USING (loan_id)) SELECT 1 FROM r',
    ],
  ])('%s', (_, complaint, text) => {
    expect(complaints(text).join('; ')).toMatch(complaint);
  });
});

describe('a statement that Citus takes', () => {
  test.each([
    'SELECT o.name FROM organizations o JOIN sandboxes s USING (organization_id) WHERE EXISTS (SELECT 1 FROM clients c WHERE c.organization_id = o.organization_id)',
    'SELECT number FROM feed_head FOR UPDATE',
    'UPDATE reservations SET kept = current_date, at = now() WHERE volume = $1',
    'INSERT INTO position_sums (count) SELECT count(*) FROM positions',
    'SELECT count(*) FROM loans',
    'SELECT 1 FROM loans l JOIN events e USING (volume, loan_id)',
    'SELECT 1 FROM loans l, events e WHERE l.volume = e.volume AND e.loan_id = l.loan_id',
    'SELECT 1 FROM loans l JOIN events e ON e.loan_id = l.loan_id WHERE l.volume = $1 AND e.volume = $1::smallint',
    'SELECT 1 FROM loans l LEFT JOIN people p ON p.volume = l.volume AND p.loan_id = l.loan_id',
    'SELECT 1 FROM loans l WHERE NOT EXISTS (SELECT 1 FROM events e WHERE (e.volume, e.loan_id) = (l.volume, l.loan_id))',
    'SELECT 1 FROM loans WHERE (volume, loan_id) IN (SELECT volume, loan_id FROM former_owners)',
    'SELECT 1 FROM loans WHERE loan_id IN (SELECT loan_id FROM former_owners)',
    'SELECT 1 FROM loans l CROSS JOIN LATERAL (SELECT hash FROM events e WHERE e.volume = l.volume AND e.loan_id = l.loan_id LIMIT 1) e',
    'SELECT 1 FROM (SELECT volume, loan_id FROM loans LIMIT 10) page JOIN applications USING (volume, loan_id)',
    'SELECT 1 FROM loans JOIN unnest($1::text[]) AS asked (id) ON asked.id = organization_id',
    'SELECT 1 FROM unnest($2::bytea[]) AS asked (id) LEFT JOIN loans l ON l.volume = $1 AND l.loan_id = asked.id',
    `SELECT 1 FROM unnest($2::bytea[]) AS asked (id) WHERE EXISTS (SELECT 1 FROM loans l WHERE l.volume = $1 AND l.loan_id = asked.id)`,
    'SELECT b.hash FROM (SELECT 1) AS asked CROSS JOIN LATERAL (SELECT hash FROM blocks WHERE volume = $1 ORDER BY number LIMIT $2) b',
    'SELECT number FROM ledger_heads WHERE volume = $1 FOR UPDATE',
    'INSERT INTO blocks (volume, number) SELECT $1::smallint, b.* FROM unnest($2::bigint[]) AS b',
    'UPDATE loans l SET version = u.version FROM unnest($2::bytea[], $3::int[]) AS u (id, version) WHERE l.volume = $1 AND l.loan_id = u.id',
    'SELECT 1 FROM feed_marks WHERE volume = $1 AND number > (SELECT number FROM feed_head)',
    'SELECT number, EXISTS (SELECT 1 FROM ledger_heads WHERE number > $1) FROM feed_head',
    "SELECT 'loans', count(*) FROM loans UNION ALL SELECT 'organizations', count(*) FROM organizations",
    'SET LOCAL enable_nestloop = off',
    'CREATE TABLE answers_20260101 PARTITION OF answers FOR VALUES FROM (1) TO (2)',
  ])('%s', (text) => {
    expect(complaints(text)).toEqual([]);
  });
});

test('one for plain servers may be anything, but is sent to no other', () => {
  const text = '/* plain */ SELECT 1 FROM loans JOIN organizations USING (organization_id)';
  expect(complaints(text, false)).toEqual([]);
  expect(complaints(text)).toEqual(['is for plain servers, but was sent to one with distributed tables']);
});

test('what is no statement is complained of', () => {
  expect(complaints('SELECT 1 FROM')).toEqual([expect.stringMatching(/^is no statement: syntax error/)]);
});

test('functions of the migrations are read', () => {
  const found = statementsOfFunctions(textOf('migrations/0013_feed.sql'));
  expect(found.some((text) => /^INSERT INTO feed_marks/.test(text))).toBe(true);
});

describe('the recorder', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  const recorded = (text: RegExp) => recordedHere().filter((one) => text.test(one.text));

  test('records what the service sends, once for each kind of server, with its file', async () => {
    const { db } = database;

    await unsealedVolumes(db);
    await unsealedVolumes(db);
    db.useVolumes({ ...db.volumes, sharded: true });
    await db.transaction((tx) => unsealedVolumes(tx));
    const found = recorded(/FROM ledger_heads h/).filter(({ file }) => file === 'src/store/ledger/sealing.ts');
    expect(new Set(found.map(({ sharded }) => sharded))).toEqual(new Set([false, true]));
    expect(new Set(found.map(({ text, sharded }) => `${sharded} ${text}`)).size).toBe(found.length);
  });

  test('not what a test sends', async () => {
    const text = 'SELECT 1 AS sent_by_a_test';
    await database.db.query(text);
    await database.db.transaction((tx) => tx.query(text));
    await database.db.session((session) => session.query(text));
    expect(recorded(/sent_by_a_test/)).toEqual([]);
  });
});
