/**
 * The same model on many loans at once: what is expected to be lost of the principal of a loan that is typical of its group, over the rest
 * of its life, conditioned on its days past due today. It is `reforecast.ts` without anything that only one loan has: the default
 * probability is the middle of the grade, the vehicle the one that the model refers to, payments are level and monthly. Accrued interest is
 * no part of it, and nothing is discounted.
 */
import type { PlainDate } from '../core/calendar.ts';
import { BUCKETS, bucketOf, type DelinquencyBucket } from '../core/delinquency.ts';
import { saleOf } from '../core/forecast.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import type { AllowancePolicy } from '../core/policy.ts';
import { formatDecimal } from '../core/rate.ts';
import { recoveryOf } from './collateral.ts';
import { MODELS } from './model-data.ts';
import { type LendingPolicy, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { costsFor, sheetFor } from './rate-sheet.ts';
import {
  effectOf,
  type FeatureName,
  hazardsAlong,
  hazardsOf,
  incentiveOf,
  inForce,
  lifetimeDefault,
  type Model,
} from './score.ts';

/** A group of loans by the one that is typical of it. */
export type LossGroup = {
  /** Null: unknown; then the model's reference loan is used. */
  readonly grade: Grade | null;
  readonly bucket: DelinquencyBucket;
  /** Months since the loan began, and until its last installment. */
  readonly age: number;
  readonly remaining: number;
  /** Percent a year. */
  readonly rate: number;
  /** Cents: what is owed of it, and what was lent. */
  readonly principal: number;
  readonly original: number;
};

export type ExpectedLoss = {
  /** The share of the principal, in millionths. */
  readonly millionths: number;
  /** The same as it comes: what is charged off less what is recovered, up to the end of each month from the first on. */
  readonly byMonth: readonly number[];
};

export type LossEstimator = {
  readonly modelVersion: string;
  /** The economy of the first months, in words of the policy. */
  readonly macro: readonly { readonly fromMonth: number; readonly unemployment: number; readonly cpi: number }[];
  expectedLoss(group: LossGroup): ExpectedLoss;
};

type Path = Pick<AllowancePolicy, 'horizon' | 'reversion' | 'macro'>;

/** No loan is longer. */
const MOST_MONTHS = 480;
/** The loan that early payment is compared with: what its risk pays in the market. Cents. */
const USUAL_AMOUNT = 20_000_00;

/** By the model and the lending policy in force on a day, unless others are given. Pure; what a grade needs is computed once. */
export function openLossEstimator(
  on: PlainDate,
  path: Path,
  {
    model = inForce(MODELS, on),
    lending = inForce(POLICIES, on),
  }: { readonly model?: Model; readonly lending?: LendingPolicy } = {},
): LossEstimator {
  const present = macroOn(lending, on);
  const macro =
    path.macro.length === 0
      ? [{ fromMonth: 1, unemployment: present.unemployment, cpi: present.cpi }]
      : path.macro.map(({ fromMonth, unemployment, cpi }) => {
          return { fromMonth, unemployment: Number(formatDecimal(unemployment)), cpi: Number(formatDecimal(cpi)) };
        });
  const along = economyAlong(model, path, macro);
  const grades = new Map<Grade | null, GradeRisk>();
  const gradeRisk = (grade: Grade | null) => {
    const known = grades.get(grade) ?? riskOfGrade(model, { model, policy: lending, on }, grade);
    grades.set(grade, known);
    return known;
  };
  return {
    modelVersion: model.version,
    macro,
    expectedLoss: (group) => lossOf(model, gradeRisk(group.grade), along, group),
  };
}

// ---- the economy ----

/** The log-odds that the economy adds in each month: of the path, then evenly back to none, which is the economy of the model's references. */
function economyAlong(model: Model, { horizon, reversion }: Path, macro: LossEstimator['macro']): number[] {
  const weightOf = (name: FeatureName) => model.default.features.find((one) => one.name === name);
  const effect = (name: 'unemployment' | 'cpi', value: number) => {
    const weight = weightOf(name);
    return weight === undefined ? 0 : effectOf(weight, value);
  };
  const oddsIn = (month: number) => {
    const row = macro.findLast(({ fromMonth }) => fromMonth <= month) ?? macro[0];
    return row === undefined ? 0 : effect('unemployment', row.unemployment) + effect('cpi', row.cpi);
  };
  const last = oddsIn(Math.max(1, horizon));
  return Array.from({ length: MOST_MONTHS }, (_, i) => {
    const month = i + 1;
    if (month <= horizon) return oddsIn(month);
    return month > horizon + reversion ? 0 : last * (1 - (month - horizon) / (reversion + 1));
  });
}

// ---- the risk of a grade ----

type GradeRisk = { readonly grade: Grade; readonly logOdds: number; readonly marketRate: number };

/** The worst grade has no bound but certainty; its middle is that of a band twice as wide as the one before. */
function middleOf(model: Model, grade: Grade): number {
  const at = GRADES.indexOf(grade);
  const least = at === 0 ? 0 : model.grades[GRADES[at - 1] as Grade];
  const most = at === GRADES.length - 1 ? Math.min(1, least * 2) : model.grades[grade];
  return (least + most) / 2;
}

function riskOfGrade(
  model: Model,
  { policy, on }: { model: Model; policy: LendingPolicy; on: PlainDate },
  grade: Grade | null,
): GradeRisk {
  const logOdds = grade === null ? 0 : oddsFor(model, middleOf(model, grade));
  const standard = standardAt(model, logOdds);
  const own = grade ?? GRADES.find((one) => standard <= model.grades[one]) ?? 'F';
  const term = model.standardMonths;
  const vehicle = referenceVehicle(model, USUAL_AMOUNT);
  const longest = Math.max(term, ...policy.terms);
  const lender = { model, policy, today: on, states: [], markupCap: null };
  const { uncappedRate } = sheetFor(
    {
      costs: costsFor(lender, standard),
      ...{ amount: USUAL_AMOUNT, term, balloon: 0, deferredMonths: 0, interestOnlyMonths: 0 },
      recovery: recoveryOf(model.collateral, model.chargeOffLagMonths, vehicle, longest),
      logOddsAt: () => logOdds,
    },
    lender,
  );
  return { grade: own, logOdds, marketRate: uncappedRate };
}

function standardAt(model: Model, logOdds: number): number {
  return lifetimeDefault(hazardsOf(model, { default: logOdds, prepay: 0 }, model.standardMonths));
}

/** The log-odds at which the standard deal has a default probability, by bisection. */
function oddsFor(model: Model, probability: number): number {
  let [low, high] = [-20, 20];
  for (let turn = 0; turn < 48; turn++) {
    const middle = (low + high) / 2;
    if (standardAt(model, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function referenceVehicle(model: Model, original: number) {
  const reference = (name: FeatureName, otherwise: number) =>
    model.default.features.find((one) => one.name === name)?.reference ?? otherwise;
  return {
    value: original / (reference('ltv', 1) || 1),
    age: reference('vehicleAge', model.collateral.unknownAge),
    mileage: reference('mileage', model.collateral.unknownMileage),
  };
}

// ---- loss ----

/** By bucket, the last day that it has; the last bucket has its first day alone, because nothing changes after it. */
const DAYS = daysOfBuckets();

function daysOfBuckets(): ReadonlyMap<DelinquencyBucket, { readonly from: number; readonly to: number }> {
  const found = new Map<DelinquencyBucket, { from: number; to: number }>();
  for (let days = 0; found.size < BUCKETS.length || days === 0; days++) {
    const bucket = bucketOf(days);
    const known = found.get(bucket);
    if (known === undefined) found.set(bucket, { from: days, to: days });
    else known.to = days;
  }
  return found;
}

/** The share of the loans of a bucket that never pay again: the average of its days. */
function lostOf(model: Model, { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (let days = from; days <= to; days++) {
    sum += model.delinquency.findLast(({ fromDays }) => fromDays <= days)?.lostShare ?? 0;
  }
  return sum / (to - from + 1);
}

/** The same sums as in the forecast of a loan, of a principal of 1 and without rounding. */
function lossOf(
  model: Model,
  { grade, logOdds, marketRate }: GradeRisk,
  along: readonly number[],
  group: LossGroup,
): ExpectedLoss {
  const months = Math.max(1, Math.min(MOST_MONTHS, Math.round(group.remaining)));
  const age = Math.max(0, Math.min(MOST_MONTHS, Math.round(group.age)));
  const days = DAYS.get(group.bucket) ?? { from: 0, to: 0 };
  const lost = lostOf(model, days);
  const prepay = incentiveOf(model, grade, group.rate - marketRate);
  const hazards = hazardsAlong(
    model,
    { default: along.slice(0, months).map((economy) => logOdds + economy), prepay },
    age,
  );
  const whole = recoveryOf(
    model.collateral,
    model.chargeOffLagMonths,
    referenceVehicle(model, group.original),
    age + months,
  );
  const recovery = { ...whole, proceeds: whole.proceeds.slice(age) };
  const lag = model.chargeOffLagMonths;
  /** A loan that is late already is charged off so much sooner. */
  const lagOfLost = Math.max(0, lag - Math.floor(days.from / 30));
  const length = months + lag + Math.max(recovery.saleLagMonths, recovery.collectionLagMonths);
  const net = new Float64Array(length + 1);
  const monthly = group.rate / 1200;
  const payment = levelPayment(monthly, months);
  let [owed, paying] = [1, 1];
  const stop = (month: number, share: number, after: number) => {
    const chargedOff = share * owed;
    const sale = group.principal <= 0 ? 0 : (share * saleOf(recovery, month, owed * group.principal)) / group.principal;
    const collected = (chargedOff - sale) * recovery.collectedShare;
    add(net, month + after, chargedOff);
    add(net, month + after + recovery.saleLagMonths, -sale);
    add(net, month + after + recovery.collectionLagMonths, -collected);
  };
  for (let month = 1; month <= months; month++) {
    const early = month === 1 ? lost : 0;
    const stopping = (hazards.default[month - 1] as number) * (1 - early);
    if (early > 0) stop(month, paying * early, lagOfLost);
    stop(month, paying * stopping, lag);
    paying *= 1 - early - stopping;
    owed = month === months ? 0 : owed * (1 + monthly) - payment;
    paying *= 1 - (hazards.prepay[month - 1] as number) * (1 - early);
  }
  let sum = 0;
  const byMonth = Array.from(net.subarray(1), (change) => {
    sum += change;
    return sum;
  });
  return { millionths: Math.round(Math.min(1, Math.max(0, sum)) * 1e6), byMonth };
}

function add(column: Float64Array, month: number, amount: number): void {
  column[month] = (column[month] as number) + amount;
}

/** For a principal of 1. */
function levelPayment(monthly: number, months: number): number {
  if (monthly === 0) return 1 / months;
  let discount = 1;
  for (let i = 0; i < months; i++) discount /= 1 + monthly;
  return monthly / (1 - discount);
}
