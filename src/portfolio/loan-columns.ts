/**
 * The columns of a loan's row that follow from its events, for lists, books, reports and the nightly cycle. Each is declared here once: its
 * name, its type in SQL, and how its value follows from the loan. The statements that save and read them, the types of their rows, the items
 * of lists and the comparison by `npm run verify` are made from this table.
 */
import { type BookFigures, bookFiguresOf } from '../core/books.ts';
import { addDays, type PlainDate } from '../core/calendar.ts';
import { pastDueFrom } from '../core/delinquency.ts';
import { chargeOffRequiredBy, nextDayNoted } from '../core/end-of-day.ts';
import type { Loan } from '../core/loan.ts';
import { smallBalanceOf } from '../core/small-balance.ts';
import { closedBy, graceOf, owedPrincipal, storedStatus } from '../core/status.ts';
import { type Accruing, type Amortizing, accruingOf, amortizingOf, booksChangeOn } from '../ledger/accrue.ts';
import { type Flows, lastFlowsOf, type Standing, standingOf } from './position.ts';

/** The loan on the day of its last event, with the facts that several columns are parts of. */
type Facts = {
  readonly loan: Loan;
  /** Due date of the oldest unsatisfied installment. */
  readonly due: PlainDate | null;
  readonly books: BookFigures;
  readonly accruing: Accruing | null;
  readonly amortizing: Amortizing | null;
  readonly standing: Standing;
  /** The last month in which something happened to the loan, by its first day, and its flows. */
  readonly month: PlainDate;
  readonly flows: Flows;
};

type LoanColumn = {
  readonly type: 'bigint' | 'boolean' | 'date' | 'int' | 'numeric' | 'smallint' | 'text';
  readonly of: (facts: Facts) => string | number | boolean | null;
  /**
   * A payment seldom changes it: it is saved only where it has changed. A column that something else than the save of an event also
   * changes (`books_change_on`, `changes_on`) must not be one of these.
   */
  readonly seldom?: true;
  /** `shown`: a list shows it as it is, under the same name in camel case; `read`: a list derives values from it. */
  readonly list?: 'shown' | 'read';
};

export const LOAN_COLUMNS = {
  status: { type: 'text', of: ({ loan }) => storedStatus(loan), seldom: true, list: 'read' },
  past_due_from: { type: 'date', of: ({ due }) => due, list: 'read' },
  delinquent_from: {
    type: 'date',
    of: ({ loan, due }) => (due === null ? null : addDays(due, graceOf(loan) + 1)),
    list: 'read',
  },
  /** `past_due_from` for the order of lists: `infinity` when there is none. */
  next_due: { type: 'date', of: ({ due }) => due ?? 'infinity' },
  loan_amount: { type: 'bigint', of: ({ loan }) => loan.contract.amount, seldom: true, list: 'shown' },
  principal: { type: 'bigint', of: ({ loan }) => owedPrincipal(loan), list: 'read' },
  published: { type: 'boolean', of: ({ loan }) => loan.published, seldom: true, list: 'shown' },
  recorded_on: { type: 'date', of: ({ loan }) => loan.on, list: 'read' },
  closed_by: { type: 'text', of: ({ loan }) => closedBy(loan), seldom: true, list: 'shown' },

  // The figures that the books show of it until `books_change_on`, and how its interest accrues until then.
  book_principal: { type: 'bigint', of: ({ books }) => books.loanPrincipal },
  book_interest: { type: 'bigint', of: ({ books }) => books.interestReceivable },
  book_fees: { type: 'bigint', of: ({ books }) => books.feeReceivable },
  book_credits: { type: 'bigint', of: ({ books }) => books.borrowerCredits, list: 'read' },
  accrues_per_unit: { type: 'numeric', of: ({ accruing }) => accruing?.perUnit ?? null },
  accrues_divisor: { type: 'bigint', of: ({ accruing }) => accruing?.divisor ?? null, seldom: true },
  accrues_from: { type: 'int', of: ({ accruing }) => accruing?.from ?? null },
  accrues_scale: { type: 'smallint', of: ({ accruing }) => accruing?.scale ?? null, seldom: true },
  accrues_half_even: { type: 'boolean', of: ({ accruing }) => accruing?.halfEven ?? null, seldom: true },
  // Most loans have nothing deferred.
  deferred_fees: { type: 'bigint', of: ({ amortizing }) => amortizing?.fees ?? null, seldom: true },
  deferred_costs: { type: 'bigint', of: ({ amortizing }) => amortizing?.costs ?? null, seldom: true },
  purchase_discount: { type: 'bigint', of: ({ amortizing }) => amortizing?.discount ?? null, seldom: true },
  amortized: { type: 'bigint', of: ({ amortizing }) => amortizing?.amortized ?? null, seldom: true },
  amortizes_per_unit: { type: 'numeric', of: ({ amortizing }) => amortizing?.perUnit ?? null, seldom: true },
  amortizes_divisor: { type: 'bigint', of: ({ amortizing }) => amortizing?.divisor ?? null, seldom: true },
  amortizes_from: { type: 'int', of: ({ amortizing }) => amortizing?.from ?? null, seldom: true },
  amortizes_before: { type: 'bigint', of: ({ amortizing }) => amortizing?.before ?? null, seldom: true },
  books_change_on: { type: 'date', of: ({ loan }) => booksChangeOn(loan) },
  /** The first day on which something happens because of the date alone (a late fee, a bucket). */
  changes_on: { type: 'date', of: ({ loan }) => changesOn(loan) },
  /** The month end from which a hold requires the charge-off. */
  charge_off_by: { type: 'date', of: ({ loan }) => chargeOffRequiredBy(loan), seldom: true },

  /** The nightly cycle charged it off for days past due that are not found any more. */
  charge_off_ground_gone: {
    type: 'boolean',
    of: ({ loan }) => loan.chargeOff?.ground === 'gone',
    seldom: true,
    list: 'shown',
  },

  /** The day on which the credit last rose from zero. */
  credit_since: { type: 'date', of: ({ loan }) => loan.creditSince, seldom: true, list: 'shown' },
  non_accrual_since: { type: 'date', of: ({ loan }) => loan.nonAccrualSince, seldom: true, list: 'shown' },

  // For reports: the standing of the loan, and the flows of the last month in which something happened to it.
  funded_on: { type: 'date', of: ({ standing }) => standing.fundedOn, seldom: true },
  vintage: { type: 'date', of: ({ standing }) => standing.vintage, seldom: true },
  original: { type: 'bigint', of: ({ standing }) => standing.original, seldom: true },
  rate: { type: 'numeric', of: ({ standing }) => standing.rate, seldom: true },
  remaining: { type: 'int', of: ({ standing }) => standing.remaining },
  flow_month: { type: 'date', of: ({ month }) => month },
  opening_principal: { type: 'bigint', of: ({ flows }) => flows.openingPrincipal },
  disbursed: { type: 'bigint', of: ({ flows }) => flows.disbursed, seldom: true },
  principal_received: { type: 'bigint', of: ({ flows }) => flows.principalReceived },
  interest_received: { type: 'bigint', of: ({ flows }) => flows.interestReceived },
  fees_received: { type: 'bigint', of: ({ flows }) => flows.feesReceived },
  unscheduled_principal: { type: 'bigint', of: ({ flows }) => flows.unscheduledPrincipal },
  charged_off: { type: 'bigint', of: ({ flows }) => flows.chargedOff, seldom: true },
  recovered: { type: 'bigint', of: ({ flows }) => flows.recovered, seldom: true },
  forgiven: { type: 'bigint', of: ({ flows }) => flows.forgiven, seldom: true },
  returned: { type: 'bigint', of: ({ flows }) => flows.returned, seldom: true },
  received_late: { type: 'bigint', of: ({ flows }) => flows.receivedLate, seldom: true },
  scheduled: { type: 'bigint', of: ({ flows }) => flows.scheduled },
  scheduled_principal: { type: 'bigint', of: ({ flows }) => flows.scheduledPrincipal },
} as const satisfies Readonly<Record<string, LoanColumn>>;

export type LoanColumns = typeof LOAN_COLUMNS;
export type LoanColumnName = keyof LoanColumns;

/** The values of the columns by their names; and in the order of the columns, since an object of so many members takes ten times as long. */
export type Summary = { readonly [Name in LoanColumnName]: ReturnType<LoanColumns[Name]['of']> };
export type ColumnValues = readonly Summary[LoanColumnName][];

const DECLARED: Readonly<Record<LoanColumnName, LoanColumn>> = LOAN_COLUMNS;
export const LOAN_COLUMN_NAMES = Object.keys(LOAN_COLUMNS) as readonly LoanColumnName[];
const COLUMNS = Object.values<LoanColumn>(LOAN_COLUMNS);
const PLACES = Object.fromEntries(LOAN_COLUMN_NAMES.map((name, i) => [name, i])) as Record<LoanColumnName, number>;
const SELDOM = LOAN_COLUMN_NAMES.filter((name) => DECLARED[name].seldom);
const SELDOM_PLACES = SELDOM.map((name) => PLACES[name]);
export const OFTEN_CHANGED = LOAN_COLUMN_NAMES.filter((name) => !DECLARED[name].seldom);

type Listed<How> = { [Name in LoanColumnName]: LoanColumns[Name] extends { list: How } ? Name : never }[LoanColumnName];
/** The columns that a list reads; those of them that it shows as they are. */
export type ListedColumn = Listed<string>;
export type ShownColumn = Listed<'shown'>;
export const LISTED = LOAN_COLUMN_NAMES.filter((name): name is ListedColumn => DECLARED[name].list !== undefined);
export const SHOWN = LISTED.filter((name): name is ShownColumn => DECLARED[name].list === 'shown');

/** The columns of a loan on the day of its last event. */
export function columnsOf(loan: Loan): ColumnValues {
  const { month, flows } = lastFlowsOf(loan);
  const facts: Facts = {
    loan,
    due: pastDueFrom(loan),
    books: bookFiguresOf(loan),
    accruing: accruingOf(loan),
    amortizing: loan.deferral === null ? null : amortizingOf(loan),
    standing: standingOf(loan),
    month,
    flows,
  };
  return COLUMNS.map(({ of }) => of(facts)) as ColumnValues;
}

export function columnIn<Name extends LoanColumnName>(values: ColumnValues, name: Name): Summary[Name] {
  return values[PLACES[name]] as Summary[Name];
}

/** The same with other values in some columns. */
export function withColumns(values: ColumnValues, changed: Partial<Summary>): ColumnValues {
  const all = [...values];
  for (const [name, value] of Object.entries(changed)) all[PLACES[name as LoanColumnName]] = value;
  return all;
}

/** The columns that seldom change as one text, as `SELDOM_SQL` reads them from a row: to see whether one of them has changed. */
export function seldomText(values: ColumnValues): string {
  let text = '';
  for (const place of SELDOM_PLACES) {
    const value = values[place];
    text += `${value === true ? 't' : value === false ? 'f' : (value ?? '')}|`;
  }
  return text;
}

/** With `l` for loans. */
export const SELDOM_SQL = `concat(${SELDOM.map((name) => `l.${name}, '|'`).join(', ')})`;

/**
 * The first day after the loan's own on which something accrues or falls due without an event; its own day where what is left of it is to be
 * written off at the end of that day. Null: none.
 */
export function changesOn(loan: Loan): PlainDate | null {
  if (smallBalanceOf(loan) !== null) return loan.on;
  const books = booksChangeOn(loan);
  const noted = nextDayNoted(loan);
  return noted === null || (books !== null && books < noted) ? books : noted;
}
