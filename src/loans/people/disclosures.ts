/** The audit entry of every read of personal data: durable before the answer is sent; many entries share one statement. */
import type { Db } from '../../store/db/db.ts';
import { recordDisclosures, type Seen, type Disclosure as StoredDisclosure } from '../../store/reads/reads.ts';
import type { DisclosedPart, Disclosure } from '../../vault/disclose.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { sealPurpose } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import { coalesced } from '../door/coalesce.ts';
import { shareOf } from '../door/too-many-waiting.ts';

/** A disclosure, and the key of its loan; without one (nothing was found, the borrower was erased) the purpose is not kept. */
export type Entry = { readonly entry: Disclosure; readonly dataKey: DataKey | null };

export type DisclosureBook = {
  /** Resolves when the entries are on disk, with how the loans stood at that moment. */
  enter(actor: Pick<Actor, 'organizationId' | 'countedFor'>, entries: readonly Entry[]): Promise<Map<string, Seen>>;
};

export function openDisclosureBook({ db, clock }: { db: Db; clock: () => number }): DisclosureBook {
  const enter = coalesced(
    (looks: readonly (readonly Entry[])[]) => recordDisclosures(db, looks.flat().map(stored), new Date(clock())),
    // A search enters every loan that it found.
    (entries) => entries.length,
  );
  return { enter: (actor, entries) => enter(shareOf(actor), entries) };
}

/** The name of the operation that shows the part. */
const OPERATION: Readonly<Record<DisclosedPart, string>> = {
  record: 'read-loan',
  search: 'search-loans',
  disclosures: 'list-disclosures',
  notice: 'write-adverse-action-notice',
  deals: 'list-deals',
  timeline: 'read-timeline',
  holds: 'list-holds',
  approval: 'read-approval',
  report: 'read-report',
  identity: 'read-identity',
  customData: 'read-custom-data',
  export: 'export-loans',
};

/** The purpose is the caller's text and may name the person: it can be read for as long as the loan's key exists. */
function stored({ entry, dataKey }: Entry): StoredDisclosure {
  const { loanId, purpose } = entry;
  return {
    ...entry,
    loanId: loanId === '' ? null : loanId,
    operation: OPERATION[entry.what],
    purpose: dataKey === null || purpose === '' ? null : sealPurpose(dataKey, loanId, purpose),
  };
}
