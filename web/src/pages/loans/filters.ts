/** Filters and order of the list of loans, in the form of the address and of the query to the service. */
import type { Arguments, Schemas } from 'daybook-sdk';
import { cents, count, day, money, typedAmount, words } from '../../format.ts';

export type LoanStatus = Schemas['LoanStatus'];
export type LoanQuery = NonNullable<Arguments<'listLoans'>['query']>;

/** The groups of statuses that the pages show. Every status is in one of the last three; a test compares them with the service's list. */
export const UNDECIDED_STATUSES = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
] as const satisfies readonly LoanStatus[];
export const APPLICATION_STATUSES = [
  ...UNDECIDED_STATUSES,
  'Approved',
  'CollateralRequested',
  'CollateralApproved',
] as const satisfies readonly LoanStatus[];
export const SERVICED_STATUSES = [
  'Funded',
  'Current',
  'Delinquent',
  'Defaulted',
] as const satisfies readonly LoanStatus[];
export const ENDED_STATUSES = [
  'ChargedOff',
  'Closed',
  'ClosedEarly',
  'Rejected',
  'Cancelled',
] as const satisfies readonly LoanStatus[];
const STATUSES: readonly string[] = [...APPLICATION_STATUSES, ...SERVICED_STATUSES, ...ENDED_STATUSES];

export const BUCKETS = ['current', '1-29', '30-59', '60-89', '90-119', '120-plus'] as const;
type Bucket = (typeof BUCKETS)[number];

/** Sort orders of the service, and `collections`: most days past due first, and among equal days the highest balance. */
export const SORTS = [
  '-createdAt',
  'createdAt',
  '-daysPastDue',
  'daysPastDue',
  'nextDueDate',
  '-nextDueDate',
  '-balance',
  'balance',
  'creditSince',
  'collections',
] as const;
export type Sort = (typeof SORTS)[number];
const DEFAULT_SORT: Sort = '-createdAt';

export type Filters = {
  q?: string;
  status?: readonly LoanStatus[];
  bucket?: Bucket;
  minDaysPastDue?: number;
  maxDaysPastDue?: number;
  minCreditDays?: number;
  maxCreditDays?: number;
  /** As the service takes amounts: "506.20". */
  minBalance?: string;
  maxBalance?: string;
  dueFrom?: string;
  dueTo?: string;
  createdFrom?: string;
  createdTo?: string;
  /** Charged off by the nightly cycle for days past due that are not found any more. */
  chargeOffGroundGone?: 'true';
  lenderId?: string;
  servicerId?: string;
  sort: Sort;
};

const NAME = /^[A-Za-z0-9._:-]{1,64}$/;
const WANTED = /^[A-Za-z0-9._:-]{1,66}$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** The filters of an address. What is no filter, or has no sense, is left out: an address may come from anywhere. */
export function fromSearch(search: Record<string, unknown>): Filters {
  const text = (name: string, form: RegExp) => {
    const value = search[name];
    const given = typeof value === 'number' ? String(value) : value;
    return typeof given === 'string' && form.test(given) ? given : undefined;
  };
  const date = (name: string) => {
    const given = text(name, DATE);
    return given !== undefined && isDay(given) ? given : undefined;
  };
  const days = (name: string) => {
    const given = Number(text(name, /^\d{1,6}$/) ?? Number.NaN);
    return given <= 100_000 ? given : undefined;
  };
  const amount = (name: string) => {
    const given = text(name, /^[\d.,]{1,20}$/);
    return given === undefined ? undefined : (typedAmount(given) ?? undefined);
  };
  const status = (text('status', /^[A-Za-z,]{1,400}$/) ?? '')
    .split(',')
    .filter((one): one is LoanStatus => STATUSES.includes(one));
  const bucket = BUCKETS.find((one) => one === text('bucket', /^[\w+-]{1,10}$/));
  return defined({
    q: text('q', WANTED),
    status: status.length === 0 ? undefined : status,
    bucket,
    minDaysPastDue: days('minDaysPastDue'),
    maxDaysPastDue: days('maxDaysPastDue'),
    minCreditDays: days('minCreditDays'),
    maxCreditDays: days('maxCreditDays'),
    minBalance: amount('minBalance'),
    maxBalance: amount('maxBalance'),
    dueFrom: date('dueFrom'),
    dueTo: date('dueTo'),
    createdFrom: date('createdFrom'),
    createdTo: date('createdTo'),
    // A router reads the word as a truth value.
    chargeOffGroundGone: String(search.chargeOffGroundGone) === 'true' ? ('true' as const) : undefined,
    lenderId: text('lenderId', NAME),
    servicerId: text('servicerId', NAME),
    sort: SORTS.find((one) => one === search.sort) ?? DEFAULT_SORT,
  });
}

/** The part of the address that says these filters; the order that is the rule is left out. */
export function toSearch({ sort, status, ...rest }: Filters): Record<string, string | number> {
  return defined({
    ...rest,
    status: status === undefined || status.length === 0 ? undefined : status.join(','),
    sort: sort === DEFAULT_SORT ? undefined : sort,
  }) as Record<string, string | number>;
}

/** Query to the service. Loans without a credit have no place in the order of credits. */
export function toQuery({ sort, status, ...rest }: Filters): LoanQuery {
  const credits = (rest.minCreditDays ?? rest.maxCreditDays) !== undefined;
  return defined({
    ...rest,
    status: status?.join(','),
    sort: sort === 'collections' ? '-daysPastDue' : sort === 'creditSince' && !credits ? DEFAULT_SORT : sort,
  }) as LoanQuery;
}

export const sameFilters = (a: Filters, b: Filters): boolean => sentence(a) === sentence(b);
const sentence = (filters: Filters) => JSON.stringify(Object.entries(toSearch(filters)).sort());

/** The filters that are set, each in words with what it takes to remove it. */
export function inWords(filters: Filters): { text: string; without: Filters }[] {
  const found: { text: string; names: readonly (keyof Filters)[] }[] = [];
  const { q, status, bucket, lenderId, servicerId } = filters;
  if (q !== undefined) found.push({ text: `Id begins with ${q}`, names: ['q'] });
  if (status !== undefined) found.push({ text: status.map(words).join(', '), names: ['status'] });
  if (bucket !== undefined) found.push({ text: bucketName(bucket), names: ['bucket'] });
  const range = (what: string, from: keyof Filters, to: keyof Filters, shown: (value: string) => string) => {
    const [least, most] = [filters[from], filters[to]].map((value) => value?.toString());
    const text = rangeText(least && shown(least), most && shown(most));
    if (text !== null) found.push({ text: `${what} ${text}`, names: [from, to] });
  };
  if (filters.chargeOffGroundGone !== undefined) {
    found.push({ text: 'Ground of the charge-off gone', names: ['chargeOffGroundGone'] });
  }
  range('Days past due', 'minDaysPastDue', 'maxDaysPastDue', count);
  range('Days with a credit', 'minCreditDays', 'maxCreditDays', count);
  range('Balance', 'minBalance', 'maxBalance', money);
  range('Due', 'dueFrom', 'dueTo', day);
  range('Created', 'createdFrom', 'createdTo', day);
  if (lenderId !== undefined) found.push({ text: `Lender ${lenderId}`, names: ['lenderId'] });
  if (servicerId !== undefined) found.push({ text: `Servicer ${servicerId}`, names: ['servicerId'] });
  return found.map(({ text, names }) => ({ text, without: without(filters, names) }));
}

const RANGES = [
  ['minDaysPastDue', 'maxDaysPastDue', '“Days past due from” is more than “Days past due to”.'],
  ['minCreditDays', 'maxCreditDays', '“Days with a credit from” is more than “Days with a credit to”.'],
  ['minBalance', 'maxBalance', '“Balance from” is more than “Balance to”.'],
  ['dueFrom', 'dueTo', '“Due from” is later than “Due to”.'],
  ['createdFrom', 'createdTo', '“Created from” is later than “Created to”.'],
] as const satisfies readonly (readonly [keyof Filters, keyof Filters, string])[];

/** Ranges that begin above their end: no loan can match, and the service refuses them. With the field to correct. */
export function impossible(filters: Filters): { field: string; message: string; without: Filters }[] {
  const size = (value: string | number | undefined) => cents(String(value ?? '').replaceAll('-', ''));
  return RANGES.flatMap(([from, to, message]) => {
    const [least, most] = [size(filters[from]), size(filters[to])];
    const wrong = least !== null && most !== null && least > most;
    return wrong ? [{ field: to, message, without: without(filters, [from, to]) }] : [];
  });
}

export const bucketName = (bucket: string): string =>
  bucket === 'current' ? 'Nothing past due' : `${bucket.replace('-plus', '+').replace('-', '–')} days past due`;

function rangeText(least: string | undefined, most: string | undefined): string | null {
  if (least !== undefined && most !== undefined) return least === most ? least : `${least} to ${most}`;
  if (least !== undefined) return `from ${least}`;
  return most === undefined ? null : `up to ${most}`;
}

function without(filters: Filters, names: readonly (keyof Filters)[]): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([name]) => !names.includes(name as keyof Filters)),
  ) as Filters;
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
/** Without the members that are undefined. */
function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
