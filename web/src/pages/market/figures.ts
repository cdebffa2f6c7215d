/** Figures of the market that the data does not have as they are shown. */
import { cents, forecastCents, fromCents } from '../../format.ts';
import type { Month } from './data.ts';

/** A value as a percentage of an amount, with two decimals: "101.25". Empty where there is none. */
export function priceOf(value: string, amount: string): string {
  const [of, whole] = [forecastCents(value), cents(amount)];
  if (of === null || whole === null || whole <= 0n) return '';
  // Half up, in whole hundredths of a percent.
  return fromCents((of * 20_000n + whole) / (2n * whole)).replaceAll(',', '');
}

export type Series = { dates: string[]; actual: (number | null)[]; expected: (number | null)[] };

/** Cents as numbers, for a chart alone. */
const plotted = (amount: string | null): number | null => {
  const value = cents(amount);
  return value === null ? null : Number(value);
};

export const balances = (months: readonly Month[]): Series => ({
  dates: months.map(({ date }) => date),
  actual: months.map(({ balance }) => plotted(balance)),
  expected: months.map(({ expectedBalance }) => plotted(expectedBalance)),
});

/** Sums since the first month of which something is known; from then on both begin with nothing. */
export function received(months: readonly Month[]): Series {
  const first = months.findIndex((month) => month.received !== null);
  const known = first < 0 ? [] : months.slice(first);
  const sums = (name: 'received' | 'expected') => {
    let sum: number | null = 0;
    return known.map((month) => {
      const flow = plotted(month[name]);
      sum = flow === null || sum === null ? null : sum + flow;
      return sum;
    });
  };
  return { dates: known.map(({ date }) => date), actual: sums('received'), expected: sums('expected') };
}

export type Standing = {
  received: bigint;
  expected: bigint;
  months: number /** The end of the last of them. */;
  to: string;
};

/** Money received against money expected, over the months that have both; null: there are none. */
export function standingOf(months: readonly Month[]): Standing | null {
  const both = months.filter((month) => month.received !== null && month.expected !== null);
  if (both.length === 0) return null;
  const sum = (name: 'received' | 'expected') => both.reduce((all, month) => all + (cents(month[name]) ?? 0n), 0n);
  return {
    received: sum('received'),
    expected: sum('expected'),
    months: both.length - (both[0]?.month === 0 ? 1 : 0),
    to: both.at(-1)?.date ?? '',
  };
}

const KINDS: Record<string, string> = {
  created: 'Application recorded',
  approved: 'Approved',
  funded: 'Funded',
  boarded: 'Boarded from another servicer',
  disbursed: 'Disbursed',
  repaymentInitiated: 'Repayment began',
  payment: 'Payment',
  paymentSettled: 'Payment settled',
  paymentReturned: 'Payment returned',
  paymentReversed: 'Payment reversed',
  chargedOff: 'Charged off',
  published: 'Published or withdrawn',
};

/** Label of a transaction's kind. */
export const kindOf = (kind: string): string => KINDS[kind] ?? 'Not public';

/** The due date of the record is that of the oldest installment that is not paid: the next payment, unless that day has passed. */
export const dueLabel = (date: string | undefined, asOf: string): string =>
  date && date < asOf ? 'Oldest unpaid since' : 'Next payment';
