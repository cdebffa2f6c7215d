/**
 * Assesses one deal: payment and ratios, default probability and grade, expected cash flows and their value, the dealer's payment, and the
 * findings of the policy. All sixty are assessed this way, the requested one and the fifty-nine around it. It is longer than
 * other files because each of its steps is made from the one before.
 */
import { daysBetween, type PlainDate } from '../core/calendar.ts';
import { type Forecast, forecast, type Recovery } from '../core/forecast.ts';
import type { Grade } from '../core/grade.ts';
import type { HardStop } from '../core/hard-stops.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, mulDiv, ZERO } from '../core/money.ts';
import { fairValueOf, monthlyRate, type Price, priceOf } from '../core/price.ts';
import { type Percent, percent } from '../core/rate.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, type Schedule } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { creditReasons, FROZEN_FILE, modelReasons, NO_CAPACITY, ofThePerson } from './adverse-action.ts';
import { aprOf } from './apr.ts';
import { wholePercentOf } from './coarse.ts';
import { recoveryOf } from './collateral.ts';
import { atMostATenth, type DealerTerms, dealerTerms } from './dealer-terms.ts';
import type { Facts } from './facts.ts';
import { coarseFacts, featuresOf, type Measured, type Ratios, ratiosOf } from './features.ts';
import { fileMeasures } from './file-flags.ts';
import type { DealTerms } from './grid.ts';
import {
  applyRules,
  type Circumstances,
  declinesBy,
  type Findings,
  isAboveCap,
  type LendingPolicy,
  type Macro,
  type Measures,
  macroOn,
  oldFigures,
  outcomeOf,
  unknownCap,
  unverifiedCaps,
} from './policy.ts';
import {
  type Costs,
  costsFor,
  hurdleOf,
  type Lender,
  type Risk,
  requiredReturn,
  type Sheet,
  sheetFor,
} from './rate-sheet.ts';
import { isAboutTheFile, REASONS, type Reason } from './reasons.ts';
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
import { NOT_CLEARED } from './screened.ts';
import {
  asStrictAs,
  finalShare,
  LEVEL,
  levelled,
  monthlyPayment,
  type Structure,
  structureOf,
  withoutRates,
} from './structure.ts';

export type AssessedDeal = DealTerms & {
  readonly decision: 'APPROVED' | 'DECLINED';
  readonly findings: Findings;
  /** The level installment; null where no installment is level. */
  readonly payment: Cents | null;
  /** The highest payment of an average month; a larger final one is apart. */
  readonly monthlyPayment: Cents;
  readonly rate: number;
  /** Percent a year, by Regulation Z; null where none exists. */
  readonly apr: number | null;
  readonly ratios: Ratios;
  /** Facts that no approval passes over, of these terms; `stopsOfPeople` has the rest. */
  readonly hardStops: readonly HardStop[];
  /** The deal as the public record shows it: by the coarse income and obligations alone. */
  readonly shown: PublicDeal;
  readonly features: Features;
  readonly effects: readonly Effect[];
  /** The grade of the person under the standard deal: the same for all deals of an application. */
  readonly grade: Grade;
  readonly standardDefaultProbability: number;
  /** The risk of this deal. */
  readonly defaultProbability: number;
  /** The same with every feature of the borrower at its reference: the risk of the deal, the vehicle and the economy alone. */
  readonly collateralDefaultProbability: number;
  readonly sheet: Sheet;
  readonly forecast: Forecast;
  readonly price: Price;
  readonly discountPercent: number;
  readonly dealer: DealerTerms;
  readonly originationCost: Cents;
  /** The cost of the deal on its first day: the funded amount, the dealer's participation and the cost of origination. */
  readonly paidOut: Cents;
  /** Simple, percent a year, on all that is paid out; and the least that the policy accepts. */
  readonly netYieldPercent: number;
  readonly hurdlePercent: number;
  /** The average time until principal is paid back, in months. */
  readonly expectedLifeMonths: number;
  /** The lost share of what is charged off. */
  readonly severity: number;
};

export type PublicDeal = {
  /** Whole percent, as fractions. */
  readonly pti: string;
  readonly dti: string;
  /** The outcome of the rules on the coarse figures. Close to a limit it may differ from the decision, which would reveal the income. */
  readonly decision: 'APPROVED' | 'DECLINED';
  /** Without those about credit files. */
  readonly warnings: number;
};

/** An application with everything that its deals share. */
export type Setting = {
  readonly facts: Facts;
  readonly lender: Lender;
  /** The lender's, by its policy: what an application says of the economy is shown, and counts for nothing. */
  readonly macro: Macro;
  /** The reasons for which nothing can be offered, whatever the rules say. */
  readonly stops: readonly Reason[];
  /** About the lender's own figures, on every deal. */
  readonly warnings: readonly string[];
  readonly prepaidFinanceCharge: Cents;
  /** Income and debts as the model may see them: what it computes is public. */
  readonly rough: Measured;
  readonly recovery: Recovery;
  readonly grade: Grade;
  readonly standardDefaultProbability: number;
  readonly costs: Costs;
};

export type SettingInput = {
  readonly facts: Facts;
  readonly model: Model;
  readonly policy: LendingPolicy;
  readonly today: PlainDate;
  readonly prepaidFinanceCharge: Cents;
  /** The term of the requested deal, in months. */
  readonly term: number;
  readonly markupCap: Percent | null;
};

export function settingFor(input: SettingInput): Setting {
  const { facts, model, policy, today, prepaidFinanceCharge } = input;
  const macro = macroOn(policy, today);
  const rough = coarseFacts(facts);
  const features = featuresOf(facts, rough, model, macro, { amount: ZERO, ltv: null, term: null, markup: null });
  const standardDefaultProbability = standardDefault(model, features);
  const months = Math.max(input.term, ...policy.terms) + ODD_MONTHS;
  return {
    facts,
    lender: {
      ...{ model, policy, today, states: facts.states },
      markupCap: input.markupCap === null ? null : toNumber(input.markupCap),
    },
    macro,
    stops: stopsOf(facts, policy, today),
    warnings: [...oldFigures(policy, today), ...unverifiedCaps(policy, facts.states, today)],
    prepaidFinanceCharge,
    rough,
    recovery: recoveryOf(model.collateral, model.chargeOffLagMonths, facts.vehicle, months),
    grade: gradeOf(model, standardDefaultProbability),
    standardDefaultProbability,
    costs: costsFor({ model, policy }, standardDefaultProbability),
  };
}

/** No policy can change these. */
function stopsOf(facts: Facts, policy: LendingPolicy, today: PlainDate): Reason[] {
  const unknown = unknownCap(policy, facts.states, today);
  const code = 'application-incomplete';
  return [
    ...(facts.isListed ? [NOT_CLEARED] : []),
    ...(facts.ofAge ? [] : [NO_CAPACITY]),
    ...(unknown === null
      ? []
      : [{ code, statement: REASONS[code], rule: 'state-of-residence', detail: unknown } as const]),
  ];
}

/** A late first payment date adds months to the term; contracts with more are refused. */
const ODD_MONTHS = 36;

/** A deal with its schedule, its risk and what it is worth, before any dealer is paid. */
type Valued = DealTerms & {
  readonly start: PlainDate;
  readonly structure: Structure;
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
  const lenient: Setting = { ...setting, lender: { ...setting.lender, policy: withoutRates(setting.lender.policy) } };
  const atBuyRate = new Map<string, Valued | Refusal>();
  return { sheetOf, assess };

  function sheetOf(terms: DealTerms): Sheet {
    const key = keyOf(terms);
    const known = sheets.get(key) ?? newSheet(terms);
    sheets.set(key, known);
    return known;
  }

  /** A deal that pays later than a level loan over the same time never costs less. */
  function newSheet(terms: DealTerms): Sheet {
    const structure = structureOf(terms, startOf(terms, setting));
    const level = sheetFor(riskOf(terms, { ...LEVEL, length: structure.length }, setting), setting.lender);
    if (structure.isLevel) return level;
    const own = sheetFor(riskOf(terms, structure, setting), setting.lender);
    return own.uncappedRate > level.uncappedRate ? own : level;
  }

  /** A deal that pays later is granted only where the level loan in its place is; the rate is its own. */
  function assess(terms: DealTerms): AssessedDeal | Refusal {
    const own = assessAlone(terms, setting);
    if (isRefusal(own) || structureOf(terms, startOf(terms, setting)).isLevel) return own;
    const level = assessAlone(levelled(terms), lenient);
    return isRefusal(level) ? level : asStrictAs(own, level);
  }

  function assessAlone(terms: DealTerms, by: Setting): AssessedDeal | Refusal {
    const sheet = sheetOf(terms);
    const own = valued(terms, sheet, setting);
    if (isRefusal(own)) return own;
    const base = own.rate === sheet.buyRate ? own : baseOf(terms, sheet);
    atBuyRate.set(keyOf(terms), base);
    return assessed(own, isRefusal(base) ? own : base, by);
  }

  function baseOf(terms: DealTerms, sheet: Sheet): Valued | Refusal {
    const known = atBuyRate.get(keyOf(terms));
    const rate = percent(sheet.buyRate.toFixed(2));
    return known ?? valued({ ...terms, contract: { ...terms.contract, rate } }, sheet, setting);
  }

  /** A payment that the contract names and dates that it leaves open are part of how it is paid back. */
  function keyOf({ contract, term }: DealTerms): string {
    const { amount, amortization, balloon, interestOnlyCount, payment, firstPaymentDate } = contract;
    return `${amount} ${term} ${amortization} ${balloon} ${interestOnlyCount} ${payment ?? ''} ${firstPaymentDate ?? ''}`;
  }
}

function startOf({ contract }: DealTerms, { lender }: Setting): PlainDate {
  return contract.contractDate ?? lender.today;
}

function riskOf({ contract }: DealTerms, structure: Structure, setting: Setting): Risk {
  const { facts, rough, macro, recovery, costs, lender } = setting;
  const { model } = lender;
  const { amount } = contract;
  const { balloon, deferredMonths, interestOnlyMonths, length } = structure;
  const ltv = overTime(ratiosOf(rough, amount, ZERO).ltv, structure);
  return {
    ...{ costs, amount, term: length, recovery, balloon, deferredMonths, interestOnlyMonths },
    logOddsAt: (months) => {
      const features = featuresOf(facts, rough, model, macro, { amount, ltv, term: months, markup: 0 });
      return dealLogOdds(model, effectsOf(features, model.default.features));
    },
  };
}

function valued(terms: DealTerms, sheet: Sheet, setting: Setting): Valued | Refusal {
  const { facts, rough, macro, recovery, costs, lender } = setting;
  const { model, today } = lender;
  const { contract } = terms;
  const start = contract.contractDate ?? today;
  const structure = structureOf(terms, start);
  const schedule = scheduleOf(contract, start);
  if (isRefusal(schedule)) return schedule;
  // A month for every month of the schedule; an odd first period may add two.
  const months = Math.ceil(daysBetween(start, (schedule.rows.at(-1) as { dueDate: PlainDate }).dueDate) / 28) + 1;
  const perMonth = monthlyPayment(contract, schedule.rows);
  const ratios = ratiosOf(facts, contract.amount, perMonth);
  const rate = toNumber(contract.rate);
  // In hundredths, so that a rate at the market's has neither.
  const aboveMarket = Math.round((rate - sheet.uncappedRate) * 100) / 100;
  const features = featuresOf(facts, rough, model, macro, {
    amount: contract.amount,
    ltv: overTime(ratios.ltv, structure),
    term: structure.length,
    markup: Math.max(0, aboveMarket),
  });
  const effects = effectsOf(features, model.default.features);
  const prepay = sumOf(effectsOf(features, model.prepay.features)) + incentiveOf(model, setting.grade, aboveMarket);
  const expected = forecast(
    {
      amount: contract.amount,
      start,
      installments: schedule.rows,
      chargeOffLagMonths: model.chargeOffLagMonths,
      recovery: enough(recovery, months, setting),
      servicingFeePercent: costs.servicing / 100,
    },
    hazardsOf(model, { default: dealLogOdds(model, effects), prepay }, months),
  );
  const { funds, capital } = requiredReturn(lender, costs, structure.length);
  const discountPercent = (funds + capital) / 100;
  const fairValue = fairValueOf(expected.rows, discountPercent);
  return {
    ...terms,
    ...{ start, structure, schedule, perMonth, rate, ratios, features, effects, prepay, sheet, forecast: expected },
    ...{ discountPercent, fairValue },
  };
}

/** The loan to value at the start of a level loan that owes as much on average; to four decimals, like every ratio. */
function overTime(ltv: number, { owedLonger }: Structure): number {
  return owedLonger === 1 ? ltv : Math.round(ltv * owedLonger * 10_000) / 10_000;
}

/** The usual recovery reaches far enough for every ordinary schedule. */
function enough(recovery: Recovery, months: number, { facts, lender: { model } }: Setting): Recovery {
  if (months <= recovery.proceeds.length) return recovery;
  return recoveryOf(model.collateral, model.chargeOffLagMonths, facts.vehicle, months);
}

function assessed(own: Valued, base: Valued, setting: Setting): AssessedDeal {
  const { facts, rough, grade, standardDefaultProbability, lender } = setting;
  const { model, policy, today } = lender;
  const {
    structure,
    contract,
    term,
    moreDown,
    sheet,
    ratios,
    perMonth,
    rate,
    schedule,
    features,
    effects,
    discountPercent,
  } = own;
  const { rows, totals } = own.forecast;
  const originationCost = atMostATenth(policy.acquisition.originationCost, contract.amount);
  const dealer = dealerTerms({ ...own, amount: contract.amount }, base.fairValue, originationCost, setting);
  const paidOut = cents(dealer.funded + dealer.reserve + originationCost);
  const price = priceOf(rows, { paid: dealer.funded, discountPercent });
  const netYieldPercent = monthlyRate(
    rows.map(({ totalPaidLessFees }) => totalPaidLessFees),
    paidOut,
  );
  const hurdlePercent = hurdleOf(lender, setting.costs, structure.length);
  const defaultProbability = totals.defaultMillionths / 1e6;
  // A borrower who pays far too much leaves soon and has less time to default. No rule gets easier by that: it sees the risk at the sheet's
  // rate, and then the rate is none of its reasons.
  const ruled = totals.defaultMillionths < base.forecast.totals.defaultMillionths ? base : own;
  const apr = aprOf(contract, schedule, own.start, setting.prepaidFinanceCharge);
  const charged = withCharges(own, apr, setting);
  const roughRatios = ratiosOf(rough, contract.amount, perMonth);
  const measures: Measures = {
    ...ratios,
    ...fileMeasures(facts),
    score: facts.credit.score,
    scores: facts.credit.score === null ? 0 : 1,
    amount: contract.amount,
    balloonToLoan: finalShare(contract, schedule.rows),
    ltvOverTime: structure.isLevel ? null : overTime(ratios.ltv, structure),
    deferredMonths: structure.deferredMonths,
    income: facts.income.total,
    term: structure.length,
    rate,
    apr,
    rateWithCharges: charged,
    pastDueLines: facts.credit.pastDueLines,
    seriousLateLines: facts.credit.seriousLateLines,
    inquiries: facts.credit.inquiries,
    accounts: facts.credit.accounts,
    vehicleAge: facts.vehicle.age,
    mileage: facts.vehicle.mileage,
    defaultProbability: ruled.forecast.totals.defaultMillionths / 1e6,
    standardDefault: standardDefaultProbability,
    fairValue: price.fairValue,
    netYield: netYieldPercent * 1200,
  };
  const { buyRate, highestOffer, markupCap } = sheet;
  const about: Circumstances = {
    grade,
    states: facts.states,
    today,
    bounds: { buyRate, highestOffer, markupCap, paidOut, hurdle: hurdlePercent },
    because: (why) => {
      if (facts.primary.flags.frozen || facts.coApplicant?.flags.frozen === true) return [FROZEN_FILE];
      const { credit } = facts;
      if (why === 'score') return creditReasons({ model, effects, credit });
      return modelReasons({ model, effects: why === 'model' ? stated.effects : ofThePerson(effects), credit });
    },
  };
  // The rate is no reason if the deal would be declined at the sheet's rate as well.
  const atSheet = { ...measures, defaultProbability: base.forecast.totals.defaultMillionths / 1e6 };
  const stated = declinesBy('defaultProbability', policy, atSheet, about) ? base : ruled;
  const found = applyRules(policy, measures, about);
  // Credit is not judged where it is not certain whose it is.
  const judged = facts.isListed ? found.reasons.filter(isAboutTheFile) : found.reasons;
  const findings = {
    ...found,
    reasons: [...setting.stops, ...judged.map((reason) => asLeftOut(reason, facts))],
    declinedBy: [...setting.stops.map(({ rule }) => rule), ...found.declinedBy],
    warnings: [...setting.warnings, ...found.warnings],
  };
  const roughly = outcomeOf(policy, { ...measures, ...roughRatios, income: rough.income.total }, about);
  return {
    ...{ contract, term, moreDown, sheet, ratios, rate, apr, features, effects, grade, standardDefaultProbability },
    decision: findings.reasons.length === 0 ? 'APPROVED' : 'DECLINED',
    findings,
    hardStops: isAboveCap(policy, { states: facts.states, today, rate: charged }) ? ['rateCap'] : [],
    payment: schedule.levelPayment,
    monthlyPayment: perMonth,
    shown: {
      pti: wholePercentOf(perMonth, rough.income.total),
      dti: wholePercentOf(rough.obligations.total + perMonth, rough.income.total),
      decision: setting.stops.length === 0 && !roughly.declined ? 'APPROVED' : 'DECLINED',
      warnings: facts.warnings.length - facts.fileWarnings + setting.warnings.length + roughly.warnings,
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

/** Obligations that are assumed for want of a housing cost are no reason: that it is not stated is. */
function asLeftOut(reason: Reason, { leftOut }: Facts): Reason {
  if (reason.code !== 'excessive-obligations' || !leftOut.some(({ what }) => what === 'housing')) return reason;
  const code = 'application-incomplete';
  return { ...reason, code, statement: REASONS[code], detail: `${reason.detail}, without a stated housing cost` };
}

/** The rate, and what prepaid finance charges add to it; without an APR they are as much as the loan. */
function withCharges({ contract, schedule, start, rate }: Valued, apr: number | null, setting: Setting): number {
  if (setting.prepaidFinanceCharge === 0) return rate;
  const without = aprOf(contract, schedule, start, ZERO);
  if (apr === null || without === null) return NO_RATE;
  return Math.round((rate + Math.max(0, apr - without)) * 1000) / 1000;
}

const NO_RATE = 1_000;

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

function collateralDefault(model: Model, effects: readonly Effect[], prepay: number, months: number): number {
  const others = effects.filter(({ about }) => about !== 'borrower');
  const probability = lifetimeDefault(hazardsOf(model, { default: dealLogOdds(model, others), prepay }, months));
  return Math.round(probability * 1e6) / 1e6;
}
