/**
 * The SQL of the public market: published loans of all organizations whose borrowers are not erased. Each order of the list has an index
 * over these loans alone, and a filter is compared in it, row by row. What depends on the day is compared with the day of the loan's owner.
 */

import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { latest } from '../door/loans.ts';
import { balanceIs, selectByBalance } from '../reads/by-balance.ts';
import { type Put, parameterList } from '../reads/list-names.ts';
import type { Range } from '../reads/lists.ts';

/** Organizations whose published loans are shown, each with its day. */
export type MarketOwner = { readonly organizationId: string; readonly today: string };

export type MarketFilter = {
  /** The stored statuses that are asked for, as for a list; null: all. */
  readonly statuses: readonly { status: string; late: boolean; punctual: boolean }[] | null;
  readonly grades: readonly string[] | null;
  /** First days of months. */
  readonly vintage: Range<string>;
  readonly daysPastDue: Range<number>;
  /** Percent a year, as text. */
  readonly rate: Range<string>;
  readonly balance: Range<number>;
};

export type MarketOrder = 'createdAt' | 'balance' | 'rate' | 'daysPastDue';

export type MarketPage = MarketFilter & {
  readonly sort: MarketOrder;
  readonly descending: boolean;
  readonly after: { readonly key: string; readonly loanId: string } | null;
  readonly limit: number;
};

export type MarketRow = {
  loan_id: Uint8Array;
  organization_id: string;
  status: string;
  past_due_from: string | null;
  delinquent_from: string | null;
  next_due: string;
  loan_amount: bigint;
  principal: bigint;
  recorded_on: string;
  created_at: Date;
  funded_on: string | null;
  vintage: string | null;
  rate: string;
  remaining: number;
  grade: string | null;
  file: string;
};

/** Organizations that are no sandbox, and the demonstration that the service itself has made, once it is complete: until then its loans stand in the past. */
export async function readMarketOwners(db: Sql, limit: number): Promise<{ organizationId: string; isDemo: boolean }[]> {
  const rows = await db.query<{ organization_id: string; is_demo: boolean }>(
    `SELECT o.organization_id, b.organization_id IS NOT NULL AS is_demo
     FROM organizations o LEFT JOIN sandboxes b USING (organization_id)
     WHERE b.organization_id IS NULL OR (b.made_by IS NULL AND b.ended_at IS NULL AND NOT b.filling)
     ORDER BY o.organization_id LIMIT $1`,
    [limit],
  );
  return rows.map(({ organization_id, is_demo }) => ({ organizationId: organization_id, isDemo: is_demo }));
}

/** The owner of a loan that the market may show; null: it is not published, its borrower was erased, or there is none. */
export async function readMarketOwner(db: Sql, loanId: string): Promise<string | null> {
  const [row] = await db.query<{ organization_id: string }>(
    'SELECT organization_id FROM loans WHERE volume = $1 AND loan_id = $2 AND published AND NOT erased',
    [volumeOf(db, loanId), bytes(loanId)],
  );
  return row?.organization_id ?? null;
}

const KEYS = { createdAt: 'created_at', balance: 'principal', rate: 'rate', daysPastDue: 'next_due' } as const;
const TYPES = { createdAt: 'timestamptz', rate: 'numeric', daysPastDue: 'date' } as const;

export async function readMarketPage(db: Sql, owners: readonly MarketOwner[], page: MarketPage): Promise<MarketRow[]> {
  const { values, put } = parameterList();
  const column = KEYS[page.sort];
  const direction = page.descending ? 'DESC' : 'ASC';
  return db.query<MarketRow>(
    `SELECT l.loan_id, l.organization_id, l.status, l.past_due_from, l.delinquent_from, l.next_due::text AS next_due, l.loan_amount,
       l.principal, l.recorded_on, l.created_at, l.funded_on, l.vintage, l.rate::text AS rate, l.remaining, l.grade,
       coalesce(s.file, a.file) AS file
     FROM (SELECT volume, loan_id, key FROM (${selectPage(owners, page, put)}) found
       ORDER BY key ${direction}, loan_id ${direction} LIMIT ${put(page.limit)}) page
     JOIN loans l USING (volume, loan_id) JOIN applications a USING (volume, loan_id) ${latest('a.volume')}
     ORDER BY l.${column} ${direction}, l.loan_id ${direction}`,
    values,
  );
}

/** Rows of `volume`, `loan_id` and the `key` that they are ordered by, with those of the page among them. */
function selectPage(owners: readonly MarketOwner[], page: MarketPage, put: Put): string {
  const { sort, descending, after } = page;
  const column = KEYS[sort];
  const from = fromOf(owners, put);
  const limit = put(page.limit);
  if (sort === 'balance') {
    const found = isFiltered(page) ? 'by index' : 'by row';
    const where = () => conditionsOf(page, put);
    return selectByBalance({ from, where, found, owing: true, descending, after, limit }, put).join('\nUNION ALL\n');
  }
  const where = conditionsOf(page, put);
  if (after !== null) {
    const last = `(${put(after.key)}::${TYPES[sort]}, ${put(bytes(after.loanId))})`;
    where.push(`(l.${column}, l.loan_id) ${descending ? '<' : '>'} ${last}`);
  }
  const direction = descending ? 'DESC' : 'ASC';
  return `SELECT l.volume, l.loan_id, l.${column} AS key FROM ${from} WHERE ${where.join(' AND ')}
    ORDER BY l.${column} ${direction}, l.loan_id ${direction} LIMIT ${limit}`;
}

const isFiltered = ({ statuses, grades, vintage, daysPastDue, rate }: MarketFilter): boolean =>
  statuses !== null ||
  grades !== null ||
  [vintage, daysPastDue, rate].some(({ from, to }) => from !== null || to !== null);

/** The number that match, one more than `most` at most. */
export async function countMarket(
  db: Sql,
  owners: readonly MarketOwner[],
  filter: MarketFilter,
  most: number,
): Promise<number> {
  const { values, put } = parameterList();
  const from = fromOf(owners, put);
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${from} WHERE ${conditionsOf(filter, put).join(' AND ')}
       LIMIT ${most + 1}) found`,
    values,
  );
  return row?.count ?? 0;
}

export type MarketSum = {
  grade: string | null;
  /** 0 to 5: the delinquency bucket of a loan that is being serviced; 6: charged off; 7: neither. */
  place: number;
  count: number;
  principal: bigint;
  /** Principal times rate. */
  rate_principal: string;
};

/** All that match, added up by grade and bucket. */
export function sumMarket(db: Sql, owners: readonly MarketOwner[], filter: MarketFilter): Promise<MarketSum[]> {
  const { values, put } = parameterList();
  const from = fromOf(owners, put);
  const past = (days: number) => `l.next_due <= ${DAY} - ${days}`;
  return db.query<MarketSum>(
    `SELECT l.grade, CASE WHEN l.status IN ('Funded', 'Current', 'Defaulted') THEN
         CASE WHEN ${past(120)} THEN 5 WHEN ${past(90)} THEN 4 WHEN ${past(60)} THEN 3 WHEN ${past(30)} THEN 2
           WHEN ${past(1)} THEN 1 ELSE 0 END
       WHEN l.status = 'ChargedOff' THEN 6 ELSE 7 END AS place,
       count(*)::int AS count, sum(l.principal)::bigint AS principal, sum(l.principal * l.rate)::text AS rate_principal
     FROM ${from} WHERE ${conditionsOf(filter, put).join(' AND ')} GROUP BY 1, 2`,
    values,
  );
}

/** A loan's day is its owner's today, but never before the day of its last event. */
const DAY = 'greatest(o.today, l.recorded_on)';

function fromOf(owners: readonly MarketOwner[], put: Put): string {
  const ids = put(owners.map(({ organizationId }) => organizationId));
  const days = put(owners.map(({ today }) => today));
  return `loans l JOIN unnest(${ids}::text[], ${days}::date[]) AS o (organization_id, today) ON o.organization_id = l.organization_id`;
}

function conditionsOf(filter: MarketFilter, put: Put): string[] {
  const { statuses, grades, vintage, daysPastDue, rate, balance } = filter;
  const where = ['l.published AND NOT l.erased'];
  if (statuses !== null) where.push(statusesIn(statuses, put));
  if (grades !== null) where.push(`l.grade = ANY(${put(grades)}::text[])`);
  if (vintage.from !== null) where.push(`l.vintage >= ${put(vintage.from)}::date`);
  if (vintage.to !== null) where.push(`l.vintage <= ${put(vintage.to)}::date`);
  if (daysPastDue.from !== null) where.push(`l.next_due <= ${DAY} - ${put(daysPastDue.from)}::int`);
  if (daysPastDue.to !== null) where.push(`l.next_due >= ${DAY} - ${put(daysPastDue.to)}::int`);
  if (rate.from !== null) where.push(`l.rate >= ${put(rate.from)}::numeric`);
  if (rate.to !== null) where.push(`l.rate <= ${put(rate.to)}::numeric`);
  if (balance.from !== null) where.push(balanceIs('>=', balance.from, put));
  if (balance.to !== null) where.push(balanceIs('<=', balance.to, put));
  return where;
}

function statusesIn(statuses: NonNullable<MarketFilter['statuses']>, put: Put): string {
  const those = (late: boolean, punctual: boolean) =>
    put(statuses.filter((one) => one.late === late && one.punctual === punctual).map(({ status }) => status));
  return `(l.status = ANY(${those(true, true)}::text[])
    OR (l.status = ANY(${those(true, false)}::text[]) AND l.delinquent_from <= ${DAY})
    OR (l.status = ANY(${those(false, true)}::text[]) AND (l.delinquent_from IS NULL OR l.delinquent_from > ${DAY})))`;
}
