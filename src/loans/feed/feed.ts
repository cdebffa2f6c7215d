/**
 * Opens the feed of this process. A tick follows every write of this process, at once when it is quiet and a few times a second when it is
 * not; what other processes write, and what one that died has left, is found by looking once a second.
 */
import type { Db, Sql } from '../../store/db/db.ts';
import { makeTick, readLastTick, saveNote } from '../../store/feed/feed.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { NoteType } from './catalogue.ts';
import { openFollowers } from './follow.ts';
import { endOf, feedCursorOf, tickOf } from './place.ts';
import { type FeedQuery, type FeedReach, readFeed } from './read.ts';

/** The least time between two ticks of a process. A tick is a commit, and each reader of the feed is told by it. */
const BETWEEN_MS = 100;
/** The batches of two lanes often end together. */
const AT_ONCE_MS = 5;
/** The interval at which ticks of other processes are looked for while somebody waits. */
const ELSEWHERE_MS = 250;

export type Feed = ReturnType<typeof openFeed>;

export type FeedOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  /** Called when the database has fewer ticks than it had: it was set back to an older copy. */
  onSetBack?: () => void;
};

export function openFeed({ db, reads, clock, onSetBack }: FeedOptions) {
  let last = 0;
  /** The times that the database has moved or was set back. */
  let moves = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let scheduled = Promise.withResolvers<void>();
  let ticking: Promise<void> = Promise.resolve();
  let again = false;
  let busy = false;
  let closed = false;
  const waiting = new Set<() => void>();
  let watch: NodeJS.Timeout | null = null;
  const followers = openFollowers({ read, changed });
  // Numbers of ticks may have been given back with the last writes of a failed server.
  db.onMoved(() => {
    last = 0;
    moves += 1;
    wake();
  });

  return {
    read,
    /** Pages as they come. `too many`: the organization has as many readers as it may have; `full`: the process has. */
    follow: followers.follow,
    /** Ends the readers who stay: they come back to another process, or after the next start. */
    stopFollowing: followers.stop,
    /** The cursor behind everything that is in the feed now. */
    async head(): Promise<string> {
      await look();
      return feedCursorOf(endOf(await readLastTick(db)));
    },
    changed,
    caughtUp,
    /** Within a transaction: records an event of an organization that is not of a loan. */
    note: (tx: Sql, organizationId: string, note: { readonly type: NoteType; readonly subject: string }) =>
      saveNote(tx, { organizationId, ...note, at: new Date(clock()) }),
    /** This process has committed events. */
    wrote(): void {
      if (closed) return;
      if (busy) again = true;
      else schedule();
    },
    /** Makes a tick if there is anything new. */
    look,
    async close(): Promise<void> {
      closed = true;
      followers.stop();
      if (timer !== null) clearTimeout(timer);
      scheduled.resolve();
      if (watch !== null) clearInterval(watch);
      wake();
      // A tick that fails is made by another process, or after the next start.
      await ticking.catch(() => {});
    },
  };

  /** `unknown cursor`: it is not of this feed, or of one that was rolled back. */
  function read(reach: FeedReach, asked: FeedQuery) {
    return readFeed(reads(reach), reach, asked);
  }

  /** A tick that began before the call does not count: it may lack what was committed just now. */
  async function look(): Promise<void> {
    if (busy) await ticking.catch(() => {});
    await tick();
  }

  /** At once when it was quiet. */
  function schedule(): void {
    if (timer !== null) return;
    scheduled = Promise.withResolvers();
    timer = setTimeout(soon, Math.max(AT_ONCE_MS, lastAt + BETWEEN_MS - performance.now())).unref();
  }

  function soon(): void {
    timer = null;
    // A failure is noticed by the next look, which reports it.
    void tick()
      .catch(() => {})
      .then(scheduled.resolve);
  }

  /** Until what this process had committed before the call is in the feed: who has got an answer finds its event. */
  async function caughtUp(): Promise<void> {
    if (busy) await ticking.catch(() => {});
    if (timer !== null) await scheduled.promise;
  }

  /** One at a time in this process; what is written meanwhile is in the next. */
  function tick(): Promise<void> {
    if (busy) {
      again = true;
      return ticking;
    }
    busy = true;
    const before = { last, moves };
    ticking = makeTick(db)
      .then((number) => {
        // Ticks are never given back by a server that keeps what it has committed.
        if (number < before.last && moves === before.moves) onSetBack?.();
        arrived(number);
      })
      .finally(() => {
        busy = false;
        lastAt = performance.now();
        if (again && !closed) schedule();
        again = false;
      });
    return ticking;
  }

  function arrived(number: number): void {
    if (number <= last) return;
    last = number;
    wake();
  }

  function wake(): void {
    for (const one of [...waiting]) one();
  }

  /** Resolves when there may be something after the cursor, after so many milliseconds, or when `signal` aborts. */
  function changed(after: string, ms: number, signal?: AbortSignal): Promise<void> {
    if (last > tickOf(after) || closed || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(limit);
        signal?.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0 && watch !== null) {
          clearInterval(watch);
          watch = null;
        }
        resolve();
      };
      const limit = setTimeout(done, ms).unref();
      signal?.addEventListener('abort', done);
      waiting.add(done);
      watch ??= setInterval(() => void readLastTick(db).then(arrived, () => {}), ELSEWHERE_MS).unref();
    });
  }
}
