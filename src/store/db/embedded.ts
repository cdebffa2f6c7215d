/**
 * The embedded PostgreSQL: `startPostgres` makes a cluster in DATA_DIR at the first start, starts its server or adopts
 * one that a killed service left running, keeps it running, and stops it at the end. The process that starts a server
 * holds DATA_DIR's lock as long as it runs, so that no other process stops or starts it meanwhile.
 */
import { rmdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { asSuperuser, type EmbeddedServer, NoAnswer, PORT } from './embedded/answer.ts';
import { majorVersion, packagedBinaries, touchCopy, usableBinaries } from './embedded/binaries.ts';
import {
  checkTemporaryFolder,
  clusterVersion,
  giveCluster,
  makeCluster,
  openPlace,
  openSocketFolder,
  type Place,
  readPassword,
  socketFolder,
  sweepWorkshops,
} from './embedded/cluster.ts';
import { EmbeddedPostgresError, explain } from './embedded/errors.ts';
import { type Lock, lockHolder, tryLock } from './embedded/lock.ts';
import { boundLog } from './embedded/log.ts';
import { DATABASE, ensureDatabase, OWNER, ownerPassword } from './embedded/roles.ts';
import { clearLeftovers, findRunning, isOutdated, surelyOurs } from './embedded/running.ts';
import { LeftoversInTheWay, launch, STOP_MS, stopServer } from './embedded/server.ts';
import { type ServerUser, serverUser } from './embedded/user.ts';

export { EmbeddedPostgresError } from './embedded/errors.ts';

export type EmbeddedPostgres = {
  /** The connection of the owner of the database. `host` is the folder of the unix socket. It stays the same when the server is started again. */
  connection: { host: string; port: number; user: string; password: string; database: string };
  /** A server was running on this cluster already and is used. */
  adopted: boolean;
  /** Stops the server, unless it is only borrowed: within `limitMs`, by force if need be. May be called again. */
  stop(limitMs?: number): Promise<void>;
};

export type EmbeddedPostgresEvent = {
  kind: 'initialized' | 'started' | 'adopted' | 'exited' | 'restarted' | 'failed';
  detail?: string;
};

export type EmbeddedPostgresOptions = {
  /** The cluster is in `postgres` below it, its superuser's password in `postgres-password`. */
  dataDir: string;
  /** True for the service: the server is its own. False for a command: it borrows a running one, or runs one for itself. */
  own: boolean;
  onEvent?: (event: EmbeddedPostgresEvent) => void;
  /** The folder with the bin/ of another PostgreSQL. */
  binaries?: string;
  /** More settings of the server. */
  settings?: Record<string, string>;
};

/** Makes DATA_DIR when it is missing; an `EmbeddedPostgresError` says why it cannot be used. */
export function openDataFolder(dataDir: string): void {
  try {
    openPlace(dataDir);
  } catch (error) {
    throw explain(error, dataDir);
  }
}

export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const place = openPlace(options.dataDir);
    const lock = await takeLock(place, options.own);
    if ('server' in lock) return borrowed(lock.server, lock.password);
    try {
      return await started(place, lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, options.dataDir);
  }
}

type Post = {
  place: Place;
  user: ServerUser | undefined;
  source: string;
  socketDir: string;
  password: string;
  settings: Record<string, string>;
  abort: AbortController;
};

async function started(place: Place, lock: Lock, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const tell = options.onEvent ?? (() => {});
  const settings = options.settings ?? {};
  const source = options.binaries ?? packagedBinaries();
  checkTemporaryFolder();
  sweepWorkshops(place);
  const user = serverUser(place.cluster);
  const binaries = usableBinaries(source, user);
  const major = await majorVersion(binaries, user);
  const made = clusterVersion(place);
  if (made === undefined) {
    await makeCluster({ place, binaries, major, user, sync: settings.fsync !== 'off' });
    tell({ kind: 'initialized' });
  } else if (made !== major) {
    throw new EmbeddedPostgresError(
      `The database in ${place.cluster} was created by PostgreSQL ${made}, but this is PostgreSQL ${major}. Set DATA_DIR to ` +
        `another folder, or run PostgreSQL ${made} on that one and set DATABASE_URL to it.`,
    );
  }
  giveCluster(place, user);
  const password = readPassword(place);
  const socketDir = socketFolder(place, user);
  const post: Post = { place, user, source, socketDir, password, settings, abort: new AbortController() };

  const { server, adopted } = await acquire(post).catch((error) => {
    removeFolder(socketDir);
    throw error;
  });
  try {
    await asSuperuser(server.socketDir, password, (client) => ensureDatabase(client, password));
  } catch (error) {
    if (!adopted) await end(post, server);
    throw error;
  }
  if (server.socketDir !== socketDir) removeFolder(socketDir);
  tell({ kind: adopted ? 'adopted' : 'started', detail: `process ${server.ref.pid}` });

  post.socketDir = server.socketDir;
  const stop = options.own
    ? supervise(post, server, tell)
    : (limitMs?: number) => (adopted ? Promise.resolve() : end(post, server, limitMs));
  let stopped: Promise<void> | undefined;
  return {
    connection: connectionOf(server, password),
    adopted,
    stop(limitMs) {
      stopped ??= stop(limitMs).finally(() => lock.release());
      return stopped;
    },
  };
}

const LEFTOVERS_MS = 20_000;

/** A server on this cluster: the one that runs already, or a new one. The lock must be held. */
async function acquire(post: Post): Promise<{ server: EmbeddedServer; adopted: boolean }> {
  const { place, password, abort } = post;
  const begin = performance.now();
  for (;;) {
    const running = await findRunning(place, password, abort.signal).catch((error) => {
      // No other process holds the lock, so no process uses a server of ours that hangs or lost its socket.
      const stuck = error instanceof NoAnswer ? surelyOurs(place) : undefined;
      if (!stuck) throw error;
      return stopServer(stuck, place);
    });
    if (running && !isOutdated(running)) return { server: running, adopted: true };
    if (running) await stopServer(running, place);
    await clearLeftovers(place, post.socketDir);
    if (!openSocketFolder(post.socketDir, post.user)) {
      throw new EmbeddedPostgresError(`${post.socketDir} belongs to another user. Remove it and start again.`);
    }
    try {
      const binaries = usableBinaries(post.source, post.user);
      return { server: await launch({ ...post, binaries, abort: abort.signal }), adopted: false };
    } catch (error) {
      if (!(error instanceof LeftoversInTheWay)) throw error;
      if (performance.now() - begin > LEFTOVERS_MS) {
        throw new EmbeddedPostgresError(
          `Another PostgreSQL process still uses ${place.cluster}. Stop it, or set DATA_DIR to another folder.`,
        );
      }
      await sleep(100);
    }
  }
}

const LONG_ENOUGH_MS = 30_000;
const HOUSEKEEPING_MS = 60_000;
const TICKS_PER_TOUCH = 360;

/** Restarts the server whenever it ends by itself, with growing delays when that keeps happening. Returns the function that stops it. */
function supervise(
  post: Post,
  first: EmbeddedServer,
  tell: (event: EmbeddedPostgresEvent) => void,
): (limitMs?: number) => Promise<void> {
  let current = first;
  let restarting: Promise<void> = Promise.resolve();
  let waitMs = 0;
  const stopping = post.abort.signal;

  const restart = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        await sleep(waitMs, undefined, { signal: stopping });
        waitMs = Math.min(Math.max(waitMs * 2, 100), 10_000);
        const { server } = await acquire(post);
        if (server.socketDir !== post.socketDir) {
          // It was started by hand with a socket elsewhere; our clients use the old path.
          await stopServer(server, post.place);
          continue;
        }
        current = server;
        watch(server);
        tell({ kind: 'restarted', detail: `process ${server.ref.pid}` });
        return;
      } catch (error) {
        if (!stopping.aborted) tell({ kind: 'failed', detail: explain(error, post.place.dataDir).message });
      }
    }
  };
  const watch = (server: EmbeddedServer): void => {
    const begin = performance.now();
    server.exited.then((how) => {
      if (stopping.aborted) return;
      if (performance.now() - begin > LONG_ENOUGH_MS) waitMs = 0;
      tell({ kind: 'exited', detail: how });
      restarting = restart();
    });
  };
  watch(first);

  let ticks = 0;
  const housekeeping = setInterval(() => {
    ticks += 1;
    try {
      boundLog(post.place, 16_000_000);
      if (ticks % TICKS_PER_TOUCH === 0) touchCopy(usableBinaries(post.source, post.user));
    } catch {
      // A full disk or the like; the service itself will report it.
    }
  }, HOUSEKEEPING_MS);
  housekeeping.unref();

  return async (limitMs = STOP_MS) => {
    clearInterval(housekeeping);
    post.abort.abort();
    const began = performance.now();
    // A server that was just being started ends by the abort.
    await Promise.race([restarting, sleep(limitMs / 2, undefined, { ref: false })]);
    await end(post, current, limitMs - (performance.now() - began));
  };
}

async function end(post: Post, server: EmbeddedServer, limitMs = STOP_MS): Promise<void> {
  await stopServer(server, post.place, limitMs);
  removeFolder(server.socketDir);
}

/** Removes an empty folder in the temporary folder; when it is not empty or already gone, nothing depends on it. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

function borrowed(server: EmbeddedServer, password: string): EmbeddedPostgres {
  return { connection: connectionOf(server, password), adopted: true, stop: async () => {} };
}

function connectionOf(server: EmbeddedServer, password: string): EmbeddedPostgres['connection'] {
  return { host: server.socketDir, port: PORT, user: OWNER, password: ownerPassword(password), database: DATABASE };
}

const SERVICE_WAITS_MS = 10_000;
const COMMAND_WAITS_MS = 60_000;

/**
 * The lock, or for a command the server of the service that holds it. A command's own server goes away with the
 * command, so others wait for the lock instead of borrowing that one.
 */
async function takeLock(place: Place, own: boolean): Promise<Lock | { server: EmbeddedServer; password: string }> {
  const begin = performance.now();
  for (;;) {
    const lock = await tryLock(place.dataDir, own ? 'service' : 'command');
    if (lock) return lock;
    const waited = performance.now() - begin;
    const holder = lockHolder(place.dataDir);
    if (own && holder?.role === 'service') throw inUse(place, holder);
    if (!own && holder?.role === 'service' && clusterVersion(place) !== undefined) {
      const password = readPassword(place);
      const server = await findRunning(place, password, AbortSignal.timeout(COMMAND_WAITS_MS));
      if (server) {
        await asSuperuser(server.socketDir, password, (client) => ensureDatabase(client, password));
        return { server, password };
      }
    }
    if (waited > (own ? SERVICE_WAITS_MS : COMMAND_WAITS_MS)) throw inUse(place, holder);
    await sleep(50);
  }
}

function inUse(place: Place, holder: ReturnType<typeof lockHolder>): EmbeddedPostgresError {
  const who = holder ? `A Daybook ${holder.role} (process ${holder.pid})` : 'Another Daybook';
  return new EmbeddedPostgresError(
    `${who} is using DATA_DIR (${place.dataDir}). Stop it, or set DATA_DIR (and PORT) to run another one beside it.`,
  );
}
