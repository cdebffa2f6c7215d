/**
 * The journal of a loan: what each of its events posts, and the date-driven changes between them. A line has two days: the day it takes
 * effect, and the day it is posted, which a trial balance uses.
 *
 * An event is posted on the business day on which it was recorded. A date-driven change (a late fee, a disbursement that
 * the contract schedules, the end of military service, non-accrual) is posted on its own day: the next event records it, with lines dated
 * by the days before it, and until then every reader computes it (`linesOfDays`). So the sum of all lines up to a day is always the loan as
 * it was known at the end of that day, and never changes afterwards. It is longer than other files because lines of events and of days
 * must be made by the same rules.
 */
import { bookFiguresOf, isNonAccrual } from '../core/books.ts';
import { BROUGHT_FEES } from '../core/brought.ts';
import { addDays, lastOfMonth, type PlainDate } from '../core/calendar.ts';
import { type History, loanOn } from '../core/decide/operation.ts';
import { firstDay } from '../core/delinquency.ts';
import { type LoanEvent, looksBack, undoesPayment } from '../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import { foldOver } from '../core/fold-days.ts';
import type { Fee, Loan } from '../core/loan.ts';
import { overOn } from '../core/military-service.ts';
import { cents } from '../core/money.ts';
import { changesOwner, type Parties, partiesOf, type Taker, takerOf } from '../core/ownership.ts';
import { withTaker } from './between-owners.ts';
import type { Account } from './chart.ts';
import {
  assessedOf,
  assessment,
  type Books,
  balances,
  booksOf,
  booksWithAccrued,
  difference,
  type Line,
  NO_BOOKS,
  post,
  sum,
  withoutAmortized,
} from './post.ts';

export type DatedLine = Line & {
  readonly dateEffective: PlainDate;
  readonly datePosted: PlainDate;
  /** Set for a transfer to a new owner: the line is posted in the books of that owner, as everything after it is. */
  readonly enters?: true;
  /** Set for a line in the books of a former owner, by its place among them. */
  readonly former?: number;
};

/** It takes effect in an earlier month than the one it is posted in. */
export function isPriorPeriod({ dateEffective, datePosted }: Pick<DatedLine, 'dateEffective' | 'datePosted'>): boolean {
  return dateEffective.slice(0, 7) < datePosted.slice(0, 7);
}

export type Posting = {
  /** The loan after the event, on the day it was recorded. */
  readonly loan: Loan;
  /** The histories before the event and after it; null: it does not look back. */
  readonly histories: (() => { readonly before: History; readonly after: History }) | null;
  /** The event that was recorded with it, after it. */
  readonly next: LoanEvent | undefined;
  /** The owners of the loan before the event. */
  readonly owned: Owned;
};

export type Owned = Pick<Parties, 'ownedSince' | 'formerOwners'>;

/**
 * The lines that an event posts. `books` are those of the day before it was recorded, or those after an event of the same day. Null: the
 * history's events are needed.
 */
export function linesOfEvent(books: Books, event: LoanEvent, posting: Posting): Posted | null {
  const posted = linesOfOwner(books, event, posting);
  if (posted === null || posting.owned.ownedSince === null) return posted;
  const taker = takerIn(event, posting);
  if (taker === 'needs_events') return null;
  return taker === null ? posted : { ...posted, lines: withTaker(posted.lines, taker) };
}

type Posted = { readonly lines: DatedLine[]; readonly books: Books };

/** All of them in the books of the present owner. */
function linesOfOwner(
  books: Books,
  event: LoanEvent,
  { loan, histories, next, owned: { ownedSince, formerOwners } }: Posting,
): Posted | null {
  // A loan that was serviced elsewhere begins with its opening figures: its funding here lends nothing and earns nothing.
  if (event.type === 'funded' && next?.type === 'opened' && next.recordedAt === event.recordedAt) {
    return { lines: [], books };
  }
  const { recordedOn: datePosted } = event;
  const after = booksOf(loan);
  if (changesOwner(event)) {
    const elsewhere = clearingElsewhere(loan, histories, { ownedSince, formerOwners });
    if (elsewhere === null) return null;
    // Under the new owner other interest counts as earned before its time, which is nothing that the day has changed.
    const changed = booksOf({ ...loan, boughtOn: ownedSince });
    const deferred = ownedSince === null ? deferredIn(books, loan) : [];
    return { lines: linesOfTransfer(changed, loan, { before: books, deferred, elsewhere }), books: after };
  }
  const hasBooks = loan.terms !== null || event.type === 'boardingCancelled';
  if (!looksBack(event) || !hasBooks || histories === null) {
    const { fees, charged } = feesOfDay(books, after, loan, event);
    const lines = post(sum(books, charged), after).map((line) => ({ ...line, dateEffective: event.date, datePosted }));
    return { lines: [...fees, ...lines], books: after };
  }
  const first = firstDayChanged(event, loan, histories);
  if (first === null) return null;
  // Days before a transfer are the former owner's; what changes of them falls on the present one, from its first day on.
  const earlier = linesOfEarlierDays(ownedSince !== null && ownedSince > first ? ownedSince : first, event, histories);
  if (earlier === null) return null;
  const named = undoesPayment(event) ? asReturn : (line: DatedLine) => line;
  // The rest are the date-driven changes of the day of recording, and what the event changes on that day.
  const begun = sum(books, earlier.changed);
  const { fees, charged } = feesOfDay(begun, after, loan, event, () => loanOn(histories().before, datePosted));
  const ofDay = post(sum(begun, charged), after).map((line) => ({ ...line, dateEffective: datePosted, datePosted }));
  return { lines: [...earlier.lines.map(named), ...fees, ...ofDay.map(named)], books: after };
}

/** A return takes its money out of receipts under an entry of its own, so that both are seen. */
function asReturn(line: DatedLine): DatedLine {
  return line.entry === 'receipt' || line.entry === 'recovery' ? { ...line, entry: 'return' } : line;
}

/**
 * A pair of lines for each fee that a day brings by itself, so that each can be told from the others and from what an event changes on that
 * day. None for those that are posted already, or that the books do not count. `was` is the loan on that day without the event.
 */
function feesOfDay(
  books: Books,
  after: Books,
  loan: Loan,
  event: LoanEvent | null = null,
  was: () => Loan | null = () => null,
): { fees: DatedLine[]; charged: Books } {
  const own = event?.type === 'feeAssessed' ? event.feeId : null;
  const ofDay = (fees: readonly Fee[]) => fees.filter(({ date, feeId }) => date === loan.on && feeId !== BROUGHT_FEES);
  const total = (fees: readonly Fee[]) => fees.reduce((all, { amount }) => all + amount, 0);
  let brought = ofDay(loan.fees);
  const ownAmount = total(brought.filter(({ feeId }) => feeId === own));
  brought = brought.filter(({ feeId }) => feeId !== own);
  const risen = assessedOf(after) - assessedOf(books) - ownAmount;
  if (brought.length === 0 || risen === 0) return { fees: [], charged: NO_BOOKS };
  if (total(brought) !== risen) {
    // An event of this day has posted some of them before.
    const posted = new Set(ofDay(was()?.fees ?? []).map(({ feeId }) => feeId));
    brought = posted.size === 0 ? [] : brought.filter(({ feeId }) => !posted.has(feeId));
  }
  const fees = brought.flatMap(({ date, amount }) =>
    post(NO_BOOKS, assessment(amount)).map((line) => ({ ...line, dateEffective: date, datePosted: date })),
  );
  return { fees, charged: assessment(total(brought)) };
}

/** A returned or reversed payment never paid, and what was undone never was: their effect ends from their own day on. */
function firstDayChanged(event: LoanEvent, loan: Loan, histories: NonNullable<Posting['histories']>): PlainDate | null {
  if (undoesPayment(event)) return loan.payments.find(({ refId }) => refId === event.refId)?.date ?? event.date;
  if (event.type !== 'undone' && event.type !== 'boardingCancelled') return event.date;
  const { events } = histories().before;
  if (events === null) return null;
  const undone = event.type === 'undone' ? events[event.sequence - 1] : event;
  return undone?.type === 'boardingCancelled' ? firstOnBooks(events, undone) : (undone?.date ?? null);
}

/** The day from which a loan was on the books before its boarding was cancelled: that of its opening, or of its funding. */
function firstOnBooks(events: readonly LoanEvent[], cancelled: LoanEvent): PlainDate {
  const began = events.find(({ type }) => type === 'opened') ?? events.find(({ type }) => type === 'funded');
  return began?.date ?? cancelled.date;
}

/**
 * The accounts that move with a loan. Its interest of the open stretch is in the lender's books, and its cash and income stay where they
 * are.
 */
const TRANSFERRED = [
  'loanPrincipal',
  'interestReceivable',
  'feeReceivable',
  'cashClearing',
  'borrowerCredits',
] as const;

/** Deferred by the owner that made or bought the loan. */
const DEFERRED = ['deferredCosts', 'deferredFees', 'purchaseDiscount'] as const;

type Moved = { readonly account: Account; readonly amount: number };

/**
 * The rest of it leaves that owner's books with the loan, and no buyer has it. What the open stretch had amortized leaves the lender's book
 * with the stretch, and stays income.
 */
function deferredIn(books: Books, { deferral }: Loan): Moved[] {
  const held = balances(books);
  const left = DEFERRED.map((account): Moved => ({ account, amount: held[account] }));
  return [...left, { account: 'interestIncome', amount: deferral?.sold?.amortized ?? 0 }];
}

/**
 * A transfer to another owner: the balances leave the books of one and enter those of the other, each against `opening`. What changes on the
 * day by itself is the new owner's. The open stretch is accrued by the books of both lenders, up to the day before and from that day on: its
 * interest up to the day of the transfer was earned by the former owner, whose income it is and not the new owner's.
 */
function linesOfTransfer(
  after: Books,
  loan: Loan,
  { before, deferred, elsewhere }: { before: Books; deferred: readonly Moved[]; elsewhere: number },
): DatedLine[] {
  const days = { dateEffective: loan.on, datePosted: loan.on };
  const held = balances(before);
  const moved: Moved[] = TRANSFERRED.map((account) => ({
    account,
    amount: held[account] - (account === 'cashClearing' ? elsewhere : 0),
  }));
  moved.push({ account: 'interestIncome', amount: bookFiguresOf(loan).accruedInterest });
  const against = (some: readonly Moved[]) => ({
    account: 'opening' as const,
    amount: 0 - some.reduce((sum, { amount }) => sum + amount, 0),
  });
  const lines = (some: readonly Moved[], sign: 1 | -1) =>
    [...some, against(some)].flatMap(({ account, amount }): DatedLine[] =>
      amount === 0 ? [] : [{ entry: 'transfer', account, amount: cents(sign * amount), ...days }],
    );
  const ofDay = post(withoutAmortized(before), after).map((line) => ({ ...line, ...days }));
  const entering = [...lines(moved, 1), ...ofDay];
  return [...lines([...moved, ...deferred], -1), ...entering.map((line) => ({ ...line, enters: true as const }))];
}

/** Payments that are not acknowledged yet and lie with an owner before the present one: they do not move with the loan. Null: the history's events are needed. */
function clearingElsewhere(loan: Loan, histories: Posting['histories'], owned: Owned): number | null {
  const { ownedSince } = owned;
  if (ownedSince === null) return 0;
  const waiting = loan.payments.filter(({ status, date }) => status === 'Submitted' && date <= ownedSince);
  if (waiting.length === 0) return 0;
  const events = histories?.().before.events ?? null;
  if (events === null) return null;
  return waiting.reduce((sum, one) => sum + (takerOf(one, events, owned) === null ? 0 : one.amount), 0);
}

/** The former owner that took the payment which an event is about; null: none did, or the event is about no payment. */
function takerIn(event: LoanEvent, { loan, histories, owned }: Posting): Taker | null | 'needs_events' {
  const { ownedSince } = owned;
  if (ownedSince === null) return null;
  if (event.type === 'paymentSubmitted') {
    if (event.date >= ownedSince) return null;
  } else if (event.type !== 'paymentAcknowledged' && !undoesPayment(event)) return null;
  const payment = loan.payments.find(({ refId }) => refId === event.refId);
  if (payment === undefined || payment.date > ownedSince) return null;
  const events = histories?.().after.events ?? null;
  return events === null ? 'needs_events' : takerOf(payment, events, owned);
}

/**
 * The changes that a backdated event makes to the days before it was recorded, from the first of them on: the difference between the loan
 * with the event and without it, month by month. So the books of an earlier month with the lines that take effect in it are those of the
 * loan as it is known now, including interest of the open stretch. In the first month the difference takes effect on the event's own day,
 * in a later one on the first of that month; a late fee that comes or goes, on the day of that fee.
 */
function linesOfEarlierDays(
  first: PlainDate,
  { type, recordedOn: datePosted }: LoanEvent,
  histories: NonNullable<Posting['histories']>,
): { lines: DatedLine[]; changed: Books } | null {
  const days = endsBetween(first, datePosted);
  if (days.length === 0) return { lines: [], changed: NO_BOOKS };
  const { before, after } = histories();
  const read = (loan: Loan) => ({
    // The lender's book has the open stretch's interest for the month in which this is posted.
    books: loan.on.slice(0, 7) < datePosted.slice(0, 7) ? booksWithAccrued(loan) : booksOf(loan),
    lateFees: loan.fees.filter(({ installment, memo }) => installment !== null && !memo),
  });
  const now = onDays(after, days, read);
  // The funding of a loan that was serviced elsewhere has posted nothing.
  const was = type === 'opened' ? days.map(() => ({ books: NO_BOOKS, lateFees: [] })) : onDays(before, days, read);
  if (now === null || was === null) return null;
  const lines: DatedLine[] = [];
  let changed = NO_BOOKS;
  days.forEach((day, i) => {
    const [then, known] = [was[i] as Read, now[i] as Read];
    const from = i === 0 ? first : addDays(days[i - 1] as PlainDate, 1);
    const to = difference(then.books, known.books);
    const fees = feesByDay(then.lateFees, known.lateFees, { from, to: day });
    let charged = NO_BOOKS;
    for (const [, amount] of fees) charged = sum(charged, assessment(amount));
    for (const line of post(sum(changed, charged), to)) lines.push({ ...line, dateEffective: from, datePosted });
    for (const [dateEffective, amount] of fees) {
      for (const line of post(NO_BOOKS, assessment(amount))) lines.push({ ...line, dateEffective, datePosted });
    }
    changed = to;
  });
  return { lines, changed };
}

/** The books of a loan on a day and the late fees it had been charged by then. */
type Read = { readonly books: Books; readonly lateFees: readonly Fee[] };

/** The last days of the months from one day up to the day before another, and that day. */
function endsBetween(from: PlainDate, before: PlainDate): PlainDate[] {
  const days: PlainDate[] = [];
  const last = addDays(before, -1);
  for (let day = lastOfMonth(from); day < last; day = lastOfMonth(addDays(day, 1))) days.push(day);
  return from <= last ? [...days, last] : days;
}

/** The difference in late fees by day, each fee by itself. */
function feesByDay(
  before: readonly Fee[],
  after: readonly Fee[],
  { from, to }: { from: PlainDate; to: PlainDate },
): [PlainDate, number][] {
  const changes = new Map<string, [PlainDate, number]>();
  const add = (fees: readonly Fee[], sign: number) => {
    for (const { feeId, date, amount } of fees) {
      const key = `${date} ${feeId}`;
      if (date >= from && date <= to) changes.set(key, [date, (changes.get(key)?.[1] ?? 0) + sign * amount]);
    }
  };
  add(before, -1);
  add(after, 1);
  return [...changes.values()].filter(([, amount]) => amount !== 0).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The result of `read` for the loan on each of these days; null: the history's events are needed. */
function onDays<T>({ folding, events }: History, days: readonly PlainDate[], read: (loan: Loan) => T): T[] | null {
  const seen: T[] = [];
  for (const day of days) {
    const loan = stateOn(folding, day);
    if (loan === null) return events === null ? null : foldOver(events, days, read);
    seen.push(read(loan));
  }
  return seen;
}

/** Consecutive days on which nothing was recorded: those after the first and before the second. */
type Between = { readonly after: PlainDate; readonly before: PlainDate };

/** The date-driven changes of those days, posted on each of them; null: the history's events are needed. `books` are those of the first day. */
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
    const { fees, charged } = feesOfDay(now, after, loan);
    lines.push(...fees);
    for (const line of post(sum(now, charged), after)) lines.push({ ...line, dateEffective: day, datePosted: day });
    now = after;
  }
  return { lines, books: now };
}

/** The days on which the books may change although nothing is recorded, in order. */
function daysThatBring(history: History, { after, before }: Between): PlainDate[] | null {
  const last = addDays(before, -1);
  if (last <= after) return [];
  // Something recorded earlier takes effect only now, such as a fee charged ahead.
  const ahead = history.folding.through > after;
  const loan = ahead && history.events === null ? null : loanOn(history, last);
  if (loan === null) return null;
  const { terms, fees } = loan;
  if (terms === null) return [];
  const days = new Set<PlainDate>((ahead ? history.events : null)?.map(({ date }) => date));
  for (const { installment, date } of fees) if (installment !== null) days.add(date);
  for (const { date } of terms.disbursements) days.add(date);
  for (const { date } of terms.rateChanges) days.add(date);
  for (const service of loan.pastService) days.add(overOn(service) ?? last);
  // Under one version non-accrual can only begin. A version may begin or end it on its own first day.
  let since = after;
  for (;;) {
    const first = loanOn(history, since);
    if (first === null) return null;
    const next = first.policyChangesOn;
    const end = next === null || next >= before ? loan : loanOn(history, addDays(next, -1));
    if (end === null) return null;
    if (end.on > since && end.policy.nonAccrualDays !== null && end.chargeOff === null) {
      const begins = nonAccrualBegins(history, { after: since, last: end });
      if (begins === 'needs_events') return null;
      if (begins !== null) days.add(begins);
    }
    if (next === null || next >= before) break;
    days.add(next);
    since = next;
  }
  return [...days].filter((day) => day > after && day < before).sort();
}

/**
 * The day after one, up to that of a loan, on which its non-accrual began. Without an event it can only begin, since days past due only grow;
 * but they may grow by more than one in a day (`pastDueOn`), so the first day is searched for, not counted back.
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
  let owned = partiesOf([]);
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
    const before = history;
    const next = history === null ? null : append(history.folding, [event]);
    const after = { folding: next ?? foldAll(all), events: all };
    history = after;
    loan = stateOn(after.folding, event.recordedOn) ?? fold(all, event.recordedOn);
    const histories = () => ({ before: before ?? after, after });
    const posted = linesOfEvent(books, event, { loan, histories, next: events[i + 1], owned });
    owned = partiesOf([event], owned);
    if (posted === null) throw new Error('The whole history is given.');
    books = posted.books;
    lines.push([...own, ...posted.lines]);
  });
  if (loan === null) throw new Error('A loan begins with its creation.');
  return { lines, loan };
}
