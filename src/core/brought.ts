/** Interest and fees that were earned before the owner had the loan: carried over by an opening, or accrued since. */
import { type PlainDate, yearFraction } from './calendar.ts';
import type { ChargeOff, Loan, ScheduleTerms, Stretch } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { interestOver } from './rate.ts';
import { feeOpen } from './working-loan.ts';

/** The fees that an opening carried over are one fee, with this id. */
export const BROUGHT_FEES = 'opening';

/**
 * The unpaid part of what an opening carried over and of what was earned before the owner had the loan (in ended stretches): by the earlier
 * servicer, or by the owner that sold it. The fees of an opening are among the fees but were not assessed here: a fee that was may have the
 * same id. This interest is the oldest, so money pays it first.
 */
export function broughtOf(loan: Boarded & Pick<Loan, 'fees' | 'interestEnded'>): ChargeOff['brought'] {
  const { openedOn, boughtOn, fees, totals } = loan;
  if (openedOn === null && boughtOn === null) return { interest: ZERO, fees: ZERO, feesWaived: ZERO };
  const charged = fees.reduce((sum, { amount }) => sum + amount, 0);
  const opened = charged - totals.feesAssessed;
  const brought = totals.opened - opened + earnedBeforeOwned(loan);
  const unpaid = Math.max(0, brought - totals.interestPaid - totals.broughtForgiven);
  let broughtFees = 0;
  let feesWaived = 0;
  for (const fee of fees) {
    // It is on nobody's books until it is paid.
    if (fee.memo) continue;
    const isOpened = opened > 0 && fee.feeId === BROUGHT_FEES;
    if (!isOpened && (boughtOn === null || fee.date >= boughtOn)) continue;
    broughtFees += feeOpen(fee);
    feesWaived += fee.waived;
  }
  return {
    interest: cents(Math.min(unpaid, loan.interestEnded)),
    fees: cents(broughtFees),
    feesWaived: cents(feesWaived),
  };
}

type Boarded = Pick<Loan, 'openedOn' | 'ownedFrom' | 'boughtOn' | 'terms' | 'stretches' | 'totals' | 'chargeOff'>;

/** The day from which interest is the present owner's; null: it always was. */
export function earnsFrom({ ownedFrom, boughtOn }: Pick<Loan, 'ownedFrom' | 'boughtOn'>): PlainDate | null {
  return boughtOn ?? ownedFrom;
}

/** Interest of ended stretches, since an opening or the funding, that was earned before the day from which it is the owner's income. */
export function earnedBeforeOwned(loan: Boarded): Cents {
  const { openedOn, boughtOn, terms, stretches, chargeOff } = loan;
  const from = earnsFrom(loan);
  if (from === null || terms === null || (boughtOn === null && (openedOn === null || from <= openedOn))) return ZERO;
  let earned = 0;
  for (const stretch of stretches) {
    if (stretch.from >= from || (chargeOff !== null && stretch.from >= chargeOff.date)) break;
    earned += earnedBy(stretch, from, terms);
  }
  return cents(earned);
}

/** The interest that a stretch had earned by a day, rounded as if it had ended there. */
export function earnedBy(stretch: Stretch, day: PlainDate, { dayCount, rounding }: ScheduleTerms): Cents {
  if (stretch.to <= day) return stretch.interest;
  if (stretch.from >= day) return ZERO;
  return interestOver(stretch.principal, stretch.rate, yearFraction(stretch.from, day, dayCount), rounding);
}
