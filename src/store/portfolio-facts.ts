/** Positions, and loans as they stand today, as relations of the same columns: the fields of a position, what it belongs to, its kind. */
import type { PlainDate } from '../core/calendar.ts';
import { ACTIVE, BUCKETS, THRESHOLDS } from '../portfolio/buckets.ts';
import {
  BEGINNINGS,
  type Factor,
  type Field,
  type Kind,
  MEASURES,
  type Measure,
  SUMS,
  type SumName,
} from '../portfolio/sums.ts';
import { ACCRUED, UNITS } from './books.ts';
import type { Put } from './list-names.ts';

/** Statuses that a position may have, in the order in which kinds are numbered. */
const STATUSES = [...ACTIVE, 'ChargedOff', 'Closed', 'ClosedEarly'];

export const columnOf = (name: string): string => name.replaceAll(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);

const MAY_BE_NULL: ReadonlySet<Field> = new Set<Field>(['predictedYield', 'predictedLoss']);

/** The measure of a row, by the names of its columns. */
export function measureText(measure: Measure): string {
  const factors: readonly Factor[] = MEASURES[measure];
  return factors.length === 0 ? '1' : factors.map(factorText).join(' * ');
}

function factorText(factor: Factor): string {
  const of = (field: Field) => (MAY_BE_NULL.has(field) ? `coalesce(${columnOf(field)}, 0)` : columnOf(field));
  if (typeof factor === 'string') return of(factor);
  return `(${columnOf(factor.known)} IS NOT NULL)::int`;
}

// ---- kinds ----

/** The number of a row's bucket. */
export const bucketText = (days: string): string => `width_bucket(${days}, ARRAY[${THRESHOLDS.join(', ')}])`;

/** Every kind a position can be of, by its number. */
const KINDS: readonly Kind[] = STATUSES.flatMap((status) =>
  BUCKETS.flatMap((bucket) =>
    BEGINNINGS.flatMap((began) => [false, true].map((owed) => ({ status, bucket, began, owed }))),
  ),
);

/** The number of a row's kind. */
export const KIND = `(((CASE status ${STATUSES.map((status, i) => `WHEN '${status}' THEN ${i}`).join(' ')} END * ${BUCKETS.length}
  + ${bucketText('days_past_due')}) * ${BEGINNINGS.length}
  + CASE WHEN opening_principal > 0 THEN 0 WHEN disbursed > 0 AND status <> 'ChargedOff' THEN 1 ELSE 2 END) * 2
  + CASE WHEN principal > 0 OR fees > 0 OR interest > 0 THEN 1 ELSE 0 END)`;

/**
 * The same for a scan in parallel, as columns to group by. The planner takes a number that is computed for one with a million values, and would
 * bring every row to one process; of truth values it knows that there are two.
 */
export const KIND_PARTS = {
  stored: 'stored',
  late: 'late',
  bit1: 'days_past_due BETWEEN 1 AND 29 OR days_past_due BETWEEN 60 AND 89 OR days_past_due >= 120',
  bit2: 'days_past_due BETWEEN 30 AND 89',
  bit4: 'days_past_due >= 90',
  opened: 'opening_principal > 0',
  entered: "disbursed > 0 AND stored <> 'ChargedOff'",
  owed: 'principal > 0 OR fees > 0 OR interest > 0',
} as const;

export type KindParts = { stored: string } & Record<Exclude<keyof typeof KIND_PARTS, 'stored'>, boolean>;

export function kindOf({ stored, late, bit1, bit2, bit4, opened, entered, owed }: KindParts): Kind {
  const bucket = BUCKETS[Number(bit1) + 2 * Number(bit2) + 4 * Number(bit4)];
  if (bucket === undefined) throw new Error('No bucket of days past due has that number.');
  return {
    status: late ? 'Delinquent' : stored,
    bucket,
    began: opened ? 'open' : entered ? 'entered' : 'neither',
    owed,
  };
}

/** The condition that a row, with the number of its kind in `kind`, counts for a sum; null: every row does. */
export function countsFor(name: SumName): string | null {
  const numbers = KINDS.flatMap((kind, number) => (SUMS[name].of(kind) ? [number] : []));
  return numbers.length === KINDS.length ? null : `kind = ANY ('{${numbers.join(',')}}'::int[])`;
}

// ---- relations ----

/** Whose: an organization's, or those of some servicers in it. */
export type PortfolioScope = { readonly organizationId: string; readonly servicerIds: readonly string[] | null };

export function inScope({ organizationId, servicerIds }: PortfolioScope, put: Put, table = ''): string {
  const own = `${table}organization_id = ${put(organizationId)}`;
  if (servicerIds === null) return own;
  const servicers = put(servicerIds);
  return `${own} AND (${table}primary_servicer_id = ANY (${servicers}::text[]) OR ${table}secondary_servicer_id = ANY (${servicers}::text[]))`;
}

const BELONGS = `lender_id, coalesce(primary_servicer_id, '') AS primary_servicer_id,
  coalesce(secondary_servicer_id, '') AS secondary_servicer_id, coalesce(grade, '') AS grade, coalesce(state, '') AS state, vintage`;

/** Months from the month of the vintage to that of a date; the vintage is the first of its month. */
function ageText(date: string): string {
  const month = (of: string) => `(date_part('year', ${of}) * 12 + date_part('month', ${of}))::int`;
  return `coalesce(${month(date)} - ${month('vintage')}, 0)`;
}

const FIGURES = `original, rate, remaining, principal, interest, fees, credits, opening_principal, disbursed, principal_received,
  interest_received, fees_received, unscheduled_principal, charged_off, recovered, forgiven, scheduled, predicted_yield, predicted_loss`;

/** Rows of `positions`, as they are named there. `date` is the parameter that has their date. */
export function positionFacts(from: string, date: string): string {
  return `SELECT ${BELONGS}, status, days_past_due, ${ageText(`${date}::date`)} AS age, ${FIGURES} FROM ${from}`;
}

/** A loan's day is its owner's, but never before that of its last event. */
const DAY = (today: string) => `greatest(${today}::date, recorded_on)`;

/** What a loan that may be open shows today: its status and days past due follow from the date. */
export const statusToday = (today: string): string => `CASE WHEN ${lateToday(today)} THEN 'Delinquent' ELSE status END`;

const lateToday = (today: string): string =>
  `coalesce(status IN ('Funded', 'Current') AND delinquent_from <= ${DAY(today)}, false)`;

export const daysToday = (today: string): string => `greatest(0, coalesce(${DAY(today)} - past_due_from, 0))`;

/** Loans that have a position today: funded and open, charged off, or closed in the month. `month` is the first day of it. */
const hasPosition = (month: string): string =>
  `(status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff') OR (status IN ('Closed', 'ClosedEarly') AND flow_month = ${month}::date))`;

export type Day = { readonly today: PlainDate; readonly month: PlainDate; readonly units: readonly number[] };

/**
 * Loans as they stand today. Flows are those of the month; a loan without an event in it had none, and began the month with what it owes.
 * What is scheduled for a month is known at its end. `$units` is the position of the day on each scale of days (`books.ts`).
 */
export function loanFacts(scope: PortfolioScope, { today, month, units }: Day, put: Put): string {
  const [on, first] = [put(today), put(month)];
  const flow = (column: string) => `CASE WHEN flow_month = ${first}::date THEN ${column} ELSE 0 END AS ${column}`;
  const flows = ['disbursed', 'principal_received', 'interest_received', 'fees_received', 'unscheduled_principal'];
  const accrued = `SELECT *, 2 * accrues_per_unit * units + accrues_divisor AS twice FROM (
      SELECT *, ${UNITS(put(units))} AS units FROM loans WHERE ${inScope(scope, put)} AND ${hasPosition(first)}
    ) measured`;
  return `SELECT ${BELONGS}, ${statusToday(on)} AS status, status AS stored, ${lateToday(on)} AS late, ${daysToday(on)} AS days_past_due, ${ageText(`${on}::date`)} AS age,
      original, rate, remaining, principal, book_interest + ${ACCRUED} AS interest, book_fees AS fees, book_credits AS credits,
      CASE WHEN flow_month = ${first}::date THEN opening_principal WHEN status = 'ChargedOff' THEN 0 ELSE principal END AS opening_principal,
      ${[...flows, 'charged_off', 'recovered', 'forgiven'].map(flow).join(', ')},
      0::bigint AS scheduled, predicted_yield, predicted_loss
    FROM (${accrued}) loans`;
}
