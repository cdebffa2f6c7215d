/** Notices to applicants, kept as they were made. */
import type { PlainDate } from '../../core/calendar.ts';
import { bytes, hexOf } from '../db/bytes.ts';
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

export type NoticeOwed = {
  loanId: string;
  applicationId: string;
  lenderId: string;
  status: string;
  receivedOn: PlainDate;
};

export type OwedQuery = {
  organizationId: string;
  /** Rejected, and those that are not decided. */
  statuses: readonly string[];
  /** Older applications are not looked at. */
  since: Date;
  after: { receivedOn: string; loanId: string } | null;
  limit: number;
};

/**
 * The applications of an organization of which not everybody has had a notice since the last run of underwriting, in the order in which they
 * were received. A notice of incompleteness is enough as long as nothing is decided.
 */
export async function listNoticesOwed(
  db: Sql,
  { organizationId, statuses, since, after, limit }: OwedQuery,
): Promise<NoticeOwed[]> {
  const rows = await db.query<Omit<NoticeOwed, 'loanId'> & { loan_id: Uint8Array }>(
    `SELECT l.loan_id, a.application_id AS "applicationId", l.lender_id AS "lenderId", l.status, l.first_recorded_on AS "receivedOn"
     FROM loans l JOIN applications a ON a.volume = l.volume AND a.loan_id = l.loan_id
     WHERE l.organization_id = $1 AND l.status = ANY ($2) AND l.created_at >= $3 AND NOT l.erased AND a.applied
       AND NOT EXISTS (
         SELECT 1 FROM notices n WHERE n.volume = l.volume AND n.loan_id = l.loan_id AND n.completes
           AND (n.kind = 'adverseAction' OR (n.kind = 'incompleteApplication' AND l.status <> 'Rejected'))
           AND NOT EXISTS (SELECT 1 FROM assessments s WHERE s.volume = n.volume AND s.loan_id = n.loan_id AND s.sequence > n.version))
       AND (l.first_recorded_on, l.loan_id) > ($4::date, $5::bytea)
     ORDER BY l.first_recorded_on, l.loan_id LIMIT $6`,
    [organizationId, statuses, since, after?.receivedOn ?? '-infinity', bytes(after?.loanId ?? '0x'), limit],
  );
  return rows.map(({ loan_id, ...row }) => ({ loanId: hexOf(loan_id), ...row }));
}
