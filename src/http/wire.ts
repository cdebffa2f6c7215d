/**
 * Text of a request becomes cents, rates and dates here. Amounts and rates come as JSON numbers or as strings; either way it is the
 * decimal text that counts. A reader collects every mistake with its pointer, so that a caller sees them all at once.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { type ExactDecimal, parseExactDecimal } from '../core/decimal.ts';
import { type Cents, parseCents, ZERO } from '../core/money.ts';
import { type Percent, parsePercent, percent } from '../core/rate.ts';
import { numberText } from './shell/body.ts';
import { type FieldError, Problem } from './shell/problems.ts';

/** An object or a list of the body, as it was parsed. */
export type Holder = object;
type Mistake = Omit<FieldError, 'pointer'>;

const MAX_ERRORS = 20;

/**
 * Reads members of a body whose types the schema has already checked. A member that is wrong is noted and read as something
 * harmless; `done` then throws, so no such value is ever used.
 */
export class Reader {
  readonly #errors: FieldError[] = [];

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

  percent(holder: Holder, key: string | number, at: string): Percent {
    const text = decimalText(holder, key);
    const rate = parsePercent(text);
    if (rate === null) this.note(`${at}/${key}`, percentMistake(text));
    return rate ?? percent('0');
  }

  /** Of any sign, with up to twenty decimals. */
  exactDecimal(holder: Holder, key: string | number, at: string): ExactDecimal {
    const text = decimalText(holder, key);
    const decimal = parseExactDecimal(text);
    const expected = 'a decimal number such as -1234.5, with at most 20 digits before the point and 20 after it';
    if (decimal === null) this.note(`${at}/${key}`, EXPONENT.test(text) ? exponent : format(expected));
    return decimal ?? { digits: 0n, scale: 0 };
  }

  date(holder: Holder, key: string | number, at: string): PlainDate {
    const date = parseDate(String((holder as Record<string, unknown>)[key]));
    if (date === null) {
      this.note(`${at}/${key}`, format('a day of the calendar from 1900 to 2199, written YYYY-MM-DD'));
    }
    return date ?? ('1970-01-01' as PlainDate);
  }

  note(pointer: string, mistake: Mistake): void {
    const known = this.#errors.some((error) => error.pointer === pointer);
    if (!known && this.#errors.length < MAX_ERRORS) this.#errors.push({ pointer, ...mistake });
  }

  /** Throws when anything was wrong. What follows may trust every value. */
  done(): void {
    if (this.#errors.length > 0) throw badValues(this.#errors);
  }
}

function badValues(errors: FieldError[]): Problem {
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_request', `${first?.pointer}: ${first?.detail}${rest}`, { errors });
}

/** The decimal text of a member that is a string or a number. */
function decimalText(holder: Holder, key: string | number): string {
  const value = (holder as Record<string, unknown>)[key];
  if (typeof value === 'string') return value;
  const text = numberText(holder, key);
  if (text === undefined)
    throw new Error('A number was read whose text was not kept; the operation lacks exactNumbers.');
  return text;
}

const EXPONENT = /^-?[\d.,]+[eE][+-]?\d+$/;

const exponent: Mistake = { code: 'exponent', detail: 'Exponents are not accepted; write the number out.' };
const negative: Mistake = { code: 'negative', detail: 'Must not be negative.' };

function format(expected: string): Mistake {
  return { code: 'format', detail: `Must be ${expected}.` };
}

function amountMistake(text: string): Mistake {
  if (EXPONENT.test(text)) return exponent;
  if (/^-[\d.,]+$/.test(text)) return negative;
  if (/^[\d,]+\.\d{3,}$/.test(text)) return { code: 'decimals', detail: 'Must have at most two decimals.' };
  if (/^\d+(\.\d{1,2})?$/.test(text)) return { code: 'too_many_digits', detail: 'Must have at most 15 digits.' };
  return format('an amount such as 1234.50 or "1,234.50"');
}

function percentMistake(text: string): Mistake {
  if (EXPONENT.test(text)) return exponent;
  if (/^-[\d.]+$/.test(text)) return negative;
  return format('a percentage such as 7.25, below 10,000, with at most eight decimals');
}
