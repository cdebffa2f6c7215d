/** Pulls of credit reports, and screenings. A pull is claimed before it is made and its answer kept, so that no run ever calls the bureau twice. */

import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

export type PullClaim = {
  loanId: string;
  run: number;
  role: string;
  /** The id of the pull if it was not claimed before. */
  pullId: string;
  bureau: string;
  at: Date;
  /** Until then no other process makes this pull. */
  until: Date;
};

/** `claimed`: to be made under this id. `held`: another process is making it. Otherwise it was answered. */
export type ClaimedPull =
  | { state: 'claimed'; pullId: string }
  | { state: 'held' }
  | { state: 'answered'; sealed: Uint8Array };

export async function claimPull(
  db: Sql,
  { loanId, run, role, pullId, bureau, at, until }: PullClaim,
): Promise<ClaimedPull> {
  const [mine] = await db.query<{ pull_id: string }>(
    `INSERT INTO bureau_pulls (volume, loan_id, run, role, pull_id, bureau, reserved_at, held_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (volume, loan_id, run, role) DO UPDATE SET held_until = excluded.held_until
       WHERE bureau_pulls.answered_at IS NULL AND bureau_pulls.held_until <= excluded.reserved_at
     RETURNING pull_id`,
    [volumeOf(db, loanId), bytes(loanId), run, role, pullId, bureau, at, until],
  );
  if (mine !== undefined) return { state: 'claimed', pullId: mine.pull_id };
  const sealed = (await readPulls(db, loanId, run)).get(role);
  return sealed === undefined ? { state: 'held' } : { state: 'answered', sealed };
}

/** A pull that was claimed. */
type Pull = { loanId: string; pullId: string };

/** Stores the first answer of a pull. False: another process has already stored one, and that one counts. */
export async function savePull(
  db: Sql,
  { loanId, pullId }: Pull,
  answer: { sealed: Uint8Array; hash: Uint8Array; at: Date },
): Promise<boolean> {
  const kept = await db.query(
    `UPDATE bureau_pulls SET sealed = $4, hash = $5, answered_at = $6
     WHERE volume = $1 AND loan_id = $2 AND pull_id = $3 AND answered_at IS NULL RETURNING pull_id`,
    [volumeOf(db, loanId), bytes(loanId), pullId, answer.sealed, answer.hash, answer.at],
  );
  return kept.length > 0;
}

/**
 * The bureau gave no answer: the next run makes the pull again, under the same id. `until` is what it was claimed with: a claim
 * that another process has taken over since is not changed.
 */
export async function releasePull(
  db: Sql,
  { loanId, pullId }: Pull,
  { until, at }: { until: Date; at: Date },
): Promise<void> {
  await db.query(
    `UPDATE bureau_pulls SET held_until = $5
     WHERE volume = $1 AND loan_id = $2 AND pull_id = $3 AND held_until = $4 AND answered_at IS NULL`,
    [volumeOf(db, loanId), bytes(loanId), pullId, until, at],
  );
}

/** The sealed reports of a run, by role; those that were answered. */
export async function readPulls(db: Sql, loanId: string, run: number): Promise<Map<string, Uint8Array>> {
  const rows = await db.query<{ role: string; sealed: Uint8Array }>(
    `SELECT role, sealed FROM bureau_pulls
     WHERE volume = $1 AND loan_id = $2 AND run = $3 AND answered_at IS NOT NULL`,
    [volumeOf(db, loanId), bytes(loanId), run],
  );
  return new Map(rows.map(({ role, sealed }) => [role, sealed]));
}
