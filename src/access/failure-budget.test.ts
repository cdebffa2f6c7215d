import { expect, test } from 'vitest';
import { type FailureBudget, openFailureBudget } from './failure-budget.ts';

test('a burst, then a rate per second, for each address block separately', () => {
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

test('failures counted by two processes add up once they are exchanged', () => {
  let now = 0;
  const [one, other] = [0, 5_000].map((ahead) =>
    openFailureBudget({ monotonic: () => now + ahead, burst: 4, perSecond: 0.5, nameOf: (block) => `named ${block}` }),
  ) as [FailureBudget, FailureBudget];
  const exchange = (ageMs: number) => {
    const reports = [one, other].map(({ tally }) => tally.takeUnreported(10));
    now += ageMs;
    one.tally.addReported(reports[1] ?? [], ageMs);
    other.tally.addReported(reports[0] ?? [], ageMs);
    return reports;
  };
  one.spend('192.0.2.1');
  one.spend('192.0.2.1');
  other.spend('192.0.2.1');
  other.spend('192.0.2.1');
  expect([one, other].map(({ hasRoom }) => hasRoom('192.0.2.1'))).toEqual([true, true]);
  expect(exchange(400)).toEqual([[['named 192.0.2.1', 2]], [['named 192.0.2.1', 2]]]);
  expect([one, other].map(({ hasRoom }) => hasRoom('192.0.2.1'))).toEqual([false, false]);
  expect(one.hasRoom('192.0.2.2')).toBe(true);
  expect(exchange(0), 'nothing is reported twice').toEqual([[], []]);
  now += 2_000;
  expect([one, other].map(({ hasRoom }) => hasRoom('192.0.2.1'))).toEqual([true, true]);
  one.spend('192.0.2.1');
  one.giveBack('192.0.2.1');
  expect(exchange(0), 'attempts that did not fail after all').toEqual([[], []]);
});

test('a process that starts counts old reports minus what has expired since', () => {
  const budget = openFailureBudget({ monotonic: () => 100_000, burst: 4, perSecond: 0.5 });
  budget.tally.addReported([['192.0.2.1', 10]], 60_000);
  expect(budget.hasRoom('192.0.2.1')).toBe(true);
  budget.tally.addReported([['192.0.2.1', 10]], 4_000);
  expect(budget.hasRoom('192.0.2.1')).toBe(false);
});
