/**
 * The journal of a loan: what each of its events posts, and what days bring between them. A line has two days: the one on which it takes
 * effect, and the one on which it is posted, which a trial balance goes by.
 *
 * An event is posted on the business day on which it was recorded. What a day brings by itself (a late fee, money that the contract
 * schedules, non-accrual) is posted on that day, whoever writes it down: the next event does, with lines dated by the days before it, and
 * until then whoever asks computes them (`linesOfDays`). So the sum of all lines up to a day is always the loan as it was known at the end
 * of that day, and never changes afterwards.
 */
import { isNonAccrual } from '../core/books.ts';
import { addDays, type PlainDate } from '../core/calendar.ts';
import { type History, loanOn } from '../core/decide/operation.ts';
import { firstDay } from '../core/delinquency.ts';
import { type LoanEvent, undoesPayment } from '../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { type Books, booksOf, type Line, NO_BOOKS, post } from './post.ts';

export type DatedLine = Line & { readonly dateEffective: PlainDate; readonly datePosted: PlainDate };

/** It takes effect in an earlier month than the one it is posted in. */
export function isPriorPeriod({ dateEffective, datePosted }: Pick<DatedLine, 'dateEffective' | 'datePosted'>): boolean {
  return dateEffective.slice(0, 7) < datePosted.slice(0, 7);
}

/** What an event posts, given the loan after it on the day it was recorded. `next`: the event that was recorded with it, after it. */
export function linesOfEvent(
  books: Books,
  event: LoanEvent,
  { loan, next }: { loan: Loan; next: LoanEvent | undefined },
): { lines: DatedLine[]; books: Books } {
  // A loan that was serviced elsewhere begins with its opening figures: its funding here lends nothing and earns nothing.
  if (event.type === 'funded' && next?.type === 'opened' && next.recordedAt === event.recordedAt) {
    return { lines: [], books };
  }
  const after = booksOf(loan);
  const undone = undoesPayment(event) ? loan.payments.find(({ refId }) => refId === event.refId) : undefined;
  const lines = post(books, after).map((line) => ({
    ...line,
    // A payment that did not stay never paid: what its money had done is undone from its own day on. A late fee comes on the day that became
    // known.
    dateEffective: line.entry === 'assessment' ? event.date : (undone?.date ?? event.date),
    datePosted: event.recordedOn,
  }));
  return { lines, books: after };
}

/** A stretch of days on which nothing was recorded: those after the first and before the second. */
type Between = { readonly after: PlainDate; readonly before: PlainDate };

/** What those days bring, posted on each of them; null: the history's events are needed. `books` are those of the first day. */
export function linesOfDays(
  history: History,
  books: Books,
  between: Between,
): { lines: DatedLine[]; books: Books } | null {
  const days = daysThatBring(history, between);
  if (days === null) return null;
  const lines: DatedLine[] = [];
  let now = books;
  for (const day of days) {
    const loan = loanOn(history, day);
    if (loan === null) return null;
    const after = booksOf(loan);
    for (const line of post(now, after)) lines.push({ ...line, dateEffective: day, datePosted: day });
    now = after;
  }
  return { lines, books: now };
}

/** The days on which the books may change although nothing is recorded, in order. */
function daysThatBring(history: History, { after, before }: Between): PlainDate[] | null {
  const last = addDays(before, -1);
  if (last <= after) return [];
  // Something recorded takes effect only now, a fee that was charged ahead.
  const ahead = history.folding.through > after;
  const loan = ahead && history.events === null ? null : loanOn(history, last);
  if (loan === null) return null;
  const { terms, policy, fees } = loan;
  if (terms === null) return [];
  const days = new Set<PlainDate>((ahead ? history.events : null)?.map(({ date }) => date));
  for (const { installment, date } of fees) if (installment !== null) days.add(date);
  for (const { date } of terms.disbursements) days.add(date);
  for (const { date } of terms.rateChanges) days.add(date);
  if (policy.nonAccrualDays !== null && loan.chargeOff === null) {
    const begins = nonAccrualBegins(history, { after, last: loan });
    if (begins === 'needs_events') return null;
    if (begins !== null) days.add(begins);
  }
  return [...days].filter((day) => day > after && day < before).sort();
}

/**
 * The day after one, up to that of a loan, on which its non-accrual began. Without an event it can only begin, since days past due only grow;
 * but they may grow by more than one in a day (`pastDueOn`), so the first day is looked for and not counted back.
 */
function nonAccrualBegins(
  history: History,
  { after, last }: { after: PlainDate; last: Loan },
): PlainDate | null | 'needs_events' {
  if (!isNonAccrual(last)) return null;
  let known = true;
  const isIn = (day: PlainDate) => {
    const loan = loanOn(history, day);
    known &&= loan !== null;
    return loan !== null && isNonAccrual(loan);
  };
  const begins = isIn(after) ? null : firstDay(isIn, after, last.on);
  return known ? begins : 'needs_events';
}

/** The lines of a whole history, by event, and the loan after the last of them, on the day that was recorded. */
export function journalOf(events: readonly LoanEvent[]): { lines: DatedLine[][]; loan: Loan } {
  let history: { folding: Folding; events: LoanEvent[] } | null = null;
  let loan: Loan | null = null;
  let books = NO_BOOKS;
  const lines: DatedLine[][] = [];
  events.forEach((event, i) => {
    const all = events.slice(0, i + 1);
    const own: DatedLine[] = [];
    const last = events[i - 1];
    if (history !== null && last !== undefined) {
      const brought = linesOfDays(history, books, { after: last.recordedOn, before: event.recordedOn });
      own.push(...(brought?.lines ?? []));
      books = brought?.books ?? books;
    }
    const next = history === null ? null : append(history.folding, [event]);
    history = { folding: next ?? foldAll(all), events: all };
    loan = stateOn(history.folding, event.recordedOn) ?? fold(all, event.recordedOn);
    const posted = linesOfEvent(books, event, { loan, next: events[i + 1] });
    books = posted.books;
    lines.push([...own, ...posted.lines]);
  });
  if (loan === null) throw new Error('A loan begins with its creation.');
  return { lines, loan };
}
