/** Policies through the write path: what a version changes and what it leaves, in the loan, its rows and the books of every day. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { slowTest, WHOLE } from '../../../test/support/whole.ts';
import { bookFiguresOf } from '../../core/books.ts';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { daysPastDue } from '../../core/delinquency.ts';
import type { Loan } from '../../core/loan.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isMistakes } from '../../core/reader.ts';
import { isRefusal } from '../../core/refusal.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';
import type { GivenValues, PolicyDraft } from './policies.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const { organizationId } = ACTOR;
const on: TestLoans['on'] = (...when) => room.on(...when);

async function add(
  from: string,
  values: GivenValues,
  { lenderId = null, loans = room.loans }: { lenderId?: string | null; loans?: OpenLoans } = {},
) {
  const asked = { policyId: lenderId ?? 'all', lenderId, from: date(from), values };
  const added = await loans.policies.add(ACTOR, asked);
  if (isRefusal(added) || isMistakes(added) || 'kind' in added) throw new Error(JSON.stringify(added));
  return added;
}

async function view(loanId: string, asOf: string | null = null, loans = room.loans): Promise<Loan> {
  const options = { asOf: asOf === null ? null : date(asOf), knownAt: null };
  const found = await loans.reads.readState(ACTOR, loanId, options);
  if (found === null || found === 'before') throw new Error('No such loan.');
  return found.loan;
}

/** Every night from after one day through another, and a tie-out of each day (in `npm test` of each fifth): before its cycle, and again afterwards. */
async function nights(after: string, through: string): Promise<void> {
  for (let day = addDays(date(after), 1); day <= date(through); day = addDays(day, 1)) {
    const isTied = WHOLE || day.endsWith('5') || day.endsWith('0');
    on(day, 12);
    if (isTied) await tied(day);
    on(addDays(day, 1), 1);
    await room.loans.cycle.runCyclesThrough(organizationId, day);
    if (isTied) await tied(day);
  }
}

async function tied(day: PlainDate): Promise<void> {
  const found = await room.loans.books.tieOut(ACTOR, { asOf: day, lenderId: null });
  if (isRefusal(found)) throw new Error(found.detail);
  const off = found.accounts.filter(({ difference }) => difference !== 0);
  expect([day, off]).toEqual([day, []]);
}

async function balance(account: string, day: string): Promise<number> {
  const found = await room.loans.books.trialBalance(ACTOR, { asOf: date(day), lenderId: null });
  if (isRefusal(found)) throw new Error(found.detail);
  const one = found.accounts.find((of) => of.account === account);
  return (one?.debit ?? 0) - (one?.credit ?? 0);
}

async function sound(): Promise<void> {
  await room.loans.ledger.seal();
  const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  expect(complaints).toEqual([]);
}

const LATE = {
  policy: {
    ...DEFAULT_POLICY,
    lateFee: FLAT_LATE_FEE,
  },
};

async function late(lenderId = 'L-1'): Promise<string> {
  const loanId = await room.create({ lenderId }, LATE);
  await room.done(loanId, { do: 'start-underwriting' });
  await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  return loanId;
}

/** A loan that has paid nothing, on 20 March, with the cycles run through the day before. */
async function lateByMarch20(): Promise<string> {
  on('2026-01-10');
  const loanId = await late();
  on('2026-03-20', 1);
  await room.loans.cycle.runCyclesThrough(organizationId, date('2026-03-19'));
  on('2026-03-20');
  return loanId;
}

describe('non-accrual', () => {
  slowTest('begins with a version in the middle of a month and ends with the next, and every day ties', async () => {
    on('2026-01-10');
    const loanId = await late();
    const other = await late('L-2');
    on('2026-03-20', 1);
    await room.loans.cycle.runCyclesThrough(organizationId, date('2026-03-19'));
    on('2026-03-20');
    // The first installment was due on 1 February.
    expect(daysPastDue(await view(loanId))).toBe(47);
    const fees = (await view(loanId)).fees;
    const before = await balance('accruedInterest', '2026-03-19');
    await add('2026-03-24', { nonAccrualDays: 30 }, { lenderId: 'L-1' });
    await add('2026-04-02', { nonAccrualDays: 90 }, { lenderId: 'L-1' });
    await nights('2026-03-19', '2026-03-26');
    const posted = (await room.loans.ledger.journal(ACTOR, loanId))?.map(({ transactionHash }) => transactionHash);
    await nights('2026-03-26', '2026-04-06');

    expect(await balance('accruedInterest', '2026-03-19')).toBe(before);
    // On 24 March the loan leaves the account, on 2 April it comes back.
    const owed = async (id: string, day: string) => (await view(id, day)).interest;
    expect(await balance('accruedInterest', '2026-03-23')).toBe(
      (await owed(loanId, '2026-03-23')) + (await owed(other, '2026-03-23')),
    );
    expect(await balance('accruedInterest', '2026-03-24')).toBe(await owed(other, '2026-03-24'));
    expect(await balance('accruedInterest', '2026-04-01')).toBe(await owed(other, '2026-04-01'));
    expect(await balance('accruedInterest', '2026-04-02')).toBe(
      (await owed(loanId, '2026-04-02')) + (await owed(other, '2026-04-02')),
    );
    expect((await view(loanId, '2026-03-20')).fees).toEqual(fees);
    expect((await view(loanId)).interest).toBe((await view(other)).interest);
    const now = (await room.loans.ledger.journal(ACTOR, loanId))?.map(({ transactionHash }) => transactionHash);
    expect(now?.slice(0, posted?.length)).toEqual(posted);
    await sound();
  });

  slowTest('a row that another process wrote without knowing of the version is found by the night before', async () => {
    const loanId = await lateByMarch20();
    await add('2026-03-24', { nonAccrualDays: 30 });
    // As if it had been decided before the version was recorded, and saved after its rows were marked.
    const set = `UPDATE loans SET changes_on = '2026-04-10', books_change_on = '2026-04-10'`;
    await room.db.query(set);
    await nights('2026-03-19', '2026-03-25');
    const [row] = await room.db.query<{ recorded_on: string }>('SELECT recorded_on FROM loans');
    expect(row?.recorded_on).toBe('2026-03-24');
    expect(await balance('accruedInterest', '2026-03-24')).toBe(0);
    expect((await view(loanId)).policy.nonAccrualDays).toBe(30);
    await sound();
  });

  slowTest('a version that is replaced before it counts leaves nothing behind', async () => {
    const loanId = await lateByMarch20();
    await add('2026-03-24', { nonAccrualDays: 30 });
    await add('2026-03-24', { payoffDays: 20 });
    await nights('2026-03-19', '2026-03-25');
    const loan = await view(loanId);
    expect([loan.policy.nonAccrualDays, loan.policy.payoffDays]).toEqual([null, 20]);
    const rows = await room.db.query('SELECT 1 FROM loans WHERE changes_on <= $1', ['2026-03-25']);
    expect(rows).toEqual([]);
    await sound();
  });
});

describe('the percentage that satisfies an installment', () => {
  test('counts from its day on: days past due of the day before, and late fees, stay', async () => {
    on('2026-01-10');
    const loanId = await late();
    on('2026-02-10');
    const first = (await view(loanId)).installments[0]?.amount as number;
    await room.done(loanId, repay('A', Math.ceil(first * 0.92)));
    on('2026-03-10');
    const version = await add('2026-03-15', { satisfiedPercent: 95 });
    expect(version).toMatchObject({ version: 1, from: '2026-03-15', figuresFrom: '2026-03-15' });
    await nights('2026-03-09', '2026-03-16');
    expect(daysPastDue(await view(loanId, '2026-03-14'))).toBe(13);
    expect(daysPastDue(await view(loanId, '2026-03-15'))).toBe(42);
    expect((await view(loanId)).fees.map(({ feeId }) => feeId)).toEqual(['late-2']);
    const [row] = await room.db.query('SELECT past_due_from FROM loans');
    expect(row).toEqual({ past_due_from: '2026-02-01' });
    await sound();
  });

  test('recorded on its first day, it counts for figures from the next, and its limits at once', async () => {
    on('2026-01-10');
    const loanId = await late();
    on('2026-02-20');
    const cached = await view(loanId);
    const version = await add('2026-02-20', { satisfiedPercent: 50, payoffDays: 3 });
    expect(version.figuresFrom).toBe('2026-02-21');
    const { policy } = await view(loanId);
    expect([cached.policy.payoffDays, policy.payoffDays, policy.satisfiedPercent]).toEqual([10, 3, 90]);
    on('2026-02-20', 23.95);
    expect((await add('2026-02-21', { satisfiedPercent: 60 })).figuresFrom).toBe('2026-02-22');
    on('2026-02-22');
    expect((await view(loanId)).policy.satisfiedPercent).toBe(60);
    await sound();
  });
});

test('another process follows within a second, in what it reads and in what it decides', async () => {
  const elsewhere = room.another();
  on('2026-01-10');
  const loanId = await room.live();
  on('2026-02-10');
  expect((await view(loanId, null, elsewhere)).policy.backdateDays).toBe(30);
  await add('2026-02-10', { backdateDays: 0 });
  const payment = () => {
    const command = repay(`P-${Math.random()}`, 1_000, { date: date('2026-02-05') });
    const how = { dryRun: true, ifVersion: null, idempotency: null };
    return elsewhere.write(ACTOR, { loanId, command, reason: null, answer: () => '' }, how);
  };
  await expect.poll(async () => (await view(loanId, null, elsewhere)).policy.backdateDays, { timeout: 3_000 }).toBe(0);
  expect(await payment()).toMatchObject({ kind: 'refused', refusal: { refused: 'backdating_needs_reason' } });
});

describe('a lender', () => {
  test('has one policy; all others share one', async () => {
    on('2026-01-10');
    await add('2026-01-10', {});
    await add('2026-01-10', {}, { lenderId: 'L-1' });
    const asked = { from: date('2026-02-01'), values: {} };
    const wrong = (policyId: string, lenderId: string | null, from = asked.from) =>
      room.loans.policies.add(ACTOR, { ...asked, policyId, lenderId, from });
    expect(await wrong('another', null)).toMatchObject({ refused: 'reference_conflict' });
    expect(await wrong('another', 'L-1')).toMatchObject({ refused: 'reference_conflict' });
    expect(await wrong('all', 'L-2')).toMatchObject({ refused: 'reference_conflict' });
    expect(await wrong('all', null, date('2026-01-09'))).toMatchObject({ refused: 'invalid_value', member: 'from' });
    await expect(room.db.query(`UPDATE policy_versions SET from_date = '2026-01-01'`)).rejects.toThrow('append only');
    await expect(room.db.query('DELETE FROM policy_versions')).rejects.toThrow('append only');
  });

  test('and nobody else’s loans are marked for it', async () => {
    on('2026-01-10');
    const own = await late('L-1');
    await late('L-2');
    on('2026-01-20');
    await add('2026-02-01', { nonAccrualDays: 30 });
    await add('2026-01-25', { nonAccrualDays: 30 }, { lenderId: 'L-1' });
    const rows = await room.db.query<{ lender_id: string; books_change_on: string }>(
      'SELECT lender_id, books_change_on FROM loans ORDER BY lender_id',
    );
    expect(rows).toEqual([
      { lender_id: 'L-1', books_change_on: '2026-01-25' },
      { lender_id: 'L-2', books_change_on: '2026-02-01' },
    ]);
    expect(
      (await room.loans.policies.inForce(organizationId, { lenderId: 'L-1', day: date('2026-01-26') }))?.version,
    ).toBe(1);
    expect((await view(own)).policy.nonAccrualDays).toBeNull();
  });
});

slowTest(
  'a charge-off that is due is recorded at the month end where the policy says so, and the day ties',
  async () => {
    on('2026-01-10');
    const recorded = await late('L-1');
    const proposed = await late('L-2');
    await add('2026-01-10', { chargeOff: 'record', chargeOffDays: 100 }, { lenderId: 'L-1' });
    on('2026-05-30', 1);
    await room.loans.cycle.runCyclesThrough(organizationId, date('2026-05-29'));
    await nights('2026-05-29', '2026-06-02');
    const cycle = await room.loans.cycle.read(ACTOR, { date: date('2026-05-31'), after: null, limit: 10 });
    expect(cycle?.steps[1]).toMatchObject({ step: 'chargeOffsRecorded', counts: { loans: 1 } });
    expect(cycle?.proposals).toEqual([]);
    expect((await view(recorded)).chargeOff).toMatchObject({ date: '2026-05-31', collateral: 0 });
    expect((await view(proposed)).chargeOff).toBeNull();
    // Once the interest of the day is posted, running it again records nothing.
    await room.db.query(`UPDATE cycle_steps SET ended_at = NULL WHERE step = 'chargeOffsRecorded'`);
    await room.loans.cycle.runAgain(organizationId, date('2026-05-31'));
    await tied(date('2026-05-31'));
    on('2026-07-01', 1);
    await room.loans.cycle.runCyclesThrough(organizationId, date('2026-06-30'));
    const june = await room.loans.cycle.read(ACTOR, { date: date('2026-06-30'), after: null, limit: 10 });
    expect(june?.proposals.map(({ loanId }) => loanId)).toEqual([proposed]);
    await tied(date('2026-06-30'));
    await sound();
  },
);

describe('a dry run over the book', () => {
  const asked = (values: GivenValues, more: Partial<PolicyDraft & { through: PlainDate | null }> = {}) => ({
    policyId: 'all',
    lenderId: null,
    from: date('2026-03-24'),
    values,
    through: null,
    ...more,
  });
  async function dryRun(of: ReturnType<typeof asked>, loans = room.loans) {
    const found = await loans.policies.dryRun(ACTOR, of);
    if (isRefusal(found) || isMistakes(found)) throw new Error(JSON.stringify(found));
    return found;
  }

  beforeEach(async () => {
    on('2026-01-10');
  });

  test('counts loans, fees and cents that a plain comparison of each loan finds, and changes nothing', async () => {
    const ids = [await late('L-1'), await late('L-2'), await late('L-3')];
    await add('2026-01-11', {}, { lenderId: 'L-3' });
    on('2026-02-10');
    const first = (await view(ids[0] as string)).installments[0]?.amount as number;
    await room.done(ids[0] as string, repay('A', Math.ceil(first * 0.92)));
    on('2026-03-20');
    const values: GivenValues = { nonAccrualDays: 30, satisfiedPercent: 95, payoffDays: 3, rounding: 'half-even' };
    const { impact, version } = await dryRun(asked(values));
    expect(version).toMatchObject({ policyId: 'all', version: 1, figuresFrom: '2026-03-24' });
    expect(await room.loans.policies.list(ACTOR, { before: null, limit: 5 })).toHaveLength(1);

    // The same, loan by loan, once it is recorded.
    const through = '2026-04-23';
    const before = [];
    for (const id of ids.slice(0, 2)) before.push(await view(id, through));
    await add('2026-03-24', values);
    let cents = 0;
    let late30 = 0;
    for (const [i, id] of ids.slice(0, 2).entries()) {
      const [was, now] = [before[i] as Loan, await view(id, through)];
      cents += bookInterest(was) - bookInterest(now);
      late30 += daysPastDue(was) === daysPastDue(now) ? 0 : 1;
      expect(was.fees).toEqual(now.fees);
    }
    expect(impact).toMatchObject({
      ...{ through, complete: true, total: 2, done: 2, failed: 0, loans: 2, loansChanged: 2, feesChanged: 0 },
      ...{
        daysPastDue: late30,
        bookInterest: 2,
        bookInterestCents: cents,
        interest: 0,
        interestCents: 0,
        chargeOff: 0,
      },
      ...{ figures: ['nonAccrualDays', 'satisfiedPercent'], newLoansOnly: ['rounding'], limitsOnly: ['payoffDays'] },
    });
    expect(late30).toBe(1);
  });

  test('late fees and charge-offs', async () => {
    const id = await late();
    on('2026-02-10');
    const first = (await view(id)).installments[0]?.amount as number;
    await room.done(id, repay('A', Math.ceil(first * 0.92)));
    on('2026-02-11');
    const stricter = await dryRun(
      asked({ satisfiedPercent: 95 }, { from: date('2026-02-12'), through: date('2026-02-12') }),
    );
    expect(stricter.impact).toMatchObject({ loansChanged: 1, feesChanged: 1, lateFees: 1, lateFeesCents: 2_500 });
    const sooner = { chargeOffDays: 20, defaultDays: 20, extension: { maximumDaysPastDue: 10 } };
    const due = await dryRun(asked(sooner, { from: date('2026-02-12'), through: date('2026-03-31') }));
    expect(due.impact).toMatchObject({ chargeOff: 1, loansChanged: 1, feesChanged: 0 });
    const limits = await dryRun(asked({ payoffDays: 4, lateFee: { flat: '5' } }, { from: date('2026-02-12') }));
    expect(limits.impact).toMatchObject({ loans: 1, loansChanged: 0, complete: true, newLoansOnly: ['lateFee'] });
  });

  test('goes on in the background, and is continued by another process', async () => {
    for (let i = 0; i < 5; i++) await late();
    on('2026-03-20');
    const hasty = room.another({ advancePatienceMs: 0 });
    const question = asked({ nonAccrualDays: 30 });
    const begun = (await dryRun(question, hasty)).impact;
    expect([begun.complete, begun.total]).toEqual([false, 5]);
    await hasty.close();
    expect(await room.db.query('SELECT 1 FROM policy_dry_runs')).toHaveLength(1);
    // The process that held it is gone, and its hold has ended.
    await room.db.query(`UPDATE policy_dry_runs SET held_until = now() - interval '1 second'`);
    const { impact } = await dryRun(question);
    expect(impact).toMatchObject({ complete: true, total: 5, done: 5, loans: 5, loansChanged: 5, bookInterest: 5 });
    expect((await dryRun(question, room.another({ advancePatienceMs: 0 }))).impact).toEqual(impact);
  });

  test('is refused as the version itself would be', async () => {
    expect(await room.loans.policies.dryRun(ACTOR, asked({}, { from: date('2026-01-09') }))).toMatchObject({
      refused: 'invalid_value',
    });
    expect(await room.loans.policies.dryRun(ACTOR, asked({}, { through: date('2026-03-23') }))).toMatchObject({
      refused: 'invalid_value',
      member: 'through',
    });
    expect(await room.loans.policies.dryRun(ACTOR, asked({ graceDays: 90 }))).toMatchObject({
      mistakes: [{ pointer: '/values/graceDays' }],
    });
  });
});

function bookInterest(loan: Loan): number {
  const { interestReceivable, accruedInterest } = bookFiguresOf(loan);
  return interestReceivable + accruedInterest;
}
