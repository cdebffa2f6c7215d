/**
 * The effects of a payment: it goes through the waterfall, incurs the prepayment penalty when it ends the loan early, fulfils a payoff
 * quote, and cures a default. A returned or reversed payment is kept without effect.
 */

import { allocate, type FeePaid, isProceeds } from './allocate.ts';
import { broughtOf } from './brought.ts';
import { type PlainDate, sharedDate } from './calendar.ts';
import { keptOf } from './charged-off.ts';
import { daysPastDue } from './delinquency.ts';
import { type Method, type PaymentStatus, type Purpose, stayed } from './loan.ts';
import { feeRoom } from './military-service.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { penaltyDue } from './payoff.ts';
import { bringBack } from './rescission.ts';
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
    recordedOn: PlainDate;
    recordedAt: string;
  },
  status: PaymentStatus,
  undoneOn: PlainDate | null,
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
    recordedOn: sharedDate(event.recordedOn),
    undoneOn,
    allocation: { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO },
    steps: [],
    balance: working.principal,
  };
  working.payments.push(payment);
  working.references += `${refId}\n`;
  if (!stayed(payment)) return;
  if (working.rescission !== null) {
    working.credit = cents(working.credit + bringBack(working, payment));
    return;
  }
  working.repaymentInitiated = true;
  endStretch(working, date);
  // Paying off before the last due date incurs the prepayment penalty, if the contract has one.
  const penalty = penaltyDue(working, date);
  const feesPaid = allocate(working, payment);
  if (penalty > 0 && working.principal === 0) feesPaid.push(...settlePenalty(working, payment, penalty));
  honour(working, { payment, feesPaid, recordedAt: event.recordedAt });
  settleFromCredit(working, date);
  payment.balance = working.principal;
  // An array that grows by push keeps capacity for sixteen more: this one stays in memory as long as the loan.
  payment.steps = payment.steps.slice();
  // Money owed back to the borrower was not recovered.
  if (working.chargeOff !== null) {
    working.chargeOff.recovered = cents(working.chargeOff.recovered + amount - payment.allocation.credit);
  }
  cure(working, date);
}

/** The payoff is less the borrower's credit: once that covers everything owed, it is applied, so that a loan with nothing to pay can close. */
export function settleFromCredit(working: WorkingLoan, on: PlainDate): void {
  if (working.credit === 0) return;
  const interest = interestOwed(working, on);
  const penalty = penaltyDue(working, on);
  const owed = working.principal + interest + feesOwed(working) + penalty;
  if (owed === 0 || owed > working.credit) return;
  if (penalty > 0) addPenalty(working, `credit-${on}`, penalty, on);
  payFromCredit(working, on);
}

/** Interest, principal and fees, up to the borrower's credit. */
export function payFromCredit(working: WorkingLoan, on: PlainDate): void {
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

/**
 * A default for what was past due ends when nothing is past due any more; the next late payment does not restore it. A default on another
 * ground does not end by payments.
 */
export function cure(working: WorkingLoan, on: PlainDate): void {
  if (working.defaultGround !== 'pastDue' || daysPastDue(shown(working, on)) > 0) return;
  working.defaultedOn = null;
  working.defaultGround = null;
}

function addPenalty(working: WorkingLoan, name: string, amount: Cents, date: PlainDate): void {
  const feeId = `prepayment-${name}`;
  addFee(working, { feeId, kind: 'penalty', name: 'prepayment penalty', amount, date, installment: null });
}

/** The penalty falls due with the payment that brings the principal to zero, and takes what that payment has left. */
function settlePenalty(working: WorkingLoan, payment: WorkingPayment, penalty: Cents): FeePaid[] {
  addPenalty(working, payment.refId, penalty, payment.date);
  const fee = working.fees.at(-1) as WorkingLoan['fees'][number];
  const paid = cents(Math.min(penalty, payment.allocation.credit));
  if (paid === 0) return [];
  fee.paid = paid;
  const { fees, credit } = payment.allocation;
  payment.allocation = { ...payment.allocation, fees: cents(fees + paid), credit: cents(credit - paid) };
  payment.steps = payment.steps.filter(({ bucket }) => bucket !== 'credit');
  payment.steps.push({ bucket: 'due.penalty', amount: paid });
  if (credit > paid) payment.steps.push({ bucket: 'credit', amount: cents(credit - paid) });
  working.credit = cents(working.credit - paid);
  working.totals.credited = cents(working.totals.credited - paid);
  working.totals.feesPaid = cents(working.totals.feesPaid + paid);
  return [{ fee, amount: paid }];
}

/**
 * A quoted amount that has arrived in time ends the loan: any remainder is waived. Only money that came after the quote counts: what was
 * known when the quote was made, even on the same day, has already reduced its amount. Where such money was
 * returned or reversed, nothing is waived.
 *
 * A payment honours one quote: of those that it completes, the one with the highest amount. So a borrower who pays the payoff in full
 * has not accepted a settlement that is also open. The others are void: the loan has ended, and what it may owe later was not in them.
 */
function honour(
  working: WorkingLoan,
  { payment, feesPaid, recordedAt }: { payment: WorkingPayment; feesPaid: readonly FeePaid[]; recordedAt: string },
): void {
  let met: WorkingLoan['quotes'][number] | null = null;
  for (const quote of working.quotes) {
    if (quote.isVoid || quote.honouredOn !== null) continue;
    if (payment.date < quote.date || payment.date > quote.goodThrough) continue;
    if (recordedAt < quote.recordedAt) continue;
    // A settlement is the borrower's promise: money from the collateral or an insurer does not fulfil it.
    if (quote.kind === 'settlement' && isProceeds(payment.purpose)) continue;
    quote.received = cents(quote.received + payment.amount);
    if (quote.received >= quote.amount && quote.amount > (met?.amount ?? 0)) met = quote;
  }
  if (met === null) return;
  voidOpenQuotes(working, { date: payment.date, recordedAt });
  met.isVoid = false;
  met.honouredOn = payment.date;
  // The quote was net of the credit, so the credit is used before anything is waived.
  if (payment.allocation.credit === 0) payFromCredit(working, payment.date);
  const excess = met.received - met.amount - payment.allocation.credit;
  if (excess > 0 && !isProceeds(payment.purpose)) giveBack(working, { payment, feesPaid, excess });
  const { totals, chargeOff } = working;
  // Nothing is kept for a debt that has ended, whatever is lent again later.
  if (chargeOff !== null) chargeOff.givenUp = cents(chargeOff.givenUp + keptOf(working, chargeOff));
  totals.broughtForgiven = cents(totals.broughtForgiven + Math.min(broughtOf(working).interest, working.interestEnded));
  totals.principalForgiven = cents(totals.principalForgiven + working.principal);
  totals.interestForgiven = cents(totals.interestForgiven + working.interestEnded);
  working.principal = ZERO;
  working.interestEnded = ZERO;
  for (const fee of working.fees) waive(working, fee.feeId, feeOpen(fee));
  payment.balance = ZERO;
}

/** Those that could still be honoured on a day, as far as they were made by a moment. */
export function voidOpenQuotes(
  { quotes }: WorkingLoan,
  { date, recordedAt }: { date: PlainDate; recordedAt: string },
): void {
  for (const quote of quotes) {
    if (quote.honouredOn === null && quote.goodThrough >= date && quote.recordedAt <= recordedAt) quote.isVoid = true;
  }
}

/** More than was quoted is not owed: the excess over the quote, taken from what the payment paid last, becomes a credit. */
function giveBack(
  working: WorkingLoan,
  { payment, feesPaid, excess }: { payment: WorkingPayment; feesPaid: readonly FeePaid[]; excess: number },
): void {
  const back = { fees: 0, interest: 0, principal: 0 };
  let left = excess;
  const kept = payment.steps.filter(({ bucket }) => bucket !== 'credit').reverse();
  const steps = kept.map(({ bucket, amount }) => {
    const part = Math.min(left, amount);
    left -= part;
    if (bucket.endsWith('.principal')) back.principal += part;
    else if (bucket.endsWith('.interest')) back.interest += part;
    else back.fees += part;
    return { bucket, amount: cents(amount - part) };
  });
  const { fees, interest, principal, credit } = payment.allocation;
  payment.steps = steps.reverse().filter(({ amount }) => amount > 0);
  payment.steps.push({ bucket: 'credit', amount: cents(credit + excess) });
  payment.allocation = {
    fees: cents(fees - back.fees),
    interest: cents(interest - back.interest),
    principal: cents(principal - back.principal),
    credit: cents(credit + excess),
  };
  let feesBack = back.fees;
  for (const { fee, amount } of feesPaid.toReversed()) {
    const part = Math.min(feesBack, amount);
    fee.paid = cents(fee.paid - part);
    feesBack -= part;
  }
  const { totals } = working;
  working.principal = cents(working.principal + back.principal);
  working.interestEnded = cents(working.interestEnded + back.interest);
  working.credit = cents(working.credit + excess);
  totals.principalPaid = cents(totals.principalPaid - back.principal);
  totals.interestPaid = cents(totals.interestPaid - back.interest);
  totals.feesPaid = cents(totals.feesPaid - back.fees);
  totals.credited = cents(totals.credited + excess);
}

export function waive(working: WorkingLoan, feeId: string, amount: Cents): void {
  const fee = working.fees.find((one) => one.feeId === feeId);
  if (fee === undefined) return;
  // A fee that a later fold finds smaller, or paid, is waived as far as it is open.
  const waived = Math.min(amount, feeOpen(fee));
  fee.waived = cents(fee.waived + waived);
  working.totals.feesWaived = cents(working.totals.feesWaived + waived);
}

/** During military service no more of it is charged than the limit leaves (50 USC 3937). */
export function addFee(
  working: WorkingLoan,
  fee: {
    feeId: string;
    kind: 'fee' | 'penalty';
    name: string;
    amount: Cents;
    date: PlainDate;
    installment: number | null;
    memo?: boolean;
  },
): void {
  const { feeId, kind, name, date, installment, memo = false } = fee;
  const amount = cents(Math.min(fee.amount, feeRoom(working, date) ?? fee.amount));
  const forgiven = cents(fee.amount - amount);
  working.fees.push({ feeId, kind, name, date, amount, paid: ZERO, waived: ZERO, installment, forgiven, memo });
  working.totals.feesAssessed = cents(working.totals.feesAssessed + amount);
}
