/**
 * Boarding a loan in a status does at once what several operations would have done one after the other, and so does creating one as published.
 * It needs what each of them needs: its scope, and no approval, since there is no loan yet that a request for approval could wait with.
 */
import { type Operation, recordedBy, scopesFor } from '../../core/decide/decide.ts';
import type { Dated } from '../../core/decide/operation.ts';
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

/** A loan that is about to be created. */
export type ToCreate = {
  /** Null: an application. */
  readonly boarded: { readonly status: LoanStatus; readonly facts: readonly Dated[] } | null;
  readonly published: boolean;
  readonly policy: Pick<Policy, 'approvals' | 'publish'>;
};

/** The reason that the actor may not create such a loan; null: it may. An operation with a limit is above it here, for any amount. */
export function refuseCreation({ scopes, limits }: Actor, asked: ToCreate): Outcome | null {
  const { boarded, policy } = asked;
  const steps = stepsTo(asked);
  for (const [, scope] of steps) {
    if (!scopes.has(scope)) return { kind: 'denied', needs: 'scope', scope };
  }
  const waits = steps.find(([one]) => policy.approvals[one] !== undefined || limits?.[one] !== undefined);
  if (waits === undefined) return null;
  const [operation] = waits;
  const refused = (detail: string, member: string): Outcome => ({
    kind: 'refused',
    refusal: refuse('approval_required', detail, { member }),
  });
  if (boarded === null || operation === 'publish') {
    const detail = 'A loan that is created as published includes publish, which needs an approval here.';
    return refused(`${detail} Create it with published false, then send POST /publish.`, 'published');
  }
  const detail = `Boarding a loan as ${boarded.status} includes ${operation}, which needs an approval here.`;
  return refused(`${detail} Board the loan in an earlier status, then send POST /${operation}.`, 'loanStatus');
}

/** The operations that lead to the status, those of the facts that are recorded with it, and the publication unless the policy publishes. */
function stepsTo({ boarded, published, policy }: ToCreate): readonly Step[] {
  const steps = boarded === null ? [] : [...STEPS_TO[boarded.status]];
  const include = (operation: Operation) => {
    if (!steps.some(([one]) => one === operation)) steps.push([operation, scopesFor(operation)[0] as string]);
  };
  for (const fact of boarded?.facts ?? []) {
    recordedBy(fact.type).forEach(include);
    if (fact.type === 'opened' && (fact.record?.acceleratedOn ?? null) !== null) include('accelerate');
  }
  if (published && !policy.publish) include('publish');
  return steps;
}
