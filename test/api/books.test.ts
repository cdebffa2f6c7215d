/** The books over HTTP: balances that include what follows from dates alone, the tie-out, entries, months, the export. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, date, type PlainDate } from '../../src/core/calendar.ts';
import { TIED_ACCOUNTS } from '../../src/ledger/chart.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let loanId: string;
let otherId: string;

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const ask = (method: string, path: string, more: { body?: object; headers?: Record<string, string> } = {}) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...more });

async function done(path: string, body: object) {
  const answer = await ask('POST', path, { body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string) {
  const answer = await ask('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

async function repaying(lenderId: string): Promise<string> {
  const { loanId: id } = await done('loans', { ...creation(), lenderId });
  await done('start-underwriting', { loanId: id });
  await done('complete-underwriting', { loanId: id, approved: true });
  await done('initiate-repayment', { loanId: id });
  return id;
}

const accrued = async (path: string) => {
  const { accounts } = await data(path);
  const { debit } = accounts.find(({ account }: { account: string }) => account === 'accruedInterest');
  return debit;
};

beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
  loanId = await repaying('L-A');
  otherId = await repaying('L-B');
});
afterAll(() => service.close());

/** Posts the days up to one, as the night after each would. */
async function post(through: string): Promise<void> {
  await service.loans.cycle.runCyclesThrough(service.organizationId, date(through));
}

describe('the books on a day', () => {
  it('count interest day by day, by lender, whether it is posted or not', async () => {
    // 12,000.00 at 9 %: 2.96 a day, 5.92 after two.
    await on('2026-01-17');
    expect(await accrued('ledger/trial-balance?asOf=2026-01-16')).toBe('5.92');
    expect(await accrued('ledger/trial-balance?asOf=2026-01-17&lenderId=L-A')).toBe('5.92');
    await post('2026-01-15');
    await post('2026-01-16');
    expect(await accrued('ledger/trial-balance?asOf=2026-01-16')).toBe('5.92');
    expect(await accrued('ledger/trial-balance?asOf=2026-01-17')).toBe('11.84');
    const { items, nextCursor } = await data('ledger/entries?date=2026-01-16&limit=1');
    expect(items).toMatchObject([
      {
        lenderId: 'L-A',
        sequence: 2,
        type: 'interestAccrued',
        date: '2026-01-16',
        accrued: '2.96',
        lines: [
          { account: 'accruedInterest', debit: '2.96', credit: '0' },
          { account: 'interestIncome', debit: '0', credit: '2.96' },
        ],
      },
    ]);
    const next = await data(`ledger/entries?date=2026-01-16&limit=1&cursor=${nextCursor}`);
    expect(next).toMatchObject({ items: [{ lenderId: 'L-B' }], nextCursor: null });
    const [{ transactionHash, bookId }] = items;
    expect((await data(`ledger/transactions/${transactionHash}`)).body).toContain(`"bookId":"${bookId}"`);
    await service.loans.ledger.seal();
    expect((await data(`ledger/transactions/${transactionHash}`)).proof).not.toBeNull();
    expect((await ask('GET', `loans/${bookId}/transactions`)).status).toBe(404);
  });

  it('tie, and a day that is over stays as it was, whatever is recorded later', async () => {
    await on('2026-02-20');
    const before = await data('ledger/trial-balance?asOf=2026-01-31');
    await done('loan-repay', { loanId, amount: '500', refId: 'A', paymentDate: '2026-01-20', reason: 'Found' });
    await done('acknowledge-repayment', { loanId, refId: 'A' });
    expect(await data('ledger/trial-balance?asOf=2026-01-31')).toEqual(before);
    for (const asOf of ['2026-01-14', '2026-01-31', '2026-02-19', '2026-02-20']) {
      for (const lender of ['', '&lenderId=L-A', '&lenderId=L-B', '&lenderId=L-C']) {
        const { accounts } = await data(`ledger/tie-out?asOf=${asOf}${lender}`);
        expect(accounts.map(({ account, difference }: Record<string, string>) => [account, difference])).toEqual(
          TIED_ACCOUNTS.map((name) => [name, '0']),
        );
      }
    }
    const { items } = await data(`loans/${loanId}/journal`);
    expect(items.at(-1)).toMatchObject({ lenderId: 'L-A', account: 'cashClearing', priorPeriod: false });
    expect(items.filter(({ priorPeriod }: { priorPeriod: boolean }) => priorPeriod)).not.toEqual([]);
  });

  it('appear in the history: each row with the lines that it posted, also for an earlier month', async () => {
    await on('2026-02-20');
    const { rows, otherLines } = await data(`loans/${loanId}/history`);
    const journal = await data(`loans/${loanId}/journal`);
    const shown = [...rows.flatMap((row: { journal: object[] }) => row.journal), ...otherLines];
    const written = shown.filter(({ transactionHash }) => transactionHash !== null);
    expect(written).toHaveLength(journal.items.length);
    const payment = rows.find(({ reference }: { reference: string }) => reference === 'A');
    expect(payment.journal).toContainEqual({
      ...{ entry: 'receipt', account: 'cashClearing', debit: '500', credit: '0' },
      ...{ dateEffective: '2026-01-20', datePosted: '2026-02-20', priorPeriod: true },
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    // The acknowledgement is beside its payment.
    expect(payment.journal.filter(({ account }: { account: string }) => account === 'cash')).toHaveLength(1);
  });

  it.each([
    ['ledger/trial-balance?asOf=2030-01-01', '/asOf'],
    ['ledger/tie-out?asOf=2030-01-01', '/asOf'],
    ['ledger/tie-out?asOf=2026-02-30', '/asOf'],
    ['ledger/entries?date=tomorrow', '/date'],
    ['ledger/entries', '/date'],
    ['ledger/roll-forward?period=2026-13', '/period'],
    ['ledger/roll-forward?period=2030-01', '/period'],
    ['ledger/export?period=2026-02', '/period'],
  ])('are not read where there is nothing to read: %s', async (path, pointer) => {
    const { status, body } = await ask('GET', path);
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });
});

describe('a month', () => {
  const close = (period: string): Promise<Answered> => ask('POST', 'ledger/close', { body: { period } });

  it('is closed once its days are posted, in order, permanently', async () => {
    await on('2026-02-20');
    expect(await close('2026-02')).toMatchObject({ status: 422, body: { refusal: 'date_in_future' } });
    expect(await close('2026-01')).toMatchObject({ status: 409, body: { code: 'cycle_pending' } });
    await post('2026-01-31');
    const { status, body } = await close('2026-01');
    expect([status, body.data?.period], JSON.stringify(body)).toEqual([200, '2026-01']);
    expect(body.data.lenders.map(({ lenderId }: { lenderId: string }) => lenderId)).toEqual(['L-A', 'L-B']);
    expect((await close('2026-01')).body).toEqual(body);
    await on('2026-04-10');
    expect(await close('2026-03')).toMatchObject({ status: 409, body: { refusal: 'wrong_period' } });
    await post('2026-03-31');
    await done('loan-repay', {
      loanId: otherId,
      amount: '400',
      refId: 'B',
      paymentDate: '2026-01-20',
      reason: 'Found',
    });
    expect(await close('2026-02')).toMatchObject({ status: 200 });
    expect(await close('2026-03')).toMatchObject({ status: 200 });
    const { items, next, nextCursor } = await data('ledger/periods?limit=2');
    expect(next).toBe('2026-04');
    expect(body.data.closedBy).toEqual({ clientId: expect.any(String), userId: null });
    expect(items.map(({ period }: { period: string }) => period)).toEqual(['2026-03', '2026-02']);
    expect((await data(`ledger/periods?limit=2&cursor=${nextCursor}`)).items).toEqual([body.data]);
  });

  it('rolls forward from its opening to its closing', async () => {
    for (const period of ['2026-01', '2026-02', '2026-03', '2026-04']) {
      const { lenders, closed } = await data(`ledger/roll-forward?period=${period}`);
      expect(closed).toBe(period !== '2026-04');
      const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
      for (const { accounts } of lenders) {
        for (const { opening, activity, closing } of accounts) {
          const moved = activity.reduce((sum: number, { amount }: { amount: string }) => sum + cents(amount), 0);
          expect(cents(opening) + moved).toBe(cents(closing));
        }
      }
    }
    const { lenders } = await data('ledger/roll-forward?period=2026-02&lenderId=L-A');
    expect(lenders).toMatchObject([{ lenderId: 'L-A' }]);
    const cash = lenders[0].accounts.find(({ account }: { account: string }) => account === 'cash');
    expect(cash).toEqual({
      account: 'cash',
      opening: '-12,000',
      activity: [{ entry: 'receipt', amount: '500' }],
      closing: '-11,500',
    });
  });

  it('is exported under the organization’s own codes', async () => {
    const missing = await ask('GET', 'ledger/export?period=2026-02');
    expect([missing.status, missing.body.detail]).toEqual([
      422,
      expect.stringContaining('loanPrincipal, accruedInterest, interestReceivable, cash, cashClearing, interestIncome'),
    ]);
    const codes = {
      loanPrincipal: '1400',
      accruedInterest: '1410',
      interestReceivable: '1420',
      cash: '1010',
      cashClearing: '1015',
      interestIncome: '4000',
    };
    expect((await ask('POST', 'ledger/account-codes', { body: { codes: { cash: '=1+1' } } })).status).toBe(422);
    expect((await ask('POST', 'ledger/account-codes', { body: { codes: { till: '1' } } })).status).toBe(422);
    await done('ledger/account-codes', { codes });
    const { items } = await data('ledger/account-codes');
    expect(Object.fromEntries(items.map((one: { account: string; code: string }) => [one.account, one.code]))).toEqual(
      codes,
    );
    const lines = await ask('GET', 'ledger/export?period=2026-02&lenderId=L-A');
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const rows = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toContainEqual({
      date: '2026-02-20',
      lenderId: 'L-A',
      entry: 'receipt',
      account: 'cashClearing',
      code: '1015',
      debit: '500',
      credit: '0',
      priorPeriod: true,
    });
    const sum = (column: string) => rows.reduce((total, row) => total + Math.round(Number(row[column]) * 100), 0);
    expect(sum('debit')).toBe(sum('credit'));
    const csv = await ask('GET', 'ledger/export?period=2026-02', { headers: { accept: 'text/csv' } });
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(csv.text.split('\r\n')[0]).toBe('date,lenderId,entry,account,code,debit,credit,priorPeriod');
    expect(csv.text).toContain('\r\n2026-02-20,L-A,receipt,cashClearing,1015,500,0,true\r\n');
    expect((await ask('GET', 'ledger/periods', { headers: { accept: 'text/csv' } })).status).toBe(406);
    expect((await ask('GET', 'ledger/export?period=2026-04')).status).toBe(422);
  });

  it('half a year of nightly cycles, some days late and some twice, posts each day once', async () => {
    await on('2026-07-10');
    const days = ['2026-06-29', '2026-06-30', '2026-06-30', '2026-05-01', '2026-07-09'];
    for (const day of days) await post(day);
    const [book] = await service.db.query<{ version: number; accrued_through: PlainDate }>(
      "SELECT version, accrued_through FROM books WHERE lender_id = 'L-A'",
    );
    expect(book).toEqual({ version: 176, accrued_through: '2026-07-09' });
    expect(addDays(date('2026-01-15'), 175)).toBe('2026-07-09');
    const { accounts } = await data('ledger/tie-out?asOf=2026-07-09');
    for (const { difference } of accounts) expect(difference).toBe('0');
  });
});

describe('nightly cycles', () => {
  it('are listed with what each step did, and one that has not run is not there', async () => {
    await on('2026-07-12');
    const before = await data('cycles?limit=2');
    expect(before).toMatchObject({ through: '2026-07-09', daysBehind: 2 });
    expect(before.items.map(({ date: day }: { date: string }) => day)).toEqual(['2026-07-09', '2026-07-08']);
    const next = await data(`cycles?limit=1&cursor=${before.nextCursor}`);
    expect(next.items).toMatchObject([{ date: '2026-07-07', exceptionCount: 0, endedAt: expect.any(String) }]);
    expect((await ask('GET', 'cycles/2026-07-10')).status).toBe(404);
    await post('2026-07-11');
    const { steps, exceptions } = await data('cycles/2026-07-11');
    expect(exceptions).toEqual([]);
    expect(steps.map(({ step }: { step: string }) => step)).toEqual([
      'lateFeesAndBuckets',
      'chargeOffsRecorded',
      'accrual',
      'nonAccrual',
      'quotesExpired',
      'chargeOffsProposed',
      'positions',
    ]);
    expect(steps[2]).toMatchObject({ counts: { entries: 2 }, endedAt: expect.any(String) });
    const { proposals, proposalCount } = await data('cycles/2026-06-30?limit=1');
    expect([proposals.length, proposalCount > 0]).toEqual([1, true]);
    expect(proposals[0]).toMatchObject({ daysPastDue: expect.any(Number), amount: expect.stringMatching(/^[\d,.]+$/) });
  });

  it.each([
    ['cycles/yesterday', 422],
    ['cycles/2026-02-30', 422],
    ['cycles/1999-01-01', 404],
    ['cycles?cursor=2026-02-30', 422],
    ['cycles?limit=0', 422],
    ['cycles/2026-06-30?cursor=0x12', 422],
  ])('are refused where there are none: %s', async (path, status) => {
    expect((await ask('GET', path)).status).toBe(status);
  });
});
