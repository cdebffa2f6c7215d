/** The application: documents, underwriting and collateral, up to the day the loan can be funded. */
import type { Contract } from '../loan.ts';
import type { Cents } from '../money.ts';
import { isRefusal, refuse } from '../refusal.ts';
import { buildSchedule } from '../schedule.ts';
import { termsOf } from '../terms.ts';
import type { Family } from './operation.ts';

export type ApplicationCommand =
  | { do: 'request-documents' }
  | { do: 'verify-documents'; complete: boolean }
  | { do: 'start-underwriting' }
  | {
      do: 'complete-underwriting';
      approved: boolean;
      overridden: boolean;
      reason: string | null;
      contract: Contract | null;
    }
  | { do: 'request-collateral' }
  | { do: 'approve-collateral'; value: Cents };

export const application: Family<ApplicationCommand> = {
  'request-documents': {
    from: ['ApplicationSubmitted', 'DocumentsRequested'],
    to: 'DocumentsRequested',
    by: 'owner',
    decide: ({ when }) => [{ type: 'documentsRequested', date: when.today }],
  },

  'verify-documents': {
    from: ['DocumentsRequested'],
    to: 'DocumentsVerified when complete, else unchanged',
    by: 'owner',
    decide: ({ when }, { complete }) => (complete ? [{ type: 'documentsVerified', date: when.today }] : []),
  },

  'start-underwriting': {
    from: ['ApplicationSubmitted', 'DocumentsVerified', 'UnderwritingStarted'],
    to: 'UnderwritingStarted',
    by: 'owner',
    decide({ loan, status, when }) {
      if (loan.policy.documentsRequired && status === 'ApplicationSubmitted') {
        return refuse(
          'documents_required',
          'The lender wants documents verified first: request-documents, then verify-documents.',
        );
      }
      return [{ type: 'underwritingStarted', date: when.today }];
    },
  },

  'complete-underwriting': {
    from: ['UnderwritingStarted'],
    to: 'Approved or Rejected',
    by: 'owner',
    decide({ when }, { approved, overridden, reason, contract }) {
      if (overridden && !reason) {
        return refuse('reason_required', 'A decision other than the engine’s needs a reason.', { member: 'reason' });
      }
      if (approved && contract !== null) {
        const terms = termsOf(contract, contract.contractDate ?? when.today);
        const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
        if (isRefusal(schedule)) return schedule;
      }
      return [
        approved
          ? { type: 'approved', overridden, contract, date: when.today }
          : { type: 'rejected', overridden, date: when.today },
      ];
    },
  },

  'request-collateral': {
    from: ['Approved'],
    to: 'CollateralRequested',
    by: 'owner',
    decide: ({ when }) => [{ type: 'collateralRequested', date: when.today }],
  },

  'approve-collateral': {
    from: ['Approved', 'CollateralRequested'],
    to: 'CollateralApproved',
    by: 'owner',
    decide: ({ when }, { value }) => [{ type: 'collateralApproved', value, date: when.today }],
  },
};
