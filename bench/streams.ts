/**
 * Payments beside readers of the feed: the 99th percentile of payments at a fixed rate, alone and while so many streams read every event of
 * them; at most 1.5 times as much (median of the rounds' ratios). All on one machine; the readers run at the lowest priority. It ends
 * by checking that every reader has got every event of the feed, in its order.
 *   npm run bench:streams     (BENCH_READERS=200 BENCH_RATE=150 BENCH_SECONDS=15 BENCH_ROUNDS=5 BENCH_LOANS=1000)
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { call, eventually } from '../test/support/service.ts';
import { type Filled, withFilled } from './filled.ts';
import { child, median, setting } from './measure.ts';
import type { PaymentsJob, PaymentsResult } from './payments.ts';
import type { ReadersJob, ReadersResult } from './stream-readers.ts';

const LIMIT = 1.5;
const readers = setting('BENCH_READERS', 200);
const perSecond = setting('BENCH_RATE', 150);
const seconds = setting('BENCH_SECONDS', 15);
const rounds = setting('BENCH_ROUNDS', 5);
const loans = setting('BENCH_LOANS', 1_000);

await withFilled({ loans, months: 12 }, compare);

async function compare({ dir, service, db, loanIds }: Filled): Promise<boolean> {
  const loansFile = join(dir, 'loans.json');
  writeFileSync(loansFile, JSON.stringify(loanIds));
  const token = await service.token();
  console.log(
    `${perSecond} payments a second, alone and beside ${readers} streams of all events; ${rounds} rounds of ${seconds} s\n`,
  );
  console.log('round    alone p50     p99 ms    beside p50     p99 ms   ratio');
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const alone = await pay(`a${round}`);
    const { after, end } = await follow();
    const beside = await pay(`b${round}`);
    await end(after);
    const ratio = beside.p99Ms / alone.p99Ms;
    ratios.push(ratio);
    const cells = [alone.p50Ms, alone.p99Ms, beside.p50Ms, beside.p99Ms]
      .map((ms) => ms.toFixed(1).padStart(11))
      .join(' ');
    console.log(`${String(round).padStart(5)} ${cells} ${ratio.toFixed(2).padStart(8)}`);
  }
  const ratio = median(ratios);
  console.log(`\nevery stream got every event of the feed, in its order`);
  console.log(
    `p99 beside ${readers} streams: ${ratio.toFixed(2)} × alone (median), limit ${LIMIT}: ${ratio <= LIMIT ? 'ok' : 'TOO SLOW'}`,
  );
  return ratio <= LIMIT;

  async function pay(run: string): Promise<PaymentsResult> {
    const job: PaymentsJob = {
      ports: [service.port],
      connections: 16,
      perSecond,
      seconds,
      warmUpSeconds: 2,
      token,
      loansFile,
      run,
      acknowledgedFile: join(dir, `${run}.json`),
    };
    const result = await child<PaymentsResult>('payments.ts', job);
    if (result.failures > 0)
      throw new Error(`${result.failures} payments failed: ${result.firstFailure.slice(0, 500)}`);
    return result;
  }

  /** Opens the streams behind everything that there is; `end` compares what they got with the pages of the feed. */
  async function follow() {
    const after = await lastCursor();
    const job: ReadersJob = { port: service.port, readers, token, after };
    const reading = spawn(process.execPath, [join(import.meta.dirname, 'stream-readers.ts'), JSON.stringify(job)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: reading.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== 'ready') throw new Error('The streams could not be opened.');
    return {
      after,
      async end(from: string) {
        const expected = createHash('sha256');
        let all = 0;
        for (const page of await pagesAfter(from)) {
          for (const { id } of page) expected.update(id);
          all += page.length;
        }
        reading.stdin.end(String(all));
        const { counts, hashes } = JSON.parse((await lines.next()).value ?? '{}') as ReadersResult;
        const hash = expected.digest('hex');
        const wrong = hashes.findIndex((one) => one !== hash);
        if (wrong >= 0) throw new Error(`A stream got ${counts[wrong]} of ${all} events, or others.`);
      },
    };
  }

  async function read(after: string | null) {
    const path = `events?limit=1000${after === null ? '' : `&after=${after}`}`;
    const { body } = await call(service.url, 'GET', `/v2/chain/${path}`, { token });
    return body.data as { items: { id: string }[]; nextCursor: string; more: boolean };
  }

  async function pagesAfter(from: string): Promise<{ id: string }[][]> {
    await eventually(async () => !(await read(await lastCursor())).more, 10_000, 100);
    const pages: { id: string }[][] = [];
    for (let after = from; ; ) {
      const { items, nextCursor, more } = await read(after);
      pages.push(items);
      if (!more) return pages;
      after = nextCursor;
    }
  }

  async function lastCursor(): Promise<string> {
    // The poll of every process has seen what others wrote.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [head] = await db.query<{ number: bigint }>('SELECT number FROM feed_head');
    return `cur_${Number(head?.number ?? 0).toString(36)}_0_0`;
  }
}
