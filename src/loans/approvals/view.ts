/** A request for approval as it is shown. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Operation } from '../../core/decide/decide.ts';
import type { ApprovalRow } from '../../store/approvals/approvals.ts';
import type { Actor } from '../door/actor.ts';
import { type ApprovalParty, partySeenBy, type RequestedApproval } from '../door/write.ts';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'lapsed'] as const;

export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** The facts of an approval in the timeline of a loan. */
export type ApprovalFact = 'approvalRequested' | 'approvalApproved' | 'approvalRejected';

/** An approval as it is shown. */
export type ApprovalView = RequestedApproval & {
  readonly state: ApprovalState;
  readonly requestedBy: ApprovalParty;
  readonly requestedAt: string;
  /** The day of the loan then. */
  readonly requestedOn: PlainDate;
  /** The version of the loan at the request. */
  readonly version: number;
  readonly decidedBy: ApprovalParty | null;
  readonly decidedAt: string | null;
  readonly transactionHash: string | null;
  /** The answer of the operation, once it is approved. */
  readonly answer: string | null;
};

/** Without the people of other organizations. */
export function seenBy(actor: Actor, view: ApprovalView): ApprovalView {
  const { requestedBy, decidedBy } = view;
  return {
    ...view,
    requestedBy: partySeenBy(actor, requestedBy),
    decidedBy: decidedBy && partySeenBy(actor, decidedBy),
  };
}

/** On a day of the owner's clock. */
export function approvalViewOf(row: ApprovalRow, today: PlainDate): ApprovalView {
  const { approvalId, loanId, preview, previewHash, version, transactionHash, answer, lapsesOn } = row;
  const isOver = row.state === 'pending' && (row.disowned || row.lapsesOn < today);
  const { decidedOrganizationId, decidedClientId, decidedUserId } = row;
  return {
    approvalId,
    loanId,
    operation: row.operation as Operation,
    state: isOver ? 'lapsed' : row.state,
    requestedBy: {
      organizationId: row.requestedOrganizationId,
      clientId: row.requestedClientId,
      userId: row.requestedUserId,
    },
    requestedAt: row.requestedAt.toISOString(),
    requestedOn: row.requestedOn,
    lapsesOn,
    version,
    decidedBy:
      decidedOrganizationId === null || decidedClientId === null
        ? null
        : { organizationId: decidedOrganizationId, clientId: decidedClientId, userId: decidedUserId },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    transactionHash,
    preview,
    previewHash,
    answer,
  };
}
