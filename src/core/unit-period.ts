/**
 * Unit-periods of Regulation Z, 12 CFR 1026 Appendix J: which one a series of advances and payments has, and how many of them lie
 * between two dates. Paragraph numbers are the appendix's.
 */
import { addMonths, dayNumber, daysBetween, daysInMonth, lastOfMonth, type PlainDate, parts } from './calendar.ts';
import type { Cents } from './money.ts';
import { type Refusal, refuse } from './refusal.ts';

export type Unit = 'day' | 'week' | 'semimonth' | 'month' | 'year';
/** Twelve months are a year. A multiple of days is not a standard interval; it is a common period of so many days, or a whole term. */
export type UnitPeriod = { readonly unit: Unit; readonly multiple: number };

export type DatedAmount = { readonly date: PlainDate; readonly amount: Cents };

/** The term of a single payment when it is less than a year, else null. */
export function shortTerm(start: PlainDate, end: PlainDate): UnitPeriod | null {
  if (end >= addMonths(start, 12)) return null;
  const months = wholeMonths(start, end);
  return months > 0 ? { unit: 'month', multiple: months } : { unit: 'day', multiple: daysBetween(start, end) };
}

const YEAR: UnitPeriod = { unit: 'year', multiple: 1 };

export function checkUnitPeriod({ unit, multiple }: UnitPeriod): UnitPeriod | Refusal {
  const most: Readonly<Record<Unit, number>> = { day: 365, week: 52, semimonth: 1, month: 12, year: 1 };
  if (!Number.isInteger(multiple) || multiple < 1 || multiple > most[unit]) {
    return refuse('invalid_value', `A unit-period must be at most one year: 1 to ${most[unit]} for the unit ${unit}.`, {
      member: 'unitPeriod',
    });
  }
  return unit === 'month' && multiple === 12 ? YEAR : { unit, multiple };
}

export function unitPeriodsPerYear({ unit, multiple }: UnitPeriod): { numerator: number; denominator: number } {
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

/** The number of times a period occurs: by months, by semimonths, or by days. `asMonths`: how many of them are whole months as well. */
type Tally = { unitPeriod: UnitPeriod; days: number; count: number; asMonths: number };

/**
 * (b)(4)(i): the common period that occurs most often, up to a year; of equals the smaller. No common period: the average of all periods,
 * to the nearest standard interval, of equals the lower.
 */
export function findUnitPeriod(
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

/** Preference between two names for one length of time: the calendar's. */
const RANK: Readonly<Record<Unit, number>> = { month: 0, year: 0, semimonth: 1, week: 2, day: 3 };

/**
 * Marks the intervals that are halves of a month: two in a row that make one month, thirteen to eighteen days each (1st and 15th, 15th and
 * last).
 */
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
export type Count = { readonly full: number; readonly part: number; readonly parts: number };

/** (b)(5)(ii) to (v): unit-periods from the beginning of the term to each date of a series. */
export function countAll(start: PlainDate, list: readonly DatedAmount[], { unit, multiple }: UnitPeriod): Count[] {
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

/** A remainder of 30 days is a month: (1 + 30/30·i) is 1 + i. */
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
