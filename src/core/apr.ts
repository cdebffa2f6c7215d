/**
 * The annual percentage rate by the actuarial method of Regulation Z, 12 CFR 1026 Appendix J. Paragraph numbers below are the appendix's.
 * The rate of a unit-period is the one at which advances and payments, each brought to the beginning of the term, are worth the same (b)(8):
 *
 *     Σ A ÷ [(1 + e·i)(1 + i)^q]  =  Σ P ÷ [(1 + f·i)(1 + i)^t]
 *
 * with q and t full unit-periods and e and f the fraction of one left over; the APR is that rate × the unit-periods of a year (b)(1).
 *
 * Where the appendix leaves a choice:
 * - The term begins on the earliest date given, advance or payment (b)(2), (c)(7)(ii).
 * - Every date is measured by itself, as (b)(5) says. With semimonths the fraction may therefore differ between the two dates of a month
 *   when the first period is odd; software that measures the first payment only and then counts on differs there by a few hundredths.
 * - A single payment in less than a year that is a whole number of months away has 12 ÷ months unit-periods a year; (b)(5)(vi) would
 *   also allow 365 ÷ days.
 * - An APR measures the cost of credit (1026.22(a)(1)). Payments that add up to less than the advances have no cost to measure, and the
 *   answer is a refusal, not a negative rate. Payments that add up to just the advances give 0.
 */
import {
  addDays,
  addMonths,
  dayNumber,
  daysBetween,
  daysInMonth,
  lastOfMonth,
  type PlainDate,
  parts,
  stepDate,
} from './calendar.ts';
import { type Flow, leastRate, mergeFlows, tenDecimals } from './discount.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';

export type Unit = 'day' | 'week' | 'semimonth' | 'month' | 'year';
/** Twelve months are a year. A multiple of days is not a standard interval; it is a common period of so many days, or a whole term. */
export type UnitPeriod = { readonly unit: Unit; readonly multiple: number };
export type DatedAmount = { readonly date: PlainDate; readonly amount: Cents };

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
  if (start === end) return refuse('no_solution', 'There is no time between the advances and the payments.');

  const amountFinanced = totalOf(advances);
  const totalOfPayments = totalOf(payments);
  if (amountFinanced === null || totalOfPayments === null) {
    return refuse('invalid_value', 'The amounts add up to more than the engine counts.');
  }
  const financeCharge = cents(totalOfPayments - amountFinanced);
  if (financeCharge < 0) {
    return refuse('no_solution', 'The payments add up to less than the advances: there is no finance charge to rate.', {
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
  const rate = financeCharge === 0 ? { value: 0n, bits: 0 } : leastRate(mergeFlows(flows), 1);
  if (rate === null) {
    return refuse('no_solution', 'No rate makes the payments worth the advances.', {
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
    if (amount < 0) return refuse('invalid_value', 'An amount is negative.', { member });
    if (amount === 0) continue;
    const last = merged.at(-1);
    if (last?.date !== date) merged.push({ date, amount });
    else if (Number.isSafeInteger(last.amount + amount))
      merged[merged.length - 1] = { date, amount: cents(last.amount + amount) };
    else return refuse('invalid_value', 'The amounts add up to more than the engine counts.', { member });
  }
  return merged.length > 0 ? merged : refuse('required', `There are no ${member}.`, { member });
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

/** The term of a single payment when it is less than a year, else null. */
function shortTerm(start: PlainDate, end: PlainDate): UnitPeriod | null {
  if (end >= addMonths(start, 12)) return null;
  const months = wholeMonths(start, end);
  return months > 0 ? { unit: 'month', multiple: months } : { unit: 'day', multiple: daysBetween(start, end) };
}

const YEAR: UnitPeriod = { unit: 'year', multiple: 1 };

function checkUnitPeriod({ unit, multiple }: UnitPeriod): UnitPeriod | Refusal {
  const most: Readonly<Record<Unit, number>> = { day: 365, week: 52, semimonth: 1, month: 12, year: 1 };
  if (!Number.isInteger(multiple) || multiple < 1 || multiple > most[unit]) {
    return refuse('invalid_value', `A unit-period is at most one year: 1 to ${most[unit]} of ${unit}.`, {
      member: 'unitPeriod',
    });
  }
  return unit === 'month' && multiple === 12 ? YEAR : { unit, multiple };
}

function unitPeriodsPerYear({ unit, multiple }: UnitPeriod): { numerator: number; denominator: number } {
  const inYear: Readonly<Record<Unit, number>> = { day: 365, week: 52, semimonth: 24, month: 12, year: 1 };
  return { numerator: inYear[unit], denominator: multiple };
}

/**
 * Whole months between two dates, or 0 (b)(3)(iv): the same day of another month, a month's last day standing in for the 29th, 30th and
 * 31st that it does not have, and last day to last day.
 */
function wholeMonths(from: PlainDate, to: PlainDate): number {
  const [y1, m1, d1] = parts(from);
  const [y2, m2, d2] = parts(to);
  const months = (y2 - y1) * 12 + (m2 - m1);
  if (months < 1) return 0;
  const fromLast = d1 === daysInMonth(y1, m1);
  const toLast = d2 === daysInMonth(y2, m2);
  return d1 === d2 || (fromLast && (toLast || d2 > d1)) || (toLast && d1 > d2) ? months : 0;
}

/** How often a period occurs: by months, by semimonths, or by days. `asMonths`: how many of them are whole months as well. */
type Tally = { unitPeriod: UnitPeriod; days: number; count: number; asMonths: number };

/**
 * (b)(4)(i): the common period that occurs most often, up to a year; of equals the smaller. No common period: the average of all periods,
 * to the nearest standard interval, of equals the lower.
 */
function findUnitPeriod(
  start: PlainDate,
  advances: readonly DatedAmount[],
  payments: readonly DatedAmount[],
): UnitPeriod {
  const tallies = new Map<string, Tally>();
  let periods = 0;
  let days = 0;
  const tally = (unitPeriod: UnitPeriod, length: number, asMonths = 0) => {
    const key = `${unitPeriod.unit} ${unitPeriod.multiple}`;
    const known = tallies.get(key);
    if (known === undefined) tallies.set(key, { unitPeriod, days: length, count: 1, asMonths });
    else {
      known.count += 1;
      known.asMonths += asMonths;
    }
  };
  for (const list of [advances, payments]) {
    // (b)(3)(i): the first period begins with the term, unless the first advance or payment does.
    const dates = list.map(({ date }) => date);
    if (dates[0] !== start) dates.unshift(start);
    const lengths = dates.slice(1).map((date, k) => daysBetween(dates[k] as PlainDate, date));
    const halves = halfMonths(dates, lengths);
    for (let k = 0; k < lengths.length; k++) {
      const length = lengths[k] as number;
      periods += 1;
      const months = wholeMonths(dates[k] as PlainDate, dates[k + 1] as PlainDate);
      // Months are considered equal, so whole months are averaged as such.
      days += months > 0 ? Math.floor(months / 12) * 365 + (months % 12) * 30 : length;
      if (months > 0) tally({ unit: 'month', multiple: months }, months * 30);
      if (halves[k]) tally({ unit: 'semimonth', multiple: 1 }, 15);
      // Counted by days too: of periods of four weeks, the one from 1 February to 1 March is a month as well.
      tally({ unit: 'day', multiple: length }, length, months > 0 ? 1 : 0);
    }
  }
  // A number of days that is always whole months too is not a period of its own.
  const common = [...tallies.values()].filter(({ count, asMonths }) => count > 1 && asMonths < count);
  const best = common
    .filter(({ unitPeriod: { unit, multiple } }) => (unit === 'month' ? multiple <= 12 : multiple <= 365))
    .sort((a, b) => b.count - a.count || a.days - b.days || RANK[a.unitPeriod.unit] - RANK[b.unitPeriod.unit])[0];
  if (best !== undefined) return standard(best.unitPeriod);
  return common.length > 0 ? YEAR : nearestStandard(days, periods);
}

/** Of two names for one length of time, the calendar's. */
const RANK: Readonly<Record<Unit, number>> = { month: 0, year: 0, semimonth: 1, week: 2, day: 3 };

/** Which intervals are halves of a month: two in a row that make one month, thirteen to eighteen days each (1st and 15th, 15th and last). */
function halfMonths(dates: readonly PlainDate[], lengths: readonly number[]): boolean[] {
  const halves = lengths.map(() => false);
  const half = (length: number | undefined) => length !== undefined && length >= 13 && length <= 18;
  for (let k = 1; k < lengths.length; k++) {
    if (!half(lengths[k - 1]) || !half(lengths[k])) continue;
    if (wholeMonths(dates[k - 1] as PlainDate, dates[k + 1] as PlainDate) === 1) halves[k - 1] = halves[k] = true;
  }
  return halves;
}

function standard({ unit, multiple }: UnitPeriod): UnitPeriod {
  if (unit === 'month' && multiple === 12) return YEAR;
  return unit === 'day' && multiple % 7 === 0 ? { unit: 'week', multiple: multiple / 7 } : { unit, multiple };
}

/** (b)(3)(iii), lower ones first, and of seven months and thirty weeks (210 days) the months. */
const STANDARD_INTERVALS: readonly { readonly unitPeriod: UnitPeriod; readonly days: number }[] = [
  { unitPeriod: { unit: 'day', multiple: 1 } as UnitPeriod, days: 1 },
  { unitPeriod: { unit: 'semimonth', multiple: 1 } as UnitPeriod, days: 15 },
  ...Array.from({ length: 11 }, (_, k) => ({
    unitPeriod: { unit: 'month', multiple: k + 1 } as UnitPeriod,
    days: 30 * (k + 1),
  })),
  ...Array.from({ length: 52 }, (_, k) => ({
    unitPeriod: { unit: 'week', multiple: k + 1 } as UnitPeriod,
    days: 7 * (k + 1),
  })),
  { unitPeriod: YEAR, days: 365 },
].sort((a, b) => a.days - b.days);

function nearestStandard(days: number, periods: number): UnitPeriod {
  let nearest = STANDARD_INTERVALS[0] as (typeof STANDARD_INTERVALS)[number];
  for (const interval of STANDARD_INTERVALS) {
    if (Math.abs(interval.days * periods - days) < Math.abs(nearest.days * periods - days)) nearest = interval;
  }
  return nearest.unitPeriod;
}

/** Full unit-periods, and `part / parts` (less than 1) of another. */
type Count = { readonly full: number; readonly part: number; readonly parts: number };

/** (b)(5)(ii) to (v): unit-periods from the beginning of the term to each date of a series. */
function countAll(start: PlainDate, list: readonly DatedAmount[], { unit, multiple }: UnitPeriod): Count[] {
  if (unit === 'day' || unit === 'week') {
    const from = dayNumber(start);
    const length = unit === 'week' ? multiple * 7 : multiple;
    return list.map(({ date }) => toCount(dayNumber(date) - from, length));
  }
  const kept = keptDays(list, unit === 'semimonth' ? 2 : 1);
  const back = monthsBack(start);
  const counts = list.map(({ date }, k): Count => {
    const { months, days } = back(date, kept[k] as number);
    if (unit === 'semimonth') return toCount(months * 30 + days, 15);
    if (unit === 'month') return toCount(months * 30 + days, multiple * 30);
    const whole = wholeMonths(start, date) || (days === 0 ? months : 0);
    if (whole > 0) return { full: Math.floor(whole / 12), part: whole % 12, parts: 12 };
    const full = Math.floor(months / 12);
    const rest = daysBetween(start, addMonths(date, -12 * full, kept[k] as number));
    // A year less a day may have 365 days: (1 + 365/365·i) is 1 + i, one more full year.
    return rest === 365 ? { full: full + 1, part: 0, parts: 365 } : { full, part: rest, parts: 365 };
  });
  return unit === 'semimonth' ? evenly(list, counts) : counts;
}

/**
 * Payments of a regular series of half months are one unit-period apart, as in the regulation's own equation for a single advance with an
 * odd first period ((c)(1)): the first one's fraction is that of all. Measured each by itself, the 1st and the 16th would alternate.
 */
function evenly(list: readonly DatedAmount[], counts: readonly Count[]): Count[] {
  const dates = list.map(({ date }) => date);
  const halves = halfMonths(
    dates,
    dates.slice(1).map((date, k) => daysBetween(dates[k] as PlainDate, date)),
  );
  const even = [...counts];
  halves.forEach((half, k) => {
    const before = even[k] as Count;
    if (half) even[k + 1] = { ...before, full: before.full + 1 };
  });
  return even;
}

/** A rest of 30 days is a month: (1 + 30/30·i) is 1 + i. */
function toCount(days: number, length: number): Count {
  const full = Math.floor(days / length);
  return { full, part: days - full * length, parts: length };
}

/**
 * Months measured back from the later date, and the days left over, counted forward from the beginning of the term to where the first full
 * month begins. All dates that keep the same day of the month have the same days left over.
 */
function monthsBack(start: PlainDate): (date: PlainDate, day: number) => { months: number; days: number } {
  const [startYear, startMonth, startDay] = parts(start);
  const last = daysInMonth(startYear, startMonth);
  const restByDay: ({ less: number; days: number } | undefined)[] = [];
  return (date, day) => {
    let rest = restByDay[day];
    if (rest === undefined) {
      const inMonth = Math.min(day, last);
      rest =
        inMonth >= startDay
          ? { less: 0, days: inMonth - startDay }
          : { less: 1, days: daysBetween(start, addMonths(start, 1, day)) };
      restByDay[day] = rest;
    }
    const [year, month] = parts(date);
    return { months: (year - startYear) * 12 + (month - startMonth) - rest.less, days: rest.days };
  };
}

/**
 * The day of the month each date stands for (b)(3)(iv): in a series for the 29th, 30th, 31st or the last day, a shorter month's last day
 * stands for the day the series keeps. A series is dates whole months apart (every other one of semimonths).
 */
function keptDays(list: readonly DatedAmount[], stride: 1 | 2): number[] {
  const kept = list.map(({ date }) => parts(date)[2]);
  for (let offset = 0; offset < stride; offset++) {
    for (let from = offset; from < list.length; ) {
      let to = from;
      let day = kept[from] as number;
      while (to + stride < list.length && wholeMonths(dateAt(list, to), dateAt(list, to + stride)) > 0) {
        to += stride;
        day = Math.max(day, kept[to] as number);
      }
      const stands = (k: number) => kept[k] === day || (dateAt(list, k) === lastOfMonth(dateAt(list, k)) && day > 28);
      let isSeries = true;
      for (let k = from; k <= to; k += stride) isSeries &&= stands(k);
      if (isSeries) for (let k = from; k <= to; k += stride) kept[k] = day;
      from = to + stride;
    }
  }
  return kept;
}

function dateAt(list: readonly DatedAmount[], k: number): PlainDate {
  return (list[k] as DatedAmount).date;
}

export type PaymentRun = {
  readonly firstDate: PlainDate;
  readonly count: number;
  readonly amount: Cents;
  /** Not looked at when there is one payment. */
  readonly every: UnitPeriod | null;
};

/** Payments by date. Months and years keep the first date's day; semimonths are pairs as `stepDate` makes them. */
export function expandRuns(runs: readonly PaymentRun[]): DatedAmount[] | Refusal {
  const payments: DatedAmount[] = [];
  for (const [k, { firstDate, count, amount, every }] of runs.entries()) {
    const member = `payments.${k}`;
    if (!Number.isInteger(count) || count < 1) {
      return refuse('invalid_value', 'A run has at least one payment.', { member: `${member}.count` });
    }
    if (payments.length + count > MAX_APR_PAYMENTS) return tooMany('payments');
    if (count === 1) {
      payments.push({ date: firstDate, amount });
      continue;
    }
    if (every === null) {
      return refuse('required', 'A run of several payments says how far apart they are.', {
        member: `${member}.every`,
      });
    }
    if (!Number.isInteger(every.multiple) || every.multiple < 1 || every.multiple > 1_000) {
      return refuse('invalid_value', 'A multiple is a whole number from 1 to 1000.', { member: `${member}.every` });
    }
    // Checked before any date is made: dates end with the year 2199.
    if (parts(firstDate)[0] + ((count - 1) * every.multiple) / STEPS_A_YEAR[every.unit] >= 2199) {
      return refuse('invalid_value', 'The run goes on after the year 2199.', { member });
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
