import { expect, it } from 'vitest';
import { gathering } from './gathering.ts';

/** Number of refreshes of ten queries within a time in which events never end. */
function refreshes(gather: ReturnType<typeof gathering>, from: number, ms: number): number {
  let count = 0;
  for (let now = from; now < from + ms; count += 1) now += gather(now, 10) + 1;
  return count;
}

it('shows the payments of a busy minute at once', () => {
  const gather = gathering();
  expect(Array.from({ length: 10 }, (_, n) => gather(1_000 + n * 400, 10))).toEqual(Array(10).fill(150));
});

it('takes at most 420 requests in the first minute of a flood, and less in the next', () => {
  const gather = gathering();
  expect(refreshes(gather, 0, 60_000) * 10).toBeLessThanOrEqual(420);
  const second = refreshes(gather, 60_000, 60_000) * 10;
  expect(second).toBeLessThanOrEqual(310);
  expect(second).toBeGreaterThan(250);
});

it('is fast again after a quiet time', () => {
  const gather = gathering();
  refreshes(gather, 0, 60_000);
  expect(gather(60_100, 10)).toBeGreaterThan(150);
  expect(gather(90_000, 10)).toBe(150);
});
