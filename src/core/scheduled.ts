/** What the terms of a loan schedule after its funding: further disbursements and agreed rate changes, as events that are never recorded. */
import type { LoanEvent } from './event.ts';

/** Whether the terms schedule something after the funding. */
export function hasScheduled({ terms }: Extract<LoanEvent, { type: 'funded' }>): boolean {
  return terms.disbursements.length > 1 || terms.rateChanges.length > 0;
}

/** Later disbursements and rate changes scheduled by the terms, as events, in the order of the terms. */
export function scheduledIn(events: readonly LoanEvent[]): LoanEvent[] {
  const funded = events.find((event) => event.type === 'funded');
  if (funded?.type !== 'funded' || !hasScheduled(funded)) return [];
  const { disbursements, rateChanges } = funded.terms;
  const stamp = { recordedOn: funded.recordedOn, recordedAt: funded.recordedAt };
  return [
    ...disbursements.slice(1).map(({ date, amount }) => ({ type: 'disbursed' as const, date, amount, ...stamp })),
    ...rateChanges.map(({ date, rate }) => ({
      type: 'rateChanged' as const,
      // A change from before the disbursement is in effect from the beginning.
      date: date < funded.date ? funded.date : date,
      rate,
      why: 'contract' as const,
      ...stamp,
    })),
  ];
}
