/**
 * The figures that the Truth in Lending Act requires a lender to state before a loan is made (Regulation Z, 12 CFR 1026.18): amount
 * financed, finance charge, total of payments and annual percentage rate, all of them read off the schedule.
 */
import { apr } from './apr.ts';
import type { ScheduleTerms } from './loan.ts';
import { add, type Cents, cents, least, subtract } from './money.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';

/** Parts of the disbursed amounts that the borrower does not get to use: paid up front, or financed as a fee. */
export type FinanceCharges = { readonly prepaid: Cents; readonly financed: Cents };

export type TruthInLending = {
  readonly schedule: Schedule;
  /** Ten decimals; null when no rate solves the equation of Appendix J. */
  readonly aprPercent: string | null;
  readonly amountFinanced: Cents;
  readonly financeCharge: Cents;
};

export function truthInLending(terms: ScheduleTerms, { prepaid, financed }: FinanceCharges): TruthInLending | Refusal {
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) return schedule;
  const charges = add(prepaid, financed);
  const advances = withhold(terms.disbursements, charges);
  const amountFinanced = add(...advances.map(({ amount }) => amount));
  if (amountFinanced === 0) {
    const detail =
      'Prepaid finance charges and financed fees must be less than the disbursed amounts they are part of.';
    return refuse('invalid_value', detail, { member: prepaid > 0 ? 'prepaidFinanceCharges' : 'financedFees' });
  }
  const payments = schedule.rows.flatMap(({ dueDate, payment }) =>
    payment === 0 ? [] : [{ date: dueDate, amount: payment }],
  );
  const found = apr({ advances, payments, unitPeriod: null });
  if (isRefusal(found) && found.refused !== 'no_solution') return found;
  return {
    schedule,
    aprPercent: isRefusal(found) ? null : found.aprPercent,
    amountFinanced,
    financeCharge: subtract(schedule.totals.payment, amountFinanced),
  };
}

/** Charges are deducted from the first advance, and any excess from the next ones. */
function withhold(
  disbursements: ScheduleTerms['disbursements'],
  charges: Cents,
): { date: ScheduleTerms['interestStart']; amount: Cents }[] {
  let left = charges;
  return disbursements.flatMap(({ date, amount }) => {
    const taken = least(left, amount);
    left = subtract(left, taken);
    return taken === amount ? [] : [{ date, amount: cents(amount - taken) }];
  });
}
