/** Payments: submitted, acknowledged or returned, and the quotes of what pays a loan off. */
import { addDays, type PlainDate } from '../calendar.ts';
import { type Folding, paymentIn } from '../fold.ts';
import type { Loan, PaymentStatus } from '../loan.ts';
import { type Cents, formatCents } from '../money.ts';
import { payoff, perDiem } from '../payoff.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Decided, type Family, FUNDED, firstWith, LIVE, loanOn, type Situation, type When } from './operation.ts';
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
      principalOnly: boolean;
      acceptOverpayment: boolean;
      reason: string | null;
    }
  | { do: 'acknowledge-repayment'; refId: string }
  | { do: 'return-repayment'; refId: string; date: PlainDate | null; reason: string }
  /** Without a date it is for today; without `goodThrough` it is good on that day alone. */
  | { do: 'payoff-quotes'; quoteId: string; date: PlainDate | null; goodThrough: PlainDate | null };

export const payment: Family<PaymentCommand> = {
  'loan-repay': {
    from: FUNDED,
    to: 'by the fold',
    by: 'servicer',
    scope({ events, loan }, when) {
      const limit = addDays(when.today, -loan.policy.backdateDays);
      return events.some(({ date }) => date < limit) ? 'servicing:write' : null;
    },
    refuse: amountTooLarge,
    notIn: (status, { acceptOverpayment }) =>
      !acceptOverpayment && (status === 'Closed' || status === 'ClosedEarly')
        ? `The loan is ${status}; more money is taken only with acceptOverpayment, as a credit of the borrower.`
        : null,
    repeat: {
      of: ({ folding }, command) => paidBefore(paymentIn(folding, command.refId), command),
      original: firstWith('paymentSubmitted'),
    },
    decide: repay,
  },

  'acknowledge-repayment': {
    from: FUNDED,
    to: 'by the fold',
    by: 'servicer',
    repeat: {
      of: (before, { refId }) => alreadyIn('Acknowledged', before, refId),
      original: firstWith('paymentAcknowledged'),
    },
    decide({ history, when }, { refId }) {
      const one = paymentIn(history.folding, refId);
      if (one === null) return unknownPayment();
      if (one.status === 'Returned') {
        return refuse('reference_conflict', 'This payment was returned; it cannot be acknowledged.', {
          member: 'refId',
        });
      }
      return [{ type: 'paymentAcknowledged', refId, date: when.today }];
    },
  },

  'return-repayment': {
    from: FUNDED,
    to: 'by the fold',
    by: 'servicer',
    repeat: {
      of: (before, { refId }) => alreadyIn('Returned', before, refId),
      original: firstWith('paymentReturned'),
    },
    decide({ history, when }, { refId, date }) {
      const one = paymentIn(history.folding, refId);
      if (one === null) return unknownPayment();
      const day = date ?? when.today;
      if (day > when.today) return futureDate('date');
      if (day < one.date) {
        return refuse('contradiction', `The payment is dated ${one.date}; it cannot be returned before.`, {
          member: 'date',
        });
      }
      return [{ type: 'paymentReturned', refId, date: day }];
    },
  },

  'payoff-quotes': {
    from: [...LIVE, 'ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    refuse(command, when) {
      const { date, goodThrough } = quotedDays(command, when);
      if (date < when.today) return badValue('date', 'A payoff can be quoted for today or a later day.');
      return goodThrough < date
        ? refuse('contradiction', 'The quote must be good through its date at least.', { member: 'goodThrough' })
        : beyondAYear(goodThrough, when);
    },
    decide({ history, when }, command) {
      const { quoteId } = command;
      const exists = quoteExists(history.folding, quoteId);
      if (exists !== null) return exists;
      const { goodThrough } = quotedDays(command, when);
      // Quoted for the last day on which it is good, so that the money suffices whenever it arrives.
      const then = loanOn(history, goodThrough);
      if (then === null) return 'needs_events';
      const amount = payoff(then).payoff;
      if (amount === 0) return refuse('amount_zero', 'Nothing is owed on that day.');
      return [{ type: 'payoffQuoted', quoteId, kind: 'payoff', amount, goodThrough, date: when.today }];
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

/** Takes a payment: of a loan that is paid, or of one that was charged off. */
export function repay({ history, loan, when }: Situation, repayment: Repayment): Decided {
  const { refId, amount, principalOnly, acceptOverpayment, reason } = repayment;
  const date = repayment.date ?? when.today;
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
      { member: 'amount', facts: { payoff: owed } },
    );
  }
  return [{ type: 'paymentSubmitted', refId, amount, principalOnly, date }];
}

/** Whether a payment under this reference is the one that is sent now; without `principalOnly` that is not compared. */
export function paidBefore(
  first: { amount: Cents; date: PlainDate; principalOnly: boolean } | null,
  again: { amount: Cents; date: PlainDate | null; principalOnly?: boolean },
): 'same' | Refusal | null {
  if (first === null) return null;
  if (first.amount !== again.amount) return referenceUsed('another amount');
  if (again.date !== null && again.date !== first.date) return referenceUsed('another date');
  if (again.principalOnly !== undefined && again.principalOnly !== first.principalOnly)
    return referenceUsed('another kind of payment');
  return 'same';
}

/** Whether the payment is acknowledged, or returned, already. */
function alreadyIn(
  status: PaymentStatus,
  { folding, loan }: { folding: Folding; loan: Loan },
  refId: string,
): 'same' | Refusal | null {
  const one = paymentIn(folding, refId);
  if (one !== null) return one.status === status ? 'same' : null;
  // Before funding there are no payments: the command is refused for its status.
  return loan.stage === 'Funded' ? unknownPayment() : null;
}
