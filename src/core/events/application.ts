/** The application: from its creation until the loan can be funded. */
import type { Contract, Stage } from '../loan.ts';
import type { Cents } from '../money.ts';
import type { Policy, PolicyChange } from '../policy.ts';
import type { EventFamily, Run } from './definition.ts';

export type ApplicationFact =
  | {
      readonly type: 'created';
      readonly contract: Contract;
      readonly policy: Policy;
      /** Versions of the policy since, in the order of their dates. They are the lender's, added when a loan is loaded, and not recorded with it. */
      readonly follows?: readonly PolicyChange[];
    }
  | { readonly type: 'documentsRequested' }
  | { readonly type: 'documentsVerified' }
  | { readonly type: 'underwritingStarted' }
  /** A chosen counter-offer replaces the contract. */
  | { readonly type: 'approved'; readonly overridden: boolean; readonly contract: Contract | null }
  | { readonly type: 'rejected'; readonly overridden: boolean }
  | { readonly type: 'collateralRequested' }
  | { readonly type: 'collateralApproved'; readonly value: Cents };

export const applicationEvents: EventFamily<ApplicationFact> = {
  // The fold begins with it: a loan is made of its contract and policy before any event is applied.
  created: { phase: 'application', apply() {}, show: null },
  documentsRequested: { phase: 'application', apply: enter('DocumentsRequested'), show: null },
  documentsVerified: { phase: 'application', apply: enter('DocumentsVerified'), show: null },
  underwritingStarted: { phase: 'application', apply: enter('UnderwritingStarted'), show: null },
  approved: {
    phase: 'application',
    apply({ working }, { contract }) {
      working.stage = 'Approved';
      if (contract !== null) {
        working.contract = contract;
        working.rate = contract.rate;
      }
    },
    show: null,
  },
  rejected: { phase: 'application', apply: enter('Rejected'), show: null },
  collateralRequested: { phase: 'application', apply: enter('CollateralRequested'), show: null },
  collateralApproved: {
    phase: 'application',
    apply({ working }, { value }) {
      working.stage = 'CollateralApproved';
      working.collateralValue = value;
    },
    show: null,
  },
};

function enter(stage: Stage): (run: Run) => void {
  return ({ working }) => {
    working.stage = stage;
  };
}
