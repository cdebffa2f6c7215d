/**
 * The SQL of people's sessions. Reads that feed a cache return the epoch beside the rows, as in `access.ts`; ends of sessions go through
 * `changeAccess`.
 */

import type { Sql } from '../db/db.ts';
import type { AtEpoch, BesideEpoch } from './access.ts';
import { ROLES_AT_MOST, type RoleRow } from './users.ts';

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
  proven_at: Date;
  seen_at: Date;
  ends_at: Date;
  organization_id: string;
  organization_name: string;
  counted_for: string;
  organization_rate_limit_per_minute: number | null;
  organization_raised_to: number | null;
  organization_raised_until: Date | null;
  client_id: string;
  client_name: string;
  roles: string[];
  /** The organization's own roles among these. */
  own_roles: RoleRow[];
};

/** The session of this secret, if it, its person and its organization are active. Idle and absolute ends are the reader's to check. */
export async function readSession(sql: Sql, secretHash: Uint8Array): Promise<AtEpoch<SessionRow | null>> {
  const [row] = await sql.query<BesideEpoch<SessionRow>>(
    `SELECT e.epoch, s.session_id, s.user_id, s.method, s.secret_hash = $1 AS is_current, s.lost_hash IS NOT DISTINCT FROM $1 AS is_lost,
            s.confirmed, s.rotated_at, s.proven_at, s.seen_at, s.ends_at,
            u.organization_id, o.name AS organization_name, p.organization_id AS counted_for,
            p.rate_limit_per_minute AS organization_rate_limit_per_minute, p.raised_to AS organization_raised_to,
            p.raised_until AS organization_raised_until, c.client_id, c.name AS client_name, u.roles,
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
    proven_at: Date;
    ends_at: Date;
  },
): Promise<{ organization_id: string; client_id: string } | null> {
  const [made] = await tx.query<{ organization_id: string; client_id: string }>(
    `WITH person AS (
       SELECT u.user_id, u.session_generation, u.organization_id, c.client_id
         FROM users u JOIN clients c ON c.organization_id = u.organization_id AND c.kind = 'console'
        WHERE u.user_id = $2 AND u.status = 'active'
     ), made AS (
       INSERT INTO sessions (session_id, user_id, session_generation, method, secret_hash, rotated_at, created_at, seen_at, ends_at, proven_at)
       SELECT $1, user_id, session_generation, $3, $4, $5, $5, $5, $6, $7 FROM person RETURNING 1
     )
     SELECT organization_id, client_id FROM person, made`,
    [row.session_id, row.user_id, row.method, row.secret_hash, row.created_at, row.ends_at, row.proven_at],
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

/** Returns whose session it was; null: it had ended before. */
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

/** The number of a person's sessions that are under way beyond the newest `most`, or ended before `forgotten`. */
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

/** Ends the oldest beyond the newest `most`, of which `newest` is one, and deletes those that ended before `forgotten`. */
export async function endSurplus(
  tx: Sql,
  userId: string,
  newest: string,
  { most, forgotten, at }: { most: number; forgotten: Date; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE sessions SET ended_at = $3, ended_why = 'too_many' WHERE session_id IN (
       SELECT session_id FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $3
        ORDER BY session_id = $4 DESC, created_at DESC, session_id OFFSET $2)`,
    [userId, most, at, newest],
  );
  await tx.query('DELETE FROM sessions WHERE user_id = $1 AND ends_at < $2', [userId, forgotten]);
}
