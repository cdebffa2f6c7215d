/**
 * The types of the named members of `Request`, `Response` and `Underwriting`, as the interface has them, and the other forms of a value that
 * are one without loss: the digits of a number where a string is expected, "6,500.00" where a number is, a date with other separators.
 * Everything else is a mistake. Text becomes text: no number is computed, so no digit is lost.
 */
import { parseDate } from '../core/calendar.ts';
import type { Mistake } from '../core/reader.ts';
import { type Span, scalarText, valueKind } from './json-source.ts';

export type Wrong = Omit<Mistake, 'pointer'>;

/** A form of a value that a type takes: JSON text of the type, null where the value stays to the letter, or what is wrong with it. */
type Form = (text: string) => string | null | Wrong;

export type ScalarType = {
  /** The value of a member that is absent or null. */
  readonly empty: '""' | 'null' | '0';
  readonly string: Form;
  /** Gets the number as it is written. */
  readonly number: Form;
  readonly boolean?: Form;
  /** The mistake of a value of any other JSON type. */
  readonly wrong: Wrong;
};

/** The JSON text that a value becomes; null: it stays to the letter. */
export function typedText(type: ScalarType, source: string, span: Span): string | null | Wrong {
  switch (valueKind(source, span.start)) {
    case 'string':
      return type.string === asItIs ? null : type.string(scalarText(source, span) ?? '');
    case 'number':
      return type.number(source.slice(span.start, span.end));
    case 'boolean':
      return type.boolean?.(source.slice(span.start, span.end)) ?? type.wrong;
    case 'null':
      return type.empty === 'null' ? null : type.empty;
    default:
      return type.wrong;
  }
}

export function isWrong(value: string | null | Wrong): value is Wrong {
  return typeof value === 'object' && value !== null;
}

// ---- strings ----

const asItIs: Form = () => null;

const NO_STRING: Wrong = { code: 'type', detail: 'Must be a string.' };

const digitsAsText: Form = (number) => {
  const digits = writtenOut(number);
  return digits === null
    ? { code: 'format', detail: 'Must be a string, or a number without an exponent.' }
    : `"${digits}"`;
};

export const TEXT: ScalarType = { empty: '""', string: asItIs, number: digitsAsText, wrong: NO_STRING };

export const TEXT_OR_NULL: ScalarType = {
  ...TEXT,
  empty: 'null',
  wrong: { code: 'type', detail: 'Must be a string or null.' },
};

/** CSV and documents: no number is one. */
export const ONLY_TEXT: ScalarType = { ...TEXT, number: () => NO_STRING };

/** `true` and `false` have a text of their own. */
export const FLAG: ScalarType = {
  ...TEXT,
  boolean: (word) => `"${word}"`,
  wrong: { code: 'type', detail: 'Must be a string such as "true", or true or false.' },
};

/** A number has lost the zeros it began with, so only one of full length is surely what was meant. */
const digitsOf = (count: number, inWords: string): ScalarType => ({
  ...TEXT,
  number: (digits) =>
    digits.length === count && ONLY_DIGITS.test(digits)
      ? `"${digits}"`
      : { code: 'format', detail: `Must be a string; a number must have exactly ${inWords} digits.` },
});

const ONLY_DIGITS = /^\d+$/;

export const SSN = digitsOf(9, 'nine');
export const ZIP = digitsOf(5, 'five');

// ---- dates ----

/** Longer texts are neither dates nor figures: no pattern is applied to them. */
const LONGEST = 64;

/** Year, month and day with one of the usual separators or none. */
const DATE = /^\d{4}(?:\d{4}|-\d\d-\d\d|\/\d\d\/\d\d|\.\d\d\.\d\d)$/;

/** YYYY-MM-DD; null: no such date. */
function dateIn(text: string): string | null {
  if (text.length > LONGEST) return null;
  const bare = text.trim();
  if (!DATE.test(bare)) return null;
  const digits = bare.replaceAll(/[-/.]/g, '');
  return parseDate(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`);
}

function dates(expected: string, written: (date: string) => string): ScalarType {
  const wrong = { code: 'format', detail: `Must be a string with a valid date in the form ${expected}.` };
  const form: Form = (text) => {
    const date = dateIn(text);
    if (date === null) return wrong;
    return `"${written(date)}"`;
  };
  return {
    empty: '""',
    string: (text) => (text === '' ? null : form(text)),
    number: form,
    wrong: { ...wrong, code: 'type' },
  };
}

export const BIRTH_DATE = dates('YYYYMMDD', (date) => date.replaceAll('-', ''));
export const DATE_TEXT = dates('YYYY-MM-DD', (date) => date);

/** With a space or a T; a fraction of a second must be zero, and an offset UTC's. */
const TIME = /^(\d{4}-\d\d-\d\d)[ T]([01]\d|2[0-3])(:[0-5]\d:[0-5]\d)(?:\.0{1,9})?(?:Z|[+-]00:00)?$/;

const NO_TIME: Wrong = {
  code: 'format',
  detail: 'Must be a string with a valid time in UTC and whole seconds, in the form YYYY-MM-DD HH:MM:SS.',
};

export const TIME_TEXT: ScalarType = {
  empty: '""',
  string: (text) => {
    if (text === '') return null;
    const [, date = '', hour = '', rest = ''] = TIME.exec(text.length > LONGEST ? '' : text.trim()) ?? [];
    return parseDate(date) === null ? NO_TIME : `"${date} ${hour}${rest}"`;
  },
  number: () => ({ ...NO_TIME, code: 'type' }),
  wrong: { ...NO_TIME, code: 'type' },
};

// ---- numbers ----

/** A sign, digits with thousands separators in their places or without, decimals, and an exponent as JSON has it. */
const NUMBER_TEXT = /^[+-]?(?:\d{1,40}|\d{1,3}(?:,\d{3}){1,12})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?$/;

const BEYOND: Wrong = { code: 'range', detail: 'Is too large to be read as a number.' };

function numbers(empty: '0' | 'null', expected: string): ScalarType {
  const detail = `Must be ${expected} such as 1234.5; a string must have nothing else in it, as "1,234.50".`;
  return {
    empty,
    string: (text) => {
      if (text === '') return empty;
      if (text.length > LONGEST || !NUMBER_TEXT.test(text)) return { code: 'format', detail };
      return numberIn(text);
    },
    // It is kept as it is written, but 1e999 is no number to most readers.
    number: (written) => (Number.isFinite(Number(written)) ? null : BEYOND),
    wrong: { code: 'type', detail },
  };
}

export const NUMBER = numbers('0', 'a number');
export const NUMBER_OR_NULL = numbers('null', 'null or a number');

/** The interface says only that it may be null. */
export const ANY_OR_NULL: ScalarType = {
  ...TEXT_OR_NULL,
  number: NUMBER.number,
  wrong: { code: 'type', detail: 'Must be a number, a string or null.' },
};

/** As JSON writes it: without a plus sign, separators and zeros in front. */
function numberIn(text: string): string {
  const bare = (text.startsWith('+') ? text.slice(1) : text).replaceAll(',', '');
  const sign = bare.startsWith('-') ? '-' : '';
  let first = sign.length;
  while (bare.charAt(first) === '0' && ONLY_DIGITS.test(bare.charAt(first + 1))) first += 1;
  return sign + bare.slice(first);
}

/** Zeros that an exponent may stand for. */
const MOST_ZEROS = 64;

/** A JSON number with all its digits and no exponent: 1e3 as 1000, everything else as it is written. Null: it would be too long. */
export function writtenOut(number: string): string | null {
  const at = number.search(/[eE]/);
  if (at === -1) return number;
  const [whole = '', part = ''] = number.slice(number.startsWith('-') ? 1 : 0, at).split('.');
  const shift = Number(number.slice(at + 1));
  const digits = whole + part;
  if (Math.abs(shift) > MOST_ZEROS || digits.length > MOST_ZEROS) return null;
  const point = whole.length + shift;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits.padEnd(point, '0');
  const cut = Math.max(1, point);
  const decimals = padded.slice(cut);
  const text = numberIn(padded.slice(0, cut)) + (decimals === '' ? '' : `.${decimals}`);
  return number.startsWith('-') ? `-${text}` : text;
}
