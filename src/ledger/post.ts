/**
 * The general ledger of a loan. Its books are cumulative amounts by entry and account, read off the folded loan; what is posted is the
 * difference between two states. So a backdated or returned payment posts its own corrections, old lines are never edited, and the
 * sum of everything posted is always the loan as it now stands.
 *
 * Debits are positive, credits negative; every entry adds up to zero. Interest is posted when its stretch ends (a payment, a
 * disbursement, a change of rate, a charge-off): the stretch that is still open is in the payoff, not yet in the books.
 */
import type { ChargeOff, Loan, Totals } from '../core/loan.ts';
import { type Cents, cents } from '../core/money.ts';
import { ACCOUNTS, type Account } from './chart.ts';

export type Entry =
  /** Money lent. */
  | 'disbursement'
  /** Figures taken over from another servicer, as if they had been bought. */
  | 'opening'
  | 'accrual'
  | 'assessment'
  /** Fees given up, also those that a settlement gives up. */
  | 'waiver'
  /** What payments paid before a charge-off; a credit that is later used moves within it. */
  | 'receipt'
  /** Credits paid out; a part that is no longer found in credit is lent again. */
  | 'refund'
  /** Principal and interest that an honoured quote gives up. */
  | 'forgiveness'
  /** Principal beyond the collateral is an expense; interest and fees are taken out of the income they had been counted as. */
  | 'chargeOff'
  /** What came in after a charge-off: for the collateral first, then income. */
  | 'recovery';

export type Line = { readonly entry: Entry; readonly account: Account; readonly amount: Cents };

/** The pairs of entry and account that can ever hold an amount, in the order in which they are posted. */
const SLOTS = [
  ['disbursement', 'loanPrincipal'],
  ['disbursement', 'cashClearing'],
  ['opening', 'loanPrincipal'],
  ['opening', 'interestReceivable'],
  ['opening', 'feeReceivable'],
  ['opening', 'cashClearing'],
  ['accrual', 'interestReceivable'],
  ['accrual', 'interestIncome'],
  ['assessment', 'feeReceivable'],
  ['assessment', 'feeIncome'],
  ['waiver', 'feeIncome'],
  ['waiver', 'feeReceivable'],
  ['receipt', 'cashClearing'],
  ['receipt', 'interestReceivable'],
  ['receipt', 'loanPrincipal'],
  ['receipt', 'feeReceivable'],
  ['receipt', 'borrowerCredits'],
  ['refund', 'borrowerCredits'],
  ['refund', 'loanPrincipal'],
  ['refund', 'cashClearing'],
  ['forgiveness', 'chargeOffExpense'],
  ['forgiveness', 'loanPrincipal'],
  ['forgiveness', 'interestIncome'],
  ['forgiveness', 'interestReceivable'],
  ['chargeOff', 'chargeOffExpense'],
  ['chargeOff', 'loanPrincipal'],
  ['chargeOff', 'interestIncome'],
  ['chargeOff', 'interestReceivable'],
  ['chargeOff', 'feeIncome'],
  ['chargeOff', 'feeReceivable'],
  ['recovery', 'cashClearing'],
  ['recovery', 'loanPrincipal'],
  ['recovery', 'recoveryIncome'],
  ['recovery', 'borrowerCredits'],
] as const satisfies readonly (readonly [Entry, Account])[];

declare const kind: unique symbol;
/** Everything the books hold of a loan so far: one amount for each of `SLOTS`. */
export type Books = readonly number[] & { readonly [kind]: 'books' };

export const NO_BOOKS = Object.freeze(SLOTS.map(() => 0)) as unknown as Books;

/** The loan as it stands on its own day. Before money moves nothing is on the books. */
export function booksOf(loan: Loan): Books {
  const { totals, chargeOff, terms } = loan;
  if (terms === null) return NO_BOOKS;
  // After a charge-off the books earn nothing more, even where the contract still does: they stand still at its moment.
  const then = chargeOff === null ? totals : totalsAtChargeOff(loan, chargeOff);
  const opening = openingOf(loan);
  const lent = totals.disbursed - opening.principal;
  // A refund of money that is no longer found in credit is owed by the borrower again: see the fold.
  const lentAgain = loan.principal - totals.disbursed + totals.principalPaid + totals.principalForgiven;
  const { interestAccrued, feesAssessed, feesWaived, principalForgiven, interestForgiven } = then;

  let held = 0;
  let [expense, interestLost, feesLost] = [0, 0, 0];
  let [recovered, credited, forCollateral] = [0, 0, 0];
  if (chargeOff !== null) {
    held = Math.min(chargeOff.collateral, chargeOff.principal);
    const lentAgainThen = chargeOff.principal - then.disbursed + then.principalPaid + then.principalForgiven;
    // What a charged-off loan is lent is charged off with it.
    const lentSince = totals.disbursed - then.disbursed + lentAgain - lentAgainThen;
    expense = chargeOff.principal - held + lentSince;
    interestLost = chargeOff.interest;
    feesLost = chargeOff.fees;
    recovered = totals.received - then.received;
    credited = totals.credited - then.credited;
    forCollateral = Math.min(held, recovered - credited);
  }
  return [
    lent,
    -lent,
    opening.principal,
    opening.interest,
    opening.fees,
    -(opening.principal + opening.interest + opening.fees),
    interestAccrued,
    -interestAccrued,
    feesAssessed,
    -feesAssessed,
    feesWaived,
    -feesWaived,
    then.received,
    -then.interestPaid,
    -then.principalPaid,
    -then.feesPaid,
    -then.credited,
    totals.refunded - lentAgain,
    lentAgain,
    -totals.refunded,
    principalForgiven,
    -principalForgiven,
    interestForgiven,
    -interestForgiven,
    expense,
    -expense,
    interestLost,
    -interestLost,
    feesLost,
    -feesLost,
    recovered,
    -forCollateral,
    forCollateral - recovered + credited,
    -credited,
  ] as unknown as Books;
}

/** What must be posted to get from one state to the other; nothing when nothing changed. */
export function post(before: Books, after: Books): Line[] {
  const lines: Line[] = [];
  for (let i = 0; i < SLOTS.length; i++) {
    const amount = (after[i] as number) - (before[i] as number);
    if (amount === 0) continue;
    const [entry, account] = SLOTS[i] as (typeof SLOTS)[number];
    lines.push({ entry, account, amount: cents(amount) });
  }
  return lines;
}

/** What each account holds. It ties to the folded loan: principal, interest of ended stretches, fees owed and credit. */
export function balances(books: Books): Record<Account, Cents> {
  const sums = Object.fromEntries(ACCOUNTS.map((account) => [account, 0])) as Record<Account, number>;
  SLOTS.forEach(([, account], i) => {
    sums[account] += books[i] as number;
  });
  return sums as Record<Account, Cents>;
}

/** What an opening brought: its principal is everything disbursed but what went out on its day and since. */
function openingOf({ openedOn, on, terms, totals, fees }: Loan): { principal: number; interest: number; fees: number } {
  if (openedOn === null || terms === null) return NOTHING_OPENED;
  let principal: number = totals.disbursed;
  terms.disbursements.forEach(({ date, amount }, i) => {
    if (i > 0 && date >= openedOn && date <= on) principal -= amount;
  });
  // Fees that came with the opening are in the list but were not assessed here.
  let brought = -totals.feesAssessed;
  for (const { amount } of fees) brought += amount;
  return { principal, interest: totals.opened - brought, fees: brought };
}

const NOTHING_OPENED = { principal: 0, interest: 0, fees: 0 };

/** The totals as they were right after the charge-off, which comes last on its day. */
function totalsAtChargeOff(loan: Loan, chargeOff: ChargeOff): Totals {
  const { totals, terms, stretches, fees, payments, on } = loan;
  const { date } = chargeOff;
  const then = { ...totals } as Record<keyof Totals, number>;
  terms?.disbursements.forEach((one, i) => {
    if (i > 0 && one.date > date && one.date <= on) then.disbursed -= one.amount;
  });
  for (const stretch of stretches) if (stretch.to > date) then.interestAccrued -= stretch.interest;
  for (const fee of fees) if (fee.date > date) then.feesAssessed -= fee.amount;
  for (const payment of payments) {
    if (payment.date <= date || payment.status === 'Returned') continue;
    then.received -= payment.amount;
    then.feesPaid -= payment.allocation.fees;
    then.interestPaid -= payment.allocation.interest;
    then.principalPaid -= payment.allocation.principal;
    then.credited -= payment.allocation.credit;
  }
  const opening = openingOf(loan);
  then.interestForgiven = opening.interest + then.interestAccrued - then.interestPaid - chargeOff.interest;
  then.feesWaived = opening.fees + then.feesAssessed - then.feesPaid - chargeOff.fees;
  const honoured = loan.quotes.some(({ honouredOn }) => honouredOn !== null && honouredOn <= date);
  then.principalForgiven = honoured ? totals.principalForgiven : 0;
  return then as Totals;
}
