import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cpuText, startCpu } from '../bench/cpu.ts';
import { median, openSums, within } from '../bench/measure.ts';
import { judge, nextBaseline } from '../bench/verdict.ts';

describe('a ratio beside its baseline', () => {
  const verdictOf = (baseline: number, ratios: number[]) =>
    judge({ payments: baseline }, { payments: ratios })[0]?.verdict;

  test('is worse by more than 15 % and more than the spread of its rounds', () => {
    expect(verdictOf(1, [0.84, 0.84, 0.84, 0.84, 0.84])).toBe('WORSE');
    expect(verdictOf(1, [0.86, 0.86, 0.86, 0.86, 0.86])).toBe('ok');
    // The median alone would be worse; the rounds differ by as much.
    expect(verdictOf(1, [0.6, 0.7, 0.8, 0.9, 1])).toBe('ok');
    expect(verdictOf(1, [0.5, 0.6, 0.6, 0.6, 0.7])).toBe('WORSE');
  });

  test('is better by as much', () => {
    expect(verdictOf(1, [1.2, 1.2, 1.2])).toBe('better');
    expect(verdictOf(1, [1.1, 1.1, 1.1])).toBe('ok');
  });

  test('may be missing on either side, and the next baseline keeps what was not measured', () => {
    const judged = judge({ lists: 0.5 }, { payments: [0.61234] });
    expect(judged.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['lists', 'not measured'],
      ['payments', 'new'],
    ]);
    expect(nextBaseline(judged)).toEqual({ lists: 0.5, payments: 0.612 });
  });
});

test('the middle and the 99th percentile do not depend on the order', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(within([...Array(100).keys()].reverse(), 0.99)).toBe(99);
});

test('sums of many measurements are compared round by round', () => {
  const sums = openSums();
  sums.add('ours', [10, 20]);
  sums.add('ours', [30, 20]);
  sums.add('limit', [10, 10]);
  expect(sums.ratios()).toEqual([0.5, 0.5]);
});

test.runIf(existsSync('/proc/self/stat'))('processor time is that of the process which used it', () => {
  // This process in all three places: its main thread may be another one than that of the test.
  const used = startCpu({ server: process.pid, postgres: process.pid, beside: [] });
  const end = performance.now() + 20_000;
  const from = process.cpuUsage();
  const busy = () => {
    const { user, system } = process.cpuUsage(from);
    return user + system;
  };
  while (busy() < 200_000 && performance.now() < end);
  const cpu = used();
  const load = cpu?.load ?? 0;
  expect(load).toBeGreaterThanOrEqual(180_000);
  expect((cpu?.main ?? 0) + (cpu?.threads ?? 0)).toBeGreaterThanOrEqual(180_000);
  expect(Math.abs((cpu?.main ?? 0) + (cpu?.threads ?? 0) - load)).toBeLessThanOrEqual(60_000);
  expect(cpuText({ main: 5_200, threads: null, postgres: 3_140, load: 580, others: 0, all: 1 }, 10)).toBe(
    '520 / — / 314 / 58',
  );
  expect(cpuText(null, 10)).toBe('— / — / — / —');
});
