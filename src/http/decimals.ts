/** Decimal text: whole numbers read, amounts grouped by thousands, ratios rounded. Nothing here becomes a floating-point number. */
import { type ExactDecimal, parseExactDecimal } from '../core/irr.ts';
import { type Cents, divide } from '../core/money.ts';
import type { Holder, Reader } from './wire.ts';

/** "28,875" and "29,163.75": whole amounts show no decimals, all others two. `plain` leaves the separators out. */
export function amountText(amount: Cents, plain: boolean): string {
  const sign = amount < 0 ? '-' : '';
  const cents = amount < 0 ? -amount : amount;
  const rest = cents % 100;
  const whole = countText((cents - rest) / 100, plain);
  if (rest === 0) return sign + whole;
  return `${sign}${whole}.${rest < 10 ? '0' : ''}${rest}`;
}

/** "1,136": a whole number that is not negative. */
export function countText(count: number, plain: boolean): string {
  const digits = String(count);
  return plain || count < 1000 ? digits : grouped(digits);
}

function grouped(digits: string): string {
  let at = digits.length % 3 || 3;
  let text = digits.slice(0, at);
  for (; at < digits.length; at += 3) text += `,${digits.slice(at, at + 3)}`;
  return text;
}

/** Digits that already are as they are shown, but for the separators. */
export function groupedText(text: string, plain: boolean): string {
  if (plain) return text;
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/s.exec(text) ?? [];
  return whole.length > 3 ? sign + grouped(whole) + rest : text;
}

/** At most so many decimals, half away from zero, as short as it can be written. */
export function roundedText({ digits, scale }: ExactDecimal, decimals: number): string {
  const kept = Math.min(scale, decimals);
  const rounded = divide(digits, 10n ** BigInt(scale - kept), 'half-up');
  const size = rounded < 0n ? -rounded : rounded;
  const text = String(size).padStart(kept + 1, '0');
  const shown = kept === 0 ? text : `${text.slice(0, -kept)}.${text.slice(-kept)}`.replace(/\.?0+$/, '');
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

/** The same ratio rounded to whole percent, in the way it was written: 0.0873 is 0.09, and 8.73 is 9. */
export function wholePercentText(text: string): string {
  const ratio = parseRatio(text);
  if (ratio === null) return '';
  return roundedText(ratio, isPercentage(text, ratio) ? 0 : 2);
}

function parseRatio(text: string): ExactDecimal | null {
  const ratio = parseExactDecimal(text.trim().replace(/\s*%$/, ''));
  return ratio === null || ratio.digits < 0n ? null : ratio;
}

function isPercentage(text: string, { digits, scale }: ExactDecimal): boolean {
  return text.includes('%') || digits > 2n * 10n ** BigInt(scale);
}

/** A whole number within bounds, as a string or a JSON number; "36.0" is one too. What is wrong is noted and read as the lower bound. */
export function readWhole(
  read: Reader,
  holder: Holder,
  key: string,
  at: string,
  [least, most]: readonly [number, number],
): number {
  const text = String((holder as Readonly<Record<string, unknown>>)[key]);
  const number = /^(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.0+)?$/.test(text) ? Number(text.replaceAll(',', '')) : null;
  if (number === null) {
    read.note(`${at}/${key}`, { code: 'format', detail: `Must be a whole number from ${least} to ${most}.` });
  } else if (number < least || number > most) {
    read.note(`${at}/${key}`, { code: 'range', detail: `Must be from ${least} to ${most}.` });
  } else return number;
  return least;
}
