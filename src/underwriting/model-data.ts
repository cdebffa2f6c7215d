/**
 * The models that come with the service. Their weights are set by expert judgement, not estimated from loans: each states why it is
 * included and why it has its size. Their level, four figures, is fitted to published losses and speeds (`study/src/fit.ts`). A lender with its own history estimates a model and adds it as the next version. A model that has decided
 * applications never changes.
 */
import { date } from '../core/calendar.ts';
import { type FeatureWeight, loadModel, type Model } from './score.ts';

const DEFAULT_FEATURES: readonly FeatureWeight[] = [
  {
    name: 'score',
    about: 'borrower',
    low: 500,
    high: 850,
    reference: 680,
    unit: 50,
    weight: -0.58,
    whenUnknown: 600,
    reason: 'credit-history',
    because:
      'Fitted to the losses of pools by score (`npm run study -- --fit`): fifty points raise the odds by four fifths. Scores are commonly scaled so that some forty points double them; the other features of the same file account for the rest. Below 500 a score no longer tells borrowers apart.',
  },
  {
    name: 'utilisation',
    about: 'borrower',
    low: 0,
    high: 1,
    reference: 0.3,
    unit: 0.1,
    weight: 0.04,
    whenUnknown: 0.3,
    reason: 'balances-too-high',
    because:
      'High card balances are the first sign of stress; the score already reflects most of it, so a tenth adds only 4 percent.',
  },
  {
    name: 'pastDueLines',
    about: 'borrower',
    low: 0,
    high: 5,
    reference: 0,
    unit: 1,
    weight: 0.12,
    whenUnknown: 0,
    reason: 'delinquent-credit',
    because: 'An account that is past due today may not be in the score yet: an eighth more each, up to five.',
  },
  {
    name: 'seriousLateLines',
    about: 'borrower',
    low: 0,
    high: 5,
    reference: 0,
    unit: 1,
    weight: 0.06,
    whenUnknown: 0,
    reason: 'delinquent-credit',
    because: 'A borrower who was once 90 days late may be so again; half the weight of being late now.',
  },
  {
    name: 'inquiries',
    about: 'borrower',
    low: 0,
    high: 10,
    reference: 1,
    unit: 1,
    weight: 0.05,
    whenUnknown: 1,
    reason: 'recent-inquiries',
    because:
      'Many inquiries mean a search for credit; shopping for one car counts as a single inquiry, hence the reference of one.',
  },
  {
    name: 'thinFile',
    about: 'borrower',
    low: 0,
    high: 1,
    reference: 0,
    unit: 1,
    weight: 0.3,
    whenUnknown: 1,
    reason: 'limited-credit',
    because: 'The score of a short history is less certain, and the uncertainty adds more risk than it removes.',
  },
  {
    name: 'debtToIncome',
    about: 'borrower',
    low: 0,
    high: 1,
    reference: 0.25,
    unit: 0.1,
    weight: 0.1,
    whenUnknown: 0.25,
    reason: 'excessive-obligations',
    because:
      'Obligations before this loan: each tenth of income that is already committed raises the odds by a tenth. The payment itself depends on the deal and counts there.',
  },
  {
    name: 'amountToIncome',
    about: 'deal',
    low: 0,
    high: 1.5,
    reference: 0.4,
    unit: 0.1,
    weight: 0.06,
    whenUnknown: 0.4,
    reason: 'income-insufficient',
    because:
      'A loan that is large for a year’s income strains the household whatever its term; a longer term lowers the payment but not the debt.',
  },
  {
    name: 'ltv',
    about: 'deal',
    low: 0,
    high: 2,
    reference: 1,
    unit: 0.1,
    weight: 0.13,
    whenUnknown: 1,
    reason: 'collateral-insufficient',
    because:
      'A borrower with negative equity cannot sell the car to pay off the loan: the largest weight of the deal itself.',
  },
  {
    name: 'term',
    about: 'deal',
    low: 6,
    high: 96,
    reference: 60,
    unit: 12,
    weight: 0.08,
    whenUnknown: 60,
    reason: 'term-too-long',
    because:
      'A longer loan builds equity later and is chosen by borrowers who need a low payment; this is in addition to the longer time at risk.',
  },
  {
    name: 'markup',
    about: 'deal',
    low: 0,
    high: 20,
    reference: 0,
    unit: 1,
    weight: 0.06,
    whenUnknown: 0,
    reason: 'rate-above-risk',
    because:
      'A rate above what this risk pays elsewhere makes the payment harder to bear and attracts those who were refused elsewhere: six percent a point. At the market rate it adds nothing, so that our own pricing does not reinforce itself.',
  },
  {
    name: 'vehicleAge',
    about: 'vehicle',
    low: 0,
    high: 20,
    reference: 3,
    unit: 1,
    weight: 0.035,
    whenUnknown: 8,
    reason: 'collateral-insufficient',
    because: 'Older cars break down, and borrowers stop paying for a car that does not run.',
  },
  {
    name: 'mileage',
    about: 'vehicle',
    low: 0,
    high: 250_000,
    reference: 40_000,
    unit: 10_000,
    weight: 0.01,
    whenUnknown: 100_000,
    reason: 'collateral-insufficient',
    because: 'The same reason as age, in addition to it.',
  },
  {
    name: 'unemployment',
    about: 'economy',
    low: 0,
    high: 20,
    reference: 4.5,
    unit: 1,
    weight: 0.1,
    whenUnknown: 4.5,
    reason: null,
    because: 'Loss of income is the most common cause of default; a point of unemployment raises the odds by a tenth.',
  },
  {
    name: 'cpi',
    about: 'economy',
    low: -5,
    high: 20,
    reference: 2.5,
    unit: 1,
    weight: 0.01,
    whenUnknown: 2.5,
    reason: null,
    because: 'Prices that rise faster than pay leave less for the loan; the effect is small and slow.',
  },
];

const PREPAY_FEATURES: readonly FeatureWeight[] = [
  {
    name: 'score',
    about: 'borrower',
    low: 300,
    high: 850,
    reference: 680,
    unit: 50,
    weight: 0.08,
    whenUnknown: 600,
    reason: null,
    because:
      'Borrowers with better credit trade in and refinance sooner. Fitted to the speeds of pools, which count those who stop paying, too.',
  },
  {
    name: 'ltv',
    about: 'deal',
    low: 0,
    high: 1.4,
    reference: 1,
    unit: 0.1,
    weight: -0.03,
    whenUnknown: 1,
    reason: null,
    because: 'A borrower with negative equity cannot easily trade in.',
  },
];

export const MODELS: readonly Model[] = [
  loadModel({
    version: 'auto-hazard-3',
    effectiveFrom: date('2020-01-01'),
    default: {
      // Fitted, as the weight of the score. e^-6.05 is 0.24 percent a month for the reference loan after two years: a score of 680, 60
      // months, loan to value 100 %.
      intercept: -6.05,
      // A default on the first payment comes only from fraud; risk rises for three years, stays, and falls when little is owed. With it half
      // of the losses come in the first two years, as in published pools.
      baseline: [
        { month: 1, logOdds: -2 },
        { month: 3, logOdds: -1.25 },
        { month: 6, logOdds: -0.8 },
        { month: 12, logOdds: -0.45 },
        { month: 18, logOdds: -0.2 },
        { month: 24, logOdds: 0 },
        { month: 36, logOdds: 0.15 },
        { month: 48, logOdds: 0.3 },
        { month: 60, logOdds: 0.3 },
        { month: 84, logOdds: 0.1 },
      ],
      features: DEFAULT_FEATURES,
      // The worst deal triples the odds of the file, the best halves them.
      dealShift: { low: -0.7, high: 1.1 },
    },
    prepay: {
      // Fitted, as its weight of the score. e^-4.25 is 1.4 percent of the loans a month after two and a half years.
      intercept: -4.25,
      baseline: [
        { month: 1, logOdds: -1.2 },
        { month: 6, logOdds: -0.6 },
        { month: 18, logOdds: -0.1 },
        { month: 30, logOdds: 0 },
        { month: 48, logOdds: 0.1 },
        { month: 72, logOdds: 0.2 },
      ],
      features: PREPAY_FEATURES,
      incentive: {
        perPoint: { A: 0.27, B: 0.25, C: 0.22, D: 0.19, E: 0.16, F: 0.13 },
        perPointBelow: 0.27,
        low: -3,
        high: 18,
        because:
          'A borrower who pays more than their risk costs elsewhere refinances, if another lender takes them. Prepayment of subprime loans was found not to depend on market rates (Heitfield and Sabarwal 2004). So a point raises the odds of an A by more than a quarter, and those of an F, who has few lenders to turn to, by half as much: far above the market they leave, too.',
      },
    },
    standardMonths: 60,
    // Averages, rounded, of the 245 among 3,000 simulated applicants at the buy rate who have a default probability of 30 to 40 %.
    marginal: {
      ...{ score: 600, utilisation: 0.56, pastDueLines: 0.7, seriousLateLines: 1.5, inquiries: 1.2, thinFile: 0.05 },
      ...{ debtToIncome: 0.33, amountToIncome: 0.32, ltv: 1.12, term: 64, vehicleAge: 4, mileage: 52_000 },
    },
    thinFile: { accounts: 3, months: 24 },
    // Charged off at the end of the month in which 120 days past due are reached (FFIEC).
    chargeOffLagMonths: 4,
    collateral: {
      depreciation: [
        { age: 0, perYear: 0.15 },
        { age: 5, perYear: 0.16 },
        { age: 10, perYear: 0.18 },
        { age: 15, perYear: 0.2 },
      ],
      perTenThousandMiles: 0.003,
      mostMiles: 250_000,
      most: 0.35,
      unknownAge: 8,
      unknownMileage: 100_000,
      discount: 0.25,
      cost: 1_000_00,
      foundShare: 0.8,
      collectedShare: 0.06,
      saleLagMonths: 2,
      collectionLagMonths: 12,
      because:
        'Wholesale values fall by about a seventh a year. A repossessed car sells below its book value and costs about a thousand dollars to find, move and sell; one in five is never found or is wrecked. Collectors bring in a small part of a deficiency, about a year later.',
    },
    grades: { A: 0.02, B: 0.045, C: 0.09, D: 0.17, E: 0.28, F: 1 },
    // Chosen by judgement: a fifth of the loans 30 days late are lost, nearly half of those 60 days late, and nearly all after 120 days.
    delinquency: [
      { fromDays: 0, lostShare: 0 },
      { fromDays: 15, lostShare: 0.03 },
      { fromDays: 30, lostShare: 0.2 },
      { fromDays: 60, lostShare: 0.45 },
      { fromDays: 90, lostShare: 0.7 },
      { fromDays: 120, lostShare: 0.95 },
    ],
  }),
];
