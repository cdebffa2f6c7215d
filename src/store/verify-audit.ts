/** The queries that verify the audit trail of a volume. */
import type { AuditFacts } from '../ledger/audit-chain.ts';
import { FACTS, idAt, type RawFacts, toFacts } from './audit-chain.ts';
import type { Sql } from './db.ts';
import { hexOf } from './loans.ts';

export type LinkRow = {
  number: number;
  entryId: string;
  hash: string;
  /** Null: there is no such entry. */
  entry: AuditFacts | null;
  /** Entries are dated to the millisecond; a finer time cannot be theirs. */
  whole: boolean;
};

/** Links of a volume with their entries, in order. */
export async function readLinkPage(
  db: Sql,
  { volume, after, through }: { volume: number; after: number; through: number },
  limit: number,
): Promise<LinkRow[]> {
  type Raw = Omit<RawFacts, 'entry_id'> & {
    number: bigint;
    linked: string;
    hash: Uint8Array;
    entry_id: string | null;
    whole: boolean;
  };
  const rows = await db.query<Raw>(
    `SELECT l.number, l.entry_id AS linked, l.hash, a.at = date_trunc('milliseconds', a.at) AS whole, ${FACTS}
     FROM audit_links l LEFT JOIN audit a ON a.volume = $1 AND a.entry_id = l.entry_id
     WHERE l.volume = $1 AND l.number > $2 AND l.number <= $3 ORDER BY l.number LIMIT $4`,
    [volume, after, through, limit],
  );
  return rows.map(({ number, linked, hash, whole, entry_id, ...row }) => ({
    number: Number(number),
    entryId: linked,
    hash: hexOf(hash),
    entry: entry_id === null ? null : toFacts({ ...row, entry_id }),
    whole,
  }));
}

/** The last link of a volume; 0: it has none. */
export async function countLinks(db: Sql, volume: number): Promise<number> {
  const [row] = await db.query<{ number: bigint }>(
    'SELECT coalesce(max(number), 0) AS number FROM audit_links WHERE volume = $1',
    [volume],
  );
  return Number(row?.number ?? 0);
}

/** The first and the last link of a volume whose entry is of a time; null: there is none. */
export async function readLinkBounds(
  db: Sql,
  volume: number,
  { from, until }: { from: Date | undefined; until: Date | undefined },
): Promise<{ first: number; last: number } | null> {
  const [row] = await db.query<{ first: bigint | null; last: bigint | null }>(
    `SELECT min(number) AS first, max(number) AS last FROM audit_links
     WHERE volume = $1 AND ($2::text IS NULL OR entry_id >= $2) AND ($3::text IS NULL OR entry_id < $3)`,
    [volume, from === undefined ? null : idAt(from), until === undefined ? null : idAt(until)],
  );
  if (row === undefined || row.first === null || row.last === null) return null;
  return { first: Number(row.first), last: Number(row.last) };
}

export type Stray = { entryId: string; what: 'unlinked' | 'waits' | 'absent' | 'loanless' };

/**
 * Entries that are neither linked nor wait for it (`unlinked`), or do both (`waits`); those that wait without being there (`absent`); and
 * those of a transaction or a look whose loan does not exist (`loanless`). At most `limit` of each.
 */
export async function readStrayEntries(db: Sql, volume: number, limit: number): Promise<Stray[]> {
  const rows = await db.query<{ entry_id: string; what: Stray['what'] }>(
    `(SELECT a.entry_id, 'unlinked' AS what FROM audit a WHERE a.volume = $1
       AND NOT EXISTS (SELECT 1 FROM audit_links l WHERE l.volume = $1 AND l.entry_id = a.entry_id)
       AND NOT EXISTS (SELECT 1 FROM audit_waiting w WHERE w.volume = $1 AND w.entry_id = a.entry_id) LIMIT $2)
     UNION ALL
     (SELECT w.entry_id, CASE WHEN a.entry_id IS NULL THEN 'absent' ELSE 'waits' END FROM audit_waiting w
       LEFT JOIN audit a ON a.volume = $1 AND a.entry_id = w.entry_id
       WHERE w.volume = $1 AND (a.entry_id IS NULL
         OR EXISTS (SELECT 1 FROM audit_links l WHERE l.volume = $1 AND l.entry_id = w.entry_id)) LIMIT $2)
     UNION ALL
     (SELECT a.entry_id, 'loanless' FROM audit a
       WHERE a.volume = $1 AND a.kind <> 'tried' AND (a.loan_id IS NOT NULL OR a.transaction_hash IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM loans l WHERE l.volume = $1 AND l.loan_id = a.loan_id) LIMIT $2)`,
    [volume, limit],
  );
  return rows.map(({ entry_id: entryId, what }) => ({ entryId, what }));
}
