import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { live as begin, contractOf, type Life, money } from '../../test/support/life.ts';
import { anyPlan, live } from '../../test/support/simulate/lives.ts';
import { deferredOn } from '../core/amortize.ts';
import { date } from '../core/calendar.ts';
import { NOTHING_DEFERRED, netOf } from '../core/deferral.ts';
import { daysPastDue } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import type { Loan, ScheduleTerms } from '../core/loan.ts';
import { cents, formatCents } from '../core/money.ts';
import { DEFAULT_POLICY } from '../core/policy.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { feesOwed } from '../core/working-loan.ts';
import { ACCOUNTS, type Account } from './chart.ts';
import { type Books, balances, booksOf, type Line, NO_BOOKS, post } from './post.ts';

/** "receipt cashClearing 888.49": debits plain, credits with a minus. */
function told(lines: readonly Line[]): string[] {
  return lines.map(({ entry, account, amount }) => `${entry} ${account} ${formatCents(amount)}`);
}

/** The lines that each step posts in turn, starting from the books that the previous step left. */
function posting(life: Pick<Life, 'loan'>) {
  let books = NO_BOOKS;
  return {
    after(day: string): string[] {
      const now = booksOf(life.loan(day));
      const lines = post(books, now);
      books = now;
      return told(lines);
    },
    balance: (account: Account) => formatCents(balances(books)[account]),
  };
}

const stamp = (day: string) => ({ date: date(day), recordedOn: date(day), recordedAt: `${day}T12:00:00.000Z` });

/** A loan without interest that is disbursed on several days; the first is the day it is funded. */
function lentInParts(byDay: Record<string, string>): LoanEvent[] {
  const disbursements = Object.entries(byDay).map(([day, amount]) => ({ date: date(day), amount: money(amount) }));
  const [first = { date: date('2026-01-01'), amount: money('1') }] = disbursements;
  const contract = contractOf({ amount: first.amount, rate: percent('0') });
  const terms: ScheduleTerms = {
    disbursements,
    rate: contract.rate,
    rateChanges: [],
    dayCount: '30/360',
    rounding: 'half-up',
    interestStart: first.date,
    dueDates: [date('2026-11-01'), date('2026-12-01')],
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    skip: [],
    payment: null,
  };
  return [
    { type: 'created', contract, policy: DEFAULT_POLICY, ...stamp(first.date) },
    { type: 'funded', terms, ...stamp(first.date) },
  ];
}

describe('what is posted', () => {
  it('nothing before money moves', () => {
    const life = begin().approve('2026-01-01');
    expect(booksOf(life.loan('2026-01-01'))).toBe(NO_BOOKS);
  });

  it('the disbursement, then the interest of the stretch that a payment ends, and the payment by what it paid', () => {
    const life = begin().fund();
    const journal = posting(life);
    expect(journal.after('2026-01-01')).toEqual(['disbursement loanPrincipal 10000.00', 'disbursement cash -10000.00']);
    // The stretch is still open: its interest is owed, and not yet on the books.
    expect(life.loan('2026-01-20').interest).toBeGreaterThan(0);
    expect(journal.after('2026-01-20')).toEqual([]);
    life.pay('2026-02-01', '888.49', 'p1');
    expect(journal.after('2026-02-01')).toEqual([
      'accrual interestReceivable 100.00',
      'accrual interestIncome -100.00',
      'receipt cashClearing 888.49',
      'receipt interestReceivable -100.00',
      'receipt loanPrincipal -788.49',
    ]);
  });

  it('cash once a payment is acknowledged, and a return from cash or clearing, wherever the money is', () => {
    const life = begin().fund().pay('2026-02-01', '888.49', 'p1');
    const journal = posting(life);
    journal.after('2026-02-01');
    life.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'p1' });
    expect(journal.after('2026-02-02')).toEqual(['receipt cash 888.49', 'receipt cashClearing -888.49']);
    life.take('2026-02-05', { do: 'return-repayment', refId: 'p1', date: null, reason: 'R01' });
    expect(journal.after('2026-02-05')).toContain('receipt cash -888.49');
    expect(journal.balance('cashClearing')).toBe('0.00');
    expect(journal.balance('cash')).toBe('-10000.00');
  });

  it('in non-accrual, interest only as it is received, and all of it when the loan accrues again', () => {
    const life = begin(contractOf(), { nonAccrualDays: 60 }).fund();
    life.take('2026-01-01', { do: 'initiate-repayment', date: null, opening: null });
    const journal = posting(life);
    journal.after('2026-01-01');
    // Due on 1 February: 59 days past due on 1 April, 60 the day after.
    expect(journal.after('2026-04-01')).toEqual([]);
    life.pay('2026-04-02', '200', 'p1');
    expect(journal.after('2026-04-02')).toEqual([
      'accrual interestReceivable 303.33',
      'accrual interestIncome -303.33',
      'nonAccrual interestIncome 103.33',
      'nonAccrual interestReceivable -103.33',
      'receipt cashClearing 200.00',
      'receipt interestReceivable -200.00',
    ]);
    expect(journal.balance('interestIncome')).toBe('-200.00');
    expect(journal.balance('interestReceivable')).toBe('0.00');
    life.pay('2026-04-03', '1600', 'p2');
    expect(journal.after('2026-04-03')).toContain('nonAccrual interestReceivable 103.33');
    expect(journal.balance('interestIncome')).toBe('-306.66');
  });

  it('the opposite lines when a payment is returned', () => {
    const life = begin().fund();
    const journal = posting(life);
    journal.after('2026-01-01');
    life.pay('2026-02-01', '888.49', 'p1');
    const paid = journal.after('2026-02-01');
    life.take('2026-02-05', { do: 'return-repayment', refId: 'p1', date: null, reason: 'R01' });
    expect(journal.after('2026-02-05')).toEqual(
      paid.map((line) => line.replace(/ (-?)([\d.]+)$/, (_, minus, amount) => (minus ? ` ${amount}` : ` -${amount}`))),
    );
    expect(journal.balance('loanPrincipal')).toBe('10000.00');
  });

  it('the difference that a backdated payment makes to what was posted since', () => {
    const life = begin().fund().pay('2026-03-01', '888.49', 'p2');
    const journal = posting(life);
    journal.after('2026-03-01');
    life.pay('2026-03-10', '888.49', 'p1', { date: date('2026-02-01'), reason: 'found' });
    // Two months on 10,000.00 were 200.00; now they are 100.00 and 92.12 on 9,211.51.
    expect(journal.after('2026-03-10')).toEqual([
      'accrual interestReceivable -7.88',
      'accrual interestIncome 7.88',
      'receipt cashClearing 888.49',
      'receipt interestReceivable 7.88',
      'receipt loanPrincipal -896.37',
    ]);
  });

  it('a fee when it is assessed, waived and paid; a late fee with the first event after it', () => {
    const life = begin(contractOf(), {
      lateFee: { flat: money('25'), percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' },
    }).fund();
    const journal = posting(life);
    journal.after('2026-01-01');
    life.take('2026-01-10', {
      do: 'assess-fee',
      feeId: 'nsf',
      kind: 'fee',
      name: 'nsf',
      amount: money('30'),
      date: null,
    });
    expect(journal.after('2026-01-10')).toEqual(['assessment feeReceivable 30.00', 'assessment feeIncome -30.00']);
    life.take('2026-01-11', { do: 'waive-fee', feeId: 'nsf', amount: money('10'), reason: 'courtesy' });
    expect(journal.after('2026-01-11')).toEqual(['waiver feeIncome 10.00', 'waiver feeReceivable -10.00']);
    life.pay('2026-03-01', '1888.49', 'p1');
    expect(journal.after('2026-03-01')).toEqual([
      'accrual interestReceivable 200.00',
      'accrual interestIncome -200.00',
      'assessment feeReceivable 25.00',
      'assessment feeIncome -25.00',
      'receipt cashClearing 1888.49',
      'receipt interestReceivable -200.00',
      'receipt loanPrincipal -1643.49',
      'receipt feeReceivable -45.00',
    ]);
  });

  it('the figures of an opening in place of what was lent', () => {
    const life = begin().approve('2026-04-01');
    const opening = { principal: money('8000'), interest: money('40'), fees: money('15') };
    const figures = { date: date('2026-04-01'), paidThrough: date('2026-03-01'), ...opening };
    life.take('2026-04-01', { do: 'fund-loan', date: null, opening: figures });
    const journal = posting(life);
    expect(journal.after('2026-04-01')).toEqual([
      'opening loanPrincipal 8000.00',
      'opening interestReceivable 40.00',
      'opening feeReceivable 15.00',
      'opening opening -8055.00',
    ]);
    // A fee that happens to have the same id as one from the opening is not part of the opening.
    life.take('2026-04-02', {
      do: 'assess-fee',
      feeId: 'opening-2',
      kind: 'fee',
      name: 'x',
      amount: money('5'),
      date: null,
    });
    expect(journal.after('2026-04-02')).toEqual(['assessment feeReceivable 5.00', 'assessment feeIncome -5.00']);
    life.pay('2026-05-01', '200', 'p1');
    expect(journal.after('2026-05-01')).toEqual([
      'accrual interestReceivable 80.00',
      'accrual interestIncome -80.00',
      'receipt cashClearing 200.00',
      'receipt interestReceivable -120.00',
      'receipt loanPrincipal -80.00',
    ]);
  });

  it('of a loan disbursed in parts, the opening for those before it, and each later part when it is disbursed', () => {
    const events: LoanEvent[] = [
      ...lentInParts({ '2026-01-01': '1000', '2026-02-01': '100', '2026-04-01': '200', '2026-06-01': '300' }),
      {
        type: 'opened',
        principal: money('900'),
        interest: cents(0),
        fees: cents(0),
        paidThrough: null,
        ...stamp('2026-04-01'),
      },
    ];
    const journal = posting({ loan: (day) => fold(events, date(day)) });
    expect(journal.after('2026-04-01')).toEqual([
      'disbursement loanPrincipal 200.00',
      'disbursement cash -200.00',
      'opening loanPrincipal 900.00',
      'opening opening -900.00',
    ]);
    expect(journal.after('2026-06-01')).toEqual(['disbursement loanPrincipal 300.00', 'disbursement cash -300.00']);
  });

  it('an overpayment as owed to the borrower, and its refund', () => {
    const life = begin().fund().pay('2026-01-01', '10050', 'p1', { acceptOverpayment: true });
    const journal = posting(life);
    expect(journal.after('2026-01-01').slice(2)).toEqual([
      'receipt cashClearing 10050.00',
      'receipt loanPrincipal -10000.00',
      'receipt borrowerCredits -50.00',
    ]);
    life.take('2026-01-02', { do: 'refund-credit', refId: 'r1', amount: money('50') });
    expect(journal.after('2026-01-02')).toEqual(['refund borrowerCredits 50.00', 'refund cash -50.00']);
    // The payment is returned: the refund was never the borrower's money, and is owed.
    life.take('2026-01-03', { do: 'return-repayment', refId: 'p1', date: null, reason: 'R01' });
    expect(journal.after('2026-01-03')).toEqual([
      'accrual interestReceivable 3.33',
      'accrual interestIncome -3.33',
      'receipt cashClearing -10050.00',
      'receipt loanPrincipal 10000.00',
      'receipt borrowerCredits 50.00',
      'refund borrowerCredits -50.00',
      'refund loanPrincipal 50.00',
    ]);
    expect(journal.balance('loanPrincipal')).toBe('10050.00');
    expect(journal.balance('borrowerCredits')).toBe('0.00');
  });

  it('what a settlement waives: principal as an expense, interest and fees out of their income', () => {
    const life = begin().fund();
    life.take('2026-01-10', { do: 'assess-fee', feeId: 'f', kind: 'fee', name: 'f', amount: money('30'), date: null });
    const journal = posting(life);
    journal.after('2026-01-10');
    const settle = { do: 'settle', quoteId: 'q', goodThrough: date('2026-02-01'), reason: 'hardship' } as const;
    life.take('2026-02-01', { ...settle, amount: money('60') });
    expect(journal.after('2026-02-01')).toEqual([]);
    life.pay('2026-02-01', '60', 'p1');
    expect(journal.after('2026-02-01')).toEqual([
      'accrual interestReceivable 100.00',
      'accrual interestIncome -100.00',
      'waiver feeIncome 30.00',
      'waiver feeReceivable -30.00',
      'receipt cashClearing 60.00',
      'receipt interestReceivable -60.00',
      'forgiveness chargeOffExpense 10000.00',
      'forgiveness loanPrincipal -10000.00',
      'forgiveness interestIncome 40.00',
      'forgiveness interestReceivable -40.00',
    ]);
  });
});

describe('a charge-off', () => {
  /** Charged off on 1 August 2026 with 3,000.00 of collateral: 10,000.00 principal, 700.00 interest, 30.00 fees. */
  function chargedOff(accrueAfterChargeOff = false): { life: Life; journal: ReturnType<typeof posting> } {
    const life = begin(contractOf(), { accrueAfterChargeOff }).fund();
    life.take('2026-01-10', { do: 'assess-fee', feeId: 'f', kind: 'fee', name: 'f', amount: money('30'), date: null });
    life.take('2026-01-10', { do: 'initiate-repayment', date: null, opening: null });
    const journal = posting(life);
    journal.after('2026-01-10');
    const reason = '120 days';
    life.take('2026-08-01', { do: 'charge-off', date: null, reason, collateral: money('3000') });
    return { life, journal };
  }

  it('leaves on the books what the collateral covers, and no receivable', () => {
    const { journal } = chargedOff();
    expect(journal.after('2026-08-01')).toEqual([
      'accrual interestReceivable 700.00',
      'accrual interestIncome -700.00',
      'chargeOff chargeOffExpense 7000.00',
      'chargeOff loanPrincipal -7000.00',
      'chargeOff interestIncome 700.00',
      'chargeOff interestReceivable -700.00',
      'chargeOff feeIncome 30.00',
      'chargeOff feeReceivable -30.00',
    ]);
    const left = ACCOUNTS.filter((account) => journal.balance(account) !== '0.00');
    expect(left).toEqual(['loanPrincipal', 'cash', 'chargeOffExpense']);
    expect(journal.balance('loanPrincipal')).toBe('3000.00');
  });

  it('is followed by recoveries: collateral first, then income, and any excess as a credit owed to the borrower', () => {
    const { life, journal } = chargedOff();
    journal.after('2026-08-01');
    life.pay('2026-09-01', '2500', 's1');
    expect(journal.after('2026-09-01')).toEqual(['recovery cashClearing 2500.00', 'recovery loanPrincipal -2500.00']);
    life.pay('2026-09-02', '800', 's2');
    expect(journal.after('2026-09-02')).toEqual([
      'recovery cashClearing 800.00',
      'recovery loanPrincipal -500.00',
      'recovery recoveryIncome -300.00',
    ]);
    // 10,730.00 was owed: of 8,000.00 more, 570.00 is excess.
    life.pay('2026-09-03', '8000', 's3', { acceptOverpayment: true });
    expect(journal.after('2026-09-03')).toEqual([
      'recovery cashClearing 8000.00',
      'recovery recoveryIncome -7430.00',
      'recovery borrowerCredits -570.00',
    ]);
    life.take('2026-09-04', { do: 'return-repayment', refId: 's1', date: null, reason: 'R01' });
    expect(journal.after('2026-09-04')).toEqual([
      'recovery cashClearing -2500.00',
      'recovery recoveryIncome 1930.00',
      'recovery borrowerCredits 570.00',
    ]);
  });

  it('is written down by the shortfall of the collateral, and money received later is income', () => {
    const { life, journal } = chargedOff();
    journal.after('2026-08-01');
    life.pay('2026-09-01', '2500', 's1', { purpose: 'sale' });
    journal.after('2026-09-01');
    const writeDown = { do: 'write-down', reason: 'auction' } as const;
    expect(life.ask('2026-09-02', { ...writeDown, amount: money('500.01') })).toMatchObject({
      refused: 'amount_exceeds_balance',
    });
    life.take('2026-09-02', { ...writeDown, amount: money('500') });
    expect(journal.after('2026-09-02')).toEqual([
      'writeDown chargeOffExpense 500.00',
      'writeDown loanPrincipal -500.00',
    ]);
    expect(life.loan('2026-09-02').principal).toBeGreaterThan(0);
    life.pay('2026-09-03', '100', 's2');
    expect(journal.after('2026-09-03')).toEqual(['recovery cashClearing 100.00', 'recovery recoveryIncome -100.00']);
    // A write-down stays when the sale money bounces.
    life.take('2026-09-04', { do: 'return-repayment', refId: 's1', date: null, reason: 'R01' });
    expect(journal.after('2026-09-04')).toEqual([
      'recovery cashClearing -2500.00',
      'recovery loanPrincipal 2400.00',
      'recovery recoveryIncome 100.00',
    ]);
    expect(journal.balance('loanPrincipal')).toBe('2400.00');
  });

  it('keeps a write-down as posted when an earlier recovery becomes known: that money is income', () => {
    const { life, journal } = chargedOff();
    journal.after('2026-08-01');
    life.take('2026-09-02', { do: 'write-down', reason: 'auction', amount: money('3000') });
    journal.after('2026-09-02');
    const recovery = { do: 'record-recovery', refId: 's1', amount: money('2000') } as const;
    life.take('2026-09-10', { ...recovery, date: date('2026-08-20') });
    // As of the day in between, nothing is written down yet and the money is for the collateral.
    expect(balances(booksOf(life.loan('2026-08-25')))).toMatchObject({ loanPrincipal: 100_000, recoveryIncome: 0 });
    expect(journal.after('2026-09-10')).toEqual(['recovery cashClearing 2000.00', 'recovery recoveryIncome -2000.00']);
    const accounts = ['loanPrincipal', 'chargeOffExpense', 'recoveryIncome'] as const;
    expect(accounts.map(journal.balance)).toEqual(['0.00', '10000.00', '-2000.00']);
  });

  it('keeps nothing once a settlement has ended the debt: what is lent again is a loss, and money received is income', () => {
    const { life, journal } = chargedOff();
    life.take('2026-08-02', {
      ...{ do: 'settle', quoteId: 's', amount: money('1000'), goodThrough: date('2026-08-30'), reason: 'hardship' },
    });
    life.pay('2026-08-03', '1000', 's1');
    journal.after('2026-08-03');
    const accounts = ['loanPrincipal', 'chargeOffExpense', 'recoveryIncome'] as const;
    expect(accounts.map(journal.balance)).toEqual(['0.00', '9000.00', '0.00']);
    // 100.00 too much, which is paid back and then bounces.
    life.pay('2026-08-04', '100', 's2', { acceptOverpayment: true });
    life.take('2026-08-04', { do: 'refund-credit', refId: 'r1', amount: money('100') });
    life.take('2026-08-05', { do: 'return-repayment', refId: 's2', date: null, reason: 'R01' });
    journal.after('2026-08-05');
    expect(accounts.map(journal.balance)).toEqual(['0.00', '9100.00', '0.00']);
    life.pay('2026-08-06', '100', 's3');
    journal.after('2026-08-06');
    expect(accounts.map(journal.balance)).toEqual(['0.00', '9100.00', '-100.00']);
  });

  it('stops income on the books, even where the contract still accrues', () => {
    const { life, journal } = chargedOff(true);
    journal.after('2026-08-01');
    life.take('2026-08-15', { do: 'assess-fee', feeId: 'g', kind: 'fee', name: 'g', amount: money('20'), date: null });
    life.take('2026-08-16', { do: 'waive-fee', feeId: 'f', amount: null, reason: 'courtesy' });
    expect(journal.after('2026-08-16')).toEqual([]);
    life.pay('2026-09-01', '100', 's1');
    const loan = life.loan('2026-09-01');
    expect(loan.totals.interestAccrued).toBe(money('800'));
    expect(loan.payments.at(-1)?.allocation.interest).toBe(money('100'));
    expect(journal.after('2026-09-01')).toEqual(['recovery cashClearing 100.00', 'recovery loanPrincipal -100.00']);
    life.take('2026-09-02', {
      do: 'settle',
      quoteId: 'q',
      amount: money('50'),
      goodThrough: date('2026-09-02'),
      reason: 'done',
    });
    life.pay('2026-09-02', '50', 's2');
    expect(life.loan('2026-09-02').principal).toBe(0);
    // The settlement ends the loan: nothing is left to keep.
    expect(journal.after('2026-09-02')).toEqual([
      'forgiveness chargeOffExpense 2850.00',
      'forgiveness loanPrincipal -2850.00',
      'recovery cashClearing 50.00',
      'recovery loanPrincipal -50.00',
    ]);
  });

  it('is undone on the books when a payment is found that had paid the loan off', () => {
    const { life, journal } = chargedOff();
    const posted = journal.after('2026-08-01');
    life.pay('2026-08-05', '10130', 'p1', { date: date('2026-02-01'), reason: 'found' });
    expect(life.loan('2026-08-05').chargeOff).toBe(null);
    expect(posted).toContain('chargeOff chargeOffExpense 7000.00');
    expect(journal.after('2026-08-05')).toContain('chargeOff chargeOffExpense -7000.00');
    expect(ACCOUNTS.filter((account) => journal.balance(account) !== '0.00')).toEqual([
      'cash',
      'cashClearing',
      'interestIncome',
      'feeIncome',
    ]);
  });

  it('includes what is lent after it, and an earlier credit that pays afterwards is a recovery', () => {
    const disbursements = { '2026-01-01': '1000', '2026-03-01': '400', '2026-05-01': '200' };
    const events: LoanEvent[] = [
      ...lentInParts(disbursements),
      // 100.00 too much, which stays a credit when more is lent in March.
      { type: 'paymentSubmitted', refId: 'p1', amount: money('1100'), purpose: 'installment', ...stamp('2026-02-01') },
      { type: 'chargedOff', collateral: money('50'), ...stamp('2026-04-01') },
      // Owed are 400.00 and the 200.00 of May; with the credit, 500.00 do.
      { type: 'paymentSubmitted', refId: 's1', amount: money('500'), purpose: 'installment', ...stamp('2026-06-01') },
    ];
    const journal = posting({ loan: (day) => fold(events, date(day)) });
    journal.after('2026-03-31');
    expect(journal.balance('borrowerCredits')).toBe('-100.00');
    expect(journal.after('2026-04-01')).toEqual([
      'chargeOff chargeOffExpense 350.00',
      'chargeOff loanPrincipal -350.00',
    ]);
    expect(journal.after('2026-05-01')).toEqual([
      'disbursement loanPrincipal 200.00',
      'disbursement cash -200.00',
      'chargeOff chargeOffExpense 200.00',
      'chargeOff loanPrincipal -200.00',
    ]);
    expect(journal.after('2026-06-01')).toEqual([
      'recovery cashClearing 500.00',
      'recovery loanPrincipal -50.00',
      'recovery recoveryIncome -550.00',
      'recovery borrowerCredits 100.00',
    ]);
    expect(journal.balance('borrowerCredits')).toBe('0.00');
    expect(journal.balance('loanPrincipal')).toBe('0.00');
  });
});

// ---- random loan histories ----

const LIVES = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 10_000 : 50));
const SEED = Number(process.env.SEED ?? 20_240_229);

/** Interest between an opening and the day it was recorded: all of it, and that of stretches that have ended. */
function earnedBefore(loan: Loan, known: readonly LoanEvent[]): { all: number; ended: number } {
  const opened = known.find((event) => event.type === 'opened');
  const from = opened?.ownedFrom ?? opened?.date;
  if (from === undefined || from === opened?.date) return { all: 0, ended: 0 };
  const then = fold(known, from);
  if (then.chargeOff !== null) {
    const all = then.chargeOff.totals.interestAccrued;
    return { all, ended: all };
  }
  const all = then.totals.interestAccrued + then.interest - then.interestEnded;
  return { all, ended: loan.stretchSince >= from ? all : then.totals.interestAccrued };
}

/** The expected accounts, derived from the loan and, after a charge-off, from the loan as it was on that day. */
function accountsOf(loan: Loan, known: readonly LoanEvent[]): Record<Account, number> {
  const { totals, chargeOff } = loan;
  const opened = known.find(({ type }) => type === 'opened');
  const opening = opened?.type === 'opened' ? opened.principal + opened.interest + opened.fees : 0;
  const brought = opened?.type === 'opened' ? opened.principal : 0;
  const funded = known.find((event) => event.type === 'funded');
  const charges = funded?.charges ?? { kept: 0, reserve: 0, costs: 0 };
  const beside = charges.reserve + charges.costs;
  const deferred = deferredOn(loan) ?? { left: NOTHING_DEFERRED, open: NOTHING_DEFERRED, ended: NOTHING_DEFERRED };
  const { ended } = deferred;
  expect(deferred.left.fees + deferred.open.fees + ended.fees).toBeLessThanOrEqual(charges.kept);
  let cleared = 0;
  for (const { status, amount } of loan.payments) if (status === 'Acknowledged') cleared += amount;
  const held: Partial<Record<Account, number>> = {
    cashClearing: totals.received - cleared,
    cash: cleared - totals.refunded - totals.disbursed + brought + charges.kept - beside,
    deferredCosts: deferred.left.costs + deferred.open.costs,
    deferredFees: -deferred.left.fees - deferred.open.fees,
    borrowerCredits: -loan.credit,
  };
  const before = earnedBefore(loan, known);
  const broughtInterest = (opened?.type === 'opened' ? opened.interest : 0) + before.ended;
  // Interest carried over is the oldest and is paid first; it was never income here.
  const paidOfBrought = ({ interestPaid, broughtForgiven }: Loan['totals']) =>
    Math.min(broughtInterest - broughtForgiven, interestPaid);
  const broughtFee = ({ fees }: Loan) =>
    opened?.type === 'opened' && opened.fees > 0 ? fees.find(({ feeId }) => feeId === 'opening') : null;
  const counted = isCounted(loan);
  if (chargeOff === null) {
    held.loanPrincipal = loan.principal;
    held.interestReceivable = counted ? loan.interestEnded : 0;
    held.feeReceivable = feesOwed(loan);
    const givenUp = totals.broughtForgiven;
    const outside = counted ? 0 : broughtInterest - paidOfBrought(totals) - givenUp;
    const ofFee = broughtFee(loan)?.waived ?? 0;
    const elsewhere = counted ? before.all : before.ended;
    held.opening = outside - opening - elsewhere;
    held.interestIncome =
      elsewhere +
      totals.interestForgiven -
      givenUp -
      totals.interestAccrued +
      (counted ? 0 : loan.interestEnded - outside) -
      netOf(ended);
    held.feeIncome = totals.feesWaived - ofFee - totals.feesAssessed;
    held.chargeOffExpense = totals.principalForgiven + givenUp + ofFee;
    held.recoveryIncome = 0;
  } else {
    // Events recorded after the charge-off come after it, even on the same day.
    const { recordedAt: end } = known.find(({ type }) => type === 'chargedOff') as LoanEvent;
    const isBefore = (event: LoanEvent) => event.date !== chargeOff.date || event.recordedAt <= end;
    const paid = new Set(known.flatMap((one) => (one.type === 'paymentSubmitted' && isBefore(one) ? [one.refId] : [])));
    // A payment that did not stay was never there, whenever that became known.
    const by = known.filter(
      (event) =>
        isBefore(event) ||
        ((event.type === 'paymentReturned' || event.type === 'paymentReversed') && paid.has(event.refId)),
    );
    const then = fold(by, chargeOff.date);
    const covered = Math.min(chargeOff.collateral, then.principal);
    // Everything that came in since, and every credit that was used since, less what is owed back.
    const kept = totals.received - then.totals.received - (totals.credited - then.totals.credited);
    const left = covered - chargeOff.writtenDown - chargeOff.givenUp;
    held.loanPrincipal = Math.max(0, left - kept);
    if (loan.principal === 0) expect(held.loanPrincipal).toBe(0);
    held.interestReceivable = 0;
    held.feeReceivable = 0;
    held.opening = -opening - before.ended;
    // Income is what was paid of it, except what an opening carried over.
    held.interestIncome = paidOfBrought(then.totals) - then.totals.interestPaid - netOf(ended);
    held.feeIncome = (broughtFee(then)?.paid ?? 0) - then.totals.feesPaid;
    held.recoveryIncome = Math.min(0, left - kept);
    held.chargeOffExpense = -Object.values(held).reduce((sum, amount) => sum + amount, 0);
    expect(held.chargeOffExpense).toBeGreaterThanOrEqual(
      chargeOff.principal - covered - charges.kept + beside + netOf(ended),
    );
  }
  return Object.fromEntries(ACCOUNTS.map((account) => [account, (held[account] ?? 0) + 0])) as Record<Account, number>;
}

/** Between the policy's days and none, interest counts as it did before: a loan accrues again only when nothing is past due. */
function isCounted(loan: Loan): boolean {
  const { nonAccrualDays, returnToAccrual } = loan.policy;
  const days = daysPastDue(loan);
  if (nonAccrualDays === null) return true;
  if (days >= nonAccrualDays) return false;
  return days === 0 && returnToAccrual.payments === 0 ? true : loan.nonAccrualSince === null;
}

/** Sums of the posted lines, by any key of a line. */
function tally() {
  const sums = new Map<string, number>();
  return {
    add: (name: string, amount: number) => sums.set(name, (sums.get(name) ?? 0) + amount),
    /** Those that are not zero. */
    all: () => Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).sort()),
  };
}

describe('over random loan histories', () => {
  const timeout = 30_000 + LIVES * 100;
  it('every entry balances, the accounts tie to the loan after every step, and what was posted adds up to the books', {
    timeout,
  }, () => {
    const seen = new Set<string>();
    const property = fc.property(anyPlan, (plan) => {
      const byAccount = tally();
      const byLine = tally();
      let books: Books = NO_BOOKS;
      let last: Loan | null = null;
      const life = live(plan);
      for (const { before, answer } of life.turns) {
        if (isRefusal(answer)) continue;
        const after = booksOf(answer.loan);
        const byEntry = tally();
        for (const { entry, account, amount } of post(books, after)) {
          if (!Number.isSafeInteger(amount) || amount === 0) throw new Error(`${entry} ${account} ${amount}`);
          seen.add(entry);
          byEntry.add(entry, amount);
          byAccount.add(account, amount);
          byLine.add(`${entry} ${account}`, amount);
        }
        expect(byEntry.all()).toEqual({});
        const held = accountsOf(answer.loan, [...before, ...answer.events]);
        expect(balances(after)).toEqual(held);
        expect(byAccount.all()).toEqual(
          Object.fromEntries(
            Object.entries(held)
              .filter(([, sum]) => sum !== 0)
              .sort(),
          ),
        );
        books = after;
        last = answer.loan;
      }
      if (last === null) return;
      const whole = tally();
      for (const { entry, account, amount } of post(NO_BOOKS, booksOf(fold(life.events, last.on))))
        whole.add(`${entry} ${account}`, amount);
      expect(byLine.all()).toEqual(whole.all());
    });
    fc.assert(property, { numRuns: LIVES, seed: SEED });
    // The property proves nothing about recoveries unless one occurred; a refund, the rarest, may be missing.
    expect(seen.size).toBeGreaterThanOrEqual(9);
  });
});
