/** Choice of the report and its options, kept in the address so that a view can be bookmarked and shared. Pure. */
import type { ReportName } from './definitions.ts';

export const REPORTS = [
  { report: 'summary', label: 'Summary', about: 'summary' },
  { report: 'delinquency', label: 'Delinquency', about: 'delinquency' },
  { report: 'roll-rates', label: 'Roll rates', about: 'roll-rates' },
  { report: 'vintages', label: 'Vintages', about: 'vintages' },
  { report: 'losses', label: 'Losses', about: 'cashflows' },
  { report: 'prepayment', label: 'Speed', about: 'prepayment' },
  { report: 'cashflows', label: 'Cash', about: 'cashflows' },
  { report: 'yield', label: 'Yield', about: 'yield' },
] as const satisfies readonly { report: string; label: string; about: ReportName }[];

/** A tab. `losses` is made of the cashflows. */
export type ReportTab = (typeof REPORTS)[number]['report'];

export const SLICES = ['lender', 'servicer', 'grade', 'state', 'vintage', 'status'] as const;
export type SliceName = (typeof SLICES)[number];

export type View = {
  /** Null: today. */
  asOf: string | null;
  /** First date of roll rates; null: the month end before. */
  from: string | null;
  /** Null: everything known now; `asReported`; or a day. */
  knownAt: string | null;
  by: SliceName | null;
  /** The slice that is shown, where a report shows one at a time; null: all loans. */
  slice: string | null;
};

/** Properties of every report: the view, and how to change it. */
export type ReportProps = { view: View; change: (change: Readonly<Record<string, string | null>>) => void };

const DATE = /^\d{4}-\d\d-\d\d$/;
const text = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;
const dated = (value: unknown): string | null => (DATE.test(text(value) ?? '') ? text(value) : null);

export function viewIn(search: Readonly<Record<string, unknown>>): View {
  const by = SLICES.find((name) => name === search.by) ?? null;
  return {
    asOf: dated(search.asOf),
    from: dated(search.from),
    knownAt: search.knownAt === 'asReported' ? 'asReported' : dated(search.knownAt),
    by,
    slice: by === null ? null : text(search.slice),
  };
}

export type ReportQuery = { asOf?: string; from?: string; to?: string; by?: SliceName; knownAt?: string };

/** Query to the API: a date that is no month end takes no `knownAt`, and vintages are not divided by status. */
export function queryOf(report: ReportName, { asOf, from, knownAt, by }: View): ReportQuery {
  const known = knownAt !== null && takesKnownAt(asOf) ? { knownAt } : {};
  const sliced = by === null || (report === 'vintages' && by === 'status') ? {} : { by };
  if (report === 'roll-rates') {
    return { ...(asOf !== null && { to: asOf }), ...(from !== null && { from }), ...sliced, ...known };
  }
  return { ...(asOf !== null && { asOf }), ...sliced, ...known };
}

export const takesKnownAt = (asOf: string | null): boolean => asOf === null || isMonthEnd(asOf);

const iso = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

export function monthEnd(day: string, monthsBack = 0): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return iso(year, month - monthsBack, 0);
}

export const isMonthEnd = (day: string): boolean => DATE.test(day) && monthEnd(day) === day;

/** The month ends before a day, newest first. */
export const monthEndsBefore = (day: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => monthEnd(day, n + 1));

/** The view of the last month that was over: the same one at a month end. `today` is the day of a view without one. */
export const ofFullMonths = (view: View, today: string): View => {
  const day = view.asOf ?? today;
  return isMonthEnd(day) ? view : { ...view, asOf: monthEnd(day, 1) };
};

/** Months before the month of a day, newest first: "2026-10". */
export const monthsBefore = (day: string, count: number): string[] =>
  monthEndsBefore(day, count).map((one) => one.slice(0, 7));

export const addDays = (day: string, days: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return iso(year, month - 1, date + days);
};
