/**
 * The annual percentage rate by the actuarial method of Regulation Z, 12 CFR 1026 Appendix J. Paragraph numbers below are the appendix's.
 * The rate of a unit-period is the one at which advances and payments, each brought to the beginning of the term, are worth the same (b)(8):
 *
 *     Σ A ÷ [(1 + e·i)(1 + i)^q]  =  Σ P ÷ [(1 + f·i)(1 + i)^t]
 *
 * with q and t full unit-periods and e and f the fraction of one left over; the APR is that rate × the unit-periods of a year (b)(1).
 *
 * Choices that the appendix leaves open:
 * - The term begins on the earliest date given, advance or payment (b)(2), (c)(7)(ii).
 * - Every date is measured by itself, as (b)(5) says. With semimonths the fraction may therefore differ between the two dates of a month
 *   when the first period is odd; software that measures only the first payment and adds whole unit-periods to it differs by a few hundredths.
 * - A single payment in less than a year that is a whole number of months away has 12 ÷ months unit-periods a year; (b)(5)(vi) would
 *   also allow 365 ÷ days.
 * - An APR measures the cost of credit (1026.22(a)(1)). Payments that add up to less than the advances have no cost to measure, and the
 *   answer is a refusal, not a negative rate. Payments that add up to just the advances give 0.
 */
import { addDays, addMonths, type PlainDate, parts, stepDate } from './calendar.ts';
import { leastRate, mergeFlows, solved, tenDecimals } from './discount.ts';
import type { Flow } from './discount-curve.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';
import {
  type Count,
  checkUnitPeriod,
  countAll,
  type DatedAmount,
  findUnitPeriod,
  shortTerm,
  type Unit,
  type UnitPeriod,
  unitPeriodsPerYear,
} from './unit-period.ts';

export type { DatedAmount, Unit, UnitPeriod } from './unit-period.ts';

export type Apr = {
  /** Ten decimals, half-up. */
  readonly aprPercent: string;
  readonly amountFinanced: Cents;
  readonly financeCharge: Cents;
  readonly totalOfPayments: Cents;
  readonly unitPeriod: UnitPeriod;
  /** 52 ÷ 2 for two weeks, 365 ÷ 255 for a term of 255 days. */
  readonly unitPeriodsPerYear: { readonly numerator: number; readonly denominator: number };
  /** Rate of one unit-period, ten decimals: × the unit-periods of a year it is the APR. */
  readonly unitPeriodPercent: string;
  /** From the beginning of the term to the first payment; the fraction is less than 1, with ten decimals, half-up. */
  readonly firstPaymentUnitPeriods: { readonly full: number; readonly fraction: string };
};

type AprInput = {
  readonly advances: readonly DatedAmount[];
  readonly payments: readonly DatedAmount[];
  /** Null: found by (b)(4). */
  readonly unitPeriod: UnitPeriod | null;
};

/** More payments than a century of weeks has. */
export const MAX_APR_PAYMENTS = 12_000;

export function apr(input: AprInput): Apr | Refusal {
  const advances = byDate(input.advances, 'advances');
  if (isRefusal(advances)) return advances;
  const payments = byDate(input.payments, 'payments');
  if (isRefusal(payments)) return payments;
  const given = input.unitPeriod === null ? null : checkUnitPeriod(input.unitPeriod);
  if (isRefusal(given)) return given;
  const [firstAdvance, firstPayment] = [advances[0] as DatedAmount, payments[0] as DatedAmount];
  const [lastAdvance, lastPayment] = [advances.at(-1) as DatedAmount, payments.at(-1) as DatedAmount];
  const start = firstAdvance.date < firstPayment.date ? firstAdvance.date : firstPayment.date;
  const end = lastAdvance.date > lastPayment.date ? lastAdvance.date : lastPayment.date;
  if (start === end) return refuse('no_solution', 'The advances and the payments are on the same date.');

  const amountFinanced = totalOf(advances);
  const totalOfPayments = totalOf(payments);
  if (amountFinanced === null || totalOfPayments === null) {
    return refuse('invalid_value', 'The amounts are too large.');
  }
  const financeCharge = cents(totalOfPayments - amountFinanced);
  if (financeCharge < 0) {
    return refuse('no_solution', 'The payments add up to less than the advances, so there is no finance charge.', {
      facts: { amountFinanced, totalOfPayments },
    });
  }

  // (b)(5)(vi) and (vii): the one payment of a term below a year comes after one unit-period, the term.
  const term = given === null && advances.length === 1 && payments.length === 1 ? shortTerm(start, end) : null;
  const unitPeriod = given ?? term ?? findUnitPeriod(start, advances, payments);
  const count = (list: readonly DatedAmount[]): Count[] =>
    term === null
      ? countAll(start, list, unitPeriod)
      : list.map(({ date }) => ({ full: date === start ? 0 : 1, part: 0, parts: 1 }));
  const paymentCounts = count(payments);
  const flows = [...toFlows(advances, count(advances), 1), ...toFlows(payments, paymentCounts, -1)];
  const rate = financeCharge === 0 ? { value: 0n, bits: 0 } : solved((work) => leastRate(mergeFlows(flows), 1, work));
  if (isRefusal(rate)) return rate;
  if (rate === null) {
    return refuse('no_solution', 'No rate solves for these advances and payments.', {
      facts: { amountFinanced, totalOfPayments },
    });
  }
  const perYear = unitPeriodsPerYear(unitPeriod);
  const one = 1n << BigInt(rate.bits);
  const hundred = rate.value * 100n;
  const first = paymentCounts[0] as Count;
  return {
    aprPercent: tenDecimals(hundred * BigInt(perYear.numerator), one * BigInt(perYear.denominator)),
    amountFinanced,
    financeCharge,
    totalOfPayments,
    unitPeriod,
    unitPeriodsPerYear: perYear,
    unitPeriodPercent: tenDecimals(hundred, one),
    firstPaymentUnitPeriods: { full: first.full, fraction: tenDecimals(BigInt(first.part), BigInt(first.parts)) },
  };
}

/** Amounts of one date are one advance or payment; amounts of zero are none. */
function byDate(list: readonly DatedAmount[], member: string): DatedAmount[] | Refusal {
  if (list.length > MAX_APR_PAYMENTS) return tooMany(member);
  const sorted = [...list].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const merged: DatedAmount[] = [];
  for (const { date, amount } of sorted) {
    if (amount < 0) return refuse('invalid_value', 'Amounts must not be negative.', { member });
    if (amount === 0) continue;
    const last = merged.at(-1);
    if (last?.date !== date) merged.push({ date, amount });
    else if (Number.isSafeInteger(last.amount + amount))
      merged[merged.length - 1] = { date, amount: cents(last.amount + amount) };
    else return refuse('invalid_value', 'The amounts are too large.', { member });
  }
  return merged.length > 0 ? merged : refuse('required', `At least one amount is required in ${member}.`, { member });
}

function tooMany(member: string): Refusal {
  return refuse('invalid_value', `At most ${MAX_APR_PAYMENTS} ${member} are accepted.`, {
    member,
    facts: { most: MAX_APR_PAYMENTS },
  });
}

function totalOf(list: readonly DatedAmount[]): Cents | null {
  let total: number = ZERO;
  for (const { amount } of list) {
    total += amount;
    if (!Number.isSafeInteger(total)) return null;
  }
  return cents(total);
}

function toFlows(list: readonly DatedAmount[], counts: readonly Count[], sign: 1 | -1): Flow[] {
  return list.map(({ amount }, k) => ({ ...(counts[k] as Count), amount: BigInt(amount * sign) }));
}

export type PaymentRun = {
  readonly firstDate: PlainDate;
  readonly count: number;
  readonly amount: Cents;
  /** Ignored when there is one payment. */
  readonly every: UnitPeriod | null;
};

/** Payments by date. Months and years keep the first date's day; semimonths are pairs as `stepDate` makes them. */
export function expandRuns(runs: readonly PaymentRun[]): DatedAmount[] | Refusal {
  const payments: DatedAmount[] = [];
  for (const [k, { firstDate, count, amount, every }] of runs.entries()) {
    const member = `payments.${k}`;
    if (!Number.isInteger(count) || count < 1) {
      return refuse('invalid_value', 'The count must be at least 1.', { member: `${member}.count` });
    }
    if (payments.length + count > MAX_APR_PAYMENTS) return tooMany('payments');
    if (count === 1) {
      payments.push({ date: firstDate, amount });
      continue;
    }
    if (every === null) {
      return refuse('required', 'A run of several payments needs the interval between them.', {
        member: `${member}.every`,
      });
    }
    if (!Number.isInteger(every.multiple) || every.multiple < 1 || every.multiple > 1_000) {
      return refuse('invalid_value', 'The multiple must be a whole number from 1 to 1000.', {
        member: `${member}.every`,
      });
    }
    // Checked before any date is computed: dates end with the year 2199.
    if (parts(firstDate)[0] + ((count - 1) * every.multiple) / STEPS_A_YEAR[every.unit] >= 2199) {
      return refuse('invalid_value', 'The payments must end by the year 2199.', { member });
    }
    for (let n = 0; n < count; n++) payments.push({ date: stepBy(firstDate, every, n), amount });
  }
  return payments.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

const STEPS_A_YEAR: Readonly<Record<Unit, number>> = { day: 365, week: 52, semimonth: 24, month: 12, year: 1 };

function stepBy(first: PlainDate, { unit, multiple }: UnitPeriod, n: number): PlainDate {
  switch (unit) {
    case 'day':
      return addDays(first, n * multiple);
    case 'week':
      return addDays(first, n * multiple * 7);
    case 'semimonth':
      return stepDate(first, 'SemiMonthly', n * multiple);
    case 'month':
      return addMonths(first, n * multiple);
    case 'year':
      return addMonths(first, n * multiple * 12);
  }
}
