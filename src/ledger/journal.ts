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
import { type LoanEvent, looksBack, undoesPayment } from '../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { type Books, booksOf, type Line, NO_BOOKS, post } from './post.ts';

export type DatedLine = Line & { readonly dateEffective: PlainDate; readonly datePosted: PlainDate };

/** It takes effect in an earlier month than the one it is posted in. */
export function isPriorPeriod({ dateEffective, datePosted }: Pick<DatedLine, 'dateEffective' | 'datePosted'>): boolean {
  return dateEffective.slice(0, 7) < datePosted.slice(0, 7);
}

export type Posting = {
  /** The loan after the event, on the day it was recorded. */
  readonly loan: Loan;
  /** The same on an earlier day; null: that needs the loan's events, and they were not loaded. */
  readonly on: (day: PlainDate) => Loan | null;
  /** The day on which the event before it was recorded; null: there is none. */
  readonly last: PlainDate | null;
  /** The event that was recorded with it, after it. */
  readonly next: LoanEvent | undefined;
};

/**
 * What an event posts. `books` are those of the day before it was recorded, or those after an event of the same day. Null: the history's
 * events are needed.
 *
 * An event that looks back changes earlier days; what its own day brings takes effect on that day. The two are told apart by the loan with
 * the event on the day before: up to there it is the event, from there on it is the day. So a late fee of today that the event prevents is
 * never posted.
 */
export function linesOfEvent(
  books: Books,
  event: LoanEvent,
  { loan, on, last, next }: Posting,
): { lines: DatedLine[]; books: Books } | null {
  // A loan that was serviced elsewhere begins with its opening figures: its funding here lends nothing and earns nothing.
  if (event.type === 'funded' && next?.type === 'opened' && next.recordedAt === event.recordedAt) {
    return { lines: [], books };
  }
  const { recordedOn: datePosted } = event;
  const after = booksOf(loan);
  const undone = undoesPayment(event) ? loan.payments.find(({ refId }) => refId === event.refId) : undefined;
  // An earlier event of the day has written down what the day brings; on a loan that was not funded it brought nothing.
  const isFirst = (last !== null && last < datePosted) || books === NO_BOOKS;
  let own = after;
  if (isFirst && looksBack(event) && loan.terms !== null) {
    const before = on(addDays(datePosted, -1));
    if (before === null) return null;
    own = booksOf(before);
  }
  const lines = post(books, own).map((line) => {
    // A payment that did not stay never paid: what its money had done is undone from its own day on. A late fee comes on the day that became
    // known.
    if (undone === undefined) return { ...line, dateEffective: event.date, datePosted };
    return { ...line, dateEffective: line.entry === 'assessment' ? datePosted : undone.date, datePosted };
  });
  const ofDay = post(own, after).map((line) => ({ ...line, dateEffective: datePosted, datePosted }));
  return { lines: [...lines, ...ofDay], books: after };
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
    const { folding } = history;
    const on = (day: PlainDate) => stateOn(folding, day) ?? fold(all, day);
    const posted = linesOfEvent(books, event, { loan, on, last: last?.recordedOn ?? null, next: events[i + 1] });
    if (posted === null) throw new Error('The whole history is given.');
    books = posted.books;
    lines.push([...own, ...posted.lines]);
  });
  if (loan === null) throw new Error('A loan begins with its creation.');
  return { lines, loan };
}
