/** The book of a lender, checked against itself: its chain of transactions, what they post, and the state in its row. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import { accrueDay, type BookEvent, type BookHead } from '../../ledger/book.ts';
import { hashOf } from '../../ledger/chain.ts';
import type { CheckedBook } from '../../store/verify/verify.ts';
import { type InVolume, objectOf, transactionsOf } from './chain.ts';
import type { Tell } from './complaint.ts';
import type { Posting } from './loan.ts';

/** `posted` null: the chain is damaged, and nothing follows from it. */
export function checkLenderBook(
  row: CheckedBook,
  { volume, volumes, sealed }: InVolume,
  tell: Tell,
): { transactions: number; unsealed: number; posted: Posting[] | null } {
  const bookId = `0x${row.loan_id}`;
  const transactions = transactionsOf(row);
  const posted: Posting[] = [];
  let unsealed = 0;
  let sound = true;
  let head: BookHead | null = null;
  let lastBlock = 0;
  for (const [i, { sequence, block, type, hash, body }] of transactions.entries()) {
    if (block > sealed) unsealed += 1;
    if (sequence !== i + 1) {
      tell('events', sequence, 'is not the next transaction of its book', { expected: i + 1, found: sequence });
      sound = false;
      break;
    }
    if (block % volumes !== volume || block <= lastBlock) tell('events', sequence, 'is in the wrong block');
    const next = accrualIn(body, head, bookId);
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
  if (sound) checkHead(row, head, tell);
  return { transactions: transactions.length, unsealed, posted: sound ? posted : null };
}

/** The transaction that this body is, when it is exactly the one that follows; null: it is not. */
function accrualIn(body: string, head: BookHead | null, bookId: string): ReturnType<typeof accrueDay> | null {
  const event = objectOf(body)?.event as Partial<BookEvent> | undefined;
  if (event === undefined || !Number.isSafeInteger(event.accrued)) return null;
  const { date, accrued, recordedAt } = event;
  if (typeof date !== 'string' || typeof recordedAt !== 'string') return null;
  try {
    const next = accrueDay(head, { bookId, date: date as PlainDate, accrued: accrued as Cents, recordedAt });
    return next.body === body ? next : null;
  } catch {
    return null;
  }
}

function checkHead(row: CheckedBook, head: BookHead | null, tell: Tell): void {
  const compare = (column: string, expected: unknown, found: unknown) => {
    if (expected !== found) tell('books', null, `${column} does not match its transactions`, { expected, found });
  };
  compare('version', head?.version, row.book_version);
  compare('last_hash', head?.lastHash, `0x${row.book_hash}`);
  compare('accrued_from', head?.accruedFrom, row.accrued_from);
  compare('accrued_through', head?.accruedThrough, row.accrued_through);
  compare('accrued', head?.accrued, Number(row.accrued));
}
