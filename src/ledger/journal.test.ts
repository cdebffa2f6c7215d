import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { live as begin, contractOf, type Life, money } from '../../test/support/life.ts';
import { anyPlan, live } from '../../test/support/simulate/lives.ts';
import { bookFiguresAsOf } from '../core/books.ts';
import { addDays, addMonths, date, daysBetween, lastOfMonth, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold, foldAll } from '../core/fold.ts';
import { cents, formatCents } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { type DatedLine, isPriorPeriod, journalOf, linesOfDays } from './journal.ts';
import { booksOf, booksWithAccrued, type Line, NO_BOOKS, post } from './post.ts';

/** The lines posted up to a day, as known at its end. */
function postedBy(events: readonly LoanEvent[], day: PlainDate): DatedLine[] {
  const known = events.filter(({ recordedOn }) => recordedOn <= day);
  const last = known.at(-1);
  if (last === undefined) return [];
  const { lines, loan } = journalOf(known);
  const history = { folding: foldAll(known), events: known };
  const between = { after: last.recordedOn, before: addDays(day, 1) };
  return [...lines.flat(), ...(linesOfDays(history, booksOf(loan), between)?.lines ?? [])];
}

const told = (lines: readonly DatedLine[]) =>
  lines.map((line) => {
    const { entry, account, amount, dateEffective, datePosted } = line;
    const days = dateEffective === datePosted ? datePosted : `${datePosted} for ${dateEffective}`;
    return `${days}${isPriorPeriod(line) ? ' (prior period)' : ''} ${entry} ${account} ${formatCents(amount)}`;
  });

const journal = (life: Life) => told(journalOf(life.events).lines.flat());

const LATE_FEE = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};

describe('the journal of a loan', () => {
  it('posts a late fee on its own day, whichever event records it', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund().pay('2026-02-20', '913.49', 'p1');
    expect(journal(life).slice(2)).toEqual([
      '2026-02-12 assessment feeReceivable 25.00',
      '2026-02-12 assessment feeIncome -25.00',
      '2026-02-20 accrual interestReceivable 163.33',
      '2026-02-20 accrual interestIncome -163.33',
      '2026-02-20 receipt cashClearing 913.49',
      '2026-02-20 receipt interestReceivable -163.33',
      '2026-02-20 receipt loanPrincipal -725.16',
      '2026-02-20 receipt feeReceivable -25.00',
    ]);
  });

  it('reverses a late fee on the day an on-time payment becomes known, as of the fee’s day', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    life.pay('2026-03-05', '888.49', 'p1', { date: date('2026-02-01'), reason: 'found' });
    expect(journal(life).slice(2)).toEqual([
      '2026-02-12 assessment feeReceivable 25.00',
      '2026-02-12 assessment feeIncome -25.00',
      // February had accrued 190.00; 100.00 of it was paid, and 82.90 is what 9,211.51 earned in 27 days.
      '2026-03-05 for 2026-02-01 (prior period) accrual accruedInterest -107.10',
      '2026-03-05 for 2026-02-01 (prior period) accrual interestReceivable 100.00',
      '2026-03-05 for 2026-02-01 (prior period) accrual interestIncome 7.10',
      '2026-03-05 for 2026-02-01 (prior period) receipt cashClearing 888.49',
      '2026-03-05 for 2026-02-01 (prior period) receipt interestReceivable -100.00',
      '2026-03-05 for 2026-02-01 (prior period) receipt loanPrincipal -788.49',
      '2026-03-05 for 2026-02-12 (prior period) assessment feeReceivable -25.00',
      '2026-03-05 for 2026-02-12 (prior period) assessment feeIncome 25.00',
      '2026-03-05 for 2026-03-01 accrual accruedInterest 107.10',
      '2026-03-05 for 2026-03-01 accrual interestIncome -107.10',
    ]);
  });

  it('posts date-driven changes as of their day, also where the first event of the day is backdated', () => {
    // The grace days of the first installment end on 12 February. 19 days of interest are 63.33.
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    life.pay('2026-02-12', '50', 'p1', { date: date('2026-01-20') });
    expect(journal(life).slice(2)).toEqual([
      '2026-02-12 for 2026-01-20 (prior period) accrual accruedInterest -63.33',
      '2026-02-12 for 2026-01-20 (prior period) accrual interestReceivable 63.33',
      '2026-02-12 for 2026-01-20 (prior period) receipt cashClearing 50.00',
      '2026-02-12 for 2026-01-20 (prior period) receipt interestReceivable -50.00',
      '2026-02-12 for 2026-02-01 accrual accruedInterest 63.33',
      '2026-02-12 for 2026-02-01 accrual interestIncome -63.33',
      '2026-02-12 assessment feeReceivable 25.00',
      '2026-02-12 assessment feeIncome -25.00',
    ]);
  });

  it('posts no late fee of a day whose first event prevents it', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    life.pay('2026-02-12', '888.49', 'p1', { date: date('2026-02-01') });
    expect(journal(life).filter((line) => line.includes('assessment'))).toEqual([]);
    const moved = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    moved.take('2026-02-12', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    expect(journal(moved).filter((line) => line.includes('assessment'))).toEqual([]);
  });

  it('posts the start of non-accrual as of its day, also where the first event of the day is backdated', () => {
    // 39 days at 12 % are 130.00, ten at 11 % 30.56; 5.00 of it is paid. 3 March is the 30th day after 1 February.
    const life = begin(contractOf(), { nonAccrualDays: 30 }).fund();
    life.take('2026-02-10', {
      do: 'change-rate',
      rate: percent('11'),
      date: null,
      why: 'modification',
      reason: 'agreed',
    });
    life.pay('2026-03-03', '5', 'p1', { date: date('2026-02-20') });
    expect(journal(life).slice(4)).toEqual([
      '2026-03-03 for 2026-02-20 (prior period) accrual accruedInterest -30.56',
      '2026-03-03 for 2026-02-20 (prior period) accrual interestReceivable 30.56',
      '2026-03-03 for 2026-02-20 (prior period) receipt cashClearing 5.00',
      '2026-03-03 for 2026-02-20 (prior period) receipt interestReceivable -5.00',
      '2026-03-03 for 2026-03-01 accrual accruedInterest 30.56',
      '2026-03-03 for 2026-03-01 accrual interestIncome -30.56',
      '2026-03-03 accrual interestReceivable 36.67',
      '2026-03-03 accrual interestIncome -36.67',
      '2026-03-03 nonAccrual interestIncome 192.23',
      '2026-03-03 nonAccrual interestReceivable -192.23',
    ]);
  });

  it('posts the late fees of a return as of the day it was recorded, whatever its date; that day’s own too', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund().pay('2026-02-01', '888.49', 'p1');
    life.take('2026-03-12', { do: 'return-repayment', refId: 'p1', date: date('2026-03-10'), reason: 'NSF' });
    expect(journal(life).filter((line) => line.includes('assessment'))).toEqual([
      ...['2026-03-12 assessment feeReceivable 25.00', '2026-03-12 assessment feeIncome -25.00'],
      ...['2026-03-12 assessment feeReceivable 25.00', '2026-03-12 assessment feeIncome -25.00'],
    ]);
  });

  it('posts the date-driven changes of the boarding day as of that day', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).approve('2026-02-12');
    const figures = { principal: money('10000'), interest: money('100'), fees: money('0'), paidThrough: null };
    const opening = { date: date('2026-01-30'), ...figures, ownedFrom: date('2026-02-12') };
    life.take('2026-02-12', { do: 'fund-loan', date: null, opening });
    expect(journal(life)).toEqual([
      '2026-02-12 for 2026-01-30 (prior period) opening loanPrincipal 10000.00',
      '2026-02-12 for 2026-01-30 (prior period) opening interestReceivable 100.00',
      '2026-02-12 for 2026-01-30 (prior period) opening opening -10100.00',
      // Twelve days of interest, which the lender's book counts as income with the rest of the stretch.
      '2026-02-12 assessment feeReceivable 25.00',
      '2026-02-12 assessment feeIncome -25.00',
      '2026-02-12 opening interestIncome 40.00',
      '2026-02-12 opening opening -40.00',
    ]);
  });

  it('marks a reversal in a later month as prior period, in the payment’s month', () => {
    const life = begin().fund().pay('2026-02-20', '888.49', 'p1');
    life.take('2026-03-02', { do: 'reverse-repayment', refId: 'p1', reason: 'another borrower' });
    expect(journal(life)).toContain('2026-03-02 for 2026-02-20 (prior period) return loanPrincipal 725.16');
  });

  it('marks a return in a later month as prior period, in the payment’s month; its fees are of its own month', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE, returnFee: money('15') }).fund();
    life.pay('2026-02-01', '888.49', 'p1');
    life.take('2026-03-02', { do: 'return-repayment', refId: 'p1', date: null, reason: 'NSF' });
    expect(journal(life).slice(7)).toEqual([
      '2026-03-02 assessment feeReceivable 15.00',
      '2026-03-02 assessment feeIncome -15.00',
      '2026-03-02 for 2026-02-01 (prior period) accrual accruedInterest 107.10',
      '2026-03-02 for 2026-02-01 (prior period) accrual interestReceivable -100.00',
      '2026-03-02 for 2026-02-01 (prior period) accrual interestIncome -7.10',
      '2026-03-02 for 2026-02-01 (prior period) return cashClearing -888.49',
      '2026-03-02 for 2026-02-01 (prior period) return interestReceivable 100.00',
      '2026-03-02 for 2026-02-01 (prior period) return loanPrincipal 788.49',
      '2026-03-02 for 2026-03-01 accrual accruedInterest -107.10',
      '2026-03-02 for 2026-03-01 accrual interestIncome 107.10',
      '2026-03-02 assessment feeReceivable 25.00',
      '2026-03-02 assessment feeIncome -25.00',
    ]);
  });

  it('does not mark a return of the same month as prior period', () => {
    const life = begin().fund().pay('2026-02-01', '888.49', 'p1');
    life.take('2026-02-20', { do: 'return-repayment', refId: 'p1', date: null, reason: 'NSF' });
    expect(journalOf(life.events).lines.flat().some(isPriorPeriod)).toBe(false);
  });

  it('begins with the opening alone for a loan that was serviced elsewhere: nothing was lent, earned or charged before', () => {
    const life = begin(
      contractOf({ contractDate: date('2023-06-01'), firstPaymentDate: date('2023-07-01'), count: 48 }),
      {
        lateFee: LATE_FEE,
      },
    ).approve('2026-04-15');
    const opening = {
      date: date('2026-04-15'),
      principal: money('3200'),
      interest: money('40'),
      fees: money('15'),
      paidThrough: date('2026-03-01'),
    };
    life.take('2026-04-15', { do: 'fund-loan', date: null, opening });
    expect(journal(life)).toEqual([
      '2026-04-15 opening loanPrincipal 3200.00',
      '2026-04-15 opening interestReceivable 40.00',
      '2026-04-15 opening feeReceivable 15.00',
      '2026-04-15 opening opening -3255.00',
    ]);
  });

  it('takes interest out of income on the day a loan enters non-accrual, without any event', () => {
    const life = begin(contractOf(), { nonAccrualDays: 60 }).fund().pay('2026-01-31', '50', 'p1');
    expect(told(postedBy(life.events, date('2026-04-10'))).slice(-2)).toEqual([
      '2026-04-02 nonAccrual interestIncome 253.33',
      '2026-04-02 nonAccrual interestReceivable -253.33',
    ]);
    expect(bookFiguresAsOf(life.events, date('2026-04-01'))).toMatchObject({ interestReceivable: 5_000 });
    expect(bookFiguresAsOf(life.events, date('2026-04-02'))).toMatchObject({
      interestReceivable: 0,
      accruedInterest: 0,
      loanPrincipal: 1_000_000,
    });
  });
});

const LIVES = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 1_000 : 20));
const SEED = Number(process.env.SEED ?? 19);

/** Every month end of a loan history and twenty other days, including the months after its last event. */
function daysOf(start: PlainDate, end: PlainDate, picks: readonly number[]): PlainDate[] {
  const span = daysBetween(start, end);
  const days = picks.map((pick) => addDays(start, pick % (span + 1)));
  for (let day = lastOfMonth(start); day <= end; day = lastOfMonth(addMonths(day, 1))) days.push(day);
  return days.sort();
}

/** Money that a return takes back had come in under one of the others. */
const MONEY: ReadonlySet<string> = new Set(['receipt', 'recovery', 'return']);

/** By entry and account, those that are not zero; cash and clearing count as one, since an acknowledgement has no day of its own. */
function restated(lines: readonly Line[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { entry, account, amount } of lines) {
    const name = `${MONEY.has(entry) ? 'money' : entry} ${account === 'cashClearing' ? 'cash' : account}`;
    sums[name] = (sums[name] ?? 0) + amount;
  }
  return Object.fromEntries(
    Object.entries(sums)
      .filter(([, sum]) => sum !== 0)
      .sort(),
  );
}

describe('over random loan histories', () => {
  it('the lines posted up to any day equal the loan as it was known at the end of that day, and never change', {
    timeout: 600_000,
  }, () => {
    const anyDays = fc.array(fc.nat({ max: 100_000 }), { minLength: 20, maxLength: 20 });
    const property = fc.property(anyPlan, anyDays, (plan, picks) => {
      const { events, start, today } = live(plan);
      const end = addDays(today, 100);
      const whole = postedBy(events, end);
      for (const day of daysOf(start, end, picks)) {
        const sums: Record<string, number> = {};
        for (const { account, amount, datePosted } of whole) {
          if (datePosted <= day) sums[account] = (sums[account] ?? 0) + amount;
        }
        const then: Record<string, number> = {};
        for (const { account, amount } of postedBy(events, day)) then[account] = (then[account] ?? 0) + amount;
        const figures = bookFiguresAsOf(events, day);
        const of = (account: string) => (sums[account] ?? 0) + 0;
        expect({
          day,
          loanPrincipal: of('loanPrincipal'),
          interestReceivable: of('interestReceivable'),
          feeReceivable: of('feeReceivable'),
          borrowerCredits: cents(0 - of('borrowerCredits')),
          accruedInterest: figures.accruedInterest,
          // The lender's book has what the open stretch amortized.
          deferredFees: cents(0 - of('deferredFees') - figures.openFees),
          deferredCosts: cents(of('deferredCosts') - figures.openCosts),
          purchaseDiscount: cents(0 - of('purchaseDiscount') - figures.openDiscount),
          ...{ openFees: figures.openFees, openCosts: figures.openCosts, openDiscount: figures.openDiscount },
        }).toEqual({ day, ...figures });
        const nonZero = (all: Record<string, number>) =>
          Object.entries(all)
            .filter(([, sum]) => sum !== 0)
            .sort();
        expect([day, nonZero(sums)]).toEqual([day, nonZero(then)]);
        expect(Object.values(sums).reduce((sum, amount) => sum + amount, 0)).toBe(0);
      }
    });
    fc.assert(property, { numRuns: LIVES, seed: SEED });
  });

  it('an earlier month with the lines that take effect in it equals the loan as it is known now, including interest of the open stretch', {
    timeout: 600_000,
  }, () => {
    let priorPeriods = 0;
    const property = fc.property(anyPlan, (plan) => {
      const { events, start, today } = live(plan);
      const last = events.at(-1) as LoanEvent;
      const opened = events.find(({ type }) => type === 'opened');
      const lines = journalOf(events).lines.flat();
      priorPeriods += lines.filter(isPriorPeriod).length;
      for (let day = lastOfMonth(start); day < last.recordedOn; day = lastOfMonth(addMonths(day, 1))) {
        // Posted by the lender's book, for this loan, by the end of that day.
        const { accruedInterest: accrued, openFees, openCosts } = bookFiguresAsOf(events, day);
        const book: Line[] = [
          { entry: 'accrual', account: 'accruedInterest', amount: accrued },
          { entry: 'accrual', account: 'interestIncome', amount: cents(0 - accrued) },
          { entry: 'amortization', account: 'deferredFees', amount: openFees },
          { entry: 'amortization', account: 'deferredCosts', amount: cents(0 - openCosts) },
          { entry: 'amortization', account: 'interestIncome', amount: cents(openCosts - openFees) },
        ];
        const effective = lines.filter(({ dateEffective }) => dateEffective <= day);
        // Before its opening a loan that was serviced elsewhere is not in these books.
        const isHere = opened === undefined || opened.date <= day;
        const now = isHere ? post(NO_BOOKS, booksWithAccrued(fold(events, day))) : [];
        expect([day, today, restated([...effective, ...book])]).toEqual([day, today, restated(now)]);
      }
    });
    fc.assert(property, { numRuns: LIVES, seed: SEED });
    expect(priorPeriods).toBeGreaterThan(LIVES);
  });
});
