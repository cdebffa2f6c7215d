/** Against cases that can be worked out on paper. */
import { describe, expect, test } from 'vitest';
import { averageEffect, leastSquares, logistic } from './regression.ts';

/** A table of two by two: how many rows have the group and the outcome. */
function twoByTwo({ with1, with0, without1, without0 }: Record<'with1' | 'with0' | 'without1' | 'without0', number>) {
  const rows: number[][] = [];
  const outcomes: number[] = [];
  const add = (count: number, group: number, outcome: number) => {
    for (let i = 0; i < count; i++) {
      rows.push([1, group]);
      outcomes.push(outcome);
    }
  };
  add(with1, 1, 1);
  add(with0, 1, 0);
  add(without1, 0, 1);
  add(without0, 0, 0);
  return { rows, outcomes };
}

describe('least squares', () => {
  test('a line through five points: 2.2 + 0.6 x', () => {
    const rows = [1, 2, 3, 4, 5].map((x) => [1, x]);
    const fit = leastSquares(rows, [2, 4, 5, 4, 5]) ?? [];
    expect(fit[0]?.coefficient).toBeCloseTo(2.2, 12);
    expect(fit[1]?.coefficient).toBeCloseTo(0.6, 12);
    // Σ (x − 3)² e² = 4·0.64 + 1·0.36 + 0 + 1·0.36 + 4·0.04 = 3.44 with residuals −0.8, 0.6, 1, −0.6, −0.2; ÷ 10², × 5 ÷ 3.
    expect(fit[1]?.error).toBeCloseTo(Math.sqrt((3.44 / 100) * (5 / 3)), 12);
  });

  test('two columns that are exact: both weights, and no error', () => {
    const rows = [
      [1, 0, 0],
      [1, 1, 0],
      [1, 0, 1],
      [1, 2, 3],
      [1, 5, 1],
    ];
    const fit =
      leastSquares(
        rows,
        rows.map(([, x = 0, y = 0]) => 7 - 2 * x + 0.5 * y),
      ) ?? [];
    expect(fit.map(({ coefficient }) => Number(coefficient.toFixed(9)))).toEqual([7, -2, 0.5]);
    for (const { error } of fit) expect(error).toBeLessThan(1e-9);
  });

  test('with a group alone, the coefficient is the difference of the means', () => {
    const { rows, outcomes } = twoByTwo({ with1: 30, with0: 20, without1: 45, without0: 5 });
    const fit = leastSquares(rows, outcomes) ?? [];
    expect(fit[1]?.coefficient).toBeCloseTo(0.6 - 0.9, 12);
    // The error of a difference of two shares: p(1 − p) ÷ n each, × 100 ÷ 98.
    expect(fit[1]?.error).toBeCloseTo(Math.sqrt(((0.6 * 0.4) / 50 + (0.9 * 0.1) / 50) * (100 / 98)), 12);
  });

  test('a column that follows from the others, or fewer rows than columns, has no answer', () => {
    const rows = [1, 2, 3, 4].map((x) => [1, x, 2 * x + 1]);
    expect(leastSquares(rows, [1, 2, 3, 5])).toBeNull();
    expect(leastSquares([[1, 2]], [1])).toBeNull();
    expect(logistic(rows, [0, 1, 0, 1])).toBeNull();
  });

  test('what is only a matter of a third column disappears once that is controlled for', () => {
    // The outcome is 10 x; the group has more of x.
    const table = Array.from({ length: 40 }, (_, i) => ({ group: i % 2, x: (i % 2) * 3 + (i % 5) }));
    const outcomes = table.map(({ x }) => 10 * x);
    const before = leastSquares(
      table.map(({ group }) => [1, group]),
      outcomes,
    );
    const after = leastSquares(
      table.map(({ group, x }) => [1, group, x]),
      outcomes,
    );
    expect(before?.[1]?.coefficient).toBeCloseTo(30, 9);
    expect(after?.[1]?.coefficient).toBeCloseTo(0, 9);
  });
});

describe('logistic regression', () => {
  test('a table of two by two: the logarithm of the odds ratio, and its error by the four counts', () => {
    const { rows, outcomes } = twoByTwo({ with1: 30, with0: 20, without1: 45, without0: 5 });
    const fit = logistic(rows, outcomes) ?? [];
    expect(fit[0]?.coefficient).toBeCloseTo(Math.log(45 / 5), 9);
    expect(fit[1]?.coefficient).toBeCloseTo(Math.log(30 / 20 / (45 / 5)), 9);
    expect(fit[1]?.error).toBeCloseTo(Math.sqrt(1 / 30 + 1 / 20 + 1 / 45 + 1 / 5), 9);
    expect(averageEffect(rows, fit, 1)).toBeCloseTo(0.6 - 0.9, 9);
  });

  test('where a column tells the outcomes apart completely there is no answer', () => {
    const rows = [1, 2, 3, 4, 5, 6].map((x) => [1, x]);
    expect(logistic(rows, [0, 0, 0, 1, 1, 1])).toBeNull();
    expect(averageEffect(rows, null, 1)).toBeNull();
  });
});
