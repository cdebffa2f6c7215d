/**
 * Posts what accrued or fell due on one loan without a transaction, with one event at the end of a day. The event changes nothing; its lines are
 * those of the days since the last one, each posted on its own day, as any other event of the loan would post them. Pure.
 *
 * It is dated by the day it ends: recorded on that day, at its last moment. So it is the same to the last byte whether it is written that
 * night or a week later, and the loan's row says what its books were at the end of that day.
 */
import { randomUUID } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import { loanOn } from '../../core/decide/operation.ts';
import { broughtBetween, chargeOffProposed } from '../../core/end-of-day.ts';
import type { Fact, LoanEvent } from '../../core/event.ts';
import type { DayFact } from '../../core/events/day.ts';
import { fold } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { ZERO } from '../../core/money.ts';
import { type SmallBalanceFact, smallBalanceOf } from '../../core/small-balance.ts';
import { booksChangeOn } from '../../ledger/accrue.ts';
import { linesOfDays } from '../../ledger/journal.ts';
import { changesOn, columnsOf, seldomText } from '../../portfolio/loan-columns.ts';
import type { correctChanges } from '../../store/cycle/cycles.ts';
import type { Save } from '../../store/door/save-loans.ts';
import { chain } from '../door/chain.ts';
import { hasRoomForDays } from '../door/history-limits.ts';
import type { Known, Loaded } from '../door/loan-cache.ts';

/** The recorder, where a client is named. */
const SERVICE = 'service';

/** The values that the row of a loan should have. */
export type Unchanged = Parameters<typeof correctChanges>[2][number];

/** `small`: what was left of it was written off; null: nothing. */
export type EndedDay = {
  readonly save: Save;
  readonly next: Known;
  readonly fact: DayFact;
  readonly small: SmallBalanceFact | null;
};

/**
 * `written`: nothing is left to post for that day, because an event recorded since the loan was found has posted it. `full`: the history has no room left but for ending the
 * loan; the books count what accrues without it. `Unchanged`: nothing happens on that day, although the row says so.
 */
export function endDay(
  { known, events }: Loaded,
  { day, lastMoment }: { readonly day: PlainDate; readonly lastMoment: number },
): EndedDay | Unchanged | 'written' | 'full' {
  if (known.recordedOn > day) return 'written';
  if (!hasRoomForDays(known)) return 'full';
  const history = { folding: known.folding, events };
  const before = loanOn(history, known.recordedOn) as Loan;
  const next = changesOn(before);
  if (next === null || next > day) {
    const { loanId, version } = known;
    return { loanId, version, changesOn: next, booksChangeOn: booksChangeOn(before) };
  }
  const loan = loanOn(history, day) as Loan;
  const fact = broughtBetween(before, loan);
  const small = smallBalanceOf(loan);
  if (small === null) return { ...recordedOn({ known, events }, fact, { day, lastMoment, loan }), fact, small };
  const stamp = { date: day, recordedOn: day, recordedAt: lastOf(known, lastMoment).toISOString() };
  const after = fold([...events, { ...small, ...stamp }], day);
  return { ...recordedOn({ known, events }, small, { day, lastMoment, loan: after }), fact, small };
}

/** The charge-off of a loan that its policy has recorded at the end of a month; null: it is not due, or something was recorded since. */
export function chargeOffAt(
  { known, events }: Loaded,
  { day, lastMoment }: { readonly day: PlainDate; readonly lastMoment: number },
): { readonly save: Save; readonly amount: number } | null {
  if (known.recordedOn > day) return null;
  const loan = loanOn({ folding: known.folding, events }, day) as Loan;
  const due = loan.policy.chargeOff === 'record' ? chargeOffProposed(loan) : null;
  // A hold's charge-off and one that a person has undone are for a person to decide: they are proposed.
  if (due === null || due.reason !== 'pastDue' || wasUndone(events)) return null;
  const fact = { type: 'chargedOff', collateral: ZERO, automatic: true, date: day } as const;
  const after = [...events, { ...fact, recordedOn: day, recordedAt: lastOf(known, lastMoment).toISOString() }];
  const { save } = recordedOn({ known, events }, fact, { day, lastMoment, loan: fold(after, day) });
  const { organizationId } = known;
  const act = { operation: 'charge-off', organizationId, keyId: null, requestId: null };
  return { save: { ...save, act }, amount: due.amount };
}

function wasUndone(events: readonly LoanEvent[]): boolean {
  return events.some((event) => event.type === 'undone' && events[event.sequence - 1]?.type === 'chargedOff');
}

/** Later than everything recorded of the loan before, and not before the end of the day. */
function lastOf({ recordedAt }: Pick<Known, 'recordedAt'>, lastMoment: number): Date {
  return new Date(Math.max(lastMoment, recordedAt + 1));
}

/** The save of one event at the end of a day, with what accrued or fell due before it. `loan` is the loan after it. */
function recordedOn(
  { known, events }: Pick<Loaded, 'known' | 'events'>,
  fact: DayFact | SmallBalanceFact | Extract<Fact, { type: 'chargedOff' }>,
  { day, lastMoment, loan }: { readonly day: PlainDate; readonly lastMoment: number; readonly loan: Loan },
): { readonly save: Save; readonly next: Known } {
  const history = { folding: known.folding, events };
  const recordedAt = lastOf(known, lastMoment);
  const event: LoanEvent = { ...fact, date: day, recordedOn: day, recordedAt: recordedAt.toISOString() };
  const brought = linesOfDays(history, known.books, { after: known.recordedOn, before: day });
  if (brought === null) throw new Error('The events of a loan were needed and are there.');
  const posted = chain({ ...known, books: brought.books }, [event], () => ({ loan, histories: null }), {
    brought: brought.lines,
    commitments: null,
    note: null,
    nonce: randomUUID,
  });
  if (posted === null) throw new Error('An event of its own day looks at no other.');
  const { saved, next: after } = posted;
  const columns = columnsOf(loan);
  const save: Save = {
    loanId: known.loanId,
    organizationId: known.organizationId,
    createdAt: new Date(known.createdAt),
    expected: known.lastHash,
    version: after.version,
    recordedAt,
    columns,
    seldom: seldomText(columns),
    before: known.seldom,
    created: null,
    clientId: SERVICE,
    userId: null,
    act: null,
    events: saved,
    idempotency: null,
    assessed: null,
    partyChange: null,
    customIndex: null,
  };
  return { save, next: { ...after, seldom: save.seldom } };
}
