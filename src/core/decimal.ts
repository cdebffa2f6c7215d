/** Decimals as text: exact parsing, amounts grouped by thousands, rounded ratios. Nothing here becomes a floating-point number. */
import { type Cents, divide } from './money.ts';

/** `digits / 10^scale`, of any sign. */
export type ExactDecimal = { readonly digits: bigint; readonly scale: number };

/** A sign, at most 20 digits (with thousands separators in their places or without), at most 20 decimals. Null for anything else. */
export function parseExactDecimal(text: string): ExactDecimal | null {
  const match = /^(-?)(\d{1,20}|\d{1,3}(?:,\d{3}){1,6})(?:\.(\d{1,20}))?$/.exec(text);
  if (match === null) return null;
  const decimals = withoutZerosAtEnd(match[3] ?? '');
  const digits = BigInt((match[2] as string).replaceAll(',', '') + decimals);
  return { digits: match[1] === '-' ? -digits : digits, scale: decimals.length };
}

/** Digits without the zeros at their end. In a loop: `/0+$/` takes a time that grows with the square of zeros elsewhere. */
export function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** "7.50" as "7.5" and "7.00" as "7"; a number without a point stays as it is. */
export function shortestDecimal(text: string): string {
  if (!text.includes('.')) return text;
  const short = withoutZerosAtEnd(text);
  return short.endsWith('.') ? short.slice(0, -1) : short;
}

// A record has some hundred amounts: from tables each takes a fraction of what padding and slicing take.
const THOUSANDTHS = Array.from({ length: 1000 }, (_, i) => `,${String(i).padStart(3, '0')}`);
const HUNDREDTHS = Array.from({ length: 100 }, (_, i) => (i === 0 ? '' : `.${String(i).padStart(2, '0')}`));

/** "28,875" and "29,163.75": whole amounts show no decimals, all others two. `plain` leaves the separators out. */
export function amountText(amount: Cents, plain = false): string {
  const cents = amount < 0 ? -amount : amount;
  const rest = cents % 100;
  const text = countText((cents - rest) / 100, plain) + HUNDREDTHS[rest];
  return amount < 0 ? `-${text}` : text;
}

/** "1,136": a whole number. */
export function countText(count: number, plain = false): string {
  if (plain || (count < 1000 && count > -1000)) return String(count);
  if (count < 0) return `-${countText(-count)}`;
  const rest = count % 1000;
  return countText((count - rest) / 1000, false) + THOUSANDTHS[rest];
}

/** An amount that is already formatted except for the separators. */
export function groupedText(text: string, plain: boolean): string {
  if (plain) return text;
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/s.exec(text) ?? [];
  return whole.length > 3 ? sign + countText(Number(whole), false) + rest : text;
}

/** At most this many decimals, half away from zero, without trailing zeros. */
export function roundedText({ digits, scale }: ExactDecimal, decimals: number): string {
  const kept = Math.min(scale, decimals);
  const rounded = divide(digits, 10n ** BigInt(scale - kept), 'half-up');
  const size = rounded < 0n ? -rounded : rounded;
  const text = String(size).padStart(kept + 1, '0');
  const shown = kept === 0 ? text : shortestDecimal(`${text.slice(0, -kept)}.${text.slice(-kept)}`);
  return rounded < 0n ? `-${shown}` : shown;
}

/**
 * A ratio (payment to income, debt to income, loan to value) as a fraction with at most six decimals. Lenders write them either way:
 * up to 2 it is a fraction, above 2 or with a percent sign a percentage. '' when the text is neither.
 */
export function ratioText(text: string): string {
  const ratio = parseRatio(text);
  if (ratio === null) return '';
  return roundedText(isPercentage(text, ratio) ? { ...ratio, scale: ratio.scale + 2 } : ratio, 6);
}

/** A longer text is not a figure: no pattern is applied to it. */
export const LONGEST_FIGURE = 64;

/** Without a pattern: `/\s*%$/` takes a time that grows with the square of the white space before the end. */
export function withoutPercentSign(text: string): string {
  return text.endsWith('%') ? text.slice(0, -1).trimEnd() : text;
}

function parseRatio(text: string): ExactDecimal | null {
  if (text.length > LONGEST_FIGURE) return null;
  const ratio = parseExactDecimal(withoutPercentSign(text.trim()));
  return ratio === null || ratio.digits < 0n ? null : ratio;
}

function isPercentage(text: string, { digits, scale }: ExactDecimal): boolean {
  return text.includes('%') || digits > 2n * 10n ** BigInt(scale);
}
