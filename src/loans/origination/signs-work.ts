/** The digests of what an application is compared by, as work for a thread: no value leaves it. */
import { indexedValues } from '../../boarding/indexed-values.ts';
import { partyTexts } from '../../boarding/party-changes.ts';
import type { Match } from '../../underwriting/signs.ts';
import { digestsIn } from '../../vault/blind-index.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { unsealRecord } from '../../vault/seal.ts';
import { type SealedPartyChange, withSealedChanges } from '../people/party-work.ts';

/** A value of the application, in the index of each organization. */
export type ValueDigests = Pick<Match, 'kind' | 'of'> & { readonly digests: readonly Uint8Array[] };

export function valueDigests(given: {
  readonly loanId: string;
  readonly dataKey: Uint8Array;
  readonly sealed: Uint8Array;
  readonly changes: readonly SealedPartyChange[];
  readonly indexKey: Uint8Array;
  readonly organizationIds: readonly string[];
}): ValueDigests[] {
  const { loanId, indexKey, organizationIds } = given;
  const dataKey = Buffer.from(given.dataKey) as DataKey;
  const { personal, record } = unsealRecord(dataKey, loanId, given.sealed);
  const text = withSealedChanges(record.toString('utf8'), loanId, dataKey, given.changes);
  const texts = { applicant: partyTexts(text, 'applicant'), coApplicant: partyTexts(text, 'coApplicant') };
  return indexedValues(texts, personal.vin).flatMap(({ kind, of, text: value }) => {
    const digests = digestsIn(indexKey, organizationIds, { kind, text: value });
    return digests.length === 0 ? [] : [{ kind, of, digests }];
  });
}
