/**
 * The books in the database: what was posted, by lender, and what the rows of loans say of a day on which nothing was recorded of them.
 * Rows hold coefficients that the engine wrote (`ledger/accrue.ts`); they are multiplied, divided and rounded here, for a million loans at
 * once, and a property test holds the result to the fold.
 */
import type { BookFigures } from '../core/books.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { Cents } from '../core/money.ts';
import type { Db, Sql } from './db.ts';
import { PRIOR_PERIOD } from './ledger.ts';
import { bytes, hexOf } from './loans.ts';

/** One organization, and one of its lenders or all of them. */
export type Whose = { readonly organizationId: string; readonly lenderId: string | null };

/** Everything `work` reads is of one moment. */
export function inOneMoment<T>(db: Db, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return work(tx);
  });
}

// ---- what was posted ----

/** Sums of lines: of sealed blocks by day, and the lines of those not sealed yet. $1 to $4: organization, lender or null, first and last day. */
const POSTED = `(
  SELECT lender_id, date_posted, entry, account, prior_period, debit, credit FROM account_days
  WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND date_posted BETWEEN $3 AND $4
  UNION ALL
  SELECT j.lender_id, j.date_posted, j.entry, j.account, ${PRIOR_PERIOD}, greatest(j.amount, 0), greatest(-j.amount, 0)
  FROM ledger_heads h JOIN journal j USING (volume)
  WHERE j.block > (SELECT coalesce(max(number), 0) FROM blocks b WHERE b.volume = h.volume)
    AND j.organization_id = $1 AND ($2::text IS NULL OR j.lender_id = $2) AND j.date_posted BETWEEN $3 AND $4
) posted`;

export type Days = { readonly from: string; readonly through: string };

const sums = 'sum(debit)::bigint AS debit, sum(credit)::bigint AS credit';

/** The first day that can be: everything up to a day is from here. */
const FIRST_DAY = '0001-01-01';

export type AccountTotal = { lenderId: string; account: string; debit: bigint; credit: bigint };

/** Debits and credits up to a day, by lender and account. */
export function readAccountTotals(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asOf: PlainDate,
): Promise<AccountTotal[]> {
  return db.query<AccountTotal>(
    `SELECT lender_id AS "lenderId", account, ${sums} FROM ${POSTED} GROUP BY lender_id, account`,
    [organizationId, lenderId, FIRST_DAY, asOf],
  );
}

export type Activity = AccountTotal & { entry: string; date: PlainDate; priorPeriod: boolean };

/** Debits and credits of some days, by lender, day, entry and account, in that order. */
export function readActivity(
  db: Sql,
  { organizationId, lenderId }: Whose,
  { from, through }: Days,
): Promise<Activity[]> {
  return db.query<Activity>(
    `SELECT lender_id AS "lenderId", date_posted AS date, entry, account, prior_period AS "priorPeriod", ${sums}
     FROM ${POSTED} GROUP BY lender_id, date_posted, entry, account, prior_period
     ORDER BY date_posted, lender_id COLLATE "C", entry COLLATE "C", prior_period, account COLLATE "C"`,
    [organizationId, lenderId, from, through],
  );
}

// ---- what the loans show ----

/** Sums over loans, in cents. */
export type LenderFigures = BookFigures & { readonly lenderId: string };

/** On the scale that its row names, how many units a stretch has lasted on a day; $4 has where that day stands on each. */
const UNITS = '($4::int[])[accrues_scale] - accrues_from';

/** Half a cent goes up, or to the even cent. */
const ACCRUED = `CASE WHEN accrues_per_unit IS NULL OR units <= 0 THEN 0
  ELSE div(twice, 2 * accrues_divisor)
    - CASE WHEN accrues_half_even AND mod(twice, 2 * accrues_divisor) = 0 THEN mod(div(twice, 2 * accrues_divisor), 2) ELSE 0 END
  END`;

/**
 * By lender, over the loans whose rows say it: those that were last recorded by a day, and whose books did not change by themselves
 * since; or over some loans, whatever their rows say. `units` is where the day stands on each scale.
 */
export async function readRowFigures(
  db: Sql,
  { organizationId, lenderId }: Whose,
  day: PlainDate,
  units: readonly number[],
  only: readonly string[] | null = null,
): Promise<LenderFigures[]> {
  const rows = await db.query<Record<keyof BookFigures, string> & { lenderId: string }>(
    `SELECT lender_id AS "lenderId", sum(book_principal)::text AS "loanPrincipal", sum(book_interest)::text AS "interestReceivable",
       sum(${ACCRUED})::text AS "accruedInterest", sum(book_fees)::text AS "feeReceivable", sum(book_credits)::text AS "borrowerCredits"
     FROM (
       SELECT *, 2 * accrues_per_unit * units + accrues_divisor AS twice FROM (
         SELECT *, ${UNITS} AS units FROM loans
         WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2)
           AND CASE WHEN $5::bytea[] IS NULL THEN recorded_on <= $3 AND (books_change_on IS NULL OR books_change_on > $3)
             ELSE loan_id = ANY ($5::bytea[]) END
       ) measured
     ) loans GROUP BY lender_id`,
    [organizationId, lenderId, day, units, only?.map(bytes) ?? null],
  );
  return rows.map(({ lenderId: lender, ...figures }) => {
    const cents = Object.fromEntries(Object.entries(figures).map(([name, sum]) => [name, Number(sum) as Cents]));
    return { lenderId: lender, ...(cents as BookFigures) };
  });
}

/** A loan whose row does not say what its books were on a day. */
export type LoanToFold = { loanId: string; lenderId: string; recordedOn: PlainDate; bodies: string };

/**
 * Loans that were recorded after a day, or whose books have changed by themselves by it (`onlyBrought`: these alone), in the order of
 * their ids, after one of them.
 */
export async function readLoansToFold(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asked: { day: PlainDate; onlyBrought: boolean; after: string | null; limit: number },
): Promise<LoanToFold[]> {
  const rows = await db.query<{ loan_id: Uint8Array; lender_id: string; recorded_on: PlainDate; bodies: string }>(
    `SELECT l.loan_id, l.lender_id, l.recorded_on,
       (SELECT string_agg(body, ',' ORDER BY sequence) FROM events e WHERE e.volume = l.volume AND e.loan_id = l.loan_id) AS bodies
     FROM loans l
     WHERE l.organization_id = $1 AND ($2::text IS NULL OR l.lender_id = $2) AND l.loan_id > $4
       AND l.volume = ANY ($7::smallint[]) AND ((l.recorded_on <= $3 AND l.changes_on <= $3 AND l.books_change_on <= $3) OR (l.recorded_on > $3 AND NOT $5))
     ORDER BY l.loan_id LIMIT $6`,
    [
      organizationId,
      lenderId,
      asked.day,
      bytes(asked.after ?? '0x'),
      asked.onlyBrought,
      asked.limit,
      // Named, because the index over `changes_on` begins with the volume.
      Array.from({ length: db.volumes.count }, (_, volume) => volume),
    ],
  );
  return rows.map(({ loan_id, lender_id, recorded_on, bodies }) => ({
    loanId: hexOf(loan_id),
    lenderId: lender_id,
    recordedOn: recorded_on,
    bodies,
  }));
}

/** Whether an organization has loans of lenders other than these, created by a day (in any time zone). */
export async function hasOtherLenders(
  db: Sql,
  { organizationId, lenderId }: Whose,
  lenders: readonly string[],
  day: PlainDate,
): Promise<boolean> {
  const [row] = await db.query<{ others: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM loans WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND lender_id <> ALL ($3::text[])
         AND created_at < $4::date + interval '38 hours'
     ) AS others`,
    [organizationId, lenderId, lenders, day],
  );
  return row?.others === true;
}
