import { describe, expect, test } from 'vitest';
import { mean, ratioOfShares, standardizedDifference, variance } from './statistics.ts';

test('means and variances, worked out by hand', () => {
  expect(mean([])).toBeNull();
  expect(mean([2, 4, 9])).toBe(5);
  expect(variance([2, 4, 9])).toBe((9 + 1 + 16) / 2);
  expect(variance([7])).toBe(0);
  // Both variances are 1, the means differ by 3.
  expect(standardizedDifference([4, 5, 6], [1, 2, 3])).toBe(3);
  expect(standardizedDifference([1, 1], [1, 1])).toBe(0);
  expect(standardizedDifference([], [1])).toBeNull();
});

describe('the ratio of two shares', () => {
  test('60 of 100 beside 80 of 100 is 0.75, with its interval by Katz', () => {
    const found = ratioOfShares({ count: 60, of: 100 }, { count: 80, of: 100 });
    expect(found?.ratio).toBeCloseTo(0.75, 12);
    const error = Math.sqrt(1 / 60 - 0.01 + 1 / 80 - 0.01);
    expect(found?.low).toBeCloseTo(0.75 * Math.exp(-1.959963984540054 * error), 10);
    expect(found?.high).toBeCloseTo(0.75 * Math.exp(1.959963984540054 * error), 10);
  });

  test('none approved has no ratio', () => {
    expect(ratioOfShares({ count: 0, of: 10 }, { count: 5, of: 10 })).toBeNull();
  });
});
