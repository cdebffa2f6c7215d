/** Filters and order of the list, as they stand in the address. */

export const ORDERS = [
  ['-createdAt', 'Newest application'],
  ['createdAt', 'Oldest application'],
  ['-balance', 'Highest balance'],
  ['balance', 'Lowest balance'],
  ['-rate', 'Highest rate'],
  ['rate', 'Lowest rate'],
  ['-daysPastDue', 'Longest past due'],
] as const;

export const STATUSES = [
  'Funded',
  'Current',
  'Delinquent',
  'Defaulted',
  'ChargedOff',
  'Closed',
  'ClosedEarly',
  'Approved',
] as const;
export const GRADES = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
/** Values in the address, and their labels. */
export const BUCKETS = [
  ['current', 'Current'],
  ['1-29', '1–29 days'],
  ['30-59', '30–59 days'],
  ['60-89', '60–89 days'],
  ['90-119', '90–119 days'],
  ['120-plus', '120 days and more'],
] as const;

export type FilterName =
  | 'status'
  | 'grade'
  | 'bucket'
  | 'vintageFrom'
  | 'vintageTo'
  | 'minRate'
  | 'maxRate'
  | 'minBalance'
  | 'maxBalance';

/** Filters and order; absent members are not set. */
export type ListQuery = { [K in FilterName | 'sort']?: string };

const MONTH = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/;
const RATE = /^\d{1,3}(\.\d{1,4})?$/;
const AMOUNT = /^\d{1,12}(\.\d{1,2})?$/;

const within = (values: readonly string[]) => (value: string) => values.includes(value);
const FITS: Record<FilterName | 'sort', (value: string) => boolean> = {
  status: within(STATUSES),
  grade: within(GRADES),
  bucket: within(BUCKETS.map(([value]) => value)),
  vintageFrom: (value) => MONTH.test(value),
  vintageTo: (value) => MONTH.test(value),
  minRate: (value) => RATE.test(value),
  maxRate: (value) => RATE.test(value),
  minBalance: (value) => AMOUNT.test(value),
  maxBalance: (value) => AMOUNT.test(value),
  sort: within(ORDERS.map(([value]) => value)),
};

/** Reads the filters of an address and ignores the rest. A figure in an address arrives as a number. */
export function queryIn(search: Readonly<Record<string, unknown>>): ListQuery {
  const query: ListQuery = {};
  for (const name of Object.keys(FITS) as (FilterName | 'sort')[]) {
    const value = search[name];
    if ((typeof value === 'string' || typeof value === 'number') && FITS[name](String(value)))
      query[name] = String(value);
  }
  return query;
}

/** Error message for a typed filter; null if it is valid or empty. */
export function mistakeIn(name: FilterName, typed: string): string | null {
  if (typed === '' || FITS[name](typed)) return null;
  if (name.startsWith('vintage')) return 'A month such as 2026-01.';
  return name.endsWith('Rate') ? 'A percentage such as 7.25.' : 'An amount such as 15000.';
}

/** Converts a typed amount or percentage to the form of the address. A comma may only group the thousands of an amount. */
export function tidy(name: FilterName, typed: string): string {
  const plain = typed.replaceAll(/[\s$%]/g, '');
  return name.endsWith('Balance') && /^\d{1,3}(?:,\d{3}){1,4}(?:\.\d{0,2})?$/.test(plain)
    ? plain.replaceAll(',', '')
    : plain;
}

/** Last query of the list, for the way back from a loan. */
export const lastQuery: { current: ListQuery } = { current: {} };

/** Without the order. */
export function filtersOf({ sort: _, ...filters }: ListQuery): Record<string, string> {
  return filters;
}
