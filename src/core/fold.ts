/**
 * A loan is the fold of its events. Events are applied in the order of the days they take effect (a fixed order by kind within a day, and
 * within a kind as they were recorded); late fees, which depend on the date alone, are derived in the process. A returned or reversed payment never paid: it and its return leave no trace in the balances.
 *
 * A `Folding` is a fold that can be continued: all events applied, without the late fees that fell due since. Events that sort after all
 * that were applied are added to a copy of it (`append`); for others, or when the whole history is needed, the result is null and the
 * caller folds the history again.
 */
import { addDays, type PlainDate } from './calendar.ts';
import { judgedOn, lateFeeFor, shortageAfterGrace } from './delinquency.ts';
import {
  type ChargeOffs,
  chargeOffsIn,
  isAfterRescission,
  KINDS,
  type LoanEvent,
  ordered,
  orderWith,
  type Placed,
  placeOf,
  undoesPayment,
} from './event.ts';
import type { Run, Undone } from './events/definition.ts';
import { lateFeesHeld } from './holds.ts';
import { hasScheduled, scheduledIn, servicesIn, undonePaymentsIn } from './known-events.ts';
import { type Loan, type PaymentStatus, stayed } from './loan.ts';
import type { Cents } from './money.ts';
import { beginMonth } from './month-begun.ts';
import { keepNonAccrual, nonAccrualOn, shownAccruing, turnAccruing } from './non-accrual.ts';
import { addFee } from './pay.ts';
import { nextTurn } from './turns.ts';
import { eventsToFold, undoneIn } from './undo.ts';
import type { Work } from './work.ts';
import { copyOf, createdLoan, type WorkingInstallment, type WorkingLoan } from './working-loan.ts';

/** The loan on a day, according to these events, all from the first on, as they were recorded. The first event in effect must be its creation. */
export function fold(events: readonly LoanEvent[], on: PlainDate): Loan {
  const run = replay(ordered(eventsToFold(events)), on, new Map());
  bringForward(run, on);
  return shownAccruing(run.working, on);
}

/** Steps of `Work`: to apply an event, and to judge or skip an installment. */
const STEPS_TO_APPLY = 60;
const STEPS_TO_JUDGE = 12;

/** A loan with all its events applied. It never changes; what comes next makes a new one. */
export type Folding = {
  /** Not to be read elsewhere: `stateOn` shows it. */
  readonly working: Readonly<WorkingLoan>;
  readonly judged: number;
  /** The last event in order, of those since funding; null: there is none. An event that comes next must not sort before it. */
  readonly last: Placed | null;
  readonly chargeOffs: ChargeOffs;
  /** The latest day on which an event took effect: earlier days cannot be read from here. */
  readonly through: PlainDate;
  /** The latest day on which a return became known. */
  readonly returnKnown: PlainDate | null;
  /** The positions of the events that were undone. */
  readonly undone: ReadonlyMap<number, number>;
  /** It can be continued only with the whole history: see `Replay`. */
  readonly tied: boolean;
};

/** Everything applied, whatever its day. */
export function foldAll(events: readonly LoanEvent[]): Folding {
  const known = ordered(eventsToFold(events));
  const through = lastDayOf(known);
  const run = replay(known, through, new Map());
  const { working, judged, undone, acknowledged } = run;
  const last = known.findLast((event) => !isEarly(event) && !isInert(event));
  const references = new Set<string>();
  for (const { refId } of working.payments) references.add(refId);
  for (const { refId } of working.handover?.payments ?? []) references.add(refId);
  return {
    working,
    judged,
    last: last === undefined ? null : placeOf(last),
    chargeOffs: chargeOffsIn(known),
    through,
    returnKnown: lastReturnIn(undone),
    undone: undoneIn(events),
    tied: run.tied || [...undone.keys(), ...acknowledged].some((refId) => !references.has(refId)),
  };
}

/** The folding with these events added; null when they need a replay of the whole history. The given folding is not changed. */
export function append(folding: Folding, events: readonly LoanEvent[]): Folding | null {
  if (events.length === 0) return folding;
  if (folding.tied) return null;
  const run = resume(folding);
  const { working } = run;
  let { last, through } = folding;
  const chargeOffs = chargeOffsIn(events, folding.chargeOffs);
  const order = orderWith(chargeOffs);
  for (const event of events.length === 1 ? events : [...events].sort(order)) {
    if (isInert(event)) {
      if (event.type === 'paymentAcknowledged' && !acknowledge(working, event.refId)) return null;
      continue;
    }
    if (event.type === 'created' || event.type === 'undone' || event.type === 'boardingCancelled') return null;
    if (event.type === 'militaryService' || undoesPayment(event)) return null;
    if (event.type === 'funded' && hasScheduled(event)) return null;
    if (isEarly(event)) {
      const isFunded = working.stage === 'Funded' || working.rescission !== null;
      if (isFunded && event.type !== 'published') return null;
    } else {
      if (last !== null && order(last, event) > 0) return null;
      last = placeOf(event);
    }
    if (event.date > through) through = event.date;
    step(run, event);
    if (run.tied) return null;
  }
  return { ...folding, working, judged: run.judged, last, chargeOffs, through };
}

/** The loan on a day; null when events took effect after it, or when the whole history is needed. */
export function stateOn(folding: Folding, on: PlainDate): Loan | null {
  if (folding.tied || on < folding.through) return null;
  // Usually it does not change by itself by then: the loan is returned unchanged.
  if (!isDue(folding, on)) return shownAccruing(folding.working, on);
  const run = resume(folding);
  bringForward(run, on);
  return run.tied ? null : shownAccruing(run.working, on);
}

function resume({ working, judged, returnKnown }: Folding): Replay {
  return { working: copyOf(working), judged, lateFees: [], ...NOTHING_KNOWN, history: null, returnKnown, tied: false };
}

const NOTHING_KNOWN = {
  undone: new Map<string, Undone>(),
  acknowledged: new Set<string>(),
  services: new Map<LoanEvent, PlainDate | null>(),
  late: null,
};

/** Whether a payment with this reference is there to be acknowledged; it is replaced, since other foldings hold it too. */
function acknowledge(working: WorkingLoan, refId: string): boolean {
  const { payments, handover } = working;
  if (acknowledgeIn(payments, refId)) return true;
  const boarded = handover?.payments.slice() ?? [];
  if (handover === null || !acknowledgeIn(boarded, refId)) return false;
  working.handover = { ...handover, payments: boarded };
  return true;
}

function acknowledgeIn<P extends { readonly refId: string; readonly status: PaymentStatus }>(
  payments: P[],
  refId: string,
): boolean {
  const at = payments.findLastIndex((payment) => payment.refId === refId);
  const payment = payments[at];
  if (payment?.status === 'Submitted') payments[at] = { ...payment, status: 'Acknowledged' };
  return payment !== undefined;
}

/** Has no effect at its position in the order. */
function isInert({ type }: LoanEvent): boolean {
  return KINDS[type].inert;
}

function isEarly({ type }: LoanEvent): boolean {
  return KINDS[type].early;
}

function lastReturnIn(undone: ReadonlyMap<string, Undone>): PlainDate | null {
  let last: PlainDate | null = null;
  for (const { recordedOn } of undone.values()) if (last === null || recordedOn > last) last = recordedOn;
  return last;
}

/** The latest day on which one of them takes effect. */
function lastDayOf(events: readonly LoanEvent[]): PlainDate {
  let last = '' as PlainDate;
  for (const event of events) if (event.date > last && !isInert(event)) last = event.date;
  return last;
}

// ---- replay ----

export type Replay = Run & {
  /** The whole history and the day it is replayed to; null when a folding is continued without it. */
  readonly history: { readonly known: readonly LoanEvent[]; on: PlainDate; readonly lives: Lives } | null;
  /** Installments that were not paid within their grace days; null when not needed. */
  readonly late: Set<number> | null;
  readonly returnKnown: PlainDate | null;
  /**
   * The state depends on more than the folded loan: on what was known before a return, or on changes that the terms still schedule. Such a
   * loan is replayed every time.
   */
  tied: boolean;
};

/**
 * The installments that were late given the returns recorded by a day, by the day of the last of those returns (empty before the first),
 * as far as they were judged up to a day. Filled when a late fee needs it.
 */
type Lives = Map<PlainDate | '', { readonly late: ReadonlySet<number>; readonly on: PlainDate }>;

function replay(
  known: readonly LoanEvent[],
  on: PlainDate,
  lives: Lives,
  { work = null }: { work?: Work | null } = {},
): Replay {
  const created = known.find((event) => event.type === 'created');
  const undone = undonePaymentsIn(known);
  const acknowledged = new Set<string>();
  for (const event of known) if (event.type === 'paymentAcknowledged') acknowledged.add(event.refId);
  const scheduled = scheduledIn(known);
  const run = beginReplay(created, { known, undone, acknowledged, work, on, lives });
  run.tied = scheduled.length > 0;
  for (const event of run.tied ? ordered([...scheduled, ...known]) : known) {
    // Not `break`: what happens before funding comes first in the order, whatever its date.
    if (event.date <= on) applyAt(run, event);
  }
  return run;
}

/** A replay of a history to which nothing is applied yet. */
export function beginReplay(
  created: LoanEvent | undefined,
  {
    known,
    undone,
    acknowledged,
    work,
    on = '' as PlainDate,
    lives = new Map(),
  }: Pick<Replay, 'undone' | 'acknowledged'> & {
    known: readonly LoanEvent[];
    work: Work | null;
    on?: PlainDate;
    lives?: Lives;
  },
): Replay {
  if (created?.type !== 'created') throw new Error('A loan begins with its creation.');
  return {
    working: createdLoan(created, work),
    judged: 0,
    lateFees: [],
    undone,
    acknowledged,
    services: servicesIn(known),
    history: { known, on, lives },
    late: new Set(),
    returnKnown: null,
    tied: false,
  };
}

/** The next event of a replay whose history ends with this event. */
export function applyEvent(run: Replay, event: LoanEvent): void {
  if (run.history !== null) run.history.on = event.date;
  applyAt(run, event);
}

function applyAt(run: Replay, event: LoanEvent): void {
  run.working.work?.spend(STEPS_TO_APPLY);
  if (!isInert(event)) step(run, event);
}

function step(run: Replay, event: LoanEvent): void {
  const { judgedFirst, apply, early } = KINDS[event.type];
  if (run.working.rescission !== null && !isAfterRescission(event.type)) return;
  // Early events, whatever their date, find nothing to judge, and no version of the policy of their date is in force yet.
  if (!early) {
    bringForward(run, judgedFirst ? event.date : addDays(event.date, -1));
    keepNonAccrual(run.working, addDays(event.date, -1));
    while (nextTurn(run.working) === event.date) turnAccruing(run.working, event.date);
    if (event.date > run.working.happenedOn) run.working.happenedOn = event.date;
    beginMonth(run.working, event.date);
  }
  apply(run, event);
  const { working } = run;
  if (working.credit === 0) working.creditSince = null;
  else working.creditSince ??= event.date;
}

// ---- what follows from the date ----

/** Judges every installment whose grace days are over by a day, and charges the late fees that fall due by then. */
export function bringForward(run: Replay, to: PlainDate): void {
  // Each version of the policy decides from its own day on, and service ends before its day is judged.
  for (let from = nextTurn(run.working); from !== null && from <= to; from = nextTurn(run.working)) {
    judgeUntil(run, addDays(from, -1));
    keepNonAccrual(run.working, addDays(from, -1));
    turnAccruing(run.working, from);
  }
  judgeUntil(run, to);
}

function judgeUntil(run: Replay, to: PlainDate): void {
  const { working, lateFees } = run;
  const policy = working.policy.lateFee;
  if (policy === null || hasNoLateFees(working)) return;
  for (;;) {
    working.work?.spend(STEPS_TO_JUDGE + lateFees.length);
    const installment = working.installments[run.judged];
    const day = installment === undefined ? null : judgedOn(installment, policy.graceDays);
    const waiting = lateFees[0];
    if (waiting !== undefined && waiting.date <= to && (day === null || waiting.date <= day)) {
      lateFees.shift();
      charge(working, waiting.installment, waiting.amount, waiting.date);
    } else if (installment !== undefined && day !== null && day <= to) {
      if (!installment.judged) judge(run, run.judged, day);
      run.judged += 1;
    } else return;
  }
}

/** No late fee is charged after a charge-off, nor once everything is due: there is no installment left to be late with. */
function hasNoLateFees({ chargeOff, acceleratedOn }: Readonly<WorkingLoan>): boolean {
  return chargeOff !== null || acceleratedOn !== null;
}

/** Whether the loan changes by itself by a date: a policy or the end of service takes effect, or an installment is to be judged. */
function isDue({ working, judged }: Folding, on: PlainDate): boolean {
  if ((nextTurn(working) ?? '9') <= on) return true;
  const policy = working.policy.lateFee;
  const next = working.installments[judged];
  return policy !== null && !hasNoLateFees(working) && next !== undefined && judgedOn(next, policy.graceDays) <= on;
}

function judge(run: Replay, at: number, day: PlainDate): void {
  const { working, lateFees } = run;
  const installment = { ...(working.installments[at] as WorkingInstallment), judged: true };
  working.installments[at] = installment;
  // A servicer charges no late fee for the time before it had the loan, nor under a hold that forbids it.
  if ((working.boardedOn !== null && day < working.boardedOn) || lateFeesHeld(working, day)) return;
  const shortage = shortageAfterGrace(working, installment, day);
  if (shortage.forGrace === 0) return;
  run.late?.add(installment.n);
  const amount = lateFeeFor(working, shortage);
  if (amount === 0) return;
  const known = knownLateOn(run, installment, day);
  if (known <= day) charge(working, installment, amount, day);
  else {
    lateFees.push({ date: known, installment, amount });
    lateFees.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : a.installment.n - b.installment.n));
  }
}

/**
 * The day on which it was known that an installment is late. A payment that was returned later had paid until then, so the fee is charged on
 * the day the return is recorded, not before: the first on which the loan, knowing of the returns recorded by then, shows it late.
 */
function knownLateOn(run: Replay, { n }: WorkingInstallment, day: PlainDate): PlainDate {
  const { working, undone, history } = run;
  if (history === null) {
    if (run.returnKnown !== null && run.returnKnown > day) run.tied = true;
    return day;
  }
  const later = new Set<PlainDate>();
  working.work?.spend(working.payments.length + undone.size);
  for (const payment of working.payments) {
    const recorded = stayed(payment) ? day : (undone.get(payment.refId) as Undone).recordedOn;
    if (recorded > day) later.add(recorded);
  }
  if (later.size > 0) run.tied = true;
  const { known, on, lives } = history;
  let seen = day;
  for (const next of [...later].sort()) {
    // Between two recorded returns nothing new becomes known, so those days share one replay.
    const through = seen;
    let since: PlainDate | '' = '';
    for (const { recordedOn } of undone.values()) if (recordedOn <= through && recordedOn > since) since = recordedOn;
    let life = lives.get(since);
    // Its last day may be incomplete.
    if (life === undefined || life.on <= day) {
      const then = known.filter((event) => !undoesPayment(event) || event.recordedOn <= through);
      life = { late: lateBy(replay(then, on, lives, { work: working.work }), on), on };
      lives.set(since, life);
    }
    if (life.late.has(n)) return seen;
    seen = next;
  }
  return seen;
}

function lateBy(run: Replay, on: PlainDate): ReadonlySet<number> {
  bringForward(run, on);
  return run.late ?? new Set();
}

function charge(working: WorkingLoan, installment: WorkingInstallment, amount: Cents, date: PlainDate): void {
  if (lateFeesHeld(working, date)) return;
  addFee(working, {
    feeId: `late-${installment.n}`,
    kind: 'penalty',
    name: 'late fee',
    amount,
    date,
    installment: installment.n,
    memo: working.policy.feesInNonAccrual === 'memo' && nonAccrualOn(working, date) !== null,
  });
}
