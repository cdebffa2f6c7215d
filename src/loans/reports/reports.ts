/** Reads what reports are made of, for every owner whose loans the caller may see, each by its own clock. */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { isRefusal, type Refusal, refuse } from '../../core/refusal.ts';
import { unitsOn } from '../../ledger/accrue.ts';
import { firstOfMonth, isMonthEnd, monthEndBefore } from '../../portfolio/months.ts';
import { CASHFLOW_SUMS, CASHFLOWS, cashflowRows } from '../../portfolio/reports/cashflows.ts';
import { DELINQUENCY, DELINQUENCY_SUMS, delinquencyRows } from '../../portfolio/reports/delinquency.ts';
import { PREPAYMENT, PREPAYMENT_SUMS, prepaymentRows } from '../../portfolio/reports/prepayment.ts';
import { type Dated, type Layout, type Row, type Table, tableOf } from '../../portfolio/reports/report.ts';
import { ROLL_RATES, type Rolled, rollRateRows } from '../../portfolio/reports/roll-rates.ts';
import { SUMMARY, SUMMARY_SUMS, summaryRows, TO_DATE_SUMS } from '../../portfolio/reports/summary.ts';
import { VINTAGE_SUMS, VINTAGES, vintageRows } from '../../portfolio/reports/vintages.ts';
import { YIELD, YIELD_SUMS, yieldRows } from '../../portfolio/reports/yield.ts';
import type { SumName } from '../../portfolio/sums.ts';
import type { Sql } from '../../store/db/db.ts';
import { forScan, type KnownBy, readSums, readSumsToday, type Slice } from '../../store/reports/portfolio.ts';
import { readRolled } from '../../store/reports/roll-rates.ts';
import type { Looks } from '../books/looks.ts';
import type { Asker } from '../door/actor.ts';
import { type Clock, todayBy } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import { openPositionDates } from './dates.ts';

export { decimalText, percentText } from '../../portfolio/rates.ts';

export type { Cell, Column, Layout, Row } from '../../portfolio/reports/report.ts';

import { listScopesOf } from '../reads/list.ts';

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

/** The ways to divide a report. */
export const SLICES = ['lender', 'servicer', 'grade', 'state', 'vintage', 'status'] as const;

export type SliceName = (typeof SLICES)[number];

/** Up to when what is known counts: a moment (ISO 8601), a day, or each date as it was reported at its own end. Null: all that is known. */
export type KnownAt = { readonly at: string } | { readonly day: PlainDate } | 'asReported' | null;

export type ReportQuery = {
  /** Null: today. */
  readonly asOf: PlainDate | null;
  /** Null: not divided. */
  readonly by: SliceName | null;
  readonly knownAt: KnownAt;
};

export type RollRatesQuery = Omit<ReportQuery, 'asOf'> & {
  /** Null: the month end before `to`. */
  readonly from: PlainDate | null;
  /** Null: the last month end. */
  readonly to: PlainDate | null;
};

export type Report = {
  readonly asOf: PlainDate;
  /** The first of the two dates, for roll rates only. */
  readonly from: PlainDate | null;
  /** The last day whose records count; `asReported`; null: all that is known. */
  readonly knownAt: PlainDate | 'asReported' | null;
  readonly by: SliceName | null;
  readonly table: Table;
};

/** The positions of a date are being computed. */
export type Computing = { readonly computing: PlainDate; readonly done: number; readonly total: number };

/** The caller, and the loans that it may see. */
export type Viewer = Asker & {
  /** The loans that other organizations let this one see. */
  readonly grants: readonly { readonly ownerOrganizationId: string; readonly servicerId: string | null }[];
};

export type ReportsOptions = Pick<Door, 'clock' | 'clocks' | 'cycleDb'> & { looks: Looks };

/** An owner whose loans are in the report. */
type Scope = ReturnType<typeof listScopesOf>[number] & { readonly today: PlainDate; readonly clock: Clock };

type Named = Exclude<ReportName, 'roll-rates'>;

/** The sums that each report reads: those of the date, and those of every month up to it. */
const READS: Readonly<Record<Named, { on: readonly SumName[]; monthly: readonly SumName[]; byVintage?: boolean }>> = {
  summary: { on: [...SUMMARY_SUMS, ...TO_DATE_SUMS], monthly: TO_DATE_SUMS },
  delinquency: { on: DELINQUENCY_SUMS, monthly: [] },
  vintages: { on: VINTAGE_SUMS, monthly: VINTAGE_SUMS, byVintage: true },
  cashflows: { on: CASHFLOW_SUMS, monthly: CASHFLOW_SUMS },
  yield: { on: YIELD_SUMS, monthly: YIELD_SUMS },
  prepayment: { on: [], monthly: PREPAYMENT_SUMS },
};

/** The day of a report for an owner: today, by its own clock, or a date whose positions are kept. */
type On = { readonly asOf: PlainDate; readonly isToday: boolean };

export function openReports({ looks, clock, clocks, cycleDb }: ReportsOptions) {
  const dates = openPositionDates({ db: cycleDb, clock, clocks });
  return {
    report,
    rollRates,
    /** Dates other than month ends that reports are asked for. */
    positionDates: dates,
  };

  async function scopesIn(viewer: Viewer): Promise<Scope[]> {
    const scopes = listScopesOf(viewer);
    const at = clock();
    const clockOf = await clocks.of(scopes.map(({ organizationId }) => organizationId));
    return scopes.map((scope) => {
      const own = clockOf.get(scope.organizationId) as Clock;
      return { ...scope, clock: own, today: todayBy(own, at) };
    });
  }

  async function report(viewer: Viewer, name: Named, asked: ReportQuery): Promise<Report | Computing | Refusal> {
    const { by } = asked;
    const { on: named, monthly, byVintage = false } = READS[name];
    if (byVintage && by === 'status') return notDivided();
    const scopes = await scopesIn(viewer);
    const on = dayOf(scopes, asked.asOf, 'asOf');
    if (isRefusal(on)) return on;
    const known = knownOn(scopes, asked.knownAt, on.asOf);
    if (isRefusal(known)) return known;
    const waiting = await waitingFor(scopes, on.isToday ? null : on.asOf, monthly.length > 0);
    if (waiting !== null) return waiting;
    const divided = { by: by ?? ('none' as Slice), byVintage };
    const read = await looks.look(viewer, async ({ tx }) => {
      const all: Dated[] = [];
      for (const scope of scopes) {
        if (named.length > 0)
          all.push(...(await sumsOn(tx, scope, on, { ...divided, knownBy: known.by, names: named })));
        if (monthly.length > 0) {
          const through = monthEndBefore(on.isToday ? scope.today : on.asOf);
          // A report that reads nothing on the date itself has its own month end among the months.
          const last = named.length === 0 && !on.isToday && isMonthEnd(on.asOf) ? on.asOf : through;
          const dates = { monthEndsThrough: last };
          all.push(...(await readSums(tx, { scope, dates, knownBy: known.by, ...divided, names: monthly })));
        }
      }
      return all;
    });
    const table = tableOf(read, by !== null, (some) => rowsOf(name, some, on, read, asked));
    return { asOf: on.asOf, from: null, knownAt: known.shown, by, table };
  }

  async function rollRates(viewer: Viewer, asked: RollRatesQuery): Promise<Report | Computing | Refusal> {
    const { by } = asked;
    const scopes = await scopesIn(viewer);
    const own = (scopes[0] as Scope).today;
    const to = dayOf(scopes, asked.to ?? monthEndBefore(own), 'to');
    if (isRefusal(to)) return to;
    const from = asked.from ?? monthEndBefore(to.asOf);
    if (from >= to.asOf) return refuse('invalid_value', 'from must be before to.', { member: 'from' });
    const known = knownOn(scopes, asked.knownAt, to.asOf);
    if (isRefusal(known)) return known;
    const waiting =
      (await waitingFor(scopes, from, false)) ?? (await waitingFor(scopes, to.isToday ? null : to.asOf, false));
    if (waiting !== null) return waiting;
    const rolled: Rolled[] = await looks.look(viewer, async ({ tx }) => {
      await forScan(tx);
      const all: Rolled[] = [];
      for (const scope of scopes) {
        const date = to.isToday ? scope.today : to.asOf;
        const pair = { from, to: { date, today: to.isToday }, knownBy: known.by, by: by ?? ('none' as Slice) };
        all.push(...(await readRolled(tx, { scope, ...pair })));
      }
      return all;
    });
    const slices =
      by === null ? [] : [...Map.groupBy(rolled, ({ slice }) => slice)].sort(([a], [b]) => (a < b ? -1 : 1));
    const table = {
      totals: rollRateRows(rolled),
      slices: slices.map(([slice, some]) => ({ slice, rows: rollRateRows(some) })),
    };
    return { asOf: to.asOf, from, knownAt: known.shown, by, table };
  }

  /** Null: everything is there. `month`: the month end before is needed too. */
  async function waitingFor(
    scopes: readonly Scope[],
    date: PlainDate | null,
    monthly: boolean,
  ): Promise<Computing | Refusal | null> {
    for (const { organizationId, today } of scopes) {
      const month = monthly ? [monthEndBefore(date ?? today)] : [];
      for (const one of date === null ? month : [...month, date]) {
        const state = await dates.ensure(organizationId, one);
        if ('refused' in state) return state.refused === 'full' ? tooManyDates(state.most) : cyclePending(one);
        if (!state.ready) return { computing: one, done: state.done, total: state.total };
      }
    }
    return null;
  }
}

function rowsOf(
  name: Named,
  some: readonly Dated[],
  { asOf }: On,
  all: readonly Dated[],
  { by, knownAt }: Pick<ReportQuery, 'by' | 'knownAt'>,
): readonly Row[] {
  switch (name) {
    case 'summary':
      return summaryRows(some, asOf);
    case 'delinquency':
      return delinquencyRows(some, asOf);
    case 'cashflows':
      return cashflowRows(some, isMonthEnd(asOf) ? null : asOf, {
        asReported: knownAt === 'asReported',
        byStatus: by === 'status',
        first: all.map(({ date }) => date).sort()[0] ?? '',
        last: asOf,
      });
    case 'yield':
      return yieldRows(some);
    case 'prepayment':
      return prepaymentRows(some);
    case 'vintages':
      return vintageRows(some, [...new Set(all.map(({ date }) => date))].sort());
  }
}

type Divided = { by: Slice; byVintage: boolean; knownBy: KnownBy; names: readonly SumName[] };

/** The sums of the date itself, under the date that the report shows. */
async function sumsOn(tx: Sql, scope: Scope, { asOf, isToday }: On, divided: Divided): Promise<Dated[]> {
  if (!isToday) return readSums(tx, { scope, dates: [asOf], ...divided });
  await forScan(tx);
  const { today } = scope;
  const day = { today, month: firstOfMonth(today), units: unitsOn(today) };
  return (await readSumsToday(tx, { scope, day, ...divided })).map((row) => ({ date: asOf, ...row }));
}

/** The caller's own today counts. Each owner's figures are then of its own today. */
function dayOf(scopes: readonly Scope[], asked: PlainDate | null, member: string): On | Refusal {
  const own = (scopes[0] as Scope).today;
  if (asked === null || asked === own) return { asOf: own, isToday: true };
  if (asked > own) return refuse('date_in_future', 'The date must not be after today.', { member });
  return { asOf: asked, isToday: false };
}

/** A moment counts as the last day that was over by then, because positions are kept by day. */
function knownOn(
  scopes: readonly Scope[],
  asked: KnownAt,
  asOf: PlainDate,
): { by: KnownBy; shown: Report['knownAt'] } | Refusal {
  const { clock, today } = scopes[0] as Scope;
  if (asked === null) return { by: LAST_DAY, shown: null };
  if (asOf !== today && !isMonthEnd(asOf)) return monthEndsOnly();
  if (asked === 'asReported') return { by: 'asReported', shown: 'asReported' };
  const day = 'day' in asked ? asked.day : addDays(clock.dayOf(Date.parse(asked.at) + 1), -1);
  if (day > today) return refuse('date_in_future', 'knownAt must not be after today.', { member: 'knownAt' });
  if (day < asOf) {
    const detail = `Nothing about ${asOf} was known by the end of ${day}: knownAt must not be before the date of the report.`;
    return refuse('invalid_value', detail, { member: 'knownAt', facts: { date: day } });
  }
  return { by: day, shown: day };
}

/** After every day. */
const LAST_DAY = '9999-12-31' as PlainDate;

function cyclePending(date: PlainDate): Refusal {
  const detail = `The nightly cycle of ${date} has not run yet.`;
  return refuse('cycle_pending', detail, { facts: { date }, retryable: true });
}

function tooManyDates(most: number): Refusal {
  const detail = `The positions of ${most} dates that are no month ends are kept already, which is the most: ask for one of these, or for a month end.`;
  return refuse('invalid_value', detail, { member: 'asOf', facts: { most } });
}

/** Other dates are computed once, with what is known then. */
function monthEndsOnly(): Refusal {
  return refuse('invalid_value', 'knownAt needs a month end: other dates show what is known now.', {
    member: 'knownAt',
  });
}

function notDivided(): Refusal {
  return refuse('invalid_value', 'Static pools cannot be divided by status.', { member: 'by' });
}
