/**
 * Loans that this process has folded, so that the next command or read need not replay their history. A cached loan may be out of date,
 * because another process has changed it: a save is checked against the version in the database, and so is every answer without one.
 */
import { LRUCache } from 'lru-cache';
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { type Folding, fold, foldAll, stateOn } from '../../core/fold.ts';
import { type Parties, partiesOf } from '../../core/ownership.ts';
import { eventsInForce } from '../../core/undo.ts';
import { eventTexts } from '../../ledger/event-texts.ts';
import { type Books, booksOf } from '../../ledger/post.ts';
import { followed } from '../../policy/impact.ts';
import type { LenderTimeline } from '../../policy/versions.ts';
import type { LoanRow, StoredLoan } from '../../store/door/loans.ts';
import { type TermsChanges, termsChangesIn } from './history-limits.ts';
import type { Timelines } from './policy-timelines.ts';

export type Known = LoanRow & {
  readonly folding: Folding;
  /** The policies that it was folded with. */
  readonly timeline: LenderTimeline;
  /** Its amounts in the journal. */
  readonly books: Books;
  /** The moment its last event was recorded (epoch milliseconds). */
  readonly recordedAt: number;
  /** The business day of that moment. */
  readonly recordedOn: PlainDate;
  readonly termsChanges: TermsChanges;
  /** Transfers so far, and those that are scheduled. */
  readonly parties: Parties;
  /** The transactions that submitted its payments: lines of `paymentLine`. One text, which is little to keep for years of payments. */
  readonly paymentHashes: string;
};

/** A loan with its history, fresh from the database. */
export type Loaded = {
  readonly known: Known;
  readonly events: readonly LoanEvent[];
  readonly hashes: readonly string[];
};

/** The events of a stored history: the bodies of its transactions, with commas between them. */
export function eventsIn(bodies: string): LoanEvent[] {
  return eventTexts(bodies).map((text) => JSON.parse(text) as LoanEvent);
}

/** A reference has no line break. */
export function paymentLine(refId: string, hash: string): string {
  return `${refId} ${hash}\n`;
}

/** By `refId`: the transaction that submitted the payment. */
export function paymentHashesIn(lines: string): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const between = line.lastIndexOf(' ');
    if (between > 0) hashes.set(line.slice(0, between), line.slice(between + 1));
  }
  return hashes;
}

/** Whether a loan was folded with the policies of its lender as they are known now. */
export function isFoldedWith(
  { timeline, lenderId }: Pick<Known, 'timeline' | 'lenderId'>,
  policies: Timelines,
): boolean {
  return timeline.key === policies.of(lenderId).key;
}

/** `policies`: those of the organization that owns the loan. */
export function fromStored({ bodies, hashes: hex, ...row }: StoredLoan, policies: Timelines): Loaded {
  const timeline = policies.of(row.lenderId);
  const events = followed(eventsIn(bodies), timeline);
  const hashes = hex.split(',').map((one) => `0x${one}`);
  const folding = foldAll(events);
  const lines = events.map((event, i) =>
    event.type === 'paymentSubmitted' ? paymentLine(event.refId, hashes[i] as string) : '',
  );
  // Posted with the last event, so as the loan stood on the day that was recorded.
  const { recordedOn, recordedAt } = events.at(-1) as LoanEvent;
  const books = booksOf(stateOn(folding, recordedOn) ?? fold(events, recordedOn));
  const known = {
    ...row,
    folding,
    timeline,
    books,
    recordedAt: Date.parse(recordedAt),
    recordedOn,
    termsChanges: termsChangesIn(eventsInForce(events)),
    parties: partiesOf(events),
    paymentHashes: lines.join(''),
  };
  return { known, events, hashes };
}

export type LoanCache = {
  get(loanId: string): Known | undefined;
  put(known: Known): void;
  /** Only where an older state of it is remembered, so that it pushes no other out. */
  refresh(known: Known): void;
  forget(loanId: string): void;
  clear(): void;
};

/** Holds at most `limit` loans; the least recently used one makes room. */
export function openLoanCache(limit: number): LoanCache {
  // A number of loans, counted as size: with `max` the cache would allocate room for all of them at once.
  const loans = new LRUCache<string, Known>({ maxSize: limit, sizeCalculation: () => 1 });
  return {
    get: (loanId) => loans.get(loanId),
    put(known) {
      // Two batches may end in any order; the newer state stays.
      const old = loans.peek(known.loanId);
      if (old === undefined || old.version <= known.version) loans.set(known.loanId, known);
    },
    refresh(known) {
      const old = loans.peek(known.loanId);
      if (old !== undefined && old.version < known.version) loans.set(known.loanId, known);
    },
    forget(loanId) {
      loans.delete(loanId);
    },
    clear: () => loans.clear(),
  };
}
