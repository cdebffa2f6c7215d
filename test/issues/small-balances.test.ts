/** The remainder of a loan that is paid off, up to the policy's small balance, is written off by the cycle, and the loan is closed as paid off. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Fact } from '../../src/core/event.ts';
import { explain } from '../../src/core/explain.ts';
import { fold } from '../../src/core/fold.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { smallBalanceOf } from '../../src/core/small-balance.ts';
import { statement } from '../../src/core/statement.ts';
import { closedBy, paymentStatus, statusOf } from '../../src/core/status.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { changesOn } from '../../src/portfolio/loan-columns.ts';
import { positionOf } from '../../src/portfolio/position.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const SMALL = { smallBalance: money('5') };
/** 10,000.00 for a month at 12 %: 10,100.00 on 1 February. */
const lent = (policy: object = SMALL) => live(contractOf({ count: 1 }), policy).fund();

/** As the cycle records it at the end of a day. */
function written(life: Life, day: string) {
  const fact = smallBalanceOf(life.loan(day)) as Fact;
  const stamp = { date: date(day), recordedOn: date(day), recordedAt: `${day}T23:59:59.999Z` };
  return [...life.events, { ...fact, ...stamp }];
}

describe('what is small', () => {
  test('up to the amount of the policy, once something was paid; without a policy never', () => {
    expect(smallBalanceOf(lent().pay('2026-02-01', '10095', 'A').loan('2026-02-01'))).toMatchObject({
      ...{ amount: 500, limit: 500 },
    });
    expect(smallBalanceOf(lent().pay('2026-02-01', '10094.99', 'A').loan('2026-02-01'))).toBeNull();
    expect(smallBalanceOf(lent({}).pay('2026-02-01', '10095', 'A').loan('2026-02-01'))).toBeNull();
    expect(smallBalanceOf(lent().pay('2026-02-01', '10100', 'A').loan('2026-02-01'))).toBeNull();
    const tiny = live(contractOf({ amount: money('4'), count: 1 }), SMALL).fund();
    expect(smallBalanceOf(tiny.loan('2026-02-10'))).toBeNull();
  });

  test('nothing of a loan that was charged off', () => {
    const life = lent().pay('2026-02-01', '5000', 'A');
    life.take('2026-02-02', { do: 'charge-off', date: null, reason: 'loss', collateral: money('0') });
    const { principal, interest } = life.loan('2026-02-03');
    life.pay('2026-02-03', ((principal + interest - 100) / 100).toFixed(2), 'B');
    expect(smallBalanceOf(life.loan('2026-02-03'))).toBeNull();
  });

  test('a payoff before the last due date that is some cents short', () => {
    const life = live(contractOf(), SMALL).fund();
    life.pay('2026-01-11', '10030.00', 'payoff');
    expect(life.loan('2026-01-11').principal + life.loan('2026-01-11').interest).toBe(333);
    const loan = life.loan('2026-01-11');
    expect([smallBalanceOf(loan)?.amount, changesOn(loan)]).toEqual([333, '2026-01-11']);
  });
});

test('it is paid off, not charged off; principal, interest and fees are an expense of their own and no cash', () => {
  const life = lent();
  life.take('2026-01-10', { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'title', amount: money('2'), date: null });
  // 1.50 of principal is left, and the fee.
  life.pay('2026-02-01', '10098.50', 'A');
  const events = written(life, '2026-02-01');
  const after = fold(events, date('2026-02-01'));
  expect([after.principal, after.interest]).toEqual([0, 0]);
  const acknowledged = [...events, { ...stampOf('2026-02-02'), type: 'paymentAcknowledged', refId: 'A' } as const];
  const closed = fold(acknowledged, date('2026-02-02'));
  expect([statusOf(closed), closedBy(closed), paymentStatus(closed)]).toEqual(['Closed', 'payoff', 'On Time']);
  const booked = balances(booksOf(closed));
  expect(booked).toMatchObject({
    ...{ loanPrincipal: 0, interestReceivable: 0, feeReceivable: 0, chargeOffExpense: 0 },
    ...{ smallBalanceExpense: 350, cash: 9_850, interestIncome: -10_000, feeIncome: -200 },
  });
  const { lines } = journalOf(acknowledged);
  const entry = lines.flat().filter((line) => line.entry === 'smallBalance');
  expect(entry.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  expect(entry.find(({ account }) => account === 'smallBalanceExpense')).toMatchObject({ amount: 350 });
  const position = positionOf(after);
  expect(position).toMatchObject({ principal: 0, chargedOff: 0, disbursed: 0 });
  expect((position?.principalReceived ?? 0) + (position?.forgiven ?? 0)).toBe(1_000_000);
  expect(statement(acknowledged, date('2026-02-02')).rows.at(-1)).toMatchObject({
    ...{ kind: 'smallBalance', amount: 350, balance: 0 },
  });
  expect(explain(after, 'interest')?.amount).toBe(0);
});

const stampOf = (day: string) => ({ date: date(day), recordedOn: date(day), recordedAt: `${day}T23:59:59.999Z` });

test('a return takes it back, a small payment of an earlier day comes first, and a fee of an earlier day undoes it', () => {
  const life = lent().pay('2026-02-01', '10097', 'A');
  const events = written(life, '2026-02-01');
  const returned = [...events, { ...stampOf('2026-02-05'), type: 'paymentReturned', refId: 'A' } as const];
  expect(fold(returned, date('2026-02-05'))).toMatchObject({ principal: 1_000_000, smallBalances: [] });
  expect(balances(booksOf(fold(returned, date('2026-02-05')))).smallBalanceExpense).toBe(0);

  const late = { ...stampOf('2026-02-05'), date: date('2026-02-01') };
  const paid = { type: 'paymentSubmitted', refId: 'B', amount: money('2'), purpose: 'installment' } as const;
  const more = fold([...events, { ...late, ...paid }], date('2026-02-05'));
  expect(balances(booksOf(more))).toMatchObject({ smallBalanceExpense: 100, borrowerCredits: 0, loanPrincipal: 0 });

  const fee = { type: 'feeAssessed', feeId: 'F', kind: 'fee', name: 'title', amount: money('20') } as const;
  const owing = fold([...events, { ...late, ...fee }], date('2026-02-05'));
  expect(owing.smallBalances).toEqual([]);
  expect(statusOf(owing)).toBe('Current');
});

test('what an opening carried over is in the expense once, in non-accrual too', () => {
  const life = live(contractOf(), { ...SMALL, nonAccrualDays: 30 }).approve('2026-06-01');
  const opening = {
    ...{ date: date('2026-06-01'), principal: money('100'), paidThrough: date('2026-02-01') },
    ...{ interest: money('4'), fees: money('3') },
  };
  life.take('2026-06-01', { do: 'fund-loan', date: null, opening });
  life.pay('2026-06-01', '103', 'A');
  const loan = life.loan('2026-06-01');
  expect(loan.principal + loan.interest + 300).toBeLessThanOrEqual(500);
  const after = fold(written(life, '2026-06-01'), date('2026-06-01'));
  const booked = balances(booksOf(after));
  expect(booked).toMatchObject({ loanPrincipal: 0, interestReceivable: 0, feeReceivable: 0, smallBalanceExpense: 400 });
  expect([booked.interestIncome, booked.feeIncome, booked.chargeOffExpense]).toEqual([0, 0, 0]);
});

describe('through the service', () => {
  let room: TestLoans;
  beforeAll(async () => {
    room = await testLoans();
  });
  afterAll(() => room.close());

  test('the cycle of the day writes it off and closes the loan; the books tie and the history is sound', async () => {
    room.on('2026-01-20');
    const version = { policyId: 'all', lenderId: null, from: date('2026-01-20'), values: { smallBalance: '5.00' } };
    expect(await room.loans.policies.add(ACTOR, version)).toHaveProperty('number');
    const dates = { contractDate: date('2026-01-20'), firstPaymentDate: date('2026-01-22'), count: 1 };
    const contract = contractOf({ ...dates, frequency: 'Weekly' });
    const loanId = await room.create({}, { contract, policy: { ...DEFAULT_POLICY, ...SMALL } });
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    room.on('2026-01-22');
    await room.done(loanId, repay('most', 1_000_400));
    await room.done(loanId, { do: 'acknowledge-repayment', refId: 'most' });
    room.on('2026-01-25');
    await room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date('2026-01-24'));
    const [row] = await room.db.query('SELECT status, closed_by, recorded_on::text, changes_on FROM loans');
    expect(row).toEqual({ status: 'Closed', closed_by: 'payoff', recorded_on: '2026-01-22', changes_on: null });
    const cycle = await room.loans.cycle.read(ACTOR, { date: date('2026-01-22'), after: null, limit: 10 });
    expect(cycle?.steps[0]?.counts).toMatchObject({ smallBalances: 1, smallBalanceCents: 267 });
    const trial = await room.loans.books.trialBalance(ACTOR, { asOf: date('2026-01-22'), lenderId: null });
    if (isRefusal(trial)) throw new Error(trial.detail);
    const of = (name: string) => trial.accounts.find(({ account }) => account === name);
    expect([of('smallBalanceExpense'), of('loanPrincipal'), of('accruedInterest')]).toMatchObject([
      { debit: 267, credit: 0 },
      { debit: 0, credit: 0 },
      { debit: 0, credit: 0 },
    ]);
    const tie = await room.loans.books.tieOut(ACTOR, { asOf: date('2026-01-22'), lenderId: null });
    if (isRefusal(tie)) throw new Error(tie.detail);
    expect(tie.accounts.filter(({ difference }) => difference !== 0)).toEqual([]);
    while ((await room.loans.ledger.seal()) > 0);
    expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
    // A payment that is returned afterwards opens the loan again, with all of it.
    room.on('2026-01-26');
    const again = await room.done(loanId, {
      do: 'return-repayment',
      refId: 'most',
      date: null,
      reason: 'R01',
    } as never);
    expect(again.status).not.toBe('Closed');
    expect(again.loan.principal).toBe(1_000_000);
  });
});
