/**
 * Portfolio reports over BENCH_LOANS loans of one organization with BENCH_MONTHS month ends, on an embedded server of its own: each report for the
 * last month end and for today, first and repeated, beside one raw scan of the rows that it is about. Each within 2 s. At the end the figures
 * of each report are compared with those of the raw scan.
 *
 *   npm run bench:portfolio      (BENCH_LOANS=1000000 BENCH_MONTHS=12 BENCH_ROUNDS=3 BENCH_RAW_ROUNDS=0 BENCH_DATA=<folder>)
 *
 * The book is kept in BENCH_DATA (below the folder for temporary files when absent) and used again by the next run; remove the folder to make
 * it anew. A million loans take about 6 GB. BENCH_ONLY_BUILD=1 ends when it is made.
 */
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openSimulator } from '../src/bureau/simulator/open.ts';
import { isRefusal } from '../src/core/refusal.ts';
import { openLoans } from '../src/loans/open.ts';
import type { Report, ReportName, ReportQuery, Row, SliceName } from '../src/loans/reports/reports.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { openWorkers } from '../src/workers/workers.ts';
import { ACTOR, testMasterKeys, testSecrets } from '../test/support/loans.ts';
import { end, median, openSums, report, setting, timed, whole } from './measure.ts';
import { SLOW } from './own-server.ts';
import { BUILDING, fillPortfolio, MONTH_ENDS, TODAY } from './portfolio-book.ts';
import { RAW, type Raw } from './portfolio-raw.ts';

const LIMIT_MS = 2_000;
const count = setting('BENCH_LOANS', 1_000_000);
const rounds = setting('BENCH_ROUNDS', 3);
const rawRounds = setting('BENCH_RAW_ROUNDS', 0);
const dataDir = process.env.BENCH_DATA ?? join(tmpdir(), `daybook-portfolio-${count}`);
const ORG = ACTOR.organizationId;
const LAST = MONTH_ENDS.at(-1) as (typeof MONTH_ENDS)[number];

const workers = openWorkers({ threads: 1 });
let ok = true;
let compared = 0;
let differing = 0;
try {
  // As docs/deployment.md says for a large book.
  const shared_buffers = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`;
  const server = await startPostgres({ dataDir, own: true, settings: { ...BUILDING, shared_buffers } });
  const db = openDb(server.connection, SLOW);
  try {
    await migrate(db, await readMigrations());
    await openVolumes(db, null);
    await fillOnce(db);
    if (process.env.BENCH_ONLY_BUILD !== '1') await measure(db);
  } finally {
    await db.close();
    await server.stop();
  }
} finally {
  await workers.close();
}
end(ok);

/** The organization is written last, so that a book that was not finished is noticed. */
async function fillOnce(db: Db): Promise<void> {
  const [made] = await db.query('SELECT 1 FROM organizations WHERE organization_id = $1', [ORG]);
  if (made !== undefined) return console.log(`The book in ${dataDir} is used again.`);
  const [part] = await db.query('SELECT 1 FROM cycle_heads WHERE organization_id = $1', [ORG]);
  if (part !== undefined) throw new Error(`The book in ${dataDir} was not finished: remove the folder.`);
  const began = performance.now();
  await fillPortfolio(db, ORG, count, (done, of, what) => {
    const width = 40;
    const bar = '█'.repeat(Math.round((done / of) * width)).padEnd(width, '░');
    const line = `${bar} ${done}/${of} ${what}`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line.padEnd(100)}`);
    else if (done % 10 === 0 || done === of) console.log(line);
  });
  await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ORG]);
  console.log(`\n${whole(count)} loans made in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

type Case = { name: ReportName; today: boolean; by: SliceName | null };

async function measure(db: Db): Promise<void> {
  const bureau = openSimulator(workers);
  const shared = { masterKeys: testMasterKeys, secrets: testSecrets, bureau, simulator: bureau, workers };
  const loans = openLoans({ db, clock: () => Date.parse(`${TODAY}T12:00:00Z`), ...shared });
  const names = Object.keys(RAW) as ReportName[];
  const cases: Case[] = names.flatMap((name) =>
    [false, true].flatMap((today) =>
      [null, 'lender' as const, name === 'vintages' ? ('grade' as const) : ('state' as const)].map((by) => ({
        name,
        today,
        by,
      })),
    ),
  );
  const [sizes] = await db.query<{ positions: string; loans: string; sums: string; bytes: string }>(
    `SELECT (SELECT count(*) FROM positions)::text AS positions, (SELECT count(*) FROM loans)::text AS loans,
       (SELECT count(*) FROM position_sums)::text AS sums, pg_size_pretty(pg_database_size(current_database())) AS bytes`,
  );
  console.log(`${sizes?.loans} loans, ${sizes?.positions} positions, ${sizes?.sums} sums, ${sizes?.bytes}\n`);
  console.log(
    `Milliseconds of each report: the first time, and the median of ${rounds} more; of one plain statement over all rows that it is about; the\n` +
      `report in parts of that. Load of the machine: ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')} on ${availableParallelism()} processors.\n`,
  );
  console.log(`${'report'.padEnd(36)}     first  repeated  raw scan     ratio   rows`);
  const raws = new Map<string, { ms: number; times: number[]; result: Raw[] }>();
  const sums = openSums();
  let worst = 0;
  for (const one of cases) worst = Math.max(worst, await inCase(one));
  ok &&= worst <= LIMIT_MS;
  console.log(`\nat most ${worst.toFixed(0)} ms (limit ${LIMIT_MS} ms): ${worst <= LIMIT_MS ? 'ok' : 'TOO SLOW'}`);
  console.log(`${compared} figures compared with those of the plain statements, ${differing} differ`);
  await loans.close();
  if (differing > 0) throw new Error('Reports are not what the rows say.');
  report({ 'portfolio reports': sums.ratios() });

  async function read({ name, today, by }: Case): Promise<Report> {
    const asked: ReportQuery = { asOf: today ? null : LAST, by, knownAt: null };
    const viewer = { ...ACTOR };
    const found =
      name === 'roll-rates'
        ? await loans.reports.rollRates(viewer, { ...asked, from: null, to: today ? TODAY : LAST })
        : await loans.reports.report(viewer, name, asked);
    if (isRefusal(found) || 'computing' in found) throw new Error(JSON.stringify(found));
    return found;
  }

  async function inCase(one: Case): Promise<number> {
    const first = await timed(() => read(one));
    const again: number[] = [];
    for (let round = 0; round < rounds; round++) again.push((await timed(() => read(one))).ms);
    const repeated = median(again);
    const raw = await rawly(one);
    sums.add('ours', again);
    sums.add('limit', raw.times);
    const { totals, slices } = first.result.table;
    const rows = totals.length + slices.reduce((sum, { rows: some }) => sum + some.length, 0);
    const label = `${one.name} ${one.today ? 'today' : LAST}${one.by === null ? '' : ` by ${one.by}`}`;
    const cells = [first.ms, repeated, raw.ms].map((ms) => ms.toFixed(0).padStart(10)).join('');
    console.log(
      `${label.padEnd(36)}${cells}${(repeated / raw.ms).toFixed(3).padStart(10)} ${String(rows).padStart(6)}`,
    );
    compare(label, one, first.result, raw.result);
    return Math.max(first.ms, repeated);
  }

  /** Once for a report and date: it is the same however the report is divided. */
  async function rawly({ name, today }: Case): Promise<{ ms: number; times: number[]; result: Raw[] }> {
    const key = `${name} ${today}`;
    const known = raws.get(key);
    if (known !== undefined) return known;
    const scan = () => RAW[name](db, { organizationId: ORG, on: today ? TODAY : LAST, today });
    const first = await timed(scan);
    const times = rawRounds === 0 ? [first.ms] : [];
    for (let round = 0; round < rawRounds; round++) times.push((await timed(scan)).ms);
    const raw = { ms: median(times), times, result: first.result };
    raws.set(key, raw);
    return raw;
  }

  /** Each row of the raw scan is found in the report's totals, and the slices add up to them. */
  function compare(label: string, { name, by }: Case, { table }: Report, raw: readonly Raw[]): void {
    for (const { keys, values } of raw) {
      const isIt = (row: Row) => Object.entries(keys).every(([key, value]) => row[key] === value);
      const row = table.totals.find(isIt);
      for (const [column, value] of Object.entries(values)) {
        compared += 1;
        if (row?.[column] !== value)
          wrong(`${label} ${Object.values(keys).join(' ')} ${column}: ${row?.[column]} is not ${value}`);
        if (by === null) continue;
        const slices = table.slices.flatMap(({ rows }) => rows.filter(isIt));
        const sum = slices.reduce((all, slice) => all + (slice[column] as bigint), 0n);
        if (sum !== value)
          wrong(`${label} ${Object.values(keys).join(' ')} ${column}: the slices add up to ${sum}, not ${value}`);
      }
    }
    if (raw.length === 0) wrong(`${label}: nothing to compare ${name} with`);
  }
}

function wrong(what: string): void {
  differing += 1;
  console.log(`NOT WHAT THE ROWS SAY: ${what}`);
}
