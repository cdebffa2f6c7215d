/**
 * As reported, the months of the cash flows did not follow each other: after a payoff that came back, a month opened with more than the one before
 * had closed with, and the return was in no month. Each month opens as the one before closed, says what earlier months changed by, and has the
 * return as money that went back in it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';

let service: TestApp;
let book: SandboxBook;
beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, '2026-01-29');
}, 240_000);
afterAll(() => service.close(), 120_000);

type Row = Record<string, string>;
const cents = (text: string | undefined) => Math.round(Number((text ?? '0').replaceAll(',', '')) * 100);
const of = (row: Row | undefined, ...names: string[]) => names.reduce((sum, name) => sum + cents(row?.[name]), 0);

const flows = async (knownAt: string): Promise<Row[]> =>
  (await book.get(`portfolio/cashflows?asOf=2026-03-31${knownAt}`)).totals;

/** Principal by the trial balance: no loan here is charged off. */
async function principalOn(asOf: string): Promise<number> {
  const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}`);
  const held = (accounts as Row[]).find(({ account }) => account === 'loanPrincipal');
  return cents(held?.debit);
}

function expectToChain(rows: readonly Row[]) {
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    if (before !== undefined) expect(row.openingPrincipal).toBe(before.closingPrincipal);
    const given = of(row, 'openingPrincipal', 'priorPeriod', 'disbursed');
    const taken = of(row, 'scheduledPrincipal', 'unscheduledPrincipal', 'chargedOff', 'forgiven');
    expect(given - taken).toBe(cents(row.closingPrincipal));
    const parts = of(row, 'scheduledPrincipal', 'unscheduledPrincipal', 'interest', 'fees', 'recoveries');
    expect(cents(row.received)).toBe(parts + of(row, 'receivedLate', 'returned'));
  });
}

test('each month opens as the one before closed, and a return is money that went back in its own month', async () => {
  const bounced = await book.loan();
  const found = await book.loan();
  await book.on('2026-01-30');
  const { payoff } = await book.get(`loans/${bounced}/payoff`);
  await book.post('loan-repay', { loanId: bounced, refId: 'ALL', amount: payoff });
  await book.on('2026-02-02');
  await book.post('return-repayment', { loanId: bounced, refId: 'ALL', reason: 'NSF' });
  const late = { amount: '500.00', paymentDate: '2026-01-30', reason: 'Lockbox' };
  await book.post('loan-repay', { loanId: found, refId: 'LATE', ...late });
  await book.on('2026-03-02');
  await book.post('reverse-repayment', { loanId: found, refId: 'LATE', reason: 'Of another borrower' });
  await book.on('2026-04-01');

  const reported = await flows('&knownAt=asReported');
  expect(reported.map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03']);
  expectToChain(reported);
  expect(reported.map(({ returned }) => cents(returned))).toEqual([0, 0 - cents(payoff), -50_000]);
  expect(reported.map(({ receivedLate }) => cents(receivedLate))).toEqual([0, 50_000, 0]);
  for (const row of reported) expect(cents(row.closingPrincipal)).toBe(await principalOn(row.through as string));
  // Money that came and went back is none in all.
  expect(reported.reduce((sum, row) => sum + cents(row.received), 0)).toBe(0);

  const restated = await flows('');
  expectToChain(restated);
  expect(restated.map((row) => of(row, 'priorPeriod', 'received', 'returned', 'receivedLate'))).toEqual([0, 0, 0]);
  expect(restated.at(-1)?.closingPrincipal).toBe(reported.at(-1)?.closingPrincipal);
  for (const by of ['grade', 'lender']) {
    const { totals, slices } = await book.get(`portfolio/cashflows?asOf=2026-03-31&knownAt=asReported&by=${by}`);
    expect(slices).toHaveLength(totals.length);
    expectToChain(slices);
  }

  // The books have returns beside receipts.
  const { lenders } = await book.get('ledger/roll-forward?period=2026-02');
  const principal = lenders[0].accounts.find(({ account }: Row) => account === 'loanPrincipal');
  const entries = new Map(principal.activity.map(({ entry, amount }: Row) => [entry, cents(amount)]));
  expect([...entries.keys()].sort()).toEqual(['receipt', 'return']);
  expect(entries.get('return')).toBeGreaterThan(0);
}, 400_000);
