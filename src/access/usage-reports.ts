/**
 * Limits that hold across processes. Each process decides from counts in its own memory, without asking another. What it has counted since
 * the last time it reports, many counts in one statement, and with the same statement it reads what the others have counted and adds that
 * to its own. So every process knows all counts within a second, wherever they were made, and no request waits for a write.
 *
 * Reports are differences. A reporter numbers them, and a reader keeps the last number of each, so none is added twice or left out. Times
 * are reported as ages by the clock of the database: the clocks of the processes may differ. A process that has ended leaves at most a minute
 * and a half of reports, and one that starts reads them. While the database is unavailable each process continues alone; no
 * caller is refused because of it.
 */
import { randomUUID } from 'node:crypto';
import { exchangeUsage, REPORT_KEPT_MS, type UsageCounts, type UsageLine } from '../store/access/usage.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';

/** A count that every process keeps, and whose sum over all processes decides. */
export type Tally = {
  /** Counts that were not taken yet, the largest first, at most this many lines. The rest may be taken later. */
  takeUnreported(most: number): UsageLine[];
  /** Adds what another process counted this long ago. */
  addReported(lines: readonly UsageLine[], ageMs: number): void;
};

/** A report may be read just after it was due: two of these are less than a second, with time for both statements. */
const EXCHANGE_MS = 400;
/** Lines of one tally in one report: some 40 bytes each. */
const LINES = 500;

export type UsageReports = {
  /** One exchange. It never throws: after a failure the counts stay in memory for the next one. */
  exchange(): Promise<void>;
  start(): void;
  stop(): void;
};

export function openUsageReports(options: {
  db: Db;
  tallies: Readonly<Record<string, Tally>>;
  /** Monotonic milliseconds. */
  monotonic: () => number;
  /** Called with the first of several failures other than an unavailable database. */
  onFailure?: (error: unknown) => void;
}): UsageReports {
  const { db, tallies, monotonic, onFailure = () => {} } = options;
  const reporter = randomUUID();
  /** The last report that was read from each other process, and when. */
  const heard = new Map<string, { number: number; at: number }>();
  /** Taken from the tallies but not known to be stored. It is sent again under the same number. */
  let unsent: { number: number; countedAt: number; counts: UsageCounts } | null = null;
  let lastNumber = 0;
  let underWay: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failed = false;

  function take(): typeof unsent {
    const counts = Object.entries(tallies)
      .map(([name, tally]) => [name, tally.takeUnreported(LINES)] as const)
      .filter(([, lines]) => lines.length > 0);
    if (counts.length === 0) return null;
    lastNumber += 1;
    return { number: lastNumber, countedAt: monotonic(), counts: Object.fromEntries(counts) };
  }

  async function exchangeOnce(): Promise<void> {
    const now = monotonic();
    for (const [other, { at }] of heard) if (now - at > 2 * REPORT_KEPT_MS) heard.delete(other);
    if (unsent !== null && now - unsent.countedAt >= REPORT_KEPT_MS) unsent = null;
    unsent ??= take();
    const reports = await exchangeUsage(db, {
      reporter,
      report: unsent && { number: unsent.number, agoMs: now - unsent.countedAt, counts: unsent.counts },
      heard: new Map(Array.from(heard, ([other, { number }]) => [other, number])),
    });
    unsent = null;
    failed = false;
    for (const { reporter: other, number, ageMs, counts } of reports) {
      heard.set(other, { number, at: monotonic() });
      for (const [name, lines] of Object.entries(counts)) tallies[name]?.addReported(lines, ageMs);
    }
  }

  function exchange(): Promise<void> {
    underWay ??= exchangeOnce()
      .catch((error: unknown) => {
        if (error instanceof DatabaseUnavailable || failed) return;
        failed = true;
        onFailure(error);
      })
      .finally(() => {
        underWay = null;
      });
    return underWay;
  }

  return {
    exchange,
    start() {
      timer ??= setInterval(() => void exchange(), EXCHANGE_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
