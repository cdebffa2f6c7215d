/**
 * Values of an application as people and their systems write them: "$4,500.00", "4500", 4583.3333, " ", null. Of a string of the application
 * only the type is checked, so reading never throws: a value is given, absent, negative or unreadable.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';

export type ReadValue<T> =
  | { readonly is: 'given'; readonly value: T }
  | { readonly is: 'absent' | 'negative' | 'unreadable' };

const ABSENT = { is: 'absent' } as const;
const NEGATIVE = { is: 'negative' } as const;
const UNREADABLE = { is: 'unreadable' } as const;

/** Longer texts are not figures; the bound keeps the patterns below cheap. */
const LONGEST = 64;

/** A value's own member; undefined when there is none or the value is not an object. */
export function memberOf(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, name)
    ? (of as Record<string, unknown>)[name]
    : undefined;
}

/** A string or number as trimmed text; everything else is ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' && Number.isFinite(value) ? plainText(value) : '';
}

/** A number as a decimal without exponent: JSON numbers beyond 10^21 or below 10^-6 would be written with one. */
function plainText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(6) : text;
}

/** Dollars: with or without sign, currency, separators and decimals; more than two decimals are rounded half-up. */
export function amountOf(value: unknown): ReadValue<Cents> {
  const text = textOf(value);
  if (text === '') return isNothing(value) ? ABSENT : UNREADABLE;
  if (text.length > LONGEST) return UNREADABLE;
  const bare = withoutCurrency(text)
    .replaceAll('$', '')
    .replace(/^\((.*)\)$/, '-$1')
    .replace(/\s/g, '');
  const match = /^([+-]?)(\d{1,3}(?:,\d{3}){1,4}|\d{1,13})(?:\.(\d*))?$/.exec(bare);
  if (match === null) return UNREADABLE;
  const [, sign, whole = '', decimals = ''] = match;
  const size = Number(whole.replaceAll(',', '')) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0'));
  const rounded = size + (decimals.charAt(2) >= '5' ? 1 : 0);
  if (sign === '-' && rounded > 0) return NEGATIVE;
  return { is: 'given', value: cents(rounded) };
}

function withoutCurrency(text: string): string {
  const upper = text.toUpperCase();
  if (upper.startsWith('USD')) return text.slice(3).trimStart();
  return upper.endsWith('USD') ? text.slice(0, -3).trimEnd() : text;
}

/** A whole number, with separators or without; a fraction is cut off ("4.0" years, 12,345.6 miles). */
export function wholeOf(value: unknown): ReadValue<number> {
  const text = textOf(value);
  if (text === '') return isNothing(value) ? ABSENT : UNREADABLE;
  const match = /^([+-]?)(\d{1,3}(?:,\d{3}){1,3}|\d{1,9})(?:\.\d*)?$/.exec(text.length > LONGEST ? '' : text);
  if (match === null) return UNREADABLE;
  const size = Number((match[2] as string).replaceAll(',', ''));
  return match[1] === '-' && size > 0 ? NEGATIVE : { is: 'given', value: size };
}

/** YYYYMMDD or YYYY-MM-DD. */
export function dateOf(value: unknown): PlainDate | null {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(textOf(value));
  return match === null ? null : parseDate(`${match[1]}-${match[2]}-${match[3]}`);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
