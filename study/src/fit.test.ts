import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { MODELS } from '../../src/underwriting/model-data.ts';
import { inForce } from '../../src/underwriting/score.ts';
import type { Compared } from './calibration.ts';
import { comparedBy, DIALS, type DialName, distanceOf, fitLevel, modelAt, type Place, placeOf } from './fit.ts';
import { studiedSample } from './study.ts';

const ON = date('2026-01-15');
const model = inForce(MODELS, ON);
const LONG = process.env.TEST_LONG !== undefined;

test('a place in steps is the model it was read from, and moves nothing but the dials', () => {
  expect(modelAt(model, placeOf(model))).toEqual(model);
  const moved = modelAt(model, { ...placeOf(model), 'default.score': -70 });
  expect(moved.default.features.find(({ name }) => name === 'score')?.weight).toBe(-0.7);
  expect({ ...moved, default: model.default }).toEqual(model);
});

test('the distance is zero in the middle, one at the end of a range, and much more beyond it', () => {
  const at = (value: number): Compared[] => {
    const [low, high] = [1, 4];
    return [{ band: '680–719', figure: 'speed', value, low, high, within: value >= low && value <= high }];
  };
  expect(distanceOf(at(2))).toBe(0);
  expect(distanceOf(at(4))).toBeCloseTo(1, 12);
  expect(distanceOf(at(1))).toBeCloseTo(1, 12);
  expect(distanceOf(at(4.01))).toBeGreaterThan(1_000);
});

test('the levels of the version before, and of a model that loses less, leave the ranges of their sources', () => {
  const outsideAt = (place: Place) =>
    comparedBy(modelAt(model, place), { size: 250, seed: 'fit', on: ON })
      .filter(({ within, figure }) => !within && figure === 'netLoss')
      .map(({ band }) => band);
  const before = { 'default.intercept': -130, 'default.score': -68, 'prepay.intercept': -82, 'prepay.score': 6 };
  expect(outsideAt(before)).toEqual(expect.arrayContaining(['780+', '680–719']));
  const place = placeOf(model);
  expect(outsideAt({ ...place, 'default.intercept': place['default.intercept'] - 20 })).toEqual(
    expect.arrayContaining(['680–719', '600–639', '560–599', 'below 560']),
  );
});

test.runIf(LONG)(
  'the search ends where the model in force is, on the first four thousand of the page’s population',
  { timeout: 3_600_000 },
  () => {
    const work = fitLevel(model, studiedSample({ size: 4_000, seed: 'daybook' }));
    for (;;) {
      const step = work.next();
      if (!step.done) continue;
      const names = Object.keys(DIALS) as DialName[];
      const place = placeOf(model);
      expect(names.map((name) => step.value.place[name])).toEqual(names.map((name) => place[name]));
      return;
    }
  },
);
