/** Figures as the record has them: strings without thousands separators, never "-0", never empty. */
import { shortestDecimal } from '../core/decimal.ts';
import { type Cents, formatCents } from '../core/money.ts';

/** "1234.56". */
export function amountText(amount: Cents): string {
  return formatCents(amount);
}

/** As `loanDetails` shows amounts: whole ones without decimals. */
export function shortAmountText(amount: Cents): string {
  return formatCents(amount).replace(/\.00$/, '');
}

/** A fixed number of decimals. */
export function decimalText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) throw new RangeError('A figure of the record is not a number.');
  const text = value.toFixed(decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** At most this many decimals, without trailing zeros. */
export function shortDecimalText(value: number, decimals: number): string {
  return shortestDecimal(decimalText(value, decimals));
}

/** The same as a JSON number. */
export function rounded(value: number, decimals: number): number {
  return Number(decimalText(value, decimals));
}
