/** Requests per second of the service compared with a bare server that sends the same bytes, in alternating rounds; the result is the median ratio. */
import type { LoadJob, LoadResult } from './load.ts';
import { child, median, report, setting, whole } from './measure.ts';

const ROUNDS = setting('BENCH_ROUNDS', 5);
const seconds = setting('BENCH_SECONDS', 3);
const connections = setting('BENCH_CONNECTIONS', 64);

export async function beside(of: {
  what: string;
  size: string;
  /** The lowest ratio that passes. */
  limit: number;
  port: number;
  barePort: number;
  request: string | string[];
}): Promise<boolean> {
  const { what, size, limit, port, barePort, request } = of;
  const ratios: number[] = [];
  console.log(`\n${what} (${size}) compared with the same bytes from bare node:http`);
  console.log(`${connections} connections, ${ROUNDS} rounds of ${seconds} s each\n`);
  console.log('round    daybook/s       bare/s   ratio   p50 ms   p99 ms');
  for (let round = 1; round <= ROUNDS; round++) {
    const ours = await load({ port, connections, seconds, request });
    const theirs = await load({ port: barePort, connections, seconds, request });
    if (ours.failures + theirs.failures > 0) throw new Error(`${ours.failures} answers were not 200.`);
    const ratio = ours.perSecond / theirs.perSecond;
    ratios.push(ratio);
    const cells = [ours.perSecond, theirs.perSecond].map((rate) => whole(rate).padStart(12)).join(' ');
    const times = [ours.p50Ms, ours.p99Ms].map((ms) => ms.toFixed(2).padStart(8)).join(' ');
    console.log(`${String(round).padStart(5)} ${cells} ${ratio.toFixed(2).padStart(7)} ${times}`);
  }
  const ratio = median(ratios);
  console.log(`\nratio ${ratio.toFixed(2)} (median), limit ${limit}: ${ratio >= limit ? 'ok' : 'TOO SLOW'}`);
  report({ [what]: ratios });
  return ratio >= limit;
}

const load = (job: LoadJob) => child<LoadResult>('load.ts', job);
