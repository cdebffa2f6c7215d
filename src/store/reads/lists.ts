/**
 * Lists of loans.
 *
 * A list is put together from branches: the loans of one owner that are stored with one status. Every index over `loans` that a list uses
 * begins with the owner and has the status before the order of its rows, so a branch gives its rows in the order of the page without
 * reading others, and the page is the merge of its branches. A filter that is no part of such an index is checked row by row on the way.
 * That is fast where many loans match, and reads everything where few do: such a branch is gathered by the filter's own index instead, and
 * sorted. Which of the two it is, a count of at most `FEW` rows tells; it is also the beginning of the list's `total`.
 *
 * A value that depends on the day (Delinquent, days past due) is compared with stored dates, so no list waits for a nightly run.
 */

import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { SUMMARY, type SummaryRow } from '../door/summaries.ts';
import { balanceIs, type PageByBalance, selectByBalance } from './by-balance.ts';
import {
  COUNTED,
  hasName,
  isNamed,
  type Names,
  namedFirst,
  nameMatches,
  type Put,
  parameterList,
} from './list-names.ts';

/** The loans of a list: an organization's, or those of some servicers in it; by the organization's own day and zone. */
export type ListScope = {
  organizationId: string;
  servicerIds: readonly string[] | null;
  today: string;
  /** Days by which the owner's today is ahead of the caller's: days past due of several owners are compared by it. */
  aheadDays: number;
  createdFrom: Date | null;
  createdBefore: Date | null;
};

/** Inclusive; null: no limit on that side. */
export type Range<T> = { from: T | null; to: T | null };

export type ListQuery = Names & {
  scopes: readonly ListScope[];
  /** The stored statuses that are asked for; `late` and `punctual`: whether those that are Delinquent today, and the others. */
  statuses: readonly { status: string; late: boolean; punctual: boolean }[];
  /** These are all that a loan can have, late or not. */
  everyStatus: boolean;
  lenderId: string | null;
  servicerId: string | null;
  due: Range<string>;
  daysPastDue: Range<number>;
  balance: Range<number>;
  /** In non-accrual, or not; null: either. */
  nonAccrual: boolean | null;
  /** Charged off by the cycle on a ground that is gone, or not; null: either. */
  groundGone: boolean | null;
  /** Days for which a credit has been owed back; neither: with a credit, and without. */
  creditDays: Range<number>;
  sort: 'createdAt' | 'nextDueDate' | 'daysPastDue' | 'balance' | 'creditSince';
  descending: boolean;
  after: { key: string; loanId: string } | null;
  limit: number;
};

/** `total` is at most `COUNTED`; `exact`: there are no more. */
export type Listed = { rows: SummaryRow[]; total: number; exact: boolean };

/** A branch of up to so many is gathered and sorted. In one with more the next match is never far, on average. */
const FEW = 2_500;

/** No installment is left to pay, or there is none yet. */
export const NO_DATE = 'infinity';

/** `counted` is another bound than `COUNTED` for a test. */
export async function listLoans(db: Sql, query: ListQuery, counted = COUNTED): Promise<Listed> {
  const names = await nameMatches(db, query, counted);
  if (names === 0) return { rows: [], total: 0, exact: true };
  const broad = names !== null && names > counted;
  const horizons = goesByDay(query) ? await readHorizons(db, query) : new Map<ListScope, { horizon: string }>();
  const branches = query.scopes.flatMap((scope) => branchesOf({ ...scope, ...horizons.get(scope) }, query, broad));
  if (branches.length === 0) return { rows: [], total: 0, exact: true };
  // So many loans match the name that each is checked in the order of the page, and the total stays inexact.
  if (broad) {
    const rows = await readPage(db, branches.map(inOrder), query);
    return { rows, total: isNameAlone(query) ? counted : Math.min(counted, rows.length), exact: false };
  }
  const ordered = inOrderAlready(query, names);
  const { total, gathered } = ordered
    ? { total: await countTogether(db, branches, query, counted), gathered: [] }
    : await countEach(db, branches, query, counted);
  const shown = ordered
    ? branches.map(inOrder)
    : branches
        .map((branch, i) => ({ ...branch, gathered: gathered[i] === 'few' }))
        .filter((_, i) => gathered[i] !== 'none');
  return {
    rows: shown.length === 0 || total === 0 ? [] : await readPage(db, shown, query),
    total: Math.min(counted, total),
    exact: total <= counted,
  };
}

const inOrder = (branch: Branch) => ({ ...branch, gathered: false });

type Dated = ListScope & {
  /** The last day that any loan of the owner was recorded on, where that is after today: a loan’s day is never before it. */
  horizon?: string | undefined;
};

/** Loans of one owner with one stored status, and how they are found. */
type Branch = Dated & {
  status: ListQuery['statuses'][number];
  /** The column of the index that is fixed beside owner and status. */
  by: { column: 'lender_id' | 'primary_servicer_id' | 'secondary_servicer_id'; value: string } | null;
  /** For a loan that is found by its second servicer: by its first it must not be found already. */
  notBy: readonly string[] | null;
  /** By a borrower, an application or the beginning of a name; `in order`: so many match that each row is asked for its name. */
  named: 'no' | 'gathered' | 'in order';
};

function branchesOf(scope: Dated, query: ListQuery, broad: boolean): Branch[] {
  const { lenderId, servicerId } = query;
  const named = !hasName(query) ? 'no' : broad ? 'in order' : 'gathered';
  // A scope of servicers shows a loan to each of them; a filter by one of them leaves nothing of the others.
  const servicers =
    servicerId !== null && (scope.servicerIds === null || scope.servicerIds.includes(servicerId))
      ? [servicerId]
      : scope.servicerIds;
  const found: Pick<Branch, 'by' | 'notBy'>[] =
    servicers !== null
      ? servicers.flatMap((value) => [
          { by: { column: 'primary_servicer_id', value }, notBy: null },
          { by: { column: 'secondary_servicer_id', value }, notBy: servicers },
        ])
      : [{ by: lenderId === null ? null : { column: 'lender_id', value: lenderId }, notBy: null }];
  return found.flatMap((one) =>
    query.statuses.filter((status) => canMatch(status, query)).map((status) => ({ ...scope, ...one, status, named })),
  );
}

/** Only funded loans have due dates and owe anything. */
const OWING: ReadonlySet<string> = new Set(['Funded', 'Current', 'Defaulted', 'ChargedOff']);
/** These may have a credit too; one that is closed may have been charged off. */
const CLOSED: ReadonlySet<string> = new Set(['Closed', 'ClosedEarly']);
const ENDED: ReadonlySet<string> = new Set([...CLOSED, 'Cancelled']);

function canMatch(
  { status }: ListQuery['statuses'][number],
  { due, daysPastDue, balance, nonAccrual, groundGone, creditDays }: ListQuery,
): boolean {
  if (groundGone === true && status !== 'ChargedOff' && !CLOSED.has(status)) return false;
  if (OWING.has(status)) return true;
  if (nonAccrual === true || (isSet(creditDays) && !ENDED.has(status))) return false;
  return due.from === null && due.to === null && !((daysPastDue.from ?? 0) > 0) && !((balance.from ?? 0) > 0);
}

const isSet = ({ from, to }: Range<unknown>) => from !== null || to !== null;
const isCreated = ({ createdFrom, createdBefore }: Pick<ListScope, 'createdFrom' | 'createdBefore'>) =>
  createdFrom !== null || createdBefore !== null;

function isNameAlone(query: ListQuery): boolean {
  const { everyStatus, lenderId, servicerId, due, daysPastDue, balance, creditDays, nonAccrual, groundGone, scopes } =
    query;
  const ranges = [due, daysPastDue, balance, creditDays].some(isSet);
  const created = scopes.some(isCreated);
  return !(
    ranges ||
    created ||
    !everyStatus ||
    nonAccrual !== null ||
    groundGone !== null ||
    lenderId !== null ||
    servicerId !== null ||
    scopes.length > 1 ||
    scopes[0]?.servicerIds !== null
  );
}

/** Whether every branch gives its rows in the order of the page and drops none of them, or few. */
function inOrderAlready(query: ListQuery, names: number | null): boolean {
  const { scopes, lenderId, servicerId, due, daysPastDue, balance, creditDays, statuses, sort } = query;
  if (names !== null || query.nonAccrual === true || query.groundGone === true) return false;
  const created = scopes.some(isCreated);
  const byServicer = servicerId !== null || scopes.some(({ servicerIds }) => servicerIds !== null);
  const byDate = sort === 'nextDueDate' || sort === 'daysPastDue';
  if (isSet(creditDays) && sort !== 'creditSince') return false;
  if ((lenderId !== null || byServicer) && sort !== 'createdAt') return false;
  if (lenderId !== null && byServicer) return false;
  if (created && sort !== 'createdAt') return false;
  if ((isSet(due) || isSet(daysPastDue)) && !byDate) return false;
  if (isSet(balance) && sort !== 'balance') return false;
  return byDate || !statuses.some(isDerived);
}

const mayBeLate = (status: string) => status === 'Funded' || status === 'Current';

/** Whether only those that are Delinquent today are asked for, or only those that are not. */
function isDerived({ status, late, punctual }: ListQuery['statuses'][number]): boolean {
  return mayBeLate(status) && !(late && punctual);
}

function goesByDay({ statuses, daysPastDue, creditDays }: ListQuery): boolean {
  return statuses.some(isDerived) || isSet(daysPastDue) || isSet(creditDays);
}

/**
 * Owners of whom a loan was recorded on a later day than today: the clock was set back, or two processes differ. Nobody else pays for it: a
 * date that is compared with the later of two days cannot be looked up in an index.
 */
async function readHorizons(db: Sql, query: ListQuery): Promise<Map<ListScope, { horizon: string }>> {
  const { values, put } = parameterList();
  const last = query.scopes.map(
    ({ organizationId }, i) =>
      `SELECT ${i} AS i, (SELECT max(recorded_on) FROM loans WHERE organization_id = ${put(organizationId)}) AS last`,
  );
  const rows = await db.query<{ i: number; last: string | null }>(last.join(' UNION ALL '), values);
  const found = new Map<ListScope, { horizon: string }>();
  for (const { i, last: day } of rows) {
    const scope = query.scopes[i] as ListScope;
    if (day !== null && day > scope.today) found.set(scope, { horizon: day });
  }
  return found;
}

/** The number that match in some branches together, one more than `most` at most. */
async function countTogether(db: Sql, branches: readonly Branch[], query: ListQuery, most: number): Promise<number> {
  if (branches.length === 0 || most < 0) return 0;
  const { values, put } = parameterList();
  const { first, from } = namedFirst(query, branches, put);
  const each = branches.map(
    (branch) => `(SELECT 1 FROM ${from(branch)} WHERE ${conditionsOf(branch, query, put).join(' AND ')})`,
  );
  const [row] = await db.query<{ count: number }>(
    `${first}SELECT count(*)::int AS count FROM (${each.join('\nUNION ALL\n')} LIMIT ${most + 1}) found`,
    values,
  );
  return row?.count ?? 0;
}

/** The number that match in all, one more than `counted` at least where there are more; and whether they are few in each branch. */
async function countEach(
  db: Sql,
  branches: readonly Branch[],
  query: ListQuery,
  counted: number,
): Promise<{ total: number; gathered: ('none' | 'few' | 'many')[] }> {
  const few = Math.min(FEW, counted);
  const { values, put } = parameterList();
  const { first, from } = namedFirst(query, branches, put);
  const each = branches.map((branch, i) => {
    const where = conditionsOf(branch, query, put);
    return `(SELECT ${i} AS i FROM ${from(branch)} WHERE ${where.join(' AND ')} LIMIT ${few + 1})`;
  });
  const rows = await db.query<{ i: number; count: number }>(
    `${first}SELECT i, count(*)::int AS count FROM (${each.join('\nUNION ALL\n')}) found GROUP BY i`,
    values,
  );
  const counts = new Array<number>(branches.length).fill(0);
  for (const { i, count } of rows) counts[i] = count;
  const gathered = counts.map((count) => (count === 0 ? 'none' : count <= few ? 'few' : 'many'));
  const sum = counts.reduce((all, count) => all + count, 0);
  const many = branches.filter((_, i) => gathered[i] === 'many');
  if (many.length === 0 || sum > counted) return { total: sum, gathered };
  const others = sum - many.length * (few + 1);
  return { total: others + (await countTogether(db, many, query, counted - others)), gathered };
}

async function readPage(
  db: Sql,
  branches: readonly (Branch & { gathered: boolean })[],
  query: ListQuery,
): Promise<SummaryRow[]> {
  const { values, put } = parameterList();
  const direction = query.descending ? 'DESC' : 'ASC';
  const order = `${isApart(query) ? 'apart, ' : ''}key ${direction}, loan_id ${direction}`;
  const limit = put(query.limit);
  const { first, from } = namedFirst(query, branches, put);
  const { sort } = query;
  const each = branches.flatMap((branch) =>
    sort === 'balance'
      ? selectByBalance(byBalance(branch), put)
      : sectionsOf(branch, query).map((apart) => selectOf(branch, sort, apart)),
  );
  if (each.length === 0) return [];
  return db.query<SummaryRow>(
    `${first}SELECT ${SUMMARY}
     FROM (SELECT * FROM (${each.join('\nUNION ALL\n')}) merged ORDER BY ${order} LIMIT ${limit}) page
     JOIN loans l USING (volume, loan_id) JOIN applications a USING (volume, loan_id) ORDER BY ${order.replace('loan_id', 'page.loan_id')}`,
    values,
  );

  function byBalance(branch: Branch & { gathered: boolean }): PageByBalance {
    const { descending, after } = query;
    const found = branch.gathered ? 'gathered' : isNarrowed(branch, query) ? 'by index' : 'by row';
    const owing = OWING.has(branch.status.status);
    return { from: from(branch), where: () => requiredOf(branch), found, owing, descending, after, limit };
  }

  function requiredOf(branch: Branch): string[] {
    const where = conditionsOf(branch, query, put);
    return branch.named === 'in order' ? [...where, isNamed(query, put)] : where;
  }

  function selectOf(branch: Branch & { gathered: boolean }, by: keyof typeof KEYS, apart: boolean | null): string {
    const where = requiredOf(branch);
    const column = KEYS[by];
    const ahead = by === 'daysPastDue' && branch.aheadDays !== 0 ? put(branch.aheadDays) : null;
    const key = ahead === null ? `l.${column}` : `l.${column} - ${ahead}::int`;
    if (apart !== null) where.push(`l.next_due ${apart ? '=' : '<'} '${NO_DATE}'`);
    if (query.after !== null && apart === (isApart(query) ? query.after.key === NO_DATE : null)) {
      const than = query.descending ? '<' : '>';
      const last = `${put(query.after.key)}::${TYPES[by]}${ahead === null ? '' : ` + ${ahead}::int`}`;
      where.push(`(l.${column}, l.loan_id) ${than} (${last}, ${put(bytes(query.after.loanId))})`);
    }
    const rows = `SELECT l.volume, l.loan_id, ${key} AS key${isApart(query) ? `, ${apart} AS apart` : ''} FROM ${from(branch)} WHERE ${where.join(' AND ')}`;
    // OFFSET 0 keeps the planner from walking the order of the page through loans that hardly ever match.
    if (branch.gathered)
      return `(SELECT * FROM (${rows} OFFSET 0) all_of_it ORDER BY key ${direction}, loan_id ${direction} LIMIT ${limit})`;
    return `(${rows} ORDER BY l.${column} ${direction}, l.loan_id ${direction} LIMIT ${limit})`;
  }
}

/** Whether a filter leaves loans of a branch out that could be left out without a look at their rows. */
function isNarrowed({ status, by, ...scope }: Branch, { due, daysPastDue, creditDays }: ListQuery): boolean {
  return by !== null || isCreated(scope) || [due, daysPastDue, creditDays].some(isSet) || isDerived(status);
}

const KEYS = {
  createdAt: 'created_at',
  nextDueDate: 'next_due',
  daysPastDue: 'next_due',
  creditSince: 'credit_since',
} as const;
const TYPES = { createdAt: 'timestamptz', nextDueDate: 'date', daysPastDue: 'date', creditSince: 'date' } as const;

/** The latest due date first: loans without one come last all the same, as a part of their own. */
const isApart = ({ sort, descending }: ListQuery) => sort === 'nextDueDate' && descending;

/** With a due date, and without; null where they are not kept apart. */
function sectionsOf({ status }: Branch, query: ListQuery): (boolean | null)[] {
  if (!isApart(query)) return [null];
  const sections = OWING.has(status.status) ? [false, true] : [true];
  return query.after?.key === NO_DATE ? sections.filter((apart) => apart) : sections;
}

function conditionsOf(branch: Branch, query: ListQuery, put: Put): string[] {
  const { today, horizon, by, notBy, status, createdFrom, createdBefore } = branch;
  const { lenderId, servicerId, due, daysPastDue, balance, creditDays } = query;
  const where = [`l.organization_id = ${put(branch.organizationId)}`, `l.status = ${put(status.status)}`];
  // A loan's day is its owner's today, but never before the day of its last event.
  const day = () => (horizon === undefined ? `${put(today)}::date` : `greatest(${put(today)}::date, l.recorded_on)`);
  if (by !== null) where.push(`l.${by.column} = ${put(by.value)}`);
  if (notBy !== null)
    where.push(`(l.primary_servicer_id IS NULL OR l.primary_servicer_id <> ALL (${put(notBy)}::text[]))`);
  if (lenderId !== null && by?.column !== 'lender_id') where.push(`l.lender_id = ${put(lenderId)}`);
  if (servicerId !== null && by?.value !== servicerId) {
    const asked = put(servicerId);
    where.push(`(l.primary_servicer_id = ${asked} OR l.secondary_servicer_id = ${asked})`);
  }
  if (isDerived(status)) {
    // The grace days are over on delinquent_from, which is never before the due date: an index over due dates can begin there.
    if (status.late)
      where.push(`l.delinquent_from <= ${day()}`, `l.next_due < ${horizon === undefined ? day() : put(horizon)}`);
    else where.push(`(l.delinquent_from IS NULL OR l.delinquent_from > ${day()})`);
  }
  if (due.from !== null) where.push(`l.next_due >= ${put(due.from)}`, `l.next_due < '${NO_DATE}'`);
  if (due.to !== null) where.push(`l.next_due <= ${put(due.to)}`);
  if ((daysPastDue.from ?? 0) > 0) where.push(`l.next_due <= ${day()} - ${put(daysPastDue.from)}::int`);
  if (daysPastDue.to !== null) where.push(`l.next_due >= ${day()} - ${put(daysPastDue.to)}::int`);
  if (isSet(creditDays)) where.push('l.credit_since IS NOT NULL');
  if (creditDays.from !== null) where.push(`l.credit_since <= ${day()} - ${put(creditDays.from)}::int`);
  if (creditDays.to !== null) where.push(`l.credit_since >= ${day()} - ${put(creditDays.to)}::int`);
  if (query.nonAccrual !== null) where.push(`l.non_accrual_since IS ${query.nonAccrual ? 'NOT NULL' : 'NULL'}`);
  if (query.groundGone !== null) where.push(`${query.groundGone ? '' : 'NOT '}l.charge_off_ground_gone`);
  if (balance.from !== null) where.push(balanceIs('>=', balance.from, put));
  if (balance.to !== null) where.push(balanceIs('<=', balance.to, put));
  if (createdFrom !== null) where.push(`l.created_at >= ${put(createdFrom)}`);
  if (createdBefore !== null) where.push(`l.created_at < ${put(createdBefore)}`);
  return where;
}
