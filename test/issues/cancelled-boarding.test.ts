/**
 * A loan that was boarded with the figures of another one could not be corrected: an opening cannot be undone, the loan was not paid off, and
 * its application id stayed taken. A cancelled boarding takes it off the books again, and the id is free.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { date } from '../../src/core/calendar.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { type DatedLine, journalOf } from '../../src/ledger/journal.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { type Caller, caller } from '../support/caller.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

const lateFee = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};
const reason = 'figures of another loan';
const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);

const shown = ({ dateEffective, datePosted, entry, account, amount }: DatedLine) =>
  `${dateEffective} ${datePosted} ${entry} ${account} ${amount}`;

const linesOfLast = (life: Life): string[] => (journalOf(life.events).lines.at(-1) ?? []).map(shown).sort();

/** The sums of all lines, but for accounts at zero; the open stretch is in the lender's book. */
function heldOf(life: Life): Record<string, number> {
  const held: Record<string, number> = {};
  for (const { account, amount } of journalOf(life.events).lines.flat()) held[account] = (held[account] ?? 0) + amount;
  return Object.fromEntries(Object.entries(held).filter(([, amount]) => amount !== 0));
}

describe('the journal', () => {
  test('takes back the funding, the late fees and each month of interest, and leaves nothing', () => {
    const life = live(contractOf(), { lateFee }).fund();
    life.take('2026-03-20', { do: 'cancel-boarding', reason });
    // 10,000.00 at 12 %, 30/360: 100.00 by 31 January and 190.00 by 28 February; March takes back what the lender's book has.
    expect(linesOfLast(life).filter((line) => !line.includes('assessment'))).toEqual([
      '2026-01-01 2026-03-20 accrual accruedInterest -10000',
      '2026-01-01 2026-03-20 accrual interestIncome 10000',
      '2026-01-01 2026-03-20 disbursement cash 1000000',
      '2026-01-01 2026-03-20 disbursement loanPrincipal -1000000',
      '2026-02-01 2026-03-20 accrual accruedInterest -9000',
      '2026-02-01 2026-03-20 accrual interestIncome 9000',
      '2026-03-01 2026-03-20 accrual accruedInterest 19000',
      '2026-03-01 2026-03-20 accrual interestIncome -19000',
    ]);
    expect(linesOfLast(life).filter((line) => line.includes('feeIncome'))).toEqual([
      '2026-02-12 2026-02-12 assessment feeIncome -2500',
      '2026-02-12 2026-03-20 assessment feeIncome 2500',
      '2026-03-12 2026-03-12 assessment feeIncome -2500',
      '2026-03-12 2026-03-20 assessment feeIncome 2500',
    ]);
    expect(heldOf(life)).toEqual({});
    expect(life.loan('2026-03-20')).toMatchObject({
      stage: 'Cancelled',
      principal: 0,
      interest: 0,
      terms: null,
      fees: [],
    });
  });

  test('takes back an opening from the day of its figures on', () => {
    const life = live(contractOf()).approve('2026-03-16');
    const opening = {
      date: date('2026-02-01'),
      principal: money('9000'),
      interest: money('12'),
      fees: money('3'),
      paidThrough: date('2026-02-01'),
    };
    life.take('2026-03-16', { do: 'fund-loan', date: null, opening });
    life.take('2026-03-16', { do: 'cancel-boarding', reason });
    expect(linesOfLast(life)).toEqual([
      '2026-02-01 2026-03-16 accrual accruedInterest -8100',
      '2026-02-01 2026-03-16 accrual interestIncome 8100',
      '2026-02-01 2026-03-16 opening feeReceivable -300',
      '2026-02-01 2026-03-16 opening interestReceivable -1200',
      '2026-02-01 2026-03-16 opening loanPrincipal -900000',
      '2026-02-01 2026-03-16 opening opening 901500',
      '2026-03-01 2026-03-16 accrual accruedInterest 8100',
      '2026-03-01 2026-03-16 accrual interestIncome -8100',
    ]);
    expect(heldOf(life)).toEqual({});
  });

  test('undone it is as if it had never been, and no late fee of the time between is charged', () => {
    const kept = live(contractOf(), { lateFee }).fund();
    const life = live(contractOf(), { lateFee }).fund();
    life.take('2026-02-20', { do: 'cancel-boarding', reason });
    const sequence = life.events.length;
    life.take('2026-03-20', { do: 'undo', sequence, reason: 'it was right' });
    const [was, is] = [kept.loan('2026-03-20'), life.loan('2026-03-20')];
    const beside = { fees: [], totals: null };
    expect({ ...is, ...beside }).toEqual({ ...was, ...beside });
    expect([was, is].map(({ fees }) => fees.map(({ date: on }) => on))).toEqual([
      ['2026-02-12', '2026-03-12'],
      ['2026-02-12'],
    ]);
    expect(heldOf(life)).toEqual({
      loanPrincipal: 10_000_00,
      cash: -10_000_00,
      feeReceivable: 25_00,
      feeIncome: -25_00,
    });
  });
});

describe('what stands in the way', () => {
  const refusalOf = (life: Life, day: string) => life.ask(day, { do: 'cancel-boarding', reason });

  test('a payment until it is returned or reversed, and then not the fee of its return', () => {
    const life = live(contractOf(), { returnFee: money('20') })
      .fund()
      .pay('2026-02-01', '888.49', 'P1');
    expect(refusalOf(life, '2026-02-02')).toMatchObject({
      refused: 'reference_conflict',
      detail: expect.stringContaining('A payment of this loan stands. Return or reverse payments'),
    });
    life.take('2026-02-02', { do: 'return-repayment', refId: 'P1', date: null, reason: 'NSF' });
    life.take('2026-02-02', { do: 'cancel-boarding', reason });
    expect(heldOf(life)).toEqual({});
  });

  test('a fee until it is undone, and late fees and charge-offs of the cycle never', () => {
    const life = live(contractOf(), { lateFee }).fund();
    life.take('2026-02-20', {
      do: 'assess-fee',
      feeId: 'F',
      kind: 'fee',
      name: 'copy',
      amount: money('5'),
      date: null,
    });
    const sequence = life.events.length;
    expect(refusalOf(life, '2026-02-21')).toMatchObject({ refused: 'depends', facts: { transactions: [sequence] } });
    life.take('2026-02-21', { do: 'undo', sequence, reason: 'mistake' });
    const stamp = { date: date('2026-06-30'), recordedOn: date('2026-06-30'), recordedAt: '2026-06-30T23:59:59.999Z' };
    const chargedOff = { type: 'chargedOff', collateral: money('0'), ...stamp } as const;
    const asked = (more: object) => {
      const when = { today: date('2026-07-02'), at: '2026-07-02T12:00:00.000Z' };
      return decide([...life.events, { ...chargedOff, ...more }], { do: 'cancel-boarding', reason }, when);
    };
    expect(asked({})).toMatchObject({ refused: 'depends', detail: expect.stringContaining('a charge-off') });
    expect(asked({ automatic: true })).toMatchObject({ events: [{ type: 'boardingCancelled' }] });
  });

  test('a refund for ever', () => {
    const life = live(contractOf()).fund().pay('2026-02-01', '10200', 'P1', { acceptOverpayment: true });
    life.take('2026-02-01', { do: 'refund-credit', refId: 'R', amount: money('1') });
    expect(refusalOf(life, '2026-02-02')).toMatchObject({
      refused: 'reference_conflict',
      detail: expect.stringContaining('A refund is money and cannot be taken back'),
    });
  });
});

describe('over HTTP', () => {
  let service: TestApp;
  let as: Caller;
  beforeAll(async () => {
    service = await testApp();
    service.clock.now = Date.parse('2026-01-05T12:00:00Z');
    as = caller(service);
  });
  afterAll(() => service.close());

  const terms = { applicationId: 'TWICE', loanAmount: '10000', interestRate: '12', dayCount: '30/360' };
  async function board(more: object = {}): Promise<string> {
    const { loanId } = await as.done('loans', creation({ ...terms, ...more }));
    await as.done('start-underwriting', { loanId });
    await as.done('complete-underwriting', { loanId, approved: true });
    await as.done('initiate-repayment', { loanId });
    return loanId;
  }
  async function complaints(): Promise<string[]> {
    while ((await service.loans.ledger.seal()) > 0);
    const { complaints: found } = await verifyBook({ db: service.db, masterKeys: masterKeys });
    return found.map(complaintLine);
  }

  test('the id is free, the books are those of the second boarding alone, and an undo must wait until it is free again', async () => {
    const first = await board({ loanAmount: '1000' });
    expect((await as.ask('POST', 'loans', creation(terms))).status).toBe(409);
    const dry = await as.ask('POST', 'cancel-boarding?dryRun=true', { loanId: first, reason });
    expect([dry.status, dry.body.data.loanStatus]).toEqual([200, 'Cancelled']);
    const { data } = await as.done('cancel-boarding', { loanId: first, reason });
    expect(data.loanStatus).toBe('Cancelled');
    expect(await as.balances('2026-01-05')).toEqual({});
    const again = await as.ask('POST', 'cancel-boarding', { loanId: first, reason });
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);

    const second = await board();
    expect(second).not.toBe(first);
    expect(await as.balances('2026-01-05')).toEqual({ loanPrincipal: 10_000_00, cash: -10_000_00 });
    expect((await as.read(`loans/${first}`)).loanDetails.loanStatus).toBe('Cancelled');

    const undo = { loanId: first, transactionHash: data.transactionHash, reason: 'it was right' };
    const taken = await as.ask('POST', 'undo', undo);
    expect([taken.status, taken.body.detail]).toEqual([
      409,
      `The application id of this loan was used again by the loan ${second}. Cancel that boarding first, then undo this one.`,
    ]);
    await as.done('cancel-boarding', { loanId: second, reason });
    await as.done('undo', undo);
    expect(await as.balances('2026-01-05')).toEqual({ loanPrincipal: 1_000_00, cash: -1_000_00 });
    expect((await as.ask('POST', 'loans', creation(terms))).status).toBe(409);
    expect(await complaints()).toEqual([]);
    // Every line of the journal has one place in the history.
    for (const loanId of [first, second]) {
      const { rows, otherLines } = await as.read(`loans/${loanId}/history`);
      const beside = (rows as { journal: unknown[] }[]).flatMap(({ journal }) => journal);
      expect(beside.length + otherLines.length).toBe((await as.journal(loanId)).length);
    }
  }, 120_000);
});

describe('the reports of two lenders', () => {
  let service: TestApp;
  let book: SandboxBook;
  beforeAll(async () => {
    service = await testApp();
    book = await sandboxBook(service, '2026-01-28');
  }, 240_000);
  afterAll(() => service.close(), 120_000);

  type Row = Record<string, string>;
  const centsIn = (row: Row | undefined, ...names: string[]) =>
    names.reduce((sum, name) => sum + Math.round(Number((row?.[name] ?? '0').replaceAll(',', '')) * 100), 0);
  async function principalOf(lenderId: string, asOf: string): Promise<number> {
    const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}&lenderId=${lenderId}`);
    return centsIn(
      (accounts as Row[]).find(({ account }) => account === 'loanPrincipal'),
      'debit',
    );
  }
  async function flows(lenderId: string, knownAt: string): Promise<Row[]> {
    const { slices } = await book.get(`portfolio/cashflows?asOf=2026-02-28&by=lender${knownAt}`);
    return (slices as (Row & { key?: string })[]).filter((row) => Object.values(row).includes(lenderId));
  }

  slowTest(
    'a closed month stays as it was, the next one says what it changed by, and the other lender sees nothing of it',
    async () => {
      const wrong = await book.loan({ lenderId: 'LND-2', dayCount: '30/360' });
      await book.loan({ lenderId: 'LND-1', dayCount: '30/360' });
      await book.on('2026-02-02');
      await book.post('ledger/close', { period: '2026-01' });
      const january = await book.text('ledger/trial-balance?asOf=2026-01-31', 'application/json');
      await book.on('2026-02-10');
      const other = await principalOf('LND-1', '2026-02-09');
      await book.post('cancel-boarding', { loanId: wrong, reason });
      expect(await book.text('ledger/trial-balance?asOf=2026-01-31', 'application/json')).toBe(january);
      await book.on('2026-03-01');

      expect([await principalOf('LND-2', '2026-02-09'), await principalOf('LND-2', '2026-02-10')]).toEqual([
        12_000_00, 0,
      ]);
      expect([await principalOf('LND-1', '2026-02-28'), other]).toEqual([12_000_00, 12_000_00]);
      const { accounts } = await book.get('ledger/trial-balance?asOf=2026-02-28&lenderId=LND-2');
      expect((accounts as Row[]).filter(({ debit, credit }) => debit !== credit)).toEqual([]);
      // The lines say in which month they take effect.
      const { items } = await book.get(`loans/${wrong}/journal`);
      const back = (items as (Row & { priorPeriod: boolean })[]).filter(
        ({ datePosted }) => datePosted === '2026-02-10',
      );
      expect(
        back.map((line) => [
          line.priorPeriod,
          line.entry,
          line.account,
          centsIn(line, 'debit') - centsIn(line, 'credit'),
        ]),
      ).toEqual([
        [true, 'disbursement', 'loanPrincipal', -12_000_00],
        [true, 'disbursement', 'cash', 12_000_00],
        // Three days of 30/360 at 3.00 by 31 January, which the lender's book has.
        [true, 'accrual', 'accruedInterest', -9_00],
        [true, 'accrual', 'interestIncome', 9_00],
        [false, 'accrual', 'accruedInterest', 9_00],
        [false, 'accrual', 'interestIncome', -9_00],
      ]);

      const reported = await flows('LND-2', '&knownAt=asReported');
      const [first, second] = reported;
      expect(centsIn(first, 'closingPrincipal')).toBe(12_000_00);
      expect(centsIn(second, 'openingPrincipal')).toBe(12_000_00);
      expect(centsIn(second, 'priorPeriod')).toBe(-12_000_00);
      expect(centsIn(second, 'closingPrincipal')).toBe(0);
      for (const row of await flows('LND-2', ''))
        expect(centsIn(row, 'openingPrincipal', 'disbursed', 'closingPrincipal')).toBe(0);
      const { lenders } = await book.get('ledger/roll-forward?period=2026-02&lenderId=LND-2');
      const principal = lenders[0].accounts.find(({ account }: Row) => account === 'loanPrincipal');
      expect([centsIn(principal, 'opening'), centsIn(principal, 'closing')]).toEqual([12_000_00, 0]);
      while ((await service.loans.ledger.seal()) > 0);
      const { complaints: found } = await verifyBook({ db: service.db, masterKeys });
      expect(found.map(complaintLine)).toEqual([]);
    },
    240_000,
  );
});
