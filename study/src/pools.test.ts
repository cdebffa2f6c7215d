import { expect, test } from 'vitest';
import { POOLS } from './pools.ts';

test('every pool has a loss, a date and a source', () => {
  for (const { name, netLoss, score, sources, dated } of POOLS) {
    for (const range of [netLoss, ...(score === null ? [] : [score])]) {
      expect(range.low > 0 && range.low <= range.high, name).toBe(true);
    }
    expect(sources.length, name).toBeGreaterThan(0);
    for (const source of sources) expect(source, name).toMatch(/^https?:\/\/\S+$/);
    expect(dated, name).toMatch(/^\d{4}/);
  }
  expect(new Set(POOLS.map(({ name }) => name)).size).toBe(POOLS.length);
});

test('a loss is never recalled: what sets a range was read', () => {
  expect(POOLS.filter(({ recalled }) => recalled.includes('netLoss'))).toEqual([]);
});
