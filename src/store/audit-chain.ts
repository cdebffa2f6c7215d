/** The chain of the audit trail in the database: what waits to be linked, and the linked entries of each volume. */
import type { AuditFacts, AuditHead, AuditLink } from '../ledger/audit-chain.ts';
import { AUDIT_COLUMNS } from './audit.ts';
import type { Sql } from './db.ts';
import { bytes, hexOf } from './loans.ts';

/** The columns of an entry as they are hashed. */
export const FACTS = `a.entry_id, a.at, a.organization_id, a.owner_id, a.client_id, a.user_id, a.key_id, a.account, a.kind, a.operation, a.outcome,
  a.loan_id, a.subject, a.transaction_hash, a.approval_id, a.count, sha256(a.purpose) AS purpose_hash, a.request_id`;

/**
 * The linked and the waiting entries of a volume, to select from: an entry that is moved meanwhile is in it once, because a statement sees one
 * moment. `number` and `hash` are null until it is linked.
 */
export const trailIn = (volume: string): string =>
  `(SELECT volume, number, hash, ${AUDIT_COLUMNS} FROM audit WHERE volume = ${volume}
    UNION ALL SELECT volume, NULL, NULL, ${AUDIT_COLUMNS} FROM audit_waiting WHERE volume = ${volume})`;

export type RawFacts = {
  entry_id: string;
  at: Date;
  organization_id: string;
  owner_id: string | null;
  client_id: string | null;
  user_id: string | null;
  key_id: string | null;
  account: string | null;
  kind: string;
  operation: string;
  outcome: string;
  loan_id: Uint8Array | null;
  subject: string | null;
  transaction_hash: Uint8Array | null;
  approval_id: string | null;
  count: number;
  purpose_hash: Uint8Array | null;
  request_id: string | null;
};

/** The ids of entries begin with their time. */
export const idAt = (at: Date): string => Math.max(0, at.getTime()).toString(16).padStart(12, '0');

const hashIn = (value: Uint8Array | null): string | null => (value === null ? null : hexOf(value));

export function toFacts(row: RawFacts): AuditFacts {
  return {
    entryId: row.entry_id,
    at: row.at.toISOString(),
    organizationId: row.organization_id,
    ownerId: row.owner_id,
    clientId: row.client_id,
    userId: row.user_id,
    keyId: row.key_id,
    account: row.account,
    kind: row.kind,
    operation: row.operation,
    outcome: row.outcome,
    loanId: hashIn(row.loan_id),
    subject: row.subject,
    transactionHash: hashIn(row.transaction_hash),
    approvalId: row.approval_id,
    count: row.count,
    purposeHash: hashIn(row.purpose_hash),
    requestId: row.request_id,
  };
}

/** The volumes in which an entry waits for its link. */
export async function volumesToLink(db: Sql): Promise<number[]> {
  const rows = await db.query<{ volume: number }>(
    `SELECT h.volume FROM ledger_heads h
     WHERE EXISTS (SELECT 1 FROM audit_waiting w WHERE w.volume = h.volume) ORDER BY h.volume`,
    [],
    'volumes_to_link',
  );
  return rows.map(({ volume }) => volume);
}

/** Entries that wait in a volume, in their order. */
export async function readWaiting(tx: Sql, volume: number, limit: number): Promise<AuditFacts[]> {
  const rows = await tx.query<RawFacts>(
    `SELECT ${FACTS} FROM audit_waiting a WHERE a.volume = $1 ORDER BY a.entry_id LIMIT $2`,
    [volume, limit],
    'read_audit_waiting',
  );
  return rows.map(toFacts);
}

export async function readLastLink(tx: Sql, volume: number): Promise<AuditHead | null> {
  const [row] = await tx.query<{ number: bigint; hash: Uint8Array }>(
    'SELECT number, hash FROM audit WHERE volume = $1 ORDER BY number DESC LIMIT 1',
    [volume],
    'last_audit_link',
  );
  return row === undefined ? null : { number: Number(row.number), hash: hexOf(row.hash) };
}

/** Some links of a volume, by their numbers. */
export async function readLinks(db: Sql, volume: number, numbers: readonly number[]): Promise<AuditHead[]> {
  const rows = await db.query<{ number: bigint; hash: Uint8Array }>(
    'SELECT number, hash FROM audit WHERE volume = $1 AND number = ANY($2::bigint[])',
    [volume, numbers],
  );
  return rows.map(({ number, hash }) => ({ number: Number(number), hash: hexOf(hash) }));
}

/** The last link of every volume that has one. */
export async function readLastLinks(db: Sql): Promise<{ volume: number; number: number; hash: string }[]> {
  const rows = await db.query<{ volume: number; number: bigint; hash: Uint8Array }>(
    `SELECT h.volume, b.number, b.hash FROM ledger_heads h
     CROSS JOIN LATERAL (SELECT number, hash FROM audit WHERE audit.volume = h.volume ORDER BY number DESC LIMIT 1) b
     ORDER BY h.volume`,
  );
  return rows.map(({ volume, number, hash }) => ({ volume, number: Number(number), hash: hexOf(hash) }));
}

/** Moves waiting entries into the chain, each with its link. Within a transaction; what the entries say stays in the server. */
export async function saveLinks(tx: Sql, volume: number, links: readonly AuditLink[]): Promise<void> {
  const ids = links.map(({ entryId }) => entryId);
  await tx.query(
    `INSERT INTO audit (volume, number, hash, ${AUDIT_COLUMNS})
     SELECT $1::smallint, l.number, l.hash, ${AUDIT_COLUMNS}
     FROM unnest($2::text[], $3::bigint[], $4::bytea[]) AS l (id, number, hash)
     JOIN audit_waiting w ON w.volume = $1 AND w.entry_id = l.id`,
    [volume, ids, links.map(({ number }) => number), links.map(({ hash }) => bytes(hash))],
    'save_audit_links',
  );
  const moved = await tx.query(
    'DELETE FROM audit_waiting WHERE volume = $1 AND entry_id = ANY($2::text[]) RETURNING 1 AS one',
    [volume, ids],
    'audit_waits_no_more',
  );
  // The next turn links what is there then: a number without an entry would look like one that was removed.
  if (moved.length !== links.length) throw new Error(`Entries of volume ${volume} disappeared while they were linked.`);
}
