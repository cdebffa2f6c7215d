/** The common parts of all benches: their settings, the middle of several measurements, work in another process, and the result as data. */
import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A number from the environment. */
export function setting(name: string, fallback: number): number {
  return Number(process.env[name] ?? fallback);
}

export function median(values: readonly number[]): number {
  return within(values, 0.5);
}

/** The value that this share of the values does not exceed. */
export function within(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** The time that `work` takes, in milliseconds, and its result. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Milliseconds of each round, after one that does not count. */
export async function timesOf(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { ms } = await timed(work);
    if (round > 0) times.push(ms);
  }
  return times;
}

/** Runs a script of this folder in a process of its own, with a job, and returns the JSON that it prints. */
export async function child<R>(script: string, job: object | string): Promise<R> {
  const given = typeof job === 'string' ? job : JSON.stringify(job);
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, script), given], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as R;
}

export function whole(amount: number): string {
  return Math.round(amount).toLocaleString('en-US');
}

/** Written over by the next one; nothing where the output is no terminal. */
export function said(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text.padEnd(60)}`);
}

/** The ratios of each round, by name: how fast this was beside its limit in the same round, so that more is better. */
export type Ratios = Readonly<Record<string, readonly number[]>>;

const ROUNDS_REPORTED = 5;

/** Adds up many small measurements beside those of their limit, the first of each with the first of the others: five rounds of all together. */
export function openSums() {
  const of = () => Array.from({ length: ROUNDS_REPORTED }, () => ({ ms: 0, count: 0 }));
  const sums = { ours: of(), limit: of() };
  const mean = ({ ms, count }: { ms: number; count: number }) => ms / count;
  return {
    add(whose: keyof typeof sums, times: readonly number[]): void {
      for (const [i, ms] of times.entries()) {
        const sum = sums[whose][i % ROUNDS_REPORTED] as { ms: number; count: number };
        sum.ms += ms;
        sum.count += 1;
      }
    },
    /** For each round that both have. */
    ratios(): number[] {
      return sums.ours.flatMap((ours, i) => {
        const limit = sums.limit[i] as typeof ours;
        return ours.count === 0 || limit.count === 0 ? [] : [mean(limit) / mean(ours)];
      });
    },
  };
}

const reported: Record<string, readonly number[]> = {};

/** For `npm run bench`. */
export function report(ratios: Ratios): void {
  Object.assign(reported, ratios);
}

/**
 * The end of a bench whose results are right: the process ends with 0 where they are within its limits, and with 1 otherwise. What was
 * reported goes to the file that `npm run bench` names; a bench that fails before has reported nothing.
 */
export function end(isGood: boolean): void {
  process.exitCode = isGood ? 0 : 1;
  const file = process.env.BENCH_REPORT;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(reported)}\n`);
}
