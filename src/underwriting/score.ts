/**
 * The probability that a loan defaults: a discrete-time hazard model. In each month a loan that still pays stops with the probability
 *
 *     logit(h) = intercept + baseline(month) + Σ weight · x
 *
 * where x is a feature clamped to its bounds, measured from its reference and in its unit. The credit file decides; the deal and the vehicle
 * move the sum only within bounds. Prepayment has a model of the same form, with the rate's distance from what this risk pays today. The
 * default probability of a deal is that of defaulting at any time before it is paid off, early or at the end. The grade is that of the
 * person under the model's standard deal, so that no choice of terms changes it.
 *
 * The names of features are a closed list: age, sex, marital status, ZIP code, county and the source of income are not on it, and no
 * model can use what it cannot name (12 CFR 1002.6). Each feature says which way it may move the risk; a weight of the other sign is
 * refused when the model is loaded, which is what makes the score monotone.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import type { Hazards } from '../core/forecast.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { type Collateral, checkCollateral, isLag } from './collateral.ts';
import { exponential } from './exponential.ts';
import { interpolated } from './interpolate.ts';
import { isReasonCode, type ReasonCode } from './reasons.ts';

/** Whether a higher value raises or lowers the risk of default. */
const DIRECTIONS = {
  score: 'lowers',
  utilisation: 'raises',
  pastDueLines: 'raises',
  seriousLateLines: 'raises',
  inquiries: 'raises',
  thinFile: 'raises',
  debtToIncome: 'raises',
  amountToIncome: 'raises',
  ltv: 'raises',
  term: 'raises',
  markup: 'raises',
  vehicleAge: 'raises',
  mileage: 'raises',
  unemployment: 'raises',
  cpi: 'raises',
} as const;

export type FeatureName = keyof typeof DIRECTIONS;
/** Null: unknown; the feature's `whenUnknown` is used. */
export type Features = Readonly<Record<FeatureName, number | null>>;

export type FeatureWeight = {
  readonly name: FeatureName;
  /** The subject it describes. */
  readonly about: 'borrower' | 'deal' | 'vehicle' | 'economy';
  readonly low: number;
  readonly high: number;
  readonly reference: number;
  readonly unit: number;
  readonly weight: number;
  readonly whenUnknown: number;
  /** The reason given to a borrower when it counts against them; null: it is not about the borrower. */
  readonly reason: ReasonCode | null;
  /** The source of the weight. */
  readonly because: string;
};

/** Log-odds by month: interpolated linearly between two months, constant after the last. */
export type Knot = { readonly month: number; readonly logOdds: number };

export type Hazard = {
  readonly intercept: number;
  readonly baseline: readonly Knot[];
  readonly features: readonly FeatureWeight[];
};

/**
 * Log-odds of prepaying for each point that the contract's rate is above what this risk pays today, by the person's grade; and for each
 * point below it, the same for everybody, so that no better grade is ever slower. Bounds in points.
 */
export type Incentive = {
  readonly perPoint: Readonly<Record<Grade, number>>;
  readonly perPointBelow: number;
  readonly low: number;
  readonly high: number;
  readonly because: string;
};

export type Model = {
  readonly version: string;
  readonly effectiveFrom: PlainDate;
  /** `dealShift`: how far the deal and the vehicle together may move the log-odds. */
  readonly default: Hazard & { readonly dealShift: { readonly low: number; readonly high: number } };
  readonly prepay: Hazard & { readonly incentive: Incentive };
  /** The deal under which people are graded, in months; its other features are at their references. */
  readonly standardMonths: number;
  /**
   * The average of applicants whose risk is at or slightly below the highest that is approved: what reasons are measured against (official
   * interpretation 5 of 12 CFR 1002.9(b)(2)). Features that are not named are at their references.
   */
  readonly marginal: Readonly<Partial<Record<FeatureName, number>>>;
  /** A file with fewer accounts or months is thin. */
  readonly thinFile: { readonly accounts: number; readonly months: number };
  readonly chargeOffLagMonths: number;
  readonly collateral: Collateral;
  /** The largest default probability of each grade, the best first; the last has no bound. */
  readonly grades: Readonly<Record<Grade, number>>;
  /** By days past due of a loan in repayment: the share of such loans that never pays again. */
  readonly delinquency: readonly { readonly fromDays: number; readonly lostShare: number }[];
};

/** The contribution of one feature to the log-odds. */
export type Effect = Pick<FeatureWeight, 'name' | 'about'> & { readonly value: number; readonly effect: number };

export function effectsOf(features: Features, weights: readonly FeatureWeight[]): Effect[] {
  return weights.map((weight) => {
    const value = features[weight.name] ?? weight.whenUnknown;
    return { name: weight.name, about: weight.about, value, effect: effectOf(weight, value) };
  });
}

export function effectOf(weight: FeatureWeight, value: number): number {
  return (weight.weight * (bounded(value, weight) - weight.reference)) / weight.unit;
}

/** The log-odds of a deal: the file and the economy as they are, the deal and the vehicle within the model's bounds. */
export function dealLogOdds({ default: { dealShift } }: Model, effects: readonly Effect[]): number {
  let [others, deal] = [0, 0];
  for (const { about, effect } of effects) {
    if (isOfDeal(about)) deal += effect;
    else others += effect;
  }
  return others + bounded(deal, dealShift);
}

/** The share of what the deal and the vehicle add that counts: 1 within the model's bounds. */
export function countedShare({ default: { dealShift } }: Model, effects: readonly Effect[]): number {
  const deal = sumOf(effects.filter(({ about }) => isOfDeal(about)));
  return deal === 0 ? 1 : bounded(deal, dealShift) / deal;
}

export function isOfDeal(about: FeatureWeight['about']): boolean {
  return about === 'deal' || about === 'vehicle';
}

/** The incentive to prepay, from the points by which the contract's rate is above (or below) the market's for this risk. */
export function incentiveOf({ prepay: { incentive } }: Model, grade: Grade, points: number): number {
  return (points > 0 ? incentive.perPoint[grade] : incentive.perPointBelow) * bounded(points, incentive);
}

function bounded(value: number, { low, high }: { readonly low: number; readonly high: number }): number {
  return value < low ? low : value > high ? high : value;
}

/** The default probability of a person under the standard deal, in millionths: by what is known of the person alone. */
export function standardDefault(model: Model, features: Features): number {
  const own = (hazard: Hazard) => hazard.features.filter(({ about }) => about === 'borrower');
  const logOdds = {
    default: sumOf(effectsOf(features, own(model.default))),
    prepay: sumOf(effectsOf(features, own(model.prepay))),
  };
  return Math.round(lifetimeDefault(hazardsOf(model, logOdds, model.standardMonths)) * 1e6) / 1e6;
}

export function sumOf(effects: readonly Effect[]): number {
  let sum = 0;
  for (const { effect } of effects) sum += effect;
  return sum;
}

/** By month, starting at an age of `seasoning` months: 0 for a new loan. */
export function hazardsOf(
  model: Model,
  logOdds: { readonly default: number; readonly prepay: number },
  months: number,
  seasoning = 0,
): Hazards {
  return {
    default: shares(oddsOf(model.default, months + seasoning), logOdds.default, months, seasoning),
    prepay: shares(oddsOf(model.prepay, months + seasoning), logOdds.prepay, months, seasoning),
  };
}

/** The same where the log-odds of default are another in each month, of which there are as many as months. */
export function hazardsAlong(
  model: Model,
  logOdds: { readonly default: readonly number[]; readonly prepay: number },
  seasoning: number,
): Hazards {
  const months = logOdds.default.length;
  const odds = oddsOf(model.default, months + seasoning);
  const factors = new Map<number, number>();
  const stops = logOdds.default.map((one, i) => {
    const factor = factors.get(one) ?? exponential(counted(one));
    factors.set(one, factor);
    const here = (odds[i + seasoning] as number) * factor;
    return here / (1 + here);
  });
  return {
    default: stops,
    prepay: shares(oddsOf(model.prepay, months + seasoning), logOdds.prepay, months, seasoning),
  };
}

/**
 * Rounds log-odds to millionths. Sums of doubles are monotone and so is rounding; an exponential is monotone only to its last digit, and
 * two rounded log-odds that differ at all differ by billions of times that. Without it a slightly better score could give a default
 * probability that is worse by 10^-16.
 */
function counted(logOdds: number): number {
  return Math.round(logOdds * 1e6) / 1e6;
}

/** With odds o of the baseline and a factor f = e^(Σ weight · x), the probability is o·f ÷ (1 + o·f): one exponential a deal. */
function shares(odds: readonly number[], logOdds: number, months: number, seasoning: number): number[] {
  const factor = exponential(counted(logOdds));
  const list = new Array<number>(months);
  for (let i = 0; i < months; i++) {
    const here = (odds[i + seasoning] as number) * factor;
    list[i] = here / (1 + here);
  }
  return list;
}

/** The odds of the baseline by month, computed once for a model, as far as needed so far. */
const KNOWN_ODDS = new WeakMap<Hazard, number[]>();

function oddsOf(hazard: Hazard, months: number): readonly number[] {
  const odds = KNOWN_ODDS.get(hazard) ?? [];
  KNOWN_ODDS.set(hazard, odds);
  while (odds.length < months) odds.push(exponential(hazard.intercept + baselineAt(hazard.baseline, odds.length + 1)));
  return odds;
}

function baselineAt(knots: readonly Knot[], month: number): number {
  return interpolated(
    knots,
    (knot) => knot.month,
    (knot) => knot.logOdds,
    month,
  );
}

/** The probability of default at any time before the loan is paid off: the same sum as in the forecast, without the amounts. */
export function lifetimeDefault(hazards: Hazards): number {
  let paying = 1;
  let defaulted = 0;
  for (let i = 0; i < hazards.default.length; i++) {
    const stopped = paying * (hazards.default[i] as number);
    defaulted += stopped;
    paying = (paying - stopped) * (1 - (hazards.prepay[i] as number));
  }
  return defaulted;
}

export function gradeOf(model: Model, defaultProbability: number): Grade {
  return GRADES.find((grade) => defaultProbability <= model.grades[grade]) ?? 'F';
}

// ---- loading ----

/** Checks a model and returns it; throws an error that lists every mistake. */
export function loadModel(model: Model): Model {
  const mistakes: string[] = [];
  const expect = (holds: boolean, mistake: string) => {
    if (!holds) mistakes.push(mistake);
  };
  expect(/^[A-Za-z0-9.-]{1,40}$/.test(model.version), 'version: must be 1 to 40 letters, digits, points and hyphens');
  expect(parseDate(model.effectiveFrom) !== null, 'effectiveFrom: must be a valid date');
  for (const which of ['default', 'prepay'] as const) checkHazard(which, model[which], expect);
  const { dealShift } = model.default;
  expect(dealShift.low <= 0 && dealShift.high >= 0, 'default.dealShift: zero must be within low and high');
  const { incentive } = model.prepay;
  const perPoint = GRADES.map((grade) => incentive.perPoint[grade]);
  expect(
    [...perPoint, incentive.perPointBelow].every((slope) => slope >= 0),
    'prepay.incentive: a higher rate must not make prepayment less likely',
  );
  expect(
    perPoint.every((slope, i) => i === 0 || slope <= (perPoint[i - 1] ?? 0)),
    'prepay.incentive: a worse grade must not refinance more readily',
  );
  expect(incentive.low <= 0 && incentive.high >= 0, 'prepay.incentive: zero must be within low and high');
  expect(incentive.because.length > 0, 'prepay.incentive: the source is missing');
  const { standardMonths, chargeOffLagMonths } = model;
  expect(
    Number.isInteger(standardMonths) && standardMonths >= 12 && standardMonths <= 120,
    'standardMonths: 12 to 120',
  );
  expect(isLag(chargeOffLagMonths), 'chargeOffLagMonths: 0 to 36 months');
  checkCollateral(model.collateral, expect);
  checkBounds(model, expect);
  for (const [name, value] of Object.entries(model.marginal)) {
    const feature = model.default.features.find((one) => one.name === name);
    const within = feature !== undefined && value >= feature.low && value <= feature.high;
    expect(within, `marginal.${name}: must be a feature of the model, within its low and high`);
  }
  const bounds = GRADES.map((grade) => model.grades[grade]);
  expect(
    bounds.every((bound, i) => bound > (bounds[i - 1] ?? 0)) && bounds.at(-1) === 1,
    'grades: must be in ascending order, up to 1',
  );
  const late = model.delinquency;
  expect(
    late.every(({ lostShare }) => lostShare >= 0 && lostShare <= 1) &&
      late.every(
        (step, i) =>
          i === 0 || (step.fromDays > at(late, i - 1).fromDays && step.lostShare >= at(late, i - 1).lostShare),
      ),
    'delinquency: shares must be from 0 to 1, and more days past due must not lower them',
  );
  if (mistakes.length > 0) throw new Error(`The model ${model.version} cannot be used. ${mistakes.join('; ')}.`);
  return model;
}

function at<T>(list: readonly T[], i: number): T {
  return list[i] as T;
}

/**
 * Beyond a feature's bound the odds stay the same. If the vehicle still lost value there, the market rate would rise alone, and the same
 * contract would be fewer points above it: a worse vehicle would lower the risk.
 */
function checkBounds({ default: { features }, collateral }: Model, expect: (holds: boolean, mistake: string) => void) {
  const highest = (name: FeatureName) => features.find((one) => one.name === name)?.high ?? Number.POSITIVE_INFINITY;
  expect(
    collateral.mostMiles <= highest('mileage'),
    'collateral.mostMiles: no miles may count that the feature mileage does not',
  );
  expect(
    (collateral.depreciation.at(-1)?.age ?? 0) <= highest('vehicleAge'),
    'collateral.depreciation: no age may count that the feature vehicleAge does not',
  );
}

function checkHazard(
  which: string,
  { intercept, baseline, features }: Hazard,
  expect: (holds: boolean, mistake: string) => void,
): void {
  expect(Number.isFinite(intercept), `${which}: the intercept must be a number`);
  expect(baseline.length > 0 && baseline[0]?.month === 1, `${which}: the baseline must begin with month 1`);
  expect(
    baseline.every(
      ({ month, logOdds }, i) => Number.isFinite(logOdds) && (i === 0 || month > at(baseline, i - 1).month),
    ),
    `${which}: the months of the baseline must be in ascending order`,
  );
  const names = features.map(({ name }) => name);
  expect(new Set(names).size === names.length, `${which}: features must be unique`);
  for (const feature of features) {
    const { name, low, high, reference, unit, weight, whenUnknown, reason, because } = feature;
    const of = `${which}.${name}`;
    expect(Object.hasOwn(DIRECTIONS, name), `${of}: the feature must be one of ${Object.keys(DIRECTIONS).join(', ')}`);
    expect(low < high && reference >= low && reference <= high, `${of}: the reference must be within low and high`);
    expect(whenUnknown >= low && whenUnknown <= high, `${of}: whenUnknown must be within low and high`);
    expect(unit > 0, `${of}: the unit must be more than zero`);
    expect(because.length > 0, `${of}: the source of the weight is missing`);
    expect(reason === null || isReasonCode(reason), `${of}: unknown reason`);
    // A feature that raises the risk of default makes prepayment less likely, so that both move the default probability the same way.
    const raises = which === 'default' ? DIRECTIONS[name] === 'raises' : DIRECTIONS[name] === 'lowers';
    expect(Number.isFinite(weight) && (raises ? weight >= 0 : weight <= 0), `${of}: the weight has the wrong sign`);
  }
}

/** The version in effect on a day: the latest that has begun, else the first. */
export function inForce<T extends { readonly effectiveFrom: PlainDate }>(versions: readonly T[], on: PlainDate): T {
  const sorted = [...versions].sort((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1));
  const found = sorted.findLast(({ effectiveFrom }) => effectiveFrom <= on) ?? sorted[0];
  if (found === undefined) throw new Error('No version is available.');
  return found;
}
