/**
 * Opens the feed of this process. A tick follows every write of this process, at once when it is quiet and a few times a second when it is
 * not; what other processes write, and what one that died has left, is found by looking once a second.
 */
import type { Db } from '../../store/db/db.ts';
import { makeTick, readLastTick, saveNote } from '../../store/feed/feed.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Feed, FeedAsked, FeedReach } from './feed.ts';
import { openFollowers } from './follow.ts';
import { cursorOf, endOf, tickOf } from './place.ts';
import { readFeed } from './read.ts';

export type OpenFeed = Feed & {
  /** This process has committed events. */
  wrote(): void;
  /** Ends the readers who stay: they come back to another process, or after the next start. */
  stopFollowing(): void;
  /** Makes a tick if there is anything new; `keepUp` calls it. */
  look(): Promise<void>;
  close(): Promise<void>;
};

/** The least time between two ticks of a process. A tick is a commit, and each reader of the feed is told by it. */
const BETWEEN_MS = 100;
/** The batches of two lanes often end together. */
const AT_ONCE_MS = 5;
/** How often ticks of other processes are looked for while somebody waits. */
const ELSEWHERE_MS = 250;

export function openFeed({ db, reads, clock }: { db: Db; reads: FairReads; clock: () => number }): OpenFeed {
  let last = 0;
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
    wake();
  });

  return {
    read,
    follow: followers.follow,
    stopFollowing: followers.stop,
    async head() {
      await look();
      return cursorOf(endOf(await readLastTick(db)));
    },
    changed,
    caughtUp,
    note: (tx, organizationId, note) => saveNote(tx, { organizationId, ...note, at: new Date(clock()) }),
    wrote() {
      if (closed) return;
      if (busy) again = true;
      else schedule();
    },
    look,
    async close() {
      closed = true;
      followers.stop();
      if (timer !== null) clearTimeout(timer);
      scheduled.resolve();
      if (watch !== null) clearInterval(watch);
      wake();
      await ticking;
    },
  };

  function read(reach: FeedReach, asked: FeedAsked) {
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
    ticking = makeTick(db)
      .then(arrived)
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
