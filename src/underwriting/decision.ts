/** The assessment of sixty deals in the form of the record: `Response`, the entries of `Underwriting`, the figures of `loanDetails`. */
import type { PlainDate } from '../core/calendar.ts';
import { type Grade, riskRatingOf } from '../core/grade.ts';
import type { HardStop } from '../core/hard-stops.ts';
import type { Cents } from '../core/money.ts';
import { formatDecimal } from '../core/rate.ts';
import { type CounterOffer, dealName, offerText } from './counter-offers.ts';
import type { AssessedDeal } from './deal.ts';
import type { Facts } from './facts.ts';
import { memberOf, textOf } from './lenient-numbers.ts';
import { inWords, type Macro } from './policy.ts';
import { principalStatements } from './reasons.ts';
import { amountText, decimalText, rounded, shortDecimalText } from './texts.ts';

/** An entry of `DealTermsInfo`. `TermsAPR` is the contract's rate, at which a chosen deal is signed. */
export function dealTermsInfo(deal: AssessedDeal, facts: Facts): Record<string, string> {
  const { contract, ratios, term, monthlyPayment, moreDown } = deal;
  return {
    ApprovedDownPayment: amountText((facts.downPayment + moreDown) as Cents),
    TermsAPR: formatDecimal(contract.rate),
    TermsDTI: decimalText(ratios.dti, 4),
    TermsFrontEndLTV: decimalText(ratios.frontEndLtv, 4),
    TermsLTV: decimalText(ratios.ltv, 4),
    TermsLoanAmount: amountText(contract.amount),
    TermsMonthlyPayment: amountText(monthlyPayment),
    TermsPTI: decimalText(ratios.pti, 4),
    TermsTerm: String(term),
  };
}

/** An entry of `UnderwritingInfo`; `instead`: what can be offered in place of the requested deal, for its own entry. */
export function underwritingInfo(
  deal: AssessedDeal,
  facts: Facts,
  instead: readonly CounterOffer[],
): Record<string, string> {
  const { forecast, price, dealer, contract, ratios } = deal;
  const { totals } = forecast;
  const warnings = allWarnings(deal, facts);
  return {
    AllWarnings: warnings.join('; '),
    CollateralDefaultProb: decimalText(deal.collateralDefaultProbability, 6),
    DecisionReason: decisionReason(deal, instead),
    DecisionReasonSimple:
      deal.decision === 'APPROVED' ? 'Approved' : principalStatements(deal.findings.reasons).join('; '),
    DecisionStatus: deal.decision,
    DefaultProb: decimalText(deal.defaultProbability, 6),
    FairValuePrice: amountText(price.fairValue),
    ForecastChargeoffAmount: amountText(totals.chargedOff),
    ForecastCompoundingIRR: decimalText(price.compoundingIrr, 10),
    ForecastCompoundingNetIRR: decimalText(price.compoundingNetIrr, 10),
    ForecastFairValuePrice: amountText(price.fairValue),
    ForecastInterestPaid: amountText(totals.interestPaid),
    ForecastNetLossAmount: amountText(totals.netLoss),
    ForecastPresentValue: amountText(price.presentValue),
    ForecastPrincipalPaid: amountText(totals.principalPaid),
    ForecastRecoveredAmount: amountText(totals.recovered),
    ForecastSimpleIRR: decimalText(price.simpleIrr, 10),
    ForecastSimpleNetIRR: decimalText(price.simpleNetIrr, 10),
    ForecastTotalPaid: amountText(totals.totalPaid),
    ForecastTotalPaidLessFees: amountText(totals.totalPaidLessFees),
    // From the rounded probability, so that both add up to one as shown.
    SolventProb: decimalText((1e6 - totals.defaultMillionths) / 1e6, 6),
    TermsApprovedBackEndProducts: amountText(facts.products),
    TermsApprovedFrontEndAmt: amountText((contract.amount - facts.products) as Cents),
    TermsApprovedFrontEndLTV: decimalText(ratios.frontEndLtv, 4),
    TermsDealerDiscount: amountText(dealer.dealerDiscount),
    TermsDealerFlat: amountText(dealer.dealerFlat),
    TermsDiscountFee: amountText(dealer.discountFee),
    TermsFundedAmount: amountText(dealer.funded),
    TermsLoanDiscount: amountText(dealer.loanDiscount),
    TermsTotalDiscount: amountText(dealer.totalDiscount),
    WarningsNumber: String(warnings.length),
  };
}

export function allWarnings({ findings }: AssessedDeal, facts: Facts): string[] {
  return [...facts.warnings, ...findings.warnings];
}

/** The reasons of the decision in the order of the notice, with the figures, and what would have been approved. */
function decisionReason(deal: AssessedDeal, instead: readonly CounterOffer[]): string {
  const { ratios, grade, defaultProbability, findings } = deal;
  if (deal.decision === 'DECLINED') {
    const reasons = findings.reasons.map(({ statement, detail }) => `${statement} (${detail})`);
    return [...reasons, ...instead.map(offerText)].join('; ');
  }
  const figures = [
    `grade ${grade}`,
    `default probability ${inWords(defaultProbability, 'ratio')}`,
    `debt to income ${inWords(ratios.dti, 'ratio')}`,
    `payment to income ${inWords(ratios.pti, 'ratio')}`,
    `loan to value ${inWords(ratios.ltv, 'ratio')}`,
    `buy rate ${inWords(deal.sheet.buyRate, 'percent')}`,
    `net yield ${inWords(deal.netYieldPercent, 'percent')}`,
  ];
  return `Within the policy: ${figures.join(', ')}`;
}

export type ResponseInput = {
  readonly request: unknown;
  readonly applicationId: string;
  readonly today: PlainDate;
  readonly at: string;
  readonly facts: Facts;
  readonly deals: readonly AssessedDeal[];
  readonly stipulations: readonly string[];
  readonly comments: readonly string[];
  /** Those of the people and of the requested deal. */
  readonly hardStops: readonly HardStop[];
};

export function responseOf(input: ResponseInput): Record<string, unknown> {
  const { request, today, at, facts, deals } = input;
  const application = memberOf(request, 'ApplicationInfo');
  const asked = deals[0] as AssessedDeal;
  return {
    ApplicationID: textOf(memberOf(application, 'ApplicationID')) || input.applicationId,
    ApplicationType: textOf(memberOf(application, 'ApplicationType')) || 'Complete',
    Comments: input.comments,
    CreditScoreCoapplicant: facts.coApplicant?.score ?? 0,
    CreditScorePrimary: facts.primary.score ?? 0,
    Date: today,
    DealerID: textOf(memberOf(memberOf(request, 'DealerInfo'), 'DealerID')),
    Decision: asked.decision,
    DecisionDate: `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    DeclineReason: asked.decision === 'APPROVED' ? '' : principalStatements(asked.findings.reasons).join('; '),
    LoanTerms: deals.flatMap((deal, i) => (deal.decision === 'APPROVED' ? [loanTerms(deal, i, facts)] : [])),
    Stipulations: input.stipulations,
    hardStops: input.hardStops,
  };
}

/** An offer: every deal that was approved is one. */
function loanTerms(deal: AssessedDeal, index: number, { vehicle }: Facts): Record<string, unknown> {
  const { contract, dealer, price } = deal;
  return {
    AcquisitionFee: dealer.discountFee / 100,
    AssetPrice: (vehicle.retail ?? vehicle.value) / 100,
    DEALER_FLAT: amountText(dealer.dealerFlat),
    DefaultProb: rounded(deal.defaultProbability, 6),
    Description: dealName(deal, index),
    Discount: (dealer.loanDiscount + dealer.dealerDiscount) / 100,
    FundedAmount: dealer.funded / 100,
    GrossYield: rounded(price.compoundingIrr, 6),
    IRR: rounded(price.compoundingNetIrr, 6),
    LTV: deal.ratios.ltv,
    Participation: dealer.reserve === 0 ? null : dealer.reserve / 100,
    Payment: deal.monthlyPayment / 100,
    Rate: deal.rate,
    TermMonths: deal.term,
    TotalLoanAmount: contract.amount / 100,
    VehicleWholesaleValue: (vehicle.wholesale ?? 0) / 100,
  };
}

/** The figures of `loanDetails` that depend on the deal, as the loan's file keeps them. */
export type DealDetails = {
  readonly riskRating: string;
  readonly defaultProbability: string;
  readonly grade: string;
  readonly predictedPrincipalPaid: string;
  readonly predictedInterestPaid: string;
  readonly predictedChargeoffAmount: string;
  readonly predictedRecoveredAmount: string;
  readonly predictedGrossCashflow: string;
  readonly predictedNetCashflow: string;
  readonly predictedYield: string;
  readonly fairValuePrice: string;
  readonly pti: string;
  readonly dti: string;
  readonly ltv: string;
  readonly lendingDecisionReason: string;
};

/** Computed from a deal's two entries of the record, so that choosing a deal later needs only the record and the applicant's grade. */
export function dealDetails(
  terms: Readonly<Record<string, string>>,
  info: Readonly<Record<string, string>>,
  grade: Grade,
): DealDetails {
  const figure = (of: Readonly<Record<string, string>>, name: string, decimals: number) =>
    shortDecimalText(Number(of[name]), decimals);
  const amount = (name: string) => (info[name] ?? '').replace(/\.00$/, '');
  return {
    riskRating: riskRatingOf(grade),
    defaultProbability: figure(info, 'DefaultProb', 6),
    grade,
    predictedPrincipalPaid: amount('ForecastPrincipalPaid'),
    predictedInterestPaid: amount('ForecastInterestPaid'),
    predictedChargeoffAmount: amount('ForecastChargeoffAmount'),
    predictedRecoveredAmount: amount('ForecastRecoveredAmount'),
    predictedGrossCashflow: amount('ForecastTotalPaid'),
    predictedNetCashflow: amount('ForecastTotalPaidLessFees'),
    // The file can hold a yield of up to 10,000 percent; only unrealistic loans exceed it.
    predictedYield: shortDecimalText(Math.min(100, Number(info.ForecastCompoundingNetIRR)), 6),
    fairValuePrice: amount('FairValuePrice'),
    pti: figure(terms, 'TermsPTI', 6),
    dti: figure(terms, 'TermsDTI', 6),
    ltv: figure(terms, 'TermsLTV', 6),
    lendingDecisionReason: info.DecisionReason ?? '',
  };
}

/** As JSON text: `macroEconomicFeatures`. */
export function macroText({ unemployment, cpi, fedRate }: Macro): string {
  return JSON.stringify({ unemployment, cpi, fedRate });
}
