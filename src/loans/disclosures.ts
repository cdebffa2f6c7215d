/**
 * The entries that every look at personal data leaves. Looks that arrive while one write is at the database share the next, so each is
 * durable before its answer leaves and many together cost little more than one.
 */
import type { Db } from '../store/db.ts';
import { type Disclosure, recordDisclosures, type Seen } from '../store/reads.ts';

export type DisclosureBook = {
  /** Resolves when the entries are on disk, with how the loans stood at that moment. */
  enter(entries: readonly Disclosure[]): Promise<Map<string, Seen>>;
};

/** At most so many in one statement. */
const BATCH = 256;

export function openDisclosureBook(db: Db, clock: () => number): DisclosureBook {
  type Waiting = {
    entries: readonly Disclosure[];
    resolve: (seen: Map<string, Seen>) => void;
    reject: (error: unknown) => void;
  };
  let waiting: Waiting[] = [];
  let writing = 0;

  function write(): void {
    // Two at a time: one gathers at the database's side while the other commits.
    if (writing >= 2 || waiting.length === 0) return;
    const batch: Waiting[] = [];
    let size = 0;
    for (const one of waiting) {
      if (batch.length > 0 && size + one.entries.length > BATCH) break;
      batch.push(one);
      size += one.entries.length;
    }
    waiting = waiting.slice(batch.length);
    writing += 1;
    recordDisclosures(
      db,
      batch.flatMap(({ entries }) => entries),
      new Date(clock()),
    )
      .then(
        (seen) => {
          for (const { resolve } of batch) resolve(seen);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        writing -= 1;
        write();
      });
  }

  return {
    enter: (entries) =>
      new Promise((resolve, reject) => {
        waiting.push({ entries, resolve, reject });
        setImmediate(write);
      }),
  };
}
