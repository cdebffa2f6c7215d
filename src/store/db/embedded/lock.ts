/**
 * One owner per DATA_DIR. The lock is one that the kernel holds on an open file, so it ends with the process however
 * that dies: there is no stale lock to detect, and no reused pid can fake one. Node has no call for it, but its SQLite
 * takes exactly such a lock when a transaction begins; nothing is ever stored. A second file names the holder, only for
 * the message and to know what kind of owner to wait for.
 *
 * Hazard: POSIX drops a process's locks on a file as soon as that process closes any descriptor of it, so
 * nothing but this module may open `daybook.lock`.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** A service keeps its server running; a command (CLI) stops the one that it started when it is done. */
export type LockHolder = 'service' | 'command';
export type Lock = { release(): void };

// A lock without a reference would be dropped by the garbage collector.
const held = new Set<DatabaseSync>();

/** Takes the lock; undefined: another process holds it. */
export async function tryLock(dataDir: string, role: LockHolder): Promise<Lock | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(join(dataDir, 'daybook.lock'), { timeout: 0 });
    file.exec('PRAGMA journal_mode = OFF');
    file.exec('BEGIN IMMEDIATE');
  } catch (error) {
    file?.close();
    const reason = (error as { errcode?: number }).errcode ?? 0;
    if ((reason & 0xff) === SQLITE_BUSY) return undefined;
    throw Object.assign(new Error(`${(error as Error).message} (daybook.lock)`), { code: SYSTEM_CODE[reason & 0xff] });
  }
  const lock = file;
  held.add(lock);
  const holderFile = join(dataDir, 'daybook.pid');
  // Removed first: one that root left behind could not be written, but the folder's owner may remove it.
  rmSync(holderFile, { force: true });
  writeFileSync(holderFile, `${process.pid} ${role}\n`);
  return {
    release() {
      if (!held.delete(lock)) return;
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
}

/** The process that wrote the holder file last; only meaningful while another process holds the lock. */
export function lockHolder(dataDir: string): { pid: number; role: LockHolder } | undefined {
  try {
    const match = /^(\d+) (service|command)\n$/.exec(readFileSync(join(dataDir, 'daybook.pid'), 'utf8'));
    return match ? { pid: Number(match[1]), role: match[2] as LockHolder } : undefined;
  } catch {
    return undefined;
  }
}

const SQLITE_BUSY = 5;
const SYSTEM_CODE: Record<number, string> = { 8: 'EACCES', 13: 'ENOSPC', 14: 'EACCES' };
