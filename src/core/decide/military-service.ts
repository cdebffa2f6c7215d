/** Military service (50 USC 3937): the decision of `change-rate` with `scra`, and the limit of fees meanwhile. */
import { addDays, type PlainDate } from '../calendar.ts';
import type { LoanEvent } from '../event.ts';
import type { Loan, Service } from '../loan.ts';
import { feeRoom, overOn } from '../military-service.ts';
import { type Cents, formatCents } from '../money.ts';
import { comparePercent, type Percent, SERVICE_LIMIT } from '../rate.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Decided, loanOn, type Situation } from './operation.ts';
import { badValue, futureDate } from './refusals.ts';

/** The first day of service and the last one; null while the end is not known. */
export type ServicePeriod = { readonly from: PlainDate; readonly to: PlainDate | null };

type Report = { rate: Percent; date: PlainDate | null; service?: ServicePeriod; chargeRetroactive?: boolean };

/** Refuses a report that is invalid in itself. */
export function refuseReport({ rate, date, service }: Report): Refusal | null {
  if (service === undefined) {
    return refuse('required', 'serviceFrom is required with scra: the first day of military service.', {
      member: 'service.from',
    });
  }
  if (date !== null) {
    return refuse('contradiction', 'Omit date: with scra the rate takes effect on serviceFrom.', { member: 'date' });
  }
  if (service.to !== null && service.to < service.from) {
    return refuse('contradiction', 'The last day of service cannot be before the first.', { member: 'service.to' });
  }
  return comparePercent(rate, SERVICE_LIMIT) > 0
    ? badValue('rate', 'The rate during military service is at most 6 % (50 USC 3937).')
    : null;
}

/**
 * The rate is lowered from the first day of service, however long ago, or from the opening when the loan was boarded later. Another report
 * of the same first day replaces the former one. It is possible after the loan was paid off or charged off too: what was paid above the
 * limit is owed back.
 */
export function decideService(
  { history, loan, when }: Situation,
  { rate, service, chargeRetroactive = false }: Report,
): Decided {
  if (service === undefined) throw new Error('A report without a period is refused before.');
  const { from, to } = service;
  const date = loan.openedOn !== null && loan.openedOn > from ? loan.openedOn : from;
  if (to !== null && to < date) {
    const detail = `Service ended on ${to}, before the loan was boarded on ${date}: earlier interest is the former servicer's.`;
    return refuse('contradiction', detail, { member: 'service.to' });
  }
  const other = periodsOf(loan).find((one) => one.from !== from && overlaps(one, service));
  if (other !== undefined) {
    const detail = `It overlaps with military service from ${other.from}${other.to === null ? '' : ` to ${other.to}`}. To correct that period, send serviceFrom ${other.from}.`;
    return refuse('contradiction', detail, { member: 'service.from' });
  }
  if (from > when.today) return futureDate('service.from');
  const start = loan.terms?.disbursements[0]?.date;
  if (start !== undefined && start >= from) {
    const detail = `The contract is dated ${start}. The limit is for debts from before military service, which began on ${from}.`;
    return refuse('not_eligible', detail, { member: 'service.from' });
  }
  const then = loanOn(history, date);
  if (then === null) return 'needs_events';
  const known = periodsOf(loan).find((one) => one.from === from);
  const feesFrom = chargeRetroactive || known === undefined ? null : feesAgain(known, to, when.today);
  return [{ type: 'militaryService', from, to, rate, ...(feesFrom === null ? {} : { feesFrom }), date }];
}

/** The first day on which late fees are charged again after a service that ended earlier than was known; null: the day after it. */
function feesAgain(known: Service, to: PlainDate | null, today: PlainDate): PlainDate | null {
  if (to === null) return null;
  const over = overOn(known);
  const before = known.feesFrom !== null && over !== null && known.feesFrom > over ? known.feesFrom : over;
  const again = before !== null && before < today ? before : today;
  return again > addDays(to, 1) ? again : null;
}

function overlaps(one: ServicePeriod, other: ServicePeriod): boolean {
  return one.from <= (other.to ?? '9') && other.from <= (one.to ?? '9');
}

function periodsOf({ service, pastService }: Loan): readonly Service[] {
  return service === null ? pastService : [...pastService, service];
}

/** Whether this is what the last report of this service said. */
export function isReported(loan: Loan, { rate, service }: Report): boolean {
  const known = periodsOf(loan).find(({ from }) => from === service?.from);
  return known !== undefined && known.to === service?.to && comparePercent(known.rate, rate) === 0;
}

export function lastReport(events: readonly LoanEvent[], { service }: Report): number | null {
  const at = events.findLastIndex((event) => event.type === 'militaryService' && event.from === service?.from);
  return at < 0 ? null : at;
}

/** A fee that would lift interest and fees above 6 % on its day. */
export function refuseFeeInService(
  { history, loan, when }: Situation,
  { amount, day }: { amount: Cents; day: PlainDate },
): Refusal | 'needs_events' | null {
  const then = day === when.today ? loan : loanOn(history, day);
  if (then === null) return 'needs_events';
  const room = feeRoom(then, day);
  if (room === null || amount <= room) return null;
  const detail = `During military service interest and fees together are at most 6 % (50 USC 3937): on ${day} a fee can be at most ${formatCents(room)}.`;
  return refuse('scra_limit', detail, { member: 'amount', facts: { room } });
}
