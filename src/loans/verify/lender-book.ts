/** A book of a lender, checked against itself: its chain of transactions, what they post, and the state in its row. */
import type { PlainDate } from '../../core/calendar.ts';
import { NOTHING_DEFERRED } from '../../core/deferral.ts';
import type { Cents } from '../../core/money.ts';
import { accrueDay, type BookEvent, type BookHead } from '../../ledger/book.ts';
import { hashOf } from '../../ledger/chain.ts';
import { type EntryEvent, type EntryHead, postEntry } from '../../ledger/entry-book.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import type { CheckedBook } from '../../store/verify/verify.ts';
import { type InVolume, noteHashesOf, objectOf, transactionsOf } from './chain.ts';
import type { Tell } from './complaint.ts';
import type { Posting } from './loan.ts';

type CheckedChain = { transactions: number; unsealed: number; posted: Posting[] | null };

/** The transaction that a body is, when it is exactly the one that follows; null: it is not. */
type Next<H> = (
  body: string,
  head: H | null,
  sequence: number,
) => { readonly event: { readonly type: string }; readonly head: H; readonly lines: readonly DatedLine[] } | null;

/** `posted` null: the chain is damaged, and nothing follows from it. */
export function checkLenderBook(row: CheckedBook, where: InVolume, tell: Tell): CheckedChain {
  const bookId = `0x${row.loan_id}`;
  const next: Next<BookHead> = (body, head) => accrualIn(body, head, bookId);
  return checkChain(row, where, tell, next, (head) => checkHead(row, head, tell));
}

/** The same of a book of entries by hand, with the sealed reasons beside them. */
export function checkEntryBook(row: CheckedBook, where: InVolume, tell: Tell): CheckedChain {
  const bookId = `0x${row.loan_id}`;
  const notes = noteHashesOf(row);
  const next: Next<EntryHead> = (body, head, sequence) => {
    const found = entryIn(body, head, bookId);
    if (found === null) return null;
    const named = found.event.type === 'entryRecorded' ? found.event.reasonHash : undefined;
    if (notes.get(sequence) !== named) {
      const compared = { expected: named ?? 'none', found: notes.get(sequence) ?? 'none' };
      tell('events', sequence, 'note does not match its transaction', compared);
    }
    return found;
  };
  return checkChain(row, where, tell, next, (head) => {
    compareRow(tell, 'version', head?.version, row.book_version);
    compareRow(tell, 'last_hash', head?.lastHash, `0x${row.book_hash}`);
    compareRow(tell, 'first_posted', head?.firstPosted, row.first_posted);
  });
}

function checkChain<H>(
  row: CheckedBook,
  { volume, volumes, sealed }: InVolume,
  tell: Tell,
  nextOf: Next<H>,
  check: (head: H | null) => void,
): CheckedChain {
  const transactions = transactionsOf(row);
  const posted: Posting[] = [];
  let unsealed = 0;
  let sound = true;
  let head: H | null = null;
  let lastBlock = 0;
  for (const [i, { sequence, block, type, hash, body }] of transactions.entries()) {
    if (block > sealed) unsealed += 1;
    if (sequence !== i + 1) {
      tell('events', sequence, 'is not the next transaction of its book', { expected: i + 1, found: sequence });
      sound = false;
      break;
    }
    if (block % volumes !== volume || block <= lastBlock) tell('events', sequence, 'is in the wrong block');
    const next = nextOf(body, head, sequence);
    const hashed = hashOf(body);
    if (hashed !== hash) tell('events', sequence, 'body was changed: its hash', { expected: hash, found: hashed });
    else if (next === null) tell('events', sequence, 'is not the next transaction of its book');
    else if (type !== next.event.type) {
      tell('events', sequence, 'type does not match its body', { expected: next.event.type, found: type });
    }
    if (next === null || hashed !== hash) {
      sound = false;
      break;
    }
    if (next.lines.length > 0) posted.push({ sequence, block, lines: next.lines });
    ({ head } = next);
    lastBlock = block;
  }
  if (sound) check(head);
  return { transactions: transactions.length, unsealed, posted: sound ? posted : null };
}

function entryIn(body: string, head: EntryHead | null, bookId: string): ReturnType<typeof postEntry> | null {
  const event = objectOf(body)?.event as EntryEvent | undefined;
  try {
    const next = event === undefined ? null : postEntry(head, bookId, event);
    return next?.body === body ? next : null;
  } catch {
    return null;
  }
}

/** The transaction that this body is, when it is exactly the one that follows; null: it is not. */
function accrualIn(body: string, head: BookHead | null, bookId: string): ReturnType<typeof accrueDay> | null {
  const event = objectOf(body)?.event as Partial<BookEvent> | undefined;
  if (event === undefined || !Number.isSafeInteger(event.accrued)) return null;
  const { date, accrued, amortized = NOTHING_DEFERRED, recordedAt } = event;
  if (![amortized.fees, amortized.costs, amortized.discount].every(Number.isSafeInteger)) return null;
  if (typeof date !== 'string' || typeof recordedAt !== 'string') return null;
  try {
    const next = accrueDay(head, { bookId, date: date as PlainDate, accrued: accrued as Cents, amortized, recordedAt });
    return next.body === body ? next : null;
  } catch {
    return null;
  }
}

function checkHead(row: CheckedBook, head: BookHead | null, tell: Tell): void {
  compareRow(tell, 'version', head?.version, row.book_version);
  compareRow(tell, 'last_hash', head?.lastHash, `0x${row.book_hash}`);
  compareRow(tell, 'accrued_from', head?.accruedFrom, row.accrued_from);
  compareRow(tell, 'accrued_through', head?.accruedThrough, row.accrued_through);
  compareRow(tell, 'accrued', head?.accrued, Number(row.accrued));
  compareRow(tell, 'amortized_fees', head?.amortized.fees, Number(row.amortized_fees));
  compareRow(tell, 'amortized_costs', head?.amortized.costs, Number(row.amortized_costs));
  compareRow(tell, 'amortized_discount', head?.amortized.discount, Number(row.amortized_discount));
}

function compareRow(tell: Tell, column: string, expected: unknown, found: unknown): void {
  if (expected !== found) tell('books', null, `${column} does not match its transactions`, { expected, found });
}
