/**
 * The columns of every export, in their order. New ones are added before `cursor`, and none is ever renamed or removed, because clients
 * load these files into tables. `docs/exports.md` has the same list.
 *
 * A column holds a personal value only if it says so, and then exists only in an export that was asked for with personal data.
 */
export const EXPORTS = ['loans', 'payments', 'journal', 'events', 'positions'] as const;
export type ExportName = (typeof EXPORTS)[number];

/**
 * `text` is what somebody wrote, so in CSV it must not be taken for a formula; `code` is a word of ours, a hash or an id that we made.
 * An `amount` has two decimals; a `number` has those it needs.
 */
export type ColumnKind = 'text' | 'code' | 'date' | 'time' | 'amount' | 'number' | 'boolean';

export type Column = {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly about: string;
  readonly personal?: true;
};

const column = (name: string, kind: ColumnKind, about: string): Column => ({ name, kind, about });
const personal = (name: string, kind: ColumnKind, about: string): Column => ({
  ...column(name, kind, about),
  personal: true,
});

const CURSOR = column('cursor', 'code', 'Where to continue after this row. Ends with `.end` in the last row.');
const LOAN = column('loanId', 'code', 'The loan.');
const LENDER = column('lenderId', 'text', 'Your id of the lender.');

export const COLUMNS: Readonly<Record<ExportName, readonly Column[]>> = {
  loans: [
    LOAN,
    column('asOf', 'date', 'The date of the figures in this row.'),
    column('applicationId', 'text', 'Your id of the application.'),
    LENDER,
    column('primaryServicerId', 'text', 'Your id of the servicer.'),
    column('secondaryServicerId', 'text', 'Your id of a second servicer.'),
    column('loanType', 'text', 'The type of loan, such as `AutoLoan`.'),
    column('loanStatus', 'code', 'The status.'),
    column('closedBy', 'code', 'How the loan was closed.'),
    column('version', 'number', 'Transactions of the loan that are counted in.'),
    column('createdAt', 'time', 'When the loan was created.'),
    column('originationDate', 'date', 'Contract date: interest runs from it.'),
    column('fundedDate', 'date', 'The day of funding.'),
    column('firstPaymentDate', 'date', 'Due date of the first installment.'),
    column('nextPaymentDate', 'date', 'Due date of the oldest unpaid installment.'),
    column('maturityDate', 'date', 'Due date of the last installment.'),
    column('paymentFrequency', 'code', 'How often an installment is due.'),
    column('amortizationType', 'code', 'How the loan is repaid.'),
    column('term', 'number', 'Months.'),
    column('installments', 'number', 'Number of installments.'),
    column('remainingInstallments', 'number', 'Installments that are not fully paid.'),
    column('interestRate', 'number', 'Percent a year, in force on the date.'),
    column('grade', 'text', 'Grade of the assessment.'),
    column('riskRating', 'text', 'Risk rating.'),
    column('collateralType', 'text', 'Kind of collateral.'),
    column('collateralAmount', 'amount', 'Value of the collateral.'),
    column('loanAmount', 'amount', 'The amount financed.'),
    column('scheduledPayment', 'amount', 'The scheduled installment.'),
    column('principal', 'amount', 'Principal owed.'),
    column('interest', 'amount', 'Interest owed.'),
    column('fees', 'amount', 'Fees owed.'),
    column('credit', 'amount', 'Money owed back to the borrower.'),
    column('creditSince', 'date', 'The date on which the credit last rose from zero; empty: there is none.'),
    column('pastDueAmount', 'amount', 'Amount past due.'),
    column('daysPastDue', 'number', 'Days past due.'),
    column(
      'nonAccrualSince',
      'date',
      'The date from which the books count interest only when it is received; empty: they accrue it.',
    ),
    column('bucket', 'code', 'Days past due, as a range; empty for loans that are not being serviced.'),
    column('received', 'amount', 'Payments received so far.'),
    column('principalPaid', 'amount', 'Principal paid so far.'),
    column('interestPaid', 'amount', 'Interest paid so far.'),
    column('feesPaid', 'amount', 'Fees paid so far.'),
    column('chargedOff', 'amount', 'Principal charged off so far.'),
    column('recovered', 'amount', 'Received after the charge-off.'),
    personal('borrowerId', 'text', 'Your id of the borrower.'),
    personal('firstName', 'text', 'First name of the applicant.'),
    personal('lastName', 'text', 'Last name of the applicant.'),
    personal('dateOfBirth', 'text', 'Date of birth of the applicant, YYYYMMDD.'),
    personal('email', 'text', 'E-mail address.'),
    personal('phone', 'text', 'Telephone number.'),
    personal('address', 'text', 'Street address.'),
    personal('city', 'text', 'City.'),
    personal('state', 'text', 'State.'),
    personal('zip', 'text', 'ZIP code.'),
    personal('coApplicantFirstName', 'text', 'First name of the co-applicant.'),
    personal('coApplicantLastName', 'text', 'Last name of the co-applicant.'),
    personal('vin', 'text', 'Vehicle identification number.'),
    personal('customData', 'text', 'What the owner keeps with the loan, as JSON.'),
    CURSOR,
  ],
  payments: [
    LOAN,
    LENDER,
    column('refId', 'text', 'Your reference of the payment.'),
    column('paymentDate', 'date', 'The date on which it counts.'),
    column('amount', 'amount', 'The amount.'),
    column('status', 'code', '`Submitted`, `Acknowledged`, `Returned` or `Reversed`.'),
    column('purpose', 'code', 'The purpose of the payment.'),
    column('method', 'code', 'How it was paid.'),
    column('trace', 'text', 'Reference of the bank or processor.'),
    column('recovery', 'boolean', 'Whether it was received after the charge-off.'),
    column('principalPaid', 'amount', 'Principal that it pays. A returned or reversed payment pays nothing.'),
    column('interestPaid', 'amount', 'Interest that it pays.'),
    column('feesPaid', 'amount', 'Fees that it pays.'),
    column('credited', 'amount', 'The remainder, kept as a credit of the borrower.'),
    column('remainingBalance', 'amount', 'Principal after it.'),
    column('transactionHash', 'code', 'The transaction that recorded it.'),
    CURSOR,
  ],
  journal: [
    column('loanId', 'code', 'The loan; empty for an entry of a lender’s book, such as the interest of a day.'),
    column('sequence', 'number', 'Sequence number of the transaction within the loan or book.'),
    column('line', 'number', 'Number of the line within the transaction.'),
    column('transactionHash', 'code', 'The transaction that posted it.'),
    column('lenderId', 'text', 'The lender whose books it belongs to.'),
    column('entry', 'code', 'The type of entry.'),
    column('account', 'code', 'The account.'),
    column('debit', 'amount', 'The amount, if it is a debit.'),
    column('credit', 'amount', 'The amount, if it is a credit.'),
    column('dateEffective', 'date', 'The date from which it counts for the loan.'),
    column('datePosted', 'date', 'The date on which it is in the books.'),
    column('priorPeriod', 'boolean', 'Whether it takes effect in an earlier month than it is posted in.'),
    CURSOR,
  ],
  events: [
    column('id', 'code', 'The event, as in `GET /events`.'),
    column('type', 'code', 'The type of the event, such as `payment.submitted`.'),
    column('loanId', 'code', 'The loan; empty for an event that is not about a loan.'),
    column('transactionHash', 'code', 'Its transaction.'),
    column('sequence', 'number', 'Sequence number of the transaction within the loan.'),
    column('dateEffective', 'date', 'The date on which it takes effect.'),
    column('recordedAt', 'time', 'When it was recorded.'),
    column('subject', 'code', 'The subject of an event that is not about a loan.'),
    CURSOR,
  ],
  positions: [
    LOAN,
    column('date', 'date', 'The month end.'),
    column(
      'knownOn',
      'date',
      'Everything recorded up to the end of this day is counted in. Later than `date`: a restatement.',
    ),
    LENDER,
    column('primaryServicerId', 'text', 'Your id of the servicer on the date.'),
    column('secondaryServicerId', 'text', 'Your id of a second servicer on the date.'),
    column('loanStatus', 'code', 'The status on the date.'),
    column('daysPastDue', 'number', 'Days past due on the date.'),
    column(
      'nonAccrualSince',
      'date',
      'The date from which the books count interest only when it is received; empty: they accrue it.',
    ),
    column('grade', 'text', 'Grade of the assessment.'),
    column('vintage', 'date', 'First day of the month of funding; of a boarded loan, of its contract.'),
    column('fundedDate', 'date', 'The day of funding.'),
    column('interestRate', 'number', 'Percent a year, in force on the date.'),
    column('remainingInstallments', 'number', 'Installments that are not fully paid.'),
    column('original', 'amount', 'Principal disbursed; of a boarded loan its principal when it was boarded.'),
    column('principal', 'amount', 'Principal owed on the date, also after a charge-off.'),
    column('interest', 'amount', 'Interest on the books.'),
    column('fees', 'amount', 'Fees on the books.'),
    column('credit', 'amount', 'Credits of the borrower on the books.'),
    column('creditSince', 'date', 'The date on which the credit last rose from zero; empty: there is none.'),
    column('kept', 'amount', 'Principal that the books keep after a charge-off, for the collateral.'),
    column('openingPrincipal', 'amount', 'Principal at the end of the month before.'),
    column('disbursed', 'amount', 'Disbursed, boarded or bought in the month, less sold.'),
    column('principalReceived', 'amount', 'Principal received in the month.'),
    column('interestReceived', 'amount', 'Interest received in the month.'),
    column('feesReceived', 'amount', 'Fees received in the month.'),
    column('unscheduledPrincipal', 'amount', 'Principal prepaid in the month.'),
    column('chargedOff', 'amount', 'Principal charged off in the month.'),
    column('recovered', 'amount', 'All money received in the month after a charge-off.'),
    column('forgiven', 'amount', 'Principal waived in the month by a settlement or payoff quote.'),
    column('returned', 'amount', 'Payments recorded in an earlier month and returned or reversed in this one.'),
    column('receivedLate', 'amount', 'Payments recorded in the month that took effect in an earlier one.'),
    column('scheduled', 'amount', 'Installments due in the month.'),
    column('predictedYield', 'number', 'Percent a year, when the loan was assessed.'),
    column('predictedLoss', 'number', 'Percent of the original principal, when the loan was assessed.'),
    CURSOR,
  ],
};

/** Those that an export has. */
export function columnsOf(what: ExportName, withPersonal: boolean): readonly Column[] {
  return COLUMNS[what].filter((one) => withPersonal || one.personal !== true);
}
