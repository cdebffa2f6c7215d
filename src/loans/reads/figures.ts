/** Figures of one loan that reads show beside its record, computed from its state on the day of the view. */
import { deferredOn } from '../../core/amortize.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { type Operation, TRANSITIONS } from '../../core/decide/decide.ts';
import type { Deferred } from '../../core/deferral.ts';
import { bucketOf, type DelinquencyBucket, daysPastDue, openInstallments } from '../../core/delinquency.ts';
import { type Explanation, explain, type Figure } from '../../core/explain.ts';
import { fold, foldAll, stateOn } from '../../core/fold.ts';
import { type ClosedBy, isHistory, type Loan, type LoanStatus, type Quote } from '../../core/loan.ts';
import { forgivenByService } from '../../core/military-service.ts';
import { add, type Cents, ZERO } from '../../core/money.ts';
import { type Payoff, payoff, payoffsThrough } from '../../core/payoff.ts';
import { type QUOTE_STANDINGS, quoteStandingOf } from '../../core/quote.ts';
import { formatDecimal } from '../../core/rate.ts';
import { isRefusal } from '../../core/refusal.ts';
import { outstandingOf } from '../../core/rescission.ts';
import { buildSchedule } from '../../core/schedule.ts';
import { type StatementRow, statement } from '../../core/statement.ts';
import { closedBy, isClosed, owedPrincipal } from '../../core/status.ts';
import { termsOf } from '../../core/terms.ts';
import { besideRows, type PlacedLine, unwrittenLines } from '../../ledger/beside-rows.ts';
import { type DatedLine, isPriorPeriod } from '../../ledger/journal.ts';

export { BUCKETS, delinquency } from '../../core/delinquency.ts';
export { FIGURES } from '../../core/explain.ts';
export { QUOTE_STANDINGS } from '../../core/quote.ts';
export { owedPrincipal } from '../../core/status.ts';

import type { JournalEntry } from '../ledger/ledger.ts';
import type { LoanView } from './view.ts';

/** The amounts owed on the day, item by item. */
export function payoffOf(loan: Loan): Payoff {
  return payoff(loan);
}

/** For each day from that of the view on, if nothing more happens. */
export function payoffsOf({ loan, events }: Pick<LoanView, 'loan' | 'events'>, through: PlainDate): Payoff[] {
  const folding = foldAll(events);
  return payoffsThrough((day) => stateOn(folding, day) ?? fold(events, day), loan.on, through);
}

/** The way the loan was closed; null while it is open. */
export function endedBy(loan: Loan): ClosedBy | null {
  return closedBy(loan);
}

/** The amounts still deferred of the fees and costs of making the loan, or of the discount of buying it; null: nothing was, or its owner sold the loan. */
export function deferredOf(loan: Loan): (Deferred & { readonly yield: string | null }) | null {
  const deferred = deferredOn(loan);
  if (deferred === null) return null;
  const rate = loan.deferral?.yield ?? null;
  return { ...deferred.left, yield: rate === null ? null : formatDecimal(rate) };
}

/** The price at which the loan was bought; null: it was made here, boarded without one, or sold since. */
export function purchaseShown({ purchase, boughtOn }: Loan): Loan['purchase'] {
  return boughtOn === null ? purchase : null;
}

/** Principal of a rescinded loan that has not come back yet. */
export function principalToReturn({ rescission }: Loan): Cents {
  return rescission === null ? ZERO : outstandingOf(rescission);
}

/** Military service that was reported, in the order of its days: its terms, and what it has forgiven so far. */
export function militaryServiceOf(loan: Loan): {
  serviceFrom: PlainDate;
  serviceTo: PlainDate | null;
  interestRate: string;
  inEffect: boolean;
  interestForgiven: Cents;
  feesForgiven: Cents;
}[] {
  return forgivenByService(loan).map(({ service, interest, fees }) => ({
    serviceFrom: service.from,
    serviceTo: service.to,
    interestRate: formatDecimal(service.rate),
    inEffect: service === loan.service,
    interestForgiven: interest,
    feesForgiven: fees,
  }));
}

/** The same, but before funding the amount of the loan, as long as it may still be lent. */
export function remainingBalance(loan: Loan): Cents {
  const { stage, contract } = loan;
  const isOver = stage === 'Rejected' || stage === 'Cancelled' || isHistory(loan);
  return stage === 'Funded' || isOver ? owedPrincipal(loan) : contract.amount;
}

/** By the days past due on the loan's own day. Null for loans that are not being serviced: before funding, charged off, or ended. */
export function bucketOn(loan: Loan): DelinquencyBucket | null {
  const serviced = loan.stage === 'Funded' && loan.chargeOff === null && !isClosed(loan);
  return serviced ? bucketOf(daysPastDue(loan)) : null;
}

/** The quotes, the newest first, and what became of each. */
export function quotesOf({ quotes, on }: Loan): { quote: Quote; standing: (typeof QUOTE_STANDINGS)[number] }[] {
  return quotes.map((quote) => ({ quote, standing: quoteStandingOf(quote, on) })).reverse();
}

/** Null: the line has not been posted by an event yet. */
type ShownLine = DatedLine & { readonly transactionHash: string | null; readonly priorPeriod: boolean };

/** The amounts that have accrued or fallen due since the last transaction, up to the date of the view. */
export function unwrittenOf({ loan, events }: Pick<LoanView, 'loan' | 'events'>): readonly DatedLine[] {
  return unwrittenLines(events, loan.on);
}

/**
 * Everything that moved money or terms, as it is known now, with the journal beside it; `others` are the lines that no row shows. `journal`
 * has all lines of the loan.
 */
export function statementOf(
  { loan, events, version }: Pick<LoanView, 'loan' | 'events' | 'version'>,
  { journal, unwritten }: { journal: readonly JournalEntry[]; unwritten: readonly DatedLine[] },
): { rows: (StatementRow & { readonly journal: readonly ShownLine[] })[]; others: readonly ShownLine[] } {
  const { rows } = statement(events, loan.on, loan);
  const written: PlacedLine<ShownLine>[] = journal
    .filter(({ sequence, dateEffective }) => sequence <= version && dateEffective <= loan.on)
    .map((line) => ({ line, at: line.sequence - 1 }));
  const computed = unwritten.map((line) => ({
    line: { ...line, transactionHash: null, priorPeriod: isPriorPeriod(line) },
    at: null,
  }));
  const { byRow, others } = besideRows(rows, events, [...written, ...computed]);
  return { rows: rows.map((row, i) => ({ ...row, journal: byRow[i] ?? [] })), others };
}

/** Null: the loan has no such figure. */
export function explanationOf(loan: Loan, figure: string): Explanation | null {
  return explain(loan, figure as Figure);
}

/** The statuses that each operation may start from, and the one it leads to. */
export function transitions(): { operation: Operation; from: readonly LoanStatus[]; to: string }[] {
  return (Object.keys(TRANSITIONS) as Operation[]).map((operation) => {
    const { from, to } = TRANSITIONS[operation];
    return { operation, from, to };
  });
}

export type ScheduleRow = {
  n: number;
  dueDate: PlainDate;
  amount: Cents;
  principal: Cents;
  interest: Cents;
  paid: Cents;
  open: Cents;
  pastDue: boolean;
  satisfiedOn: PlainDate | null;
};

/** The installments; before funding, as they would be if the loan were funded on that day. None are known of a loan that ended elsewhere. */
export function scheduleOf(loan: Loan) {
  const planned = loan.terms === null && !isHistory(loan);
  const rows = planned ? plannedRows(loan) : fundedRows(loan);
  const sum = (name: 'amount' | 'principal' | 'interest' | 'paid' | 'open') => add(...rows.map((row) => row[name]));
  // The last installment takes what is left, so it says nothing about the others.
  const next = rows.slice(0, -1).find(({ satisfiedOn }) => satisfiedOn === null) ?? rows[0];
  return {
    planned,
    levelPayment: next?.amount ?? null,
    rows,
    totals: {
      amount: sum('amount'),
      principal: sum('principal'),
      interest: sum('interest'),
      paid: sum('paid'),
      open: sum('open'),
    },
  };
}

/** From the day on, when an installment is due of which something is open; null: there is none, or the loan is not funded. */
export function upcomingDue(loan: Loan): PlainDate | null {
  const next = fundedRows(loan).find(({ dueDate, open, pastDue }) => open > 0 && !pastDue && dueDate >= loan.on);
  return next?.dueDate ?? null;
}

function fundedRows(loan: Loan): ScheduleRow[] {
  return openInstallments(loan).map(({ installment, open, pastDueSince }) => {
    const { n, dueDate, amount, principal, interest, paid, satisfiedOn } = installment;
    return { n, dueDate, amount, principal, interest, paid, open, pastDue: pastDueSince !== null, satisfiedOn };
  });
}

function plannedRows({ contract, on }: Loan): ScheduleRow[] {
  const terms = termsOf(contract, contract.contractDate ?? on);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  // The day may be one on which the contract's dates could not be kept any more; then there is no plan.
  if (isRefusal(schedule)) return [];
  return schedule.rows.map(({ n, dueDate, payment, principal, interest }) => ({
    n,
    dueDate,
    amount: payment,
    principal,
    interest,
    paid: ZERO,
    open: payment,
    pastDue: false,
    satisfiedOn: null,
  }));
}
