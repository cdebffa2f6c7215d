/**
 * A forecast month by month, and the outcomes of loans by it. Everything is read from the rows of the forecast, so that it holds for
 * every model that forecasts.
 */
import type { SeededRandom } from '../../src/bureau/simulator/random.ts';
import type { Forecast } from '../../src/core/forecast.ts';

/** One month of a pool: shares of the original loans, and their balances in cents. The first entry is month 1. */
export type Month = {
  /** Paying at the beginning. */
  readonly paying: number;
  readonly stopped: number;
  readonly prepaid: number;
  /** Owed by those that pay at the beginning, after the month's scheduled payment. */
  readonly owed: number;
  /** The part of it that left before its time: prepaid, or owed by those that stopped. */
  readonly left: number;
};

/** Up to the month of the last scheduled payment. */
export function monthsOf({ rows }: Forecast): Month[] {
  const last = rows.findLast((row) => row.scheduledPrincipal + row.scheduledInterest > 0)?.month ?? 0;
  let paying = 1;
  let balance: number = rows[0]?.endingBalance ?? 0;
  return rows.slice(1, last + 1).map((row) => {
    const stopped = Math.min(paying, row.defaultMillionths / 1e6);
    balance -= row.scheduledPrincipal;
    const prepaid = balance <= 0 ? 0 : Math.min(paying - stopped, row.prepaid / balance);
    const month = { paying, stopped, prepaid, owed: paying * balance, left: (stopped + prepaid) * balance };
    paying -= stopped + prepaid;
    return month;
  });
}

/** Whether a loan that lives by these months defaults: each month chance decides whether it stops, then whether it prepays. */
export function defaults(months: readonly Month[], of: SeededRandom): boolean {
  for (const { paying, stopped, prepaid } of months) {
    if (paying <= 0) return false;
    if (of.happens(stopped / paying)) return true;
    const others = paying - stopped;
    if (others > 0 && of.happens(prepaid / others)) return false;
  }
  return false;
}

/**
 * Single monthly mortality, percent: of what a pool owes after the scheduled payments of a month, the part that prepaid or stopped
 * paying in it.
 */
export function mortality(pool: readonly (readonly Month[])[], month: number): number {
  let [owed, left] = [0, 0];
  for (const months of pool) {
    const at = months[month - 1];
    if (at === undefined) continue;
    owed += at.owed;
    left += at.left;
  }
  return owed === 0 ? 0 : (100 * left) / owed;
}

/**
 * The absolute prepayment model, in which auto pools are told: the percentage of the original loans that leave in a month. With SMM in
 * percent and the age of the loans in months, ABS = 100 · SMM ÷ (100 + SMM · (age − 1)).
 */
export function absoluteSpeed(smm: number, age: number): number {
  return (100 * smm) / (100 + smm * (age - 1));
}
