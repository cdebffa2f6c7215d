/** The one word that the wire shows for a loan, derived from its facts and the day; and which operations each status allows. */
import { feesOwed } from './books.ts';
import type { PlainDate } from './calendar.ts';
import { type Delinquency, daysPastDue, delinquency } from './delinquency.ts';
import type { Loan, LoanStatus } from './loan.ts';

/** Current and Delinquent are derived and cure by themselves; Defaulted and ChargedOff come by an event alone. */
export function statusOf(loan: Loan, late?: Pick<Delinquency, 'daysPastDue'>): LoanStatus {
  if (loan.stage !== 'Funded') return loan.stage;
  if (isClosed(loan)) return closedEarly(loan) ? 'ClosedEarly' : 'Closed';
  if (loan.chargeOff !== null) return 'ChargedOff';
  if (loan.defaultedOn !== null) return 'Defaulted';
  if ((late?.daysPastDue ?? daysPastDue(loan)) > loan.policy.graceDays) return 'Delinquent';
  return loan.repaymentInitiated ? 'Current' : 'Funded';
}

/**
 * The status without what a date alone brings: for a list, which shows Funded and Current as Delinquent from the day on which the grace
 * days since `pastDueFrom` are over.
 */
export function storedStatus(loan: Loan): LoanStatus {
  return statusOf(loan, NOT_LATE);
}

const NOT_LATE = { daysPastDue: 0 };

/** Nothing is owed, and every payment is confirmed or undone. */
export function isClosed(loan: Loan): boolean {
  return loan.stage === 'Funded' && isPaidOff(loan) && loan.payments.every(({ status }) => status !== 'Submitted');
}

export function isPaidOff(loan: Loan): boolean {
  return loan.principal === 0 && loan.interest === 0 && feesOwed(loan) === 0 && loan.payments.length > 0;
}

function closedEarly(loan: Loan): boolean {
  const maturity = loan.installments.at(-1)?.dueDate;
  const final = finalPayment(loan);
  return final !== null && maturity !== undefined && final.date < maturity;
}

/** The payment that brought what is owed to zero. */
export function finalPayment(loan: Loan): { refId: string; date: PlainDate } | null {
  const paying = loan.payments.filter(
    ({ status, allocation }) =>
      status !== 'Returned' && allocation.fees + allocation.interest + allocation.principal > 0,
  );
  return paying.at(-1) ?? null;
}

const PAYMENT_STATUSES = ['On Time', 'Late', 'Defaulted', 'Charged Off', 'Paid Off'] as const;

export function paymentStatus(loan: Loan, late: Delinquency = delinquency(loan)): (typeof PAYMENT_STATUSES)[number] {
  const status = statusOf(loan, late);
  if (status === 'Closed' || status === 'ClosedEarly') return 'Paid Off';
  if (status === 'ChargedOff') return 'Charged Off';
  if (status === 'Defaulted') return 'Defaulted';
  return late.daysPastDue > 0 ? 'Late' : 'On Time';
}

const BEFORE_FUNDING = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
  'Approved',
  'CollateralRequested',
  'CollateralApproved',
] as const satisfies LoanStatus[];
const LIVE = ['Funded', 'Current', 'Delinquent', 'Defaulted'] as const satisfies LoanStatus[];
const ENDED = ['ChargedOff', 'Closed', 'ClosedEarly'] as const satisfies LoanStatus[];
const FUNDED = [...LIVE, ...ENDED];

/** Which statuses an operation may start from, and where it leads: the transition table, as data. */
export const TRANSITIONS = {
  'request-documents': { from: ['ApplicationSubmitted', 'DocumentsRequested'], to: 'DocumentsRequested' },
  'verify-documents': { from: ['DocumentsRequested'], to: 'DocumentsVerified when complete, else unchanged' },
  'start-underwriting': {
    from: ['ApplicationSubmitted', 'DocumentsVerified', 'UnderwritingStarted'],
    to: 'UnderwritingStarted',
  },
  'complete-underwriting': { from: ['UnderwritingStarted'], to: 'Approved or Rejected' },
  'request-collateral': { from: ['Approved'], to: 'CollateralRequested' },
  'approve-collateral': { from: ['Approved', 'CollateralRequested'], to: 'CollateralApproved' },
  'fund-loan': { from: ['Approved', 'CollateralApproved'], to: 'Funded' },
  'initiate-repayment': { from: ['Approved', 'CollateralApproved', ...LIVE], to: 'Current' },
  'loan-repay': { from: FUNDED, to: 'by the fold' },
  'acknowledge-repayment': { from: FUNDED, to: 'by the fold' },
  'return-repayment': { from: FUNDED, to: 'by the fold' },
  'payoff-quotes': { from: [...LIVE, 'ChargedOff'], to: 'unchanged' },
  'assess-fee': { from: [...LIVE, 'ChargedOff'], to: 'unchanged' },
  'waive-fee': { from: FUNDED, to: 'by the fold' },
  'change-rate': { from: LIVE, to: 'by the fold' },
  extend: { from: LIVE, to: 'by the fold' },
  'change-due-date': { from: LIVE, to: 'by the fold' },
  reamortize: { from: LIVE, to: 'by the fold' },
  reage: { from: LIVE, to: 'by the fold' },
  settle: { from: [...LIVE, 'ChargedOff'], to: 'unchanged' },
  delinquent: { from: ['Funded', 'Current', 'Delinquent'], to: 'derived' },
  default: { from: ['Funded', 'Current', 'Delinquent'], to: 'Defaulted' },
  'payment-reminders': { from: LIVE, to: 'unchanged' },
  'charge-off': { from: ['Current', 'Delinquent', 'Defaulted'], to: 'ChargedOff' },
  'record-recovery': { from: ['ChargedOff'], to: 'by the fold' },
  'refund-credit': { from: FUNDED, to: 'unchanged' },
  close: { from: FUNDED, to: 'Closed or ClosedEarly' },
  cancel: { from: BEFORE_FUNDING, to: 'Cancelled' },
  publish: { from: [...BEFORE_FUNDING, 'Rejected', 'Cancelled', ...FUNDED], to: 'unchanged' },
} as const satisfies Record<string, { from: readonly LoanStatus[]; to: string }>;

export type Operation = keyof typeof TRANSITIONS;

export function allowedIn(status: LoanStatus): Operation[] {
  return (Object.keys(TRANSITIONS) as Operation[]).filter((operation) =>
    (TRANSITIONS[operation].from as readonly LoanStatus[]).includes(status),
  );
}
