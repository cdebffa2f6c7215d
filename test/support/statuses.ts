/** Loans driven into each status through the API alone, on one day: the contract is backdated where a status needs a past. */
import type { LoanStatus } from '../../src/core/loan.ts';
import type { Answered } from './app.ts';

/** Calls an operation, with the token and key of its own. */
export type Post = (path: string, body: object) => Promise<Answered>;

/** Twelve months at 9 %; application ids count up, so that each is a new one. */
export function creation(more: object = {}): Record<string, unknown> {
  applications += 1;
  return {
    applicationId: `APP-${applications}`,
    borrowerId: 'BRW-1',
    lenderId: 'LND-1',
    primaryServicerId: 'SRV-1',
    loanType: 'AutoLoan',
    loanAmount: '12,000.00',
    interestRate: '9',
    term: 12,
    ...more,
  };
}
let applications = 0;

/** As of 15 January 2026: two, seven and 24 months old. */
const RECENT = { originationDate: '2025-11-15', firstPaymentDate: '2025-12-15' };
const OLD = { originationDate: '2025-06-15', firstPaymentDate: '2025-07-15' };
const MATURED = { originationDate: '2024-01-15', firstPaymentDate: '2024-02-15' };

/** A report that was handed over, as far as anybody looks at it here. */
const REPORT = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

/** Payment `P-1` (unconfirmed unless the loan is closed) and fee `F-1` of 80, not all of it paid, on every active loan in repayment. Hold `H-1`, which forbids nothing, on the current one. */
const LIVES: Record<LoanStatus, readonly [terms: object, ...steps: (readonly [path: string, more?: object])[]]> =
  (() => {
    const start = ['start-underwriting'] as const;
    const approve = ['complete-underwriting', { approved: true }] as const;
    const approved = [start, approve] as const;
    const repaying = [...approved, ['initiate-repayment']] as const;
    const fee = ['assess-fee', { feeId: 'F-1', name: 'Document fee', amount: '80' }] as const;
    const pay = ['loan-repay', { refId: 'P-1', amount: '50' }] as const;
    const payAll = [
      ['loan-repay', { refId: 'P-1', amount: 'payoff' }],
      ['acknowledge-repayment', { refId: 'P-1' }],
    ] as const;
    const details = { chapter: 7, filed: '2026-01-15', discharged: '2026-01-15', reaffirmed: true };
    const hold = ['place-hold', { holdId: 'H-1', kind: 'bankruptcy', details, reason: 'Reaffirmed' }] as const;
    return {
      ApplicationSubmitted: [{}],
      DocumentsRequested: [{}, ['request-documents']],
      DocumentsVerified: [{}, ['request-documents'], ['verify-documents', { documentsComplete: true }]],
      UnderwritingStarted: [{}, start],
      Approved: [{}, ...approved],
      Rejected: [{}, start, ['complete-underwriting', { approved: false }]],
      CollateralRequested: [{}, ...approved, ['request-collateral']],
      CollateralApproved: [{}, ...approved, ['approve-collateral', { collateralAmount: '15000' }]],
      Funded: [{}, ...approved, ['fund-loan'], fee],
      Current: [{ Underwriting: { PrimaryCreditBureauPDF: REPORT } }, ...repaying, pay, fee, hold],
      Delinquent: [RECENT, ...repaying, pay, fee],
      Defaulted: [OLD, ...repaying, pay, fee, ['default', { reason: 'No contact' }]],
      ChargedOff: [OLD, ...repaying, pay, fee, ['charge-off', { reason: '120 days past due', collateral: '500' }]],
      Closed: [MATURED, ...repaying, ...payAll],
      ClosedEarly: [{}, ...repaying, ...payAll],
      Cancelled: [{}, ['cancel']],
    };
  })();

/** The id of a loan in this status. `payoffOf` returns the payoff for today. */
export async function loanIn(
  status: LoanStatus,
  post: Post,
  payoffOf: (loanId: string) => Promise<string>,
): Promise<string> {
  const [terms, ...steps] = LIVES[status];
  const take = async (path: string, body: object) => {
    const answer = await post(path, body);
    if (answer.status !== 200) throw new Error(`${status}: ${path} answered ${answer.text}`);
    return answer.body;
  };
  const { loanId } = await take('loans', creation(terms));
  let shown = 'ApplicationSubmitted';
  for (const [path, more] of steps) {
    const amount = more !== undefined && 'amount' in more && more.amount === 'payoff' && (await payoffOf(loanId));
    const done = await take(path, { loanId, ...more, ...(amount ? { amount } : {}) });
    shown = done.data.loanStatus;
  }
  if (shown !== status) throw new Error(`The loan that was to be ${status} is ${shown}.`);
  return loanId;
}
