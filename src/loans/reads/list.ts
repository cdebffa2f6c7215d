/** Lists of loans: the list with its filters, and the search by personal data. */

import type { SearchTerms } from '../../boarding/file.ts';
import { addDays, daysBetween, type PlainDate, parseDate } from '../../core/calendar.ts';
import type { CustomMembers } from '../../core/custom-data.ts';
import { bucketOf, type DelinquencyBucket } from '../../core/delinquency.ts';
import { LIVE, type LoanStatus, STATUSES } from '../../core/loan.ts';
import { type Cents, cents } from '../../core/money.ts';
import { SHOWN, type ShownColumn, type Summary } from '../../portfolio/loan-columns.ts';
import { hexOf } from '../../store/db/bytes.ts';
import { declaredValue } from '../../store/db/columns.ts';
import { readDataKeys } from '../../store/door/loans.ts';
import { type AskedDigest, findByDigests, readOrigins, type SummaryRow } from '../../store/door/summaries.ts';
import { type ListQuery, type ListScope, listLoans, NO_DATE } from '../../store/reads/lists.ts';
import { blindDigests, customDigests } from '../../vault/blind-index.ts';
import { disclose } from '../../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { openOneEachTurn } from '../../workers/turns.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, dayOfLoan, todayBy } from '../door/clocks.ts';
import type { FairReader, FairReads } from '../door/fair-reads.ts';
import { roleOf } from '../door/permissions.ts';
import type { DisclosureBook } from '../people/disclosures.ts';

/** Columns that are shown as they are, by their names in camel case. */
type Shown = { readonly [Name in ShownColumn as CamelCase<Name>]: Summary[Name] };
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

export type LoanSummary = Shown & {
  readonly loanId: string;
  readonly applicationId: string;
  readonly borrowerId: string;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  readonly loanType: string;
  readonly loanStatus: LoanStatus;
  readonly remainingBalance: Cents;
  /** Principal that is owed: 0 before funding. */
  readonly balance: Cents;
  /** Owed back to the borrower. */
  readonly credit: Cents;
  readonly delinquentDays: number;
  /** Null for loans that are not being serviced: before funding, charged off, or ended. */
  readonly bucket: DelinquencyBucket | null;
  readonly nextPaymentDate: PlainDate | null;
  readonly createdAt: number;
  readonly version: number;
};

export const SORTS = ['createdAt', 'daysPastDue', 'nextDueDate', 'balance', 'creditSince'] as const;
export type Sort = (typeof SORTS)[number] | `-${(typeof SORTS)[number]}`;

export type ListFilter = {
  /** One of them; absent: any. */
  readonly status?: readonly LoanStatus[];
  readonly bucket?: DelinquencyBucket;
  readonly lenderId?: string;
  readonly servicerId?: string;
  readonly borrowerId?: string;
  readonly applicationId?: string;
  readonly createdFrom?: PlainDate;
  readonly createdTo?: PlainDate;
  /** The due date of the oldest installment that is not paid. */
  readonly dueFrom?: PlainDate;
  readonly dueTo?: PlainDate;
  readonly minDaysPastDue?: number;
  readonly maxDaysPastDue?: number;
  readonly nonAccrual?: boolean;
  readonly chargeOffGroundGone?: boolean;
  /** Days for which a credit has been owed back. */
  readonly minCreditDays?: number;
  readonly maxCreditDays?: number;
  readonly minBalance?: Cents;
  readonly maxBalance?: Cents;
  readonly q?: string;
  readonly limit: number;
  readonly cursor: string | null;
  readonly sort: Sort;
};

export type LoanPage = {
  readonly items: readonly LoanSummary[];
  readonly nextCursor: string | null;
  /** At most 10,000; `totalExact`: there are no more. */
  readonly total: number;
  readonly totalExact: boolean;
};

export type ListOptions = {
  reads: FairReads;
  reader: FairReader;
  clock: () => number;
  clocks: Clocks;
  book: DisclosureBook;
  masterKeys: MasterKeys;
  indexKey: Uint8Array;
};

const FOUND_AT_MOST = 100;

/** The personal values and the custom data by which loans are looked for. */
export type LoanTerms = SearchTerms & { readonly customData?: CustomMembers };

export function openLists({ reads, reader, clock, clocks, book, masterKeys, indexKey }: ListOptions) {
  const turn = openOneEachTurn();
  return { list, search };

  async function list(actor: Actor, filter: ListFilter): Promise<LoanPage | 'bad_cursor'> {
    const after = filter.cursor === null ? null : readCursor(filter.cursor, filter.sort);
    if (after === undefined) return 'bad_cursor';
    const scopes = listScopesOf(actor);
    const at = clock();
    const clockOf = await clocks.of(scopes.map(({ organizationId }) => organizationId));
    const { createdFrom, createdTo } = filter;
    const own = todayBy(clockOf.get(actor.organizationId) as Clock, at);
    const query: ListQuery = {
      scopes: scopes.map((scope) => {
        const ownersClock = clockOf.get(scope.organizationId) as Clock;
        const { startOf } = ownersClock;
        const today = todayBy(ownersClock, at);
        return {
          ...scope,
          today,
          aheadDays: daysBetween(own, today),
          createdFrom: createdFrom === undefined ? null : new Date(startOf(createdFrom)),
          createdBefore: createdTo === undefined ? null : new Date(startOf(addDays(createdTo, 1))),
        };
      }),
      ...conditionsOf(filter),
      ...orderOf(filter.sort),
      after,
      // One more than the page shows whether there is a next page.
      limit: filter.limit + 1,
    };
    const { rows, total, exact } = await reader(actor).current((sql) => listLoans(sql, query));
    // A page of a hundred is put together and written in some milliseconds. Those of ten statements that end together would be fifty.
    await turn(actor.organizationId);
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    const more = rows.length > filter.limit && last !== undefined;
    const aheadOf = (row: SummaryRow) =>
      query.scopes.find(({ organizationId }) => organizationId === row.organization_id)?.aheadDays ?? 0;
    return {
      items: page.map((row) => summaryOf(row, clockOf.get(row.organization_id) as Clock, at)),
      nextCursor: more ? cursorOf(last, filter.sort, aheadOf(last)) : null,
      total,
      totalExact: exact,
    };
  }

  /** The newest loans that match all criteria. Each one found is recorded as a disclosure, and so is a search without a result. */
  async function search(actor: Actor, terms: LoanTerms): Promise<{ items: LoanSummary[]; more: boolean }> {
    const owners = [
      ...new Set([actor.organizationId, ...actor.grants.map(({ ownerOrganizationId }) => ownerOrganizationId)]),
    ];
    const origins = await readOrigins(reads(actor), owners);
    const asked = askedBy(terms, { owners, origins });
    const found =
      asked.length === 0
        ? []
        : await reader(actor).current((sql) => findByDigests(sql, asked, { owners, limit: FOUND_AT_MOST + 1 }));
    const more = found.length > FOUND_AT_MOST;
    const rows = found.slice(0, FOUND_AT_MOST).filter((row) => roleOf(actor, belonging(row)) !== null);
    const at = clock();
    const ids = rows.map(({ loan_id }) => hexOf(loan_id));
    const wrapped = actor.purpose === '' || ids.length === 0 ? new Map() : await readDataKeys(reads(actor), ids);
    const entries = (ids.length === 0 ? [''] : ids).map((loanId) => {
      const disclosed = disclose(actor, { loanId, what: 'search', at }, () => null);
      if ('denied' in disclosed) throw new Error('A personal search came through without its scope or key.');
      const part = wrapped.get(loanId);
      return { entry: disclosed.entry, dataKey: part === undefined ? null : dataKeyOf(masterKeys, part, loanId) };
    });
    await book.enter(actor, entries);
    const clockOf = await clocks.of(rows.map(({ organization_id }) => organization_id));
    return { items: rows.map((row) => summaryOf(row, clockOf.get(row.organization_id) as Clock, at)), more };
  }

  /** Personal values are looked for among the digests of whoever created a loan, custom data among those of its owner. */
  function askedBy(
    { customData = [], ...terms }: LoanTerms,
    { owners, origins }: { owners: readonly string[]; origins: readonly string[] },
  ): AskedDigest[] {
    const personal = [...new Set([...owners, ...origins])].flatMap((organizationId) =>
      blindDigests(indexKey, organizationId, terms).map((digest) => ({ organizationId, ...digest })),
    );
    const kinds = [...new Set(personal.map(({ kind }) => kind))];
    const own = owners.flatMap((organizationId) =>
      customDigests(indexKey, organizationId, customData).map((digest, i) => ({
        ...{ organizationId, ...digest },
        criterion: kinds.length + i,
      })),
    );
    return [...personal.map((one) => ({ ...one, criterion: kinds.indexOf(one.kind) })), ...own];
  }
}

type Viewing = {
  readonly organizationId: string;
  readonly grants: readonly { readonly ownerOrganizationId: string; readonly servicerId: string | null }[];
};

/** Own loans, and what grants show; a grant for all loans of an owner makes those for single servicers needless. */
export function listScopesOf({ organizationId, grants }: Viewing): Pick<ListScope, 'organizationId' | 'servicerIds'>[] {
  const others = grants.filter(({ ownerOrganizationId }) => ownerOrganizationId !== organizationId);
  const byOwner = Map.groupBy(others, ({ ownerOrganizationId }) => ownerOrganizationId);
  return [
    { organizationId, servicerIds: null },
    ...[...byOwner].map(([owner, given]) => ({
      organizationId: owner,
      servicerIds: given.some(({ servicerId }) => servicerId === null)
        ? null
        : [...new Set(given.map(({ servicerId }) => servicerId as string))],
    })),
  ];
}

function belonging(row: SummaryRow) {
  return {
    organizationId: row.organization_id,
    primaryServicerId: row.primary_servicer_id,
    secondaryServicerId: row.secondary_servicer_id,
  };
}

type Conditions = Omit<ListQuery, 'scopes' | 'sort' | 'descending' | 'after' | 'limit'>;

function conditionsOf(filter: ListFilter): Conditions {
  const { bucket } = filter;
  const [least, most] = bucket === undefined ? [null, null] : BUCKET_DAYS[bucket];
  const highest = (...all: (number | null | undefined)[]) => bound(Math.max, all);
  const lowest = (...all: (number | null | undefined)[]) => bound(Math.min, all);
  const statuses = storedStatuses(filter.status ?? STATUSES, bucket !== undefined);
  return {
    statuses,
    everyStatus: statuses.length === STORED.length && statuses.every(({ late, punctual }) => late && punctual),
    lenderId: filter.lenderId ?? null,
    servicerId: filter.servicerId ?? null,
    borrowerId: filter.borrowerId ?? null,
    applicationId: filter.applicationId ?? null,
    q: filter.q ?? null,
    due: { from: filter.dueFrom ?? null, to: filter.dueTo ?? null },
    daysPastDue: { from: highest(least, filter.minDaysPastDue), to: lowest(most, filter.maxDaysPastDue) },
    nonAccrual: filter.nonAccrual ?? null,
    groundGone: filter.chargeOffGroundGone ?? null,
    creditDays: { from: filter.minCreditDays ?? null, to: filter.maxCreditDays ?? null },
    balance: { from: filter.minBalance ?? null, to: filter.maxBalance ?? null },
  };
}

function bound(choose: (...values: number[]) => number, all: readonly (number | null | undefined)[]): number | null {
  const given = all.filter((one) => one !== null && one !== undefined);
  return given.length === 0 ? null : choose(...given);
}

export const BUCKET_DAYS: Readonly<Record<DelinquencyBucket, readonly [least: number | null, most: number | null]>> = {
  current: [null, 0],
  '1-29': [1, 29],
  '30-59': [30, 59],
  '60-89': [60, 89],
  '90-119': [90, 119],
  '120+': [120, null],
};

/** Loans that are serviced: the others have no bucket. */
export const SERVICED: ReadonlySet<LoanStatus> = new Set<LoanStatus>(LIVE);

/** Every status but the one that is derived from the date. */
const STORED = STATUSES.filter((status) => status !== 'Delinquent');

/** Delinquent is derived from the date, for loans that are stored as Funded or Current. */
export function storedStatuses(asked: readonly LoanStatus[], servicedOnly: boolean): ListQuery['statuses'] {
  const late = asked.includes('Delinquent');
  return STORED.filter((status) => !servicedOnly || SERVICED.has(status))
    .map((status) => ({
      status,
      punctual: asked.includes(status),
      late: status === 'Funded' || status === 'Current' ? late : asked.includes(status),
    }))
    .filter((one) => one.late || one.punctual);
}

function orderOf(sort: Sort): Pick<ListQuery, 'sort' | 'descending'> {
  const name = sort.replace(/^-/, '') as ListQuery['sort'];
  const reversed = sort.startsWith('-');
  // The more days past due, the earlier the due date.
  return { sort: name, descending: name === 'daysPastDue' ? !reversed : reversed };
}

function summaryOf(row: SummaryRow, clock: Clock, real: number): LoanSummary {
  const on = dayOfLoan({ recordedOn: row.recorded_on }, clock, clock.at(real));
  const stored = row.status;
  const late = row.delinquent_from !== null && row.delinquent_from <= on;
  const from = row.past_due_from;
  const delinquentDays = from === null ? 0 : Math.max(0, daysBetween(from, on));
  return {
    loanId: hexOf(row.loan_id),
    applicationId: row.application_id,
    borrowerId: row.borrower_id,
    lenderId: row.lender_id,
    primaryServicerId: row.primary_servicer_id,
    secondaryServicerId: row.secondary_servicer_id,
    loanType: row.loan_type,
    loanStatus: late && (stored === 'Funded' || stored === 'Current') ? 'Delinquent' : stored,
    remainingBalance: cents(Number(isUndecided(stored) ? row.loan_amount : row.principal)),
    balance: cents(Number(row.principal)),
    credit: cents(Number(row.book_credits)),
    delinquentDays,
    bucket: SERVICED.has(stored) ? bucketOf(delinquentDays) : null,
    nextPaymentDate: from,
    createdAt: row.created_at.getTime(),
    version: row.version,
    ...shownOf(row),
  };
}

const MEMBERS = SHOWN.map((name) => [name, name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase())] as const);

function shownOf(row: SummaryRow): Shown {
  const shown: Record<string, unknown> = {};
  for (const [name, member] of MEMBERS) shown[member] = declaredValue(row, name);
  return shown as Shown;
}

/** Before funding, and still to come. */
function isUndecided(status: LoanStatus): boolean {
  return !SERVICED.has(status) && !ENDED.has(status);
}

const ENDED: ReadonlySet<LoanStatus> = new Set<LoanStatus>([
  'ChargedOff',
  'Closed',
  'ClosedEarly',
  'Rejected',
  'Cancelled',
]);

/** Opaque to callers: the last row of the page, and the order it belongs to. */
function cursorOf(row: SummaryRow, sort: Sort, aheadDays: number): string {
  const { past_due_from: due, loan_id } = row;
  const dueKey = due === null ? NO_DATE : due;
  const keys = {
    createdAt: () => String(row.created_at.getTime()),
    nextDueDate: () => dueKey,
    // By the caller's own calendar, as the page is.
    daysPastDue: () => (due === null ? NO_DATE : addDays(due, -aheadDays)),
    balance: () => String(row.principal),
    creditSince: () => row.credit_since ?? NO_DATE,
  };
  const text = `${sort} ${keys[orderOf(sort).sort]()} ${Buffer.from(loan_id).toString('base64url')}`;
  return Buffer.from(text).toString('base64url');
}

/** The beginning of the year 1 and the end of the year 9999: a sandbox may stand before 1970. */
const [EARLIEST_TIME, LATEST_TIME] = [-62_135_596_800_000, 253_402_300_799_999];

/** Undefined: what no page gave, and the database may not even be able to compare. */
function readCursor(cursor: string, sort: Sort): ListQuery['after'] | undefined {
  const [order, key = '', id = '', ...more] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const loan = Buffer.from(id, 'base64url');
  if (order !== sort || loan.length !== 32 || more.length > 0) return undefined;
  const value = readKey(key, orderOf(sort).sort);
  return value === null ? undefined : { key: value, loanId: hexOf(loan) };
}

function readKey(key: string, sort: ListQuery['sort']): string | null {
  if (sort === 'createdAt') {
    const time = Number(key);
    if (!/^-?\d{1,15}$/.test(key) || time < EARLIEST_TIME || time > LATEST_TIME) return null;
    return new Date(time).toISOString();
  }
  if (sort === 'balance') return /^\d{1,16}$/.test(key) ? key : null;
  return key === NO_DATE || parseDate(key) !== null ? key : null;
}
