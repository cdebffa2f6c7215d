/**
 * Non-accrual: the books count interest only when it is received. It begins on the day on which the policy's days past due are reached, and
 * ends with the day at whose end nothing is past due any more and as many installments were paid in full, one after the other, as the policy
 * asks for. Without an event days past due only grow, so between two events it can only begin.
 */
import { amortizeAgain } from './amortize.ts';
import { addDays, type PlainDate } from './calendar.ts';
import { daysPastDue, firstDay } from './delinquency.ts';
import type { Installment, Loan } from './loan.ts';
import { turn } from './turns.ts';
import { shown, type WorkingLoan } from './working-loan.ts';

/** At the end of a day, on or after the last one on which something happened; null: the books accrue interest. */
export function nonAccrualOn(working: Readonly<WorkingLoan>, on: PlainDate): PlainDate | null {
  const { policy, stage, chargeOff, nonAccrualSince, happenedOn } = working;
  const { nonAccrualDays } = policy;
  if (nonAccrualDays === null || stage !== 'Funded' || chargeOff !== null) return null;
  if (happenedOn !== '' && on < happenedOn) return nonAccrualSince;
  const from = happenedOn === '' ? on : happenedOn;
  if (nonAccrualSince !== null && !accruesAgain(shown(working, from), nonAccrualSince)) return nonAccrualSince;
  if (!mayBePastDue(working, nonAccrualDays, on)) return null;
  const isIn = (day: PlainDate) => daysPastDue(shown(working, day)) >= nonAccrualDays;
  if (!isIn(on)) return null;
  return from >= on || isIn(from) ? from : firstDay(isIn, from, on);
}

/** Keeps what has been so up to a day, before something happens after it. */
export function keepNonAccrual(working: WorkingLoan, until: PlainDate): void {
  if (until >= working.happenedOn) working.nonAccrualSince = nonAccrualOn(working, until);
}

/**
 * The next version of the policy comes into force, or service ends. Under a version with other days, non-accrual ends where it would not have
 * begun.
 */
export function turnAccruing(working: WorkingLoan, day: PlainDate): void {
  const before = working.policy.nonAccrualDays;
  turn(working);
  const { nonAccrualDays } = working.policy;
  if (day > working.happenedOn) working.happenedOn = day;
  if (working.nonAccrualSince === null || nonAccrualDays === before) return;
  const begins = nonAccrualDays !== null && daysPastDue(shown(working, day)) >= nonAccrualDays;
  if (begins) return;
  amortizeAgain(working, day);
  working.nonAccrualSince = null;
}

/** The loan on a day, with whether it accrues at the end of it. */
export function shownAccruing(working: Readonly<WorkingLoan>, on: PlainDate): Loan {
  const loan = shown(working, on);
  const nonAccrualSince = nonAccrualOn(working, on);
  return nonAccrualSince === loan.nonAccrualSince ? loan : { ...loan, nonAccrualSince };
}

/** False where no installment is old enough, which needs no look at what is owed. */
function mayBePastDue(
  { installments, settled, acceleratedOn }: Readonly<WorkingLoan>,
  days: number,
  on: PlainDate,
): boolean {
  if (acceleratedOn !== null) return true;
  // If all installments count as paid, the rest is past due from the last due date.
  const oldest = installments[settled] ?? installments.at(-1);
  return oldest !== undefined && addDays(oldest.dueDate, days) <= on;
}

function accruesAgain(loan: Loan, since: PlainDate): boolean {
  const { payments } = loan.policy.returnToAccrual;
  return daysPastDue(loan) === 0 && (payments === 0 || paidInFull(loan, since) >= payments);
}

/** The installments due since then that were paid in full within their grace days, counted back from the last one that is due or paid. */
function paidInFull({ installments, policy, on }: Loan, since: PlainDate): number {
  let paid = 0;
  for (let i = installments.length - 1; i >= 0; i--) {
    const { dueDate, satisfiedOn } = installments[i] as Installment;
    if (dueDate <= since) break;
    if (satisfiedOn === null) {
      if (dueDate >= on) continue;
      break;
    }
    if (satisfiedOn <= since || satisfiedOn > addDays(dueDate, policy.graceDays)) break;
    paid += 1;
  }
  return paid;
}
