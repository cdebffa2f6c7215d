/**
 * Runs the nightly cycles: every process looks twice a minute for organizations that have days to run and queues one job for each, and
 * works on one job at a time. The queue is pg-boss on our own connections, so that it follows a failover as everything else does; it sees
 * to it that an organization is run by one process at a time, and that another one takes over when that process dies. Nothing depends on
 * it for being right: two runs at once write the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import type { Behind, OpenCycles } from '../loans/cycle/open.ts';
import { DatabaseUnavailable, type Db } from '../store/db.ts';

export type CycleJobOptions = {
  cycles: OpenCycles;
  db: Db;
  log: {
    event(name: string, facts?: Readonly<Record<string, string | number>>): void;
    failure(name: string, error: unknown): void;
  };
  /** Seconds between two looks at the queue; at least a half. */
  pollSeconds?: number;
  lookMs?: number;
};

/** For the metrics. */
export type CycleFigures = {
  /** Of the organization that is furthest behind. */
  readonly daysBehind: number;
  readonly organizationsBehind: number;
  readonly days: number;
  readonly loans: number;
  readonly exceptions: number;
  readonly failures: number;
};

export type CycleJobs = { figures(): CycleFigures; stop(): Promise<void> };

const QUEUE = 'cycle';
const LOOK_MS = 30_000;
const POLL_SECONDS = 5;
/** A process that says nothing for so long has died, and its job is given to another. */
const HEARTBEAT_SECONDS = 60;
const EXPIRES_SECONDS = 12 * 3_600;
/** A database that is away is asked again after so long, each time twice as long up to the second. */
const AGAIN_MS = 500;
const AGAIN_MOST_MS = 15_000;

type Job = { organizationId: string };

export function startCycleJobs(options: CycleJobOptions): CycleJobs {
  const { cycles, db, log, pollSeconds = POLL_SECONDS, lookMs = LOOK_MS } = options;
  const figures = { daysBehind: 0, organizationsBehind: 0, days: 0, loans: 0, exceptions: 0, failures: 0 };
  const ends = new AbortController();
  const boss = new PgBoss({
    db: { executeSql: async (text, values) => ({ rows: await db.script(text, values ?? []) }) },
    schema: 'pgboss',
    backend: db.volumes.sharded ? 'citus' : 'postgres',
    // Nothing here goes by pg-boss's own calendar: a day ends by the clock of its organization.
    schedule: false,
  });
  let said = '';
  boss.on('error', (error) => failed('the queue of cycles failed', error));
  const running = run();

  return {
    figures: () => figures,
    async stop() {
      ends.abort();
      await cycles.close();
      await running;
      await boss.stop({ graceful: true, close: false, timeout: 5_000 }).catch(() => {});
    },
  };

  async function run(): Promise<void> {
    let begun = false;
    while (!ends.signal.aborted) {
      try {
        begun ||= (await persisting(begin)) === true;
        await look(begun);
        said = '';
      } catch (error) {
        failed('cycles could not be queued', error);
        // How far behind they are is told in any case.
        await look(false).catch(() => {});
      }
      await delay(lookMs, undefined, { signal: ends.signal, ref: false }).catch(() => {});
    }
  }

  async function begin(): Promise<true> {
    await boss.start();
    await boss.createQueue(QUEUE, {
      policy: 'exclusive',
      retryLimit: 5,
      retryDelay: 10,
      retryBackoff: true,
      retryDelayMax: 300,
      expireInSeconds: EXPIRES_SECONDS,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      deleteAfterSeconds: 24 * 3_600,
    });
    await boss.work<Job>(QUEUE, { batchSize: 1, pollingIntervalSeconds: pollSeconds }, async ([job]) => {
      if (job !== undefined) await runOne(job.data);
    });
    return true;
  }

  async function look(queued: boolean): Promise<void> {
    const behind = await cycles.behind();
    figures.organizationsBehind = behind.length;
    figures.daysBehind = behind.reduce((most, one) => Math.max(most, daysOf(one)), 0);
    for (const { organizationId } of queued ? behind : []) {
      if (ends.signal.aborted) return;
      await boss.send(QUEUE, { organizationId } satisfies Job, { singletonKey: organizationId });
    }
  }

  async function runOne({ organizationId }: Job): Promise<void> {
    try {
      const done = await persisting(async () => {
        const mine = (await cycles.behind()).find((one) => one.organizationId === organizationId);
        return mine === undefined ? null : cycles.runCyclesThrough(organizationId, mine.over);
      });
      if (done === null || done.days === 0) return;
      figures.days += done.days;
      figures.loans += done.loans;
      figures.exceptions += done.exceptions;
      log.event('cycles run', { organizationId, ...done });
    } catch (error) {
      figures.failures += 1;
      log.failure('a cycle failed', error);
      throw error;
    }
  }

  /** Until the database is there; null: told to stop. */
  async function persisting<T>(work: () => Promise<T>): Promise<T | null> {
    for (let pause = AGAIN_MS; !ends.signal.aborted; pause = Math.min(AGAIN_MOST_MS, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
      await delay(pause, undefined, { signal: ends.signal, ref: false }).catch(() => {});
    }
    return null;
  }

  /** Requests report a database that is away; everything else is logged once, until it works again. */
  function failed(what: string, error: unknown): void {
    if (error instanceof DatabaseUnavailable || said === String(error)) return;
    said = String(error);
    log.failure(what, error);
  }
}

function daysOf({ through, over }: Behind): number {
  return Math.round((Date.parse(over) - Date.parse(through)) / 86_400_000);
}
