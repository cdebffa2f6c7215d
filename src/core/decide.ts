/**
 * decide(history, command, today): what a command would bring. A ladder of refusals, cheapest and surest first; past the line marked
 * in each decision it can no longer refuse, and its events follow. Nothing here changes anything: the caller saves the events.
 */
import { addDays, daysBetween, type PlainDate } from './calendar.ts';
import { daysPastDue, delinquency } from './delinquency.ts';
import type { Fact, LoanEvent } from './event.ts';
import { append, type Folding, fold, foldAll, paymentIn, refundIn, stateOn } from './fold.ts';
import type { Contract, FeeKind, Loan, LoanStatus, Opening, Policy } from './loan.ts';
import { type Cents, cents, formatCents, MAX_CENTS } from './money.ts';
import { payoff, perDiem } from './payoff.ts';
import type { Percent } from './rate.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';
import { buildSchedule } from './schedule.ts';
import { allowedIn, finalPayment, isClosed, isPaidOff, statusOf, TRANSITIONS } from './status.ts';
import { termsOf } from './terms.ts';

export type Command =
  | { do: 'request-documents' }
  | { do: 'verify-documents'; complete: boolean }
  | { do: 'start-underwriting' }
  | {
      do: 'complete-underwriting';
      approved: boolean;
      overridden: boolean;
      reason: string | null;
      contract: Contract | null;
    }
  | { do: 'request-collateral' }
  | { do: 'approve-collateral'; value: Cents }
  | { do: 'fund-loan'; date: PlainDate | null; opening: Opening | null }
  /** `date` and `opening` are for a loan that is not funded yet: it is funded first, as `fund-loan` would. */
  | { do: 'initiate-repayment'; date: PlainDate | null; opening: Opening | null }
  | {
      do: 'loan-repay';
      refId: string;
      amount: Cents;
      /** Null: today, or for a repeated call the date of the first. */
      date: PlainDate | null;
      principalOnly: boolean;
      acceptOverpayment: boolean;
      reason: string | null;
    }
  | { do: 'acknowledge-repayment'; refId: string }
  | { do: 'return-repayment'; refId: string; date: PlainDate | null; reason: string }
  | { do: 'payoff-quotes'; quoteId: string; date: PlainDate; goodThrough: PlainDate }
  | { do: 'settle'; quoteId: string; amount: Cents; goodThrough: PlainDate; reason: string }
  | { do: 'assess-fee'; feeId: string; kind: FeeKind; name: string; amount: Cents; date: PlainDate | null }
  | { do: 'waive-fee'; feeId: string; amount: Cents | null; reason: string }
  | { do: 'change-rate'; rate: Percent; date: PlainDate | null; why: 'contract' | 'scra' }
  | { do: 'extend'; periods: number; date: PlainDate | null }
  | { do: 'change-due-date'; to: PlainDate; date: PlainDate | null }
  | { do: 'reamortize'; date: PlainDate | null }
  | { do: 'reage'; date: PlainDate | null }
  | { do: 'delinquent' }
  | { do: 'default'; reason: string | null }
  | { do: 'payment-reminders' }
  | { do: 'charge-off'; date: PlainDate | null; reason: string; collateral: Cents }
  | { do: 'record-recovery'; refId: string; amount: Cents; date: PlainDate | null }
  | { do: 'refund-credit'; refId: string; amount: Cents }
  | { do: 'close'; refId: string | null }
  | { do: 'cancel'; reason: string | null }
  | { do: 'publish'; published: boolean };

/** The business day and the moment a command arrives at. */
export type When = { readonly today: PlainDate; readonly at: string };

export type Decision = {
  readonly events: readonly LoanEvent[];
  /** The loan after the events, today. */
  readonly loan: Loan;
  /** The same command was carried out before: nothing new happens, and `original` names what did then. */
  readonly repeated: boolean;
  /**
   * Of a repeated command: the index of the event that the first one brought, among the events given. Null where it brought none
   * (`close`), and for what is not repeated.
   */
  readonly original: number | null;
  /** Everything folded, the new events too. */
  readonly folding: Folding;
};

/** A loan's events already folded; the events themselves (in the order they were recorded) only where they are at hand. */
export type History = { readonly folding: Folding; readonly events: readonly LoanEvent[] | null };

/** A new loan. Its terms must give a schedule, so that it cannot fail when it is funded. */
export function decideCreation(contract: Contract, policy: Policy, when: When): Decision | Refusal {
  if (contract.amount <= 0) return refuse('amount_zero', 'The loan must be more than zero.', { member: 'loanAmount' });
  if (contract.amount > MAX_CENTS) return refuse('invalid_value', 'The loan is too large.', { member: 'loanAmount' });
  const terms = termsOf(contract, contract.contractDate ?? when.today);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(schedule)) return schedule;
  // ---- past this line nothing is refused ----
  const created: LoanEvent = {
    type: 'created',
    contract,
    policy,
    date: when.today,
    recordedOn: when.today,
    recordedAt: when.at,
  };
  const folding = foldAll([created]);
  return { events: [created], loan: fold([created], when.today), repeated: false, original: null, folding };
}

/**
 * `needs_events` comes only where a history was given without its events and they are needed: for what is dated back before others, for
 * returns, and to name what a repeated command brought the first time.
 */
export function decide(history: readonly LoanEvent[], command: Command, when: When): Decision | Refusal;
export function decide(
  history: readonly LoanEvent[] | History,
  command: Command,
  when: When,
): Decision | Refusal | 'needs_events';
export function decide(
  given: readonly LoanEvent[] | History,
  command: Command,
  when: When,
): Decision | Refusal | 'needs_events' {
  const history: History = 'folding' in given ? given : { folding: foldAll(given), events: given };
  const { folding } = history;
  const loan = loanOn(history, when.today);
  if (loan === null) return 'needs_events';
  const repeated = repeatOf(folding, loan, command);
  if (repeated === 'same') {
    const original = originalOf(history, command);
    if (original === 'needs_events') return original;
    return { events: [], loan, repeated: true, original, folding };
  }
  const status = statusOf(loan);
  const refusal = refuseCommand(command, when) ?? refuseStatus(command, status) ?? repeated;
  if (refusal !== null) return refusal;
  const facts = DECISIONS[command.do]({ history, loan, status, when }, command as never);
  if (facts === 'needs_events' || isRefusal(facts)) return facts;
  const events = facts.map((fact): LoanEvent => ({ ...fact, recordedOn: when.today, recordedAt: when.at }));
  const all = history.events === null ? null : [...history.events, ...events];
  const next = append(folding, events) ?? (all && foldAll(all));
  const after = next && loanOn({ folding: next, events: all }, when.today);
  if (next === null || after === null) return 'needs_events';
  return { events, loan: after, repeated: false, original: null, folding: next };
}

/** The loan on a day; null when only its events tell and they are not at hand. */
function loanOn({ folding, events }: History, on: PlainDate): Loan | null {
  return stateOn(folding, on) ?? (events && fold(events, on));
}

/** Plain, and short: it stands in the ledger, where nothing personal may. */
const FEE_NAME = /^[A-Za-z0-9 ._:-]{1,64}$/;

/** What is wrong with a command by itself, whatever loan it is for. What contradicts the loan's facts is asked after its status. */
function refuseCommand(command: Command, when: When): Refusal | null {
  const bad = (member: string, detail: string) => refuse('invalid_value', detail, { member });
  switch (command.do) {
    case 'loan-repay':
    case 'record-recovery':
      return command.amount > MAX_CENTS ? bad('amount', 'The amount is too large.') : null;
    case 'payoff-quotes':
      if (command.date < when.today) return bad('date', 'A payoff can be quoted for today or a later day.');
      return command.goodThrough < command.date
        ? refuse('contradiction', 'The quote must be good through its date at least.', { member: 'goodThrough' })
        : null;
    case 'settle':
      return command.goodThrough < when.today
        ? bad('goodThrough', 'The settlement must be good through today at least.')
        : null;
    case 'assess-fee':
      return FEE_NAME.test(command.name)
        ? null
        : bad('name', 'The name of a fee is 1 to 64 letters, digits, spaces, and . _ : -');
    case 'extend': {
      const { periods } = command;
      return Number.isInteger(periods) && periods >= 1 && periods <= 12
        ? null
        : bad('periods', 'An extension is 1 to 12 periods.');
    }
    case 'change-due-date':
      return command.to <= (command.date ?? when.today) ? bad('to', 'The new due date must be in the future.') : null;
    default:
      return null;
  }
}

function refuseStatus(command: Command, status: LoanStatus): Refusal | null {
  const operation = command.do;
  const allowed = allowedIn(status);
  if (operation === 'loan-repay' && !command.acceptOverpayment && (status === 'Closed' || status === 'ClosedEarly')) {
    return refuse(
      'wrong_status',
      `The loan is ${status}; more money is taken only with acceptOverpayment, as a credit of the borrower.`,
      { facts: { loanStatus: status, allowed } },
    );
  }
  if ((TRANSITIONS[operation].from as readonly LoanStatus[]).includes(status)) return null;
  return refuse(
    'wrong_status',
    `${operation} is not possible while the loan is ${status}. Possible now: ${allowed.join(', ') || 'nothing'}.`,
    {
      facts: { loanStatus: status, allowed },
    },
  );
}

/** A reference that was used before: the same call again changes nothing; another call under the same reference is a conflict. */
function repeatOf(folding: Folding, loan: Loan, command: Command): 'same' | Refusal | null {
  const conflict = (what: string) =>
    refuse('reference_conflict', `This reference was used before with ${what}; take a new one.`, { member: 'refId' });
  if (command.do === 'loan-repay' || command.do === 'record-recovery') {
    const first = paymentIn(folding, command.refId);
    if (first === null) return null;
    if (first.amount !== command.amount) return conflict('another amount');
    if (command.date !== null && command.date !== first.date) return conflict('another date');
    if (command.do === 'loan-repay' && command.principalOnly !== first.principalOnly)
      return conflict('another kind of payment');
    return 'same';
  }
  if (command.do === 'refund-credit') {
    const first = refundIn(folding, command.refId);
    if (first === null) return null;
    return first === command.amount ? 'same' : conflict('another amount');
  }
  if (command.do === 'acknowledge-repayment' || command.do === 'return-repayment') {
    const payment = loan.payments.find(({ refId }) => refId === command.refId);
    if (payment === undefined) {
      // Before funding there is no payment to speak of: the status says so.
      return loan.stage === 'Funded' ? unknownPayment() : null;
    }
    const done = command.do === 'acknowledge-repayment' ? 'Acknowledged' : 'Returned';
    if (payment.status === done) return 'same';
    return null;
  }
  if (command.do === 'initiate-repayment' && loan.stage === 'Funded' && loan.repaymentInitiated) return 'same';
  if (command.do === 'close' && isClosed(loan)) return closeReference(loan, command.refId) ?? 'same';
  return null;
}

/** Which event a repeated command brought the first time. */
function originalOf({ events, folding }: History, command: Command): number | null | 'needs_events' {
  if (command.do === 'close') return null;
  if (events === null) return 'needs_events';
  const brought = (type: LoanEvent['type']) => {
    const refId = 'refId' in command ? command.refId : null;
    const at = events.findIndex((event) => event.type === type && (!('refId' in event) || event.refId === refId));
    return at < 0 ? null : at;
  };
  switch (command.do) {
    case 'loan-repay':
    case 'record-recovery':
      return brought('paymentSubmitted');
    case 'refund-credit':
      return brought('creditRefunded');
    case 'acknowledge-repayment':
      return brought('paymentAcknowledged');
    case 'return-repayment':
      return brought('paymentReturned');
    default:
      // Repayment may also have begun with the first payment.
      return (
        brought('repaymentInitiated') ??
        events.findIndex(
          (event) => event.type === 'paymentSubmitted' && paymentIn(folding, event.refId)?.status !== 'Returned',
        )
      );
  }
}

function unknownPayment(): Refusal {
  return refuse('unknown_reference', 'This loan has no payment with this reference.', { member: 'refId' });
}

function closeReference(loan: Loan, refId: string | null): Refusal | null {
  if (refId === null || refId === finalPayment(loan)?.refId) return null;
  return loan.payments.some((payment) => payment.refId === refId)
    ? refuse('contradiction', 'This is not the payment that paid the loan off.', { member: 'refId' })
    : unknownPayment();
}

type Dated = Fact & { date: PlainDate };
type Situation = { history: History; loan: Loan; status: LoanStatus; when: When };
type Decider<K extends Command['do']> = (
  situation: Situation,
  command: Extract<Command, { do: K }>,
) => Dated[] | Refusal | 'needs_events';

const DECISIONS: { [K in Command['do']]: Decider<K> } = {
  'request-documents': ({ when }) => [{ type: 'documentsRequested', date: when.today }],
  'verify-documents': ({ when }, { complete }) => (complete ? [{ type: 'documentsVerified', date: when.today }] : []),
  'start-underwriting': ({ loan, status, when }) => {
    if (loan.policy.documentsRequired && status === 'ApplicationSubmitted') {
      return refuse(
        'documents_required',
        'The lender wants documents verified first: request-documents, then verify-documents.',
      );
    }
    return [{ type: 'underwritingStarted', date: when.today }];
  },
  'complete-underwriting': ({ when }, { approved, overridden, reason, contract }) => {
    if (overridden && !reason) {
      return refuse('reason_required', 'A decision other than the engine’s needs a reason.', { member: 'reason' });
    }
    if (approved && contract !== null) {
      const terms = termsOf(contract, contract.contractDate ?? when.today);
      const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
      if (isRefusal(schedule)) return schedule;
    }
    return [
      approved
        ? { type: 'approved', overridden, contract, date: when.today }
        : { type: 'rejected', overridden, date: when.today },
    ];
  },
  'request-collateral': ({ when }) => [{ type: 'collateralRequested', date: when.today }],
  'approve-collateral': ({ when }, { value }) => [{ type: 'collateralApproved', value, date: when.today }],
  'fund-loan': fundLoan,
  'initiate-repayment': (situation, { date, opening }) => {
    const { when, loan } = situation;
    const funding = loan.stage === 'Funded' ? [] : fundLoan(situation, { do: 'fund-loan', date, opening });
    if (isRefusal(funding)) return funding;
    return [...funding, { type: 'repaymentInitiated', date: when.today }];
  },
  'loan-repay': (situation, command) => repay(situation, command),
  'acknowledge-repayment': ({ loan, when }, { refId }) => {
    const payment = loan.payments.find((one) => one.refId === refId);
    if (payment === undefined) return unknownPayment();
    if (payment.status === 'Returned') {
      return refuse('reference_conflict', 'This payment was returned; it cannot be acknowledged.', { member: 'refId' });
    }
    return [{ type: 'paymentAcknowledged', refId, date: when.today }];
  },
  'return-repayment': ({ loan, when }, { refId, date }) => {
    const payment = loan.payments.find((one) => one.refId === refId);
    if (payment === undefined) return unknownPayment();
    const day = date ?? when.today;
    if (day > when.today) return futureDate('date');
    if (day < payment.date) {
      return refuse('contradiction', `The payment is dated ${payment.date}; it cannot be returned before.`, {
        member: 'date',
      });
    }
    return [{ type: 'paymentReturned', refId, date: day }];
  },
  'payoff-quotes': ({ history, loan, when }, { quoteId, goodThrough }) => {
    if (loan.quotes.some((quote) => quote.quoteId === quoteId)) {
      return refuse('reference_conflict', 'This quote exists already.', { member: 'quoteId' });
    }
    // Quoted for the last day on which it is good, so that the money suffices whenever it arrives.
    const then = loanOn(history, goodThrough);
    if (then === null) return 'needs_events';
    const amount = payoff(then).payoff;
    if (amount === 0) return refuse('amount_zero', 'Nothing is owed on that day.');
    return [{ type: 'payoffQuoted', quoteId, kind: 'payoff', amount, goodThrough, date: when.today }];
  },
  settle: ({ loan, when }, { quoteId, amount, goodThrough, reason }) => {
    const owed = payoff(loan).payoff;
    if (amount >= owed) {
      return refuse('contradiction', `A settlement is less than the payoff (${formatCents(owed)}).`, {
        member: 'amount',
        facts: { payoff: owed },
      });
    }
    if (!reason) return refuse('reason_required', 'A settlement needs a reason.', { member: 'reason' });
    if (loan.quotes.some((quote) => quote.quoteId === quoteId)) {
      return refuse('reference_conflict', 'This quote exists already.', { member: 'quoteId' });
    }
    if (amount === 0) return amountZero();
    return [{ type: 'payoffQuoted', quoteId, kind: 'settlement', amount, goodThrough, date: when.today }];
  },
  'assess-fee': ({ loan, when }, { feeId, kind, name, amount, date }) => {
    if (loan.fees.some((fee) => fee.feeId === feeId)) {
      return refuse('reference_conflict', 'A fee with this reference exists already.', { member: 'feeId' });
    }
    const day = date ?? when.today;
    const dated = refuseDate(loan, day, when);
    if (dated !== null) return dated;
    if (amount === 0) return amountZero();
    return [{ type: 'feeAssessed', feeId, kind, name, amount, date: day }];
  },
  'waive-fee': ({ loan, when }, { feeId, amount, reason }) => {
    if (!reason) return refuse('reason_required', 'Waiving a fee needs a reason.', { member: 'reason' });
    const fee = loan.fees.find((one) => one.feeId === feeId);
    if (fee === undefined) return refuse('unknown_reference', 'This loan has no such fee.', { member: 'feeId' });
    const open = fee.amount - fee.paid - fee.waived;
    if (amount === 0) return amountZero();
    if (open === 0) return refuse('amount_zero', 'Nothing of this fee is open.', { member: 'feeId' });
    if (amount !== null && amount > open) {
      return refuse('amount_exceeds_balance', `Only ${formatCents(cents(open))} of this fee is open.`, {
        member: 'amount',
      });
    }
    return [{ type: 'feeWaived', feeId, amount: amount ?? cents(open), date: when.today }];
  },
  'change-rate': ({ loan, when }, { rate, date, why }) => {
    const day = date ?? when.today;
    return refuseDate(loan, day, when) ?? [{ type: 'rateChanged', rate, why, date: day }];
  },
  extend: ({ loan, when }, { periods, date }) => {
    const day = date ?? when.today;
    return refuseDate(loan, day, when) ?? [{ type: 'extended', periods, date: day }];
  },
  'change-due-date': ({ loan, when }, { to, date }) => {
    const day = date ?? when.today;
    const next = delinquency(loan).nextDueDate;
    if (next !== null && Math.abs(daysBetween(next, to)) > 31) {
      return refuse('invalid_value', `The next due date (${next}) can move by 31 days at most; use an extension.`, {
        member: 'to',
      });
    }
    const previous = loan.installments.findLast(({ dueDate }) => next !== null && dueDate < next)?.dueDate;
    if (previous !== undefined && to <= previous) {
      return refuse('invalid_value', `The new due date must be after the one before it (${previous}).`, {
        member: 'to',
      });
    }
    const dated = refuseDate(loan, day, when);
    if (dated !== null) return dated;
    if (next === null) return refuse('amount_zero', 'Nothing is left to pay on this loan.');
    return [{ type: 'dueDateChanged', from: next, to, date: day }];
  },
  reamortize: ({ loan, when }, { date }) => {
    const day = date ?? when.today;
    return refuseDate(loan, day, when) ?? [{ type: 'reamortized', date: day }];
  },
  reage: ({ loan, when }, { date }) => {
    const day = date ?? when.today;
    const dated = refuseDate(loan, day, when);
    if (dated !== null) return dated;
    return daysPastDue(loan) === 0 ? nothingPastDue() : [{ type: 'reaged', date: day }];
  },
  delinquent: ({ loan, when }) =>
    daysPastDue(loan) === 0 ? nothingPastDue() : [{ type: 'delinquencyNoted', date: when.today }],
  default: ({ loan, when }) => {
    const days = daysPastDue(loan);
    if (days === 0) return nothingPastDue();
    if (days < loan.policy.defaultDays) {
      return refuse(
        'not_past_due_enough',
        `The policy defaults a loan at ${loan.policy.defaultDays} days past due; this one is at ${days}.`,
        {
          facts: { daysPastDue: days, defaultDays: loan.policy.defaultDays },
          retryable: true,
        },
      );
    }
    return [{ type: 'defaulted', date: when.today }];
  },
  'payment-reminders': ({ when }) => [{ type: 'reminderDue', date: when.today }],
  'charge-off': ({ loan, when }, { date, reason, collateral }) => {
    if (!reason) return refuse('reason_required', 'A charge-off needs a reason.', { member: 'reason' });
    const day = date ?? when.today;
    const dated = refuseDate(loan, day, when);
    if (dated !== null) return dated;
    if (isPaidOff(loan)) return refuse('amount_zero', 'Nothing is owed on this loan.');
    return [{ type: 'chargedOff', collateral, date: day }];
  },
  'record-recovery': (situation, { refId, amount, date }) =>
    repay(situation, {
      do: 'loan-repay',
      refId,
      amount,
      date,
      principalOnly: false,
      acceptOverpayment: false,
      reason: 'recovery',
    }),
  'refund-credit': ({ loan, when }, { refId, amount }) => {
    if (amount === 0) return amountZero();
    if (amount > loan.credit) {
      return refuse('amount_exceeds_balance', `The borrower's credit is ${formatCents(loan.credit)}.`, {
        member: 'amount',
        facts: { credit: loan.credit },
      });
    }
    return [{ type: 'creditRefunded', refId, amount, date: when.today }];
  },
  close: ({ loan }, { refId }) => {
    const reference = closeReference(loan, refId);
    if (reference !== null) return reference;
    if (!isPaidOff(loan)) {
      const owed = payoff(loan).payoff;
      return refuse('not_paid_off', `The loan still owes ${formatCents(owed)}.`, {
        facts: { payoff: owed },
        retryable: true,
      });
    }
    return refuse('payment_unconfirmed', 'A payment is not acknowledged yet; the loan closes by itself when it is.', {
      retryable: true,
    });
  },
  cancel: ({ when }) => [{ type: 'cancelled', date: when.today }],
  publish: ({ when }, { published }) => [{ type: 'published', published, date: when.today }],
};

function fundLoan(
  { loan, when }: Situation,
  { date, opening }: Extract<Command, { do: 'fund-loan' }>,
): Dated[] | Refusal {
  const day = date ?? when.today;
  const terms = termsOf(loan.contract, day);
  if (isRefusal(terms)) return terms;
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) return schedule;
  if (opening !== null && opening.principal > loan.contract.amount) {
    return refuse(
      'contradiction',
      `The opening principal (${formatCents(opening.principal)}) is more than the loan (${formatCents(loan.contract.amount)}).`,
      { member: 'opening' },
    );
  }
  if (loan.policy.collateralRequired && loan.stage !== 'CollateralApproved') {
    return refuse('collateral_required', 'The lender wants the collateral approved first: approve-collateral.');
  }
  if (day > when.today) return futureDate('date');
  if (opening !== null && opening.date > when.today) return futureDate('opening');
  if (opening !== null && opening.date < terms.interestStart) {
    return refuse('date_before_contract', `The opening cannot be before the contract date (${terms.interestStart}).`, {
      member: 'opening',
    });
  }
  // ---- past this line nothing is refused ----
  // Interest runs from the contract date, so the loan is in effect from there even when it is recorded later.
  const funded: Dated = { type: 'funded', terms, date: terms.interestStart < day ? terms.interestStart : day };
  if (opening === null) return [funded];
  const { date: openedOn, ...figures } = opening;
  return [funded, { type: 'opened', ...figures, date: openedOn }];
}

function repay(
  situation: Situation,
  command: Extract<Command, { do: 'loan-repay' }>,
): Dated[] | Refusal | 'needs_events' {
  const { history, loan, when } = situation;
  const { refId, amount, principalOnly, acceptOverpayment, reason } = command;
  const date = command.date ?? when.today;
  const dated = refuseDate(loan, date, when, reason);
  if (dated !== null) return dated;
  if (amount === 0) return amountZero();
  // What was owed on the payment's day, as far as is known today.
  const then = date === when.today ? loan : loanOn(history, date);
  if (then === null) return 'needs_events';
  const { payoff: owed } = payoff(then);
  const limit = owed + perDiem(then) * loan.policy.overpaymentDays;
  const quoted = loan.quotes.some(
    ({ date: from, goodThrough, amount: promised }) => amount <= promised && date >= from && date <= goodThrough,
  );
  if (amount > limit && !acceptOverpayment && !quoted) {
    return refuse(
      'amount_exceeds_payoff',
      `The payoff on ${date} is ${formatCents(owed)}; send that, or say acceptOverpayment.`,
      {
        member: 'amount',
        facts: { payoff: owed },
      },
    );
  }
  return [{ type: 'paymentSubmitted', refId, amount, principalOnly, date }];
}

/** Not in the future, not before the contract or the opening; further back than the policy allows only with a reason. */
function refuseDate(loan: Loan, day: PlainDate, when: When, reason?: string | null): Refusal | null {
  if (day > when.today) return futureDate('date');
  const start = loan.terms?.disbursements[0]?.date;
  if (start !== undefined && day < start) {
    return refuse('date_before_contract', `The loan began on ${start}; nothing can be dated before.`, {
      member: 'date',
    });
  }
  if (loan.openedOn !== null && day < loan.openedOn) {
    return refuse(
      'date_before_opening',
      `Its figures were taken over on ${loan.openedOn}; nothing can be dated before.`,
      { member: 'date' },
    );
  }
  if (reason !== undefined && !reason && day < addDays(when.today, -loan.policy.backdateDays)) {
    return refuse('backdating_needs_reason', `More than ${loan.policy.backdateDays} days back needs a reason.`, {
      member: 'reason',
    });
  }
  return null;
}

function futureDate(member: string): Refusal {
  return refuse('date_in_future', 'The date cannot be in the future.', { member });
}

function amountZero(): Refusal {
  return refuse('amount_zero', 'The amount must be more than zero.', { member: 'amount' });
}

function nothingPastDue(): Refusal {
  return refuse('nothing_past_due', 'Nothing is past due on this loan.', { retryable: true });
}
