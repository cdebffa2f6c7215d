/** Names of the interface in the words of people who service loans. */
import { words } from '../../format.ts';

const LABELS: Readonly<Record<string, string>> = {
  acceptOverpayment: 'Keep any excess as a credit',
  access: 'Access',
  annualRatePercent: 'Rate, % per year',
  applicationId: 'Application',
  asOf: 'As of',
  bucket: 'Days past due',
  by: 'Grouped by',
  clientId: 'Client',
  dealIndex: 'Deal number',
  documentsComplete: 'The documents are complete',
  endpointId: 'Endpoint',
  feeId: 'Fee reference',
  goodThrough: 'Good through',
  granteeOrganizationId: 'Organization to grant access to',
  holdId: 'Hold reference',
  interestRate: 'Rate, % per year',
  knownAt: 'As known at',
  lenderId: 'Lender',
  loanId: 'Loan',
  loan_id: 'Loan',
  loanIds: 'Loans',
  n: 'Number',
  numbers: 'Form of numbers',
  organizationId: 'Organization',
  paymentDate: 'Received on',
  periods: 'Payments to move',
  policyId: 'Policy',
  q: 'Search',
  quoteId: 'Quote reference',
  rateLimitPerMinute: 'Requests per minute',
  refId: 'Reference',
  servicerId: 'Servicer',
  ssn: 'Social security number',
  trace: 'Bank reference',
  transactionHash: 'Transaction',
  transferId: 'Transfer',
  url: 'Address (https)',
  userId: 'Person',
  vin: 'VIN',
  zip: 'ZIP code',
};

const CHOICES: Readonly<Record<string, string>> = {
  ach: 'ACH',
  debit: 'Debit card',
  card: 'Credit card',
  payroll: 'Payroll deduction',
  scra: 'Military service (SCRA)',
  productRefund: 'Refund of a product',
  sale: 'Sale of the vehicle',
  insurance: 'Insurance payment',
  installment: 'Installments',
  principal: 'Principal only',
  ceaseContact: 'Cease contact',
  pastDue: 'Past due',
};

const TITLES: Readonly<Record<string, string>> = {
  allocation: 'Split',
  perDiem: 'Interest per day',
  remainingBalance: 'Balance',
  loanStatus: 'Status',
  delinquentAmount: 'Past due',
  delinquentDays: 'Days past due',
  nextPaymentDate: 'Oldest unpaid',
  upcomingDueDate: 'Next due',
  accruedInterest: 'Accrued interest',
};

export const labelOf = (name: string): string => LABELS[name] ?? figureWords(name);
export const titleOf = (name: string): string => TITLES[name] ?? LABELS[name] ?? figureWords(name);

const figureWords = (name: string): string =>
  words(name)
    .replace(/\bid$/, 'reference')
    .replaceAll(/\b(Apr|Irr|Dti|Ltv|Pti|Vin|Url)\b/gi, (word) => word.toUpperCase());

/** Meanings of the bank return codes that a lender meets. */
const RETURNS: Readonly<Record<string, string>> = {
  R01: 'not enough funds',
  R02: 'account closed',
  R03: 'no such account',
  R04: 'account number not valid',
  R05: 'not authorized, consumer account',
  R06: 'returned at the request of the sending bank',
  R07: 'authorization revoked',
  R08: 'payment stopped',
  R09: 'uncollected funds',
  R10: 'not authorized',
  R11: 'not as authorized',
  R12: 'account sold to another bank',
  R13: 'routing number not valid',
  R14: 'representative payee deceased or unable',
  R15: 'account holder deceased',
  R16: 'account frozen',
  R17: 'entry cannot be processed',
  R20: 'account does not allow ACH',
  R24: 'duplicate entry',
  R29: 'not authorized, business account',
};

/** A choice in words. Codes are followed by their meaning; scopes and figures stay as they are. */
export function choiceLabel(value: string | number): string {
  const text = String(value);
  if (CHOICES[text] !== undefined) return CHOICES[text];
  if (RETURNS[text] !== undefined) return `${text}: ${RETURNS[text]}`;
  return /^[a-z][A-Za-z_-]*$/.test(text) || /^[A-Z][a-z][A-Za-z]*$/.test(text) ? words(text) : text;
}

/** `general ledger accounts`, statuses and events come as one word. */
export const inWords = (name: string): string => words(name);
