/** The SQL of approvals. A row is added by a request, and changed once, by its decision. */

import { randomBytes } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import { type AuditEntry, recordAudit } from '../audit/audit.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Session, Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';

/** A decision that is saved with what it approves. */
export type ApprovalSave = {
  approvalId: string;
  organizationId: string;
  clientId: string;
  userId: string | null;
  at: Date;
  note: Uint8Array | null;
  transactionHash: string;
  answer: string;
  /** The approver's entry. */
  entry: AuditEntry;
};

export type NewApproval = {
  loanId: string;
  organizationId: string;
  operation: string;
  version: number;
  requestedOrganizationId: string;
  requestedClientId: string;
  requestedUserId: string | null;
  requestedAt: Date;
  requestedOn: PlainDate;
  lapsesOn: PlainDate;
  /** `0x…`, as all hashes here. */
  requestDigest: string;
  request: Uint8Array;
  reasonGiven: boolean;
  preview: string;
  previewHash: string;
  facts: string;
  keyHash: string | null;
  keyRequestHash: string | null;
  keyForever: boolean | null;
};

export type ApprovalRow = NewApproval & {
  approvalId: string;
  /** `pending` also where its last day is over. */
  state: 'pending' | 'approved' | 'rejected' | 'lapsed';
  decidedOrganizationId: string | null;
  decidedClientId: string | null;
  decidedUserId: string | null;
  decidedAt: Date | null;
  decisionNote: Uint8Array | null;
  transactionHash: string | null;
  answer: string | null;
  /** The loan has changed its owner since the request. */
  disowned: boolean;
};

/** In the volume of its loan, by its first byte. */
function newApprovalId(loanId: string): string {
  return `approval_${loanId.slice(2, 4)}${randomBytes(15).toString('hex')}`;
}

function volumeOfApproval(db: Pick<Sql, 'volumes'>, approvalId: string): number {
  return volumeOf(db, `0x${approvalId.slice('approval_'.length)}`);
}

/**
 * The pending request of this call: one that is there, or a new one, unless so many of the loan are pending. Null: the loan is no longer what
 * the request was made from. Two equal calls at once meet in the unique
 * index. The loan's row is locked until the commit, so that no request is added to a loan on which the same
 * call has just been approved.
 */
export async function addApproval(
  db: Session,
  given: NewApproval,
  { entry, most }: { readonly entry: AuditEntry; readonly most: number },
): Promise<ApprovalRow | 'too_many' | null> {
  const { loanId, requestDigest, requestedOn, version } = given;
  return db
    .transaction(async (tx) => {
      const loan = [volumeOf(tx, loanId), bytes(loanId)];
      await changeRows(
        tx,
        'approvals',
        `UPDATE approvals SET state = 'lapsed'
       WHERE volume = $1 AND loan_id = $2 AND request_digest = $3 AND state = 'pending' AND (lapses_on < $4::date
         OR EXISTS (SELECT 1 FROM former_owners f WHERE f.volume = $1 AND f.loan_id = $2 AND f.sequence > approvals.version))`,
        [...loan, bytes(requestDigest), requestedOn],
      );
      const approvalId = newApprovalId(loanId);
      const added = await changeRows(
        tx,
        'approvals',
        `INSERT INTO approvals (volume, loan_id, approval_id, organization_id, operation, version, requested_organization_id,
         requested_client_id, requested_user_id, requested_at, requested_on, lapses_on, request_digest, request, preview, preview_hash, facts,
         key_hash, key_request_hash, key_forever, reason_given, state)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, 'pending')
       ON CONFLICT (volume, loan_id, request_digest) WHERE state = 'pending' DO NOTHING`,
        [
          ...loan,
          approvalId,
          given.organizationId,
          given.operation,
          version,
          given.requestedOrganizationId,
          given.requestedClientId,
          given.requestedUserId,
          given.requestedAt,
          requestedOn,
          given.lapsesOn,
          bytes(requestDigest),
          given.request,
          given.preview,
          bytes(given.previewHash),
          given.facts,
          given.keyHash === null ? null : bytes(given.keyHash),
          given.keyRequestHash === null ? null : bytes(given.keyRequestHash),
          given.keyForever,
          given.reasonGiven,
        ],
      );
      if (added.length > 0) await recordAudit(tx, [{ ...entry, approvalId }]);
      const held = await tx.query('SELECT 1 FROM loans WHERE volume = $1 AND loan_id = $2 AND version = $3 FOR SHARE', [
        ...loan,
        version,
      ]);
      if (held.length === 0) throw new Overtaken();
      const pending = await tx.query(`SELECT 1 FROM approvals a WHERE a.volume = $1 AND ${PENDING_ON} LIMIT $4`, [
        ...loan,
        requestedOn,
        most + 1,
      ]);
      if (pending.length > most) throw new Overtaken('too_many');
      const [row] = await tx.query<RawApproval>(
        `${select('$1')} WHERE a.volume = $1 AND a.loan_id = $2 AND a.request_digest = $3 AND a.state = 'pending'`,
        [...loan, bytes(requestDigest)],
      );
      // Decided in this very moment by another transaction, which has changed the loan or will be seen by the next attempt.
      if (row === undefined) throw new Overtaken();
      return toRow(row);
    })
    .catch((error: unknown) => {
      if (error instanceof Overtaken) return error.why;
      throw error;
    });
}

/** Requests of a loan ($1, $2), on a day ($3): those whose last day is over, or whose loan has another owner, do not wait any more. */
const PENDING_ON = `a.loan_id = $2 AND a.state = 'pending' AND a.lapses_on >= $3::date
  AND NOT EXISTS (SELECT 1 FROM former_owners f WHERE f.volume = $1 AND f.loan_id = $2 AND f.sequence > a.version)`;

/** Undoes what the transaction has done so far. */
class Overtaken extends Error {
  override name = 'Overtaken';
  readonly why: 'too_many' | null;

  constructor(why: 'too_many' | null = null) {
    super();
    this.why = why;
  }
}

const COLUMNS = `a.approval_id AS "approvalId", a.loan_id, a.organization_id AS "organizationId", a.operation, a.version,
  a.requested_organization_id AS "requestedOrganizationId", a.requested_client_id AS "requestedClientId",
  a.requested_user_id AS "requestedUserId", a.requested_at AS "requestedAt", a.requested_on AS "requestedOn",
  a.lapses_on AS "lapsesOn", a.request_digest, a.request, a.reason_given AS "reasonGiven", a.preview, a.preview_hash, a.facts, a.key_hash, a.key_request_hash,
  a.key_forever AS "keyForever", a.state, a.decided_organization_id AS "decidedOrganizationId",
  a.decided_client_id AS "decidedClientId", a.decided_user_id AS "decidedUserId", a.decided_at AS "decidedAt",
  a.decision_note AS "decisionNote", a.transaction_hash, a.answer`;

/** `volume`: as the statement names it. */
const disowned = (volume: string) =>
  `EXISTS (SELECT 1 FROM former_owners f WHERE f.volume = ${volume} AND f.loan_id = a.loan_id AND f.sequence > a.version)`;

const select = (volume: string) => `SELECT ${COLUMNS}, ${disowned(volume)} AS disowned FROM approvals a`;

type RawApproval = Omit<
  ApprovalRow,
  'loanId' | 'requestDigest' | 'previewHash' | 'keyHash' | 'keyRequestHash' | 'transactionHash'
> & {
  loan_id: Uint8Array;
  request_digest: Uint8Array;
  preview_hash: Uint8Array;
  key_hash: Uint8Array | null;
  key_request_hash: Uint8Array | null;
  transaction_hash: Uint8Array | null;
};

function toRow({
  loan_id,
  request_digest,
  preview_hash,
  key_hash,
  key_request_hash,
  transaction_hash,
  ...same
}: RawApproval): ApprovalRow {
  const hex = (value: Uint8Array | null) => (value === null ? null : hexOf(value));
  return {
    ...same,
    loanId: hexOf(loan_id),
    requestDigest: hexOf(request_digest),
    previewHash: hexOf(preview_hash),
    keyHash: hex(key_hash),
    keyRequestHash: hex(key_request_hash),
    transactionHash: hex(transaction_hash),
  };
}

export async function readApproval(db: Sql, approvalId: string): Promise<ApprovalRow | null> {
  const [row] = await db.query<RawApproval>(
    `${select('$1')} WHERE a.volume = $1 AND a.approval_id = $2`,
    [volumeOfApproval(db, approvalId), approvalId],
    'read_approval',
  );
  return row === undefined ? null : toRow(row);
}

/** Those of a loan, in the order in which they were requested. */
export async function readApprovalsOf(db: Sql, loanId: string, limit: number): Promise<ApprovalRow[]> {
  const rows = await db.query<RawApproval>(
    `${select('$1')} WHERE a.volume = $1 AND a.loan_id = $2 ORDER BY a.requested_at, a.approval_id LIMIT $3`,
    [volumeOf(db, loanId), bytes(loanId), limit],
    'read_approvals_of',
  );
  return rows.map(toRow);
}

/** The number of requests of a loan that wait for a decision on a day. */
export async function countPending(db: Sql, loanId: string, today: PlainDate): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM approvals a WHERE a.volume = $1 AND ${PENDING_ON}`,
    [volumeOf(db, loanId), bytes(loanId), today],
    'count_pending',
  );
  return row?.count ?? 0;
}

/** Those of these that are pending, as far as their rows say. */
export async function pendingAmong(db: Sql, approvalIds: readonly string[]): Promise<ReadonlySet<string>> {
  const pending = new Set<string>();
  for (const [volume, some] of Map.groupBy(approvalIds, (id) => volumeOfApproval(db, id))) {
    const rows = await db.query<{ approval_id: string }>(
      "SELECT approval_id FROM approvals WHERE volume = $1 AND approval_id = ANY($2) AND state = 'pending'",
      [volume, some],
    );
    for (const { approval_id } of rows) pending.add(approval_id);
  }
  return pending;
}

/**
 * Within the transaction that saves what they approve: those that are still pending, which nobody else can decide before it ends. In the
 * order of their ids, so that two transactions cannot wait for each other.
 */
export async function holdApprovals(tx: Sql, approvalIds: readonly string[]): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const id of [...approvalIds].sort()) {
    const rows = await tx.query(
      "SELECT 1 FROM approvals WHERE volume = $1 AND approval_id = $2 AND state = 'pending' FOR UPDATE",
      [volumeOfApproval(tx, id), id],
      'hold_approval',
    );
    if (rows.length > 0) held.add(id);
  }
  return held;
}

/** Within the same transaction, once the loan is saved. */
export async function saveApproval(tx: Sql, one: ApprovalSave): Promise<void> {
  await changeRows(
    tx,
    'approvals',
    `UPDATE approvals SET state = 'approved', decided_organization_id = $3, decided_client_id = $4, decided_user_id = $5, decided_at = $6,
       decision_note = $7, transaction_hash = $8, answer = $9
     WHERE volume = $1 AND approval_id = $2 AND state = 'pending'`,
    [...decisionOf(tx, one), bytes(one.transactionHash), one.answer],
    'save_approval',
  );
}

/** False: it was not pending any more. */
export async function rejectApproval(db: Session, one: Decision): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rejected = await changeRows(
      tx,
      'approvals',
      `UPDATE approvals SET state = 'rejected', decided_organization_id = $3, decided_client_id = $4, decided_user_id = $5, decided_at = $6,
         decision_note = $7
       WHERE volume = $1 AND approval_id = $2 AND state = 'pending'`,
      decisionOf(tx, one),
      'reject_approval',
    );
    if (rejected.length === 0) return false;
    await recordAudit(tx, [one.entry]);
    return true;
  });
}

type Decision = Omit<ApprovalSave, 'transactionHash' | 'answer'>;

/** $1 to $7 of a decision: which one, by whom, when and why. */
function decisionOf(tx: Pick<Sql, 'volumes'>, one: Decision): unknown[] {
  const { approvalId, organizationId, clientId, userId, at, note } = one;
  return [volumeOfApproval(tx, approvalId), approvalId, organizationId, clientId, userId, at, note];
}

export type ApprovalsQuery = {
  /** The caller's organization: it sees those of its loans, and its own requests. */
  organizationId: string;
  /** Every owner whose requests may be among them, with the day of its clock. */
  owners: readonly { organizationId: string; today: PlainDate }[];
  /** The loans that other owners let it see; `servicerId` null: all their loans. */
  grants: readonly { ownerOrganizationId: string; servicerId: string | null }[];
  state: ApprovalRow['state'] | null;
  loanId: string | null;
  before: { requestedAt: Date; approvalId: string } | null;
  limit: number;
};

/** The newest first. */
export async function listApprovals(db: Sql, asked: ApprovalsQuery): Promise<ApprovalRow[]> {
  const { organizationId, owners, grants, state, loanId, before, limit } = asked;
  const lapsed = `(a.state = 'lapsed' OR (a.state = 'pending' AND (a.lapses_on < o.today OR ${disowned('a.volume')})))`;
  const rows = await db.query<RawApproval>(
    `${select('a.volume')}
     JOIN unnest($1::text[], $2::date[]) AS o (organization_id, today) ON o.organization_id = a.organization_id
     JOIN loans l ON l.volume = a.volume AND l.loan_id = a.loan_id
     WHERE (a.organization_id = $3 OR a.requested_organization_id = $3 OR EXISTS (
         SELECT 1 FROM unnest($4::text[], $5::text[]) AS g (owner, servicer)
         WHERE g.owner = l.organization_id AND g.owner = a.organization_id
           AND (g.servicer IS NULL OR g.servicer = l.primary_servicer_id OR g.servicer = l.secondary_servicer_id)))
       AND ($6::bytea IS NULL OR (a.volume = $7 AND a.loan_id = $6))
       AND ($8::text IS NULL OR CASE WHEN ${lapsed} THEN 'lapsed' ELSE a.state END = $8)
       AND (a.requested_at, a.approval_id) < ($9::timestamptz, $10)
     ORDER BY a.requested_at DESC, a.approval_id DESC LIMIT $11`,
    [
      owners.map((one) => one.organizationId),
      owners.map(({ today }) => today),
      organizationId,
      grants.map(({ ownerOrganizationId }) => ownerOrganizationId),
      grants.map(({ servicerId }) => servicerId),
      loanId === null ? null : bytes(loanId),
      loanId === null ? null : volumeOf(db, loanId),
      state,
      before?.requestedAt ?? 'infinity',
      before?.approvalId ?? '',
      limit,
    ],
  );
  return rows.map(toRow);
}

/** The owners of loans of which an organization has requested something. */
export async function ownersAsked(db: Sql, organizationId: string): Promise<string[]> {
  const rows = await db.query<{ organization_id: string }>(
    'SELECT DISTINCT organization_id FROM approvals WHERE requested_organization_id = $1 LIMIT 1000',
    [organizationId],
  );
  return rows.map(({ organization_id }) => organization_id);
}
