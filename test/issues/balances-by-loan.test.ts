/**
 * Balances of each loan on the books on a day, account by account: together the trial balance of that day, entries by hand aside; and what each
 * loan added to the interest of a day. Of days before and after payments, returns, a charge-off, a transfer between lenders, non-accrual.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
const ids: string[] = [];

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}
const ask = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...(body && { body }) });
async function done(path: string, body: object) {
  const answer = await ask('POST', path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}
async function data(path: string) {
  const answer = await ask('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}
async function live(more: object = {}): Promise<string> {
  const { loanId } = await done('loans', { ...creation(), ...more });
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  ids.push(loanId);
  return loanId;
}

beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
  const paying = await live({ lenderId: 'L-A' });
  const lost = await live({ lenderId: 'L-A' });
  const moved = await live({ lenderId: 'L-A' });
  await live({ lenderId: 'L-B' });
  await done('loans', { ...creation(), lenderId: 'L-B' });
  await on('2026-02-20');
  await done('loan-repay', { loanId: paying, amount: '500', refId: 'A', paymentDate: '2026-01-25', reason: 'Found' });
  await done('assess-fee', { loanId: paying, feeId: 'F', name: 'Fee', amount: '25' });
  await on('2026-02-25');
  await done('return-repayment', { loanId: paying, refId: 'A', code: 'R01' });
  const to = { organizationId: service.organizationId, lenderId: 'L-B' };
  await done('transfer', { loanId: moved, what: 'owner', to, date: '2026-02-25', reason: 'Sold' });
  await on('2026-06-20');
  await done('charge-off', { loanId: lost, reason: 'Gone', collateral: '3000' });
  await on('2026-06-22');
}, 120_000);
afterAll(() => service.close());

const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
type Item = { loanId: string; lenderId: string; accounts: { account: string; balance: string }[] };

async function all(query: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: Item[]; nextCursor: string | null } = await data(
      `ledger/loans?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
function summed(items: Item[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { account, balance } of items.flatMap(({ accounts }) => accounts)) {
    sums[account] = (sums[account] ?? 0) + cents(balance);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}
async function trial(query: string): Promise<Record<string, number>> {
  const { accounts } = await data(`ledger/trial-balance?${query}`);
  const found = accounts.map(({ account, debit, credit }: Record<string, string>) => [
    account,
    cents(debit as string) - cents(credit as string),
  ]);
  return Object.fromEntries(found.filter(([, sum]: [string, number]) => sum !== 0));
}

test('together they are the trial balance of the day, of every lender and page by page', async () => {
  for (const day of [
    '2026-01-14',
    '2026-01-15',
    '2026-02-19',
    '2026-02-20',
    '2026-02-25',
    '2026-04-30',
    '2026-06-22',
  ]) {
    for (const lender of ['', '&lenderId=L-A', '&lenderId=L-B']) {
      const items = await all(`asOf=${day}${lender}`, 2);
      expect(summed(items), `${day}${lender}`).toEqual(await trial(`asOf=${day}${lender}`));
      expect(new Set(items.map(({ loanId, lenderId }) => `${loanId} ${lenderId}`)).size).toBe(items.length);
      for (const { accounts } of items) {
        expect(accounts.reduce((sum, { balance }) => sum + cents(balance), 0)).toBe(0);
      }
    }
  }
  expect(await all('asOf=2026-01-14', 25)).toEqual([]);
  expect((await all('asOf=2026-06-22', 25)).map(({ loanId }) => loanId).sort()).toEqual(
    expect.arrayContaining(ids.toSorted()),
  );
}, 120_000);

test('entries by hand are of no loan', async () => {
  const lines = [
    { account: 'cash', debit: '10' },
    { account: 'equity', credit: '10' },
  ];
  const before = summed(await all('asOf=2026-06-22', 25));
  await done('ledger/entries', { date: '2026-06-22', lenderId: 'L-A', lines, reason: 'Capital' });
  expect(summed(await all('asOf=2026-06-22', 25))).toEqual(before);
  expect(await trial('asOf=2026-06-22')).toEqual({ ...before, cash: (before.cash ?? 0) + 1_000, equity: -1_000 });
}, 60_000);

test('as a file: a row of each loan with a column of each account', async () => {
  const items = await all('asOf=2026-02-20&lenderId=L-A', 25);
  const { text, headers } = await ask('GET', 'ledger/loans?asOf=2026-02-20&lenderId=L-A&format=csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head = '', ...rows] = text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(head.slice(0, 4)).toEqual(['asOf', 'lenderId', 'loanId', 'loanPrincipal']);
  expect(rows.map(([, , loanId]) => loanId)).toEqual(items.map(({ loanId }) => loanId));
  const column = (row: string[], account: string) => row[head.indexOf(account)];
  for (const [i, { accounts }] of items.entries()) {
    for (const { account, balance } of accounts) {
      expect(cents(column(rows[i] as string[], account) as string)).toBe(cents(balance));
    }
  }
  expect((await ask('GET', 'ledger/loans?asOf=2030-01-01')).status).toBe(422);
}, 60_000);

test('what each loan added to an entry of interest adds up to it', async () => {
  await service.loans.books.accrue(service.organizationId, date('2026-06-21'));
  let seen = 0;
  for (const day of [
    '2026-01-15',
    '2026-01-16',
    '2026-02-20',
    '2026-02-25',
    '2026-04-01',
    '2026-06-20',
    '2026-06-21',
  ]) {
    const { items } = await data(`ledger/entries?date=${day}`);
    for (const { transactionHash, lenderId, lines } of items) {
      const posted = lines.find(({ account }: { account: string }) => account === 'accruedInterest');
      const amount = posted === undefined ? 0 : cents(posted.debit) - cents(posted.credit);
      const of = await data(`ledger/entries/${transactionHash}/loans?limit=100`);
      expect([of.lenderId, of.date]).toEqual([lenderId, day]);
      const sum = of.items.reduce((all: number, one: { amount: string }) => all + cents(one.amount), 0);
      expect(sum, `${day} ${lenderId}`).toBe(amount);
      seen += of.items.length;
    }
  }
  expect(seen).toBeGreaterThan(10);
  const { items } = await data('ledger/entries?byHand=true');
  for (const id of [items[0].transactionHash, `0x${'0'.repeat(64)}`, 'none']) {
    expect((await ask('GET', `ledger/entries/${id}/loans`)).status).toBe(404);
  }
}, 120_000);
