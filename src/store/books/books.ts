/**
 * The books in the database: what was posted, by lender, and what the rows of loans give for a day on which nothing was recorded for them.
 * Rows hold coefficients that the engine wrote (`ledger/accrue.ts`); they are multiplied, divided and rounded here, for a million loans at
 * once, and a property test compares the result with the fold.
 */
import type { BookFigures } from '../../core/books.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume } from '../db/volumes.ts';
import { LINES_OF, PRIOR_PERIOD } from '../ledger/ledger.ts';

/** One organization, and one of its lenders or all of them. */
export type Whose = { readonly organizationId: string; readonly lenderId: string | null };

/** For the rest of a transaction: adding up a million loans must not take every processor of the server from payments. */
export async function onOneProcessor(tx: Sql): Promise<void> {
  await tx.query('SET LOCAL max_parallel_workers_per_gather = 0');
}

// ---- what was posted ----

/** Sums of lines: of sealed blocks by day, and the lines of those not sealed yet. $1 to $4: organization, lender or null, first and last day. */
const POSTED = `(
  SELECT lender_id, date_posted, entry, account, prior_period, debit, credit FROM account_days
  WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND date_posted BETWEEN $3 AND $4
  UNION ALL
  SELECT j.lender_id, j.date_posted, j.entry, j.account, ${PRIOR_PERIOD}, greatest(j.amount, 0), greatest(-j.amount, 0)
  FROM ledger_heads h JOIN events e USING (volume) CROSS JOIN LATERAL (${LINES_OF('e.volume')}) j
  WHERE e.block > (SELECT coalesce(max(number), 0) FROM blocks b WHERE b.volume = h.volume)
    AND j.organization_id = $1 AND ($2::text IS NULL OR j.lender_id = $2) AND j.date_posted BETWEEN $3 AND $4
) posted`;

export type Days = { readonly from: PlainDate; readonly through: PlainDate };

const sums = 'sum(debit)::bigint AS debit, sum(credit)::bigint AS credit';

/** The first and the last day that can be. */
const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

export type AccountTotal = { lenderId: string; account: string; debit: bigint; credit: bigint };

/** Debits and credits from a day on (null: from the beginning) up to another, by lender and account. */
export function readAccountTotals(
  db: Sql,
  { organizationId, lenderId }: Whose,
  { from, through }: { from: PlainDate | null; through: PlainDate },
): Promise<AccountTotal[]> {
  return db.query<AccountTotal>(
    `SELECT lender_id AS "lenderId", account, ${sums} FROM ${POSTED} GROUP BY lender_id, account`,
    [organizationId, lenderId, from ?? FIRST_DAY, through],
  );
}

export type EntryTotal = AccountTotal & { entry: string };

/** Debits and credits of some days, by lender, entry and account. */
export function readEntryTotals(
  db: Sql,
  { organizationId, lenderId }: Whose,
  { from, through }: Days,
): Promise<EntryTotal[]> {
  return db.query<EntryTotal>(
    `SELECT lender_id AS "lenderId", entry, account, ${sums} FROM ${POSTED} GROUP BY lender_id, entry, account
     ORDER BY lender_id COLLATE "C", entry COLLATE "C", account COLLATE "C"`,
    [organizationId, lenderId, from, through],
  );
}

/** Changes of some accounts in each month that changed them, by lender; debits positive. `month` is its last day. */
export function readMonthlyChanges(
  db: Sql,
  organizationId: string,
  accounts: readonly string[],
): Promise<{ lenderId: string; account: string; month: PlainDate; amount: bigint }[]> {
  return db.query(
    `SELECT lender_id AS "lenderId", account, (date_trunc('month', date_posted) + interval '1 month - 1 day')::date AS month,
       sum(debit - credit)::bigint AS amount
     FROM ${POSTED} WHERE account = ANY ($5::text[]) GROUP BY 1, 2, 3`,
    [organizationId, null, FIRST_DAY, LAST_DAY, accounts],
  );
}

/** By day, lender and account, how many sums are kept: at least as many as `readActivity` adds them up to. */
export function readSumsKept(
  db: Sql,
  { organizationId, lenderId }: Whose,
  { from, through }: Days,
): Promise<{ date: PlainDate; lenderId: string; account: string; count: number }[]> {
  return db.query(
    `SELECT date_posted AS date, lender_id AS "lenderId", account, count(*)::int AS count FROM ${POSTED}
     GROUP BY date_posted, lender_id, account ORDER BY date_posted`,
    [organizationId, lenderId, from, through],
  );
}

export type Activity = EntryTotal & { date: PlainDate; priorPeriod: boolean };

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

/** On the scale that its row names, how many units a stretch has lasted on a day; the parameter has the position of that day on each scale. */
export const UNITS = (units: string): string => `(${units}::int[])[accrues_scale] - accrues_from`;

/** Half a cent goes up, or to the even cent. `of` is a type in which nothing overflows. */
const rounded = (units: string, of: 'bigint' | 'numeric'): string => {
  const twice = `(2 * accrues_per_unit::${of} * (${units}) + accrues_divisor)`;
  // With whole numbers `/` leaves out what is behind the point, as `div` does with decimals.
  const cents = of === 'bigint' ? `${twice} / (2 * accrues_divisor)` : `div(${twice}, 2 * accrues_divisor)`;
  return `${cents} - CASE WHEN accrues_half_even AND mod(${twice}, 2 * accrues_divisor) = 0 THEN mod(${cents}, 2) ELSE 0 END`;
};

/** A condition: it fits into 64 bits, as most loans do. Decimals take several times as long, which counts for a million of them. */
const isSmall = (units: string): string =>
  `(${units} <= 4000 AND accrues_per_unit <= 1e15 OR ${units} <= 400000 AND accrues_per_unit <= 1e13) AND accrues_divisor <= 1e18::bigint`;

/** In cents, with the units of `UNITS`. */
export const ACCRUED = (units: string): string => `CASE WHEN accrues_per_unit IS NULL OR ${units} <= 0 THEN 0
  WHEN ${isSmall(units)} THEN ${rounded(units, 'bigint')}
  ELSE (${rounded(units, 'numeric')})::bigint END`;

const NET = '(coalesce(deferred_fees, 0) - coalesce(deferred_costs, 0) + coalesce(purchase_discount, 0))';

/** Net, in cents, of a row that has deferred amounts: what has been amortized by a day, within what was deferred. */
const AMORTIZED = (units: string): string => {
  const days = `greatest((${units}::int[])[1] - amortizes_from, 0)`;
  const effective = `div(2 * amortizes_per_unit * ${days} + amortizes_divisor, 2 * amortizes_divisor)::bigint`;
  const through = `amortized + amortizes_before + ${effective} - (${ACCRUED(UNITS(units))})`;
  return `CASE WHEN amortizes_per_unit IS NULL THEN amortized ELSE least(greatest(${through}, least(${NET}, 0)), greatest(${NET}, 0)) END`;
};

/** The part of costs in a net amount, in which they are in proportion; a net amount and what is amortized of it have the same sign. */
const COSTS_IN = (net: string): string =>
  `CASE WHEN deferred_costs IS NULL OR ${NET} = 0 THEN 0 ELSE div(2 * abs((${net})::numeric) * deferred_costs + abs(${NET}), 2 * abs(${NET}))::bigint END`;

/** Sums over the rows that have deferred amounts. */
const DEFERRED_SUMS = (units: string): string => {
  const all = {
    fees: 'deferred_fees',
    costs: 'deferred_costs',
    discount: 'purchase_discount',
    of_fees: `CASE WHEN amortized IS NULL OR purchase_discount IS NOT NULL THEN NULL ELSE ${AMORTIZED(units)} END`,
    of_costs: `CASE WHEN amortized IS NULL OR deferred_costs IS NULL THEN NULL ELSE ${COSTS_IN(AMORTIZED(units))} END`,
    of_discount: `CASE WHEN amortized IS NULL OR purchase_discount IS NULL THEN NULL ELSE ${AMORTIZED(units)} END`,
    ended_fees: 'CASE WHEN purchase_discount IS NULL THEN amortized END',
    ended_costs: `CASE WHEN amortized IS NULL OR deferred_costs IS NULL THEN NULL ELSE ${COSTS_IN('amortized')} END`,
    ended_discount: 'CASE WHEN purchase_discount IS NULL THEN NULL ELSE amortized END',
  };
  return Object.entries(all)
    .map(([name, of]) => `coalesce(sum(${of}), 0)::text AS ${name}`)
    .join(', ');
};

const asCents = (amount: number) => amount as Cents;

type DeferredSums = Record<
  'fees' | 'costs' | 'discount' | `${'of' | 'ended'}_${'fees' | 'costs' | 'discount'}`,
  string
>;

function deferredFrom(sums: DeferredSums) {
  const of = (name: keyof DeferredSums) => Number(sums[name]);
  // Fees fall by the net amount and the costs in it.
  const fees = of('of_fees') + of('of_costs');
  return {
    deferredFees: asCents(of('fees') - fees),
    deferredCosts: asCents(of('costs') - of('of_costs')),
    purchaseDiscount: asCents(of('discount') - of('of_discount')),
    openFees: asCents(fees - of('ended_fees') - of('ended_costs')),
    openCosts: asCents(of('of_costs') - of('ended_costs')),
    openDiscount: asCents(of('of_discount') - of('ended_discount')),
  };
}

/**
 * At the end of a subquery: what it computes is computed once for a row, and not wherever a column of it is named. The zero is text, because
 * the planner scans a subquery in parallel only if it need not convert the number first.
 */
export const FENCE = "OFFSET '0'";

/**
 * By lender, over the loans whose rows say it: those that were last recorded by a day, and whose books did not change by themselves
 * since; or over some loans, whatever their rows say. `units` is the position of the day on each scale.
 */
export async function readRowFigures(
  db: Sql,
  { organizationId, lenderId }: Whose,
  day: PlainDate,
  units: readonly number[],
  only: readonly string[] | null = null,
): Promise<LenderFigures[]> {
  const rows = await db.query<Record<RowFigure, string> & DeferredSums & { lenderId: string }>(
    `SELECT lender_id AS "lenderId", sum(book_principal)::text AS "loanPrincipal", sum(book_interest)::text AS "interestReceivable",
       sum(${ACCRUED(UNITS('$4'))})::text AS "accruedInterest", sum(book_fees)::text AS "feeReceivable", sum(book_credits)::text AS "borrowerCredits",
       ${DEFERRED_SUMS('$4')}
     FROM loans
     WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2)
       AND CASE WHEN $5::bytea[] IS NULL THEN recorded_on <= $3 AND (books_change_on IS NULL OR books_change_on > $3)
         ELSE loan_id = ANY ($5::bytea[]) END
     GROUP BY lender_id`,
    [organizationId, lenderId, day, units, only?.map(bytes) ?? null],
  );
  return rows.map(({ lenderId: lender, ...sums }) => ({
    lenderId: lender,
    loanPrincipal: asCents(Number(sums.loanPrincipal)),
    interestReceivable: asCents(Number(sums.interestReceivable)),
    accruedInterest: asCents(Number(sums.accruedInterest)),
    feeReceivable: asCents(Number(sums.feeReceivable)),
    borrowerCredits: asCents(Number(sums.borrowerCredits)),
    ...deferredFrom(sums),
  }));
}

type RowFigure = 'loanPrincipal' | 'interestReceivable' | 'accruedInterest' | 'feeReceivable' | 'borrowerCredits';

/** A loan whose row does not say what its books were on a day. `events`: how many it has. */
export type LoanToFold = { loanId: string; volume: number; lenderId: string; recordedOn: PlainDate; events: number };

/** The beginning of a page: after this loan of this day. */
export type FoldedThrough = { on: PlainDate; volume: number; loanId: string };

/** Behind every volume there can be. */
const LAST_VOLUME = 32_767;

/** Its books changed by themselves by the day; it was recorded since; or it was owned on the day and transferred since. */
export type WhyFolded = 'changed' | 'recorded' | 'former';

/**
 * A page of the loans whose books changed by themselves by a day, in the order of when they did, of those that were known on it and
 * recorded since, or of those that the organization owned on it and transferred since. The first have nothing recorded since, because their date is always after the day of their last event. Each page is a
 * range of an index, however many loans there are.
 */
export async function readLoansToFold(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asked: { day: PlainDate; why: WhyFolded; after: FoldedThrough | null; limit: number },
): Promise<{ loans: LoanToFold[]; last: FoldedThrough | null }> {
  type Row = {
    on: PlainDate;
    volume: number;
    loan_id: Uint8Array;
    lender_id: string;
    recorded_on: PlainDate;
    version: number;
  };
  const { day, why, limit } = asked;
  const start: FoldedThrough =
    why === 'changed'
      ? { on: FIRST_DAY as PlainDate, volume: -1, loanId: '0x' }
      : { on: day, volume: LAST_VOLUME, loanId: '0x' };
  const { on, volume, loanId } = asked.after ?? start;
  const values = [organizationId, lenderId, day, on, volume, bytes(loanId), limit];
  const rows =
    why === 'changed'
      ? await db.query<Row>(
          `SELECT books_change_on AS on, volume, loan_id, lender_id, recorded_on, version FROM loans
           WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND books_change_on <= $3
             AND (books_change_on, volume, loan_id) > ($4, $5, $6)
           ORDER BY books_change_on, volume, loan_id LIMIT $7`,
          values,
        )
      : why === 'former'
        ? await db.query<Row>(
            `SELECT f.owned_until AS on, f.volume, f.loan_id, f.lender_id, f.owned_until AS recorded_on, l.version
           FROM former_owners f JOIN loans l ON l.volume = f.volume AND l.loan_id = f.loan_id
           WHERE f.organization_id = $1 AND ($2::text IS NULL OR f.lender_id = $2) AND f.owned_from <= $3
             AND (f.owned_until, f.volume, f.loan_id) > ($4, $5, $6)
           ORDER BY f.owned_until, f.volume, f.loan_id LIMIT $7`,
            values,
          )
        : await db.query<Row>(
            `SELECT recorded_on AS on, volume, loan_id, lender_id, recorded_on, version FROM loans
           WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND first_recorded_on <= $3
             AND (recorded_on, volume, loan_id) > ($4, $5, $6)
           ORDER BY recorded_on, volume, loan_id LIMIT $7`,
            values,
          );
  const end = rows.length < limit ? undefined : rows.at(-1);
  return {
    loans: rows.map(({ volume: of, loan_id, lender_id, recorded_on, version }) => ({
      ...{ loanId: hexOf(loan_id), volume: of, lenderId: lender_id, recordedOn: recorded_on, events: version },
    })),
    last: end === undefined ? null : { on: end.on, volume: end.volume, loanId: hexOf(end.loan_id) },
  };
}

const HISTORIES = byVolume(
  (from, volume) =>
    `SELECT asked.id AS loan_id, string_agg(e.body, ',' ORDER BY e.sequence) AS bodies
     FROM ${from} JOIN events e ON e.volume = ${volume} AND e.loan_id = asked.id GROUP BY asked.id`,
);

/** By loan: the bodies of its transactions, JSON with commas between them. */
export async function readBodies(db: Sql, loanIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await queryByVolume<{ loan_id: Uint8Array; bodies: string }>(
    db,
    HISTORIES,
    loanIds,
    [],
    'bodies_of_loans',
  );
  return new Map(rows.map(({ loan_id, bodies }) => [hexOf(loan_id), bodies]));
}

/** In a volume, one lender after the other along an index. */
const FIRST_RECORDED = `
WITH RECURSIVE lenders (lender_id, first) AS (
  (SELECT lender_id, first_recorded_on FROM loans WHERE volume = $1 AND organization_id = $2
   ORDER BY lender_id, first_recorded_on LIMIT 1)
  UNION ALL
  SELECT next.* FROM lenders, LATERAL (
    SELECT l.lender_id, l.first_recorded_on FROM loans l WHERE l.volume = $1 AND l.organization_id = $2 AND l.lender_id > lenders.lender_id
    ORDER BY l.lender_id, l.first_recorded_on LIMIT 1
  ) next
)
SELECT lender_id AS "lenderId", first FROM lenders`;

/** The lenders of an organization, each with the first day on which a loan of it was recorded or transferred to it. */
export async function readFirstRecorded(db: Sql, { organizationId, lenderId }: Whose): Promise<Map<string, PlainDate>> {
  const found = new Map<string, PlainDate>();
  const add = (lender: string, first: PlainDate) => {
    const before = found.get(lender);
    if ((lenderId === null || lender === lenderId) && (before === undefined || first < before))
      found.set(lender, first);
  };
  const former = await db.query<{ lenderId: string; first: PlainDate }>(
    'SELECT lender_id AS "lenderId", min(owned_from) AS first FROM former_owners WHERE organization_id = $1 GROUP BY lender_id',
    [organizationId],
  );
  for (const { lenderId: lender, first } of former) add(lender, first);
  for (let volume = 0; volume < db.volumes.count; volume++) {
    const rows = await db.query<{ lenderId: string; first: PlainDate }>(
      FIRST_RECORDED,
      [volume, organizationId],
      'first_recorded',
    );
    for (const { lenderId: lender, first } of rows) add(lender, first);
  }
  return found;
}
