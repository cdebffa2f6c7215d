/**
 * Reads from a replica where it returns the same as the primary. This is decided each time, by one of two rules: the rows themselves show
 * that they are those of the primary (version or revision), or the replica has replayed everything that was committed at the time of the request,
 * on the timeline of the primary: the replica of a former primary may have replayed other changes.
 * In all other cases, and whenever the replica is slow or unavailable, the primary answers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Sql } from './db.ts';

export type Reader = {
  /** From the replica when its result `fits` what the primary has returned. */
  fitting<T>(work: (sql: Sql) => Promise<T>, fits: (found: T) => boolean | Promise<boolean>): Promise<T>;
  /** From the replica once it has caught up with the primary as it is now: for lists and reports, which have no version. */
  current<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
};

/** The time that a replica may take to catch up, or to answer at all, before the primary is used instead. */
const CATCH_UP_MS = 40;
const POLL_MS = 4;
const PATIENCE_MS = 1_000;
/** The time for which a replica that failed is not used. */
const AWAY_MS = 1_000;

/** Does the work when it is the caller's turn at the replica. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** The reader of one caller combines the primary as that caller reaches it and its turns at the replica. */
export function openReader(replica: Db | null): (primary: Sql, inTurn: InTurn) => Reader {
  if (replica === null) return (primary) => ({ fitting: (work) => work(primary), current: (work) => work(primary) });
  const positionOf = openPositions();
  let awayUntil = Number.NEGATIVE_INFINITY;
  const isAway = () => performance.now() < awayUntil;

  /**
   * Null: the replica is unavailable. An error in the statement itself occurs again on the primary, which reports it. Time spent waiting for
   * the turn does not count: one caller with much to read does not make the replica count as unavailable for the others.
   */
  async function tried<T>(inTurn: InTurn, ask: () => Promise<T>): Promise<{ value: T } | null> {
    if (isAway()) return null;
    return inTurn(async () => {
      if (isAway()) return null;
      try {
        return { value: await ask() };
      } catch {
        awayUntil = performance.now() + AWAY_MS;
        return null;
      }
    });
  }

  return (primary, inTurn) => ({
    async fitting(work, fits) {
      const found = await tried(inTurn, () => within(work(replica)));
      return found !== null && (await fits(found.value)) ? found.value : work(primary);
    },
    async current(work) {
      if (isAway()) return work(primary);
      const position = await positionOf(primary);
      const found = await tried(inTurn, () => onceCaughtUp(replica, position, work));
      return found?.value == null ? work(primary) : found.value.value;
    },
  });
}

/** Null: it has not caught up in time. All on one connection: another connection may lead to another replica. */
async function onceCaughtUp<T>(replica: Db, position: Position, work: (sql: Sql) => Promise<T>) {
  const caught = Promise.withResolvers<void>();
  let given = true;
  const read = replica.transaction(async (tx) => {
    if (!(await caughtUp(tx, position)) || !given) return null;
    caught.resolve();
    return { value: await work(tx) };
  });
  // The limit covers getting a connection and catching up. The report itself may take longer.
  await within(Promise.race([caught.promise, read])).catch((error: unknown) => {
    given = false;
    read.catch(() => {});
    throw error;
  });
  return read;
}

/** The end of the log of a primary. Timeline 0: the server does not reveal it. */
type Position = { readonly lsn: string; readonly timeline: number };

/**
 * The end of the primary's log now, as far as a caller can have seen it. A commit is visible once it is flushed, unless the server
 * does not wait for that. Records after it (a page that a read has pruned) may stay unflushed for seconds and never reach a replica.
 */
const LSN = `(CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END)::text AS lsn`;
/** The control data is read here so that a server that withholds it fails here, and not on its replica. */
const POSITION = `SELECT ${LSN}, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS timeline
  FROM pg_control_checkpoint()`;
const BARE_POSITION = `SELECT ${LSN}, 0 AS timeline`;

function openPositions(): (primary: Sql) => Promise<Position> {
  let text = POSITION;
  const ask = async (primary: Sql) => (await primary.query<Position>(text))[0] as Position;
  return (primary) =>
    ask(primary).catch((error: unknown) => {
      // The function does not exist there, or is not allowed.
      if (text === BARE_POSITION || !/^(0A|42)/.test(String((error as { code?: unknown }).code))) throw error;
      text = BARE_POSITION;
      return ask(primary);
    });
}

const REPLAYED = 'pg_last_wal_replay_lsn() >= $1::pg_lsn';
/**
 * The timeline that a replica receives, which only a member of pg_read_all_stats may see; for others, that of its last restart point, which
 * after a promotion is some minutes behind: the primary answers until then.
 */
const ON_TIMELINE =
  'coalesce((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint())) >= $2';

async function caughtUp(tx: Sql, { lsn, timeline }: Position): Promise<boolean> {
  const end = performance.now() + CATCH_UP_MS;
  const isThere = timeline === 0 ? REPLAYED : `${REPLAYED} AND ${ON_TIMELINE}`;
  const values = timeline === 0 ? [lsn] : [lsn, timeline];
  for (;;) {
    const [row] = await tx.query<{ there: boolean | null }>(`SELECT ${isThere} AS there`, values);
    if (row?.there === true) return true;
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = delay(PATIENCE_MS, null, { ref: false, signal: late.signal }).then(() => {
    throw new Error('The replica did not answer in time.');
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
