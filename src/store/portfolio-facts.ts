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
import { ACCRUED, FENCE, UNITS } from './books.ts';
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
export const bucketText = (days: string): string =>
  `CASE ${THRESHOLDS.map((first, i) => `WHEN ${days} < ${first} THEN ${i}`).join(' ')} ELSE ${THRESHOLDS.length} END`;

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

export function kindOf(number: number): Kind {
  const kind = KINDS[number];
  if (kind === undefined) throw new Error('No kind of position has that number.');
  return kind;
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

/** Days of 1,600 months of the calendar, which repeats itself after 4,800. */
const DAYS_OF_1600_MONTHS = 48_699;

/**
 * Months from the month of the vintage, which is the first of its month, to that of a date. Between two firsts of months are a whole number of
 * average months, give or take two days; so the nearest whole number is exact, and far cheaper than taking a million dates apart.
 */
function ageText(date: string): string {
  const days = `(date_trunc('month', ${date}::timestamp)::date - vintage)`;
  const far = 10_000;
  const shifted = `${days} * 1600 + ${DAYS_OF_1600_MONTHS * far + Math.floor(DAYS_OF_1600_MONTHS / 2)}`;
  return `coalesce((${shifted}) / ${DAYS_OF_1600_MONTHS} - ${far}, 0)`;
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
export const statusToday = (today: string): string =>
  `CASE WHEN status IN ('Funded', 'Current') AND delinquent_from <= ${DAY(today)} THEN 'Delinquent' ELSE status END`;

export const daysToday = (today: string): string => `greatest(0, coalesce(${DAY(today)} - past_due_from, 0))`;

/** Loans that have a position today: funded and open, charged off, or closed in the month. `month` is the first day of it. */
const hasPosition = (month: string): string =>
  `(status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff') OR (status IN ('Closed', 'ClosedEarly') AND flow_month = ${month}::date))`;

/** The columns of loans that are looked at. */
const COLUMNS = `lender_id, primary_servicer_id, grade, state, vintage, status, original, rate, remaining, principal, book_interest, book_fees, book_credits,
  accrues_per_unit, accrues_divisor, accrues_half_even, opening_principal, disbursed, principal_received, interest_received, fees_received,
  unscheduled_principal, charged_off, recovered, forgiven, predicted_yield, predicted_loss`;

export type Day = { readonly today: PlainDate; readonly month: PlainDate; readonly units: readonly number[] };

/**
 * Loans as they stand today. Flows are those of the month; a loan without an event in it had none, and began the month with what it owes.
 * What is scheduled for a month is known at its end. `$units` is the position of the day on each scale of days (`books.ts`). Each part ends
 * with FENCE, so that what it computes is computed once for a loan, and the planner takes the number of the kind for one of 200 and not
 * of a million: only then does it add up in parallel.
 */
export function loanFacts(scope: PortfolioScope, { today, month, units }: Day, put: Put): string {
  const [on, first] = [put(today), put(month)];
  const flow = (column: string) => `CASE WHEN flows THEN ${column} ELSE 0 END AS ${column}`;
  const flows = ['disbursed', 'principal_received', 'interest_received', 'fees_received', 'unscheduled_principal'];
  const loans = `SELECT ${COLUMNS}, ${UNITS(put(units))} AS units, flow_month = ${first}::date AS flows, ${daysToday(on)} AS days_past_due,
      ${statusToday(on)} AS status_today
    FROM loans WHERE ${inScope(scope, put)} AND ${hasPosition(first)} ${FENCE}`;
  const facts = `SELECT lender_id, primary_servicer_id, grade, state, vintage, status_today AS status, days_past_due, ${ageText(`${on}::date`)} AS age,
      original, rate, remaining, principal, book_interest + ${ACCRUED} AS interest, book_fees AS fees, book_credits AS credits,
      CASE WHEN flows THEN opening_principal WHEN status = 'ChargedOff' THEN 0 ELSE principal END AS opening_principal,
      ${[...flows, 'charged_off', 'recovered', 'forgiven'].map(flow).join(', ')},
      0::bigint AS scheduled, predicted_yield, predicted_loss
    FROM (${loans}) loans ${FENCE}`;
  return `SELECT *, ${KIND} AS kind FROM (${facts}) facts ${FENCE}`;
}
