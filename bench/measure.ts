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

/** For `npm run bench`, which names a file: called once the results are known to be right. */
export function report(ratios: Ratios): void {
  const file = process.env.BENCH_REPORT;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(ratios)}\n`);
}
