/**
 * Money is whole cents in a `number` that is always a safe integer; a product that could pass 2^53 is computed in bigint.
 * Nothing here is floating point: the only division is `mulDiv`, which multiplies first, divides once and rounds once.
 */
declare const unit: unique symbol;
export type Cents = number & { readonly [unit]: 'cents' };
export type Rounding = 'half-up' | 'half-even';

export const ZERO = 0 as Cents;

/** The largest amount a caller may give: 15 digits, two of them cents. */
export const MAX_CENTS = 999_999_999_999_999 as Cents;

/** A calculation exceeded the safe integers: its inputs were unrealistic, such as a trillion at 9,999 % for a century. */
export class AmountOutOfRange extends RangeError {
  override name = 'AmountOutOfRange';
}

export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new AmountOutOfRange('The amounts are too large.');
  // -0 would print as "-0.00" somewhere.
  return (value + 0) as Cents;
}

export function add(...amounts: readonly Cents[]): Cents {
  let total = 0;
  for (const amount of amounts) total += amount;
  return cents(total);
}

export function subtract(from: Cents, amount: Cents): Cents {
  return cents(from - amount);
}

export function least(a: Cents, b: Cents): Cents {
  return a < b ? a : b;
}

/** `a × b × c ÷ d`, exact until the one rounding at the end. All are whole numbers, `d` is positive. */
export function mulDiv(a: number, b: number, c: number, d: number, rounding: Rounding): number {
  const product = a * b * c;
  // Below 2^53 every step so far was exact; the quotient may be off by one and the remainder corrects it.
  if (product <= Number.MAX_SAFE_INTEGER && product >= 0) {
    let quotient = Math.floor(product / d);
    let rest = product - quotient * d;
    if (rest < 0) {
      quotient -= 1;
      rest += d;
    } else if (rest >= d) {
      quotient += 1;
      rest -= d;
    }
    const twice = rest * 2;
    if (twice > d || (twice === d && (rounding === 'half-up' || quotient % 2 === 1))) quotient += 1;
    return quotient;
  }
  return Number(divide(BigInt(a) * BigInt(b) * BigInt(c), BigInt(d), rounding));
}

/** Rounds a rational to a whole number. Half-up is away from zero, so that an amount and its negative round alike. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator < 0n) return divide(-numerator, -denominator, rounding);
  if (numerator < 0n) return -divide(-numerator, denominator, rounding);
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && (rounding === 'half-up' || quotient % 2n === 1n));
  return up ? quotient + 1n : quotient;
}

/** Parts in proportion to the weights that sum to the whole: the rounding remainder goes to the largest remainders, first ones first. */
export function split(total: Cents, weights: readonly number[]): Cents[] {
  const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n);
  if (sum <= 0n || weights.some((weight) => weight < 0)) throw new RangeError('The weights must be positive.');
  const sign = total < 0 ? -1n : 1n;
  const whole = BigInt(total) * sign;
  const parts = weights.map((weight) => (whole * BigInt(weight)) / sum);
  let left = Number(whole - parts.reduce((all, part) => all + part, 0n));
  const order = weights
    .map((weight, i) => ({ i, rest: (whole * BigInt(weight)) % sum }))
    .sort((a, b) => (a.rest === b.rest ? a.i - b.i : a.rest > b.rest ? -1 : 1));
  for (const { i } of order) {
    if (left === 0) break;
    parts[i] = (parts[i] as bigint) + 1n;
    left -= 1;
  }
  return parts.map((part) => cents(Number(part * sign)));
}

/**
 * An amount as people and programs write it: digits, optional thousands separators in their right places, at most two decimals.
 * Null for anything else (signs, exponents, spaces, more than 15 digits).
 */
export function parseCents(text: string): Cents | null {
  const match = /^(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const amount = Number((match[1] as string).replaceAll(',', '') + (match[2] ?? '').padEnd(2, '0'));
  return amount >= 1e15 ? null : cents(amount);
}

/** "1234.56": plain, always two decimals. */
export function formatCents(amount: Cents): string {
  const text = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}
