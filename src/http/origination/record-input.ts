/** The members of a record that a new application does not have: its status, its servicing figures and its payments. */
import { Type } from 'typebox';
import { STATUSES } from '../../core/loan.ts';
import {
  amount,
  dayInput,
  decimalInput,
  holder,
  oneOf,
  partial,
  patterned,
  reference,
  text,
  whole,
} from '../shared/input-values.ts';

export const LOAN_TYPES = [
  'TermLoan',
  'RevolvingCredit',
  'AssetBased',
  'Bridge',
  'Mezzanine',
  'Syndicated',
  'EquipmentFinance',
  'InvoiceFinance',
  'MerchantCashAdvance',
  'PersonalLoan',
  'AutoLoan',
  'StudentLoan',
  'Mortgage',
  'LineOfCredit',
  'ConstructionLoan',
  'HardMoneyLoan',
  'Other',
] as const;
const ratio = (of: string) => decimalInput(`${of}, as a fraction.`);

/** For a loan in repayment they are where counting begins; for one that has ended they are kept. */
const metadataMembers = {
  fundedDate: dayInput('Day of funding.'),
  currentDpd: whole('Days past due.'),
  originalBalance: amount('Principal at the start.'),
  currentBalance: amount('Principal on the books; for a charged-off loan, the amount kept for the collateral.'),
  originalTerm: whole('Number of installments at the start.'),
  remainingTerm: whole('Installments that are not satisfied.'),
  pti: ratio('Payment to income'),
  dti: ratio('Debt to income'),
  ltv: ratio('Loan to value'),
  scheduledPayment: amount('The next installment by the schedule.'),
  currentPaymentDue: amount('Open amount of the next installment, with everything past due.'),
  pastDueAmount: amount('Amount past due.'),
  totalPrincipalPaid: amount('Principal paid.'),
  totalInterestPaid: amount('Interest paid.'),
  totalFeesPaid: amount('Fees paid.'),
  chargeoffAmount: amount('Principal written off.'),
  recoveredAmount: amount('Money received after a charge-off.'),
  paymentStatus: text(40, 'Such as On Time.'),
  scheduledMaturityDate: dayInput('Due date of the last installment.'),
};

const paymentMembers = {
  paymentId: reference('Id of the payment; `loan-repay` cannot use it again.'),
  paymentAmount: amount('Amount of the payment.'),
  paymentDate: dayInput('Day on which it took effect.'),
  remainingBalance: amount('Principal after it.'),
  principalAmount: amount('The loan’s starting principal.'),
  principalPaid: amount('Part that paid principal.'),
  interestPaid: amount('Part that paid interest.'),
  feesPaid: amount('Part that paid fees.'),
  status: oneOf(['Submitted', 'Acknowledged', 'Returned'], 'Default Acknowledged.'),
  transactionHash: patterned('0x(?:[0-9a-fA-F]{2}){1,64}', 'Transaction of the ledger that recorded it.'),
};

const metadataInput = holder('MetadataInput', partial(metadataMembers), 'Figures of a loan of this type.');
const metadataOf = Object.fromEntries(LOAN_TYPES.map((type) => [type, metadataInput]));

/** The members of `loanDetails` that a new application does not have. */
export const recordMembers = {
  loanStatus: oneOf(
    STATUSES,
    'The status of a loan that is boarded with its record. Boarding needs the scopes of the operations that lead to it. Default: a new ' +
      'application.',
  ),
  collateralAmount: amount('Value of the collateral; default: that of the vehicle.'),
  riskRating: oneOf(['Low', 'Medium', 'High'], 'Default: by the grade.'),
  repaidAmount: amount('Only in a record: all money received until then.'),
  remainingBalance: amount('Only in a record: principal that the borrower owes.'),
  startBlock: decimalInput('Only in a record; ignored, because a boarded loan has its own.'),
  createdAt: decimalInput('Only in a record; ignored, because a boarded loan has its own.'),
  loanPayments: Type.Unsafe<object[] | null>({
    ...Type.Array(holder('PaymentInput', partial(paymentMembers), 'A payment.')),
    type: ['array', 'null'],
    maxItems: 2_000,
    description:
      'Only in a record: payments that an earlier servicer received. They are shown, and can be neither returned nor reversed here.',
  }),
  metadata: holder(
    'RecordMetadataInput',
    partial(metadataOf),
    'Only in a record: servicing figures, under the loan type.',
  ),
};
