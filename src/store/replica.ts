/**
 * Reads from a replica, where it shows what the primary would. Which is decided each time, by one of two rules: the rows say themselves
 * that they are those of the primary (version or revision), or the replica has replayed everything that was committed when it was asked.
 * In all other cases, and whenever the replica is slow or away, the primary answers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Sql } from './db.ts';

export type Reader = {
  /** From the replica when what is found there `fits`, which is compared with what the primary has said. */
  fitting<T>(work: (sql: Sql) => Promise<T>, fits: (found: T) => boolean | Promise<boolean>): Promise<T>;
  /** From the replica once it has caught up with the primary as it is now: for lists and reports, which have no version. */
  current<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
};

/** How long a replica may take to catch up, or to answer at all, before the primary is asked instead. */
const CATCH_UP_MS = 40;
const POLL_MS = 4;
const PATIENCE_MS = 1_000;
/** A replica that failed is left alone for so long. */
const AWAY_MS = 1_000;

export function openReader(primary: Db, replica: Db | null): Reader {
  if (replica === null) return { fitting: (work) => work(primary), current: (work) => work(primary) };
  const from = replica;
  let awayUntil = Number.NEGATIVE_INFINITY;
  return {
    async fitting(work, fits) {
      const found = await tried(() => within(work(from)));
      return found !== null && (await fits(found.value)) ? found.value : work(primary);
    },
    async current(work) {
      if (performance.now() < awayUntil) return work(primary);
      const position = await positionOf(primary);
      const found = await tried(() =>
        // On one connection: another one may lead to another replica.
        from.transaction(async (tx) => ((await within(caughtUp(tx, position))) ? { value: await work(tx) } : null)),
      );
      return found?.value == null ? work(primary) : found.value.value;
    },
  };

  /** Null: the replica is away. A mistake of the statement itself is met again on the primary, which reports it. */
  async function tried<T>(ask: () => Promise<T>): Promise<{ value: T } | null> {
    if (performance.now() < awayUntil) return null;
    try {
      return { value: await ask() };
    } catch {
      awayUntil = performance.now() + AWAY_MS;
      return null;
    }
  }
}

/** Where the primary's log ends now. Everything that anybody was told of is before it. */
async function positionOf(primary: Sql): Promise<string> {
  const [row] = await primary.query<{ position: string }>('SELECT pg_current_wal_insert_lsn()::text AS position');
  return row?.position ?? '';
}

async function caughtUp(tx: Sql, position: string): Promise<boolean> {
  const end = performance.now() + CATCH_UP_MS;
  for (;;) {
    const [row] = await tx.query<{ there: boolean | null }>('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [
      position,
    ]);
    if (row?.there === true) return true;
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = delay(PATIENCE_MS, null, { ref: false, signal: late.signal }).then(() => {
    throw new Error('The replica is slow.');
  });
  try {
    return await Promise.race([work, timer]);
  } finally {
    timer.catch(() => {});
    late.abort();
  }
}

/**
 * Returns when everything committed before it is also on the synchronous replica, where there is one. A commit whose wait was cut short
 * by a crash or a cancellation is visible afterwards, so an answer that repeats it must not leave before this.
 */
export async function confirmReplicated(db: Sql): Promise<void> {
  await db.query(
    `SELECT CASE WHEN current_setting('synchronous_standby_names') <> '' THEN pg_logical_emit_message(true, 'daybook', '') END`,
  );
}
