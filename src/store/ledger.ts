/** The ledger in the database: transactions, blocks, journal, and the sums by day that a trial balance is read from. */
import type { Db, Sql } from './db.ts';
import { bytes, hexOf } from './loans.ts';

export type TransactionRow = {
  hash: string;
  loanId: string;
  sequence: number;
  type: string;
  body: string;
  block: number;
};

type RawTransaction = {
  hash: Uint8Array;
  loan_id: Uint8Array;
  sequence: number;
  type: string;
  body: string;
  block: bigint;
};

const TRANSACTION = 'hash, loan_id, sequence, type, body, block';

function toTransaction({ hash, loan_id, sequence, type, body, block }: RawTransaction): TransactionRow {
  return { hash: hexOf(hash), loanId: hexOf(loan_id), sequence, type, body, block: Number(block) };
}

export async function readTransactions(db: Sql, loanId: string): Promise<TransactionRow[]> {
  const rows = await db.query<RawTransaction>(
    `SELECT ${TRANSACTION} FROM events WHERE loan_id = $1 ORDER BY sequence`,
    [bytes(loanId)],
  );
  return rows.map(toTransaction);
}

export async function readTransaction(db: Sql, hash: string): Promise<TransactionRow | null> {
  const [row] = await db.query<RawTransaction>(`SELECT ${TRANSACTION} FROM events WHERE hash = $1`, [bytes(hash)]);
  return row === undefined ? null : toTransaction(row);
}

/** Hashes of the transactions of blocks, in their order. */
export async function readBlockHashes(db: Sql, numbers: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.query<{ block: bigint; hash: Uint8Array }>(
    'SELECT block, hash FROM events WHERE block = ANY($1::bigint[]) ORDER BY block, position',
    [numbers],
  );
  const found = new Map<number, string[]>(numbers.map((number) => [number, []]));
  for (const { block, hash } of rows) found.get(Number(block))?.push(hexOf(hash));
  return found;
}

/** The transactions of a block, each with whose loan it is of. */
export async function readBlockTransactions(
  db: Sql,
  number: number,
): Promise<{ hash: string; organizationId: string; primaryServicerId: string; secondaryServicerId: string }[]> {
  const rows = await db.query<{ hash: Uint8Array; organization_id: string; primary: string; secondary: string }>(
    `SELECT e.hash, l.organization_id, a.primary_servicer_id AS primary, a.secondary_servicer_id AS secondary
     FROM events e JOIN loans l USING (loan_id) JOIN applications a USING (loan_id)
     WHERE e.block = $1 ORDER BY e.position`,
    [number],
  );
  return rows.map(({ hash, organization_id: organizationId, primary, secondary }) => ({
    ...{ hash: hexOf(hash), organizationId, primaryServicerId: primary, secondaryServicerId: secondary },
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

type RawBlock = {
  number: bigint;
  previous_hash: Uint8Array;
  root: Uint8Array;
  count: number;
  sealed_at: Date;
  hash: Uint8Array;
};

function toBlock({ number, previous_hash, root, count, sealed_at, hash }: RawBlock): BlockRow {
  return {
    number: Number(number),
    previousHash: hexOf(previous_hash),
    root: hexOf(root),
    count,
    sealedAt: sealed_at.toISOString(),
    hash: hexOf(hash),
  };
}

export async function readBlocks(db: Sql, numbers: readonly number[]): Promise<Map<number, BlockRow>> {
  const rows = await db.query<RawBlock>('SELECT * FROM blocks WHERE number = ANY($1::bigint[])', [numbers]);
  return new Map(rows.map((row) => [Number(row.number), toBlock(row)]));
}

/** The newest block's number, sealed or not; 0 when there is none. */
export async function readHead(db: Sql): Promise<number> {
  const [row] = await db.query<{ number: bigint }>('SELECT number FROM ledger_head');
  return Number(row?.number ?? 0);
}

export async function readLastBlock(db: Sql): Promise<BlockRow | null> {
  const [row] = await db.query<RawBlock>('SELECT * FROM blocks ORDER BY number DESC LIMIT 1');
  return row === undefined ? null : toBlock(row);
}

/**
 * Runs `work` while no other process seals. Null: another process holds the lock. Block numbers are taken under a lock that is held to the
 * commit, so every number up to the head that is seen here belongs to a transaction that has ended.
 */
export function whileSealing<T>(db: Db, work: (tx: Sql) => Promise<T>): Promise<T | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(814732990) AS mine');
    return row?.mine === true ? work(tx) : null;
  });
}

/** Stores sealed blocks and adds their journal lines to the sums by day. */
export async function saveBlocks(tx: Sql, blocks: readonly BlockRow[]): Promise<void> {
  await tx.query(
    `INSERT INTO blocks (number, previous_hash, root, count, sealed_at, hash)
     SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::int[], $5::timestamptz[], $6::bytea[])`,
    [
      blocks.map(({ number }) => number),
      blocks.map(({ previousHash }) => bytes(previousHash)),
      blocks.map(({ root }) => bytes(root)),
      blocks.map(({ count }) => count),
      blocks.map(({ sealedAt }) => sealedAt),
      blocks.map(({ hash }) => bytes(hash)),
    ],
  );
  await tx.query(
    `INSERT INTO account_days (organization_id, date_posted, account, debit, credit)
     SELECT organization_id, date_posted, account, sum(greatest(amount, 0)), sum(greatest(-amount, 0))
     FROM journal WHERE block BETWEEN $1 AND $2 GROUP BY organization_id, date_posted, account
     ON CONFLICT (organization_id, date_posted, account)
     DO UPDATE SET debit = account_days.debit + excluded.debit, credit = account_days.credit + excluded.credit`,
    [blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? 0],
  );
}

export type JournalRow = {
  sequence: number;
  hash: string;
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
    entry: string;
    account: string;
    amount: bigint;
    date_effective: string;
    date_posted: string;
  }>(
    `SELECT j.sequence, e.hash, j.entry, j.account, j.amount, j.date_effective, j.date_posted
     FROM journal j JOIN events e USING (loan_id, sequence) WHERE j.loan_id = $1 ORDER BY j.sequence, j.line`,
    [bytes(loanId)],
  );
  return rows.map((row) => ({
    sequence: row.sequence,
    hash: hexOf(row.hash),
    entry: row.entry,
    account: row.account,
    amount: Number(row.amount),
    dateEffective: row.date_effective,
    datePosted: row.date_posted,
  }));
}

/** Debits and credits of each account up to a day: the sums of sealed blocks, and the lines of those not sealed yet. */
export async function readAccountTotals(
  db: Sql,
  organizationId: string,
  asOf: string,
): Promise<{ account: string; debit: bigint; credit: bigint }[]> {
  return db.query(
    `SELECT account, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit FROM (
       SELECT account, debit, credit FROM account_days WHERE organization_id = $1 AND date_posted <= $2
       UNION ALL
       SELECT account, greatest(amount, 0), greatest(-amount, 0) FROM journal
       WHERE block > (SELECT coalesce(max(number), 0) FROM blocks) AND organization_id = $1 AND date_posted <= $2
     ) lines GROUP BY account`,
    [organizationId, asOf],
  );
}
