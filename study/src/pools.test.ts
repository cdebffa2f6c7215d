import { expect, test } from 'vitest';
import { BANDS, bandOf } from './bands.ts';
import { EXPECTED, type Expected, expectedOf, FIGURES, POOLS, type Range } from './pools.ts';

const isRange = ({ low, high }: Range) => low <= high && low > 0;

test('every range is one, and every figure has a date and a source', () => {
  for (const pool of POOLS) {
    expect(isRange(pool.netLoss), pool.name).toBe(true);
    expect(pool.score === null || isRange(pool.score), pool.name).toBe(true);
    expect(pool.sources.length, pool.name).toBeGreaterThan(0);
    for (const source of pool.sources) expect(source, pool.name).toMatch(/^https?:\/\/\S+$/);
    expect(pool.dated, pool.name).toMatch(/^\d{4}/);
  }
  for (const figure of FIGURES) {
    expect(isRange(figure.range), figure.name).toBe(true);
    // A figure without an address is from memory, and says so.
    expect(figure.sources.length === 0, figure.name).toBe(figure.recalled);
  }
  expect(new Set(POOLS.map(({ name }) => name)).size).toBe(POOLS.length);
});

test('a lower band loses more, and no band says nothing', () => {
  expect(EXPECTED.map(({ band }) => band)).toEqual(BANDS.map(({ name }) => name));
  EXPECTED.forEach((row, i) => {
    const better = EXPECTED[i - 1];
    if (better === undefined) return;
    expect(row.netLoss.low, row.band).toBeGreaterThan(better.netLoss.low);
    expect(row.netLoss.high, row.band).toBeGreaterThan(better.netLoss.high);
  });
  const kinds = ['netLoss', 'speed', 'severity', 'lossBy12', 'lossBy24', 'lossBy36'] as const;
  for (const row of EXPECTED) for (const kind of kinds) expect(isRange(row[kind]), `${row.band} ${kind}`).toBe(true);
});

test('bands name pools that exist, and every pool with a score loses what its band or a neighbour does', () => {
  for (const { pools } of EXPECTED) for (const name of pools) expect(POOLS.map((pool) => pool.name)).toContain(name);
  for (const { name, score, netLoss } of POOLS) {
    if (score === null) continue;
    const at = EXPECTED.findIndex(({ band }) => band === bandOf((score.low + score.high) / 2));
    const near = EXPECTED.slice(Math.max(0, at - 1), at + 2);
    const overlaps = (row: Expected) => netLoss.low <= row.netLoss.high && netLoss.high >= row.netLoss.low;
    expect(near.some(overlaps), name).toBe(true);
  }
});

test('a band is found by its name', () => {
  expect(expectedOf('680–719').netLoss).toEqual({ low: 1, high: 3 });
});
