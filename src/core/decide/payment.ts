/** Payments: submitted, acknowledged, returned or reversed; and payoff quotes. */
import { addDays, type PlainDate } from '../calendar.ts';
import type { Folding } from '../fold.ts';
import type { BoardedPayment } from '../handover.ts';
import {
  LIVE,
  type Loan,
  type Method,
  type Payment,
  type PaymentStatus,
  type Purpose,
  type ReturnCode,
  stayed,
} from '../loan.ts';
import { type Cents, formatCents } from '../money.ts';
import { payoff, perDiem } from '../payoff.ts';
import { boardedPaymentIn, feeIn, paymentIn } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { outstandingOf } from '../rescission.ts';
import {
  amountIn,
  type Dated,
  type Decided,
  type Family,
  FUNDED,
  firstWith,
  loanOn,
  type Situation,
  type When,
} from './operation.ts';
import {
  amountTooLarge,
  amountZero,
  badValue,
  beyondAYear,
  futureDate,
  quoteExists,
  referenceUsed,
  refuseDate,
  unknownPayment,
} from './refusals.ts';

export type PaymentCommand =
  | {
      do: 'loan-repay';
      refId: string;
      amount: Cents;
      /** Null: today, or for a repeated call the date of the first. */
      date: PlainDate | null;
      /** Absent: `installment`, or for a repeated call that of the first. */
      purpose?: Purpose;
      method?: Method;
      trace?: string;
      acceptOverpayment: boolean;
      reason: string | null;
    }
  | { do: 'acknowledge-repayment'; refId: string }
  | { do: 'return-repayment'; refId: string; date: PlainDate | null; code?: ReturnCode; reason: string }
  /** It was posted in error and is treated as if it had never existed. */
  | { do: 'reverse-repayment'; refId: string; reason: string }
  /** Without a date it is for today; without `goodThrough` it is valid on that day alone. */
  | { do: 'payoff-quotes'; quoteId: string; date: PlainDate | null; goodThrough: PlainDate | null };

export const payment: Family<PaymentCommand> = {
  'loan-repay': {
    from: FUNDED,
    afterRescission: true,
    to: 'derived from the balance',
    by: 'servicer',
    scopes: ['payments:write'],
    records: ['paymentSubmitted'],
    scope({ events, loan }, when) {
      const limit = addDays(when.today, -loan.policy.backdateDays);
      return events.some(({ date }) => date < limit) ? 'servicing:write' : null;
    },
    amount: amountIn('paymentSubmitted'),
    refuse: amountTooLarge,
    notIn: (status, { acceptOverpayment }) =>
      !acceptOverpayment && (status === 'Closed' || status === 'ClosedEarly')
        ? `The loan is ${status}; more money is taken only with acceptOverpayment, as a credit of the borrower.`
        : null,
    repeat: {
      of: ({ folding }, command) =>
        usedElsewhere(folding, command.refId) ?? paidBefore(paymentIn(folding, command.refId), command),
      original: firstWith('paymentSubmitted'),
    },
    decide: repay,
  },

  'acknowledge-repayment': {
    from: FUNDED,
    afterRescission: true,
    to: 'derived from the balance',
    by: 'servicer',
    scopes: ['payments:write'],
    records: ['paymentAcknowledged'],
    repeat: {
      of: (before, { refId }) => alreadyIn('Acknowledged', before, refId),
      original: firstWith('paymentAcknowledged'),
    },
    decide({ history, when }, { refId }) {
      const one = paymentIn(history.folding, refId) ?? boardedPaymentIn(history.folding, refId);
      if (one === null) return unknownPayment();
      if (!stayed(one)) return undoneAlready(one.status, 'acknowledged');
      return [{ type: 'paymentAcknowledged', refId, date: when.today }];
    },
  },

  'return-repayment': {
    from: FUNDED,
    afterRescission: true,
    to: 'derived from the balance',
    by: 'servicer',
    scopes: ['payments:write'],
    records: ['paymentReturned'],
    adds: ['feeAssessed'],
    needsFile: true,
    repeat: {
      of: (before, { refId }) => alreadyIn('Returned', before, refId),
      original: firstWith('paymentReturned'),
    },
    decide({ history, loan, when }, { refId, date, code }) {
      const one = paymentIn(history.folding, refId);
      if (one === null) return unknownPayment();
      if (one.status === 'Reversed') return undoneAlready(one.status, 'returned');
      const day = date ?? when.today;
      if (day > when.today) return futureDate('date');
      if (day < one.date) {
        return refuse('contradiction', `The payment is dated ${one.date}; it cannot be returned before that date.`, {
          member: 'date',
        });
      }
      const { returnFee } = loan.policy;
      const returned: Dated = { type: 'paymentReturned', refId, ...(code === undefined ? {} : { code }), date: day };
      if (returnFee === 0 || loan.rescission !== null) return [returned];
      const feeId = freeFeeId(loan, history.folding);
      // The return comes last: a repeated call returns its hash.
      return [{ type: 'feeAssessed', feeId, kind: 'fee', name: 'return fee', amount: returnFee, date: day }, returned];
    },
  },

  'reverse-repayment': {
    from: FUNDED,
    afterRescission: true,
    to: 'derived from the balance',
    by: 'servicer',
    scopes: ['payments:write'],
    records: ['paymentReversed'],
    needsFile: true,
    needsReason: 'A reversal requires a reason.',
    repeat: {
      of: (before, { refId }) => alreadyIn('Reversed', before, refId),
      original: firstWith('paymentReversed'),
    },
    decide({ history, when }, { refId }) {
      const one = paymentIn(history.folding, refId);
      if (one === null) return unknownPayment();
      if (one.status === 'Returned') return undoneAlready(one.status, 'reversed');
      return [{ type: 'paymentReversed', refId, date: when.today }];
    },
  },

  'payoff-quotes': {
    from: [...LIVE, 'ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    scopes: ['payments:write'],
    records: ['payoffQuoted'],
    owns: (event) => event.type === 'payoffQuoted' && event.kind === 'payoff',
    refuse(command, when) {
      const { date, goodThrough } = quotedDays(command, when);
      if (date < when.today) return badValue('date', 'A payoff can be quoted for today or a later date.');
      return goodThrough < date
        ? refuse('contradiction', 'goodThrough must not be before the date of the quote.', { member: 'goodThrough' })
        : beyondAYear(goodThrough, when);
    },
    decide({ history, when }, command) {
      const { quoteId } = command;
      const exists = quoteExists(history.folding, quoteId);
      if (exists !== null) return exists;
      const { date, goodThrough } = quotedDays(command, when);
      // Quoted for its last valid day, so that the amount is enough whenever it arrives.
      const then = loanOn(history, goodThrough);
      if (then === null) return 'needs_events';
      const { payoff: amount, date: _, ...parts } = payoff(then);
      if (amount === 0) return refuse('amount_zero', 'Nothing is owed on that date.');
      const payoffDate = date === when.today ? {} : { payoffDate: date };
      const quote = { quoteId, kind: 'payoff', amount, goodThrough, ...payoffDate, parts } as const;
      return [{ type: 'payoffQuoted', ...quote, date: when.today }];
    },
  },
};

function quotedDays(
  { date: given, goodThrough }: { date: PlainDate | null; goodThrough: PlainDate | null },
  { today }: When,
): { date: PlainDate; goodThrough: PlainDate } {
  const date = given ?? today;
  return { date, goodThrough: goodThrough ?? date };
}

type Repayment = Omit<Extract<PaymentCommand, { do: 'loan-repay' }>, 'do'>;

/** Accepts a payment on a loan in repayment or a charged-off loan. */
export function repay({ history, loan, when }: Situation, repayment: Repayment): Decided {
  const { refId, amount, purpose = 'installment', method, trace, acceptOverpayment, reason } = repayment;
  const date = repayment.date ?? when.today;
  const dated = refuseDate(loan, date, when, reason);
  if (dated !== null) return dated;
  if (amount === 0) return amountZero();
  // The loan on the payment's day, as far as is known today.
  const then = date === when.today ? loan : loanOn(history, date);
  if (then === null) return 'needs_events';
  const { rescission } = then;
  const owed = rescission === null ? payoff(then).payoff : outstandingOf(rescission);
  const limit = owed + perDiem(then) * loan.policy.overpaymentDays;
  const quoted = loan.quotes.some(
    ({ date: from, goodThrough, amount: promised, isVoid }) =>
      !isVoid && amount <= promised && date >= from && date <= goodThrough,
  );
  if (amount > limit && !acceptOverpayment && !quoted) {
    return refuse(
      'amount_exceeds_payoff',
      rescission === null
        ? `The payoff amount on ${date} is ${formatCents(owed)}; send that amount, or set acceptOverpayment.`
        : `The loan was rescinded, and ${formatCents(owed)} of its principal is still to come back; send that amount, or set acceptOverpayment.`,
      { member: 'amount', facts: { payoff: owed } },
    );
  }
  const how = { ...(method === undefined ? {} : { method }), ...(trace === undefined ? {} : { trace }) };
  return [{ type: 'paymentSubmitted', refId, amount, purpose, ...how, date }];
}

/** Whether the payment under this reference is the same as the one sent now. Omitted fields are not compared. */
export function paidBefore(
  first: Pick<Payment, 'amount' | 'date' | 'purpose' | 'method' | 'trace'> | null,
  again: Pick<Repayment, 'amount' | 'date' | 'purpose' | 'method' | 'trace'>,
): 'same' | Refusal | null {
  if (first === null) return null;
  if (first.amount !== again.amount) return referenceUsed('another amount');
  if (again.date !== null && again.date !== first.date) return referenceUsed('another date');
  for (const name of ['purpose', 'method', 'trace'] as const) {
    if (again[name] !== undefined && again[name] !== first[name]) return referenceUsed(`another ${name}`);
  }
  return 'same';
}

/** A reference that the earlier servicer used is taken. */
export function usedElsewhere(folding: Folding, refId: string): Refusal | null {
  return boardedPaymentIn(folding, refId) === null ? null : referenceUsed('a payment that was boarded with the loan');
}

/** Money that another servicer received can be confirmed, and nothing else: returning it is between the borrower and that servicer. */
function refuseBoarded(one: BoardedPayment, to: PaymentStatus): Refusal | null {
  if (to === 'Acknowledged' && one.status === 'Submitted') return null;
  const detail =
    to === 'Acknowledged'
      ? `This payment was boarded with the loan as ${one.status}.`
      : 'This payment was received by an earlier servicer and boarded with the loan; it cannot be returned or reversed here.';
  return refuse('boarded_history', detail, { member: 'refId' });
}

function undoneAlready(status: PaymentStatus, not: string): Refusal {
  const was = status === 'Returned' ? 'returned' : 'reversed';
  return refuse('reference_conflict', `This payment was ${was}; it cannot be ${not}.`, { member: 'refId' });
}

/** `return-` and a number; the first that no fee has. */
function freeFeeId(loan: Loan, folding: Folding): string {
  for (let n = 1; ; n++) {
    const feeId = `return-${n}`;
    if (feeIn(folding, feeId) === null && !loan.fees.some((fee) => fee.feeId === feeId)) return feeId;
  }
}

/** Whether the payment is already acknowledged, returned or reversed. */
function alreadyIn(
  status: PaymentStatus,
  { folding, loan }: { folding: Folding; loan: Loan },
  refId: string,
): 'same' | Refusal | null {
  const one = paymentIn(folding, refId);
  if (one !== null) return one.status === status ? 'same' : null;
  const boarded = boardedPaymentIn(folding, refId);
  if (boarded !== null) return refuseBoarded(boarded, status);
  // Before funding there are no payments: the command is refused for its status.
  return loan.stage === 'Funded' ? unknownPayment() : null;
}
