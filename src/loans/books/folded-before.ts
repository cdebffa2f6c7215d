/**
 * Loans that are folded for many days, one after the other: their events are read once, and what was folded for a day is shown on the next
 * ones until something is recorded. What does not fit is read and folded for each day.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';

export type FoldedBefore = {
  /** Null: they are to be read. `count`: how many the loan has now. */
  events(loanId: string, count: number): readonly LoanEvent[] | null;
  keep(loanId: string, events: readonly LoanEvent[]): void;
  /** The loan on a day by its events known then, which are the first of all in the order of recording. */
  on(loanId: string, known: readonly LoanEvent[], day: PlainDate): Loan;
};

/** Some ten megabytes. */
const EVENTS_KEPT = 20_000;

type Kept = { readonly events: readonly LoanEvent[]; known: number; folding: Folding | null };

export function openFoldedBefore(): FoldedBefore {
  const loans = new Map<string, Kept>();
  let room = EVENTS_KEPT;
  return {
    events(loanId, count) {
      const events = loans.get(loanId)?.events ?? null;
      return events?.length === count ? events : null;
    },
    keep(loanId, events) {
      room += loans.get(loanId)?.events.length ?? 0;
      loans.delete(loanId);
      if (events.length > room) return;
      room -= events.length;
      loans.set(loanId, { events, known: 0, folding: null });
    },
    on(loanId, known, day) {
      const kept = loans.get(loanId);
      if (kept === undefined) return fold(known, day);
      if (kept.folding === null || kept.known !== known.length) {
        const more = kept.folding === null || kept.known > known.length ? null : known.slice(kept.known);
        kept.folding = (more && append(kept.folding as Folding, more)) ?? foldAll(known);
        kept.known = known.length;
      }
      return stateOn(kept.folding, day) ?? fold(known, day);
    },
  };
}
