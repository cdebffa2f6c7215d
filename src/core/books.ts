/**
 * The figures of a loan in the books, as opposed to what its borrower owes. The two differ in two places: in non-accrual and after a
 * charge-off the books recognise interest only when it is received, and after a charge-off they keep only the principal that the collateral
 * covers.
 */
import { deferredOn, NOTHING_DEFERRED_ON } from './amortize.ts';
import type { PlainDate } from './calendar.ts';
import { keptOf } from './charged-off.ts';
import type { Deferred } from './deferral.ts';
import type { LoanEvent } from './event.ts';
import { fold } from './fold.ts';
import type { Loan } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { feesOwed, memoOf } from './working-loan.ts';

/** The accounts that tie to the loans: on every day the ledger holds the sum of these. And what the lender's book has of the deferred ones. */
export type BookFigures = {
  /** After a charge-off: the part that is kept. */
  readonly loanPrincipal: Cents;
  /** Interest of stretches that have ended. */
  readonly interestReceivable: Cents;
  /** Interest of the present stretch. */
  readonly accruedInterest: Cents;
  readonly feeReceivable: Cents;
  /** Owed back to the borrower. */
  readonly borrowerCredits: Cents;
  /** The rest of them, with the amortization of the present stretch; a discount below zero is a premium. */
  readonly deferredFees: Cents;
  readonly deferredCosts: Cents;
  readonly purchaseDiscount: Cents;
  /** Amortized by the present stretch. */
  readonly openFees: Cents;
  readonly openCosts: Cents;
  readonly openDiscount: Cents;
};

export const NO_FIGURES: BookFigures = {
  loanPrincipal: ZERO,
  interestReceivable: ZERO,
  accruedInterest: ZERO,
  feeReceivable: ZERO,
  borrowerCredits: ZERO,
  deferredFees: ZERO,
  deferredCosts: ZERO,
  purchaseDiscount: ZERO,
  openFees: ZERO,
  openCosts: ZERO,
  openDiscount: ZERO,
};

/** The book figures of a loan on its own day. */
export function bookFiguresOf(loan: Loan): BookFigures {
  if (loan.terms === null) return NO_FIGURES;
  const { principal, interest, interestEnded, chargeOff, credit: borrowerCredits } = loan;
  if (loan.rescission !== null) return { ...NO_FIGURES, borrowerCredits };
  if (chargeOff !== null) return { ...NO_FIGURES, loanPrincipal: keptOf(loan, chargeOff), borrowerCredits };
  const counted = !isNonAccrual(loan);
  return {
    ...deferredFigures(loan),
    loanPrincipal: principal,
    interestReceivable: counted ? interestEnded : ZERO,
    accruedInterest: counted ? cents(interest - interestEnded) : ZERO,
    feeReceivable: cents(feesOwed(loan) - memoOf(loan).open),
    borrowerCredits,
  };
}

function deferredFigures(loan: Loan) {
  const { left, open } = deferredOn(loan) ?? NOTHING_DEFERRED_ON;
  return {
    deferredFees: left.fees,
    deferredCosts: left.costs,
    purchaseDiscount: left.discount,
    openFees: open.fees,
    openCosts: open.costs,
    openDiscount: open.discount,
  };
}

/** By the present stretches. */
export function amortizedIn({
  openFees: fees,
  openCosts: costs,
  openDiscount: discount,
}: Pick<BookFigures, 'openFees' | 'openCosts' | 'openDiscount'>): Deferred {
  return { fees, costs, discount };
}

/** On a day, as it was known at the end of that day: whatever was recorded later did not exist yet. */
export function bookFiguresAsOf(events: readonly LoanEvent[], day: PlainDate): BookFigures {
  const known = events.filter(({ recordedOn }) => recordedOn <= day);
  return known.length === 0 ? NO_FIGURES : bookFiguresOf(fold(known, day));
}

/** Its interest is recognised only when it is received. */
export function isNonAccrual({ nonAccrualSince }: Loan): boolean {
  return nonAccrualSince !== null;
}
