/** The SQL of sandboxes: organizations with a test clock, each created by another organization or, for the demo, by the service. */
import type { PlainDate } from '../../core/calendar.ts';
import { changeRows } from '../audit/rows.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type SandboxRow = {
  organization_id: string;
  name: string;
  made_at: Date;
  ended_at: Date | null;
  stands_on: PlainDate;
};

export async function insertSandbox(
  tx: Sql,
  row: { organizationId: string; madeBy: string | null; madeAt: Date; filling: boolean },
): Promise<void> {
  await changeRows(
    tx,
    'sandboxes',
    'INSERT INTO sandboxes (organization_id, made_by, made_at, filling) VALUES ($1, $2, $3, $4)',
    [row.organizationId, row.madeBy, row.madeAt, row.filling],
  );
}

export async function isSandbox(sql: Sql, organizationId: string): Promise<boolean> {
  return (await sql.query('SELECT 1 FROM sandboxes WHERE organization_id = $1', [organizationId])).length > 0;
}

/** Those of the organizations that are sandboxes, with their creators; null: the service itself. */
export function sandboxOwners(
  sql: Sql,
  organizationIds: readonly string[],
): Promise<{ organizationId: string; madeBy: string | null }[]> {
  return sql.query(
    'SELECT organization_id AS "organizationId", made_by AS "madeBy" FROM sandboxes WHERE organization_id = ANY($1)',
    [organizationIds],
  );
}

/** The operator's limit that an organization's requests count against: for a sandbox, that of its creator. `lasting` null: the default. */
export async function ceilingOf(
  sql: Sql,
  organizationId: string,
): Promise<{ lasting: number | null; raisedTo: number | null; raisedUntil: Date | null }> {
  const [row] = await sql.query<Pick<Tables['organizations'], 'rate_limit_per_minute' | 'raised_to' | 'raised_until'>>(
    `SELECT p.rate_limit_per_minute, p.raised_to, p.raised_until FROM organizations o LEFT JOIN sandboxes b USING (organization_id)
       JOIN organizations p ON p.organization_id = coalesce(b.made_by, o.organization_id) WHERE o.organization_id = $1`,
    [organizationId],
  );
  const { rate_limit_per_minute = null, raised_to = null, raised_until = null } = row ?? {};
  return { lasting: rate_limit_per_minute, raisedTo: raised_to, raisedUntil: raised_until };
}

/** Those that have not ended. */
export async function countSandboxes(sql: Sql, madeBy: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM sandboxes WHERE made_by = $1 AND ended_at IS NULL',
    [madeBy],
  );
  return row?.n ?? 0;
}

const SANDBOX = `SELECT b.organization_id, o.name, b.made_at, b.ended_at, t.stands_on
  FROM sandboxes b JOIN organizations o USING (organization_id) JOIN test_clocks t USING (organization_id)`;

/** The newest first; from after one of them on. */
export function listSandboxes(
  sql: Sql,
  madeBy: string,
  { after, limit }: { after: { madeAt: Date; organizationId: string } | null; limit: number },
): Promise<SandboxRow[]> {
  return sql.query<SandboxRow>(
    `${SANDBOX} WHERE b.made_by = $1 AND ($2::timestamptz IS NULL OR (b.made_at, b.organization_id) < ($2, $3))
      ORDER BY b.made_at DESC, b.organization_id DESC LIMIT $4`,
    [madeBy, after?.madeAt ?? null, after?.organizationId ?? '', limit],
  );
}

export async function sandboxOf(sql: Sql, madeBy: string, organizationId: string): Promise<SandboxRow | null> {
  const [row] = await sql.query<SandboxRow>(`${SANDBOX} WHERE b.made_by = $1 AND b.organization_id = $2`, [
    madeBy,
    organizationId,
  ]);
  return row ?? null;
}

/** Its clients and keys, what it granted and what was granted to it, and any advance of its clock. */
export async function endSandbox(tx: Sql, organizationId: string, at: Date): Promise<void> {
  const both = [organizationId, at];
  await changeRows(
    tx,
    'sandboxes',
    'UPDATE sandboxes SET ended_at = $2 WHERE organization_id = $1 AND ended_at IS NULL',
    both,
  );
  await changeRows(
    tx,
    'api_keys',
    `UPDATE api_keys SET revoked_at = $2 FROM clients c
      WHERE c.client_id = api_keys.client_id AND c.organization_id = $1 AND api_keys.revoked_at IS NULL`,
    both,
  );
  await changeRows(
    tx,
    'clients',
    `UPDATE clients SET status = 'revoked', revoked_at = $2 WHERE organization_id = $1 AND status = 'active'`,
    both,
  );
  await changeRows(
    tx,
    'grants',
    'UPDATE grants SET revoked_at = $2 WHERE $1 IN (owner_organization_id, grantee_organization_id) AND revoked_at IS NULL',
    both,
  );
  await tx.query(
    'UPDATE test_clocks SET advancing_to = NULL, held_by = NULL, held_until = NULL, problem = NULL WHERE organization_id = $1',
    [organizationId],
  );
}

/** The demo: the sandbox with this name that the service itself created. Null: there is none. */
export async function readDemo(
  sql: Sql,
  name: string,
): Promise<{ organizationId: string; timeZone: string; today: PlainDate; filling: boolean } | null> {
  const [row] = await sql.query<{ organization_id: string; time_zone: string; stands_on: PlainDate; filling: boolean }>(
    `SELECT o.organization_id, o.time_zone, t.stands_on, b.filling
       FROM sandboxes b JOIN organizations o USING (organization_id) JOIN test_clocks t USING (organization_id)
      WHERE o.name = $1 AND b.made_by IS NULL ORDER BY b.made_at LIMIT 1`,
    [name],
  );
  if (row === undefined) return null;
  const { organization_id: organizationId, time_zone: timeZone, stands_on: today, filling } = row;
  return { organizationId, timeZone, today, filling };
}

/**
 * Its past is recorded and its interest posted: from now on its clock may be moved. Its cycles begin on its current day: those of
 * the years before would add nothing that the first one does not record as well. Until it has run, the books count it as computed. No cycle
 * writes the positions of the month ends before, so they are asked for, as known on the day before the first.
 */
export async function endFilling(
  tx: Sql,
  organizationId: string,
  { monthEnds, loans }: { readonly monthEnds: readonly PlainDate[]; readonly loans: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO cycle_heads (organization_id, first, through)
     SELECT organization_id, stands_on, stands_on - 1 FROM test_clocks WHERE organization_id = $1 ON CONFLICT DO NOTHING`,
    [organizationId],
  );
  await tx.query(
    `INSERT INTO position_dates (organization_id, date, known_on, asked_at, total, held_until)
     SELECT organization_id, day, through, now(), $3, now() FROM cycle_heads, unnest($2::date[]) AS day
     WHERE organization_id = $1 AND day < first ON CONFLICT DO NOTHING`,
    [organizationId, monthEnds, loans],
  );
  await changeRows(tx, 'sandboxes', 'UPDATE sandboxes SET filling = false WHERE organization_id = $1', [
    organizationId,
  ]);
}
