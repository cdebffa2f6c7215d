/**
 * Changes of a party, as work for a thread: a record may have 10 MiB, and finding a party in it means going through its application.
 * Errors quote nothing.
 */
import {
  hasParty,
  type PartyChanges,
  type PartyUpdate,
  searchTermsOf,
  withPartyChanges,
} from '../../boarding/party-changes.ts';
import type { Party } from '../../core/loan.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { PartyChangeRow } from '../../store/people/parties.ts';
import { blindDigests } from '../../vault/blind-index.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { sealPartyChange, unsealPartyChange, unsealRecord } from '../../vault/seal.ts';

/** Changes of a party as they are stored, in the order in which they take effect. */
export type SealedPartyChange = { readonly party: Party; readonly commitment: string; readonly sealed: Uint8Array };

/** A change, sealed and ready to be stored. */
export function sealChange(given: {
  readonly loanId: string;
  readonly organizationId: string;
  readonly dataKey: Uint8Array;
  readonly indexKey: Uint8Array;
  /** The sealed part of the loan. */
  readonly sealed: Uint8Array;
  readonly update: PartyUpdate;
}): PartyChangeRow | Refusal {
  const { loanId, organizationId, indexKey, update } = given;
  const dataKey = Buffer.from(given.dataKey) as DataKey;
  const record = unsealRecord(dataKey, loanId, given.sealed).record.toString('utf8');
  if (!hasParty(record, update.party)) {
    return refuse('unknown_reference', 'This loan has no co-applicant.', { member: 'party' });
  }
  const blindIndex = blindDigests(indexKey, organizationId, searchTermsOf(record, update));
  return { ...sealPartyChange(dataKey, loanId, JSON.stringify(update.changes)), blindIndex };
}

/** The record (UTF-8) with these changes. */
export function recordWithChanges(given: {
  readonly loanId: string;
  readonly dataKey: Uint8Array;
  readonly record: Uint8Array;
  readonly changes: readonly SealedPartyChange[];
}): Uint8Array {
  const { loanId, changes, record } = given;
  const text = Buffer.from(record.buffer, record.byteOffset, record.length).toString('utf8');
  return Buffer.from(withSealedChanges(text, loanId, Buffer.from(given.dataKey) as DataKey, changes));
}

export function withSealedChanges(
  record: string,
  loanId: string,
  dataKey: DataKey,
  sealed: readonly SealedPartyChange[],
): string {
  const updates = sealed.map((one): PartyUpdate => {
    const change = unsealPartyChange(dataKey, loanId, one.sealed, one.commitment);
    return { party: one.party, changes: JSON.parse(change) as PartyChanges };
  });
  return updates.length === 0 ? record : withPartyChanges(record, updates);
}
