/**
 * A second implementation of the forecast, without the service's code: plain sums over months, with the library's own exponential. Slow,
 * short, and easy to check by eye; the tests compare the engine with it to the cent.
 */
import type { Grade } from '../../../src/core/grade.ts';
import type { Collateral } from '../../../src/underwriting/collateral.ts';
import type { Hazard, Model } from '../../../src/underwriting/score.ts';

export type Expected = Record<
  'principal' | 'prepaid' | 'interest' | 'chargedOff' | 'recovered' | 'fee' | 'defaulted',
  number[]
>;

export type BookRisk = {
  /** Log-odds of default by the borrower and the economy. */
  readonly others: number;
  /** By the deal and the vehicle, before the model's bounds. */
  readonly deal: number;
  /** Log-odds of prepayment by its features, and the points of the rate above the market's. */
  readonly prepay: number;
  readonly aboveMarket: number;
  readonly grade: Grade;
};

export type BookVehicle = { readonly value: number; readonly age: number; readonly mileage: number };

export function byTheBook(
  model: Model,
  risk: BookRisk,
  loan: { amount: number; interest: readonly number[]; principal: readonly number[] },
  { vehicle, feePercent }: { vehicle: BookVehicle; feePercent: number },
): Expected {
  const months = loan.interest.length;
  const { chargeOffLagMonths: lag, collateral, prepay } = model;
  const zeros = () =>
    Array<number>(months + lag + collateral.saleLagMonths + collateral.collectionLagMonths + 1).fill(0);
  const expected: Expected = {
    principal: zeros(),
    prepaid: zeros(),
    interest: zeros(),
    chargedOff: zeros(),
    recovered: zeros(),
    fee: zeros(),
    defaulted: zeros(),
  };
  const { low, high } = model.default.dealShift;
  const defaultOdds = risk.others + Math.min(high, Math.max(low, risk.deal));
  const points = Math.min(prepay.incentive.high, Math.max(prepay.incentive.low, risk.aboveMarket));
  const { perPoint, perPointBelow } = prepay.incentive;
  const prepayOdds = risk.prepay + (points > 0 ? perPoint[risk.grade] : perPointBelow) * points;
  let paying = 1;
  let balance = loan.amount;
  for (let month = 1; month <= months; month++) {
    const stops = share(model.default, defaultOdds, month);
    const early = share(model.prepay, prepayOdds, month);
    expected.fee[month] = (paying * balance * feePercent) / 1200;
    expected.defaulted[month] = paying * stops;
    expected.chargedOff[month + lag] = paying * stops * balance;
    // Sold some months after the default; what is then left is collected in part, found or not.
    const sale = collateral.foundShare * Math.min(balance, bringsAt(collateral, vehicle, month + lag));
    const left = (balance - sale) * collateral.collectedShare;
    const received = expected.recovered;
    const [sold, collected] = [month + lag + collateral.saleLagMonths, month + lag + collateral.collectionLagMonths];
    received[sold] = (received[sold] ?? 0) + paying * stops * sale;
    received[collected] = (received[collected] ?? 0) + paying * stops * left;
    paying *= 1 - stops;
    expected.interest[month] = paying * (loan.interest[month - 1] as number);
    expected.principal[month] = paying * (loan.principal[month - 1] as number);
    balance -= loan.principal[month - 1] as number;
    expected.prepaid[month] = paying * early * balance;
    paying *= 1 - early;
  }
  return expected;
}

/** The proceeds of the vehicle when it is sold `saleLagMonths` after a charge-off in a month. */
export function bringsAt(collateral: Collateral, vehicle: BookVehicle, chargedOff: number): number {
  const worth = valueAfter(collateral, vehicle, chargedOff + collateral.saleLagMonths);
  return Math.max(0, worth * (1 - collateral.discount) - collateral.cost);
}

/** The book value after some months: one month's loss after the other. */
function valueAfter(collateral: Collateral, { value, age, mileage }: BookVehicle, months: number): number {
  if (months === 0) return value;
  const before = valueAfter(collateral, { value, age, mileage }, months - 1);
  const { depreciation, perTenThousandMiles, mostMiles, most } = collateral;
  const years = age + (months - 1) / 12;
  const byAge = between(
    depreciation.map((step) => [step.age, step.perYear]),
    years,
  );
  const yearly = Math.min(most, byAge + (Math.min(mileage, mostMiles) / 10_000) * perTenThousandMiles);
  return before - (before * yearly) / 12;
}

/** The logistic function of intercept, baseline and log-odds. */
function share({ intercept, baseline }: Hazard, logOdds: number, month: number): number {
  const base = between(
    baseline.map((knot) => [knot.month, knot.logOdds]),
    month,
  );
  return 1 / (1 + Math.exp(-(intercept + base + logOdds)));
}

/** On the straight line between two points; before the first and after the last, theirs. */
export function between(points: readonly (readonly [at: number, value: number])[], at: number): number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There are no points.');
  if (at <= first[0]) return first[1];
  for (const [i, [to, value]] of points.entries()) {
    const [from, before] = points[i - 1] ?? [to, value];
    if (at <= to) return before + ((value - before) * (at - from)) / (to - from);
  }
  return last[1];
}
