/**
 * The recovery from a vehicle when its loan defaults: its value loses a share each month, the more the older it is and the more it has been
 * driven; the lender finds and sells it some months after the borrower stopped paying, for less than its book value and at a cost; part of
 * the remaining debt is collected. So a recovery follows from the balance and the value on the day, not from a fixed share.
 */
import type { Recovery } from '../core/forecast.ts';
import { interpolated } from './interpolate.ts';

export type Collateral = {
  /** Loss of value a year, as a share of the value, by the vehicle's age in years: even between two ages, constant after the last. */
  readonly depreciation: readonly { readonly age: number; readonly perYear: number }[];
  /** Added to it for each 10,000 miles on the odometer, of which at most `mostMiles` count, up to `most` in all. */
  readonly perTenThousandMiles: number;
  readonly mostMiles: number;
  readonly most: number;
  /** Used for a vehicle of unknown age or mileage. */
  readonly unknownAge: number;
  readonly unknownMileage: number;
  /** The discount of a repossessed car as a share of its book value, and the cost of finding, holding and selling it, in cents. */
  readonly discount: number;
  readonly cost: number;
  readonly foundShare: number;
  readonly collectedShare: number;
  readonly saleLagMonths: number;
  readonly collectionLagMonths: number;
  readonly because: string;
};

export type ValuedVehicle = {
  /** Cents. */
  readonly value: number;
  readonly age: number | null;
  readonly mileage: number | null;
};

/** For a default in each of the months ahead, which begin at the day of the value. */
export function recoveryOf(
  collateral: Collateral,
  chargeOffLagMonths: number,
  { value, age, mileage }: ValuedVehicle,
  months: number,
): Recovery {
  const { discount, cost, foundShare, collectedShare, saleLagMonths, collectionLagMonths } = collateral;
  const soldAfter = chargeOffLagMonths + saleLagMonths;
  const years = age ?? collateral.unknownAge;
  const miles = Math.min(mileage ?? collateral.unknownMileage, collateral.mostMiles);
  const driven = (miles / 10_000) * collateral.perTenThousandMiles;
  const proceeds: number[] = [];
  let worth = value;
  for (let month = 1; month <= months + soldAfter; month++) {
    const perYear = Math.min(collateral.most, depreciationAt(collateral, years + (month - 1) / 12) + driven);
    worth *= 1 - perYear / 12;
    if (month > soldAfter) proceeds.push(Math.max(0, worth * (1 - discount) - cost));
  }
  return { proceeds, foundShare, collectedShare, saleLagMonths, collectionLagMonths };
}

export function depreciationAt({ depreciation }: Pick<Collateral, 'depreciation'>, age: number): number {
  return interpolated(
    depreciation,
    (step) => step.age,
    (step) => step.perYear,
    age,
  );
}

export function checkCollateral(collateral: Collateral, expect: (holds: boolean, mistake: string) => void): void {
  const { depreciation, perTenThousandMiles, mostMiles, most, unknownAge, unknownMileage, discount, cost, because } =
    collateral;
  const share = (value: number) => value >= 0 && value <= 1;
  expect(depreciation.length > 0 && depreciation[0]?.age === 0, 'collateral.depreciation: must begin with age 0');
  expect(
    depreciation.every(
      ({ age, perYear }, i) =>
        share(perYear) &&
        (i === 0 || (age > (depreciation[i - 1]?.age ?? 0) && perYear >= (depreciation[i - 1]?.perYear ?? 0))),
    ),
    'collateral.depreciation: shares must not fall with age, so that an older vehicle never brings more',
  );
  expect(perTenThousandMiles >= 0 && share(most), 'collateral: mileage must not raise the value, and most is a share');
  expect(mostMiles >= 0, 'collateral.mostMiles: must not be negative');
  expect(unknownAge >= 0 && unknownMileage >= 0, 'collateral: unknown age and mileage must not be negative');
  expect(share(discount) && cost >= 0, 'collateral: the discount is a share, and the cost is not negative');
  for (const name of ['foundShare', 'collectedShare'] as const) {
    expect(share(collateral[name]), `collateral.${name}: must be from 0 to 1`);
  }
  for (const name of ['saleLagMonths', 'collectionLagMonths'] as const) {
    expect(isLag(collateral[name]), `collateral.${name}: 0 to 36 months`);
  }
  expect(because.length > 0, 'collateral: the source is missing');
}

export function isLag(months: number): boolean {
  return Number.isInteger(months) && months >= 0 && months <= 36;
}
