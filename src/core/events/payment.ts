/** Payments: submitted, acknowledged, returned or reversed; and payoff quotes. */
import type { PlainDate } from '../calendar.ts';
import { type Method, NO_ALLOCATION, type Payment, type Purpose, type ReturnCode, stayed } from '../loan.ts';
import { type Cents, cents, ZERO } from '../money.ts';
import { pay } from '../pay.ts';
import type { QuoteParts } from '../quote.ts';
import { writtenOffSmall } from '../small-balance.ts';
import type { EventFamily, Run } from './definition.ts';
import type { Pen } from './pen.ts';

export type PaymentFact =
  | {
      readonly type: 'payoffQuoted';
      readonly quoteId: string;
      readonly kind: 'payoff' | 'settlement';
      readonly amount: Cents;
      readonly goodThrough: PlainDate;
      /** Absent: the day of the quote. */
      readonly payoffDate?: PlainDate;
      readonly parts?: QuoteParts;
    }
  | {
      readonly type: 'paymentSubmitted';
      readonly refId: string;
      readonly amount: Cents;
      readonly purpose: Purpose;
      readonly method?: Method;
      readonly trace?: string;
    }
  | { readonly type: 'paymentAcknowledged'; readonly refId: string }
  | { readonly type: 'paymentReturned'; readonly refId: string; readonly code?: ReturnCode }
  /** It was posted in error and is treated as if it had never existed. */
  | { readonly type: 'paymentReversed'; readonly refId: string };

export const paymentEvents: EventFamily<PaymentFact> = {
  payoffQuoted: {
    phase: 'quotes',
    feed: { type: 'payoff.quoted', about: 'A payoff or settlement amount was quoted.' },
    line: {
      says: '[{settlement}Settlement agreed|Payoff quoted]: {amount}',
      more: '[good through {rowDate}]',
      group: 'money',
      row: 'quoted',
    },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working, undone }, event) {
      const { quoteId, kind, amount, date, goodThrough, recordedAt, payoffDate = date, parts = null } = event;
      working.quotes.push({
        quoteId,
        kind,
        amount,
        date,
        payoffDate,
        goodThrough,
        parts,
        recordedAt,
        received: ZERO,
        honouredOn: null,
        isVoid: countedMoneyThatLeft(undone, recordedAt),
      });
    },
    show: ({ date, amount, quoteId, kind, goodThrough }, { row }) =>
      row(date, 'quoted', amount, { reference: quoteId, detail: `${kind} to ${goodThrough}` }),
  },

  paymentSubmitted: {
    phase: 'payments',
    feed: { type: 'payment.submitted', about: 'A payment was received and allocated.' },
    line: {
      says: 'Payment {amount} received[ by {method}][, {purpose}]',
      more: '[{split} · cleared {cleared}|{split}|cleared {cleared}]',
      group: 'money',
      explains: '[payment:{reference}]',
      row: 'payment',
    },
    undo: {
      refused:
        'A payment is money and cannot be undone. Use reverse-repayment if it was posted in error, or return-repayment if it bounced.',
    },
    apply({ working, undone, acknowledged }, event) {
      const { refId } = event;
      const { status, recordedOn = null } = undone.get(refId) ?? {};
      pay(working, event, status ?? (acknowledged.has(refId) ? 'Acknowledged' : 'Submitted'), recordedOn);
    },
    show({ refId }, pen) {
      const payment = pen.payments.get(refId);
      if (payment !== undefined) showPayment(payment, pen);
    },
  },

  // All are properties of the payment, whenever they became known: the fold passes them to the payment itself. A return or reversal is not
  // inert: installments are still judged up to its day, because it may change what is known about an earlier day.
  paymentAcknowledged: {
    phase: 'payments',
    feed: { type: 'payment.acknowledged', about: 'A payment was acknowledged: its money has arrived.' },
    line: { says: 'Payment {reference} cleared', group: 'money' },
    undo: {
      refused:
        'An acknowledgement cannot be undone. If the money did not stay, use return-repayment or reverse-repayment.',
    },
    inert: true,
    show: null,
  },
  paymentReturned: {
    phase: 'payments',
    feed: { type: 'payment.returned', about: 'The money of a payment went back.' },
    line: {
      says: 'Payment [{rowAmount}|{reference}] returned[ ({code})]',
      more: '{reference}',
      group: 'money',
      tone: 'late',
      row: 'returned',
    },
    undo: { refused: 'A return cannot be undone. Record the money again with loan-repay, under a new reference.' },
    apply() {},
    show({ date, refId, code = null }, { payments, row }) {
      const amount = payments.get(refId)?.amount ?? ZERO;
      row(date, 'returned', amount, { reference: refId, detail: code ?? '', facts: { code } });
    },
  },
  paymentReversed: {
    phase: 'payments',
    feed: { type: 'payment.reversed', about: 'A payment that was posted in error was reversed.' },
    line: {
      says: 'Payment [{rowAmount}|{reference}] reversed',
      more: 'It was posted in error.',
      group: 'money',
      tone: 'late',
      row: 'reversed',
    },
    undo: { refused: 'A reversal cannot be undone. Record the money again with loan-repay, under a new reference.' },
    apply() {},
    show({ date, refId }, { payments, row }) {
      row(date, 'reversed', payments.get(refId)?.amount ?? ZERO, { reference: refId });
    },
  },
};

/**
 * A quote is net of the payments known when it was made. If one of them is returned or reversed later, the quote waives nothing: otherwise
 * it would forgive money that bounced. A payment that was returned before the quote was not counted in it.
 */
function countedMoneyThatLeft(undone: Run['undone'], quotedAt: string): boolean {
  for (const { paidAt, recordedAt } of undone.values()) {
    if (paidAt !== null && paidAt < quotedAt && recordedAt >= quotedAt) return true;
  }
  return false;
}

function showPayment(payment: Payment, { loan, lastOf, now, row }: Pen): void {
  const { date, refId, amount, allocation, purpose, method, trace } = payment;
  if (stayed(payment)) {
    now.principal -= allocation.principal;
    now.fees -= allocation.fees;
    now.credit += allocation.credit;
    now.received += amount;
  }
  row(date, 'payment', amount, {
    reference: refId,
    detail: detailOf(payment),
    allocation,
    facts: { purpose, method, trace },
  });
  if (payment.balance !== 0 || lastOf.get(date) !== payment) return;
  const quote = loan.quotes.find(({ honouredOn }) => honouredOn === date);
  if (quote === undefined) return;
  // The payment fulfilled a payoff quote: any remainder is waived.
  const givenUp = {
    ...NO_ALLOCATION,
    fees: cents(now.fees),
    interest: cents(loan.totals.interestForgiven - writtenOffSmall(loan).interest),
    principal: cents(now.principal),
  };
  now.fees = 0;
  now.principal = 0;
  const sum = givenUp.fees + givenUp.interest + givenUp.principal;
  if (sum > 0) row(date, 'givenUp', sum, { reference: quote.quoteId, allocation: givenUp });
}

const PURPOSE_SHOWN: Readonly<Record<Purpose, string>> = {
  installment: '',
  principal: 'principal only',
  insurance: 'insurance',
  sale: 'sale',
  productRefund: 'product refund',
};

function detailOf({ status, purpose, recovery }: Payment): string {
  if (status === 'Returned') return 'returned later';
  if (status === 'Reversed') return 'reversed later';
  return [PURPOSE_SHOWN[purpose], recovery ? 'recovery' : ''].filter(Boolean).join(', ');
}
