/** The borrower and the collateral of a loan, masked: what a page shows of a person before anybody has stated a purpose. */
import { disclose } from '../../vault/disclose.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import type { Actor } from '../door/actor.ts';
import { maySeePersonal } from '../door/permissions.ts';
import type { DisclosureBook } from './disclosures.ts';
import { type Identity, personIn, vehicleIn } from './masked.ts';
import type { Sightings } from './sightings.ts';

/** The record of a loan as it is today; `record` is null when its borrower was erased. */
type OpenedRecord = Pick<Identity, 'version' | 'on' | 'revision'> & {
  readonly organizationId: string;
  readonly file: { readonly state: string };
  readonly vin: string;
  readonly record: Buffer | null;
  readonly dataKey: DataKey | null;
};

export type IdentityOptions = {
  clock: () => number;
  book: DisclosureBook;
  openedToday(actor: Actor, loanId: string): Promise<OpenedRecord | null>;
  readPublic(actor: Actor, loanId: string, how: typeof NOW): Promise<{ readonly publicPart: Buffer } | 'before' | null>;
};

const NOW = { asOf: null, knownAt: null };

/**
 * Null: no such loan, or not visible to the actor. Without a stated purpose nothing that identifies a person leaves this file, and the view is
 * counted; with one, digits of the social security number are shown, and it is a disclosure.
 */
export function openIdentity({
  clock,
  book,
  sightings,
  openedToday,
  readPublic,
}: IdentityOptions & { sightings: Sightings }) {
  return async (actor: Actor, loanId: string): Promise<Identity | null> => {
    const opened = await openedToday(actor, loanId);
    if (opened === null) return null;
    const { version, on, revision, file, vin, record, dataKey } = opened;
    const facts = { loanId, version, on, revision, state: file.state || null };
    if (record === null) return { ...facts, disclosed: false, borrower: null, coBorrower: null, vehicle: null };
    // An actor that may see the record may see its public part.
    const reader = { ...actor, scopes: new Set([...actor.scopes, 'loans:read']) };
    const shown = await readPublic(reader, loanId, NOW);
    if (shown === null || shown === 'before') return null;
    const disclosed = maySeePersonal(actor) && actor.purpose.trim() !== '';
    if (disclosed) await enter(actor, loanId, dataKey);
    else sightings.count(actor, opened.organizationId);
    const text = record.toString('utf8');
    const [borrower, coBorrower] = [personIn(text, 'applicant', disclosed), personIn(text, 'coApplicant', disclosed)];
    const isAnybody = Object.values(coBorrower).some((value) => value !== null);
    const people = { borrower, coBorrower: isAnybody ? coBorrower : null };
    return { ...facts, disclosed, ...people, vehicle: vehicleIn(shown.publicPart, vin) };
  };

  async function enter(actor: Actor, loanId: string, dataKey: DataKey | null): Promise<void> {
    const entered = disclose(actor, { loanId, what: 'identity', at: clock() }, () => null);
    if ('denied' in entered) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: entered.entry, dataKey }]);
  }
}
