/** The disclosures of a loan's personal data, and the reasons that were given for its transactions. Reading them is a disclosure itself. */
import type { LoanEvent } from '../../core/event.ts';
import { readDisclosures, readSealedNotes, readSealedParts } from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { noteIn } from '../../vault/note.ts';
import { unsealNote, unsealPurpose } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Known } from '../door/loan-cache.ts';
import type { DisclosureBook } from './disclosures.ts';

export type Disclosed = {
  readonly at: string;
  readonly organizationId: string;
  /** Null, like the person and the key, of another organization; its purpose is empty. */
  readonly clientId: string | null;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly what: string;
  readonly purpose: string;
  readonly requestId: string;
};

/** Reasons come with the first page, all of them: a loan has as many as transactions at most. */
type DisclosedPage = {
  items: Disclosed[];
  nextCursor: string | null;
  reasons: { transactionHash: string; at: string; reason: string }[];
};

export type DisclosedOptions = {
  reads: FairReads;
  clock: () => number;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  visible: (actor: Actor, loanId: string) => Promise<Known | null>;
};

export function openDisclosed({ reads, clock, masterKeys, book, visible }: DisclosedOptions) {
  return async (
    actor: Actor,
    loanId: string,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<DisclosedPage | 'bad_cursor' | null> => {
    const known = await visible(actor, loanId);
    if (known === null) return null;
    const before = cursor === null ? null : Buffer.from(cursor, 'base64url').toString();
    if (before !== null && !/^[0-9a-f]{28}$/.test(before)) return 'bad_cursor';
    const [notes, parts] = await Promise.all([
      cursor === null ? readSealedNotes(reads(actor), loanId) : [],
      readSealedParts(reads(actor), loanId),
    ]);
    const person = parts?.person ?? null;
    const dataKey = person === null ? null : dataKeyOf(masterKeys, person, loanId);
    const disclosed = disclose(actor, { loanId, what: 'disclosures', at: clock() }, () =>
      dataKey === null
        ? []
        : notes.flatMap(({ hash, body, note }) => {
            const { reason } = noteIn(unsealNote(dataKey, loanId, note));
            // Beside some transactions something else is sealed, and a reason only where one was given.
            if (reason === '') return [];
            const { recordedAt } = (JSON.parse(body) as { event: LoanEvent }).event;
            return [{ transactionHash: hash, at: recordedAt, reason }];
          }),
    );
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    const rows = await readDisclosures(reads(actor), loanId, { before, limit: limit + 1 });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const purposeOf = (sealed: Uint8Array | null) =>
      sealed === null || dataKey === null ? '' : unsealPurpose(dataKey, loanId, sealed);
    return {
      items: rows.slice(0, limit).map(({ entryId: _, ...item }) => {
        const shown = { ...item, at: item.at.toISOString() };
        // For what another organization has read it, and by whom, is its own affair.
        return item.organizationId === actor.organizationId || item.organizationId === ''
          ? { ...shown, purpose: purposeOf(item.purpose) }
          : { ...shown, clientId: null, userId: null, keyId: null, purpose: '' };
      }),
      nextCursor: last === undefined ? null : Buffer.from(last.entryId).toString('base64url'),
      reasons: disclosed.data,
    };
  };
}
