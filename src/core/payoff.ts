/**
 * The payoff amount for a date: principal + interest to the day + unpaid fees + prepayment penalty − credits, itemised, with what each
 * further day adds.
 */
import { basisOn, type PlainDate } from './calendar.ts';
import type { Loan } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { interestOver } from './rate.ts';
import { feesOwed } from './working-loan.ts';

export type Payoff = {
  readonly date: PlainDate;
  readonly payoff: Cents;
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  readonly prepaymentPenalty: Cents;
  readonly credits: Cents;
  readonly perDiem: Cents;
};

/** For the loan's own day; for another day, of the loan's state on that day. */
export function payoff(loan: Loan): Payoff {
  const { principal, interest, credit } = loan;
  const fees = feesOwed(loan);
  const prepaymentPenalty = penaltyDue(loan, loan.on);
  const owed = principal + interest + fees + prepaymentPenalty;
  return {
    date: loan.on,
    payoff: cents(Math.max(0, owed - credit)),
    principal,
    interest,
    fees,
    prepaymentPenalty,
    credits: credit,
    perDiem: perDiem(loan),
  };
}

/**
 * A flat amount for paying off before the last due date; none once the principal is gone, nor after a charge-off (which comes last on its
 * day: a payment of that day is still one before it).
 */
export function penaltyDue(
  loan: Pick<Loan, 'principal' | 'contract' | 'installments' | 'chargeOff'>,
  on: PlainDate,
): Cents {
  const maturity = loan.installments.at(-1)?.dueDate;
  const chargedOff = loan.chargeOff !== null && loan.chargeOff.date < on;
  const early = maturity !== undefined && on < maturity && loan.principal > 0 && !chargedOff;
  return early ? loan.contract.prepaymentPenalty : ZERO;
}

/** Interest of one day by the day count's year, rounded by itself: the same on every day of a month, also where months have 30 days. */
export function perDiem(loan: Loan): Cents {
  const { principal, rate, terms } = loan;
  if (!loan.accruing || terms === null) return ZERO;
  return interestOver(principal, rate, { days: 1, basis: basisOn(loan.on, terms.dayCount) }, terms.rounding);
}
