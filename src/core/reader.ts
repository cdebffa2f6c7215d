/**
 * Parses request text into cents, rates and dates. Amounts and rates are JSON numbers or strings; in both cases the decimal text counts,
 * never the nearest binary fraction. A reader collects every mistake with its pointer, so that a caller sees them all at once; the calling
 * code decides what to do with them.
 */
import { type PlainDate, parseDate } from './calendar.ts';
import { type ExactDecimal, parseExactDecimal } from './decimal.ts';
import { type Cents, parseCents, ZERO } from './money.ts';
import { looksLikeSsn, looksPersonal } from './personal-text.ts';
import { type Percent, parsePercent, percent } from './rate.ts';

/** An invalid field of a request: where (a JSON pointer), which rule, and what is expected. Never the value itself. */
export type Mistake = { readonly pointer: string; readonly code: string; readonly detail: string };

/** All mistakes of a request; `detail` is for what concerns the request as a whole. */
export type Mistakes = { readonly mistakes: readonly Mistake[]; readonly detail?: string };

export function isMistakes(value: unknown): value is Mistakes {
  return typeof value === 'object' && value !== null && 'mistakes' in value;
}

/** An object or a list of the body, as it was parsed. */
type Holder = object;

const MAX_MISTAKES = 20;

const PERSONAL = {
  code: 'personal',
  detail: 'This looks like a social security number (nine digits), which would be shown and stored. Use another value.',
};

/**
 * Reads fields of a body whose types the schema has already checked. An invalid field is noted and read as a harmless value; values may be
 * used only if `isClean` is true.
 */
export class Reader {
  readonly #mistakes: Mistake[] = [];

  get isClean(): boolean {
    return this.#mistakes.length === 0;
  }

  get mistakes(): readonly Mistake[] {
    return this.#mistakes;
  }

  /** `at` is the pointer of the holder. */
  amount(holder: Holder, key: string | number, at: string): Cents {
    const text = decimalText(holder, key);
    const cents = parseCents(text);
    if (cents === null) this.note(`${at}/${key}`, amountMistake(text));
    return cents ?? ZERO;
  }

  positiveAmount(holder: Holder, key: string | number, at: string): Cents {
    const cents = this.amount(holder, key, at);
    if (cents === 0) this.note(`${at}/${key}`, { code: 'amount_zero', detail: 'The amount must be more than zero.' });
    return cents;
  }

  /** An amount with at most six decimals, as it is written but for thousands separators and zeros in front: forecasts are finer than cents. */
  fineAmount(holder: Holder, key: string | number, at: string): string {
    const text = decimalText(holder, key);
    const match = FINE_AMOUNT.exec(text);
    if (match === null) this.note(`${at}/${key}`, amountMistake(text, 'six'));
    return match === null ? '0' : `${BigInt((match[1] as string).replaceAll(',', ''))}${match[2] ?? ''}`;
  }

  percent(holder: Holder, key: string | number, at: string): Percent {
    const text = decimalText(holder, key);
    const rate = parsePercent(text);
    if (rate === null) this.note(`${at}/${key}`, percentMistake(text));
    return rate ?? percent('0');
  }

  /** A decimal of any sign, with up to twenty decimal places. */
  exactDecimal(holder: Holder, key: string | number, at: string): ExactDecimal {
    const text = decimalText(holder, key);
    const decimal = parseExactDecimal(text);
    const expected = 'a decimal number such as -1234.5, with at most 20 digits before the point and 20 after it';
    if (decimal === null) this.note(`${at}/${key}`, EXPONENT.test(text) ? exponent : format(expected));
    return decimal ?? { digits: 0n, scale: 0 };
  }

  /** A whole number within bounds; "36.0" is one too. An invalid value is noted and read as the lower bound. */
  whole(holder: Holder, key: string, at: string, [least, most]: readonly [number, number]): number {
    const text = String((holder as Readonly<Record<string, unknown>>)[key]);
    const number = /^(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.0+)?$/.test(text) ? Number(text.replaceAll(',', '')) : null;
    if (number === null) {
      this.note(`${at}/${key}`, { code: 'format', detail: `Must be a whole number from ${least} to ${most}.` });
    } else if (number < least || number > most) {
      this.note(`${at}/${key}`, { code: 'range', detail: `Must be from ${least} to ${most}.` });
    } else return number;
    return least;
  }

  date(holder: Holder, key: string | number, at: string): PlainDate {
    const date = parseDate(String((holder as Record<string, unknown>)[key]));
    if (date === null) {
      this.note(`${at}/${key}`, format('a valid date from 1900 to 2199 in the format YYYY-MM-DD'));
    }
    return date ?? ('1970-01-01' as PlainDate);
  }

  /** A caller's reference. One that looks like a social security number is refused: references are shown and stored. */
  reference(holder: Holder, key: string, at: string): string {
    const given = (holder as Readonly<Record<string, string | undefined>>)[key] ?? '';
    if (looksLikeSsn(given)) this.note(`${at}/${key}`, PERSONAL);
    return given;
  }

  /** A short text that is stored permanently in the ledger. */
  label(holder: Holder, key: string, at: string): string {
    const given = (holder as Readonly<Record<string, string | undefined>>)[key] ?? '';
    if (looksPersonal(given)) {
      const detail =
        'This looks like a personal number, date of birth or address, which would be stored permanently. Use another value.';
      this.note(`${at}/${key}`, { code: 'personal', detail });
    }
    return given;
  }

  note(pointer: string, mistake: Omit<Mistake, 'pointer'>): void {
    const known = this.#mistakes.some((one) => one.pointer === pointer);
    if (!known && this.#mistakes.length < MAX_MISTAKES) this.#mistakes.push({ pointer, ...mistake });
  }
}

export { looksLikeSsn };

// ---- the text of a number ----

/**
 * A reviver for `JSON.parse` that keeps the text of every number beside its value. Written by hand: the engine's own parser hands the text
 * to a reviver, so that no second JSON parser is needed. It costs a few microseconds per value.
 */
export function keepNumberText(this: object, key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  // V8 sometimes gives no source. The shortest text of the value is then the same number for up to 15 digits, and no amount has more.
  const text = context?.source ?? String(value);
  let members = numberTexts.get(this);
  if (members === undefined) {
    members = new Map();
    numberTexts.set(this, members);
  }
  members.set(key, text);
  return value;
}

const numberTexts = new WeakMap<object, Map<string, string>>();

/** The text of a number that was parsed with `keepNumberText` into a member of an object, or an element of a list. */
export function numberText(holder: Holder, key: string | number): string | undefined {
  return numberTexts.get(holder)?.get(String(key));
}

/** The decimal text of a member that is a string or a number. */
function decimalText(holder: Holder, key: string | number): string {
  const value = (holder as Record<string, unknown>)[key];
  if (typeof value === 'string') return value;
  const text = numberText(holder, key);
  if (text === undefined) throw new Error('The text of a number was not kept; the operation needs exactNumbers.');
  return text;
}

// ---- why a text is invalid ----

/** As many digits before the point as any other amount has. */
const FINE_AMOUNT = /^(\d{1,13}|\d{1,3}(?:,\d{3}){1,3}|\d(?:,\d{3}){4})(\.\d{1,6})?$/;

const EXPONENT = /^-?[\d.,]+[eE][+-]?\d+$/;

const exponent = { code: 'exponent', detail: 'Exponents are not accepted; write the number out.' };
const negative = { code: 'negative', detail: 'Must not be negative.' };

function format(expected: string): Omit<Mistake, 'pointer'> {
  return { code: 'format', detail: `Must be ${expected}.` };
}

function amountMistake(text: string, decimals: 'two' | 'six' = 'two'): Omit<Mistake, 'pointer'> {
  if (EXPONENT.test(text)) return exponent;
  if (/^-[\d.,]+$/.test(text)) return negative;
  const isFiner = decimals === 'two' ? /^[\d,]+\.\d{3,}$/.test(text) : /^[\d,]+\.\d{7,}$/.test(text);
  if (isFiner) return { code: 'decimals', detail: `Must have at most ${decimals} decimals.` };
  if (decimals === 'two' && /^\d+(\.\d{1,2})?$/.test(text)) {
    return { code: 'too_many_digits', detail: 'Must have at most 15 digits.' };
  }
  if (decimals === 'six' && /^\d+(\.\d{1,6})?$/.test(text)) {
    return { code: 'too_many_digits', detail: 'Must have at most 13 digits before the point.' };
  }
  return format('an amount such as 1234.50 or "1,234.50"');
}

function percentMistake(text: string): Omit<Mistake, 'pointer'> {
  if (EXPONENT.test(text)) return exponent;
  if (/^-[\d.]+$/.test(text)) return negative;
  return format('a percentage such as 7.25, below 10,000, with at most eight decimals');
}
