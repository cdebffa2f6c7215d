/**
 * Payments per second through HTTP, with token, scope, decision, books, chain and durable commit, beside three others that write the same rows
 * into copies of the tables, in the same run, on the same server, in alternating rounds:
 *
 * - the bare limit (`bare-payments.ts`): Fastify and one statement for a batch, no token, no decision, no chain;
 * - `pgbench` where it is installed: one transaction of eight statements per payment, no HTTP;
 * - the same eight statements by hand, from Node; only printed.
 *
 * A payment of the service changes the principal, and has two journal lines, or five when it is the first of its loan on a day; so it is with
 * the bare limit, while the other two always write five. What the service does later, sealing blocks and linking entries, is in its figures and in none of the others. A checkpoint is
 * made before the first round, when the service has preloaded its loans; each window of `BENCH_SECONDS` begins with two seconds that do not
 * count. For each the processor time
 * of a payment is printed: of the server's main thread, its other threads, PostgreSQL and the load; and what other programs took of the
 * machine. It ends by checking every balance, the journal and the chain.
 *   npm run bench:repay      (BENCH_LOANS=10000 BENCH_MONTHS=36 BENCH_SECONDS=15 BENCH_CONNECTIONS=64 BENCH_ROUNDS=3)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Db } from '../src/store/db/db.ts';
import { openPlace, readPassword } from '../src/store/db/embedded/cluster.ts';
import { SUPERUSER } from '../src/store/db/embedded/roles.ts';
import { copyRows } from '../test/support/copy-rows.ts';
import { call, eventually, postmasterOf, type Service } from '../test/support/service.ts';
import { allSealed, checkBook } from './acknowledged.ts';
import { type BarePaymentsJob, startBarePayments } from './bare-payments.ts';
import type { ByHandJob, ByHandResult } from './by-hand.ts';
import { type Cpu, cpuText, othersText, untilQuiet, type Watched } from './cpu.ts';
import { type Filled, withFilled } from './filled.ts';
import { makeAlike } from './indexes.ts';
import { child, median, report, said, setting, whole } from './measure.ts';
import type { PaymentsJob, PaymentsResult } from './payments.ts';
import { findPgbench, prepareForPgbench, runPgbench } from './pgbench.ts';

/** Ratios to the bare limit and to pgbench, and the milliseconds for 99 of 100 in every round. Missing a limit fails the bench. */
const GOAL = { bare: 0.6, pgbench: 1.3, p99Ms: 50 };
const LIMIT = { bare: 0.5, pgbench: 1.1, p99Ms: 60 };
const STRETCH_PGBENCH = 1.5;
const loans = setting('BENCH_LOANS', 10_000);
const months = setting('BENCH_MONTHS', 36);
const seconds = setting('BENCH_SECONDS', 15);
const connections = setting('BENCH_CONNECTIONS', 64);
const rounds = setting('BENCH_ROUNDS', 3);
/** Few connections are best without HTTP: with one for each of ours they wait for each other. */
const HAND_CONNECTIONS = setting('BENCH_HAND_CONNECTIONS', 8);
const WARM_UP_SECONDS = 2;
const SCHEMA = 'by_hand';

type Side = { perSecond: number; cpu: Cpu | null };
type Round = {
  ours: PaymentsResult;
  /** The longest that an entry of the audit trail waited for its link. */
  unlinkedMs: number;
  bare: PaymentsResult;
  pgbench: Side | null;
  byHand: Side;
};
/** All that a round needs. */
type Bench = Filled & {
  bare: { port: number; pid: number };
  pgbench: string | null;
  loansFile: string;
  token: string;
  watched(server: number | null): Watched;
};

await withFilled(
  {
    ...{ loans, months },
    // It is ready when all that it preloads is there.
    env: { WARM_SECONDS: '600' },
    onProgress: (done) => said(`${whole(done)} of ${whole(loans)} loans`),
  },
  compare,
);

async function compare(filled: Filled): Promise<boolean> {
  const { dir, db, connection, loanIds, events } = filled;
  said('copying the tables for the baselines');
  await copyTables(db);
  const pgbench = findPgbench();
  if (pgbench !== null) await prepareForPgbench(db, SCHEMA);
  await db.query('ANALYZE');
  await eventually(() => allSealed(db), 120_000, 200);
  said('the service starts again');
  const service = await filled.restart();
  const loansFile = join(dir, 'loans.json');
  writeFileSync(loansFile, JSON.stringify(loanIds));
  const token = await service.token();
  const answer = await oneAnswer(service, token, loanIds[0] as string);
  const bare = await startBarePayments({ connection, schema: SCHEMA, volumes: db.volumes.count, answer });
  const postgres = postmasterOf(filled.dataDir);
  const servers = [service.process.pid as number, bare.pid, process.pid];
  const watched = (server: number | null): Watched => ({ server, postgres, beside: servers });
  try {
    await checkpoint(filled);
    await untilQuiet(watched(service.process.pid as number));
    said('');
    await sayWhat(db, { events, pgbench });
    const acknowledged: string[] = [];
    const all: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      const file = join(dir, `acknowledged-${round}.json`);
      acknowledged.push(file);
      const one = await oneRound(
        { ...filled, service, bare, pgbench, loansFile, token, watched },
        `round${round}`,
        file,
      );
      all.push(one);
      print(round, one);
    }
    console.log('');
    await checkBook(filled, acknowledged);
    const waited = Math.max(...all.map(({ unlinkedMs }) => unlinkedMs));
    console.log(`the oldest entry of the audit trail waited ${waited.toFixed(0)} ms for its link`);
    return judge(all);
  } finally {
    bare.stop();
  }
}

/** Each beside the others, one after the other. */
async function oneRound(bench: Bench, run: string, acknowledgedFile: string): Promise<Round> {
  const { dir, service, bare, db, connection, loansFile, watched } = bench;
  const unlinked = watchUnlinked(db);
  const ours = await pay(bench, { port: service.port, pid: service.process.pid as number }, { run, acknowledgedFile });
  const unlinkedMs = await unlinked.end();
  const limit = await pay(bench, bare, { run, acknowledgedFile: join(dir, 'bare.json') });
  const pgbench = bench.pgbench === null ? null : await payByPgbench(bench, bench.pgbench);
  const byHand = await child<ByHandResult>('by-hand.ts', {
    ...{ connection, connections: HAND_CONNECTIONS, seconds, warmUpSeconds: WARM_UP_SECONDS },
    ...{ loansFile, volumes: db.volumes.count, schema: SCHEMA, watched: watched(null) },
  } satisfies ByHandJob);
  return { ours, unlinkedMs, bare: limit, pgbench, byHand };
}

async function pay(
  { loansFile, token, watched }: Bench,
  to: { port: number; pid: number },
  run: Pick<PaymentsJob, 'run' | 'acknowledgedFile'>,
): Promise<PaymentsResult> {
  const paid = await child<PaymentsResult>('payments.ts', {
    ...{ ports: [to.port], connections, seconds, warmUpSeconds: WARM_UP_SECONDS },
    ...{ token, loansFile, watched: watched(to.pid), ...run },
  } satisfies PaymentsJob);
  if (paid.failures > 0) throw new Error(`${paid.failures} payments failed; the first: ${paid.firstFailure}`);
  return paid;
}

async function payByPgbench({ dir, connection, loanIds, watched }: Bench, program: string): Promise<Side> {
  const job = {
    ...{ program, server: connection, schema: SCHEMA, loans: loanIds.length, connections: HAND_CONNECTIONS },
    ...{ dir, watched: watched(null) },
  };
  await runPgbench({ ...job, seconds: WARM_UP_SECONDS });
  return runPgbench({ ...job, seconds });
}

/** Only the superuser of the embedded server may ask for it. */
async function checkpoint({ dataDir, connection }: Filled): Promise<void> {
  const password = readPassword(openPlace(dataDir));
  const client = new pg.Client({ ...connection, user: SUPERUSER, password, database: 'postgres' });
  await client.connect();
  await client.query('CHECKPOINT');
  await client.end();
}

/** The answer to a payment, for the bare server to send. */
async function oneAnswer(service: Service, token: string, loanId: string): Promise<BarePaymentsJob['answer']> {
  const body = { loanId, amount: '5.00', refId: 'an-example' };
  const answer = await call(service.url, 'POST', '/v2/chain/loan-repay', { token, body });
  if (answer.status !== 200) throw new Error(`A payment was answered with ${answer.status}: ${answer.text}`);
  const headers = [...answer.headers].filter(
    ([name]) => !/^(connection|content-length|date|keep-alive|transfer-encoding)$/.test(name),
  );
  return { headers: Object.fromEntries(headers), body: answer.text };
}

async function sayWhat(db: Db, { events, pgbench }: { events: number; pgbench: string | null }): Promise<void> {
  const [sync] = await db.query<{ commit: string; fsync: string }>(
    "SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync",
  );
  console.log(
    `\n${whole(loans)} funded loans with ${months} months of history (${events} events each); ` +
      `synchronous_commit ${sync?.commit}, fsync ${sync?.fsync}`,
  );
  console.log(
    `${connections} connections through HTTP, ${HAND_CONNECTIONS} without it; ${rounds} rounds of ${seconds} s each`,
  );
  console.log(pgbench === null ? 'pgbench is not installed: no comparison with it' : `pgbench: ${pgbench}`);
  console.log('CPU: µs a payment of the main thread / its other threads / PostgreSQL / the load\n');
  console.log('round               payments/s   ratio   p50 ms   p99 ms   others  CPU');
}

function print(round: number, { ours, bare, pgbench, byHand }: Round): void {
  const line = (name: string, side: (Side & { p50Ms?: number; p99Ms?: number }) | null) => {
    const ms = (value: number | undefined) => (value?.toFixed(1) ?? '').padStart(8);
    const cells = [
      (name === 'daybook' ? String(round) : '').padStart(5),
      name.padEnd(11),
      (side === null ? '—' : whole(side.perSecond)).padStart(12),
      (name === 'daybook' ? '' : ratioText(side && ours.perSecond / side.perSecond)).padStart(7),
      ms(side?.p50Ms),
      ms(side?.p99Ms),
      othersText(side?.cpu ?? null).padStart(8),
      ` ${cpuText(side?.cpu ?? null, (side?.perSecond ?? 0) * seconds)}`,
    ];
    console.log(cells.join(' '));
  };
  line('daybook', ours);
  line('bare limit', bare);
  line('pgbench', pgbench);
  line('by hand', byHand);
}

function judge(all: readonly Round[]): boolean {
  const ofBare = all.map(({ ours, bare }) => ours.perSecond / bare.perSecond);
  const ofPgbench = all.flatMap(({ ours, pgbench }) => (pgbench === null ? [] : [ours.perSecond / pgbench.perSecond]));
  const ofHand = all.map(({ ours, byHand }) => ours.perSecond / byHand.perSecond);
  const p99 = Math.max(...all.map(({ ours }) => ours.p99Ms));
  report({
    'payments beside the bare limit': ofBare,
    ...(ofPgbench.length === 0 ? {} : { 'payments beside pgbench': ofPgbench }),
    'payments: p99 beside the bare limit': all.map(({ ours, bare }) => bare.p99Ms / ours.p99Ms),
  });
  const [bare, pgbench] = [median(ofBare), ofPgbench.length === 0 ? null : median(ofPgbench)];
  console.log(`\nmedians: ${ratioText(median(ofHand))} of the rows by hand`);
  const quick = verdict(`${ratioText(bare)} of the bare limit`, bare, GOAL.bare, LIMIT.bare);
  const quicker =
    pgbench === null ||
    verdict(`${ratioText(pgbench)} times pgbench (stretch ${STRETCH_PGBENCH})`, pgbench, GOAL.pgbench, LIMIT.pgbench);
  const even = verdict(`p99 at most ${p99.toFixed(1)} ms in every round`, -p99, -GOAL.p99Ms, -LIMIT.p99Ms);
  return quick && quicker && even;
}

/** Prints it beside its goal and its limit; all are negative where less is better. False: worse than the limit. */
function verdict(what: string, value: number, goal: number, limit: number): boolean {
  const word = value >= goal ? 'ok' : value >= limit ? 'within its limit, short of its goal' : 'TOO SLOW';
  console.log(`${what}; goal ${Math.abs(goal)}, limit ${Math.abs(limit)}: ${word}`);
  return value >= limit;
}

/** Looks every 200 ms how old the oldest entry is that waits for its link; the highest, in milliseconds. */
function watchUnlinked(book: Db): { end(): Promise<number> } {
  let oldest = 0;
  const look = async () => {
    const [row] = await book.query<{ at: Date | null }>('SELECT min(at) AS at FROM public.audit_waiting');
    if (row?.at) oldest = Math.max(oldest, Date.now() - row.at.getTime());
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, 200);
  return {
    async end() {
      clearInterval(timer);
      await looking;
      return oldest;
    },
  };
}

function ratioText(ratio: number | null): string {
  return ratio?.toFixed(2) ?? '—';
}

/** The baselines write into copies, including indexes and rows, so that all have tables of the same size. */
async function copyTables(book: Db): Promise<void> {
  await book.session(async (session) => {
    await session.query('SET statement_timeout = 0');
    await session.query(`CREATE SCHEMA ${SCHEMA}`);
    for (const table of ['loans', 'events', 'journal', 'audit_waiting', 'ledger_heads']) {
      await makeAlike(session, `public.${table}`, `${SCHEMA}.${table}`);
      await copyRows(session, `public.${table}`, `${SCHEMA}.${table}`);
    }
    await session.query(`CREATE SEQUENCE ${SCHEMA}.blocks START 1000000000`);
  });
}
