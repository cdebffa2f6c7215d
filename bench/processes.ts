/**
 * Payments per second with one, two and three processes on one embedded PostgreSQL: on many loans and on five that all connections pay, then the
 * same with a commit that takes 20 ms longer. In addition to the rate: how many payments a transaction held on average; how many connections
 * waited for a lock on average (`pg_stat_activity`, sampled every 20 ms), and how many of them for another process; the processor time of
 * the service's processes for a payment; the load of the machine. It ends by checking every balance, the journal and the chain.
 *
 * The runs with one, two and three processes follow each other directly, round after round, so that a machine that becomes busier affects all
 * three alike: all processes are started once, and those that a run does not use are stopped (SIGSTOP) and their heartbeats expire. The
 * medians of the rounds are compared. The spread of the rounds with one process is the noise, which is printed as well.
 *
 * The slow commit is a deferred constraint trigger on `events`: it sleeps once in each transaction that saves events, when the transaction
 * commits, while it holds everything it has locked. That is what a commit that waits for a synchronous replica does to the others.
 *
 * All processes share the cores of one machine with the database and the clients, so more processes cannot make more payments where the
 * processor is the limit, and where the load is far above the number of cores other work determines the rates. The relevant figures are the
 * ratios with the slow commit, and the waits for another process.
 *   npm run bench:processes  (BENCH_LOANS=600 BENCH_SECONDS=6 BENCH_CONNECTIONS=48 BENCH_PROCESSES=3 BENCH_ROUNDS=3 BENCH_DELAY_MS=20)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import type { PlainDate } from '../src/core/calendar.ts';
import { openMasterKeys } from '../src/key-files/master-keys.ts';
import { verifyBook } from '../src/loans/verify/book.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { masterKeyId } from '../src/vault/master-keys.ts';
import { urlOf } from '../test/support/server.ts';
import { call, eventually, type Service, startService } from '../test/support/service.ts';
import { allSealed, checkAcknowledged } from './acknowledged.ts';
import { fillBook } from './book.ts';
import { CREDENTIALS } from './filled.ts';
import { child, end, median, setting } from './measure.ts';
import type { PaymentsJob, PaymentsResult } from './payments.ts';

const loans = setting('BENCH_LOANS', 600);
const seconds = setting('BENCH_SECONDS', 6);
const connections = setting('BENCH_CONNECTIONS', 48);
const most = setting('BENCH_PROCESSES', 3);
const rounds = setting('BENCH_ROUNDS', 3);
const delayMs = setting('BENCH_DELAY_MS', 20);
const WARM_UP_SECONDS = 2;
const HOT_LOANS = 5;
const SAMPLE_MS = 20;
/** With the slow commit, of the rate of one process; and on five loans, with any commit. */
const SLOW_LIMIT = 1;
const HOT_LIMIT = 0.5;
/** Connections that wait for a lock of another process, on average: close to zero. */
const BETWEEN_LIMIT = 0.1;

const MASTER_KEY = '3c'.repeat(32);
const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));

/** Connections that wait for a lock, on average: all, and those that wait for another process of the service. */
type Waits = { all: number; between: number };
type Run = { slow: boolean; hot: boolean; processes: number; round: number };
type Measured = Run & PaymentsResult & { batch: number; waits: Waits; forwarded: number; cpuMs: number };

const server = await startPostgres({ dataDir: join(dir, 'data'), own: true });
const services: Service[] = [];
const db = openDb(server.connection, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
const acknowledged: string[] = [];
/** Loans that no run has taken as hot ones yet: the history of a loan has a limit. */
const fresh: string[] = [];
try {
  await measure();
} finally {
  for (const { process: one } of services) one.kill('SIGCONT');
  await Promise.all(services.map((service) => service.stop()));
  await db.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await addProcess();
  await openVolumes(db, null);
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY }), masterKeyId);
  const [client] = await db.query<{ organization_id: string }>(
    "SELECT organization_id FROM clients WHERE client_id = 'bench'",
  );
  const { loanIds } = await fillBook({
    db,
    organizationId: client?.organization_id ?? '',
    clientId: 'bench',
    master: masterKeys.current(),
    loans,
    months: 6,
    today: new Date().toISOString().slice(0, 10) as PlainDate,
  });
  fresh.push(...loanIds);
  await makeSlowCommit(db);
  await db.query('ANALYZE');
  console.log(
    `${loans} loans in ${db.volumes.count} volumes, ${connections} connections, ${rounds} rounds of ${seconds} s each; slow: each commit takes ${delayMs} ms longer\n`,
  );
  console.log(
    'commit  loans  round  processes  payments/s  of one   batch  lock waits  between   p50 ms   p99 ms  cpu ms  forwarded   load',
  );
  const all: Measured[] = [];
  while (services.length < most) await addProcess();
  // Compiles the code of all of them; this run is not shown.
  await measured({ slow: false, hot: false, processes: most, round: 0 }, loanIds);
  for (const slow of [false, true]) {
    await db.query(`ALTER TABLE events ${slow ? 'ENABLE' : 'DISABLE'} TRIGGER bench_slow_commit`);
    for (const hot of [false, true]) {
      for (let round = 1; round <= rounds; round++) {
        for (let processes = 1; processes <= most; processes++) {
          await leave(processes);
          const one = await measured({ slow, hot, processes, round }, loanIds);
          all.push(one);
          print(one, all);
        }
      }
    }
  }
  await db.query('DROP TRIGGER bench_slow_commit ON events');
  await eventually(() => allSealed(db), 60_000, 200);
  await checkAcknowledged(db, acknowledged);
  const { complaints, transactions } = await verifyBook({ db, masterKeys });
  for (const complaint of complaints.slice(0, 10)) console.log(complaint);
  if (complaints.length > 0) throw new Error('The book has problems.');
  console.log(
    `\nchecked: ${transactions.toLocaleString('en-US')} transactions are correct, every acknowledged payment is in the book once`,
  );
  judge(all);
}

/** Starts one more process of the service, and waits until all processes know each other. */
async function addProcess(): Promise<void> {
  const env = {
    // Each process has its own application name at the database, which shows which process waits for which.
    DATABASE_URL: `${urlOf(server.connection)}&application_name=process-${services.length}`,
    MASTER_KEY,
    RATE_LIMIT: '0',
    BUREAU_URL: 'simulator',
    LOG_LEVEL: 'info',
  };
  services.push(await startService({ dataDir: join(dir, 'keys'), credentials: CREDENTIALS, env }));
  await leave(services.length);
}

/** Leaves this many processes running; the others do nothing until they are needed again. */
async function leave(processes: number): Promise<void> {
  if (processes < services.length) await eventually(() => allSealed(db), 60_000, 200);
  for (const [i, { process: one }] of services.entries()) one.kill(i < processes ? 'SIGCONT' : 'SIGSTOP');
  const count = ({ output }: Service, what: string) => output().split(`"process ${what}"`).length - 1;
  const running = services.slice(0, processes);
  await eventually(() => running.every((one) => count(one, 'joined') - count(one, 'left') === processes - 1), 30_000);
}

async function makeSlowCommit(book: Db): Promise<void> {
  await book.query(`
    CREATE FUNCTION bench_slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('bench.slept', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        PERFORM set_config('bench.slept', pg_current_xact_id()::text, true);
        PERFORM pg_sleep(${delayMs} / 1000.0);
      END IF;
      RETURN NULL;
    END
    $$`);
  await book.query(`
    CREATE CONSTRAINT TRIGGER bench_slow_commit AFTER INSERT ON events
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION bench_slow_commit()`);
}

async function measured(run: Run, loanIds: readonly string[]): Promise<Measured> {
  // In the order of the runs: a payment whose reference sorts before one of the same day forces a new fold of the loan.
  const name = `round-${String(acknowledged.length + 1).padStart(3, '0')}`;
  const loansFile = join(dir, `${name}-loans.json`);
  writeFileSync(loansFile, JSON.stringify(run.hot ? fresh.splice(0, HOT_LOANS) : loanIds));
  const acknowledgedFile = join(dir, `${name}.json`);
  acknowledged.push(acknowledgedFile);
  const running = services.slice(0, run.processes);
  const before = await soFar(running);
  const sampling = sampleLockWaits();
  const job: PaymentsJob = {
    ports: running.map(({ port }) => port),
    connections,
    seconds,
    warmUpSeconds: WARM_UP_SECONDS,
    token: await (services[0] as Service).token(),
    loansFile,
    run: name,
    acknowledgedFile,
  };
  const result = await child<PaymentsResult>('payments.ts', job);
  const waits = await sampling();
  if (result.failures > 0) throw new Error(`${result.failures} payments failed; the first: ${result.firstFailure}`);
  // Rows saved by one transaction share its id.
  const [batches] = await db.query<{ payments: number; transactions: number }>(
    `SELECT count(*)::int AS payments, count(DISTINCT xmin::text)::int AS transactions
     FROM events WHERE type = 'paymentSubmitted' AND body LIKE '%"refId":"${name}-%'`,
  );
  const { payments = 0, transactions = 1 } = batches ?? {};
  const after = await soFar(running);
  const forwarded = (after.forwarded - before.forwarded) / payments;
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / payments;
  return { ...run, ...result, batch: payments / transactions, waits, forwarded, cpuMs };
}

/** Samples until the returned function is called. */
function sampleLockWaits(): () => Promise<Waits> {
  let samples = 0;
  const sum = { all: 0, between: 0 };
  let running = true;
  const done = (async () => {
    while (running) {
      const [row] = await db.query<Waits>(
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE EXISTS (
           SELECT 1 FROM unnest(pg_blocking_pids(w.pid)) AS blocking (pid) JOIN pg_stat_activity b USING (pid)
           WHERE b.application_name <> w.application_name))::int AS between
         FROM pg_stat_activity w WHERE w.wait_event_type = 'Lock' AND w.datname = current_database()`,
      );
      samples += 1;
      sum.all += row?.all ?? 0;
      sum.between += row?.between ?? 0;
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return async () => {
    running = false;
    await done;
    return { all: sum.all / Math.max(1, samples), between: sum.between / Math.max(1, samples) };
  };
}

/** The total of these processes since they were started. */
async function soFar(running: readonly Service[]): Promise<{ forwarded: number; cpuSeconds: number }> {
  const texts = await Promise.all(running.map(async ({ url }) => (await call(url, 'GET', '/metrics')).text));
  const sum = (pattern: RegExp) => texts.reduce((total, text) => total + Number(pattern.exec(text)?.[1] ?? 0), 0);
  return {
    forwarded: sum(/^forwarded_writes_total\{outcome="answered"\} (\d+)/m),
    cpuSeconds: sum(/^process_cpu_seconds_total (\S+)/m),
  };
}

/** Its rate relative to that of one process in the same round. */
function ofOne({ slow, hot, round, perSecond }: Measured, all: readonly Measured[]): number {
  const alone = all.find((one) => one.slow === slow && one.hot === hot && one.round === round && one.processes === 1);
  return perSecond / (alone?.perSecond ?? perSecond);
}

function print(one: Measured, all: readonly Measured[]): void {
  const { slow, hot, round, processes, perSecond, batch, waits, p50Ms, p99Ms, cpuMs, forwarded } = one;
  console.log(
    [
      (slow ? 'slow' : 'plain').padEnd(6),
      (hot ? 'five' : 'many').padStart(6),
      String(round).padStart(6),
      String(processes).padStart(10),
      Math.round(perSecond).toLocaleString('en-US').padStart(11),
      ofOne(one, all).toFixed(2).padStart(7),
      batch.toFixed(1).padStart(7),
      waits.all.toFixed(2).padStart(11),
      waits.between.toFixed(2).padStart(8),
      p50Ms.toFixed(1).padStart(8),
      p99Ms.toFixed(1).padStart(8),
      cpuMs.toFixed(2).padStart(7),
      `${(forwarded * 100).toFixed(0)} %`.padStart(10),
      (loadavg()[0] ?? 0).toFixed(1).padStart(6),
    ].join(' '),
  );
}

/** With the slow commit more processes are not slower than one; several on the same loans make at least half of what one makes. */
function judge(all: readonly Measured[]): void {
  const compared = [false, true].flatMap((slow) =>
    [false, true].flatMap((hot) =>
      Array.from({ length: most - 1 }, (_, n) => compare(all, { slow, hot, processes: n + 2 })),
    ),
  );
  console.log('\ncommit  loans  processes  of one (medians)   noise   between');
  for (const { slow, hot, processes, ratio, noise, between } of compared) {
    console.log(
      [
        (slow ? 'slow' : 'plain').padEnd(6),
        (hot ? 'five' : 'many').padStart(6),
        String(processes).padStart(10),
        ratio.toFixed(2).padStart(17),
        `± ${(noise * 100).toFixed(0)} %`.padStart(7),
        between.toFixed(2).padStart(9),
      ].join(' '),
    );
  }
  const least = (some: typeof compared) => Math.min(...some.map(({ ratio }) => ratio));
  const slowest = least(compared.filter(({ slow }) => slow));
  const shared = least(compared.filter(({ hot }) => hot));
  const waits = Math.max(...compared.map(({ between }) => between));
  const ok = slowest >= SLOW_LIMIT && shared >= HOT_LIMIT && waits <= BETWEEN_LIMIT;
  console.log(
    `slow commit: at least ${slowest.toFixed(2)} of one process (limit ${SLOW_LIMIT}); ` +
      `five loans: at least ${shared.toFixed(2)} (limit ${HOT_LIMIT}); ` +
      `waiting for another process: at most ${waits.toFixed(2)} at a time (limit ${BETWEEN_LIMIT}): ${ok ? 'ok' : 'NOT OK'}`,
  );
  end(ok);
}

/** Several processes compared with one: the ratio of the medians, half the spread of the rounds with one, the most waits in any round. */
function compare(all: readonly Measured[], { slow, hot, processes }: Omit<Run, 'round'>) {
  const of = (count: number) => all.filter((one) => one.slow === slow && one.hot === hot && one.processes === count);
  const rates = (count: number) => of(count).map(({ perSecond }) => perSecond);
  const alone = rates(1);
  const ratio = median(rates(processes)) / median(alone);
  const noise = (Math.max(...alone) - Math.min(...alone)) / 2 / median(alone);
  return { slow, hot, processes, ratio, noise, between: Math.max(...of(processes).map(({ waits }) => waits.between)) };
}
