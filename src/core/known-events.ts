/**
 * Facts of a history as a whole, read before its events are applied one by one: which payments did not stay, what the terms schedule, and
 * which reports of military service count.
 */
import { addDays, type PlainDate } from './calendar.ts';
import { type LoanEvent, undoesPayment } from './event.ts';
import type { Run, Undone } from './events/definition.ts';

/** Returned and reversed payments. */
export function undonePaymentsIn(known: readonly LoanEvent[]): Map<string, Undone> {
  const undone = new Map<string, Undone>();
  for (const event of known) {
    if (!undoesPayment(event)) continue;
    const { refId, recordedOn, recordedAt } = event;
    undone.set(refId, { status: statusBy(event), recordedOn, recordedAt, paidAt: null });
  }
  if (undone.size === 0) return undone;
  for (const event of known) {
    const one = event.type === 'paymentSubmitted' ? undone.get(event.refId) : undefined;
    if (event.type === 'paymentSubmitted' && one !== undefined) {
      undone.set(event.refId, { ...one, paidAt: event.recordedAt });
    }
  }
  return undone;
}

export function statusBy({ type }: { type: 'paymentReturned' | 'paymentReversed' }): Undone['status'] {
  return type === 'paymentReturned' ? 'Returned' : 'Reversed';
}

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

/**
 * The reports of service that count: of several with the same first day, the last one recorded. A period ends at the latest before the next
 * one begins.
 */
export function servicesIn(known: readonly LoanEvent[]): Run['services'] {
  const services = new Map<LoanEvent, PlainDate | null | 'superseded'>();
  const counted = new Map<PlainDate, Extract<LoanEvent, { type: 'militaryService' }>>();
  for (const event of known) {
    if (event.type !== 'militaryService' || event.withdrawnOn !== undefined) continue;
    services.set(event, 'superseded');
    if (event.recordedAt > (counted.get(event.from)?.recordedAt ?? '')) counted.set(event.from, event);
  }
  let next: PlainDate | null = null;
  for (const event of [...counted.values()].sort((a, b) => (a.from > b.from ? -1 : 1))) {
    const last: PlainDate | null = next === null ? null : addDays(next, -1);
    services.set(event, last !== null && (event.to === null || event.to > last) ? last : event.to);
    next = event.from;
  }
  return services;
}
