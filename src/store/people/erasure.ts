/**
 * The SQL of keys: the wrapped data keys of loans, root secrets, and erasing a borrower. Personal data is written with its loan
 * (`loans.ts`) and read with it (`reads.ts`); nothing here sees an unwrapped key.
 */
import { recordAudit } from '../audit/audit.ts';
import { hexOf } from '../db/bytes.ts';
import type { Db, Session, Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { volumeOf } from '../db/volumes.ts';

// ---- root secrets ----

export type RootSecretRow = Tables['root_secrets'];

export function readRootSecrets(sql: Sql): Promise<RootSecretRow[]> {
  return sql.query<RootSecretRow>('SELECT name, key_id, wrapped FROM root_secrets ORDER BY name LIMIT 100');
}

export async function insertRootSecret(sql: Sql, row: RootSecretRow): Promise<void> {
  await sql.query('INSERT INTO root_secrets (name, key_id, wrapped) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    row.name,
    row.key_id,
    row.wrapped,
  ]);
}

export async function replaceRootSecret(sql: Sql, row: RootSecretRow): Promise<void> {
  await sql.query('UPDATE root_secrets SET key_id = $2, wrapped = $3 WHERE name = $1', [
    row.name,
    row.key_id,
    row.wrapped,
  ]);
}

// ---- which master key wraps what ----

export type KeyUse = { key_id: string; secrets: number; loans: number };

/** Every row is counted: seconds with ten million loans. */
export async function countKeyUse(sql: Sql): Promise<KeyUse[]> {
  const rows = await sql.query<{ key_id: string; secrets: bigint; loans: bigint }>(
    `SELECT key_id, sum(secret)::bigint AS secrets, sum(loan)::bigint AS loans
       FROM (SELECT key_id, count(*) AS secret, 0 AS loan FROM root_secrets GROUP BY key_id
             UNION ALL SELECT key_id, 0, count(*) FROM people GROUP BY key_id) used
      GROUP BY key_id ORDER BY key_id LIMIT 1000`,
  );
  return rows.map(({ key_id, secrets, loans }) => ({ key_id, secrets: Number(secrets), loans: Number(loans) }));
}

/** The keys that wrap a data key, at most a thousand, from one to the next along the index: one step per key, however many loans there are. */
export async function keysOfLoans(sql: Sql): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const [next] = await sql.query<{ key_id: string }>(
      'SELECT key_id FROM people WHERE key_id > $1 ORDER BY key_id LIMIT 1',
      [keys.at(-1) ?? ''],
    );
    if (next === undefined || keys.length === 1_000) return keys;
    keys.push(next.key_id);
  }
}

/** Those of these keys that wrap something. Each is looked for by itself, and found with the first row, however many loans there are. */
export async function keysInUse(sql: Sql, keyIds: readonly string[]): Promise<string[]> {
  const used: string[] = [];
  for (const keyId of keyIds) {
    const secrets = await sql.query('SELECT 1 FROM root_secrets WHERE key_id = $1 LIMIT 1', [keyId]);
    const loans = secrets.length > 0 ? [] : await sql.query('SELECT 1 FROM people WHERE key_id = $1 LIMIT 1', [keyId]);
    if (secrets.length + loans.length > 0) used.push(keyId);
  }
  return used;
}

/** Blocks the storing of wrapped keys until the transaction ends; waits for running stores, five seconds at most. */
export async function holdKeys(tx: Sql): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '5s'`);
  await tx.query('LOCK TABLE people, root_secrets IN SHARE MODE');
}

export type WrappedKey = Pick<Tables['people'], 'loan_id' | 'wrapped_key'>;

/** In the order of loan ids, from the one after `after` on. */
export function readWrappedKeys(sql: Sql, keyId: string, after: Uint8Array, limit: number): Promise<WrappedKey[]> {
  return sql.query<WrappedKey>(
    'SELECT loan_id, wrapped_key FROM people WHERE key_id = $1 AND loan_id > $2 ORDER BY loan_id LIMIT $3',
    [keyId, after, limit],
  );
}

/** Only where a key is still the one that was read: a loan erased or rewrapped in the meantime is not changed. Returns how many were replaced. */
export async function replaceWrappedKeys(
  sql: Sql,
  from: string,
  to: string,
  keys: readonly (WrappedKey & { rewrapped: Uint8Array })[],
): Promise<number> {
  let replaced = 0;
  for (const [volume, some] of Map.groupBy(keys, ({ loan_id }) => volumeOf(sql, hexOf(loan_id)))) {
    const rows = await sql.query(
      `UPDATE people p SET key_id = $3, wrapped_key = u.rewrapped
         FROM unnest($4::bytea[], $5::bytea[], $6::bytea[]) AS u (loan_id, wrapped_key, rewrapped)
        WHERE p.volume = $1 AND p.loan_id = u.loan_id AND p.key_id = $2 AND p.wrapped_key = u.wrapped_key
        RETURNING 1`,
      [
        volume,
        from,
        to,
        some.map(({ loan_id }) => loan_id),
        some.map(({ wrapped_key }) => wrapped_key),
        some.map(({ rewrapped }) => rewrapped),
      ],
    );
    replaced += rows.length;
  }
  return replaced;
}

/**
 * Master keys are changed by one process at a time, over all machines, on a separate connection. Null: another process holds the lock.
 *
 * A rotation makes the statistics of `key_id` wrong while it runs, and a planner that trusts them reads all remaining rows for every batch:
 * 100,000 loans took 40 s. So plans without the indexes are switched off.
 */
export function whileChangingKeys<T>(db: Db, work: (session: Session) => Promise<T>): Promise<T | null> {
  return db.session(async (session) => {
    const [row] = await session.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(1264673107) AS mine');
    if (!row?.mine) return null;
    await session.query(`SELECT set_config(name, 'off', false) FROM unnest(
      ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin']) AS name`);
    // Counting all loans may take longer than any request.
    await session.query('SET statement_timeout = 0');
    return work(session);
  });
}

// ---- erasing a borrower ----

export type ErasableLoan = {
  organization_id: string;
  lender_id: string;
  status: string;
  last_body: string;
  has_person: boolean;
};

/**
 * The loan, locked until the transaction ends: its volume's head is locked, as in a save, so that nothing is recorded for it. The last event
 * is read after that, because the lock may have been waited for.
 */
export async function holdLoan(tx: Sql, loanId: Uint8Array): Promise<ErasableLoan | null> {
  const volume = volumeOf(tx, hexOf(loanId));
  await tx.query('UPDATE ledger_heads SET number = number WHERE volume = $1', [volume]);
  const [row] = await tx.query<Omit<ErasableLoan, 'last_body'> & { last_body: string | null }>(
    `SELECT l.organization_id, l.lender_id, l.status, e.body AS last_body, p.loan_id IS NOT NULL AS has_person
       FROM loans l
       LEFT JOIN events e ON e.volume = l.volume AND e.loan_id = l.loan_id AND e.sequence = l.version
       LEFT JOIN people p ON p.volume = l.volume AND p.loan_id = l.loan_id
      WHERE l.volume = $1 AND l.loan_id = $2`,
    [volume, loanId],
  );
  if (row === undefined) return null;
  const { last_body, ...loan } = row;
  if (last_body === null) throw new Error('The last event of a loan is missing.');
  return { ...loan, last_body };
}

/** Deletes the key, the data it sealed, and the loan's search digests, and takes the loan off the public market. Notes of events stay but can no longer be decrypted. */
export async function erasePerson(
  tx: Sql,
  loanId: Uint8Array,
  by: { at: Date; organizationId: string; account: string | null },
): Promise<void> {
  const volume = volumeOf(tx, hexOf(loanId));
  await tx.query('DELETE FROM people WHERE volume = $1 AND loan_id = $2', [volume, loanId]);
  await tx.query('DELETE FROM party_changes WHERE volume = $1 AND loan_id = $2', [volume, loanId]);
  await tx.query('DELETE FROM blind_index WHERE volume = $1 AND loan_id = $2', [volume, loanId]);
  await tx.query('UPDATE loans SET erased = true WHERE volume = $1 AND loan_id = $2', [volume, loanId]);
  await recordAudit(tx, [
    {
      ...by,
      clientId: 'operator',
      kind: 'did',
      operation: 'erase-borrower',
      outcome: 'done',
      loanId: hexOf(loanId),
      subject: 'erasure',
      requestId: null,
    },
  ]);
}
