/** What each event does to the books. */
import { type Books, endStretch, feesOwed, type WorkingInstallment } from './books.ts';
import { type PlainDate, sharedDate } from './calendar.ts';
import type { LoanEvent } from './event.ts';
import { moveInstallments, reamortize, reprice } from './modify.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { addFee, cure, pay, settleFromCredit, waive } from './pay.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';

/** Books that events are being applied to, and what goes along with them on the way. */
export type Run = {
  readonly books: Books;
  /** How many installments, in order, have been judged; from the first again after a move, which passes over those that were. */
  judged: number;
  /** Late fees that a return brought, waiting for the day it was recorded. */
  readonly lateFees: { date: PlainDate; installment: WorkingInstallment; amount: Cents }[];
  /** Payments that were returned, with the day that became known. */
  readonly returns: ReadonlyMap<string, PlainDate>;
  readonly acknowledged: ReadonlySet<string>;
};

export function apply(run: Run, event: LoanEvent): void {
  const { books } = run;
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
      open(run, event);
      return;
    case 'disbursed':
      endStretch(books, event.date);
      books.principal = cents(books.principal + event.amount);
      books.totals.disbursed = cents(books.totals.disbursed + event.amount);
      return;
    case 'paymentSubmitted':
      pay(
        books,
        event,
        run.returns.has(event.refId) ? 'Returned' : run.acknowledged.has(event.refId) ? 'Acknowledged' : 'Submitted',
      );
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
      run.judged = 0;
      cure(books, event.date);
      return;
    case 'dueDateChanged':
      moveInstallments(books, { from: event.from, to: event.to }, event.date);
      run.judged = 0;
      cure(books, event.date);
      return;
    case 'reaged':
      moveInstallments(books, { notBefore: event.date }, event.date);
      run.judged = 0;
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
        recordedAt: event.recordedAt,
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
      books.refunds.push({ refId: event.refId, amount: event.amount });
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
        principal: books.principal,
        interest: books.interestEnded,
        fees: feesOwed(books),
        collateral: event.collateral,
        recovered: ZERO,
        totals: { ...books.totals },
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
  const terms = { ...event.terms, dueDates: event.terms.dueDates.map(sharedDate) };
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
function open({ books, lateFees }: Run, event: Extract<LoanEvent, { type: 'opened' }>): void {
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
  lateFees.length = 0;
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
  const { paidThrough } = event;
  books.installments = books.installments.map((installment) =>
    paidThrough !== null && installment.dueDate <= paidThrough
      ? { ...installment, paid: installment.amount, satisfiedOn: installment.dueDate }
      : installment,
  );
}
