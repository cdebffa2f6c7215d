import { describe, expect, test } from 'vitest';
import { lineChart, rangeChart } from './plot.ts';

const ranges = rangeChart({
  ...{ title: 'Losses < published & known', unit: '%', ticks: [0.1, 1, 10], scale: 'logarithmic' },
  rows: [
    { label: 'good', low: 0.1, high: 1, value: 0.5 },
    { label: 'bad', low: 1, high: 10, value: 20 },
  ],
  ...{ rangeSays: 'published', valueSays: 'model' },
});

const numbers = (svg: string, attribute: string) =>
  [...svg.matchAll(new RegExp(`<(?:rect|circle) class="(?:range|dot)[^"]*"[^>]* ${attribute}="([^"]+)"`, 'g'))].map(
    ([, value]) => Number(value),
  );

describe('ranges', () => {
  test('bars lie on the scale, and a value outside its range is marked and kept inside the picture', () => {
    // Two bars, then that of the legend: each decade is half of the width between the labels and the edge.
    const [first, second] = numbers(ranges, 'width');
    expect(first).toBeCloseTo(310, 5);
    expect(second).toBeCloseTo(310, 5);
    const [good, bad] = numbers(ranges, 'cx');
    expect(good).toBeGreaterThan(116);
    expect(good).toBeLessThan(426);
    // Twenty is beyond the scale.
    expect(bad).toBe(736);
    expect(ranges.match(/class="dot outside"/g)).toHaveLength(1);
  });

  test('text is escaped, and nothing is undefined', () => {
    expect(ranges).toContain('Losses &lt; published &amp; known');
    expect(ranges).not.toMatch(/NaN|undefined|Infinity/);
    expect(ranges).toContain('prefers-color-scheme: dark');
  });
});

test('lines: through their points, with names that do not overlap', () => {
  const svg = lineChart({
    ...{ title: 'Lines', xSays: 'month', ySays: '%', xTicks: [0, 10], yTicks: [0, 100] },
    lines: ['a', 'b', 'c'].map((name) => ({
      name,
      points: [
        [0, 0],
        [10, 100],
      ],
    })),
    ranges: [{ x: 5, low: 40, high: 60, says: 'published' }],
  });
  expect(svg).toContain('d="M64 352L608 66"');
  const names = [...svg.matchAll(/<text class="label" x="[\d.]+" y="([\d.]+)">[abc]</g)].map(([, y]) => Number(y));
  expect(names).toHaveLength(3);
  for (const [i, y] of names.slice(1).entries()) expect(y - (names[i] as number)).toBeGreaterThanOrEqual(17);
  expect(numbers(svg, 'height')).toEqual([57.2]);
});
