/**
 * A loan is the fold of the list of things that happened to it. Events are applied in the order of the days they take effect (a fixed
 * order by kind within a day), whatever the order in which they became known; late fees, which a date alone brings, are derived on
 * the way. A returned payment is one that never paid: it and its return leave no trace in the balances.
 */
import { allocate } from './allocate.ts';
import {
  type Books,
  endStretch,
  feeOpen,
  feesOwed,
  interestOwed,
  type WorkingInstallment,
  type WorkingPayment,
} from './books.ts';
import { addDays, type PlainDate } from './calendar.ts';
import { delinquency, judgedOn, lateFeeFor, missingForGrace } from './delinquency.ts';
import { DAY_ORDER, type Fact, type LoanEvent } from './event.ts';
import type { Loan } from './loan.ts';
import { moveInstallments, reamortize, reprice } from './modify.ts';
import { type Cents, cents, formatCents, ZERO } from './money.ts';
import { penaltyDue } from './payoff.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';

/** The loan on a day, as far as these events tell. The first event in effect must be its creation. */
export function fold(events: readonly LoanEvent[], on: PlainDate, watch?: Watch): Loan {
  return close(replay([...events].sort(inOrder), on, new Map(), watch).books, on);
}

/** Is told of each event when it has been applied, with principal and credit after it. */
export type Watch = (event: LoanEvent, principal: Cents, credit: Cents) => void;

function replay(known: readonly LoanEvent[], on: PlainDate, lives: Context['lives'], watch?: Watch): Context {
  const created = known.find((event) => event.type === 'created');
  if (created === undefined || created.type !== 'created') throw new Error('A loan begins with its creation.');
  const books = newBooks(created);
  const returns = new Map<string, PlainDate>();
  const acknowledged = new Set<string>();
  const quoted = new Map<string, string>();
  for (const event of known) {
    if (event.type === 'paymentReturned') returns.set(event.refId, event.recordedOn);
    if (event.type === 'paymentAcknowledged') acknowledged.add(event.refId);
    if (event.type === 'payoffQuoted') quoted.set(event.quoteId, event.recordedAt);
  }
  const late = new Set<number>();
  const context: Context = { known, on, lives, books, returns, acknowledged, quoted, late, lateFees: [], judged: 0 };
  for (const event of withScheduled(known)) {
    // Not `break`: what happens before funding comes first in the order, whatever its date.
    if (event.date > on) continue;
    // What moves installments on the day they are judged comes before the judgement: see `DAY_ORDER`.
    const moves = RANK[event.type] > RANK.opened && RANK[event.type] < RANK.feeAssessed;
    bringForward(context, moves ? addDays(event.date, -1) : event.date);
    apply(context, event);
    watch?.(event, books.principal, books.credit);
  }
  bringForward(context, on);
  return context;
}

/** What a backdated or returned event changes: two folds of one loan on the same day, and what lies between them. */
export type Difference = {
  /** From this day on interest ran differently; null when it did not. */
  readonly since: PlainDate | null;
  readonly parts: readonly {
    readonly part: string;
    readonly before: Cents;
    readonly after: Cents;
    readonly change: Cents;
  }[];
  /** Why, one sentence for each payment and fee that is not what it was. */
  readonly reasons: readonly string[];
};

/** Unchanged parts are left out; the changes of the parts are what correcting entries are made of. */
export function difference(before: Loan, after: Loan): Difference {
  const read: [string, (loan: Loan) => Cents][] = [
    ['principal', (loan) => loan.principal],
    ['interest', (loan) => loan.interest],
    ['fees', feesOwed],
    ['credit', (loan) => loan.credit],
    ...(Object.keys(before.totals) as (keyof Loan['totals'])[]).map((name): [string, (loan: Loan) => Cents] => [
      `totals.${name}`,
      (loan) => loan.totals[name],
    ]),
  ];
  const parts = read.flatMap(([part, of]) => {
    const [was, is] = [of(before), of(after)];
    return was === is ? [] : [{ part, before: was, after: is, change: cents(is - was) }];
  });
  const reasons = [
    ...changes(
      before.payments,
      after.payments,
      'refId',
      'payment',
      ({ status, allocation: { fees, interest, principal, credit } }) =>
        status === 'Returned'
          ? 'was returned'
          : `pays ${formatCents(interest)} interest, ${formatCents(principal)} principal, ${formatCents(fees)} fees, ${formatCents(credit)} credit`,
    ),
    ...changes(
      before.fees,
      after.fees,
      'feeId',
      'fee',
      ({ amount, date, paid, waived }) =>
        `is ${formatCents(amount)} of ${date}, ${formatCents(paid)} paid, ${formatCents(waived)} waived`,
    ),
  ];
  return { since: firstDifference(before, after), parts, reasons };
}

function changes<T extends object, K extends keyof T>(
  before: readonly T[],
  after: readonly T[],
  name: K,
  what: string,
  tell: (one: T) => string,
): string[] {
  const was = new Map(before.map((one) => [one[name], tell(one)]));
  const is = new Map(after.map((one) => [one[name], tell(one)]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)];
    if (old === now) return [];
    if (old === undefined) return [`${what} ${String(key)} ${now}`];
    return [
      now === undefined
        ? `${what} ${String(key)} is gone; it was: ${old}`
        : `${what} ${String(key)} ${now}; before, it was: ${old}`,
    ];
  });
}

function firstDifference(before: Loan, after: Loan): PlainDate | null {
  const count = Math.max(before.stretches.length, after.stretches.length);
  for (let i = 0; i < count; i++) {
    const [a, b] = [before.stretches[i], after.stretches[i]];
    if (a === undefined || b === undefined) return (a ?? b)?.from ?? null;
    if (a.interest !== b.interest || a.principal !== b.principal || a.from !== b.from)
      return a.from < b.from ? a.from : b.from;
    if (a.to !== b.to) return a.to < b.to ? a.to : b.to;
  }
  if (before.principal === after.principal && before.stretchSince === after.stretchSince) return null;
  return before.stretchSince < after.stretchSince ? before.stretchSince : after.stretchSince;
}

/** The order in which events take effect: by day, by kind within a day, then by name, so that the order of arrival does not matter. */
export function inOrder(a: LoanEvent, b: LoanEvent): number {
  // A loan may take effect before the day it was entered here (a contract date in the past): its application still comes first.
  const [early, other] = [RANK[a.type] < RANK.funded, RANK[b.type] < RANK.funded];
  if (early !== other) return early ? -1 : 1;
  if (early && a.recordedAt !== b.recordedAt) return a.recordedAt < b.recordedAt ? -1 : 1;
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  const rank = RANK[a.type] - RANK[b.type];
  if (rank !== 0) return rank;
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  if (nameA !== nameB) return byName(nameA, nameB);
  return a.recordedAt < b.recordedAt ? -1 : a.recordedAt > b.recordedAt ? 1 : 0;
}

const RANK = Object.fromEntries(DAY_ORDER.map((type, i) => [type, i])) as Record<Fact['type'], number>;

/** By the text before a number at the end, then by that number: payment-2 comes before payment-10. */
function byName(a: string, b: string): number {
  const [, textA = '', digitsA = ''] = /^(.*?)0*(\d*)$/s.exec(a) ?? [];
  const [, textB = '', digitsB = ''] = /^(.*?)0*(\d*)$/s.exec(b) ?? [];
  if (textA !== textB) return textA < textB ? -1 : 1;
  if (digitsA.length !== digitsB.length) return digitsA.length - digitsB.length;
  if (digitsA !== digitsB) return digitsA < digitsB ? -1 : 1;
  return a < b ? -1 : 1;
}

function nameOf(event: LoanEvent): string {
  if ('refId' in event) return event.refId;
  if ('feeId' in event) return event.feeId;
  return 'quoteId' in event ? event.quoteId : '';
}

type Context = {
  known: readonly LoanEvent[];
  on: PlainDate;
  /**
   * The installments that were late as far as the returns recorded by a day tell, by the day of the last of those returns (empty before
   * the first). Filled when a late fee needs it.
   */
  lives: Map<PlainDate | '', ReadonlySet<number>>;
  books: Books;
  /** Payments that were returned, with the day that became known. */
  returns: ReadonlyMap<string, PlainDate>;
  acknowledged: ReadonlySet<string>;
  /** When each quote was recorded. */
  quoted: ReadonlyMap<string, string>;
  /** Installments that were not paid within their grace days. */
  late: Set<number>;
  /** Late fees that a return brought, waiting for the day it was recorded. */
  lateFees: { date: PlainDate; installment: WorkingInstallment; amount: Cents }[];
  /** How many installments, in order, have been judged; from the first again after a move, which passes over those that were. */
  judged: number;
};

/** Later disbursements and rate changes that the terms already name, put among the events. */
function withScheduled(events: readonly LoanEvent[]): LoanEvent[] {
  const funded = events.find((event) => event.type === 'funded');
  if (funded === undefined || funded.type !== 'funded') return [...events];
  const { disbursements, rateChanges } = funded.terms;
  if (disbursements.length === 1 && rateChanges.length === 0) return [...events];
  const stamp = { recordedOn: funded.recordedOn, recordedAt: funded.recordedAt };
  const more: LoanEvent[] = [
    ...disbursements.slice(1).map(({ date, amount }) => ({ type: 'disbursed' as const, date, amount, ...stamp })),
    ...rateChanges.map(({ date, rate }) => ({
      type: 'rateChanged' as const,
      // A change from before the money went out is in force from the beginning.
      date: date < funded.date ? funded.date : date,
      rate,
      why: 'contract' as const,
      ...stamp,
    })),
  ];
  return [...events, ...more].sort(inOrder);
}

function newBooks(event: Extract<LoanEvent, { type: 'created' }>): Books {
  return {
    stage: 'ApplicationSubmitted',
    contract: event.contract,
    policy: event.policy,
    terms: null,
    fundedOn: null,
    repaymentInitiated: false,
    published: false,
    collateralValue: null,
    openedOn: null,
    principal: ZERO,
    rate: event.contract.rate,
    accruing: false,
    interestEnded: ZERO,
    stretchSince: event.date,
    stretches: [],
    fees: [],
    credit: ZERO,
    installments: [],
    payments: [],
    quotes: [],
    chargeOff: null,
    defaultedOn: null,
    lateFeeMoney: ZERO,
    rates: [],
    dueDay: null,
    totals: {
      disbursed: ZERO,
      opened: ZERO,
      interestAccrued: ZERO,
      feesAssessed: ZERO,
      feesWaived: ZERO,
      received: ZERO,
      principalPaid: ZERO,
      interestPaid: ZERO,
      feesPaid: ZERO,
      credited: ZERO,
      refunded: ZERO,
      principalForgiven: ZERO,
      interestForgiven: ZERO,
    },
  };
}

// ---- what a date brings ----

/** Judges every installment whose grace days are over by a day, and charges the late fees that fall due by then. */
function bringForward(context: Context, to: PlainDate): void {
  const { books } = context;
  const policy = books.policy.lateFee;
  if (policy !== null && books.chargeOff === null) {
    for (;;) {
      const installment = books.installments[context.judged];
      const day = installment === undefined ? null : judgedOn(installment, policy.graceDays);
      const waiting = context.lateFees[0];
      if (waiting !== undefined && waiting.date <= to && (day === null || waiting.date <= day)) {
        context.lateFees.shift();
        charge(books, waiting.installment, waiting.amount, waiting.date);
      } else if (installment !== undefined && day !== null && day <= to) {
        context.judged += 1;
        if (!installment.judged) judge(context, installment, day);
      } else break;
    }
  }
}

function judge(context: Context, installment: WorkingInstallment, day: PlainDate): void {
  const { books } = context;
  installment.judged = true;
  if (missingForGrace(books, installment, day) === 0) return;
  context.late.add(installment.n);
  const amount = lateFeeFor(books, installment, day);
  if (amount === 0) return;
  const known = knownLateOn(context, installment, day);
  if (known <= day) charge(books, installment, amount, day);
  else {
    context.lateFees.push({ date: known, installment, amount });
    context.lateFees.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : a.installment.n - b.installment.n));
  }
}

/**
 * The day on which it was known that an installment is late. A payment that was returned later had paid until then, so the fee comes on
 * the day the return is recorded, not before: the first on which the loan, knowing of the returns recorded by then, shows it late.
 */
function knownLateOn(
  { books, returns, known, on, lives }: Context,
  { n }: WorkingInstallment,
  day: PlainDate,
): PlainDate {
  const later = new Set<PlainDate>();
  for (const { refId, status } of books.payments) {
    const recorded = status === 'Returned' ? (returns.get(refId) as PlainDate) : day;
    if (recorded > day) later.add(recorded);
  }
  let seen = day;
  for (const next of [...later].sort()) {
    // From one recorded return to the next nothing new is known, so those days share one replay.
    const through = seen;
    let since: PlainDate | '' = '';
    for (const recorded of returns.values()) if (recorded <= through && recorded > since) since = recorded;
    let late = lives.get(since);
    if (late === undefined) {
      const then = known.filter((event) => event.type !== 'paymentReturned' || event.recordedOn <= through);
      late = replay(then, on, lives).late;
      lives.set(since, late);
    }
    if (late.has(n)) return seen;
    seen = next;
  }
  return seen;
}

function charge(books: Books, installment: WorkingInstallment, amount: Cents, date: PlainDate): void {
  addFee(books, {
    feeId: `late-${installment.n}`,
    kind: 'penalty',
    name: 'late fee',
    amount,
    date,
    installment: installment.n,
  });
}

function addFee(
  books: Books,
  fee: {
    feeId: string;
    kind: 'fee' | 'penalty';
    name: string;
    amount: Cents;
    date: PlainDate;
    installment: number | null;
  },
): void {
  books.fees.push({ ...fee, paid: ZERO, waived: ZERO });
  books.totals.feesAssessed = cents(books.totals.feesAssessed + fee.amount);
}

// ---- what happened ----

function apply(context: Context, event: LoanEvent): void {
  const { books } = context;
  switch (event.type) {
    case 'created':
      return;
    case 'documentsRequested':
      books.stage = 'DocumentsRequested';
      return;
    case 'documentsVerified':
      books.stage = 'DocumentsVerified';
      return;
    case 'underwritingStarted':
      books.stage = 'UnderwritingStarted';
      return;
    case 'approved':
      books.stage = 'Approved';
      if (event.contract !== null) {
        books.contract = event.contract;
        books.rate = event.contract.rate;
      }
      return;
    case 'rejected':
      books.stage = 'Rejected';
      return;
    case 'collateralRequested':
      books.stage = 'CollateralRequested';
      return;
    case 'collateralApproved':
      books.stage = 'CollateralApproved';
      books.collateralValue = event.value;
      return;
    case 'cancelled':
      books.stage = 'Cancelled';
      return;
    case 'published':
      books.published = event.published;
      return;
    case 'funded':
      fund(books, event);
      return;
    case 'repaymentInitiated':
      books.repaymentInitiated = true;
      return;
    case 'opened':
      open(context, event);
      return;
    case 'disbursed':
      endStretch(books, event.date);
      books.principal = cents(books.principal + event.amount);
      books.totals.disbursed = cents(books.totals.disbursed + event.amount);
      return;
    case 'paymentSubmitted':
      pay(context, event);
      return;
    case 'paymentAcknowledged':
    case 'paymentReturned':
      // Both are properties of the payment, whenever they became known: see `pay`.
      return;
    case 'feeAssessed':
      addFee(books, { ...event, installment: null });
      settleFromCredit(books, event.date);
      return;
    case 'feeWaived':
      waive(books, event.feeId, event.amount);
      return;
    case 'rateChanged':
      changeRate(books, event);
      return;
    case 'extended':
      moveInstallments(books, { periods: event.periods }, event.date);
      context.judged = 0;
      cure(books, event.date);
      return;
    case 'dueDateChanged':
      moveInstallments(books, { from: event.from, to: event.to }, event.date);
      context.judged = 0;
      cure(books, event.date);
      return;
    case 'reaged':
      moveInstallments(books, { notBefore: event.date }, event.date);
      context.judged = 0;
      cure(books, event.date);
      return;
    case 'reamortized':
      reamortize(books, event.date);
      return;
    case 'payoffQuoted':
      books.quotes.push({
        quoteId: event.quoteId,
        kind: event.kind,
        amount: event.amount,
        date: event.date,
        goodThrough: event.goodThrough,
        received: ZERO,
        honouredOn: null,
      });
      return;
    case 'creditRefunded': {
      // A refund of money that a later fold no longer finds in credit is owed by the borrower again: it is principal.
      const covered = Math.min(event.amount, books.credit);
      books.credit = cents(books.credit - covered);
      if (covered < event.amount) endStretch(books, event.date);
      books.principal = cents(books.principal + event.amount - covered);
      books.totals.refunded = cents(books.totals.refunded + event.amount);
      return;
    }
    case 'delinquencyNoted':
    case 'reminderDue':
      return;
    case 'defaulted':
      // A payment or an extension that became known later may leave nothing past due on that day.
      books.defaultedOn = event.date;
      cure(books, event.date);
      return;
    case 'chargedOff':
      endStretch(books, event.date);
      // A later fold may find the loan paid off by then: there is nothing to charge off.
      if (books.principal === 0 && books.interestEnded === 0 && feesOwed(books) === 0) return;
      books.chargeOff = {
        date: event.date,
        reason: event.reason,
        principal: books.principal,
        interest: books.interestEnded,
        fees: feesOwed(books),
        collateral: event.collateral,
        recovered: ZERO,
      };
      books.accruing = books.policy.accrueAfterChargeOff;
      return;
  }
}

function changeRate(books: Books, { date, rate, why }: Extract<LoanEvent, { type: 'rateChanged' }>): void {
  endStretch(books, date);
  books.rate = rate;
  books.rates.push({ from: date, rate });
  if (why === 'scra') reprice(books, date);
}

function fund(books: Books, event: Extract<LoanEvent, { type: 'funded' }>): void {
  const { terms } = event;
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) throw new Error(`The terms of a funded loan give no schedule: ${schedule.detail}`);
  const first = terms.disbursements[0] as { date: PlainDate; amount: Cents };
  books.stage = 'Funded';
  books.terms = terms;
  books.fundedOn = event.date;
  books.rate = terms.rate;
  books.rates = [{ from: first.date, rate: terms.rate }];
  books.principal = first.amount;
  books.totals.disbursed = first.amount;
  books.accruing = true;
  books.stretchSince = terms.interestStart > first.date ? terms.interestStart : first.date;
  books.installments = installmentsOf(schedule);
}

function installmentsOf(schedule: Schedule): WorkingInstallment[] {
  return schedule.rows.map(({ n, dueDate, payment, interest, principal }) => ({
    n,
    dueDate,
    amount: payment,
    principal,
    interest,
    paid: ZERO,
    paidAhead: ZERO,
    paidLate: ZERO,
    satisfiedOn: null,
    judged: false,
  }));
}

/**
 * A loan that was serviced elsewhere: its figures are taken over, and what was due up to `paidThrough` counts as paid. Installments
 * whose grace days were over were judged by the earlier servicer, whose fees are in the figures; the others are judged here.
 */
function open(context: Context, event: Extract<LoanEvent, { type: 'opened' }>): void {
  const { books } = context;
  books.openedOn = event.date;
  books.totals.disbursed = cents(books.totals.disbursed - books.principal + event.principal);
  books.principal = event.principal;
  books.interestEnded = event.interest;
  books.totals.opened = cents(event.interest + event.fees);
  books.stretches = [];
  books.totals.interestAccrued = ZERO;
  books.totals.feesAssessed = ZERO;
  books.stretchSince = event.date;
  books.fees = [];
  context.lateFees.length = 0;
  if (event.fees > 0) {
    books.fees.push({
      feeId: 'opening',
      kind: 'fee',
      name: 'fees brought along',
      date: event.date,
      amount: event.fees,
      paid: ZERO,
      waived: ZERO,
      installment: null,
    });
  }
  for (const installment of books.installments) {
    if (event.paidThrough === null || installment.dueDate > event.paidThrough) continue;
    installment.paid = installment.amount;
    installment.satisfiedOn = installment.dueDate;
  }
}

function pay(context: Context, event: Extract<LoanEvent, { type: 'paymentSubmitted' }>): void {
  const { books } = context;
  const { refId, amount, date, principalOnly } = event;
  const returned = context.returns.has(refId);
  const payment: WorkingPayment = {
    refId,
    amount,
    date,
    principalOnly,
    recovery: books.chargeOff !== null,
    status: returned ? 'Returned' : context.acknowledged.has(refId) ? 'Acknowledged' : 'Submitted',
    allocation: { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO },
    steps: [],
    balance: books.principal,
  };
  books.payments.push(payment);
  if (returned) return;
  books.repaymentInitiated = true;
  endStretch(books, date);
  // Paying everything before the last due date costs the prepayment penalty, if the contract has one.
  const penalty = penaltyDue({ ...books, on: date });
  allocate(books, payment);
  if (penalty > 0 && books.principal === 0) settlePenalty(books, payment, penalty);
  honour(context, payment, event.recordedAt);
  settleFromCredit(books, date);
  payment.balance = books.principal;
  // What is owed back to the borrower was not recovered.
  if (books.chargeOff !== null) {
    books.chargeOff.recovered = cents(books.chargeOff.recovered + amount - payment.allocation.credit);
  }
  cure(books, date);
}

/** The payoff is less the borrower's credit: once that covers everything owed, it pays it, so that a loan with nothing to pay can close. */
function settleFromCredit(books: Books, on: PlainDate): void {
  const interest = interestOwed(books, on);
  const penalty = penaltyDue({ ...books, on });
  const owed = books.principal + interest + feesOwed(books) + penalty;
  if (owed === 0 || owed > books.credit) return;
  if (penalty > 0) addPenalty(books, `credit-${on}`, penalty, on);
  payFromCredit(books, on);
}

/** Interest, principal and fees, as far as the borrower's credit goes. */
function payFromCredit(books: Books, on: PlainDate): void {
  const { totals } = books;
  if (books.credit === 0) return;
  endStretch(books, on);
  const take = (owed: Cents): Cents => {
    const amount = owed < books.credit ? owed : books.credit;
    books.credit = cents(books.credit - amount);
    totals.credited = cents(totals.credited - amount);
    return amount;
  };
  const interest = take(books.interestEnded);
  books.interestEnded = cents(books.interestEnded - interest);
  totals.interestPaid = cents(totals.interestPaid + interest);
  const principal = take(books.principal);
  books.principal = cents(books.principal - principal);
  totals.principalPaid = cents(totals.principalPaid + principal);
  for (const fee of books.fees) {
    const amount = take(feeOpen(fee));
    fee.paid = cents(fee.paid + amount);
    totals.feesPaid = cents(totals.feesPaid + amount);
  }
}

/** A default ends when nothing is past due any more; it does not come back with the next late payment. */
function cure(books: Books, on: PlainDate): void {
  if (books.defaultedOn !== null && delinquency(close(books, on)).daysPastDue === 0) books.defaultedOn = null;
}

function addPenalty(books: Books, name: string, amount: Cents, date: PlainDate): void {
  const feeId = `prepayment-${name}`;
  addFee(books, { feeId, kind: 'penalty', name: 'prepayment penalty', amount, date, installment: null });
}

/** The penalty falls due with the payment that brings the principal to zero, and takes what that payment has left. */
function settlePenalty(books: Books, payment: WorkingPayment, penalty: Cents): void {
  addPenalty(books, payment.refId, penalty, payment.date);
  const fee = books.fees.at(-1) as Books['fees'][number];
  const paid = cents(Math.min(penalty, payment.allocation.credit));
  if (paid === 0) return;
  fee.paid = paid;
  const { fees, credit } = payment.allocation;
  payment.allocation = { ...payment.allocation, fees: cents(fees + paid), credit: cents(credit - paid) };
  payment.steps = payment.steps.filter(({ bucket }) => bucket !== 'credit');
  payment.steps.push({ bucket: 'due.penalty', amount: paid });
  if (credit > paid) payment.steps.push({ bucket: 'credit', amount: cents(credit - paid) });
  books.credit = cents(books.credit - paid);
  books.totals.credited = cents(books.totals.credited - paid);
  books.totals.feesPaid = cents(books.totals.feesPaid + paid);
}

/**
 * A promised amount that has arrived in time ends the loan: what is still owed is given up. Only money that came after the promise
 * counts: what was known when the quote was made, even on the same day, has lowered its figure already.
 */
function honour({ books, quoted }: Context, payment: WorkingPayment, recordedAt: string): void {
  for (const quote of books.quotes) {
    if (quote.honouredOn !== null || payment.date < quote.date || payment.date > quote.goodThrough) continue;
    if (recordedAt < (quoted.get(quote.quoteId) as string)) continue;
    quote.received = cents(quote.received + payment.amount);
    if (quote.received < quote.amount) continue;
    quote.honouredOn = payment.date;
    // The promise was made less the credit, so that is used before anything is given up.
    if (payment.allocation.credit === 0) payFromCredit(books, payment.date);
    giveBack(books, payment, quote.received - quote.amount - payment.allocation.credit);
    books.totals.principalForgiven = cents(books.totals.principalForgiven + books.principal);
    books.totals.interestForgiven = cents(books.totals.interestForgiven + books.interestEnded);
    books.principal = ZERO;
    books.interestEnded = ZERO;
    for (const fee of books.fees) waive(books, fee.feeId, feeOpen(fee));
    payment.balance = ZERO;
  }
}

/** More than was promised is not owed: what the payment paid of principal beyond the promise becomes a credit. */
function giveBack(books: Books, payment: WorkingPayment, excess: number): void {
  const { principal, credit } = payment.allocation;
  const amount = Math.min(excess, principal);
  if (amount <= 0) return;
  let left = amount;
  for (const step of [...payment.steps].reverse()) {
    if (!step.bucket.endsWith('.principal')) continue;
    const part = Math.min(left, step.amount);
    step.amount = cents(step.amount - part);
    left -= part;
  }
  payment.steps = payment.steps.filter((step) => step.amount > 0 && step.bucket !== 'credit');
  payment.steps.push({ bucket: 'credit', amount: cents(credit + amount) });
  payment.allocation = {
    ...payment.allocation,
    principal: cents(principal - amount),
    credit: cents(credit + amount),
  };
  books.principal = cents(books.principal + amount);
  books.credit = cents(books.credit + amount);
  books.totals.principalPaid = cents(books.totals.principalPaid - amount);
  books.totals.credited = cents(books.totals.credited + amount);
}

function waive(books: Books, feeId: string, amount: Cents): void {
  const fee = books.fees.find((one) => one.feeId === feeId);
  if (fee === undefined) return;
  // A fee that a later fold finds smaller, or paid, is waived as far as it is open.
  const waived = Math.min(amount, feeOpen(fee));
  fee.waived = cents(fee.waived + waived);
  books.totals.feesWaived = cents(books.totals.feesWaived + waived);
}

function close(books: Books, on: PlainDate): Loan {
  const { lateFeeMoney: _, rates: __, dueDay: ___, ...facts } = books;
  return { ...facts, installments: installmentsShown(books), on, interest: interestOwed(books, on) };
}

/** The last installment asks for whatever is left; once nothing is, the payment that saw to it has satisfied it. */
function installmentsShown({ installments, payments, principal, interestEnded }: Books): WorkingInstallment[] {
  const last = installments.at(-1);
  if (last?.satisfiedOn !== null || last.paid === 0 || principal > 0 || interestEnded > 0) return installments;
  const paying = payments.findLast(({ allocation }) => allocation.interest + allocation.principal > 0);
  return [...installments.slice(0, -1), { ...last, satisfiedOn: paying?.date ?? null }];
}
