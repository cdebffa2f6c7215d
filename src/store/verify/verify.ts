/**
 * The queries that verify the whole book. A page of loans is one statement, so all data of a loan is of one snapshot while the service goes
 * on; lists of a loan come as one text, because rows cost the driver ten times as much to read. It is longer than other files because all
 * tables of the book are read here.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { Deferred } from '../../core/deferral.ts';
import type { Cents } from '../../core/money.ts';
import { LOAN_COLUMN_NAMES } from '../../portfolio/loan-columns.ts';
import { type CycleHead, readCycleHeads } from '../cycle/cycles.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { StoredColumns } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume, volumeOf } from '../db/volumes.ts';
import { type PositionDate, readAllPositionDates } from '../reports/position-dates.ts';
import { POSITIONS_OF_LOAN } from '../reports/positions.ts';

/** Makes a session read-only, without a time limit. Dates are written as the program writes them. */
export async function onlyLook(session: Sql): Promise<void> {
  await session.query(
    `SELECT set_config('default_transaction_read_only', 'on', false), set_config('statement_timeout', '0', false),
       set_config('DateStyle', 'ISO, YMD', false), set_config('jit', 'off', false)`,
  );
}

export type DaySum = {
  volume: number;
  organizationId: string;
  lenderId: string;
  date: string;
  entry: string;
  account: string;
  priorPeriod: boolean;
  debit: number;
  credit: number;
};

export type VolumeBounds = {
  volume: number;
  /** The newest block's number; null when the row that holds it is gone. */
  head: number | null;
  /** The last sealed block's number; the volume itself when there is none. */
  sealed: number;
  /** The last block that has a transaction; the volume itself when there is none. */
  newest: number;
};

/** A book's figures of its loans' interest at the end of a day, and of what their open stretches had amortized. */
export type BookBounds = {
  organizationId: string;
  lenderId: string;
  accruedThrough: PlainDate;
  accrued: number;
  amortized: Deferred;
};

export type Bounds = {
  volumes: VolumeBounds[];
  loans: number;
  /** The books of lenders as they stand at that moment. */
  books: BookBounds[];
  /** The sums by day, which are of the sealed blocks. */
  days: DaySum[];
} & Nights;

/** The progress of the cycles of organizations, and the dates that were asked for. */
export type Nights = { cycles: CycleHead[]; positionDates: PositionDate[] };

export async function readNights(db: Sql): Promise<Nights> {
  return { cycles: await readCycleHeads(db), positionDates: await readAllPositionDates(db) };
}

/** Within a transaction that sees one moment. */
export async function readBounds(tx: Sql): Promise<Bounds> {
  const { count } = tx.volumes;
  const volumes: Bounds['volumes'] = [];
  for (let volume = 0; volume < count; volume++) {
    const { head, sealed, newest } = await readEnds(tx, volume);
    const numberOf = (one: bigint | null) => Number(one ?? volume);
    volumes.push({
      volume,
      head: head === null ? null : Number(head),
      sealed: numberOf(sealed),
      newest: numberOf(newest),
    });
  }
  const [all] = await tx.query<{ loans: bigint }>('SELECT count(*) AS loans FROM loans');
  const days = await tx.query<Omit<DaySum, 'debit' | 'credit'> & { debit: bigint; credit: bigint }>(
    `SELECT volume, organization_id AS "organizationId", lender_id AS "lenderId", date_posted AS date, entry, account,
         prior_period AS "priorPeriod", debit, credit FROM account_days
       ORDER BY organization_id, date_posted, account, lender_id, entry, prior_period, volume`,
  );
  const books = await tx.query<
    Omit<BookBounds, 'accrued' | 'amortized'> & Record<'accrued' | 'fees' | 'costs' | 'discount', bigint>
  >(
    `SELECT organization_id AS "organizationId", lender_id AS "lenderId", accrued_through AS "accruedThrough", accrued,
       amortized_fees AS fees, amortized_costs AS costs, amortized_discount AS discount FROM books WHERE kind = 'accrual'`,
  );
  return {
    ...(await readNights(tx)),
    books: books.map(({ accrued, fees, costs, discount, ...book }) => ({
      ...book,
      accrued: Number(accrued),
      amortized: { fees: Number(fees) as Cents, costs: Number(costs) as Cents, discount: Number(discount) as Cents },
    })),
    volumes,
    loans: Number(all?.loans),
    days: days.map((day) => ({ ...day, debit: Number(day.debit), credit: Number(day.credit) })),
  };
}

type Ends = { head: bigint | null; sealed: bigint | null; newest: bigint | null };

/** The head of a volume, its last sealed block and the last with a transaction, by one step into an index each. */
async function readEnds(sql: Sql, volume: number): Promise<Ends> {
  const [ends] = await sql.query<Ends>(
    `SELECT (SELECT number FROM ledger_heads WHERE volume = $1) AS head, (SELECT max(number) FROM blocks WHERE volume = $1) AS sealed,
       (SELECT max(block) FROM events WHERE volume = $1) AS newest`,
    [volume],
  );
  return ends ?? { head: null, sealed: null, newest: null };
}

export type SealedBlock = {
  number: bigint;
  previous_hash: string;
  root: string;
  count: number;
  /** To the microsecond. */
  sealed_at: string;
  hash: string;
  /** Hashes of its transactions in their order, hex without anything in between; null when there are none. */
  hashes: string | null;
  positions: number;
};

export function readSealedBlocks(
  db: Sql,
  { volume, after, through }: { volume: number; after: number; through: number },
  limit: number,
): Promise<SealedBlock[]> {
  return db.query<SealedBlock>(
    `SELECT b.number, encode(b.previous_hash, 'hex') AS previous_hash, encode(b.root, 'hex') AS root, b.count,
       to_char(b.sealed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') AS sealed_at, encode(b.hash, 'hex') AS hash, e.*
     FROM blocks b
     CROSS JOIN LATERAL (
       SELECT encode(string_agg(hash, ''::bytea ORDER BY position), 'hex') AS hashes, count(DISTINCT position)::int AS positions
       FROM events WHERE events.volume = b.volume AND events.block = b.number
     ) e
     WHERE b.volume = $1 AND b.number > $2 AND b.number <= $3 ORDER BY b.number LIMIT $4`,
    [volume, after, through, limit],
  );
}

/** The hashes that the bodies of a block's transactions really have, in their order. */
export async function readBodyHashes(db: Sql, volume: number, block: number): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(
    `SELECT encode(sha256(convert_to(body, 'UTF8')), 'hex') AS hash FROM events
     WHERE volume = $1 AND block = $2 ORDER BY position`,
    [volume, block],
  );
  return rows.map(({ hash }) => `0x${hash}`);
}

/** Everything of a loan that one statement reads. Hashes and ids are hex. */
export type CheckedBook = StoredColumns & {
  loan_id: string;
  /** The newest block of its volume at that moment. */
  head: bigint | null;

  // Its row in loans; `version` null: there is none.
  version: number | null;
  organization_id: string;
  last_hash: string;
  created_at: Date;
  updated_at: Date;
  first_recorded_on: PlainDate;
  loan_lender: string;
  grade: string | null;
  state: string | null;
  predicted_yield: string | null;
  predicted_loss: string | null;
  /** Its positions: JSON. */
  positions: string | null;

  // Its row in books, when it is one and no loan; `book_version` null: it is not. One of interest, or of entries by hand.
  book_version: number | null;
  book_kind: 'accrual' | 'entries';
  first_posted: string | null;
  book_organization: string;
  book_lender: string;
  book_hash: string;
  accrued_from: string | null;
  accrued_through: string | null;
  accrued: bigint | null;
  amortized_fees: bigint | null;
  amortized_costs: bigint | null;
  amortized_discount: bigint | null;

  // The values that the loan was created with; `file` null: its row in applications is missing.
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
  same_creation: boolean;
  id_is_free: boolean;
  applied: boolean;
  /** The organization that created the loan, and the servicers in its row in loans. */
  first_organization: string;
  loan_servicer: string;
  loan_second_servicer: string;
  /** Its former owners in order: `sequence organization lender from until next first`, a line each. */
  former: string | null;
  /** Its transfers: `id organization what servicer organization lender date state`, a line each, with tabs between them. */
  transfers: string | null;
  /** Its approved requests: `id hash`, a line each. */
  approved: string | null;

  // Its transactions in order: `sequence block type`, a line each; the hashes without anything in between; the bodies.
  heads: string | null;
  hashes: string | null;
  bodies: string | null;
  notes: number;
  /** The SHA-256 of the sealed reasons: `sequence hash`, a line each. */
  note_hashes: string | null;
  /** The senders: `client person`, a line each; the person may be empty. */
  actors: string | null;
  /** The entries of the audit trail for them: `hash client person`, a line each. */
  acts: string | null;

  // Its journal in order: `sequence line block entry account amount effective posted`, a line each.
  lines: string | null;
  line_count: number;
  last_line: number | null;
  own_lines: boolean | null;

  /** Bytes of its sealed part; null: there is none. */
  sealed_bytes: number | null;
  erased: boolean;
  /** The mark in the loan's own row. */
  marked_erased: boolean | null;
  /** The number of stored changes of its parties. */
  party_changes: number;
  stray_index: number;
};

/** Stands between the bodies of a loan. Canonical JSON cannot hold it; in a body that does it becomes a question mark. */
export const BETWEEN_BODIES = '\u001e';

const TABLES = [
  'loans',
  'applications',
  'books',
  'events',
  'journal',
  'people',
  'party_changes',
  'assessments',
  'bureau_pulls',
  'notices',
  'blind_index',
  'answers',
  'transfers',
  'former_owners',
  'approvals',
  'positions',
] as const;

const idIn = (table: (typeof TABLES)[number]): string => (table === 'books' ? 'book_id' : 'loan_id');

/** Every id that these tables name in a volume, one after the other along the indexes: so rows of a loan that does not exist are found too. */
const IDS = `
WITH RECURSIVE ids (loan_id, n) AS (
  SELECT $1::bytea, 0
  UNION ALL
  SELECT (SELECT loan_id FROM (
    ${TABLES.map((table) => `(SELECT ${idIn(table)} AS loan_id FROM ${table} WHERE volume = $3 AND ${idIn(table)} > ids.loan_id ORDER BY 1 LIMIT 1)`).join('\n    UNION ALL ')}
  ) next ORDER BY loan_id LIMIT 1), ids.n + 1
  FROM ids WHERE ids.loan_id IS NOT NULL AND ids.n < $2
)`;

/** Entries of the audit trail that are not linked yet have no index by loan: they are looked through once for all loans of a page. */
const PAGE = `${IDS}, waits AS MATERIALIZED (
  SELECT loan_id, transaction_hash, client_id, user_id, operation FROM audit_waiting
  WHERE volume = $3 AND loan_id IN (SELECT loan_id FROM ids)
)
SELECT encode(ids.loan_id, 'hex') AS loan_id, (SELECT number FROM ledger_heads WHERE volume = $3) AS head,
  l.version, l.organization_id, encode(l.last_hash, 'hex') AS last_hash, l.erased AS marked_erased, l.created_at, l.updated_at,
  l.first_recorded_on, l.lender_id AS loan_lender, l.grade, l.state, l.predicted_yield, l.predicted_loss,
  ${LOAN_COLUMN_NAMES.map((name) => `l.${name}`).join(', ')}, ${POSITIONS_OF_LOAN},
  b.version AS book_version, b.organization_id AS book_organization, b.lender_id AS book_lender, encode(b.last_hash, 'hex') AS book_hash,
  b.accrued_from, b.accrued_through, b.accrued, b.amortized_fees, b.amortized_costs, b.amortized_discount, b.kind AS book_kind, b.first_posted,
  a.file, a.public_part, a.start_block, a.application_id, a.borrower_id, a.lender_id, a.primary_servicer_id, a.secondary_servicer_id,
  a.loan_type, a.organization_id AS first_organization, coalesce(l.primary_servicer_id, '') AS loan_servicer,
  coalesce(l.secondary_servicer_id, '') AS loan_second_servicer, a.created_at = l.created_at AS same_creation, a.id_is_free,
  a.applied,
  (SELECT string_agg(concat_ws(' ', f.sequence, f.organization_id, f.lender_id, f.owned_from, f.owned_until, f.next_organization_id,
     f.first_organization_id), chr(10) ORDER BY f.sequence) FROM former_owners f WHERE f.volume = $3 AND f.loan_id = ids.loan_id) AS former,
  (SELECT string_agg(concat_ws(chr(9), t.transfer_id, t.organization_id, t.what, coalesce(t.to_servicer_id, ''),
     coalesce(t.to_organization_id, ''), coalesce(t.to_lender_id, ''), t.date, t.state), chr(10) ORDER BY t.transfer_id COLLATE "C")
   FROM transfers t WHERE t.volume = $3 AND t.loan_id = ids.loan_id) AS transfers,
  (SELECT string_agg(v.approval_id || ' ' || encode(v.transaction_hash, 'hex'), chr(10) ORDER BY v.approval_id) FROM approvals v
   WHERE v.volume = $3 AND v.loan_id = ids.loan_id AND v.state = 'approved') AS approved,
  s.file AS assessed_file, s.public_part AS assessed_part,
  (SELECT array_agg(sequence ORDER BY sequence) FROM assessments r WHERE r.volume = $3 AND r.loan_id = ids.loan_id) AS runs,
  e.*, j.*,
  (SELECT string_agg(encode(t.transaction_hash, 'hex') || ' ' || coalesce(t.client_id, '') || ' ' || coalesce(t.user_id, ''), chr(10))
   FROM (SELECT transaction_hash, client_id, user_id FROM audit t WHERE t.volume = $3 AND t.loan_id = ids.loan_id
     UNION ALL SELECT transaction_hash, client_id, user_id FROM waits WHERE waits.loan_id = ids.loan_id) t
   WHERE t.transaction_hash IS NOT NULL) AS acts,
  octet_length(p.sealed) AS sealed_bytes,
  p.loan_id IS NULL AND (EXISTS (SELECT 1 FROM audit d WHERE d.volume = $3 AND d.loan_id = ids.loan_id AND d.operation = 'erase-borrower')
    OR EXISTS (SELECT 1 FROM waits WHERE waits.loan_id = ids.loan_id AND waits.operation = 'erase-borrower')) AS erased,
  (SELECT count(*)::int FROM party_changes c WHERE c.volume = $3 AND c.loan_id = ids.loan_id) AS party_changes,
  (SELECT count(*)::int FROM blind_index b
   WHERE b.volume = $3 AND b.loan_id = ids.loan_id AND b.organization_id <> l.organization_id
     AND NOT EXISTS (SELECT 1 FROM former_owners f
       WHERE f.volume = $3 AND f.loan_id = ids.loan_id AND f.organization_id = b.organization_id)) AS stray_index
FROM ids
LEFT JOIN loans l ON l.volume = $3 AND l.loan_id = ids.loan_id
LEFT JOIN books b ON b.volume = $3 AND b.book_id = ids.loan_id
LEFT JOIN applications a ON a.volume = $3 AND a.loan_id = ids.loan_id
LEFT JOIN people p ON p.volume = $3 AND p.loan_id = ids.loan_id
LEFT JOIN LATERAL (
  SELECT file, public_part FROM assessments
  WHERE assessments.volume = $3 AND assessments.loan_id = ids.loan_id ORDER BY sequence DESC LIMIT 1
) s ON true
CROSS JOIN LATERAL (
  SELECT string_agg(sequence || ' ' || block || ' ' || replace(type, chr(10), ' '), chr(10) ORDER BY sequence) AS heads,
    encode(string_agg(hash, ''::bytea ORDER BY sequence), 'hex') AS hashes,
    string_agg(replace(body, chr(30), '?'), chr(30) ORDER BY sequence) AS bodies, count(note)::int AS notes,
    string_agg(sequence || ' ' || encode(sha256(note), 'hex'), chr(10) ORDER BY sequence) FILTER (WHERE note IS NOT NULL) AS note_hashes,
    string_agg(client_id || ' ' || coalesce(user_id, ''), chr(10) ORDER BY sequence) AS actors
  FROM events WHERE events.volume = $3 AND events.loan_id = ids.loan_id
) e
CROSS JOIN LATERAL (
  SELECT string_agg(concat_ws(' ', sequence, line, block, entry, account, amount, date_effective, date_posted), chr(10)
      ORDER BY sequence, line) AS lines,
    count(*)::int AS line_count, max(sequence) AS last_line, bool_and(organization_id = coalesce(l.organization_id, b.organization_id) AND lender_id = coalesce(l.lender_id, b.lender_id)) AS own_lines
  FROM journal WHERE journal.volume = $3 AND journal.loan_id = ids.loan_id
) j
WHERE ids.n > 0 AND ids.loan_id IS NOT NULL`;

/** The next `limit` loans of a volume after an id (hex; the empty one is before all). */
export async function readBookPage(db: Sql, volume: number, after: string, limit: number): Promise<CheckedBook[]> {
  const rows = await db.query<CheckedBook>(PAGE, [`\\x${after}`, limit, volume], 'read_book_page');
  // Sorted here: the server would carry all those texts through its sort.
  return rows.sort((a, b) => (a.loan_id < b.loan_id ? -1 : 1));
}

/** One loan of a volume (hex); null: nothing has its id. */
export async function readCheckedBook(db: Sql, volume: number, id: string): Promise<CheckedBook | null> {
  const [row] = await readBookPage(db, volume, before(id), 1);
  return row?.loan_id === id ? row : null;
}

/** In the order of bytes: nothing of fewer than a hundred bytes is between the two. */
function before(id: string): string {
  const [first, last] = [id.slice(0, -2), Number.parseInt(id.slice(-2), 16)];
  return last === 0 ? first : `${first}${(last - 1).toString(16).padStart(2, '0')}${'ff'.repeat(100)}`;
}

export type SealedPerson = { keyId: string; wrappedKey: Uint8Array; sealed: Uint8Array };

const PEOPLE = byVolume(
  (from, volume) =>
    `SELECT p.loan_id, p.key_id, p.wrapped_key, p.sealed FROM ${from}
     JOIN people p ON p.volume = ${volume} AND p.loan_id = asked.id`,
);

/** The sealed parts of loans; a borrower who was erased since is not there. */
export async function readSealedPeople(db: Sql, loanIds: readonly string[]): Promise<Map<string, SealedPerson>> {
  type Row = { loan_id: Uint8Array; key_id: string; wrapped_key: Uint8Array; sealed: Uint8Array };
  const rows = await queryByVolume<Row>(db, PEOPLE, loanIds, [], 'read_people');
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
    `SELECT sequence, note FROM events
     WHERE volume = $1 AND loan_id = $2 AND sequence <= $3 AND note IS NOT NULL ORDER BY sequence`,
    [volumeOf(db, loanId), bytes(loanId), through],
  );
}

export type StoredLine = {
  sequence: number;
  line: number;
  organizationId: string;
  lenderId: string;
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
    `SELECT sequence, line, organization_id AS "organizationId", lender_id AS "lenderId", block, entry, account, amount, date_effective AS "dateEffective",
       date_posted AS "datePosted"
     FROM journal WHERE volume = $1 AND loan_id = $2 AND sequence <= $3 ORDER BY sequence, line`,
    [volumeOf(db, loanId), bytes(loanId), through],
  );
  return rows.map((row) => ({ ...row, block: Number(row.block), amount: Number(row.amount) }));
}

/** The number of rows that each table has of a loan in a volume; tables with none are left out. */
export async function countRows(db: Sql, volume: number, loanId: string): Promise<{ name: string; rows: number }[]> {
  const counts = TABLES.map(
    (table) =>
      `SELECT '${table}' AS name, count(*)::int AS rows FROM ${table}
       WHERE volume = $1 AND ${idIn(table)} = $2${table === 'answers' ? ' AND key_hash <> loan_id' : ''}`,
  );
  const rows = await db.query<{ name: string; rows: number }>(counts.join(' UNION ALL '), [volume, bytes(loanId)]);
  return rows.filter((row) => row.rows > 0);
}

export type Mistold = { loanId: string; sequence: number };

/** Transactions of a volume that the feed would tell to another organization than the loan's owner at that time, or the one it was offered to. */
export async function readMistold(db: Sql, volume: number): Promise<Mistold[]> {
  const rows = await db.query<{ loan_id: Uint8Array; sequence: number }>(
    `SELECT e.loan_id, e.sequence FROM events e
     JOIN loans l ON l.volume = e.volume AND l.loan_id = e.loan_id
     LEFT JOIN LATERAL (
       SELECT organization_id FROM former_owners f
       WHERE f.volume = e.volume AND f.loan_id = e.loan_id AND f.sequence >= e.sequence ORDER BY f.sequence LIMIT 1
     ) f ON true
     WHERE e.volume = $1 AND (e.organization_id IS DISTINCT FROM coalesce(f.organization_id, l.organization_id)
       OR e.next_organization_id IS DISTINCT FROM CASE WHEN e.type IN ('transferScheduled', 'transferred')
         THEN e.body::json #>> '{event,to,organizationId}' END)
     UNION ALL
     SELECT e.loan_id, e.sequence FROM books b JOIN events e ON e.volume = b.volume AND e.loan_id = b.book_id
     WHERE b.volume = $1 AND num_nonnulls(e.organization_id, e.next_organization_id) > 0`,
    [volume],
  );
  return rows.map(({ loan_id, sequence }) => ({ loanId: hexOf(loan_id), sequence }));
}

const MARKS = 10_000;

/** Marks of the feed in a volume that are not at a block of it, or of a tick that was not made. */
export async function countWrongMarks(db: Sql, volume: number): Promise<number> {
  const { head, sealed } = await readEnds(db, volume);
  const isWrong = 'last_block % $2::int <> $1 OR number > (SELECT number FROM feed_head) OR last_block > $3::bigint';
  const given = [volume, db.volumes.count, head];
  const [row] = await db.query<{ wrong: number }>(
    `SELECT count(*)::int AS wrong FROM feed_marks WHERE volume = $1 AND (${isWrong})`,
    given,
  );
  let wrong = row?.wrong ?? 0;
  // The marks are not where the blocks are, so that those which are right so far are handed over, some at a time.
  for (let after: bigint | undefined = -1n; ; ) {
    const marks: { last_block: bigint }[] = await db.query<{ last_block: bigint }>(
      `SELECT last_block FROM feed_marks WHERE volume = $1 AND (${isWrong}) IS NOT TRUE AND last_block > $4 AND last_block <= $5
       ORDER BY last_block LIMIT ${MARKS}`,
      [...given, after, sealed ?? 0n],
    );
    after = marks.at(-1)?.last_block;
    if (after === undefined) return wrong;
    const [found] = await db.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM blocks WHERE volume = $1 AND number = ANY($2::bigint[])',
      [volume, marks.map(({ last_block }) => last_block)],
    );
    wrong += marks.length - (found?.count ?? 0);
  }
}

/** Rows of volumes that this database does not have, by table. */
export async function countStrays(db: Sql): Promise<{ name: string; rows: number }[]> {
  const others = ['audit', 'audit_waiting', 'blocks', 'account_days', 'feed_marks', 'reservations'];
  const counts = [...TABLES, ...others].map(
    (table) => `SELECT '${table}' AS name, count(*)::int AS rows FROM ${table} WHERE volume < 0 OR volume >= $1`,
  );
  const rows = await db.query<{ name: string; rows: number }>(counts.join(' UNION ALL '), [db.volumes.count]);
  return rows.filter((row) => row.rows > 0);
}
