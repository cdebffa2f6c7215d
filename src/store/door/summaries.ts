/** The columns that lists and searches show of a loan, and the search by digests of personal values. */
import { LISTED, type ListedColumn } from '../../portfolio/loan-columns.ts';
import type { StoredColumns } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type SummaryRow = StoredColumns<ListedColumn> &
  Pick<Tables['loans'], 'loan_id' | 'organization_id' | 'lender_id' | 'created_at' | 'version'> &
  Pick<Tables['applications'], 'application_id' | 'borrower_id' | 'loan_type'> & {
    primary_servicer_id: string;
    secondary_servicer_id: string;
  };

export const SUMMARY = `l.loan_id, l.organization_id, a.application_id, a.borrower_id, l.lender_id, coalesce(l.primary_servicer_id, '') AS primary_servicer_id,
  coalesce(l.secondary_servicer_id, '') AS secondary_servicer_id, a.loan_type, l.created_at, l.version, ${LISTED.map((name) => `l.${name}`).join(', ')}`;

/** Loans of some owners that carry all of these digests; the digests of a loan are those of the organization that created it. */
export async function findByDigests(
  db: Sql,
  asked: readonly { organizationId: string; kind: string; digest: Uint8Array }[],
  { kinds, owners, limit }: { kinds: number; owners: readonly string[]; limit: number },
): Promise<SummaryRow[]> {
  return db.query<SummaryRow>(
    `SELECT ${SUMMARY}
     FROM (
       SELECT b.volume, b.loan_id FROM blind_index b
       JOIN unnest($1::text[], $2::text[], $3::bytea[]) AS asked (organization_id, kind, digest)
         USING (organization_id, kind, digest)
       GROUP BY b.volume, b.loan_id HAVING count(DISTINCT b.kind) = $4
     ) found JOIN loans l USING (volume, loan_id) JOIN applications a USING (volume, loan_id)
     WHERE l.organization_id = ANY($6::text[])
     ORDER BY l.created_at DESC, l.loan_id DESC LIMIT $5`,
    [
      asked.map(({ organizationId }) => organizationId),
      asked.map(({ kind }) => kind),
      asked.map(({ digest }) => digest),
      kinds,
      limit,
      owners,
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
