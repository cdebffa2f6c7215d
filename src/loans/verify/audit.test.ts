import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import type { Db } from '../../store/db.ts';
import { type Progress, verifyBook } from './book.ts';
import { complaintLine } from './complaint.ts';

const TABLES = ['audit', 'audit_links', 'audit_waiting', 'events', 'ledger_roots'];

let room: TestLoans;
let paid: string;

beforeAll(async () => {
  room = await testLoans();
  [paid] = await Promise.all([room.live(), room.live()]);
  await room.loans.search({ ...ACTOR, userId: 'user_1' }, { ssn: '666123456' });
  await room.loans.readFull(ACTOR, paid, { asOf: null, knownAt: null });
  const call = { ...ACTOR, operation: 'waive-fee', outcome: 'not_granted', grantedBy: [] };
  await room.loans.audit.refused({ ...call, loanId: paid });
  await room.loans.audit.refused({ ...call, loanId: `0x${'77'.repeat(32)}` });
  await room.loans.once(
    ACTOR,
    { idempotency: null, answer: () => '{}', isSecret: false, audit: { operation: 'a', subject: () => 'b' } },
    async () => ({}),
  );
  while ((await room.loans.seal()) > 0);
  // One that is not linked yet.
  await room.loans.audit.refused({ ...call, loanId: null });
  await room.db.transaction(async (tx) => {
    await tx.query('CREATE SCHEMA kept');
    for (const table of TABLES) await tx.query(`CREATE TABLE kept.${table} AS SELECT * FROM ${table}`);
  });
}, 60_000);
afterAll(() => room.close());

const verify = (db: Db = room.db, progress?: (step: Progress) => void) =>
  verifyBook({ db, masterKeys: testMasterKeys, ...(progress ? { progress } : {}) });

/** Complaints after some statements, which are then undone; ids and hashes, which depend on chance, left out. */
async function complaintsAfter(...statements: string[]): Promise<string[]> {
  await room.db.transaction(async (tx) => {
    for (const sql of statements) await tx.query(sql);
  });
  const { complaints } = await verify();
  await room.db.transaction(async (tx) => {
    for (const table of TABLES) {
      await tx.query(`DELETE FROM ${table}`);
      await tx.query(`INSERT INTO ${table} SELECT * FROM kept.${table}`);
    }
  });
  return complaints
    .map(complaintLine)
    .map((line) =>
      line
        .replace(/0x[0-9a-f]{64}/g, 'HASH')
        .replace(/\b[0-9a-f]{28}\b/g, 'E')
        .replace(/\d+/g, 'n'),
    )
    .sort();
}

const CHANGED = 'audit_links: volume n link n: it or its entry E was changed';
/** A link in the middle of a chain: its volume and number. */
const MIDDLE = `(SELECT volume, number FROM audit_links l WHERE number > 1
  AND EXISTS (SELECT 1 FROM audit_links n WHERE n.volume = l.volume AND n.number = l.number + 1) ORDER BY 1, 2 LIMIT 1)`;
const ENTRY = `(SELECT volume, entry_id FROM audit_links WHERE (volume, number) = ${MIDDLE})`;

test('a trail in order has no complaints, every link is counted, and the end of it waits', async () => {
  const steps: Progress[] = [];
  const report = await verify(room.db, (step) => steps.push(step));
  expect(report.complaints).toEqual([]);
  const [row] = await room.db.query<{ links: number; entries: number }>(
    'SELECT (SELECT count(*)::int FROM audit_links) AS links, (SELECT count(*)::int FROM audit) AS entries',
  );
  expect(report.entries).toBe(row?.links);
  expect(row?.entries).toBe((row?.links ?? 0) + 1);
  expect(steps.findLast(({ part }) => part === 'audit')).toEqual({
    part: 'audit',
    done: row?.links,
    total: row?.links,
  });
});

describe('is found:', () => {
  const columns = {
    at: `at + interval '1 millisecond'`,
    client_id: `client_id || 'x'`,
    user_id: `coalesce(user_id, '') || 'x'`,
    key_id: `coalesce(key_id, '') || 'x'`,
    owner_id: `'org_other'`,
    account: `'root'`,
    kind: `'tried'`,
    operation: `'x'`,
    outcome: `'x'`,
    subject: `'x'`,
    approval_id: `'x'`,
    count: 'count + 1',
    purpose: `'\\x00'::bytea`,
    request_id: `'x'`,
  };
  test.each(Object.entries(columns))('a changed %s', async (column, value) => {
    const found = await complaintsAfter(`UPDATE audit SET ${column} = ${value} WHERE (volume, entry_id) = ${ENTRY}`);
    expect(found).toContain(CHANGED);
  });

  test('a time that was changed by less than a millisecond', async () => {
    const found = await complaintsAfter(
      `UPDATE audit SET at = at + interval '1 microsecond' WHERE (volume, entry_id) = ${ENTRY}`,
    );
    expect(found).toEqual(['audit_links: volume n link n: the time of its entry E was changed']);
  });

  test('an entry that was removed, alone or with its link', async () => {
    const seen = `(SELECT volume, entry_id FROM audit WHERE kind = 'saw' AND subject = 'record' LIMIT 1)`;
    expect(await complaintsAfter(`DELETE FROM audit WHERE (volume, entry_id) = ${seen}`)).toEqual([
      'audit_links: volume n link n: its entry E is missing',
    ]);
    const both = await complaintsAfter(
      `DELETE FROM audit_links WHERE (volume, number) = ${MIDDLE}`,
      `DELETE FROM audit a WHERE NOT EXISTS (SELECT 1 FROM audit_links l WHERE (l.volume, l.entry_id) = (a.volume, a.entry_id))
         AND NOT EXISTS (SELECT 1 FROM audit_waiting w WHERE (w.volume, w.entry_id) = (a.volume, a.entry_id))`,
    );
    expect(both).toContain('audit_links: volume n link n: the one before is missing');
  });

  test('the end of a chain that was cut off, by the root over it', async () => {
    const found = await complaintsAfter(
      `CREATE TEMP TABLE cut ON COMMIT DROP AS SELECT l.volume, l.number, l.entry_id FROM audit_links l JOIN audit a USING (volume, entry_id)
       WHERE a.kind = 'saw' AND l.number = (SELECT max(number) FROM audit_links m WHERE m.volume = l.volume) LIMIT 1`,
      'DELETE FROM audit_links WHERE (volume, number) IN (SELECT volume, number FROM cut)',
      'DELETE FROM audit WHERE (volume, entry_id) IN (SELECT volume, entry_id FROM cut)',
    );
    expect(found).toEqual(['ledger_roots: root n: names audit link n, which is missing']);
  });

  test('an entry that was inserted: without a link, waiting for one that it has, or in place of another', async () => {
    const copy = (
      id: string,
    ) => `INSERT INTO audit SELECT volume, '${id}', at, organization_id, owner_id, client_id, user_id, key_id, account,
      kind, operation, outcome, loan_id, subject, NULL, approval_id, count, purpose, request_id FROM audit WHERE (volume, entry_id) = ${ENTRY}`;
    const id = '0'.repeat(28);
    expect(await complaintsAfter(copy(id))).toEqual(['audit: E is not linked and does not wait to be']);
    expect(await complaintsAfter(`INSERT INTO audit_waiting SELECT volume, entry_id FROM audit_links LIMIT 1`)).toEqual(
      ['audit_waiting: E is linked already'],
    );
    expect(await complaintsAfter(`INSERT INTO audit_waiting VALUES (0, '${id}')`)).toEqual([
      'audit_waiting: E is not in the audit trail',
    ]);
    expect(
      await complaintsAfter(copy(id), `UPDATE audit_links SET entry_id = '${id}' WHERE (volume, number) = ${MIDDLE}`),
    ).toContain(CHANGED);
  });

  test('two entries that changed places', async () => {
    const found = await complaintsAfter(
      `CREATE TEMP TABLE pair ON COMMIT DROP AS SELECT volume, number, entry_id,
         CASE WHEN number = (SELECT number FROM audit_links WHERE (volume, number) = ${MIDDLE}) THEN 1 ELSE 2 END AS n
       FROM audit_links WHERE (volume, number) = ${MIDDLE} OR (volume, number - 1) = ${MIDDLE}`,
      'DELETE FROM audit_links WHERE (volume, number) IN (SELECT volume, number FROM pair)',
      `INSERT INTO audit_links SELECT p.volume, p.number, q.entry_id, k.hash FROM pair p JOIN pair q ON q.n <> p.n
       JOIN kept.audit_links k ON (k.volume, k.number) = (p.volume, p.number)`,
    );
    expect(found.filter((line) => line === CHANGED).length).toBeGreaterThan(0);
  });

  test('a changed hash of a link, once', async () => {
    const found = await complaintsAfter(`UPDATE audit_links SET hash = sha256('') WHERE (volume, number) = ${MIDDLE}`);
    expect(found).toEqual([CHANGED]);
  });

  test('a waiting entry whose row was removed', async () => {
    expect(await complaintsAfter('DELETE FROM audit_waiting')).toEqual([
      'audit: E is not linked and does not wait to be',
    ]);
  });
});

describe('entries and transactions', () => {
  const ofPaid = () => `loan_id = '\\x${paid.slice(2)}'`;
  test('a transaction without its entry, and an entry of none', async () => {
    const entry = `(SELECT entry_id FROM audit WHERE ${ofPaid()} AND kind = 'did' ORDER BY entry_id DESC LIMIT 1)`;
    const found = await complaintsAfter(`UPDATE audit SET transaction_hash = sha256('') WHERE entry_id = ${entry}`);
    expect(found).toEqual([
      'audit, loan HASH, transaction n: its entry is missing',
      'audit, loan HASH: an entry names a transaction that does not exist: HASH',
      CHANGED,
    ]);
  });

  test('a transaction that names another client, or another person, than its entry', async () => {
    for (const change of [`client_id = 'other'`, `user_id = 'user_other'`]) {
      const found = await complaintsAfter(
        `UPDATE events SET ${change} WHERE ${ofPaid()} AND sequence = (SELECT version FROM loans WHERE ${ofPaid()})`,
      );
      expect(found).toEqual([
        expect.stringMatching(
          /^audit, loan HASH, transaction n: its entry names another sender \(expected .*, found client \)$/,
        ),
      ]);
    }
  });
});

test('an entry that was moved to another volume before it was linked is found there', async () => {
  await room.db.query(
    'UPDATE audit SET volume = (volume + 1) % 16 WHERE (volume, entry_id) = (SELECT volume, entry_id FROM audit_waiting)',
  );
  await room.db.query('UPDATE audit_waiting SET volume = (volume + 1) % 16');
  await room.loans.seal();
  expect((await verify()).complaints.map(complaintLine)).toEqual([
    expect.stringMatching(/^audit: [0-9a-f]{28} is in the wrong volume \(expected \d+, found \d+\)$/),
  ]);
});
