/**
 * Boarding a loan in a status does at once what several operations would have done one after the other. It needs what each of them needs: its
 * scope, and no approval, since there is no loan yet that a request for approval could wait with.
 */
import type { Operation } from '../../core/decide/decide.ts';
import type { LoanStatus } from '../../core/loan.ts';
import type { Policy } from '../../core/policy.ts';
import { refuse } from '../../core/refusal.ts';
import type { Actor } from '../door/actor.ts';
import type { Outcome } from '../door/write.ts';

type Step = readonly [operation: Operation, scope: string];

const ASSESSED: readonly Step[] = [['start-underwriting', 'underwriting:write']];
const DECIDED: readonly Step[] = [...ASSESSED, ['complete-underwriting', 'underwriting:write']];
const FUNDED: readonly Step[] = [...DECIDED, ['fund-loan', 'loans:fund']];
const REPAYING: readonly Step[] = [...FUNDED, ['initiate-repayment', 'servicing:write']];
const ENDED: readonly Step[] = [...REPAYING, ['loan-repay', 'payments:write'], ['close', 'servicing:write']];

/** The operations that lead to each status, beside those that every creation may do. */
export const STEPS_TO: Readonly<Record<LoanStatus, readonly Step[]>> = {
  ApplicationSubmitted: [],
  DocumentsRequested: [['request-documents', 'loans:write']],
  DocumentsVerified: [['verify-documents', 'loans:write']],
  UnderwritingStarted: ASSESSED,
  Approved: DECIDED,
  Rejected: DECIDED,
  CollateralRequested: [...DECIDED, ['request-collateral', 'loans:write']],
  CollateralApproved: [...DECIDED, ['approve-collateral', 'loans:write']],
  Funded: FUNDED,
  Current: REPAYING,
  Delinquent: REPAYING,
  Defaulted: [...REPAYING, ['default', 'servicing:write']],
  ChargedOff: [...REPAYING, ['charge-off', 'servicing:write']],
  Closed: ENDED,
  ClosedEarly: ENDED,
  Cancelled: [['cancel', 'loans:write']],
};

/** The reason that the actor may not board a loan in this status; null: it may. An operation with a limit is above it here, for any amount. */
export function refuseBoarding({ scopes, limits }: Actor, status: LoanStatus, { approvals }: Policy): Outcome | null {
  for (const [, scope] of STEPS_TO[status]) {
    if (!scopes.has(scope)) return { kind: 'denied', needs: 'scope', scope };
  }
  const waits = STEPS_TO[status].find(([one]) => approvals[one] !== undefined || limits?.[one] !== undefined);
  if (waits === undefined) return null;
  const [operation] = waits;
  const detail = `Boarding a loan as ${status} includes ${operation}, which needs an approval here. Board the loan in an earlier status, then send POST /${operation}.`;
  return { kind: 'refused', refusal: refuse('approval_required', detail, { member: 'loanStatus' }) };
}
