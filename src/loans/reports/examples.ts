/** An example of each report for the OpenAPI document, made by the reports themselves from the sums of a small book, so that its figures agree. */
import type { PlainDate } from '../../core/calendar.ts';
import { cashflowRows } from '../../portfolio/reports/cashflows.ts';
import { delinquencyRows } from '../../portfolio/reports/delinquency.ts';
import { prepaymentRows } from '../../portfolio/reports/prepayment.ts';
import { type Dated, tableOf } from '../../portfolio/reports/report.ts';
import { type Rolled, rollRateRows } from '../../portfolio/reports/roll-rates.ts';
import { summaryRows } from '../../portfolio/reports/summary.ts';
import { vintageRows } from '../../portfolio/reports/vintages.ts';
import { yieldRows } from '../../portfolio/reports/yield.ts';
import { NOTHING, type SumName, type Sums } from '../../portfolio/sums.ts';
import type { Report, ReportName } from './reports.ts';

const [SEPTEMBER, OCTOBER] = ['2026-09-30', '2026-10-31'] as PlainDate[] as [PlainDate, PlainDate];
const SCALE = 10n ** 10n;

/** Two loans of 30,000.00 and 20,000.00 at 7.25 %, funded in September; in October the second is 30 days past due and the first prepaid 1,000.00. */
const FUNDED: Partial<Sums> = {
  ...{
    count: 2n,
    original: 5_000_000n,
    principal: 5_000_000n,
    entered: 5_000_000n,
    enteredCount: 2n,
    disbursed: 5_000_000n,
  },
  ...{ fundedCount: 2n, fundedPrincipal: 5_000_000n, past0Count: 2n, past0Principal: 5_000_000n },
  ...{ ratePrincipal: 7_250_000n * 5n * SCALE, remainingPrincipal: 300_000_000n, predictedLossOf: 5_000_000n },
  ...{ predictedLossOriginal: 10_000_000n * SCALE, predictedPrincipal: 5_000_000n },
  predictedYieldPrincipal: 30_000_000n * SCALE,
};
const A_MONTH_LATER: Partial<Sums> = {
  ...{ count: 2n, original: 5_000_000n, openingPrincipal: 5_000_000n, ageOpening: 5_000_000n, principal: 4_858_340n },
  ...{ interest: 12_083n, fees: 2_500n, principalReceived: 141_660n, openPrincipalReceived: 141_660n },
  ...{ unscheduledPrincipal: 100_000n, openUnscheduled: 100_000n, interestReceived: 18_125n, scheduled: 99_598n },
  ...{
    currentCount: 1n,
    currentPrincipal: 2_858_340n,
    delinquentCount: 1n,
  },
  ...{
    delinquentPrincipal: 2_000_000n,
    past0Count: 1n,
    past0Principal: 2_858_340n,
    past30Count: 1n,
    past30Principal: 2_000_000n,
  },
  ...{ ratePrincipal: 35_222_965n * SCALE, remainingPrincipal: 288_642_060n, agePrincipal: 4_858_340n },
  ...{
    predictedLossOriginal: 10_000_000n * SCALE,
    predictedLossOf: 5_000_000n,
    predictedYieldOpening: 30_000_000n * SCALE,
  },
  ...{ predictedYieldPrincipal: 29_150_040n * SCALE, predictedOpening: 5_000_000n, predictedPrincipal: 4_858_340n },
};

const dated = (date: PlainDate, sums: Partial<Record<SumName, bigint>>): Dated => ({
  ...{ date, slice: 'L-1', vintage: '2026-09' },
  sums: { ...NOTHING, ...sums },
});

const MONTHS = [dated(SEPTEMBER, FUNDED), dated(OCTOBER, A_MONTH_LATER)];

const ROLLED: readonly Rolled[] = [
  { slice: 'L-1', from: 'current', to: 'current', count: 1n, principalFrom: 3_000_000n, principalTo: 2_858_340n },
  { slice: 'L-1', from: 'current', to: '30-59', count: 1n, principalFrom: 2_000_000n, principalTo: 2_000_000n },
];

export const EXAMPLES: Readonly<Record<ReportName, Report>> = {
  summary: example(tableOf(MONTHS, true, (some) => summaryRows(some, OCTOBER))),
  delinquency: example(tableOf(MONTHS, true, (some) => delinquencyRows(some, OCTOBER))),
  vintages: example(tableOf(MONTHS, true, (some) => vintageRows(some, [SEPTEMBER, OCTOBER]))),
  cashflows: example(tableOf(MONTHS, true, (some) => cashflowRows(some, null))),
  yield: example(tableOf(MONTHS, true, yieldRows)),
  prepayment: example(tableOf(MONTHS, true, prepaymentRows)),
  'roll-rates': {
    ...example({ totals: rollRateRows(ROLLED), slices: [{ slice: 'L-1', rows: rollRateRows(ROLLED) }] }),
    from: SEPTEMBER,
  },
};

function example(table: Report['table']): Report {
  return { asOf: OCTOBER, from: null, knownAt: null, by: 'lender', table };
}
