import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { GRADES, riskRatingOf } from '../core/grade.ts';
import { MODELS } from './model-data.ts';
import {
  dealLogOdds,
  type Effect,
  effectsOf,
  type FeatureName,
  type Features,
  gradeOf,
  hazardsOf,
  incentiveOf,
  inForce,
  lifetimeDefault,
  loadModel,
  type Model,
  standardDefault,
  sumOf,
} from './score.ts';

const model = MODELS[0] as Model;

/** Every feature at its reference: the loan whose log-odds are the baseline's. */
const REFERENCE: Features = {
  score: 680,
  utilisation: 0.3,
  pastDueLines: 0,
  seriousLateLines: 0,
  inquiries: 1,
  thinFile: 0,
  debtToIncome: 0.25,
  amountToIncome: 0.4,
  ltv: 1,
  term: 60,
  markup: 0,
  vehicleAge: 3,
  mileage: 40_000,
  unemployment: 4.5,
  cpi: 2.5,
};

function defaultOf(features: Features, months = 60): number {
  const logOdds = dealLogOdds(model, effectsOf(features, model.default.features));
  const prepay = sumOf(effectsOf(features, model.prepay.features));
  return lifetimeDefault(hazardsOf(model, { default: logOdds, prepay }, months));
}

describe('the hazard', () => {
  const { intercept, baseline } = model.default;
  const knot = (month: number) => baseline.find((one) => one.month === month)?.logOdds as number;
  const logit = (share: number) => Math.log(share / (1 - share));

  test('of the reference loan is the baseline', () => {
    expect(effectsOf(REFERENCE, model.default.features).every(({ effect }) => effect === 0)).toBe(true);
    const { default: hazards } = hazardsOf(model, { default: 0, prepay: 0 }, 84);
    for (const { month, logOdds } of baseline) {
      expect(logit(hazards[month - 1] as number), `month ${month}`).toBeCloseTo(intercept + logOdds, 10);
    }
    // Month 9 is half-way between the knots of months 6 and 12.
    expect(logit(hazards[8] as number)).toBeCloseTo(intercept + (knot(6) + knot(12)) / 2, 10);
    // After the last knot nothing changes.
    expect(hazardsOf(model, { default: 0, prepay: 0 }, 200).default[199]).toBe(hazards[83]);
  });

  test('moves by the feature’s weight on the scale of the logit', () => {
    const effects = effectsOf({ ...REFERENCE, score: 730, ltv: 1.2 }, model.default.features);
    const weight = (name: FeatureName) => model.default.features.find((one) => one.name === name)?.weight as number;
    expect(effects.find(({ name }) => name === 'score')?.effect).toBeCloseTo(weight('score'), 12);
    expect(effects.find(({ name }) => name === 'ltv')?.effect).toBeCloseTo(2 * weight('ltv'), 12);
  });

  test('of a seasoned loan continues from its age', () => {
    const whole = hazardsOf(model, { default: 0.3, prepay: 0 }, 60);
    expect(hazardsOf(model, { default: 0.3, prepay: 0 }, 36, 24).default).toEqual(whole.default.slice(24));
  });

  test('an unknown value counts as the feature specifies, never as zero', () => {
    const nothing = Object.fromEntries(Object.keys(REFERENCE).map((name) => [name, null])) as unknown as Features;
    expect(Number.isFinite(defaultOf(nothing))).toBe(true);
    expect(defaultOf({ ...REFERENCE, score: null })).toBe(defaultOf({ ...REFERENCE, score: 600 }));
  });
});

describe('the default probability', () => {
  test('counts loans that stop before they are paid off: 0.1, then 0.1 of 0.9 less the 0.2 that were paid off', () => {
    expect(lifetimeDefault({ default: [0.1, 0.1], prepay: [0.2, 0] })).toBeCloseTo(0.1 + 0.1 * 0.72, 15);
  });

  const RISES: readonly FeatureName[] = [
    'utilisation',
    'pastDueLines',
    'seriousLateLines',
    'inquiries',
    'thinFile',
    'debtToIncome',
    'amountToIncome',
    'ltv',
    'term',
    'markup',
    'vehicleAge',
    'mileage',
    'unemployment',
    'cpi',
  ];
  const anyFeatures = fc.record({
    score: fc.integer({ min: 250, max: 900 }),
    utilisation: fc.double({ min: 0, max: 1.5, noNaN: true }),
    pastDueLines: fc.integer({ min: 0, max: 9 }),
    seriousLateLines: fc.integer({ min: 0, max: 9 }),
    inquiries: fc.integer({ min: 0, max: 20 }),
    thinFile: fc.constantFrom(0, 1),
    debtToIncome: fc.double({ min: 0, max: 2, noNaN: true }),
    amountToIncome: fc.double({ min: 0, max: 2, noNaN: true }),
    ltv: fc.double({ min: 0, max: 3, noNaN: true }),
    term: fc.integer({ min: 1, max: 120 }),
    markup: fc.double({ min: 0, max: 40, noNaN: true }),
    vehicleAge: fc.integer({ min: 0, max: 30 }),
    mileage: fc.integer({ min: 0, max: 400_000 }),
    unemployment: fc.double({ min: 0, max: 25, noNaN: true }),
    cpi: fc.double({ min: -5, max: 25, noNaN: true }),
  });

  test('is monotone: a higher score never raises it, more of anything else never lowers it', () => {
    fc.assert(
      fc.property(
        anyFeatures,
        fc.constantFrom<FeatureName[]>('score', ...RISES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (features, name, more) => {
          const before = defaultOf(features);
          const after = defaultOf({ ...features, [name]: (features[name] as number) * (1 + more) + more });
          expect(before).toBeGreaterThanOrEqual(0);
          expect(before).toBeLessThanOrEqual(1);
          if (name === 'score') expect(after).toBeLessThanOrEqual(before);
          else expect(after).toBeGreaterThanOrEqual(before);
        },
      ),
      { numRuns: process.env.TEST_LONG ? 20_000 : 1_000, seed: 3 },
    );
  });

  test('is higher over a longer term', () => {
    expect(defaultOf(REFERENCE, 72)).toBeGreaterThan(defaultOf(REFERENCE, 60));
  });
});

describe('the deal moves the odds of the file only within bounds', () => {
  const { low, high } = model.default.dealShift;
  const effect = (about: Effect['about'], size: number): Effect => ({ name: 'ltv', about, value: 0, effect: size });

  test('the deal and the vehicle together are bounded, the borrower and the economy are not', () => {
    const others = [effect('borrower', 5), effect('economy', -7)];
    expect(dealLogOdds(model, [...others, effect('deal', 0.1), effect('vehicle', -0.3)])).toBeCloseTo(-2.2, 12);
    expect(dealLogOdds(model, [...others, effect('deal', high), effect('vehicle', high)])).toBeCloseTo(-2 + high, 12);
    expect(dealLogOdds(model, [...others, effect('deal', 9), effect('vehicle', -20)])).toBeCloseTo(-2 + low, 12);
  });

  test('so that the worst deal of a good file is better than the best deal of a bad one', () => {
    const worst = { ltv: 2, term: 96, markup: 20, vehicleAge: 20, mileage: 250_000, amountToIncome: 1.5 };
    const best = { ltv: 0.2, term: 96, markup: 0, vehicleAge: 0, mileage: 0, amountToIncome: 0 };
    expect(defaultOf({ ...REFERENCE, score: 780, ...worst }, 60)).toBeLessThan(
      defaultOf({ ...REFERENCE, score: 600, ...best }, 60),
    );
  });
});

test('a rate above the market’s brings early payment, below it less, both within bounds', () => {
  const { perPoint, perPointBelow, low, high } = model.prepay.incentive;
  for (const grade of GRADES) {
    const at = (points: number) => incentiveOf(model, grade, points);
    expect([at(0), at(1), at(-1)]).toEqual([0, perPoint[grade], -perPointBelow]);
    expect([at(low - 5), at(high + 5)]).toEqual([perPointBelow * low, perPoint[grade] * high]);
  }
});

test('an F refinances less readily than an A at the same points above the market, and each grade no more than the one before', () => {
  const slopes = GRADES.map((grade) => incentiveOf(model, grade, 4));
  expect(slopes).toEqual([...slopes].sort((a, b) => b - a));
  expect(incentiveOf(model, 'F', 4)).toBeLessThan(incentiveOf(model, 'A', 4) / 2);
  // Below the market all are alike, so that one point of score never makes anybody slower.
  expect(new Set(GRADES.map((grade) => incentiveOf(model, grade, -2))).size).toBe(1);
});

test('the standard default probability is that of the person under the reference deal: no part of the deal changes it', () => {
  const deal = { ltv: 1.8, term: 84, markup: 9, vehicleAge: 18, mileage: 240_000, amountToIncome: 1.4 };
  for (const score of [520, 600, 680, 760]) {
    const person = { ...REFERENCE, score, utilisation: 0.7, debtToIncome: 0.5 };
    const expected = defaultOf(person, model.standardMonths);
    expect(standardDefault(model, person)).toBe(Math.round(expected * 1e6) / 1e6);
    expect(standardDefault(model, { ...person, ...deal, unemployment: 11, cpi: 9 })).toBe(
      standardDefault(model, person),
    );
  }
});

test('grades are bounded by default probability; two grades share a rating', () => {
  GRADES.forEach((grade, i) => {
    const bound = model.grades[grade];
    expect(gradeOf(model, bound)).toBe(grade);
    if (i < GRADES.length - 1) expect(gradeOf(model, bound + 1e-6)).toBe(GRADES[i + 1]);
  });
  expect([gradeOf(model, 0), gradeOf(model, 1)]).toEqual(['A', 'F']);
  expect((['A', 'B', 'C', 'D', 'E', 'F'] as const).map(riskRatingOf)).toEqual([
    'Low',
    'Low',
    'Medium',
    'Medium',
    'High',
    'High',
  ]);
});

describe('a model is checked when it is loaded', () => {
  const features = model.default.features;
  const withIncentive = (change: object) => {
    const { incentive } = model.prepay;
    const perPoint = { ...incentive.perPoint, ...change };
    return { ...model, prepay: { ...model.prepay, incentive: { ...incentive, perPoint } } } as Model;
  };
  const withDefault = (change: object) => ({ ...model, default: { ...model.default, ...change } }) as Model;
  const withFeature = (change: object) =>
    withDefault({ features: features.map((feature, i) => (i === 0 ? { ...feature, ...change } : feature)) });

  test.each([
    ['a weight of the wrong sign', withFeature({ weight: 0.1 }), 'default.score: the weight has the wrong sign'],
    ['an unknown feature', withFeature({ name: 'age' }), 'default.age: the feature must be one of'],
    ['another unknown feature', withFeature({ name: 'zip' }), 'default.zip: the feature must be one of'],
    ['reversed bounds', withFeature({ low: 900 }), 'the reference must be within low and high'],
    ['no reason for a weight', withFeature({ because: '' }), 'the source of the weight is missing'],
    ['an unknown reason', withFeature({ reason: 'computer-says-no' }), 'unknown reason'],
    ['a duplicate feature', withDefault({ features: [...features, features[0]] }), 'features must be unique'],
    ['a baseline that begins late', withDefault({ baseline: [{ month: 2, logOdds: 0 }] }), 'must begin with month 1'],
    [
      'grades that are not in order',
      { ...model, grades: { ...model.grades, C: 0.01 } },
      'grades: must be in ascending order',
    ],
    ['a lag of years', { ...model, chargeOffLagMonths: 99 }, 'chargeOffLagMonths'],
    [
      'bounds that keep the deal from having no effect',
      withDefault({ dealShift: { low: 0.1, high: 0.7 } }),
      'default.dealShift: zero must be within low and high',
    ],
    [
      'an incentive that keeps people from leaving a high rate',
      withIncentive({ F: -0.1 }),
      'a higher rate must not make prepayment less likely',
    ],
    [
      'an F that refinances more readily than an E',
      withIncentive({ F: model.prepay.incentive.perPoint.E + 0.01 }),
      'a worse grade must not refinance more readily',
    ],
    ['a standard deal of half a month', { ...model, standardMonths: 0.5 }, 'standardMonths: 12 to 120'],
    [
      'a vehicle that is never found twice',
      { ...model, collateral: { ...model.collateral, foundShare: 2 } },
      'foundShare',
    ],
    [
      'lateness that lowers the risk',
      {
        ...model,
        delinquency: [
          { fromDays: 0, lostShare: 1 },
          { fromDays: 30, lostShare: 0 },
        ],
      },
      'delinquency',
    ],
    [
      'miles that lower the value and no longer raise the odds',
      { ...model, collateral: { ...model.collateral, mostMiles: 260_000 } },
      'collateral.mostMiles: no miles may count',
    ],
    [
      'an age that lowers the value and no longer raises the odds',
      {
        ...model,
        collateral: {
          ...model.collateral,
          depreciation: [...model.collateral.depreciation, { age: 25, perYear: 0.3 }],
        },
      },
      'collateral.depreciation: no age may count',
    ],
  ])('%s', (_, wrong, complaint) => {
    expect(() => loadModel(wrong as Model)).toThrow(complaint);
  });

  test('every mistake is listed, with the version', () => {
    expect(() => loadModel({ ...withFeature({ weight: 1, unit: 0 }), chargeOffLagMonths: -1 })).toThrow(
      new RegExp(`${model.version} cannot be used.*unit.*sign.*chargeOffLagMonths`),
    );
  });
});

test('the version in effect is the latest that has begun; before all of them, the first', () => {
  const versions = [{ effectiveFrom: date('2026-01-01') }, { effectiveFrom: date('2024-01-01') }];
  expect(inForce(versions, date('2025-12-31')).effectiveFrom).toBe('2024-01-01');
  expect(inForce(versions, date('2026-01-01')).effectiveFrom).toBe('2026-01-01');
  expect(inForce(versions, date('2000-01-01')).effectiveFrom).toBe('2024-01-01');
});
