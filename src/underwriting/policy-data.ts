/**
 * The lending policies that come with the service: sample figures of an ordinary auto lender, meant to be replaced by a lender's own.
 * A policy that has decided applications never changes; the next change is the next version.
 */
import { date } from '../core/calendar.ts';
import { loadPolicy } from './load-policy.ts';
import type { FundsCurve, LendingPolicy, MacroRow } from './policy.ts';
import { STATE_CAPS } from './state-caps.ts';

const FUNDS_SOURCE = 'sample: Treasury yields of the same life, rounded, and what a rated issuer pays above them';
const MACRO_SOURCE = 'sample: near the figures of the Bureau of Labor Statistics and the Federal Reserve';

/** By months: 12, 24, 36, 60. */
function curve(from: string, [one, two, three, five]: readonly [number, number, number, number]): FundsCurve {
  return {
    from: date(from),
    source: FUNDS_SOURCE,
    points: [
      { months: 12, percent: one },
      { months: 24, percent: two },
      { months: 36, percent: three },
      { months: 60, percent: five },
    ],
  };
}

function economy(from: string, unemployment: number, cpi: number, fedRate: number): MacroRow {
  return { from: date(from), source: MACRO_SOURCE, unemployment, cpi, fedRate };
}

export const POLICIES: readonly LendingPolicy[] = [
  loadPolicy({
    version: 'auto-3',
    effectiveFrom: date('2020-01-01'),
    rules: [
      // The file: can it be read, and is it the applicant's?
      { id: 'frozen-file', measure: 'frozen', breaks: 'above', limit: 0, outcome: { decline: 'file-frozen' } },
      { id: 'deceased', measure: 'deceased', breaks: 'above', limit: 0, outcome: { decline: 'identity-not-verified' } },
      {
        id: 'ssn-no-match',
        measure: 'ssnNoMatch',
        breaks: 'above',
        limit: 0,
        outcome: { decline: 'identity-not-verified' },
      },
      // The applicant's credit
      { id: 'a-score', measure: 'scores', breaks: 'below', limit: 1, outcome: { decline: 'score' } },
      { id: 'minimum-score', measure: 'score', breaks: 'below', limit: 540, outcome: { decline: 'score' } },
      {
        id: 'maximum-past-due',
        measure: 'pastDueLines',
        breaks: 'above',
        limit: 3,
        outcome: { decline: 'delinquent-credit' },
      },
      // Capacity to pay
      {
        id: 'minimum-income',
        measure: 'income',
        breaks: 'below',
        limit: 1_200_00,
        outcome: { decline: 'income-insufficient' },
      },
      { id: 'maximum-dti', measure: 'dti', breaks: 'above', limit: 0.5, outcome: { decline: 'excessive-obligations' } },
      {
        id: 'maximum-pti',
        measure: 'pti',
        breaks: 'above',
        limit: { byGrade: { A: 0.2, B: 0.19, C: 0.18, D: 0.17, E: 0.16, F: 0.15 } },
        outcome: { decline: 'income-insufficient' },
      },
      // The collateral
      {
        id: 'maximum-ltv',
        measure: 'ltv',
        breaks: 'above',
        limit: { byGrade: { A: 1.4, B: 1.35, C: 1.3, D: 1.25, E: 1.2, F: 1.1 } },
        outcome: { decline: 'collateral-insufficient' },
      },
      {
        id: 'maximum-front-end-ltv',
        measure: 'frontEndLtv',
        breaks: 'above',
        limit: { byGrade: { A: 1.3, B: 1.25, C: 1.2, D: 1.15, E: 1.1, F: 1 } },
        outcome: { decline: 'collateral-insufficient' },
      },
      {
        id: 'maximum-products',
        measure: 'productsToValue',
        breaks: 'above',
        limit: 0.25,
        outcome: { decline: 'products-too-high' },
      },
      {
        id: 'maximum-vehicle-age',
        measure: 'vehicleAge',
        breaks: 'above',
        limit: 15,
        outcome: { decline: 'collateral-insufficient' },
      },
      {
        id: 'maximum-mileage',
        measure: 'mileage',
        breaks: 'above',
        limit: 175_000,
        outcome: { decline: 'collateral-insufficient' },
      },
      // The requested terms
      {
        id: 'term-by-vehicle-age',
        measure: 'term',
        breaks: 'above',
        limit: {
          byVehicleAge: [
            { upTo: 4, limit: 84 },
            { upTo: 7, limit: 72 },
            { upTo: 10, limit: 60 },
            { upTo: 12, limit: 48 },
            { upTo: 200, limit: 36 },
          ],
        },
        outcome: { decline: 'term-not-offered' },
      },
      // Also the limit where the vehicle's age is not known.
      { id: 'maximum-term', measure: 'term', breaks: 'above', limit: 84, outcome: { decline: 'term-not-offered' } },
      { id: 'minimum-term', measure: 'term', breaks: 'below', limit: 12, outcome: { decline: 'term-not-offered' } },
      // A borrower who cannot pay or refinance the final payment loses the car on the last day.
      {
        id: 'maximum-balloon',
        measure: 'balloonToLoan',
        breaks: 'above',
        limit: 0.5,
        outcome: { decline: 'balloon-too-large' },
      },
      // The balance on average over the life of the deal, against the value at its start.
      {
        id: 'maximum-ltv-over-time',
        measure: 'ltvOverTime',
        breaks: 'above',
        limit: { byGrade: { A: 1.4, B: 1.35, C: 1.3, D: 1.25, E: 1.2, F: 1.1 } },
        outcome: { decline: 'owed-too-long' },
      },
      {
        id: 'maximum-deferral',
        measure: 'deferredMonths',
        breaks: 'above',
        limit: 2,
        outcome: { decline: 'first-payment-too-late' },
      },
      {
        id: 'minimum-amount',
        measure: 'amount',
        breaks: 'below',
        limit: 2_500_00,
        outcome: { decline: 'amount-not-offered' },
      },
      {
        id: 'maximum-amount',
        measure: 'amount',
        breaks: 'above',
        limit: 125_000_00,
        outcome: { decline: 'amount-not-offered' },
      },
      {
        id: 'minimum-rate',
        measure: 'rate',
        breaks: 'below',
        limit: { ofDeal: 'buyRate' },
        outcome: { decline: 'rate-not-offered' },
      },
      {
        id: 'markup-cap',
        measure: 'rate',
        breaks: 'above',
        limit: { ofDeal: 'markupCap' },
        outcome: { decline: 'rate-too-high' },
      },
      {
        // With all that is charged for the loan, which is the stricter of the two ways in which states measure.
        id: 'state-rate-cap',
        measure: 'rateWithCharges',
        breaks: 'above',
        limit: { byState: STATE_CAPS },
        outcome: { decline: 'rate-not-allowed' },
      },
      // An APR is right within an eighth of a point (12 CFR 1026.22(a)(2)): the limit is 29.99 plus that.
      { id: 'maximum-apr', measure: 'apr', breaks: 'above', limit: 30.115, outcome: { decline: 'rate-not-allowed' } },
      { id: 'minimum-apr', measure: 'apr', breaks: 'below', limit: 1.865, outcome: { decline: 'rate-not-offered' } },
      // The overall risk
      {
        id: 'maximum-default-probability',
        measure: 'defaultProbability',
        breaks: 'above',
        limit: 0.4,
        outcome: { decline: 'model' },
      },
      // A short or small deal makes a bad file no better.
      {
        id: 'maximum-risk-of-the-person',
        measure: 'standardDefault',
        breaks: 'above',
        limit: 0.45,
        outcome: { decline: 'model' },
      },
      // The worth of the deal
      {
        id: 'minimum-value',
        measure: 'fairValue',
        breaks: 'below',
        limit: { ofDeal: 'paidOut' },
        outcome: { decline: 'cost-not-covered' },
      },
      {
        id: 'minimum-net-yield',
        measure: 'netYield',
        breaks: 'below',
        limit: { ofDeal: 'hurdle' },
        outcome: { decline: 'cost-not-covered' },
      },
      // Conditions
      {
        id: 'proof-of-address',
        measure: 'addressDiscrepancy',
        breaks: 'above',
        limit: 0,
        outcome: { demand: { kind: 'residence', text: 'Proof of residence' } },
      },
      {
        id: 'proof-of-income-dti',
        measure: 'dti',
        breaks: 'above',
        limit: 0.4,
        outcome: { demand: { kind: 'proofOfIncome', text: 'Proof of income' } },
      },
      {
        id: 'proof-of-income-pti',
        measure: 'pti',
        breaks: 'above',
        limit: 0.12,
        outcome: { demand: { kind: 'proofOfIncome', text: 'Proof of income' } },
      },
      {
        id: 'proof-of-income-risk',
        measure: 'defaultProbability',
        breaks: 'above',
        limit: 0.08,
        outcome: { demand: { kind: 'proofOfIncome', text: 'Proof of income' } },
      },
      {
        id: 'proof-of-residence',
        measure: 'defaultProbability',
        breaks: 'above',
        limit: 0.08,
        outcome: { demand: { kind: 'residence', text: 'Proof of residence' } },
      },
      {
        id: 'references',
        measure: 'accounts',
        breaks: 'below',
        limit: 3,
        outcome: { demand: { kind: 'references', text: 'Four personal references with telephone numbers' } },
      },
      {
        id: 'vehicle-inspection',
        measure: 'mileage',
        breaks: 'above',
        limit: 100_000,
        outcome: { demand: { kind: 'vehicleInspection', text: 'Inspection report of the vehicle' } },
      },
      // Warnings
      {
        id: 'above-the-sheet',
        measure: 'rate',
        breaks: 'above',
        limit: { ofDeal: 'highestOffer' },
        outcome: { warning: 'Rate is above the highest offer for this risk' },
      },
      {
        id: 'high-dti',
        measure: 'dti',
        breaks: 'above',
        limit: 0.43,
        outcome: { warning: 'High obligations in relation to income' },
      },
      {
        id: 'high-pti',
        measure: 'pti',
        breaks: 'above',
        limit: 0.15,
        outcome: { warning: 'High payment in relation to income' },
      },
      {
        id: 'high-ltv',
        measure: 'ltv',
        breaks: 'above',
        limit: 1.2,
        outcome: { warning: 'High loan amount for the vehicle' },
      },
      {
        id: 'past-due',
        measure: 'pastDueLines',
        breaks: 'above',
        limit: 0,
        outcome: { warning: 'Accounts past due' },
      },
      {
        id: 'inquiries',
        measure: 'inquiries',
        breaks: 'above',
        limit: 5,
        outcome: { warning: 'Many recent inquiries' },
      },
      {
        id: 'high-mileage',
        measure: 'mileage',
        breaks: 'above',
        limit: 120_000,
        outcome: { warning: 'High mileage' },
      },
    ],
    terms: [12, 24, 36, 48, 60, 72, 84],
    highestRate: 29.99,
    // Figures for the best risks of each grade. Riskier loans take more work to collect, and investors ask for more of the lender's own
    // money behind them, and so a higher yield before a deal is done at all. A short loan of theirs has the rate of a longer one: the pools
    // that the model's losses were set by hold loans over five to six years, so a low loss of a year's loan to a subprime borrower is an
    // extrapolation, while finding out that a borrower does not pay costs the same.
    pricing: {
      A: { servicingPercent: 0.7, capitalPercent: 7, hurdlePoints: 0.5, shortestMonths: 12, dealerFlat: 150_00 },
      B: { servicingPercent: 0.8, capitalPercent: 7.5, hurdlePoints: 0.6, shortestMonths: 12, dealerFlat: 150_00 },
      C: { servicingPercent: 0.95, capitalPercent: 9, hurdlePoints: 0.75, shortestMonths: 12, dealerFlat: 100_00 },
      D: { servicingPercent: 1.4, capitalPercent: 12, hurdlePoints: 1, shortestMonths: 24, dealerFlat: 0 },
      E: { servicingPercent: 2.1, capitalPercent: 16, hurdlePoints: 1.4, shortestMonths: 36, dealerFlat: 0 },
      F: { servicingPercent: 3.5, capitalPercent: 24, hurdlePoints: 2, shortestMonths: 36, dealerFlat: 0 },
    },
    funds: [
      curve('2020-01-01', [2.2, 2.2, 2.3, 2.4]),
      curve('2021-01-01', [0.7, 0.8, 0.9, 1.2]),
      curve('2022-01-01', [1.2, 1.7, 2, 2.3]),
      curve('2023-01-01', [5.6, 5.3, 5.1, 4.9]),
      curve('2024-01-01', [5.6, 5.1, 4.9, 4.8]),
      curve('2025-01-01', [5, 5, 5.1, 5.2]),
      curve('2025-07-01', [4.8, 4.6, 4.6, 4.7]),
      curve('2026-01-01', [4.3, 4.3, 4.4, 4.6]),
    ],
    averageLifeShare: 0.4,
    targetReturnPoints: 10,
    acquisition: { originationCost: 250_00, ratePercent: 0.75, maximumFee: 995_00, maximumDiscountPercent: 8 },
    // The caps that are usual since the settlements on dealer discretion.
    dealer: {
      markup: [
        { upToMonths: 60, points: 2 },
        { upToMonths: 600, points: 1.75 },
      ],
      sharePercent: 75,
    },
    excessAdvancePercent: 5,
    // Living with family costs something, too, and may end.
    leastHousing: 300_00,
    demands: [
      { kind: 'signedContract', text: 'Contract, signed by everybody on the application' },
      { kind: 'title', text: 'Application for a title that names the lender as first lienholder' },
      { kind: 'insurance', text: 'Proof of insurance that names the lender as loss payee' },
    ],
    beforeFunding: [],
    waivedBy: { signedContract: 'nobody', title: 'loans:fund', insurance: 'loans:fund' },
    // Unemployment rate, consumer prices over a year, effective federal funds rate.
    macro: [
      economy('2020-01-01', 3.6, 2.3, 1.55),
      economy('2021-01-01', 6.4, 1.4, 0.09),
      economy('2022-01-01', 4, 7.5, 0.08),
      economy('2023-01-01', 3.4, 6.4, 4.33),
      economy('2024-01-01', 3.7, 3.1, 5.33),
      economy('2025-01-01', 4, 3, 4.33),
      economy('2025-07-01', 4.2, 2.7, 4.33),
      economy('2026-01-01', 4.4, 2.7, 3.64),
    ],
    // The sample tables have a row each half year.
    oldAfterDays: 184,
  }),
];
