/** The books of lenders in the database: the heads of their chains, and the transactions that are added to them. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Deferred } from '../../core/deferral.ts';
import type { Cents } from '../../core/money.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Db, Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { volumeOf } from '../db/volumes.ts';
import type { Whose } from './books.ts';

export type BookRow = {
  bookId: string;
  organizationId: string;
  lenderId: string;
  version: number;
  lastHash: string;
  /** Interest is posted for every day from the first to the second; what the open stretches had earned at the end of the second. */
  accruedFrom: PlainDate;
  accruedThrough: PlainDate;
  accrued: number;
  amortized: Deferred;
};

const toBook = (row: Tables['books']): BookRow => ({
  bookId: hexOf(row.book_id),
  organizationId: row.organization_id,
  lenderId: row.lender_id,
  version: row.version,
  lastHash: hexOf(row.last_hash),
  // A row of this kind has them.
  accruedFrom: row.accrued_from as PlainDate,
  accruedThrough: row.accrued_through as PlainDate,
  accrued: Number(row.accrued),
  amortized: {
    fees: Number(row.amortized_fees) as Cents,
    costs: Number(row.amortized_costs) as Cents,
    discount: Number(row.amortized_discount) as Cents,
  },
});

export async function readBooks(db: Sql, { organizationId, lenderId }: Whose): Promise<BookRow[]> {
  const rows = await db.query<Tables['books']>(
    `SELECT * FROM books WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND kind = 'accrual' ORDER BY lender_id COLLATE "C"`,
    [organizationId, lenderId],
  );
  return rows.map(toBook);
}

/** The lender whose book of interest it is, and the day of one of its transactions; null: no such book of the organization. */
export async function readAccrualEntry(
  db: Sql,
  organizationId: string,
  { bookId, sequence }: { readonly bookId: string; readonly sequence: number },
): Promise<{ lenderId: string; day: PlainDate } | null> {
  const [row] = await db.query<{ lenderId: string; day: PlainDate }>(
    `SELECT lender_id AS "lenderId", accrued_from + $4::int - 1 AS day FROM books
     WHERE volume = $1 AND book_id = $2 AND organization_id = $3 AND kind = 'accrual'`,
    [volumeOf(db, bookId), bytes(bookId), organizationId, sequence],
  );
  return row ?? null;
}

/** The organization of a book, of entries by hand too; null: no such book. */
export async function readBookOwner(db: Sql, bookId: string): Promise<string | null> {
  const [row] = await db.query<Pick<Tables['books'], 'organization_id'>>(
    'SELECT organization_id FROM books WHERE volume = $1 AND book_id = $2',
    [volumeOf(db, bookId), bytes(bookId)],
  );
  return row?.organization_id ?? null;
}

/** A transaction of a book as it is stored; `note` is the sealed reason. */
export type StoredTransaction = {
  readonly sequence: number;
  readonly hash: string;
  readonly type: string;
  readonly body: string;
  readonly note?: Uint8Array;
  readonly lines: readonly DatedLine[];
};

/** Transactions that follow each other in a book, with their lines, and the head of the book after them. */
export type BookSave = {
  /** The last hash when the book was read; null: the book is new. */
  readonly expected: string | null;
  readonly book: BookRow;
  readonly transactions: readonly StoredTransaction[];
  readonly clientId: string;
};

/**
 * Each in its own block, all of them or none. False: another process has added to the book since it was read, and nothing was saved.
 * `also` runs in the same database transaction.
 */
export function saveBookTransactions(
  db: Db,
  { expected, book, transactions, clientId }: BookSave,
  also: (tx: Sql) => Promise<void>,
): Promise<boolean> {
  const { bookId, organizationId, lenderId, version, lastHash, accruedFrom, accruedThrough, accrued, amortized } = book;
  const volume = volumeOf(db, bookId);
  const id = bytes(bookId);
  return db.transaction(async (tx) => {
    const save = { ...{ bookId, organizationId, lenderId, transactions, clientId }, userId: null };
    const isSaved = await addTransactions(tx, save, async () => {
      const { fees, costs, discount } = amortized;
      const state = [accruedFrom, accruedThrough, accrued, fees, costs, discount];
      const saved =
        expected === null
          ? await tx.query(
              `INSERT INTO books (volume, book_id, organization_id, lender_id, version, last_hash, kind, accrued_from, accrued_through, accrued,
                 amortized_fees, amortized_costs, amortized_discount)
               VALUES ($1, $2, $3, $4, $5, $6, 'accrual', $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING 1`,
              [volume, id, organizationId, lenderId, version, bytes(lastHash), ...state],
            )
          : await tx.query(
              `UPDATE books SET version = $3, last_hash = $4, accrued_from = $5, accrued_through = $6, accrued = $7,
                 amortized_fees = $8, amortized_costs = $9, amortized_discount = $10
               WHERE volume = $1 AND book_id = $2 AND last_hash = $11 RETURNING 1`,
              [volume, id, version, bytes(lastHash), ...state, bytes(expected)],
            );
      return saved.length > 0;
    });
    if (isSaved) await also(tx);
    return isSaved;
  });
}

/** Adds transactions of a book with their lines, if `saveHead` has saved the head of the book after them: each in its own block. */
export async function addTransactions(
  tx: Sql,
  of: {
    readonly bookId: string;
    readonly organizationId: string;
    readonly lenderId: string;
    readonly transactions: readonly StoredTransaction[];
    readonly clientId: string;
    readonly userId: string | null;
  },
  saveHead: () => Promise<boolean>,
): Promise<boolean> {
  const { bookId, organizationId, lenderId, transactions, clientId, userId } = of;
  const volume = volumeOf(tx, bookId);
  const id = bytes(bookId);
  // Held to the commit, as for a batch of loans: blocks are numbered in the order of their commits.
  const [head] = await tx.query<{ number: bigint }>('SELECT number FROM ledger_heads WHERE volume = $1 FOR UPDATE', [
    volume,
  ]);
  const blockOf = (i: number) => Number(head?.number) + (i + 1) * tx.volumes.count;
  if (!(await saveHead())) return false;
  await tx.query('UPDATE ledger_heads SET number = $2 WHERE volume = $1', [volume, blockOf(transactions.length - 1)]);
  await tx.query(
    `INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, user_id, note)
     SELECT $1::smallint, $2::bytea, t.sequence, t.hash, t.block, 1, t.type, t.body, $8, $9, t.note
     FROM unnest($3::int[], $4::bytea[], $5::bigint[], $6::text[], $7::text[], $10::bytea[])
       AS t (sequence, hash, block, type, body, note)`,
    [
      volume,
      id,
      transactions.map(({ sequence }) => sequence),
      transactions.map(({ hash }) => bytes(hash)),
      transactions.map((_, i) => blockOf(i)),
      transactions.map(({ type }) => type),
      transactions.map(({ body }) => body),
      clientId,
      userId,
      transactions.map(({ note }) => note ?? null),
    ],
  );
  const lines = transactions.flatMap(({ sequence, lines: own }, i) =>
    own.map((line, n) => ({ ...line, sequence, block: blockOf(i), line: n + 1 })),
  );
  await tx.query(
    `INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective,
       date_posted)
     SELECT $1::smallint, $2::bytea, j.sequence, j.line, $3::text, $4::text, j.block, j.entry, j.account, j.amount, j.date_effective,
       j.date_posted
     FROM unnest($5::int[], $6::int[], $7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::date[], $12::date[])
       AS j (sequence, line, block, entry, account, amount, date_effective, date_posted)`,
    [
      volume,
      id,
      organizationId,
      lenderId,
      ...(['sequence', 'line', 'block', 'entry', 'account', 'amount', 'dateEffective', 'datePosted'] as const).map(
        (name) => lines.map((line) => line[name]),
      ),
    ],
  );
  return true;
}

export type BookTransaction = {
  lenderId: string;
  bookId: string;
  sequence: number;
  hash: string;
  type: string;
  body: string;
  block: number;
};

/**
 * The transactions of an organization's books that are of a day, in the order of lenders, from after one of them on. A book has one
 * transaction a day from its first day on, so the day determines its number, and each book costs one index lookup.
 */
export async function readBookTransactions(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asked: { day: PlainDate; after: { lenderId: string; sequence: number } | null; limit: number },
): Promise<BookTransaction[]> {
  const rows = await db.query<
    Omit<BookTransaction, 'bookId' | 'hash' | 'block'> & { id: Uint8Array; hash: Uint8Array; block: bigint }
  >(
    `SELECT b.lender_id AS "lenderId", e.loan_id AS id, e.sequence, e.hash, e.type, e.body, e.block
     FROM books b JOIN events e ON e.volume = b.volume AND e.loan_id = b.book_id AND e.sequence = $3::date - b.accrued_from + 1
     WHERE b.organization_id = $1 AND ($2::text IS NULL OR b.lender_id = $2) AND b.kind = 'accrual' AND $3 BETWEEN b.accrued_from AND b.accrued_through
       AND (b.lender_id COLLATE "C", e.sequence) > ($4 COLLATE "C", $5)
     ORDER BY b.lender_id COLLATE "C", e.sequence LIMIT $6`,
    [organizationId, lenderId, asked.day, asked.after?.lenderId ?? '', asked.after?.sequence ?? 0, asked.limit],
  );
  return rows.map(({ id, hash, block, ...row }) => ({
    ...row,
    bookId: hexOf(id),
    hash: hexOf(hash),
    block: Number(block),
  }));
}
