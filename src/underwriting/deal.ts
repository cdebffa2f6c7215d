/**
 * Assesses one deal: payment and ratios, default probability and grade, expected cash flows and their value, the dealer's payment, and the
 * findings of the policy. All sixty are assessed this way, the requested one and the fifty-nine around it.
 */
import { daysBetween, PER_YEAR, type PlainDate, stepDate } from '../core/calendar.ts';
import { type Forecast, forecast } from '../core/forecast.ts';
import type { Grade } from '../core/grade.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, mulDiv, ZERO } from '../core/money.ts';
import { monthlyRate, type Price, priceOf } from '../core/price.ts';
import type { Percent } from '../core/rate.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, monthlyPayment, type Schedule } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { truthInLending } from '../core/truth-in-lending.ts';
import { coarse, wholePercentOf } from './coarse.ts';
import type { CreditFacts } from './credit-facts.ts';
import type { Facts } from './facts.ts';
import type { DealTerms } from './grid.ts';
import {
  applyRules,
  type Circumstances,
  type Findings,
  type LendingPolicy,
  type Macro,
  type Measures,
  outcomeOf,
} from './policy.ts';
import { REASONS, type Reason, type ReasonCode } from './reasons.ts';
import {
  type Effect,
  effectsOf,
  type Features,
  gradeOf,
  hazardsOf,
  lifetimeDefault,
  type Model,
  recoveryRateOf,
  sumOf,
} from './score.ts';

export type AssessedDeal = DealTerms & {
  readonly decision: 'APPROVED' | 'DECLINED';
  readonly findings: Findings;
  /** The level installment; null where no installment is level. */
  readonly payment: Cents | null;
  /** The payment of an average month. */
  readonly monthlyPayment: Cents;
  readonly rate: number;
  /** Percent a year, by Regulation Z; null where none exists. */
  readonly apr: number | null;
  readonly ratios: Ratios;
  /** The deal as the public record shows it: by the coarse income and obligations alone. */
  readonly shown: ShownDeal;
  readonly features: Features;
  readonly effects: readonly Effect[];
  readonly grade: Grade;
  readonly defaultProbability: number;
  /** The same with every feature of the borrower at its reference: the risk of the deal, the vehicle and the economy alone. */
  readonly collateralDefaultProbability: number;
  readonly forecast: Forecast;
  readonly price: Price;
  readonly discountPercent: number;
  readonly dealer: DealerTerms;
};

/** To four decimals, as the full record shows them and the rules see them. */
export type Ratios = {
  readonly dti: number;
  readonly pti: number;
  readonly ltv: number;
  readonly frontEndLtv: number;
  readonly productsToValue: number;
};

export type ShownDeal = {
  /** Whole percent, as fractions. */
  readonly pti: string;
  readonly dti: string;
  /** The outcome of the rules on the coarse figures. Close to a limit it may differ from the decision, which would reveal the income. */
  readonly decision: 'APPROVED' | 'DECLINED';
  readonly warnings: number;
};

/** The payment to the dealer who sells the contract. None of it is charged to the borrower. */
export type DealerTerms = {
  /** By grade, a percentage of the loan. */
  readonly loanDiscount: Cents;
  /** Of what is advanced beyond the vehicle's value. */
  readonly dealerDiscount: Cents;
  /** The acquisition fee. */
  readonly discountFee: Cents;
  readonly totalDiscount: Cents;
  /** Paid in addition to the price. */
  readonly dealerFlat: Cents;
  /** The total that the lender pays out. */
  readonly funded: Cents;
};

export type Setting = {
  readonly facts: Facts;
  readonly model: Model;
  readonly policy: LendingPolicy;
  readonly macro: Macro;
  readonly today: PlainDate;
  readonly prepaidFinanceCharge: Cents;
};

export function assessDeal(terms: DealTerms, setting: Setting): AssessedDeal | Refusal {
  const { facts, model, policy, macro, today } = setting;
  const { contract } = terms;
  const start = contract.contractDate ?? today;
  const schedule = scheduleOf(contract, start);
  if (isRefusal(schedule)) return schedule;
  const perMonth = monthlyPayment(contract, schedule);
  const ratios = ratiosOf(facts, contract.amount, perMonth);
  const rough = coarseFacts(facts);
  const roughRatios = ratiosOf(rough, contract.amount, perMonth);
  const rate = toNumber(contract.rate);
  // What the model computes is public, so the model uses the coarse figures.
  const features = featuresOf(facts, model, macro, { ratios: roughRatios, rate, term: terms.term });
  const effects = effectsOf(features, model.default.features);
  const prepay = sumOf(effectsOf(features, model.prepay.features));
  // A month for every month of the schedule; an odd first period may add two.
  const months = Math.ceil(daysBetween(start, (schedule.rows.at(-1) as { dueDate: PlainDate }).dueDate) / 28) + 1;
  const expected = forecast(
    {
      amount: contract.amount,
      start,
      installments: schedule.rows,
      chargeOffLagMonths: model.chargeOffLagMonths,
      recoveryLagMonths: model.recoveryLagMonths,
      recoveryRate: recoveryRateOf(model, ratios.ltv, facts.vehicle.age),
      servicingFeePercent: policy.servicingFeePercent,
    },
    hazardsOf(model, { default: sumOf(effects), prepay }, months),
  );
  const defaultProbability = expected.totals.defaultMillionths / 1e6;
  const grade = gradeOf(model, defaultProbability);
  const dealer = dealerTerms(policy, grade, contract.amount, facts);
  const discountPercent = Math.max(0, macro.fedRate) + policy.pricing[grade].spreadPercent;
  const apr = aprOf(contract, schedule, start, setting.prepaidFinanceCharge);
  const measures: Measures = {
    ...ratios,
    score: facts.credit.score,
    scores: facts.credit.score === null ? 0 : 1,
    amount: contract.amount,
    income: facts.income.total,
    term: terms.term,
    rate,
    apr,
    pastDueLines: facts.credit.pastDueLines,
    seriousLateLines: facts.credit.seriousLateLines,
    inquiries: facts.credit.inquiries,
    accounts: facts.credit.accounts,
    vehicleAge: facts.vehicle.age,
    mileage: facts.vehicle.mileage,
    defaultProbability,
  };
  const about: Circumstances = {
    grade,
    state: facts.state,
    today,
    because: (why) =>
      why === 'score' ? creditReasons(facts.credit, model) : modelReasons(model, effects, facts.credit),
  };
  const ruled = applyRules(policy, measures, about);
  const findings = facts.ofAge ? ruled : { ...ruled, reasons: [NO_CAPACITY, ...ruled.reasons] };
  const roughly = outcomeOf(policy, { ...measures, ...roughRatios, income: rough.income.total }, about);
  const lastMonth = lastPaymentMonth(expected);
  return {
    ...terms,
    decision: findings.reasons.length === 0 ? 'APPROVED' : 'DECLINED',
    findings,
    payment: schedule.levelPayment,
    monthlyPayment: perMonth,
    rate,
    apr,
    ratios,
    shown: {
      pti: wholePercentOf(perMonth, rough.income.total),
      dti: wholePercentOf(rough.obligations.total + perMonth, rough.income.total),
      decision: facts.ofAge && !roughly.declined ? 'APPROVED' : 'DECLINED',
      warnings: facts.warnings.length + roughly.warnings,
    },
    features,
    effects,
    grade,
    defaultProbability,
    collateralDefaultProbability: collateralDefault(model, effects, prepay, lastMonth),
    forecast: expected,
    price: priceOf(expected.rows, { paid: dealer.funded, discountPercent }),
    discountPercent,
    dealer,
  };
}

// ---- the contract ----

function scheduleOf(contract: Contract, start: PlainDate): Schedule | Refusal {
  const terms = termsOf(contract, start);
  return isRefusal(terms) ? terms : buildSchedule(terms);
}

function lastPaymentMonth({ rows }: Forecast): number {
  return (
    rows.findLast(({ scheduledPrincipal, scheduledInterest }) => scheduledPrincipal + scheduledInterest > 0)?.month ?? 1
  );
}

/** Percentages have at most eight decimals. */
const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

function toNumber({ digits, scale }: Percent): number {
  return digits / (POWERS[scale] as number);
}

/**
 * The annual percentage rate for the rules, in floating point: the rate of a payment period times the periods of a year, which is what
 * Appendix J gives when all periods are alike. The odd part of a first period bears simple interest. It is accurate
 * within a few hundredths of a point, and the rules allow an eighth.
 */
function aprOf(contract: Contract, { rows }: Schedule, start: PlainDate, prepaid: Cents): number | null {
  const financed = contract.amount - prepaid;
  if (financed <= 0) return null;
  const flows = [0];
  for (const { payment } of rows) flows.push(payment);
  const perYear = PER_YEAR[contract.frequency];
  const odd = oddPeriods(contract, start, (rows[0] as { dueDate: PlainDate }).dueDate);
  let rate = monthlyRate(flows, financed);
  if (odd !== 0) for (let turn = 0; turn < 4; turn++) rate = monthlyRate(flows, financed * (1 + odd * rate));
  return Math.max(0, rate * perYear * 100);
}

/** By how many periods the first one is longer than the others. */
function oddPeriods({ frequency }: Contract, start: PlainDate, first: PlainDate): number {
  const regular = stepDate(start, frequency, 1);
  return first === regular ? 0 : daysBetween(regular, first) / (365 / PER_YEAR[frequency]);
}

/** The APR as disclosed, exactly by the regulation. It takes a millisecond, so it is computed only for a deal that is shown. */
export function disclosedApr(contract: Contract, start: PlainDate, prepaid: Cents): string | null {
  const terms = termsOf(contract, start);
  const disclosed = isRefusal(terms) ? terms : truthInLending(terms, { prepaid, financed: ZERO });
  return isRefusal(disclosed) ? null : disclosed.aprPercent;
}

// ---- figures ----

/** Ratios are capped at 200 percent of the income, which also represents no income at all. */
const MOST_OF_INCOME = 2;

type Measured = {
  readonly income: { readonly total: Cents };
  readonly obligations: { readonly total: Cents };
} & Pick<Facts, 'vehicle' | 'products'>;

function coarseFacts({ income, obligations, vehicle, products }: Facts): Measured {
  const [total, debts] = [coarse(income.total), coarse(obligations.total)];
  return { income: { total }, obligations: { total: debts }, vehicle, products };
}

function ratiosOf({ income, obligations, vehicle, products }: Measured, amount: Cents, payment: Cents): Ratios {
  return {
    dti: Math.min(MOST_OF_INCOME, ratio(obligations.total + payment, income.total)),
    pti: Math.min(MOST_OF_INCOME, ratio(payment, income.total)),
    ltv: ratio(amount, vehicle.value),
    frontEndLtv: ratio(amount - products, vehicle.value),
    productsToValue: ratio(products, vehicle.value),
  };
}

function ratio(of: number, to: number): number {
  return to === 0 ? (of === 0 ? 0 : MOST_OF_INCOME) : mulDiv(of, 10_000, 1, to, 'half-up') / 10_000;
}

function featuresOf(
  { credit, vehicle }: Facts,
  { thinFile }: Model,
  macro: Macro,
  deal: { readonly ratios: Ratios; readonly rate: number; readonly term: number },
): Features {
  return {
    score: credit.score,
    utilisation: credit.utilisation,
    pastDueLines: credit.pastDueLines,
    seriousLateLines: credit.seriousLateLines,
    inquiries: credit.inquiries,
    thinFile: isThin(credit, thinFile) ? 1 : 0,
    dti: deal.ratios.dti,
    pti: deal.ratios.pti,
    ltv: deal.ratios.ltv,
    term: deal.term,
    rate: deal.rate,
    vehicleAge: vehicle.age,
    mileage: vehicle.mileage,
    ...macro,
  };
}

/** A file without a beginning is thin; one whose accounts or beginning are not known is not thin for that. */
function isThin(credit: CreditFacts, { accounts: few, months }: Model['thinFile']): boolean {
  const { accounts, monthsInFile, monthsUnknown } = credit;
  return (accounts ?? few) < few || (monthsInFile ?? (monthsUnknown ? months : 0)) < months;
}

function collateralDefault(model: Model, effects: readonly Effect[], prepay: number, months: number): number {
  const others = effects.filter((_, i) => model.default.features[i]?.about !== 'borrower');
  const probability = lifetimeDefault(hazardsOf(model, { default: sumOf(others), prepay }, months));
  return Math.round(probability * 1e6) / 1e6;
}

function dealerTerms(policy: LendingPolicy, grade: Grade, amount: Cents, { vehicle, products }: Facts): DealerTerms {
  const { discountPercent, acquisitionFee, dealerFlat } = policy.pricing[grade];
  // Flat fees are meant for ordinary loans: on a small one they are at most a tenth of it.
  const atMost = (fee: number) => Math.min(fee, Math.floor(amount / 10));
  const loanDiscount = Math.round((amount * discountPercent) / 100);
  const excess = Math.max(0, amount - products - vehicle.value);
  const dealerDiscount = Math.round((excess * policy.excessAdvancePercent) / 100);
  const discountFee = atMost(acquisitionFee);
  const totalDiscount = Math.min(loanDiscount + dealerDiscount + discountFee, amount);
  const flat = atMost(dealerFlat);
  return {
    loanDiscount: cents(loanDiscount),
    dealerDiscount: cents(dealerDiscount),
    discountFee: cents(discountFee),
    totalDiscount: cents(totalDiscount),
    dealerFlat: cents(flat),
    funded: cents(amount - totalDiscount + flat),
  };
}

// ---- reasons ----

/** The only decision that may depend on age (12 CFR 1002.6(b)(2)). It is not a rule, because no policy can change it. */
const NO_CAPACITY: Reason = {
  code: 'no-capacity',
  statement: REASONS['no-capacity'],
  rule: 'capacity-to-contract',
  detail: 'The applicant is under 18 by date of birth',
};

/** The reasons for a low score that the credit file shows. */
function creditReasons(credit: CreditFacts, { thinFile }: Model): ReasonCode[] {
  if (!credit.hit) return ['no-credit-file'];
  const found: ReasonCode[] = [];
  if (credit.pastDueLines > 0 || credit.seriousLateLines > 0) found.push('delinquent-credit');
  if ((credit.utilisation ?? 0) > 0.5) found.push('balances-too-high');
  if ((credit.inquiries ?? 0) > 3) found.push('recent-inquiries');
  if (isThin(credit, thinFile)) found.push('limited-credit');
  return found.length > 0 ? found : ['credit-history'];
}

/** The features that count most against the borrower in the model; the score is replaced by the reasons behind it. */
function modelReasons(model: Model, effects: readonly Effect[], credit: CreditFacts): ReasonCode[] {
  const against = effects
    .map(({ effect }, i) => ({ effect, reason: model.default.features[i]?.reason ?? null }))
    .filter(({ effect, reason }) => effect > 0 && reason !== null)
    .sort((a, b) => b.effect - a.effect)
    .flatMap(({ reason }) => (reason === 'credit-history' ? creditReasons(credit, model) : [reason as ReasonCode]));
  return against.length > 0 ? [...new Set(against)].slice(0, 4) : creditReasons(credit, model);
}
