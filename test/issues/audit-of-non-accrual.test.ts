/**
 * Non-accrual could not be audited: one net credit by lender, no line of the loan, no amount, and no date in any answer. A loan says since when;
 * its own lines say what was taken out of income on that day; it accrues again when nothing is past due and enough was paid.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Policy } from '../../src/core/policy.ts';
import { unwrittenLines } from '../../src/ledger/beside-rows.ts';
import { TIED_ACCOUNTS } from '../../src/ledger/chart.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { contractOf, FLAT_LATE_FEE, type Life, live } from '../support/life.ts';
import { sandboxBook } from '../support/sandbox-book.ts';

/** 10,000.00 at 12 %, 30/360, 888.49 a month from 1 February on; 30 days past due on 3 March. */
const loanWith = (policy: Partial<Policy> = {}): Life => live(contractOf(), { nonAccrualDays: 30, ...policy }).fund();
const since = (life: Life, on: string) => life.loan(on).nonAccrualSince;

/** By account: what the lines of a day add up to. */
const linesOn = (life: Life, day: string) =>
  [...journalOf(life.events).lines.flat(), ...unwrittenLines(life.events, date('2026-12-31'))]
    .filter(({ datePosted }) => datePosted === day)
    .map(({ entry, account, amount }) => `${entry} ${account} ${amount}`);

test('a loan says since when, and its own lines what it had accrued by then', () => {
  const life = loanWith();
  expect([since(life, '2026-03-02'), since(life, '2026-03-03'), since(life, '2026-06-30')]).toEqual([
    null,
    '2026-03-03',
    '2026-03-03',
  ]);
  // 61 days of 3.33 1/3 from 1 January to 2 March: 203.33.
  expect(linesOn(life, '2026-03-03')).toEqual([
    'accrual interestReceivable 20333',
    'accrual interestIncome -20333',
    'nonAccrual interestIncome 20333',
    'nonAccrual interestReceivable -20333',
  ]);
});

test('it stays so while anything is past due, and ends on the day on which nothing is', () => {
  const life = loanWith().pay('2026-03-10', '888.49', 'A');
  // Nine days past due: fewer than it takes to begin.
  expect(since(life, '2026-03-10')).toBe('2026-03-03');
  expect(since(life, '2026-03-20')).toBe('2026-03-03');
  life.pay('2026-03-21', '888.49', 'B');
  expect(since(life, '2026-03-21')).toBeNull();
  // All that was accrued and not received is on the books again: two payments took 10,000.00 at 12 % for 80 days and some.
  const { interestIncome } = balances(booksOf(life.loan('2026-03-21')));
  const first = Math.round((1_000_000 * 0.12 * 69) / 360);
  const left = 1_000_000 - (88_849 - first);
  expect(interestIncome).toBe(0 - first - Math.round((left * 0.12 * 11) / 360));
  // It begins anew from the next installment that stays open.
  expect([since(life, '2026-04-30'), since(life, '2026-05-01')]).toEqual([null, '2026-05-01']);
});

test('the policy may ask for installments paid in full, one after the other', () => {
  const life = loanWith({ returnToAccrual: { payments: 2 } }).pay('2026-03-10', '888.49', 'A');
  life.pay('2026-03-21', '888.49', 'B').pay('2026-04-01', '888.49', 'C');
  expect(since(life, '2026-04-02')).toBe('2026-03-03');
  life.pay('2026-05-01', '888.49', 'D');
  expect(since(life, '2026-05-01')).toBeNull();
  // A late one breaks the row.
  const late = loanWith({ returnToAccrual: { payments: 2 } }).pay('2026-03-10', '1776.98', 'A');
  late.pay('2026-04-20', '888.49', 'B').pay('2026-05-01', '888.49', 'C');
  expect(since(late, '2026-05-01')).toBe('2026-03-03');
  late.pay('2026-06-01', '888.49', 'D');
  expect(since(late, '2026-06-01')).toBeNull();
});

test('a payment that becomes known later takes the entry back, and its return brings it again', () => {
  const life = loanWith().pay('2026-03-10', '1776.98', 'A', { date: date('2026-03-01'), reason: 'lockbox' });
  expect(since(life, '2026-03-10')).toBeNull();
  life.take('2026-03-15', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
  expect(since(life, '2026-03-15')).toBe('2026-03-03');
});

test('late fees of a loan in non-accrual are no income until they are paid, where the policy says so', () => {
  const held = (life: Life, on: string) => {
    const { feeReceivable, feeIncome } = balances(booksOf(life.loan(on)));
    return { feeReceivable, feeIncome };
  };
  const lateFee = FLAT_LATE_FEE;
  // The first fee is charged on 12 February; the second on 12 March, in non-accrual.
  expect(held(loanWith({ lateFee }), '2026-03-31')).toEqual({ feeReceivable: 5_000, feeIncome: -5_000 });
  const memo = loanWith({ lateFee, feesInNonAccrual: 'memo' });
  expect(held(memo, '2026-03-31')).toEqual({ feeReceivable: 2_500, feeIncome: -2_500 });
  expect(memo.loan('2026-03-31').fees.map((fee) => [fee.amount, fee.memo])).toEqual([
    [2_500, false],
    [2_500, true],
  ]);
  // The borrower owes both; what is paid is income.
  memo.pay('2026-04-01', '2715.47', 'ALL');
  const { fees } = memo.loan('2026-04-01');
  const paid = fees.reduce((all, fee) => all + fee.paid, 0);
  expect(paid).toBeGreaterThan(0);
  const open = fees.reduce((all, fee) => all + (fee.memo ? 0 : fee.amount - fee.paid), 0);
  expect(held(memo, '2026-04-01')).toEqual({ feeReceivable: open, feeIncome: 0 - paid - open });
  // Charged off, the open part of a memorandum fee is no loss of income.
  const lost = loanWith({ lateFee, feesInNonAccrual: 'memo' });
  lost.take('2026-03-31', { do: 'charge-off', date: null, reason: 'policy', collateral: 0 as never });
  expect(held(lost, '2026-03-31')).toEqual({ feeReceivable: 0, feeIncome: 0 });
});

let service: TestApp;
beforeAll(async () => {
  service = await testApp();
}, 120_000);
afterAll(() => service.close(), 120_000);

test('summary, list, positions and exports show it, and the entry of each loan adds up to the books', async () => {
  const book = await sandboxBook(service, '2026-01-02');
  await book.post('policies', {
    policyId: 'AUDIT',
    lenderId: 'LND-1',
    from: '2026-01-02',
    values: { nonAccrualDays: 1, returnToAccrual: { payments: 0 }, feesInNonAccrual: 'memo' },
  });
  const terms = { originationDate: '2025-12-15', firstPaymentDate: '2026-01-15' };
  const late = await book.loan(terms);
  const punctual = await book.loan(terms);
  const { installments } = await book.get(`loans/${punctual}/schedule`);
  await book.post('loan-repay', { loanId: punctual, refId: 'P', amount: installments[0].amount });
  await book.on('2026-02-02');
  expect((await book.get(`loans/${late}/summary`)).nonAccrualSince).toBe('2026-01-16');
  expect((await book.get(`loans/${punctual}/summary`)).nonAccrualSince).toBeNull();
  const listed = async (nonAccrual: string) =>
    (await book.get(`loans?nonAccrual=${nonAccrual}`)).items.map((item: Record<string, string>) => [
      item.loanId,
      item.nonAccrualSince,
    ]);
  expect(await listed('true')).toEqual([[late, '2026-01-16']]);
  expect(await listed('false')).toEqual([[punctual, null]]);
  for (const what of ['loans', 'positions?from=2026-01-31']) {
    const [head = '', ...rows] = (await book.text(`exports/${what}`)).trim().split('\n');
    const at = head.split(',').indexOf('nonAccrualSince');
    const found = rows.map((row) => [row.split(',')[0], row.split(',')[at]]).sort();
    expect(found).toEqual(
      [
        [late, '2026-01-16'],
        [punctual, ''],
      ].sort(),
    );
  }
  const { items } = await book.get(`loans/${late}/journal`);
  const entry = items.filter((line: Record<string, string>) => line.entry === 'nonAccrual');
  expect(entry.map((line: Record<string, string>) => [line.account, line.datePosted])).toEqual([
    ['interestIncome', '2026-01-16'],
    ['interestReceivable', '2026-01-16'],
  ]);
  const tie = await book.get('ledger/tie-out?asOf=2026-02-02');
  expect(tie.accounts.map(({ difference }: Record<string, string>) => difference)).toEqual(
    TIED_ACCOUNTS.map(() => '0'),
  );
}, 240_000);
