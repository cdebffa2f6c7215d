import { expect, test } from 'vitest';
import { BANDS } from './bands.ts';
import { bandOfPool, EXPECTED, expectedOf, FIGURES } from './expected.ts';
import { POOLS, type Range } from './pools.ts';

const isRange = ({ low, high }: Range) => low <= high && low > 0;

test('every figure of a segment has a range, and an address unless it is recalled', () => {
  for (const { name, range, sources, recalled } of FIGURES) {
    expect(isRange(range), name).toBe(true);
    expect(sources.length === 0, name).toBe(recalled);
  }
});

test('the net loss of a band ranges over the pools whose average score lies in it, and over no others', () => {
  expect(expectedOf('600–639').netLoss).toEqual({ low: 5.5, high: 16.25 });
  expect(expectedOf('680–719').netLoss).toEqual({ low: 2.15, high: 2.6 });
  expect(expectedOf('680–719').pools.map(({ name }) => name)).toEqual([
    'CarMax 2020-1',
    'CarMax 2015-1',
    'California Republic 2016-1',
    'California Republic 2015-4',
  ]);
  for (const { band, pools, netLoss, usualLoss } of EXPECTED) {
    expect(pools.length, band).toBeGreaterThan(2);
    for (const pool of pools) {
      expect(bandOfPool(pool)).toBe(band);
      expect(pool.netLoss.low >= netLoss.low && pool.netLoss.high <= netLoss.high, pool.name).toBe(true);
    }
    expect(usualLoss > netLoss.low && usualLoss < netLoss.high, band).toBe(true);
  }
  // Each pool counts, and once.
  expect(EXPECTED.reduce((sum, { pools }) => sum + pools.length, 0)).toBe(POOLS.length);
});

test('every band has a range for every figure, and severity is what recovery leaves', () => {
  expect(EXPECTED.map(({ band }) => band)).toEqual(BANDS.map(({ name }) => name));
  const kinds = ['netLoss', 'speed', 'severity', 'lossBy12', 'lossBy24', 'lossBy36'] as const;
  for (const row of EXPECTED) for (const kind of kinds) expect(isRange(row[kind]), `${row.band} ${kind}`).toBe(true);
  const recovered = FIGURES.filter(({ about, segment }) => about === 'recovery' && segment === 'subprime');
  const { low, high } = expectedOf('600–639').severity;
  expect(100 - high).toBeCloseTo(Math.min(...recovered.map(({ range }) => range.low)), 9);
  expect(100 - low).toBeCloseTo(Math.max(...recovered.map(({ range }) => range.high)), 9);
});
