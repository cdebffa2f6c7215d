/**
 * `npm run verify` while the service works, at every moment: between any two writes of everything that writes loans and books, which is also
 * where a process may be killed; and with a write between any two statements of the check itself. Nothing is wrong then, and what somebody
 * changes at such a moment is found.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRootSecrets } from '../../src/access/root-secrets.ts';
import { pruneKeys, rotateKeys } from '../../src/access/rotate-keys.ts';
import { readConfig } from '../../src/config.ts';
import { addDays, date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import type { LoanCommand, Outcome } from '../../src/loans/door/write.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { dropDays, makeDays } from '../../src/store/db/by-day.ts';
import type { Db } from '../../src/store/db/db.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { sweepReservations } from '../../src/store/door/idempotency.ts';
import { type ChangeableMasterKeys, masterKeyId } from '../../src/vault/master-keys.ts';
import { sandboxIn } from '../support/clocks.ts';
import { testDatabase } from '../support/database.ts';
import { between, type Gate, openGate } from '../support/gate-of-writes.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../support/loans.ts';
import { setTriggers } from '../support/nights.ts';
import { slowTest, WHOLE } from '../support/whole.ts';

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const folder = () => mkdtempSync(join(tmpdir(), 'daybook-verify-'));

let room: TestLoans;
let gate: Gate;
let other: OpenLoans;
/** The same database for those who look. */
let db: Db;
let keyFile: string;
let keys: ChangeableMasterKeys;

const openKeys = () => openMasterKeys(readConfig({ MASTER_KEY_FILE: keyFile }), masterKeyId);

beforeEach(async () => {
  keyFile = join(folder(), 'master-key');
  writeFileSync(keyFile, `${'01'.repeat(32)}\n`, { mode: 0o600 });
  keys = openKeys();
  const database = await testDatabase();
  ({ db } = database);
  // Two volumes, so that a check takes few statements.
  await db.query('DELETE FROM ledger_heads WHERE volume > 1');
  await openVolumes(db, 2);
  gate = openGate(db);
  room = await testLoans({ masterKeys: keys }, Promise.resolve({ db: gate.db, drop: database.drop }));
  await openRootSecrets(db, keys);
  other = room.another();
});
afterEach(async () => {
  gate.end();
  await room.close();
  rmSync(join(keyFile, '..'), { recursive: true });
});

const verified = async (by: Db = db, masterKeys = openKeys()) =>
  (await verifyBook({ db: by, masterKeys, late: { afterMs: 600_000, patienceMs: 0 } })).complaints.map(complaintLine);

// ---- everything that writes ----

const OFFER: Command = {
  ...{ do: 'transfer', transferId: 'T-1', what: 'owner', to: { organizationId: 'org_other', lenderId: 'L-9' } },
  ...{ date: date('2026-02-02'), reason: 'sale 7', from: null },
} as Command;
const REQUEST = {
  ApplicantInfo: {
    ApplicantSSN: '666-00-0001',
    ApplicantState: 'OH',
    MonthlyGross: 6500,
    HousingMonthlyPayment: '900',
  },
  VehicleInfo: { VehicleYear: '2024', VehicleMileage: '21000', VehicleWholesaleValue: '22000' },
};

async function must(outcome: Promise<Outcome>): Promise<string> {
  const found = await outcome;
  if (found.kind !== 'done') throw new Error(JSON.stringify(found));
  return found.change.loanId;
}

/** By two processes at once. */
async function upkeep(): Promise<void> {
  for (const loans of [room.loans, other]) await loans.feed.look();
  await Promise.all([room.loans, other].map((loans) => loans.ledger.seal()));
}

/** An application. */
async function applied(): Promise<string> {
  const body = { applicationId: 'UW-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', Request: REQUEST };
  const source = JSON.stringify({ ...body, loanAmount: '18000', interestRate: '9.5', term: 60 });
  return must(room.loans.origination.create(ACTOR, { source, answer: () => '' }, PLAIN));
}

const send = (loanId: string, command: LoanCommand) =>
  must(room.loans.write(ACTOR, { loanId, command, reason: null, answer: () => '' }, PLAIN));

/** It is assessed, and once more when its applicant has moved. */
async function assessed(loanId: string): Promise<void> {
  const moved = { do: 'update-party', party: 'applicant', date: null, reason: 'called' } as const;
  await send(loanId, { do: 'start-underwriting' });
  await send(loanId, { ...moved, changes: { phone: '614-555-0123' } });
  await send(loanId, { do: 'start-underwriting' });
}

async function underwritten(): Promise<void> {
  const loanId = await applied();
  await assessed(loanId);
  const decided = { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: 'An officer decided' } as const;
  await send(loanId, decided);
}

/** The clock of a sandbox goes over the end of a month. */
async function advanced(): Promise<void> {
  const organizationId = await sandboxIn(room, '2026-01-29');
  const actor = { ...ACTOR, organizationId };
  const loanId = await must(room.loans.origination.board(actor, room.creation(), PLAIN));
  const decided = { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null } as const;
  for (const command of [
    { do: 'start-underwriting' },
    decided,
    { do: 'initiate-repayment', date: null, opening: null },
  ]) {
    await must(room.write(loanId, command as Command, { actor }));
  }
  for (;;) {
    const clock = await room.loans.cycle.advanceClock(organizationId, date('2026-02-02'));
    if (!('today' in clock)) throw new Error(JSON.stringify(clock));
    if (clock.advancing === null) break;
  }
}

/** Loans are lent, assessed, paid, returned and sold; a policy is tightened; a month passes and is closed; keys are rotated; a borrower is erased. */
async function everything(): Promise<void> {
  const { loans, clock, on, live, done, write } = room;
  on('2026-01-24');
  const [kept, sold, paid] = [await live(), await live({ lenderId: 'L-2' }), await live()];
  await upkeep();
  await underwritten();
  await done(paid, repay('all', 1_010_000, { acceptOverpayment: true }));
  await done(paid, { do: 'acknowledge-repayment', refId: 'all' });
  const tighter = { nonAccrualDays: 10 };
  const version = { policyId: 'tighter', lenderId: 'L-1', from: date('2026-01-28'), values: tighter };
  expect(await loans.policies.add(ACTOR, version)).toMatchObject({ policyId: 'tighter' });
  await must(write(sold, OFFER));
  await must(write(sold, { do: 'accept-transfer', servicerId: '' }, { actor: BUYER }));
  await rotateKeys(gate.db, keys, { pause: async () => {} });
  await upkeep();
  for (let day = date('2026-01-27'); day < '2026-02-04'; day = addDays(day, 1)) {
    on(addDays(day, 1), 1);
    // Both begin each night, and one of them runs it.
    for (const { organizationId } of [ACTOR, BUYER]) {
      await Promise.all([loans, other].map(({ cycle }) => cycle.runCyclesThrough(organizationId, day)));
    }
    await loans.transfers.carryOutDue();
    await upkeep();
    if (day !== '2026-01-29') continue;
    // Its entry waits, and its block is not sealed, while the date is computed.
    await done(kept, repay('first', 10_000));
    await loans.reports.positionDates.ensure(ACTOR.organizationId, date('2026-01-26'));
    await loans.reports.positionDates.goOn(() => false);
    await done(kept, repay('found', 88_849, { date: '2026-01-25' }));
  }
  on('2026-02-04');
  await done(kept, repay('second', 50_000));
  await done(kept, { do: 'return-repayment', refId: 'found', date: null, reason: 'no funds' });
  await loans.books.close(ACTOR, '2026-01');
  await makeDays(gate.db);
  await dropDays(gate.db);
  for (let volume = 0; volume < db.volumes.count; volume++) await sweepReservations(gate.db, volume, 48);
  await pruneKeys(gate.db, keys, Date.now() + 86_400_000);
  await eraseBorrower(gate.db, { loanId: paid, retentionDays: 0, now: clock.now });
  await upkeep();
  await advanced();
  await upkeep();
}

const count = async (table: string) => (await db.query(`SELECT 1 FROM ${table}`)).length;

// ---- the sentences ----

/** The moment after every so many writes is tried; of all of them where there is time for minutes. */
const EVERY = process.env.TEST_LONG === undefined ? 7 : 1;
const LONG = { timeout: WHOLE ? 1_800_000 : 120_000 };

slowTest('between any two writes nothing is wrong', LONG, async () => {
  gate.begin(everything);
  const found: string[] = [];
  let n = 0;
  for (; await gate.step(); n += 1) {
    if (n % EVERY === 0) found.push(...(await verified()).map((line) => `after ${n} writes: ${line}`));
  }
  expect(found).toEqual([]);
  expect(n).toBeGreaterThan(200);
  // It is tried beside all of them.
  for (const table of [
    'policy_versions',
    'assessments',
    'party_changes',
    'former_owners',
    'ledger_periods',
    'ledger_roots',
  ]) {
    expect([table, await count(table)]).not.toEqual([table, 0]);
  }
});

test.each(process.env.TEST_LONG ? [1, 2, 3, 5, 8] : WHOLE ? [1, 3] : [2])(
  'nor while it is looked for: a write before every statement of the check, or every few (%d)',
  LONG,
  async (every) => {
    gate.begin(everything);
    const found: string[] = [];
    let [isOver, statements] = [false, 0];
    const act = async () => {
      statements += 1;
      if (statements % every === 0 && !isOver) isOver = !(await gate.step());
    };
    while (!isOver) found.push(...(await verified(between(db, act))));
    expect(found).toEqual([]);
  },
);

test('nor when a record and its key are replaced after its row was read, and before its sealed part is', async () => {
  const loanId = await applied();
  let isReplaced = false;
  const replace = async (text: string) => {
    if (isReplaced || !text.includes('wrapped_key')) return;
    isReplaced = true;
    await assessed(loanId);
    await rotateKeys(gate.db, keys, { pause: async () => {} });
    await pruneKeys(gate.db, keys, Date.now() + 86_400_000);
  };
  expect(await verified(between(db, replace))).toEqual([]);
  expect(isReplaced).toBe(true);
});

/** Rows that are in flight then: what is done to them, where and how it is taken back, and what is told. */
const TAMPERED: readonly [table: string, change: string, back: string, told: RegExp][] = [
  [
    'audit_waiting',
    "client_id = client_id || '!'",
    "client_id = rtrim(client_id, '!') WHERE client_id LIKE '%!'",
    /: its entry names another sender/,
  ],
  [
    'people',
    "key_id = 'lost_' || key_id",
    "key_id = substr(key_id, 6) WHERE key_id LIKE 'lost%'",
    /^people, .*: key_id names a master key that is missing$/,
  ],
  ['journal', 'amount = amount + 1e9', 'amount = amount - 1e9 WHERE amount > 5e8', /^journal, .*: line \d+: amount/],
  [
    'loans',
    'principal = principal + 1e9',
    'principal = principal - 1e9 WHERE principal > 5e8',
    /^loans, .*: principal does not match its history/,
  ],
  ['transfers', "to_lender_id = 'L-8'", "to_lender_id = 'L-9'", /^transfers, .*: T-1 does not match its history/],
  [
    'policy_versions',
    "policy_id = policy_id || '!'",
    "policy_id = rtrim(policy_id, '!')",
    /^policy_versions: .* no change recorded it$/,
  ],
  [
    'positions',
    'principal = principal + 1e9',
    'principal = principal - 1e9 WHERE principal > 5e8',
    /^positions, .* known on 2026-01-29: principal does not match/,
  ],
];

slowTest(
  'what somebody changes while a date is computed, entries wait and blocks are not sealed is found',
  LONG,
  async () => {
    gate.begin(everything);
    const isComputed = async () => {
      const rows = await db.query(
        'SELECT 1 FROM positions p JOIN position_dates d USING (organization_id, date) WHERE d.ready_at IS NULL LIMIT 1',
      );
      return rows.length > 0;
    };
    while (!(await isComputed())) expect(await gate.step()).toBe(true);
    // No more of it than that the date is still not ready at the end.
    const steps = { left: 2 };
    for (const [table, change, back, told] of TAMPERED) {
      await setTriggers(db, table, 'DISABLE');
      await db.query(`UPDATE ${table} SET ${change}`);
      const found = await verified(between(db, async () => steps.left-- > 0 && gate.step()));
      expect([table, found]).toEqual([table, expect.arrayContaining([expect.stringMatching(told)])]);
      await db.query(`UPDATE ${table} SET ${back}`);
      await setTriggers(db, table, 'ENABLE');
      if (table !== 'positions') steps.left = 2;
    }
    expect(await verified()).toEqual([]);
  },
);
