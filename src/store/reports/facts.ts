/** Positions, and loans as they stand today, as relations of the same columns: the fields of a position, what it belongs to, its kind. */
import type { PlainDate } from '../../core/calendar.ts';
import { ACTIVE, BUCKETS, CREDIT_AGES, type CreditAge, THRESHOLDS } from '../../portfolio/buckets.ts';
import {
  BEGINNINGS,
  type Factor,
  type Field,
  MEASURES,
  type Measure,
  SUMS,
  type SumKind,
  type SumName,
} from '../../portfolio/sums.ts';
import { ACCRUED, FENCE, UNITS } from '../books/books.ts';
import type { Put } from '../reads/list-names.ts';

/** Statuses that a position may have, in the order in which kinds are numbered. */
const STATUSES = [...ACTIVE, 'ChargedOff', 'Closed', 'ClosedEarly', 'Cancelled'];

export const columnOf = (name: string): string => name.replaceAll(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);

const MAY_BE_NULL: ReadonlySet<Field> = new Set<Field>([
  'predictedYield',
  'predictedLoss',
  ...CREDIT_AGES.map(({ name }) => name),
]);

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
const KINDS: readonly SumKind[] = STATUSES.flatMap((status) =>
  BUCKETS.flatMap((bucket) =>
    BEGINNINGS.flatMap((began) => [false, true].map((owed) => ({ status, bucket, began, owed }))),
  ),
);

/** The number of a row's kind, from the expressions that it follows from. */
function kindText(of: { status: string; days: string; opening: string; disbursed: string; owed: string }): string {
  return `(((CASE ${of.status} ${STATUSES.map((status, i) => `WHEN '${status}' THEN ${i}`).join(' ')} END * ${BUCKETS.length}
  + ${bucketText(of.days)}) * ${BEGINNINGS.length}
  + CASE WHEN ${of.opening} > 0 THEN 0 WHEN ${of.disbursed} > 0 AND status <> 'ChargedOff' THEN 1 ELSE 2 END) * 2
  + CASE WHEN ${of.owed} THEN 1 ELSE 0 END)`;
}

/** That of a position. */
export const KIND = kindText({
  ...{ status: 'status', days: 'days_past_due', opening: 'opening_principal', disbursed: 'disbursed' },
  owed: 'principal > 0 OR fees > 0 OR interest > 0',
});

export function kindOf(number: number): SumKind {
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

/** The loans of a report: an organization's, or those of some servicers in it. */
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

const FIGURES = `original, rate, remaining, principal, interest, fees, credits, kept, opening_principal, disbursed, principal_received,
  interest_received, fees_received, unscheduled_principal, charged_off, recovered, forgiven, returned, received_late, scheduled, predicted_yield, predicted_loss`;

/** Rows of `positions`, as they are named there. `date` is the parameter that has their date. */
export function positionFacts(from: string, date: string): string {
  const credits = Object.entries(creditsByAge('credits', `${date}::date`)).map(
    ([name, text]) => `${text} AS ${columnOf(name)}`,
  );
  return `SELECT ${BELONGS}, status, days_past_due, ${ageText(`${date}::date`)} AS age, ${FIGURES}, ${credits.join(', ')} FROM ${from}`;
}

/** The credits of a row on a day, at their age; null at the others. */
function creditsByAge(credits: string, day: string): Record<CreditAge, string> {
  const texts = CREDIT_AGES.map(({ name, from, to }) => {
    const upTo = to === null ? '' : ` AND credit_since >= ${day} - ${to}`;
    return [name, `CASE WHEN ${credits} > 0 AND credit_since <= ${day} - ${from}${upTo} THEN ${credits} END`];
  });
  return Object.fromEntries(texts);
}

/** A loan's day is its owner's, but never before that of its last event. */
const DAY = (today: string) => `greatest(${today}::date, recorded_on)`;

/** The status of a loan that may be open, today: status and days past due follow from the date. */
export const statusToday = (today: string): string =>
  `CASE WHEN status IN ('Funded', 'Current') AND delinquent_from <= ${DAY(today)} THEN 'Delinquent' ELSE status END`;

export const daysToday = (today: string): string => `greatest(0, coalesce(${DAY(today)} - past_due_from, 0))`;

/** A closed loan of which the books still carry something: a credit that is owed back. */
export const ON_BOOKS = '(book_credits <> 0 OR book_principal <> 0 OR book_interest <> 0 OR book_fees <> 0)';

/**
 * Loans that have a position today: funded and open, charged off, closed or rescinded in the month, or since with a balance. `month` is the
 * first day of it.
 */
const hasPosition = (month: string): string =>
  `(status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff')
    OR (status IN ('Closed', 'ClosedEarly', 'Cancelled') AND funded_on IS NOT NULL AND (flow_month = ${month}::date OR ${ON_BOOKS})))`;

export type Day = { readonly today: PlainDate; readonly month: PlainDate; readonly units: readonly number[] };

/** Fields that are columns of loans under the same names, and flows of the month of `flow_month`. */
const PLAIN = ['original', 'rate', 'remaining', 'principal', 'predictedYield', 'predictedLoss'] as const;
const FLOWS = ['disbursed', 'principalReceived', 'interestReceived', 'feesReceived', 'unscheduledPrincipal'] as const;
const LOSSES = ['chargedOff', 'recovered', 'forgiven', 'returned', 'receivedLate'] as const;

/**
 * Loans as they stand today: some columns, the number of the kind, and the fields that some measures need. Flows are those of the month; a
 * loan without an event in it had none, and began the month with what it owes. What is scheduled for a month is known at its end. Behind a
 * fence the planner takes the kind for one of 200 numbers and not of a million: only then does it add up in parallel.
 */
export function loanFacts(
  scope: PortfolioScope,
  { today, month, units }: Day,
  { columns, measures }: { readonly columns: readonly string[]; readonly measures: readonly Measure[] },
  put: Put,
): string {
  const [on, first] = [put(today), put(month)];
  const flow = (field: Field) => `CASE WHEN flow_month = ${first}::date THEN ${columnOf(field)} ELSE 0 END`;
  const interest = `book_interest + ${ACCRUED(UNITS(put(units)))}`;
  const opening = `CASE WHEN flow_month = ${first}::date THEN opening_principal WHEN status = 'ChargedOff' THEN 0 ELSE principal END`;
  const texts: Readonly<Record<Field, string>> = {
    ...(Object.fromEntries(PLAIN.map((field) => [field, columnOf(field)])) as Record<(typeof PLAIN)[number], string>),
    ...(Object.fromEntries([...FLOWS, ...LOSSES].map((field) => [field, flow(field)])) as Record<
      (typeof FLOWS)[number] | (typeof LOSSES)[number],
      string
    >),
    age: ageText(`${on}::date`),
    interest,
    fees: 'book_fees',
    credits: 'book_credits',
    ...creditsByAge('book_credits', DAY(on)),
    kept: "CASE WHEN status IN ('ChargedOff', 'Closed', 'ClosedEarly') THEN book_principal ELSE 0 END",
    openingPrincipal: opening,
    scheduled: '0::bigint',
  };
  const kind = kindText({
    ...{ status: statusToday(on), days: daysToday(on), opening: `(${opening})`, disbursed: `(${flow('disbursed')})` },
    owed: `principal > 0 OR book_fees > 0 OR ${interest} > 0`,
  });
  const fields = new Set(measures.flatMap((one) => MEASURES[one].map((factor) => fieldOf(factor))));
  const selected = [...fields].map((field) => `${texts[field]} AS ${columnOf(field)}`);
  return `SELECT ${[...columns, `${kind} AS kind`, ...selected].join(', ')}
    FROM loans WHERE ${inScope(scope, put)} AND ${hasPosition(first)} ${FENCE}`;
}

const fieldOf = (factor: Factor): Field => (typeof factor === 'string' ? factor : factor.known);
