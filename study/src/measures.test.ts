import { describe, expect, test } from 'vitest';
import { areaUnderCurve, byTenths, gini, kolmogorovSmirnov, type Observed, stabilityIndex } from './measures.ts';

/** `g1 b2`: a good loan with the prediction 0.1, a bad one with 0.2. */
const loans = (text: string): Observed[] =>
  text.split(' ').map((word) => ({ predicted: Number(word.slice(1)) / 10, bad: word.startsWith('b') }));

describe('ranking', () => {
  test.each([
    // Every bad loan above every good one.
    ['g1 g2 b3 b4', 1, 1],
    // Every bad loan below.
    ['b1 b2 g3 g4', 0, 1],
    // All the same: chance.
    ['g5 b5 g5 b5', 0.5, 0],
    // Three of the four pairs are right: (b2, g1), (b4, g1) and (b4, g3). Up to 0.1 half of the good and none of the bad; that is the most.
    ['g1 b2 g3 b4', 0.75, 0.5],
    // Three good, two bad: pairs right are b3 over g1, a tie with g3 (half), b9 over all three: 4.5 of 6.
    ['g1 g3 b3 g5 b9', 0.75, 0.5],
  ])('%s', (text, area, ks) => {
    expect(areaUnderCurve(loans(text))).toBeCloseTo(area, 12);
    expect(gini(loans(text))).toBeCloseTo(2 * area - 1, 12);
    expect(kolmogorovSmirnov(loans(text))).toBeCloseTo(ks, 12);
  });

  test('does not depend on the order of the loans', () => {
    const list = loans('g1 b2 g2 b3 g3 b3 g4 b9');
    const turned = [...list].reverse();
    expect(kolmogorovSmirnov(turned)).toBe(kolmogorovSmirnov(list));
    expect(areaUnderCurve(turned)).toBe(areaUnderCurve(list));
  });

  test('needs good and bad loans', () => {
    expect(() => gini(loans('g1 g2'))).toThrow(RangeError);
    expect(() => kolmogorovSmirnov(loans('b1'))).toThrow(RangeError);
  });
});

test('tenths: equal parts, the lowest risk first, with what was predicted and seen', () => {
  const halves = byTenths(loans('b8 g1 g2 g3 b6 g7'), 2);
  expect(halves.map(({ loans: n }) => n)).toEqual([3, 3]);
  expect(halves[0]?.predicted).toBeCloseTo(0.2, 12);
  expect(halves[0]?.observed).toBe(0);
  expect(halves[1]?.predicted).toBeCloseTo(0.7, 12);
  expect(halves[1]?.observed).toBeCloseTo(2 / 3, 12);
  // √(0.6·0.4 + 0.7·0.3 + 0.8·0.2) ÷ 3 = √0.61 ÷ 3
  expect(halves[1]?.error).toBeCloseTo(Math.sqrt(0.61) / 3, 12);
});

describe('stability', () => {
  test('of the same population is zero', () => {
    expect(stabilityIndex([1, 2, 3, 4], [4, 3, 2, 1], 2)).toBe(0);
  });

  test('by hand: halves of 50 and 50 % become 25 and 75 %', () => {
    // (0.25 − 0.5) · ln(0.5) + (0.75 − 0.5) · ln(1.5) = 0.25 · ln 3
    expect(stabilityIndex([1, 2, 3, 4], [1, 3, 3, 4], 2)).toBeCloseTo(0.25 * Math.log(3), 12);
  });

  test('a part that nobody is in any more counts half a member', () => {
    // 50 % become half of one in four, 12.5 %; the other 100 %.
    const expected = (0.125 - 0.5) * Math.log(0.25) + (1 - 0.5) * Math.log(2);
    expect(stabilityIndex([1, 2, 3, 4], [3, 3, 4, 4], 2)).toBeCloseTo(expected, 12);
  });

  test('needs two populations', () => {
    expect(() => stabilityIndex([], [1])).toThrow(RangeError);
  });
});
