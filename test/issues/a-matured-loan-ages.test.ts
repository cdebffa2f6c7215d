/** All that is owed after the last due date is past due from that date: no percentage excuses it any more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNonAccrual } from '../../src/core/books.ts';
import { date } from '../../src/core/calendar.ts';
import { delinquency, pastDueFrom } from '../../src/core/delinquency.ts';
import { explain } from '../../src/core/explain.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { contractOf, live, money } from '../support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

/** 10,000 at 12 %, three installments from 1 February; with the third, of 1 April, 8,000 beside it. */
const balloon = contractOf({ count: 3, amortization: 'Balloon', balloon: money('8000') });
const POLICY = { nonAccrualDays: 90 };

const age = (loan: Parameters<typeof delinquency>[0]) => {
  const { daysPastDue, bucket, oldestDueDate, pastDueAmount } = delinquency(loan);
  return { daysPastDue, bucket, oldestDueDate, pastDueAmount, from: pastDueFrom(loan), status: statusOf(loan) };
};

/** The last installment, with its balloon, is paid to 95 % on its day. */
function short() {
  const life = live(balloon, POLICY).fund();
  const [first, second, last] = life.loan('2026-01-01').installments.map(({ amount }) => (amount / 100).toFixed(2));
  life.pay('2026-02-01', first as string, 'p1').pay('2026-03-01', second as string, 'p2');
  return life.pay('2026-04-01', (Math.floor(Number(last) * 95) / 100).toFixed(2), 'p3');
}

test('a last installment paid to 95 % is past due from its due date', () => {
  const life = short();
  expect(age(life.loan('2026-04-01'))).toMatchObject({ daysPastDue: 0, status: 'Current', from: '2026-04-01' });
  const next = life.loan('2026-04-02');
  expect(age(next)).toEqual({
    daysPastDue: 1,
    bucket: '1-29',
    oldestDueDate: '2026-04-01',
    pastDueAmount: next.principal + next.interest,
    from: '2026-04-01',
    status: 'Current',
  });
  const late = life.loan('2027-07-01');
  expect(age(late)).toMatchObject({ daysPastDue: 456, bucket: '120+', status: 'Delinquent' });
  expect([isNonAccrual(life.loan('2026-06-29')), isNonAccrual(life.loan('2026-06-30'))]).toEqual([false, true]);
  expect(explain(late, 'pastDue')?.sentences[0]).toContain('was due by 2026-04-01, 456 days before 2027-07-01');
});

test('it can default, and a small part of what is owed does not cure it', () => {
  const life = short();
  life.take('2026-07-15', { do: 'default', ground: 'pastDue', reason: 'matured' });
  expect(statusOf(life.loan('2026-07-15'))).toBe('Defaulted');
  life.pay('2026-07-16', '0.01', 'cent');
  expect(statusOf(life.loan('2026-07-16'))).toBe('Defaulted');
});

test('an earlier shortage that counted as paid is past due from the last due date, not from its own', () => {
  // The second installment is short by 5 %, and principal money leaves nothing but that shortage for the third.
  const life = live(contractOf({ count: 3, rate: percent('0') })).fund();
  life.pay('2026-02-01', '3333.33', 'p1').pay('2026-03-01', '3200', 'p2');
  life.pay('2026-03-02', '3433.34', 'more', { purpose: 'principal' });
  expect(life.loan('2026-03-20').principal).toBe(3_333);
  expect(age(life.loan('2026-04-01'))).toMatchObject({ daysPastDue: 0, from: '2026-04-01' });
  expect(age(life.loan('2026-04-11'))).toMatchObject({
    ...{ daysPastDue: 10, oldestDueDate: '2026-04-01' },
    ...{ pastDueAmount: 3_333, from: '2026-04-01' },
  });
});

test('a last installment that was paid, of a loan that owes the interest of later days', () => {
  const life = live(contractOf({ count: 1 })).fund();
  // 10,100.00 is paid ten days late; interest of these ten days is left.
  life.pay('2026-02-11', '10100', 'late');
  const loan = life.loan('2026-03-01');
  expect(loan.installments.at(-1)?.satisfiedOn).toBe('2026-02-11');
  expect(loan.principal + loan.interest).toBeGreaterThan(3_000);
  expect(age(loan)).toMatchObject({ daysPastDue: 28, pastDueAmount: loan.principal + loan.interest });
  // An extension gives time for what is left, although the installment's own amount was paid.
  life.take('2026-03-01', { do: 'extend', periods: 2, date: null, reason: 'hardship', override: true });
  expect(age(life.loan('2026-04-01'))).toMatchObject({ daysPastDue: 0, from: '2026-04-01' });
  expect(age(life.loan('2026-04-03'))).toMatchObject({ daysPastDue: 2 });
});

describe('where only fees are left', () => {
  const lent = () => live(contractOf({ count: 1, rate: percent('0') })).fund();
  const fee = (feeId: string) =>
    ({ do: 'assess-fee', feeId, kind: 'fee', name: 'title', amount: money('20'), date: null }) as const;

  test('one charged before the last due date is past due from that date', () => {
    const life = lent();
    life.take('2026-01-10', fee('early'));
    life.pay('2026-01-20', '10000', 'all', { purpose: 'principal' });
    expect(age(life.loan('2026-02-01'))).toMatchObject({ daysPastDue: 0, from: '2026-02-01' });
    expect(age(life.loan('2026-02-28'))).toMatchObject({ daysPastDue: 27, pastDueAmount: 2_000 });
    expect(explain(life.loan('2026-02-28'), 'pastDue')?.steps).toMatchObject([{ amount: 2_000 }]);
    life.take('2026-03-01', { do: 'waive-fee', feeId: 'early', amount: null, reason: 'courtesy' });
    expect(age(life.loan('2026-03-01'))).toMatchObject({ daysPastDue: 0, from: null, status: 'Current' });
  });

  test('one charged after it is past due from its own day', () => {
    const life = lent();
    life.pay('2026-02-01', '10000', 'all');
    life.take('2026-05-10', fee('later'));
    expect(age(life.loan('2026-05-15'))).toMatchObject({ daysPastDue: 5, from: '2026-05-10' });
  });
});

test.each([
  ['extend', { do: 'extend', periods: 2, date: null, reason: 'hardship', override: true }, '2026-06-01'],
  ['reage', { do: 'reage', date: null, reason: 'hardship', override: true }, '2026-05-01'],
] as const)('after the last due date has moved (%s), it counts from the new one', (_, command, maturity) => {
  const life = short();
  life.take('2026-04-20', command);
  expect(life.loan('2026-04-20').installments.at(-1)?.dueDate).toBe(maturity);
  expect(age(life.loan('2026-04-30'))).toMatchObject({ daysPastDue: 0, from: maturity });
  expect(age(life.loan(`${maturity.slice(0, 8)}11`))).toMatchObject({ daysPastDue: 10 });
});

test('a re-amortization leaves the last due date, which counts as before', () => {
  const life = live(balloon, POLICY).fund().pay('2026-01-20', '1000', 'more', { purpose: 'principal' });
  life.take('2026-01-21', { do: 'reamortize', date: null, reason: 'paid down' });
  const [first, second, last] = life.loan('2026-01-21').installments.map(({ amount }) => amount);
  life
    .pay('2026-02-01', ((first ?? 0) / 100).toFixed(2), 'p1')
    .pay('2026-03-01', ((second ?? 0) / 100).toFixed(2), 'p2');
  life.pay('2026-04-01', (Math.floor((last ?? 0) * 0.95) / 100).toFixed(2), 'p3');
  expect(age(life.loan('2026-04-21'))).toMatchObject({ daysPastDue: 20 });
});

test('before it, an installment paid to the percentage counts as paid as ever', () => {
  const life = live().fund().pay('2026-02-01', '800', 'A');
  expect(age(life.loan('2026-02-20'))).toMatchObject({ daysPastDue: 0, pastDueAmount: 0 });
});

describe('through the service', () => {
  let room: TestLoans;
  beforeAll(async () => {
    room = await testLoans();
  });
  afterAll(() => room.close());

  test('the cycle notes its buckets and its non-accrual, and charges it off', async () => {
    room.on('2026-01-20');
    const extension = { ...DEFAULT_POLICY.extension, maximumDaysPastDue: 8 };
    const days = { graceDays: 0, nonAccrualDays: 5, defaultDays: 6, chargeOffDays: 9 };
    const values = { ...days, extension, chargeOff: 'record' as const };
    const version = { policyId: 'all', lenderId: null, from: date('2026-01-20'), values };
    expect(await room.loans.policies.add(ACTOR, version)).toHaveProperty('number');
    const dates = { contractDate: date('2026-01-20'), firstPaymentDate: date('2026-01-22'), count: 1 };
    const contract = { ...balloon, ...dates, frequency: 'Weekly' as const };
    const loanId = await room.create({}, { contract, policy: { ...DEFAULT_POLICY, ...values } });
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    room.on('2026-01-22');
    await room.done(loanId, repay('most', 950_000));
    room.on('2026-01-28');
    await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date('2026-01-27'));
    const outcome = await room.write(loanId, { do: 'default', ground: 'pastDue', reason: 'matured' }, { dryRun: true });
    expect(outcome.kind).toBe('done');
    const trial = await room.loans.books.trialBalance(ACTOR, { asOf: date('2026-01-27'), lenderId: null });
    if (isRefusal(trial)) throw new Error(trial.detail);
    for (const name of ['accruedInterest', 'interestReceivable']) {
      expect(trial.accounts.find(({ account }) => account === name)).toMatchObject({ debit: 0, credit: 0 });
    }
    room.on('2026-02-01');
    await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date('2026-01-31'));
    const [row] = await room.db.query<{ status: string }>('SELECT status FROM loans');
    expect(row?.status).toBe('ChargedOff');
    while ((await room.loans.ledger.seal()) > 0);
    expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
  });
});
