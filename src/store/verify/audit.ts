/** The queries that verify the audit trail of a volume. */
import type { AuditFacts } from '../../ledger/audit-chain.ts';
import { FACTS, idAt, type RawFacts, toFacts, trailIn } from '../audit/chain.ts';
import { hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';

export type LinkRow = {
  number: number;
  hash: string;
  entry: AuditFacts;
  /** Entries are dated to the millisecond; a finer time cannot be theirs. */
  whole: boolean;
  /** The rows that its change left; null: none that are recorded. */
  content: string | null;
};

/** Linked entries of a volume, in the order of their links. */
export async function readLinkPage(
  db: Sql,
  { volume, after, through }: { volume: number; after: number; through: number },
  limit: number,
): Promise<LinkRow[]> {
  const rows = await db.query<RawFacts & { number: bigint; hash: Uint8Array; whole: boolean; content: string | null }>(
    `SELECT a.number, a.hash, a.at = date_trunc('milliseconds', a.at) AS whole, a.content, ${FACTS}
     FROM audit a WHERE a.volume = $1 AND a.number > $2 AND a.number <= $3 ORDER BY a.number LIMIT $4`,
    [volume, after, through, limit],
  );
  return rows.map(({ number, hash, whole, content, ...row }) => ({
    number: Number(number),
    hash: hexOf(hash),
    entry: toFacts(row),
    whole,
    content,
  }));
}

/**
 * The last link of a volume (0: it has none), and when the service was last known to run there: the time of the last linked entry, and when
 * the newest one came that waits and belongs to a request, which commands have none of. Null: nothing shows it.
 */
export async function readEnd(db: Sql, volume: number): Promise<{ through: number; ran: Date | null }> {
  const [row] = await db.query<{ through: bigint; ran: Date | null }>(
    `SELECT coalesce((SELECT max(number) FROM audit WHERE volume = $1), 0) AS through, greatest(
       (SELECT at FROM audit WHERE volume = $1 ORDER BY number DESC LIMIT 1),
       (SELECT max(since) FROM audit_waiting WHERE volume = $1 AND request_id IS NOT NULL)) AS ran`,
    [volume],
  );
  return { through: Number(row?.through ?? 0), ran: row?.ran ?? null };
}

/** Entries of a volume that have waited for their link since before a time: at most `limit`. */
export async function readLateEntries(
  db: Sql,
  { volume, before }: { volume: number; before: Date },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ entry_id: string }>(
    'SELECT entry_id FROM audit_waiting WHERE volume = $1 AND since < $2 ORDER BY entry_id LIMIT $3',
    [volume, before, limit],
  );
  return rows.map(({ entry_id }) => entry_id);
}

/** The first and the last link of a volume whose entry is of a time; null: there is none. It looks through the volume: an export does so anyway. */
export async function readLinkBounds(
  db: Sql,
  volume: number,
  { from, until }: { from: Date | undefined; until: Date | undefined },
): Promise<{ first: number; last: number } | null> {
  const [row] = await db.query<{ first: bigint | null; last: bigint | null }>(
    `SELECT min(number) AS first, max(number) AS last FROM audit
     WHERE volume = $1 AND ($2::text IS NULL OR entry_id >= $2) AND ($3::text IS NULL OR entry_id < $3)`,
    [volume, from === undefined ? null : idAt(from), until === undefined ? null : idAt(until)],
  );
  if (row === undefined || row.first === null || row.last === null) return null;
  return { first: Number(row.first), last: Number(row.last) };
}

export type Stray = { entryId: string; what: 'waits' | 'twice' | 'loanless' };

/**
 * Entries that wait for their link and are linked (`waits`), that are linked twice (`twice`), and those of a transaction or a look whose loan
 * does not exist (`loanless`). At most `limit` of each.
 */
export async function readStrayEntries(db: Sql, volume: number, limit: number): Promise<Stray[]> {
  const rows = await db.query<{ entry_id: string; what: Stray['what'] }>(
    `(SELECT w.entry_id, 'waits' AS what FROM audit_waiting w
       WHERE w.volume = $1 AND EXISTS (SELECT 1 FROM audit a WHERE a.volume = $1 AND a.entry_id = w.entry_id) LIMIT $2)
     UNION ALL
     (SELECT a.entry_id, 'twice' FROM audit a WHERE a.volume = $1 GROUP BY a.entry_id HAVING count(*) > 1 LIMIT $2)
     UNION ALL
     (SELECT a.entry_id, 'loanless' FROM ${trailIn('$1')} a
       WHERE a.kind <> 'tried' AND (a.loan_id IS NOT NULL OR a.transaction_hash IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM loans l WHERE l.volume = $1 AND l.loan_id = a.loan_id) LIMIT $2)`,
    [volume, limit],
  );
  return rows.map(({ entry_id: entryId, what }) => ({ entryId, what }));
}
