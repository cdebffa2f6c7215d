/**
 * Facts that follow from the date alone: past-due installments, days past due, buckets, the next payment and late fees. All of it is
 * derived from the policy and the date inside the fold; a nightly run only records it. It is longer than other files because past-due status and
 * late fees share the view of what is open.
 */
import { addDays, daysBetween, lastOfMonth, type PlainDate } from './calendar.ts';
import { countedOn } from './holds.ts';
import type { Installment, Loan, Payment } from './loan.ts';
import { overOn, serviceInForce } from './military-service.ts';
import { type Cents, cents, mulDiv, ZERO } from './money.ts';
import { type Percent, percentDivisor } from './rate.ts';
import {
  type Accrual,
  BROUGHT_FEES,
  feeOpen,
  feesOwed,
  interestOwed,
  type WorkingInstallment,
  type WorkingLoan,
} from './working-loan.ts';

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
  /** From the due date of the oldest unsatisfied installment; for whatever else is owed after the last due date, from that date. */
  readonly daysPastDue: number;
  readonly bucket: DelinquencyBucket;
  readonly oldestDueDate: PlainDate | null;
  /** Open amounts of installments that are past due; of an accelerated loan, all of them. Where only fees are left, those past due. */
  readonly pastDueAmount: Cents;
  /** Due date of the oldest installment that is not satisfied; null when nothing is left to pay. */
  readonly nextDueDate: PlainDate | null;
  /** That installment's open amount, and everything past due; of an accelerated loan, all of it. */
  readonly nextDueAmount: Cents;
  /** Installments paid before their due date; none for a charged-off loan. */
  readonly paidAhead: number;
  /** Installments not yet satisfied. */
  readonly remaining: number;
};

/** The open amount of an installment on a day. */
export type OpenInstallment = {
  readonly installment: Installment;
  readonly open: Cents;
  /**
   * The day from which it counts as past due; null: it does not. Usually its due date; for the shortage of one that counts as paid, the last
   * due date of the loan.
   */
  readonly pastDueSince: PlainDate | null;
};

/**
 * The amount due on an installment is its scheduled amount, but never more than will be owed on its due date: a loan that was paid down by
 * other means has less due. The last one includes everything that is left. What will be owed is projected forward as if everything past due
 * were paid today and each later installment on its due date, so an untouched loan follows its schedule exactly. For a day after the loan's
 * own it is what that day will show if nothing happens.
 */
export function openInstallments(loan: Loan, on: PlainDate = loan.on): OpenInstallment[] {
  return openBefore(loan, on, null);
}

/** Only the installments due before a day, the later ones left out; null: all of them. They are in the order of their due dates. */
function openBefore(loan: Loan, on: PlainDate, end: PlainDate | null): OpenInstallment[] {
  const view: OpenInstallment[] = [];
  follow(loan, { on, end, from: 0 }, (installment, open, pastDueSince) => {
    view.push({ installment, open, pastDueSince });
    return true;
  });
  return view;
}

/** Shows each installment due before a day with what is open of it, from the one at `from` on, until `show` answers false. */
function follow(
  loan: Loan,
  { on, end, from }: { on: PlainDate; end: PlainDate | null; from: number },
  show: (installment: Installment, open: Cents, pastDueSince: PlainDate | null, i: number) => boolean,
): void {
  const { installments, policy } = loan;
  const { principal, interestEnded, stretchSince, rate, accruing, terms } = loan;
  const ahead: Accrual = { principal, interestEnded, stretchSince, rate, accruing, terms };
  const coming = comingChanges(loan);
  const beside = moneyBeside(loan);
  // Amounts made due by acceleration are past due at once.
  const isOver = (dueDate: PlainDate) => dueDate < on || (dueDate === on && dueDate === loan.acceleratedOn);
  const last = installments.at(-1);
  // After the last due date no shortage is excused any more.
  const matured = last !== undefined && isOver(last.dueDate) ? last.dueDate : null;
  for (let i = from; i < installments.length; i++) {
    const installment = installments[i] as Installment;
    const { dueDate, amount, paid } = installment;
    if (end !== null && dueDate >= end) return;
    const isLast = i === installments.length - 1;
    if (paid >= amount && !isLast) {
      // It has nothing due, whatever is owed.
      if (!show(installment, ZERO, null, i)) return;
      continue;
    }
    const at = dueDate > on ? dueDate : on;
    for (let next = coming[0]; next !== undefined && next.date <= at; next = coming[0]) {
      settleTo(ahead, next.date);
      ahead.rate = next.rate;
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
    let since: PlainDate | null = null;
    if (open > 0 && isOver(dueDate)) {
      const excused =
        !isLast &&
        countsAsPaid(paid, askedOf(installment, open, { beside: beside(dueDate), isLast }), policy.satisfiedPercent);
      since = excused ? matured : dueDate;
    }
    if (!show(installment, open, since, i)) return;
  }
}

/**
 * The full amount due on an installment: its paid and its open part, which is never more than is owed. Money that satisfies no installment
 * reduces what is owed; the part received after the due date (`beside`) stays due as before, so that it does not make an installment count
 * as paid.
 */
function askedOf({ amount, paid }: Installment, open: number, { beside, isLast }: { beside: number; isLast: boolean }) {
  const asked = paid + open + beside;
  return cents(isLast ? asked : Math.min(Math.max(amount, paid + open), asked));
}

/** The money after a day that satisfied no installment. Days must be requested in ascending order. */
function moneyBeside({ payments, totals }: Pick<Loan, 'payments' | 'totals'>): (after: PlainDate) => number {
  if (totals.besideInstallments === 0) return () => 0;
  const others = payments.filter(({ purpose, recovery }) => purpose !== 'installment' || recovery);
  const taken = ({ allocation }: Payment) => allocation.interest + allocation.principal;
  let left = others.reduce((sum, payment) => sum + taken(payment), 0);
  let next = 0;
  return (after) => {
    for (let one = others[next]; one !== undefined && one.date <= after; one = others[next]) {
      left -= taken(one);
      next += 1;
    }
    return left;
  };
}

function settleTo(ahead: Accrual, day: PlainDate): void {
  ahead.interestEnded = interestOwed(ahead, day);
  if (day > ahead.stretchSince) ahead.stretchSince = day;
}

/** Future disbursements, and the rates in force from their days on: those of the contract, and the agreed one after military service. */
function comingChanges({ terms, on, agreedRate, service }: Loan) {
  const over = service === null ? null : overOn(service);
  const scheduled = terms !== null && (terms.disbursements.length > 1 || terms.rateChanges.length > 0);
  if (terms === null || (!scheduled && over === null)) return [];
  const changes: { date: PlainDate; amount: Cents; agreed: Percent | null }[] = [
    ...(over === null ? [] : [{ date: over, amount: ZERO, agreed: null }]),
    ...terms.disbursements.map(({ date, amount }) => ({ date, amount, agreed: null })),
    ...terms.rateChanges.map(({ date, rate }) => ({ date, amount: ZERO, agreed: rate })),
  ];
  let present = { agreedRate, service };
  return changes
    .filter(({ date }) => date > on)
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .map(({ date, amount, agreed }) => {
      const isOver = over !== null && date >= over;
      present = { agreedRate: agreed ?? present.agreedRate, service: isOver ? null : service };
      return { date, amount, rate: serviceInForce(present) };
    });
}

/** Paid to the policy's percentage (90 %): counts as paid for past-due status; the shortage stays owed. */
function countsAsPaid(paid: Cents, amount: Cents, satisfiedPercent: number): boolean {
  return paid * 100 >= amount * satisfiedPercent;
}

export function delinquency(loan: Loan, view: readonly OpenInstallment[] = openInstallments(loan)): Delinquency {
  const { on } = loan;
  let oldest = feesPastDueFrom(loan, on);
  const onlyFees = oldest !== null;
  for (const { pastDueSince } of view) {
    if (pastDueSince !== null && (oldest === null || pastDueSince < oldest)) oldest = pastDueSince;
  }
  const daysPastDue = oldest === null ? 0 : daysBetween(oldest, on);
  // A shortage that counts as paid is due with the next installment, or by itself when there is none.
  const unsatisfied = view.filter(
    ({ installment: { dueDate }, open, pastDueSince }) => open > 0 && (pastDueSince === dueDate || dueDate >= on),
  );
  const next = unsatisfied[0] ?? view.find(({ open }) => open > 0);
  const nextDueDate = (onlyFees ? null : oldest) ?? next?.installment.dueDate ?? null;
  let paidAhead = 0;
  for (const { installment, open } of view) {
    const { dueDate } = installment;
    // One with nothing due because the principal was paid down otherwise is not paid ahead.
    const ahead = dueDate > on && open === 0 && installment.satisfiedOn !== null;
    if (nextDueDate !== null && ahead && loan.chargeOff === null) paidAhead += 1;
  }
  return {
    daysPastDue,
    bucket: bucketOf(daysPastDue),
    oldestDueDate: oldest,
    pastDueAmount: onlyFees ? feesOwed(loan) : openOfAll(pastDueIn(loan, view)),
    nextDueDate,
    nextDueAmount: openOfAll(nextDueIn(loan, view, nextDueDate)),
    paidAhead,
    remaining: unsatisfied.length,
  };
}

function openOfAll(view: readonly OpenInstallment[]): Cents {
  return cents(view.reduce((sum, { open }) => sum + open, 0));
}

/** The installments in the amount past due; for an accelerated loan also those that count as paid with a shortage. */
export function pastDueIn({ acceleratedOn }: Loan, view: readonly OpenInstallment[]): readonly OpenInstallment[] {
  return view.filter(({ open, pastDueSince }) => pastDueSince !== null || (acceleratedOn !== null && open > 0));
}

/** The installments in the next payment. */
export function nextDueIn(
  { on, acceleratedOn }: Loan,
  view: readonly OpenInstallment[],
  nextDueDate: PlainDate | null,
): readonly OpenInstallment[] {
  if (nextDueDate === null) return [];
  return view.filter(
    ({ open, installment: { dueDate } }) =>
      open > 0 && (dueDate <= nextDueDate || dueDate < on || acceleratedOn !== null),
  );
}

/**
 * The due date from which days past due count if nothing more happens: on every later day they are the days since then, none before. Null
 * when nothing can become past due. One case has no single date: an installment that counts as paid because little is owed altogether,
 * until interest on that amount exceeds the policy's percentage. It then counts from its own due date, at once; before that day it is
 * skipped here.
 */
export function pastDueFrom(loan: Loan): PlainDate | null {
  if (loan.stage !== 'Funded') return null;
  const { installments, on, settled } = loan;
  for (let i = settled; i < installments.length; i++) {
    const { dueDate, amount, paid } = installments[i] as Installment;
    if (paid >= amount && i < installments.length - 1) continue;
    if (isPastDue(loan, i, dueDate < on ? on : addDays(dueDate, 1))) return dueDate;
  }
  return owesNow(loan) ? (installments.at(-1)?.dueDate ?? null) : feesPastDueFrom(loan, null);
}

/** Whether principal or interest is owed, which then is so on every later day if nothing more happens. */
function owesNow({ principal, interestEnded }: Loan): boolean {
  return principal + interestEnded > 0;
}

/**
 * The day from which fees alone are past due: the last due date, or the day of a fee that was charged after it. Null: more than fees is owed,
 * which then decides, or none is due by the day. `on` null: whenever that will be.
 */
function feesPastDueFrom(loan: Loan, on: PlainDate | null): PlainDate | null {
  const maturity = loan.installments.at(-1)?.dueDate;
  if (maturity === undefined || owesNow(loan)) return null;
  let from: PlainDate | null = null;
  for (const fee of loan.fees) {
    if (feeOpen(fee) === 0) continue;
    // A late fee belongs to its installment, and what an earlier servicer charged was owed before.
    const isOlder = fee.installment !== null || fee.feeId === BROUGHT_FEES || fee.date < maturity;
    const due = isOlder ? maturity : fee.date;
    if (from === null || due < from) from = due;
  }
  return from === null || on === null || from < on ? from : null;
}

/** Whether the installment with this index is past due on a day, from its own due date on. */
function isPastDue(loan: Loan, index: number, day: PlainDate): boolean {
  let answer = false;
  follow(loan, { on: day, end: day, from: loan.settled }, ({ dueDate }, _, pastDueSince, i) => {
    if (i === index) answer = pastDueSince === dueDate;
    return i < index;
  });
  return answer;
}

/** The number of days searched ahead for the day on which an installment stops counting as paid. */
const DAYS_AHEAD = 3_650;

/**
 * The first day after the loan's own on which it reaches the given days past due, if nothing more happens. An installment that counts as
 * paid may stop doing so when interest raises the amount due: it is then past due from its own due date, at once. Once past due it stays
 * so, because what is owed only grows; so that day is found by bisection. Where it is beyond the searched range, the last day of the range
 * is returned, which is never later than that day.
 */
export function pastDueOn(loan: Loan, days: number): PlainDate | null {
  const { installments, on } = loan;
  if (loan.stage !== 'Funded') return null;
  const grows = loan.accruing && loan.principal > 0 && loan.rate.digits > 0;
  const tomorrow = addDays(on, 1);
  let first: PlainDate | null = null;
  for (const [i, { dueDate, amount, paid }] of installments.entries()) {
    if (paid >= amount && i < installments.length - 1) continue;
    const reached = addDays(dueDate, Math.max(days, 1));
    const soonest = reached > tomorrow ? reached : tomorrow;
    if (first !== null && soonest >= first) break;
    const isLate = (day: PlainDate) => isPastDue(loan, i, day);
    if (isLate(soonest)) return soonest;
    if (grows) first = firstDay(isLate, soonest, first ?? addDays(soonest, DAYS_AHEAD));
  }
  const maturity = installments.at(-1)?.dueDate;
  if (maturity === undefined || !owesNow(loan)) return first;
  const reached = addDays(maturity, Math.max(days, 1));
  const matured = reached > tomorrow ? reached : tomorrow;
  return first === null || matured < first ? matured : first;
}

/** The first day on which a condition holds that then stays true; the last day of the range where it does not hold before. */
export function firstDay(isSo: (day: PlainDate) => boolean, after: PlainDate, last: PlainDate): PlainDate {
  let [before, by] = [after, last];
  for (let days = daysBetween(before, by); days > 1; days = daysBetween(before, by)) {
    const middle = addDays(before, Math.floor(days / 2));
    if (isSo(middle)) by = middle;
    else before = middle;
  }
  return by;
}

/** Only the count, for the status: installments not yet due are not examined. */
export function daysPastDue(loan: Loan): number {
  const oldest = oldestPastDue(loan, loan.on);
  return oldest === null ? 0 : daysBetween(oldest, loan.on);
}

function oldestPastDue(loan: Loan, on: PlainDate): PlainDate | null {
  let oldest = feesPastDueFrom(loan, on);
  follow(loan, { on, end: on, from: loan.settled }, ({ dueDate }, _, pastDueSince) => {
    if (pastDueSince !== null && (oldest === null || pastDueSince < oldest)) oldest = pastDueSince;
    // The later ones are past due from later days.
    return pastDueSince !== dueDate;
  });
  return oldest;
}

/**
 * The day on which the policy requires the charge-off: the end of the month in which it reaches the policy's days past due (FFIEC), without
 * the days of holds that stop the clock. Null: nothing is past due, or the clock is stopped until further notice.
 */
export function chargeOffDue(loan: Loan): PlainDate | null {
  const oldest = oldestPastDue(loan, loan.on);
  const reached = oldest && countedOn(loan.holds, { after: oldest, days: loan.policy.chargeOffDays });
  return reached && lastOfMonth(reached);
}

// ---- late fees ----

/** The day on which an installment is judged: the first after its grace days. */
export function judgedOn(installment: { dueDate: PlainDate }, graceDays: number): PlainDate {
  return addDays(installment.dueDate, graceDays + 1);
}

/** The amount missing from an installment when its grace days are over. */
type Shortage = {
  /** Missing for on-time payment, up to the percentage at which it counts as paid. Zero: it is not late. */
  readonly forGrace: number;
  /** The amount due on the installment; a percentage is taken of this, whatever part of it was paid. */
  readonly asked: Cents;
};

const NO_SHORTAGE: Shortage = { forGrace: 0, asked: ZERO };

/**
 * A fee is never charged because an earlier late fee was left unpaid (16 CFR 444.4): money applied to late fees counts here as if it had
 * paid installments. Where money counts for the installment most recently due, an installment that its actual allocation paid is not late
 * either.
 */
export function shortageAfterGrace(working: WorkingLoan, installment: WorkingInstallment, on: PlainDate): Shortage {
  const { open, older } = openOf(working, installment, on);
  if (open === 0) return NO_SHORTAGE;
  const excused = Math.max(0, working.lateFeeMoney - older);
  const isLast = installment.n === working.installments.at(-1)?.n;
  if (working.totals.besideInstallments > 0) working.work?.spend(working.payments.length / 8);
  const asked = askedOf(installment, open, { beside: moneyBeside(working)(installment.dueDate), isLast });
  const threshold = Math.ceil((asked * working.policy.satisfiedPercent) / 100);
  const received = Math.max(installment.paid + excused, installment.counted);
  return { forGrace: Math.max(0, threshold - received), asked };
}

export function lateFeeFor(working: WorkingLoan, { asked }: Shortage): Cents {
  const policy = working.policy.lateFee;
  if (policy === null) return ZERO;
  if (policy.percent === null) return policy.flat ?? ZERO;
  const rounding = working.terms?.rounding ?? 'half-up';
  const share = mulDiv(asked, policy.percent.digits, 1, percentDivisor(policy.percent), rounding);
  const floored = Math.max(share, policy.floor ?? 0);
  return cents(policy.cap === null ? floored : Math.min(floored, policy.cap));
}

/**
 * The open amount of an installment that is due, and of all older ones, within what is owed; the last includes everything that the others
 * leave.
 */
function openOf(working: WorkingLoan, installment: WorkingInstallment, on: PlainDate): { open: number; older: number } {
  const { installments } = working;
  const isLast = installment === installments.at(-1);
  // It has nothing due, whatever is older.
  if (installment.paid >= installment.amount && !isLast) return { open: 0, older: 0 };
  const owed = working.principal + interestOwed(working, on);
  let older = 0;
  let i = working.settled;
  for (; i < installments.length; i++) {
    const one = installments[i] as WorkingInstallment;
    if (one === installment) break;
    older += Math.min(owed - older, Math.max(0, one.amount - one.paid));
  }
  // Each step is cheap.
  working.work?.spend((i - working.settled) / 4);
  const room = owed - older;
  if (isLast) return { open: room, older };
  return { open: Math.min(room, Math.max(0, installment.amount - installment.paid)), older };
}
