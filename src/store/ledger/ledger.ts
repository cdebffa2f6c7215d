/** The ledger in the database: transactions, blocks, journal, and the sums by day that a trial balance is read from. */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { volumeOf } from '../db/volumes.ts';

export type TransactionRow = {
  hash: string;
  loanId: string;
  sequence: number;
  type: string;
  body: string;
  block: number;
};

type RawTransaction = Pick<Tables['events'], 'hash' | 'loan_id' | 'sequence' | 'type' | 'body' | 'block'>;

const TRANSACTION = 'hash, loan_id, sequence, type, body, block';

function toTransaction({ hash, loan_id, sequence, type, body, block }: RawTransaction): TransactionRow {
  return { hash: hexOf(hash), loanId: hexOf(loan_id), sequence, type, body, block: Number(block) };
}

export async function readTransactions(db: Sql, loanId: string): Promise<TransactionRow[]> {
  const rows = await db.query<RawTransaction>(
    `SELECT ${TRANSACTION} FROM events WHERE volume = $1 AND loan_id = $2 ORDER BY sequence`,
    [volumeOf(db, loanId), bytes(loanId)],
  );
  return rows.map(toTransaction);
}

/** The hash does not reveal the volume: all are searched. */
export async function readTransaction(db: Sql, hash: string): Promise<TransactionRow | null> {
  const [row] = await db.query<RawTransaction>(`SELECT ${TRANSACTION} FROM events WHERE hash = $1`, [bytes(hash)]);
  return row === undefined ? null : toTransaction(row);
}

/** The volume of a block. */
export const volumeOfBlock = ({ volumes }: Pick<Sql, 'volumes'>, number: number): number => number % volumes.count;

/** Hashes of the transactions of a volume's blocks, in their order. */
export async function readBlockHashes(
  db: Sql,
  volume: number,
  numbers: readonly number[],
): Promise<Map<number, string[]>> {
  const rows = await db.query<{ block: bigint; hash: Uint8Array }>(
    'SELECT block, hash FROM events WHERE volume = $1 AND block = ANY($2::bigint[]) ORDER BY block, position',
    [volume, numbers],
    'block_hashes',
  );
  const found = new Map<number, string[]>(numbers.map((number) => [number, []]));
  for (const { block, hash } of rows) found.get(Number(block))?.push(hexOf(hash));
  return found;
}

type BlockTransaction = {
  hash: string;
  organizationId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  isOfBook: boolean;
};

/** The transactions of a block, each with whose loan or book it is of. */
export async function readBlockTransactions(db: Sql, number: number): Promise<BlockTransaction[]> {
  type Row = { hash: Uint8Array; organization_id: string; primary: string; secondary: string; is_of_book: boolean };
  const rows = await db.query<Row>(
    `SELECT e.hash, l.organization_id IS NULL AS is_of_book, coalesce(l.organization_id, b.organization_id) AS organization_id, coalesce(l.primary_servicer_id, '') AS primary,
       coalesce(l.secondary_servicer_id, '') AS secondary
     FROM events e
     LEFT JOIN loans l USING (volume, loan_id)
     LEFT JOIN books b ON b.volume = e.volume AND b.book_id = e.loan_id
     WHERE e.volume = $1 AND e.block = $2 AND coalesce(l.organization_id, b.organization_id) IS NOT NULL ORDER BY e.position`,
    [volumeOfBlock(db, number), number],
  );
  return rows.map(({ hash, organization_id: organizationId, primary, secondary, is_of_book: isOfBook }) => ({
    ...{ hash: hexOf(hash), organizationId, primaryServicerId: primary, secondaryServicerId: secondary, isOfBook },
  }));
}

export type BlockRow = {
  number: number;
  previousHash: string;
  root: string;
  count: number;
  sealedAt: string;
  hash: string;
};

function toBlock({ number, previous_hash, root, count, sealed_at, hash }: Tables['blocks']): BlockRow {
  return {
    number: Number(number),
    previousHash: hexOf(previous_hash),
    root: hexOf(root),
    count,
    sealedAt: sealed_at.toISOString(),
    hash: hexOf(hash),
  };
}

export async function readBlocks(db: Sql, volume: number, numbers: readonly number[]): Promise<Map<number, BlockRow>> {
  const rows = await db.query<Tables['blocks']>(
    'SELECT * FROM blocks WHERE volume = $1 AND number = ANY($2::bigint[])',
    [volume, numbers],
  );
  return new Map(rows.map((row) => [Number(row.number), toBlock(row)]));
}

/** The newest block's number in a volume, sealed or not. */
export async function readHead(db: Sql, volume: number): Promise<number> {
  const [row] = await db.query<{ number: bigint }>(
    'SELECT number FROM ledger_heads WHERE volume = $1',
    [volume],
    'ledger_head',
  );
  return Number(row?.number ?? volume);
}

/** The last sealed block of every volume that has one: one step into the index for each, however long the chains are. */
export async function readLastBlocks(db: Sql): Promise<{ volume: number; number: number; hash: string }[]> {
  const rows = await db.query<{ volume: number; number: bigint; hash: Uint8Array }>(
    `SELECT h.volume, b.number, b.hash FROM ledger_heads h
     CROSS JOIN LATERAL (SELECT number, hash FROM blocks WHERE blocks.volume = h.volume ORDER BY number DESC LIMIT 1) b
     ORDER BY h.volume`,
  );
  return rows.map(({ volume, number, hash }) => ({ volume, number: Number(number), hash: hexOf(hash) }));
}

/** A condition on a line of the journal. */
export const PRIOR_PERIOD = "date_trunc('month', date_effective) < date_trunc('month', date_posted)";

/** The lines of the event `e`, looked up by its key whatever the planner thinks of how many there are. */
export const LINES_OF = (volume: string) =>
  `SELECT * FROM journal WHERE journal.volume = ${volume} AND journal.loan_id = e.loan_id AND journal.sequence = e.sequence OFFSET 0`;

export type RootRow = {
  number: number;
  previousHash: string;
  root: string;
  /** JSON of the last sealed block of each volume. */
  heads: string;
  /** Over the last links of the audit trail, and JSON of them. */
  audit: string;
  auditHeads: string;
  madeAt: string;
  hash: string;
};

function toRoot({
  number,
  previous_hash,
  root,
  heads,
  audit,
  audit_heads,
  made_at,
  hash,
}: Tables['ledger_roots']): RootRow {
  return {
    number: Number(number),
    previousHash: hexOf(previous_hash),
    root: hexOf(root),
    heads,
    audit: hexOf(audit),
    auditHeads: audit_heads,
    madeAt: made_at.toISOString(),
    hash: hexOf(hash),
  };
}

/** The newest first, from before a number on. */
export async function readRoots(db: Sql, before: number | null, limit: number): Promise<RootRow[]> {
  const rows = await db.query<Tables['ledger_roots']>(
    'SELECT * FROM ledger_roots WHERE $1::bigint IS NULL OR number < $1 ORDER BY number DESC LIMIT $2',
    [before, limit],
  );
  return rows.map(toRoot);
}

/** Null: there is none with this number. */
export async function readRoot(db: Sql, number: number): Promise<RootRow | null> {
  const [row] = await db.query<Tables['ledger_roots']>('SELECT * FROM ledger_roots WHERE number = $1', [number]);
  return row === undefined ? null : toRoot(row);
}

/** The oldest first, from a moment on. */
export async function readRootsSince(db: Sql, since: string, limit: number): Promise<RootRow[]> {
  const rows = await db.query<Tables['ledger_roots']>(
    'SELECT * FROM ledger_roots WHERE made_at >= $1 ORDER BY made_at, number LIMIT $2',
    [since, limit],
  );
  return rows.map(toRoot);
}

/** Null: there is none, or the text is not a hash. */
export async function readRootByHash(db: Sql, hash: string): Promise<RootRow | null> {
  if (!/^0x[0-9a-f]{64}$/.test(hash)) return null;
  const [row] = await db.query<Tables['ledger_roots']>('SELECT * FROM ledger_roots WHERE hash = $1', [bytes(hash)]);
  return row === undefined ? null : toRoot(row);
}

/** Whether the table of roots exists: before the first migration it does not. */
export async function hasRoots(db: Sql): Promise<boolean> {
  const [row] = await db.query<{ there: boolean }>("SELECT to_regclass('ledger_roots') IS NOT NULL AS there");
  return row?.there === true;
}

export async function saveRoot(db: Sql, root: RootRow): Promise<void> {
  const { number, previousHash, heads, auditHeads, madeAt, hash } = root;
  await db.query(
    `INSERT INTO ledger_roots (number, previous_hash, root, heads, audit, audit_heads, made_at, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [number, bytes(previousHash), bytes(root.root), heads, bytes(root.audit), auditHeads, madeAt, bytes(hash)],
  );
}

export type JournalRow = {
  sequence: number;
  hash: string;
  organizationId: string;
  lenderId: string;
  entry: string;
  account: string;
  amount: number;
  dateEffective: string;
  datePosted: string;
};

export async function readJournal(db: Sql, loanId: string): Promise<JournalRow[]> {
  const rows = await db.query<{
    sequence: number;
    hash: Uint8Array;
    organization_id: string;
    lender_id: string;
    entry: string;
    account: string;
    amount: bigint;
    date_effective: string;
    date_posted: string;
  }>(
    `SELECT j.sequence, e.hash, j.organization_id, j.lender_id, j.entry, j.account, j.amount, j.date_effective, j.date_posted
     FROM journal j JOIN events e USING (volume, loan_id, sequence)
     WHERE j.volume = $1 AND j.loan_id = $2 ORDER BY j.sequence, j.line`,
    [volumeOf(db, loanId), bytes(loanId)],
  );
  return rows.map((row) => ({
    sequence: row.sequence,
    hash: hexOf(row.hash),
    organizationId: row.organization_id,
    lenderId: row.lender_id,
    entry: row.entry,
    account: row.account,
    amount: Number(row.amount),
    dateEffective: row.date_effective,
    datePosted: row.date_posted,
  }));
}
