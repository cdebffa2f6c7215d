/**
 * The position of a loan on a date: what it is, what is owed, and what has flowed in the month up to that date. Everything is read from the
 * loan folded to the date, so a position is the same whoever computes it and whenever.
 *
 * The flows of a month tie: opening principal + disbursed − principal received − forgiven is the principal on the date, or what was charged
 * off in the month. With its charge-off a loan leaves the balance: from then on all money is `recovered` and in no other flow, and what the
 * borrower still owes is counted apart by the status.
 */
import { bookFiguresOf } from '../core/books.ts';
import { lastOfMonth, type PlainDate } from '../core/calendar.ts';
import { recoveredNet } from '../core/charged-off.ts';
import { daysPastDue } from '../core/delinquency.ts';
import type { Installment, Loan, LoanStatus, MonthBegun, Rescission } from '../core/loan.ts';
import { formatDecimal } from '../core/rate.ts';
import { isClosed, statusOf } from '../core/status.ts';

/** Cents, in the month up to the date. */
export type Flows = {
  /** Principal at the end of the month before. */
  readonly openingPrincipal: number;
  /**
   * Principal lent, boarded or bought; also a refund that turned out to be uncovered, which is owed again. For a loan that was sold or
   * rescinded: less the principal that has left the balance.
   */
  readonly disbursed: number;
  readonly principalReceived: number;
  readonly interestReceived: number;
  readonly feesReceived: number;
  /**
   * The part of the principal received that brought the loan further ahead of its installments than when the month began, or was paid
   * beside them.
   */
  readonly unscheduledPrincipal: number;
  /** Principal on the day of the charge-off, whatever the collateral is worth. */
  readonly chargedOff: number;
  /** All money after the charge-off, of the collateral too, less what is owed back. */
  readonly recovered: number;
  readonly forgiven: number;
  /** Money of payments that were recorded in an earlier month and returned or reversed in this one. */
  readonly returned: number;
  /** Money of payments that were recorded in the month and took effect in an earlier one. */
  readonly receivedLate: number;
  /** Installments due, and the principal in them. */
  readonly scheduled: number;
  readonly scheduledPrincipal: number;
};

/** The state of a loan on a date, whatever happened in the month. */
export type Standing = {
  readonly fundedOn: PlainDate | null;
  /** The first day of the month of funding; of a boarded loan, of its contract. */
  readonly vintage: PlainDate | null;
  /** Principal lent by then, or boarded. */
  readonly original: number;
  /** Percent a year in force, as text. */
  readonly rate: string;
  /** Installments that are not fully paid; none when nothing is owed. */
  readonly remaining: number;
};

export type Position = Standing &
  Flows & {
    readonly status: LoanStatus;
    readonly daysPastDue: number;
    /** The day from which the books count interest only when it is received. */
    readonly nonAccrualSince: PlainDate | null;
    /** The principal that the borrower owes, also after a charge-off. */
    readonly principal: number;
    /** The amounts in the books: no interest in non-accrual, and neither interest nor fees after a charge-off. */
    readonly interest: number;
    readonly fees: number;
    readonly credits: number;
    /** The day on which they last rose from zero. */
    readonly creditSince: PlainDate | null;
    /** Principal that the books keep of a charged-off loan: what its collateral covers. */
    readonly kept: number;
  };

/** The position of a loan on its own day; `null`: none, because the loan is not funded, or because it ended in an earlier month and nothing is left of it in the books. */
export function positionOf(loan: Loan): Position | null {
  if (!isServiced(loan)) return null;
  const { loanPrincipal, interestReceivable, accruedInterest, feeReceivable, borrowerCredits } = bookFiguresOf(loan);
  return {
    ...standingOf(loan),
    ...flowsOf(loan),
    status: statusOf(loan),
    daysPastDue: daysPastDue(loan),
    nonAccrualSince: loan.nonAccrualSince,
    principal: loan.principal,
    interest: interestReceivable + accruedInterest,
    fees: feeReceivable,
    credits: borrowerCredits,
    creditSince: loan.creditSince,
    kept: loan.chargeOff === null ? 0 : loanPrincipal,
  };
}

/**
 * Funded, and neither closed nor rescinded since an earlier month: in the month in which it closes, or something happens to it afterwards, it still counts, and
 * then for as long as the books carry anything of it, such as a credit that is owed back.
 */
function isServiced(loan: Loan): boolean {
  if (loan.stage !== 'Funded' && loan.rescission === null) return false;
  const isOver = loan.rescission !== null || isClosed(loan);
  return loan.month.of === monthOf(loan.on) || !isOver || isOnBooks(loan);
}

function isOnBooks(loan: Loan): boolean {
  const { loanPrincipal, interestReceivable, accruedInterest, feeReceivable, borrowerCredits } = bookFiguresOf(loan);
  return [loanPrincipal, interestReceivable, accruedInterest, feeReceivable, borrowerCredits].some(
    (amount) => amount !== 0,
  );
}

export function standingOf(loan: Loan): Standing {
  const { fundedOn, openedOn, contract, totals, rate, installments, stage, principal } = loan;
  const begun = openedOn === null ? fundedOn : (contract.contractDate ?? fundedOn);
  let remaining = 0;
  if (stage === 'Funded' && principal > 0) {
    for (const { satisfiedOn } of installments) if (satisfiedOn === null) remaining += 1;
  }
  return {
    fundedOn,
    vintage: begun === null ? null : (`${monthOf(begun)}-01` as PlainDate),
    original: totals.disbursed,
    rate: formatDecimal(rate),
    remaining,
  };
}

/** The last month in which something happened to a loan, by its first day, and its flows with everything that is scheduled by its end. */
export function lastFlowsOf(loan: Loan): { month: PlainDate; flows: Flows } {
  const month = loan.month.of === '' ? monthOf(loan.on) : loan.month.of;
  const first = `${month}-01` as PlainDate;
  return { month: first, flows: flowsBetween(loan, loan.month, { month, until: lastOfMonth(first) }) };
}

/** The flows of the month of the loan's day. If nothing has happened in it, it began as the loan is. */
function flowsOf(loan: Loan): Flows {
  const month = monthOf(loan.on);
  return flowsBetween(loan, loan.month.of === month ? loan.month : loan, { month, until: loan.on });
}

type Beginning = Omit<MonthBegun, 'of'>;
/** Installments count as scheduled up to a day of the month. */
type InMonth = { readonly month: string; readonly until: PlainDate };

function flowsBetween(loan: Loan, begun: Beginning, when: InMonth): Flows {
  const { chargeOff, stage } = loan;
  if (loan.rescission !== null) return untilRescinded(loan, loan.rescission, begun, when);
  const recovered = recoveredOf(loan) - recoveredOf(begun);
  if (stage !== 'Funded' || begun.chargeOff !== null)
    return { ...NO_FLOWS, recovered, ...cashBeside(loan, when.month) };
  const { principal, totals } = chargeOff ?? loan;
  const principalReceived = totals.principalPaid - begun.totals.principalPaid;
  const forgiven = totals.principalForgiven - begun.totals.principalForgiven;
  return {
    openingPrincipal: begun.principal,
    disbursed: principal - begun.principal + principalReceived + forgiven,
    principalReceived,
    interestReceived: totals.interestPaid - begun.totals.interestPaid,
    feesReceived: totals.feesPaid - begun.totals.feesPaid,
    unscheduledPrincipal: Math.min(principalReceived, beyondSchedule(loan, begun, when.month)),
    chargedOff: chargeOff?.principal ?? 0,
    recovered,
    forgiven,
    ...cashBeside(loan, when.month),
    ...scheduledOf(loan, when),
  };
}

/** The flows until the rescission, which takes the principal out of the balance. */
function untilRescinded(loan: Loan, { date, before }: Rescission, begun: Beginning, when: InMonth): Flows {
  const beside = cashBeside(loan, when.month);
  if (monthOf(date) !== when.month) return { ...NO_FLOWS, ...beside };
  const flows = flowsBetween(before, begun, { ...when, until: date < when.until ? date : when.until });
  const gone = before.chargeOff === null ? before.principal : 0;
  return { ...flows, disbursed: flows.disbursed - gone, ...beside };
}

export const NO_FLOWS: Flows = {
  openingPrincipal: 0,
  disbursed: 0,
  principalReceived: 0,
  interestReceived: 0,
  feesReceived: 0,
  unscheduledPrincipal: 0,
  chargedOff: 0,
  recovered: 0,
  forgiven: 0,
  returned: 0,
  receivedLate: 0,
  scheduled: 0,
  scheduledPrincipal: 0,
};

/** Money that came in or went back in a month and belongs to earlier ones: the flows of those have it, or have it no longer. */
function cashBeside({ payments }: Loan, month: string): Pick<Flows, 'returned' | 'receivedLate'> {
  let returned = 0;
  let receivedLate = 0;
  for (const { amount, date, recordedOn, undoneOn } of payments) {
    const recorded = monthOf(recordedOn);
    if (undoneOn !== null && monthOf(undoneOn) === month && recorded < month) returned += amount;
    if (undoneOn === null && recorded === month && monthOf(date) < month) receivedLate += amount;
  }
  return { returned, receivedLate };
}

function monthOf(day: PlainDate): string {
  return day.slice(0, 7);
}

function recoveredOf({ totals, chargeOff }: Beginning): number {
  return chargeOff === null ? 0 : recoveredNet({ totals }, chargeOff);
}

/** Nothing is scheduled any more after a charge-off, nor what was due before an earlier servicer's figures were taken over. */
function scheduledOf(
  { openedOn, installments, chargeOff }: Loan,
  { month, until }: InMonth,
): Pick<Flows, 'scheduled' | 'scheduledPrincipal'> {
  const last = chargeOff !== null && chargeOff.date < until ? chargeOff.date : until;
  let scheduled = 0;
  let scheduledPrincipal = 0;
  for (const { dueDate, amount, principal } of installments) {
    if (dueDate > last || monthOf(dueDate) !== month || (openedOn !== null && dueDate <= openedOn)) continue;
    scheduled += amount;
    scheduledPrincipal += principal;
  }
  return { scheduled, scheduledPrincipal };
}

/**
 * Money pays the oldest installments first, so what is beyond those due by the end of a month was paid ahead; other money is beside the
 * installments. It counts as far as the loan got further ahead in the month: whoever paid an installment ahead once and has paid one a month
 * since prepays nothing any more. It is measured by money, not by the balance of the schedule: whoever pays an installment some days early or
 * late pays another part of it as interest, and prepays nothing.
 */
function beyondSchedule({ totals, chargeOff, installments }: Loan, begun: Beginning, month: string): number {
  let beyond = (chargeOff?.totals ?? totals).besideInstallments - begun.totals.besideInstallments;
  for (let i = installments.length - 1; i >= 0; i--) {
    const { n, dueDate, paid } = installments[i] as Installment;
    if (monthOf(dueDate) < month) break;
    if (paid === 0) continue;
    const before = begun.installments.find((one) => one.n === n);
    if (monthOf(dueDate) > month) beyond += paid - (before?.paid ?? 0);
    // Paid ahead in an earlier month, and due in this one.
    else if (before !== undefined && monthOf(before.dueDate) >= month) beyond -= before.paid;
  }
  return Math.max(0, beyond);
}
