/**
 * Approvals: a write that a policy or the caller's role submits to a second person or client. The first call is a request and changes nothing;
 * it is carried out by the approval, for the requester, if what it does is still what the request has shown.
 */

import type { PlainDate } from '../../core/calendar.ts';
import type { Operation } from '../../core/decide/decide.ts';
import type { Cents } from '../../core/money.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Key } from '../../store/door/idempotency.ts';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'lapsed'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What the timeline of a loan shows of an approval. */
export type ApprovalFact = 'approvalRequested' | 'approvalApproved' | 'approvalRejected';

/** Who requested or decided it. */
export type Party = {
  readonly organizationId: string;
  readonly clientId: string;
  /** Null: the client acted by itself. */
  readonly userId: string | null;
};

/** The same person, through whichever session or client; or the same client acting by itself. */
export function isBy(
  { clientId, userId }: { readonly clientId: string; readonly userId?: string | null },
  party: Party,
): boolean {
  return (userId ?? null) === null && party.userId === null ? clientId === party.clientId : userId === party.userId;
}

/** What a write needs so that it can wait for an approval; `Change` is what it would do. */
export type Approvable<Change> = {
  /** The JSON text of its body, and how it is read: with the same ids that were made up for it, and amounts in plain numbers or not. */
  readonly source: string;
  readonly fresh: string;
  readonly plain: boolean;
  /** The data of its dry run, as JSON. Pure. */
  readonly preview: (change: Change) => string;
};

/** What a request has shown: the preview, and what the operation itself would do (`outcome.ts`), both on the day of the request. */
export type Shown = {
  readonly preview: string;
  readonly previewHash: string;
  readonly facts: string;
  readonly version: number;
  readonly today: PlainDate;
};

/** A write that is not carried out before it is approved. */
export type NeededApproval = Shown & {
  readonly loanId: string;
  /** The owner of the loan. */
  readonly organizationId: string;
  readonly operation: Operation;
  readonly at: string;
  readonly lapsesOn: PlainDate;
};

/** A pending request that is being approved: with it the write path carries out what was requested. */
export type Approving = {
  readonly approvalId: string;
  readonly requestedBy: Party;
  /** The idempotency key of the request. */
  readonly key: Pick<Key, 'keyHash' | 'requestHash' | 'forever'> | null;
  readonly shown: Shown;
  readonly lapsesOn: PlainDate;
  /** The hash of a newer preview that the approver has seen; null: what the request has shown counts. */
  readonly previewHash: string | null;
  readonly decidedBy: Party;
  /** The reason of the decision, sealed. */
  readonly note: Uint8Array | null;
  /** The approver's, for the audit trail. */
  readonly entry: AuditEntry;
};

/** The outcomes of writes that have to do with approvals. */
export type ApprovalOutcome =
  /** Within this module: it becomes `requested`. */
  | { readonly kind: 'needs_approval'; readonly needed: NeededApproval }
  | { readonly kind: 'requested'; readonly request: RequestedApproval }
  /** Of an approval: it was decided or has lapsed in the meantime. */
  | { readonly kind: 'not_pending' }
  /** What would be done now is not what was shown. */
  | { readonly kind: 'outcome_changed'; readonly preview: string; readonly previewHash: string }
  /** The amount is above what the approver's role allows. */
  | { readonly kind: 'above_limit'; readonly amount: Cents | null; readonly limit: Cents };

export type RequestedApproval = Pick<
  NeededApproval,
  'loanId' | 'operation' | 'preview' | 'previewHash' | 'lapsesOn'
> & {
  readonly approvalId: string;
};

/** An approval as it is shown. */
export type ApprovalView = RequestedApproval & {
  readonly state: ApprovalState;
  readonly requestedBy: Party;
  readonly requestedAt: string;
  /** The day of the loan then. */
  readonly requestedOn: PlainDate;
  /** The version of the loan at the request. */
  readonly version: number;
  readonly decidedBy: Party | null;
  readonly decidedAt: string | null;
  readonly transactionHash: string | null;
  /** The answer of the operation, once it is approved. */
  readonly answer: string | null;
};

export type ShownApproval = {
  readonly approval: ApprovalView;
  /** Null: the borrower was erased, and the body with them. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly disclosed: boolean;
};

export type ApprovalFilter = {
  readonly state: ApprovalState | null;
  readonly loanId: string | null;
  readonly limit: number;
  readonly cursor: string | null;
};

/** Why a caller cannot decide on a request now. */
export type Undecidable =
  | { readonly kind: 'own_request' }
  | { readonly kind: 'decided'; readonly approval: ApprovalView }
  | { readonly kind: 'lapsed'; readonly approval: ApprovalView }
  | { readonly kind: 'denied'; readonly needs: 'grant' | 'ownership' }
  /** The borrower was erased, and the request with it. */
  | { readonly kind: 'erased' };

/** A request that the caller may approve, as it was sent. */
export type ToApprove = {
  readonly kind: 'open';
  readonly source: string;
  readonly fresh: string;
  readonly plain: boolean;
  readonly approving: Approving;
};

export type Approvals<Actor> = {
  /** The newest first. */
  list(
    actor: Actor,
    filter: ApprovalFilter,
  ): Promise<{ items: readonly ApprovalView[]; nextCursor: string | null } | 'bad_cursor'>;
  /** Null: there is none, or the actor may not see it. */
  read(actor: Actor, approvalId: string): Promise<ApprovalView | null>;
  /** With the body of the call; what may name a person only for callers that may see personal data, which is then a disclosure. */
  show(actor: Actor, approvalId: string): Promise<ShownApproval | null>;
  /** What has to be carried out. A decision that the actor has taken before is answered again (`decided`). */
  open(
    actor: Actor,
    approvalId: string,
    decision: { readonly reason: string; readonly previewHash: string | null },
  ): Promise<ToApprove | Undecidable | null>;
  /** How many requests of a loan, which the actor may see, wait for a decision today. */
  countPending(actor: Actor, loan: { readonly loanId: string; readonly organizationId: string }): Promise<number>;
  /** By the requester it withdraws the request. */
  reject(actor: Actor, approvalId: string, reason: string): Promise<ApprovalView | Undecidable | null>;
};
