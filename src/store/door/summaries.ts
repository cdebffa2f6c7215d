/** The columns that lists and searches show of a loan, and the search by digests of personal values. */
import { LISTED, type ListedColumn } from '../../portfolio/loan-columns.ts';
import type { StoredColumns } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { CUSTOM_DATA } from '../people/custom-data.ts';

export type SummaryRow = StoredColumns<ListedColumn> &
  Pick<Tables['loans'], 'loan_id' | 'organization_id' | 'lender_id' | 'created_at' | 'version'> &
  Pick<Tables['applications'], 'application_id' | 'borrower_id' | 'loan_type'> & {
    primary_servicer_id: string;
    secondary_servicer_id: string;
  };

export const SUMMARY = `l.loan_id, l.organization_id, a.application_id, a.borrower_id, l.lender_id, coalesce(l.primary_servicer_id, '') AS primary_servicer_id,
  coalesce(l.secondary_servicer_id, '') AS secondary_servicer_id, a.loan_type, l.created_at, l.version, ${LISTED.map((name) => `l.${name}`).join(', ')}`;

/** `criterion`: a loan needs one digest of each. */
export type AskedDigest = {
  readonly organizationId: string;
  readonly kind: string;
  readonly digest: Uint8Array;
  readonly criterion: number;
};

/**
 * Loans of some owners that carry digests of all criteria. The digests of a loan are those of the organization that created it, but for its
 * custom data: those are of the owner that keeps it, and count only while that one owns the loan.
 */
export async function findByDigests(
  db: Sql,
  asked: readonly AskedDigest[],
  { owners, limit }: { owners: readonly string[]; limit: number },
): Promise<SummaryRow[]> {
  return db.query<SummaryRow>(
    `SELECT ${SUMMARY}
     FROM (
       SELECT b.volume, b.loan_id FROM blind_index b
       JOIN unnest($1::text[], $2::text[], $3::bytea[], $7::int[]) AS asked (organization_id, kind, digest, criterion)
         USING (organization_id, kind, digest)
       JOIN loans o ON o.volume = b.volume AND o.loan_id = b.loan_id
       WHERE b.kind <> '${CUSTOM_DATA}' OR b.organization_id = o.organization_id
       GROUP BY b.volume, b.loan_id HAVING count(DISTINCT asked.criterion) = $4
     ) found JOIN loans l USING (volume, loan_id) JOIN applications a USING (volume, loan_id)
     WHERE l.organization_id = ANY($6::text[])
     ORDER BY l.created_at DESC, l.loan_id DESC LIMIT $5`,
    [
      asked.map(({ organizationId }) => organizationId),
      asked.map(({ kind }) => kind),
      asked.map(({ digest }) => digest),
      new Set(asked.map(({ criterion }) => criterion)).size,
      limit,
      owners,
      asked.map(({ criterion }) => criterion),
    ],
  );
}

/** Organizations that created loans which these owners have now by a transfer. */
export async function readOrigins(db: Sql, owners: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ origin: string }>(
    'SELECT DISTINCT first_organization_id AS origin FROM former_owners WHERE next_organization_id = ANY($1::text[])',
    [owners],
  );
  return rows.map(({ origin }) => origin);
}
