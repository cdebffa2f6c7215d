/** The loan as its month began, kept while it is folded: what has flowed in the month is the difference to it (`portfolio/position.ts`). */
import type { PlainDate } from './calendar.ts';
import { ZERO } from './money.ts';
import type { WorkingLoan } from './working-loan.ts';

/** Something happens on a day: when it is the first of its month, the loan before it is kept. */
export function beginMonth(working: WorkingLoan, date: PlainDate): void {
  if (date.slice(0, 7) <= working.month.of) return;
  const { principal, totals, installments, chargeOff } = working;
  working.month = {
    of: date.slice(0, 7),
    principal,
    totals: { ...totals },
    installments: installments.slice(),
    chargeOff: chargeOff === null ? null : { ...chargeOff },
  };
}

/** Starts the month of the opening; money that moved at the earlier servicer before it did not flow here. */
export function beginMonthOpened(working: WorkingLoan): void {
  const { month, totals, installments, chargeOff } = working;
  working.month = {
    ...month,
    principal: ZERO,
    totals: { ...totals, disbursed: ZERO },
    installments: installments.slice(),
    chargeOff: chargeOff === null ? null : { ...chargeOff },
  };
}
