/** What each event does to the loan. */

import { type PlainDate, sharedDate } from './calendar.ts';
import type { LoanEvent } from './event.ts';
import { moveInstallments, reamortize, reprice } from './modify.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { addFee, cure, pay, settleFromCredit, waive } from './pay.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule, type Schedule } from './schedule.ts';
import { endStretch, feesOwed, type WorkingInstallment, type WorkingLoan } from './working-loan.ts';

/** A loan that events are being applied to, and what goes along with it on the way. */
export type Run = {
  readonly working: WorkingLoan;
  /** How many installments, in order, have been judged; from the first again after a move, which passes over those that were. */
  judged: number;
  /** Late fees that a return brought, waiting for the day it was recorded. */
  readonly lateFees: { date: PlainDate; installment: WorkingInstallment; amount: Cents }[];
  /** Payments that were returned, with the day that became known. */
  readonly returns: ReadonlyMap<string, PlainDate>;
  readonly acknowledged: ReadonlySet<string>;
};

export function apply(run: Run, event: LoanEvent): void {
  const { working } = run;
  switch (event.type) {
    case 'created':
      return;
    case 'documentsRequested':
      working.stage = 'DocumentsRequested';
      return;
    case 'documentsVerified':
      working.stage = 'DocumentsVerified';
      return;
    case 'underwritingStarted':
      working.stage = 'UnderwritingStarted';
      return;
    case 'approved':
      working.stage = 'Approved';
      if (event.contract !== null) {
        working.contract = event.contract;
        working.rate = event.contract.rate;
      }
      return;
    case 'rejected':
      working.stage = 'Rejected';
      return;
    case 'collateralRequested':
      working.stage = 'CollateralRequested';
      return;
    case 'collateralApproved':
      working.stage = 'CollateralApproved';
      working.collateralValue = event.value;
      return;
    case 'cancelled':
      working.stage = 'Cancelled';
      return;
    case 'published':
      working.published = event.published;
      return;
    case 'funded':
      fund(working, event);
      return;
    case 'repaymentInitiated':
      working.repaymentInitiated = true;
      return;
    case 'opened':
      open(run, event);
      return;
    case 'disbursed':
      endStretch(working, event.date);
      working.principal = cents(working.principal + event.amount);
      working.totals.disbursed = cents(working.totals.disbursed + event.amount);
      return;
    case 'paymentSubmitted':
      pay(
        working,
        event,
        run.returns.has(event.refId) ? 'Returned' : run.acknowledged.has(event.refId) ? 'Acknowledged' : 'Submitted',
      );
      return;
    case 'paymentAcknowledged':
    case 'paymentReturned':
      // Both are properties of the payment, whenever they became known: see `pay`.
      return;
    case 'feeAssessed':
      addFee(working, { ...event, installment: null });
      settleFromCredit(working, event.date);
      return;
    case 'feeWaived':
      waive(working, event.feeId, event.amount);
      return;
    case 'rateChanged':
      changeRate(working, event);
      return;
    case 'extended':
      moveInstallments(working, { periods: event.periods }, event.date);
      run.judged = 0;
      cure(working, event.date);
      return;
    case 'dueDateChanged':
      moveInstallments(working, { from: event.from, to: event.to }, event.date);
      run.judged = 0;
      cure(working, event.date);
      return;
    case 'reaged':
      moveInstallments(working, { notBefore: event.date }, event.date);
      run.judged = 0;
      cure(working, event.date);
      return;
    case 'reamortized':
      reamortize(working, event.date);
      return;
    case 'payoffQuoted':
      working.quotes.push({
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
      const covered = Math.min(event.amount, working.credit);
      working.credit = cents(working.credit - covered);
      if (covered < event.amount) endStretch(working, event.date);
      working.principal = cents(working.principal + event.amount - covered);
      working.refunds.push({ refId: event.refId, amount: event.amount });
      working.totals.refunded = cents(working.totals.refunded + event.amount);
      return;
    }
    case 'delinquencyNoted':
    case 'reminderDue':
      return;
    case 'defaulted':
      // A payment or an extension that became known later may leave nothing past due on that day.
      working.defaultedOn = event.date;
      cure(working, event.date);
      return;
    case 'chargedOff':
      endStretch(working, event.date);
      // A later fold may find the loan paid off by then: there is nothing to charge off.
      if (working.principal === 0 && working.interestEnded === 0 && feesOwed(working) === 0) return;
      working.chargeOff = {
        date: event.date,
        principal: working.principal,
        interest: working.interestEnded,
        fees: feesOwed(working),
        collateral: event.collateral,
        recovered: ZERO,
        totals: { ...working.totals },
      };
      working.accruing = working.policy.accrueAfterChargeOff;
      return;
  }
}

function changeRate(working: WorkingLoan, { date, rate, why }: Extract<LoanEvent, { type: 'rateChanged' }>): void {
  endStretch(working, date);
  working.rate = rate;
  working.rates.push({ from: date, rate });
  if (why === 'scra') reprice(working, date);
}

function fund(working: WorkingLoan, event: Extract<LoanEvent, { type: 'funded' }>): void {
  const terms = { ...event.terms, dueDates: event.terms.dueDates.map(sharedDate) };
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) throw new Error(`The terms of a funded loan give no schedule: ${schedule.detail}`);
  const first = terms.disbursements[0] as { date: PlainDate; amount: Cents };
  working.stage = 'Funded';
  working.terms = terms;
  working.fundedOn = event.date;
  working.rate = terms.rate;
  working.rates = [{ from: first.date, rate: terms.rate }];
  working.principal = first.amount;
  working.totals.disbursed = first.amount;
  working.accruing = true;
  working.stretchSince = terms.interestStart > first.date ? terms.interestStart : first.date;
  working.installments = installmentsOf(schedule);
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
function open({ working, lateFees }: Run, event: Extract<LoanEvent, { type: 'opened' }>): void {
  working.openedOn = event.date;
  working.totals.disbursed = cents(working.totals.disbursed - working.principal + event.principal);
  working.principal = event.principal;
  working.interestEnded = event.interest;
  working.totals.opened = cents(event.interest + event.fees);
  working.stretches = [];
  working.totals.interestAccrued = ZERO;
  working.totals.feesAssessed = ZERO;
  working.stretchSince = event.date;
  working.fees = [];
  lateFees.length = 0;
  if (event.fees > 0) {
    working.fees.push({
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
  working.installments = working.installments.map((installment) =>
    paidThrough !== null && installment.dueDate <= paidThrough
      ? { ...installment, paid: installment.amount, satisfiedOn: installment.dueDate }
      : installment,
  );
}
