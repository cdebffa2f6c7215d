/**
 * The book of an organization and one of its lenders for what people post: entries by hand, the ends of years, and the allowance of a month. It is
 * a chain of its own beside the one in which interest accrues, so that neither waits for the other.
 */
import type { PlainDate } from '../core/calendar.ts';
import { cents } from '../core/money.ts';
import { bookBody } from './book.ts';
import { GENESIS_HASH, hashOf } from './chain.ts';
import type { Account } from './chart.ts';
import type { DatedLine } from './journal.ts';

/** In cents; debits positive. */
export type EntryLine = { readonly account: Account; readonly amount: number };

type Posted = {
  /** The day on which it takes effect, and the day on which it is posted: later, where the month of the first is closed. */
  readonly date: PlainDate;
  readonly datePosted: PlainDate;
  readonly lines: readonly EntryLine[];
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
};

export type EntryRecorded = Posted & {
  readonly type: 'entryRecorded';
  /** SHA-256 of the reason as it is sealed beside the transaction. */
  readonly reasonHash: string;
  /** The day on which the same lines are posted the other way round; null: never. */
  readonly reverseOn: PlainDate | null;
};

/** Income and expense of a year, to retained earnings. */
export type YearClosed = Posted & { readonly type: 'yearClosed'; readonly year: number };

/** The allowance of a month. The lines of each entry add up to zero. */
export type AllowanceBooked = Omit<Posted, 'lines'> & {
  readonly type: 'allowanceBooked';
  readonly period: string;
  readonly lines: readonly AllowanceLine[];
};

export type AllowanceLine = EntryLine & { readonly entry: 'allowanceLoss' | 'allowanceRecovery' | 'provision' };

export type EntryEvent = EntryRecorded | YearClosed | AllowanceBooked;

/** The state of such a book. */
export type EntryHead = {
  readonly version: number;
  readonly lastHash: string;
  /** The first day on which anything of it is posted. */
  readonly firstPosted: PlainDate;
};

export type EntryTransaction = {
  readonly event: EntryEvent;
  readonly body: string;
  readonly head: EntryHead;
  readonly lines: readonly DatedLine[];
};

/** Null for the head: the book begins with it. Throws where the lines do not balance. */
export function postEntry(head: EntryHead | null, bookId: string, event: EntryEvent): EntryTransaction {
  if (event.lines.length < 2 || event.lines.reduce((sum, { amount }) => sum + amount, 0) !== 0) {
    throw new Error('An entry has two lines or more, and they add up to zero.');
  }
  const sequence = (head?.version ?? 0) + 1;
  const body = bookBody({ bookId, sequence, previous: head?.lastHash ?? GENESIS_HASH, event });
  const { datePosted } = event;
  const firstPosted = head === null || datePosted < head.firstPosted ? datePosted : head.firstPosted;
  return { event, body, head: { version: sequence, lastHash: hashOf(body), firstPosted }, lines: linesOf(event) };
}

function linesOf(event: EntryEvent): DatedLine[] {
  const { date: dateEffective, datePosted } = event;
  if (event.type === 'allowanceBooked') {
    return event.lines.map(({ entry, account, amount }) => {
      return { entry, account, amount: cents(amount), dateEffective, datePosted };
    });
  }
  const { lines } = event;
  const entry = event.type === 'yearClosed' ? 'yearEnd' : 'manual';
  const posted = lines.map(({ account, amount }): DatedLine => {
    return { entry, account, amount: cents(amount), dateEffective, datePosted };
  });
  const reverseOn = event.type === 'entryRecorded' ? event.reverseOn : null;
  if (reverseOn === null) return posted;
  const days = { dateEffective: reverseOn, datePosted: reverseOn };
  const reversed = lines.map(({ account, amount }): DatedLine => {
    return { entry: 'manualReversal', account, amount: cents(-amount), ...days };
  });
  return [...posted, ...reversed];
}
