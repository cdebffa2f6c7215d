/** Many loans at once: the list with its filters, and the search by personal values. */
import type { SearchTerms } from '../boarding/file.ts';
import { addDays, daysBetween, type PlainDate } from '../core/calendar.ts';
import { bucketOf } from '../core/delinquency.ts';
import type { ClosedBy, LoanStatus } from '../core/loan.ts';
import { cents } from '../core/money.ts';
import { hexOf, readDataKeys } from '../store/loans.ts';
import { findByDigests, type ListQuery, type ListScope, listLoans, type SummaryRow } from '../store/reads.ts';
import { blindDigests } from '../vault/blind-index.ts';
import { disclose } from '../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../vault/master-keys.ts';
import { openOneEachTurn } from '../workers/turns.ts';
import { type Clock, type Clocks, dayOfLoan, todayBy } from './clock/clocks.ts';
import type { DisclosureBook } from './disclosures.ts';
import type { FairReader, FairReads } from './fair-reads.ts';
import type { Actor, ListFilter, LoanSummary } from './loans.ts';
import { roleOf } from './permissions.ts';

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

export function openLists({ reads, reader, clock, clocks, book, masterKeys, indexKey }: ListOptions) {
  const turn = openOneEachTurn();
  return { list, search };

  async function list(
    actor: Actor,
    filter: ListFilter,
  ): Promise<{ items: LoanSummary[]; nextCursor: string | null } | 'bad_cursor'> {
    const after = filter.cursor === null ? null : readCursor(filter.cursor, filter.sort);
    if (after === undefined) return 'bad_cursor';
    const scopes = scopesOf(actor);
    const at = clock();
    const clockOf = await clocks.of(scopes.map(({ organizationId }) => organizationId));
    const query: ListQuery = {
      scopes: scopes.map((scope) => {
        const ownersClock = clockOf.get(scope.organizationId) as Clock;
        const { startOf } = ownersClock;
        const { createdFrom, createdTo } = filter;
        return {
          ...scope,
          today: todayBy(ownersClock, at),
          createdFrom: createdFrom === undefined ? null : new Date(startOf(createdFrom)),
          createdBefore: createdTo === undefined ? null : new Date(startOf(addDays(createdTo, 1))),
        };
      }),
      status: filter.status ?? null,
      bucket: filter.bucket === undefined ? null : bucketDays(filter.bucket),
      lenderId: filter.lenderId ?? null,
      servicerId: filter.servicerId ?? null,
      borrowerId: filter.borrowerId ?? null,
      applicationId: filter.applicationId ?? null,
      q: filter.q ?? null,
      after,
      newestFirst: filter.sort === '-createdAt',
      // One more than the page shows whether there is a next page.
      limit: filter.limit + 1,
    };
    const rows = await reader(actor).current((sql) => listLoans(sql, query));
    // A page of a hundred is put together and written in some milliseconds. Those of ten statements that end together would be fifty.
    await turn(actor.organizationId);
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    const more = rows.length > filter.limit && last !== undefined;
    return {
      items: page.map((row) => summaryOf(row, clockOf.get(row.organization_id) as Clock, at)),
      nextCursor: more ? cursorOf(last, filter.sort) : null,
    };
  }

  /** Loans that match everything asked for. Each one found is a disclosure, and so is a search that finds none. */
  async function search(actor: Actor, terms: SearchTerms): Promise<LoanSummary[]> {
    const organizations = new Set([
      actor.organizationId,
      ...actor.grants.map(({ ownerOrganizationId }) => ownerOrganizationId),
    ]);
    const asked = [...organizations].flatMap((organizationId) =>
      blindDigests(indexKey, organizationId, terms).map((digest) => ({ organizationId, ...digest })),
    );
    const kinds = new Set(asked.map(({ kind }) => kind)).size;
    const found =
      kinds === 0 ? [] : await reader(actor).current((sql) => findByDigests(sql, asked, kinds, FOUND_AT_MOST));
    const rows = found.filter((row) => roleOf(actor, belonging(row)) !== null);
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
    return rows.map((row) => summaryOf(row, clockOf.get(row.organization_id) as Clock, at));
  }
}

/** Own loans, and what grants show; a grant for all loans of an owner makes those for single servicers needless. */
function scopesOf({ organizationId, grants }: Actor): Pick<ListScope, 'organizationId' | 'servicerId'>[] {
  const whole = new Set(
    grants.filter(({ servicerId }) => servicerId === null).map((grant) => grant.ownerOrganizationId),
  );
  const parts = grants.filter(
    ({ ownerOrganizationId, servicerId }) => servicerId !== null && !whole.has(ownerOrganizationId),
  );
  const servicers = new Map(parts.map((grant) => [`${grant.ownerOrganizationId} ${grant.servicerId}`, grant]));
  return [
    { organizationId, servicerId: null },
    ...[...whole].map((owner) => ({ organizationId: owner, servicerId: null })),
    ...[...servicers.values()].map((grant) => ({
      organizationId: grant.ownerOrganizationId,
      servicerId: grant.servicerId,
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

function bucketDays(bucket: string): ListQuery['bucket'] {
  const ranges: Record<string, [least: number, most: number | null]> = {
    '1-29': [1, 29],
    '30-59': [30, 59],
    '60-89': [60, 89],
    '90-119': [90, 119],
    '120+': [120, null],
  };
  return ranges[bucket] ?? 'current';
}

function summaryOf(row: SummaryRow, clock: Clock, real: number): LoanSummary {
  const on = dayOfLoan({ recordedOn: row.recorded_on as PlainDate }, clock, clock.at(real));
  const stored = row.status as LoanStatus;
  const late = row.delinquent_from !== null && row.delinquent_from <= on;
  const from = row.past_due_from as PlainDate | null;
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
    loanAmount: cents(Number(row.loan_amount)),
    remainingBalance: cents(Number(row.principal)),
    delinquentDays,
    bucket: bucketOf(delinquentDays),
    nextPaymentDate: from,
    published: row.published,
    createdAt: row.created_at.getTime(),
    version: row.version,
    closedBy: row.closed_by as ClosedBy | null,
  };
}

/** Opaque to callers: the last row of the page, and the order it belongs to. */
function cursorOf({ created_at, loan_id }: SummaryRow, sort: string): string {
  const text = `${sort} ${created_at.getTime()} ${Buffer.from(loan_id).toString('base64url')}`;
  return Buffer.from(text).toString('base64url');
}

/** The beginning of the year 1 and the end of the year 9999: a sandbox may stand before 1970. */
const [EARLIEST_TIME, LATEST_TIME] = [-62_135_596_800_000, 253_402_300_799_999];

function readCursor(cursor: string, sort: string): { createdAt: Date; loanId: string } | undefined {
  const [order, at, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const loan = Buffer.from(id ?? '', 'base64url');
  const createdAt = new Date(Number(at));
  // A time that no loan can have, and that the database may not even hold, comes from no page.
  const time = createdAt.getTime();
  const isTime = /^-?\d{1,15}$/.test(at ?? '') && time >= EARLIEST_TIME && time <= LATEST_TIME;
  if (order !== sort || loan.length !== 32 || !isTime) return undefined;
  return { createdAt, loanId: hexOf(loan) };
}
