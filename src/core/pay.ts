/**
 * What a payment does: it is poured into the waterfall, costs the prepayment penalty when it ends the loan early, makes a promised
 * payoff come true, and cures a default. A returned payment stands there and does nothing.
 */
import { allocate } from './allocate.ts';
import { type Books, endStretch, feeOpen, feesOwed, interestOwed, shown, type WorkingPayment } from './books.ts';
import { type PlainDate, sharedDate } from './calendar.ts';
import { daysPastDue } from './delinquency.ts';
import type { LoanEvent } from './event.ts';
import type { PaymentStatus } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { penaltyDue } from './payoff.ts';

export function pay(
  books: Books,
  event: Extract<LoanEvent, { type: 'paymentSubmitted' }>,
  status: PaymentStatus,
): void {
  const { refId, amount, principalOnly } = event;
  const date = sharedDate(event.date);
  const payment: WorkingPayment = {
    refId,
    amount,
    date,
    principalOnly,
    recovery: books.chargeOff !== null,
    status,
    allocation: { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO },
    steps: [],
    balance: books.principal,
  };
  books.payments.push(payment);
  if (status === 'Returned') return;
  books.repaymentInitiated = true;
  endStretch(books, date);
  // Paying everything before the last due date costs the prepayment penalty, if the contract has one.
  const penalty = penaltyDue(books, date);
  allocate(books, payment);
  if (penalty > 0 && books.principal === 0) settlePenalty(books, payment, penalty);
  honour(books, payment, event.recordedAt);
  settleFromCredit(books, date);
  payment.balance = books.principal;
  // Grown by pushing, a list keeps room for sixteen more: this one lives as long as the loan does.
  payment.steps = payment.steps.slice();
  // What is owed back to the borrower was not recovered.
  if (books.chargeOff !== null) {
    books.chargeOff.recovered = cents(books.chargeOff.recovered + amount - payment.allocation.credit);
  }
  cure(books, date);
}

/** The payoff is less the borrower's credit: once that covers everything owed, it pays it, so that a loan with nothing to pay can close. */
export function settleFromCredit(books: Books, on: PlainDate): void {
  const interest = interestOwed(books, on);
  const penalty = penaltyDue(books, on);
  const owed = books.principal + interest + feesOwed(books) + penalty;
  if (owed === 0 || owed > books.credit) return;
  if (penalty > 0) addPenalty(books, `credit-${on}`, penalty, on);
  payFromCredit(books, on);
}

/** Interest, principal and fees, as far as the borrower's credit goes. */
function payFromCredit(books: Books, on: PlainDate): void {
  const { totals } = books;
  if (books.credit === 0) return;
  endStretch(books, on);
  const take = (owed: Cents): Cents => {
    const amount = owed < books.credit ? owed : books.credit;
    books.credit = cents(books.credit - amount);
    totals.credited = cents(totals.credited - amount);
    return amount;
  };
  const interest = take(books.interestEnded);
  books.interestEnded = cents(books.interestEnded - interest);
  totals.interestPaid = cents(totals.interestPaid + interest);
  const principal = take(books.principal);
  books.principal = cents(books.principal - principal);
  totals.principalPaid = cents(totals.principalPaid + principal);
  for (const fee of books.fees) {
    const amount = take(feeOpen(fee));
    fee.paid = cents(fee.paid + amount);
    totals.feesPaid = cents(totals.feesPaid + amount);
  }
}

/** A default ends when nothing is past due any more; it does not come back with the next late payment. */
export function cure(books: Books, on: PlainDate): void {
  if (books.defaultedOn !== null && daysPastDue(shown(books, on)) === 0) books.defaultedOn = null;
}

function addPenalty(books: Books, name: string, amount: Cents, date: PlainDate): void {
  const feeId = `prepayment-${name}`;
  addFee(books, { feeId, kind: 'penalty', name: 'prepayment penalty', amount, date, installment: null });
}

/** The penalty falls due with the payment that brings the principal to zero, and takes what that payment has left. */
function settlePenalty(books: Books, payment: WorkingPayment, penalty: Cents): void {
  addPenalty(books, payment.refId, penalty, payment.date);
  const fee = books.fees.at(-1) as Books['fees'][number];
  const paid = cents(Math.min(penalty, payment.allocation.credit));
  if (paid === 0) return;
  fee.paid = paid;
  const { fees, credit } = payment.allocation;
  payment.allocation = { ...payment.allocation, fees: cents(fees + paid), credit: cents(credit - paid) };
  payment.steps = payment.steps.filter(({ bucket }) => bucket !== 'credit');
  payment.steps.push({ bucket: 'due.penalty', amount: paid });
  if (credit > paid) payment.steps.push({ bucket: 'credit', amount: cents(credit - paid) });
  books.credit = cents(books.credit - paid);
  books.totals.credited = cents(books.totals.credited - paid);
  books.totals.feesPaid = cents(books.totals.feesPaid + paid);
}

/**
 * A promised amount that has arrived in time ends the loan: what is still owed is given up. Only money that came after the promise
 * counts: what was known when the quote was made, even on the same day, has lowered its figure already.
 */
function honour(books: Books, payment: WorkingPayment, recordedAt: string): void {
  for (const quote of books.quotes) {
    if (quote.honouredOn !== null || payment.date < quote.date || payment.date > quote.goodThrough) continue;
    if (recordedAt < quote.recordedAt) continue;
    quote.received = cents(quote.received + payment.amount);
    if (quote.received < quote.amount) continue;
    quote.honouredOn = payment.date;
    // The promise was made less the credit, so that is used before anything is given up.
    if (payment.allocation.credit === 0) payFromCredit(books, payment.date);
    giveBack(books, payment, quote.received - quote.amount - payment.allocation.credit);
    books.totals.principalForgiven = cents(books.totals.principalForgiven + books.principal);
    books.totals.interestForgiven = cents(books.totals.interestForgiven + books.interestEnded);
    books.principal = ZERO;
    books.interestEnded = ZERO;
    for (const fee of books.fees) waive(books, fee.feeId, feeOpen(fee));
    payment.balance = ZERO;
  }
}

/** More than was promised is not owed: what the payment paid of principal beyond the promise becomes a credit. */
function giveBack(books: Books, payment: WorkingPayment, excess: number): void {
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
  books.principal = cents(books.principal + amount);
  books.credit = cents(books.credit + amount);
  books.totals.principalPaid = cents(books.totals.principalPaid - amount);
  books.totals.credited = cents(books.totals.credited + amount);
}

export function waive(books: Books, feeId: string, amount: Cents): void {
  const fee = books.fees.find((one) => one.feeId === feeId);
  if (fee === undefined) return;
  // A fee that a later fold finds smaller, or paid, is waived as far as it is open.
  const waived = Math.min(amount, feeOpen(fee));
  fee.waived = cents(fee.waived + waived);
  books.totals.feesWaived = cents(books.totals.feesWaived + waived);
}

export function addFee(
  books: Books,
  fee: {
    feeId: string;
    kind: 'fee' | 'penalty';
    name: string;
    amount: Cents;
    date: PlainDate;
    installment: number | null;
  },
): void {
  books.fees.push({ ...fee, paid: ZERO, waived: ZERO });
  books.totals.feesAssessed = cents(books.totals.feesAssessed + fee.amount);
}
