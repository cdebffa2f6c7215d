/**
 * Speeds and yields. Every figure is an exact ratio of whole numbers until it is written as text, when it is rounded once, half away from
 * zero; only the root in an average over months is cut off, after thirty decimals.
 *
 * The relation of SMM and ABS follows from what ABS means: every month the same part of the original number of loans prepays. Of those that
 * are left after (age − 1) months, 1 − ABS × (age − 1) of the original, it is ABS ÷ (1 − ABS × (age − 1)).
 */
import { roundedText } from '../core/decimal.ts';

/** `over / under`; `under` is positive. */
export type Ratio = { readonly over: bigint; readonly under: bigint };

/** Null where there is nothing to measure on. */
export function ratio(over: bigint, under: bigint): Ratio | null {
  if (under === 0n) return null;
  return under < 0n ? { over: -over, under: -under } : { over, under };
}

export const whole = (number: bigint): Ratio => ({ over: number, under: 1n });

const less = (a: Ratio, b: Ratio): Ratio => ({ over: a.over * b.under - b.over * a.under, under: a.under * b.under });

const times = (a: Ratio, b: Ratio): Ratio => ({ over: a.over * b.over, under: a.under * b.under });

const plus = (a: Ratio, b: Ratio): Ratio => ({ over: a.over * b.under + b.over * a.under, under: a.under * b.under });

const per = (a: Ratio, b: Ratio): Ratio | null => ratio(a.over * b.under, a.under * b.over);

const ONE = whole(1n);

// ---- a month ----

/** The balance that could be prepaid: that of the beginning of the month, less the scheduled principal that was received. */
export type Exposure = { readonly opening: bigint; readonly scheduled: bigint; readonly unscheduled: bigint };

/** Single monthly mortality: what was paid ahead of schedule, of what was left after scheduled principal. Between 0 and 1. */
export function smmOf({ opening, scheduled, unscheduled }: Exposure): Ratio | null {
  const left = opening - scheduled;
  if (left <= 0n) return null;
  const paid = unscheduled < 0n ? 0n : unscheduled > left ? left : unscheduled;
  return ratio(paid, left);
}

/** A monthly rate as a yearly one: 1 − (1 − rate)^12. CPR of an SMM, conditional default rate of a monthly one. */
export function annualRate(monthly: Ratio): Ratio {
  const stays = less(ONE, monthly);
  return less(ONE, { over: stays.over ** 12n, under: stays.under ** 12n });
}

/** ABS speed of a month: SMM / (1 + SMM × (age − 1)), with the age in months at its end, at least 1. */
export function absOf(smm: Ratio, age: Ratio): Ratio | null {
  const before = less(age.over < age.under ? ONE : age, ONE);
  return per(smm, plus(ONE, times(smm, before)));
}

// ---- several months ----

/** The speeds of the months of a period, in order, and the age at the end of the first. */
export type Period = { readonly monthly: readonly Ratio[]; readonly firstAge: Ratio };

/** The constant monthly rate that leaves as much as these months together: 1 − (Π (1 − rate))^(1/n). */
export function averageMonthly(monthly: readonly Ratio[]): Ratio | null {
  if (monthly.length === 0) return null;
  return less(ONE, root(survival(monthly), monthly.length));
}

/** The constant ABS speed that leaves as much: with the survival S and the age a before the first of n months, (1 − S) / (a + n − S × a). */
export function averageAbs({ monthly, firstAge }: Period): Ratio | null {
  if (monthly.length === 0) return null;
  const left = survival(monthly);
  const before = less(firstAge.over < firstAge.under ? ONE : firstAge, ONE);
  return per(less(ONE, left), less(plus(before, whole(BigInt(monthly.length))), times(left, before)));
}

function survival(monthly: readonly Ratio[]): Ratio {
  return monthly.map((rate) => less(ONE, rate)).reduce(times, ONE);
}

const ROOT_DECIMALS = 30;

/** The n-th root of a ratio from 0 to 1, cut off after thirty decimals, by Newton's method on whole numbers. */
function root({ over, under }: Ratio, n: number): Ratio {
  const scale = 10n ** BigInt(ROOT_DECIMALS);
  if (n === 1) return { over, under };
  const [degree, target] = [BigInt(n), (over * scale ** BigInt(n)) / under];
  if (target === 0n) return whole(0n);
  let guess = scale;
  for (;;) {
    const next = ((degree - 1n) * guess + target / guess ** (degree - 1n)) / degree;
    if (next >= guess) return { over: guess, under: scale };
    guess = next;
  }
}

// ---- yield ----

/** A share of a month that counts, such as 15 of 30 days for the present one. */
export type MonthEarned = {
  readonly income: bigint;
  readonly twiceBalance: bigint;
  readonly days: number;
  readonly of: number;
};

/**
 * Income over average balance, for a year: Σ income × 12 ÷ Σ (average balance × share of the month). The average balance of a month is half of
 * what it began with and ended with.
 */
export function annualYield(months: readonly MonthEarned[]): Ratio | null {
  let base: Ratio = whole(0n);
  let income = 0n;
  for (const month of months) {
    income += month.income;
    base = plus(base, { over: month.twiceBalance * BigInt(month.days), under: BigInt(2 * month.of) });
  }
  return per(whole(income * 12n), base);
}

// ---- text ----

/** Percent with at most four decimals, half away from zero, without trailing zeros; null stays null. */
export function percentText(value: Ratio | null): string | null {
  return value === null ? null : decimalText({ over: value.over * 100n, under: value.under }, 4);
}

/** At most so many decimals, half away from zero. */
export function decimalText({ over, under }: Ratio, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const size = over < 0n ? -over : over;
  const rounded = (2n * size * scale + under) / (2n * under);
  return roundedText({ digits: over < 0n ? -rounded : rounded, scale: decimals }, decimals);
}
