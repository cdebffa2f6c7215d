/** The application: documents, underwriting and collateral, until the loan can be funded. */
import { PER_YEAR } from '../calendar.ts';
import { refuseApproval } from '../expiry.ts';
import { hardStop, isStopped } from '../hard-stops.ts';
import type { Contract, Deal, LoanStatus, OnFile } from '../loan.ts';
import type { Cents } from '../money.ts';
import type { Overridden, OverrideReason } from '../overrides.ts';
import { parsePercent } from '../rate.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { buildSchedule } from '../schedule.ts';
import { refuseStipulation, type StipulationState } from '../stipulations.ts';
import { termsOf } from '../terms.ts';
import { type Family, FUNDED } from './operation.ts';
import { isBlank } from './refusals.ts';

export type ApplicationCommand =
  | { do: 'request-documents' }
  | { do: 'verify-documents'; complete: boolean }
  /** `repull`: new reports, although those of the last run could be used. */
  | { do: 'start-underwriting'; repull?: boolean }
  /** `approved` null: as the assessment decided on the deal. `dealIndex` 0 is the requested deal. */
  | {
      do: 'complete-underwriting';
      approved: boolean | null;
      dealIndex: number;
      reason: string | null;
      /** Required where it approves what the engine declined or could not assess. */
      reasonCode?: OverrideReason | null;
      /** The rules that it overrides, found by whoever prepares it. It decides nothing here: a role's authority is measured by it. */
      overrides?: Overridden;
    }
  | {
      do: 'update-stipulation';
      stipulationId: string;
      state: StipulationState;
      evidence: string | null;
      reason: string | null;
    }
  | { do: 'request-collateral' }
  | { do: 'approve-collateral'; value: Cents };

/** Decided, and not funded: a new run takes the place of the decision. */
const DECIDED: readonly LoanStatus[] = ['Approved', 'CollateralRequested', 'CollateralApproved', 'Rejected'];

export const application: Family<ApplicationCommand> = {
  'request-documents': {
    from: ['ApplicationSubmitted', 'DocumentsRequested'],
    to: 'DocumentsRequested',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['documentsRequested'],
    decide: ({ when }) => [{ type: 'documentsRequested', date: when.today }],
  },

  'verify-documents': {
    from: ['DocumentsRequested'],
    to: 'DocumentsVerified when complete, otherwise unchanged',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['documentsVerified'],
    decide: ({ when }, { complete }) => (complete ? [{ type: 'documentsVerified', date: when.today }] : []),
  },

  'start-underwriting': {
    from: ['ApplicationSubmitted', 'DocumentsVerified', 'UnderwritingStarted', ...DECIDED],
    to: 'UnderwritingStarted: a decision that was made does not stand any more',
    by: 'owner',
    scopes: ['underwriting:write'],
    records: ['underwritingStarted'],
    blocked: ({ loan, status }) =>
      loan.policy.documentsRequired && status === 'ApplicationSubmitted'
        ? refuse(
            'documents_required',
            'The lender requires verified documents first: call request-documents, then verify-documents.',
          )
        : null,
    decide: ({ when, status }) => [
      { type: 'underwritingStarted', ...(DECIDED.includes(status) ? { again: true } : {}), date: when.today },
    ],
  },

  'complete-underwriting': {
    from: ['UnderwritingStarted'],
    to: 'Approved or Rejected',
    by: 'owner',
    scopes: ['underwriting:write'],
    records: ['approved', 'rejected'],
    needsFile: true,
    decide({ loan, when, onFile }, { approved: said, dealIndex, reason, reasonCode = null }) {
      const deal = onFile.deals[dealIndex] ?? null;
      const assessed = assessedOn(onFile, dealIndex);
      const approved = said ?? (assessed === null ? null : assessed === 'APPROVED');
      if (approved === null) {
        return refuse('decision_required', 'This loan has no decision yet: send "approved" as true or false.', {
          member: 'approved',
        });
      }
      if (approved && isStopped(onFile, dealIndex)) return hardStop([]);
      const expired = approved ? refuseApproval(loan, onFile, { dealIndex, today: when.today }) : null;
      if (expired !== null) return expired;
      const overridden = assessed !== null && approved !== (assessed === 'APPROVED');
      const overrides = approved && isOverride(onFile, assessed);
      if (overridden && !reason) {
        return refuse('reason_required', 'A decision that overrides the engine requires a reason.', {
          member: 'reason',
        });
      }
      const code = overrides ? codeOf(assessed, reasonCode) : null;
      if (isRefusal(code)) return code;
      const contract = approved && dealIndex > 0 ? contractOf(loan.contract, deal) : null;
      if (isRefusal(contract)) return contract;
      if (contract !== null) {
        const terms = termsOf(contract, contract.contractDate ?? when.today);
        const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
        if (isRefusal(schedule)) return schedule;
      }
      const decided = {
        overridden,
        by: said === null ? 'assessment' : 'officer',
        reasoned: reason !== null && !isBlank(reason),
        dealIndex,
        date: when.today,
      } as const;
      if (!approved) return [{ type: 'rejected', ...decided }];
      const override = code === null ? {} : { reasonCode: code, ...assessedAtOf(onFile) };
      return [{ type: 'approved', contract, ...decided, ...override }];
    },
  },

  'request-collateral': {
    from: ['Approved'],
    to: 'CollateralRequested',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['collateralRequested'],
    decide: ({ when }) => [{ type: 'collateralRequested', date: when.today }],
  },

  'approve-collateral': {
    from: ['Approved', 'CollateralRequested'],
    to: 'CollateralApproved',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['collateralApproved'],
    decide: ({ when }, { value }) => [{ type: 'collateralApproved', value, date: when.today }],
  },

  'update-stipulation': {
    from: ['UnderwritingStarted', 'Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED],
    to: 'unchanged',
    by: 'owner',
    scopes: ['underwriting:write'],
    records: ['stipulationUpdated'],
    needsFile: true,
    // A waiver may be the right of whoever pays the money out.
    scope: ({ events }) =>
      events.some((event) => 'waivedBy' in event && event.waivedBy === 'loans:fund') ? 'loans:fund' : null,
    decide({ loan, when, onFile }, { stipulationId, state, evidence, reason }) {
      const found = refuseStipulation(loan, onFile, { id: stipulationId, state });
      if (isRefusal(found)) return found;
      if (state === 'verified' && isBlank(evidence ?? '')) {
        const detail = 'Verifying a stipulation requires evidence: name the document or the contact that met it.';
        return refuse('required', detail, { member: 'evidence' });
      }
      if (state === 'waived' && isBlank(reason ?? '')) {
        return refuse('reason_required', 'Waiving a stipulation requires a reason.', { member: 'reason' });
      }
      const waiver = state === 'waived' ? { waivedBy: found.waivedBy } : {};
      return [{ type: 'stipulationUpdated', stipulationId, state, ...waiver, date: when.today }];
    },
  },
};

/** The assessment's decision on a deal: that of the deal itself, else that on the application; null: there is none. */
export function assessedOn({ deals, decision }: OnFile, dealIndex: number): OnFile['decision'] {
  return deals[dealIndex]?.decision ?? decision;
}

/** Whether approving this deal is an override. A loan that was boarded, with or without a decision, has none: that decision is the caller's. */
export function isOverride(onFile: OnFile, assessed: OnFile['decision']): boolean {
  return onFile.isApplication === true && assessed !== 'APPROVED';
}

/** A code that is not given: the reason is in the officer's words alone, or there was nothing to go against. */
function codeOf(assessed: OnFile['decision'], given: OverrideReason | null): OverrideReason | Refusal {
  if (assessed === null) return given ?? 'notAssessed';
  if (given !== 'notAssessed') return given ?? 'other';
  const detail = 'The engine has assessed this deal and declined it: give the reason for which that is overridden.';
  return refuse('reason_required', detail, { member: 'reasonCode' });
}

function assessedAtOf({ assessedWith }: OnFile): { assessedAt: string } | object {
  return assessedWith?.at === undefined ? {} : { assessedAt: assessedWith.at };
}

/** The contract with the terms of another deal. */
function contractOf(contract: Contract, deal: Deal | null): Contract | Refusal {
  const rate = deal === null ? null : parsePercent(deal.rate);
  const installments = deal === null ? 0 : deal.term * PER_YEAR[contract.frequency];
  if (deal === null || rate === null || installments <= 0 || installments % 12 !== 0) {
    return refuse('unknown_deal', 'There is no deal with this index and a readable amount, rate and term.', {
      member: 'dealIndex',
    });
  }
  return { ...contract, amount: deal.amount, rate, count: installments / 12, payment: deal.payment };
}
