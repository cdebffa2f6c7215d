/** Payments: submitted, acknowledged or returned, and the quotes of what pays a loan off. */
import type { PlainDate } from '../calendar.ts';
import { NO_ALLOCATION, type Payment } from '../loan.ts';
import { type Cents, cents, ZERO } from '../money.ts';
import { pay } from '../pay.ts';
import type { EventFamily } from './definition.ts';
import type { Pen } from './pen.ts';

export type PaymentFact =
  | {
      readonly type: 'payoffQuoted';
      readonly quoteId: string;
      readonly kind: 'payoff' | 'settlement';
      readonly amount: Cents;
      readonly goodThrough: PlainDate;
    }
  | {
      readonly type: 'paymentSubmitted';
      readonly refId: string;
      readonly amount: Cents;
      readonly principalOnly: boolean;
    }
  | { readonly type: 'paymentAcknowledged'; readonly refId: string }
  | { readonly type: 'paymentReturned'; readonly refId: string };

export const paymentEvents: EventFamily<PaymentFact> = {
  payoffQuoted: {
    phase: 'quotes',
    apply({ working }, { quoteId, kind, amount, date, goodThrough, recordedAt }) {
      working.quotes.push({
        quoteId,
        kind,
        amount,
        date,
        goodThrough,
        recordedAt,
        received: ZERO,
        honouredOn: null,
      });
    },
    show: ({ date, amount, quoteId, kind, goodThrough }, { row }) =>
      row(date, 'quoted', amount, { reference: quoteId, detail: `${kind} to ${goodThrough}` }),
  },

  paymentSubmitted: {
    phase: 'payments',
    apply({ working, returns, acknowledged }, event) {
      const { refId } = event;
      pay(working, event, returns.has(refId) ? 'Returned' : acknowledged.has(refId) ? 'Acknowledged' : 'Submitted');
    },
    show({ refId }, pen) {
      const payment = pen.payments.get(refId);
      if (payment !== undefined) showPayment(payment, pen);
    },
  },

  // Both are properties of the payment, whenever they became known: the fold passes them to the payment itself. A return is not inert:
  // installments are still judged up to its day, because it may change what is known of an earlier day.
  paymentAcknowledged: { phase: 'payments', inert: true, show: null },
  paymentReturned: {
    phase: 'payments',
    apply() {},
    show({ date, refId }, { payments, row }) {
      const amount = payments.get(refId)?.amount ?? ZERO;
      row(date, 'returned', amount, { reference: refId });
    },
  },
};

function showPayment(payment: Payment, { loan, lastOf, now, row }: Pen): void {
  const { date, refId, amount, allocation, status, principalOnly, recovery } = payment;
  if (status !== 'Returned') {
    now.principal -= allocation.principal;
    now.fees -= allocation.fees;
    now.credit += allocation.credit;
    now.received += amount;
  }
  const detail =
    status === 'Returned' ? 'returned later' : principalOnly ? 'principal only' : recovery ? 'recovery' : '';
  row(date, 'payment', amount, { reference: refId, detail, allocation });
  if (payment.balance !== 0 || lastOf.get(date) !== payment) return;
  const quote = loan.quotes.find(({ honouredOn }) => honouredOn === date);
  if (quote === undefined) return;
  // The payment fulfilled a payoff quote: any remainder is waived.
  const givenUp = {
    ...NO_ALLOCATION,
    fees: cents(now.fees),
    interest: loan.totals.interestForgiven,
    principal: cents(now.principal),
  };
  now.fees = 0;
  now.principal = 0;
  const sum = givenUp.fees + givenUp.interest + givenUp.principal;
  if (sum > 0) row(date, 'givenUp', sum, { reference: quote.quoteId, allocation: givenUp });
}
