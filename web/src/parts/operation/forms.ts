/** The menu of a loan, and our own forms by operation. Every other operation has a form that is made from its schema. */
import { cents, day, fromCents, money, words } from '../../format.ts';
import { type Facts, servicing } from './facts.ts';
import { APPLICATION_FORMS } from './forms-application.ts';
import { BOOK_FORMS } from './forms-book.ts';
import { type Choice, type Menu, newReference, type OwnField, type OwnForm, type Values } from './own-form.ts';

/** The operations of one loan by what people call them, in the groups of the menu. */
export const MENU: readonly Menu[] = [
  {
    title: 'Payments',
    actions: {
      submitRepayment: 'Take payment',
      acknowledgeRepayment: 'Acknowledge a payment',
      returnRepayment: 'Return a payment',
      reverseRepayment: 'Reverse a payment',
      quotePayoff: 'Quote payoff',
      settleLoan: 'Agree on a settlement',
      refundCredit: 'Refund a credit',
      recordRecovery: 'Record a recovery',
    },
  },
  {
    title: 'Fees',
    actions: {
      assessFee: 'Charge a fee',
      waiveFee: 'Waive a fee',
    },
  },
  {
    title: 'Terms',
    actions: {
      extendLoan: 'Extend',
      changeDueDate: 'Change the due date',
      changeRate: 'Change the rate',
      reamortizeLoan: 'Recalculate the payment',
      reageLoan: 'Re-age',
    },
  },
  {
    title: 'Holds and contact',
    actions: {
      placeHold: 'Place a hold',
      releaseHold: 'Release a hold',
      remindOfPayment: 'Record a payment reminder',
      updateParty: 'Update borrower data',
      updateCustomData: 'Update custom data',
    },
  },
  {
    title: 'Delinquency and loss',
    actions: {
      noteDelinquency: 'Note delinquency',
      defaultLoan: 'Declare default',
      accelerateLoan: 'Accelerate',
      chargeOffLoan: 'Charge off',
      writeDown: 'Write down',
    },
  },
  {
    title: 'Application',
    actions: {
      requestDocuments: 'Request documents',
      verifyDocuments: 'Verify documents',
      startUnderwriting: 'Start underwriting',
      completeUnderwriting: 'Decide',
      requestCollateral: 'Request collateral',
      approveCollateral: 'Approve collateral',
      updateStipulation: 'Update a stipulation',
      fundLoan: 'Fund',
      initiateRepayment: 'Begin repayment',
      cancelLoan: 'Cancel the application',
    },
  },
  {
    title: 'Loan',
    actions: {
      closeLoan: 'Close',
      cancelBoarding: 'Cancel the boarding',
      rescindLoan: 'Rescind',
      publishLoan: 'Publish or withdraw',
      transferLoan: 'Transfer',
      acceptTransfer: 'Accept a transfer',
      cancelTransfer: 'Cancel a transfer',
      undoTransaction: 'Undo a transaction',
    },
  },
];

const amountOf = ({ amount }: Values): string =>
  cents(String(amount ?? '')) === null ? '' : ` ${money(String(amount))}`;

const today: Pick<OwnField, 'start'> = { start: (facts) => facts.today };
const reason: OwnField = { name: 'reason', label: 'Reason', hint: 'Stored encrypted with the transaction.' };
const override: OwnField = {
  name: 'override',
  label: 'Exceed the limits of the policy',
  hint: 'Requires the override permission. The limits exceeded are recorded.',
};
const effective: OwnField = { name: 'date', label: 'Effective on', hint: 'Default: today.', ...today };

/** Amounts for one click; those that are nothing are left out. */
function amounts(...offered: (readonly [string, string | null | undefined])[]): Choice[] {
  return offered.flatMap(([label, amount]) =>
    (cents(amount) ?? 0n) > 0n ? [{ label: `${label} ${money(amount)}`, value: money(amount) }] : [],
  );
}

const payment: OwnField = {
  name: 'refId',
  label: 'Payment',
  choices: ({ summary }) =>
    [...(summary?.loanDetails.loanPayments ?? [])]
      .filter(({ status }) => status !== 'Returned')
      .reverse()
      .map(({ paymentId, paymentAmount, paymentDate, status }) => ({
        value: paymentId,
        label: `${day(paymentDate)} · ${money(paymentAmount)} · ${words(status)} · ${paymentId}`,
      })),
};

/** Null: no fee is unpaid, or nothing is due. */
function withFees(due: string | null, { payoff }: Facts): string | null {
  const [installments, fees] = [cents(due ?? ''), cents(payoff?.fees ?? '')];
  return installments === null || fees === null || fees === 0n ? null : fromCents(installments + fees);
}

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
/** Whether the policy requires a reason. Where it could not be read, the reason may be given in any case. */
const mayNeedReason = ({ paymentDate }: Values, { today, policy }: Facts) =>
  policy === null || (typeof paymentDate === 'string' && daysBetween(paymentDate, today) > policy.backdateDays);

export const FORMS: Readonly<Record<string, OwnForm>> = {
  ...APPLICATION_FORMS,
  ...BOOK_FORMS,

  submitRepayment: {
    title: 'Take payment',
    fields: [
      {
        name: 'amount',
        label: 'Amount',
        start: (facts) => (servicing(facts).due === null ? undefined : money(servicing(facts).due)),
        fills: (facts) => {
          const { due, pastDue } = servicing(facts);
          return amounts(
            ['Due', due],
            ['Past due', pastDue === due ? null : pastDue],
            ['Due and fees', withFees(due, facts)],
            ['Payoff', facts.payoff?.payoff],
          );
        },
      },
      { name: 'paymentDate', label: 'Received on', ...today },
      { name: 'method', label: 'Method' },
      {
        ...reason,
        hint: 'Required if the payment was received longer ago than the policy allows without a reason.',
        when: mayNeedReason,
      },
    ],
    more: [
      {
        name: 'refId',
        label: 'Reference',
        hint: 'Generated. A reference is never accepted twice.',
        start: (facts) => newReference('PAY', facts.today),
      },
      {
        name: 'purpose',
        label: 'Applied to',
        hint: 'Default: installments. Only installments satisfy amounts due.',
      },
      { name: 'trace', label: 'Bank reference', hint: 'The bank’s or processor’s reference. No personal data.' },
      { name: 'acceptOverpayment', label: 'Keep an excess over the payoff as a credit' },
    ],
    omit: ['principalOnly'],
    needs: ['policy'],
    does: (values) => `Take${amountOf(values) || ' payment'}`,
    did: (values) => `Payment of${amountOf(values)} taken.`,
    takenBackBy: { operation: 'reverseRepayment', label: 'Reverse it', initial: ({ refId }) => ({ refId }) },
  },

  quotePayoff: {
    title: 'Quote payoff',
    fields: [
      { name: 'date', label: 'Payoff date', ...today },
      {
        name: 'goodThrough',
        label: 'Good through',
        hint: 'The last day on which the amount pays off the loan. Default: set by the policy.',
      },
    ],
    more: [{ name: 'quoteId', label: 'Quote reference', hint: 'Default: a new reference.' }],
    does: () => 'Quote payoff',
    did: () => 'Payoff quoted.',
  },

  settleLoan: {
    title: 'Agree on a settlement',
    fields: [
      { name: 'amount', label: 'Settlement amount', fills: ({ payoff }) => amounts(['Payoff', payoff?.payoff]) },
      { name: 'goodThrough', label: 'To be paid by', hint: 'If the amount arrives by then, any remainder is waived.' },
      reason,
    ],
    does: (values) => `Offer settlement for${amountOf(values) || ' less'}`,
    did: (values) => `Settlement for${amountOf(values)} recorded.`,
  },

  extendLoan: {
    title: 'Extend',
    fields: [{ name: 'periods', label: 'Payments to move to the end', start: () => 1 }, effective, reason],
    more: [override],
    does: ({ periods }) =>
      periods === undefined ? 'Extend' : periods === 1 ? 'Extend by 1 payment' : `Extend by ${periods} payments`,
    did: () => 'Loan extended.',
  },

  assessFee: {
    title: 'Charge fee',
    fields: [
      { name: 'name', label: 'Description', hint: 'Shown to the borrower, such as “Title copy”.' },
      { name: 'amount', label: 'Amount' },
      { name: 'date', label: 'Charged on', ...today },
    ],
    more: [
      { name: 'kind', label: 'Kind', hint: 'A penalty is paid after fees.' },
      {
        name: 'feeId',
        label: 'Fee reference',
        hint: 'Generated.',
        start: (facts) => newReference('FEE', facts.today),
      },
    ],
    does: (values) => `Charge${amountOf(values) || ' fee'}`,
    did: (values) => `Fee of${amountOf(values)} charged.`,
  },

  waiveFee: {
    title: 'Waive fee',
    needs: ['fees'],
    fields: [
      {
        name: 'feeId',
        label: 'Fee',
        start: ({ fees }) => (fees.length === 1 ? fees[0]?.feeId : undefined),
        choices: ({ fees }) =>
          fees.map(({ feeId, name, date, amount }) => ({ value: feeId, label: `${name} · ${day(date)} · ${amount}` })),
      },
      { name: 'amount', label: 'Amount', hint: 'Default: the full unpaid amount.' },
      reason,
    ],
    does: (values, { fees }) =>
      `Waive ${amountOf(values).trim() || (fees.find(({ feeId }) => feeId === values.feeId)?.amount ?? 'fee')}`,
    did: () => 'Fee waived.',
  },

  placeHold: {
    title: 'Place hold',
    fields: [
      { name: 'kind', label: 'Kind of hold' },
      { name: 'from', label: 'From', ...today },
      { name: 'to', label: 'Until', hint: 'Default: until released.' },
      reason,
      { name: 'details', label: 'Details' },
    ],
    more: [{ name: 'holdId', label: 'Hold reference', hint: 'Default: a new reference.' }],
    does: ({ kind }) => (typeof kind === 'string' ? `Place ${words(kind).toLowerCase()} hold` : 'Place hold'),
    did: () => 'Hold placed.',
  },

  releaseHold: {
    title: 'Release hold',
    needs: ['holds'],
    fields: [
      {
        name: 'holdId',
        label: 'Hold',
        start: ({ holds }) => {
          const inForce = holds.filter(({ standing }) => standing === 'inForce');
          return inForce.length === 1 ? inForce[0]?.holdId : undefined;
        },
        choices: ({ holds }) =>
          holds
            .filter(({ standing }) => standing === 'inForce')
            .map(({ holdId, kind, from }) => ({
              value: holdId,
              label: `${words(kind)} · since ${day(from)} · ${holdId}`,
            })),
      },
      { name: 'date', label: 'Released on', ...today },
      reason,
    ],
    does: () => 'Release hold',
    did: () => 'Hold released.',
  },

  updateCustomData: {
    title: 'Update custom data',
    about: 'What you keep with the loan for your own use. Members that are not named here stay as they are.',
    fields: [
      { name: 'customData', label: 'Custom data', hint: 'At most 20 members of 200 characters. Stored encrypted.' },
      reason,
    ],
    does: () => 'Update custom data',
    did: () => 'Custom data updated.',
  },

  changeDueDate: {
    title: 'Change due date',
    fields: [{ name: 'to', label: 'Next payment is due on' }, effective, reason],
    does: ({ to }) => (typeof to === 'string' ? `Move to ${day(to)}` : 'Change due date'),
    did: () => 'Due date changed.',
  },

  changeRate: {
    title: 'Change rate',
    fields: [
      { name: 'interestRate', label: 'New rate, % per year' },
      { name: 'why', label: 'Basis', hint: 'By the contract, as a modification, or for military service.' },
      { name: 'serviceFrom', label: 'Service began on', when: ({ why }) => why === 'scra' },
      {
        name: 'serviceTo',
        label: 'Service ended on',
        hint: 'Leave empty if unknown.',
        when: ({ why }) => why === 'scra',
      },
      { ...effective, when: ({ why }) => why !== 'scra' },
      reason,
    ],
    does: ({ interestRate }) => (interestRate === undefined ? 'Change rate' : `Change rate to ${interestRate} %`),
    did: () => 'Rate changed.',
  },

  reamortizeLoan: {
    title: 'Reamortize',
    fields: [effective, reason],
    does: () => 'Reamortize',
    did: () => 'Payments recalculated.',
  },

  reageLoan: {
    title: 'Re-age',
    fields: [effective, reason],
    more: [override],
    does: () => 'Re-age',
    did: () => 'Loan re-aged.',
  },

  defaultLoan: {
    title: 'Declare default',
    fields: [{ name: 'ground', label: 'Ground' }, reason],
    does: () => 'Declare default',
    did: () => 'Default declared.',
    grave: true,
  },

  accelerateLoan: {
    title: 'Accelerate',
    fields: [reason],
    does: () => 'Make everything due',
    did: () => 'Everything owed is due.',
    grave: true,
  },

  chargeOffLoan: {
    title: 'Charge off',
    fields: [
      {
        name: 'collateral',
        label: 'Collateral kept on the books',
        hint: 'Default: none.',
      },
      { name: 'date', label: 'Charged off on', ...today },
      reason,
    ],
    does: () => 'Charge off',
    did: () => 'Loan charged off.',
    grave: true,
  },

  cancelBoarding: {
    title: 'Cancel the boarding',
    fields: [reason],
    does: () => 'Cancel the boarding',
    did: () => 'Boarding cancelled. The application number is free.',
    grave: true,
  },

  rescindLoan: {
    title: 'Rescind the contract',
    fields: [{ name: 'date', label: 'Rescinded on', ...today }, reason],
    does: () => 'Rescind',
    did: () => 'Contract rescinded.',
    grave: true,
  },

  writeDown: {
    title: 'Write down',
    fields: [{ name: 'amount', label: 'Amount to write off' }, reason],
    does: (values) => `Write off${amountOf(values)}`,
    did: (values) => `Wrote off${amountOf(values)}.`,
    grave: true,
  },

  recordRecovery: {
    title: 'Record recovery',
    fields: [
      { name: 'amount', label: 'Amount received' },
      { name: 'date', label: 'Received on', ...today },
    ],
    more: [
      { name: 'refId', label: 'Reference', hint: 'Generated.', start: (facts) => newReference('REC', facts.today) },
    ],
    does: (values) => `Record${amountOf(values) || ' recovery'}`,
    did: (values) => `Recovery of${amountOf(values)} recorded.`,
  },

  refundCredit: {
    title: 'Refund credit',
    fields: [{ name: 'amount', label: 'Amount', fills: ({ payoff }) => amounts(['Credit', payoff?.credits]) }],
    more: [
      { name: 'refId', label: 'Reference', hint: 'Generated.', start: (facts) => newReference('REF', facts.today) },
    ],
    does: (values) => `Refund${amountOf(values)}`,
    did: (values) => `Refund of${amountOf(values)} recorded.`,
  },

  acknowledgeRepayment: {
    title: 'Acknowledge payment',
    fields: [payment],
    does: () => 'Acknowledge payment',
    did: () => 'Payment acknowledged.',
  },

  returnRepayment: {
    title: 'Return payment',
    fields: [
      payment,
      { name: 'code', label: 'Return code', hint: 'As given by the bank.' },
      { name: 'date', label: 'Returned on', ...today },
      reason,
    ],
    does: () => 'Return payment',
    did: () => 'Payment returned.',
    grave: true,
  },

  reverseRepayment: {
    title: 'Reverse payment',
    fields: [payment, { ...reason, hint: 'For a payment that was posted in error. Stored encrypted.' }],
    does: () => 'Reverse payment',
    did: () => 'Payment reversed.',
    grave: true,
  },

  undoTransaction: {
    title: 'Undo',
    needs: ['timeline'],
    fields: [
      {
        name: 'transactionHash',
        label: 'Transaction to undo',
        choices: ({ timeline }) =>
          timeline
            .filter(
              ({ transactionHash, undoneBy, undoes }) =>
                transactionHash !== null && undoneBy === null && undoes === null,
            )
            .reverse()
            .map(({ transactionHash, type, date, amount }) => ({
              value: transactionHash ?? '',
              label: `${day(date)} · ${words(type)}${amount === null ? '' : ` · ${money(amount)}`}`,
            })),
      },
      reason,
    ],
    does: () => 'Undo',
    did: () => 'Undone.',
  },

  updateParty: {
    title: 'Update borrower',
    fields: [
      { name: 'party', label: 'Who', start: () => 'applicant' },
      { name: 'changes', label: 'New data', hint: 'Enter only the values that change. Stored encrypted.' },
      { name: 'date', label: 'From', ...today },
      reason,
    ],
    does: () => 'Save changes',
    did: () => 'Changes saved.',
  },

  transferLoan: {
    title: 'Transfer',
    fields: [
      { name: 'what', label: 'New servicer or new owner' },
      { name: 'to', label: 'To' },
      { name: 'date', label: 'From', hint: 'Today or later, at most a year ahead.', ...today },
      reason,
    ],
    does: () => 'Transfer loan',
    did: () => 'Transfer recorded.',
  },

  remindOfPayment: {
    title: 'Payment reminder',
    fields: [],
    does: () => 'Record reminder',
    did: () => 'Reminder recorded.',
  },

  closeLoan: {
    title: 'Close loan',
    fields: [],
    more: [{ name: 'refId', label: 'Reference', hint: 'The payment that closes the loan, if any.' }],
    does: () => 'Close loan',
    did: () => 'Loan closed.',
    grave: true,
  },
};
