/** Transfers of loans as rows: which are due, which are offered to whom. The events of the loans are what counts. */
import type { PlainDate } from '../../core/calendar.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { TransferState } from '../door/save-transfers.ts';

export type DueTransfer = {
  loanId: string;
  transferId: string;
  /** The owner, by whose clock it is due. */
  organizationId: string;
  toOrganizationId: string | null;
  date: PlainDate;
};

/** Those scheduled and accepted for a day or an earlier one, in the order of their dates, after one of them; of one owner or of all. */
export async function readDueTransfers(
  db: Sql,
  asked: {
    through: PlainDate;
    organizationId: string | null;
    after: { date: PlainDate; loanId: string } | null;
    limit: number;
  },
): Promise<DueTransfer[]> {
  const volumes = Array.from({ length: db.volumes.count }, (_, volume) => volume);
  const { through, organizationId, after, limit } = asked;
  const rows = await db.query<Omit<DueTransfer, 'loanId'> & { loan_id: Uint8Array }>(
    `SELECT loan_id, transfer_id AS "transferId", organization_id AS "organizationId", to_organization_id AS "toOrganizationId", date
     FROM transfers
     WHERE volume = ANY($1::smallint[]) AND state IN ('scheduled', 'accepted') AND date <= $2
       AND ($3::text IS NULL OR organization_id = $3) AND (date, loan_id) > ($4::date, $5::bytea)
     ORDER BY date, loan_id LIMIT $6`,
    [volumes, through, organizationId, after?.date ?? '-infinity', bytes(after?.loanId ?? '0x'), limit],
  );
  return rows.map(({ loan_id, ...row }) => ({ loanId: hexOf(loan_id), ...row }));
}

export type ListedTransfer = {
  transferId: string;
  loanId: string;
  organizationId: string;
  what: 'servicer' | 'owner';
  toServicerId: string | null;
  toOrganizationId: string | null;
  toLenderId: string | null;
  date: PlainDate;
  state: TransferState;
  scheduledAt: Date;
  changedAt: Date;
};

export type TransfersQuery = {
  organizationId: string;
  /** Offered to the organization, or scheduled by it. */
  direction: 'in' | 'out';
  transferId: string | null;
  state: TransferState | null;
  after: { transferId: string; loanId: string } | null;
  limit: number;
};

/** In the order of transfers and loans. */
export async function listTransfers(db: Sql, asked: TransfersQuery): Promise<ListedTransfer[]> {
  const { organizationId, direction, transferId, state, after, limit } = asked;
  const whose = direction === 'in' ? 'to_organization_id' : 'organization_id';
  const rows = await db.query<Omit<ListedTransfer, 'loanId'> & { loan_id: Uint8Array }>(
    `SELECT transfer_id AS "transferId", loan_id, organization_id AS "organizationId", what, to_servicer_id AS "toServicerId",
       to_organization_id AS "toOrganizationId", to_lender_id AS "toLenderId", date, state, scheduled_at AS "scheduledAt",
       changed_at AS "changedAt"
     FROM transfers
     WHERE ${whose} = $1 AND ($2::text IS NULL OR transfer_id = $2) AND ($3::text IS NULL OR state = $3)
       AND (transfer_id, loan_id) > ($4, $5::bytea)
     ORDER BY transfer_id, loan_id LIMIT $6`,
    [organizationId, transferId, state, after?.transferId ?? '', bytes(after?.loanId ?? '0x'), limit],
  );
  return rows.map(({ loan_id, ...row }) => ({ loanId: hexOf(loan_id), ...row }));
}

export async function organizationExists(db: Sql, organizationId: string): Promise<boolean> {
  const rows = await db.query('SELECT 1 FROM organizations WHERE organization_id = $1', [organizationId]);
  return rows.length > 0;
}
