/**
 * Somebody with all rights in the database changes, adds or removes a row behind the service's back: `npm run verify` names the table and the
 * row. Every column of every table that decides rights and money is tried, from the schema, so a new column is tried too.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { checkAudit } from '../../src/loans/verify/audit.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { RECORDED_TABLES, type RecordedTable, rulesOf } from '../../src/store/audit/rows.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY } from '../support/app.ts';
import { type RecordedBook, recordedBook } from '../support/recorded-book.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let book: RecordedBook;
const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);

beforeAll(async () => {
  book = await recordedBook();
  const { db } = book.service;
  // A superuser is kept by no constraint, and by no trigger.
  const constraints = await db.query<{ text: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS text FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'u') AND conparentid = 0
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = conrelid)`,
  );
  for (const { text } of constraints) await db.query(text);
  const unique = await db.query<{ text: string }>(
    `SELECT format('DROP INDEX %s', indexrelid::regclass) AS text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'public'::regnamespace AND indisunique AND NOT indisprimary AND NOT c.relispartition`,
  );
  for (const { text } of unique) await db.query(text);
  const triggers = await db.query<{ text: string }>(
    `SELECT DISTINCT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass) AS text FROM pg_trigger WHERE NOT tgisinternal`,
  );
  for (const { text } of triggers) await db.query(text);
});
afterAll(() => book.service.close());

const all = async () => (await verifyBook({ db: book.service.db, masterKeys })).complaints.map(complaintLine);

/** Only the trail and the rows that it records: less than a tenth of the whole. */
async function recorded(): Promise<string[]> {
  const lines: string[] = [];
  await checkAudit(book.service.db, {
    late: null,
    complain: (table, what) => lines.push(`${table}: ${what}`),
    progress: () => {},
  });
  return lines;
}

type Column = { table_name: string; column_name: string; data_type: string };

const columnsOf = (table: string) =>
  book.service.db.query<Column>(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );

/** Another value than the one that is there, also where there is none. */
const other = ({ column_name: column, data_type: type }: Column): string => {
  const c = `"${column}"`;
  switch (type) {
    case 'text':
      return `coalesce(${c}, '') || 'x'`;
    case 'ARRAY':
      return `${c} || ARRAY['x']`;
    case 'jsonb':
      return `coalesce(${c}, '{}') || '{"x":1}'`;
    case 'bytea':
      return `coalesce(${c}, '') || '\\x01'::bytea`;
    case 'boolean':
      return `NOT coalesce(${c}, false)`;
    case 'date':
      return `coalesce(${c}, '2026-01-01') + 1000`;
    case 'timestamp with time zone':
      return `coalesce(${c}, '2026-01-01') + interval '1 microsecond'`;
    default:
      if (!['smallint', 'integer', 'bigint', 'numeric'].includes(type)) throw new Error(`No other value of ${type}.`);
      return `coalesce(${c}, 0) + 100`;
  }
};

/** Does it to the first row of a table and puts the table back afterwards. */
async function whileTampered<T>(table: string, statement: string, look: () => Promise<T>): Promise<T> {
  const { db } = book.service;
  await db.query(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  try {
    await db.query(statement);
    return await look();
  } finally {
    await db.script(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept_${table}`);
    await db.query(`DROP TABLE kept_${table}`);
  }
}

/** The first row: by the text of its place, which also names a row without a key. */
const FIRST = (table: string) => `ctid = (SELECT min(ctid) FROM ${table})`;

test('nothing was changed: no complaint', async () => {
  expect(await all()).toEqual([]);
});

const TOLD = (table: string, what = '(changed|added|removed)') =>
  expect.stringMatching(new RegExp(`^${table}: .+: was ${what}, no change recorded it$`));

/** The first row, once more under another key. */
async function copied(table: RecordedTable): Promise<string> {
  const key = Object.keys(rulesOf(table).key).at(-1);
  const columns = await columnsOf(table);
  const values = columns.map((column) => (column.column_name === key ? other(column) : `"${column.column_name}"`));
  const names = columns.map(({ column_name }) => `"${column_name}"`).join(', ');
  return `INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM ${table} WHERE ${FIRST(table)}`;
}

const changed = (table: string, column: Column) =>
  `UPDATE ${table} SET "${column.column_name}" = ${other(column)} WHERE ${FIRST(table)}`;

/** Does something to all recorded tables, looks once, and puts them back. */
async function whileAllTampered(statement: (table: RecordedTable) => Promise<string>): Promise<string[]> {
  const next = async ([table, ...others]: readonly RecordedTable[]): Promise<string[]> =>
    table === undefined ? recorded() : whileTampered(table, await statement(table), () => next(others));
  return next(RECORDED_TABLES);
}

describe('every table that is recorded or follows from others', () => {
  test('a row changed, removed, added', async () => {
    const last = async (table: RecordedTable) => {
      const without = rulesOf(table).without ?? {};
      return (await columnsOf(table)).findLast(({ column_name }) => !(column_name in without)) as Column;
    };
    const lines = await whileAllTampered(async (table) => changed(table, await last(table)));
    expect(lines).toEqual(expect.arrayContaining(RECORDED_TABLES.map((table) => TOLD(table))));
    const removed = await whileAllTampered(async (table) => `DELETE FROM ${table} WHERE ${FIRST(table)}`);
    expect(removed).toEqual(RECORDED_TABLES.map((table) => TOLD(table, 'removed')));
    const added = await whileAllTampered(copied);
    const told = RECORDED_TABLES.filter((table) => rulesOf(table).mayBeUnrecorded !== true);
    expect(added).toEqual(told.map((table) => TOLD(table, 'added')));
  });

  for (const table of RECORDED_TABLES) {
    slowTest(`${table}: every column`, async () => {
      const without = Object.keys(rulesOf(table).without ?? {});
      for (const column of await columnsOf(table)) {
        const { column_name: name } = column;
        const lines = await whileTampered(table, changed(table, column), recorded);
        if (without.includes(name)) expect(lines, `${table}.${name} is left out`).toEqual([]);
        else expect(lines, `${table}.${name}`).toContainEqual(TOLD(table));
      }
    });
  }

  // Rows that follow from others are compared with those.
  /** Columns that are not compared, as docs/audit.md has them. */
  const WITHOUT: Record<string, readonly string[]> = { transfers: ['scheduled_at', 'changed_at'] };

  for (const table of ['transfers', 'ledger_heads', 'feed_marks', 'feed_notes', 'feed_head']) {
    slowTest(`${table}: every column, a row removed`, async () => {
      const told = table === 'feed_notes' ? /feed_notes/ : new RegExp(`^${table}`, 'm');
      for (const column of await columnsOf(table)) {
        const { column_name: name } = column;
        if (name === 'only_row') continue;
        const lines = await whileTampered(table, changed(table, column), all);
        if (WITHOUT[table]?.includes(name)) expect(lines, `${table}.${name} is left out`).toEqual([]);
        else expect(lines.join('\n'), `${table}.${name}`).toMatch(told);
      }
      const removed = await whileTampered(table, `DELETE FROM ${table} WHERE ${FIRST(table)}`, all);
      expect(removed.join('\n')).toMatch(told);
    });
  }
});

describe('as it was found', () => {
  const told = async (table: string, statement: string, look = recorded) => {
    const lines = await whileTampered(table, statement, look);
    expect(lines).not.toEqual([]);
    return lines.join('\n');
  };
  const approval = (state: string) => `state = '${state}'`;

  test('an approval: who decided it, a rejection made pending or deleted, a preview', async () => {
    const line = /^approvals: \d+ approval_[0-9a-f]{32}: was (changed|removed), no change recorded it$/;
    const bob = `UPDATE approvals SET decided_user_id = 'user_mallory' WHERE ${approval('approved')}`;
    expect(await told('approvals', bob)).toMatch(line);
    const pending = `UPDATE approvals SET state = 'pending', decided_at = NULL, decided_user_id = NULL, decided_client_id = NULL,
      decided_organization_id = NULL, decision_note = NULL WHERE ${approval('rejected')}`;
    expect(await told('approvals', pending)).toMatch(line);
    expect(await told('approvals', `DELETE FROM approvals WHERE ${approval('rejected')}`)).toMatch(line);
    expect(await told('approvals', `UPDATE approvals SET preview = '{}' WHERE ${approval('pending')}`)).toMatch(line);
  });

  test('a policy: its threshold, its grace days, a version deleted', async () => {
    const line = /^policy_versions: org_\w+ 1: was (changed|removed), no change recorded it$/m;
    const threshold = `UPDATE policy_versions SET policy = replace(policy, '5000', '9000')`;
    expect(await told('policy_versions', threshold)).toMatch(line);
    const grace = `UPDATE policy_versions SET policy = replace(policy, '"graceDays":5', '"graceDays":6')`;
    expect(await told('policy_versions', grace)).toMatch(line);
    expect(await told('policy_versions', 'DELETE FROM policy_versions')).toMatch(line);
  });

  slowTest('a sealed reason: removed, replaced, added', async () => {
    const { loanId } = book;
    const of = (what: string) => new RegExp(`^events, loan ${loanId}, transaction \\d+: note ${what}$`, 'm');
    const one = `(volume, loan_id, sequence) = (SELECT volume, loan_id, sequence FROM events WHERE note IS NOT NULL LIMIT 1)`;
    expect(await told('events', `UPDATE events SET note = NULL WHERE ${one}`, all)).toMatch(of('is missing'));
    expect(await told('events', `UPDATE events SET note = note || '\\x00' WHERE ${one}`, all)).toMatch(
      of('was changed'),
    );
    const none = `sequence = 1 AND loan_id = '\\x${loanId.slice(2)}'`;
    expect(await told('events', `UPDATE events SET note = '\\x00' WHERE ${none}`, all)).toMatch(of('was added'));
  });

  test('a client: its scopes, its secret; a signing key of one’s own', async () => {
    const scopes = `UPDATE clients SET scopes = scopes || '{admin}' WHERE name = 'desk'`;
    expect(await told('clients', scopes)).toMatch(/^clients: client_\w+: was changed, no change recorded it$/);
    const key = `INSERT INTO signing_keys SELECT 'sig_mallory', algorithm, public_jwk, NULL, created_at, now() FROM signing_keys LIMIT 1`;
    expect(await told('signing_keys', key)).toBe('signing_keys: sig_mallory: was added, no change recorded it');
  });

  slowTest('a transfer, a head, a mark, a cycle', async () => {
    const state = `UPDATE transfers SET state = 'done' WHERE state = 'scheduled'`;
    expect(await told('transfers', state, all)).toMatch(
      /^transfers, loan 0x\w+: \S+ does not match its history \(expected/m,
    );
    const head = `UPDATE ledger_heads SET number = number + (SELECT count(*) FROM ledger_heads) WHERE volume = 3`;
    expect(await told('ledger_heads', head, all)).toMatch(
      /^ledger_heads: volume 3 is beyond the block of its last transaction/m,
    );
    const mark = 'DELETE FROM feed_marks WHERE number = 1';
    expect(await told('feed_marks', mark)).toMatch(/^feed_marks: ticks 1 to \d+: /m);
    const cycle = `UPDATE cycles SET ended_at = NULL WHERE date = '2026-01-20'`;
    expect(await told('cycles', cycle)).toMatch(/^cycles: org_\w+ 2026-01-20: was removed, no change recorded it$/m);
  });
});
