/** Requests per second of the service compared with a bare server that sends the same bytes, in alternating rounds; the result is the median ratio. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadJob, LoadResult } from './load.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64);

export async function beside(of: {
  what: string;
  /** The lowest ratio that passes. */
  limit: number;
  port: number;
  barePort: number;
  request: string | string[];
}): Promise<boolean> {
  const { what, limit, port, barePort, request } = of;
  const ratios: number[] = [];
  console.log(`\n${what} compared with the same bytes from bare node:http`);
  console.log(`${connections} connections, ${ROUNDS} rounds of ${seconds} s each\n`);
  console.log('round    daybook/s       bare/s   ratio   p50 ms   p99 ms');
  for (let round = 1; round <= ROUNDS; round++) {
    const ours = await load({ port, connections, seconds, request });
    const theirs = await load({ port: barePort, connections, seconds, request });
    if (ours.failures + theirs.failures > 0) throw new Error(`${ours.failures} answers were not 200.`);
    const ratio = ours.perSecond / theirs.perSecond;
    ratios.push(ratio);
    const cells = [ours.perSecond, theirs.perSecond].map((rate) => format(rate).padStart(12)).join(' ');
    const times = [ours.p50Ms, ours.p99Ms].map((ms) => ms.toFixed(2).padStart(8)).join(' ');
    console.log(`${String(round).padStart(5)} ${cells} ${ratio.toFixed(2).padStart(7)} ${times}`);
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  console.log(`\nratio ${median.toFixed(2)} (median), limit ${limit}: ${median >= limit ? 'ok' : 'TOO SLOW'}`);
  return median >= limit;
}

async function load(job: LoadJob): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(job)]);
  return JSON.parse(stdout);
}

function format(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US');
}
