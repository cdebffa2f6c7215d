import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { riskRatingOf } from '../core/grade.ts';
import { MODELS } from './model-data.ts';
import {
  effectsOf,
  type FeatureName,
  type Features,
  gradeOf,
  hazardsOf,
  inForce,
  lifetimeDefault,
  loadModel,
  type Model,
  recoveryRateOf,
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
  dti: 0.35,
  pti: 0.1,
  ltv: 1,
  term: 60,
  rate: 8,
  vehicleAge: 3,
  mileage: 40_000,
  unemployment: 4.5,
  cpi: 2.5,
  fedRate: 4,
};

function defaultOf(features: Features, months = 60): number {
  const logOdds = sumOf(effectsOf(features, model.default.features));
  const prepay = sumOf(effectsOf(features, model.prepay.features));
  return lifetimeDefault(hazardsOf(model, { default: logOdds, prepay }, months));
}

describe('the hazard', () => {
  test('of the reference loan is the baseline: 0.14 % in its peak month', () => {
    expect(effectsOf(REFERENCE, model.default.features).every(({ effect }) => effect === 0)).toBe(true);
    const { default: hazards } = hazardsOf(model, { default: 0, prepay: 0 }, 84);
    const logit = (share: number) => Math.log(share / (1 - share));
    expect(logit(hazards[17] as number)).toBeCloseTo(-6.55, 10);
    expect(logit(hazards[0] as number)).toBeCloseTo(-6.55 - 1.8, 10);
    // Month 9 is half-way between the knots of month 6 (-0.45) and month 12 (-0.05).
    expect(logit(hazards[8] as number)).toBeCloseTo(-6.55 - 0.25, 10);
    // After the last knot nothing changes.
    expect(hazardsOf(model, { default: 0, prepay: 0 }, 200).default[199]).toBe(hazards[83]);
  });

  test('moves by the feature’s weight on the scale of the logit', () => {
    const effects = effectsOf({ ...REFERENCE, score: 730, ltv: 1.2 }, model.default.features);
    expect(effects.find(({ name }) => name === 'score')?.effect).toBeCloseTo(-0.55, 12);
    expect(effects.find(({ name }) => name === 'ltv')?.effect).toBeCloseTo(0.26, 12);
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
    'dti',
    'pti',
    'ltv',
    'term',
    'rate',
    'vehicleAge',
    'mileage',
    'unemployment',
    'cpi',
    'fedRate',
  ];
  const anyFeatures = fc.record({
    score: fc.integer({ min: 250, max: 900 }),
    utilisation: fc.double({ min: 0, max: 1.5, noNaN: true }),
    pastDueLines: fc.integer({ min: 0, max: 9 }),
    seriousLateLines: fc.integer({ min: 0, max: 9 }),
    inquiries: fc.integer({ min: 0, max: 20 }),
    thinFile: fc.constantFrom(0, 1),
    dti: fc.double({ min: 0, max: 2, noNaN: true }),
    pti: fc.double({ min: 0, max: 2, noNaN: true }),
    ltv: fc.double({ min: 0, max: 3, noNaN: true }),
    term: fc.integer({ min: 1, max: 120 }),
    rate: fc.double({ min: 0, max: 40, noNaN: true }),
    vehicleAge: fc.integer({ min: 0, max: 30 }),
    mileage: fc.integer({ min: 0, max: 400_000 }),
    unemployment: fc.double({ min: 0, max: 25, noNaN: true }),
    cpi: fc.double({ min: -5, max: 25, noNaN: true }),
    fedRate: fc.double({ min: 0, max: 25, noNaN: true }),
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

  test('matches the documentation for the loans it names', () => {
    const at = (score: number) => Number((defaultOf({ ...REFERENCE, score }) * 100).toFixed(1));
    expect([780, 740, 700, 660, 620, 580, 540].map(at)).toMatchInlineSnapshot(`
      [
        1.5,
        2.3,
        3.6,
        5.5,
        8.5,
        13,
        19.5,
      ]
    `);
  });
});

test('grades are bounded by default probability; two grades share a rating', () => {
  const at = (probability: number) => gradeOf(model, probability);
  expect([0, 0.02, 0.020001, 0.04, 0.07, 0.12, 0.2, 0.200001, 1].map(at).join('')).toBe('AABBCDEFF');
  expect((['A', 'B', 'C', 'D', 'E', 'F'] as const).map(riskRatingOf)).toEqual([
    'Low',
    'Low',
    'Medium',
    'Medium',
    'High',
    'High',
  ]);
});

test('less is recovered on a loan for more than the car is worth, and on an old car', () => {
  expect(recoveryRateOf(model, 1, 0)).toBeCloseTo(0.5);
  expect(recoveryRateOf(model, 1.2, 5)).toBeCloseTo(0.5 - 0.06 - 0.05);
  expect(recoveryRateOf(model, 9, 40)).toBe(0.15);
  expect(recoveryRateOf(model, 0, null)).toBe(0.65);
});

describe('a model is checked when it is loaded', () => {
  const features = model.default.features;
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
      'a recovery that rises with the LTV',
      { ...model, recovery: { ...model.recovery, perLtv: -1 } },
      'must not increase it',
    ],
    [
      'lateness that lowers the risk',
      {
        ...model,
        delinquency: [
          { fromDays: 0, logOdds: 1 },
          { fromDays: 30, logOdds: 0 },
        ],
      },
      'delinquency',
    ],
  ])('%s', (_, wrong, complaint) => {
    expect(() => loadModel(wrong as Model)).toThrow(complaint);
  });

  test('every mistake is listed, with the version', () => {
    expect(() => loadModel({ ...withFeature({ weight: 1, unit: 0 }), recoveryLagMonths: -1 })).toThrow(
      /auto-hazard-1 cannot be used.*unit.*sign.*recoveryLagMonths/,
    );
  });
});

test('the version in effect is the latest that has begun; before all of them, the first', () => {
  const versions = [{ effectiveFrom: date('2026-01-01') }, { effectiveFrom: date('2024-01-01') }];
  expect(inForce(versions, date('2025-12-31')).effectiveFrom).toBe('2024-01-01');
  expect(inForce(versions, date('2026-01-01')).effectiveFrom).toBe('2026-01-01');
  expect(inForce(versions, date('2000-01-01')).effectiveFrom).toBe('2024-01-01');
});
