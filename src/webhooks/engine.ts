/**
 * The endpoints that this process delivers to: it holds a lease on each, renews it, and takes over the endpoints of processes that have
 * ended. A worker for each, so that a slow endpoint holds nobody up.
 */
import { DatabaseUnavailable } from '../store/db/db.ts';
import { forgetOld } from '../store/webhooks/deliveries.ts';
import { countPaused, holdLeases, releaseLeases } from '../store/webhooks/webhooks.ts';
import { openReading } from './reading.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

export type EngineOptions = Omit<WorkerOptions, 'counts' | 'read' | 'onPaused' | 'onFailure'> & {
  /** Whether anything may be delivered: not from a database that was set back. */
  readonly mayDeliver?: () => boolean;
  readonly log: {
    event(name: string, facts?: Readonly<Record<string, string>>): void;
    failure(name: string, error: unknown): void;
  };
};

export type DeliveryFigures = Record<'delivered' | 'failed' | 'dead' | 'working' | 'paused' | 'lagSeconds', number>;

export type Engine = {
  start(): void;
  /** Waits a moment for what is under way, and gives the leases back. */
  stop(): Promise<void>;
  /** Looks at the endpoints at once. */
  wake(): void;
  figures(): DeliveryFigures;
};

/** A process that has ended is followed by another one after this. */
const LEASE_MS = 10_000;
/** `holdLeases` renews a lease when less than seven tenths are left; so much is certain after it has answered. */
const CERTAIN_MS = 0.65 * LEASE_MS;
const POLL_MS = 800;
/** Free endpoints taken at a time: of several processes that start together each gets some. */
const TAKEN_AT_ONCE = 16;
/** The time for which a stopping service, and a changed endpoint, wait for requests under way. */
const DRAIN_MS = 3_000;
const CHANGE_MS = 500;
const COUNT_EVERY_MS = 30_000;
const FORGET_EVERY_MS = 3_600_000;
const SAID_EVERY_MS = 60_000;

export function openEngine(options: EngineOptions): Engine {
  const { db, clock, monotonic, processId, log, mayDeliver = () => true } = options;
  const workers = new Map<string, { worker: Worker; version: string; ending: Promise<void> | null }>();
  const counts = { delivered: 0, failed: 0, dead: 0 };
  let [running, paused, countedAt, forgottenAt] = [false, 0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let turn: Promise<void> = Promise.resolve();
  let hurry: (() => void) | null = null;
  const said = new Map<string, number>();
  const workerOptions: WorkerOptions = {
    ...options,
    counts,
    read: openReading(options),
    onPaused(endpointId, because) {
      log.event('webhook endpoint paused', { endpointId, because });
      countedAt = Number.NEGATIVE_INFINITY;
    },
    onFailure: failed,
  };
  return {
    start() {
      running = true;
      turn = run();
    },
    async stop() {
      running = false;
      hurry?.();
      await turn;
      await Promise.all([...workers].map(([endpointId]) => end(endpointId, DRAIN_MS)));
    },
    wake: () => hurry?.(),
    figures() {
      const now = clock();
      const lags = [...workers.values()].map(({ worker }) => now - (worker.oldest() ?? now));
      return { ...counts, working: workers.size, paused, lagSeconds: Math.max(0, ...lags) / 1_000 };
    },
  };

  async function run(): Promise<void> {
    while (running) {
      try {
        if (mayDeliver()) await look();
        else for (const [endpointId] of workers) void end(endpointId, CHANGE_MS);
      } catch (error) {
        failed('webhook endpoints could not be checked', error);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        hurry = () => {
          clearTimeout(timer);
          resolve();
        };
        if (!running) hurry();
      });
    }
  }

  async function look(): Promise<void> {
    const before = monotonic();
    const held = await holdLeases(db, { processId, ms: LEASE_MS, most: TAKEN_AT_ONCE });
    const versions = new Map(held.map(({ endpointId, version }) => [endpointId, version]));
    for (const [endpointId, one] of workers) {
      // Paused, deleted, taken over, or changed: then it begins anew with what is stored.
      if (versions.get(endpointId) !== one.version) void end(endpointId, CHANGE_MS);
      else one.worker.lease(before + CERTAIN_MS);
    }
    for (const { endpointId, version } of held) {
      if (!running || workers.has(endpointId)) continue;
      const worker = startWorker(workerOptions, endpointId, before + CERTAIN_MS);
      workers.set(endpointId, { worker, version, ending: null });
      void worker.ended.then(() => end(endpointId, 0));
    }
    await keepOrder(before);
  }

  async function keepOrder(now: number): Promise<void> {
    if (now - countedAt >= COUNT_EVERY_MS) {
      countedAt = now;
      paused = await countPaused(db);
    }
    if (now - forgottenAt >= FORGET_EVERY_MS) {
      forgottenAt = now;
      await forgetOld(db);
    }
  }

  function end(endpointId: string, drainMs: number): Promise<void> {
    const one = workers.get(endpointId);
    if (one === undefined) return Promise.resolve();
    one.ending ??= (async () => {
      try {
        await one.worker.stop(drainMs);
        await releaseLeases(db, processId, [endpointId]);
      } catch (error) {
        // The lease ends by itself.
        failed('the lease of a webhook endpoint could not be released', error);
      } finally {
        workers.delete(endpointId);
        if (drainMs === CHANGE_MS) hurry?.();
      }
    })();
    return one.ending;
  }

  /** The same failure is logged once a minute. A database that is away is reported by requests. */
  function failed(what: string, error: unknown): void {
    const [name, now] = [`${what} ${error}`, monotonic()];
    if (error instanceof DatabaseUnavailable || now - (said.get(name) ?? Number.NEGATIVE_INFINITY) < SAID_EVERY_MS)
      return;
    if (said.size >= 100) said.clear();
    said.set(name, now);
    log.failure(what, error);
  }
}
