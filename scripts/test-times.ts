/**
 * The times of the tests, by vitest's own figures: the slowest files, the sum of each kind, and whether a folder has become much slower
 * than `test/budgets.json` allows.
 *
 * A budget is the sum of a folder's files in seconds, on the machine where the budgets were written. Machines differ in speed, and one
 * that does other things at the same time is slower still. So the same small computation is timed again and again while the tests
 * run, and the budgets are multiplied by how much longer its median took than when they were written. It knows nothing of the tests: when
 * they become slower, it does not. A faster machine gets the budgets as they are, because much of a test's time is waiting that no
 * processor shortens. A machine may also be slower in what the computation does not see (disks, starting processes); then most
 * folders take longer by the same factor, and their median counts instead, up to twice. A folder may exceed its budget by half, which is
 * more than two runs on one machine differ, and always by a few seconds, which a single pause of the machine may take.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderOf, type Kind, kindOf } from './test-files.ts';

const FILE = path.join(import.meta.dirname, '..', 'test', 'budgets.json');

/** `paceMs` is the median of the small computation while these sums were measured. */
export type Budget = { paceMs: number; folders: Record<string, number> };
export type Budgets = { usual: Budget; slow: Budget };
export type FileTime = { file: string; seconds: number };

const EXCESS = 1.5;
const SPARE_SECONDS = 5;
/** The median of the folders counts from so many of at least so many seconds, and up to this factor. */
const COMMON = { folders: 5, seconds: 10, most: 2 };
/** On a machine so much slower than where the budgets were written, nothing is judged. */
const TOO_SLOW = 4;

export const readBudgets = (): Budgets => JSON.parse(readFileSync(FILE, 'utf8'));

export function writeBudgets(suite: keyof Budgets, paceMs: number, times: readonly FileTime[]): void {
  const sums = [...sumsBy(times, ({ file }) => folderOf(file))].sort(([a], [b]) => (a < b ? -1 : 1));
  const folders = Object.fromEntries(sums.map(([folder, seconds]) => [folder, Math.max(1, Math.ceil(seconds))]));
  const budgets = { ...readBudgets(), [suite]: { paceMs: Number(paceMs.toFixed(1)), folders } };
  writeFileSync(FILE, `${JSON.stringify(budgets, null, 2)}\n`);
}

/** The folders that exceed their budgets, each as a line for the one who has to decide what to do. */
export function overBudget(budget: Budget, paceMs: number, times: readonly FileTime[]): string[] {
  const sums = sumsBy(times, ({ file }) => folderOf(file));
  const slower = Math.max(1, paceMs / budget.paceMs, Math.min(COMMON.most, commonFactor(budget, sums)));
  if (slower > TOO_SLOW) return [];
  const found: string[] = [];
  for (const [folder, seconds] of sums) {
    const allowed = (budget.folders[folder] ?? 0) * slower;
    if (seconds <= Math.max(allowed * EXCESS, allowed + SPARE_SECONDS)) continue;
    const pace = slower > 1 ? ` on this machine, which is ${slower.toFixed(1)} times slower` : '';
    found.push(
      `${folder} took ${seconds.toFixed(0)} s; its budget is ${allowed.toFixed(0)} s${pace}. Make its tests faster, move long ones to test/slow, or accept it with --budgets.`,
    );
  }
  return found;
}

function commonFactor({ folders }: Budget, sums: ReadonlyMap<string, number>): number {
  const large = Object.entries(folders).filter(([, seconds]) => seconds >= COMMON.seconds);
  if (large.length < COMMON.folders) return 1;
  return median(large.map(([folder, seconds]) => (sums.get(folder) ?? 0) / seconds));
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

const SLOWEST = 20;
const ORDER: readonly Kind[] = ['unit', 'database', 'app', 'process', 'browser'];

/** The slowest files with their kinds, and one line with the sums. */
export function timesTable(times: readonly FileTime[]): string {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const kinds = sumsBy(times, ({ file }) => kindOf(file));
  const rows = slowest.map(
    ({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${kindOf(file).padEnd(8)}  ${file}`,
  );
  const sums = ORDER.filter((kind) => kinds.has(kind)).map((kind) => `${kind} ${kinds.get(kind)?.toFixed(0)}`);
  return [`Slowest files, in seconds:`, ...rows, `Sums, in seconds: ${sums.join(', ')}`].join('\n');
}

/** Times the small computation every second, from now to `median`. */
export function openPace(): { median(): number } {
  const samples: number[] = [measure()];
  const timer = setInterval(() => samples.push(measure()), 1_000).unref();
  return {
    median() {
      clearInterval(timer);
      return median(samples);
    },
  };
}

const SAMPLE = Array.from({ length: 2_000 }, (_, n) => ({ id: `loan-${n}`, cents: n * 101, days: [n, n + 1, n + 2] }));

/** Objects to text and back, as most of what the tests do: some milliseconds. */
function measure(): number {
  const started = performance.now();
  for (let n = 0; n < 5; n++) JSON.parse(JSON.stringify(SAMPLE));
  return performance.now() - started;
}

function sumsBy<K>(times: readonly FileTime[], by: (time: FileTime) => K): Map<K, number> {
  const sums = new Map<K, number>();
  for (const time of times) sums.set(by(time), (sums.get(by(time)) ?? 0) + time.seconds);
  return sums;
}
