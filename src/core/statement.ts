/**
 * The statement: everything that moved money or terms, in the order it took effect, with what each payment paid and what is owed after
 * it. It is read off the events and the loan they fold into, so it shows history as it is known now: a returned payment stands there
 * and pays nothing, a late fee that a backdated payment took back is gone.
 */
import type { PlainDate } from './calendar.ts';
import { DAY_ORDER, type EventType, inOrder, type LoanEvent } from './event.ts';
import { fold } from './fold.ts';
import type { Allocation, Fee, Loan, Payment } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { formatDecimal } from './rate.ts';

export type StatementKind =
  | 'funded'
  | 'takenOver'
  | 'disbursed'
  | 'payment'
  | 'returned'
  | 'givenUp'
  | 'fee'
  | 'waived'
  | 'rate'
  | 'moved'
  | 'reamortized'
  | 'quoted'
  | 'refunded'
  | 'defaulted'
  | 'chargedOff';

export type StatementRow = {
  readonly date: PlainDate;
  readonly kind: StatementKind;
  /** The caller's reference of a payment, refund, fee or quote. */
  readonly reference: string | null;
  readonly detail: string;
  readonly amount: Cents;
  /** What a payment paid; for `givenUp`, what was forgiven of each. Nothing for all others. */
  readonly allocation: Allocation;
  /** Principal that the borrower owes after it. */
  readonly balance: Cents;
  readonly running: Running;
};

/** Unpaid fees, money owed back, and all money received and not returned, so far. */
export type Running = { readonly fees: Cents; readonly credit: Cents; readonly received: Cents };

export type Statement = { readonly loan: Loan; readonly rows: readonly StatementRow[] };

const NOTHING: Allocation = { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO };

/** Something to be shown, with its place within the day. */
type Entry = { date: PlainDate; rank: number; show: () => void };

export function statement(events: readonly LoanEvent[], on: PlainDate): Statement {
  const loan = fold(events, on);
  const rows: StatementRow[] = [];
  const now = { principal: 0, fees: 0, credit: 0, received: 0 };
  const waivedLeft = new Map(loan.fees.map(({ feeId, waived }) => [feeId, waived as number]));

  const entries: Entry[] = [
    ...scheduledDisbursements(loan).map(({ date, amount }) => entry(date, 'disbursed', () => disbursed(date, amount))),
    ...loan.fees
      .filter(({ feeId }) => feeId !== 'opening')
      .map((fee) =>
        // Late fees come before everything else that money can do on their day.
        entry(fee.date, 'feeAssessed', () => charged(fee), fee.installment === null ? 0 : -0.5),
      ),
    ...[...events].sort(inOrder).flatMap((event) => {
      const show = shower(event);
      if (event.date > on || show === null) return [];
      // A quote stands below the payments of its day that it knew.
      const knew = event.type === 'payoffQuoted' && events.some((one) => precedes(one, event));
      return [entry(event.date, knew ? 'paymentAcknowledged' : event.type, show)];
    }),
  ];
  entries.sort((a, b) => (a.date === b.date ? a.rank - b.rank : a.date < b.date ? -1 : 1));
  for (const { show } of entries) show();
  return { loan, rows };

  function entry(date: PlainDate, type: EventType, show: () => void, nudge = 0): Entry {
    return { date, rank: DAY_ORDER.indexOf(type) + nudge, show };
  }

  function row(
    date: PlainDate,
    kind: StatementKind,
    amount: number,
    more: { reference?: string; detail?: string; allocation?: Allocation } = {},
  ): void {
    const { reference = null, detail = '', allocation = NOTHING } = more;
    const running = { fees: cents(now.fees), credit: cents(now.credit), received: cents(now.received) };
    rows.push({
      date,
      kind,
      reference,
      detail,
      amount: cents(amount),
      allocation,
      balance: cents(now.principal),
      running,
    });
  }

  function disbursed(date: PlainDate, amount: Cents): void {
    now.principal += amount;
    row(date, 'disbursed', amount);
  }

  function charged({ date, feeId, name, amount, installment }: Fee): void {
    now.fees += amount;
    const detail = installment === null ? name : `${name}, installment ${installment}`;
    row(date, 'fee', amount, { reference: feeId, detail });
  }

  function paid(payment: Payment): void {
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
    const quote = loan.quotes.find(({ honouredOn }) => honouredOn === date);
    if (quote === undefined || payment.balance !== 0 || loan.payments.findLast((one) => one.date === date) !== payment)
      return;
    const givenUp = {
      ...NOTHING,
      fees: cents(now.fees),
      interest: loan.totals.interestForgiven,
      principal: cents(now.principal),
    };
    now.fees = 0;
    now.principal = 0;
    const sum = givenUp.fees + givenUp.interest + givenUp.principal;
    if (sum > 0) row(date, 'givenUp', sum, { reference: quote.quoteId, allocation: givenUp });
  }

  /** What an event adds to the statement; null for those that move neither money nor terms. */
  function shower(event: LoanEvent): (() => void) | null {
    const { date } = event;
    switch (event.type) {
      case 'funded':
        return () => {
          now.principal = event.terms.disbursements[0]?.amount ?? 0;
          row(date, 'funded', now.principal);
        };
      case 'opened':
        return () => {
          now.principal = event.principal;
          now.fees = event.fees;
          const allocation = { ...NOTHING, fees: event.fees, interest: event.interest, principal: event.principal };
          row(date, 'takenOver', event.principal + event.interest + event.fees, { allocation });
        };
      case 'disbursed':
        return () => disbursed(date, event.amount);
      case 'paymentSubmitted': {
        const payment = loan.payments.find(({ refId }) => refId === event.refId);
        return payment === undefined ? null : () => paid(payment);
      }
      case 'paymentReturned': {
        const amount = loan.payments.find(({ refId }) => refId === event.refId)?.amount ?? ZERO;
        return () => row(date, 'returned', amount, { reference: event.refId });
      }
      case 'feeWaived':
        return () => {
          // A fold that finds less open waives less.
          const left = waivedLeft.get(event.feeId) ?? 0;
          const amount = Math.min(left, event.amount);
          waivedLeft.set(event.feeId, left - amount);
          now.fees -= amount;
          row(date, 'waived', amount, { reference: event.feeId });
        };
      case 'rateChanged':
        return () =>
          row(date, 'rate', 0, { detail: `${formatDecimal(event.rate)} %${event.why === 'scra' ? ' (SCRA)' : ''}` });
      case 'extended':
        return () => row(date, 'moved', 0, { detail: `extended by ${event.periods}` });
      case 'dueDateChanged':
        return () => row(date, 'moved', 0, { detail: `next due ${event.to}` });
      case 'reaged':
        return () => row(date, 'moved', 0, { detail: 're-aged' });
      case 'reamortized':
        return () => row(date, 'reamortized', 0);
      case 'payoffQuoted':
        return () =>
          row(date, 'quoted', event.amount, {
            reference: event.quoteId,
            detail: `${event.kind} to ${event.goodThrough}`,
          });
      case 'creditRefunded':
        return () => {
          const covered = Math.min(event.amount, now.credit);
          now.credit -= covered;
          now.principal += event.amount - covered;
          row(date, 'refunded', event.amount, { reference: event.refId });
        };
      case 'defaulted':
        return () => row(date, 'defaulted', 0);
      case 'chargedOff':
        return () => {
          const { principal = ZERO, interest = ZERO, fees = ZERO } = loan.chargeOff ?? {};
          const allocation = { ...NOTHING, fees, interest, principal };
          row(date, 'chargedOff', principal + interest + fees, { allocation });
        };
      default:
        return null;
    }
  }
}

function precedes(one: LoanEvent, quote: LoanEvent): boolean {
  return one.type === 'paymentSubmitted' && one.date === quote.date && one.recordedAt < quote.recordedAt;
}

/** Disbursements after the first that the terms name themselves. */
function scheduledDisbursements({ terms, on }: Loan): { date: PlainDate; amount: Cents }[] {
  return (terms?.disbursements ?? []).slice(1).filter(({ date }) => date <= on);
}
