/** Remains of earlier starts on this cluster: a server that still runs, or the files of one that was killed. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedServer, PORT, ServerEnded, servesCluster, untilItAnswers } from './answer.ts';
import type { Place } from './cluster.ts';
import {
  hasArgument,
  isAlive,
  isPostmaster,
  type ProcessRef,
  processesTitled,
  programOf,
  refer,
  signal,
  until,
  worksIn,
} from './processes.ts';

const PATIENCE_MS = 10_000;
/** The time in which the children of a killed server end by themselves. */
export const LEFTOVERS_MS = 1_000;
const WATCH_EVERY_MS = 250;

/**
 * A server that runs on this cluster already: left over by a service that was killed, or the one of a service
 * that runs now. Undefined when there is none, whatever a stale `postmaster.pid` claims.
 */
export async function findRunning(
  place: Place,
  password: string,
  abort: AbortSignal,
): Promise<EmbeddedServer | undefined> {
  const noted = await withSocket(place, abort);
  if (!noted || claim(place, noted) === 'no') return undefined;
  const server = serverOf(noted);
  const check = (client: Parameters<typeof servesCluster>[0]) => servesCluster(client, place);
  try {
    const serves = await untilItAnswers({ server, password, abort, patienceMs: PATIENCE_MS, check });
    return serves ? server : undefined;
  } catch (error) {
    if (error instanceof ServerEnded) return undefined;
    throw error;
  }
}

/** The process that `postmaster.pid` names, when it is a server of this cluster beyond doubt. */
export function surelyOurs(place: Place): EmbeddedServer | undefined {
  const noted = postmasterFile(place);
  return noted && claim(place, noted) === 'yes' ? serverOf(noted) : undefined;
}

/** Whether the server's program was removed under it (packages reinstalled): it can load nothing more. */
export function isOutdated(server: EmbeddedServer): boolean {
  const program = programOf(server.ref.pid);
  return program.startsWith('/') && !existsSync(program);
}

/**
 * Cleans up after a server that was killed. Its children notice within milliseconds and end; one that is busy takes
 * longer, and no new server can start before it is gone. `postmaster.pid` and the socket's lock file are removed only
 * when the process they name is not a server of this cluster: any living process with that pid, even a zombie, would
 * stop PostgreSQL. It still refuses by itself while the old shared memory is in use. It takes five times `patienceMs` at most.
 */
export async function clearLeftovers(place: Place, socketDir: string, patienceMs = LEFTOVERS_MS): Promise<void> {
  const noted = postmasterFile(place);
  if (noted && claim(place, noted) !== 'no') return;
  const title = `postgres: ${place.name}: `;
  const gone = () => processesTitled(title).every((orphan) => !isAlive(orphan));
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    if (await until(gone, patienceMs)) break;
    for (const orphan of processesTitled(title)) signal(orphan, name);
  }
  await until(gone, 3 * patienceMs);
  if (noted) rmSync(join(place.cluster, 'postmaster.pid'), { force: true });
  for (const file of [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) rmSync(join(socketDir, file), { force: true });
}

type PostmasterFile = { pid: number; socketDir: string };

/** A server that is just starting notes its process first and its socket's folder a little later. */
async function withSocket(place: Place, abort: AbortSignal): Promise<PostmasterFile | undefined> {
  let noted: PostmasterFile | undefined;
  await until(() => {
    noted = postmasterFile(place);
    return abort.aborted || noted?.socketDir !== '' || claim(place, noted) === 'no';
  }, PATIENCE_MS);
  return noted;
}

/** Line 1 is the process, line 5 the socket's folder. */
function postmasterFile(place: Place): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(place.cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number.parseInt(lines[0] ?? '', 10) || 0, socketDir: lines[4] ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the process that `postmaster.pid` names can be a server of this cluster. */
function claim(place: Place, noted: PostmasterFile): 'yes' | 'no' | 'perhaps' {
  if (noted.pid <= 1 || !isAlive(refer(noted.pid)) || !isPostmaster(noted.pid)) return 'no';
  const here = worksIn(noted.pid, place.cluster);
  if (here !== undefined) return here ? 'yes' : 'no';
  return hasArgument(noted.pid, `cluster_name=${place.name}`) ? 'yes' : 'perhaps';
}

/** A server that is not our child: whether it is alive can only be polled. */
function serverOf(noted: PostmasterFile): EmbeddedServer {
  const ref: ProcessRef = refer(noted.pid);
  let exited: Promise<string> | undefined;
  const watch = () =>
    new Promise<string>((resolve) => {
      const timer = setInterval(() => {
        if (isAlive(ref)) return;
        clearInterval(timer);
        resolve('no longer running');
      }, WATCH_EVERY_MS);
      timer.unref();
    });
  return {
    ref,
    socketDir: noted.socketDir,
    hasExited: () => !isAlive(ref),
    get exited() {
      exited ??= watch();
      return exited;
    },
  };
}
