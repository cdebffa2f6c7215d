/**
 * Nobody could say for how long money had been owed back to borrowers, which the law of a state asks for. A credit has the day on which it last
 * rose from zero: in lists, in records, in positions and exports, and reports have its sums by age, which are the balance of
 * `borrowerCredits` on every day.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { live } from '../support/life.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { slowTest, WHOLE } from '../support/whole.ts';

test('it begins on the day on which the credit rises from zero, and begins anew after it was refunded', () => {
  const over = { acceptOverpayment: true };
  const life = live().fund().pay('2026-01-01', '10020', 'ALL', over);
  const stands = (on: string) => [life.loan(on).credit, life.loan(on).creditSince];
  expect(stands('2026-01-01')).toEqual([2_000, '2026-01-01']);
  // More money makes it larger and not younger; a part that goes back leaves the rest as old as it was.
  life.pay('2026-02-01', '5', 'MORE', over);
  life.take('2026-03-01', { do: 'refund-credit', refId: 'PART', amount: 2_400 as never });
  expect([stands('2026-02-01'), stands('2026-03-01')]).toEqual([
    [2_500, '2026-01-01'],
    [100, '2026-01-01'],
  ]);
  life.take('2026-03-02', { do: 'refund-credit', refId: 'REST', amount: 100 as never });
  life.pay('2026-03-02', '7', 'AGAIN', over);
  // Payments of a day come before its refunds.
  expect(stands('2026-03-02')).toEqual([700, '2026-01-01']);
  life.take('2026-03-03', { do: 'refund-credit', refId: 'NONE', amount: 700 as never });
  expect(stands('2026-03-03')).toEqual([0, null]);
  life.pay('2026-03-09', '3', 'LAST', over);
  expect(stands('2026-03-09')).toEqual([300, '2026-03-09']);
  // The money that had stood since January never came: the later refunds are owed by the borrower, and the later payments pay them.
  life.take('2026-03-10', { do: 'return-repayment', refId: 'ALL', date: null, reason: 'R01' });
  expect(stands('2026-03-10')).toEqual([0, null]);
});

let service: TestApp;
let book: SandboxBook;
beforeAll(async () => {
  service = await testApp();
  book = await sandboxBook(service, '2026-01-28');
}, 240_000);
afterAll(() => service.close(), 120_000);

const AGES = ['credits0To29', 'credits30To59', 'credits60To89', 'credits90To119', 'credits120AndMore'] as const;
type Totals = Record<string, string | number>;

/** By age, each as loans and amount, but for those of which there is none. */
const byAge = (totals: Totals) =>
  Object.fromEntries(
    AGES.flatMap((name) => {
      const [loans, amount] = [totals[`${name}Count`], totals[name]];
      return loans === 0 && amount === '0' ? [] : [[name.slice(7), `${loans}: ${amount}`]];
    }),
  );

const balanceOn = async (asOf: string): Promise<number> => {
  const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}`);
  const held = (accounts as { account: string; credit: string }[]).find(({ account }) => account === 'borrowerCredits');
  return Number((held?.credit ?? '0').replaceAll(',', ''));
};

const sumOf = (totals: Totals) => AGES.reduce((sum, name) => sum + Number(totals[name]), 0);

/** The report of today, which is the trial balance of today. */
async function today(day: string): Promise<Record<string, string>> {
  await book.on(day);
  const { asOf, totals } = await book.get('portfolio/summary');
  expect([asOf, sumOf(totals), Number(totals.credits)]).toEqual([day, await balanceOn(day), await balanceOn(day)]);
  return byAge(totals);
}

async function payOff(loanId: string, more: number): Promise<void> {
  const { payoff } = await book.get(`loans/${loanId}/payoff`);
  const amount = (Number(payoff.replaceAll(',', '')) + more).toFixed(2);
  await book.post('loan-repay', { loanId, refId: 'ALL', amount, acceptOverpayment: true });
  await book.post('acknowledge-repayment', { loanId, refId: 'ALL' });
}
const send = (loanId: string, refId: string, amount: string, more: object = {}) =>
  book.post('loan-repay', { loanId, refId, amount, acceptOverpayment: true, ...more });

/** To the oldest age. */
async function throughMay(): Promise<void> {
  // 119 days after the 29th of January, and 120.
  expect(await today('2026-05-28')).toEqual({ '30To59': '1: 7', '90To119': '1: 50' });
  expect(await today('2026-05-29')).toEqual({ '30To59': '1: 7', '120AndMore': '1: 50' });
  await book.on('2026-06-02');
}

slowTest(
  'the sums of every day are the trial balance, by what was known then and by what is known now',
  async () => {
    const first = await book.loan();
    const second = await book.loan();
    await book.loan();
    await book.on('2026-01-29');
    await payOff(first, 50);
    expect(await today('2026-01-30')).toEqual({ '0To29': '1: 50' });
    await book.on('2026-02-10');
    await payOff(second, 0);
    // The 27th is the 29th day after the 29th of January.
    expect(await today('2026-02-27')).toEqual({ '0To29': '1: 50' });
    expect(await today('2026-02-28')).toEqual({ '30To59': '1: 50' });
    await book.on('2026-03-20');
    await send(second, 'LATER', '30');
    expect(await today('2026-03-29')).toEqual({ '0To29': '1: 30', '30To59': '1: 50' });
    expect(await today('2026-03-30')).toEqual({ '0To29': '1: 30', '60To89': '1: 50' });

    // Ten dollars of the 15th of February become known in April: the credit of the second loan is older, and larger.
    await book.on('2026-04-05');
    expect((await book.get(`loans/${second}/summary`)).creditSince).toBe('2026-03-20');
    await send(second, 'LOCKBOX', '10', { paymentDate: '2026-02-15', reason: 'lockbox of February' });
    const summary = (query: string) => book.get(`loans/${second}/summary${query}`);
    expect(await summary('')).toMatchObject({ credit: '40', creditSince: '2026-02-15' });
    expect(await summary('?asOf=2026-03-01')).toMatchObject({ credit: '10', creditSince: '2026-02-15' });
    expect(await summary('?asOf=2026-03-31&knownAt=2026-03-31T23:59:59Z')).toMatchObject({
      credit: '30',
      creditSince: '2026-03-20',
    });
    expect(byAge((await book.get('portfolio/summary')).totals)).toEqual({ '30To59': '1: 40', '60To89': '1: 50' });
    expect(await today('2026-04-06')).toEqual({ '30To59': '1: 40', '60To89': '1: 50' });
    const ended = async (asOf: string, knownAt: string) => {
      const { totals } = await book.get(`portfolio/summary?asOf=${asOf}&knownAt=${knownAt}`);
      return byAge(totals);
    };
    expect(await ended('2026-03-31', 'asReported')).toEqual({ '0To29': '1: 30', '60To89': '1: 50' });
    expect(await ended('2026-03-31', '2026-04-05')).toEqual({ '30To59': '1: 40', '60To89': '1: 50' });
    expect(await ended('2026-02-28', '2026-04-05')).toEqual({ '0To29': '1: 10', '30To59': '1: 50' });

    const listed = async (query: string) =>
      (await book.get(`loans?${query}`)).items.map((item: Totals) => [item.loanId, item.credit, item.creditSince]);
    const [old, young] = [
      [first, '50', '2026-01-29'],
      [second, '40', '2026-02-15'],
    ];
    expect(await listed('minCreditDays=0&sort=creditSince')).toEqual([old, young]);
    expect(await listed('minCreditDays=0&sort=-creditSince')).toEqual([young, old]);
    // 67 and 50 days on the 6th of April.
    expect(await listed('minCreditDays=51')).toEqual([old]);
    expect(await listed('minCreditDays=30&maxCreditDays=59')).toEqual([young]);
    expect(await listed('maxCreditDays=49')).toEqual([]);
    // The second is not closed while a payment of it is not acknowledged.
    expect(await listed('minCreditDays=0&status=Closed,ClosedEarly')).toEqual([old]);
    expect(await listed('minCreditDays=0&status=Approved,Defaulted')).toEqual([]);
    const next = (await book.get('loans?minCreditDays=0&sort=creditSince&limit=1')).nextCursor;
    expect(await listed(`minCreditDays=0&sort=creditSince&limit=1&cursor=${next}`)).toEqual([young]);
    await expect(book.get('loans?sort=creditSince')).rejects.toThrow(/Send minCreditDays with it/);
    await expect(book.get('loans?minCreditDays=9&maxCreditDays=8')).rejects.toThrow(/422/);
    for (const [what, since] of [
      ['loans', '2026-02-15'],
      ['positions?from=2026-03-31', '2026-02-15'],
    ]) {
      const [head = '', ...rows] = (await book.text(`exports/${what}`)).trim().split('\n');
      const at = head.split(',').indexOf('creditSince');
      expect([what, rows.find((row) => row.startsWith(second))?.split(',')[at]]).toEqual([what, since]);
    }

    // The lockbox was another borrower's. The rest goes back, and new money is a new credit.
    await book.on('2026-04-10');
    await book.post('reverse-repayment', { loanId: second, refId: 'LOCKBOX', reason: 'posted to the wrong loan' });
    expect(await summary('')).toMatchObject({ credit: '30', creditSince: '2026-03-20' });
    expect(await today('2026-04-11')).toEqual({ '0To29': '1: 30', '60To89': '1: 50' });
    expect(await ended('2026-03-31', '2026-04-10')).toEqual({ '0To29': '1: 30', '60To89': '1: 50' });
    expect(await ended('2026-02-28', '2026-04-10')).toEqual({ '30To59': '1: 50' });
    await book.post('refund-credit', { loanId: second, refId: 'BACK', amount: '30' });
    expect(await summary('')).toMatchObject({ credit: '0', creditSince: null });
    expect(await today('2026-04-12')).toEqual({ '60To89': '1: 50' });
    await send(second, 'STRAY', '7');
    expect(await today('2026-04-29')).toEqual({ '0To29': '1: 7', '90To119': '1: 50' });
    if (WHOLE) await throughMay();
    const ends = ['2026-01-31', '2026-02-28', '2026-03-31', ...(WHOLE ? ['2026-04-30', '2026-05-31'] : [])];
    for (const asOf of ends) {
      const { totals } = await book.get(`portfolio/summary?asOf=${asOf}&knownAt=asReported`);
      expect([asOf, sumOf(totals)]).toEqual([asOf, await balanceOn(asOf)]);
    }
    while ((await service.loans.ledger.seal()) > 0);
    const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
    expect((await verifyBook({ db: service.db, masterKeys })).complaints).toEqual([]);
  },
  240_000,
);
