/**
 * The history lost the journal lines of a late fee whose day a cycle had recorded on that same day: neither the line's day nor the event's was
 * before the other. Every late fee has its own lines beside it, whoever recorded its day.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest } from '../support/whole.ts';

let service: TestApp;
beforeAll(async () => {
  service = await testApp();
}, 240_000);
afterAll(() => service.close(), 120_000);

type Line = { entry: string; account: string; debit: string; credit: string };
type Row = { date: string; kind: string; reference: string; amount: string; journal: Line[] };
type History = { rows: Row[]; otherLines: Line[] };

/** Installments on the first of each month from February on; 25.00 for each that is not paid within ten days: on the 12th. */
const TERMS = { lateFee: '25', originationDate: '2026-01-01', firstPaymentDate: '2026-02-01' };

/** The fees of the history, each with its lines. */
function fees({ rows }: History) {
  return rows
    .filter(({ kind }) => kind === 'fee')
    .map(({ date: on, reference, journal }) => [
      `${on} ${reference}`,
      ...journal.map(({ entry, account, debit, credit }) => `${entry} ${account} ${debit} ${credit}`),
    ]);
}
const fee = (on: string, id: string, amount = '25') => [
  `${on} ${id}`,
  `assessment feeReceivable ${amount} 0`,
  `assessment feeIncome 0 ${amount}`,
];

/** No line of a fee is anywhere but beside a fee. */
function strays({ rows, otherLines }: History) {
  const elsewhere = rows.filter(({ kind }) => kind !== 'fee').flatMap(({ journal }) => journal);
  return [...elsewhere, ...otherLines].filter(({ entry }) => entry === 'assessment');
}

slowTest(
  'the cycles of a test clock that jumps record each day on itself',
  async () => {
    const book = await sandboxBook(service, '2026-01-01');
    const loanId = await book.loan(TERMS);
    await book.on('2026-04-20');
    const history = await book.get(`loans/${loanId}/history`);
    expect(fees(history)).toEqual([
      fee('2026-02-12', 'late-1'),
      fee('2026-03-12', 'late-2'),
      fee('2026-04-12', 'late-3'),
    ]);
    expect(strays(history)).toEqual([]);
    await withoutAndWithPayment(book, loanId);
  },
  400_000,
);

/** A correction that takes a fee back and another that brings it again leave one pair of lines beside it, added up. */
async function withoutAndWithPayment(book: SandboxBook, loanId: string) {
  const { installments } = await book.get(`loans/${loanId}/schedule`);
  const amount = installments[0].amount as string;
  await book.post('loan-repay', { loanId, refId: 'P', amount, paymentDate: '2026-02-01', reason: 'Lockbox' });
  expect(fees(await book.get(`loans/${loanId}/history`)).map(([row]) => row)).not.toContain('2026-02-12 late-1');
  await book.post('reverse-repayment', { loanId, refId: 'P', reason: 'Of another borrower' });
  const { rows } = (await book.get(`loans/${loanId}/history`)) as History;
  for (const { amount: charged, journal } of rows.filter(({ kind }) => kind === 'fee')) {
    const receivable = journal.filter(({ account }) => account === 'feeReceivable');
    expect(receivable.reduce((all, { debit, credit }) => all + Number(debit) - Number(credit), 0)).toBe(
      Number(charged),
    );
  }
}

usualTest(
  'whoever comes first: a cycle days later, a payment of the day or after it, a note, a fee of the same amount',
  async () => {
    let token = await service.token();
    const key = service.credentials.apiKey;
    const post = async (path: string, body: object) => {
      const answer = await service.call('POST', `/v2/chain/${path}`, { token, key, body });
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
      return answer.body;
    };
    const on = async (day: string) => {
      service.clock.now = Date.parse(`${day}T12:00:00Z`);
      token = await service.token();
    };
    await on('2026-01-15');
    const loans: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { loanId } = await post('loans', creation(TERMS));
      await post('start-underwriting', { loanId });
      await post('complete-underwriting', { loanId, approved: true });
      await post('initiate-repayment', { loanId });
      loans.push(loanId);
    }
    const [sameDay, later, noted, charged, returned] = loans as [string, string, string, string, string];
    await on('2026-02-01');
    await post('loan-repay', { loanId: returned, refId: 'R', amount: '1100' });
    await on('2026-02-12');
    await post('loan-repay', { loanId: sameDay, refId: 'P', amount: '100' });
    await post('payment-reminders', { loanId: noted });
    await post('assess-fee', { loanId: charged, feeId: 'F', name: 'Wire', amount: '25' });
    await on('2026-02-15');
    await post('loan-repay', { loanId: later, refId: 'P', amount: '100' });
    await service.loans.cycle.runCyclesThrough(service.organizationId, date('2026-02-14'));
    await on('2026-03-12');
    // The first installment is late again today, beside the second.
    await post('return-repayment', { loanId: returned, refId: 'R', reason: 'NSF' });

    for (const loanId of loans) {
      const answer = await service.call('GET', `/v2/chain/loans/${loanId}/history`, { token, key });
      const history = answer.body.data as History;
      const told = fees(history);
      expect(strays(history)).toEqual([]);
      if (loanId === charged) {
        expect(told.slice(0, 2)).toEqual([fee('2026-02-12', 'late-1'), fee('2026-02-12', 'F')]);
      } else if (loanId === returned) {
        expect(told).toEqual([fee('2026-03-12', 'late-1'), fee('2026-03-12', 'late-2')]);
      } else {
        expect(told).toEqual([fee('2026-02-12', 'late-1'), fee('2026-03-12', 'late-2')]);
      }
    }
  },
  400_000,
);
