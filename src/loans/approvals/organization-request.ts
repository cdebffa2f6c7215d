/** A request for approval that belongs to no loan, and the two ways in which a write of it ends without a commit. */

import type { PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import type { ApproverNeeded, OrganizationApprovalRow } from '../../store/approvals/organization-approvals.ts';
import type { ApprovalParty } from '../door/write.ts';

/** A request as it is shown; `loanId`, `version` and `transactionHash` are for those of loans. */
export type OrganizationApproval = {
  readonly approvalId: string;
  readonly loanId: null;
  readonly operation: string;
  readonly lapsesOn: PlainDate;
  readonly preview: string;
  readonly previewHash: string;
  readonly state: OrganizationApprovalRow['state'];
  readonly requestedBy: ApprovalParty;
  readonly requestedAt: string;
  readonly requestedOn: PlainDate;
  readonly version: null;
  readonly decidedBy: ApprovalParty | null;
  readonly decidedAt: string | null;
  readonly transactionHash: null;
  readonly answer: string | null;
};

/** On a day of the organization's clock. */
export function organizationApprovalOf(row: OrganizationApprovalRow, today: PlainDate): OrganizationApproval {
  const { approvalId, organizationId, operation, lapsesOn, preview, previewHash, requestedOn, answer } = row;
  const { decidedClientId } = row;
  return {
    ...{ approvalId, operation, lapsesOn, preview, previewHash, requestedOn, answer },
    ...{ loanId: null, version: null, transactionHash: null },
    state: row.state === 'pending' && lapsesOn < today ? 'lapsed' : row.state,
    requestedBy: { organizationId, clientId: row.requestedClientId, userId: row.requestedUserId },
    requestedAt: row.requestedAt.toISOString(),
    decidedBy:
      decidedClientId === null ? null : { organizationId, clientId: decidedClientId, userId: row.decidedUserId },
    decidedAt: row.decidedAt?.toISOString() ?? null,
  };
}

export type ApprovedOutcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'not_pending' }
  /** The requester has used the idempotency key, and so carried it out, in the meantime. */
  | { readonly kind: 'carried_out' }
  | { readonly kind: 'outcome_changed'; readonly preview: string; readonly previewHash: string }
  | { readonly kind: 'person_required'; readonly administrator: boolean }
  /** The amount is above the limit of the approver's own role. */
  | { readonly kind: 'above_limit'; readonly operation: string; readonly amount: Cents; readonly limit: Cents };

/** Rolls a write back that waits for an approval. */
export class Waits extends Error {
  override name = 'Waits';
  readonly needs: ApproverNeeded;
  readonly done: object;
  readonly preview: string;

  constructor(needs: ApproverNeeded, done: object, preview: string) {
    super('The write waits for an approval.');
    this.needs = needs;
    this.done = done;
    this.preview = preview;
  }
}

/** Rolls an approved write back. */
export class NotApproved extends Error {
  override name = 'NotApproved';
  readonly outcome: ApprovedOutcome;

  constructor(outcome: ApprovedOutcome) {
    super('The approval does not cover the write.');
    this.outcome = outcome;
  }
}
