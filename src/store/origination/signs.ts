/** Loans that have a personal value in common, by the digests of the blind index; nothing here sees a value. */
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume } from '../db/volumes.ts';

/** A value of one loan: its digests in the indexes of every organization that may have created the others. */
export type AskedValue = {
  readonly kind: string;
  readonly organizationIds: readonly string[];
  readonly digests: readonly Uint8Array[];
};

export type SharingScope = {
  /** The owner of the loans. */
  readonly owner: string;
  /** The loan that is not looked for. */
  readonly not: string;
  /** Loans that were created before it count only in one of these statuses. */
  readonly since: Date;
  readonly open: readonly string[];
  readonly limit: number;
};

export type SharingLoan = {
  readonly loanId: string;
  readonly createdAt: number;
  /** As it was created; `elsewhere`: it was boarded. */
  readonly assessed: string | null;
};

/** The newest. The loans of an erased borrower are in no index. */
export async function findSharing(db: Sql, value: AskedValue, scope: SharingScope): Promise<SharingLoan[]> {
  const rows = await db.query<{ loan_id: Uint8Array; created_at: Date; assessed: string | null }>(
    `SELECT l.loan_id, l.created_at, a.file::json ->> 'assessed' AS assessed
     FROM blind_index b
     JOIN loans l ON l.volume = b.volume AND l.loan_id = b.loan_id
     JOIN applications a ON a.volume = b.volume AND a.loan_id = b.loan_id
     WHERE b.organization_id = ANY($1::text[]) AND b.kind = $2 AND b.digest = ANY($3::bytea[])
       AND l.organization_id = $4 AND l.loan_id <> $5 AND (l.created_at >= $6 OR l.status = ANY($7::text[]))
     ORDER BY l.created_at DESC, l.loan_id DESC LIMIT $8`,
    [
      value.organizationIds,
      value.kind,
      value.digests,
      scope.owner,
      bytes(scope.not),
      scope.since,
      scope.open,
      scope.limit,
    ],
    'find_sharing',
  );
  return rows.map(({ loan_id, created_at, assessed }) => ({
    ...{ loanId: hexOf(loan_id), createdAt: created_at.getTime() },
    assessed,
  }));
}

export type Belongs = {
  readonly loanId: string;
  readonly organizationId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
};

const BELONGING = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.organization_id, coalesce(l.primary_servicer_id, '') AS first, coalesce(l.secondary_servicer_id, '') AS second
     FROM ${from}
     JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id
     WHERE NOT l.erased`,
);

/** The owners and servicers of loans; none for an erased borrower's. */
export async function readBelonging(db: Sql, loanIds: readonly string[]): Promise<Belongs[]> {
  if (loanIds.length === 0) return [];
  const rows = await queryByVolume<{ loan_id: Uint8Array; organization_id: string; first: string; second: string }>(
    db,
    BELONGING,
    loanIds,
    [],
    'read_belonging',
  );
  return rows.map(({ loan_id, organization_id, first, second }) => ({
    loanId: hexOf(loan_id),
    organizationId: organization_id,
    primaryServicerId: first,
    secondaryServicerId: second,
  }));
}
