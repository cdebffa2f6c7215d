/** The steps of the nightly cycle in words, and what to do about a loan for which one failed. */
import { words } from '../../format.ts';

const STEPS: Record<string, { name: string; does: string }> = {
  lateFeesAndBuckets: {
    name: 'Late fees and buckets',
    does: 'Records late fees and the days-past-due bucket that a loan has reached',
  },
  chargeOffsRecorded: { name: 'Charge-offs recorded', does: 'At month end, where the policy says so' },
  accrual: { name: 'Interest', does: 'Posts the interest of the day, one entry per lender' },
  nonAccrual: { name: 'Non-accrual', does: 'Counts loans whose interest is no longer income' },
  quotesExpired: { name: 'Quotes and holds', does: 'Counts payoff quotes, settlements and holds that have ended' },
  chargeOffsProposed: { name: 'Charge-offs proposed', does: 'At month end, lists loans for a person to decide' },
  positions: { name: 'Positions', does: 'Writes and restates the positions behind the portfolio reports' },
};

export const stepOf = (step: string): { name: string; does: string } => STEPS[step] ?? { name: words(step), does: '' };

const ADVICE: Record<string, string> = {
  lateFeesAndBuckets:
    'Its late fee or bucket was not recorded. Balances are correct, because they follow from the date. Open the loan: its next transaction records it.',
  chargeOffsRecorded: 'It was not charged off. Open the loan and charge it off, or place a hold with the reason.',
  accrual:
    'Its interest is missing from the day’s entry: the month cannot be closed. Send the text under “For support” to an operator.',
  chargeOffsProposed: 'It could not be checked for charge-off. Check its days past due and decide.',
  positions: 'It is missing from portfolio reports of the day. The next cycle tries again.',
};

export const advice = (step: string): string =>
  ADVICE[step] ??
  'The other loans are done. The next cycle tries again. If it fails again, send the text under “For support” to an operator.';

/** "bucket 30-59" and "lateFees" as words. */
export const countName = (name: string): string => words(name).replace(/(\d{1,4}) (\d{1,4})/, '$1–$2');
