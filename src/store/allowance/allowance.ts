/** Allowances in the database: loans by what their expected loss follows from, in one statement; what was booked; and what was lost since. */
import type { PlainDate } from '../../core/calendar.ts';
import { ACTIVE, BUCKETS } from '../../portfolio/buckets.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { type Put, parameterList } from '../reads/list-names.ts';
import { bucketText, daysToday } from '../reports/facts.ts';
import { forScan } from '../reports/portfolio.ts';

/** The place of charged-off loans in `positions.place`; those after it owe nothing. */
const CHARGED_OFF = BUCKETS.length;
/** Installments that are left, in steps: loans of one step count as one group. */
const STEP = 6;

/** `place`: the number of the bucket, or that of charged-off loans. */
export type GroupRow = {
  readonly lenderId: string;
  readonly grade: string;
  readonly vintage: string;
  readonly place: number;
  readonly loans: number;
  readonly principal: number;
  readonly original: number;
  /** Averages weighted by principal. */
  readonly rate: number;
  readonly remaining: number;
};

export type GroupsAsked = {
  readonly organizationId: string;
  readonly lenderId: string | null;
  /** The positions of a date as known on a day; `knownOn` null: the loans as they stand, on their owner's day. */
  readonly date: PlainDate;
  readonly knownOn: PlainDate | null;
};

/** One scan; there are far fewer groups than loans. */
export async function readGroups(tx: Sql, asked: GroupsAsked): Promise<GroupRow[]> {
  await forScan(tx);
  const { values, put } = parameterList();
  const from = asked.knownOn === null ? rowsToday(asked, put) : rowsOn(asked, asked.knownOn, put);
  const rows = await tx.query<Record<string, string> & { place: number; loans: number }>(
    `SELECT lender_id, grade, vintage, place, loans, amount::text, original::text,
       round(rate_amount / amount, 6)::text AS rate, round(remaining_amount / amount, 6)::text AS remaining
     FROM (
       SELECT lender_id, coalesce(grade, '') AS grade, coalesce(to_char(vintage, 'YYYY-MM'), '') AS vintage, place, step, count(*)::int AS loans,
         sum(amount) AS amount, sum(original) AS original, sum(rate * amount) AS rate_amount, sum(remaining * amount) AS remaining_amount
       FROM (
         SELECT lender_id, grade, vintage, place, (remaining + ${STEP - 1}) / ${STEP} AS step, original, rate, remaining, amount
         FROM (${from}) found WHERE amount > 0
       ) stepped
       GROUP BY lender_id, grade, vintage, place, step
     ) grouped
     ORDER BY lender_id COLLATE "C", grade COLLATE "C", vintage COLLATE "C", place, step`,
    values,
  );
  return rows.map((row) => ({
    ...{ lenderId: row.lender_id as string, grade: row.grade as string, vintage: row.vintage as string },
    ...{ place: row.place, loans: row.loans, principal: Number(row.amount), original: Number(row.original) },
    ...{ rate: Number(row.rate), remaining: Number(row.remaining) },
  }));
}

/** The last row of each loan by what was known on the day. */
function rowsOn({ organizationId, lenderId, date }: GroupsAsked, knownOn: PlainDate, put: Put): string {
  const [owner, on, known] = [put(organizationId), put(date), put(knownOn)];
  const own = lenderId === null ? '' : `AND p.lender_id = ${put(lenderId)}`;
  const newer =
    knownOn === date
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM positions r WHERE r.volume = p.volume AND r.loan_id = p.loan_id AND r.date = p.date
           AND r.organization_id = p.organization_id AND r.known_on > p.known_on AND r.known_on <= ${known}::date)`;
  return `SELECT p.lender_id, p.grade, p.vintage, p.place, p.remaining, p.original, p.rate,
      CASE WHEN p.place = ${CHARGED_OFF} THEN p.kept ELSE p.principal END AS amount
    FROM positions p WHERE p.organization_id = ${owner} AND p.date = ${on}::date AND p.known_on <= ${known}::date
      AND NOT p.withdrawn AND p.place <= ${CHARGED_OFF} ${own} ${newer}`;
}

function rowsToday({ organizationId, lenderId, date }: GroupsAsked, put: Put): string {
  const [owner, on] = [put(organizationId), put(date)];
  const own = lenderId === null ? '' : `AND lender_id = ${put(lenderId)}`;
  return `SELECT lender_id, grade, vintage, CASE WHEN status = 'ChargedOff' THEN ${CHARGED_OFF} ELSE ${bucketText(daysToday(on))} END AS place,
      remaining, original, rate, CASE WHEN status = 'ChargedOff' THEN book_principal ELSE principal END AS amount
    FROM loans WHERE organization_id = ${owner} ${own} AND status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff')`;
}

// ---- what was booked ----

/** `proposal` is JSON. */
export type AllowanceRow = {
  readonly period: string;
  readonly lenderId: string;
  /** Null: there was nothing to post. */
  readonly transactionHash: string | null;
  readonly bookedAt: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly proposal: string;
};

export type BookedAsked = { readonly lenderId: string | null; readonly through: string; readonly limit: number };

/** Those of the last months up to one that have any, the oldest first. */
export async function readAllowances(
  db: Sql,
  organizationId: string,
  { lenderId, through, limit }: BookedAsked,
): Promise<AllowanceRow[]> {
  const rows = await db.query<Tables['allowances']>(
    `SELECT * FROM allowances
     WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND period IN (
       SELECT DISTINCT period FROM allowances WHERE organization_id = $1 AND period <= $3 ORDER BY period DESC LIMIT $4)
     ORDER BY period, lender_id COLLATE "C"`,
    [organizationId, lenderId, through, limit],
  );
  return rows.map(({ period, lender_id, transaction_hash, booked_at, client_id, user_id, proposal }) => ({
    ...{ period, lenderId: lender_id, bookedAt: booked_at.toISOString(), clientId: client_id, userId: user_id },
    transactionHash: transaction_hash === null ? null : hexOf(transaction_hash),
    proposal,
  }));
}

/** The last month that has one; null: none has. */
export async function lastAllowance(db: Sql, organizationId: string): Promise<string | null> {
  const [row] = await db.query<{ last: string | null }>(
    'SELECT max(period) AS last FROM allowances WHERE organization_id = $1',
    [organizationId],
  );
  return row?.last ?? null;
}

export async function saveAllowance(tx: Sql, organizationId: string, row: AllowanceRow): Promise<void> {
  const { period, lenderId, transactionHash, bookedAt, clientId, userId, proposal } = row;
  await changeRows(
    tx,
    'allowances',
    `INSERT INTO allowances (organization_id, period, lender_id, transaction_hash, booked_at, client_id, user_id, proposal)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[organizationId, period, lenderId, transactionHash === null ? null : bytes(transactionHash)],
      ...[bookedAt, clientId, userId, proposal],
    ],
  );
}

// ---- what was lost since ----

export type LostAsked = {
  readonly organizationId: string;
  readonly lenderId: string | null;
  /** The loans that were open on this date, as known on that day. */
  readonly date: PlainDate;
  readonly knownOn: PlainDate;
  readonly through: PlainDate;
};

/**
 * Principal charged off less money recovered, of the loans that were open on a date, in the months after it up to a month end, by what is known
 * now. Few rows have either, and only those are joined.
 */
export async function readLost(tx: Sql, asked: LostAsked): Promise<{ chargedOff: number; recovered: number }> {
  await forScan(tx);
  const { organizationId, lenderId, date, knownOn, through } = asked;
  const [row] = await tx.query<{ charged_off: string; recovered: string }>(
    `SELECT coalesce(sum(l.charged_off), 0)::text AS charged_off, coalesce(sum(l.recovered), 0)::text AS recovered
     FROM positions l JOIN positions p ON p.volume = l.volume AND p.loan_id = l.loan_id
     WHERE l.organization_id = $1 AND l.date > $2 AND l.date <= $3 AND NOT l.withdrawn AND (l.charged_off <> 0 OR l.recovered <> 0)
       AND l.date = (date_trunc('month', l.date) + interval '1 month - 1 day')::date
       AND NOT EXISTS (SELECT 1 FROM positions r WHERE r.volume = l.volume AND r.loan_id = l.loan_id AND r.date = l.date
         AND r.organization_id = l.organization_id AND r.known_on > l.known_on)
       AND p.organization_id = $1 AND p.date = $2 AND NOT p.withdrawn AND p.principal > 0 AND p.status = ANY ($6)
       AND ($5::text IS NULL OR p.lender_id = $5)
       AND p.known_on = (SELECT max(q.known_on) FROM positions q WHERE q.volume = p.volume AND q.loan_id = p.loan_id AND q.date = p.date
         AND q.organization_id = p.organization_id AND q.known_on <= $4)`,
    [organizationId, date, through, knownOn, lenderId, [...ACTIVE]],
    'allowance_lost',
  );
  return { chargedOff: Number(row?.charged_off ?? 0), recovered: Number(row?.recovered ?? 0) };
}
