/**
 * The queries that verify the whole book. A page of loans is one statement, so all data of a loan is of one snapshot while the service goes
 * on; lists of a loan come as one text, because rows cost the driver ten times as much to read.
 */
import type { Session, Sql } from './db.ts';
import { bytes, hexOf } from './loans.ts';

/** Makes a session read-only, without a time limit. Dates are written as the program writes them. */
export async function onlyLook(session: Sql): Promise<void> {
  await session.query(
    `SELECT set_config('default_transaction_read_only', 'on', false), set_config('statement_timeout', '0', false),
       set_config('DateStyle', 'ISO, YMD', false), set_config('jit', 'off', false)`,
  );
}

export type DaySum = { organizationId: string; date: string; account: string; debit: number; credit: number };

export type Bounds = {
  /** The newest block's number; null when the row that holds it is gone. */
  head: number | null;
  /** The last sealed block's number; 0 when there is none. */
  sealed: number;
  loans: number;
  /** The sums by day, which are of the sealed blocks. */
  days: DaySum[];
};

export function readBounds(session: Session): Promise<Bounds> {
  return session.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const [row] = await tx.query<{ head: bigint | null; sealed: bigint; loans: bigint }>(
      `SELECT (SELECT number FROM ledger_head) AS head, (SELECT coalesce(max(number), 0) FROM blocks) AS sealed,
         (SELECT count(*) FROM loans) AS loans`,
    );
    const days = await tx.query<Omit<DaySum, 'debit' | 'credit'> & { debit: bigint; credit: bigint }>(
      `SELECT organization_id AS "organizationId", date_posted AS date, account, debit, credit FROM account_days
       ORDER BY organization_id, date_posted, account`,
    );
    const head = row?.head ?? null;
    return {
      head: head === null ? null : Number(head),
      sealed: Number(row?.sealed),
      loans: Number(row?.loans),
      days: days.map((day) => ({ ...day, debit: Number(day.debit), credit: Number(day.credit) })),
    };
  });
}

export type SealedBlock = {
  number: bigint;
  previous_hash: string;
  root: string;
  count: number;
  /** To the microsecond. */
  sealed_at: string;
  hash: string;
  /** Of its transactions in their order, hex without anything in between; null when there are none. */
  hashes: string | null;
  positions: number;
};

export function readSealedBlocks(db: Sql, after: number, through: number, limit: number): Promise<SealedBlock[]> {
  return db.query<SealedBlock>(
    `SELECT b.number, encode(b.previous_hash, 'hex') AS previous_hash, encode(b.root, 'hex') AS root, b.count,
       to_char(b.sealed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') AS sealed_at, encode(b.hash, 'hex') AS hash, e.*
     FROM blocks b
     CROSS JOIN LATERAL (
       SELECT encode(string_agg(hash, ''::bytea ORDER BY position), 'hex') AS hashes, count(DISTINCT position)::int AS positions
       FROM events WHERE events.block = b.number
     ) e
     WHERE b.number > $1 AND b.number <= $2 ORDER BY b.number LIMIT $3`,
    [after, through, limit],
  );
}

/** The hashes that the bodies of a block's transactions really have, in their order. */
export async function readBodyHashes(db: Sql, block: number): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(
    `SELECT encode(sha256(convert_to(body, 'UTF8')), 'hex') AS hash FROM events WHERE block = $1 ORDER BY position`,
    [block],
  );
  return rows.map(({ hash }) => `0x${hash}`);
}

/** Everything of a loan that one statement reads. Hashes and ids are hex. */
export type BookRow = {
  loan_id: string;
  /** The newest block at that moment. */
  head: bigint | null;

  // Its row in loans; `version` null: there is none.
  version: number | null;
  organization_id: string;
  last_hash: string;
  status: string;
  past_due_from: string | null;
  delinquent_from: string | null;
  late: boolean;
  loan_amount: bigint;
  principal: bigint;
  published: boolean;
  created_at: Date;
  updated_at: Date;
  recorded_on: string;

  // What the loan was created with; `file` null: its row in applications is missing.
  file: string | null;
  public_part: Uint8Array;
  // The result of the last underwriting run; null: there was none.
  assessed_file: string | null;
  assessed_part: Uint8Array;
  /** The events that runs belong to. */
  runs: number[] | null;
  start_block: bigint;
  application_id: string;
  borrower_id: string;
  lender_id: string;
  primary_servicer_id: string;
  secondary_servicer_id: string;
  loan_type: string;
  same_organization: boolean;
  same_creation: boolean;

  // Its transactions in order: `sequence block type`, a line each; the hashes without anything in between; the bodies.
  heads: string | null;
  hashes: string | null;
  bodies: string | null;
  notes: number;

  // Its journal in order: `sequence line block entry account amount effective posted`, a line each.
  lines: string | null;
  line_count: number;
  last_line: number | null;
  own_lines: boolean | null;

  /** Bytes of its sealed part; null: there is none. */
  sealed_bytes: number | null;
  erased: boolean;
  stray_outbox: number;
  stray_index: number;
};

/** Stands between the bodies of a loan. Canonical JSON cannot hold it; in a body that does it becomes a question mark. */
export const BETWEEN_BODIES = '\u001e';

const TABLES = [
  'loans',
  'applications',
  'events',
  'journal',
  'people',
  'assessments',
  'bureau_pulls',
  'blind_index',
  'disclosures',
  'outbox',
] as const;

/** Every id that any table names, one after the other along the indexes: so rows of a loan that does not exist are found too. */
const IDS = `
WITH RECURSIVE ids (loan_id, n) AS (
  SELECT $1::bytea, 0
  UNION ALL
  SELECT (SELECT loan_id FROM (
    ${TABLES.map((table) => `(SELECT loan_id FROM ${table} WHERE loan_id > ids.loan_id ORDER BY loan_id LIMIT 1)`).join('\n    UNION ALL ')}
  ) next ORDER BY loan_id LIMIT 1), ids.n + 1
  FROM ids WHERE ids.loan_id IS NOT NULL AND ids.n < $2
)`;

const PAGE = `${IDS}
SELECT encode(ids.loan_id, 'hex') AS loan_id, (SELECT number FROM ledger_head) AS head,
  l.version, l.organization_id, encode(l.last_hash, 'hex') AS last_hash, l.status, l.past_due_from, l.delinquent_from, l.late,
  l.loan_amount, l.principal, l.published, l.created_at, l.updated_at, l.recorded_on,
  a.file, a.public_part, a.start_block, a.application_id, a.borrower_id, a.lender_id, a.primary_servicer_id, a.secondary_servicer_id,
  a.loan_type, a.organization_id = l.organization_id AS same_organization, a.created_at = l.created_at AS same_creation,
  s.file AS assessed_file, s.public_part AS assessed_part,
  (SELECT array_agg(sequence ORDER BY sequence) FROM assessments r WHERE r.loan_id = ids.loan_id) AS runs,
  e.*, j.*, octet_length(p.sealed) AS sealed_bytes,
  p.loan_id IS NULL AND EXISTS (SELECT 1 FROM disclosures d WHERE d.loan_id = ids.loan_id AND d.what = 'erasure') AS erased,
  (SELECT count(*)::int FROM outbox o LEFT JOIN events t USING (loan_id, sequence)
   WHERE o.loan_id = ids.loan_id AND (t.type IS DISTINCT FROM o.type OR o.organization_id <> l.organization_id)) AS stray_outbox,
  (SELECT count(*)::int FROM blind_index b
   WHERE b.loan_id = ids.loan_id AND b.organization_id <> l.organization_id) AS stray_index
FROM ids
LEFT JOIN loans l USING (loan_id)
LEFT JOIN applications a USING (loan_id)
LEFT JOIN people p USING (loan_id)
LEFT JOIN LATERAL (
  SELECT file, public_part FROM assessments WHERE assessments.loan_id = ids.loan_id ORDER BY sequence DESC LIMIT 1
) s ON true
CROSS JOIN LATERAL (
  SELECT string_agg(sequence || ' ' || block || ' ' || replace(type, chr(10), ' '), chr(10) ORDER BY sequence) AS heads,
    encode(string_agg(hash, ''::bytea ORDER BY sequence), 'hex') AS hashes,
    string_agg(replace(body, chr(30), '?'), chr(30) ORDER BY sequence) AS bodies, count(note)::int AS notes
  FROM events WHERE events.loan_id = ids.loan_id
) e
CROSS JOIN LATERAL (
  SELECT string_agg(concat_ws(' ', sequence, line, block, entry, account, amount, date_effective, date_posted), chr(10)
      ORDER BY sequence, line) AS lines,
    count(*)::int AS line_count, max(sequence) AS last_line, bool_and(organization_id = l.organization_id) AS own_lines
  FROM journal WHERE journal.loan_id = ids.loan_id
) j
WHERE ids.n > 0 AND ids.loan_id IS NOT NULL`;

/** The next `limit` loans after an id (hex; the empty one is before all). */
export async function readBookPage(db: Sql, after: string, limit: number): Promise<BookRow[]> {
  const rows = await db.query<BookRow>(PAGE, [`\\x${after}`, limit], 'read_book_page');
  // Sorted here: the server would carry all those texts through its sort.
  return rows.sort((a, b) => (a.loan_id < b.loan_id ? -1 : 1));
}

export type SealedPerson = { keyId: string; wrappedKey: Uint8Array; sealed: Uint8Array };

/** The sealed parts of loans; a borrower who was erased since is not there. */
export async function readPeople(db: Sql, loanIds: readonly string[]): Promise<Map<string, SealedPerson>> {
  const rows = await db.query<{ loan_id: Uint8Array; key_id: string; wrapped_key: Uint8Array; sealed: Uint8Array }>(
    'SELECT loan_id, key_id, wrapped_key, sealed FROM people WHERE loan_id = ANY($1::bytea[])',
    [loanIds.map(bytes)],
    'read_people',
  );
  return new Map(
    rows.map(({ loan_id, key_id, wrapped_key, sealed }) => [
      hexOf(loan_id),
      { keyId: key_id, wrappedKey: wrapped_key, sealed },
    ]),
  );
}

/** Sealed reasons of a loan's transactions, in order, up to one of them. */
export function readNotesThrough(
  db: Sql,
  loanId: string,
  through: number,
): Promise<{ sequence: number; note: Uint8Array }[]> {
  return db.query(
    'SELECT sequence, note FROM events WHERE loan_id = $1 AND sequence <= $2 AND note IS NOT NULL ORDER BY sequence',
    [bytes(loanId), through],
  );
}

export type StoredLine = {
  sequence: number;
  line: number;
  organizationId: string;
  block: number;
  entry: string;
  account: string;
  amount: number;
  dateEffective: string;
  datePosted: string;
};

/** A loan's journal, row by row, up to a transaction. */
export async function readLinesThrough(db: Sql, loanId: string, through: number): Promise<StoredLine[]> {
  const rows = await db.query<Omit<StoredLine, 'block' | 'amount'> & { block: bigint; amount: bigint }>(
    `SELECT sequence, line, organization_id AS "organizationId", block, entry, account, amount, date_effective AS "dateEffective",
       date_posted AS "datePosted"
     FROM journal WHERE loan_id = $1 AND sequence <= $2 ORDER BY sequence, line`,
    [bytes(loanId), through],
  );
  return rows.map((row) => ({ ...row, block: Number(row.block), amount: Number(row.amount) }));
}

/** How many rows each table has of a loan; those with none are left out. */
export async function countRows(db: Sql, loanId: string): Promise<{ name: string; rows: number }[]> {
  const counts = TABLES.map(
    (table) => `SELECT '${table}' AS name, count(*)::int AS rows FROM ${table} WHERE loan_id = $1`,
  );
  const rows = await db.query<{ name: string; rows: number }>(counts.join(' UNION ALL '), [bytes(loanId)]);
  return rows.filter((row) => row.rows > 0);
}

export type AnswersPage = { last: string | null; answers: number; lost: string[] };

/** Reads stored answers in the order of their keys' hashes (hex), and returns the loans among them that do not exist. */
export async function readAnswersPage(db: Sql, after: string, limit: number): Promise<AnswersPage> {
  const rows = await db.query<{ key_hash: string; loan_id: string; lost: boolean }>(
    `SELECT encode(page.key_hash, 'hex') AS key_hash, encode(page.loan_id, 'hex') AS loan_id, l.loan_id IS NULL AS lost
     FROM (SELECT key_hash, loan_id FROM idempotency WHERE key_hash > $1 ORDER BY key_hash LIMIT $2) page
     LEFT JOIN loans l USING (loan_id) ORDER BY page.key_hash`,
    [`\\x${after}`, limit],
  );
  return {
    last: rows.at(-1)?.key_hash ?? null,
    answers: rows.length,
    lost: rows.filter(({ lost }) => lost).map(({ loan_id }) => `0x${loan_id}`),
  };
}
