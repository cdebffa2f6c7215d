/** The SQL of custom data. Its members are sealed beside their events, as reasons are; the digests by which they are found are rows of their own. */
import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

/** The kind of its digests in `blind_index`: their organization is the owner that keeps the data, who need not have created the loan. */
export const CUSTOM_DATA = 'customData';

/**
 * Within the transaction of its event: the loan is found by what its owner keeps with it now, and by nothing that was there before. Nothing is
 * stored for a borrower who was erased since the members were read, which is seen here as it is by a change of a party.
 */
export async function saveCustomIndex(
  tx: Sql,
  { loanId, organizationId }: { loanId: string; organizationId: string },
  digests: readonly Uint8Array[],
): Promise<void> {
  const loan = [volumeOf(tx, loanId), bytes(loanId)];
  await tx.query('DELETE FROM blind_index WHERE volume = $1 AND loan_id = $2 AND organization_id = $3 AND kind = $4', [
    ...loan,
    organizationId,
    CUSTOM_DATA,
  ]);
  const there =
    digests.length === 0 ? [] : await tx.query('SELECT 1 FROM people WHERE volume = $1 AND loan_id = $2', loan);
  if (there.length === 0) return;
  await tx.query(
    `INSERT INTO blind_index (volume, loan_id, organization_id, kind, digest)
     SELECT $1::smallint, $2::bytea, $3::text, $4::text, b.digest FROM unnest($5::bytea[]) AS b (digest)
     ON CONFLICT DO NOTHING`,
    [...loan, organizationId, CUSTOM_DATA, digests],
  );
}

/** The sealed texts beside the updates of a loan's custom data, of all its owners, in the order of the events. */
export async function readCustomNotes(db: Sql, loanId: string): Promise<{ body: string; note: Uint8Array }[]> {
  return db.query<{ body: string; note: Uint8Array }>(
    `SELECT body, note FROM events
     WHERE volume = $1 AND loan_id = $2 AND type = 'customDataUpdated' AND note IS NOT NULL ORDER BY sequence`,
    [volumeOf(db, loanId), bytes(loanId)],
    'read_custom_notes',
  );
}
