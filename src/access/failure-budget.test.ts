import { expect, test } from 'vitest';
import { openFailureBudget } from './failure-budget.ts';

test('so many at once, then so many a second, for each address block apart', () => {
  let now = 0;
  const budget = openFailureBudget({ monotonic: () => now, burst: 3, perSecond: 0.5 });
  const used = (address: string) => {
    let count = 0;
    for (; count < 100 && budget.hasRoom(address); count += 1) budget.spend(address);
    return count;
  };
  expect(used('192.0.2.1')).toBe(3);
  expect(used('192.0.2.2')).toBe(3);
  expect(used('2001:db8::1')).toBe(3);
  expect(used('2001:db8::2'), 'the same /64').toBe(0);
  now += 1_999;
  expect(used('192.0.2.1')).toBe(0);
  now += 1;
  expect(used('192.0.2.1')).toBe(1);
  now += 3_600_000;
  expect(used('192.0.2.1'), 'no more than the burst').toBe(3);
  budget.giveBack('192.0.2.1');
  expect(used('192.0.2.1')).toBe(1);
});

test('its memory is bounded', () => {
  const budget = openFailureBudget({ monotonic: () => 0, burst: 1, perSecond: 1, maxAddresses: 2 });
  for (const address of ['a', 'b', 'c']) budget.spend(address);
  expect(['a', 'b', 'c'].map(budget.hasRoom)).toEqual([true, false, false]);
});
