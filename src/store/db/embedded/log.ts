/** The server's log: keeping it bounded, and reading from it why a start failed. */
import { closeSync, openSync, readSync, statfsSync, statSync, truncateSync } from 'node:fs';
import type { Place } from './cluster.ts';
import { diskFull, noSpaceLine } from './errors.ts';

/** Empties the log when it has grown beyond the limit; the server appends, so it continues at the beginning. */
export function boundLog(place: Place, maxBytes: number): void {
  if ((statSync(place.log, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) truncateSync(place.log);
}

/** A long recovery writes a line for each of our connection attempts; the cause comes after them. */
const READ_AT_MOST = 4_000_000;

export function logSince(place: Place, start: number): string {
  const file = openSync(place.log, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(READ_AT_MOST, Math.max(0, statSync(place.log).size - start)));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}

/** A server needs room for one file of its write-ahead log, 16 MB, and some more. */
const ROOM_TO_START = 24 * 1024 * 1024;

/** The reason why a server ended at its start, as a sentence: from its log, and where that could not be written, from the disk. */
export function whyItEnded(log: string, place: Place, how: string): string {
  const noSpace = noSpaceLine(log);
  if (noSpace !== null) {
    return /shared memory/.test(noSpace)
      ? 'The shared memory of this machine (/dev/shm) is too small or full. Enlarge it (docker: --shm-size=256m) and start again.'
      : diskFull(place.dataDir);
  }
  const cause = causeIn(log);
  if ((cause === undefined || /could not (write|extend|create|fsync)/.test(cause)) && room(place) < ROOM_TO_START) {
    return diskFull(place.dataDir);
  }
  if (/has invalid permissions/.test(cause ?? '')) {
    return `PostgreSQL requires that only its user can access ${place.cluster}: run chmod 700 '${place.cluster}' and start again.`;
  }
  if (/has wrong ownership/.test(cause ?? '')) {
    return (
      `${place.cluster} belongs to another user than the one that starts PostgreSQL. Start Daybook as the user who ` +
      `owns that folder, or give it to this one: chown -R "$(id -u)" '${place.cluster}'.`
    );
  }
  return `The embedded PostgreSQL could not start (${how})${cause ? `: ${cause}` : ''}. See ${place.log} for details.`;
}

/** Answers to connections, mostly our own questions whether it is ready. They follow from the cause, and often come before it. */
const ANSWERS =
  /^(?:the database system is |terminating |canceling |password authentication failed|sorry, too many clients|connection to client lost)/;

/** The first line that says why, of those that end a process; else the first that is not of a regular start. */
function causeIn(log: string): string | undefined {
  const fatal = [...log.matchAll(/(?:FATAL|PANIC): {2}(.*)/g)].map(([, text]) => text as string);
  const cause = fatal.find((text) => !ANSWERS.test(text));
  if (cause !== undefined) return cause;
  return log
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !/ (?:LOG|FATAL|HINT|DETAIL): {2}/.test(line));
}

function room(place: Place): number {
  try {
    const { bavail, bsize } = statfsSync(place.dataDir);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
