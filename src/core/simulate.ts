/**
 * Simulates the whole life of a loan: from terms and events it computes what each event did when it happened, and the loan's state at the
 * end. The events become those of a serviced loan and go through the same fold. Every event is known on its own day, so a payment shows
 * what it paid before it was known that it, or an earlier one, would be returned.
 */
import { daysBetween, FREQUENCIES, type Frequency, type PlainDate, stepDate } from './calendar.ts';
import { type Delinquency, delinquency, type OpenInstallment, openInstallments } from './delinquency.ts';
import { inOrder, type LoanEvent } from './event.ts';
import { fold } from './fold.ts';
import {
  type Allocation,
  type Bucket,
  DEFAULT_POLICY,
  DEFAULT_WATERFALL,
  type LateFeePolicy,
  type Loan,
  type LoanStatus,
  NO_ALLOCATION,
  type Payment,
  type ScheduleTerms,
} from './loan.ts';
import { add, type Cents, cents, formatCents, MAX_CENTS, ZERO } from './money.ts';
import { type Payoff, payoff } from './payoff.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';
import {
  amountOf,
  namedSteps,
  refIdOf,
  type SimulatedEvent,
  type SimulatedType,
  type Step,
} from './simulated-steps.ts';
import { statusOf } from './status.ts';

export { SIMULATED, type SimulatedEvent, type SimulatedType } from './simulated-steps.ts';

export type Simulation = {
  readonly terms: ScheduleTerms;
  /** By which installments move; null: derived from the due dates, and months where they give none. */
  readonly frequency: Frequency | null;
  /** Buckets left out follow in the order of the default, so that no money is ever stuck. */
  readonly waterfall: readonly Bucket[];
  readonly lateFee: LateFeePolicy | null;
  /** Days after a due date before the loan shows as Delinquent. */
  readonly graceDays: number;
  readonly events: readonly SimulatedEvent[];
  /** Null: the date of the last event, or without events that of the first disbursement. */
  readonly asOf: PlainDate | null;
};

export type Happened = {
  /** Which of the given events it is. */
  readonly index: number;
  readonly type: SimulatedType;
  readonly date: PlainDate;
  /** The payment's, and for a return that of the payment it returns. */
  readonly refId: string | null;
  readonly feeId: string | null;
  readonly amount: Cents | null;
  /** As then known; a return has the negative of what its payment had paid until then. */
  readonly allocation: Allocation;
  /** Principal after it, as then known. */
  readonly balance: Cents;
};

export type Simulated = {
  /** In the order in which they took effect, up to `asOf`. */
  readonly events: readonly Happened[];
  readonly schedule: Schedule;
  readonly loan: Loan;
  readonly installments: readonly OpenInstallment[];
  readonly delinquency: Delinquency;
  readonly payoff: Payoff;
  readonly status: LoanStatus;
};

export const MAX_EVENTS = 2_000;
/** Extensions together; keeps every date a date. */
const MAX_EXTENSION = 120;
/** Steps over installments; an event counts for 400 of them. About a second: 2,000 events with 300 returns, or 5,300 installments. */
const MAX_WORK = 300_000_000;

export function simulate(simulation: Simulation): Simulated | Refusal {
  const { terms } = simulation;
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) return { ...schedule, member: ['terms', schedule.member ?? []].flat().join('.') };
  const start = (terms.disbursements[0] as { date: PlainDate }).date;
  const { events } = simulation;
  const refusal = refuseEvents(simulation, schedule, start);
  if (refusal !== null) return refusal;
  const asOf = simulation.asOf ?? events.reduce((last, { date }) => (date > last ? date : last), start);
  const steps = namedSteps(events);
  if (isRefusal(steps)) return steps;
  const life = steps.filter(({ event }) => event.date <= asOf).sort((a, b) => inOrder(a.event, b.event));
  const told = tell(simulation, life, start, asOf);
  if (isRefusal(told)) return told;
  const { loan, happened } = told;
  const unknown = refuseWaivers(life, loan);
  if (unknown !== null) return unknown;
  const installments = openInstallments(loan);
  const late = delinquency(loan, installments);
  return {
    events: happened,
    schedule,
    loan,
    installments,
    delinquency: late,
    payoff: payoff(loan),
    status: statusOf(loan, late),
  };
}

// ---- what cannot be simulated ----

function refuseEvents({ terms, events, asOf, lateFee }: Simulation, schedule: Schedule, start: PlainDate) {
  const wrong = (i: number, member: string, code: RefusalCode, detail: string) =>
    refuse(code, detail, { member: `events.${i}.${member}` });
  if (events.length > MAX_EVENTS) {
    return refuse('invalid_value', `There can be at most ${MAX_EVENTS} events.`, { member: 'events' });
  }
  if (asOf !== null && asOf < start) {
    return refuse('date_before_contract', `The loan begins on ${start}.`, { member: 'asOf' });
  }
  const chargeOff = events.find(({ type }) => type === 'chargeOff');
  const moved = events.some(({ type }) => type === 'extension' || type === 'dueDateChange' || type === 'reage');
  let extended = 0;
  let lent: number = terms.disbursements.reduce((sum, { amount }) => sum + amount, 0);
  for (const [i, event] of events.entries()) {
    // A refund may become principal again when its payment is returned.
    if (event.type === 'disbursement' || event.type === 'refund') lent += event.amount;
    if (lent > MAX_CENTS) return wrong(i, 'amount', 'invalid_value', 'The amounts paid out are too large together.');
    if (event.date < start) {
      return refuse('date_before_contract', `The loan begins on ${start}; nothing can be dated before.`, {
        member: `events.${i}.date`,
      });
    }
    if ('amount' in event && event.amount === 0) {
      return refuse('amount_zero', 'The amount must be more than zero.', { member: `events.${i}.amount` });
    }
    if (event.type === 'chargeOff' && event !== chargeOff) {
      return wrong(i, 'type', 'contradiction', 'A loan is charged off once.');
    }
    if (event.type === 'recovery' && (chargeOff === undefined || event.date <= chargeOff.date)) {
      return wrong(i, 'date', 'contradiction', 'A recovery is dated after the charge-off.');
    }
    if (event.type === 'extension') {
      extended += event.periods;
      if (!Number.isInteger(event.periods) || event.periods < 1 || event.periods > 12) {
        return wrong(i, 'periods', 'invalid_value', 'An extension is 1 to 12 periods.');
      }
      if (extended > MAX_EXTENSION) {
        return wrong(i, 'periods', 'invalid_value', `Extensions are at most ${MAX_EXTENSION} periods together.`);
      }
    }
    if (event.type === 'reamortize' && event.date < terms.interestStart) {
      return wrong(i, 'date', 'invalid_value', 'A loan is re-amortized when interest runs, not before.');
    }
    if (event.type === 'reamortize' && moved && !regular(terms)) {
      // Dates that are not on a grid can coincide when they are moved, and then there is nothing to amortize over.
      return wrong(i, 'type', 'not_supported', 'Irregular due dates that were moved cannot be re-amortized.');
    }
  }
  const count = (...types: SimulatedType[]) => events.filter(({ type }) => types.includes(type)).length;
  const changes = count('reamortize') * 60 + count('extension', 'dueDateChange', 'reage', 'rateChange');
  const judged = lateFee === null ? 0 : schedule.rows.length * 2;
  const each = schedule.rows.length * (count('payment', 'recovery') * 4 + changes + judged + 4) + events.length * 400;
  const folds = count('return', 'dueDateChange') + 1;
  // A late fee caused by a return needs replays of the loan as known before it, one for each day on which something was returned.
  const returnDays = new Set(events.flatMap(({ type, date }) => (type === 'return' ? [date] : []))).size;
  const replays = lateFee === null ? 1 : 1 + returnDays / 6;
  if (each * folds * replays > MAX_WORK) {
    const detail = 'Too many returns and changes over too many installments to simulate at once; ask for fewer.';
    return refuse('invalid_value', detail, { member: 'events' });
  }
  return null;
}

function regular({ dueDates }: ScheduleTerms): boolean {
  const first = dueDates[0] as PlainDate;
  return FREQUENCIES.some((frequency) => dueDates.every((date, i) => date === stepDate(first, frequency, i)));
}

function refuseWaivers(life: readonly Step[], loan: Loan): Refusal | null {
  for (const { event, index } of life) {
    if (event.type !== 'feeWaived') continue;
    const fee = loan.fees.find(({ feeId }) => feeId === event.feeId);
    if (fee === undefined || fee.date > event.date) {
      return refuse('invalid_value', 'There is no such fee on that day.', { member: `events.${index}.feeId` });
    }
  }
  return null;
}

// ---- what happened, as it was known ----

/**
 * Only a return changes what is known of the days before it. So one fold shows everything up to the first return, the next one everything
 * from there to the second, and the last one ends at `asOf`.
 */
function tell(
  simulation: Simulation,
  life: readonly Step[],
  start: PlainDate,
  asOf: PlainDate,
): { loan: Loan; happened: Happened[] } | Refusal {
  const known = beginningOf(simulation, start);
  const happened: Happened[] = [];
  let view: View | undefined;
  let from = 0;
  for (;;) {
    const next = life.findIndex(({ event }, i) => i >= from && event.type === 'paymentReturned');
    const until = next < 0 ? life.length : next;
    for (const step of life.slice(from, until)) {
      const event = agree(step, known);
      if (isRefusal(event)) return event;
      known.push(event, ...confirmation(event));
    }
    const before = view;
    view = look(known, next < 0 ? asOf : (life[next] as Step).event.date);
    if (from > 0) {
      // The return that began this part: what its payment had paid is taken back.
      const step = life[from - 1] as Step;
      happened.push(tellStep(step, negated(before?.payments.get(refIdOf(step))?.allocation), view));
    }
    for (const step of life.slice(from, until)) {
      const refusal = refuseRefund(step, view);
      if (refusal !== null) return refusal;
      happened.push(tellStep(step, view.payments.get(refIdOf(step))?.allocation ?? NO_ALLOCATION, view));
    }
    if (next < 0) return { loan: view.loan, happened };
    known.push((life[next] as Step).event);
    from = next + 1;
  }
}

function negated(allocation: Allocation = NO_ALLOCATION): Allocation {
  const { fees, interest, principal, credit } = allocation;
  return { fees: cents(-fees), interest: cents(-interest), principal: cents(-principal), credit: cents(-credit) };
}

function tellStep(step: Step, allocation: Allocation, view: View): Happened {
  const { event, given, index } = step;
  return {
    index,
    type: given.type,
    date: event.date,
    refId: refIdOf(step) || null,
    feeId: 'feeId' in event ? event.feeId : null,
    amount: view.payments.get(refIdOf(step))?.amount ?? amountOf(step),
    allocation,
    balance: view.moments.get(event.recordedAt)?.principal ?? ZERO,
  };
}

/** A loan as it was known, the moments of its life by `recordedAt` (every event has its own), and its payments by refId. */
type View = {
  readonly loan: Loan;
  readonly moments: ReadonlyMap<string, { readonly principal: Cents; readonly creditBefore: Cents }>;
  readonly payments: ReadonlyMap<string, Payment>;
};

function look(known: readonly LoanEvent[], on: PlainDate): View {
  const moments = new Map<string, { principal: Cents; creditBefore: Cents }>();
  let creditBefore = ZERO;
  const loan = fold(known, on, (event, principal, credit) => {
    if (event.type !== 'paymentAcknowledged') moments.set(event.recordedAt, { principal, creditBefore });
    creditBefore = credit;
  });
  return { loan, moments, payments: new Map(loan.payments.map((payment) => [payment.refId, payment])) };
}

function refuseRefund({ event, index }: Step, { moments }: View): Refusal | null {
  const credit = moments.get(event.recordedAt)?.creditBefore ?? ZERO;
  if (event.type !== 'creditRefunded' || event.amount <= credit) return null;
  const detail = `The borrower's credit is ${formatCents(credit)} on that day.`;
  return refuse('amount_exceeds_balance', detail, { member: `events.${index}.amount` });
}

/** A change of the due date is agreed from the next one as it is then: the same rule as for a loan that is serviced. */
function agree({ event, index }: Step, before: readonly LoanEvent[]): LoanEvent | Refusal {
  if (event.type !== 'dueDateChanged') return event;
  const { date, to } = event;
  const { nextDueDate } = delinquency(fold(before, date));
  if (nextDueDate !== null && to > date && Math.abs(daysBetween(nextDueDate, to)) <= 31) {
    return { ...event, from: nextDueDate };
  }
  const detail =
    nextDueDate === null
      ? 'Nothing is left to pay on that day.'
      : `The next due date (${nextDueDate}) can move by 31 days at most, to a day after ${date}.`;
  return refuse('invalid_value', detail, { member: `events.${index}.to` });
}

/** A loan that is made and funded on the day of its first disbursement, by terms that are already known to give a schedule. */
function beginningOf({ terms, frequency, waterfall, lateFee, graceDays }: Simulation, start: PlainDate): LoanEvent[] {
  const stamp = { date: start, recordedOn: start, recordedAt: `${start}T00:00:00.000Z` };
  const rest = DEFAULT_WATERFALL.filter((bucket) => !waterfall.includes(bucket));
  return [
    {
      type: 'created',
      contract: {
        amount: add(...terms.disbursements.map(({ amount }) => amount)),
        rate: terms.rate,
        dayCount: terms.dayCount,
        rounding: terms.rounding,
        frequency: frequency ?? 'Monthly',
        count: terms.dueDates.length,
        contractDate: start,
        firstPaymentDate: terms.dueDates[0] as PlainDate,
        amortization: terms.amortization,
        balloon: terms.balloon,
        interestOnlyCount: terms.interestOnlyCount,
        payment: terms.payment,
        prepaymentPenalty: ZERO,
      },
      policy: { ...DEFAULT_POLICY, waterfall: [...waterfall, ...rest], lateFee, graceDays },
      ...stamp,
    },
    { type: 'funded', terms, ...stamp },
    { type: 'repaymentInitiated', ...stamp },
  ];
}

/** Money that is simulated is confirmed at once, so that a loan that is paid off shows as closed. */
function confirmation(event: LoanEvent): LoanEvent[] {
  if (event.type !== 'paymentSubmitted') return [];
  const { date, recordedOn, recordedAt, refId } = event;
  return [{ type: 'paymentAcknowledged', refId, date, recordedOn, recordedAt }];
}
