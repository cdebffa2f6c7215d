import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bringsAt } from '../../test/support/underwriting/book.ts';
import { saleOf } from '../core/forecast.ts';
import { type Collateral, checkCollateral, recoveryOf, type ValuedVehicle } from './collateral.ts';
import { MODELS } from './model-data.ts';
import type { Model } from './score.ts';

const model = MODELS[0] as Model;

/** Loses 12 % a year when new and 24 % from two years on, and 0.6 points for each 10,000 miles. */
const PLAIN: Collateral = {
  depreciation: [
    { age: 0, perYear: 0.12 },
    { age: 2, perYear: 0.24 },
  ],
  perTenThousandMiles: 0.006,
  mostMiles: 250_000,
  most: 0.3,
  unknownAge: 2,
  unknownMileage: 100_000,
  discount: 0.1,
  cost: 500_00,
  foundShare: 0.8,
  collectedShare: 0.05,
  saleLagMonths: 1,
  collectionLagMonths: 6,
  because: 'made up',
};

describe('by hand', () => {
  test('a new vehicle that was never driven, month by month', () => {
    const { proceeds } = recoveryOf(PLAIN, 1, { value: 10_000_00, age: 0, mileage: 0 }, 3);
    // 12 % a year grows by 6 points a year: a month keeps 0.99 of the value, then 1 − 0.125 ÷ 12, 1 − 0.13 ÷ 12 and so on.
    const values = [0, 1, 2, 3, 4].map((month) => 1 - (0.12 + 0.005 * month) / 12);
    const worth = (months: number) => values.slice(0, months).reduce((value, kept) => value * kept, 10_000_00);
    // A default in month 1 is charged off in month 2 and sold in month 3; a tenth below the book value, less 500.00.
    for (const [i, brought] of proceeds.entries()) expect(brought).toBeCloseTo(worth(i + 3) * 0.9 - 500_00, 6);
    expect(proceeds).toHaveLength(3);
    // 10,000 × 0.99 × 0.98958333 × 0.98916667 = 9,690.74; × 0.9 − 500.
    expect(proceeds[0]).toBeCloseTo(8_221_66.8, 0);
  });

  test('mileage adds to the loss, up to the most', () => {
    // 24 % and 3 points for 50,000 miles: 2.25 % a month. 24 and 18 points: no more than 30, 2.5 % a month.
    const sold = (mileage: number) => recoveryOf(PLAIN, 0, { value: 10_000_00, age: 5, mileage }, 1).proceeds[0];
    expect(sold(50_000)).toBeCloseTo(10_000_00 * 0.9775 ** 2 * 0.9 - 500_00, 6);
    expect(sold(300_000)).toBeCloseTo(10_000_00 * 0.975 ** 2 * 0.9 - 500_00, 6);
  });

  test('miles beyond the most that count take nothing more', () => {
    const few = { ...PLAIN, mostMiles: 50_000 };
    const sold = (mileage: number) => recoveryOf(few, 0, { value: 10_000_00, age: 5, mileage }, 1).proceeds[0];
    expect(sold(40_000)).toBeGreaterThan(sold(50_000) ?? 0);
    expect(sold(300_000)).toBe(sold(50_000));
  });

  test('a vehicle that is worth less than its sale costs brings nothing', () => {
    expect(recoveryOf(PLAIN, 0, { value: 400_00, age: 5, mileage: 0 }, 2).proceeds).toEqual([0, 0]);
  });

  test('an unknown age or mileage is what the model says, never zero', () => {
    const unknown = recoveryOf(PLAIN, 2, { value: 9_000_00, age: null, mileage: null }, 5);
    expect(unknown).toEqual(recoveryOf(PLAIN, 2, { value: 9_000_00, age: 2, mileage: 100_000 }, 5));
  });
});

const anyVehicle = fc.record({
  value: fc.integer({ min: 500_00, max: 80_000_00 }),
  age: fc.integer({ min: 0, max: 25 }),
  mileage: fc.integer({ min: 0, max: 300_000 }),
});
const MONTHS = 96;
const brought = (vehicle: ValuedVehicle) =>
  recoveryOf(model.collateral, model.chargeOffLagMonths, vehicle, MONTHS).proceeds;

test('the service’s own model is the same as by the book', () => {
  const same = fc.property(anyVehicle, (vehicle) => {
    const proceeds = brought(vehicle);
    for (const month of [1, 2, 17, MONTHS]) {
      const expected = bringsAt(model.collateral, vehicle, month + model.chargeOffLagMonths);
      expect(proceeds[month - 1]).toBeCloseTo(expected, 4);
    }
  });
  fc.assert(same, { numRuns: 40, seed: 6 });
});

test('an older, a more driven and a cheaper vehicle never bring more, nor does a later sale', () => {
  const never = fc.property(anyVehicle, fc.integer({ min: 1, max: 9 }), (vehicle, more) => {
    const own = brought(vehicle);
    for (const worse of [
      { ...vehicle, age: vehicle.age + more },
      { ...vehicle, mileage: vehicle.mileage + more * 10_000 },
      { ...vehicle, value: Math.round(vehicle.value * (1 - more / 20)) },
    ]) {
      expect(brought(worse).every((amount, i) => amount <= (own[i] as number))).toBe(true);
    }
    expect(own.every((amount, i) => i === 0 || amount <= (own[i - 1] as number))).toBe(true);
  });
  fc.assert(never, { numRuns: 100, seed: 7 });
});

test('the recovered share rises as the loan to value at default falls, up to the share of vehicles that are found', () => {
  const recovery = recoveryOf(PLAIN, 0, { value: 20_000_00, age: 3, mileage: 30_000 }, 1);
  const shares = [200, 150, 120, 100, 80, 60, 40].map((ltv) => {
    const owed = 20_000_00 * (ltv / 100);
    return saleOf(recovery, 1, owed) / owed;
  });
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares[0]).toBeLessThan(0.5);
  expect(shares.at(-1)).toBe(PLAIN.foundShare);
});

describe('bad data is refused, every mistake by its name', () => {
  const mistakesOf = (change: Partial<Collateral>) => {
    const mistakes: string[] = [];
    checkCollateral({ ...PLAIN, ...change }, (holds, mistake) => {
      if (!holds) mistakes.push(mistake);
    });
    return mistakes;
  };

  test('the data above has none', () => {
    expect(mistakesOf({})).toEqual([]);
  });

  const ageing = (...steps: [age: number, perYear: number][]) => ({
    depreciation: steps.map(([age, perYear]) => ({ age, perYear })),
  });

  test.each<[string, Partial<Collateral>, RegExp]>([
    ['no depreciation', { depreciation: [] }, /must begin with age 0/],
    ['one that begins late', ageing([1, 0.1]), /must begin with age 0/],
    ['one that falls with age', ageing([0, 0.2], [5, 0.1]), /must not fall with age/],
    ['ages that are not in order', ageing([0, 0.1], [5, 0.2], [5, 0.3]), /must not fall with age/],
    ['more than all of it', ageing([0, 1.2]), /must not fall with age/],
    ['miles that make it dearer', { perTenThousandMiles: -0.1 }, /mileage must not raise/],
    ['less than no miles', { mostMiles: -1 }, /mostMiles: must not be negative/],
    ['a negative unknown age', { unknownAge: -1 }, /unknown age/],
    ['a discount of twice the value', { discount: 2 }, /discount is a share/],
    ['a sale that costs less than nothing', { cost: -1 }, /cost is not negative/],
    ['more found than lost', { foundShare: 1.1 }, /foundShare/],
    ['more collected than owed', { collectedShare: -0.1 }, /collectedShare/],
    ['half a month', { saleLagMonths: 0.5 }, /saleLagMonths/],
    ['a century', { collectionLagMonths: 1_200 }, /collectionLagMonths/],
    ['no source', { because: '' }, /source is missing/],
  ])('%s', (_, change, mistake) => {
    const found = mistakesOf(change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(mistake);
  });

  test('all at once', () => {
    expect(mistakesOf({ depreciation: [], foundShare: 2, saleLagMonths: -1, because: '' })).toHaveLength(4);
  });
});
