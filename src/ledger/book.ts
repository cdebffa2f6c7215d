/**
 * The book of an organization and one of its lenders: what belongs to no loan. Its transactions are linked like a loan's, under an id of
 * its own. Interest accrues here: one transaction a day, with what the open stretches of all the lender's loans had earned at its end, and
 * by how much that is more or less than the day before. A stretch that ends leaves this account, because the loan's own entry then has its
 * interest in `interestReceivable`.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import { type Deferred, isNothing, less, NOTHING_DEFERRED, netOf } from '../core/deferral.ts';
import { type Cents, cents } from '../core/money.ts';
import { canonical, quoted } from './canonical.ts';
import { GENESIS_HASH, hashOf } from './chain.ts';
import type { DatedLine } from './journal.ts';

export type BookEvent = {
  readonly type: 'interestAccrued';
  readonly date: PlainDate;
  /** At the end of the day, and since the day before. */
  readonly accrued: Cents;
  readonly amount: Cents;
  /** The same of deferred fees and costs, discounts and premiums that the open stretches amortize; absent: none, on both days. */
  readonly amortized?: Deferred;
  readonly amortization?: Deferred;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
};

/** The state of a book. */
export type BookHead = {
  readonly version: number;
  readonly lastHash: string;
  readonly accruedFrom: PlainDate;
  readonly accruedThrough: PlainDate;
  readonly accrued: number;
  readonly amortized: Deferred;
};

export type BookTransaction = {
  readonly event: BookEvent;
  readonly body: string;
  readonly head: BookHead;
  readonly lines: readonly DatedLine[];
};

/** The next day's interest; null for the head: the book begins with it. Days follow each other without a gap. */
export function accrueDay(
  head: BookHead | null,
  {
    bookId,
    date,
    accrued,
    amortized = NOTHING_DEFERRED,
    recordedAt,
  }: { bookId: string; date: PlainDate; accrued: Cents; amortized?: Deferred; recordedAt: string },
): BookTransaction {
  if (head !== null && date !== addDays(head.accruedThrough, 1)) {
    throw new Error(`The book has interest through ${head.accruedThrough}; ${date} is not the next day.`);
  }
  const amount = cents(accrued - (head?.accrued ?? 0));
  const event: BookEvent = {
    type: 'interestAccrued',
    date,
    accrued,
    amount,
    ...amortizing(head, amortized),
    recordedAt,
  };
  const sequence = (head?.version ?? 0) + 1;
  const body = bookBody({ bookId, sequence, previous: head?.lastHash ?? GENESIS_HASH, event });
  const accruedFrom = head?.accruedFrom ?? date;
  return {
    event,
    body,
    head: { version: sequence, lastHash: hashOf(body), accruedFrom, accruedThrough: date, accrued, amortized },
    lines: linesOfBook(event),
  };
}

function amortizing(head: BookHead | null, amortized: Deferred): Pick<BookEvent, 'amortized' | 'amortization'> {
  const before = head?.amortized ?? NOTHING_DEFERRED;
  if (isNothing(before) && isNothing(amortized)) return {};
  return { amortized, amortization: less(amortized, before) };
}

/** A day on which nothing changed posts nothing; it is in the book nevertheless. */
export function linesOfBook({
  amount,
  amortization = NOTHING_DEFERRED,
  date,
}: Pick<BookEvent, 'amount' | 'amortization' | 'date'>): DatedLine[] {
  const days = { dateEffective: date, datePosted: date };
  const line = (entry: DatedLine['entry'], account: DatedLine['account'], change: number): DatedLine[] =>
    change === 0 ? [] : [{ entry, account, amount: cents(change), ...days }];
  const { fees, costs, discount } = amortization;
  return [
    ...line('accrual', 'accruedInterest', amount),
    ...line('accrual', 'interestIncome', -amount),
    ...line('amortization', 'deferredFees', fees),
    ...line('amortization', 'deferredCosts', -costs),
    ...line('amortization', 'purchaseDiscount', discount),
    ...line('amortization', 'interestIncome', -netOf(amortization)),
  ];
}

/** Canonical JSON, as a loan's transactions are. */
export function bookBody(facts: { bookId: string; sequence: number; previous: string; event: object }): string {
  const { bookId, sequence, previous, event } = facts;
  return `{"bookId":${quoted(bookId)},"event":${canonical(event)},"previous":${quoted(previous)},"sequence":${sequence},"v":1}`;
}
