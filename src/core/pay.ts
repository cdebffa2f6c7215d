/**
 * What a payment does: it goes through the waterfall, costs the prepayment penalty when it ends the loan early, fulfils a payoff quote, and
 * cures a default. A returned or reversed payment is kept and does nothing.
 */
import { allocate } from './allocate.ts';
import { type PlainDate, sharedDate } from './calendar.ts';
import { daysPastDue } from './delinquency.ts';
import { type Method, type PaymentStatus, type Purpose, stayed } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { penaltyDue } from './payoff.ts';
import {
  endStretch,
  feeOpen,
  feesOwed,
  interestOwed,
  shown,
  type WorkingLoan,
  type WorkingPayment,
} from './working-loan.ts';

export function pay(
  working: WorkingLoan,
  event: {
    refId: string;
    amount: Cents;
    purpose: Purpose;
    method?: Method;
    trace?: string;
    date: PlainDate;
    recordedAt: string;
  },
  status: PaymentStatus,
): void {
  const { refId, amount, purpose, method = null, trace = null } = event;
  const date = sharedDate(event.date);
  const payment: WorkingPayment = {
    refId,
    amount,
    date,
    purpose,
    method,
    trace,
    recovery: working.chargeOff !== null,
    status,
    allocation: { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO },
    steps: [],
    balance: working.principal,
  };
  working.payments.push(payment);
  if (!stayed(payment)) return;
  working.repaymentInitiated = true;
  endStretch(working, date);
  // Paying everything before the last due date costs the prepayment penalty, if the contract has one.
  const penalty = penaltyDue(working, date);
  allocate(working, payment);
  if (penalty > 0 && working.principal === 0) settlePenalty(working, payment, penalty);
  honour(working, payment, event.recordedAt);
  settleFromCredit(working, date);
  payment.balance = working.principal;
  // Grown by pushing, a list keeps room for sixteen more: this one lives as long as the loan does.
  payment.steps = payment.steps.slice();
  // What is owed back to the borrower was not recovered.
  if (working.chargeOff !== null) {
    working.chargeOff.recovered = cents(working.chargeOff.recovered + amount - payment.allocation.credit);
  }
  cure(working, date);
}

/** The payoff is less the borrower's credit: once that covers everything owed, it pays it, so that a loan with nothing to pay can close. */
export function settleFromCredit(working: WorkingLoan, on: PlainDate): void {
  if (working.credit === 0) return;
  const interest = interestOwed(working, on);
  const penalty = penaltyDue(working, on);
  const owed = working.principal + interest + feesOwed(working) + penalty;
  if (owed === 0 || owed > working.credit) return;
  if (penalty > 0) addPenalty(working, `credit-${on}`, penalty, on);
  payFromCredit(working, on);
}

/** Interest, principal and fees, as far as the borrower's credit goes. */
function payFromCredit(working: WorkingLoan, on: PlainDate): void {
  const { totals } = working;
  if (working.credit === 0) return;
  endStretch(working, on);
  const take = (owed: Cents): Cents => {
    const amount = owed < working.credit ? owed : working.credit;
    working.credit = cents(working.credit - amount);
    totals.credited = cents(totals.credited - amount);
    return amount;
  };
  const interest = take(working.interestEnded);
  working.interestEnded = cents(working.interestEnded - interest);
  totals.interestPaid = cents(totals.interestPaid + interest);
  const principal = take(working.principal);
  working.principal = cents(working.principal - principal);
  totals.principalPaid = cents(totals.principalPaid + principal);
  for (const fee of working.fees) {
    const amount = take(feeOpen(fee));
    fee.paid = cents(fee.paid + amount);
    totals.feesPaid = cents(totals.feesPaid + amount);
  }
}

/** A default ends when nothing is past due any more; it does not come back with the next late payment. */
export function cure(working: WorkingLoan, on: PlainDate): void {
  if (working.defaultedOn !== null && daysPastDue(shown(working, on)) === 0) working.defaultedOn = null;
}

function addPenalty(working: WorkingLoan, name: string, amount: Cents, date: PlainDate): void {
  const feeId = `prepayment-${name}`;
  addFee(working, { feeId, kind: 'penalty', name: 'prepayment penalty', amount, date, installment: null });
}

/** The penalty falls due with the payment that brings the principal to zero, and takes what that payment has left. */
function settlePenalty(working: WorkingLoan, payment: WorkingPayment, penalty: Cents): void {
  addPenalty(working, payment.refId, penalty, payment.date);
  const fee = working.fees.at(-1) as WorkingLoan['fees'][number];
  const paid = cents(Math.min(penalty, payment.allocation.credit));
  if (paid === 0) return;
  fee.paid = paid;
  const { fees, credit } = payment.allocation;
  payment.allocation = { ...payment.allocation, fees: cents(fees + paid), credit: cents(credit - paid) };
  payment.steps = payment.steps.filter(({ bucket }) => bucket !== 'credit');
  payment.steps.push({ bucket: 'due.penalty', amount: paid });
  if (credit > paid) payment.steps.push({ bucket: 'credit', amount: cents(credit - paid) });
  working.credit = cents(working.credit - paid);
  working.totals.credited = cents(working.totals.credited - paid);
  working.totals.feesPaid = cents(working.totals.feesPaid + paid);
}

/**
 * A quoted amount that has arrived in time ends the loan: any remainder is waived. Only money that came after the quote counts: what was
 * known when the quote was made, even on the same day, has lowered its figure already. Where such money did not stay, nothing is waived.
 */
function honour(working: WorkingLoan, payment: WorkingPayment, recordedAt: string): void {
  for (const quote of working.quotes) {
    if (quote.isVoid || quote.honouredOn !== null) continue;
    if (payment.date < quote.date || payment.date > quote.goodThrough) continue;
    if (recordedAt < quote.recordedAt) continue;
    quote.received = cents(quote.received + payment.amount);
    if (quote.received < quote.amount) continue;
    quote.honouredOn = payment.date;
    // The quote was net of the credit, so the credit is used before anything is waived.
    if (payment.allocation.credit === 0) payFromCredit(working, payment.date);
    giveBack(working, payment, quote.received - quote.amount - payment.allocation.credit);
    working.totals.principalForgiven = cents(working.totals.principalForgiven + working.principal);
    working.totals.interestForgiven = cents(working.totals.interestForgiven + working.interestEnded);
    working.principal = ZERO;
    working.interestEnded = ZERO;
    for (const fee of working.fees) waive(working, fee.feeId, feeOpen(fee));
    payment.balance = ZERO;
  }
}

/** More than was quoted is not owed: principal that the payment paid beyond the quote becomes a credit. */
function giveBack(working: WorkingLoan, payment: WorkingPayment, excess: number): void {
  const { principal, credit } = payment.allocation;
  const amount = Math.min(excess, principal);
  if (amount <= 0) return;
  let left = amount;
  for (const step of [...payment.steps].reverse()) {
    if (!step.bucket.endsWith('.principal')) continue;
    const part = Math.min(left, step.amount);
    step.amount = cents(step.amount - part);
    left -= part;
  }
  payment.steps = payment.steps.filter((step) => step.amount > 0 && step.bucket !== 'credit');
  payment.steps.push({ bucket: 'credit', amount: cents(credit + amount) });
  payment.allocation = {
    ...payment.allocation,
    principal: cents(principal - amount),
    credit: cents(credit + amount),
  };
  working.principal = cents(working.principal + amount);
  working.credit = cents(working.credit + amount);
  working.totals.principalPaid = cents(working.totals.principalPaid - amount);
  working.totals.credited = cents(working.totals.credited + amount);
}

export function waive(working: WorkingLoan, feeId: string, amount: Cents): void {
  const fee = working.fees.find((one) => one.feeId === feeId);
  if (fee === undefined) return;
  // A fee that a later fold finds smaller, or paid, is waived as far as it is open.
  const waived = Math.min(amount, feeOpen(fee));
  fee.waived = cents(fee.waived + waived);
  working.totals.feesWaived = cents(working.totals.feesWaived + waived);
}

export function addFee(
  working: WorkingLoan,
  fee: {
    feeId: string;
    kind: 'fee' | 'penalty';
    name: string;
    amount: Cents;
    date: PlainDate;
    installment: number | null;
  },
): void {
  working.fees.push({ ...fee, paid: ZERO, waived: ZERO });
  working.totals.feesAssessed = cents(working.totals.feesAssessed + fee.amount);
}
