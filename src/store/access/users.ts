/** The SQL of people, their own roles and invitations. Changes go through `changeAccess`. */
import { changeRows } from '../audit/rows.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type UserRow = Pick<
  Tables['users'],
  | 'user_id'
  | 'organization_id'
  | 'email_digest'
  | 'sealed'
  | 'roles'
  | 'status'
  | 'created_at'
  | 'disabled_at'
  | 'accepted_at'
> & { organization_name: string };

export type RoleRow = Pick<Tables['roles'], 'name' | 'scopes' | 'limits'>;

/** People of a sandbox that has ended are no longer there. */
const USER = `SELECT u.user_id, u.organization_id, o.name AS organization_name, u.email_digest, u.sealed, u.roles, u.status, u.created_at,
    u.disabled_at, u.accepted_at
   FROM users u JOIN organizations o ON o.organization_id = u.organization_id
  WHERE NOT EXISTS (SELECT 1 FROM sandboxes b WHERE b.organization_id = o.organization_id AND b.ended_at IS NOT NULL)`;

// ---- people ----

export async function insertUser(
  tx: Sql,
  row: Pick<UserRow, 'user_id' | 'organization_id' | 'email_digest' | 'sealed' | 'roles' | 'created_at'>,
): Promise<void> {
  await changeRows(
    tx,
    'users',
    `INSERT INTO users (user_id, organization_id, email_digest, sealed, roles, status, created_at)
     VALUES ($1, $2, $3, $4, $5, 'invited', $6)`,
    [row.user_id, row.organization_id, row.email_digest, row.sealed, row.roles, row.created_at],
  );
}

export async function userById(sql: Sql, userId: string): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`${USER} AND u.user_id = $1`, [userId]);
  return row ?? null;
}

export async function userOf(sql: Sql, organizationId: string, userId: string): Promise<UserRow | null> {
  const row = await userById(sql, userId);
  return row?.organization_id === organizationId ? row : null;
}

export async function userByEmail(sql: Sql, digest: Uint8Array, organizationId: string): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`${USER} AND u.email_digest = $1 AND u.organization_id = $2`, [
    digest,
    organizationId,
  ]);
  return row ?? null;
}

/** Null: there is none, or several. Sandboxes do not count. */
export async function onlyLiveOrganization(sql: Sql): Promise<string | null> {
  const [only, another] = await sql.query<{ organization_id: string }>(
    `SELECT organization_id FROM organizations WHERE clock_kind = 'live' ORDER BY organization_id LIMIT 2`,
  );
  return another === undefined ? (only?.organization_id ?? null) : null;
}

/** Those of them who are of the organization, in the order of their ids. */
export function usersByIds(sql: Sql, organizationId: string, userIds: readonly string[]): Promise<UserRow[]> {
  return sql.query<UserRow>(`${USER} AND u.organization_id = $1 AND u.user_id = ANY ($2::text[]) ORDER BY u.user_id`, [
    organizationId,
    userIds,
  ]);
}

/** From the oldest to the newest. */
export function listUsers(
  sql: Sql,
  organizationId: string,
  page: { after: { createdAt: Date; userId: string } | null; limit: number },
): Promise<UserRow[]> {
  return sql.query<UserRow>(
    `${USER} AND u.organization_id = $1 AND ($2::timestamptz IS NULL OR (u.created_at, u.user_id) > ($2, $3))
      ORDER BY u.created_at, u.user_id LIMIT $4`,
    [organizationId, page.after?.createdAt ?? null, page.after?.userId ?? null, page.limit],
  );
}

export async function countUsers(sql: Sql, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM users WHERE organization_id = $1 AND status <> 'disabled'`,
    [organizationId],
  );
  return row?.n ?? 0;
}

export type PersonRoles = Pick<Tables['users'], 'user_id' | 'roles' | 'status'>;

/** The roles of everybody who is not disabled, for finding out who administers. */
export async function rolesOfPeople(sql: Sql, organizationId: string): Promise<PersonRoles[]> {
  return sql.query<PersonRoles>(
    `SELECT user_id, roles, status FROM users WHERE organization_id = $1 AND status <> 'disabled' ORDER BY user_id LIMIT 100000`,
    [organizationId],
  );
}

export async function hasActivePeople(sql: Sql, organizationId: string): Promise<boolean> {
  const rows = await sql.query(`SELECT 1 FROM users WHERE organization_id = $1 AND status = 'active' LIMIT 1`, [
    organizationId,
  ]);
  return rows.length > 0;
}

export async function updateUser(tx: Sql, userId: string, to: { sealed: Uint8Array; roles: string[] }): Promise<void> {
  await changeRows(tx, 'users', 'UPDATE users SET sealed = $2, roles = $3 WHERE user_id = $1', [
    userId,
    to.sealed,
    to.roles,
  ]);
}

/** Their sessions end with it, and their invitations. */
export async function disableUser(tx: Sql, userId: string, at: Date): Promise<void> {
  await changeRows(
    tx,
    'users',
    `UPDATE users SET status = 'disabled', disabled_at = $2, session_generation = session_generation + 1 WHERE user_id = $1`,
    [userId, at],
  );
  await endInvitations(tx, userId, at);
}

export async function invitedAgain(tx: Sql, userId: string): Promise<void> {
  await changeRows(
    tx,
    'users',
    `UPDATE users SET status = 'invited', disabled_at = NULL WHERE user_id = $1 AND status = 'disabled'`,
    [userId],
  );
}

/** All sessions of before end; every former means of signing in is gone. */
export async function activateUser(
  tx: Sql,
  userId: string,
  to: { emailDigest: Uint8Array; sealed: Uint8Array; at: Date },
): Promise<void> {
  await changeRows(
    tx,
    'users',
    `UPDATE users SET status = 'active', email_digest = $2, sealed = $3, session_generation = session_generation + 1,
        accepted_at = coalesce(accepted_at, $4)
      WHERE user_id = $1`,
    [userId, to.emailDigest, to.sealed, to.at],
  );
  await changeRows(tx, 'passwords', 'DELETE FROM passwords WHERE user_id = $1', [userId]);
  await changeRows(tx, 'passkeys', 'DELETE FROM passkeys WHERE user_id = $1', [userId]);
  await changeRows(tx, 'provider_subjects', 'DELETE FROM provider_subjects WHERE user_id = $1', [userId]);
  await tx.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
}

export async function raiseGeneration(tx: Sql, userId: string): Promise<void> {
  await changeRows(tx, 'users', 'UPDATE users SET session_generation = session_generation + 1 WHERE user_id = $1', [
    userId,
  ]);
}

// ---- the client that stands for the sessions of an organization ----

/** Made with the first person. It has no secret and no scope, so no token is ever issued for it. */
export async function ensureConsole(
  tx: Sql,
  row: { client_id: string; organization_id: string; created_at: Date },
): Promise<void> {
  await changeRows(
    tx,
    'clients',
    `INSERT INTO clients (client_id, organization_id, name, kind, scopes, created_at)
     VALUES ($1, $2, 'Console', 'console', '{}', $3) ON CONFLICT (organization_id) WHERE kind = 'console' DO NOTHING`,
    [row.client_id, row.organization_id, row.created_at],
  );
}

export async function consoleOf(sql: Sql, organizationId: string): Promise<string | null> {
  const [row] = await sql.query<{ client_id: string }>(
    `SELECT client_id FROM clients WHERE organization_id = $1 AND kind = 'console'`,
    [organizationId],
  );
  return row?.client_id ?? null;
}

// ---- own roles ----

/** At most as many as an organization may have. */
export const ROLES_AT_MOST = 200;

export function listRoles(sql: Sql, organizationId: string): Promise<RoleRow[]> {
  return sql.query<RoleRow>(
    `SELECT name, scopes, limits FROM roles WHERE organization_id = $1 ORDER BY name LIMIT ${ROLES_AT_MOST}`,
    [organizationId],
  );
}

export async function putRole(
  tx: Sql,
  row: { organization_id: string; name: string; scopes: string[]; limits: string; changed_at: Date },
): Promise<void> {
  await changeRows(
    tx,
    'roles',
    `INSERT INTO roles (organization_id, name, scopes, limits, changed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organization_id, name) DO UPDATE SET scopes = $3, limits = $4, changed_at = $5`,
    [row.organization_id, row.name, row.scopes, row.limits, row.changed_at],
  );
}

export async function removeRole(tx: Sql, organizationId: string, name: string): Promise<void> {
  await changeRows(tx, 'roles', 'DELETE FROM roles WHERE organization_id = $1 AND name = $2', [organizationId, name]);
}

/** Counts everyone who has the role, disabled people too: they may be invited again. */
export async function countWithRole(sql: Sql, organizationId: string, name: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM users WHERE organization_id = $1 AND $2 = ANY(roles)',
    [organizationId, name],
  );
  return row?.n ?? 0;
}

// ---- invitations ----

/** Ends the older ones. */
export async function insertInvitation(
  tx: Sql,
  row: { token_hash: Uint8Array; user_id: string; created_at: Date; expires_at: Date },
): Promise<void> {
  await endInvitations(tx, row.user_id, row.created_at);
  await tx.query('INSERT INTO invitations (token_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)', [
    row.token_hash,
    row.user_id,
    row.created_at,
    row.expires_at,
  ]);
}

export async function endInvitations(tx: Sql, userId: string, at: Date): Promise<void> {
  await tx.query('UPDATE invitations SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL', [userId, at]);
}

/** The unused invitation of a person; null: there is none. */
export async function openInvitation(
  sql: Sql,
  userId: string,
  at: Date,
): Promise<{ created_at: Date; expires_at: Date } | null> {
  const [row] = await sql.query<Pick<Tables['invitations'], 'created_at' | 'expires_at'>>(
    'SELECT created_at, expires_at FROM invitations WHERE user_id = $1 AND used_at IS NULL AND expires_at > $2 LIMIT 1',
    [userId, at],
  );
  return row ?? null;
}

const INVITED = `SELECT user_id FROM invitations WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`;

/** The person whom an unused invitation is for. */
export async function invitedUser(sql: Sql, tokenHash: Uint8Array, at: Date): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`${USER} AND u.user_id IN (${INVITED}) AND u.status <> 'disabled'`, [
    tokenHash,
    at,
  ]);
  return row ?? null;
}

/** If two try at once, one gets it. */
export async function takeInvitation(tx: Sql, tokenHash: Uint8Array, at: Date): Promise<UserRow | null> {
  const [taken] = await tx.query<{ user_id: string }>(
    `UPDATE invitations SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING user_id`,
    [tokenHash, at],
  );
  const row = taken === undefined ? null : await userById(tx, taken.user_id);
  return row?.status === 'disabled' ? null : row;
}
