/**
 * Translates the input of a simulation: each of its events becomes an event of a serviced loan. Payments and fees without a name get one,
 * and each return is matched to its payment.
 */
import { addDays, type PlainDate } from './calendar.ts';
import { type Fact, inOrder, type LoanEvent } from './event.ts';
import type { FeeKind } from './loan.ts';
import { type Cents, formatCents, MAX_CENTS, ZERO } from './money.ts';
import type { Percent } from './rate.ts';
import { type Refusal, refuse } from './refusal.ts';

export const SIMULATED = [
  'payment',
  'return',
  'fee',
  'waiver',
  'rateChange',
  'extension',
  'dueDateChange',
  'reamortize',
  'reage',
  'disbursement',
  'chargeOff',
  'recovery',
  'refund',
] as const;
export type SimulatedType = (typeof SIMULATED)[number];

export type SimulatedEvent = { readonly date: PlainDate } & (
  | {
      readonly type: 'payment' | 'recovery';
      readonly amount: Cents;
      readonly refId: string | null;
      readonly principalOnly: boolean;
    }
  /** Returns the payment it names; else the latest payment of that amount, else the latest, that is not returned yet. */
  | { readonly type: 'return'; readonly refId: string | null; readonly amount: Cents | null }
  | {
      readonly type: 'fee';
      readonly amount: Cents;
      readonly feeId: string | null;
      readonly name: string;
      readonly kind: FeeKind;
    }
  /** Null: all that is open of it. */
  | { readonly type: 'waiver'; readonly feeId: string; readonly amount: Cents | null }
  /** `scra`: military service from its date to the end of `to`, or until the next one (50 USC 3937). */
  | {
      readonly type: 'rateChange';
      readonly rate: Percent;
      readonly why: 'contract' | 'scra';
      readonly to?: PlainDate | null;
    }
  | { readonly type: 'extension'; readonly periods: number }
  | { readonly type: 'dueDateChange'; readonly to: PlainDate }
  | { readonly type: 'reamortize' | 'reage' }
  | { readonly type: 'disbursement' | 'refund'; readonly amount: Cents }
  | { readonly type: 'chargeOff'; readonly collateral: Cents }
);

/** An event of the loan, and which of the given ones it is. */
export type SimulatedStep = { readonly event: LoanEvent; readonly index: number; readonly given: SimulatedEvent };

/** Names for payments and fees that have none, and for each return its payment. */
export function namedSteps(events: readonly SimulatedEvent[]): SimulatedStep[] | Refusal {
  const names = new Map<number, string>();
  for (const kind of ['payment', 'fee'] as const) {
    const refusal = nameAll(events, kind, names);
    if (refusal !== null) return refusal;
  }
  const begins = events.filter(isService).map(({ date }) => date);
  begins.sort();
  const steps = events.map((given, index): SimulatedStep => {
    // If the order of the day is ambiguous, the given order decides.
    const second = String(index % 60).padStart(2, '0');
    const minute = String(Math.floor(index / 60)).padStart(2, '0');
    const recordedAt = `${given.date}T01:${minute}:${second}.000Z`;
    const fact = isService(given) ? serviceOf(given, begins) : factOf(given, names.get(index) ?? '');
    return { event: { ...fact, date: given.date, recordedOn: given.date, recordedAt }, index, given };
  });
  return matchReturns(steps);
}

type ServiceBegins = Extract<SimulatedEvent, { type: 'rateChange' }>;

function isService(event: SimulatedEvent): event is ServiceBegins {
  return event.type === 'rateChange' && event.why === 'scra';
}

/** One period ends at the latest before the next begins. */
function serviceOf({ date, rate, to = null }: ServiceBegins, begins: readonly PlainDate[]): Fact {
  const next = begins.find((day) => day > date);
  const last = next === undefined ? null : addDays(next, -1);
  const ends = to === null || (last !== null && last < to) ? last : to;
  return { type: 'militaryService', from: date, to: ends, rate };
}

function isPayment(event: SimulatedEvent): event is Extract<SimulatedEvent, { type: 'payment' | 'recovery' }> {
  return event.type === 'payment' || event.type === 'recovery';
}

function nameAll(
  events: readonly SimulatedEvent[],
  kind: 'payment' | 'fee',
  names: Map<number, string>,
): Refusal | null {
  const member = kind === 'payment' ? 'refId' : 'feeId';
  const taken = new Set<string>();
  const mine = events.flatMap((event, index) => {
    if (kind === 'payment') return isPayment(event) ? [{ index, name: event.refId }] : [];
    return event.type === 'fee' ? [{ index, name: event.feeId }] : [];
  });
  for (const { index, name } of mine) {
    if (name === null) continue;
    if (taken.has(name) || (kind === 'fee' && /^late-\d+$/.test(name))) {
      return refuse('contradiction', 'This reference is already used.', { member: `events.${index}.${member}` });
    }
    taken.add(name);
    names.set(index, name);
  }
  let number = 0;
  for (const { index, name } of mine) {
    if (name !== null) continue;
    do number += 1;
    while (taken.has(`${kind}-${number}`));
    names.set(index, `${kind}-${number}`);
  }
  return null;
}

function factOf(given: SimulatedEvent, name: string): Fact {
  switch (given.type) {
    case 'payment':
    case 'recovery':
      return {
        type: 'paymentSubmitted',
        refId: name,
        amount: given.amount,
        purpose: given.principalOnly ? 'principal' : 'installment',
      };
    case 'return':
      return { type: 'paymentReturned', refId: '' };
    case 'fee':
      return { type: 'feeAssessed', feeId: name, kind: given.kind, name: given.name, amount: given.amount };
    case 'waiver':
      return { type: 'feeWaived', feeId: given.feeId, amount: given.amount ?? MAX_CENTS };
    case 'rateChange':
      return { type: 'rateChanged', rate: given.rate, why: 'contract' };
    case 'extension':
      return { type: 'extended', periods: given.periods };
    case 'dueDateChange':
      return { type: 'dueDateChanged', from: null, to: given.to };
    case 'reamortize':
      return { type: 'reamortized' };
    case 'reage':
      return { type: 'reaged' };
    case 'disbursement':
      return { type: 'disbursed', amount: given.amount };
    case 'refund':
      return { type: 'creditRefunded', refId: '', amount: given.amount };
    case 'chargeOff':
      return { type: 'chargedOff', collateral: given.collateral };
  }
}

/** Returns that name their payment come first; the others are matched, in date order, to the remaining payments. */
function matchReturns(steps: readonly SimulatedStep[]): SimulatedStep[] | Refusal {
  const payments = steps
    .filter(({ event }) => event.type === 'paymentSubmitted')
    .sort((a, b) => inOrder(a.event, b.event));
  const returnedBy = new Map<SimulatedStep, SimulatedStep>();
  const returns = steps
    .filter(({ given }) => given.type === 'return')
    .sort((a, b) => inOrder(a.event, b.event))
    .sort((a, b) => Number(namesPayment(b)) - Number(namesPayment(a)));
  const paymentOf = new Map<SimulatedStep, string>();
  for (const step of returns) {
    const { given, index } = step;
    if (given.type !== 'return') continue;
    const wrong = (member: string, detail: string) =>
      refuse('contradiction', detail, { member: `events.${index}.${member}` });
    let payment: SimulatedStep | undefined;
    if (given.refId !== null) {
      payment = payments.find((one) => refIdOf(one) === given.refId);
      if (payment === undefined) return wrong('refId', 'No payment has this reference.');
      if (returnedBy.has(payment)) return wrong('refId', 'This payment is already returned.');
      if (given.date < payment.event.date) return wrong('date', 'A payment cannot be returned before its date.');
      if (given.amount !== null && given.amount !== stepAmount(payment)) {
        return wrong('amount', `The amount must be that of the payment, ${formatCents(stepAmount(payment) ?? ZERO)}.`);
      }
    } else {
      const open = payments.filter((one) => one.event.date <= given.date && !returnedBy.has(one));
      payment = open.findLast((one) => stepAmount(one) === given.amount) ?? open.at(-1);
      if (payment === undefined) return wrong('type', 'There is no earlier payment that can be returned.');
    }
    returnedBy.set(payment, step);
    paymentOf.set(step, refIdOf(payment));
  }
  return steps.map((step) =>
    step.event.type === 'paymentReturned'
      ? { ...step, event: { ...step.event, refId: paymentOf.get(step) ?? '' } }
      : step,
  );
}

function namesPayment({ given }: SimulatedStep): boolean {
  return given.type === 'return' && given.refId !== null;
}

export function refIdOf({ event }: SimulatedStep): string {
  return event.type === 'paymentSubmitted' || event.type === 'paymentReturned' ? event.refId : '';
}

export function stepAmount({ given }: SimulatedStep): Cents | null {
  return 'amount' in given ? given.amount : null;
}
