/**
 * Starting and stopping the PostgreSQL server. It listens on a unix socket only, and runs in a process session of
 * its own, so that Ctrl-C on the terminal reaches the service alone, which drains before it stops the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, ServerEnded, untilItAnswers } from './answer.ts';
import { PROGRAM_ENV } from './binaries.ts';
import { dataDirectory, type Place } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { boundLog, logSince, whyItEnded } from './log.ts';
import { isAlive, refer, signal, until } from './processes.ts';
import { clearLeftovers, LEFTOVERS_MS } from './running.ts';
import type { ServerUser } from './user.ts';

/** The server did not come up because remains of a killed one are still around, which passes by itself. */
export class LeftoversInTheWay extends Error {}

const PATIENCE_MS = 30_000;

/** Starts a server and waits until it answers; whatever goes wrong, none is left running. */
export async function launch(options: {
  place: Place;
  binaries: string;
  user: ServerUser | undefined;
  socketDir: string;
  password: string;
  settings: Record<string, string>;
  abort: AbortSignal;
}): Promise<EmbeddedServer> {
  const { place, user, socketDir, password, abort } = options;
  const settings = { ...serverSettings(place, socketDir), ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', dataDirectory(place.cluster, user), ...flags];
  boundLog(place, 1_000_000);
  const log = openSync(place.log, 'a', 0o600);
  const logStart = statSync(place.log).size;
  let child: ChildProcess;
  try {
    const stdio = ['ignore' as const, log, log];
    const where = { cwd: place.cluster, detached: true, stdio, env: PROGRAM_ENV };
    child = spawn(join(options.binaries, 'bin', 'postgres'), args, { ...user, ...where });
  } finally {
    closeSync(log);
  }
  const server = await serverOf(child, socketDir);
  try {
    await untilItAnswers({ server, password, abort, patienceMs: PATIENCE_MS });
    return server;
  } catch (error) {
    if (error instanceof ServerEnded) throw endedAtStart(place, logStart, await server.exited);
    await stopServer(server, place, abort.aborted ? ABORTED_MS : STOP_MS);
    throw error;
  }
}

/** The longest that a server takes to stop, and one whose start was given up: it has served nobody. */
export const STOP_MS = 40_000;
const ABORTED_MS = 2_000;
/** The time for each of the two signals that end a server by force. */
const FORCE_MS = 5_000;

/**
 * Fast shutdown: open transactions are rolled back and everything is on disk. Harder signals only when it hangs or its time is up: then the
 * next start reads the log, as after a crash, and nothing that was committed is lost.
 */
export async function stopServer(server: EmbeddedServer, place: Place, limitMs = STOP_MS): Promise<void> {
  const gone = () => server.hasExited() || !isAlive(server.ref);
  const force = Math.min(FORCE_MS, Math.max(limitMs, 0) / 8);
  const patience = Math.min(LEFTOVERS_MS, Math.max(limitMs, 0) / 16);
  const steps = [
    { name: 'SIGINT', waitMs: Math.max(0, limitMs - 2 * force - 5 * patience) },
    { name: 'SIGQUIT', waitMs: force },
    { name: 'SIGKILL', waitMs: force },
  ] as const;
  for (const { name, waitMs } of steps) {
    if (gone()) return;
    signal(server.ref, name);
    const ended = await until(gone, waitMs, 10);
    if (ended && name !== 'SIGINT') await clearLeftovers(place, server.socketDir, patience);
  }
}

function serverSettings(place: Place, socketDir: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    cluster_name: place.name,
    // 60 and the three that PostgreSQL keeps for the superuser.
    max_connections: '63',
    shared_buffers: `${sharedBuffers()}MB`,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_level: 'minimal',
    // After a checkpoint the first change of a page writes the whole page to the log: a payment takes 20 KB then, and 5 KB later. At 10 MB
    // a second the default of 1 GB makes a checkpoint every minute. After a crash at most half of the log is replayed. The pages are
    // not compressed: the one method built in takes about 95 us of processor time for each, and the processor is the limit.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    wal_compression: 'off',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log is about the server, never about data: level "log" leaves out failed statements (their message can quote
    // a value), terse leaves out details (they quote rows), and no statement is ever written.
    logging_collector: 'off',
    log_destination: 'stderr',
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_statement: 'none',
    log_min_duration_statement: '-1',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: '-1',
    log_line_prefix: '%m [%p] ',
  };
}

/**
 * The default of 128 MB is less than the indexes that payments on ten thousand loans touch: then each reads and writes pages. The memory is
 * taken as it is used.
 */
function sharedBuffers(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(1024, Math.max(128, Math.floor(memory / 8 / 1024 ** 2)));
}

async function serverOf(child: ChildProcess, socketDir: string): Promise<EmbeddedServer> {
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, name) => {
      ended = true;
      resolve(name ?? `exit code ${code}`);
    });
  });
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new EmbeddedPostgresError(`The embedded PostgreSQL could not be started: ${error.message}`);
  }
  // A running server keeps no process of ours alive; stopping it is the service's last act.
  child.unref();
  return { ref: refer(child.pid), socketDir, exited, hasExited: () => ended };
}

function endedAtStart(place: Place, logStart: number, how: string): Error {
  const said = logSince(place, logStart);
  const locked = said.includes('lock file "') && said.includes('" already exists');
  if (locked || said.includes('pre-existing shared memory block')) return new LeftoversInTheWay();
  return new EmbeddedPostgresError(whyItEnded(said, place, how));
}
