import { expect, it } from 'vitest';
import { gathering } from './gathering.ts';

it('shows an event at once after a quiet time, and refreshes less often while events keep coming', () => {
  const gather = gathering();
  let now = 1_000;
  const waits = Array.from({ length: 8 }, () => {
    const wait = gather(now);
    // The next event comes right after the refresh.
    now += wait + 1;
    return wait;
  });
  expect(waits).toEqual([150, 300, 600, 1_200, 2_400, 2_400, 2_400, 2_400]);
  expect(gather(now + 5_001)).toBe(150);
});

it('asks at most thirty times a minute in a flood', () => {
  const gather = gathering();
  let refreshes = 0;
  for (let now = 0; now < 60_000; refreshes += 1) now += gather(now) + 1;
  expect(refreshes).toBeLessThanOrEqual(30);
});
