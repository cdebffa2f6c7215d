/** Pulls of credit reports, and what underwriting runs leave behind. */
import type { Sql } from './db.ts';
import { bytes } from './loans.ts';

export type PullRow = { pullId: string; sealed: Uint8Array | null };

export type Reservation = { loanId: string; run: number; role: string; pullId: string; bureau: string; at: Date };

/** The pull of this run: the one reserved before, or this one. */
export async function reservePull(db: Sql, { loanId, run, role, pullId, bureau, at }: Reservation): Promise<PullRow> {
  await db.query(
    `INSERT INTO bureau_pulls (loan_id, run, role, pull_id, bureau, reserved_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (loan_id, run, role) DO NOTHING`,
    [bytes(loanId), run, role, pullId, bureau, at],
  );
  const [row] = await db.query<{ pull_id: string; sealed: Uint8Array | null }>(
    'SELECT pull_id, sealed FROM bureau_pulls WHERE loan_id = $1 AND run = $2 AND role = $3',
    [bytes(loanId), run, role],
  );
  if (row === undefined) throw new Error('A pull that was reserved is gone.');
  return { pullId: row.pull_id, sealed: row.sealed };
}

/** Keeps the first answer; a second one of the same pull is the same. */
export async function savePull(
  db: Sql,
  pullId: string,
  answer: { sealed: Uint8Array; hash: Uint8Array; at: Date },
): Promise<void> {
  await db.query(
    'UPDATE bureau_pulls SET sealed = $2, hash = $3, answered_at = $4 WHERE pull_id = $1 AND answered_at IS NULL',
    [pullId, answer.sealed, answer.hash, answer.at],
  );
}
