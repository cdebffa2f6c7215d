/** The application: from its creation until the loan can be funded. */
import type { CreditDecision, DecidedBy } from '../credit-decision.ts';
import type { Contract, Stage } from '../loan.ts';
import type { Cents } from '../money.ts';
import type { OverrideReason } from '../overrides.ts';
import type { Policy, PolicyChange } from '../policy.ts';
import type { StipulationState, WaivedBy } from '../stipulations.ts';
import type { EventFamily, Run, Stamp, Undoing } from './definition.ts';

export type ApplicationFact =
  | {
      readonly type: 'created';
      readonly contract: Contract;
      readonly policy: Policy;
      /** Versions of the policy since, in the order of their dates. They are the lender's, added when a loan is loaded, and not recorded with it. */
      readonly follows?: readonly PolicyChange[];
    }
  /** It was boarded in this status with the record of another service. Loans in repayment are funded and opened instead. */
  | { readonly type: 'boarded'; readonly status: Exclude<Stage, 'Funded'> }
  | { readonly type: 'documentsRequested' }
  | { readonly type: 'documentsVerified' }
  /** `again`: after a decision, which does not stand any more. */
  | { readonly type: 'underwritingStarted'; readonly again?: true }
  /** A chosen counter-offer replaces the contract. */
  | ({ readonly type: 'approved'; readonly contract: Contract | null } & Decided & Override)
  | ({ readonly type: 'rejected' } & Decided)
  /** Evidence and reason are sealed beside it. */
  | {
      readonly type: 'stipulationUpdated';
      readonly stipulationId: string;
      readonly state: StipulationState;
      /** The scope that a waiver needed. */
      readonly waivedBy?: WaivedBy;
    }
  | { readonly type: 'collateralRequested' }
  | { readonly type: 'collateralApproved'; readonly value: Cents };

/** `overridden`: against what the assessment said of the deal. */
type Decided = {
  readonly overridden: boolean;
  readonly by: DecidedBy;
  /** Whether a reason is sealed beside the event. */
  readonly reasoned: boolean;
  readonly dealIndex: number;
};

/** Against the engine's assessment, or without one; absent: it is no override. */
type Override = {
  readonly reasonCode?: OverrideReason;
  /** The moment of the run that it overrides; absent: nothing was assessed. */
  readonly assessedAt?: string;
};

/** Each step rests on those before it, and the funding on all of them. */
const LATER_STEPS = {
  documentsVerified: 'any',
  underwritingStarted: 'any',
  approved: 'any',
  rejected: 'any',
  collateralRequested: 'any',
  collateralApproved: 'any',
  funded: 'any',
} as const;
const STEP = { by: 'owner', scope: 'loans:write', restedOnBy: LATER_STEPS } as const satisfies Undoing<never>;
const DECISION = {
  by: 'owner',
  scope: 'underwriting:write',
  restedOnBy: LATER_STEPS,
} as const satisfies Undoing<never>;

const COUNTER_OFFER =
  'An approval of a counter-offer cannot be undone, because the record has the figures of that deal. Cancel the application and submit it again.';

const RUN_AGAIN =
  'A run after a decision cannot be undone, because the record has its figures. Complete underwriting again instead.';

export const applicationEvents: EventFamily<ApplicationFact> = {
  // The fold begins with it: a loan is made of its contract and policy before any event is applied.
  created: {
    phase: 'application',
    feed: { type: 'loan.created', about: 'A loan application was submitted.' },
    line: { says: 'Application received', group: 'application' },
    undo: { refused: 'The creation of a loan cannot be undone; use cancel.' },
    apply() {},
    show: null,
  },
  boarded: {
    phase: 'application',
    feed: {
      type: 'loan.status_boarded',
      about: 'A loan was boarded in the status it had at another service: before funding, or ended.',
    },
    line: { says: 'Boarded with its record', group: 'application' },
    undo: {
      refused: 'The boarding of a loan cannot be undone. If it was a mistake, cancel or correct the loan from here.',
    },
    apply({ working }, { status }) {
      working.stage = status;
    },
    show: null,
  },
  documentsRequested: {
    phase: 'application',
    feed: { type: 'application.documents_requested', about: 'Documents were requested from the applicant.' },
    line: { says: 'Documents requested', group: 'application' },
    undo: STEP,
    apply: enter('DocumentsRequested'),
    show: null,
  },
  documentsVerified: {
    phase: 'application',
    feed: { type: 'application.documents_verified', about: 'The documents of an application were verified.' },
    line: { says: 'Documents verified', group: 'application' },
    undo: STEP,
    apply: enter('DocumentsVerified'),
    show: null,
  },
  underwritingStarted: {
    phase: 'application',
    feed: { type: 'application.underwriting_started', about: 'Underwriting of an application started.' },
    line: { says: 'Underwriting started', group: 'application' },
    undo: { ...DECISION, unless: ({ again }) => (again === true ? RUN_AGAIN : null) },
    apply({ working }) {
      working.stage = 'UnderwritingStarted';
      working.decision = null;
      // The deal that an earlier approval chose is none of the new run's.
      working.contract = working.applied;
      working.rate = working.applied.rate;
    },
    show: null,
  },
  approved: {
    phase: 'application',
    feed: { type: 'application.approved', about: 'An application was approved.' },
    line: { says: 'Approved', more: '{decision}', group: 'application', tone: 'good' },
    undo: { ...DECISION, unless: ({ contract }) => (contract === null ? null : COUNTER_OFFER) },
    apply({ working }, event) {
      const { contract } = event;
      working.stage = 'Approved';
      working.decision = decisionOf(true, event);
      if (contract !== null) {
        working.contract = contract;
        working.rate = contract.rate;
      }
    },
    show: null,
  },
  rejected: {
    phase: 'application',
    feed: { type: 'application.rejected', about: 'An application was rejected.' },
    line: { says: 'Rejected', more: '{decision}', group: 'application', tone: 'bad' },
    undo: DECISION,
    apply({ working }, event) {
      working.stage = 'Rejected';
      working.decision = decisionOf(false, event);
    },
    show: null,
  },
  collateralRequested: {
    phase: 'application',
    feed: { type: 'collateral.requested', about: 'Collateral was requested.' },
    line: { says: 'Collateral requested', group: 'application' },
    undo: STEP,
    apply: enter('CollateralRequested'),
    show: null,
  },
  collateralApproved: {
    phase: 'application',
    feed: { type: 'collateral.approved', about: 'Collateral was approved, with its value.' },
    line: { says: 'Collateral approved', group: 'application' },
    undo: STEP,
    apply({ working }, { value }) {
      working.stage = 'CollateralApproved';
      working.collateralValue = value;
    },
    show: null,
  },
  stipulationUpdated: {
    phase: 'application',
    feed: {
      type: 'application.stipulation_updated',
      about: 'A stipulation was received, verified or waived.',
    },
    line: { says: 'Stipulation updated', more: '{reference}', group: 'application' },
    undo: { by: 'owner', scope: 'underwriting:write', restedOnBy: { funded: 'any' } },
    apply({ working }, { stipulationId: id, state }) {
      const others = working.stipulations.filter((one) => one.id !== id);
      working.stipulations = [...others, { id, state }];
    },
    show: null,
  },
};

function decisionOf(
  approved: boolean,
  { by, reasoned, overridden, dealIndex, reasonCode, recordedOn, recordedAt }: Decided & Override & Stamp,
): CreditDecision {
  const decided = { approved, by, reasoned, overridden, reasonCode: reasonCode ?? null, dealIndex };
  return { ...decided, on: recordedOn, at: recordedAt };
}

function enter(stage: Stage): (run: Run) => void {
  return ({ working }) => {
    working.stage = stage;
  };
}
