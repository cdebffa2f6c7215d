/**
 * Rates as exact decimals, each kind a type of its own so that they cannot be mixed up: a `Percent` a year (7.25 means 7.25 %), a
 * `Fraction` (0.0725), and a `DailyRate`. Interest is principal × rate × time, multiplied first and rounded once.
 */
import type { YearFraction } from './calendar.ts';
import { shortestDecimal, withoutZerosAtEnd } from './decimal.ts';
import { type Cents, cents, mulDiv, type Rounding } from './money.ts';

type Decimal<K extends string> = { readonly kind: K; readonly digits: number; readonly scale: number };
/** A percentage a year, `digits / 10^scale`. */
export type Percent = Decimal<'percent'>;
/** The same as a fraction of one: 7.25 % is 0.0725. */
export type Fraction = Decimal<'fraction'>;
/** The interest of one day as an exact fraction of the principal. */
export type DailyRate = { readonly kind: 'daily'; readonly numerator: bigint; readonly denominator: bigint };

/** At most four digits before the point and eight after it: 9999.99999999. */
export function parsePercent(text: string): Percent | null {
  const digits = parseDecimal(text);
  return digits === null ? null : { kind: 'percent', ...digits };
}

export function percent(text: string): Percent {
  const parsed = parsePercent(text);
  if (parsed === null) throw new RangeError('Not a valid percentage.');
  return parsed;
}

function parseDecimal(text: string): { digits: number; scale: number } | null {
  const match = /^(\d{1,4})(?:\.(\d{1,8}))?$/.exec(text);
  if (match === null) return null;
  const decimals = withoutZerosAtEnd(match[2] ?? '');
  return { digits: Number(match[1] + decimals), scale: decimals.length };
}

export function toFraction(rate: Percent): Fraction {
  return { kind: 'fraction', digits: rate.digits, scale: rate.scale + 2 };
}

/** "7.25": without trailing zeros. */
export function formatDecimal({ digits, scale }: Percent | Fraction): string {
  if (scale === 0) return String(digits);
  const text = String(digits).padStart(scale + 1, '0');
  return shortestDecimal(`${text.slice(0, -scale)}.${text.slice(-scale)}`);
}

/** The most that interest and fees together may be a year while the borrower is in military service (50 USC 3937). */
export const SERVICE_LIMIT: Percent = { kind: 'percent', digits: 6, scale: 0 };

export function lowerPercent(a: Percent, b: Percent): Percent {
  return comparePercent(a, b) <= 0 ? a : b;
}

export function comparePercent(a: Percent, b: Percent): number {
  const scale = Math.max(a.scale, b.scale);
  const at = (rate: Percent) => BigInt(rate.digits) * 10n ** BigInt(scale - rate.scale);
  return at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0;
}

const POWERS = Array.from({ length: 16 }, (_, i) => 10 ** i);

/** 100 × 10^scale: the divisor of a percentage's digits. At most 10^10, so that × 133,590 stays a safe integer. */
export function percentDivisor(rate: Percent): number {
  return POWERS[rate.scale + 2] as number;
}

/** Interest on a principal over a part of a year, rounded once. */
export function interestOver(principal: Cents, rate: Percent, time: YearFraction, rounding: Rounding): Cents {
  if (principal === 0 || rate.digits === 0 || time.days === 0) return 0 as Cents;
  return cents(mulDiv(principal, rate.digits, time.days, percentDivisor(rate) * time.basis, rounding));
}

/** The rate of one day, for a per-diem that is shown or multiplied. */
export function dailyRate(rate: Percent, basis: number): DailyRate {
  return { kind: 'daily', numerator: BigInt(rate.digits), denominator: BigInt(percentDivisor(rate)) * BigInt(basis) };
}
