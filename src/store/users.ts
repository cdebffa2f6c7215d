/**
 * The SQL of people, their own roles, invitations and sessions. Reads that feed a cache return the epoch beside the rows, as in `access.ts`;
 * changes of people and roles, and ends of sessions, go through `changeAccess`.
 */
import type { AtEpoch } from './access.ts';
import type { Sql } from './db.ts';

export type UserRow = {
  user_id: string;
  organization_id: string;
  organization_name: string;
  email_digest: Buffer | null;
  sealed: Buffer;
  roles: string[];
  status: 'invited' | 'active' | 'disabled';
  created_at: Date;
  disabled_at: Date | null;
};

export type RoleRow = { name: string; scopes: string[]; limits: string };

/** People of a sandbox that has ended are no longer there. */
const USER = `SELECT u.user_id, u.organization_id, o.name AS organization_name, u.email_digest, u.sealed, u.roles, u.status, u.created_at, u.disabled_at
   FROM users u JOIN organizations o ON o.organization_id = u.organization_id
  WHERE NOT EXISTS (SELECT 1 FROM sandboxes b WHERE b.organization_id = o.organization_id AND b.ended_at IS NOT NULL)`;

/** Whoever has one address is in this many organizations at most, as far as signing in is concerned. */
const ORGANIZATIONS_OF_ONE = 100;

// ---- people ----

export async function insertUser(
  tx: Sql,
  row: Pick<UserRow, 'user_id' | 'organization_id' | 'email_digest' | 'sealed' | 'roles' | 'created_at'>,
): Promise<void> {
  await tx.query(
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

/** Of one organization, or of all. */
export function usersByEmail(sql: Sql, digest: Uint8Array, organizationId: string | null): Promise<UserRow[]> {
  return sql.query<UserRow>(
    `${USER} AND u.email_digest = $1 AND ($2::text IS NULL OR u.organization_id = $2)
      ORDER BY u.created_at, u.user_id LIMIT ${ORGANIZATIONS_OF_ONE}`,
    [digest, organizationId],
  );
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

/** The roles of each active person, for finding out who administers. */
export async function activeRoles(sql: Sql, organizationId: string): Promise<{ user_id: string; roles: string[] }[]> {
  return sql.query(
    `SELECT user_id, roles FROM users WHERE organization_id = $1 AND status = 'active' ORDER BY user_id LIMIT 100000`,
    [organizationId],
  );
}

export async function updateUser(tx: Sql, userId: string, to: { sealed: Uint8Array; roles: string[] }): Promise<void> {
  await tx.query('UPDATE users SET sealed = $2, roles = $3 WHERE user_id = $1', [userId, to.sealed, to.roles]);
}

/** Their sessions end with it, and their invitations. */
export async function disableUser(tx: Sql, userId: string, at: Date): Promise<void> {
  await tx.query(
    `UPDATE users SET status = 'disabled', disabled_at = $2, session_generation = session_generation + 1 WHERE user_id = $1`,
    [userId, at],
  );
  await endInvitations(tx, userId, at);
}

export async function invitedAgain(tx: Sql, userId: string): Promise<void> {
  await tx.query(`UPDATE users SET status = 'invited', disabled_at = NULL WHERE user_id = $1 AND status = 'disabled'`, [
    userId,
  ]);
}

/** All sessions of before end; every former means of signing in is gone. */
export async function activateUser(
  tx: Sql,
  userId: string,
  to: { emailDigest: Uint8Array; sealed: Uint8Array },
): Promise<void> {
  await tx.query(
    `UPDATE users SET status = 'active', email_digest = $2, sealed = $3, session_generation = session_generation + 1
      WHERE user_id = $1`,
    [userId, to.emailDigest, to.sealed],
  );
  for (const means of ['passwords', 'passkeys', 'recovery_codes', 'provider_subjects']) {
    await tx.query(`DELETE FROM ${means} WHERE user_id = $1`, [userId]);
  }
}

export async function raiseGeneration(tx: Sql, userId: string): Promise<void> {
  await tx.query('UPDATE users SET session_generation = session_generation + 1 WHERE user_id = $1', [userId]);
}

// ---- the client that stands for the sessions of an organization ----

/** Made with the first person. It has no secret and no scope, so no token is ever issued for it. */
export async function ensureConsole(
  tx: Sql,
  row: { client_id: string; organization_id: string; created_at: Date },
): Promise<void> {
  await tx.query(
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
  await tx.query(
    `INSERT INTO roles (organization_id, name, scopes, limits, changed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organization_id, name) DO UPDATE SET scopes = $3, limits = $4, changed_at = $5`,
    [row.organization_id, row.name, row.scopes, row.limits, row.changed_at],
  );
}

export async function removeRole(tx: Sql, organizationId: string, name: string): Promise<void> {
  await tx.query('DELETE FROM roles WHERE organization_id = $1 AND name = $2', [organizationId, name]);
}

/** Whoever has the role, disabled people too: they may be invited again. */
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

async function endInvitations(tx: Sql, userId: string, at: Date): Promise<void> {
  await tx.query('UPDATE invitations SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL', [userId, at]);
}

const INVITED = `SELECT user_id FROM invitations WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`;

/** Whom an unused invitation is for. */
export async function invitedUser(sql: Sql, tokenHash: Uint8Array, at: Date): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`${USER} AND u.user_id IN (${INVITED}) AND u.status <> 'disabled'`, [
    tokenHash,
    at,
  ]);
  return row ?? null;
}

/** Of two at once, one gets it. */
export async function takeInvitation(tx: Sql, tokenHash: Uint8Array, at: Date): Promise<UserRow | null> {
  const [taken] = await tx.query<{ user_id: string }>(
    `UPDATE invitations SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING user_id`,
    [tokenHash, at],
  );
  const row = taken === undefined ? null : await userById(tx, taken.user_id);
  return row?.status === 'disabled' ? null : row;
}

// ---- sessions ----

export type SessionRow = {
  session_id: string;
  user_id: string;
  method: string;
  /** False: the secret is the one before the last rotation. */
  is_current: boolean;
  /** The secret was replaced before it was used. */
  is_lost: boolean;
  /** The present secret was used. */
  confirmed: boolean;
  rotated_at: Date;
  created_at: Date;
  seen_at: Date;
  ends_at: Date;
  organization_id: string;
  organization_name: string;
  counted_for: string;
  organization_rate_limit_per_minute: number | null;
  client_id: string;
  client_name: string;
  roles: string[];
  /** The organization's own roles among these. */
  own_roles: RoleRow[];
};

/** The session of this secret, if it, its person and its organization are active. Idle and absolute ends are the reader's to check. */
export async function readSession(sql: Sql, secretHash: Uint8Array): Promise<AtEpoch<SessionRow | null>> {
  const [row] = await sql.query<{ epoch: bigint } & SessionRow>(
    `SELECT e.epoch, s.session_id, s.user_id, s.method, s.secret_hash = $1 AS is_current, s.lost_hash IS NOT DISTINCT FROM $1 AS is_lost,
            s.confirmed, s.rotated_at, s.created_at, s.seen_at, s.ends_at,
            u.organization_id, o.name AS organization_name, p.organization_id AS counted_for,
            p.rate_limit_per_minute AS organization_rate_limit_per_minute, c.client_id, c.name AS client_name, u.roles,
            (SELECT coalesce(json_agg(r), '[]') FROM (
               SELECT name, scopes, limits FROM roles
                WHERE organization_id = u.organization_id AND name = ANY(u.roles) ORDER BY name LIMIT ${ROLES_AT_MOST}) r) AS own_roles
       FROM access_epoch e
       LEFT JOIN (sessions s
         JOIN users u ON u.user_id = s.user_id AND u.status = 'active' AND u.session_generation = s.session_generation
         JOIN organizations o ON o.organization_id = u.organization_id
         JOIN clients c ON c.organization_id = u.organization_id AND c.kind = 'console'
         LEFT JOIN sandboxes b ON b.organization_id = o.organization_id
         JOIN organizations p ON p.organization_id = coalesce(b.made_by, o.organization_id))
       ON s.session_id IN (SELECT session_id FROM sessions WHERE secret_hash = $1
                           UNION ALL SELECT session_id FROM sessions WHERE previous_hash = $1
                           UNION ALL SELECT session_id FROM sessions WHERE lost_hash = $1)
          AND s.ended_at IS NULL AND b.ended_at IS NULL
      LIMIT 1`,
    [secretHash],
    'read_session',
  );
  if (row === undefined) throw new Error('The row of the table access_epoch is missing.');
  return { epoch: row.epoch, value: row.session_id === null ? null : row };
}

/** Under the person's current generation. Null: the person is not active. */
export async function insertSession(
  tx: Sql,
  row: {
    session_id: string;
    user_id: string;
    method: string;
    secret_hash: Uint8Array;
    created_at: Date;
    ends_at: Date;
  },
): Promise<{ organization_id: string; client_id: string } | null> {
  const [made] = await tx.query<{ organization_id: string; client_id: string }>(
    `WITH person AS (
       SELECT u.user_id, u.session_generation, u.organization_id, c.client_id
         FROM users u JOIN clients c ON c.organization_id = u.organization_id AND c.kind = 'console'
        WHERE u.user_id = $2 AND u.status = 'active'
     ), made AS (
       INSERT INTO sessions (session_id, user_id, session_generation, method, secret_hash, rotated_at, created_at, seen_at, ends_at)
       SELECT $1, user_id, session_generation, $3, $4, $5, $5, $5, $6 FROM person RETURNING 1
     )
     SELECT organization_id, client_id FROM person, made`,
    [row.session_id, row.user_id, row.method, row.secret_hash, row.created_at, row.ends_at],
  );
  return made ?? null;
}

/** A new secret in place of `from`. False: another request was first, or the session has ended. */
export async function rotateSession(
  sql: Sql,
  sessionId: string,
  { from, to, at }: { from: Uint8Array; to: Uint8Array; at: Date },
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE sessions SET previous_hash = secret_hash, secret_hash = $3, confirmed = false, rotated_at = $4, seen_at = greatest(seen_at, $4)
      WHERE session_id = $1 AND secret_hash = $2 AND ended_at IS NULL RETURNING 1`,
    [sessionId, from, to, at],
  );
  return rows.length > 0;
}

/** Replaces a secret that was never used, for the holder of the one before: the answer that brought it was lost. */
export async function replaceLostSecret(
  sql: Sql,
  sessionId: string,
  { from, to, at }: { from: Uint8Array; to: Uint8Array; at: Date },
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE sessions SET lost_hash = secret_hash, secret_hash = $3, rotated_at = $4, seen_at = greatest(seen_at, $4)
      WHERE session_id = $1 AND previous_hash = $2 AND NOT confirmed AND ended_at IS NULL RETURNING 1`,
    [sessionId, from, to, at],
  );
  return rows.length > 0;
}

export async function confirmSecret(sql: Sql, sessionId: string, secretHash: Uint8Array): Promise<void> {
  await sql.query('UPDATE sessions SET confirmed = true WHERE session_id = $1 AND secret_hash = $2 AND NOT confirmed', [
    sessionId,
    secretHash,
  ]);
}

export async function touchSession(sql: Sql, sessionId: string, at: Date): Promise<void> {
  await sql.query('UPDATE sessions SET seen_at = $2 WHERE session_id = $1 AND seen_at < $2 AND ended_at IS NULL', [
    sessionId,
    at,
  ]);
}

/** Whose session it was; null: it had ended before. */
export async function endSession(
  tx: Sql,
  sessionId: string,
  why: string,
  at: Date,
): Promise<{ user_id: string; organization_id: string } | null> {
  const [ended] = await tx.query<{ user_id: string; organization_id: string }>(
    `UPDATE sessions s SET ended_at = $3, ended_why = $2 FROM users u
      WHERE s.session_id = $1 AND s.ended_at IS NULL AND u.user_id = s.user_id RETURNING s.user_id, u.organization_id`,
    [sessionId, why, at],
  );
  return ended ?? null;
}

/** Of a person: how many sessions are under way beyond the newest `most`, or ended before `forgotten`. */
export async function countSurplus(
  sql: Sql,
  userId: string,
  { most, forgotten, at }: { most: number; forgotten: Date; at: Date },
): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `SELECT (SELECT greatest(count(*) - $2, 0) FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $4)::int
          + (SELECT count(*) FROM sessions WHERE user_id = $1 AND ends_at < $3)::int AS n`,
    [userId, most, forgotten, at],
  );
  return row?.n ?? 0;
}

/** Ends the oldest beyond the newest `most`, and deletes those that ended before `forgotten`. */
export async function endSurplus(
  tx: Sql,
  userId: string,
  { most, forgotten, at }: { most: number; forgotten: Date; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE sessions SET ended_at = $3, ended_why = 'too_many' WHERE session_id IN (
       SELECT session_id FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $3
        ORDER BY created_at DESC, session_id OFFSET $2)`,
    [userId, most, at],
  );
  await tx.query('DELETE FROM sessions WHERE user_id = $1 AND ends_at < $2', [userId, forgotten]);
}
