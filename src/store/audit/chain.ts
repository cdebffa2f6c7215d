/** The chain of the audit trail in the database: what waits to be linked, and the linked entries of each volume. */
import type { AuditFacts, AuditHead, AuditLink } from '../../ledger/audit-chain.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { PLAIN } from '../db/volumes.ts';
import { AUDIT_COLUMNS } from './audit.ts';

/** The columns of an entry as they are hashed. */
export const FACTS = `a.entry_id, a.at, a.organization_id, a.owner_id, a.client_id, a.user_id, a.key_id, a.account, a.kind, a.operation, a.outcome,
  a.loan_id, a.subject, a.transaction_hash, a.approval_id, a.count, sha256(a.purpose) AS purpose_hash, a.request_id,
  sha256(convert_to(a.content, 'UTF8')) AS content_hash`;

/**
 * The linked and the waiting entries of a volume, to select from: an entry that is moved meanwhile is in it once, because a statement sees one
 * moment. `number` and `hash` are null until it is linked.
 */
export const trailIn = (volume: string): string =>
  `(SELECT volume, number, hash, ${AUDIT_COLUMNS} FROM audit WHERE volume = ${volume}
    UNION ALL SELECT volume, NULL, NULL, ${AUDIT_COLUMNS} FROM audit_waiting WHERE volume = ${volume})`;

export type RawFacts = Omit<Tables['audit_waiting'], 'volume' | 'purpose' | 'content' | 'since'> & {
  purpose_hash: Buffer | null;
  content_hash: Buffer | null;
};

/** The ids of entries begin with their time. */
export const idAt = (at: Date): string => Math.max(0, at.getTime()).toString(16).padStart(12, '0');

const hashIn = (value: Uint8Array | null): string | null => (value === null ? null : hexOf(value));

export function toFacts(row: RawFacts): AuditFacts {
  // In the order of their names, which `canonical` writes them in.
  return {
    account: row.account,
    approvalId: row.approval_id,
    at: row.at.toISOString(),
    clientId: row.client_id,
    contentHash: hashIn(row.content_hash),
    count: row.count,
    entryId: row.entry_id,
    keyId: row.key_id,
    kind: row.kind,
    loanId: hashIn(row.loan_id),
    operation: row.operation,
    organizationId: row.organization_id,
    outcome: row.outcome,
    ownerId: row.owner_id,
    purposeHash: hashIn(row.purpose_hash),
    requestId: row.request_id,
    subject: row.subject,
    transactionHash: hashIn(row.transaction_hash),
    userId: row.user_id,
  };
}

/** The volumes in which an entry waits for its link. */
export async function volumesToLink(db: Sql): Promise<number[]> {
  const rows = await db.query<{ volume: number }>(
    `SELECT h.volume FROM ledger_heads h
     WHERE EXISTS (SELECT 1 FROM audit_waiting w WHERE w.volume = h.volume) ORDER BY h.volume`,
  );
  return rows.map(({ volume }) => volume);
}

/**
 * The volumes are asked for together on a plain server, where each statement and each commit costs more than the rows of a volume; on a sharded
 * one the list has a single volume, which the statement names as a constant. None of the statements is kept prepared: they run once a second,
 * and a plan that was made for few entries would read the whole table for each volume when there are many.
 */
const together = (statement: (volumes: string, volume: string) => string) => ({
  plain: `${PLAIN} ${statement('unnest($1::smallint[]) AS asked (volume)', 'asked.volume')}`,
  sharded: statement('(SELECT 1) AS asked', '$1'),
});

const WAITING = together(
  (volumes, volume) =>
    `SELECT a.volume, ${FACTS} FROM ${volumes} CROSS JOIN LATERAL (
       SELECT * FROM audit_waiting w WHERE w.volume = ${volume} ORDER BY w.entry_id LIMIT $2) a
     ORDER BY a.volume, a.entry_id`,
);
const LAST = together(
  (volumes, volume) =>
    `SELECT a.volume, a.number, a.hash FROM ${volumes} CROSS JOIN LATERAL (
       SELECT volume, number, hash FROM audit l WHERE l.volume = ${volume} ORDER BY l.number DESC LIMIT 1) a`,
);

/** The one volume of a statement for a sharded server. */
function given(volumes: readonly number[]): number {
  if (volumes.length !== 1) throw new Error('A statement of several volumes.');
  return volumes[0] as number;
}

/** Entries that wait, by volume, in their order: at most `limit` of each. */
export async function readWaitingEntries(
  tx: Sql,
  volumes: readonly number[],
  limit: number,
): Promise<Map<number, AuditFacts[]>> {
  type Row = RawFacts & { volume: number };
  const rows = await (tx.volumes.sharded
    ? tx.query<Row>(WAITING.sharded, [given(volumes), limit])
    : tx.query<Row>(WAITING.plain, [volumes, limit]));
  const found = Map.groupBy(rows, ({ volume }) => volume);
  return new Map([...found].map(([volume, some]) => [volume, some.map(toFacts)]));
}

/** The last links, by volume; those that have none are left out. */
export async function readLastLinksOf(tx: Sql, volumes: readonly number[]): Promise<Map<number, AuditHead>> {
  type Row = { volume: number; number: bigint; hash: Uint8Array };
  const rows = await (tx.volumes.sharded
    ? tx.query<Row>(LAST.sharded, [given(volumes)])
    : tx.query<Row>(LAST.plain, [volumes]));
  return new Map(rows.map(({ volume, number, hash }) => [volume, { number: Number(number), hash: hexOf(hash) }]));
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

/** On a plain server, the entries of several volumes at once; how many there were. */
const MOVE = `${PLAIN} WITH moved AS (
  DELETE FROM audit_waiting w USING unnest($1::smallint[], $2::text[], $3::bigint[], $4::bytea[]) AS l (volume, id, number, hash)
  WHERE w.volume = l.volume AND w.entry_id = l.id RETURNING w.*, l.number, l.hash
), linked AS (
  INSERT INTO audit (volume, number, hash, ${AUDIT_COLUMNS}) SELECT volume, number, hash, ${AUDIT_COLUMNS} FROM moved RETURNING 1
) SELECT count(*)::int AS count FROM linked`;
const MOVE_IN_ONE = `INSERT INTO audit (volume, number, hash, ${AUDIT_COLUMNS})
  SELECT $1::smallint, l.number, l.hash, ${AUDIT_COLUMNS}
  FROM unnest($2::text[], $3::bigint[], $4::bytea[]) AS l (id, number, hash)
  JOIN audit_waiting w ON w.volume = $1 AND w.entry_id = l.id`;
const MOVED_IN_ONE = 'DELETE FROM audit_waiting WHERE volume = $1 AND entry_id = ANY($2::text[]) RETURNING 1 AS one';

/** Moves waiting entries into their chains, each with its link. Within a transaction; what the entries say stays in the server. */
export async function saveLinks(tx: Sql, links: readonly (AuditLink & { readonly volume: number })[]): Promise<void> {
  const volumes = links.map(({ volume }) => volume);
  const ids = links.map(({ entryId }) => entryId);
  const more = [ids, links.map(({ number }) => number), links.map(({ hash }) => bytes(hash))];
  // The statistics often say that nothing waits. A nested loop, which suits that, would go through all links for each entry.
  await tx.query('SET LOCAL enable_nestloop = off');
  let moved: number | undefined;
  if (tx.volumes.sharded) {
    const volume = given([...new Set(volumes)]);
    await tx.query(MOVE_IN_ONE, [volume, ...more]);
    moved = (await tx.query(MOVED_IN_ONE, [volume, ids])).length;
  } else {
    moved = (await tx.query<{ count: number }>(MOVE, [volumes, ...more]))[0]?.count;
  }
  // The next turn links what is there then: a number without an entry would look like one that was removed.
  if (moved !== links.length) throw new Error('Entries of the audit trail disappeared while they were linked.');
}
