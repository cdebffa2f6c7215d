/**
 * The statement: everything that changed money or terms, in the order it took effect, with what each payment paid and what is owed after it.
 * It is read off the events and the loan they fold into, so it shows history as it is known now: a returned payment is listed and pays
 * nothing, and a late fee that a backdated payment reversed is not shown. How an event is shown is in its definition.
 */

import { BROUGHT_FEES } from './brought.ts';
import type { PlainDate } from './calendar.ts';
import { chargeOffsIn, isAfterChargeOff, isAfterRescission, KINDS, type LoanEvent, orderWith } from './event.ts';
import { showDisbursement } from './events/funding.ts';
import type { PaymentFacts, Pen, StatementKind } from './events/pen.ts';
import { fold } from './fold.ts';
import { type Allocation, type Fee, type Loan, NO_ALLOCATION } from './loan.ts';
import { overOn } from './military-service.ts';
import { type Cents, cents, formatCents } from './money.ts';
import { formatDecimal } from './rate.ts';
import { eventsInForce } from './undo.ts';

export type StatementRow = {
  readonly date: PlainDate;
  readonly kind: StatementKind;
  /** The caller's reference of a payment, refund, fee or quote. */
  readonly reference: string | null;
  readonly detail: string;
  readonly amount: Cents;
  /** The parts that a payment paid; for `givenUp`, the waived part of each. Zero for all others. */
  readonly allocation: Allocation;
  /** Principal that the borrower owes after it. */
  readonly balance: Cents;
  readonly running: Running;
  /** Present on a payment or its return; null for all others. */
  readonly facts: PaymentFacts;
  /** The event it shows; null: a date-driven change. */
  readonly event: LoanEvent | null;
};

const NO_FACTS: PaymentFacts = { purpose: null, method: null, trace: null, code: null };

/** Unpaid fees, money owed back, and all money received and not returned, so far. */
export type Running = { readonly fees: Cents; readonly credit: Cents; readonly received: Cents };

export type Statement = { readonly loan: Loan; readonly rows: readonly StatementRow[] };

/** An entry to be shown, with its position within the day. */
type Entry = { date: PlainDate; rank: number; event: LoanEvent | null; show: () => void };

/** `loan` is what the events fold into on that day. An event that was undone is not shown. */
export function statement(all: readonly LoanEvent[], on: PlainDate, loan: Loan = fold(all, on)): Statement {
  const { loan: shownLoan, events } = untilRescinded(loan, eventsInForce(all));
  return { loan, rows: rowsOf(events, on, shownLoan) };
}

/** After a rescission nothing but money happens, and the loan before it is what its rows show. */
function untilRescinded(loan: Loan, events: readonly LoanEvent[]): { loan: Loan; events: readonly LoanEvent[] } {
  const { rescission } = loan;
  if (rescission === null) return { loan, events };
  const { on, terms, fees, service, pastService, smallBalances, chargeOff, totals } = rescission.before;
  const inOrder = [...events].sort(orderWith(chargeOffsIn(events)));
  const since = inOrder.slice(inOrder.findIndex(({ type }) => type === 'rescinded') + 1);
  const isVoid = new Set(since.filter(({ type }) => !isAfterRescission(type)));
  const disbursements = (terms?.disbursements ?? []).filter(({ date }, i) => i === 0 || date <= on);
  const lent = terms === null ? null : { ...terms, disbursements };
  return {
    loan: { ...loan, terms: lent, fees, service, pastService, smallBalances, chargeOff, totals },
    events: events.filter((event) => !isVoid.has(event)),
  };
}

function rowsOf(events: readonly LoanEvent[], on: PlainDate, loan: Loan): StatementRow[] {
  const rows: StatementRow[] = [];
  const shown: { event: LoanEvent | null } = { event: null };
  const pen = penFor(loan, rows, shown);
  const firstRecorded = firstPaymentOf(events);
  const chargeOffs = chargeOffsIn(events);
  const assessed = new Map(
    events.flatMap((event) => (event.type === 'feeAssessed' ? [[event.feeId, event] as const] : [])),
  );
  const entries: Entry[] = [
    ...scheduledDisbursements(loan).map((disbursement) => ({
      date: disbursement.date,
      rank: KINDS.disbursed.rank,
      event: null,
      show: () => showDisbursement(disbursement, pen),
    })),
    ...periodsOfService(loan, events, pen),
    ...loan.fees
      .filter(({ feeId }) => feeId !== BROUGHT_FEES)
      .map((fee) => ({
        date: fee.date,
        // Late fees come before all money movements of their day.
        rank: KINDS.feeAssessed.rank - (fee.installment === null ? 0 : 0.5),
        event: assessed.get(fee.feeId) ?? null,
        show: () => showFee(fee, pen),
      })),
    ...[...events].sort(orderWith(chargeOffs)).flatMap((event) => {
      const { rank, show } = KINDS[event.type];
      if (event.date > on || show === null) return [];
      // A quote is listed below the payments of its day that were known when it was made.
      const knew =
        event.type === 'payoffQuoted' && (firstRecorded.get(event.date) ?? event.recordedAt) < event.recordedAt;
      const place = knew ? KINDS.paymentAcknowledged.rank : rank;
      return [{ date: event.date, rank: place, event, show: () => show(event, pen) }];
    }),
  ];
  const isAfter = ({ event }: Entry) => Number(event !== null && isAfterChargeOff(event, chargeOffs));
  entries.sort((a, b) => (a.date === b.date ? isAfter(a) - isAfter(b) || a.rank - b.rank : a.date < b.date ? -1 : 1));
  for (const { event, show } of entries) {
    shown.event = event;
    show();
  }
  return rows;
}

/** Writes each row with the figures at that point. */
function penFor(loan: Loan, rows: StatementRow[], shown: Readonly<{ event: LoanEvent | null }>): Pen {
  const now = { principal: 0, fees: 0, credit: 0, received: 0 };
  return {
    loan,
    payments: new Map(loan.payments.map((payment) => [payment.refId, payment])),
    lastOf: new Map(loan.payments.map((payment) => [payment.date, payment])),
    now,
    waivedLeft: new Map(loan.fees.map(({ feeId, waived }) => [feeId, waived])),
    row(date, kind, amount, { reference = null, detail = '', allocation = NO_ALLOCATION, facts = NO_FACTS } = {}) {
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
        facts: { ...NO_FACTS, ...facts },
        event: shown.event,
      });
    },
  };
}

function showFee({ date, feeId, name, amount, installment, forgiven }: Fee, { now, row }: Pen): void {
  now.fees += amount;
  let detail = installment === null ? name : `${name}, installment ${installment}`;
  if (forgiven > 0) detail = `${name}, SCRA forgave ${formatCents(forgiven)}`;
  row(date, 'fee', amount, { reference: feeId, detail });
}

/** The time at which the first payment of each day was recorded. */
function firstPaymentOf(events: readonly LoanEvent[]): ReadonlyMap<PlainDate, string> {
  const first = new Map<PlainDate, string>();
  for (const { type, date, recordedAt } of events) {
    const known = first.get(date);
    if (type === 'paymentSubmitted' && (known === undefined || recordedAt < known)) first.set(date, recordedAt);
  }
  return first;
}

/** The rate of each period of military service on its first day here, and the agreed one on the day after its last. */
function periodsOfService(loan: Loan, events: readonly LoanEvent[], { row }: Pen): Entry[] {
  const { rank } = KINDS.militaryService;
  const periods = loan.service === null ? loan.pastService : [...loan.pastService, loan.service];
  return periods.flatMap((service) => {
    const { since: date, rate, recordedAt, rateAfter } = service;
    const event = events.find((one) => one.type === 'militaryService' && one.recordedAt === recordedAt) ?? null;
    const over = overOn(service);
    const detail = `${formatDecimal(rate)} % (SCRA)`;
    const begins = { date, rank, event, show: () => row(date, 'rate', 0, { detail }) };
    if (over === null || rateAfter === null) return [begins];
    const ends = `${formatDecimal(rateAfter)} % (end of service)`;
    return [begins, { date: over, rank: 0, event: null, show: () => row(over, 'rate', 0, { detail: ends }) }];
  });
}

/** Disbursements after the first that the terms schedule. */
function scheduledDisbursements({ terms, on }: Loan): { date: PlainDate; amount: Cents }[] {
  return (terms?.disbursements ?? []).slice(1).filter(({ date }) => date <= on);
}
