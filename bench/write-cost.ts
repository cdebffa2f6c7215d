/**
 * The cost of a payment in the database, counted and not timed, so that it is the same on a busy machine: bytes of WAL, entries of indexes, and
 * the share of updates of `loans` that write none (HOT). Each payment goes through the write path; what follows it, sealing its block and
 * linking its audit entry, is counted too. The counts are read from the WAL itself.
 *   npm run bench:write-cost      (BENCH_LOANS=2000 BENCH_MONTHS=12)
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openSimulator } from '../src/bureau/simulator/open.ts';
import { addMonths, date } from '../src/core/calendar.ts';
import { openLoans } from '../src/loans/open.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { SUPERUSER } from '../src/store/db/embedded/roles.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { openWorkers } from '../src/workers/workers.ts';
import { ACTOR, PLAIN, repay, testMasterKeys, testSecrets } from '../test/support/loans.ts';
import { fillBook } from './book.ts';

const count = Number(process.env.BENCH_LOANS ?? 2_000);
const months = Number(process.env.BENCH_MONTHS ?? 12);
const TODAY = date('2026-06-15');
/** Amounts differ from loan to loan, as balances do: more than the interest of a month, then some dollars, then an installment. */
const INTEREST = (i: number) => 30_000 + ((i * 131) % 30_000);
const SMALL = (i: number) => 100 + ((i * 37) % 900);
const INSTALLMENT = () => 60_000;
/** In progress at a time, so that batches are as they are under load. */
const AT_ONCE = 64;

/** The WAL of a stage stays until it was counted, and nothing else writes meanwhile. */
const COUNTABLE = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB', wal_keep_size: '2GB' };

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const workers = openWorkers({ threads: 1 });
try {
  const server = await startPostgres({ dataDir: dir, own: true, settings: COUNTABLE });
  const password = readFileSync(join(dir, 'postgres-password'), 'utf8').trim();
  const superuser = new pg.Client({ ...server.connection, user: SUPERUSER, password });
  const db = openDb(server.connection, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
  try {
    await superuser.connect();
    await migrate(db, await readMigrations());
    await openVolumes(db, null);
    await measure(db, superuser);
  } finally {
    await db.close();
    await superuser.end();
    await server.stop();
  }
} finally {
  await workers.close();
  rmSync(dir, { recursive: true, force: true });
}

async function measure(db: Db, superuser: pg.Client): Promise<void> {
  await superuser.query('CREATE EXTENSION pg_walinspect');
  await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ACTOR.organizationId]);
  const { loanIds } = await fillBook({
    ...{ db, organizationId: ACTOR.organizationId, clientId: ACTOR.clientId, master: testMasterKeys.current() },
    ...{ loans: count, months, today: TODAY },
  });
  // As after some time of use: with room in the pages that vacuum has left, and statistics.
  await db.query('VACUUM ANALYZE');
  let day = TODAY;
  const bureau = openSimulator(workers);
  const loans = openLoans({
    ...{ db, bureau, simulator: bureau, workers, masterKeys: testMasterKeys, secrets: testSecrets },
    clock: () => Date.parse(`${day}T12:00:00Z`),
  });
  const payEach = async (name: string, cents: (i: number) => number) => {
    let next = 0;
    const one = async () => {
      for (let i = next++; i < loanIds.length; i = next++) {
        const paid = { loanId: loanIds[i] as string, command: repay(`${name}-${i}`, cents(i)), reason: null };
        const outcome = await loans.write(ACTOR, { ...paid, answer: () => '' }, PLAIN);
        if (outcome.kind !== 'done') throw new Error(`A payment was not done: ${JSON.stringify(outcome)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    while ((await loans.ledger.seal()) > 0);
    while ((await loans.ledger.link()) > 0);
  };
  console.log(`${count.toLocaleString('en-US')} loans with ${months} months of history, each paid once; per payment:`);
  await payEach('interest', INTEREST);
  day = date('2026-06-16');
  await say('first payment of a day', () => payEach('first', SMALL));
  await say('second payment of a day', () => payEach('second', SMALL));
  await say('third payment of a day', () => payEach('third', SMALL));
  day = addMonths(TODAY, 1);
  await say('an installment', () => payEach('installment', INSTALLMENT));
  await loans.close();

  async function say(what: string, work: () => Promise<void>): Promise<void> {
    const cost = await writeCost(superuser, work);
    const each = (n: number) => (n / count).toFixed(n / count < 100 ? 2 : 0);
    console.log(
      `\n${what}: ${each(cost.bytes)} bytes of WAL and ${each(cost.imageBytes)} of page images; ` +
        `${each(cost.entries)} index entries; ${((100 * cost.hot) / cost.updates).toFixed(1)} % of updates of loans are HOT`,
    );
    const indexes = cost.byIndex.filter(({ entries }) => entries / count >= 0.05);
    console.log(`  ${indexes.map(({ name, entries }) => `${name} ${each(entries)}`).join(', ')}`);
  }
}

type WriteCost = {
  /** Without images of whole pages, which the first change of a page after a checkpoint writes. */
  bytes: number;
  imageBytes: number;
  /** Into B-trees. */
  entries: number;
  byIndex: { name: string; entries: number }[];
  /** Updates of `loans`, and those that wrote no index entry. */
  updates: number;
  hot: number;
};

/** The cost of some work, from the WAL that it wrote. Nothing else may write meanwhile. */
async function writeCost(superuser: pg.Client, work: () => Promise<void>): Promise<WriteCost> {
  await superuser.query('CHECKPOINT');
  const at = async () => (await superuser.query('SELECT pg_current_wal_insert_lsn() AS at')).rows[0].at as string;
  const from = await at();
  await work();
  // A commit flushes all that was written before it; what is not flushed cannot be read.
  await superuser.query('SELECT pg_current_xact_id()');
  const range = [from, await at()];
  const [sizes] = (
    await superuser.query(
      'SELECT sum(record_size)::float8 AS bytes, sum(fpi_size)::float8 AS images FROM pg_get_wal_stats($1, $2, false)',
      range,
    )
  ).rows;
  // An entry is added by a record about its leaf, also where the leaf is split for it.
  const blocks = (
    await superuser.query(
      `SELECT c.relname AS name, b.record_type AS type, count(*)::int AS count
       FROM pg_get_wal_block_info($1, $2, false) b JOIN pg_class c ON c.relfilenode = b.relfilenode
       WHERE b.block_id = 0 AND (b.resource_manager = 'Btree' AND b.record_type ~ '^(INSERT_LEAF|INSERT_POST|SPLIT_[LR])'
         OR c.relname = 'loans' AND b.record_type ~ 'UPDATE')
       GROUP BY 1, 2`,
      range,
    )
  ).rows as { name: string; type: string; count: number }[];
  const byIndex = new Map<string, number>();
  let [updates, hot] = [0, 0];
  for (const { name, type, count: times } of blocks) {
    if (name === 'loans') {
      updates += times;
      if (type.startsWith('HOT_UPDATE')) hot += times;
    } else byIndex.set(name, (byIndex.get(name) ?? 0) + times);
  }
  const sorted = [...byIndex].map(([name, entries]) => ({ name, entries })).sort((a, b) => b.entries - a.entries);
  const entries = sorted.reduce((sum, one) => sum + one.entries, 0);
  return { bytes: sizes?.bytes ?? 0, imageBytes: sizes?.images ?? 0, entries, byIndex: sorted, updates, hot };
}
