import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { between } from '../../../test/support/gate-of-writes.ts';
import { ACTOR, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { WHOLE } from '../../../test/support/whole.ts';
import type { Db } from '../../store/db/db.ts';
import { checkAudit, type Lateness } from './audit.ts';
import { type Progress, verifyBook } from './book.ts';
import { complaintLine } from './complaint.ts';

const TABLES = ['audit', 'audit_waiting', 'events', 'ledger_roots'];
const MINUTE = 60_000;

let room: TestLoans;
let paid: string;

beforeAll(async () => {
  room = await testLoans();
  [paid] = await Promise.all([room.live(), room.live()]);
  await room.loans.reads.search({ ...ACTOR, userId: 'user_1' }, { ssn: '666123456' });
  await room.loans.reads.readFull(ACTOR, paid, { asOf: null, knownAt: null });
  const call = { ...ACTOR, operation: 'waive-fee', outcome: 'not_granted', grantedBy: [] };
  await room.loans.audit.refused({ ...call, loanId: paid });
  await room.loans.audit.refused({ ...call, loanId: `0x${'77'.repeat(32)}` });
  await room.loans.door.once(
    ACTOR,
    { idempotency: null, answer: () => '{}', isSecret: false, audit: { operation: 'a', subject: () => 'b' } },
    async () => ({}),
  );
  while ((await room.loans.ledger.seal()) > 0);
  // One that is not linked yet.
  await room.loans.audit.refused({ ...call, loanId: null });
  await room.db.transaction(async (tx) => {
    await tx.query('CREATE SCHEMA kept');
    for (const table of TABLES) await tx.query(`CREATE TABLE kept.${table} AS SELECT * FROM ${table}`);
  });
}, 60_000);
afterAll(() => room.close());

const verify = (db: Db = room.db, progress?: (step: Progress) => void) =>
  verifyBook({
    db,
    masterKeys: testMasterKeys,
    ...(progress ? { progress } : {}),
  });

async function putBack(): Promise<void> {
  await room.db.transaction(async (tx) => {
    for (const table of TABLES) {
      await tx.query(`DELETE FROM ${table}`);
      await tx.query(`INSERT INTO ${table} SELECT * FROM kept.${table}`);
    }
  });
}

/** Complaints after some statements, which are then undone; ids and hashes, which depend on chance, left out. */
async function complaintsAfter(...statements: string[]): Promise<string[]> {
  await room.db.transaction(async (tx) => {
    for (const sql of statements) await tx.query(sql);
  });
  const { complaints } = await verify();
  await putBack();
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

const CHANGED = 'audit: volume n link n: it or its entry E was changed';
/** A link in the middle of a chain: its volume and number. */
const MIDDLE = `(SELECT volume, number FROM audit l WHERE number > 1
  AND EXISTS (SELECT 1 FROM audit n WHERE n.volume = l.volume AND n.number = l.number + 1) ORDER BY 1, 2 LIMIT 1)`;
/** Columns of an entry besides its volume, id and link. */
const FACTS = `at, organization_id, owner_id, client_id, user_id, key_id, account, kind, operation, outcome, loan_id, subject, transaction_hash,
  approval_id, count, purpose, request_id`;

test('a trail in order has no complaints, every link is counted, and the end of it waits', async () => {
  const steps: Progress[] = [];
  const report = await verify(room.db, (step) => steps.push(step));
  expect(report.complaints).toEqual([]);
  const [row] = await room.db.query<{ links: number; waiting: number }>(
    'SELECT (SELECT count(*)::int FROM audit) AS links, (SELECT count(*)::int FROM audit_waiting) AS waiting',
  );
  expect(report.entries).toBe(row?.links);
  expect(row?.links).toBeGreaterThan(8);
  expect(row?.waiting).toBe(1);
  expect(steps.findLast(({ part }) => part === 'audit')).toEqual({
    part: 'audit',
    done: row?.links,
    total: row?.links,
  });
});

describe('is found:', () => {
  const columns = {
    entry_id: `'${'0'.repeat(28)}'`,
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
  test.each(Object.entries(columns).filter((_, n) => WHOLE || n % 3 === 0))('a changed %s', async (column, value) => {
    const found = await complaintsAfter(`UPDATE audit SET ${column} = ${value} WHERE (volume, number) = ${MIDDLE}`);
    expect(found).toContain(CHANGED);
  });

  test('a time that was changed by less than a millisecond', async () => {
    const found = await complaintsAfter(
      `UPDATE audit SET at = at + interval '1 microsecond' WHERE (volume, number) = ${MIDDLE}`,
    );
    expect(found).toEqual(['audit: volume n link n: the time of its entry E was changed']);
  });

  test('an entry that was removed, with or without those behind it moved up', async () => {
    const one = `DELETE FROM audit WHERE (volume, number) = ${MIDDLE}`;
    expect(await complaintsAfter(one)).toContain('audit: volume n link n: the one before is missing');
    const found = await complaintsAfter(
      `CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT * FROM ${MIDDLE} m`,
      'DELETE FROM audit WHERE (volume, number) = (SELECT volume, number FROM gone)',
      'UPDATE audit a SET number = a.number + 1000 FROM gone WHERE a.volume = gone.volume AND a.number > gone.number',
      'UPDATE audit SET number = number - 1001 WHERE number > 1000',
    );
    expect(found).toContain(CHANGED);
  });

  test('the end of a chain that was cut off, by the root over it', async () => {
    const found = await complaintsAfter(
      `DELETE FROM audit WHERE (volume, number) = (SELECT volume, number FROM audit a
         WHERE kind = 'saw' AND number = (SELECT max(number) FROM audit m WHERE m.volume = a.volume) LIMIT 1)`,
    );
    expect(found).toEqual(['ledger_roots: root n: names audit link n, which is missing']);
  });

  /** A copy of the middle entry, with another id and without its transaction. */
  const copied = (id: string, number: string, hash: string) =>
    `INSERT INTO audit (volume, number, hash, entry_id, ${FACTS})
     SELECT volume, ${number}, ${hash}, '${id}', ${FACTS.replace('transaction_hash', 'NULL')} FROM audit WHERE (volume, number) = ${MIDDLE}`;
  const END = '(SELECT max(number) + 1 FROM audit e WHERE e.volume = audit.volume)';

  test('an entry that was inserted: at the end, behind a gap, or in place of another', async () => {
    const id = '0'.repeat(28);
    expect(await complaintsAfter(copied(id, END, `sha256('')`))).toEqual([CHANGED]);
    expect(await complaintsAfter(copied(id, `${END} + 1`, `sha256('')`))).toEqual([
      'audit: volume n link n: the one before is missing',
    ]);
    expect(
      await complaintsAfter(
        `CREATE TEMP TABLE old ON COMMIT DROP AS SELECT * FROM audit WHERE (volume, number) = ${MIDDLE}`,
        'DELETE FROM audit WHERE (volume, number) = (SELECT volume, number FROM old)',
        `INSERT INTO audit (volume, number, hash, entry_id, ${FACTS}) SELECT volume, number, hash, '${id}', ${FACTS} FROM old`,
      ),
    ).toContain(CHANGED);
  });

  test('an entry that is linked and waits, and one that is linked twice', async () => {
    const again = `INSERT INTO audit_waiting (volume, entry_id, ${FACTS}) SELECT volume, entry_id, ${FACTS} FROM audit WHERE (volume, number) = ${MIDDLE}`;
    expect(await complaintsAfter(again)).toEqual(['audit_waiting: E is linked already']);
    await room.db.query(again);
    await room.loans.ledger.seal();
    expect(await complaintsAfter()).toEqual(['audit: E is linked twice']);
  });

  test('two entries that changed places', async () => {
    const found = await complaintsAfter(
      `CREATE TEMP TABLE pair ON COMMIT DROP AS SELECT * FROM audit
       WHERE (volume, number) = ${MIDDLE} OR (volume, number - 1) = ${MIDDLE}`,
      'DELETE FROM audit WHERE (volume, number) IN (SELECT volume, number FROM pair)',
      `INSERT INTO audit (volume, number, hash, entry_id, ${FACTS})
       SELECT p.volume, p.number, p.hash, q.entry_id, ${FACTS.replaceAll(/\w+/g, 'q.$&')} FROM pair p JOIN pair q ON q.number <> p.number`,
    );
    expect(found.filter((line) => line === CHANGED).length).toBeGreaterThan(0);
  });

  test('a changed hash of a link, once', async () => {
    const found = await complaintsAfter(`UPDATE audit SET hash = sha256('') WHERE (volume, number) = ${MIDDLE}`);
    expect(found).toEqual([CHANGED]);
  });

  test('an entry that was put back among those that wait, with what it said changed', async () => {
    const found = await complaintsAfter(
      `INSERT INTO audit_waiting (volume, entry_id, ${FACTS})
       SELECT volume, entry_id, ${FACTS.replace('client_id', `'nobody'`)} FROM audit WHERE (volume, number) = ${MIDDLE}`,
      `DELETE FROM audit WHERE (volume, number) = ${MIDDLE}`,
    );
    expect(found).toContain('audit: volume n link n: the one before is missing');
  });

  describe('an entry that waits for its link while newer ones are made for ten minutes', () => {
    const LATE = { afterMs: 10 * MINUTE, patienceMs: 0 };
    const told = expect.stringMatching(
      /^audit_waiting: [0-9a-f]{28} waits for its link for too long: entries are not linked$/,
    );
    const late = async (given: Lateness, act = async (_: string) => {}) => {
      const found: string[] = [];
      const complain = (table: string, what: string) => found.push(`${table}: ${what}`);
      await between(room.db, act).session((session) =>
        checkAudit(session, { late: given, complain, progress: () => {} }),
      );
      return found;
    };
    const newer = (minutes: number, request = 'request_id', began = '02') =>
      room.db.query(
        `INSERT INTO audit_waiting (volume, entry_id, ${FACTS}, since)
         SELECT volume, '${began}' || right(entry_id, -2), ${FACTS.replace('request_id', request)}, since + interval '${minutes} minutes'
         FROM audit_waiting`,
      );
    const waiting = async (...given: Parameters<typeof newer>) => {
      await newer(...given);
      const found = await late(LATE);
      await putBack();
      return found;
    };

    test('by the time when they came', async () => {
      expect(await waiting(9)).toEqual([]);
      expect(await waiting(11)).toEqual([told]);
      // Times of their own say nothing: the demonstration is filled with those of its story.
      expect(await waiting(0, 'request_id', 'ff')).toEqual([]);
      expect(await waiting(11, 'request_id', '00')).toEqual([told]);
      // A command is carried out where no service runs that could link its entry.
      expect(await waiting(11, 'NULL')).toEqual([]);
    });

    test('but not one that a service links that has just been started again', async () => {
      await newer(11);
      let looks = 0;
      const linkAfterTheFirst = async (text: string) => {
        if (text.includes('since <') && ++looks === room.db.volumes.count + 1) await room.loans.ledger.link();
      };
      expect(await late({ ...LATE, patienceMs: 60_000 }, linkAfterTheFirst)).toEqual([]);
      expect(looks).toBeGreaterThan(room.db.volumes.count);
      await putBack();
    });
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

  test('a transaction whose entry was removed before it was linked, or names another sender there', async () => {
    const last = `${ofPaid()} AND transaction_hash = (SELECT last_hash FROM loans WHERE ${ofPaid()})`;
    const back = `INSERT INTO audit_waiting (volume, entry_id, ${FACTS}) SELECT volume, entry_id, ${FACTS} FROM audit WHERE ${last}`;
    const unlinked = [back, `DELETE FROM audit WHERE ${last}`];
    const missing = 'audit, loan HASH, transaction n: its entry is missing';
    expect(await complaintsAfter(...unlinked)).not.toContain(missing);
    expect(await complaintsAfter(...unlinked, `DELETE FROM audit_waiting WHERE ${last}`)).toContain(missing);
    expect(await complaintsAfter(...unlinked, `UPDATE audit_waiting SET client_id = 'x' WHERE ${last}`)).toContain(
      'audit, loan HASH, transaction n: its entry names another sender (expected client , found x )',
    );
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
  await room.db.query('UPDATE audit_waiting SET volume = (volume + 1) % 16');
  await room.loans.ledger.seal();
  expect((await verify()).complaints.map(complaintLine)).toEqual([
    expect.stringMatching(/^audit: [0-9a-f]{28} is in the wrong volume \(expected \d+, found \d+\)$/),
  ]);
});
