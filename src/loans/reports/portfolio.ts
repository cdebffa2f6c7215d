/** The interface of portfolio reports: over the caller's own loans, and those that grants show it. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Refusal } from '../../core/refusal.ts';
import { CASHFLOWS } from '../../portfolio/reports/cashflows.ts';
import { DELINQUENCY } from '../../portfolio/reports/delinquency.ts';
import { PREPAYMENT } from '../../portfolio/reports/prepayment.ts';
import type { Cell, Column, Layout, Row, Table } from '../../portfolio/reports/report.ts';
import { ROLL_RATES } from '../../portfolio/reports/roll-rates.ts';
import { SUMMARY } from '../../portfolio/reports/summary.ts';
import { VINTAGES } from '../../portfolio/reports/vintages.ts';
import { YIELD } from '../../portfolio/reports/yield.ts';
import type { Asker } from '../books/books.ts';

export { decimalText, percentText } from '../../portfolio/rates.ts';
export type { Cell, Column, Layout, Row };

export const LAYOUTS = {
  summary: SUMMARY,
  delinquency: DELINQUENCY,
  'roll-rates': ROLL_RATES,
  vintages: VINTAGES,
  cashflows: CASHFLOWS,
  yield: YIELD,
  prepayment: PREPAYMENT,
} as const satisfies Readonly<Record<string, Layout>>;
export type ReportName = keyof typeof LAYOUTS;

/** How a report may be divided. */
export const SLICES = ['lender', 'servicer', 'grade', 'state', 'vintage', 'status'] as const;
export type SliceName = (typeof SLICES)[number];

/** Up to when what is known counts: a moment (ISO 8601), a day, or each date as it was reported at its own end. Null: all that is known. */
export type KnownAt = { readonly at: string } | { readonly day: PlainDate } | 'asReported' | null;

export type ReportAsked = {
  /** Null: today. */
  readonly asOf: PlainDate | null;
  /** Null: not divided. */
  readonly by: SliceName | null;
  readonly knownAt: KnownAt;
};

export type RollRatesAsked = Omit<ReportAsked, 'asOf'> & {
  /** Null: the month end before `to`. */
  readonly from: PlainDate | null;
  /** Null: the last month end. */
  readonly to: PlainDate | null;
};

export type Report = {
  readonly asOf: PlainDate;
  /** Of roll rates: the first of the two dates. */
  readonly from: PlainDate | null;
  /** The last day whose records count; `asReported`; null: all that is known. */
  readonly knownAt: PlainDate | 'asReported' | null;
  readonly by: SliceName | null;
  readonly table: Table;
};

/** The positions of a date are being computed. */
export type Computing = { readonly computing: PlainDate; readonly done: number; readonly total: number };

/** Who asks, and whose loans it may see. */
export type Viewer = Asker & {
  /** What other organizations let this one see of their loans. */
  readonly grants: readonly { readonly ownerOrganizationId: string; readonly servicerId: string | null }[];
};

export type Portfolio = {
  report(
    viewer: Viewer,
    name: Exclude<ReportName, 'roll-rates'>,
    asked: ReportAsked,
  ): Promise<Report | Computing | Refusal>;
  rollRates(viewer: Viewer, asked: RollRatesAsked): Promise<Report | Computing | Refusal>;
};
