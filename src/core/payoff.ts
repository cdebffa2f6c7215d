/**
 * The payoff amount for a date: principal + interest to the day + unpaid fees + prepayment penalty − credits, itemised, with what each
 * further day adds.
 */
import { addDays, basisOn, daysBetween, type PlainDate } from './calendar.ts';
import type { Loan } from './loan.ts';
import { feeRoom } from './military-service.ts';
import { type Cents, cents, ZERO } from './money.ts';
import type { QuoteParts } from './quote.ts';
import { interestOver } from './rate.ts';
import { feesOwed, interestOwed } from './working-loan.ts';

export type Payoff = QuoteParts & { readonly date: PlainDate; readonly payoff: Cents };

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
 * For each day from one to another, if nothing more happens: late fees and scheduled changes fall on their days. Where the loan
 * is the same on the first day and the last of a span, only interest accrues between them; otherwise the span is halved.
 */
export function payoffsThrough(loanOn: (day: PlainDate) => Loan, from: PlainDate, through: PlainDate): Payoff[] {
  const known = new Map<PlainDate, Loan>();
  const at = (day: PlainDate): Loan => {
    const loan = known.get(day) ?? loanOn(day);
    known.set(day, loan);
    return loan;
  };
  const between = (first: PlainDate, last: PlainDate): Payoff[] => {
    const days = daysBetween(first, last);
    const [before, after] = [at(first), at(last)];
    if (days <= 1 || isSame(before, after)) {
      return Array.from({ length: days + 1 }, (_, i) => {
        const on = addDays(first, i);
        return payoff(on === last ? after : { ...before, on, interest: interestOwed(before, on) });
      });
    }
    const middle = addDays(first, Math.floor(days / 2));
    return [...between(first, middle), ...between(middle, last).slice(1)];
  };
  return between(from, through);
}

/** Nothing happened between two days of one loan. */
function isSame(a: Loan, b: Loan): boolean {
  const facts = ({ principal, interestEnded, credit, stretchSince, accruing, rate, fees, payments }: Loan) =>
    [
      principal,
      interestEnded,
      credit,
      stretchSince,
      accruing,
      rate.digits,
      rate.scale,
      fees.length,
      payments.length,
    ].join();
  return facts(a) === facts(b) && feesOwed(a) === feesOwed(b) && a.chargeOff?.date === b.chargeOff?.date;
}

/**
 * A flat amount for paying off before the last due date; none once the principal is gone, nor after a charge-off. During military service
 * it is a fee like any other.
 */
export function penaltyDue(
  loan: Parameters<typeof feeRoom>[0] & Pick<Loan, 'contract' | 'installments' | 'chargeOff'>,
  on: PlainDate,
): Cents {
  const maturity = loan.installments.at(-1)?.dueDate;
  const early = maturity !== undefined && on < maturity && loan.principal > 0 && loan.chargeOff === null;
  if (!early) return ZERO;
  const { prepaymentPenalty } = loan.contract;
  return cents(Math.min(prepaymentPenalty, feeRoom(loan, on) ?? prepaymentPenalty));
}

/** Interest of one day by the day count's year, rounded by itself: the same on every day of a month, also where months have 30 days. */
export function perDiem(loan: Loan): Cents {
  const { principal, rate, terms } = loan;
  if (!loan.accruing || terms === null) return ZERO;
  return interestOver(principal, rate, { days: 1, basis: basisOn(loan.on, terms.dayCount) }, terms.rounding);
}
