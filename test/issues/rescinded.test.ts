/**
 * A borrower rescinds a contract (12 CFR 1026.23): it is void from its beginning. No charge of it is owed, the money of both sides goes back.
 * The loan: 10,000.00 at 12 %, 30/360, from 1 January; an installment of 888.49 pays 100.00 of interest and 788.49 of principal.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { date } from '../../src/core/calendar.ts';
import { explain, FIGURES } from '../../src/core/explain.ts';
import { statement } from '../../src/core/statement.ts';
import { closedBy, statusOf } from '../../src/core/status.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { besideRows } from '../../src/ledger/beside-rows.ts';
import { type DatedLine, journalOf } from '../../src/ledger/journal.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { complaintLine } from '../../src/loans/verify/complaint.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';
import { FILE } from '../support/loans.ts';
import { type SandboxBook, sandboxBook } from '../support/sandbox-book.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

const reason = 'notice of rescission';
const lateFee = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};
const rescinded = (life: Life, day: string, on: string | null = null) =>
  life.take(day, { do: 'rescind', date: on === null ? null : date(on), reason });

const shown = ({ dateEffective, datePosted, entry, account, amount }: DatedLine) =>
  `${dateEffective === datePosted ? datePosted : `${dateEffective} ${datePosted}`} ${entry} ${account} ${amount}`;
const linesOfLast = (life: Life): string[] => (journalOf(life.events).lines.at(-1) ?? []).map(shown);

/** The sums of all lines, but for accounts at zero. */
function heldOf(life: Life): Record<string, number> {
  const held: Record<string, number> = {};
  for (const { account, amount } of journalOf(life.events).lines.flat()) held[account] = (held[account] ?? 0) + amount;
  return Object.fromEntries(Object.entries(held).filter(([, amount]) => amount !== 0));
}

/** Funded with a prepaid finance charge of 300.00 and dealer reserve of 250.00; one installment was paid and has arrived. */
function paidOnce(policy: Parameters<typeof live>[1] = {}): Life {
  const onFile = {
    decision: null,
    deals: [],
    opening: null,
    prepaidFinanceCharge: money('300'),
    dealerReserve: money('250'),
  };
  const life = live(contractOf(), policy).approve('2026-01-01');
  life.take('2026-01-01', { do: 'fund-loan', date: null, opening: null }, onFile);
  life.pay('2026-02-01', '888.49', 'P1');
  life.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'P1' });
  return life;
}

describe('the journal', () => {
  test('takes back interest and the finance charge; what was paid is a credit, and what was paid out is to come back', () => {
    const life = paidOnce();
    rescinded(life, '2026-02-11');
    expect(linesOfLast(life)).toEqual([
      '2026-02-11 rescission rescissionReceivable 995000',
      '2026-02-11 rescission loanPrincipal -921151',
      // 100.00 of interest, and 9.92 net of what was deferred: 59.52 of the fees less 49.60 of the costs. All of those, 250.00, are to be cleared.
      '2026-02-11 rescission interestIncome 10992',
      '2026-02-11 rescission deferredFees 24048',
      '2026-02-11 rescission deferredCosts -20040',
      '2026-02-11 rescission borrowerCredits -88849',
    ]);
    // 9,950.00 went out with the dealer reserve, and 888.49 came in.
    expect(heldOf(life)).toEqual({
      ...{ rescissionReceivable: 9_950_00, borrowerCredits: -888_49, cash: 888_49 - 9_950_00 },
    });
    const loan = life.loan('2026-02-11');
    expect([statusOf(loan), closedBy(loan)]).toEqual(['Cancelled', 'rescinded']);
    expect(loan).toMatchObject({ principal: 0, interest: 0, fees: [], credit: 888_49, accruing: false });

    life.take('2026-02-12', { do: 'refund-credit', refId: 'R', amount: money('888.49') });
    expect(linesOfLast(life)).toEqual(['2026-02-12 refund borrowerCredits 88849', '2026-02-12 refund cash -88849']);
    life.pay('2026-02-12', '9700', 'TENDER', { purpose: 'principal' });
    expect(linesOfLast(life)).toEqual([
      '2026-02-12 receipt cashClearing 970000',
      '2026-02-12 receipt rescissionReceivable -970000',
    ]);
    life.take('2026-02-13', { do: 'acknowledge-repayment', refId: 'TENDER' });
    expect(heldOf(life)).toEqual({ rescissionReceivable: 250_00, cash: -250_00 });
    expect(
      life.ask('2026-02-14', {
        do: 'assess-fee',
        feeId: 'F',
        kind: 'fee',
        name: 'copy',
        amount: money('1'),
        date: null,
      }),
    ).toMatchObject({
      refused: 'wrong_status',
    });
    for (const figure of [...FIGURES, 'payment:P1', 'payment:TENDER'] as const) {
      for (const day of ['2026-02-11', '2026-02-14']) explain(life.loan(day), figure);
    }
    // The statement shows what is to come back, and each line of the journal has one place.
    const { rows } = statement(life.events, date('2026-02-14'));
    expect(rows.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['funded', 10_000_00, 10_000_00],
      ['payment', 888_49, 9_211_51],
      ['rescinded', 9_700_00, 9_700_00],
      ['payment', 9_700_00, 0],
      ['refunded', 888_49, 0],
    ]);
    const placed = journalOf(life.events).lines.flatMap((lines, at) => lines.map((line) => ({ line, at })));
    const { byRow, others } = besideRows(rows, life.events, placed);
    expect([byRow.flat().length, others]).toEqual([placed.length, []]);
  });

  test('in an earlier month is posted today, and takes back the interest of both months', () => {
    const life = paidOnce({ lateFee });
    rescinded(life, '2026-03-20', '2026-02-21');
    expect(linesOfLast(life)).toEqual([
      // The late fee of 12 March was charged before it was known, and goes on its own day.
      '2026-03-12 assessment feeReceivable 2500',
      '2026-03-12 assessment feeIncome -2500',
      ...[
        // 9,211.51 bore 82.90 in the 27 days to 28 February (30/360).
        '2026-02-21 2026-03-20 accrual accruedInterest -8290',
        '2026-02-21 2026-03-20 accrual interestIncome 8290',
        // 9,171.43 was carried, and earned 88.24 at the yield in the 27 days.
        '2026-02-21 2026-03-20 amortization deferredFees -3204',
        '2026-02-21 2026-03-20 amortization deferredCosts 2670',
        '2026-02-21 2026-03-20 amortization interestIncome 534',
        '2026-02-21 2026-03-20 rescission rescissionReceivable 995000',
        '2026-02-21 2026-03-20 rescission loanPrincipal -921151',
        '2026-02-21 2026-03-20 rescission interestIncome 10992',
        '2026-02-21 2026-03-20 rescission deferredFees 24048',
        '2026-02-21 2026-03-20 rescission deferredCosts -20040',
        '2026-02-21 2026-03-20 rescission borrowerCredits -88849',
        '2026-03-01 2026-03-20 accrual accruedInterest 8290',
        '2026-03-01 2026-03-20 accrual interestIncome -8290',
        '2026-03-01 2026-03-20 amortization deferredFees 3204',
        '2026-03-01 2026-03-20 amortization deferredCosts -2670',
        '2026-03-01 2026-03-20 amortization interestIncome -534',
        '2026-03-12 2026-03-20 assessment feeReceivable -2500',
        '2026-03-12 2026-03-20 assessment feeIncome 2500',
      ],
    ]);
    expect(heldOf(life)).toMatchObject({ rescissionReceivable: 9_950_00, borrowerCredits: -888_49 });
  });

  test('of a loan that was boarded: its principal is to come back, and what the earlier servicer had earned goes against the opening', () => {
    const life = live(contractOf()).approve('2026-02-01');
    const opening = {
      date: date('2026-02-01'),
      principal: money('9000'),
      interest: money('12'),
      fees: money('3'),
      paidThrough: date('2026-02-01'),
    };
    life.take('2026-02-01', { do: 'fund-loan', date: null, opening });
    life.pay('2026-02-01', '10', 'P1');
    rescinded(life, '2026-02-01');
    expect(linesOfLast(life)).toEqual([
      '2026-02-01 rescission rescissionReceivable 900000',
      '2026-02-01 rescission loanPrincipal -900000',
      '2026-02-01 rescission interestReceivable -200',
      '2026-02-01 rescission feeReceivable -300',
      '2026-02-01 rescission opening 1500',
      '2026-02-01 rescission borrowerCredits -1000',
    ]);
    expect(heldOf(life)).toEqual({
      rescissionReceivable: 9_000_00,
      opening: -9_000_00,
      cashClearing: 10_00,
      borrowerCredits: -10_00,
    });
  });

  test('of a charged-off loan: its losses and recoveries are taken back', () => {
    const life = paidOnce();
    life.take('2026-02-10', { do: 'charge-off', date: null, collateral: money('2000'), reason: 'policy' });
    life.take('2026-02-11', { do: 'record-recovery', refId: 'REC', amount: money('2500'), date: null });
    rescinded(life, '2026-02-12');
    expect(heldOf(life)).toEqual({
      ...{ rescissionReceivable: 9_950_00, borrowerCredits: -3_388_49 },
      ...{ cash: 888_49 - 9_950_00, cashClearing: 2_500_00 },
    });
  });
});

describe('money that did not stay', () => {
  test('a payment that bounces lowers what is refunded, without a fee; one that was refunded already is to come back', () => {
    const life = paidOnce({ returnFee: money('20') });
    life.pay('2026-02-03', '100', 'P2');
    rescinded(life, '2026-02-11');
    expect(life.loan('2026-02-11').credit).toBe(988_49);
    life.take('2026-02-13', { do: 'return-repayment', refId: 'P2', date: null, reason: 'NSF' });
    expect([life.loan('2026-02-13').credit, life.loan('2026-02-13').fees]).toEqual([888_49, []]);
    life.take('2026-02-14', { do: 'refund-credit', refId: 'R', amount: money('888.49') });
    life.take('2026-02-15', { do: 'return-repayment', refId: 'P1', date: null, reason: 'NSF' });
    expect(heldOf(life)).toEqual({
      rescissionReceivable: 9_950_00 + 888_49,
      cash: 0 - 888_49 - 9_950_00,
    });
    expect(life.ask('2026-02-16', { do: 'refund-credit', refId: 'R2', amount: money('1') })).toMatchObject({
      refused: 'amount_exceeds_balance',
    });
  });

  test('money beyond what is to come back is a credit, if that was meant', () => {
    const life = paidOnce();
    rescinded(life, '2026-02-11');
    const asked = {
      do: 'loan-repay',
      refId: 'T',
      amount: money('9700.01'),
      date: null,
      acceptOverpayment: false,
      reason: null,
    } as const;
    expect(life.ask('2026-02-12', asked)).toMatchObject({
      refused: 'amount_exceeds_payoff',
      detail: expect.stringContaining('9700.00 of its principal is still to come back'),
    });
    life.take('2026-02-12', { ...asked, acceptOverpayment: true });
    expect(heldOf(life)).toMatchObject({ borrowerCredits: -888_50, cashClearing: 9_700_01 });
    expect(heldOf(life).rescissionReceivable).toBe(250_00);
  });
});

describe('what it allows', () => {
  test('undone the loan is what it was, and no late fee of the time between is charged', () => {
    const [kept, life] = [paidOnce({ lateFee }), paidOnce({ lateFee })];
    rescinded(life, '2026-02-11');
    life.take('2026-03-20', { do: 'undo', sequence: life.events.length, reason: 'the notice was of another loan' });
    kept.take('2026-03-20', { do: 'waive-fee', feeId: 'late-2', amount: null, reason: 'as if none had been charged' });
    const [was, is] = [kept.loan('2026-03-20'), life.loan('2026-03-20')];
    const figures = ({ principal, interest, credit, stage, installments, rescission }: typeof is) => {
      return { principal, interest, credit, stage, installments, rescission };
    };
    expect(figures(is)).toEqual(figures(was));
    expect([was, is].map(({ fees }) => fees.length)).toEqual([1, 0]);
    expect(heldOf(life)).toEqual({ ...heldOf(kept), feeIncome: undefined });
  });

  test('the same call again changes nothing, another date is refused, and a sold loan is refused', () => {
    const life = paidOnce();
    rescinded(life, '2026-02-11');
    expect(life.ask('2026-02-12', { do: 'rescind', date: null, reason })).toMatchObject({ repeated: true, events: [] });
    expect(life.ask('2026-02-12', { do: 'rescind', date: date('2026-02-12'), reason })).toMatchObject({
      refused: 'wrong_status',
    });
    const sold = paidOnce();
    const owner = { organizationId: 'org_other', lenderId: 'L-9' };
    const from = { organizationId: 'org_test', lenderId: FILE.lenderId, servicerId: '' };
    sold.take('2026-02-03', {
      do: 'transfer',
      transferId: 'T',
      what: 'owner',
      to: owner,
      date: date('2026-02-04'),
      reason: 'sale',
      from,
    });
    expect(sold.ask('2026-02-03', { do: 'rescind', date: null, reason })).toMatchObject({
      detail: 'A transfer of this loan is scheduled. Cancel it first with POST /cancel-transfer.',
    });
    sold.take('2026-02-03', { do: 'accept-transfer', servicerId: '' });
    sold.take('2026-02-04', { do: 'transfer', carryOut: 'T', notBefore: null, from });
    expect(sold.ask('2026-02-05', { do: 'rescind', date: null, reason })).toMatchObject({
      refused: 'reference_conflict',
    });
  });
});

describe('the books and reports of two lenders', () => {
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
  async function balances(lenderId: string, asOf: string): Promise<Record<string, number>> {
    const { accounts } = await book.get(`ledger/trial-balance?asOf=${asOf}&lenderId=${lenderId}`);
    const held = (accounts as Row[]).map(
      (row) => [row.account, centsIn(row, 'debit') - centsIn(row, 'credit')] as const,
    );
    return Object.fromEntries(held.filter(([, amount]) => amount !== 0));
  }
  const flows = async (knownAt: string): Promise<Row[]> =>
    ((await book.get(`portfolio/cashflows?asOf=2026-03-31&by=lender${knownAt}`)).slices as Row[]).filter((row) =>
      Object.values(row).includes('LND-2'),
    );
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
  async function complaints(): Promise<string[]> {
    while ((await service.loans.ledger.seal()) > 0);
    return (await verifyBook({ db: service.db, masterKeys })).complaints.map(complaintLine);
  }

  slowTest(
    'a closed month stays as it was, nothing is earned any more, and the credit is in the reports until it is refunded',
    async () => {
      const loanId = await book.loan({ lenderId: 'LND-2', dayCount: '30/360' });
      await book.loan({ lenderId: 'LND-1', dayCount: '30/360' });
      await book.post('loan-repay', { loanId, refId: 'P1', amount: '1000.00' });
      await book.post('acknowledge-repayment', { loanId, refId: 'P1' });
      await book.on('2026-02-02');
      await book.post('ledger/close', { period: '2026-01' });
      const january = await book.text('ledger/trial-balance?asOf=2026-01-31', 'application/json');
      await book.on('2026-02-10');
      const other = await balances('LND-1', '2026-02-09');
      const dry = await book.post('rescind?dryRun=true', { loanId, date: '2026-01-30', reason });
      const { data } = await book.post('rescind', { loanId, date: '2026-01-30', reason });
      expect([dry.data.credit, data.credit, data.principalToReturn, data.loanStatus]).toEqual([
        '1,000',
        '1,000',
        '12,000',
        'Cancelled',
      ]);
      expect(await book.text('ledger/trial-balance?asOf=2026-01-31', 'application/json')).toBe(january);
      expect(await balances('LND-2', '2026-02-10')).toEqual({
        ...{ cash: -11_000_00, rescissionReceivable: 12_000_00, borrowerCredits: -1_000_00 },
      });
      const summary = await book.get(`loans/${loanId}/summary`);
      expect([summary.loanDetails.loanStatus, summary.closedBy]).toEqual(['Cancelled', 'rescinded']);
      const owedBack = await book.get('loans?minCreditDays=0&sort=creditSince');
      expect(owedBack.items.map((one: Row) => [one.loanId, one.credit])).toEqual([[loanId, '1,000']]);
      const later = Date.parse('2099-01-01T12:00:00Z');
      expect(await eraseBorrower(service.db, { loanId, retentionDays: 1, now: later })).toEqual({
        refused: 'The loan was rescinded, and its principal has not all come back: it has not ended.',
      });
      expect((await book.get(`loans/${loanId}/payoff`)).payoff).toBe('0');
      const schedule = await book.get(`loans/${loanId}/schedule`);
      const history = await book.get(`loans/${loanId}/history`);
      expect(schedule.installments).toEqual([]);
      expect((history.rows as Row[]).map(({ kind, amount }) => [kind, amount])).toEqual([
        ['funded', '12,000'],
        ['payment', '1,000'],
        ['rescinded', '12,000'],
      ]);
      expect(history.otherLines).toEqual([]);

      // A month end, a due date and its grace days pass, and nothing is recorded.
      const { items } = await book.get(`loans/${loanId}/timeline`);
      await book.on('2026-03-20');
      expect((await book.get(`loans/${loanId}/timeline`)).items).toHaveLength(items.length);
      expect(await balances('LND-2', '2026-03-19')).toEqual(await balances('LND-2', '2026-02-10'));
      expect((await book.get('portfolio/summary?asOf=2026-02-28')).totals.credits).toBe('1,000');
      const { items: held } = await book.get('ledger/loans?asOf=2026-03-19&lenderId=LND-2');
      const [{ accounts }] = held as [{ accounts: Row[] }];
      expect(accounts.map((row) => [row.account, centsIn(row, 'balance')])).toEqual(
        Object.entries(await balances('LND-2', '2026-03-19')),
      );
      expect(await complaints()).toEqual([]);

      await book.post('refund-credit', { loanId, refId: 'R1', amount: '1000.00' });
      await book.post('loan-repay', { loanId, refId: 'TENDER', amount: '12000.00', purpose: 'principal' });
      await book.post('acknowledge-repayment', { loanId, refId: 'TENDER' });
      expect(await balances('LND-2', '2026-03-20')).toEqual({});
      await book.on('2026-04-01');
      expect((await book.get('portfolio/summary?asOf=2026-03-31')).totals.credits).toBe('0');
      expect(other.loanPrincipal).toBe((await balances('LND-1', '2026-03-31')).loanPrincipal);

      for (const rows of [await flows('&knownAt=asReported'), await flows('')]) {
        rows.forEach((row, i) => {
          if (i > 0) expect(row.openingPrincipal).toBe(rows[i - 1]?.closingPrincipal);
          const given = centsIn(row, 'openingPrincipal', 'priorPeriod', 'disbursed');
          const taken = centsIn(row, 'scheduledPrincipal', 'unscheduledPrincipal', 'chargedOff', 'forgiven');
          expect([row.month, given - taken]).toEqual([row.month, centsIn(row, 'closingPrincipal')]);
        });
        expect(centsIn(rows.at(-1), 'closingPrincipal')).toBe(0);
      }
      expect((await flows('&knownAt=asReported')).map((row) => centsIn(row, 'closingPrincipal'))).toEqual([
        11_000_00, 0, 0,
      ]);
      expect(await complaints()).toEqual([]);
    },
    400_000,
  );
});
