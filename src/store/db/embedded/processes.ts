/**
 * Inspects processes that need not be our children: a server left over by a service that was killed has another parent,
 * and its pid can be reused by an unrelated process. Linux is queried through /proc (small images have no `ps`), other
 * systems through `ps`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and when it started, so that a reused pid is not mistaken for the same process. */
export type ProcessRef = { pid: number; started: string };

const LINUX = process.platform === 'linux';

export function refer(pid: number): ProcessRef {
  return { pid, started: statOf(pid)?.started ?? '' };
}

/** A zombie counts as gone: where nothing reaps orphans (a container without init) it would never go away. */
export function isAlive({ pid, started }: ProcessRef): boolean {
  if (LINUX) {
    const stat = statOf(pid);
    return stat !== undefined && !'ZXx'.includes(stat.state) && (started === '' || started === stat.started);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends a signal; a process that is already gone is not an error. */
export function signal(ref: ProcessRef, name: NodeJS.Signals): void {
  if (!isAlive(ref)) return;
  try {
    process.kill(ref.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether the process is a postmaster, and not an unrelated process or a PostgreSQL child (those carry a title). */
export function isPostmaster(pid: number): boolean {
  return !commandLine(pid).startsWith('postgres: ') && basename(programOf(pid)) === 'postgres';
}

/** The path of the program as it was started; empty when the process is gone. */
export function programOf(pid: number): string {
  return LINUX ? (commandLine(pid).split('\0')[0] ?? '') : ps('-o', 'comm=', '-p', String(pid)).trim();
}

export function hasArgument(pid: number, text: string): boolean {
  return commandLine(pid).includes(text);
}

/**
 * Whether the process works in that folder; undefined when the system does not say (root in a container without
 * CAP_SYS_PTRACE may not inspect another user's process).
 */
export function worksIn(pid: number, folder: string): boolean | undefined {
  try {
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(folder)];
    return theirs.ino === ours.ino && theirs.dev === ours.dev;
  } catch {
    return undefined;
  }
}

/** Every process whose title begins so, e.g. the children of a PostgreSQL cluster with a name. */
export function processesTitled(prefix: string): ProcessRef[] {
  if (!LINUX) {
    const lines = ps('-ax', '-o', 'pid=,command=').split('\n');
    const found = lines.map((line) => /^\s*(\d+) (.*)$/.exec(line)).filter((match) => match?.[2]?.startsWith(prefix));
    return found.map((match) => refer(Number(match?.[1])));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map(Number)
    .filter((pid) => commandLine(pid).startsWith(prefix))
    .map(refer);
}

/** Calls `check` every `everyMs` until it holds; false when `timeoutMs` ran out first. */
export async function until(check: () => boolean, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!check()) {
    if (performance.now() > end) return false;
    await sleep(everyMs);
  }
  return true;
}

function statOf(pid: number): { state: string; started: string } | undefined {
  if (!LINUX) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the state follows it, and the start is 19 fields further on.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function commandLine(pid: number): string {
  if (!LINUX) return ps('-o', 'command=', '-p', String(pid)).trim();
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

// `ps` fails when there is no such process.
function ps(...args: string[]): string {
  try {
    return execFileSync('ps', ['-ww', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
