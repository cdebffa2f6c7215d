/**
 * For each operation the smallest command that could succeed on a loan: the least amount, one period, today, a reference that is there if
 * there is one. Whatever refuses it would refuse every other command of the operation, or it is about the reference.
 */
import { addDays } from '../../src/core/calendar.ts';
import type { Command, Operation } from '../../src/core/decide/decide.ts';
import { delinquency } from '../../src/core/delinquency.ts';
import { HOLD_KINDS, type HoldKind } from '../../src/core/hold-effects.ts';
import type { Loan } from '../../src/core/loan.ts';
import { cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';

const CENT = cents(1);
const PLACED: readonly HoldKind[] = ['fraud', 'deceased', 'litigation', ...HOLD_KINDS];
const reason = 'as agreed';
const anyPayment = ({ payments }: Loan): string => payments.at(-1)?.refId ?? 'NONE';

const SMALLEST: { readonly [O in Operation]: (loan: Loan) => Extract<Command, { do: O }> } = {
  'request-documents': () => ({ do: 'request-documents' }),
  'verify-documents': () => ({ do: 'verify-documents', complete: true }),
  'start-underwriting': () => ({ do: 'start-underwriting' }),
  'complete-underwriting': () => ({ do: 'complete-underwriting', approved: true, dealIndex: 0, reason }),
  'request-collateral': () => ({ do: 'request-collateral' }),
  'approve-collateral': () => ({ do: 'approve-collateral', value: cents(1_000_000) }),
  'fund-loan': () => ({ do: 'fund-loan', date: null, opening: null }),
  'initiate-repayment': () => ({ do: 'initiate-repayment', date: null, opening: null }),
  'loan-repay': () => ({
    do: 'loan-repay',
    refId: 'SMALLEST',
    amount: CENT,
    date: null,
    purpose: 'installment',
    acceptOverpayment: true,
    reason: null,
  }),
  'acknowledge-repayment': (loan) => ({ do: 'acknowledge-repayment', refId: anyPayment(loan) }),
  'return-repayment': (loan) => ({ do: 'return-repayment', refId: anyPayment(loan), date: null, reason }),
  'reverse-repayment': (loan) => ({ do: 'reverse-repayment', refId: anyPayment(loan), reason }),
  'payoff-quotes': ({ on }) => ({ do: 'payoff-quotes', quoteId: 'SMALLEST', date: on, goodThrough: on }),
  'assess-fee': () => ({ do: 'assess-fee', feeId: 'SMALLEST', kind: 'fee', name: 'fee', amount: CENT, date: null }),
  'waive-fee': ({ fees }) => ({ do: 'waive-fee', feeId: fees.at(-1)?.feeId ?? 'NONE', amount: null, reason }),
  // Reported military service is the only change of the rate that is allowed in every status after funding.
  'change-rate': ({ on }) => ({
    do: 'change-rate',
    rate: percent('6'),
    date: null,
    why: 'scra',
    service: { from: on, to: null },
    reason,
  }),
  extend: () => ({ do: 'extend', periods: 1, date: null, reason }),
  'change-due-date': (loan) => {
    const next = delinquency(loan).nextDueDate;
    const to = next === null || next <= loan.on ? addDays(loan.on, 1) : next;
    return { do: 'change-due-date', to, date: null, reason };
  },
  reamortize: () => ({ do: 'reamortize', date: null, reason }),
  reage: () => ({ do: 'reage', date: null, reason }),
  settle: ({ on }) => ({ do: 'settle', quoteId: 'SETTLE', amount: CENT, goodThrough: on, reason }),
  'place-hold': ({ holds }) => ({
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
  'release-hold': ({ holds }) => ({ do: 'release-hold', holdId: holds.at(-1)?.holdId ?? 'NONE', date: null, reason }),
  delinquent: () => ({ do: 'delinquent' }),
  default: () => ({ do: 'default', ground: 'other', reason }),
  accelerate: () => ({ do: 'accelerate', reason }),
  'payment-reminders': () => ({ do: 'payment-reminders' }),
  'charge-off': () => ({ do: 'charge-off', date: null, reason, collateral: cents(0) }),
  'write-down': () => ({ do: 'write-down', amount: CENT, reason }),
  'record-recovery': () => ({ do: 'record-recovery', refId: 'SMALLEST', amount: CENT, date: null }),
  'refund-credit': () => ({ do: 'refund-credit', refId: 'SMALLEST', amount: CENT }),
  close: () => ({ do: 'close', refId: null }),
  cancel: () => ({ do: 'cancel', reason }),
  publish: () => ({ do: 'publish', published: true }),
  transfer: ({ on }) => ({
    do: 'transfer',
    transferId: 'SMALLEST',
    what: 'servicer',
    to: 'SRV-SMALLEST',
    date: on,
    reason,
    from: { organizationId: 'org_test', lenderId: 'L', servicerId: 'SRV' },
  }),
  'accept-transfer': () => ({ do: 'accept-transfer', servicerId: '' }),
  'cancel-transfer': () => ({ do: 'cancel-transfer', what: null, reason }),
  undo: () => ({ do: 'undo', sequence: 1, reason }),
  'update-party': () => ({ do: 'update-party', party: 'applicant', commitment: '0x01', date: null, reason }),
};

export function smallestCommand(operation: Operation, loan: Loan): Command {
  return SMALLEST[operation](loan);
}
