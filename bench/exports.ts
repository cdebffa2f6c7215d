/**
 * Exports of about BENCH_ROWS rows in all five together, of loans with BENCH_MONTHS payments each, on an embedded server of its own, in this
 * process. For each: rows a second and a second of the processor, beside a bare cursor that reads the same rows and drops them; how far the
 * memory of the process grows; how long the event loop was held. The number of rows and a sum are compared with the tables.
 *
 *   npm run bench:exports      (BENCH_ROWS=500000 BENCH_MONTHS=12)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addDays, date } from '../src/core/calendar.ts';
import { openClocks } from '../src/loans/door/clocks.ts';
import type { ExportName } from '../src/loans/exports/columns.ts';
import { openExports, type Started } from '../src/loans/exports/exports.ts';
import { openFeed } from '../src/loans/feed/feed.ts';
import { openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { ACTOR, testMasterKeys } from '../test/support/loans.ts';
import { fillBook } from './book.ts';
import { copyLoans } from './copies.ts';
import { end, setting, timed, whole } from './measure.ts';
import { SLOW } from './own-server.ts';

/** Growth of the second half of an export: one that kept its rows would grow by all of them. */
const GROWTH_MIB = 64;
const FIRST = 20;
const months = setting('BENCH_MONTHS', 12);
/** A loan has four transactions and two for each payment, with some seven lines a month, and a position each month. */
const ROWS_OF_A_LOAN = 6 + 11 * months;
const loans = Math.max(2 * FIRST, Math.round(setting('BENCH_ROWS', 500_000) / ROWS_OF_A_LOAN));
const TODAY = date('2026-06-15');
const clock = () => Date.parse(`${TODAY}T12:00:00Z`);
const ALL = { asOf: null, knownAt: null, from: null, to: null, lenderId: null, statuses: [], personal: false };

const HISTORY = `SELECT a.file, e.bodies FROM applications a CROSS JOIN LATERAL (
  SELECT string_agg(body, ',' ORDER BY sequence) AS bodies FROM events WHERE volume = a.volume AND loan_id = a.loan_id
) e ORDER BY a.volume, a.loan_id`;

type Check = {
  /** The column that is added up, and what its unit is worth. */
  sum: string;
  unit: number;
  /** The number of rows and the same sum. */
  by: string;
  /** Everything that the export must read. */
  bare: string;
};

const CHECKS: Readonly<Record<ExportName, Check>> = {
  loans: {
    ...{ sum: 'principal', unit: 100, bare: HISTORY },
    by: 'SELECT count(*)::int AS rows, sum(principal)::float8 AS sum FROM loans',
  },
  payments: {
    ...{ sum: 'amount', unit: 100, bare: HISTORY },
    by: `SELECT count(*)::int AS rows, sum((body::json #>> '{event,amount}')::float8) AS sum FROM events WHERE type = 'paymentSubmitted'`,
  },
  journal: {
    ...{ sum: 'debit', unit: 100 },
    by: 'SELECT count(*)::int AS rows, sum(greatest(amount, 0))::float8 AS sum FROM journal',
    bare: `SELECT j.*, e.hash FROM journal j JOIN events e USING (volume, loan_id, sequence) ORDER BY j.volume, j.loan_id, j.sequence, j.line`,
  },
  events: {
    ...{ sum: 'sequence', unit: 1 },
    by: 'SELECT count(*)::int AS rows, sum(sequence)::float8 AS sum FROM events',
    bare: `SELECT volume, block, position, loan_id, sequence, hash, type, body::json #>> '{event,date}', body::json #>> '{event,recordedAt}'
      FROM events ORDER BY volume, block, position`,
  },
  positions: {
    ...{ sum: 'principal', unit: 100 },
    by: 'SELECT count(*)::int AS rows, sum(principal)::float8 AS sum FROM positions',
    bare: 'SELECT * FROM positions ORDER BY volume, loan_id, date',
  },
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
  for (const [what, check] of Object.entries(CHECKS) as [ExportName, Check][]) {
    const bare = await bareRead(check.bare);
    const started = await exports.start(ACTOR, what, ALL, null);
    if ('wrong' in started) throw new Error('Not started.');
    const [expected] = await db.query<{ rows: number; sum: number }>(check.by);
    const taken = await take(started, check, expected?.rows ?? 0);
    const { rows } = started.progress();
    const right = rows === expected?.rows && taken.sum === expected.sum;
    const flat = taken.grownLate < GROWTH_MIB;
    ok &&= right && flat;
    console.log(
      `${what}: ${whole(rows)} rows, ${whole(rows / taken.seconds)} a second (a bare cursor ${whole(rows / bare)}), ` +
        `${whole(rows / taken.processor)} a second of the processor; ${taken.mib.toFixed(0)} MiB of text; memory +${taken.grown.toFixed(0)} MiB, ` +
        `in the second half +${taken.grownLate.toFixed(0)} (limit ${GROWTH_MIB})${flat ? '' : '  TOO MUCH'}; ` +
        `event loop at most ${taken.held.toFixed(0)} ms, 99 % within ${taken.usual.toFixed(0)} ms, with at most ${taken.busiest.toFixed(0)} ms of the processor; ` +
        (right ? 'rows and sum are those of the tables' : `WRONG: ${JSON.stringify(expected)}, ${rows}, ${taken.sum}`),
    );
  }
  await feed.close();
} finally {
  await db.close();
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
end(ok);

async function take(started: Started, { sum, unit }: Check, expected: number) {
  const before = process.memoryUsage.rss();
  let [most, half, rest, added, bytes] = [before, before, '', 0, 0];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // On a busy machine a turn is long because others had the processor; its processor time is its own.
  let [turned, busiest] = [process.threadCpuUsage(), 0];
  const probe = setInterval(() => {
    const now = process.threadCpuUsage();
    busiest = Math.max(busiest, now.user + now.system - turned.user - turned.system);
    turned = now;
  }, 1);
  const [began, used] = [performance.now(), process.cpuUsage()];
  // The time that the bench itself takes to add up the sums.
  let own = 0;
  for await (const piece of started.text('ndjson')) {
    const since = process.cpuUsage();
    bytes += piece.length;
    most = Math.max(most, process.memoryUsage.rss());
    if (started.progress().rows * 2 < expected) half = most;
    const lines = (rest + piece).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) added += Math.round(Number(JSON.parse(line)[sum]) * unit);
    const { user, system } = process.cpuUsage(since);
    own += user + system;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(used);
  delay.disable();
  clearInterval(probe);
  return {
    ...{ seconds, sum: added, mib: bytes / 2 ** 20, processor: (user + system - own) / 1e6 },
    ...{ grown: (most - before) / 2 ** 20, grownLate: (most - half) / 2 ** 20 },
    ...{ held: delay.max / 1e6, usual: delay.percentile(99) / 1e6, busiest: busiest / 1e3 },
  };
}

/** The time to receive these rows and drop them. */
async function bareRead(statement: string): Promise<number> {
  const { ms } = await timed(() =>
    db.transaction(async (tx) => {
      await tx.query(`DECLARE bare NO SCROLL CURSOR FOR ${statement}`);
      while ((await tx.query('FETCH 500 FROM bare')).length > 0);
    }),
  );
  return ms / 1_000;
}

async function fill(): Promise<void> {
  await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ACTOR.organizationId]);
  const who = { organizationId: ACTOR.organizationId, clientId: 'bench', master: testMasterKeys.current() };
  await fillBook({ db, ...who, loans: FIRST, months, today: TODAY });
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
  await db.query('UPDATE cycle_heads SET through = $1', [addDays(TODAY, -1)]);
  await db.query(
    `INSERT INTO positions (volume, loan_id, date, known_on, organization_id, lender_id, primary_servicer_id, withdrawn, status, days_past_due,
       original, rate, remaining, principal, interest, fees, credits, kept, opening_principal, disbursed, principal_received, interest_received,
       fees_received, unscheduled_principal, charged_off, recovered, forgiven, returned, received_late, scheduled, scheduled_principal)
     SELECT volume, loan_id, day, day, organization_id, lender_id, primary_servicer_id, false, 'Current', 0, original, rate, 48, principal, 0, 0, 0, 0,
       principal, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
     FROM loans, LATERAL (SELECT (date_trunc('month', $1::date) - make_interval(months => n) - interval '1 day')::date AS day FROM generate_series(0, $2::int - 1) n) days`,
    [TODAY, months],
  );
  for (const table of ['events', 'journal', 'loans', 'applications', 'positions']) await db.query(`ANALYZE ${table}`);
}
