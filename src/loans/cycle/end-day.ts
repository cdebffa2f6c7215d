/**
 * Posts what accrued or fell due on one loan without a transaction, with one event at the end of a day. The event changes nothing; its lines are
 * those of the days since the last one, each posted on its own day, as any other event of the loan would post them. Pure.
 *
 * It is dated by the day it ends: recorded on that day, at its last moment. So it is the same to the last byte whether it is written that
 * night or a week later, and the loan's row says what its books were at the end of that day.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { loanOn } from '../../core/decide/operation.ts';
import { broughtBetween } from '../../core/end-of-day.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { DayFact } from '../../core/events/day.ts';
import type { Loan } from '../../core/loan.ts';
import { linesOfDays } from '../../ledger/journal.ts';
import type { Save } from '../../store/save-loans.ts';
import { hasRoomForDays } from '../history-limits.ts';
import type { Known, Loaded } from '../loan-cache.ts';
import { changesOn, summaryOf } from '../summary.ts';
import { chain } from '../transact.ts';

/** Who recorded it, where a client is named. */
const SERVICE = 'service';

export type EndedDay = { readonly save: Save; readonly next: Known; readonly fact: DayFact };

/**
 * `written`: nothing is left to post for that day, because an event recorded since the loan was found has posted it. `full`: the history has no room left but for ending the
 * loan; the books count what accrues without it.
 */
export function endDay(
  { known, events }: Loaded,
  { day, lastMoment }: { readonly day: PlainDate; readonly lastMoment: number },
): EndedDay | 'written' | 'full' {
  if (known.recordedOn > day) return 'written';
  if (!hasRoomForDays(known)) return 'full';
  const history = { folding: known.folding, events };
  const before = loanOn(history, known.recordedOn) as Loan;
  const next = changesOn(before);
  if (next === null || next > day) return 'written';
  const loan = loanOn(history, day) as Loan;
  const fact = broughtBetween(before, loan);
  const recordedAt = new Date(Math.max(lastMoment, known.recordedAt + 1));
  const event: LoanEvent = { ...fact, date: day, recordedOn: day, recordedAt: recordedAt.toISOString() };
  const brought = linesOfDays(history, known.books, { after: known.recordedOn, before: day });
  if (brought === null) throw new Error('The events of a loan were needed and are there.');
  const posted = chain({ ...known, books: brought.books }, [event], () => ({ loan, histories: null }), {
    brought: brought.lines,
    commitments: null,
    note: null,
  });
  if (posted === null) throw new Error('An event of its own day looks at no other.');
  const { saved, next: after } = posted;
  const save: Save = {
    loanId: known.loanId,
    organizationId: known.organizationId,
    createdAt: new Date(known.createdAt),
    expected: known.lastHash,
    version: after.version,
    recordedAt,
    summary: summaryOf(loan),
    created: null,
    clientId: SERVICE,
    events: saved,
    idempotency: null,
    assessed: null,
  };
  return { save, next: after, fact };
}
