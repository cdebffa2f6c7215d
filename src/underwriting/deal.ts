/**
 * Assesses one deal: payment and ratios, default probability and grade, expected cash flows and their value, the dealer's payment, and the
 * findings of the policy. All sixty are assessed this way, the requested one and the fifty-nine around it.
 */
import { daysBetween, PER_YEAR, type PlainDate, stepDate } from '../core/calendar.ts';
import { type Forecast, forecast, type Recovery } from '../core/forecast.ts';
import type { Grade } from '../core/grade.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, mulDiv, ZERO } from '../core/money.ts';
import { fairValueOf, monthlyRate, type Price, priceOf } from '../core/price.ts';
import { type Percent, percent } from '../core/rate.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, monthlyPayment, type Schedule } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { truthInLending } from '../core/truth-in-lending.ts';
import { coarse, wholePercentOf } from './coarse.ts';
import { recoveryOf } from './collateral.ts';
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
  macroOn,
  outcomeOf,
} from './policy.ts';
import { type Lender, type Risk, requiredReturn, type Sheet, sheetFor } from './rate-sheet.ts';
import { REASONS, type Reason, type ReasonCode } from './reasons.ts';
import {
  dealLogOdds,
  type Effect,
  effectsOf,
  type Features,
  gradeOf,
  hazardsOf,
  incentiveOf,
  lifetimeDefault,
  type Model,
  standardDefault,
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
  /** Of the person under the standard deal: the same for all deals of an application. */
  readonly grade: Grade;
  readonly standardDefaultProbability: number;
  /** Of this deal. */
  readonly defaultProbability: number;
  /** The same with every feature of the borrower at its reference: the risk of the deal, the vehicle and the economy alone. */
  readonly collateralDefaultProbability: number;
  readonly sheet: Sheet;
  readonly forecast: Forecast;
  readonly price: Price;
  readonly discountPercent: number;
  readonly dealer: DealerTerms;
  readonly originationCost: Cents;
  /** What the deal costs on its first day: the funded amount, the dealer's participation and the cost of origination. */
  readonly paidOut: Cents;
  /** Simple, percent a year, on all that is paid out; and the least that the policy accepts. */
  readonly netYieldPercent: number;
  readonly hurdlePercent: number;
  /** The average time until principal is paid back, in months. */
  readonly expectedLifeMonths: number;
  /** The lost share of what is charged off. */
  readonly severity: number;
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
  /** What the sheet's rate does not bring in beyond the acquisition fee, because a cap holds it down. */
  readonly loanDiscount: Cents;
  /** Of what is advanced beyond the vehicle's value. */
  readonly dealerDiscount: Cents;
  /** The acquisition fee: what the sheet's rate does not bring in of a small or short loan's cost. */
  readonly discountFee: Cents;
  readonly totalDiscount: Cents;
  /** Paid in addition to the price. */
  readonly dealerFlat: Cents;
  /** The loan less the discounts, and the flat fee: what the contract is bought for. */
  readonly funded: Cents;
  /** The dealer's share of what the rate above the buy rate is expected to bring (participation). */
  readonly reserve: Cents;
};

/** An application with everything that its deals share. */
export type Setting = {
  readonly facts: Facts;
  readonly lender: Lender;
  readonly macro: Macro;
  readonly prepaidFinanceCharge: Cents;
  /** Income and debts as the model may see them: what it computes is public. */
  readonly rough: Measured;
  readonly recovery: Recovery;
  readonly grade: Grade;
  readonly standardDefaultProbability: number;
};

export type SettingInput = {
  readonly facts: Facts;
  readonly model: Model;
  readonly policy: LendingPolicy;
  /** Null: the policy's for the day. */
  readonly macro: Macro | null;
  readonly today: PlainDate;
  readonly prepaidFinanceCharge: Cents;
  /** Of the requested deal, in months. */
  readonly term: number;
  readonly markupCap: Percent | null;
};

export function settingFor(input: SettingInput): Setting {
  const { facts, model, policy, today, prepaidFinanceCharge } = input;
  const usual = macroOn(policy, today);
  const macro = input.macro ?? usual;
  const rough = coarseFacts(facts);
  const features = featuresOf(facts, rough, model, macro, { amount: ZERO, ltv: null, term: null, markup: null });
  const standardDefaultProbability = standardDefault(model, features);
  const months = Math.max(input.term, ...policy.terms) + ODD_MONTHS;
  return {
    facts,
    lender: {
      ...{ model, policy, today, state: facts.state },
      fundsMoved: macro.fedRate - usual.fedRate,
      markupCap: input.markupCap === null ? null : toNumber(input.markupCap),
    },
    macro,
    prepaidFinanceCharge,
    rough,
    recovery: recoveryOf(model.collateral, model.chargeOffLagMonths, facts.vehicle, months),
    grade: gradeOf(model, standardDefaultProbability),
    standardDefaultProbability,
  };
}

/** A late first payment date adds months to the term; contracts with more are refused. */
const ODD_MONTHS = 36;

/** A deal with its schedule, its risk and what it is worth, before any dealer is paid. */
type Valued = DealTerms & {
  readonly start: PlainDate;
  readonly schedule: Schedule;
  readonly perMonth: Cents;
  readonly rate: number;
  readonly ratios: Ratios;
  readonly features: Features;
  readonly effects: readonly Effect[];
  readonly prepay: number;
  readonly sheet: Sheet;
  readonly forecast: Forecast;
  readonly discountPercent: number;
  readonly fairValue: Cents;
};

/** Assesses the deals of one application. Deals of the same term and amount share their rate sheet and what the dealer bears. */
export function openDeals(setting: Setting) {
  const sheets = new Map<string, Sheet>();
  const atBuyRate = new Map<string, Valued | Refusal>();
  return { sheetOf, assess };

  function sheetOf(terms: DealTerms): Sheet {
    const key = keyOf(terms);
    const known = sheets.get(key) ?? sheetFor(riskOf(terms, setting), setting.lender);
    sheets.set(key, known);
    return known;
  }

  function assess(terms: DealTerms): AssessedDeal | Refusal {
    const sheet = sheetOf(terms);
    const own = valued(terms, sheet, setting);
    if (isRefusal(own)) return own;
    const base = own.rate === sheet.buyRate ? own : baseOf(terms, sheet);
    atBuyRate.set(keyOf(terms), base);
    return assessed(own, isRefusal(base) ? own : base, setting);
  }

  function baseOf(terms: DealTerms, sheet: Sheet): Valued | Refusal {
    const known = atBuyRate.get(keyOf(terms));
    const rate = percent(sheet.buyRate.toFixed(2));
    return known ?? valued({ ...terms, contract: { ...terms.contract, rate, payment: null } }, sheet, setting);
  }

  function keyOf({ contract, term }: DealTerms): string {
    return `${contract.amount} ${term}`;
  }
}

function riskOf({ contract, term }: DealTerms, setting: Setting): Risk {
  const { facts, rough, macro, recovery, grade, lender } = setting;
  const { model } = lender;
  const { amount } = contract;
  const { ltv } = ratiosOf(rough, amount, ZERO);
  return {
    ...{ grade, amount, term, recovery, balloon: contract.balloon },
    interestOnlyMonths: Math.round((contract.interestOnlyCount * 12) / PER_YEAR[contract.frequency]),
    logOddsAt: (months) => {
      const features = featuresOf(facts, rough, model, macro, { amount, ltv, term: months, markup: 0 });
      return dealLogOdds(model, effectsOf(features, model.default.features));
    },
  };
}

function valued(terms: DealTerms, sheet: Sheet, setting: Setting): Valued | Refusal {
  const { facts, rough, macro, recovery, grade, lender } = setting;
  const { model, policy, today } = lender;
  const { contract } = terms;
  const start = contract.contractDate ?? today;
  const schedule = scheduleOf(contract, start);
  if (isRefusal(schedule)) return schedule;
  // A month for every month of the schedule; an odd first period may add two.
  const months = Math.ceil(daysBetween(start, (schedule.rows.at(-1) as { dueDate: PlainDate }).dueDate) / 28) + 1;
  const perMonth = monthlyPayment(contract, schedule);
  const ratios = ratiosOf(facts, contract.amount, perMonth);
  const rate = toNumber(contract.rate);
  // In hundredths, so that a rate at the market's has neither.
  const aboveMarket = Math.round((rate - sheet.uncappedRate) * 100) / 100;
  const features = featuresOf(facts, rough, model, macro, {
    amount: contract.amount,
    ltv: ratios.ltv,
    term: terms.term,
    markup: Math.max(0, aboveMarket),
  });
  const effects = effectsOf(features, model.default.features);
  const prepay = sumOf(effectsOf(features, model.prepay.features)) + incentiveOf(model, aboveMarket);
  const expected = forecast(
    {
      amount: contract.amount,
      start,
      installments: schedule.rows,
      chargeOffLagMonths: model.chargeOffLagMonths,
      recovery: enough(recovery, months, setting),
      servicingFeePercent: policy.pricing[grade].servicingPercent,
    },
    hazardsOf(model, { default: dealLogOdds(model, effects), prepay }, months),
  );
  const { funds, capital } = requiredReturn(lender, grade, terms.term);
  const discountPercent = (funds + capital) / 100;
  const fairValue = fairValueOf(expected.rows, discountPercent);
  return {
    ...terms,
    ...{ start, schedule, perMonth, rate, ratios, features, effects, prepay, sheet, forecast: expected },
    ...{ discountPercent, fairValue },
  };
}

/** The usual recovery reaches far enough for every ordinary schedule. */
function enough(recovery: Recovery, months: number, { facts, lender: { model } }: Setting): Recovery {
  if (months <= recovery.proceeds.length) return recovery;
  return recoveryOf(model.collateral, model.chargeOffLagMonths, facts.vehicle, months);
}

function assessed(own: Valued, base: Valued, setting: Setting): AssessedDeal {
  const { facts, rough, grade, standardDefaultProbability, lender } = setting;
  const { model, policy, today } = lender;
  const { contract, term, moreDown, sheet, ratios, perMonth, rate, schedule, features, effects, discountPercent } = own;
  const { rows, totals } = own.forecast;
  const originationCost = atMostATenth(policy.acquisition.originationCost, contract.amount);
  const dealer = dealerTerms(own, base, originationCost, setting);
  const paidOut = cents(dealer.funded + dealer.reserve + originationCost);
  const price = priceOf(rows, { paid: dealer.funded, discountPercent });
  const netYieldPercent = monthlyRate(
    rows.map(({ totalPaidLessFees }) => totalPaidLessFees),
    paidOut,
  );
  const hurdlePercent = requiredReturn(lender, grade, term).funds / 100 + policy.hurdlePoints;
  const defaultProbability = totals.defaultMillionths / 1e6;
  const apr = aprOf(contract, schedule, own.start, setting.prepaidFinanceCharge);
  const roughRatios = ratiosOf(rough, contract.amount, perMonth);
  const measures: Measures = {
    ...ratios,
    score: facts.credit.score,
    scores: facts.credit.score === null ? 0 : 1,
    amount: contract.amount,
    income: facts.income.total,
    term,
    rate,
    apr,
    pastDueLines: facts.credit.pastDueLines,
    seriousLateLines: facts.credit.seriousLateLines,
    inquiries: facts.credit.inquiries,
    accounts: facts.credit.accounts,
    vehicleAge: facts.vehicle.age,
    mileage: facts.vehicle.mileage,
    defaultProbability,
    fairValue: price.fairValue,
    netYield: netYieldPercent * 1200,
  };
  const { buyRate, highestOffer, markupCap } = sheet;
  const about: Circumstances = {
    grade,
    state: facts.state,
    today,
    bounds: { buyRate, highestOffer, markupCap, paidOut, hurdle: hurdlePercent },
    because: (why) =>
      why === 'score' ? creditReasons(facts.credit, model) : modelReasons(model, effects, facts.credit),
  };
  const ruled = applyRules(policy, measures, about);
  const findings = facts.ofAge ? ruled : { ...ruled, reasons: [NO_CAPACITY, ...ruled.reasons] };
  const roughly = outcomeOf(policy, { ...measures, ...roughRatios, income: rough.income.total }, about);
  return {
    ...{ contract, term, moreDown, sheet, ratios, rate, apr, features, effects, grade, standardDefaultProbability },
    decision: findings.reasons.length === 0 ? 'APPROVED' : 'DECLINED',
    findings,
    payment: schedule.levelPayment,
    monthlyPayment: perMonth,
    shown: {
      pti: wholePercentOf(perMonth, rough.income.total),
      dti: wholePercentOf(rough.obligations.total + perMonth, rough.income.total),
      decision: facts.ofAge && !roughly.declined ? 'APPROVED' : 'DECLINED',
      warnings: facts.warnings.length + roughly.warnings,
    },
    defaultProbability,
    collateralDefaultProbability: collateralDefault(model, effects, own.prepay, lastPaymentMonth(own.forecast)),
    forecast: own.forecast,
    ...{ price, discountPercent, dealer, originationCost, paidOut, hurdlePercent },
    netYieldPercent: netYieldPercent * 1200,
    expectedLifeMonths: averageLife(rows),
    severity: totals.chargedOff === 0 ? 0 : mulDiv(totals.netLoss, 10_000, 1, totals.chargedOff, 'half-up') / 10_000,
  };
}

function averageLife(rows: Forecast['rows']): number {
  let [weighted, all] = [0, 0];
  for (const { month, principalPaid } of rows) {
    weighted += month * principalPaid;
    all += principalPaid;
  }
  return all === 0 ? 0 : Math.round((weighted / all) * 10) / 10;
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

/** The facts that ratios are made of: exact, or rounded for the model. */
export type Measured = {
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

/** `deal`: null for what the standard deal leaves at its reference. */
function featuresOf(
  { credit, vehicle }: Facts,
  { income, obligations }: Measured,
  { thinFile }: Model,
  { unemployment, cpi }: Macro,
  deal: {
    readonly amount: Cents;
    readonly ltv: number | null;
    readonly term: number | null;
    readonly markup: number | null;
  },
): Features {
  return {
    score: credit.score,
    utilisation: credit.utilisation,
    pastDueLines: credit.pastDueLines,
    seriousLateLines: credit.seriousLateLines,
    inquiries: credit.inquiries,
    thinFile: isThin(credit, thinFile) ? 1 : 0,
    debtToIncome: Math.min(MOST_OF_INCOME, ratio(obligations.total, income.total)),
    amountToIncome: Math.min(MOST_OF_INCOME, ratio(deal.amount, income.total * 12)),
    ltv: deal.ltv,
    term: deal.term,
    markup: deal.markup,
    vehicleAge: vehicle.age,
    mileage: vehicle.mileage,
    unemployment,
    cpi,
  };
}

/** A file without a beginning is thin; one whose accounts or beginning are not known is not thin for that. */
function isThin(credit: CreditFacts, { accounts: few, months }: Model['thinFile']): boolean {
  const { accounts, monthsInFile, monthsUnknown } = credit;
  return (accounts ?? few) < few || (monthsInFile ?? (monthsUnknown ? months : 0)) < months;
}

function collateralDefault(model: Model, effects: readonly Effect[], prepay: number, months: number): number {
  const others = effects.filter(({ about }) => about !== 'borrower');
  const probability = lifetimeDefault(hazardsOf(model, { default: dealLogOdds(model, others), prepay }, months));
  return Math.round(probability * 1e6) / 1e6;
}

/** Flat amounts are meant for ordinary loans: on a small one they are at most a tenth of it. */
function atMostATenth(fee: number, amount: Cents): Cents {
  return cents(Math.min(fee, Math.floor(amount / 10)));
}

/**
 * Where the sheet's own rate covers all costs, the dealer gets the flat fee. What it leaves uncovered is the dealer's, to whole dollars: first as the acquisition fee, then as a discount, each up
 * to the policy's limit. A deal that needs more is worth less than it costs, and the rules decline it. Of a rate above the buy rate the
 * dealer gets a share of what it is expected to bring, as far as dealers may add to the rate: never more than it does bring.
 */
function dealerTerms(
  { contract: { amount }, rate, sheet, fairValue }: Valued,
  base: Valued,
  originationCost: Cents,
  { facts: { vehicle, products }, grade, lender: { policy } }: Setting,
): DealerTerms {
  const { maximumFee, maximumDiscountPercent } = policy.acquisition;
  const excess = Math.max(0, amount - products - vehicle.value);
  const dealerDiscount = Math.round((excess * policy.excessAdvancePercent) / 100);
  const uncovered = amount - dealerDiscount + originationCost - base.fairValue;
  const usualFlat = atMostATenth(policy.pricing[grade].dealerFlat, amount);
  const flat = uncovered + usualFlat <= 0 ? usualFlat : ZERO;
  const discountFee = Math.min(wholeDollars(uncovered), atMostATenth(maximumFee, amount));
  const most = Math.floor((amount * maximumDiscountPercent) / 100);
  const loanDiscount = Math.min(wholeDollars(uncovered - discountFee), most);
  const totalDiscount = Math.min(loanDiscount + dealerDiscount + discountFee, amount);
  const markup = rate - sheet.buyRate;
  const counted = markup <= 0 ? 0 : Math.min(1, (sheet.highestOffer - sheet.buyRate) / markup);
  const brings = Math.max(0, fairValue - base.fairValue) * counted;
  return {
    loanDiscount: cents(loanDiscount),
    dealerDiscount: cents(dealerDiscount),
    discountFee: cents(discountFee),
    totalDiscount: cents(totalDiscount),
    dealerFlat: flat,
    funded: cents(amount - totalDiscount + flat),
    reserve: cents(Math.floor((brings * policy.dealer.sharePercent) / 100)),
  };
}

/** Up to the next whole dollar; nothing for a surplus. */
function wholeDollars(amount: number): number {
  return Math.ceil(Math.max(0, amount) / 100) * 100;
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
