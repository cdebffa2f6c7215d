/** The SQL of requests for approval that belong to no loan. A row is added by a request, and changed once, by its decision. */
import { randomBytes } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import { type AuditEntry, recordAudit } from '../audit/audit.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Session, Sql } from '../db/db.ts';

/** `administrator`: a person who administers has to approve it. `approver`: whoever may do the operation. */
export type ApproverNeeded = 'approver' | 'administrator';

export type NewOrganizationApproval = {
  organizationId: string;
  operation: string;
  needs: ApproverNeeded;
  requestedClientId: string;
  requestedUserId: string | null;
  requestedAt: Date;
  requestedOn: PlainDate;
  lapsesOn: PlainDate;
  /** `0x…`, as all hashes here. */
  requestDigest: string;
  request: Uint8Array;
  preview: string;
  previewHash: string;
  keyHash: string | null;
  keyRequestHash: string | null;
};

export type OrganizationApprovalRow = Omit<NewOrganizationApproval, 'requestDigest'> & {
  approvalId: string;
  /** `pending` also where its last day is over. */
  state: 'pending' | 'approved' | 'rejected' | 'lapsed';
  decidedClientId: string | null;
  decidedUserId: string | null;
  decidedAt: Date | null;
  answer: string | null;
};

/** The pending request of this call: one that is there, or a new one; `too_many`: so many of the organization are pending. */
export async function addOrganizationApproval(
  db: Session,
  given: NewOrganizationApproval,
  { entry, most }: { readonly entry: AuditEntry; readonly most: number },
): Promise<{ row: OrganizationApprovalRow; isNew: boolean } | 'too_many'> {
  const { organizationId, requestDigest, requestedOn } = given;
  const call = [organizationId, bytes(requestDigest)];
  return db.transaction(async (tx) => {
    // One after the other for an organization, so that the number of pending ones is right.
    await tx.query('SELECT 1 FROM organizations WHERE organization_id = $1 FOR NO KEY UPDATE', [organizationId]);
    await changeRows(
      tx,
      'organization_approvals',
      `UPDATE organization_approvals SET state = 'lapsed'
       WHERE organization_id = $1 AND request_digest = $2 AND state = 'pending' AND lapses_on < $3::date`,
      [...call, requestedOn],
    );
    const same = await samePending(tx, call);
    if (same !== null) return { row: same, isNew: false };
    const pending = await tx.query(
      `SELECT 1 FROM organization_approvals WHERE organization_id = $1 AND state = 'pending' AND lapses_on >= $2::date LIMIT $3`,
      [organizationId, requestedOn, most],
    );
    if (pending.length >= most) return 'too_many';
    const approvalId = `approval_${randomBytes(16).toString('hex')}`;
    await insert(tx, approvalId, given);
    await recordAudit(tx, [{ ...entry, approvalId }]);
    const row = await readOrganizationApproval(tx, approvalId);
    if (row === null) throw new Error('A request for approval is not there after it was added.');
    return { row, isNew: true };
  });
}

async function insert(tx: Sql, approvalId: string, given: NewOrganizationApproval): Promise<void> {
  await changeRows(
    tx,
    'organization_approvals',
    `INSERT INTO organization_approvals (approval_id, organization_id, operation, needs, requested_client_id, requested_user_id, requested_at,
       requested_on, lapses_on, request_digest, request, preview, preview_hash, key_hash, key_request_hash, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'pending')`,
    [
      approvalId,
      given.organizationId,
      given.operation,
      given.needs,
      given.requestedClientId,
      given.requestedUserId,
      given.requestedAt,
      given.requestedOn,
      given.lapsesOn,
      bytes(given.requestDigest),
      given.request,
      given.preview,
      bytes(given.previewHash),
      given.keyHash === null ? null : bytes(given.keyHash),
      given.keyRequestHash === null ? null : bytes(given.keyRequestHash),
    ],
  );
}

const SELECT = `SELECT approval_id AS "approvalId", organization_id AS "organizationId", operation, needs,
  requested_client_id AS "requestedClientId", requested_user_id AS "requestedUserId", requested_at AS "requestedAt",
  requested_on AS "requestedOn", lapses_on AS "lapsesOn", request, preview, preview_hash, key_hash, key_request_hash, state,
  decided_client_id AS "decidedClientId", decided_user_id AS "decidedUserId", decided_at AS "decidedAt", answer
  FROM organization_approvals`;

type RawApproval = Omit<OrganizationApprovalRow, 'previewHash' | 'keyHash' | 'keyRequestHash'> & {
  preview_hash: Uint8Array;
  key_hash: Uint8Array | null;
  key_request_hash: Uint8Array | null;
};

function toRow({ preview_hash, key_hash, key_request_hash, ...same }: RawApproval): OrganizationApprovalRow {
  const hex = (value: Uint8Array | null) => (value === null ? null : hexOf(value));
  return { ...same, previewHash: hexOf(preview_hash), keyHash: hex(key_hash), keyRequestHash: hex(key_request_hash) };
}

async function samePending(tx: Sql, call: readonly unknown[]): Promise<OrganizationApprovalRow | null> {
  const [row] = await tx.query<RawApproval>(
    `${SELECT} WHERE organization_id = $1 AND request_digest = $2 AND state = 'pending'`,
    call,
  );
  return row === undefined ? null : toRow(row);
}

export async function readOrganizationApproval(sql: Sql, approvalId: string): Promise<OrganizationApprovalRow | null> {
  const [row] = await sql.query<RawApproval>(`${SELECT} WHERE approval_id = $1`, [approvalId]);
  return row === undefined ? null : toRow(row);
}

export type OrganizationApprovalsQuery = {
  organizationId: string;
  /** The day of its clock. */
  today: PlainDate;
  /** The operations whose requests are listed; those that the caller has made itself are listed in any case. */
  operations: readonly string[];
  requestedBy: { clientId: string; userId: string | null };
  state: OrganizationApprovalRow['state'] | null;
  before: { requestedAt: Date; approvalId: string } | null;
  limit: number;
};

/** The newest first. */
export async function listOrganizationApprovals(
  sql: Sql,
  asked: OrganizationApprovalsQuery,
): Promise<OrganizationApprovalRow[]> {
  const { organizationId, today, operations, requestedBy, state, before, limit } = asked;
  const rows = await sql.query<RawApproval>(
    `${SELECT}
     WHERE organization_id = $1
       AND (operation = ANY ($2::text[]) OR (requested_user_id IS NOT DISTINCT FROM $3 AND ($3 IS NOT NULL OR requested_client_id = $4)))
       AND ($5::text IS NULL OR CASE WHEN state = 'pending' AND lapses_on < $6::date THEN 'lapsed' ELSE state END = $5)
       AND (requested_at, approval_id) < ($7::timestamptz, $8)
     ORDER BY requested_at DESC, approval_id DESC LIMIT $9`,
    [
      organizationId,
      operations,
      requestedBy.userId,
      requestedBy.clientId,
      state,
      today,
      before?.requestedAt ?? 'infinity',
      before?.approvalId ?? '',
      limit,
    ],
  );
  return rows.map(toRow);
}

/** Within the transaction of what it approves: whether it is still pending on a day; then nobody else can decide it before the end. */
export async function holdOrganizationApproval(tx: Sql, approvalId: string, today: PlainDate): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM organization_approvals WHERE approval_id = $1 AND state = 'pending' AND lapses_on >= $2::date FOR UPDATE`,
    [approvalId, today],
  );
  return rows.length > 0;
}

export type OrganizationDecision = {
  approvalId: string;
  clientId: string;
  userId: string | null;
  at: Date;
  note: Uint8Array;
  /** The decider's entry. */
  entry: AuditEntry;
};

/** Within the same transaction. `answer` null: it is rejected. False: it was not pending any more. */
export async function decideOrganizationApproval(
  tx: Sql,
  { approvalId, clientId, userId, at, note, entry }: OrganizationDecision,
  answer: string | null,
): Promise<boolean> {
  const decided = await changeRows(
    tx,
    'organization_approvals',
    `UPDATE organization_approvals SET state = $6, decided_client_id = $2, decided_user_id = $3, decided_at = $4, decision_note = $5, answer = $7
     WHERE approval_id = $1 AND state = 'pending'`,
    [approvalId, clientId, userId, at, note, answer === null ? 'rejected' : 'approved', answer],
  );
  if (decided.length === 0) return false;
  await recordAudit(tx, [entry]);
  return true;
}
