/** The entries that every look at personal data leaves: durable before the answer leaves, many looks in one statement. */
import type { Db } from '../store/db.ts';
import { type Disclosure, recordDisclosures, type Seen } from '../store/reads.ts';
import { gathered } from './coalesce.ts';

export type DisclosureBook = {
  /** Resolves when the entries are on disk, with how the loans stood at that moment. */
  enter(entries: readonly Disclosure[]): Promise<Map<string, Seen>>;
};

export function openDisclosureBook(db: Db, clock: () => number): DisclosureBook {
  return {
    enter: gathered((looks: readonly (readonly Disclosure[])[]) =>
      recordDisclosures(db, looks.flat(), new Date(clock())),
    ),
  };
}
