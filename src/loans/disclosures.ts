/** The audit entry of every read of personal data: durable before the answer is sent; many entries share one statement. */
import type { Db } from '../store/db.ts';
import { type Disclosure, recordDisclosures, type Seen } from '../store/reads.ts';
import { coalesced } from './coalesce.ts';
import type { Actor } from './loans.ts';

export type DisclosureBook = {
  /** Resolves when the entries are on disk, with how the loans stood at that moment. */
  enter(actor: Pick<Actor, 'organizationId'>, entries: readonly Disclosure[]): Promise<Map<string, Seen>>;
};

export function openDisclosureBook(db: Db, clock: () => number): DisclosureBook {
  const enter = coalesced(
    (looks: readonly (readonly Disclosure[])[]) => recordDisclosures(db, looks.flat(), new Date(clock())),
    // A search enters every loan that it found.
    (entries) => entries.length,
  );
  return { enter: (actor, entries) => enter(actor.organizationId, entries) };
}
