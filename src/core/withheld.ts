/**
 * Loans that are kept off the market in spite of their owner. Military service restates the rate and the payments, and they can be seen in a
 * record for good. A hold of any kind counts as well, so that the absence of a loan does not say which of them it was.
 */
import type { Loan } from './loan.ts';

/** Now or in the past. */
export function hasServed({ service, pastService }: Pick<Loan, 'service' | 'pastService'>): boolean {
  return service !== null || pastService.length > 0;
}

export function isWithheld(loan: Pick<Loan, 'service' | 'pastService' | 'holds'>): boolean {
  return hasServed(loan) || loan.holds.some(({ releasedOn }) => releasedOn === null);
}
