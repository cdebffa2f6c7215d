/**
 * Delivers to one endpoint: reads the feed, sends what may be sent, and saves what came of it. The process holds the endpoint's lease
 * meanwhile; without it nothing is sent or saved. What was sent and not saved is sent again, with the same id.
 */
import { matches } from '../loans/feed/catalogue.ts';
import type { Feed } from '../loans/feed/feed.ts';
import type { FeedEvent, FeedReach } from '../loans/feed/read.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { type DeliveryRow, openReplays, readWaitingDeliveries, type WaitingRow } from '../store/webhooks/deliveries.ts';
import { type EndpointRow, pauseLeased, readLeased } from '../store/webhooks/webhooks.ts';
import { type Attempted, attempt, type Posting, type Target } from './attempt.ts';
import { openBreaker } from './breaker.ts';
import { newDeliveryId } from './ids.ts';
import { type Item, type Lane, loanOf, openLane, type Restored } from './lane.ts';
import { isStillVisible } from './reach.ts';
import type { Reading } from './reading.ts';
import { openReplay, type Replay } from './replay.ts';
import { type Batch, isNothing, restored, rowOf, saveBatch } from './saving.ts';
import { DAY, waitAfter } from './waits.ts';
import { openWaking, pause } from './waking.ts';

export type WorkerOptions = Posting & {
  readonly db: Db;
  readonly feed: Feed;
  readonly random: () => number;
  readonly processId: string;
  /** The reach of the organization in the feed, read fresh. */
  readonly reachOf: (organizationId: string) => Promise<FeedReach>;
  readonly read: Reading;
  /** The secrets that sign now, the newest first. */
  readonly secretsOf: (row: EndpointRow, now: number) => string[];
  readonly counts: Record<'delivered' | 'failed' | 'dead', number>;
  readonly onPaused: (endpointId: string, because: 'gone' | 'failing') => void;
  readonly onFailure: (what: string, error: unknown) => void;
};

export type Worker = {
  /** Until when, by the monotonic clock, the lease is certain. */
  lease(until: number): void;
  /** Sends nothing more, waits up to `drainMs` for what is under way, and saves. */
  stop(drainMs: number): Promise<void>;
  /** Epoch milliseconds at which the oldest event that is not delivered was recorded; null: there is none. */
  oldest(): number | null;
  /** Resolves when it has ended by itself or was stopped. */
  readonly ended: Promise<void>;
};

/** Requests under way, in all and of a replay. */
const IN_FLIGHT = 16;
const IN_FLIGHT_REPLAY = 8;
/** Between two saves: what is delivered meanwhile is saved together. */
const SAVE_EVERY_MS = 100;
/** A cursor that has moved past nothing but other events is saved this often. */
const CURSOR_EVERY_MS = 10_000;
/** The feed is asked at least this often, also when nobody has told of a change. */
const LOOK_EVERY_MS = 5_000;
const RETRY_MS = 500;

export function startWorker(options: WorkerOptions, endpointId: string, leasedUntil: number): Worker {
  const { db, feed, clock, monotonic, random, processId, counts } = options;
  const ends = new AbortController();
  let leaseUntil = leasedUntil;
  let [row, live, replay]: [EndpointRow | null, Lane | null, Replay | null] = [null, null, null];
  let breaker = openBreaker({ failures: 0, failingSince: null, heldUntil: null, isDown: false }, random);
  let [flying, flyingReplay] = [0, 0];
  let [stopping, over] = [false, false];
  let pausing: Promise<void> | null = null;
  let log: DeliveryRow[] = [];
  let [deliveredAt, cursorSavedAt, savedCursor]: [number | null, number, string | null] = [null, 0, null];
  let timer: NodeJS.Timeout | undefined;
  const { wake, wakened } = openWaking();
  /** Waits are measured by a clock that nobody sets: it begins with the time of day and goes on by itself. */
  const began = clock() - monotonic();
  const steady = () => began + monotonic();

  const ended = run().finally(() => {
    over = true;
    stopping = true;
    ends.abort();
    clearTimeout(timer);
    wake();
  });
  return {
    ended,
    lease(until) {
      leaseUntil = until;
      pump();
    },
    async stop(drainMs) {
      stopping = true;
      ends.abort();
      wake();
      const until = monotonic() + drainMs;
      while (flying > 0 && !over && monotonic() < until) await pause(Math.min(50, drainMs));
      over = true;
      wake();
      await ended;
    },
    oldest() {
      const at = live?.oldest() ?? null;
      return at === null ? null : Date.parse(at);
    },
  };

  async function run(): Promise<void> {
    const ready = await insist(async () => {
      const found = await readLeased(db, processId, endpointId);
      if (found === null) return null;
      return { found, waiting: await readWaitingDeliveries(db, endpointId, '') };
    });
    if (ready === null) return;
    row = ready.found;
    const { failures, failing_since, held_until, is_down: isDown, cursor } = row;
    const failingSince = failing_since === null ? null : Math.min(failing_since.getTime(), steady());
    breaker = openBreaker(
      { failures, failingSince, heldUntil: held_until && soon(held_until.getTime()), isDown },
      random,
    );
    live = openLane('', cursor, ready.waiting.filter(isWanted).map(taken));
    // Types that are no longer wanted are not delivered any more.
    const unwanted = ready.waiting.filter((one) => !isWanted(one)).map(({ lane, eventId }) => ({ lane, eventId }));
    savedCursor = cursor;
    pump();
    await Promise.all([reading(), replaying(), saving(unwanted)]);
    // Not over before: it would be taken for an active endpoint without a worker.
    await pausing;
  }

  /** Nothing waits longer than a day, whatever the clock was when it was saved. */
  function soon(at: number): number {
    return Math.min(at, steady() + DAY);
  }

  function taken(waiting: WaitingRow): Restored {
    const one = restored(waiting);
    return { ...one, nextAt: soon(one.nextAt) };
  }

  function isWanted({ event }: { event: string }): boolean {
    return matches(row?.types ?? [], (JSON.parse(event) as FeedEvent).type);
  }

  // ---- reading ----

  async function reading(): Promise<void> {
    while (!stopping && row !== null && live !== null) {
      if (!live.hasRoom()) {
        await wakened(LOOK_EVERY_MS);
        continue;
      }
      const lane = live;
      const page = await insist(() => read(lane.readTo, row?.types ?? [], 'shared'));
      if (page === null || stopping) return;
      live.add(page.placed, page.nextCursor, page.reach);
      if (page.placed.length > 0) pump();
      if (!page.more) await feed.changed(page.nextCursor, LOOK_EVERY_MS, ends.signal);
    }
  }

  async function read(after: string | null, types: readonly string[], asked: 'shared' | 'fresh') {
    const page = await options.read((row as EndpointRow).organization_id, after, types, asked);
    if (page === 'unknown cursor') {
      // A server that took over may lack the last writes. What is stored went back with them: from there it begins anew.
      giveUp();
      throw new Error('The cursor of a webhook endpoint is not in the feed.');
    }
    // That it was paused is told to others.
    return { ...page, placed: page.placed.filter(({ event }) => event.subject !== endpointId) };
  }

  function giveUp(): void {
    stopping = true;
    over = true;
    ends.abort();
    wake();
  }

  /** One replay after the other, beside the live events. It ends with the feed, so no page is one that was read before it began. */
  async function replaying(): Promise<void> {
    while (!stopping) {
      const found = await insist(async () => {
        const [first] = await openReplays(db, endpointId);
        return first === undefined
          ? null
          : { first, waiting: await readWaitingDeliveries(db, endpointId, first.replay_id) };
      });
      if (found === null || stopping) return;
      const one = openReplay(found.first, found.waiting.map(taken), db.volumes.count);
      replay = one;
      pump();
      while (!stopping && !one.hasRead()) {
        if (!one.lane.hasRoom()) {
          await wakened(LOOK_EVERY_MS);
          continue;
        }
        const page = await insist(() => read(one.lane.readTo, row?.types ?? [], 'fresh'));
        if (page === null || stopping) return;
        one.add(page);
        pump();
      }
      while (!stopping && !one.isEnded()) await wakened(LOOK_EVERY_MS);
    }
  }

  // ---- sending ----

  function pump(): void {
    if (stopping || live === null || row === null || monotonic() >= leaseUntil) return;
    const now = steady();
    const allowed = breaker.allows(now);
    if (typeof allowed === 'object') {
      wakeAt(allowed.from - now);
      return;
    }
    const probing = allowed === 'one';
    while (flying < (probing ? 1 : IN_FLIGHT)) {
      const item =
        live.next(now, probing) ?? (flyingReplay < IN_FLIGHT_REPLAY ? (replay?.lane.next(now, probing) ?? null) : null);
      if (item === null) break;
      void send(item);
    }
    const due = [live.dueAt(), replay?.lane.dueAt() ?? null].filter((at) => at !== null);
    if (due.length > 0) wakeAt(Math.min(...due) - now);
  }

  function wakeAt(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(pump, Math.min(Math.max(ms, 1), 60_000));
    timer.unref();
  }

  async function send(item: Item): Promise<void> {
    const isReplay = item.lane !== '';
    flying += 1;
    if (isReplay) flyingReplay += 1;
    try {
      const lane = laneOf(item);
      const { organization_id: organizationId } = row as EndpointRow;
      if (item.event.loanId !== null && !(await isStillVisible(feed, await options.reachOf(organizationId), item))) {
        if (!over) lane.dropped(item);
        return;
      }
      const attempted = await attempt(options, target(), item.event);
      if (!over) settle(lane, item, attempted);
    } catch (error) {
      failure('a webhook could not be sent', error);
      if (!over) laneOf(item).putBack(item, steady() + RETRY_MS);
    } finally {
      flying -= 1;
      if (isReplay) flyingReplay -= 1;
      pump();
      wake();
    }
  }

  function target(): Target {
    const { url } = row as EndpointRow;
    return { url, secrets: options.secretsOf(row as EndpointRow, clock()) };
  }

  function laneOf({ lane }: Item): Lane {
    return lane === '' || replay === null ? (live as Lane) : replay.lane;
  }

  function settle(lane: Lane, item: Item, attempted: Attempted): void {
    const now = steady();
    const { status, failure: kind, retryAfterMs } = attempted;
    const number = item.attempts + 1;
    let outcome: DeliveryRow['outcome'] = 'delivered';
    if (kind === null) {
      lane.delivered(item);
      deliveredAt = clock();
      if (breaker.succeeded()) for (const one of [live, replay?.lane]) one?.hurry(now);
    } else {
      item.firstFailedAt ??= now;
      item.lastOutcome = status === null ? kind : String(status);
      if (status !== 410) breaker.failed(now, loanOf(item), retryAfterMs);
      // Attempts while the endpoint is down do not count: it is paused after a day, and then nothing is lost.
      const steps = item.steps + (breaker.isDown() ? 0 : 1);
      const wait = waitAfter(Math.max(steps, 1), random);
      outcome = wait === null ? 'dead' : 'failed';
      if (wait === null) lane.dead(item, now);
      else lane.failed(item, now + Math.max(wait, retryAfterMs ?? 0), steps);
      if (!live?.hasFailed() && replay?.lane.hasFailed() !== true) breaker.cleared();
    }
    if (lane !== live) replay?.settled(outcome);
    counts[outcome] += 1;
    log.push({
      deliveryId: newDeliveryId(attempted.at),
      endpointId,
      eventId: item.event.id,
      type: item.event.type,
      loanId: item.event.loanId,
      attempt: number,
      at: new Date(attempted.at),
      ms: attempted.ms,
      status,
      failure: kind,
      outcome,
      replayId: item.lane === '' ? null : item.lane,
    });
    if (status === 410) pausing ??= pauseEndpoint('gone');
    else if (kind !== null && breaker.isHopeless(now)) pausing ??= pauseEndpoint('failing');
  }

  /** The organization's other endpoints are told. */
  async function pauseEndpoint(because: 'gone' | 'failing'): Promise<void> {
    if (stopping) return;
    stopping = true;
    const { organization_id: organizationId } = row as EndpointRow;
    try {
      const paused = await db.transaction(async (tx) => {
        const { resets, lease } = row as EndpointRow;
        const how = { because, at: new Date(clock()), resets, lease };
        if (!(await pauseLeased(tx, processId, endpointId, how))) return false;
        await feed.note(tx, organizationId, { type: 'webhook_endpoint.paused', subject: endpointId });
        return true;
      });
      if (paused) options.onPaused(endpointId, because);
    } catch (error) {
      failure('a webhook endpoint could not be paused', error);
    }
    ends.abort();
    wake();
  }

  // ---- saving ----

  async function saving(unwanted: Batch['remove']): Promise<void> {
    let batch = collect();
    batch.remove.push(...unwanted);
    for (;;) {
      const last = stopping && (over || flying === 0);
      if (!isNothing(batch)) {
        const kept = batch;
        const { resets, lease } = row as EndpointRow;
        const held = { processId, endpointId, resets, lease };
        const saved = await insist(async () => ({ isOurs: await saveBatch(db, held, kept) }), last);
        if (saved === null || !saved.isOurs) {
          // Another process works it now, or it was deleted.
          giveUp();
          return;
        }
        if (kept.cursor !== null) [savedCursor, cursorSavedAt] = [kept.cursor, steady()];
        if (kept.replay?.endedAt) {
          replay?.end();
          replay = null;
          wake();
        }
      }
      if (last) return;
      await pause(SAVE_EVERY_MS);
      if (log.length === 0 && !stopping) await wakened(CURSOR_EVERY_MS / 10);
      batch = collect();
    }
  }

  /** Everything since the last time, as it is now: what changes while it is saved comes with the next save. */
  function collect(): Batch {
    const now = steady();
    const changes = live?.changes(now, breaker.isDown()) ?? { cursor: null, save: [], remove: [] };
    const replayed = replay?.changes(now, breaker.isDown()) ?? null;
    const save = [...changes.save, ...(replayed?.save ?? [])].map(rowOf);
    const gone = [...changes.remove, ...(replayed?.remove ?? [])];
    const remove = gone.map(({ lane, event }) => ({ lane, eventId: event.id }));
    const isQuiet = log.length === 0 && save.length === 0 && remove.length === 0;
    const isMoved = changes.cursor !== savedCursor;
    const isDue = isMoved && (!isQuiet || stopping || now - cursorSavedAt >= CURSOR_EVERY_MS);
    const batch: Batch = {
      organizationId: row?.organization_id ?? '',
      cursor: isDue ? changes.cursor : null,
      ...{ save, remove, log, breaker: breaker.state(), deliveredAt, replay: replayed?.progress ?? null },
    };
    log = [];
    deliveredAt = null;
    return batch;
  }

  // ---- waiting ----

  /** Tries until it works: the database may be away for a while. Null: stopped meanwhile; `once`: not again after a failure. */
  async function insist<T>(work: () => Promise<T>, once = false): Promise<T | null> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        failure('webhooks could not be delivered', error);
        if (once || over || stopping) return null;
        await wakened(RETRY_MS);
      }
    }
  }

  /** A database that cannot be reached is reported by requests. */
  function failure(what: string, error: unknown): void {
    if (!(error instanceof DatabaseUnavailable)) options.onFailure(what, error);
  }
}
