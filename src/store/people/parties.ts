/** The SQL of changes of a party. A row is written with its event, and deleted only when the borrower is erased. */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

export type PartyChangeRow = {
  commitment: string;
  sealed: Uint8Array;
  /** The digests by which the loan can also be found from then on. */
  blindIndex: readonly { kind: string; digest: Uint8Array }[];
};

/**
 * Within the transaction of its event. Nothing is stored for a borrower who was erased after the change was sealed: an erasure locks the
 * head of the volume, as this transaction does, so its result is seen here.
 */
export async function savePartyChange(
  tx: Sql,
  { loanId, organizationId }: { loanId: string; organizationId: string },
  { commitment, sealed, blindIndex }: PartyChangeRow,
): Promise<void> {
  const loan = [volumeOf(tx, loanId), bytes(loanId)];
  const there = await tx.query('SELECT 1 FROM people WHERE volume = $1 AND loan_id = $2', loan);
  if (there.length === 0) return;
  await tx.query('INSERT INTO party_changes (volume, loan_id, commitment, sealed) VALUES ($1, $2, $3, $4)', [
    ...loan,
    bytes(commitment),
    sealed,
  ]);
  if (blindIndex.length === 0) return;
  await tx.query(
    `INSERT INTO blind_index (volume, loan_id, organization_id, kind, digest)
     SELECT $1::smallint, $2::bytea, $3::text, b.kind, b.digest FROM unnest($4::text[], $5::bytea[]) AS b (kind, digest)
     ON CONFLICT DO NOTHING`,
    [...loan, organizationId, blindIndex.map(({ kind }) => kind), blindIndex.map(({ digest }) => digest)],
  );
}

/** The sealed changes of a loan's parties, by commitment. A history has at most 2,000 events, and so many rows. */
export async function readPartyChanges(db: Sql, loanId: string): Promise<Map<string, Uint8Array>> {
  const rows = await db.query<{ commitment: Uint8Array; sealed: Uint8Array }>(
    'SELECT commitment, sealed FROM party_changes WHERE volume = $1 AND loan_id = $2',
    [volumeOf(db, loanId), bytes(loanId)],
    'read_party_changes',
  );
  return new Map(rows.map(({ commitment, sealed }) => [hexOf(commitment), sealed]));
}
