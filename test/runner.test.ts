/** The runner of the tests: kinds of files, budgets, and the list of slow files. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CITUS, filesOnTheServer, folderOf, kindOf, SLOW, slowFiles } from '../scripts/test-files.ts';
import { type Budget, overBudget, readBudgets, timesTable } from '../scripts/test-times.ts';
import config from '../vitest.config.ts';

const root = join(import.meta.dirname, '..');
const files = globSync(config.test?.include ?? [], { cwd: root, exclude: (name) => name === 'node_modules' });
const slow = new Set(slowFiles());

test('every folder with tests has a budget, and no other has', () => {
  const budgets = readBudgets();
  const folders = (some: readonly string[]) => [...new Set(some.map(folderOf))].sort();
  const elsewhere = globSync([SLOW, CITUS], { cwd: root });
  const usual = files.filter((file) => !elsewhere.includes(file));
  expect(files.length).toBeGreaterThan(usual.length);
  expect(folders(usual)).toEqual(Object.keys(budgets.usual.folders).sort());
  expect(folders([...slow])).toEqual(Object.keys(budgets.slow.folders).sort());
});

test('a file that tries a part of a product in npm test is also a slow one', () => {
  expect(slow).toContain('test/api/matrix.test.ts');
  expect(slow).toContain('test/slow/failover.test.ts');
  expect(slow).not.toContain('test/api/loans.test.ts');
});

test.each([
  ['test/browser/loan.test.ts', 'browser'],
  ['test/processes.test.ts', 'process'],
  ['test/cli.test.ts', 'process'],
  ['test/api/loans.test.ts', 'app'],
  ['src/loans/door/keys.test.ts', 'database'],
  ['src/core/calendar.test.ts', 'unit'],
])('%s is a test of kind %s', (file, kind) => {
  expect(files).toContain(file);
  expect(kindOf(file)).toBe(kind);
});

test('on another server run the files of databases and services, without the pages', () => {
  const there = filesOnTheServer().map((file) => file.slice(root.length + 1));
  for (const file of ['test/api/loans.test.ts', 'test/processes.test.ts', 'test/slow/verify.test.ts']) {
    expect(there).toContain(file);
  }
  expect(there).not.toContain('test/slow/failover.test.ts');
  expect(there.filter((file) => file.startsWith('test/browser/'))).toEqual([]);
});

describe('a budget', () => {
  const budget: Budget = { paceMs: 10, folders: { 'test/api': 100, 'src/core': 2 } };
  const took = (api: number, core = 2) => [
    { file: 'test/api/loans.test.ts', seconds: api - 1 },
    { file: 'test/api/reads.test.ts', seconds: 1 },
    { file: 'src/core/money.test.ts', seconds: core },
  ];

  test('may be exceeded by half, and by a few seconds', () => {
    expect(overBudget(budget, 10, took(149, 6))).toEqual([]);
    expect(overBudget(budget, 10, took(151, 8))).toEqual([
      expect.stringMatching(/^test\/api took 151 s; its budget is 100 s\. .*test\/slow.*--budgets\.$/),
      expect.stringMatching(/^src\/core took 8 s; its budget is 2 s\. /),
    ]);
  });

  test('grows with the time that the machine takes for the same work, and does not shrink', () => {
    expect(overBudget(budget, 20, took(299))).toEqual([]);
    expect(overBudget(budget, 20, took(301))).toEqual([
      expect.stringContaining('200 s on this machine, which is 2.0 times slower'),
    ]);
    expect(overBudget(budget, 5, took(149))).toEqual([]);
    expect(overBudget(budget, 41, took(10_000))).toEqual([]);
  });

  test('grows with what most folders take longer, up to twice', () => {
    const names = ['src/a', 'src/b', 'src/c', 'src/d', 'src/e'];
    const of = (factors: readonly number[]) =>
      overBudget(
        { paceMs: 10, folders: Object.fromEntries(names.map((name) => [name, 20])) },
        10,
        names.map((name, n) => ({ file: `${name}/one.test.ts`, seconds: 20 * (factors[n] as number) })),
      );
    expect(of([1.7, 1.6, 1.8, 1.7, 1.9])).toEqual([]);
    expect(of([1, 1.1, 1, 1.6, 0.9])).toEqual([expect.stringContaining('src/d took 32 s; its budget is 20 s.')]);
    expect(of([1.7, 1.7, 2.6, 1.7, 1])).toEqual([expect.stringContaining('src/c took 52 s; its budget is 34 s')]);
    expect(of([3.1, 3.1, 3.1, 3.1, 3.1])).toHaveLength(5);
  });

  test('is zero for a folder that has none', () => {
    expect(overBudget(budget, 10, [{ file: 'src/new/one.test.ts', seconds: 6 }])).toHaveLength(1);
  });
});

test('the table has the twenty slowest files and the sum of each kind', () => {
  const times = files.map((file, n) => ({ file, seconds: n + 1 }));
  const lines = timesTable(times).split('\n');
  expect(lines).toHaveLength(22);
  expect(lines[1]).toContain(files.at(-1));
  expect(lines.at(-1)).toMatch(/^Sums, in seconds: unit \d+, database \d+, app \d+, process \d+, browser \d+$/);
});
