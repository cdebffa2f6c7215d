/** Runs of underwriting on one loan: each has its number, and may stand on the credit reports of an earlier one. */
import type { AssessedWith } from '../../boarding/file.ts';
import type { BureauSubject } from '../../bureau/bureau.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { loanOn } from '../../core/decide/operation.ts';
import type { LoanEvent } from '../../core/event.ts';
import { reportEnds } from '../../core/expiry.ts';
import { fold } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import type { Loaded } from '../door/loan-cache.ts';

/** The position of the event of a run, from 1. */
export function startOf(events: readonly LoanEvent[], run: number): number {
  let starts = 0;
  return events.findIndex(({ type }) => {
    if (type === 'underwritingStarted') starts += 1;
    return starts === run;
  });
}

/**
 * The name under which a screening is kept. A retry finds it, but on another day, or after a change of the loan, who may have another name
 * since, it is asked for anew.
 */
export function screeningRole(role: BureauSubject['role'], { before, day }: ScreenedAt): string {
  return `screening:${before}:${day}:${role}`;
}

/** The number of events before it, and the day. */
export type ScreenedAt = { readonly before: number; readonly day: PlainDate };

/** The run whose reports a new one may stand on; null: there is none, they are too old, or the bureau would now be asked about somebody else. */
export function reportsStill({ known, events }: Loaded, last: AssessedWith | null, today: PlainDate): number | null {
  if (last === null || !last.isReusable) return null;
  const { policy, partyChanges } = loanOn({ folding: known.folding, events }, today) as Loan;
  if (today > reportEnds(last.reportDate, policy)) return null;
  const asked = fold(events.slice(0, startOf(events, last.run)), last.day).partyChanges;
  return JSON.stringify(partyChanges) === JSON.stringify(asked) ? last.reportsOf : null;
}
