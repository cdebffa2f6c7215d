/**
 * Exports of BENCH_LOANS loans with a year of payments each, on an embedded server of its own, in this process: rows a second, how far the
 * memory of the process grows, and how long the event loop was held. The number of rows and the sums of amounts are compared with the
 * tables.
 *
 *   npm run bench:exports      (BENCH_LOANS=20000)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { date } from '../src/core/calendar.ts';
import { openClocks } from '../src/loans/clock/clocks.ts';
import type { ExportName } from '../src/loans/exports/columns.ts';
import { openExports } from '../src/loans/exports/open.ts';
import { openFeed } from '../src/loans/feed/open.ts';
import { openDb } from '../src/store/db.ts';
import { startPostgres } from '../src/store/embedded.ts';
import { migrate, readMigrations } from '../src/store/migrate.ts';
import { openVolumes } from '../src/store/volumes.ts';
import { ACTOR, testMasterKeys } from '../test/support/loans.ts';
import { fillBook } from './book.ts';
import { copyLoans } from './copies.ts';

const GROWTH_MIB = 300;
const FIRST = 20;
const loans = Number(process.env.BENCH_LOANS ?? 20_000);
const SLOW = { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000, idleTransactionMs: 600_000 };
const TODAY = date('2026-06-15');
const clock = () => Date.parse(`${TODAY}T12:00:00Z`);
const ALL = { asOf: null, knownAt: null, from: null, to: null, lenderId: null, statuses: [], personal: false };

/** The column of an export that is added up, and the statement that has the number of rows and the same sum. */
const CHECKS: Readonly<Record<string, { sum: string | null; by: string }>> = {
  loans: { sum: 'principal', by: 'SELECT count(*)::int AS rows, sum(principal)::float8 AS sum FROM loans' },
  payments: {
    sum: null,
    by: "SELECT count(*)::int AS rows, 0::float8 AS sum FROM events WHERE type = 'paymentSubmitted'",
  },
  journal: {
    sum: 'debit',
    by: 'SELECT count(*)::int AS rows, sum(greatest(amount, 0))::float8 AS sum FROM journal',
  },
  events: { sum: null, by: 'SELECT count(*)::int AS rows, 0::float8 AS sum FROM events' },
};

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-exports-'));
const postgres = await startPostgres({ dataDir: folder, own: true });
const db = openDb(postgres.connection, SLOW);
let ok = true;
try {
  await migrate(db, await readMigrations());
  await openVolumes(db, null);
  await fill();
  const reads = () => db;
  const feed = openFeed({ db, reads, clock });
  const exports = openExports({ db, reads, clock, clocks: openClocks({ db, clock }), feed, unsealing: null });
  for (const [what, { sum, by }] of Object.entries(CHECKS)) {
    const started = await exports.start(ACTOR, what as ExportName, ALL, null);
    if ('wrong' in started) throw new Error('Not started.');
    const before = process.memoryUsage().rss;
    let [most, rest, added, bytes] = [before, '', 0, 0];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    for await (const piece of started.text('ndjson')) {
      bytes += piece.length;
      most = Math.max(most, process.memoryUsage().rss);
      if (sum !== null) {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() as string;
        for (const line of lines) added += Math.round(Number(JSON.parse(line)[sum]) * 100);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seconds = (performance.now() - began) / 1_000;
    delay.disable();
    const { rows } = started.progress();
    const [expected] = await db.query<{ rows: number; sum: number }>(by);
    const grown = (most - before) / 2 ** 20;
    const right = rows === expected?.rows && added === expected.sum && grown < GROWTH_MIB;
    ok &&= right;
    console.log(
      `${what}: ${rows.toLocaleString('en-US')} rows, ${Math.round(rows / seconds).toLocaleString('en-US')} a second, ` +
        `${(bytes / 2 ** 20).toFixed(0)} MiB; ${grown.toFixed(0)} MiB more memory (limit ${GROWTH_MIB}), ` +
        `event loop at most ${(delay.max / 1e6).toFixed(0)} ms${right ? '' : `  WRONG: ${JSON.stringify(expected)}, ${added}`}`,
    );
  }
  await feed.close();
} finally {
  await db.close();
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
process.exitCode = ok ? 0 : 1;

async function fill(): Promise<void> {
  await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ACTOR.organizationId]);
  const who = { organizationId: ACTOR.organizationId, clientId: 'bench', master: testMasterKeys.current() };
  await fillBook({ db, ...who, loans: FIRST, months: 12, today: TODAY });
  await copyLoans(db, Math.round(loans / FIRST) - 1, (what) => console.log(what));
  // Copies are of other volumes: all events of a volume are in its first block, one after the other.
  const { count } = db.volumes;
  await db.query('UPDATE ledger_heads SET number = volume + $1::int', [count]);
  await db.query('UPDATE journal SET block = volume + $1::int', [count]);
  await db.query(
    `UPDATE events e SET block = e.volume + $1::int, position = placed.position FROM (
       SELECT volume, loan_id, sequence, row_number() OVER (PARTITION BY volume ORDER BY loan_id, sequence) - 1 AS position FROM events
     ) placed WHERE placed.volume = e.volume AND placed.loan_id = e.loan_id AND placed.sequence = e.sequence`,
    [count],
  );
  for (const table of ['events', 'journal', 'loans', 'applications']) await db.query(`ANALYZE ${table}`);
}
