/** The borrower and the collateral of a loan, masked: what a page shows of a person before anybody has stated a purpose. */

import type { Actor } from '../door/actor.ts';
import { type Identity, personIn, vehicleIn } from './masked.ts';

/** The record of a loan as it is today; `record` is null when its borrower was erased. */
type OpenedRecord = Pick<Identity, 'version' | 'on' | 'revision'> & {
  readonly file: { readonly state: string };
  readonly vin: string;
  readonly record: Buffer | null;
};

export type IdentityOptions = {
  openedToday(actor: Actor, loanId: string): Promise<OpenedRecord | null>;
  readPublic(actor: Actor, loanId: string, how: typeof NOW): Promise<{ readonly publicPart: Buffer } | 'before' | null>;
};

const NOW = { asOf: null, knownAt: null };

/** Null: no such loan, or not visible to the actor. No disclosure: nothing that identifies a person leaves this file. */
export function openIdentity({ openedToday, readPublic }: IdentityOptions) {
  return async (actor: Actor, loanId: string): Promise<Identity | null> => {
    const opened = await openedToday(actor, loanId);
    if (opened === null) return null;
    const { version, on, revision, file, vin, record } = opened;
    const facts = { loanId, version, on, revision, state: file.state || null };
    if (record === null) return { ...facts, borrower: null, coBorrower: null, vehicle: null };
    // An actor that may see the record may see its public part.
    const reader = { ...actor, scopes: new Set([...actor.scopes, 'loans:read']) };
    const shown = await readPublic(reader, loanId, NOW);
    if (shown === null || shown === 'before') return null;
    const text = record.toString('utf8');
    const [borrower, coBorrower] = [personIn(text, 'applicant'), personIn(text, 'coApplicant')];
    const isAnybody = Object.values(coBorrower).some((value) => value !== null);
    return { ...facts, borrower, coBorrower: isAnybody ? coBorrower : null, vehicle: vehicleIn(shown.publicPart, vin) };
  };
}
