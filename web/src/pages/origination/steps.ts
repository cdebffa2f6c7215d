/** The way of an application from its arrival to the money: where it stands, what comes next, and what is missing for it. */
import type { OperationId, Schemas } from 'daybook-sdk';
import { UNDECIDED_STATUSES } from '../loans/filters.ts';
import { createdMoment } from '../loans/loan-days.ts';

export type Status = Schemas['LoanStatus'];

export type Action = {
  operation: OperationId;
  /** As `allowed` of a summary names it. */
  wire: string;
  label: string;
  scope: string;
};

const ACTIONS = {
  requestDocuments: { wire: 'request-documents', label: 'Request documents', scope: 'loans:write' },
  verifyDocuments: { wire: 'verify-documents', label: 'Verify documents', scope: 'loans:write' },
  startUnderwriting: { wire: 'start-underwriting', label: 'Start underwriting', scope: 'underwriting:write' },
  completeUnderwriting: { wire: 'complete-underwriting', label: 'Decide', scope: 'underwriting:write' },
  requestCollateral: { wire: 'request-collateral', label: 'Request collateral', scope: 'loans:write' },
  approveCollateral: { wire: 'approve-collateral', label: 'Approve collateral', scope: 'loans:write' },
  fundLoan: { wire: 'fund-loan', label: 'Fund', scope: 'loans:fund' },
  cancelLoan: { wire: 'cancel', label: 'Cancel application', scope: 'loans:write' },
} as const satisfies Partial<Record<OperationId, Omit<Action, 'operation'>>>;
type ActionId = keyof typeof ACTIONS;

export const action = (operation: ActionId): Action => ({ operation, ...ACTIONS[operation] });

type Step = {
  label: string;
  /** Possible next actions, the usual one first. */
  next: readonly ActionId[];
  missing: string;
};

/** In the order in which an application passes them. */
const STEPS = {
  ApplicationSubmitted: {
    label: 'New',
    next: ['requestDocuments', 'startUnderwriting'],
    missing: 'Documents have not been requested. Underwriting can also start without them.',
  },
  DocumentsRequested: {
    label: 'Documents requested',
    next: ['verifyDocuments'],
    missing: 'The applicant’s documents must be received and verified.',
  },
  DocumentsVerified: {
    label: 'Documents verified',
    next: ['startUnderwriting'],
    missing: 'The documents are complete. Starting underwriting pulls the credit report and assesses the deals.',
  },
  UnderwritingStarted: {
    label: 'To decide',
    next: ['completeUnderwriting'],
    missing: 'Choose a deal below, then approve it or decline.',
  },
  Approved: {
    label: 'Approved',
    next: ['requestCollateral', 'approveCollateral', 'fundLoan'],
    missing: 'The title and the value of the vehicle can be requested and approved, or the loan funded right away.',
  },
  CollateralRequested: {
    label: 'Collateral requested',
    next: ['approveCollateral'],
    missing: 'The value of the vehicle must be approved.',
  },
  CollateralApproved: {
    label: 'Ready to fund',
    next: ['fundLoan'],
    missing: 'All requirements are met: the loan can be funded.',
  },
} as const satisfies Partial<Record<Status, Step>>;

export type WaitingStatus = keyof typeof STEPS;
export const WAITING = Object.keys(STEPS) as WaitingStatus[];
export const isWaiting = (status: string): status is WaitingStatus => Object.hasOwn(STEPS, status);
export const stepOf = (status: WaitingStatus): Step => STEPS[status];

/** The line of steps at the top of an application. */
const STAGES = ['Application', 'Documents', 'Underwriting', 'Decision', 'Collateral', 'Funding'] as const;
export type Stage = { label: string; state: 'done' | 'now' | 'skipped' | 'open' };

/** The stage that an application waits for. */
const NOW: Readonly<Record<string, number>> = {
  ApplicationSubmitted: 1,
  DocumentsRequested: 1,
  DocumentsVerified: 2,
  UnderwritingStarted: 3,
  Approved: 4,
  CollateralRequested: 4,
  CollateralApproved: 5,
  Rejected: 4,
};

/** `passed`: types of the timeline's facts, which tell a step that was left out from one that was taken. */
export function stages(status: string, passed: ReadonlySet<string>): Stage[] {
  const funded = !isWaiting(status) && status !== 'Rejected' && status !== 'Cancelled';
  const now = funded ? STAGES.length : (NOW[status] ?? 0);
  const taken = [
    true,
    passed.has('documentsVerified'),
    passed.has('underwritingStarted'),
    passed.has('approved') || passed.has('rejected'),
    passed.has('collateralApproved'),
    funded,
  ];
  return STAGES.map((label, n) => ({
    label,
    state: taken[n] ? 'done' : n < now ? 'skipped' : n === now && isWaiting(status) ? 'now' : 'open',
  }));
}

/** Whole days from the moment an application arrived, `createdAt` on the wire, to a day. */
export function ageInDays(createdAt: string, today: string): number {
  const arrived = createdMoment(createdAt);
  const days = Math.floor(Date.parse(`${today}T00:00:00Z`) / 86_400_000) - Math.floor(arrived / 86_400_000);
  return Math.max(0, days);
}

/** "today", "1 day", "6 days". */
export const ageText = (days: number): string => (days === 0 ? 'today' : days === 1 ? '1 day' : `${days} days`);

export const dayOf = (createdAt: string): string => new Date(createdMoment(createdAt)).toISOString().slice(0, 10);

/** The last day for the notice of adverse action: 30 days after the application (12 CFR 1002.9(a)(1)). */
export function noticeBy(createdAt: string): string {
  return new Date(createdMoment(createdAt) + 30 * 86_400_000).toISOString().slice(0, 10);
}

/** Whether the applicant still waits for a decision. */
export const mustBeDecided = (status: string): boolean => (UNDECIDED_STATUSES as readonly string[]).includes(status);

/** Whole days from one to another; negative when the first is past. */
export const daysLeft = (by: string, today: string): number =>
  Math.round((Date.parse(`${by}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / 86_400_000);

type Listed = { readonly loanStatus: string; readonly createdAt: string };

/** Oldest first; of equal age in the order of the steps. */
export function inOrder<T extends Listed>(items: readonly T[]): T[] {
  const at = ({ createdAt }: Listed) => createdMoment(createdAt);
  const step = ({ loanStatus }: Listed) => WAITING.indexOf(loanStatus as WaitingStatus);
  return items.toSorted((a, b) => at(a) - at(b) || step(a) - step(b));
}

/** Counts the waiting applications by step. */
export function byStep(items: readonly Listed[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { loanStatus } of items) counts.set(loanStatus, (counts.get(loanStatus) ?? 0) + 1);
  return counts;
}
