/** Amounts and counts as a loan's record shows them: thousands separators unless the caller wants plain numbers. */
import { type Cents, formatCents } from '../core/money.ts';

/** `Prefer: numbers=plain` leaves the separators out. */
export type Style = { readonly plain: boolean };

/** "28,875" and "29,163.75": whole amounts show no decimals, others two. */
export function amountText(amount: Cents, style: Style): string {
  const [whole = '', decimals = ''] = formatCents(amount).split('.');
  const grouped = style.plain ? whole : separated(whole);
  return decimals === '00' ? grouped : `${grouped}.${decimals}`;
}

export function amountTexts<K extends string>(amounts: Readonly<Record<K, Cents>>, style: Style): Record<K, string> {
  const entries = Object.entries(amounts) as [K, Cents][];
  return Object.fromEntries(entries.map(([name, amount]) => [name, amountText(amount, style)])) as Record<K, string>;
}

/** "1,136". */
export function countText(count: number, style: Style): string {
  return style.plain ? String(count) : separated(String(count));
}

function separated(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}
