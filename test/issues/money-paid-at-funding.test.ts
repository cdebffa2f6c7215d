/** The cash that leaves when a loan is funded: the loan amount less what the lender keeps of it, plus what it pays beside it; the difference is deferred. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type Caller, caller, inCents } from '../support/caller.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let as: Caller;
beforeAll(async () => {
  service = await testApp();
  as = caller(service);
});
afterAll(() => service.close());

const TODAY = '2026-01-15';
const terms = { loanAmount: '10000', interestRate: '12', dayCount: '30/360' };

async function approved(lenderId: string, charges: object): Promise<string> {
  const { loanId } = await as.done('loans', creation({ lenderId, ...terms, ...charges }));
  await as.done('start-underwriting', { loanId });
  await as.done('complete-underwriting', { loanId, approved: true });
  return loanId;
}

const ALL = { prepaidFinanceCharge: '300', dealerReserve: '548.99', directCosts: '250.00' };

test('a prepaid finance charge of 300 of 10,000 is kept: 9,700 are paid out', async () => {
  const loanId = await approved('KEPT', { prepaidFinanceCharge: '300' });
  await as.done('fund-loan', { loanId });
  expect(await as.balances(TODAY, 'KEPT')).toEqual({
    ...{ loanPrincipal: 10_000_00, cash: -9_700_00, deferredFees: -300_00 },
  });
});

test('dealer reserve and direct costs are paid beside the loan, to whom it is said', async () => {
  const loanId = await approved('ALL', ALL);
  // 10,000.00 − 300.00 + 548.99 + 250.00.
  const disbursements = [
    { payee: 'dealer', name: 'Hilltop Motors', amount: '6248.99' },
    { payee: 'lienholder', amount: '4000' },
    { payee: 'other', name: 'Robin Example, notary', amount: '250.00' },
  ];
  await as.done('initiate-repayment', { loanId, disbursements });
  expect(await as.balances(TODAY, 'ALL')).toEqual({
    ...{ loanPrincipal: 10_000_00, cash: -10_498_99, deferredCosts: 798_99, deferredFees: -300_00 },
  });
  const { items } = await as.read(`loans/${loanId}/timeline`);
  const funded = items.find(({ type }: { type: string }) => type === 'funded');
  expect(funded).toMatchObject({ reasonGiven: false, reason: null });
  expect(funded.disbursements).toEqual([
    { payee: 'dealer', name: 'Hilltop Motors', amount: '6,248.99' },
    { payee: 'lienholder', name: null, amount: '4,000' },
    { payee: 'other', name: 'Robin Example, notary', amount: '250' },
  ]);
});

test('the names of payees are sealed: no transaction and no event has them, and only those who may see personal data read them', async () => {
  const loanId = await approved('SEALED', {});
  const disbursements = [{ payee: 'borrower', name: 'Robin Q. Example', amount: '10000' }];
  await as.done('fund-loan', { loanId, disbursements });
  const { items } = await as.read(`loans/${loanId}/transactions`);
  const shown = await Promise.all([
    ...items.map(({ transactionHash }: { transactionHash: string }) =>
      as.read(`ledger/transactions/${transactionHash}`),
    ),
    as.read(`loans/${loanId}/summary`),
    as.read(`events?loanId=${loanId}`),
  ]);
  expect(JSON.stringify(shown)).toContain('disbursements');
  expect(JSON.stringify(shown)).not.toContain('Robin');
  const token = await service.token(['loans:read']);
  const open = await service.call('GET', `/v2/chain/loans/${loanId}/timeline`, { token });
  expect(open.status).toBe(200);
  const funded = open.body.data.items.find(({ type }: { type: string }) => type === 'funded');
  expect(funded.disbursements).toEqual([{ payee: 'borrower', name: null, amount: '10,000' }]);
});

test('an origination fee alone is what is kept, and it cannot be more than the prepaid finance charge', async () => {
  const loanId = await approved('FEE', { originationFee: '120' });
  await as.done('fund-loan', { loanId });
  expect(await as.balances(TODAY, 'FEE')).toMatchObject({ cash: -9_880_00, deferredFees: -120_00 });
  const wrong = await as.ask(
    'POST',
    'loans',
    creation({ ...terms, originationFee: '301', prepaidFinanceCharge: '300' }),
  );
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/originationFee']);
});

test('disbursements that do not add up are refused with the amount that they must add up to', async () => {
  const loanId = await approved('SUM', ALL);
  for (const path of ['fund-loan', 'initiate-repayment']) {
    const { status, body } = await as.ask('POST', path, {
      loanId,
      disbursements: [{ payee: 'dealer', amount: '10000' }],
    });
    expect(status).toBe(422);
    expect(body.detail).toBe(
      'The disbursements add up to 10000.00; 10498.99 is paid out: the loan amount of 10000.00, less the prepaid finance ' +
        'charge of 300.00, plus the dealer reserve of 548.99, plus direct costs of 250.00.',
    );
  }
  await as.done('fund-loan', { loanId, disbursements: [{ payee: 'dealer', amount: '10498.99' }] });
  const late = await as.ask('POST', 'initiate-repayment', {
    loanId,
    disbursements: [{ payee: 'dealer', amount: '1' }],
  });
  expect([late.status, late.body.errors[0].pointer]).toEqual([422, '/disbursements']);
});

test('a loan that was funded elsewhere pays nothing out, and defers nothing', async () => {
  const dates = { originationDate: '2025-11-01', firstPaymentDate: '2025-12-01' };
  const opening = { asOf: TODAY, principal: '9000', paidThrough: '2026-01-01' };
  const loanId = await approved('SEASONED', { ...ALL, ...dates, opening });
  const paid = await as.ask('POST', 'fund-loan', { loanId, disbursements: [{ payee: 'dealer', amount: '10498.99' }] });
  expect([paid.status, paid.body.errors[0].pointer]).toEqual([422, '/disbursements']);
  await as.done('fund-loan', { loanId });
  expect(await as.balances(TODAY, 'SEASONED')).toEqual({ loanPrincipal: 9_000_00, opening: -9_000_00 });
});

test('the amount financed and the rate stay those of Regulation Z, and agree with what is kept', async () => {
  const loanId = await approved('APR', ALL);
  const only = await approved('APR-KEPT', { prepaidFinanceCharge: '300' });
  const rate = async (id: string) => (await as.read(`loan-data/${id}`)).loanDetails.apr;
  expect(await rate(loanId)).toBe(await rate(only));
  const disclosed = await as.done('calculate-apr', {
    // The borrower gets what leaves cash, less what is paid beside the loan.
    advances: [{ date: TODAY, amount: '9700' }],
    payments: [
      { firstDate: '2026-02-15', count: 11, amount: '888.49', every: { unit: 'month' } },
      { firstDate: '2027-01-15', amount: '888.49' },
    ],
  });
  expect(Number(disclosed.data.aprPercent) / 100).toBeCloseTo(Number(await rate(only)), 4);
});

test('the books of a funding stay in balance through payoff and refund, and what is deferred becomes income with the payoff', async () => {
  const loanId = await approved('LIFE', ALL);
  await as.done('initiate-repayment', { loanId });
  await as.done('loan-repay', { loanId, refId: 'P', amount: '10100', acceptOverpayment: true });
  await as.done('acknowledge-repayment', { loanId, refId: 'P' });
  await as.done('refund-credit', { loanId, refId: 'R', amount: '100' });
  expect(await as.balances(TODAY, 'LIFE')).toEqual({
    ...{ cash: -10_498_99 + 10_000_00, interestIncome: 798_99 - 300_00 },
  });
  const { lenders } = await as.read(`ledger/roll-forward?period=2026-01&lenderId=LIFE`);
  const cash = lenders[0].accounts.find(({ account }: { account: string }) => account === 'cash');
  expect(inCents(cash.closing)).toBe(-498_99);
});
