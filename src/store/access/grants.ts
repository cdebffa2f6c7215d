/** The SQL of grants: what one organization lets another do with its loans, and the answer of that one. */
import { changeRows } from '../audit/rows.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { type AtEpoch, type BesideEpoch, every, LIST_LIMIT, type ListPlace } from './access.ts';

export type GrantRow = Tables['grants'];

const GRANT = `SELECT g.grant_id, g.owner_organization_id, g.grantee_organization_id, g.access, g.servicer_id,
                      g.created_at, g.accepted_at, g.ended_at, g.revoked_at
                 FROM grants g`;

/** Neither revoked by its owner nor declined or ended by the grantee. It gives something once it is accepted. */
const ACTIVE_GRANT = 'g.revoked_at IS NULL AND g.ended_at IS NULL';

export type GrantTerms = Omit<GrantRow, 'ended_at' | 'revoked_at'>;

/** The grants that other organizations gave to this one and that it has accepted, active ones only. */
export async function readGrantsReceived(sql: Sql, organizationId: string): Promise<AtEpoch<GrantTerms[]>> {
  const rows = await sql.query<BesideEpoch<GrantTerms>>(
    `SELECT e.epoch, g.grant_id, g.owner_organization_id, g.grantee_organization_id, g.access, g.servicer_id,
            g.created_at, g.accepted_at
       FROM access_epoch e
       LEFT JOIN grants g ON g.grantee_organization_id = $1 AND g.accepted_at IS NOT NULL AND ${ACTIVE_GRANT}
      ORDER BY g.created_at, g.grant_id LIMIT ${LIST_LIMIT}`,
    [organizationId],
  );
  return every(rows, (row) => row.grant_id !== null);
}

export async function insertGrant(tx: Sql, row: GrantTerms): Promise<void> {
  await changeRows(
    tx,
    'grants',
    `INSERT INTO grants (grant_id, owner_organization_id, grantee_organization_id, access, servicer_id, created_at, accepted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      row.grant_id,
      row.owner_organization_id,
      row.grantee_organization_id,
      row.access,
      row.servicer_id,
      row.created_at,
      row.accepted_at,
    ],
  );
}

export async function sameActiveGrant(
  sql: Sql,
  terms: Omit<GrantTerms, 'grant_id' | 'created_at' | 'accepted_at'>,
): Promise<GrantRow | null> {
  const [row] = await sql.query<GrantRow>(
    `${GRANT} WHERE g.owner_organization_id = $1 AND g.grantee_organization_id = $2 AND g.access = $3
                AND g.servicer_id IS NOT DISTINCT FROM $4 AND ${ACTIVE_GRANT}`,
    [terms.owner_organization_id, terms.grantee_organization_id, terms.access, terms.servicer_id],
  );
  return row ?? null;
}

export async function grantGiven(sql: Sql, ownerOrganizationId: string, grantId: string): Promise<GrantRow | null> {
  const [row] = await sql.query<GrantRow>(`${GRANT} WHERE g.owner_organization_id = $1 AND g.grant_id = $2`, [
    ownerOrganizationId,
    grantId,
  ]);
  return row ?? null;
}

export async function grantReceived(sql: Sql, organizationId: string, grantId: string): Promise<GrantRow | null> {
  const [row] = await sql.query<GrantRow>(`${GRANT} WHERE g.grantee_organization_id = $1 AND g.grant_id = $2`, [
    organizationId,
    grantId,
  ]);
  return row ?? null;
}

/** Those of an owner, of a grantee or of both; `accepted`: only those that are, or are not. */
export async function countActiveGrants(
  sql: Sql,
  of: { owner?: string; grantee?: string; accepted?: boolean },
): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM grants g
      WHERE ($1::text IS NULL OR g.owner_organization_id = $1) AND ($2::text IS NULL OR g.grantee_organization_id = $2)
        AND ($3::boolean IS NULL OR (g.accepted_at IS NOT NULL) = $3) AND ${ACTIVE_GRANT}`,
    [of.owner ?? null, of.grantee ?? null, of.accepted ?? null],
  );
  return row?.n ?? 0;
}

/** Accepted grants first, then pending ones, oldest first, then those that are over, the last to end first. */
export function listGrants(
  sql: Sql,
  organizationId: string,
  { direction, after, limit }: { direction: 'given' | 'received' | null; after: ListPlace | null; limit: number },
): Promise<(GrantRow & ListPlace)[]> {
  const over = 'coalesce(g.revoked_at, g.ended_at)';
  const rank = `(CASE WHEN ${over} IS NOT NULL THEN 2 WHEN g.accepted_at IS NULL THEN 1 ELSE 0 END)`;
  const place = `coalesce(-extract(epoch FROM ${over}), extract(epoch FROM g.created_at))`;
  return sql.query<GrantRow & ListPlace>(
    `SELECT ${rank} AS rank, ${place}::text AS place, g.grant_id AS id, g.grant_id, g.owner_organization_id, g.grantee_organization_id,
            g.access, g.servicer_id, g.created_at, g.accepted_at, g.ended_at, g.revoked_at
       FROM grants g
      WHERE ((g.owner_organization_id = $1 AND $6::text IS DISTINCT FROM 'received')
             OR (g.grantee_organization_id = $1 AND $6 IS DISTINCT FROM 'given'))
        AND ($2::int IS NULL OR (${rank}, ${place}, g.grant_id) > ($2, $3::numeric, $4::text))
      ORDER BY ${rank}, ${place}, g.grant_id
      LIMIT $5`,
    [organizationId, after?.rank ?? null, after?.place ?? null, after?.id ?? null, limit, direction],
  );
}

export async function revokeGrant(tx: Sql, grantId: string, at: Date): Promise<void> {
  await changeRows(tx, 'grants', 'UPDATE grants SET revoked_at = $2 WHERE grant_id = $1 AND revoked_at IS NULL', [
    grantId,
    at,
  ]);
}

/** The grantee has accepted, declined or ended it. */
export async function answerGrant(
  tx: Sql,
  { grant_id, accepted_at, ended_at }: Pick<GrantRow, 'grant_id' | 'accepted_at' | 'ended_at'>,
): Promise<void> {
  await changeRows(tx, 'grants', 'UPDATE grants SET accepted_at = $2, ended_at = $3 WHERE grant_id = $1', [
    grant_id,
    accepted_at,
    ended_at,
  ]);
}
