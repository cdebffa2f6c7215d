/**
 * The SQL of organizations, clients, API keys and signing keys; that of grants is in grants.ts.
 *
 * Reads that feed a cache return the epoch beside the rows, from one statement and therefore from one
 * snapshot: what was read is exactly the state that this epoch names. Changes go through `changeAccess`.
 */
import { changeRows } from '../audit/rows.ts';
import type { Db, Joined, Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

/** `secret_hash` is null for the console, which has none. */
export type ClientRow = Tables['clients'] & {
  organization_name: string;
  /** The organization against whose limit its requests are counted: for a sandbox, the one that created it. */
  counted_for: string;
  organization_rate_limit_per_minute: number | null;
  organization_raised_to: number | null;
  organization_raised_until: Date | null;
};
export type KeyRow = Pick<Tables['api_keys'], 'key_id' | 'client_id' | 'created_at' | 'revoked_at'>;
export type SigningKeyRow = Omit<Tables['signing_keys'], 'public_jwk'> & { public_jwk: Record<string, unknown> };
export type OrganizationRow = Pick<
  Tables['organizations'],
  | 'organization_id'
  | 'name'
  | 'created_at'
  | 'rate_limit_per_minute'
  | 'raised_to'
  | 'raised_until'
  | 'time_zone'
  | 'clock_kind'
>;

export type AtEpoch<T> = { epoch: bigint; value: T };
/** A row of a statement that reads the epoch: it is there even if nothing else is. */
export type BesideEpoch<R> = { epoch: bigint } & Joined<R>;

/** So many clients, keys and grants an organization may have at a time; a change that would make more is refused. */
export const LIST_LIMIT = 1_000;

/**
 * Runs a change of access and returns the epoch that contains it. The lock on the epoch's row comes first: all changes
 * of access, by all processes, run one after another, so none can deadlock with another and what `work` reads stays
 * true until it commits. Keep slow work (hashing a secret) out of `work`.
 */
export function changeAccess<T>(db: Db, work: (tx: Sql) => Promise<T>): Promise<AtEpoch<T>> {
  return db.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM access_epoch FOR UPDATE');
    const value = await work(tx);
    return { epoch: await readEpoch(tx), value };
  });
}

export async function readEpoch(sql: Sql): Promise<bigint> {
  const [row] = await sql.query<{ epoch: bigint }>('SELECT epoch FROM access_epoch');
  if (!row) throw new Error('The row of the table access_epoch is missing.');
  return row.epoch;
}

export async function readClient(sql: Sql, clientId: string): Promise<AtEpoch<ClientRow | null>> {
  const { epoch, value } = await readClients(sql, [clientId]);
  return { epoch, value: value[0] ?? null };
}

/** Those of these clients that exist. */
export async function readClients(sql: Sql, clientIds: readonly string[]): Promise<AtEpoch<ClientRow[]>> {
  const rows = await sql.query<BesideEpoch<ClientRow>>(
    `SELECT e.epoch, c.client_id, c.organization_id, o.name AS organization_name, p.organization_id AS counted_for,
            p.rate_limit_per_minute AS organization_rate_limit_per_minute, p.raised_to AS organization_raised_to,
            p.raised_until AS organization_raised_until, c.name, c.kind, c.secret_hash, c.scopes,
            c.status, c.rate_limit_per_minute, c.raised_to, c.raised_until, c.numbers, c.token_generation, c.created_at,
            c.revoked_at, c.holders
       FROM access_epoch e
       LEFT JOIN (clients c JOIN organizations o ON o.organization_id = c.organization_id
         LEFT JOIN sandboxes b ON b.organization_id = o.organization_id
         JOIN organizations p ON p.organization_id = coalesce(b.made_by, o.organization_id)) ON c.client_id = ANY($1)`,
    [clientIds],
  );
  return every(rows, (row) => row.client_id !== null);
}

/** The active API key with this hash. */
export async function readKey(sql: Sql, keyHash: Uint8Array): Promise<AtEpoch<KeyRow | null>> {
  const rows = await sql.query<BesideEpoch<KeyRow>>(
    `SELECT e.epoch, k.key_id, k.client_id, k.created_at, k.revoked_at
       FROM access_epoch e LEFT JOIN api_keys k ON k.key_hash = $1 AND k.revoked_at IS NULL`,
    [keyHash],
  );
  return first(rows, (row) => row.key_id !== null);
}

export async function readSigningKeys(sql: Sql): Promise<AtEpoch<SigningKeyRow[]>> {
  const rows = await sql.query<BesideEpoch<SigningKeyRow>>(
    `SELECT e.epoch, k.* FROM access_epoch e LEFT JOIN signing_keys k ON true ORDER BY k.created_at DESC LIMIT 100`,
  );
  return every(rows, (row) => row.key_id !== null);
}

// The outer joins above give one row with the epoch alone when nothing matches.
export function every<R extends { epoch: bigint }, P extends R>(
  rows: R[],
  present: (row: R) => row is P,
): AtEpoch<P[]> {
  const [head] = rows;
  if (!head) throw new Error('The row of the table access_epoch is missing.');
  return { epoch: head.epoch, value: rows.filter(present) };
}

function first<R extends { epoch: bigint }, P extends R>(rows: R[], present: (row: R) => row is P): AtEpoch<P | null> {
  const { epoch, value } = every(rows, present);
  return { epoch, value: value[0] ?? null };
}

// ---- organizations ----

export type NewOrganization = Omit<OrganizationRow, 'raised_to' | 'raised_until'>;

export async function insertOrganization(tx: Sql, row: NewOrganization): Promise<void> {
  await changeRows(
    tx,
    'organizations',
    `INSERT INTO organizations (organization_id, name, created_at, rate_limit_per_minute, time_zone, clock_kind)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [row.organization_id, row.name, row.created_at, row.rate_limit_per_minute, row.time_zone, row.clock_kind],
  );
}

/** A sandbox that has ended no longer counts as an organization. */
const ORGANIZATION = `SELECT organization_id, name, created_at, rate_limit_per_minute, raised_to, raised_until, time_zone, clock_kind
  FROM organizations o
  WHERE NOT EXISTS (SELECT 1 FROM sandboxes b WHERE b.organization_id = o.organization_id AND b.ended_at IS NOT NULL)`;

export async function organization(sql: Sql, organizationId: string): Promise<OrganizationRow | null> {
  const [row] = await sql.query<OrganizationRow>(`${ORGANIZATION} AND organization_id = $1`, [organizationId]);
  return row ?? null;
}

/** Sandboxes last. */
export function listOrganizations(sql: Sql): Promise<OrganizationRow[]> {
  return sql.query<OrganizationRow>(
    `${ORGANIZATION} ORDER BY clock_kind, created_at, organization_id LIMIT ${LIST_LIMIT}`,
  );
}

export async function updateOrganization(
  tx: Sql,
  organizationId: string,
  to: Pick<OrganizationRow, 'name' | 'rate_limit_per_minute' | 'raised_to' | 'raised_until'>,
): Promise<void> {
  await changeRows(
    tx,
    'organizations',
    `UPDATE organizations SET name = $2, rate_limit_per_minute = $3, raised_to = $4, raised_until = $5
     WHERE organization_id = $1`,
    [organizationId, to.name, to.rate_limit_per_minute, to.raised_to, to.raised_until],
  );
}

/** Without sandboxes, which are limited for each organization. */
export async function countOrganizations(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM organizations WHERE clock_kind = 'live'",
  );
  return row?.n ?? 0;
}

// ---- clients and their API keys ----

export type NewClient = Pick<
  ClientRow,
  | 'client_id'
  | 'organization_id'
  | 'name'
  | 'secret_hash'
  | 'scopes'
  | 'rate_limit_per_minute'
  | 'numbers'
  | 'created_at'
  | 'holders'
>;

export async function insertClient(tx: Sql, row: NewClient): Promise<void> {
  await changeRows(
    tx,
    'clients',
    `INSERT INTO clients (client_id, organization_id, name, secret_hash, scopes, rate_limit_per_minute, numbers, created_at, holders)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      row.client_id,
      row.organization_id,
      row.name,
      row.secret_hash,
      row.scopes,
      row.rate_limit_per_minute,
      row.numbers,
      row.created_at,
      row.holders,
    ],
  );
}

/** A new credential of the client is shown to somebody, who stays a holder of it for good. */
export async function addHolders(tx: Sql, clientId: string, holders: readonly string[]): Promise<void> {
  for (const one of holders) {
    await changeRows(
      tx,
      'clients',
      'UPDATE clients SET holders = array_append(holders, $2) WHERE client_id = $1 AND $2 <> ALL (holders)',
      [clientId, one],
    );
  }
}

/** The oldest client of any organization; null on a database without clients. */
export async function firstClientId(sql: Sql): Promise<string | null> {
  const [row] = await sql.query<{ client_id: string }>(
    "SELECT client_id FROM clients WHERE kind = 'program' ORDER BY created_at, client_id LIMIT 1",
  );
  return row?.client_id ?? null;
}

export async function clientOf(sql: Sql, organizationId: string, clientId: string): Promise<ClientRow | null> {
  const { value } = await readClient(sql, clientId);
  return value?.organization_id === organizationId ? value : null;
}

export async function countActiveClients(sql: Sql, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM clients WHERE organization_id = $1 AND status = 'active' AND kind = 'program'`,
    [organizationId],
  );
  return row?.n ?? 0;
}

/** The place of a row in a list: by `rank`, then by `place` (a decimal number), then by its id. */
export type ListPlace = { rank: number; place: string; id: string };

/** Active clients first, oldest first, then revoked ones, newest first; each with its keys in the same order. */
export function listClients(
  sql: Sql,
  organizationId: string,
  { after, limit }: { after: ListPlace | null; limit: number },
): Promise<
  (Omit<
    ClientRow,
    | 'secret_hash'
    | 'counted_for'
    | 'organization_rate_limit_per_minute'
    | 'organization_raised_to'
    | 'organization_raised_until'
  > & { keys: KeyJson[] } & ListPlace)[]
> {
  const rank = "(CASE c.status WHEN 'active' THEN 0 ELSE 1 END)";
  const place = "(CASE c.status WHEN 'active' THEN 1 ELSE -1 END * extract(epoch FROM c.created_at))";
  return sql.query(
    `SELECT ${rank} AS rank, ${place}::text AS place, c.client_id AS id,
            c.client_id, c.organization_id, o.name AS organization_name, c.name, c.kind, c.scopes, c.status,
            c.rate_limit_per_minute, c.raised_to, c.raised_until, c.numbers, c.token_generation, c.created_at,
            c.revoked_at, c.holders,
            (SELECT coalesce(json_agg(k), '[]') FROM (
               SELECT key_id, created_at, revoked_at FROM api_keys WHERE client_id = c.client_id
                ORDER BY revoked_at DESC NULLS FIRST, created_at, key_id LIMIT 100) k) AS keys
       FROM clients c JOIN organizations o ON o.organization_id = c.organization_id
      WHERE c.organization_id = $1 AND ($2::int IS NULL OR (${rank}, ${place}, c.client_id) > ($2, $3::numeric, $4::text))
      ORDER BY ${rank}, ${place}, c.client_id
      LIMIT $5`,
    [organizationId, after?.rank ?? null, after?.place ?? null, after?.id ?? null, limit],
  );
}
export type KeyJson = { key_id: string; created_at: string; revoked_at: string | null };

export async function updateClient(
  tx: Sql,
  clientId: string,
  to: Pick<ClientRow, 'name' | 'scopes' | 'rate_limit_per_minute' | 'raised_to' | 'raised_until' | 'numbers'>,
): Promise<void> {
  await changeRows(
    tx,
    'clients',
    `UPDATE clients SET name = $2, scopes = $3, rate_limit_per_minute = $4, raised_to = $5, raised_until = $6, numbers = $7
     WHERE client_id = $1`,
    [clientId, to.name, to.scopes, to.rate_limit_per_minute, to.raised_to, to.raised_until, to.numbers],
  );
}

/** Tokens issued under the old secret end with it. */
export async function replaceSecret(tx: Sql, clientId: string, secretHash: string): Promise<void> {
  await changeRows(
    tx,
    'clients',
    'UPDATE clients SET secret_hash = $2, token_generation = token_generation + 1 WHERE client_id = $1',
    [clientId, secretHash],
  );
}

export async function revokeClient(tx: Sql, clientId: string, at: Date): Promise<void> {
  await changeRows(
    tx,
    'clients',
    `UPDATE clients SET status = 'revoked', revoked_at = $2 WHERE client_id = $1 AND status = 'active'`,
    [clientId, at],
  );
  await revokeKeys(tx, clientId, at);
}

export async function insertKey(
  tx: Sql,
  row: { key_id: string; client_id: string; key_hash: Uint8Array; created_at: Date },
): Promise<void> {
  await changeRows(
    tx,
    'api_keys',
    'INSERT INTO api_keys (key_id, client_id, key_hash, created_at) VALUES ($1, $2, $3, $4)',
    [row.key_id, row.client_id, row.key_hash, row.created_at],
  );
}

export async function keyOf(sql: Sql, organizationId: string, keyId: string): Promise<KeyRow | null> {
  const [row] = await sql.query<KeyRow>(
    `SELECT k.key_id, k.client_id, k.created_at, k.revoked_at
       FROM api_keys k JOIN clients c ON c.client_id = k.client_id
      WHERE k.key_id = $2 AND c.organization_id = $1`,
    [organizationId, keyId],
  );
  return row ?? null;
}

export async function countActiveKeys(sql: Sql, clientId: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM api_keys WHERE client_id = $1 AND revoked_at IS NULL',
    [clientId],
  );
  return row?.n ?? 0;
}

/** Revokes one key of the client, or all of them. */
export async function revokeKeys(tx: Sql, clientId: string, at: Date, keyId: string | null = null): Promise<void> {
  await changeRows(
    tx,
    'api_keys',
    `UPDATE api_keys SET revoked_at = $2
      WHERE client_id = $1 AND revoked_at IS NULL AND ($3::text IS NULL OR key_id = $3)`,
    [clientId, at, keyId],
  );
}

// ---- signing keys ----

/** Replaces the current signing key, and deletes those that were superseded before `retiredBefore`. */
export async function replaceSigningKey(
  tx: Sql,
  row: { key_id: string; algorithm: string; public_jwk: object; private_sealed: Uint8Array; created_at: Date },
  retiredBefore: Date,
): Promise<void> {
  await changeRows(tx, 'signing_keys', 'DELETE FROM signing_keys WHERE superseded_at < $1', [retiredBefore]);
  await changeRows(
    tx,
    'signing_keys',
    'UPDATE signing_keys SET superseded_at = $1, private_sealed = NULL WHERE superseded_at IS NULL',
    [row.created_at],
  );
  await changeRows(
    tx,
    'signing_keys',
    `INSERT INTO signing_keys (key_id, algorithm, public_jwk, private_sealed, created_at) VALUES ($1, $2, $3, $4, $5)`,
    [row.key_id, row.algorithm, JSON.stringify(row.public_jwk), row.private_sealed, row.created_at],
  );
}
