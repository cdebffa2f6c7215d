/**
 * A small balance: what is left of a loan that payments have brought nearly to zero, at payoff or after its maturity. Up to the amount of the
 * policy it is written off, so that the loan is paid off and nobody collects some cents. The event names the amount that was the limit then:
 * where a later fold finds more left, because a payment was returned or a fee became known, nothing is written off.
 */
import { broughtOf } from './brought.ts';
import type { PlainDate } from './calendar.ts';
import { type Loan, stayed } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { cure, payFromCredit, voidOpenQuotes, waive } from './pay.ts';
import { endStretch, feeOpen, feesOwed, interestOwed, memoOf, type WorkingLoan } from './working-loan.ts';

export type SmallBalanceFact = {
  readonly type: 'smallBalanceWrittenOff';
  readonly amount: Cents;
  readonly limit: Cents;
};

/** The rest that is to be written off of a loan at the end of its own day; null: none. */
export function smallBalanceOf(loan: Loan): SmallBalanceFact | null {
  const { policy, stage, chargeOff, payments, handover, terms, on } = loan;
  const limit = policy.smallBalance;
  if (!limit || stage !== 'Funded' || chargeOff !== null) return null;
  if (terms === null || terms.disbursements.some(({ date }) => date > on)) return null;
  // A loan of which nothing was ever paid is not being paid off.
  if (!payments.some(stayed) && !(handover?.payments.some(stayed) ?? false)) return null;
  const amount = leftOf(loan, on);
  return amount > 0 && amount <= limit ? { type: 'smallBalanceWrittenOff', amount, limit } : null;
}

/** Principal, interest and fees, less what is owed back. */
function leftOf(loan: Parameters<typeof interestOwed>[0] & Pick<Loan, 'fees' | 'credit'>, on: PlainDate): Cents {
  return cents(Math.max(0, loan.principal + interestOwed(loan, on) + feesOwed(loan) - loan.credit));
}

export function writeOffSmall(
  working: WorkingLoan,
  { date, recordedAt, limit }: { date: PlainDate; recordedAt: string; limit: Cents },
): void {
  const left = leftOf(working, date);
  if (working.chargeOff !== null || left === 0 || left > limit) return;
  endStretch(working, date);
  payFromCredit(working, date);
  const { principal, interestEnded: interest, totals } = working;
  const brought = broughtOf(working);
  const broughtInterest = cents(Math.min(brought.interest, interest));
  const fees = feesOwed(working);
  const memoFees = memoOf(working).open;
  totals.principalForgiven = cents(totals.principalForgiven + principal);
  totals.interestForgiven = cents(totals.interestForgiven + interest);
  totals.broughtForgiven = cents(totals.broughtForgiven + broughtInterest);
  working.principal = ZERO;
  working.interestEnded = ZERO;
  for (const fee of working.fees) waive(working, fee.feeId, feeOpen(fee));
  const parts = { principal, interest, fees, broughtInterest, broughtFees: brought.fees, memoFees };
  working.smallBalances = [...working.smallBalances, { date, ...parts }];
  // The loan has ended, and what it may owe later was in none of them.
  voidOpenQuotes(working, { date, recordedAt });
  cure(working, date);
}

/** All that was written off of a loan because it was small. */
export function writtenOffSmall({ smallBalances }: Pick<Loan, 'smallBalances'>) {
  const sum = { principal: 0, interest: 0, fees: 0, broughtInterest: 0, broughtFees: 0, memoFees: 0 };
  for (const one of smallBalances) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += one[name];
  }
  return sum;
}
