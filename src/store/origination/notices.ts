/** Notices to applicants, kept as they were made. */
import type { PlainDate } from '../../core/calendar.ts';
import { bytes } from '../db/bytes.ts';
import type { Session, Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

export type KeptNotice = {
  noticeId: string;
  kind: 'adverseAction' | 'incompleteApplication' | 'scoreDisclosure';
  party: 'applicant' | 'coApplicant';
  /** The run of underwriting; 0: before the first. */
  run: number;
  madeOn: PlainDate;
  sealed: Uint8Array;
};

export type NewNotice = KeptNotice & {
  loanId: string;
  /** The version of the loan when it was made. */
  version: number;
  at: Date;
  /** The people on the application. */
  people: 1 | 2;
};

const COLUMNS = 'notice_id AS "noticeId", kind, party, run, made_on AS "madeOn", sealed';

/** Those of a loan, in the order in which they were made. */
export async function readNotices(db: Sql, loanId: string): Promise<KeptNotice[]> {
  return db.query<KeptNotice>(
    `SELECT ${COLUMNS} FROM notices WHERE volume = $1 AND loan_id = $2 ORDER BY made_at, kind, party`,
    [volumeOf(db, loanId), bytes(loanId)],
  );
}

/**
 * Keeps a notice, or answers the one that another call has kept. The loan's row is locked until the commit: of two people's notices that are
 * made at once one sees the other, and completes what is owed.
 */
export async function keepNotice(db: Session, notice: NewNotice): Promise<KeptNotice> {
  const { loanId, kind, party, run, noticeId, version, madeOn, at, people, sealed } = notice;
  return db.transaction(async (tx) => {
    const loan = [volumeOf(tx, loanId), bytes(loanId)];
    await tx.query('SELECT 1 FROM loans WHERE volume = $1 AND loan_id = $2 FOR UPDATE', loan);
    const others = await tx.query<KeptNotice>(
      `SELECT ${COLUMNS} FROM notices WHERE volume = $1 AND loan_id = $2 AND kind = $3 AND run = $4`,
      [...loan, kind, run],
    );
    const kept = others.find((one) => one.party === party);
    if (kept !== undefined) return kept;
    await tx.query(
      `INSERT INTO notices (volume, loan_id, kind, party, run, notice_id, version, made_on, made_at, completes, sealed)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [...loan, kind, party, run, noticeId, version, madeOn, at, others.length + 1 >= people, sealed],
    );
    return { noticeId, kind, party, run, madeOn, sealed };
  });
}
