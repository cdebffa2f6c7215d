/**
 * The changes that a version of a policy would make to a loan by a day if nothing more were paid, and the values that change anything at
 * all.
 */
import { bookFiguresOf } from '../core/books.ts';
import { addDays, type PlainDate } from '../core/calendar.ts';
import { daysPastDue } from '../core/delinquency.ts';
import { chargeOffProposed } from '../core/end-of-day.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold, foldAll, stateOn } from '../core/fold.ts';
import { underOthers } from '../core/fold-under.ts';
import type { Fee, Loan } from '../core/loan.ts';
import { changesOwner } from '../core/ownership.ts';
import type { LenderPolicy, Policy } from '../core/policy.ts';
import { statusOf } from '../core/status.ts';
import { followsOf, followsSince, type LenderTimeline } from './versions.ts';

/** Counts of loans by what changes for them, and cents. */
export type Impact = {
  /** Loans that were folded under both versions. */
  loans: number;
  /** Loans for which anything changes. */
  loansChanged: number;
  /** Late fees that are charged under one of the versions only, or with another amount. */
  feesChanged: number;
  status: number;
  daysPastDue: number;
  lateFees: number;
  interest: number;
  bookInterest: number;
  chargeOff: number;
  /** The sum of absolute differences, in cents, of late fees, interest owed and book interest. */
  lateFeesCents: number;
  interestCents: number;
  bookInterestCents: number;
};

export const NO_IMPACT: Impact = {
  loans: 0,
  loansChanged: 0,
  feesChanged: 0,
  status: 0,
  daysPastDue: 0,
  lateFees: 0,
  interest: 0,
  bookInterest: 0,
  chargeOff: 0,
  lateFeesCents: 0,
  interestCents: 0,
  bookInterestCents: 0,
};

export function plusImpact(a: Impact, b: Impact): Impact {
  const sum = { ...a };
  for (const name of Object.keys(NO_IMPACT) as (keyof Impact)[]) sum[name] += b[name];
  return sum;
}

/** A loan's events with the versions that it adopts after its creation. Never to be stored or hashed: they are the lender's. */
export function followed(events: readonly LoanEvent[], timeline: LenderTimeline): readonly LoanEvent[] {
  const created = events[0];
  if (created?.type !== 'created') return events;
  const last = events.findLast(changesOwner);
  if (timeline.changes.length === 0 && last === undefined) return events;
  // A former owner's versions are in the event of the transfer; the new owner's count from the day after it.
  const follows =
    last === undefined
      ? followsOf(timeline, created.recordedOn)
      : [...(last.policies ?? []), ...followsSince(timeline, addDays(last.date, 1))];
  return [{ ...created, follows }, ...events.slice(1)];
}

export function impactOn(
  events: readonly LoanEvent[],
  { present, proposed, through }: { present: LenderTimeline; proposed: LenderTimeline; through: PlainDate },
): Impact {
  // Most versions differ only after the last event: the history is then folded once.
  const known = followed(events, present);
  const folding = foldAll(known);
  const [created] = followed(events, proposed);
  const follows = created?.type === 'created' ? (created.follows ?? []) : [];
  const other = underOthers(folding, follows);
  const before = stateOn(folding, through) ?? fold(known, through);
  const after = (other && stateOn(other, through)) ?? fold(followed(events, proposed), through);
  const fees = changedFees(before, after);
  const impact = { ...NO_IMPACT, loans: 1 };
  impact.feesChanged = fees.length;
  impact.lateFees = fees.length > 0 ? 1 : 0;
  impact.lateFeesCents = fees.reduce((sum, amount) => sum + amount, 0);
  impact.status = statusOf(before) === statusOf(after) ? 0 : 1;
  impact.daysPastDue = daysPastDue(before) === daysPastDue(after) ? 0 : 1;
  impact.interestCents = Math.abs(before.interest - after.interest);
  impact.interest = impact.interestCents > 0 ? 1 : 0;
  impact.bookInterestCents = Math.abs(bookInterest(before) - bookInterest(after));
  impact.bookInterest = impact.bookInterestCents > 0 ? 1 : 0;
  impact.chargeOff = chargeOffOf(before) === chargeOffOf(after) ? 0 : 1;
  const { lateFees, status, daysPastDue: late, interest, bookInterest: book, chargeOff } = impact;
  impact.loansChanged = lateFees + status + late + interest + book + chargeOff > 0 ? 1 : 0;
  return impact;
}

/** Whether a charge-off is due, and whether the nightly cycle records it. */
function chargeOffOf(loan: Loan): 'none' | Policy['chargeOff'] {
  const due = chargeOffProposed(loan);
  if (due === null) return 'none';
  return due.reason === 'pastDue' ? loan.policy.chargeOff : 'propose';
}

function bookInterest(loan: Loan): number {
  const { interestReceivable, accruedInterest } = bookFiguresOf(loan);
  return interestReceivable + accruedInterest;
}

/** By how much each late fee differs. */
function changedFees(before: Loan, after: Loan): number[] {
  const amounts = new Map<string, number>();
  const add = (fees: readonly Fee[], sign: number) => {
    for (const { feeId, installment, amount } of fees) {
      if (installment !== null) amounts.set(feeId, (amounts.get(feeId) ?? 0) + sign * amount);
    }
  };
  add(before.fees, -1);
  add(after.fees, 1);
  return [...amounts.values()].filter((amount) => amount !== 0).map(Math.abs);
}

/** The names of values that differ, by what they change. */
export type ChangedValues = {
  /** Figures of loans, or whether a charge-off is due. */
  readonly figures: readonly string[];
  /** Loans created from then on, and no other. */
  readonly newLoansOnly: readonly string[];
  /** Limits and requirements of operations; no figure by itself. */
  readonly limitsOnly: readonly string[];
};

const FIGURES = new Set([
  ...[
    'satisfiedPercent',
    'nonAccrualDays',
    'returnToAccrual',
    'feesInNonAccrual',
    'accrueAfterChargeOff',
    'smallBalance',
  ],
  ...['chargeOffDays', 'chargeOff'],
]);
const NEW_LOANS = new Set(['waterfall', 'rounding', 'graceDays', 'lateFee', 'lateFeeByState', 'publish']);

export function changedValues(before: LenderPolicy, after: LenderPolicy): ChangedValues {
  const names = Object.keys(after) as (keyof LenderPolicy)[];
  const differ = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const shown = new Set<string>(differ.map((name) => (name === 'lateFeeByState' ? 'lateFee' : name)));
  const of = (is: (name: string) => boolean) => [...shown].filter(is).sort();
  return {
    figures: of((name) => FIGURES.has(name)),
    newLoansOnly: of((name) => NEW_LOANS.has(name)),
    limitsOnly: of((name) => !FIGURES.has(name) && !NEW_LOANS.has(name)),
  };
}
