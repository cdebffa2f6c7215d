/**
 * What a date alone brings: past-due installments, days past due, buckets, the next payment, and late fees. All of it is derived from
 * the policy and the date inside the fold; a nightly run only writes it down.
 */
import { addDays, daysBetween, lastOfMonth, type PlainDate } from './calendar.ts';
import type { Installment, Loan } from './loan.ts';
import { type Cents, cents, mulDiv, ZERO } from './money.ts';
import { type Percent, percentDivisor } from './rate.ts';
import { type Accrual, interestOwed, type WorkingInstallment, type WorkingLoan } from './working-loan.ts';

export const BUCKETS = ['current', '1-29', '30-59', '60-89', '90-119', '120+'] as const;
export type DelinquencyBucket = (typeof BUCKETS)[number];

export function bucketOf(daysPastDue: number): DelinquencyBucket {
  if (daysPastDue <= 0) return 'current';
  if (daysPastDue < 30) return '1-29';
  if (daysPastDue < 60) return '30-59';
  if (daysPastDue < 90) return '60-89';
  return daysPastDue < 120 ? '90-119' : '120+';
}

export type Delinquency = {
  /** From the due date of the oldest unsatisfied installment. */
  readonly daysPastDue: number;
  readonly bucket: DelinquencyBucket;
  readonly oldestDueDate: PlainDate | null;
  /** Open amounts of installments that are past due. */
  readonly pastDueAmount: Cents;
  /** Due date of the oldest installment that is not satisfied; null when nothing is left to pay. */
  readonly nextDueDate: PlainDate | null;
  /** That installment's open amount, and everything past due. */
  readonly nextDueAmount: Cents;
  /** Installments that are paid although their due date has not come. */
  readonly paidAhead: number;
  /** Installments not yet satisfied. */
  readonly remaining: number;
};

/** What is open of each installment on a day. */
export type OpenInstallment = { readonly installment: Installment; readonly open: Cents; readonly pastDue: boolean };

/**
 * Installments ask for their amounts, but never for more than will be owed on their due date: a loan that was paid down by other means
 * has less to ask for. The last one asks for everything that is left. What will be owed is followed forward as if everything past due
 * were paid today and each later installment on its due date, so an untouched loan asks for exactly its schedule. For a later day than
 * the loan's own it is what that day will show if nothing happens.
 */
export function openInstallments(loan: Loan, on: PlainDate = loan.on): OpenInstallment[] {
  return openBefore(loan, on, null);
}

/** Only the installments due before a day, the later ones left out; null: all of them. They are in the order of their due dates. */
function openBefore(loan: Loan, on: PlainDate, end: PlainDate | null): OpenInstallment[] {
  const view: OpenInstallment[] = [];
  follow(loan, on, end, (installment, open, pastDue) => {
    view.push({ installment, open, pastDue });
    return true;
  });
  return view;
}

/** Shows each installment due before a day with what is open of it, until `show` answers false. */
function follow(
  loan: Loan,
  on: PlainDate,
  end: PlainDate | null,
  show: (installment: Installment, open: Cents, pastDue: boolean, i: number) => boolean,
): void {
  const { installments, policy } = loan;
  const { principal, interestEnded, stretchSince, rate, accruing, terms } = loan;
  const ahead: Accrual = { principal, interestEnded, stretchSince, rate, accruing, terms };
  const coming = comingChanges(loan);
  for (let i = 0; i < installments.length; i++) {
    const installment = installments[i] as Installment;
    const { dueDate, amount, paid } = installment;
    if (end !== null && dueDate >= end) return;
    const isLast = i === installments.length - 1;
    if (paid >= amount && !isLast) {
      // It asks for nothing, whatever is owed.
      if (!show(installment, ZERO, false, i)) return;
      continue;
    }
    const at = dueDate > on ? dueDate : on;
    for (let next = coming[0]; next !== undefined && next.date <= at; next = coming[0]) {
      settleTo(ahead, next.date);
      if (next.rate !== null) ahead.rate = next.rate;
      ahead.principal = cents(ahead.principal + next.amount);
      coming.shift();
    }
    const interest = interestOwed(ahead, at);
    const owed = ahead.principal + interest;
    const open = cents(isLast ? owed : Math.min(owed, amount - paid));
    if (open > 0) {
      settleTo(ahead, at);
      const toInterest = Math.min(open, interest);
      ahead.interestEnded = cents(ahead.interestEnded - toInterest);
      ahead.principal = cents(ahead.principal - (open - toInterest));
    }
    const pastDue = dueDate < on && open > 0 && !countsAsPaid(paid, cents(paid + open), policy.satisfiedPercent);
    if (!show(installment, open, pastDue, i)) return;
  }
}

function settleTo(ahead: Accrual, day: PlainDate): void {
  ahead.interestEnded = interestOwed(ahead, day);
  if (day > ahead.stretchSince) ahead.stretchSince = day;
}

/** Disbursements and rate changes of the contract that are still to come. */
function comingChanges({ terms, on }: Loan): { date: PlainDate; amount: Cents; rate: Percent | null }[] {
  if (terms === null || (terms.disbursements.length === 1 && terms.rateChanges.length === 0)) return [];
  return [
    ...terms.disbursements.map(({ date, amount }) => ({ date, amount, rate: null })),
    ...terms.rateChanges.map(({ date, rate }) => ({ date, amount: ZERO, rate })),
  ]
    .filter(({ date }) => date > on)
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

/** Paid to the policy's percentage (90 %): counts as paid for past-due status; the shortage stays owed. */
function countsAsPaid(paid: Cents, amount: Cents, satisfiedPercent: number): boolean {
  return paid * 100 >= amount * satisfiedPercent;
}

export function delinquency(loan: Loan, view: readonly OpenInstallment[] = openInstallments(loan)): Delinquency {
  const { on } = loan;
  const late = view.filter(({ pastDue }) => pastDue);
  const oldest = late[0]?.installment.dueDate ?? null;
  const daysPastDue = oldest === null ? 0 : daysBetween(oldest, on);
  // A shortage that is not past due anymore is asked for with the next installment; alone it is asked for by itself.
  const unsatisfied = view.filter(
    ({ installment, open, pastDue }) => open > 0 && (pastDue || installment.dueDate >= on),
  );
  const next = unsatisfied[0] ?? view.find(({ open }) => open > 0);
  const nextDueDate = next?.installment.dueDate ?? null;
  let nextDueAmount = 0;
  let paidAhead = 0;
  for (const { installment, open } of view) {
    const { dueDate } = installment;
    if (nextDueDate !== null && (dueDate <= nextDueDate || dueDate < on)) nextDueAmount += open;
    // One that asks for nothing because the principal was paid down otherwise is not paid ahead.
    if (nextDueDate !== null && dueDate > on && open === 0 && installment.satisfiedOn !== null) paidAhead += 1;
  }
  return {
    daysPastDue,
    bucket: bucketOf(daysPastDue),
    oldestDueDate: oldest,
    pastDueAmount: cents(late.reduce((sum, { open }) => sum + open, 0)),
    nextDueDate,
    nextDueAmount: cents(nextDueAmount),
    paidAhead,
    remaining: unsatisfied.length,
  };
}

/**
 * The due date from which days past due count if nothing more happens: on every later day they are the days since then, none before. Null
 * when nothing can become past due. One case has no single date: an installment that counts as paid because little is owed altogether,
 * until interest on that little exceeds the policy's percentage. It then counts from its own due date, at once; before that day it is
 * skipped here.
 */
export function pastDueFrom(loan: Loan): PlainDate | null {
  if (loan.stage !== 'Funded') return null;
  const { installments, on } = loan;
  for (let i = 0; i < installments.length; i++) {
    const { dueDate, amount, paid } = installments[i] as Installment;
    if (paid >= amount && i < installments.length - 1) continue;
    if (isPastDue(loan, i, dueDate < on ? on : addDays(dueDate, 1))) return dueDate;
  }
  return null;
}

/** Whether the installment with this index is past due on a day. */
function isPastDue(loan: Loan, index: number, day: PlainDate): boolean {
  let answer = false;
  follow(loan, day, day, (_, _open, pastDue, i) => {
    if (i === index) answer = pastDue;
    return i < index;
  });
  return answer;
}

/** Only the count, for the status: installments not yet due are not examined. */
export function daysPastDue(loan: Loan): number {
  const oldest = oldestPastDue(loan, loan.on);
  return oldest === null ? 0 : daysBetween(oldest, loan.on);
}

function oldestPastDue(loan: Loan, on: PlainDate): PlainDate | null {
  let oldest: PlainDate | null = null;
  follow(loan, on, on, (installment, _, pastDue) => {
    if (pastDue) oldest = installment.dueDate;
    return !pastDue;
  });
  return oldest;
}

/** The day on which the policy wants the loan charged off: the end of the month in which it reaches the policy's days past due (FFIEC). */
export function chargeOffDue(loan: Loan): PlainDate | null {
  const oldest = oldestPastDue(loan, loan.on);
  return oldest === null ? null : lastOfMonth(addDays(oldest, loan.policy.chargeOffDays));
}

// ---- late fees ----

/** The day on which an installment is judged: the first after its grace days. */
export function judgedOn(installment: { dueDate: PlainDate }, graceDays: number): PlainDate {
  return addDays(installment.dueDate, graceDays + 1);
}

/**
 * How much is missing for an installment to have been paid in time, when its grace days are over. A fee is never charged because an
 * earlier late fee was left unpaid (16 CFR 444.4): money that late fees took counts here as if it had gone to installments, oldest first.
 */
export function missingForGrace(working: WorkingLoan, installment: WorkingInstallment, on: PlainDate): number {
  const { open, older } = openOf(working, installment, on);
  const excused = Math.max(0, working.lateFeeMoney - older);
  const threshold = Math.ceil(((installment.paid + open) * working.policy.satisfiedPercent) / 100);
  return Math.max(0, threshold - installment.paid - excused);
}

export function lateFeeFor(working: WorkingLoan, installment: WorkingInstallment, on: PlainDate): Cents {
  const policy = working.policy.lateFee;
  if (policy === null) return ZERO;
  if (policy.percent === null) return policy.flat ?? ZERO;
  const { open } = openOf(working, installment, on);
  const rounding = working.terms?.rounding ?? 'half-up';
  const share = mulDiv(open, policy.percent.digits, 1, percentDivisor(policy.percent), rounding);
  const floored = Math.max(share, policy.floor ?? 0);
  return cents(policy.cap === null ? floored : Math.min(floored, policy.cap));
}

/**
 * What an installment that is due asks for, and what all older ones ask for: what is open of each, within what is owed; the last asks
 * for everything that the others leave.
 */
function openOf(working: WorkingLoan, installment: WorkingInstallment, on: PlainDate): { open: number; older: number } {
  const { installments } = working;
  const isLast = installment === installments.at(-1);
  // It asks for nothing, whatever is older.
  if (installment.paid >= installment.amount && !isLast) return { open: 0, older: 0 };
  const owed = working.principal + interestOwed(working, on);
  let older = 0;
  let i = working.settled;
  for (; i < installments.length; i++) {
    const one = installments[i] as WorkingInstallment;
    if (one === installment) break;
    older += Math.min(owed - older, Math.max(0, one.amount - one.paid));
  }
  // Little is done for each.
  working.work?.spend((i - working.settled) / 4);
  const room = owed - older;
  if (isLast) return { open: room, older };
  return { open: Math.min(room, Math.max(0, installment.amount - installment.paid)), older };
}
