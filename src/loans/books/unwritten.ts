/**
 * Loans that their rows say nothing of on a day: those that were recorded since, those that a day has changed by itself, and those that
 * were transferred to another owner since. They are
 * folded, a few at a time, and nothing of them is kept but sums.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold, foldAll } from '../../core/fold.ts';
import { type DatedLine, linesOfDays } from '../../ledger/journal.ts';
import { booksOf } from '../../ledger/post.ts';
import { followed } from '../../policy/impact.ts';
import {
  type FoldedThrough,
  type LoanToFold,
  readBodies,
  readLoansToFold,
  type Whose,
  type WhyFolded,
} from '../../store/books/books.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { timelinesIn } from '../door/policy-timelines.ts';
import type { FoldedBefore } from './folded-before.ts';
import type { Look } from './looks.ts';

/** Loans of a page, and events that are read at once: some hundred bytes each. */
const LOANS_AT_ONCE = 500;
const EVENTS_AT_ONCE = 2_000;

type ToFold = {
  readonly day: PlainDate;
  readonly why: WhyFolded;
  /** Called for a loan that cannot be folded; without this callback the read fails. */
  readonly failed?: ((loanId: string, error: unknown) => void) | undefined;
  /** Has the events of loans that were folded for another day. */
  readonly before?: FoldedBefore | undefined;
};

/** Each loan that a row does not say it of, with its events as they were known at the end of the day. */
export async function eachToFold(
  { tx, pause }: Look,
  whose: Whose,
  { day, why, failed, before }: ToFold,
  work: (loan: LoanToFold, known: readonly LoanEvent[]) => void,
): Promise<void> {
  let after: FoldedThrough | null = null;
  const policies = await timelinesIn(tx, whose.organizationId);
  do {
    const { loans, last }: Awaited<ReturnType<typeof readLoansToFold>> = await readLoansToFold(tx, whose, {
      day,
      why,
      after,
      limit: LOANS_AT_ONCE,
    });
    for (const some of portionsOf(loans)) {
      const unread = some.filter(({ loanId, events }) => (before?.events(loanId, events) ?? null) === null);
      const ids = unread.map(({ loanId }) => loanId);
      const bodies = ids.length === 0 ? null : await readBodies(tx, ids);
      for (const loan of some) {
        try {
          const events =
            before?.events(loan.loanId, loan.events) ??
            followed(eventsIn(bodies?.get(loan.loanId) ?? ''), policies.of(loan.lenderId));
          if (bodies?.has(loan.loanId)) before?.keep(loan.loanId, events);
          const known = events.filter(({ recordedOn }) => recordedOn <= day);
          if (known.length > 0) work(loan, known);
        } catch (error) {
          if (failed === undefined) throw error;
          failed(loan.loanId, error);
        }
        await pause();
      }
    }
    after = last;
  } while (after !== null);
}

/** Runs of loans whose events fit into memory together; at least one loan each. */
function portionsOf(loans: readonly LoanToFold[]): LoanToFold[][] {
  const portions: LoanToFold[][] = [];
  let room = 0;
  for (const loan of loans) {
    room -= loan.events;
    if (room < 0) {
      portions.push([]);
      room = EVENTS_AT_ONCE - loan.events;
    }
    portions.at(-1)?.push(loan);
  }
  return portions;
}

/** Amounts that have accrued or fallen due and are not posted by an event yet, line by line; null for `from`: since the loans were recorded. */
export async function eachUnwritten(
  look: Look,
  whose: Whose,
  { from, through }: { readonly from: PlainDate | null; readonly through: PlainDate },
  work: (lenderId: string, line: DatedLine) => void,
): Promise<void> {
  await eachToFold(look, whose, { day: through, why: 'changed' }, ({ lenderId, recordedOn }, events) => {
    for (const line of unwrittenLines(events, recordedOn, through)) {
      if (from === null || line.datePosted >= from) work(lenderId, line);
    }
  });
}

/** The amounts that accrued or fell due after a loan's last event, up to a date. */
export function unwrittenLines(
  events: readonly LoanEvent[],
  recordedOn: PlainDate,
  through: PlainDate,
): readonly DatedLine[] {
  const history = { folding: foldAll(events), events };
  const books = booksOf(fold(events, recordedOn));
  return linesOfDays(history, books, { after: recordedOn, before: addDays(through, 1) })?.lines ?? [];
}
