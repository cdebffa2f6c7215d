/** The deals of a loan, as rows. */

/** One of the deals that underwriting offered, figures as the record has them. */
export type DealRow = {
  /** For `complete-underwriting`. */
  readonly dealIndex: number;
  readonly loanAmount: string;
  readonly term: string;
  readonly apr: string;
  readonly monthlyPayment: string;
  readonly downPayment: string;
  readonly ltv: string;
  readonly pti: string;
  readonly dti: string;
  readonly decision: string;
  /** Null where the caller may not see them: they are about the person. */
  readonly reasons: readonly string[] | null;
  readonly defaultProbability: string;
  readonly forecast: Readonly<Record<DealForecast, string>>;
};
export type DealForecast =
  | 'principalPaid'
  | 'interestPaid'
  | 'chargeoffAmount'
  | 'recoveredAmount'
  | 'netLossAmount'
  | 'totalPaid'
  | 'presentValue'
  | 'fairValuePrice'
  | 'yield';
