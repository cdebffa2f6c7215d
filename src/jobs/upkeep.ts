/**
 * Background work of a running service. A database that cannot be reached is not logged here: requests report it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SEALED_AT_ONCE } from '../loans/ledger/ledger.ts';
import type { OpenLoans } from '../loans/open.ts';
import { dropDays, makeDays } from '../store/db/by-day.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { sweepReservations } from '../store/door/idempotency.ts';
import type { RootWatch } from './root-watch.ts';

export type UpkeepOptions = {
  loans: OpenLoans;
  db: Db;
  log: {
    event(name: string, facts?: Readonly<Record<string, string>>): void;
    failure(name: string, error: unknown, facts?: { readonly organizationId: string }): void;
    alarm(name: string, detail: string): void;
  };
  goesOn: () => boolean;
  roots: RootWatch;
};

/** The longest that a block waits to be sealed. */
const SEAL_EVERY_MS = 1_000;
/** Often, so that under load each turn is short and no payment waits long for the processor. */
const LINK_EVERY_MS = 200;
/** The longest that the feed takes to show what another process, or the cycle, has recorded. */
const TICK_EVERY_MS = 1_000;
/** Interval of the check for test clocks whose advance has stalled because their process has ended or is busy with others. */
const ADVANCE_EVERY_MS = 1_000;
/** Interval of the check for transfers that have become due. */
const TRANSFERS_EVERY_MS = 5_000;
/** Interval of the check for transfers of many loans that no process carries out. */
const RUNS_EVERY_MS = 1_000;
/** Interval of the check for dates whose positions were requested. */
const DATES_EVERY_MS = 1_000;
/** Interval at which counts of masked views are saved: a process that is killed loses no more. */
const SIGHTINGS_EVERY_MS = 60_000;
/** Interval at which the clock is compared with the database's. */
const CLOCK_EVERY_MS = 5_000;
/** Interval at which the newest root is kept outside the database, whichever process created it, and the kept one is checked. */
const ROOT_EVERY_MS = 2_000;
/** Daily table partitions are created days ahead, so that an hour more or less does not matter. */
const DAYS_EVERY_MS = 3_600_000;
/** The greatest age of the reservations that are checked each time: enough for a few hours without a check; at a start, a week. */
const SWEPT_HOURS = 30;
const SWEPT_HOURS_FIRST = 192;
/** The time after which infrequent work that failed is retried. */
const RETRY_MS = 60_000;

export function keepUp(options: UpkeepOptions): void {
  const { loans, db, log, goesOn, roots } = options;
  let lacking = false;
  let sweptHours = SWEPT_HOURS_FIRST;
  /** The last failure, so that it is logged once and not every time. */
  const failing = new Map<string, string>();
  let said = loans.door.clockProblem();
  if (said !== null) log.event('the clock is wrong', { detail: said });
  void every(SEAL_EVERY_MS, seal);
  void every(LINK_EVERY_MS, link);
  void every(TICK_EVERY_MS, () => tried('the feed could not be continued', continueFeed));
  void every(ADVANCE_EVERY_MS, goOnAdvancing);
  void every(TRANSFERS_EVERY_MS, () =>
    tried('transfers could not be carried out', () => loans.transfers.carryOutDue()),
  );
  void every(RUNS_EVERY_MS, () =>
    tried('transfers of many loans could not be carried out', () => loans.transfers.goOn(() => !goesOn())),
  );
  void every(DATES_EVERY_MS, () =>
    tried('positions of a date could not be computed', () => loans.reports.positionDates.goOn(() => !goesOn())),
  );
  void every(SIGHTINGS_EVERY_MS, () => tried('masked views could not be counted', loans.people.saveSightings));
  void every(CLOCK_EVERY_MS, checkClock);
  void every(ROOT_EVERY_MS, watchRoots);
  db.onMoved(() => void watchRoots());
  void every(DAYS_EVERY_MS, () => tried('daily table partitions could not be maintained', keepDays));

  /** Work that returns null has failed. */
  async function every(ms: number, work: () => Promise<unknown>): Promise<void> {
    while (goesOn()) {
      const done = await work();
      await delay(done === null ? Math.min(ms, RETRY_MS) : ms, undefined, { ref: false });
    }
  }

  async function tried<T>(failed: string, work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work();
      failing.delete(failed);
      return done;
    } catch (error) {
      // Work that a stop interrupts is done by another process or after the next start.
      if (!goesOn() || error instanceof DatabaseUnavailable || failing.get(failed) === String(error)) return null;
      failing.set(failed, String(error));
      log.failure(failed, error);
      return null;
    }
  }

  /** A failed advance is retried after a growing pause, so that each failure can be logged. */
  async function goOnAdvancing(): Promise<void> {
    const failed = 'a test clock could not be advanced';
    for (const { error, organizationId } of (await tried(failed, loans.cycle.goOnAdvancing)) ?? [])
      log.failure(failed, error, { organizationId });
  }

  /** Many at a time: one block costs as much as two hundred. Without a pause only when sealing falls behind. */
  async function seal(): Promise<void> {
    let sealed: number;
    do {
      sealed = (await tried('blocks could not be sealed', loans.ledger.seal)) ?? 0;
    } while (sealed >= SEALED_AT_ONCE && goesOn());
  }

  /** Not in a database that was set back: its numbers would be given a second time. */
  async function continueFeed(): Promise<void> {
    if (roots.problem() === null) await loans.feed.look();
  }

  /** Beside the sealing, whose turn can take seconds on a busy server. */
  async function link(): Promise<void> {
    await tried('the audit trail could not be linked', loans.ledger.link);
  }

  async function watchRoots(): Promise<void> {
    const found = await tried('the last ledger root could not be saved', async () => ({ why: await roots.look() }));
    if (found === null || (found.why !== null) === lacking) return;
    lacking = found.why !== null;
    db.changed();
    if (found.why === null) log.event('the database contains the last ledger root again');
    else log.alarm('the database was rolled back or replaced', found.why);
  }

  /** While the clock is wrong nothing is written. Without an answer the last result stays in force. */
  async function checkClock(): Promise<void> {
    const found = await loans.door.checkClock().catch(() => said);
    if ((found === null) !== (said === null)) {
      if (found === null) log.event('the clock is right again');
      else log.event('the clock is wrong', { detail: found });
    }
    said = found;
  }

  async function keepDays(): Promise<void> {
    await makeDays(db);
    await dropDays(db);
    for (let volume = 0; volume < db.volumes.count && goesOn(); volume++)
      await sweepReservations(db, volume, sweptHours);
    sweptHours = SWEPT_HOURS;
  }
}
