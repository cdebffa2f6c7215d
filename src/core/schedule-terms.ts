/** Validates the terms of a schedule: their order, their limits, and which exclude each other. */
import type { PlainDate } from './calendar.ts';
import type { ScheduleTerms } from './loan.ts';
import { MAX_CENTS } from './money.ts';
import { type Refusal, refuse } from './refusal.ts';

/** A century of weeks is more than any loan; the bound keeps every loop short. */
export const MAX_INSTALLMENTS = 5_300;

export function checkTerms(terms: ScheduleTerms): Refusal | null {
  const { disbursements, dueDates, rateChanges, skip } = terms;
  const bad = (member: string, detail: string) => refuse('invalid_value', detail, { member });
  const first = disbursements[0];
  if (first === undefined)
    return refuse('required', 'At least one disbursement is required.', { member: 'disbursements' });
  if (disbursements.some(({ amount }) => amount <= 0))
    return bad('disbursements', 'Every disbursement must be more than zero.');
  if (
    !ascending(
      disbursements.map(({ date }) => date),
      true,
    )
  )
    return bad('disbursements', 'Disbursements must be in date order.');
  if (disbursements.reduce((sum, { amount }) => sum + amount, 0) > MAX_CENTS)
    return bad('disbursements', 'The total of the disbursements is too large.');
  if (dueDates.length === 0) return refuse('required', 'At least one due date is required.', { member: 'dueDates' });
  if (dueDates.length > MAX_INSTALLMENTS)
    return bad('dueDates', `At most ${MAX_INSTALLMENTS} installments are allowed.`);
  if (!ascending(dueDates, false)) return bad('dueDates', 'Due dates must be in ascending order without duplicates.');
  if ((dueDates[0] as PlainDate) <= first.date)
    return bad('dueDates', 'The first due date must be after the first disbursement.');
  if ((disbursements.at(-1) as { date: PlainDate }).date >= (dueDates.at(-1) as PlainDate)) {
    return bad('disbursements', 'Every disbursement must be before the last due date.');
  }
  if (terms.interestStart > (dueDates[0] as PlainDate))
    return bad('interestStart', 'Interest must start on or before the first due date.');
  if (
    !ascending(
      rateChanges.map(({ date }) => date),
      false,
    )
  )
    return bad('rateChanges', 'Rate changes must be in date order, at most one per day.');
  const count = dueDates.length;
  if (skip.some((n) => !Number.isInteger(n) || n < 1 || n >= count)) {
    return bad('skip', `Skipped installments must be numbers from 1 to ${count - 1}; the last cannot be skipped.`);
  }
  if (!Number.isInteger(terms.interestOnlyCount) || terms.interestOnlyCount < 0 || terms.interestOnlyCount >= count) {
    return bad('interestOnlyCount', `Must be a whole number from 0 to ${count - 1}.`);
  }
  const total = disbursements.reduce((sum, { amount }) => sum + amount, 0);
  if (terms.balloon < 0 || terms.balloon > total)
    return bad('balloonAmount', 'The balloon cannot be more than the loan amount.');
  if (terms.amortization === 'Balloon' && terms.balloon === 0) {
    return refuse('required', 'balloonAmount is required when amortizationType is Balloon.', {
      member: 'balloonAmount',
    });
  }
  if (terms.amortization !== 'Balloon' && terms.balloon > 0) {
    return refuse('contradiction', 'balloonAmount is allowed only when amortizationType is Balloon.', {
      member: 'balloonAmount',
    });
  }
  if (terms.payment !== null && terms.payment <= 0) return bad('payment', 'The payment must be more than zero.');
  if (terms.payment !== null && terms.amortization === 'InterestOnly' && terms.interestOnlyCount === 0) {
    const detail = 'An interest-only loan has no level payment; omit payment, or give interestOnlyCount.';
    return refuse('contradiction', detail, { member: 'payment' });
  }
  return null;
}

function ascending(dates: readonly PlainDate[], equalAllowed: boolean): boolean {
  for (let i = 1; i < dates.length; i++) {
    const [a, b] = [dates[i - 1] as PlainDate, dates[i] as PlainDate];
    if (equalAllowed ? a > b : a >= b) return false;
  }
  return true;
}
