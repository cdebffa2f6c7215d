/** Decisions that cannot be taken: the problem, or the answer to one that the caller has taken before. */
import type { AnyApproval, Undecidable } from '../../loans/approvals/approvals.ts';
import type { OrganizationApproval, OrganizationUndecidable } from '../../loans/approvals/organization-approvals.ts';
import type { ApprovalView } from '../../loans/approvals/view.ts';
import type { Actor } from '../../loans/door/actor.ts';
import { isBy } from '../../loans/door/write.ts';
import { NOT_GRANTED } from '../shared/allowed.ts';
import { personRequired } from '../shared/approval-answers.ts';
import { Problem } from '../shared/problems.ts';

/** By the same person, or by the same client acting by itself. */
export const decidedBy = ({ decidedBy: party }: Pick<AnyApproval, 'decidedBy'>, actor: Actor) =>
  party !== null && isBy(actor, party);

/** The same decision of the same person or client is answered again; everything else is a problem. */
export function again(found: Undecidable, actor: Actor, state: 'approved' | 'rejected'): ApprovalView {
  switch (found.kind) {
    case 'decided':
      return sameDecision(found.approval, actor, state);
    case 'lapsed': {
      const { approvalId, lapsesOn } = found.approval;
      const detail = `The request could be decided until ${lapsesOn}, and only while the loan kept its owner. Send the write again.`;
      throw new Problem('approval_lapsed', detail, { approvalId });
    }
    case 'own_request':
      throw ownRequest();
    case 'erased':
      throw new Problem(
        'conflict',
        'The borrower of this loan was erased, so the request can no longer be read. Reject it.',
      );
    case 'denied':
      throw new Problem('not_granted', NOT_GRANTED[found.needs]);
  }
}

export function againOwn(
  found: OrganizationUndecidable,
  actor: Actor,
  state: 'approved' | 'rejected',
): OrganizationApproval {
  switch (found.kind) {
    case 'decided':
      return sameDecision(found.approval, actor, state);
    case 'lapsed': {
      const { approvalId, lapsesOn } = found.approval;
      const detail = `The request could be decided until ${lapsesOn}. Send the write again.`;
      throw new Problem('approval_lapsed', detail, { approvalId });
    }
    case 'own_request':
      throw ownRequest();
    case 'person_required': {
      const administrator = 'Another person who administers this organization has to approve this, in a session.';
      throw found.administrator ? personRequired(administrator) : personRequired();
    }
  }
}

function sameDecision<A extends AnyApproval>(approval: A, actor: Actor, state: 'approved' | 'rejected'): A {
  if (approval.state === state && decidedBy(approval, actor)) return approval;
  const { approvalId, decidedBy: by, decidedAt, transactionHash } = approval;
  const facts = { approvalId, state: approval.state, decidedBy: by, decidedAt, transactionHash };
  throw new Problem('already_decided', `The request was ${approval.state} at ${decidedAt}.`, facts);
}

const ownRequest = () =>
  new Problem(
    'own_request',
    'You made this request yourself, or through a client whose credentials you have; somebody else has to approve it.',
  );
