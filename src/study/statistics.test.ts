import { describe, expect, test } from 'vitest';
import { mean, naturalLog, ratioOfShares, stabilityIndex, standardizedDifference, variance } from './statistics.ts';

test('the logarithm is that of the machine to the last digits', () => {
  for (const x of [1e-9, 0.1, 0.5, 0.74, 0.99, 1, 1.01, 1.49, 1.51, 2, 10, 12345.678, 1e12]) {
    expect(Math.abs(naturalLog(x) - Math.log(x))).toBeLessThan(1e-14 * Math.max(1, Math.abs(Math.log(x))));
  }
  expect(() => naturalLog(0)).toThrow('positive');
});

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

describe('the stability index', () => {
  const even = Array.from({ length: 100 }, (_, i) => i);

  test('is zero for the same list, in any order', () => {
    expect(stabilityIndex(even, [...even].reverse())).toBe(0);
    expect(stabilityIndex([], even)).toBeNull();
  });

  test('is the sum over the bins, by hand: one bin emptied into the next', () => {
    // The values 0 to 9 become 10 to 19: the shares 0.1 and 0.1 become 0.005 (half a row) and 0.2.
    const moved = even.map((value) => (value < 10 ? value + 10 : value));
    const expected = (0.005 - 0.1) * Math.log(0.005 / 0.1) + (0.2 - 0.1) * Math.log(0.2 / 0.1);
    expect(stabilityIndex(even, moved)).toBeCloseTo(expected, 12);
  });

  test('a list with few different values has fewer bins', () => {
    expect(stabilityIndex([1, 1, 1, 2], [1, 2, 2, 2])).toBeCloseTo(
      (0.25 - 0.75) * Math.log(0.25 / 0.75) + (0.75 - 0.25) * Math.log(0.75 / 0.25),
      12,
    );
  });
});
