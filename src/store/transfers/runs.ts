/** Transfers of many loans in one request: what is to be done, and how far it is. */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Db, Sql } from '../db/db.ts';

export type RunRow = {
  runId: string;
  organizationId: string;
  clientId: string;
  /** The person who ordered it; null: the client itself. */
  userId: string | null;
  keyId: string | null;
  scopes: string[];
  /** JSON. */
  request: string;
  reasonKeyId: string | null;
  reasonKey: Uint8Array | null;
  reason: Uint8Array | null;
  dryRun: boolean;
  cursor: string | null;
  gathered: boolean;
  createdAt: Date;
  endedAt: Date | null;
  /** The reason that it ended before its loans were done; null: it did not. */
  refusal: string | null;
  detail: string | null;
};

const COLUMNS = `run_id AS "runId", organization_id AS "organizationId", client_id AS "clientId", user_id AS "userId", key_id AS "keyId", scopes,
  request, reason_key_id AS "reasonKeyId", reason_key AS "reasonKey", reason, dry_run AS "dryRun", cursor, gathered, created_at AS "createdAt",
  ended_at AS "endedAt", refusal, detail`;

export async function saveRun(tx: Sql, run: Omit<RunRow, 'endedAt' | 'cursor' | 'refusal' | 'detail'>): Promise<void> {
  await tx.query(
    `INSERT INTO transfer_runs (run_id, organization_id, client_id, user_id, key_id, scopes, request, reason_key_id, reason_key, reason,
       dry_run, gathered, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      run.runId,
      run.organizationId,
      run.clientId,
      run.userId,
      run.keyId,
      run.scopes,
      run.request,
      run.reasonKeyId,
      run.reasonKey,
      run.reason,
      run.dryRun,
      run.gathered,
      run.createdAt,
    ],
  );
}

/** Loans of a run that are not done yet; those that are there already stay as they are. */
export async function addLoans(tx: Sql, runId: string, loanIds: readonly string[]): Promise<void> {
  await tx.query(
    `INSERT INTO transfer_run_loans (run_id, loan_id, state) SELECT $1, loan_id, 'pending' FROM unnest($2::bytea[]) AS given (loan_id)
     ON CONFLICT DO NOTHING`,
    [runId, loanIds.map(bytes)],
  );
}

/** Adds a page of loans, and where the list goes on; null: that was the last page. */
export function gatherLoans(db: Db, runId: string, loanIds: readonly string[], cursor: string | null): Promise<void> {
  return db.transaction(async (tx) => {
    await addLoans(tx, runId, loanIds);
    await tx.query('UPDATE transfer_runs SET cursor = $2, gathered = $3 WHERE run_id = $1', [
      runId,
      cursor,
      cursor === null,
    ]);
  });
}

export async function readRun(db: Sql, organizationId: string, runId: string): Promise<RunRow | null> {
  const [row] = await db.query<RunRow>(
    `SELECT ${COLUMNS} FROM transfer_runs WHERE run_id = $1 AND organization_id = $2`,
    [runId, organizationId],
  );
  return row ?? null;
}

/** The oldest run that no process holds, held by this one from now on; null: there is none. */
export async function takeRun(db: Sql, holder: string, heldSeconds: number): Promise<RunRow | null> {
  const [row] = await db.query<RunRow>(
    `UPDATE transfer_runs SET held_by = $1, held_until = clock_timestamp() + make_interval(secs => $2)
     WHERE run_id = (
       SELECT run_id FROM transfer_runs WHERE ended_at IS NULL AND (held_until IS NULL OR held_until < clock_timestamp())
       ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED
     ) RETURNING ${COLUMNS}`,
    [holder, heldSeconds],
  );
  return row ?? null;
}

/** Whether this process still has it; it then has it for longer. */
export async function holdRun(db: Sql, runId: string, holder: string, heldSeconds: number): Promise<boolean> {
  const rows = await db.query(
    `UPDATE transfer_runs SET held_until = clock_timestamp() + make_interval(secs => $3)
     WHERE run_id = $1 AND held_by = $2 AND ended_at IS NULL RETURNING 1`,
    [runId, holder, heldSeconds],
  );
  return rows.length > 0;
}

export async function releaseRun(db: Sql, runId: string, holder: string): Promise<void> {
  await db.query('UPDATE transfer_runs SET held_by = NULL, held_until = NULL WHERE run_id = $1 AND held_by = $2', [
    runId,
    holder,
  ]);
}

/** `why`: the refusal by which it ended before its loans were done; null: they are done. */
export async function endRun(
  db: Sql,
  runId: string,
  at: Date,
  why: { readonly refusal: string; readonly detail: string } | null,
): Promise<void> {
  await db.query(
    `UPDATE transfer_runs SET ended_at = $2, reason_key_id = NULL, reason_key = NULL, reason = NULL, held_by = NULL, held_until = NULL,
       refusal = $3, detail = $4
     WHERE run_id = $1`,
    [runId, at, why?.refusal ?? null, why?.detail ?? null],
  );
}

export async function readPending(db: Sql, runId: string, after: string | null, limit: number): Promise<string[]> {
  const rows = await db.query<{ loan_id: Uint8Array }>(
    `SELECT loan_id FROM transfer_run_loans WHERE run_id = $1 AND state = 'pending' AND loan_id > $2 ORDER BY loan_id LIMIT $3`,
    [runId, bytes(after ?? '0x'), limit],
  );
  return rows.map(({ loan_id }) => hexOf(loan_id));
}

export type RunLoan = { loanId: string; refusal: string | null; detail: string | null };

/** Stores the outcome of loans: without a refusal they are done. */
export async function settleLoans(db: Sql, runId: string, loans: readonly RunLoan[]): Promise<void> {
  await db.query(
    `UPDATE transfer_run_loans l SET state = CASE WHEN s.refusal IS NULL THEN 'done' ELSE 'refused' END, refusal = s.refusal, detail = s.detail
     FROM unnest($2::bytea[], $3::text[], $4::text[]) AS s (loan_id, refusal, detail)
     WHERE l.run_id = $1 AND l.loan_id = s.loan_id`,
    [
      runId,
      loans.map(({ loanId }) => bytes(loanId)),
      loans.map(({ refusal }) => refusal),
      loans.map(({ detail }) => detail),
    ],
  );
}

/** The number of loans in each state; those refused, by refusal. */
export function countRun(
  db: Sql,
  runId: string,
): Promise<{ state: 'pending' | 'done' | 'refused'; refusal: string | null; count: number }[]> {
  return db.query(
    `SELECT state, refusal, count(*)::int AS count FROM transfer_run_loans WHERE run_id = $1 GROUP BY state, refusal
     ORDER BY state, refusal COLLATE "C"`,
    [runId],
  );
}

export async function readRefused(db: Sql, runId: string, after: string | null, limit: number): Promise<RunLoan[]> {
  const rows = await db.query<Omit<RunLoan, 'loanId'> & { loan_id: Uint8Array }>(
    `SELECT loan_id, refusal, detail FROM transfer_run_loans
     WHERE run_id = $1 AND state = 'refused' AND loan_id > $2 ORDER BY loan_id LIMIT $3`,
    [runId, bytes(after ?? '0x'), limit],
  );
  return rows.map(({ loan_id, ...row }) => ({ loanId: hexOf(loan_id), ...row }));
}
