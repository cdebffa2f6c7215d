/**
 * A start under load: a service and its database are stopped and started on a book with years of history, and payments come as soon as
 * it is ready. The rate of the first seconds beside that of a minute later, in the same run: it is not slower by more than a third.
 * The first seconds have cold loans (as far as they were not loaded before it was ready), cold code, and after the last checkpoint a whole
 * page in the write-ahead log for each page that is written for the first time. It ends by checking the whole book.
 *   npm run bench:start      (BENCH_LOANS=10000 BENCH_MONTHS=36 BENCH_SECONDS=10 BENCH_LATER=60 BENCH_CONNECTIONS=64)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../src/store/db/db.ts';
import { eventually } from '../test/support/service.ts';
import { allSealed, checkBook } from './acknowledged.ts';
import { type Filled, withFilled } from './filled.ts';
import { child, setting } from './measure.ts';
import type { PaymentsJob, PaymentsResult } from './payments.ts';

const RATIO_LIMIT = 1 / 1.33;
const loans = setting('BENCH_LOANS', 10_000);
const months = setting('BENCH_MONTHS', 36);
const seconds = setting('BENCH_SECONDS', 10);
/** Seconds after it was ready. */
const later = setting('BENCH_LATER', 60);
const connections = setting('BENCH_CONNECTIONS', 64);

await withFilled({ loans, months }, compare);

async function compare({ dir, db: before, loanIds, masterKeys, restartAll }: Filled): Promise<boolean> {
  await eventually(() => allSealed(before), 120_000, 200);
  const loansFile = join(dir, 'loans.json');
  writeFileSync(loansFile, JSON.stringify(loanIds));
  const acknowledged: string[] = [];
  const stopped = await walBytes(before);

  const began = performance.now();
  const { service, db: opening } = await restartAll();
  console.log(
    `${loans.toLocaleString('en-US')} loans with ${months} months of history; stopped, started and ready in ` +
      `${((performance.now() - began) / 1_000).toFixed(1)} s, then ${connections} connections pay at once\n`,
  );
  const token = await service.token();
  const first = await pay('round1', seconds);
  const db = await opening;
  const afterFirst = await walBytes(db);
  await pay('round2', Math.max(1, later - seconds));
  const beforeLast = await walBytes(db);
  const last = await pay('round3', seconds);
  const afterLast = await walBytes(db);

  console.log('                     payments/s   p50 ms   p99 ms   WAL, KB a payment');
  line(`first ${seconds} s`, first, afterFirst - stopped);
  line(`after ${later} s`, last, afterLast - beforeLast);
  await checkBook({ db, masterKeys }, acknowledged);
  const ratio = first.perSecond / last.perSecond;
  const ok = ratio >= RATIO_LIMIT;
  console.log(`ratio ${ratio.toFixed(2)} (limit ${RATIO_LIMIT.toFixed(2)}): ${ok ? 'ok' : 'TOO SLOW'}`);
  return ok;

  async function pay(run: string, during: number): Promise<PaymentsResult> {
    const acknowledgedFile = join(dir, `${run}.json`);
    acknowledged.push(acknowledgedFile);
    const ports = [service.port];
    const job: PaymentsJob = {
      ...{ ports, connections, token, loansFile, run, acknowledgedFile },
      seconds: during,
      warmUpSeconds: 0,
    };
    const result = await child<PaymentsResult>('payments.ts', job);
    if (result.failures > 0) throw new Error(`${result.failures} payments failed; the first: ${result.firstFailure}`);
    return result;
  }
}

function line(what: string, { perSecond, p50Ms, p99Ms }: PaymentsResult, wal: number): void {
  const cells = [
    what.padEnd(18),
    Math.round(perSecond).toLocaleString('en-US').padStart(12),
    ...[p50Ms, p99Ms].map((ms) => ms.toFixed(1).padStart(8)),
    (wal / 1_000 / (perSecond * seconds)).toFixed(1).padStart(18),
  ];
  console.log(cells.join(' '));
}

async function walBytes(db: Db): Promise<number> {
  const [row] = await db.query<{ bytes: number }>('SELECT wal_bytes::float8 AS bytes FROM pg_stat_wal');
  return row?.bytes ?? 0;
}
