/**
 * Every operation on a loan and every event, once, written out from the specification and not from the code: the tests of the engine, of the
 * API and of its limits read this table. A new operation is a row here; nothing of it is taken from the definitions that it proves.
 */
import type { Scope } from '../../src/access/scopes.ts';
import { addDays, date } from '../../src/core/calendar.ts';
import type { Command, Operation } from '../../src/core/decide/decide.ts';
import { delinquency } from '../../src/core/delinquency.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { HOLD_KINDS, type HoldKind } from '../../src/core/hold-effects.ts';
import { type Loan, type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import { MARKER } from './fuzz/bodies.ts';
import { money, payment } from './life.ts';

type Row<O extends Operation> = {
  /** In the API. */
  readonly id: string;
  /** The statuses in which it is allowed. */
  readonly from: readonly LoanStatus[];
  /** Whether a servicer with a grant may do it, or the owner alone. */
  readonly by: 'owner' | 'servicer';
  /** One of these is needed. */
  readonly scopes: readonly Scope[];
  /** A status of a loan (`statuses.ts`) in which it is possible; `Current` where none is named. */
  readonly status?: LoanStatus;
  /** Its body over HTTP beside the loan: enough to succeed wherever it is allowed. */
  readonly body: object;
  /** The answers to that body where the status is right but the loan refuses it for another reason. */
  readonly answers?: Partial<Record<LoanStatus, string>>;
  /** Statuses in which it is not allowed and still not refused: a repeated step gets the first answer, and nothing changes. */
  readonly repeatedIn?: readonly LoanStatus[];
  /** A command that can be refused only for the status, on the loans of `decide.test.ts`. */
  readonly command: Extract<Command, { do: O }>;
  /**
   * The smallest command that could succeed: the least amount, one period, today, a reference that is there if there is one. Whatever refuses it
   * would refuse every other command of the operation, or it is about the reference.
   */
  readonly smallest: (loan: Loan) => Extract<Command, { do: O }>;
  /** For a call that is approved: the status, a body that succeeds, and calls before it. Null: tested elsewhere. Absent: `status` and `body`. */
  readonly approved?: readonly [LoanStatus, object, ...(readonly [string, object])[]] | null;
  /**
   * For the fuzzer: a loan, and a body that succeeds with `MARKER` where the caller may write freely. Null: the test has one of its own. Absent:
   * `status`, and `body` with the marker as its reason.
   */
  readonly sent?: readonly [LoanStatus | 'seven months behind' | 'overpaid' | 'left alone', object] | null;
};

const LIVE: readonly LoanStatus[] = ['Funded', 'Current', 'Delinquent', 'Defaulted'];
/** Wherever a payment is. */
const FUNDED: readonly LoanStatus[] = [...LIVE, 'ChargedOff', 'Closed', 'ClosedEarly'];
const BEFORE: readonly LoanStatus[] = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
  'Approved',
  'CollateralRequested',
  'CollateralApproved',
];
const inEach = (statuses: readonly LoanStatus[], answer: string): Partial<Record<LoanStatus, string>> =>
  Object.fromEntries(statuses.map((status) => [status, answer]));

const CENT = cents(1);
const PLACED: readonly HoldKind[] = ['fraud', 'deceased', 'litigation', ...HOLD_KINDS];
const reason = 'as agreed';
const anyPayment = ({ payments }: Loan): string => payments.at(-1)?.refId ?? 'NONE';

/** In the documented order. */
const TABLE: { readonly [O in Operation]: Row<O> } = {
  'request-documents': {
    id: 'requestDocuments',
    from: ['ApplicationSubmitted', 'DocumentsRequested'],
    by: 'owner',
    scopes: ['loans:write'],
    status: 'ApplicationSubmitted',
    body: {},
    command: { do: 'request-documents' },
    smallest: () => ({ do: 'request-documents' }),
  },
  'verify-documents': {
    id: 'verifyDocuments',
    from: ['DocumentsRequested'],
    by: 'owner',
    scopes: ['loans:write'],
    status: 'DocumentsRequested',
    body: { documentsComplete: true },
    command: { do: 'verify-documents', complete: true },
    smallest: () => ({ do: 'verify-documents', complete: true }),
  },
  'start-underwriting': {
    id: 'startUnderwriting',
    from: [
      ...(['ApplicationSubmitted', 'DocumentsVerified', 'UnderwritingStarted', 'Approved'] as const),
      ...(['CollateralRequested', 'CollateralApproved', 'Rejected'] as const),
    ],
    by: 'owner',
    scopes: ['underwriting:write'],
    status: 'ApplicationSubmitted',
    body: {},
    command: { do: 'start-underwriting' },
    smallest: () => ({ do: 'start-underwriting' }),
  },
  'complete-underwriting': {
    id: 'completeUnderwriting',
    from: ['UnderwritingStarted'],
    by: 'owner',
    scopes: ['underwriting:write'],
    status: 'UnderwritingStarted',
    body: { approved: true },
    command: {
      do: 'complete-underwriting',
      approved: true,
      dealIndex: 0,
      reason: null,
    },
    smallest: () => ({ do: 'complete-underwriting', approved: true, dealIndex: 0, reason }),
  },
  'request-collateral': {
    id: 'requestCollateral',
    from: ['Approved'],
    by: 'owner',
    scopes: ['loans:write'],
    status: 'Approved',
    body: {},
    command: { do: 'request-collateral' },
    smallest: () => ({ do: 'request-collateral' }),
  },
  'approve-collateral': {
    id: 'approveCollateral',
    from: ['CollateralRequested', 'Approved'],
    by: 'owner',
    scopes: ['loans:write'],
    status: 'Approved',
    body: { collateralAmount: '15000' },
    command: { do: 'approve-collateral', value: money('9000') },
    smallest: () => ({ do: 'approve-collateral', value: cents(1_000_000) }),
  },
  'update-stipulation': {
    id: 'updateStipulation',
    from: ['UnderwritingStarted', 'Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED],
    by: 'owner',
    scopes: ['underwriting:write'],
    status: 'Approved',
    body: { stipulationId: 'insurance-1', state: 'received' },
    // The loans of the table were not assessed here.
    answers: Object.fromEntries(
      ['UnderwritingStarted', 'Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED].map((status) => [
        status,
        '404 unknown_reference',
      ]),
    ),
    command: {
      do: 'update-stipulation',
      stipulationId: 'insurance-1',
      state: 'received',
      evidence: null,
      reason: null,
    },
    smallest: () => ({
      do: 'update-stipulation',
      stipulationId: 'insurance-1',
      state: 'received',
      evidence: null,
      reason: null,
    }),
    approved: null,
    sent: null,
  },
  'fund-loan': {
    id: 'fundLoan',
    from: ['Approved', 'CollateralApproved'],
    by: 'owner',
    scopes: ['loans:fund'],
    status: 'Approved',
    body: {},
    command: { do: 'fund-loan', date: null, opening: null },
    smallest: () => ({ do: 'fund-loan', date: null, opening: null }),
  },
  'initiate-repayment': {
    id: 'initiateRepayment',
    from: ['Approved', 'CollateralApproved', ...LIVE],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Funded',
    body: {},
    repeatedIn: ['ChargedOff', 'Closed', 'ClosedEarly'],
    command: { do: 'initiate-repayment', date: null, opening: null },
    smallest: () => ({ do: 'initiate-repayment', date: null, opening: null }),
  },
  'loan-repay': {
    id: 'submitRepayment',
    from: FUNDED,
    by: 'servicer',
    scopes: ['payments:write'],
    body: { amount: '10.00', refId: 'NEW-1', acceptOverpayment: true },
    command: { ...payment('10', 'NEW'), acceptOverpayment: true },
    smallest: () => ({
      do: 'loan-repay',
      refId: 'SMALLEST',
      amount: CENT,
      date: null,
      purpose: 'installment',
      acceptOverpayment: true,
      reason: null,
    }),
    approved: ['Current', { amount: '10.00', refId: 'NEW-1' }],
    sent: ['Current', { amount: '10', refId: 'NEW', reason: MARKER }],
  },
  'acknowledge-repayment': {
    id: 'acknowledgeRepayment',
    from: FUNDED,
    by: 'servicer',
    scopes: ['payments:write'],
    body: { refId: 'P-1' },
    answers: { Funded: '404 unknown_reference' },
    command: { do: 'acknowledge-repayment', refId: 'P' },
    smallest: (loan) => ({ do: 'acknowledge-repayment', refId: anyPayment(loan) }),
  },
  'return-repayment': {
    id: 'returnRepayment',
    from: FUNDED,
    by: 'servicer',
    scopes: ['payments:write'],
    body: { refId: 'P-1', code: 'R01', reason: 'No funds' },
    answers: { Funded: '404 unknown_reference' },
    command: { do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' },
    smallest: (loan) => ({ do: 'return-repayment', refId: anyPayment(loan), date: null, reason }),
    sent: ['Current', { refId: 'P-1', reason: MARKER }],
  },
  'reverse-repayment': {
    id: 'reverseRepayment',
    from: FUNDED,
    by: 'servicer',
    scopes: ['payments:write'],
    body: { refId: 'P-1', reason: 'Posted to the wrong loan' },
    answers: { Funded: '404 unknown_reference' },
    command: { do: 'reverse-repayment', refId: 'P', reason: 'wrong loan' },
    smallest: (loan) => ({ do: 'reverse-repayment', refId: anyPayment(loan), reason }),
    sent: ['Defaulted', { refId: 'P-1', reason: MARKER }],
  },
  'payoff-quotes': {
    id: 'quotePayoff',
    from: [...LIVE, 'ChargedOff'],
    by: 'servicer',
    scopes: ['payments:write'],
    body: { goodThrough: '2026-01-25' },
    command: { do: 'payoff-quotes', quoteId: 'Q', date: date('2026-08-01'), goodThrough: date('2026-08-01') },
    smallest: ({ on }) => ({ do: 'payoff-quotes', quoteId: 'SMALLEST', date: on, goodThrough: on }),
    sent: ['Current', {}],
  },
  'assess-fee': {
    id: 'assessFee',
    from: [...LIVE, 'ChargedOff'],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { feeId: 'F-2', name: 'Title fee', amount: '15' },
    command: { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'fee', amount: money('10'), date: null },
    smallest: () => ({ do: 'assess-fee', feeId: 'SMALLEST', kind: 'fee', name: 'fee', amount: CENT, date: null }),
    sent: ['Current', { feeId: 'NEW', name: 'Fee', amount: '10' }],
  },
  'waive-fee': {
    id: 'waiveFee',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { feeId: 'F-1', reason: 'Goodwill' },
    answers: { Closed: '404 unknown_reference', ClosedEarly: '404 unknown_reference' },
    command: { do: 'waive-fee', feeId: 'F', amount: null, reason: 'courtesy' },
    smallest: ({ fees }) => ({ do: 'waive-fee', feeId: fees.at(-1)?.feeId ?? 'NONE', amount: null, reason }),
  },
  'change-rate': {
    id: 'changeRate',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Delinquent',
    body: { interestRate: '6', why: 'scra', serviceFrom: '2026-01-15', serviceTo: null, reason: 'Orders' },
    answers: { Funded: '422 not_eligible', Current: '422 not_eligible', ClosedEarly: '422 not_eligible' },
    command: {
      do: 'change-rate',
      rate: percent('6'),
      date: null,
      why: 'scra',
      service: { from: date('2026-02-01'), to: null },
      reason: 'orders',
    },
    smallest: ({ on }) => ({
      do: 'change-rate',
      rate: percent('6'),
      date: null,
      why: 'scra',
      service: { from: on, to: null },
      reason,
    }),
    approved: ['Current', { interestRate: '6', reason }],
    sent: ['Current', { interestRate: '6', reason: MARKER }],
  },
  extend: {
    id: 'extendLoan',
    from: LIVE,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { periods: 1, reason: 'Hardship' },
    answers: inEach(['Funded', 'Current', 'Delinquent', 'Defaulted'], '409 policy_limit'),
    command: { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true },
    smallest: () => ({ do: 'extend', periods: 1, date: null, reason }),
    approved: ['Current', { periods: 1, reason, override: true }],
    sent: ['Current', { reason: MARKER, override: true }],
  },
  'change-due-date': {
    id: 'changeDueDate',
    from: LIVE,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { to: '2026-01-20', reason: 'Payday' },
    command: { do: 'change-due-date', to: date('2026-08-20'), date: null, reason: 'payday' },
    smallest: (loan) => {
      const next = delinquency(loan).nextDueDate;
      const to = next === null || next <= loan.on ? addDays(loan.on, 1) : next;
      return { do: 'change-due-date', to, date: null, reason };
    },
    approved: ['Current', { to: '2026-02-20', reason }],
    sent: ['left alone', { to: '2026-02-20', reason: MARKER }],
  },
  reamortize: {
    id: 'reamortizeLoan',
    from: LIVE,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { reason: 'Lower payment' },
    command: { do: 'reamortize', date: null, reason: 'asked for' },
    smallest: () => ({ do: 'reamortize', date: null, reason }),
  },
  reage: {
    id: 'reageLoan',
    from: LIVE,
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Delinquent',
    body: { reason: 'Back at work' },
    answers: {
      Funded: '409 nothing_past_due',
      Current: '409 nothing_past_due',
      Delinquent: '409 policy_limit',
      Defaulted: '409 policy_limit',
    },
    command: { do: 'reage', date: null, reason: 'back at work', override: true },
    smallest: () => ({ do: 'reage', date: null, reason }),
    approved: ['Delinquent', { reason, override: true }],
    sent: ['Delinquent', { reason: MARKER, override: true }],
  },
  settle: {
    id: 'settleLoan',
    from: [...LIVE, 'ChargedOff'],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { amount: '100', goodThrough: '2026-01-31', reason: 'Hardship' },
    command: { do: 'settle', quoteId: 'S', amount: money('5'), goodThrough: date('2026-08-01'), reason: 'hardship' },
    smallest: ({ on }) => ({ do: 'settle', quoteId: 'SETTLE', amount: CENT, goodThrough: on, reason }),
    sent: ['Current', { amount: '10', goodThrough: '2026-02-15', reason: MARKER }],
  },
  'place-hold': {
    id: 'placeHold',
    from: [...BEFORE, ...FUNDED],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { kind: 'fraud', reason: 'Report of the bank' },
    command: {
      do: 'place-hold',
      holdId: 'H',
      kind: 'fraud',
      from: null,
      to: null,
      bankruptcy: null,
      detailed: false,
      reason: 'told',
    },
    smallest: ({ holds }) => ({
      do: 'place-hold',
      holdId: 'SMALLEST',
      // A kind that the loan has no hold of; those that concern funding can be placed in every status.
      kind: PLACED.find((kind) => holds.every((hold) => hold.kind !== kind)) ?? 'fraud',
      from: null,
      to: null,
      bankruptcy: null,
      detailed: false,
      reason,
    }),
    sent: ['ChargedOff', { kind: 'fraud', details: { note: MARKER, court: MARKER }, reason: MARKER }],
  },
  'release-hold': {
    id: 'releaseHold',
    from: [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { holdId: 'H-1', reason: 'Report withdrawn' },
    answers: inEach(
      STATUSES.filter((status) => status !== 'Current'),
      '404 unknown_reference',
    ),
    command: { do: 'release-hold', holdId: 'H', date: null, reason: 'over' },
    smallest: ({ holds }) => ({ do: 'release-hold', holdId: holds.at(-1)?.holdId ?? 'NONE', date: null, reason }),
  },
  delinquent: {
    id: 'noteDelinquency',
    from: ['Funded', 'Current', 'Delinquent'],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Delinquent',
    body: {},
    answers: { Funded: '409 nothing_past_due', Current: '409 nothing_past_due' },
    command: { do: 'delinquent' },
    smallest: () => ({ do: 'delinquent' }),
  },
  default: {
    id: 'defaultLoan',
    from: ['Funded', 'Current', 'Delinquent'],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Defaulted',
    body: { reason: 'No contact' },
    answers: {
      Funded: '409 nothing_past_due',
      Current: '409 nothing_past_due',
      Delinquent: '409 not_past_due_enough',
    },
    command: { do: 'default', ground: 'pastDue', reason: 'policy' },
    smallest: () => ({ do: 'default', ground: 'other', reason }),
    approved: ['Delinquent', { ground: 'other', reason }],
    sent: ['seven months behind', { reason: MARKER }],
  },
  accelerate: {
    id: 'accelerateLoan',
    from: ['Delinquent', 'Defaulted'],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'Delinquent',
    body: { reason: 'Notice expired' },
    command: { do: 'accelerate', reason: 'policy' },
    smallest: () => ({ do: 'accelerate', reason }),
    sent: ['seven months behind', { reason: MARKER }],
  },
  'payment-reminders': {
    id: 'remindOfPayment',
    from: LIVE,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: {},
    command: { do: 'payment-reminders' },
    smallest: () => ({ do: 'payment-reminders' }),
  },
  'charge-off': {
    id: 'chargeOffLoan',
    from: ['Current', 'Delinquent', 'Defaulted'],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { reason: 'Bankruptcy' },
    command: { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) },
    smallest: () => ({ do: 'charge-off', date: null, reason, collateral: cents(0) }),
    sent: ['Delinquent', { reason: MARKER }],
  },
  'write-down': {
    id: 'writeDown',
    from: ['ChargedOff'],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'ChargedOff',
    body: { amount: '10', reason: 'Auction' },
    command: { do: 'write-down', amount: money('1'), reason: 'auction' },
    smallest: () => ({ do: 'write-down', amount: CENT, reason }),
  },
  'record-recovery': {
    id: 'recordRecovery',
    from: ['ChargedOff'],
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'ChargedOff',
    body: { amount: '10', refId: 'NEW-2' },
    command: { do: 'record-recovery', refId: 'R', amount: money('10'), date: null },
    smallest: () => ({ do: 'record-recovery', refId: 'SMALLEST', amount: CENT, date: null }),
    sent: ['ChargedOff', { amount: '10', refId: 'NEW' }],
  },
  'refund-credit': {
    id: 'refundCredit',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { amount: '1', refId: 'NEW-3' },
    answers: inEach(
      ['Funded', 'Current', 'Delinquent', 'Defaulted', 'ChargedOff', 'Closed', 'ClosedEarly'],
      '422 amount_exceeds_balance',
    ),
    command: { do: 'refund-credit', refId: 'RF', amount: money('1') },
    smallest: () => ({ do: 'refund-credit', refId: 'SMALLEST', amount: CENT }),
    approved: [
      'ClosedEarly',
      { amount: '5', refId: 'NEW-3' },
      ['loan-repay', { amount: '5', refId: 'C-1', acceptOverpayment: true }],
    ],
    sent: ['overpaid', { amount: '10', refId: 'NEW' }],
  },
  close: {
    id: 'closeLoan',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    status: 'ClosedEarly',
    body: {},
    answers: {
      Funded: '409 not_paid_off',
      Current: '409 not_paid_off',
      Delinquent: '409 not_paid_off',
      Defaulted: '409 not_paid_off',
      ChargedOff: '409 not_paid_off',
    },
    command: { do: 'close', refId: null },
    smallest: () => ({ do: 'close', refId: null }),
    approved: null,
  },
  cancel: {
    id: 'cancelLoan',
    from: BEFORE,
    by: 'owner',
    scopes: ['loans:write'],
    status: 'Approved',
    body: { reason: 'Withdrawn' },
    command: { do: 'cancel', reason: null },
    smallest: () => ({ do: 'cancel', reason }),
  },
  'cancel-boarding': {
    id: 'cancelBoarding',
    from: ['Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED],
    by: 'owner',
    scopes: ['servicing:write'],
    status: 'Approved',
    body: { reason: 'Boarded with the figures of another loan' },
    answers: { ...inEach(FUNDED, '409 reference_conflict'), Funded: '409 depends' },
    command: { do: 'cancel-boarding', reason: 'wrong figures' },
    smallest: () => ({ do: 'cancel-boarding', reason }),
  },
  rescind: {
    id: 'rescindLoan',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { reason: 'Notice of rescission' },
    command: { do: 'rescind', date: null, reason: 'notice' },
    smallest: () => ({ do: 'rescind', date: null, reason }),
  },
  publish: {
    id: 'publishLoan',
    from: [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED],
    by: 'owner',
    scopes: ['loans:write'],
    body: { published: true },
    command: { do: 'publish', published: true },
    smallest: () => ({ do: 'publish', published: false }),
  },
  'update-custom-data': {
    id: 'updateCustomData',
    from: [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { customData: { branch: 'Dayton' }, reason: 'Moved' },
    command: { do: 'update-custom-data', organizationId: 'org_a', members: 1, reasoned: false },
    smallest: () => ({ do: 'update-custom-data', organizationId: 'org_a', members: 0, reasoned: false }),
    sent: ['Current', { customData: { branch: MARKER }, reason: MARKER }],
  },
  transfer: {
    id: 'transferLoan',
    from: FUNDED,
    by: 'owner',
    scopes: ['servicing:write'],
    body: { what: 'servicer', to: 'SRV-9', date: '2026-03-01', reason: 'Servicing agreement 7' },
    command: {
      do: 'transfer',
      transferId: 'T',
      what: 'servicer',
      to: 'S-2',
      date: date('2026-08-01'),
      reason: 'sold',
      from: { organizationId: 'org_a', lenderId: 'L', servicerId: 'S-1' },
    },
    smallest: ({ on }) => ({
      do: 'transfer',
      transferId: 'SMALLEST',
      what: 'servicer',
      to: 'SRV-SMALLEST',
      date: on,
      reason,
      from: { organizationId: 'org_test', lenderId: 'L', servicerId: 'SRV' },
    }),
  },
  'accept-transfer': {
    id: 'acceptTransfer',
    from: FUNDED,
    by: 'owner',
    scopes: ['loans:write'],
    body: {},
    answers: inEach(FUNDED, '404 unknown_reference'),
    command: { do: 'accept-transfer', servicerId: '' },
    smallest: () => ({ do: 'accept-transfer', servicerId: '' }),
    approved: null,
    sent: null,
  },
  'cancel-transfer': {
    id: 'cancelTransfer',
    from: FUNDED,
    by: 'owner',
    scopes: ['servicing:write', 'loans:write'],
    body: {},
    answers: inEach(FUNDED, '404 unknown_reference'),
    command: { do: 'cancel-transfer', what: null, reason: null },
    smallest: () => ({ do: 'cancel-transfer', what: null, reason }),
    approved: [
      'Current',
      { what: 'servicer' },
      ['transfer', { what: 'servicer', to: 'SRV-9', date: '2026-03-01', reason }],
    ],
    sent: ['overpaid', { what: 'servicer', reason: MARKER }],
  },
  'update-party': {
    id: 'updateParty',
    from: [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { party: 'applicant', changes: { phone: '614-555-0173' }, reason: 'New number' },
    command: { do: 'update-party', party: 'applicant', commitment: '0x01', date: null, reason: 'called in' },
    smallest: () => ({ do: 'update-party', party: 'applicant', commitment: '0x01', date: null, reason }),
    sent: ['Current', { party: 'applicant', changes: { employer: MARKER, lastName: MARKER }, reason: MARKER }],
  },
  undo: {
    id: 'undoTransaction',
    from: [...BEFORE, 'Rejected', 'Cancelled', ...FUNDED],
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { transactionHash: `0x${'0'.repeat(64)}`, reason: 'Entered by mistake' },
    answers: inEach(STATUSES, '404 unknown_reference'),
    command: { do: 'undo', sequence: 1, reason: 'mistake' },
    smallest: () => ({ do: 'undo', sequence: 1, reason }),
    approved: null,
    sent: null,
  },
};

export const OPERATIONS = Object.keys(TABLE) as readonly Operation[];
export const rowOf = (operation: Operation): Row<Operation> => TABLE[operation] as unknown as Row<Operation>;
/** The status of a loan on which its body succeeds. */
export const statusFor = (operation: Operation): LoanStatus => rowOf(operation).status ?? 'Current';

/** Each operation with the statuses in which it is allowed. */
export const LOAN_LIFE = OPERATIONS.map((operation): [Operation, readonly LoanStatus[]] => [
  operation,
  rowOf(operation).from,
]);

/**
 * By event the operations whose rights it takes, of a caller who chooses to bring it about; none: nobody chooses it. Of several, which it is
 * depends on the event or the loan.
 */
export const BELONGS_TO: Readonly<Record<LoanEvent['type'], readonly Operation[]>> = {
  created: [],
  boarded: [],
  documentsRequested: ['request-documents'],
  documentsVerified: ['verify-documents'],
  underwritingStarted: ['start-underwriting'],
  approved: ['complete-underwriting'],
  rejected: ['complete-underwriting'],
  collateralRequested: ['request-collateral'],
  collateralApproved: ['approve-collateral'],
  stipulationUpdated: ['update-stipulation'],
  cancelled: ['cancel'],
  boardingCancelled: ['cancel-boarding'],
  rescinded: ['rescind'],
  published: ['publish'],
  funded: ['fund-loan'],
  repaymentInitiated: ['initiate-repayment'],
  opened: ['fund-loan'],
  disbursed: ['fund-loan'],
  holdPlaced: ['place-hold'],
  holdReleased: ['release-hold'],
  rateChanged: ['change-rate'],
  militaryService: ['change-rate'],
  dueDateChanged: ['change-due-date'],
  extended: ['extend'],
  reaged: ['reage'],
  feeAssessed: ['assess-fee'],
  feeWaived: ['waive-fee'],
  payoffQuoted: ['payoff-quotes', 'settle'],
  paymentSubmitted: ['loan-repay', 'record-recovery'],
  paymentAcknowledged: ['acknowledge-repayment'],
  paymentReturned: ['return-repayment'],
  paymentReversed: ['reverse-repayment'],
  reamortized: ['reamortize'],
  creditRefunded: ['refund-credit'],
  delinquencyNoted: ['delinquent'],
  reminderDue: ['payment-reminders'],
  transferScheduled: ['transfer'],
  transferAccepted: ['accept-transfer'],
  transferCancelled: ['cancel-transfer'],
  transferred: ['transfer'],
  customDataUpdated: ['update-custom-data'],
  partyUpdated: ['update-party'],
  dayEnded: [],
  smallBalanceWrittenOff: [],
  undone: ['undo'],
  defaulted: ['default'],
  accelerated: ['accelerate'],
  chargedOff: ['charge-off'],
  writtenDown: ['write-down'],
};

/** Events that come with an operation and are not chosen by its caller. */
export const NOT_CHOSEN: Readonly<Partial<Record<Operation, readonly LoanEvent['type'][]>>> = {
  'return-repayment': ['feeAssessed'],
};

/** Every event in the order in which those of a day take effect; stored histories are folded in this order. */
export const EVENTS: readonly (readonly [
  type: string,
  ...marks: ('before all' | 'before late fees' | 'no effect')[],
])[] = [
  ['created', 'before all'],
  ['boarded', 'before all'],
  ['documentsRequested', 'before all'],
  ['documentsVerified', 'before all'],
  ['underwritingStarted', 'before all'],
  ['approved', 'before all'],
  ['rejected', 'before all'],
  ['collateralRequested', 'before all'],
  ['collateralApproved', 'before all'],
  ['stipulationUpdated', 'before all'],
  ['cancelled', 'before all'],
  ['boardingCancelled', 'before all'],
  ['published', 'before all'],
  ['funded'],
  ['repaymentInitiated'],
  ['opened'],
  ['disbursed', 'before late fees'],
  ['holdPlaced', 'before late fees'],
  ['holdReleased', 'before late fees'],
  ['rateChanged', 'before late fees'],
  ['militaryService', 'before late fees'],
  ['dueDateChanged', 'before late fees'],
  ['extended', 'before late fees'],
  ['reaged', 'before late fees'],
  ['feeAssessed'],
  ['feeWaived'],
  ['payoffQuoted'],
  ['paymentSubmitted'],
  ['paymentAcknowledged', 'no effect'],
  ['paymentReturned'],
  ['paymentReversed'],
  ['reamortized'],
  ['creditRefunded'],
  ['smallBalanceWrittenOff'],
  ['delinquencyNoted', 'no effect'],
  ['reminderDue', 'no effect'],
  ['customDataUpdated'],
  ['transferScheduled', 'no effect'],
  ['transferAccepted', 'no effect'],
  ['transferCancelled', 'no effect'],
  ['transferred'],
  ['partyUpdated'],
  ['dayEnded', 'no effect'],
  ['undone'],
  ['defaulted'],
  ['accelerated'],
  ['chargedOff'],
  ['writtenDown'],
  ['rescinded'],
];
