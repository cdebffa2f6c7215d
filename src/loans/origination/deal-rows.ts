/** The deals of a loan, as rows. */
import { type PriceFigure, readPricing } from '../../underwriting/pricing.ts';

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
  /** Null: the loan was assessed elsewhere, or its borrower was erased. */
  readonly pricing: DealPricing | null;
};
type RatePart = 'funds' | 'expectedLoss' | 'shortTerm' | 'servicing' | 'capital' | 'acquisition';
type Participation = 'markup' | 'reserve';
export type DealPricing = Readonly<Record<Exclude<PriceFigure, RatePart | Participation>, string>> & {
  /** They add up to the buy rate before the cap of a state or of the lender. */
  readonly rateParts: Readonly<Record<RatePart, string>>;
  readonly participation: Readonly<Record<Participation, string>>;
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

/** From an `Underwriting` object, made here or elsewhere; `pricing` is the text of `underwriting/pricing.ts`. */
export function dealRows(
  { DealTermsInfo, UnderwritingInfo }: Readonly<Record<string, unknown>>,
  { withReasons, pricing }: { withReasons: boolean; pricing: string },
): DealRow[] {
  const infos = listOf(UnderwritingInfo);
  const priced = readPricing(pricing).map(pricingOf);
  return listOf(DealTermsInfo).map((terms, dealIndex) => {
    const info = infos[dealIndex] ?? {};
    const reasons = [info.DecisionReason, info.AllWarnings].flatMap((one) => sentences(one));
    return {
      dealIndex,
      loanAmount: textOf(terms.TermsLoanAmount),
      term: textOf(terms.TermsTerm),
      apr: textOf(terms.TermsAPR),
      monthlyPayment: textOf(terms.TermsMonthlyPayment),
      downPayment: textOf(terms.ApprovedDownPayment),
      ltv: textOf(terms.TermsLTV),
      pti: textOf(terms.TermsPTI),
      dti: textOf(terms.TermsDTI),
      decision: textOf(info.DecisionStatus),
      reasons: withReasons ? reasons : null,
      defaultProbability: textOf(info.DefaultProb),
      forecast: {
        principalPaid: textOf(info.ForecastPrincipalPaid),
        interestPaid: textOf(info.ForecastInterestPaid),
        chargeoffAmount: textOf(info.ForecastChargeoffAmount),
        recoveredAmount: textOf(info.ForecastRecoveredAmount),
        netLossAmount: textOf(info.ForecastNetLossAmount),
        totalPaid: textOf(info.ForecastTotalPaid),
        presentValue: textOf(info.ForecastPresentValue),
        fairValuePrice: textOf(info.FairValuePrice),
        yield: textOf(info.ForecastCompoundingNetIRR),
      },
      pricing: priced[dealIndex] ?? null,
    };
  });
}

function pricingOf(figures: Readonly<Record<PriceFigure, string>>): DealPricing {
  const { buyRate, funds, expectedLoss, shortTerm, servicing, capital, acquisition, markup, reserve, ...others } =
    figures;
  return {
    buyRate,
    rateParts: { funds, expectedLoss, shortTerm, servicing, capital, acquisition },
    participation: { markup, reserve },
    ...others,
  };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sentences(value: unknown): string[] {
  return textOf(value)
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
