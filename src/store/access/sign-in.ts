/** Proofs of who people are, in the database: passwords, passkeys, recovery codes, providers, and the steps of a sign-in. */
import { changeRows } from '../audit/rows.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type PasswordRow = Pick<Tables['passwords'], 'user_id' | 'password_hash' | 'code_secret' | 'last_step'>;

export function readPasswords(sql: Sql, userIds: readonly string[]): Promise<PasswordRow[]> {
  return sql.query<PasswordRow>(
    `SELECT user_id, password_hash, code_secret, last_step FROM passwords WHERE user_id = ANY ($1::text[]) ORDER BY user_id`,
    [userIds],
  );
}

/** The statement that decides between two codes of one step: the first raises `last_step`, the second finds it raised. */
export async function useStep(sql: Sql, userId: string, step: number): Promise<boolean> {
  const rows = await sql.query(
    'UPDATE passwords SET last_step = $2 WHERE user_id = $1 AND last_step < $2 RETURNING user_id',
    [userId, step],
  );
  return rows.length === 1;
}

export async function setPassword(
  sql: Sql,
  row: { userId: string; hash: string; codeSecret: Uint8Array; lastStep: number; at: Date },
): Promise<void> {
  await changeRows(
    sql,
    'passwords',
    `INSERT INTO passwords (user_id, password_hash, code_secret, last_step, changed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash, code_secret = excluded.code_secret,
       last_step = excluded.last_step, changed_at = excluded.changed_at`,
    [row.userId, row.hash, row.codeSecret, row.lastStep, row.at],
  );
}

export async function removePassword(sql: Sql, userId: string): Promise<void> {
  await sql.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  await changeRows(sql, 'passwords', 'DELETE FROM passwords WHERE user_id = $1', [userId]);
}

// ---- recovery codes ----

export async function replaceRecoveryCodes(sql: Sql, userId: string, hashes: readonly Uint8Array[]): Promise<void> {
  await sql.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  await sql.query('INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])', [userId, hashes]);
}

export async function useRecoveryCode(sql: Sql, userId: string, hash: Uint8Array, at: Date): Promise<boolean> {
  const rows = await sql.query(
    'UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL RETURNING user_id',
    [userId, hash, at],
  );
  return rows.length === 1;
}

// ---- passkeys ----

export type PasskeyRow = Tables['passkeys'];

const PASSKEY = 'credential_id, user_id, public_key, counter, transports, name, created_at, used_at';

export async function readPasskey(sql: Sql, credentialId: Uint8Array): Promise<PasskeyRow | null> {
  const [row] = await sql.query<PasskeyRow>(`SELECT ${PASSKEY} FROM passkeys WHERE credential_id = $1`, [credentialId]);
  return row ?? null;
}

export function listPasskeys(sql: Sql, userId: string): Promise<PasskeyRow[]> {
  return sql.query<PasskeyRow>(
    `SELECT ${PASSKEY} FROM passkeys WHERE user_id = $1 ORDER BY created_at, credential_id LIMIT 50`,
    [userId],
  );
}

/** False: a passkey with this id is stored already. */
export async function addPasskey(sql: Sql, row: Omit<PasskeyRow, 'used_at'>): Promise<boolean> {
  const rows = await changeRows(
    sql,
    'passkeys',
    `INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, name, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING`,
    [row.credential_id, row.user_id, row.public_key, row.counter, row.transports, row.name, row.created_at],
  );
  return rows.length === 1;
}

/** False: another use with this counter or a later one came first. Authenticators without a counter always send 0. */
export async function usePasskey(sql: Sql, credentialId: Uint8Array, counter: number, at: Date): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE passkeys SET counter = $2, used_at = $3 WHERE credential_id = $1 AND (counter < $2 OR ($2 = 0 AND counter = 0))
     RETURNING user_id`,
    [credentialId, counter, at],
  );
  return rows.length === 1;
}

export async function removePasskey(sql: Sql, userId: string, credentialId: Uint8Array): Promise<boolean> {
  const rows = await changeRows(sql, 'passkeys', 'DELETE FROM passkeys WHERE user_id = $1 AND credential_id = $2', [
    userId,
    credentialId,
  ]);
  return rows.length === 1;
}

// ---- what a person has ----

export type MeansRow = { password_at: Date | null; recovery_codes: number; passkeys: number; providers: number };

export async function readMeans(sql: Sql, userId: string): Promise<MeansRow> {
  const [row] = await sql.query<MeansRow>(
    `SELECT (SELECT changed_at FROM passwords WHERE user_id = $1) AS password_at,
      (SELECT count(*)::int FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL) AS recovery_codes,
      (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
      (SELECT count(*)::int FROM provider_subjects WHERE user_id = $1) AS providers`,
    [userId],
  );
  return row as MeansRow;
}

/** Changes of one person's means take turns, so that two removals at once leave one. */
export async function lockPerson(tx: Sql, userId: string): Promise<void> {
  await tx.query('SELECT user_id FROM users WHERE user_id = $1 FOR UPDATE', [userId]);
}

/** The time at which the person of the session proved who they are, how, and the end of the session in any case; null: it has ended. */
export async function readBeginning(sql: Sql, sessionId: string) {
  const [row] = await sql.query<{
    at: Date;
    method: 'passkey' | 'password' | 'provider' | 'invitation';
    ends_at: Date;
  }>('SELECT proven_at AS at, method, ends_at FROM sessions WHERE session_id = $1 AND ended_at IS NULL', [sessionId]);
  return row ?? null;
}

// ---- providers ----

export type ProviderRow = Tables['identity_providers'];

/** That of a sandbox is none while it is registered for the live people of the organization that made the sandbox. */
export async function readProvider(sql: Sql, organizationId: string): Promise<ProviderRow | null> {
  const [row] = await sql.query<ProviderRow>(
    `SELECT organization_id, issuer, client_id, client_secret_sealed, settings, changed_at FROM identity_providers p
     WHERE organization_id = $1 AND NOT EXISTS (
       SELECT 1 FROM sandboxes b JOIN identity_providers live ON live.organization_id = b.made_by
        WHERE b.organization_id = $1 AND live.issuer = p.issuer AND live.client_id = p.client_id)`,
    [organizationId],
  );
  return row ?? null;
}

/** Whether this is the registration by which the live people of the sandbox's organization sign in. */
export async function isOfLivePeople(
  tx: Sql,
  { organization_id, issuer, client_id }: Pick<ProviderRow, 'organization_id' | 'issuer' | 'client_id'>,
): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM sandboxes b JOIN identity_providers p ON p.organization_id = b.made_by
      WHERE b.organization_id = $1 AND p.issuer = $2 AND p.client_id = $3`,
    [organization_id, issuer, client_id],
  );
  return rows.length > 0;
}

/** The subjects of another issuer mean nothing any more, and are forgotten. */
export async function setProvider(tx: Sql, row: ProviderRow): Promise<void> {
  await changeRows(
    tx,
    'provider_subjects',
    `DELETE FROM provider_subjects USING identity_providers
     WHERE provider_subjects.organization_id = $1 AND identity_providers.organization_id = $1 AND identity_providers.issuer <> $2`,
    [row.organization_id, row.issuer],
  );
  await changeRows(
    tx,
    'identity_providers',
    `INSERT INTO identity_providers (organization_id, issuer, client_id, client_secret_sealed, settings, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (organization_id) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
       client_secret_sealed = excluded.client_secret_sealed, settings = excluded.settings, changed_at = excluded.changed_at`,
    [row.organization_id, row.issuer, row.client_id, row.client_secret_sealed, row.settings, row.changed_at],
  );
}

export async function removeProvider(tx: Sql, organizationId: string): Promise<boolean> {
  await changeRows(tx, 'provider_subjects', 'DELETE FROM provider_subjects WHERE organization_id = $1', [
    organizationId,
  ]);
  const rows = await changeRows(tx, 'identity_providers', 'DELETE FROM identity_providers WHERE organization_id = $1', [
    organizationId,
  ]);
  return rows.length === 1;
}

export async function readSubject(sql: Sql, organizationId: string, digest: Uint8Array): Promise<string | null> {
  const [row] = await sql.query<{ user_id: string }>(
    'SELECT user_id FROM provider_subjects WHERE organization_id = $1 AND subject_digest = $2',
    [organizationId, digest],
  );
  return row?.user_id ?? null;
}

/** False: this person is linked to another subject already, or the subject to another person. */
export async function linkSubject(
  tx: Sql,
  row: { organizationId: string; digest: Uint8Array; userId: string; at: Date },
): Promise<boolean> {
  const rows = await changeRows(
    tx,
    'provider_subjects',
    `INSERT INTO provider_subjects (subject_digest, organization_id, user_id, linked_at)
     SELECT $2, $1, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM provider_subjects WHERE organization_id = $1 AND user_id = $3)
     ON CONFLICT DO NOTHING`,
    [row.organizationId, row.digest, row.userId, row.at],
  );
  return rows.length === 1;
}

// ---- steps ----

export async function addStep(
  sql: Sql,
  row: { tokenHash: Uint8Array; kind: string; sealed: Uint8Array; expiresAt: Date },
): Promise<void> {
  await sql.query('INSERT INTO sign_in_steps (token_hash, kind, sealed, expires_at) VALUES ($1, $2, $3, $4)', [
    row.tokenHash,
    row.kind,
    row.sealed,
    row.expiresAt,
  ]);
}

/** Takes a step away: of two requests with the same one, one gets it. */
export async function takeStep(sql: Sql, tokenHash: Uint8Array, kind: string, now: Date): Promise<Buffer | null> {
  const [row] = await sql.query<{ sealed: Buffer }>(
    'DELETE FROM sign_in_steps WHERE token_hash = $1 AND kind = $2 AND expires_at > $3 RETURNING sealed',
    [tokenHash, kind, now],
  );
  return row?.sealed ?? null;
}

export async function lookAtStep(sql: Sql, tokenHash: Uint8Array, kind: string, now: Date): Promise<Buffer | null> {
  const [row] = await sql.query<{ sealed: Buffer }>(
    'SELECT sealed FROM sign_in_steps WHERE token_hash = $1 AND kind = $2 AND expires_at > $3',
    [tokenHash, kind, now],
  );
  return row?.sealed ?? null;
}

/** Keeps in mind that a step was used which the browser had kept. False: it was before. */
export async function spendStep(sql: Sql, tokenHash: Uint8Array, expiresAt: Date): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO sign_in_steps (token_hash, kind, sealed, expires_at) VALUES ($1, 'used', '', $2)
     ON CONFLICT (token_hash) DO NOTHING RETURNING 1`,
    [tokenHash, expiresAt],
  );
  return rows.length === 1;
}

/** A few at a time, so that it costs a sign-in little; the bound also limits how many unfinished steps are kept. */
export async function dropExpiredSteps(sql: Sql, now: Date): Promise<void> {
  await sql.query(
    `DELETE FROM sign_in_steps WHERE token_hash IN
       (SELECT token_hash FROM sign_in_steps WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    [now],
  );
}
