/**
 * The payment waterfall: money is applied to the twelve buckets in the order of the policy, each up to its open amount; any remainder
 * is a credit. Money for interest and principal then satisfies installments, oldest first; fee money does not, and neither does
 * money of another purpose or after a charge-off.
 */
import type { PlainDate } from './calendar.ts';
import type { Allocation, Purpose } from './loan.ts';
import { type Cents, cents } from './money.ts';
import { type Bucket, DEFAULT_WATERFALL } from './policy.ts';
import {
  feeOpen,
  interestOwed,
  openStretch,
  type WorkingFee,
  type WorkingInstallment,
  type WorkingLoan,
  type WorkingPayment,
} from './working-loan.ts';

type Time = 'pastDue' | 'due' | 'inAdvance';
type Part = 'penalty' | 'fee' | 'interest' | 'principal';

/** The two words of each bucket. Looked up, because taking twelve names apart was a third of the work of a payment. */
const PLACES = Object.fromEntries(
  DEFAULT_WATERFALL.map((bucket) => {
    const [time, part] = bucket.split('.') as [Time, Part];
    return [bucket, { time, part }];
  }),
) as Readonly<Record<Bucket, { readonly time: Time; readonly part: Part }>>;

/** The part of a fee that a payment paid. */
export type FeePaid = { readonly fee: WorkingFee; readonly amount: Cents };

/** Returns the fees it paid, in order. */
export function allocate(working: WorkingLoan, payment: WorkingPayment): FeePaid[] {
  const { date } = payment;
  const due = dueOn(working, date);
  const interest = interestByTime(working, date, due.lastDueBefore, due.isDueDate);
  working.work?.spend(working.fees.length / 2);
  const fees = openFees(working.fees, date);
  const taken = { fees: 0, interest: 0, principal: 0 };
  const feesPaid: FeePaid[] = [];
  let lateFees = 0;
  let left: number = payment.amount;

  for (const bucket of orderOf(payment.purpose, working.policy.waterfall)) {
    if (left === 0) break;
    const before = left;
    const { time, part } = PLACES[bucket];
    if (part === 'interest') {
      const amount = Math.min(left, interest[time]);
      interest[time] -= amount;
      working.interestEnded = cents(working.interestEnded - amount);
      taken.interest += amount;
      left -= amount;
    } else if (part === 'principal') {
      const amount = Math.min(left, principalHeld(time, taken));
      working.principal = cents(working.principal - amount);
      taken.principal += amount;
      left -= amount;
    } else {
      for (const fee of fees[part][time]) {
        if (left === 0) break;
        const amount = Math.min(left, feeOpen(fee));
        fee.paid = cents(fee.paid + amount);
        feesPaid.push({ fee, amount: cents(amount) });
        taken.fees += amount;
        if (fee.installment !== null) lateFees += amount;
        left -= amount;
      }
    }
    if (left < before) payment.steps.push({ bucket, amount: cents(before - left) });
  }
  if (left > 0) payment.steps.push({ bucket: 'credit', amount: cents(left) });

  working.credit = cents(working.credit + left);
  payment.allocation = {
    fees: cents(taken.fees),
    interest: cents(taken.interest),
    principal: cents(taken.principal),
    credit: cents(left),
  };
  payment.balance = working.principal;
  count(working, payment.amount, payment.allocation);
  const satisfying = cents(taken.interest + taken.principal);
  if (payment.purpose === 'installment' && !payment.recovery) {
    satisfy(working, satisfying, date);
    working.lateFeeMoney = cents(working.lateFeeMoney + lateFees);
    // Money applied to late fees counts here as if it had paid installments (16 CFR 444.4).
    if (working.policy.lateFee?.judge === 'currentFirst') countCurrentFirst(working, satisfying + lateFees, date);
  } else {
    working.totals.besideInstallments = cents(working.totals.besideInstallments + satisfying);
  }
  return feesPaid;

  /** The open principal by bucket: open amounts of installments due, less the interest just paid; the rest is in advance. */
  function principalHeld(time: Time, sofar: { interest: number; principal: number }): number {
    if (payment.purpose !== 'installment' || time === 'inAdvance') return working.principal;
    const covered = sofar.interest + sofar.principal;
    const pastDue = Math.max(0, due.pastDue - covered);
    if (time === 'pastDue') return Math.min(working.principal, pastDue);
    return Math.min(working.principal, Math.max(0, due.due - Math.max(0, covered - due.pastDue)));
  }
}

/** A refund of a product, an insurer's money and the price of the collateral pay all interest, then all principal, then fees. */
const PROCEEDS: readonly Bucket[] = [
  'pastDue.interest',
  'due.interest',
  'inAdvance.interest',
  'inAdvance.principal',
  'pastDue.penalty',
  'pastDue.fee',
  'due.penalty',
  'due.fee',
  'inAdvance.penalty',
  'inAdvance.fee',
];

/** Money from the collateral, an insurer or a product, not from the borrower. */
export function isProceeds(purpose: Purpose): boolean {
  return purpose !== 'installment' && purpose !== 'principal';
}

/** Principal money takes interest and fees only once no principal is left, so that none is left unapplied. */
function orderOf(purpose: Purpose, waterfall: readonly Bucket[]): readonly Bucket[] {
  if (isProceeds(purpose)) return PROCEEDS;
  return purpose === 'principal' ? ['inAdvance.principal', ...waterfall] : waterfall;
}

function count(working: WorkingLoan, amount: Cents, { fees, interest, principal, credit }: Allocation): void {
  const { totals } = working;
  totals.received = cents(totals.received + amount);
  totals.feesPaid = cents(totals.feesPaid + fees);
  totals.interestPaid = cents(totals.interestPaid + interest);
  totals.principalPaid = cents(totals.principalPaid + principal);
  totals.credited = cents(totals.credited + credit);
}

type OpenFees = Readonly<Record<'fee' | 'penalty', Readonly<Record<Time, WorkingFee[]>>>>;

const NO_FEES: OpenFees = {
  fee: { pastDue: [], due: [], inAdvance: [] },
  penalty: { pastDue: [], due: [], inAdvance: [] },
};

/** Open fees by kind and due status, in their order. */
function openFees(fees: readonly WorkingFee[], on: PlainDate): OpenFees {
  if (fees.length === 0) return NO_FEES;
  const held: OpenFees = {
    fee: { pastDue: [], due: [], inAdvance: [] },
    penalty: { pastDue: [], due: [], inAdvance: [] },
  };
  for (const fee of fees) if (feeOpen(fee) > 0) held[fee.kind][timeOf(fee.date, on)].push(fee);
  return held;
}

function timeOf(date: PlainDate, on: PlainDate): Time {
  return date < on ? 'pastDue' : date === on ? 'due' : 'inAdvance';
}

/**
 * Interest accrued up to the last due date is past due; up to a due date that is today, due; since then, in advance. Once every
 * installment is past due nothing is in advance: there is no later due date for it.
 */
function interestByTime(working: WorkingLoan, on: PlainDate, lastDueBefore: PlainDate | null, isDueDate: boolean) {
  // The stretch has just ended: everything unpaid is in `interestEnded`, and the last stretch shows what is recent.
  const total = working.interestEnded as number;
  let recent = total;
  if (lastDueBefore !== null) {
    const matured = lastDueBefore === working.installments.at(-1)?.dueDate;
    recent = matured ? 0 : Math.min(total, accruedSince(working, lastDueBefore, on));
  }
  const pastDue = total - recent;
  return { pastDue, due: isDueDate ? recent : 0, inAdvance: isDueDate ? 0 : recent };
}

/** Interest that accrued after a day: whole stretches that began since, and the part of the one that spans it. */
function accruedSince(working: WorkingLoan, day: PlainDate, on: PlainDate): number {
  let total = 0;
  for (let i = working.stretches.length - 1; i >= 0; i--) {
    const stretch = working.stretches[i];
    if (stretch === undefined || stretch.to <= day) break;
    if (stretch.from >= day) {
      total += stretch.interest;
      continue;
    }
    const { principal, rate, from: stretchSince } = stretch;
    const { terms, interestEnded } = working;
    const part = openStretch({ terms, interestEnded, principal, rate, stretchSince, accruing: true }, day);
    total += stretch.interest - (part?.interest ?? 0);
    break;
  }
  return on > day ? total : 0;
}

export type Due = {
  /** Open amounts of installments due before the day, and on it; together never more than is owed. */
  pastDue: number;
  due: number;
  lastDueBefore: PlainDate | null;
  isDueDate: boolean;
};

export function dueOn(working: WorkingLoan, on: PlainDate): Due {
  const due: Due = { pastDue: 0, due: 0, lastDueBefore: null, isDueDate: false };
  const owed = working.principal + interestOwed(working, on);
  const { installments } = working;
  const last = installments.length - 1;
  // A settled installment has nothing open. Only its due date matters, and of those due before the day only the last one.
  let first = Math.min(working.settled, last);
  while (first > 0 && (installments[first - 1] as WorkingInstallment).dueDate >= on) first -= 1;
  if (first > 0) due.lastDueBefore = (installments[first - 1] as WorkingInstallment).dueDate;
  let i = Math.max(first, 0);
  for (; i <= last; i++) {
    const installment = installments[i] as WorkingInstallment;
    if (installment.dueDate > on) break;
    // Once the last installment is due, everything is.
    const room = owed - due.pastDue - due.due;
    const open = i === last ? room : Math.min(room, Math.max(0, installment.amount - installment.paid));
    if (installment.dueDate < on) {
      due.lastDueBefore = installment.dueDate;
      due.pastDue += open;
    } else {
      due.isDueDate = true;
      due.due += open;
    }
  }
  working.work?.spend(Math.abs(working.settled - first) + i - first);
  return due;
}

/** Applies money to the installments, oldest first. Money beyond what is due on all of them goes to the last. */
function satisfy(working: WorkingLoan, money: Cents, on: PlainDate): void {
  let left: number = money;
  const { installments } = working;
  let i = working.settled;
  for (; i < installments.length && left > 0; i++) {
    const installment = installments[i] as WorkingInstallment;
    const open = i === installments.length - 1 ? left : installment.amount - installment.paid;
    if (open <= 0) continue;
    const amount = Math.min(left, open);
    left -= amount;
    installments[i] = paidOn(installment, cents(amount), on);
  }
  working.work?.spend(2 * (i - working.settled));
  // The last one is never settled: it includes whatever is left.
  while (working.settled < installments.length - 1 && isSettled(installments[working.settled] as WorkingInstallment)) {
    working.settled += 1;
  }
}

/**
 * For late fees, money counts for the installment most recently due, then for older ones, the newest first, then for future ones (UCCC
 * 2.502). What it pays is determined separately, oldest first.
 */
function countCurrentFirst(working: WorkingLoan, money: number, on: PlainDate): void {
  const { installments } = working;
  const last = installments.length - 1;
  let left = money;
  const countFor = (i: number) => {
    const installment = installments[i] as WorkingInstallment;
    const amount = Math.min(left, Math.max(0, installment.amount - installment.counted));
    if (amount === 0) return;
    left -= amount;
    installments[i] = { ...installment, counted: cents(installment.counted + amount) };
  };
  const due = lastDueBy(installments, on);
  let older = due;
  for (; older >= working.settledByCount && left > 0; older--) countFor(older);
  let ahead = due + 1;
  for (; ahead <= last && left > 0; ahead++) countFor(ahead);
  // The last one includes whatever is left.
  const final = installments[last];
  if (left > 0 && final !== undefined) installments[last] = { ...final, counted: cents(final.counted + left) };
  working.work?.spend(2 * (ahead - 1 - older));
  while (working.settledByCount < last) {
    const { amount, counted } = installments[working.settledByCount] as WorkingInstallment;
    if (counted < amount) break;
    working.settledByCount += 1;
  }
}

/** The index of the last installment that is due by a day; -1: none. They are in the order of their due dates. */
function lastDueBy(installments: readonly WorkingInstallment[], on: PlainDate): number {
  let low = 0;
  let high = installments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((installments[middle] as WorkingInstallment).dueDate <= on) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isSettled({ paid, amount }: WorkingInstallment): boolean {
  return paid >= amount;
}

function paidOn(installment: WorkingInstallment, amount: Cents, on: PlainDate): WorkingInstallment {
  const { dueDate, paidAhead, paidLate, satisfiedOn } = installment;
  const paid = cents(installment.paid + amount);
  return {
    ...installment,
    paid,
    paidAhead: on < dueDate ? cents(paidAhead + amount) : paidAhead,
    paidLate: on > dueDate ? cents(paidLate + amount) : paidLate,
    satisfiedOn: satisfiedOn ?? (paid >= installment.amount ? on : null),
  };
}
