/**
 * Simulates a whole loan: from terms and events it computes what each event did when it happened, and the loan's state at the
 * end. The events become those of a serviced loan and go through the same fold. Every event is known on its own day, so a payment shows
 * what it paid before it was known that it, or an earlier one, would be returned.
 */
import { daysBetween, FREQUENCIES, type Frequency, type PlainDate, stepDate } from './calendar.ts';
import { type Delinquency, delinquency, type OpenInstallment, openInstallments } from './delinquency.ts';
import { inOrder, type LoanEvent } from './event.ts';
import { type Allocation, type Loan, type LoanStatus, NO_ALLOCATION, type ScheduleTerms } from './loan.ts';
import { add, type Cents, cents, formatCents, MAX_CENTS, ZERO } from './money.ts';
import { type Payoff, payoff } from './payoff.ts';
import { type Bucket, DEFAULT_POLICY, DEFAULT_WATERFALL, type LateFeePolicy } from './policy.ts';
import { comparePercent, SERVICE_LIMIT } from './rate.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';
import {
  namedSteps,
  refIdOf,
  type SimulatedEvent,
  type SimulatedStep,
  type SimulatedType,
  stepAmount,
} from './simulated-steps.ts';
import { statusOf } from './status.ts';
import { openTelling, type Telling } from './telling.ts';
import { TooManySteps, Work } from './work.ts';

export { SIMULATED, type SimulatedEvent, type SimulatedType } from './simulated-steps.ts';

export type Simulation = {
  readonly terms: ScheduleTerms;
  /** By which installments move; null: derived from the due dates, and months where they give none. */
  readonly frequency: Frequency | null;
  /** Buckets left out follow in the default order, so that no money is left unapplied. */
  readonly waterfall: readonly Bucket[];
  readonly lateFee: LateFeePolicy | null;
  /** Days after a due date before the loan shows as Delinquent. */
  readonly graceDays: number;
  readonly events: readonly SimulatedEvent[];
  /** Null: the date of the last event, or without events that of the first disbursement. */
  readonly asOf: PlainDate | null;
};

export type SimulatedOutcome = {
  /** Its index among the given events. */
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
  readonly events: readonly SimulatedOutcome[];
  readonly schedule: Schedule;
  readonly loan: Loan;
  readonly installments: readonly OpenInstallment[];
  readonly delinquency: Delinquency;
  readonly payoff: Payoff;
  readonly status: LoanStatus;
};

export const MAX_EVENTS = 2_000;
/** Steps of `Work` for each installment: to find the amount due on its due date. */
const STEPS_TO_LOOK_AHEAD = 12;
/** Total periods of all extensions; keeps every date valid. */
const MAX_EXTENSION = 120;
/** Limit in steps of `Work`: half a second at most. A weekly loan over thirty years with late fees and 80 returns takes a third of them. */
export const MAX_STEPS = 10_000_000;

export function simulate(simulation: Simulation, work: Work = new Work(MAX_STEPS)): Simulated | Refusal {
  try {
    return simulated(simulation, work);
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    const detail =
      `The simulation takes more than ${work.most} steps. Each event processes the open installments and fees, and again for every ` +
      'later return: give fewer returns, schedule changes or installments.';
    return refuse('invalid_value', detail, { member: 'events' });
  }
}

function simulated(simulation: Simulation, work: Work): Simulated | Refusal {
  const { terms } = simulation;
  const schedule = buildSchedule(terms, ZERO, work);
  if (isRefusal(schedule)) return { ...schedule, member: ['terms', schedule.member ?? []].flat().join('.') };
  const start = (terms.disbursements[0] as { date: PlainDate }).date;
  const { events } = simulation;
  const refusal = refuseEvents(simulation, start);
  if (refusal !== null) return refusal;
  const asOf = simulation.asOf ?? events.reduce((last, { date }) => (date > last ? date : last), start);
  const steps = namedSteps(events);
  if (isRefusal(steps)) return steps;
  const life = steps.filter(({ event }) => event.date <= asOf).sort((a, b) => inOrder(a.event, b.event));
  const told = tell(simulation, life, { start, asOf, work });
  if (isRefusal(told)) return told;
  const { loan, happened } = told;
  work.spend(life.filter(({ event }) => event.type === 'feeWaived').length * loan.fees.length);
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

function refuseEvents({ terms, events, asOf }: Simulation, start: PlainDate) {
  const wrong = (i: number, member: string, code: RefusalCode, detail: string) =>
    refuse(code, detail, { member: `events.${i}.${member}` });
  if (events.length > MAX_EVENTS) {
    return refuse('invalid_value', `At most ${MAX_EVENTS} events are allowed.`, { member: 'events' });
  }
  if (asOf !== null && asOf < start) {
    return refuse('date_before_contract', `The loan begins on ${start}.`, { member: 'asOf' });
  }
  const chargeOff = events.find(({ type }) => type === 'chargeOff');
  const moved = events.some(({ type }) => type === 'extension' || type === 'dueDateChange' || type === 'reage');
  const services = new Set<PlainDate>();
  let extended = 0;
  let lent: number = terms.disbursements.reduce((sum, { amount }) => sum + amount, 0);
  for (const [i, event] of events.entries()) {
    // A refund may become principal again when its payment is returned.
    if (event.type === 'disbursement' || event.type === 'refund') lent += event.amount;
    if (lent > MAX_CENTS) return wrong(i, 'amount', 'invalid_value', 'The total of the amounts paid out is too large.');
    if (event.date < start) {
      return refuse('date_before_contract', `The loan begins on ${start}; nothing can be dated before that.`, {
        member: `events.${i}.date`,
      });
    }
    if ('amount' in event && event.amount === 0) {
      return refuse('amount_zero', 'The amount must be more than zero.', { member: `events.${i}.amount` });
    }
    if (event.type === 'chargeOff' && event !== chargeOff) {
      return wrong(i, 'type', 'contradiction', 'A loan can be charged off only once.');
    }
    if (event.type === 'recovery' && (chargeOff === undefined || event.date <= chargeOff.date)) {
      return wrong(i, 'date', 'contradiction', 'A recovery must be dated after the charge-off.');
    }
    if (event.type === 'rateChange' && event.why === 'scra') {
      if (comparePercent(event.rate, SERVICE_LIMIT) > 0) {
        const detail = 'With scra the rate is at most 6 % (50 USC 3937); `to` is the last day of service.';
        return wrong(i, 'annualRatePercent', 'invalid_value', detail);
      }
      if (event.to != null && event.to < event.date) {
        return wrong(i, 'to', 'contradiction', 'The last day of service cannot be before the first.');
      }
      if (services.has(event.date)) {
        return wrong(i, 'date', 'contradiction', 'Another period of service begins on this date.');
      }
      services.add(event.date);
    }
    if (event.type === 'extension') {
      extended += event.periods;
      if (!Number.isInteger(event.periods) || event.periods < 1 || event.periods > 12) {
        return wrong(i, 'periods', 'invalid_value', 'An extension must be 1 to 12 periods.');
      }
      if (extended > MAX_EXTENSION) {
        return wrong(i, 'periods', 'invalid_value', `Extensions must be at most ${MAX_EXTENSION} periods in total.`);
      }
    }
    if (event.type === 'reamortize' && event.date < terms.interestStart) {
      return wrong(i, 'date', 'invalid_value', 'A loan can be re-amortized only once interest accrues.');
    }
    if (event.type === 'reamortize' && moved && !regular(terms)) {
      // Dates that are not on a grid can coincide when they are moved, and then there is nothing to amortize over.
      return wrong(
        i,
        'type',
        'not_supported',
        'A loan with irregular due dates cannot be re-amortized after they were moved.',
      );
    }
  }
  return null;
}

function regular({ dueDates }: ScheduleTerms): boolean {
  const first = dueDates[0] as PlainDate;
  return FREQUENCIES.some((frequency) => dueDates.every((date, i) => date === stepDate(first, frequency, i)));
}

function refuseWaivers(life: readonly SimulatedStep[], loan: Loan): Refusal | null {
  for (const { event, index } of life) {
    if (event.type !== 'feeWaived') continue;
    const fee = loan.fees.find(({ feeId }) => feeId === event.feeId);
    if (fee === undefined || fee.date > event.date) {
      return refuse('invalid_value', 'There is no fee with this id on that date.', { member: `events.${index}.feeId` });
    }
  }
  return null;
}

// ---- what happened, as it was known ----

/** Only a return changes what is known about earlier days: the result of an event is reported before the next return is added. */
function tell(
  simulation: Simulation,
  life: readonly SimulatedStep[],
  { start, asOf, work }: { start: PlainDate; asOf: PlainDate; work: Work },
): { loan: Loan; happened: SimulatedOutcome[] } | Refusal {
  const hasReturns = life.some(({ event }) => event.type === 'paymentReturned');
  const telling = openTelling(beginningOf(simulation, start), { work, hasReturns });
  const happened: SimulatedOutcome[] = [];
  for (const step of life) {
    // A return reverses what its payment had paid.
    const returned = step.event.type === 'paymentReturned' ? telling.payment(refIdOf(step)) : null;
    const event = agree(step, telling, work);
    if (isRefusal(event)) return event;
    telling.add(event);
    const refusal = refuseRefund(step, telling);
    if (refusal !== null) return refusal;
    const payment = telling.payment(refIdOf(step));
    const allocation = returned === null ? payment?.allocation : negated(returned.allocation);
    happened.push({
      index: step.index,
      type: step.given.type,
      date: event.date,
      refId: refIdOf(step) || null,
      feeId: 'feeId' in event ? event.feeId : null,
      amount: payment?.amount ?? stepAmount(step),
      allocation: allocation ?? NO_ALLOCATION,
      balance: telling.moment(event)?.principal ?? ZERO,
    });
  }
  return { loan: telling.loanOn(asOf), happened };
}

function negated(allocation: Allocation): Allocation {
  const { fees, interest, principal, credit } = allocation;
  return { fees: cents(-fees), interest: cents(-interest), principal: cents(-principal), credit: cents(-credit) };
}

function refuseRefund({ event, index }: SimulatedStep, telling: Telling): Refusal | null {
  if (event.type !== 'creditRefunded') return null;
  const credit = telling.moment(event)?.creditBefore ?? ZERO;
  if (event.amount <= credit) return null;
  const detail = `The borrower's credit is ${formatCents(credit)} on that date.`;
  return refuse('amount_exceeds_balance', detail, { member: `events.${index}.amount` });
}

/** A change of the due date is relative to the next one at that time: the same rule as for a serviced loan. */
function agree({ event, index }: SimulatedStep, telling: Telling, work: Work): LoanEvent | Refusal {
  if (event.type !== 'dueDateChanged') return event;
  const { date, to } = event;
  const loan = telling.loanOn(date);
  work.spend(STEPS_TO_LOOK_AHEAD * loan.installments.length);
  const { nextDueDate } = delinquency(loan);
  if (nextDueDate !== null && to > date && Math.abs(daysBetween(nextDueDate, to)) <= 31) {
    return { ...event, from: nextDueDate };
  }
  const detail =
    nextDueDate === null
      ? 'Nothing is left to pay on that date.'
      : `The next due date (${nextDueDate}) can move by at most 31 days, to a date after ${date}.`;
  return refuse('invalid_value', detail, { member: `events.${index}.to` });
}

/** A loan created and funded on the day of its first disbursement, with terms already known to give a schedule. */
function beginningOf(
  { terms, frequency, waterfall, lateFee, graceDays }: Simulation,
  start: PlainDate,
): [LoanEvent, ...LoanEvent[]] {
  const stamp = { date: start, recordedOn: start, recordedAt: `${start}T00:00:00.000Z` };
  const rest = DEFAULT_WATERFALL.filter((bucket) => !waterfall.includes(bucket));
  return [
    {
      type: 'created',
      contract: {
        amount: add(...terms.disbursements.map(({ amount }) => amount)),
        rate: terms.rate,
        variable: false,
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
