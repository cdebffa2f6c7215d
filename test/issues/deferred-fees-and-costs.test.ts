/**
 * Books with deferred fees and costs: they tie to the loans on every day, whatever happens to the loans, whether the days are posted or not, by
 * loan and in all; and what a month has shown does not change.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { readConfig } from '../../src/config.ts';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { type Caller, caller, inCents } from '../support/caller.ts';
import { creation } from '../support/statuses.ts';

const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);

let service: TestApp;
let as: Caller;
let buyer: Caller;
const ids: Record<string, string> = {};
const FIRST = date('2026-01-15');
const LAST = date('2026-07-20');

const terms = { loanAmount: '10000', interestRate: '12', dayCount: '30/360' };
const CHARGES = { prepaidFinanceCharge: '300', dealerReserve: '80', directCosts: '20' };

function on(day: string): void {
  service.clock.now = Date.parse(`${day}T15:00:00Z`);
}
const posted = (through: string) => service.loans.books.accrue(service.organizationId, date(through));
const pay = (name: string, refId: string, amount: string, more: object = {}) =>
  as.done('loan-repay', { loanId: ids[name], refId, amount, ...more });

async function funded(name: string, charges: object = CHARGES): Promise<void> {
  const { loanId } = await as.done('loans', creation({ lenderId: 'L-A', ...terms, ...charges }));
  await as.done('start-underwriting', { loanId });
  await as.done('complete-underwriting', { loanId, approved: true });
  await as.done('initiate-repayment', { loanId });
  ids[name] = loanId;
}

const SEASONED = {
  ...{ ...terms, originationDate: '2025-11-01', firstPaymentDate: '2025-12-01' },
  opening: { asOf: '2026-01-15', principal: '8800', unpaidInterest: '41.07', paidThrough: '2026-01-01' },
};

async function boarded(name: string, purchase: object): Promise<void> {
  await funded(name, { ...SEASONED, purchase });
}

beforeAll(async () => {
  service = await testApp();
  as = caller(service);
  on(FIRST);
  await as.done('policies', { policyId: 'P', lenderId: 'L-A', from: '2026-01-15', values: { nonAccrualDays: 30 } });
  for (const name of ['paying', 'late', 'lost', 'sold', 'rescinded', 'paidOff']) await funded(name);
  await funded('costly', { dealerReserve: '300', directCosts: '250.01', prepaidFinanceCharge: '10' });
  await funded('even', { prepaidFinanceCharge: '200', dealerReserve: '200' });
  await funded('plain', {});
  await boarded('bought', { price: '8600', date: '2026-01-15' });
  await boarded('dear', { price: '9250' });
  await boarded('doubtful', { price: '7000', creditDiscount: '1500' });
  on('2026-02-16');
  await posted('2026-02-15');
  for (const name of ['paying', 'late', 'costly', 'even', 'plain', 'sold']) await pay(name, 'A', '888.49');
  on('2026-02-20');
  await as.done('rescind', { loanId: ids.rescinded, reason: 'withdrawn' });
  await pay('paidOff', 'OFF', '10120', { acceptOverpayment: true });
  on('2026-03-04');
  const bought = await service.access.createOrganization('Buyer', 0);
  const scopes: Scope[] = ['loans:read', 'loans:write', 'servicing:write', 'reports:read'];
  const client = await service.access.createClient(bought.organizationId, { name: 'B', scopes, rateLimitPerMinute: 0 });
  buyer = caller(service, { ...service.credentials, ...client });
  const to = { organizationId: bought.organizationId, lenderId: 'L-9' };
  await as.done('transfer', { loanId: ids.sold, what: 'owner', to, date: '2026-03-05', reason: 'sold' });
  await buyer.done('accept-transfer', { loanId: ids.sold });
  service.clock.now = Date.parse('2026-03-05T06:10:00Z');
  for (const { organizationId } of [service, bought]) {
    await service.loans.cycle.runCyclesThrough(organizationId, date('2026-03-04'));
  }
  expect(await service.loans.transfers.carryOutDue()).toBe(1);
  on('2026-03-05');
  // Known late: by a day of February.
  await pay('paying', 'B', '700', { paymentDate: '2026-02-24', reason: 'found', purpose: 'principal' });
  await as.done('return-repayment', { loanId: ids.paidOff, refId: 'OFF', code: 'R01' });
  on('2026-04-10');
  await as.done('return-repayment', { loanId: ids.late, refId: 'A', code: 'R01' });
  await as.done('change-rate', { loanId: ids.costly, interestRate: '9', reason: 'hardship' });
  on('2026-05-20');
  await posted('2026-05-18');
  await as.done('charge-off', { loanId: ids.lost, reason: 'lost', collateral: '3000' });
  await pay('late', 'C', '4500');
  on('2026-06-02');
  const { items } = await as.read(`loans/${ids.lost}/transactions`);
  const chargedOff = items.find(({ type }: { type: string }) => type === 'chargedOff');
  await as.done('undo', { loanId: ids.lost, transactionHash: chargedOff.transactionHash, reason: 'found' });
  on('2026-06-20');
  await posted('2026-06-19');
  await as.done('charge-off', { loanId: ids.lost, reason: 'lost', collateral: '3000' });
  on(LAST);
}, 120_000);
afterAll(() => service.close());

const byAccount = (accounts: { account: string; balance: string }[], into: Record<string, number> = {}) => {
  for (const { account, balance } of accounts) into[account] = (into[account] ?? 0) + inCents(balance);
  return into;
};

test('ledger and loans agree on every day, and the loans one by one make up the trial balance', async () => {
  for (let day: PlainDate = FIRST; day <= LAST; day = addDays(day, 3)) {
    const { accounts } = await as.read(`ledger/tie-out?asOf=${day}`);
    const off = accounts.filter(({ difference }: { difference: string }) => inCents(difference) !== 0);
    expect([day, off]).toEqual([day, []]);
    if (day.endsWith('0') || day === FIRST) {
      const { items } = await as.read(`ledger/loans?asOf=${day}&limit=100`);
      const sums: Record<string, number> = {};
      for (const one of items) byAccount(one.accounts, sums);
      const held = Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
      expect([day, held]).toEqual([day, await as.balances(day)]);
    }
  }
}, 120_000);

test('they tie in the database too, where nothing is left of a loan that is closed, lost or sold', async () => {
  const found: Record<string, { fees: string; costs: string } | null> = {};
  for (const name of Object.keys(ids)) found[name] = (await as.read(`loans/${ids[name]}/summary`)).deferred;
  expect(found).toMatchObject({
    lost: { fees: '0', costs: '0' },
    even: { fees: '200', costs: '200', yield: null },
    plain: null,
    rescinded: { fees: '0', costs: '0' },
  });
  expect((await buyer.read(`loans/${ids.sold}/summary`)).deferred).toBeNull();
  await posted(addDays(LAST, -1));
  const { complaints } = await verifyBook({ db: service.db, masterKeys });
  expect(complaints).toEqual([]);
}, 60_000);

test('a loan that was bought has its discount, premium and credit discount against what it was bought for', async () => {
  const accountsOf = async (name: string) => {
    const { items } = await as.read(`ledger/loans?asOf=${FIRST}&limit=100`);
    return byAccount(items.find(({ loanId }: { loanId: string }) => loanId === ids[name]).accounts);
  };
  const asset = { loanPrincipal: 8_800_00, interestReceivable: 41_07 };
  expect(await accountsOf('bought')).toEqual({ ...asset, purchaseDiscount: -241_07, opening: -8_600_00 });
  expect(await accountsOf('dear')).toEqual({ ...asset, purchaseDiscount: 408_93, opening: -9_250_00 });
  expect(await accountsOf('doubtful')).toEqual({
    ...{ ...asset, purchaseDiscount: -341_07, allowance: -1_500_00, opening: -7_000_00 },
  });
  const { purchase, deferred } = await as.read(`loans/${ids.doubtful}/summary?asOf=2026-01-15`);
  expect(purchase).toEqual({ price: '7,000', date: '2026-01-15', creditDiscount: '1,500' });
  expect(deferred).toMatchObject({ fees: '0', costs: '0', discount: '341.07' });
});

test('a price without figures, or of another day than the figures, is refused', async () => {
  const refused = async (more: object) => {
    const { status, body } = await as.ask('POST', 'loans', creation({ lenderId: 'L-A', ...terms, ...more }));
    return [status, body.errors?.[0].pointer];
  };
  expect(await refused({ purchase: { price: '8600' } })).toEqual([422, '/purchase']);
  expect(await refused({ ...SEASONED, purchase: {} })).toEqual([422, '/purchase/price']);
  expect(await refused({ ...SEASONED, purchase: { price: '8600', date: '2026-01-14' } })).toEqual([
    422,
    '/purchase/date',
  ]);
  const later = { ...SEASONED.opening, ownedFrom: '2026-02-01' };
  expect(await refused({ ...SEASONED, opening: later, purchase: { price: '8600' } })).toEqual([422, '/purchase/date']);
});

test('a month rolls forward by its amortization, and each loan says what it amortized on a day', async () => {
  for (const period of ['2026-02', '2026-03', '2026-06', '2026-07']) {
    const { lenders } = await as.read(`ledger/roll-forward?period=${period}`);
    const fees = lenders[0].accounts.find(({ account }: { account: string }) => account === 'deferredFees');
    const entries = fees.activity.map(({ entry }: { entry: string }) => entry);
    expect([period, entries]).toEqual([period, expect.arrayContaining(['amortization'])]);
  }
  const { items } = await as.read('ledger/entries?date=2026-06-10');
  const entry = items.find(({ lenderId }: { lenderId: string }) => lenderId === 'L-A');
  const { items: loans } = await as.read(`ledger/entries/${entry.transactionHash}/loans`);
  const amortized = loans.reduce((sum: number, one: { amortized: string }) => sum + inCents(one.amortized), 0);
  const [, income] = entry.lines.filter(({ account }: { account: string }) => account === 'interestIncome');
  expect(amortized).not.toBe(0);
  expect(amortized).toBe(inCents(income.credit) - inCents(income.debit));
});

test('what is due to the books alone is explained, and no entry by hand reaches it', async () => {
  const told = await as.read(`loans/${ids.paying}/explain/amortization?asOf=2026-02-10`);
  expect(told.steps).toHaveLength(2);
  const lines = [
    { account: 'deferredFees', debit: '1' },
    { account: 'interestIncome', credit: '1' },
  ];
  const refused = await as.ask('POST', 'ledger/entries', {
    date: '2026-07-19',
    lenderId: 'L-A',
    lines,
    reason: 'by hand',
  });
  expect([refused.status, refused.body.code]).toEqual([409, 'owned_by_loans']);
});
