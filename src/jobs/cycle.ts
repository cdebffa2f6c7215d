/**
 * Runs the nightly cycles: every process checks twice a minute for organizations that have days to run and queues one job for each, and
 * works on one job at a time. The queue is pg-boss on our own connections, so that it follows a failover as everything else does; it ensures
 * that an organization is run by one process at a time, and that another one takes over when that process dies. Correctness does not depend
 * on it: two concurrent runs write the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import type { Behind, CyclesRun, Nights } from '../loans/cycle/nights.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';

export type CycleJobOptions = {
  cycles: Nights;
  db: Db;
  log: {
    event(name: string, facts?: Readonly<Record<string, string | number>>): void;
    failure(name: string, error: unknown, facts?: { readonly organizationId: string }): void;
  };
  /** Seconds between two polls of the queue; at least 0.5. */
  pollSeconds?: number;
  lookMs?: number;
  /** Seconds between two checks for jobs whose process has died. */
  superviseSeconds?: number;
};

/** For the metrics. */
export type CycleFigures = {
  /** The days that the organization furthest behind has to run. */
  readonly daysBehind: number;
  readonly organizationsBehind: number;
  readonly days: number;
  readonly loans: number;
  readonly exceptions: number;
  readonly failures: number;
};

/** Before the first cycle. */
export const NO_CYCLES: CycleFigures = {
  ...{ daysBehind: 0, organizationsBehind: 0 },
  ...{ days: 0, loans: 0, exceptions: 0, failures: 0 },
};

export type CycleJobs = { figures(): CycleFigures; stop(): Promise<void> };

const QUEUE = 'cycle';
const NOT_QUEUED = 'cycles could not be queued';
const QUEUE_FAILED = 'the queue of cycles failed';
const LOOK_MS = 30_000;
const POLL_SECONDS = 5;
/** A process that has not reported for this long has died, and its job is given to another. */
const HEARTBEAT_SECONDS = 60;
const SUPERVISE_SECONDS = 60;
const EXPIRES_SECONDS = 12 * 3_600;
/** An unavailable database is retried after this time, doubled each time up to the maximum. */
const AGAIN_MS = 500;
const AGAIN_MOST_MS = 15_000;

type Job = { organizationId: string };

export function startCycleJobs(options: CycleJobOptions): CycleJobs {
  const {
    cycles,
    db,
    log,
    pollSeconds = POLL_SECONDS,
    lookMs = LOOK_MS,
    superviseSeconds = SUPERVISE_SECONDS,
  } = options;
  const figures = { ...NO_CYCLES };
  const ends = new AbortController();
  const boss = new PgBoss({
    db: { executeSql: async (text, values) => ({ rows: await asked(db.script(text, values ?? [])) }) },
    schema: 'pgboss',
    backend: db.volumes.sharded ? 'citus' : 'postgres',
    // pg-boss's own schedules are not used: a day ends by the clock of its organization.
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  /** The message last logged, by the operation that failed. */
  const said = new Map<string, string>();
  let waits = false;
  boss.on('error', (told) => failed(QUEUE_FAILED, asError(told)));
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
        said.delete(NOT_QUEUED);
        await goesOn();
      } catch (error) {
        failed(NOT_QUEUED, error);
        // The backlog is reported in any case.
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
        return mine === undefined ? null : cycles.runCyclesThrough(organizationId, mine.over, { onDay });
      });
      said.delete(QUEUE_FAILED);
      if (done === null || done.days === 0) return;
      log.event('cycles run', { organizationId, ...done });
    } catch (error) {
      figures.failures += 1;
      log.failure('a cycle failed', error, { organizationId });
      throw error;
    }
  }

  function onDay({ loans, exceptions }: Omit<CyclesRun, 'days'>): void {
    figures.days += 1;
    figures.loans += loans;
    figures.exceptions += exceptions;
  }

  /** Waits until the database is available; null: stopped. */
  async function persisting<T>(work: () => Promise<T>): Promise<T | null> {
    for (let pause = AGAIN_MS; !ends.signal.aborted; pause = Math.min(AGAIN_MOST_MS, pause * 2)) {
      try {
        const done = await asked(work());
        await goesOn();
        return done;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
      await delay(pause, undefined, { signal: ends.signal, ref: false }).catch(() => {});
    }
    return null;
  }

  /** For every use of the database: that it is unavailable is logged once, until it is available again. Everything here waits for it. */
  async function asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !waits && !ends.signal.aborted) {
        waits = true;
        log.event('cycles are waiting for the database', whyAway(error));
      }
      throw error;
    }
  }

  /** The database has answered. Answers of a read-only server or a standby do not count. */
  async function goesOn(): Promise<void> {
    if (!waits || !(await db.takesWrites()) || !waits) return;
    waits = false;
    log.event('cycles resumed: the database is available again');
  }

  /** Logged once, until it works again. A worker of pg-boss adds its queue and its id to a message; the monitor of the queue does not. */
  function failed(what: string, error: unknown): void {
    const { name, message } = asError(error);
    const told = message.split(' (Queue: ')[0] ?? '';
    if (error instanceof DatabaseUnavailable || UNAVAILABLE.has(name) || said.get(what) === told) return;
    said.set(what, told);
    log.failure(what, error);
  }
}

const UNAVAILABLE: ReadonlySet<string> = new Set(['DatabaseUnavailable', 'OutcomeUnknown']);

/**
 * pg-boss reports many errors as plain copies: without their class and, unless it was set on the error itself, without their name,
 * which the stack begins with.
 */
function asError(told: unknown): Error {
  if (told instanceof Error) return told;
  const { name, message, stack, code } = (typeof told === 'object' && told !== null ? told : {}) as Partial<
    Error & { code: unknown }
  >;
  const kind = name ?? /^[A-Z]\w{0,40}(?=:|\n|$)/.exec(stack ?? '')?.[0] ?? 'Error';
  return Object.assign(new Error(message ?? 'unknown'), { name: kind, stack: stack ?? '', code });
}

/** The code of the server or the system, which quotes nothing. */
function whyAway({ cause }: DatabaseUnavailable): { code?: string } {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^\w{1,20}$/.test(code) ? { code } : {};
}

function daysOf({ through, over }: Behind): number {
  return Math.round((Date.parse(over) - Date.parse(through)) / 86_400_000);
}
