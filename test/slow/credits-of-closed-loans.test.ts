/**
 * Credit that was left on a paid-off loan was in the trial balance and in no report after the month of the payoff, and nothing said so: the loan
 * had no position any more. It has one for as long as the books carry anything of it, and the totals of each month end are compared with the
 * trial balance.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { setTriggers } from '../support/nights.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';

let service: TestApp;
let book: SandboxBook;
beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, '2026-01-28');
}, 240_000);
afterAll(() => service.close(), 120_000);

const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);

async function complaints(): Promise<string[]> {
  while ((await service.loans.ledger.seal()) > 0);
  return (await verifyBook({ db: service.db, masterKeys })).complaints.map(({ what }) => what);
}

type Balance = { account: string; credit: string };

/** The credits of a day in the report and in the trial balance. */
async function creditsOn(asOf: string): Promise<[report: string, books: string]> {
  const report = await book.get(`portfolio/summary?asOf=${asOf}`);
  const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}`);
  const held = (accounts as Balance[]).find(({ account }) => account === 'borrowerCredits');
  return [report.totals.credits, held?.credit ?? '0'];
}

test('a credit stays in the reports until it is refunded, and a row that is missing is noticed', async () => {
  const paidOff = await book.loan();
  const gone = await book.loan();
  await book.loan();
  await book.on('2026-01-29');
  for (const [loanId, more] of [
    [paidOff, 50],
    [gone, 0],
  ] as const) {
    const { payoff } = await book.get(`loans/${loanId}/payoff`);
    const amount = (Number(payoff.replaceAll(',', '')) + more).toFixed(2);
    await book.post('loan-repay', { loanId, refId: 'ALL', amount, acceptOverpayment: true });
    await book.post('acknowledge-repayment', { loanId, refId: 'ALL' });
  }
  await book.on('2026-03-02');
  for (const asOf of ['2026-01-31', '2026-02-28', '2026-03-02']) {
    expect([asOf, ...(await creditsOn(asOf))]).toEqual([asOf, '50', '50']);
  }
  await book.post('refund-credit', { loanId: paidOff, refId: 'BACK', amount: '50' });
  await book.on('2026-04-01');
  expect(await creditsOn('2026-03-31')).toEqual(['0', '0']);

  const rows = await service.db.query<{ loan: string; dates: string[] }>(
    `SELECT '0x' || encode(loan_id, 'hex') AS loan, array_agg(date::text ORDER BY date) AS dates FROM positions WHERE organization_id = $1
       AND loan_id = ANY ($2::bytea[]) GROUP BY loan_id`,
    [book.organizationId, [paidOff, gone].map((id) => Buffer.from(id.slice(2), 'hex'))],
  );
  const datesOf = (id: string) => rows.find(({ loan }) => loan === id)?.dates;
  const ends = ['2026-01-31', '2026-02-28', '2026-03-31'];
  expect(datesOf(paidOff)).toEqual(ends);
  // Nothing is left of this one: it has no position after the month in which it closed.
  expect(datesOf(gone)).toEqual(ends.slice(0, 1));
  expect(await complaints()).toEqual([]);

  // The row and what it added to the sums are taken away together, so that they still agree with each other.
  const { db } = service;
  await setTriggers(db, 'position_sums', 'DISABLE');
  await db.query(`DELETE FROM positions WHERE organization_id = $1 AND date = '2026-02-28' AND loan_id = $2`, [
    book.organizationId,
    Buffer.from(paidOff.slice(2), 'hex'),
  ]);
  await db.query(`UPDATE position_sums SET credits = 0 WHERE organization_id = $1 AND date = '2026-02-28'`, [
    book.organizationId,
  ]);
  await setTriggers(db, 'position_sums', 'ENABLE');
  expect(await complaints()).toContainEqual(
    expect.stringContaining('LND-1 2026-02-28: the total of credits does not match the trial balance'),
  );
}, 240_000);
