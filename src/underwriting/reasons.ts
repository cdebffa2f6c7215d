/**
 * The reasons for denying credit, worded as in an adverse-action notice. The list is closed, so that every decline can be stated to a
 * borrower. Statements are those of the sample form C-1 of Regulation B (12 CFR 1002, appendix C) where it has one; the others are specific
 * as 1002.9(b)(2) requires. "Below our minimum score" is not a reason there: a low score is replaced by the reasons behind it.
 */
export const REASONS = {
  'no-credit-file': 'No credit file',
  'limited-credit': 'Limited credit experience',
  'delinquent-credit': 'Delinquent past or present credit obligations with others',
  'balances-too-high': 'Proportion of balances to credit limits on revolving accounts is too high',
  'recent-inquiries': 'Number of recent inquiries on credit bureau report',
  'credit-history': 'Credit history as reported by the consumer reporting agency',
  'income-insufficient': 'Income insufficient for amount of credit requested',
  'excessive-obligations': 'Excessive obligations in relation to income',
  'collateral-insufficient': 'Value or type of collateral not sufficient',
  'products-too-high': 'Amount of products financed in addition to the vehicle is too high for its value',
  'term-not-offered': 'Length of the loan requested is not offered for this vehicle',
  'rate-not-offered': 'Rate requested is below what we offer for this kind of credit',
  'rate-not-allowed': 'Rate requested is above what is allowed for this kind of credit',
  'rate-too-high': 'Rate requested is above what we charge for this credit',
  'cost-not-covered': 'Rate and amount requested do not cover the cost of granting this credit',
  'amount-not-offered': 'Amount of credit requested is outside the range we offer',
  'no-capacity': 'Applicant is not of legal age to enter into a binding contract',
} as const;

export type ReasonCode = keyof typeof REASONS;

export type Reason = {
  readonly code: ReasonCode;
  /** For the notice. */
  readonly statement: string;
  /** The rule of the policy and the figures: for the file, and for inquiries. */
  readonly rule: string;
  readonly detail: string;
};

export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(REASONS, text);
}

/** More than four are not likely to help the applicant (12 CFR 1002.9(b)(2), official interpretation 1). */
const PRINCIPAL = 4;

/** The principal reasons, each statement once, in the order of the policy. */
export function principalStatements(reasons: readonly Reason[]): string[] {
  return [...new Set(reasons.map(({ statement }) => statement))].slice(0, PRINCIPAL);
}
