/**
 * Loans that this instance has folded, so that the next command or read need not replay their history. Whatever is remembered may have
 * been overtaken by another instance: a save is checked against the version in the database, and so is every answer without one.
 */
import type { LoanEvent } from '../core/event.ts';
import { type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import { type Books, booksOf } from '../ledger/post.ts';
import type { LoanRow, StoredLoan } from '../store/loans.ts';

export type Known = LoanRow & {
  readonly folding: Folding;
  /** What the journal holds of it. */
  readonly books: Books;
  /** When its last event was recorded (epoch milliseconds). */
  readonly recordedAt: number;
  /** By `refId`: the transaction that submitted the payment. Only grows. */
  readonly paymentHashes: Map<string, string>;
};

/** A loan with its history, fresh from the database. */
export type Loaded = {
  readonly known: Known;
  readonly events: readonly LoanEvent[];
  readonly hashes: readonly string[];
};

export function fromStored({ bodies, hashes: hex, ...row }: StoredLoan): Loaded {
  const events = (JSON.parse(`[${bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event);
  const hashes = hex.split(',').map((one) => `0x${one}`);
  const folding = foldAll(events);
  const paymentHashes = new Map<string, string>();
  events.forEach((event, i) => {
    if (event.type === 'paymentSubmitted') paymentHashes.set(event.refId, hashes[i] as string);
  });
  // Posted with the last event, so as the loan stood on the day that was recorded.
  const { recordedOn, recordedAt } = events.at(-1) as LoanEvent;
  const books = booksOf(stateOn(folding, recordedOn) ?? fold(events, recordedOn));
  return { known: { ...row, folding, books, recordedAt: Date.parse(recordedAt), paymentHashes }, events, hashes };
}

export type Memory = {
  get(loanId: string): Known | undefined;
  put(known: Known): void;
  forget(loanId: string): void;
};

/** Holds at most `limit` loans; the one unused for longest makes room. */
export function openMemory(limit: number): Memory {
  const loans = new Map<string, Known>();
  return {
    get(loanId) {
      const known = loans.get(loanId);
      // A Map keeps the order of insertion: put back, it is the youngest. While there is room the order does not matter.
      if (known !== undefined && loans.size > limit / 2) {
        loans.delete(loanId);
        loans.set(loanId, known);
      }
      return known;
    },
    put(known) {
      const { loanId } = known;
      const old = loans.get(loanId);
      // Two batches may end in any order; the newer state stays.
      if (old !== undefined && old.version > known.version) return;
      loans.delete(loanId);
      if (loans.size >= limit) {
        const [oldest] = loans.keys();
        if (oldest !== undefined) loans.delete(oldest);
      }
      loans.set(loanId, known);
    },
    forget(loanId) {
      loans.delete(loanId);
    },
  };
}
