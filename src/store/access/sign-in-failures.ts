/** Wrong attempts with a password by account, in the database. A count is kept as the time at which nothing of it is left. */
import type { Sql } from '../db/db.ts';

/** Always 24 hours, also on days when the clocks change. */
const DAY = `interval '24 hours'`;

/** One more, unless the account is locked; beyond `most` it is locked from now on. */
export async function addFailure(
  sql: Sql,
  account: Uint8Array,
  { at, most }: { at: Date; most: number },
): Promise<{ lockedAt: Date | null }> {
  const [row] = await sql.query<{ locked_at: Date | null }>(
    `INSERT INTO sign_in_failures AS f (account_digest, forgotten_at) VALUES ($1, $2::timestamptz + ${DAY})
     ON CONFLICT (account_digest) DO UPDATE SET
       forgotten_at = CASE WHEN f.locked_at IS NULL THEN greatest(f.forgotten_at, $2) + ${DAY} ELSE f.forgotten_at END,
       locked_at = CASE WHEN f.locked_at IS NULL AND greatest(f.forgotten_at, $2) + ${DAY} > $2 + $3::int * ${DAY} THEN $2 ELSE f.locked_at END
     RETURNING locked_at`,
    [account, at, most],
  );
  return { lockedAt: row?.locked_at ?? null };
}

/** A lock stays. */
export async function giveBackFailures(sql: Sql, account: Uint8Array, failures: number): Promise<void> {
  await sql.query(
    `UPDATE sign_in_failures SET forgotten_at = forgotten_at - $2::int * ${DAY}
      WHERE account_digest = $1 AND locked_at IS NULL`,
    [account, failures],
  );
}

export async function forgetFailures(sql: Sql, account: Uint8Array): Promise<void> {
  await sql.query('DELETE FROM sign_in_failures WHERE account_digest = $1', [account]);
}

/** A few at a time, so that it costs an attempt little. */
export async function dropForgottenFailures(sql: Sql, now: Date): Promise<void> {
  await sql.query(
    `DELETE FROM sign_in_failures WHERE account_digest IN
       (SELECT account_digest FROM sign_in_failures WHERE forgotten_at <= $1 AND locked_at IS NULL
         ORDER BY forgotten_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    [now],
  );
}
