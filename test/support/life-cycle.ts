/**
 * The statuses in which each operation is allowed, written from the specification and not from the code.
 * "Wherever the payment is" means any status after funding.
 */
import type { Operation } from '../../src/core/decide/decide.ts';
import type { LoanStatus } from '../../src/core/loan.ts';

const LIVE: LoanStatus[] = ['Funded', 'Current', 'Delinquent', 'Defaulted'];
const FUNDED: LoanStatus[] = [...LIVE, 'ChargedOff', 'Closed', 'ClosedEarly'];
const BEFORE: LoanStatus[] = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
  'Approved',
  'CollateralRequested',
  'CollateralApproved',
];

/** The operations of the table. */
export const LOAN_LIFE: [Operation, LoanStatus[]][] = [
  ['request-documents', ['ApplicationSubmitted', 'DocumentsRequested']],
  ['verify-documents', ['DocumentsRequested']],
  ['start-underwriting', ['ApplicationSubmitted', 'DocumentsVerified', 'UnderwritingStarted']],
  ['complete-underwriting', ['UnderwritingStarted']],
  ['request-collateral', ['Approved']],
  ['approve-collateral', ['CollateralRequested', 'Approved']],
  ['fund-loan', ['Approved', 'CollateralApproved']],
  ['initiate-repayment', ['Approved', 'CollateralApproved', ...LIVE]],
  ['loan-repay', FUNDED],
  ['acknowledge-repayment', FUNDED],
  ['return-repayment', FUNDED],
  ['reverse-repayment', FUNDED],
  ['delinquent', ['Funded', 'Current', 'Delinquent']],
  ['default', ['Funded', 'Current', 'Delinquent']],
  ['accelerate', ['Delinquent', 'Defaulted']],
  ['charge-off', ['Current', 'Delinquent', 'Defaulted']],
  ['close', FUNDED],
  ['cancel', BEFORE],
  // Not in the table: servicing of an active loan, or of one that is still owed.
  ['payoff-quotes', [...LIVE, 'ChargedOff']],
  ['settle', [...LIVE, 'ChargedOff']],
  ['assess-fee', [...LIVE, 'ChargedOff']],
  ['waive-fee', FUNDED],
  ['change-rate', FUNDED],
  ['extend', LIVE],
  ['change-due-date', LIVE],
  ['reamortize', LIVE],
  ['reage', LIVE],
  ['payment-reminders', LIVE],
  ['write-down', ['ChargedOff']],
  ['record-recovery', ['ChargedOff']],
  ['refund-credit', FUNDED],
  ['place-hold', [...BEFORE, ...FUNDED]],
  ['release-hold', [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED]],
  ['publish', [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED]],
  ['transfer', FUNDED],
  ['accept-transfer', FUNDED],
  ['cancel-transfer', FUNDED],
  ['update-party', [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED]],
  ['undo', [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED]],
];

export const OPERATIONS: readonly Operation[] = LOAN_LIFE.map(([operation]) => operation);
