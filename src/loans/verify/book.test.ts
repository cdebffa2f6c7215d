/**
 * A small book with loans in many states is in order; then each kind of tampering, done behind the service's back, is named by the right
 * complaints and no others. The book is put back after each.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyRows } from '../../../test/support/copy-rows.ts';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, PERSONAL, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { WHOLE } from '../../../test/support/whole.ts';
import { date } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { verifyExport } from '../../ledger/chain.ts';
import type { Db, Session } from '../../store/db/db.ts';
import { openVolumes } from '../../store/db/volumes.ts';
import { type DataKey, unwrap } from '../../vault/master-keys.ts';
import { newSalt, sealRecord } from '../../vault/seal.ts';
import { eraseBorrower } from '../people/erase.ts';
import { type Progress, verifyBook } from './book.ts';
import { complaintLine } from './complaint.ts';
import { exportLoan } from './export-loan.ts';

const TABLES = [
  'loans',
  'applications',
  'books',
  'events',
  'journal',
  'people',
  'blind_index',
  'audit',
  'audit_waiting',
  'feed_marks',
  'feed_head',
  'reservations',
  'answers',
  'blocks',
  'account_days',
  'ledger_heads',
  'ledger_periods',
  'ledger_roots',
];

let room: TestLoans;
let session: Promise<Session>;
const isOver = Promise.withResolvers<void>();
/** By name: paid, returned, backdated, chargedOff, erased, applied. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  // The feed is set back below, as no service would do.
  room = await testLoans({ setBack: { noticed: () => {}, problem: () => null } });
  // One volume, so that blocks are shared as the cases below count them; what is of several volumes is tried at the end.
  await room.db.query('DELETE FROM ledger_heads WHERE volume > 0');
  await openVolumes(room.db, 1);
  session = new Promise((resolve, reject) => {
    room.db
      .session((opened) => {
        resolve(opened);
        return isOver.promise;
      })
      .catch(reject);
  });
  await fillBook();
  await room.db.transaction(async (tx) => {
    await tx.query('CREATE SCHEMA kept');
    for (const table of TABLES) await tx.query(`CREATE TABLE kept.${table} AS SELECT * FROM ${table}`);
  });
}, 60_000);
afterAll(async () => {
  isOver.resolve();
  await room.close();
});

const at = (month: number, day: number) => {
  room.clock.now = Date.UTC(2026, month - 1, day, 12);
};

async function fillBook(): Promise<void> {
  const { db, loans } = room;
  const late = {
    policy: {
      ...DEFAULT_POLICY,
      lateFee: FLAT_LATE_FEE,
    },
  };
  const [paid, returned, backdated, chargedOff, erased] = await Promise.all([
    room.live(),
    liveWith(late),
    room.live(),
    room.live(),
    room.live(),
  ]);
  const applied = await room.create({}, { published: true });
  Object.assign(ids, { paid, returned, backdated, chargedOff, erased, applied, nobody: `0x${'77'.repeat(32)}` });
  at(2, 1);
  await Promise.all([paid, returned, backdated].map((id) => room.done(id, repay('first', 88_849))));
  await room.done(paid, { do: 'publish', published: true });
  await room.done(paid, repay('rest', 920_000, { acceptOverpayment: true }));
  await Promise.all(['first', 'rest'].map((refId) => room.done(paid, { do: 'acknowledge-repayment', refId })));
  await done(erased, repay('all', 1_010_000), { idempotency: { key: 'K', request: 'all' } });
  await room.done(erased, { do: 'acknowledge-repayment', refId: 'all' });
  at(3, 20);
  await done(returned, { do: 'return-repayment', refId: 'first', date: null, reason: 'no funds' }, { reason: 'R01' });
  await room.done(returned, repay('second', 50_000));
  await room.done(backdated, repay('late', 88_849));
  await done(backdated, repay('found', 88_849, { date: '2026-02-25' }), { reason: 'the cheque lay in a drawer' });
  at(7, 20);
  for (const day of ['2026-07-18', '2026-07-19']) await loans.books.accrue('org_test', date(day));
  await db.query("INSERT INTO cycle_heads VALUES ('org_test', '2026-07-18', '2026-07-19')");
  for (const month of [1, 2, 3, 4, 5, 6])
    expect(await loans.books.close(ACTOR, `2026-0${month}`)).toHaveProperty('hash');
  const chargeOff = { do: 'charge-off', date: null, reason: 'gone', collateral: cents(300_000) } as const;
  await done(chargedOff, chargeOff, { reason: 'gone' });
  await room.done(chargedOff, { do: 'record-recovery', refId: 'sale', amount: cents(350_000), date: null });
  // One tick for everything so far, however many there were; it is recorded with the root.
  await loans.feed.look();
  await db.query(
    'DELETE FROM feed_marks m WHERE number < (SELECT max(number) FROM feed_marks o WHERE o.volume = m.volume)',
  );
  await db.query('UPDATE feed_marks SET number = 1');
  await db.query('UPDATE feed_head SET number = 1');
  while ((await loans.ledger.seal()) > 0);
  expect(await eraseBorrower(db, { loanId: erased, retentionDays: 0, now: room.clock.now + 1 })).toHaveProperty(
    'erasedAt',
  );
  await loans.ledger.seal();
  // One that is not sealed yet.
  await room.done(backdated, repay('newest', 10_000));
  await loans.feed.look();
}

async function done(...[loanId, command, more]: Parameters<TestLoans['write']>): Promise<void> {
  expect(await room.write(loanId, command, more)).toMatchObject({ kind: 'done' });
}

async function liveWith(other: Parameters<TestLoans['create']>[1]): Promise<string> {
  const loanId = await room.create({}, other);
  await room.done(loanId, { do: 'start-underwriting' });
  const approval = { approved: true, dealIndex: 0, reason: null };
  await room.done(loanId, { do: 'complete-underwriting', ...approval });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  return loanId;
}

/** In one session for all: a new one reads the descriptions of hundreds of partitions first, which takes longer than this book. */
const verify = (progress?: (step: Progress) => void) => {
  const db: Db = { ...room.db, session: async (work) => work(await session) };
  return verifyBook({ db, masterKeys: testMasterKeys, ...(progress ? { progress } : {}) });
};

/** Complaints with loans by their names, sorted; other ids, hashes and figures of blocks, which depend on chance, left out. */
function lines(complaints: Awaited<ReturnType<typeof verify>>['complaints']): string[] {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const line = (one: (typeof complaints)[number]) =>
    complaintLine(one)
      .replace(/0x[0-9a-f]{64}/g, (hex) => names.get(hex) ?? '0x…')
      .replace(/block \d+/, 'block n')
      .replace(/(block.*)expected \d+, found \d+/, '$1expected n, found n');
  return complaints.map(line).sort();
}

async function putBack(tables: readonly string[] = TABLES): Promise<void> {
  await room.db.transaction(async (tx) => {
    for (const table of tables) {
      await tx.query(`DELETE FROM ${table}`);
      await copyRows(tx, `kept.${table}`, table);
    }
  });
}

/** `$name` in a statement is that loan's id, `$nobody` the id of no loan. */
const withIds = (sql: string) =>
  sql.replace(/\$(\w+)/g, (_, name: string) => `'\\x${(ids[name] ?? 'no such loan').slice(2)}'::bytea`);

async function complaintsAfter(...statements: string[]): Promise<string[]> {
  await room.db.transaction(async (tx) => {
    for (const sql of statements) await tx.query(withIds(sql));
  });
  try {
    return lines((await verify()).complaints);
  } finally {
    const named = TABLES.filter((table) => statements.some((sql) => new RegExp(`\\b${table}\\b`).test(sql)));
    await putBack(statements.length > 0 ? named : TABLES);
  }
}

describe('a book in order', () => {
  test('has no complaints, and everything in it is counted', async () => {
    const steps: Progress[] = [];
    const report = await verify((step) => steps.push(step));
    expect(lines(report.complaints)).toEqual([]);
    const [counted] = await room.db.query<Record<string, bigint>>(
      `SELECT (SELECT count(*) FROM loans) AS loans, (SELECT count(*) FROM events) AS transactions,
         (SELECT count(*) FROM blocks) AS blocks, (SELECT count(*) FROM journal) AS lines,
         (SELECT count(*) FROM answers) AS answers`,
    );
    const { loans, transactions, blocks, lines: journal, answers } = report;
    expect({ loans, transactions, blocks, lines: journal, answers }).toEqual(
      Object.fromEntries(Object.entries(counted ?? {}).map(([name, n]) => [name, Number(n)])),
    );
    expect(report).toMatchObject({ loans: 6, unsealed: 1, erased: 1, answers: 1, complaintCount: 0 });
    expect(report.lastRoot).toMatchObject({ number: 1 });
    expect(steps.at(-1)).toEqual({ part: 'answers', done: 1, total: 1 });
    expect(steps.find(({ part }) => part === 'loans')).toEqual({ part: 'loans', done: 6, total: 6 });
  });

  test('stays in order while loans are written and blocks sealed', async () => {
    let writing = true;
    const writes = (async () => {
      for (let n = 0; writing; n++) {
        await Promise.all([room.create(), room.done(ids.returned as string, repay(`during-${n}`, 100))]);
        await room.loans.ledger.seal();
      }
    })();
    for (let n = 0; n < 5; n++) expect(lines((await verify()).complaints)).toEqual([]);
    writing = false;
    await writes;
    await room.loans.feed.look();
    await putBack();
  });
});

/** Each row: what is changed, the statements, and the complaints. */
type Case = readonly [what: string, sql: string | readonly string[], expected: readonly string[]];

const tampered = (cases: readonly Case[]) =>
  test.each(cases.filter((_, n) => WHOLE || n % 6 === 0))('%s', async (_, sql, expected) => {
    expect(await complaintsAfter(...[sql].flat())).toEqual([...expected].sort());
  });

const CHANGED = 'ledger_periods: org_test 2026-06: was changed, no change recorded it';
const HASH = "sha256(convert_to(body, 'UTF8'))";
const ROOT = 'blocks, block n: root does not match its transactions (expected 0x…, found 0x…)';
const NUMBER = 'blocks, block n: the number of transactions does not match the sealed header (expected n, found n)';
const REPLACED = 'was replaced: the next transaction names another hash (expected 0x…, found 0x…)';
const rehashed = (change: string, where: string) => [
  `UPDATE events SET body = ${change} WHERE ${where}`,
  `UPDATE events SET hash = ${HASH} WHERE ${where}`,
];

describe('a transaction', () => {
  const sixth = 'loan_id = $paid AND sequence = 6';
  const newest = 'loan_id = $backdated AND sequence = 9';
  const changed = 'events, loan paid, transaction 6: body was changed: its hash (expected 0x…, found 0x…)';
  const copied = (sequence: number, block: string) => `
    INSERT INTO events SELECT volume, loan_id, ${sequence}, hash, ${block}, 99, type, body, client_id, user_id, note, organization_id FROM events WHERE ${newest}`;
  tampered([
    ['a digit in its body', `UPDATE events SET body = replace(body, '88849', '38849') WHERE ${sixth}`, [changed]],
    ['a body cut short', `UPDATE events SET body = left(body, -1) WHERE ${sixth}`, [changed]],
    ['a body with what stands between bodies', `UPDATE events SET body = body || chr(30) WHERE ${sixth}`, [changed]],
    [
      'its hash',
      `UPDATE events SET hash = set_byte(hash, 31, get_byte(hash, 31) # 1) WHERE ${sixth}`,
      ['events, loan paid, transaction 6: hash was changed (expected 0x…, found 0x…)'],
    ],
    [
      'the hash of the last one',
      'UPDATE events SET hash = set_byte(hash, 0, get_byte(hash, 0) # 1) WHERE loan_id = $applied AND sequence = 2',
      ['events, loan applied, transaction 2: hash was changed (expected 0x…, found 0x…)'],
    ],
    [
      'its type',
      `UPDATE events SET type = 'reaged' WHERE ${sixth}`,
      ['events, loan paid, transaction 6: type does not match its body (expected paymentSubmitted, found reaged)'],
    ],
    [
      'body and hash together',
      rehashed(`replace(body, '88849', '88850')`, sixth),
      [ROOT, `events, loan paid, transaction 6: ${REPLACED}`],
    ],
    [
      'body and hash, with the same facts in another order',
      rehashed(`replace(body, '"sequence":6,"v":1', '"v":1,"sequence":6')`, sixth),
      [
        ROOT,
        'events, loan paid, transaction 6: body is not canonical JSON',
        `events, loan paid, transaction 6: ${REPLACED}`,
      ],
    ],
    [
      'body and hash, with a member that has no business there',
      rehashed(`replace(body, '"v":1', '"v":1,"w":1')`, newest),
      [
        'events, loan backdated, transaction 9: body does not have the fields of a transaction',
        'loans, loan backdated: last_hash does not match its last transaction (expected 0x…, found 0x…)',
      ],
    ],
    [
      'one of another loan in its place',
      `UPDATE events e SET body = o.body, hash = o.hash FROM events o
       WHERE e.loan_id = $backdated AND e.sequence = 9 AND o.loan_id = $returned AND o.sequence = 8`,
      [
        'events, loan backdated, transaction 9: body.loanId (expected backdated, found returned)',
        'events, loan backdated, transaction 9: body.sequence (expected 9, found 8)',
        `events, loan backdated, transaction 8: ${REPLACED}`,
        'loans, loan backdated: last_hash does not match its last transaction (expected 0x…, found 0x…)',
      ],
    ],
    [
      'an unsealed one, rewritten with everything that names it but what follows from it',
      [
        ...rehashed(`replace(body, '10000', '20000')`, newest),
        `UPDATE loans SET last_hash = (SELECT hash FROM events WHERE ${newest}) WHERE loan_id = $backdated`,
      ],
      [
        'journal, loan backdated, transaction 9: line 3: amount (expected 20000, found 10000)',
        'journal, loan backdated, transaction 9: line 4: amount (expected -20000, found -10000)',
        'loans, loan backdated: book_interest does not match its history (expected 10313, found 20313)',
        'loans, loan backdated: interest_received does not match its history (expected 20000, found 10000)',
      ],
    ],
    ['one taken out', `DELETE FROM events WHERE ${sixth}`, [NUMBER, 'events, loan paid, transaction 6: is missing']],
    [
      'the last two taken out',
      'DELETE FROM events WHERE loan_id = $paid AND sequence > 8',
      [NUMBER, NUMBER, 'events, loan paid, transaction 9: and those up to 10 are missing'],
    ],
    [
      'the last one taken out, with all that follows from it',
      [
        'DELETE FROM events WHERE loan_id = $paid AND sequence = 10',
        'DELETE FROM journal WHERE loan_id = $paid AND sequence = 10',
        `UPDATE account_days SET debit = debit - 920000 WHERE entry = 'receipt' AND account = 'cash' AND date_posted = '2026-02-01'`,
        `UPDATE account_days SET credit = credit - 920000
         WHERE entry = 'receipt' AND account = 'cashClearing' AND date_posted = '2026-02-01'`,
        `UPDATE loans SET version = 9, last_hash = e.hash, status = 'Current', updated_at = (e.body::json #>> '{event,recordedAt}')::timestamptz
         FROM events e WHERE loans.loan_id = $paid AND e.loan_id = $paid AND e.sequence = 9`,
      ],
      [
        'audit, loan paid: an entry names a transaction that does not exist: 0x…',
        NUMBER,
        // The months that were closed with it still know of it.
        ...[2, 3, 4, 5, 6].flatMap((month) => {
          const clearing = month === 2 ? [1_097_698, 177_698] : [1_236_547, 316_547];
          return Object.entries({ cash: [-3_901_151, -2_981_151], cashClearing: clearing }).map(
            ([account, [expected, found]]) =>
              `ledger_periods: org_test 2026-0${month} L-1 ${account}: does not match what was posted by the end of the month (expected ${expected}, found ${found})`,
          );
        }),
      ],
    ],
    [
      'one put behind the last',
      copied(10, '(SELECT max(number) FROM blocks)'),
      [
        NUMBER,
        'events, loan backdated, transaction 10: is beyond the version of the loan (expected 9, found 10)',
        'events, loan backdated, transaction 10: body.sequence (expected 10, found 9)',
        `events, loan backdated, transaction 9: ${REPLACED}`,
        'events, loan backdated, transaction 10: block is before the block of the previous transaction (expected n, found n)',
      ],
    ],
    [
      'one in a block that is not there yet',
      `UPDATE events SET block = 1000 WHERE ${newest}`,
      [
        'events, loan backdated, transaction 9: block is beyond the newest (expected n, found n)',
        ...[1, 2, 3, 4].map(
          (line) => `journal, loan backdated, transaction 9: line ${line}: block (expected n, found n)`,
        ),
      ],
    ],
    [
      'a loan in no block of the chain',
      [
        'UPDATE events SET block = 0 WHERE loan_id = $applied',
        'UPDATE applications SET start_block = 0 WHERE loan_id = $applied',
      ],
      [
        NUMBER,
        'events, loan applied, transaction 1: block is before the first (expected n, found n)',
        'events, loan applied, transaction 2: block is before the first (expected n, found n)',
      ],
    ],
    ['two in each other’s positions', 'UPDATE events SET position = 3 - position WHERE loan_id = $applied', [ROOT]],
    [
      'two in one position',
      'UPDATE events SET position = 1 WHERE loan_id = $applied',
      ['blocks, block n: two of its transactions have the same position'],
    ],
    [
      'one moved to the block of another',
      'UPDATE events SET block = block + 1 WHERE loan_id = $applied AND sequence = 2',
      ['audit, loan applied, transaction 1: its entry is missing', NUMBER, NUMBER],
    ],
    [
      'its reason',
      'UPDATE events SET note = set_byte(note, 30, get_byte(note, 30) # 1) WHERE note IS NOT NULL AND loan_id = $backdated',
      [
        'events, loan backdated, transaction 8: note cannot be decrypted',
        'events, loan backdated, transaction 8: note was changed',
      ],
    ],
    [
      'the reason of another loan beside it',
      `UPDATE events SET note = (SELECT note FROM events WHERE note IS NOT NULL AND loan_id = $returned)
       WHERE note IS NOT NULL AND loan_id = $backdated`,
      [
        'events, loan backdated, transaction 8: note cannot be decrypted',
        'events, loan backdated, transaction 8: note was changed',
      ],
    ],
  ]);
});

describe('the journal', () => {
  const place = 'loan_id = $paid AND sequence = 6';
  const at6 = 'journal, loan paid, transaction 6:';
  /** A changed line of a sealed block changes the sums, too. */
  const sum = (account: string, column: string, expected: number, found: number) =>
    `account_days: volume 0 org_test L-1 2026-02-01 receipt ${account}: ${column} does not match the sum of the journal (expected ${expected}, found ${found})`;
  tampered([
    [
      'an amount',
      `UPDATE journal SET amount = amount + 1 WHERE ${place} AND line = 3`,
      [`${at6} line 3: amount (expected 88849, found 88850)`, sum('cashClearing', 'debit', 2_196_548, 2_196_547)],
    ],
    [
      'two amounts that still add up, and the sums with them',
      [
        `UPDATE journal SET amount = amount + sign(amount) WHERE ${place} AND line IN (1, 2)`,
        `UPDATE account_days SET debit = debit + 1 WHERE date_posted = '2026-02-01' AND account = 'interestReceivable' AND entry = 'accrual'`,
        `UPDATE account_days SET credit = credit + 1 WHERE date_posted = '2026-02-01' AND account = 'interestIncome'`,
      ],
      [`${at6} line 1: amount (expected 10000, found 10001)`, `${at6} line 2: amount (expected -10000, found -10001)`],
    ],
    [
      'the account of an unsealed line',
      `UPDATE journal SET account = 'feeIncome' WHERE loan_id = $backdated AND sequence = 9 AND account = 'interestIncome'`,
      ['journal, loan backdated, transaction 9: line 2: account (expected interestIncome, found feeIncome)'],
    ],
    [
      'entry, dates, organization and number of an unsealed line',
      `UPDATE journal SET entry = 'waiver', date_effective = '2026-07-19', date_posted = '2026-07-21', organization_id = 'org_other'
       WHERE loan_id = $backdated AND sequence = 9 AND line = 1`,
      [
        'journal, loan backdated, transaction 9: line 1: entry (expected accrual, found waiver)',
        'journal, loan backdated, transaction 9: line 1: dateEffective (expected 2026-07-20, found 2026-07-19)',
        'journal, loan backdated, transaction 9: line 1: datePosted (expected 2026-07-20, found 2026-07-21)',
        'journal, loan backdated, transaction 9: line 1: organizationId (expected org_test, found org_other)',
      ],
    ],
    [
      'the organization alone',
      `UPDATE journal SET organization_id = 'org_other' WHERE loan_id = $backdated AND sequence = 9 AND line = 4`,
      ['journal, loan backdated, transaction 9: line 4: organizationId (expected org_test, found org_other)'],
    ],
    [
      'lines taken out and put in',
      [
        'DELETE FROM journal WHERE loan_id = $backdated AND sequence = 9 AND line = 2',
        `INSERT INTO journal SELECT volume, loan_id, sequence, 5, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted
         FROM journal WHERE loan_id = $backdated AND sequence = 9 AND line = 1`,
      ],
      [
        'journal, loan backdated, transaction 9: line 2 is missing (expected accrual interestIncome -30313, found none)',
        'journal, loan backdated, transaction 9: line 5 should not be there (expected none, found accrual interestReceivable 30313)',
      ],
    ],
    [
      'lines of a damaged history, which at least must add up',
      [
        `UPDATE events SET body = replace(body, '88849', '38849') WHERE ${place}`,
        `UPDATE journal SET amount = amount + 1 WHERE loan_id = $paid AND sequence = 8 AND line = 1`,
      ],
      [
        'events, loan paid, transaction 6: body was changed: its hash (expected 0x…, found 0x…)',
        'journal, loan paid, transaction 8: the lines do not add up (expected 0, found 1)',
        sum('cashClearing', 'debit', 2_196_548, 2_196_547),
      ],
    ],
  ]);
});

describe('what stands in loans', () => {
  const figure = (column: string, expected: string, found: string) =>
    `loans, loan returned: ${column} does not match its history (expected ${expected}, found ${found})`;
  const set = (change: string) => `UPDATE loans SET ${change} WHERE loan_id = $returned`;
  tampered([
    ['status', set(`status = 'Closed'`), [figure('status', 'Current', 'Closed')]],
    ['past_due_from', set(`past_due_from = '2026-04-01'`), [figure('past_due_from', '2026-02-01', '2026-04-01')]],
    ['delinquent_from', set('delinquent_from = NULL'), [figure('delinquent_from', '2026-02-12', 'none')]],
    ['next_due', set(`next_due = 'infinity'`), [figure('next_due', '2026-02-01', 'infinity')]],
    [
      'servicer',
      set(`secondary_servicer_id = 'S-9'`),
      ['applications, loan returned: the servicers do not match the loan'],
    ],
    ['loan_amount', set('loan_amount = 1000001'), [figure('loan_amount', '1000000', '1000001')]],
    ['principal', set('principal = principal - 1'), [figure('principal', '976333', '976332')]],
    ['closed_by', set(`closed_by = 'payoff'`), [figure('closed_by', 'none', 'payoff')]],
    ['published', set('published = true'), [figure('published', 'false', 'true')]],
    ['version', set('version = version + 1'), ['events, loan returned, transaction 9: is missing']],
    [
      'last_hash',
      set('last_hash = sha256(last_hash)'),
      ['loans, loan returned: last_hash does not match its last transaction (expected 0x…, found 0x…)'],
    ],
    [
      'created_at',
      set(`created_at = created_at + interval '1 day'`),
      [
        'applications, loan returned: created_at does not match the loan',
        'loans, loan returned: created_at does not match the time of its creation (expected 2026-01-01T12:00:00.000Z, found 2026-01-02T12:00:00.000Z)',
      ],
    ],
    [
      'updated_at',
      set(`updated_at = updated_at + interval '1 second'`),
      [
        'loans, loan returned: updated_at does not match the time of its last transaction (expected 2026-03-20T12:00:00.001Z, found 2026-03-20T12:00:01.001Z)',
      ],
    ],
    [
      'recorded_on',
      set('recorded_on = recorded_on + 1'),
      ['loans, loan returned: recorded_on does not match its history (expected 2026-03-20, found 2026-03-21)'],
    ],
    [
      'the whole row',
      'DELETE FROM loans WHERE loan_id = $applied',
      [
        expect.stringMatching(/^applications, loan applied: 1 row is of a loan that does not exist$/),
        expect.stringMatching(/^audit: [0-9a-f]{28} is of a loan that does not exist$/),
        ...['blind_index', 'events', 'people'].map((table) =>
          expect.stringMatching(new RegExp(`^${table}, loan applied: .* of a loan that does not exist$`)),
        ),
      ] as string[],
    ],
  ]);
});

describe('the submitted record', () => {
  const application = (change: string) => `UPDATE applications SET ${change} WHERE loan_id = $paid`;
  const unmatched = (table: string, what: string) => `${table}, loan paid: ${what} does not match its commitment`;
  const other = (column: string) => `(SELECT ${column} FROM people WHERE loan_id = $returned)`;
  tampered([
    ['the file', application(`file = replace(file, '"term":12', '"term":13')`), [unmatched('applications', 'file')]],
    [
      'the public part',
      application('public_part = (SELECT public_part || public_part)'),
      [unmatched('applications', 'public_part')],
    ],
    [
      'the public part, made unreadable',
      application(`public_part = '\\x00'`),
      [unmatched('applications', 'public_part')],
    ],
    [
      'what repeats the file',
      application(`borrower_id = 'B-2', loan_type = 'Mortgage'`),
      ['borrower_id', 'loan_type'].map((column) => `applications, loan paid: ${column} does not match its file`),
    ],
    [
      'the organization',
      application(`organization_id = 'org_other'`),
      ['applications, loan paid: organization_id does not match the loan'],
    ],
    [
      'the first block',
      application('start_block = start_block + 1'),
      ['applications, loan paid: start_block does not match the block of its creation (expected n, found n)'],
    ],
    ['the whole row', 'DELETE FROM applications WHERE loan_id = $paid', ['applications, loan paid: is missing']],
    [
      'a byte of what is sealed',
      'UPDATE people SET sealed = set_byte(sealed, 80, get_byte(sealed, 80) # 1) WHERE loan_id = $paid',
      ['people, loan paid: sealed cannot be decrypted'],
    ],
    [
      'what is sealed, of two loans, each in the place of the other',
      `UPDATE people p SET sealed = o.sealed FROM people o
       WHERE (p.loan_id = $paid AND o.loan_id = $returned) OR (p.loan_id = $returned AND o.loan_id = $paid)`,
      ['people, loan paid: sealed cannot be decrypted', 'people, loan returned: sealed cannot be decrypted'],
    ],
    [
      'all of another loan’s sealed part',
      `UPDATE people SET sealed = ${other('sealed')}, wrapped_key = ${other('wrapped_key')} WHERE loan_id = $paid`,
      ['people, loan paid: wrapped_key cannot be decrypted'],
    ],
    [
      'the master key it names',
      `UPDATE people SET key_id = 'mk_0000000000000000' WHERE loan_id = $paid`,
      ['people, loan paid: key_id names a master key that is missing'],
    ],
    [
      'the sealed part taken out without an erasure',
      'DELETE FROM people WHERE loan_id = $paid',
      ['people, loan paid: is missing, and no erasure is recorded'],
    ],
  ]);

  test('a record that was sealed anew under the right key is still not the one that was committed to', async () => {
    const [row] = await room.db.query<{ wrapped_key: Buffer }>(
      withIds('SELECT wrapped_key FROM people WHERE loan_id = $paid'),
    );
    const key = unwrap(testMasterKeys.current(), row?.wrapped_key as Buffer, ids.paid as string);
    const sealed = sealRecord(key as DataKey, ids.paid as string, { ...PERSONAL, vin: 'X' }, newSalt());
    const parts = ['file', 'public_part'].map(
      (part) => `applications, loan paid: ${part} does not match its commitment`,
    );
    // With another salt nothing matches.
    expect(
      await complaintsAfter(`UPDATE people SET sealed = '\\x${sealed.toString('hex')}' WHERE loan_id = $paid`),
    ).toEqual([
      ...parts,
      'people, loan paid: the details does not match its commitment',
      'people, loan paid: the record does not match its commitment',
    ]);
  });

  test('no complaint holds a personal value', async () => {
    const found = await complaintsAfter(
      `UPDATE applications SET borrower_id = 'Ann Example', file = replace(file, 'B-1', '666-12-3456')`,
      `UPDATE people SET sealed = convert_to('666-12-3456', 'UTF8')`,
      `UPDATE events SET note = convert_to('Ann Example', 'UTF8') WHERE note IS NOT NULL`,
    );
    expect(found.length).toBeGreaterThan(10);
    expect(found.join()).not.toMatch(/Ann|666|B-1/);
  });
});

describe('a block', () => {
  const set = (change: string) => `UPDATE blocks SET ${change} WHERE number = 5`;
  const flipped = (column: string) => set(`${column} = set_byte(${column}, 7, get_byte(${column}, 7) # 16)`);
  tampered([
    ['its root', flipped('root'), [ROOT]],
    [
      'its link',
      flipped('previous_hash'),
      ['blocks, block n: previous_hash does not match the previous block (expected 0x…, found 0x…)'],
    ],
    ['its hash', flipped('hash'), ['blocks, block n: hash does not match its header (expected 0x…, found 0x…)']],
    ['its count', set('count = count + 1'), ['blocks, block n: count was changed (expected n, found n)']],
    [
      'the microsecond in which it was sealed',
      set(`sealed_at = sealed_at + interval '1 microsecond'`),
      ['blocks, block n: hash does not match its header (expected 0x…, found 0x…)'],
    ],
    ['one taken out', 'DELETE FROM blocks WHERE number = 5', ['blocks, block n: is missing']],
    [
      'several taken out',
      'DELETE FROM blocks WHERE number IN (1, 2, 3)',
      ['blocks, block n: and those up to 3 are missing'],
    ],
    [
      'one made up in its place',
      set(`root = sha256(root), hash = sha256(hash)`),
      [
        ROOT,
        'blocks, block n: hash does not match its header (expected 0x…, found 0x…)',
        'blocks, block n: previous_hash does not match the previous block (expected 0x…, found 0x…)',
      ],
    ],
    [
      'the last one taken out: the sums hold what no sealed block does',
      'DELETE FROM blocks WHERE number = (SELECT max(number) FROM blocks)',
      [
        'ledger_roots: root 1: names block n, which is missing',
        ...[
          ['recovery cashClearing', 'debit', 350_000],
          ['recovery loanPrincipal', 'credit', 300_000],
          ['recovery recoveryIncome', 'credit', 50_000],
        ].map(
          ([of, column, found]) =>
            `account_days: volume 0 org_test L-1 2026-07-20 ${of}: ${column} does not match the sum of the journal (expected 0, found ${found})`,
        ),
      ],
    ],
    [
      'the number of the newest block',
      'UPDATE ledger_heads SET number = 1',
      [
        'events, loan backdated, transaction 9: block is beyond the newest (expected n, found n)',
        'feed_marks: 2 rows are not of a tick and a block of volume 0',
        'ledger_heads: volume 0 is before its last sealed block (expected n, found n)',
      ],
    ],
    ['the row that holds it', 'DELETE FROM ledger_heads', ['ledger_heads: the row of volume 0 is missing']],
  ]);
});

describe('the book of a lender', () => {
  const book = (change: string) => `UPDATE books SET ${change}`;
  const transaction = (change: string) => `UPDATE events SET ${change} WHERE type = 'interestAccrued' AND sequence = 1`;
  const forged = transaction(`body = replace(body, '"amount":', '"amount":1')`);
  tampered([
    [
      'what it has accrued',
      book('accrued = accrued + 1'),
      [
        'books, loan 0x…: accrued does not match its transactions (expected 134852, found 134853)',
        'books: org_test L-1: accrued does not match the interest of its loans on 2026-07-19 (expected 134852, found 134853)',
      ],
    ],
    [
      'the end of its chain',
      book('last_hash = sha256(last_hash)'),
      ['books, loan 0x…: last_hash does not match its transactions (expected 0x…, found 0x…)'],
    ],
    ['a body', forged, ['events, loan 0x…, transaction 1: body was changed: its hash (expected 0x…, found 0x…)']],
    [
      'a body and its hash',
      [forged, transaction(`hash = ${HASH}`)],
      [ROOT, 'events, loan 0x…, transaction 1: is not the next transaction of its book'],
    ],
    [
      'a line',
      `UPDATE journal SET amount = amount + 1 WHERE account = 'accruedInterest' AND sequence = 2`,
      [
        'account_days: volume 0 org_test L-1 2026-01-02 accrual accruedInterest: debit does not match the sum of the journal (expected 1666, found 1665)',
        'journal, loan 0x…, transaction 2: line 1: amount (expected 1665, found 1666)',
      ],
    ],
    [
      'the balances of a closed month',
      `UPDATE ledger_periods SET balances = replace(balances, '"balance":', '"balance":1') WHERE period = '2026-06'`,
      ['ledger_periods: org_test 2026-06: its balances were changed: their hash (expected 0x…, found 0x…)', CHANGED],
    ],
    [
      'the balances of a closed month and their hash',
      [
        `UPDATE ledger_periods SET balances = regexp_replace(balances, '"account":"feeReceivable","balance":[0-9]+', '"account":"feeReceivable","balance":7')
         WHERE period = '2026-06'`,
        `UPDATE ledger_periods SET hash = sha256(convert_to(balances, 'UTF8'))`,
      ],
      [
        'ledger_periods: org_test 2026-06 L-1 feeReceivable: does not match what was posted by the end of the month (expected 12500, found 7)',
        CHANGED,
      ],
    ],
    [
      'a closed month taken out',
      `DELETE FROM ledger_periods WHERE period = '2026-04'`,
      [
        'ledger_periods: org_test 2026-05: is not the next month (expected 2026-04, found 2026-05)',
        'ledger_periods: org_test 2026-04: was removed, no change recorded it',
      ],
    ],
    [
      'the first closed month taken out',
      `DELETE FROM ledger_periods WHERE period = '2026-01'`,
      [
        'ledger_periods: org_test 2026-02: is not the next month (expected 2026-01, found 2026-02)',
        'ledger_periods: org_test 2026-01: was removed, no change recorded it',
      ],
    ],
    [
      'the whole row',
      'DELETE FROM books',
      ['events', 'journal'].map(
        (table, i) => `${table}, loan 0x…: ${200 + 194 * i} rows are of a loan that does not exist`,
      ),
    ],
  ]);
});

test('the lender of a book', async () => {
  const [first, ...others] = await complaintsAfter(`UPDATE books SET lender_id = 'L-2'`);
  const name = 'books: org_test L-2: accrued does not match the interest of its loans on 2026-07-19';
  expect(first).toBe(`${name} (expected 0, found 134852)`);
  // Every line of its 200 days, but for three on which nothing changed.
  expect(others).toHaveLength(2 * 197);
  for (const line of others) expect(line).toMatch(/^journal, loan 0x…, .*: lenderId \(expected L-2, found L-1\)$/);
});

describe('sums and what hangs on a loan', () => {
  tampered([
    [
      'a sum by day',
      `UPDATE account_days SET credit = credit + 1 WHERE account = 'interestIncome' AND date_posted = '2026-02-01'`,
      [
        'account_days: volume 0 org_test L-1 2026-02-01 accrual interestIncome: credit does not match the sum of the journal (expected 40000, found 40001)',
      ],
    ],
    [
      'a sum taken out',
      `DELETE FROM account_days WHERE account = 'loanPrincipal' AND date_posted = '2026-01-01'`,
      [
        'account_days: volume 0 org_test L-1 2026-01-01 disbursement loanPrincipal: is missing (expected 5000000 and 0, found none)',
      ],
    ],
    [
      'a sum made up',
      `INSERT INTO account_days VALUES (0, 'org_other', 'L-1', '2026-01-01', 'waiver', 'feeIncome', true, 5, 0)`,
      [
        'account_days: volume 0 org_other L-1 2026-01-01 waiver feeIncome of an earlier month: debit does not match the sum of the journal (expected 0, found 5)',
      ],
    ],
    [
      'rows of a loan that does not exist',
      [
        `INSERT INTO events SELECT volume, $nobody, 1, hash, 1000, 1, type, body, client_id, user_id, note, organization_id FROM events WHERE loan_id = $applied AND sequence = 1`,
        `INSERT INTO journal SELECT volume, $nobody, 1, line, organization_id, lender_id, 1000, entry, account, amount, date_effective, date_posted
         FROM journal WHERE loan_id = $paid AND sequence = 4`,
        `INSERT INTO people SELECT volume, $nobody, key_id, wrapped_key, sealed, stored_at FROM people WHERE loan_id = $paid`,
        `INSERT INTO blind_index SELECT volume, organization_id, kind, digest, $nobody FROM blind_index WHERE loan_id = $paid LIMIT 1`,
        `UPDATE answers SET loan_id = $nobody`,
      ],
      [
        ...['answers', 'blind_index', 'events', 'people'].map(
          (table) => `${table}, loan nobody: 1 row is of a loan that does not exist`,
        ),
        'answers, loan nobody: its key is not reserved for this loan',
        'journal, loan nobody: 2 rows are of a loan that does not exist',
      ],
    ],
    [
      'an event that another organization would be told of',
      `UPDATE events SET organization_id = 'org_other' WHERE loan_id = $paid AND sequence = 6`,
      ['events, loan paid, transaction 6: is told to an organization whose loan it was not'],
    ],
    [
      'an event that nobody would be told of',
      `UPDATE events SET organization_id = NULL WHERE loan_id = $paid AND sequence = 6`,
      ['events, loan paid, transaction 6: is told to an organization whose loan it was not'],
    ],
    [
      'an event that another organization would be told of as well',
      `UPDATE events SET next_organization_id = 'org_other' WHERE loan_id = $paid AND sequence = 6`,
      ['events, loan paid, transaction 6: is told to an organization whose loan it was not'],
    ],
    [
      'a mark of the feed where no block is',
      'INSERT INTO feed_marks VALUES (0, 1000000, 1000000)',
      [
        'feed_head: is not the last tick that has a mark or a note (expected 1000000, found 2)',
        'feed_marks: 1 row is not of a tick and a block of volume 0',
      ],
    ],
    [
      'what a loan is found by, in another organization',
      `UPDATE blind_index SET organization_id = 'org_other' WHERE loan_id = $paid AND kind = 'ssn'`,
      ['blind_index, loan paid: 1 row is of another organization'],
    ],
  ]);

  test('the answer of a write that belongs to no loan is right', async () => {
    const once = {
      idempotency: { key: 'no loan', request: 'codes' },
      answer: () => '{}',
      isSecret: false,
      audit: null,
    };
    expect(await room.loans.door.once(ACTOR, once, async () => ({}))).toMatchObject({ kind: 'done' });
    expect(await complaintsAfter()).toEqual([]);
  });
});

describe('every column', () => {
  /** The columns that no complaint tells of: nothing that a loan's money, record or proof depends on. */
  const UNNOTICED = [
    'people.revision',
    'people.stored_at',
    // A loan that is not found by what it should be; the terms are in the sealed record, but nobody compares.
    'blind_index.digest',
    'blind_index.kind',
    'answers.answer',
    'answers.request_hash',
    // The version that a repeated call is told beside its answer.
    'answers.version',
    // The time for which they are kept.
    'answers.kept',
    'reservations.kept',
    'reservations.at',
    'reservations.held_by',
    'reservations.request_hash',
    // The facts in an entry of the audit trail besides its loan, transaction and sender, in the seconds before it is linked.
    ...[
      ...[
        'at',
        'count',
        'entry_id',
        'key_id',
        'kind',
        'operation',
        'organization_id',
        'outcome',
        'request_id',
        'since',
      ],
    ].map((column) => `audit_waiting.${column}`),
  ];
  /** Another value of the same type; for the place in a block only the order counts, and it is tried above. */
  const other = (column: string, type: string): string | null => {
    if (column === 'organization_id') return `'org_other'`;
    if (column === 'period') return `'2026-07'`;
    // That of a loan that is over is infinite, and stays so when a day is added.
    if (column === 'next_due') return `'2031-07-01'`;
    if (column === 'position' || column === 'only_row') return null;
    // The first of some months that were closed together.
    if (column === 'closed_from') return `'2001-01'`;
    if (type === 'bytea') return `set_byte(${column}, 9, get_byte(${column}, 9) # 32)`;
    if (type === 'text') return `${column} || '1'`;
    if (type === 'boolean') return `NOT ${column}`;
    // The day of postings is part of a key: far away, so that it is not the day of another row.
    if (type === 'date') return `${column} + ${column === 'date_posted' ? 1000 : 1}`;
    return type.startsWith('timestamp') ? `${column} + interval '1 millisecond'` : `${column} + 50`;
  };

  test('a changed value is noticed, but for those that are named here', { timeout: 120_000 }, async () => {
    const columns = await room.db.query<{ name: string; column: string; type: string }>(
      `SELECT table_name AS name, column_name AS column, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = ANY($1) AND is_generated = 'NEVER' ORDER BY table_name, column_name`,
      [TABLES],
    );
    const isNamed = ({ name, column }: (typeof columns)[number]) => UNNOTICED.includes(`${name}.${column}`);
    /** Whether there is a value to change. */
    const change = async ({ name, column, type }: (typeof columns)[number]): Promise<boolean> => {
      const value = other(column, type);
      // A book of another kind would need other columns: a constraint keeps it.
      if (value === null || (name === 'books' && column === 'kind')) return false;
      const changed = await room.db.query(
        `UPDATE ${name} SET ${column} = ${value}
         WHERE (tableoid, ctid) = (SELECT tableoid, ctid FROM ${name} WHERE ${column} IS NOT NULL ORDER BY ctid DESC LIMIT 1) RETURNING 1`,
      );
      return changed.length > 0;
    };
    const unnoticed: string[] = [];
    let tried = 0;
    for (const one of columns.filter((column, n) => !isNamed(column) && (WHOLE || n % 4 === 0))) {
      if (!(await change(one))) continue;
      tried += 1;
      if ((await verify()).complaintCount === 0) unnoticed.push(`${one.name}.${one.column}`);
      await putBack([one.name]);
    }
    expect(unnoticed).toEqual([]);
    // Those that are named are changed all together: then none of them is noticed.
    for (const one of columns.filter(isNamed)) {
      expect([`${one.name}.${one.column}`, await change(one)]).toEqual([`${one.name}.${one.column}`, true]);
      tried += 1;
    }
    expect(lines((await verify()).complaints)).toEqual([]);
    await putBack();
    expect(tried).toBeGreaterThan(WHOLE ? 70 : 20);
  });
});

describe('the export of a loan', () => {
  test('is in order, also before its blocks are sealed, and there is none of a loan that does not exist', async () => {
    const text = (await exportLoan(room.db, ids.backdated as string)) ?? '';
    const { message, data } = JSON.parse(text);
    expect(message).toBe('ok');
    expect(data).toEqual({ items: await room.loans.ledger.transactions(ACTOR, ids.backdated as string) });
    expect(verifyExport(JSON.parse(text))).toMatchObject({ complaints: [], transactions: 9, unsealed: 1 });
    expect(await exportLoan(room.db, ids.nobody as string)).toBeNull();
    for (const personal of [PERSONAL.vin, PERSONAL.lendingDecisionReason, 'drawer', '666-12-3456', 'B-1']) {
      expect(text).not.toContain(personal);
    }
  });

  test('a changed character anywhere in it is found', async () => {
    const text = (await exportLoan(room.db, ids.returned as string)) ?? '';
    const start = text.indexOf('"data"') + '"data":'.length;
    const isNoticed = (changed: string) => {
      try {
        return verifyExport(JSON.parse(changed)).complaints.length > 0;
      } catch {
        return true;
      }
    };
    expect(isNoticed(text)).toBe(false);
    const unnoticed: string[] = [];
    let tried = 0;
    for (let at = start; at < text.length - 2; at += 7) {
      const swapped = text[at] === '1' ? '2' : '1';
      tried += 1;
      if (!isNoticed(text.slice(0, at) + swapped + text.slice(at + 1))) unnoticed.push(text.slice(at - 20, at + 5));
    }
    expect(unnoticed).toEqual([]);
    expect(tried).toBeGreaterThan(800);
  });
});
