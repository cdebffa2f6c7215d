/**
 * The growth of the interest of the open stretch, for many loans at once. Every day count is a scale: a number for each day, so that
 * the length of a stretch is the difference between its two days. The accrued interest of a loan on a day is then
 *
 *   perUnit × (units of the day − from) / divisor, rounded to the cent,
 *
 * with coefficients that hold until the loan changes. They are stored in its row, and the database adds up a million of them.
 */
import { deferredOn } from '../core/amortize.ts';
import { isNonAccrual } from '../core/books.ts';
import { type DayCount, dayNumber, daysInMonth, isLeapYear, type PlainDate, parts } from '../core/calendar.ts';
import { netOf } from '../core/deferral.ts';
import { judgedOn, pastDueOn } from '../core/delinquency.ts';
import type { Loan } from '../core/loan.ts';
import { overOn } from '../core/military-service.ts';
import { percentDivisor } from '../core/rate.ts';
import { openAmortization } from '../core/working-loan.ts';

export type Accruing = {
  /** Principal in cents × the digits of the rate; a whole number that may be too large for a number. */
  readonly perUnit: string;
  readonly divisor: number;
  readonly from: number;
  /** Its index in `unitsOn`, from 1. */
  readonly scale: number;
  /** Half a cent is rounded to even; otherwise up. */
  readonly halfEven: boolean;
};

/** Null: the books count no interest of the present stretch. */
export function accruingOf(loan: Loan): Accruing | null {
  const { terms, principal, rate, accruing, chargeOff, stretchSince } = loan;
  if (terms === null || !accruing || chargeOff !== null || principal === 0 || rate.digits === 0) return null;
  if (isNonAccrual(loan)) return null;
  const { basis, scale } = scaleFrom(stretchSince, terms.dayCount);
  return {
    perUnit: String(BigInt(principal) * BigInt(rate.digits)),
    divisor: percentDivisor(rate) * basis,
    from: SCALES[scale](partsOf(stretchSince)),
    scale: Object.keys(SCALES).indexOf(scale) + 1,
    halfEven: terms.rounding === 'half-even',
  };
}

/**
 * Deferred amounts of a loan, and how its open stretch amortizes them: what has been amortized in all on a day is
 *
 *   amortized + before + perUnit × (day − from) / divisor − accrued interest,
 *
 * within what was deferred. A member that is null: there is none.
 */
export type Amortizing = {
  readonly fees: number | null;
  readonly costs: number | null;
  readonly discount: number | null;
  readonly amortized: number;
  /** Carrying amount in cents × the digits of the yield; null: nothing is amortized from day to day. */
  readonly perUnit: string | null;
  readonly divisor: number | null;
  readonly from: number | null;
  readonly before: number | null;
};

/** Null: there is nothing deferred any more. */
export function amortizingOf(loan: Loan): Amortizing | null {
  const { deferral } = loan;
  if (deferral === null) return null;
  const deferred = deferredOn(loan);
  if (deferred === null) return null;
  const { ended, left } = deferred;
  if (left.fees === 0 && left.costs === 0 && left.discount === 0 && netOf(deferred.open) === 0) return null;
  const some = (amount: number) => (amount === 0 ? null : amount);
  const all = {
    fees: some(deferral.fees),
    costs: some(deferral.costs),
    discount: some(deferral.discount),
    amortized: netOf(ended),
  };
  const open = isNonAccrual(loan) ? null : openAmortization(loan, loan.on);
  if (open === null) return { ...all, perUnit: null, divisor: null, from: null, before: null };
  return {
    ...all,
    perUnit: String(BigInt(open.carrying) * BigInt(open.yield.digits)),
    divisor: percentDivisor(open.yield) * 365,
    from: dayNumber(open.since),
    before: deferral.effective,
  };
}

/** The units of a day on each scale. */
export function unitsOn(day: PlainDate): number[] {
  const on = partsOf(day);
  return Object.values(SCALES).map((scale) => scale(on));
}

type Parts = { readonly date: PlainDate; readonly year: number; readonly month: number; readonly day: number };

function partsOf(date: PlainDate): Parts {
  const [year, month, day] = parts(date);
  return { date, year, month, day };
}

const isMonthEnd = ({ year, month, day }: Parts) => day === daysInMonth(year, month);

const thirty = ({ year, month }: Parts, day: number) => 360 * year + 30 * month + day;

const SCALES = {
  actual: ({ date }: Parts) => dayNumber(date),
  /** Days over 365 × 366: one of a leap year counts 365, another 366, so that every year counts 133,590. */
  byYear({ date, year }: Parts) {
    const past = dayNumber(date) - dayNumber(`${date.slice(0, 4)}-01-01` as PlainDate);
    return year * 133_590 + past * (isLeapYear(year) ? 365 : 366);
  },
  /** Months of thirty days, the 31st one of its own. */
  thirty: (on: Parts) => thirty(on, on.day),
  /** The 31st counts as the 30th. */
  thirtyAtMost: (on: Parts) => thirty(on, Math.min(on.day, 30)),
  /** The end of February does too. */
  thirtyInFebruary: (on: Parts) => thirty(on, on.month === 2 && isMonthEnd(on) ? 30 : Math.min(on.day, 30)),
  /** The end of every month does. */
  thirtyAtMonthEnd: (on: Parts) => thirty(on, isMonthEnd(on) ? 30 : on.day),
} as const satisfies Record<string, (on: Parts) => number>;

/** The scale of a stretch that begins on a day, and the number of its units in a year: the rules of `yearFraction`. */
function scaleFrom(since: PlainDate, dayCount: DayCount): { basis: number; scale: keyof typeof SCALES } {
  const on = partsOf(since);
  const { month, day } = on;
  switch (dayCount) {
    case 'actual/365':
      return { basis: 365, scale: 'actual' };
    case 'actual/360':
      return { basis: 360, scale: 'actual' };
    case 'actual/364':
      return { basis: 364, scale: 'actual' };
    case 'actual/actual':
      return { basis: 133_590, scale: 'byYear' };
    case '30/360':
      return { basis: 360, scale: day >= 30 ? 'thirtyAtMost' : 'thirty' };
    case '30/360 US':
      if (month === 2 && isMonthEnd(on)) return { basis: 360, scale: 'thirtyInFebruary' };
      return { basis: 360, scale: day >= 30 ? 'thirtyAtMost' : 'thirty' };
    case '30E/360':
      return { basis: 360, scale: 'thirtyAtMost' };
    case '30E/360 ISDA':
      return { basis: 360, scale: 'thirtyAtMonthEnd' };
  }
}

/**
 * The first day after the loan's own on which its books may change although nothing is recorded: a late fee, money or a rate that the
 * contract schedules, the end of military service, the beginning of non-accrual. It is never later than that day, and may be earlier. Until then the figures and
 * coefficients in its row hold. Null: there is none.
 */
export function booksChangeOn(loan: Loan): PlainDate | null {
  const { on, terms, policy, installments, principal, interestEnded } = loan;
  if (terms === null || loan.rescission !== null) return null;
  const days: PlainDate[] = [];
  for (const { date } of terms.disbursements) if (date > on) days.push(date);
  for (const { date } of terms.rateChanges) if (date > on) days.push(date);
  const over = loan.service === null ? null : overOn(loan.service);
  if (over !== null) days.push(over);
  if (loan.chargeOff === null && principal + interestEnded > 0) {
    // Under another version of the policy, what follows from the date may be different.
    if (loan.policyChangesOn !== null) days.push(loan.policyChangesOn);
    const { lateFee, nonAccrualDays } = policy;
    if (lateFee !== null && loan.acceleratedOn === null) {
      const last = installments.length - 1;
      const next = installments.find(
        (one, i) => (one.paid < one.amount || i === last) && judgedOn(one, lateFee.graceDays) > on,
      );
      if (next !== undefined) days.push(judgedOn(next, lateFee.graceDays));
    }
    if (nonAccrualDays !== null && !isNonAccrual(loan)) {
      const begins = pastDueOn(loan, nonAccrualDays);
      if (begins !== null) days.push(begins);
    }
  }
  return days.sort()[0] ?? null;
}
