/**
 * The figures of a loan in the books, as opposed to what its borrower owes. The two differ in two places: in non-accrual and after a
 * charge-off the books recognise interest only when it is received, and after a charge-off they keep only the principal that the collateral
 * covers.
 */
import type { PlainDate } from './calendar.ts';
import { keptOf } from './charged-off.ts';
import type { LoanEvent } from './event.ts';
import { fold } from './fold.ts';
import type { Loan } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { feesOwed, memoOf } from './working-loan.ts';

/** The five accounts that tie to the loans: on every day the ledger holds the sum of these. */
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
};

export const NO_FIGURES: BookFigures = {
  loanPrincipal: ZERO,
  interestReceivable: ZERO,
  accruedInterest: ZERO,
  feeReceivable: ZERO,
  borrowerCredits: ZERO,
};

/** The book figures of a loan on its own day. */
export function bookFiguresOf(loan: Loan): BookFigures {
  if (loan.terms === null) return NO_FIGURES;
  const { principal, interest, interestEnded, chargeOff, credit: borrowerCredits } = loan;
  if (loan.rescission !== null) return { ...NO_FIGURES, borrowerCredits };
  if (chargeOff !== null) return { ...NO_FIGURES, loanPrincipal: keptOf(loan, chargeOff), borrowerCredits };
  const counted = !isNonAccrual(loan);
  return {
    loanPrincipal: principal,
    interestReceivable: counted ? interestEnded : ZERO,
    accruedInterest: counted ? cents(interest - interestEnded) : ZERO,
    feeReceivable: cents(feesOwed(loan) - memoOf(loan).open),
    borrowerCredits,
  };
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
