/**
 * The reasons for denying credit, worded as in an adverse-action notice, and their order. The list is closed, so that every decline can be
 * stated to a borrower. Statements are those of the sample form C-1 of Regulation B (12 CFR 1002, appendix C) where it has one; the others
 * are specific as 1002.9(b)(2) requires. "Below our minimum score" is not a reason there: a low score is replaced by the reasons behind it.
 */
export const REASONS = {
  'file-frozen': 'Credit file is not available because of a security freeze',
  'identity-not-verified': 'Unable to verify identity',
  // Words of the sample form.
  'no-credit-file': 'No credit file',
  'delinquent-credit': 'Delinquent past or present credit obligations with others',
  bankruptcy: 'Bankruptcy',
  repossession: 'Foreclosure or repossession',
  collection: 'Collection action or judgment',
  'limited-credit': 'Limited credit experience',
  'recent-inquiries': 'Number of recent inquiries on credit bureau report',
  'excessive-obligations': 'Excessive obligations in relation to income',
  'income-insufficient': 'Income insufficient for amount of credit requested',
  'collateral-insufficient': 'Value or type of collateral not sufficient',
  // Our own: "other, specify".
  'balances-too-high': 'Proportion of balances to credit limits on revolving accounts is too high',
  'credit-history': 'Credit history as reported by the consumer reporting agency',
  'other-applicant': 'Credit file of another applicant on this application',
  'products-too-high': 'Amount of products financed in addition to the vehicle is too high for its value',
  'term-not-offered': 'Length of the loan requested is not offered for this vehicle',
  'term-too-long': 'Length of the loan requested is too long for this credit',
  'rate-not-offered': 'Rate requested is below the lowest rate we offer for this credit',
  'rate-not-allowed': 'Rate requested is above the highest rate allowed for this credit',
  'rate-too-high': 'Rate requested is above the highest rate we charge for this credit',
  'rate-above-risk': 'Rate requested is above the usual rate for this credit',
  'cost-not-covered': 'Payments on the requested terms would not cover our cost of granting this credit',
  'balloon-too-large': 'Final payment requested is too large a part of the loan',
  'owed-too-long': 'Payments requested reduce the loan too slowly for the value of the collateral',
  'first-payment-too-late': 'First payment requested is later than we offer',
  'amount-not-offered': 'Amount of credit requested is outside the range we offer',
  'application-incomplete': 'Credit application incomplete',
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

/** A reason behind a low score or a high risk, with the figures ('' when there are none) and what it costs the applicant, in log-odds. */
export type Cause = { readonly code: ReasonCode; readonly detail: string; readonly cost: number };

export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(REASONS, text);
}

/** Reasons about the credit file itself. */
const ABOUT_THE_FILE: ReadonlySet<ReasonCode> = new Set(['file-frozen', 'identity-not-verified']);

export function isAboutTheFile({ code }: Reason): boolean {
  return ABOUT_THE_FILE.has(code);
}

/**
 * A file that cannot be read, or that may be somebody else's, is the only reason: whatever else was found was found without the
 * applicant's file, and may disclose another person's credit.
 */
export function reasonsToState(reasons: readonly Reason[]): readonly Reason[] {
  const aboutTheFile = reasons.filter(isAboutTheFile);
  return aboutTheFile.length > 0 ? aboutTheFile : reasons;
}

/**
 * The subjects of rules, in the order in which broken rules are stated: the person (automatic denials, which the notice must name: official
 * interpretation 8 of 1002.9(b)(2)), the requested terms, the risk as a whole, the rate, which the lender sets by the risk, and what the
 * deal is worth, which follows from all others.
 */
const RULE_KINDS = ['person', 'terms', 'risk', 'rate', 'worth'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** A broken rule: how far beyond its limit, as a share of the limit, and its reasons, the most important first. */
export type Break = {
  readonly kind: RuleKind;
  readonly excess: number;
  readonly reasons: readonly (Reason & Pick<Cause, 'cost'>)[];
};

/**
 * All reasons, the principal ones first. Every broken rule states its first reason before any states its second. Rules are ordered by what
 * they are about; those about the terms by how far they are exceeded, in tenths of the limit so that a small change does not reorder them,
 * and then as in the policy. The further reasons of the score and the model follow, the most costly first.
 */
export function inOrder(breaks: readonly Break[]): Reason[] {
  const sorted = breaks.toSorted(
    (a, b) =>
      RULE_KINDS.indexOf(a.kind) - RULE_KINDS.indexOf(b.kind) ||
      (a.kind === 'terms' ? Math.floor(b.excess * 10) - Math.floor(a.excess * 10) : 0),
  );
  const [worth, others] = [
    sorted.filter(({ kind }) => kind === 'worth'),
    sorted.filter(({ kind }) => kind !== 'worth'),
  ];
  const first = others.flatMap(({ reasons }) => reasons.slice(0, 1));
  const further = others.flatMap(({ reasons }) => reasons.slice(1)).sort(byCost);
  const last = worth.flatMap(({ reasons }) => reasons);
  return [...first, ...further, ...last].map(({ cost: _, ...reason }) => reason);
}

const FIXED_ORDER: readonly string[] = Object.keys(REASONS);

/** The most costly first, in tenths of log-odds so that a small change does not reorder them; then in the order of the list. */
export function byCost(a: Pick<Cause, 'code' | 'cost'>, b: Pick<Cause, 'code' | 'cost'>): number {
  return stepsOf(b.cost) - stepsOf(a.cost) || FIXED_ORDER.indexOf(a.code) - FIXED_ORDER.indexOf(b.code);
}

/** Tenths of log-odds, which change the odds by a tenth each. */
export function stepsOf(cost: number): number {
  return Math.round(cost * 10);
}

/** More than four are not likely to help the applicant (12 CFR 1002.9(b)(2), official interpretation 1). */
export const PRINCIPAL = 4;

/** The principal reasons, each statement once. That the deal is not worth its cost is one only where nothing else explains it. */
export function principalStatements(reasons: readonly Reason[]): string[] {
  const explained = reasons.filter(({ code }) => code !== 'cost-not-covered');
  const stated = (explained.length > 0 ? explained : reasons).map(({ statement }) => statement);
  return [...new Set(stated)].slice(0, PRINCIPAL);
}
