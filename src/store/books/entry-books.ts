/** Entries by hand and the ends of years in the database: the books that they are in, and what was recorded. */
import type { PlainDate } from '../../core/calendar.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { volumeOf } from '../db/volumes.ts';
import type { Whose } from './books.ts';
import { addTransactions, type StoredTransaction } from './lender-books.ts';

export type EntryBookRow = {
  bookId: string;
  organizationId: string;
  lenderId: string;
  version: number;
  lastHash: string;
  firstPosted: PlainDate;
};

/** Null: the lender has none yet. */
export async function readEntryBook(tx: Sql, bookId: string): Promise<EntryBookRow | null> {
  const [row] = await tx.query<Tables['books']>('SELECT * FROM books WHERE volume = $1 AND book_id = $2', [
    volumeOf(tx, bookId),
    bytes(bookId),
  ]);
  if (row === undefined) return null;
  return {
    ...{ bookId, organizationId: row.organization_id, lenderId: row.lender_id, version: row.version },
    lastHash: hexOf(row.last_hash),
    firstPosted: row.first_posted as PlainDate,
  };
}

/** The first day on which an entry by hand is posted, and their number and last hashes, which change with each; null: there are none. */
export async function readEntryState(
  db: Sql,
  organizationId: string,
): Promise<{ firstPosted: PlainDate; state: string } | null> {
  const [row] = await db.query<{ first: PlainDate | null; state: string | null }>(
    `SELECT min(first_posted) AS first, string_agg(encode(last_hash, 'hex'), ' ' ORDER BY last_hash) AS state FROM books
     WHERE organization_id = $1 AND kind = 'entries'`,
    [organizationId],
  );
  if (row === undefined || row.first === null) return null;
  return { firstPosted: row.first, state: row.state ?? '' };
}

/** False: another process has added to the book since it was read, and nothing was saved. */
export function saveEntry(
  tx: Sql,
  given: {
    readonly expected: string | null;
    readonly book: EntryBookRow;
    readonly transaction: StoredTransaction;
    readonly clientId: string;
    readonly userId: string | null;
  },
): Promise<boolean> {
  const { expected, book, transaction, clientId, userId } = given;
  const { bookId, organizationId, lenderId, version, lastHash, firstPosted } = book;
  const [volume, id] = [volumeOf(tx, bookId), bytes(bookId)];
  const of = { bookId, organizationId, lenderId, transactions: [transaction], clientId, userId };
  return addTransactions(tx, of, async () => {
    const saved =
      expected === null
        ? await tx.query(
            `INSERT INTO books (volume, book_id, organization_id, lender_id, version, last_hash, kind, first_posted)
             VALUES ($1, $2, $3, $4, $5, $6, 'entries', $7) ON CONFLICT DO NOTHING RETURNING 1`,
            [volume, id, organizationId, lenderId, version, bytes(lastHash), firstPosted],
          )
        : await tx.query(
            `UPDATE books SET version = $3, last_hash = $4, first_posted = $5
             WHERE volume = $1 AND book_id = $2 AND last_hash = $6 RETURNING 1`,
            [volume, id, version, bytes(lastHash), firstPosted, bytes(expected)],
          );
    return saved.length > 0;
  });
}

export type EntryRow = {
  lenderId: string;
  bookId: string;
  sequence: number;
  hash: string;
  body: string;
  block: number;
  note: Uint8Array | null;
  clientId: string;
  userId: string | null;
};

/** On a day: those that are posted or reversed on it. */
export type EntriesAsked = {
  readonly day: PlainDate | null;
  readonly before: { readonly datePosted: PlainDate; readonly hash: string } | null;
  readonly limit: number;
};

const POSTED = "(e.body::jsonb #>> '{event,datePosted}')";

/** The newest first, by the day on which they are posted. */
export async function readEntries(
  db: Sql,
  { organizationId, lenderId }: Whose,
  { day, before, limit }: EntriesAsked,
): Promise<EntryRow[]> {
  type Raw = Pick<Tables['events'], 'hash' | 'sequence' | 'body' | 'block' | 'note' | 'client_id' | 'user_id'> & {
    id: Uint8Array;
    lender_id: string;
  };
  const rows = await db.query<Raw>(
    `SELECT b.lender_id, e.loan_id AS id, e.sequence, e.hash, e.body, e.block, e.note, e.client_id, e.user_id
     FROM books b JOIN events e ON e.volume = b.volume AND e.loan_id = b.book_id
     WHERE b.organization_id = $1 AND ($2::text IS NULL OR b.lender_id = $2) AND b.kind = 'entries'
       AND ($3::text IS NULL OR ${POSTED} = $3 OR e.body::jsonb #>> '{event,reverseOn}' = $3)
       AND ($4::text IS NULL OR (${POSTED}, e.hash) < ($4, $5))
     ORDER BY ${POSTED} DESC, e.hash DESC LIMIT $6`,
    [organizationId, lenderId, day, before?.datePosted ?? null, bytes(before?.hash ?? '0x'), limit],
  );
  return rows.map(({ lender_id, id, sequence, hash, body, block, note, client_id, user_id }) => ({
    ...{ lenderId: lender_id, bookId: hexOf(id), sequence, hash: hexOf(hash), body, block: Number(block), note },
    ...{ clientId: client_id, userId: user_id },
  }));
}

export type YearRow = {
  year: number;
  datePosted: PlainDate;
  closedAt: string;
  clientId: string;
  userId: string | null;
  closing: string;
};

/** In their order. */
export async function readYears(db: Sql, organizationId: string): Promise<YearRow[]> {
  const rows = await db.query<Tables['ledger_years']>(
    'SELECT * FROM ledger_years WHERE organization_id = $1 ORDER BY year',
    [organizationId],
  );
  return rows.map(({ year, date_posted, closed_at, client_id, user_id, closing }) => ({
    ...{ year, datePosted: date_posted, closedAt: closed_at.toISOString() },
    ...{ clientId: client_id, userId: user_id, closing },
  }));
}

export async function saveYear(
  tx: Sql,
  organizationId: string,
  { year, datePosted, closedAt, clientId, userId, closing }: YearRow,
): Promise<void> {
  await changeRows(
    tx,
    'ledger_years',
    `INSERT INTO ledger_years (organization_id, year, date_posted, closed_at, client_id, user_id, closing)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [organizationId, year, datePosted, closedAt, clientId, userId, closing],
  );
}
