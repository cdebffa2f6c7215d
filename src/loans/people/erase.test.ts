import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxIn } from '../../../test/support/clocks.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { repay, testLoans } from '../../../test/support/loans.ts';
import { TRAIL } from '../../../test/support/trail.ts';
import { DEFAULT_LENDER_POLICY } from '../../core/policy.ts';
import { eraseBorrower } from './erase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const CLOSED_AT = Date.UTC(2020, 5, 30, 12);
const DAY = 86_400_000;
const retentionDays = 100;
const afterwards = CLOSED_AT + retentionDays * DAY;

async function loan(status: string): Promise<string> {
  const id = randomBytes(32);
  const { db } = database;
  const volume = (id[0] ?? 0) % db.volumes.count;
  await db.query(
    `INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at)
     VALUES ($2, $1, 'mk_1', 'wrapped', 'sealed', now())`,
    [id, volume],
  );
  await db.query(
    `INSERT INTO loans (volume, loan_id, organization_id, created_at, version, last_hash, status, next_due, loan_amount, principal, published, updated_at, recorded_on, first_recorded_on,
       lender_id, book_principal, book_interest, book_fees, book_credits)
     VALUES ($3, $1, 'org_a', now(), 2, $1, $2, 'infinity', 100, 0, false, now(), now(), now(), 'L-1', 0, 0, 0, 0)`,
    [id, status, volume],
  );
  for (const [sequence, recordedAt] of [
    [1, CLOSED_AT - 900 * DAY],
    [2, CLOSED_AT],
  ] as const) {
    const event = { type: 'created', recordedAt: new Date(recordedAt).toISOString() };
    await db.query(
      `INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, note)
       VALUES ($4, $1, $2, $1, 1, 1, 'created', $3, 'desk', 'sealed')`,
      [id, sequence, JSON.stringify({ event, v: 1 }), volume],
    );
  }
  await db.query(
    `INSERT INTO blind_index (volume, organization_id, kind, digest, loan_id)
     VALUES ($2, 'org_a', 'ssn', $1, $1), ($2, 'org_a', 'vin', $1, $1)`,
    [id, volume],
  );
  return `0x${id.toString('hex')}`;
}

const erase = (loanId: string, now = afterwards) => eraseBorrower(database.db, { loanId, retentionDays, now });
async function rowsOf(loanId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['people', 'blind_index', 'events', 'loans', 'audit_waiting']) {
    const [row] = await database.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE loan_id = $1`, [
      Buffer.from(loanId.slice(2), 'hex'),
    ]);
    counts[table] = row?.n ?? -1;
  }
  return counts;
}
const untouched = { people: 1, blind_index: 2, events: 2, loans: 1, audit_waiting: 0 };

test.each(['Closed', 'ClosedEarly', 'Rejected', 'Cancelled'])(
  'erasing the borrower of a loan that is %s destroys the key and the indexes, and leaves the history and an audit entry',
  async (status) => {
    const loanId = await loan(status);
    const other = await loan(status);
    expect(await erase(loanId)).toEqual({ loanId, erasedAt: new Date(afterwards).toISOString() });
    expect(await rowsOf(loanId)).toEqual({ people: 0, blind_index: 0, events: 2, loans: 1, audit_waiting: 1 });
    expect(await rowsOf(other)).toEqual(untouched);
    const [entry] = await database.db.query(
      `SELECT organization_id, client_id, kind, operation, at FROM ${TRAIL} WHERE loan_id = $1`,
      [Buffer.from(loanId.slice(2), 'hex')],
    );
    expect(entry).toEqual({
      organization_id: 'org_a',
      client_id: 'operator',
      kind: 'did',
      operation: 'erase-borrower',
      at: new Date(afterwards),
    });
    expect(await erase(loanId)).toEqual({ refused: 'The borrower of this loan was already erased.' });
  },
);

test.each(['ApplicationSubmitted', 'Approved', 'Funded', 'Current', 'Delinquent', 'Defaulted', 'ChargedOff'])(
  'erasing is refused while the loan is %s, however old it is',
  async (status) => {
    const loanId = await loan(status);
    expect(await erase(loanId, afterwards + 10_000 * DAY)).toEqual({
      refused: expect.stringContaining(`The loan is ${status};`),
    });
    expect(await rowsOf(loanId)).toEqual(untouched);
  },
);

test('erasing is refused until the retention period, counted from the last event, is over', async () => {
  const loanId = await loan('Closed');
  expect(await erase(loanId, afterwards - 1)).toEqual({
    refused: 'The retention period of this loan (RETENTION_DAYS=100) ends on 2020-10-08.',
  });
  expect(await rowsOf(loanId)).toEqual(untouched);
  expect(await erase(loanId)).toHaveProperty('erasedAt');
});

test('the retention period is that of the lender’s policy, where it sets one', async () => {
  const loanId = await loan('Closed');
  const { db } = database;
  await db.query("INSERT INTO organizations VALUES ('org_b', 'B', now())");
  await db.query("UPDATE loans SET organization_id = 'org_b' WHERE loan_id = $1", [
    Buffer.from(loanId.slice(2), 'hex'),
  ]);
  await db.query(
    `INSERT INTO policy_versions VALUES ('org_b', 1, 'all', null, 1, '2020-01-01', '2020-01-01', $1, now(), 'desk')`,
    [JSON.stringify({ ...DEFAULT_LENDER_POLICY, retentionDays: 120 })],
  );
  expect(await erase(loanId)).toEqual({
    refused: 'The retention period of this loan (retentionDays of its policy: 120) ends on 2020-10-28.',
  });
  expect(await erase(loanId, CLOSED_AT + 120 * DAY)).toHaveProperty('erasedAt');
});

test('in a sandbox the retention period goes by its clock', async () => {
  const start = new Date(afterwards - DAY).toISOString().slice(0, 10);
  const sandbox = await sandboxIn({ db: database.db, clock: { now: afterwards + 900 * DAY } }, start);
  const loanId = await loan('Closed');
  await database.db.query('UPDATE loans SET organization_id = $2 WHERE loan_id = $1', [
    Buffer.from(loanId.slice(2), 'hex'),
    sandbox,
  ]);
  const real = afterwards + 900 * DAY + 1;
  expect(await erase(loanId, real)).toEqual({
    refused: 'The retention period of this loan (RETENTION_DAYS=100) ends on 2020-10-08 by the clock of its sandbox.',
  });
  await database.db.query("UPDATE test_clocks SET stands_on = '2020-10-09' WHERE organization_id = $1", [sandbox]);
  expect(await erase(loanId, real)).toEqual({ loanId, erasedAt: new Date(real).toISOString() });
});

test('erasing the borrower of a loan that does not exist is refused', async () => {
  expect(await erase(`0x${'00'.repeat(32)}`)).toEqual({ refused: 'No such loan.' });
});

test('under a hold that keeps evidence the borrower of a loan that has ended is not erased', async () => {
  const room = await testLoans();
  const loanId = await room.live();
  await room.done(loanId, repay('P', 2_000_000, { acceptOverpayment: true }));
  await room.done(loanId, { do: 'acknowledge-repayment', refId: 'P' });
  const hold = { holdId: 'H', kind: 'litigation', from: null, to: null, bankruptcy: null, detailed: false } as const;
  await room.done(loanId, { do: 'place-hold', ...hold, reason: 'subpoena' });
  const now = room.clock.now + 200 * DAY;
  expect(await eraseBorrower(room.db, { loanId, retentionDays, now })).toEqual({
    refused: 'A hold (litigation, H) requires that the data of this loan is kept; release it first.',
  });
  await room.done(loanId, { do: 'release-hold', holdId: 'H', date: null, reason: 'settled' });
  expect(await eraseBorrower(room.db, { loanId, retentionDays, now })).toHaveProperty('erasedAt');
  await room.close();
});
