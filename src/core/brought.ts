/** Interest and fees that were earned before the owner had the loan: carried over by an opening, or accrued since. */
import { type PlainDate, yearFraction } from './calendar.ts';
import type { ChargeOff, Loan, ScheduleTerms, Stretch } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { interestOver } from './rate.ts';
import { feeOpen } from './working-loan.ts';

/** The fees that an opening carried over are one fee, with this id. */
export const BROUGHT_FEES = 'opening';

/**
 * The unpaid part of what an opening carried over and of what was earned before the owner had the loan (in ended stretches). Its fees
 * are among the fees but were not assessed here: a fee that was may have the same id. Its interest is the oldest, so money pays it first.
 */
export function broughtOf(loan: Boarded & Pick<Loan, 'fees'>): ChargeOff['brought'] {
  const { openedOn, fees, totals } = loan;
  if (openedOn === null) return { interest: ZERO, fees: ZERO, feesWaived: ZERO };
  const charged = fees.reduce((sum, { amount }) => sum + amount, 0);
  const broughtFees = charged - totals.feesAssessed;
  const fee = broughtFees > 0 ? fees.find(({ feeId }) => feeId === BROUGHT_FEES) : undefined;
  const brought = totals.opened - broughtFees + earnedBeforeOwned(loan);
  return {
    interest: cents(Math.max(0, brought - totals.interestPaid - totals.broughtForgiven)),
    fees: fee === undefined ? ZERO : feeOpen(fee),
    feesWaived: fee?.waived ?? ZERO,
  };
}

type Boarded = Pick<Loan, 'openedOn' | 'ownedFrom' | 'terms' | 'stretches' | 'totals' | 'chargeOff'>;

/** Interest of ended stretches that was earned between the day of an opening and the day from which it is the owner's income. */
export function earnedBeforeOwned({ openedOn, ownedFrom, terms, stretches, chargeOff }: Boarded): Cents {
  if (openedOn === null || ownedFrom === null || terms === null || ownedFrom <= openedOn) return ZERO;
  let earned = 0;
  for (const stretch of stretches) {
    if (stretch.from >= ownedFrom || (chargeOff !== null && stretch.from >= chargeOff.date)) break;
    earned += earnedBy(stretch, ownedFrom, terms);
  }
  return cents(earned);
}

/** The interest that a stretch had earned by a day, rounded as if it had ended there. */
export function earnedBy(stretch: Stretch, day: PlainDate, { dayCount, rounding }: ScheduleTerms): Cents {
  if (stretch.to <= day) return stretch.interest;
  if (stretch.from >= day) return ZERO;
  return interestOver(stretch.principal, stretch.rate, yearFraction(stretch.from, day, dayCount), rounding);
}
