/**
 * The general ledger of a loan. Its books are cumulative amounts by entry and account, read off the folded loan; what is posted is the
 * difference between two states. So a backdated or returned payment posts its own corrections, old lines are never edited, and the sum of
 * everything posted is always the loan's present state.
 *
 * Debits are positive, credits negative; every entry adds up to zero. Interest is posted here when its stretch ends (a payment, a
 * disbursement, a change of rate, a charge-off). That of the open stretch is in `accruedInterest`, which the books of the lender post
 * for all its loans together (`accrue.ts`). It is longer than other files because all that a loan posts is one
 * table of slots, which is filled in one place.
 */
import { deferredOn, NOTHING_DEFERRED_ON } from '../core/amortize.ts';
import { type BookFigures, bookFiguresOf, isNonAccrual } from '../core/books.ts';
import { broughtOf, earnedBeforeOwned, earnedBy, earnsFrom } from '../core/brought.ts';
import { addDays } from '../core/calendar.ts';
import { heldOf, recoveredNet, soundOf } from '../core/charged-off.ts';
import { netOf } from '../core/deferral.ts';
import { type Loan, type Rescission, stayed, type Totals } from '../core/loan.ts';
import { type Cents, cents } from '../core/money.ts';
import { writtenOffSmall } from '../core/small-balance.ts';
import { memoOf, openStretch } from '../core/working-loan.ts';
import { ACCOUNTS, type Account } from './chart.ts';

export type Entry =
  /** Money lent, less what was kept of it, and what was paid beside it. */
  | 'disbursement'
  /** Figures boarded from another servicer. */
  | 'opening'
  | 'accrual'
  /**
   * Interest of a loan in non-accrual that was not received, out of income; what an earlier servicer had earned of it back to `opening`. It is
   * counted again when the loan accrues again.
   */
  | 'nonAccrual'
  /** Deferred fees and costs, discounts and premiums, into interest income: of the present stretch by the book of the lender, as interest is. */
  | 'amortization'
  | 'assessment'
  /** Fees waived, including those that a settlement waives: out of income, or an expense if an opening carried them over. */
  | 'waiver'
  /**
   * Money that payments brought before a charge-off; a credit that is later used moves within it, and so does money from `cashClearing` to
   * `cash` when its payment is acknowledged.
   */
  | 'receipt'
  /** Money of a payment that was returned or reversed, out of what it had paid. */
  | 'return'
  /** Credits paid out; a part no longer covered by a credit is lent again. */
  | 'refund'
  /** Principal and interest that an honoured quote waives; after a charge-off, what was still kept. */
  | 'forgiveness'
  /** The rest of a loan that is too little to collect: principal, interest and fees. */
  | 'smallBalance'
  /**
   * Principal beyond the collateral is an expense, and so are interest and fees that an opening carried over; our own are taken
   * out of the income they were recorded as. What is left of deferred fees reduces the expense, and what is left of costs adds to it.
   */
  | 'chargeOff'
  /** The shortfall of the collateral's value. */
  | 'writeDown'
  /** Money received after a charge-off: collateral first, then income. */
  | 'recovery'
  /**
   * The contract is void: income and losses are taken back, the principal that was paid out becomes a receivable of its own, and what the borrower
   * paid a credit.
   */
  | 'rescission'
  /** Balances that leave the books of one owner and enter those of another, against `opening` (`journal.ts`). */
  | 'transfer'
  /** These are of no loan (`entry-book.ts`): an entry by hand, its reversal, and income and expense of a year that is closed. */
  | 'manual'
  | 'manualReversal'
  | 'yearEnd'
  /** The allowance of a month, also of no loan: losses and recoveries that it takes over, and what brings it to the required level. */
  | 'allowanceLoss'
  | 'allowanceRecovery'
  | 'provision';

export type Line = { readonly entry: Entry; readonly account: Account; readonly amount: Cents };

/** The pairs of entry and account that can ever hold an amount, in the order in which they are posted. */
const SLOTS = [
  ['disbursement', 'loanPrincipal'],
  ['disbursement', 'cash'],
  ['disbursement', 'deferredCosts'],
  ['disbursement', 'deferredFees'],
  ['opening', 'loanPrincipal'],
  ['opening', 'interestReceivable'],
  ['opening', 'feeReceivable'],
  ['opening', 'accruedInterest'],
  ['opening', 'interestIncome'],
  ['opening', 'purchaseDiscount'],
  ['opening', 'allowance'],
  ['opening', 'opening'],
  ['accrual', 'accruedInterest'],
  ['accrual', 'interestReceivable'],
  ['accrual', 'interestIncome'],
  ['nonAccrual', 'interestIncome'],
  ['nonAccrual', 'opening'],
  ['nonAccrual', 'interestReceivable'],
  ['amortization', 'deferredFees'],
  ['amortization', 'deferredCosts'],
  ['amortization', 'purchaseDiscount'],
  ['amortization', 'interestIncome'],
  ['assessment', 'feeReceivable'],
  ['assessment', 'feeIncome'],
  ['waiver', 'chargeOffExpense'],
  ['waiver', 'feeIncome'],
  ['waiver', 'feeReceivable'],
  ['receipt', 'cash'],
  ['receipt', 'cashClearing'],
  ['receipt', 'interestReceivable'],
  ['receipt', 'loanPrincipal'],
  ['receipt', 'feeReceivable'],
  ['receipt', 'borrowerCredits'],
  ['refund', 'borrowerCredits'],
  ['refund', 'loanPrincipal'],
  ['refund', 'cash'],
  ['forgiveness', 'chargeOffExpense'],
  ['forgiveness', 'loanPrincipal'],
  ['forgiveness', 'interestIncome'],
  ['forgiveness', 'interestReceivable'],
  ['smallBalance', 'smallBalanceExpense'],
  ['smallBalance', 'loanPrincipal'],
  ['smallBalance', 'interestReceivable'],
  ['smallBalance', 'feeReceivable'],
  ['chargeOff', 'chargeOffExpense'],
  ['chargeOff', 'loanPrincipal'],
  ['chargeOff', 'interestIncome'],
  ['chargeOff', 'interestReceivable'],
  ['chargeOff', 'feeIncome'],
  ['chargeOff', 'feeReceivable'],
  ['chargeOff', 'deferredFees'],
  ['chargeOff', 'deferredCosts'],
  ['chargeOff', 'purchaseDiscount'],
  ['writeDown', 'chargeOffExpense'],
  ['writeDown', 'loanPrincipal'],
  ['recovery', 'cash'],
  ['recovery', 'cashClearing'],
  ['recovery', 'loanPrincipal'],
  ['recovery', 'recoveryIncome'],
  ['recovery', 'borrowerCredits'],
  ['rescission', 'rescissionReceivable'],
  ['rescission', 'loanPrincipal'],
  ['rescission', 'interestReceivable'],
  ['rescission', 'interestIncome'],
  ['rescission', 'feeReceivable'],
  ['rescission', 'feeIncome'],
  ['rescission', 'chargeOffExpense'],
  ['rescission', 'smallBalanceExpense'],
  ['rescission', 'recoveryIncome'],
  ['rescission', 'deferredFees'],
  ['rescission', 'deferredCosts'],
  ['rescission', 'purchaseDiscount'],
  ['rescission', 'allowance'],
  ['rescission', 'opening'],
  ['rescission', 'borrowerCredits'],
  ['receipt', 'rescissionReceivable'],
  ['refund', 'rescissionReceivable'],
] as const satisfies readonly (readonly [Entry, Account])[];

declare const kind: unique symbol;
/** Everything on the books for a loan so far: one amount for each of `SLOTS`. */
export type Books = readonly number[] & { readonly [kind]: 'books' };

export const NO_BOOKS = Object.freeze(SLOTS.map(() => 0)) as unknown as Books;

/** The books of the loan on its own day. Before money moves they are empty. */
export function booksOf(loan: Loan): Books {
  const { totals, chargeOff, rescission } = loan;
  if (loan.terms === null) return NO_BOOKS;
  if (rescission !== null) return rescindedBooks(loan, rescission);
  // On the books, accrual, receipts and waivers end with the charge-off, even where the contract continues.
  const then = chargeOff === null ? totals : chargeOff.totals;
  const { interestAccrued, feesAssessed, feesWaived, principalForgiven, interestForgiven } = then;
  const figures = openedWith(loan);
  const lent = totals.disbursed - figures.principal;
  const { kept } = loan.charges;
  const paidBeside = loan.charges.reserve + loan.charges.costs;
  // If an earlier servicer charged the loan off, only the amount kept for the collateral comes onto the books.
  const opened =
    chargeOff?.elsewhere === true ? { ...NOTHING_OPENED, principal: heldOf(chargeOff) as number } : figures;
  const again = lentAgain(loan.principal, totals);

  // On the day of its entry a loan takes out of income what it had accrued until then, ended or not, so that its own lines say how much.
  const atEntry = openAtEntry(loan);
  const uncounted = isNonAccrual(loan) ? loan.interestEnded + atEntry : 0;
  const { ended, lost } = deferredOn(loan) ?? NOTHING_DEFERRED_ON;
  const discount = loan.deferral?.discount ?? 0;
  const expected = loan.purchase?.creditDiscount ?? 0;
  const brought = fateOfBrought(loan);
  const memo = chargeOff === null ? memoOf(loan) : chargeOff.memo;
  const uncountedBrought = Math.min(uncounted, brought.interestLeft);
  const cleared = clearedOf(loan);
  const small = writtenOffSmall(loan);
  // Waived, but for what was written off because it was small.
  const waived = {
    all: feesWaived - memo.waived - (small.fees - small.memoFees),
    brought: brought.feesWaived - small.broughtFees,
  };
  const forgiven = {
    principal: principalForgiven - small.principal,
    interest: interestForgiven - small.interest,
    brought: brought.interestForgiven - small.broughtInterest,
  };

  let writtenOff = 0;
  let writtenDown = 0;
  let released = 0;
  let interestLost = 0;
  let feesLost = 0;
  let received = 0;
  let credited = 0;
  let forCollateral = 0;
  if (chargeOff !== null) {
    const held = heldOf(chargeOff);
    // Money disbursed after it, or a refund that is lent again, is written off at once.
    const lentSince = totals.disbursed - then.disbursed + again - lentAgain(chargeOff.principal, then);
    writtenOff = lentSince;
    if (!chargeOff.elsewhere) {
      writtenOff += chargeOff.principal - held;
      interestLost = chargeOff.interest;
      feesLost = chargeOff.fees - chargeOff.memo.open;
    }
    received = totals.received - then.received;
    // Below zero when a credit from before pays something after it.
    credited = totals.credited - then.credited;
    writtenDown = chargeOff.writtenDown;
    released = chargeOff.givenUp;
    forCollateral = Math.min(soundOf(chargeOff), recoveredNet(loan, chargeOff));
  }
  // In the order of `SLOTS`. `0 - x`, because -0 would not equal the 0 that posted lines add up to.
  const books = [
    lent,
    kept - lent - paidBeside,
    paidBeside,
    0 - kept,
    opened.principal,
    opened.interest,
    opened.fees,
    0,
    opened.earned,
    0 - discount,
    0 - expected,
    discount + expected - opened.principal - opened.interest - opened.fees - opened.earned,
    0,
    interestAccrued + atEntry,
    0 - interestAccrued - atEntry,
    uncounted - uncountedBrought,
    uncountedBrought,
    0 - uncounted,
    ended.fees,
    0 - ended.costs,
    ended.discount,
    0 - netOf(ended),
    feesAssessed - memo.open - memo.waived,
    0 - feesAssessed + memo.open + memo.waived,
    waived.brought,
    waived.all - waived.brought,
    0 - waived.all,
    cleared.before,
    then.received - cleared.before,
    0 - then.interestPaid,
    0 - then.principalPaid,
    0 - then.feesPaid,
    0 - then.credited,
    totals.refunded - again,
    again,
    0 - totals.refunded,
    forgiven.principal + released + forgiven.brought,
    0 - forgiven.principal - released,
    forgiven.interest - forgiven.brought,
    0 - forgiven.interest,
    small.principal + small.interest + small.fees - small.memoFees,
    0 - small.principal,
    0 - small.interest,
    small.memoFees - small.fees,
    writtenOff + brought.interestLost + brought.feesLost - netOf(lost),
    0 - writtenOff,
    interestLost - brought.interestLost,
    0 - interestLost,
    feesLost - brought.feesLost,
    0 - feesLost,
    lost.fees,
    0 - lost.costs,
    lost.discount,
    writtenDown,
    0 - writtenDown,
    cleared.since,
    received - cleared.since,
    0 - forCollateral,
    forCollateral - received + credited,
    0 - credited,
    ...NOT_RESCINDED,
  ];
  return books as readonly number[] as Books;
}

const NOT_RESCINDED = SLOTS.slice(SLOTS.findIndex(([entry]) => entry === 'rescission')).map(() => 0);

/** A rescission brings them to zero; of `opening` the principal stays that the loan was boarded with. */
const VOID = [
  'loanPrincipal',
  'interestReceivable',
  'interestIncome',
  'feeReceivable',
  'feeIncome',
  'chargeOffExpense',
  'smallBalanceExpense',
  'recoveryIncome',
  'deferredFees',
  'purchaseDiscount',
  'allowance',
  'opening',
  'borrowerCredits',
] as const satisfies readonly Account[];

/**
 * The books until the rescission, what it takes back, and the money of both sides since. Cash stays where it is, and so does what was paid
 * beside the loan.
 */
function rescindedBooks(loan: Loan, { before, toReturn, refunded, returned }: Rescission): Books {
  const until = before.payments.length;
  // A payment may have been acknowledged since.
  const then = booksOf({ ...before, payments: loan.payments.slice(0, until) });
  const held = balances(then);
  const books: number[] = [...then];
  const add = (entry: Entry, account: Account, amount: number) => {
    const slot = at(entry, account);
    books[slot] = (books[slot] as number) + amount;
  };
  // If another owner sold the loan, its deferred fees left the books with it, against `opening`.
  const sold = before.boughtOn !== null;
  for (const account of VOID) {
    const isElsewhere = sold && account === 'deferredFees';
    add('rescission', isElsewhere ? 'opening' : account, 0 - held[account]);
  }
  // Reserve and costs were paid in cash: what comes back of them, and what is lost, is for a person to say.
  const beside = sold ? 0 : before.charges.reserve + before.charges.costs;
  if (!sold) add('rescission', 'deferredCosts', 0 - held.deferredCosts);
  add('rescission', 'rescissionReceivable', toReturn + beside);
  add('rescission', 'borrowerCredits', 0 - Math.max(0, before.totals.received - before.totals.refunded));
  add('rescission', 'opening', 0 - openedPrincipal(before));

  const { cleared, received } = moneyOf(loan.payments.slice(until));
  add('receipt', 'cash', cleared);
  add('receipt', 'cashClearing', received - cleared);
  add('receipt', 'rescissionReceivable', 0 - returned);
  add('receipt', 'borrowerCredits', returned - received);
  const paidOut = loan.totals.refunded - before.totals.refunded;
  add('refund', 'borrowerCredits', paidOut - refunded);
  add('refund', 'rescissionReceivable', refunded);
  add('refund', 'cash', 0 - paidOut);
  return books as readonly number[] as Books;
}

function moneyOf(payments: Loan['payments']): { cleared: number; received: number } {
  let cleared = 0;
  let received = 0;
  for (const payment of payments) {
    if (!stayed(payment)) continue;
    received += payment.amount;
    if (payment.status === 'Acknowledged') cleared += payment.amount;
  }
  return { cleared, received };
}

/** The principal that came onto the books when the loan was boarded. */
function openedPrincipal(loan: Loan): number {
  return loan.chargeOff?.elsewhere === true ? heldOf(loan.chargeOff) : openedWith(loan).principal;
}

const at = (entry: Entry, account: Account) => SLOTS.findIndex((slot) => slot[0] === entry && slot[1] === account);
const OPENED = { asset: at('opening', 'accruedInterest'), other: at('opening', 'opening') };
const ACCRUED = { asset: at('accrual', 'accruedInterest'), other: at('accrual', 'interestIncome') };
const ASSESSED = { asset: at('assessment', 'feeReceivable'), other: at('assessment', 'feeIncome') };

const AMORTIZED = {
  fees: at('amortization', 'deferredFees'),
  costs: at('amortization', 'deferredCosts'),
  discount: at('amortization', 'purchaseDiscount'),
  income: at('amortization', 'interestIncome'),
};

/** Adds an amount to one slot and subtracts it from the other. */
function raised(books: Books, { asset, other }: { asset: number; other: number }, amount: number): Books {
  const more: number[] = [...books];
  more[asset] = (more[asset] as number) + amount;
  more[other] = (more[other] as number) - amount;
  return more as readonly number[] as Books;
}

/** The same with what the present stretch has amortized, which the lender's book posts. */
function amortized(books: Books, { openFees, openCosts, openDiscount }: BookFigures): Books {
  if (openFees === 0 && openCosts === 0 && openDiscount === 0) return books;
  const more: number[] = [...books];
  more[AMORTIZED.fees] = (more[AMORTIZED.fees] as number) + openFees;
  more[AMORTIZED.costs] = (more[AMORTIZED.costs] as number) - openCosts;
  more[AMORTIZED.discount] = (more[AMORTIZED.discount] as number) + openDiscount;
  more[AMORTIZED.income] = (more[AMORTIZED.income] as number) - openFees + openCosts - openDiscount;
  return more as readonly number[] as Books;
}

const LOST = (['deferredFees', 'deferredCosts', 'purchaseDiscount'] as const).map((account) =>
  at('chargeOff', account),
);
const EXPENSE = at('chargeOff', 'chargeOffExpense');

/** The same without what was amortized and what of it a charge-off lost: once the loan is sold, its books have none of it. */
export function withoutAmortized(books: Books): Books {
  const rest: number[] = [...books];
  for (const slot of Object.values(AMORTIZED)) rest[slot] = 0;
  for (const slot of LOST) {
    rest[EXPENSE] = (rest[EXPENSE] as number) + (rest[slot] as number);
    rest[slot] = 0;
  }
  return rest as readonly number[] as Books;
}

/**
 * The same with the interest of the open stretch and its amortization, which the lender's book posts. An event that looks back posts the change of it in
 * earlier months, so that a month's lines are the whole change of that month, and reverses it in the month it is posted in, where the book
 * has it. Interest of a seasoned loan from before the owner had it stands against `opening`.
 */
export function booksWithAccrued(loan: Loan): Books {
  const from = earnsFrom(loan);
  const slots = from !== null && loan.on < from ? OPENED : ACCRUED;
  const figures = bookFiguresOf(loan);
  return amortized(raised(booksOf(loan), slots, figures.accruedInterest), figures);
}

/** By how much they differ, account by account. */
export function difference(before: Books, after: Books): Books {
  return after.map((amount, i) => amount - (before[i] as number)) as readonly number[] as Books;
}

export function sum(books: Books, more: Books): Books {
  return books.map((amount, i) => amount + (more[i] as number)) as readonly number[] as Books;
}

/** The fees that were ever assessed on the books. */
export const assessedOf = (books: Books): number => books[ASSESSED.asset] as number;

/** Books with fees of this amount and nothing else. */
export const assessment = (amount: number): Books => raised(NO_BOOKS, ASSESSED, amount);

/** The lines that lead from one state to the other: none when nothing changed. */
export function post(before: Books, after: Books): Line[] {
  const lines: Line[] = [];
  for (let i = 0; i < SLOTS.length; i++) {
    const amount = (after[i] as number) - (before[i] as number);
    if (amount === 0) continue;
    const slot = SLOTS[i] as (typeof SLOTS)[number];
    lines.push({ entry: slot[0], account: slot[1], amount: cents(amount) });
  }
  return lines;
}

/** The balance of each account for the loan, except `accruedInterest`. It ties to `bookFiguresOf`. */
export function balances(books: Books): Record<Account, Cents> {
  const sums = Object.fromEntries(ACCOUNTS.map((account) => [account, 0])) as Record<Account, number>;
  SLOTS.forEach(([, account], i) => {
    sums[account] += books[i] as number;
  });
  return sums as Record<Account, Cents>;
}

/** A refund no longer covered by a credit is principal again: what is owed beyond what was lent and not paid. */
function lentAgain(principal: Cents, totals: Totals): number {
  return principal - totals.disbursed + totals.principalPaid + totals.principalForgiven;
}

/** Payments that are acknowledged: before a charge-off, and since. */
function clearedOf({ payments }: Loan): { before: number; since: number } {
  let before = 0;
  let since = 0;
  for (const payment of payments) {
    if (payment.status !== 'Acknowledged') continue;
    if (payment.recovery) since += payment.amount;
    else before += payment.amount;
  }
  return { before, since };
}

/**
 * Interest and fees that an opening carried over: left, forgiven, lost or waived. They were never income here, so when they are lost they are an expense,
 * not a reduction of income. Carried-over interest is the oldest, so it is paid first.
 */
function fateOfBrought(loan: Loan) {
  const { chargeOff } = loan;
  const { interest, fees, feesWaived } = chargeOff === null ? broughtOf(loan) : chargeOff.brought;
  const { broughtForgiven } = chargeOff === null ? loan.totals : chargeOff.totals;
  return {
    interestLeft: chargeOff === null ? interest : 0,
    interestForgiven: broughtForgiven,
    interestLost: chargeOff === null ? 0 : interest,
    feesWaived,
    feesLost: chargeOff === null ? 0 : fees,
  };
}

/**
 * Interest of the open stretch by the day before non-accrual began: the book of the lender had it, and takes it back on the day of the entry.
 * The loan's own lines end it for the books and take it out of income, so that the amount is named.
 */
function openAtEntry(loan: Loan): number {
  const { nonAccrualSince, stretchSince } = loan;
  if (nonAccrualSince === null || stretchSince >= nonAccrualSince) return 0;
  return openStretch(loan, addDays(nonAccrualSince, -1))?.interest ?? 0;
}

const NOTHING_OPENED = { principal: 0, interest: 0, fees: 0, earned: 0 };

/**
 * The figures of an opening. Its principal replaces everything disbursed before it; later disbursements are added. A loan that was bought here
 * has no opening, but what its former owner had earned.
 */
function openedWith(loan: Loan): typeof NOTHING_OPENED {
  const { on, openedOn, boughtOn, terms, totals, fees } = loan;
  if (openedOn === null)
    return boughtOn === null ? NOTHING_OPENED : { ...NOTHING_OPENED, earned: earnedElsewhere(loan) };
  let principal: number = totals.disbursed;
  terms?.disbursements.forEach(({ date, amount }, i) => {
    if (i > 0 && date >= openedOn && date <= on) principal -= amount;
  });
  // Carried-over fees are among the fees but were not assessed here.
  let brought = 0 - totals.feesAssessed;
  for (const { amount } of fees) brought += amount;
  return { principal, interest: totals.opened - brought, fees: brought, earned: earnedElsewhere(loan) };
}

/**
 * Interest that was earned before the owner had the loan, since its opening here. It is posted as income with all other interest of its stretch, by
 * the lender's book and when the stretch ends, so the opening takes it out of income again. The book has none in non-accrual or after a
 * charge-off, and before that day `booksWithAccrued` has it against `opening`.
 */
function earnedElsewhere(loan: Loan): number {
  const { on, terms, chargeOff } = loan;
  const from = earnsFrom(loan);
  const ended = earnedBeforeOwned(loan);
  if (from === null || terms === null || on < from || chargeOff !== null || isNonAccrual(loan)) return ended;
  const open = loan.stretchSince < from ? openStretch(loan, on) : null;
  return open === null ? ended : ended + earnedBy(open, from, terms);
}
