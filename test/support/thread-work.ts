/** Work of the kinds that a worker thread gets. */
import { threadId } from 'node:worker_threads';

export const double = (n: number): number => 2 * n;

export const threadOf = (_: null): number => threadId;

export function fail(why: string): never {
  throw new Error(why);
}

export function spin(_: null): never {
  for (;;);
}

export function hoard(_: null): never {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, Math.random));
}

export async function rest(ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ms;
}
