/**
 * The expensive part of creating a loan, for a worker thread: reading the submitted record, compressing it, sealing it, and the ledger's
 * commitments to it. Keys and salts are passed in; what comes back can be copied, and its large parts are ready to be stored.
 */
import { type Creation, readCreation } from '../../boarding/creation.ts';
import { requestOf } from '../../boarding/record-parts.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { LenderPolicies } from '../../core/policy.ts';
import { isMistakes, type Mistakes } from '../../core/reader.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { macroOfDay } from '../../underwriting/macro.ts';
import { commitmentsToParts } from '../../vault/commitments.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { newLoanId } from '../../vault/party.ts';
import { sealPublicPart, sealRecord } from '../../vault/seal.ts';
import { stopsBefore } from './stops.ts';

export type Sealing = {
  readonly organizationId: string;
  /** A part of what the loan's id follows from. */
  readonly partyKey: Uint8Array;
  readonly dataKey: Uint8Array;
  readonly salt: Uint8Array;
};

/** A loan that is ready to be stored; of what is personal only what it can be found by and its custom data are not sealed yet. */
export type SealedCreation = Pick<Creation, 'contract' | 'policy' | 'file' | 'published' | 'boarded'> & {
  readonly loanId: string;
  readonly search: Creation['personal']['search'];
  readonly customData: Creation['personal']['customData'];
  /** Sealed, like what is personal: it goes with the borrower. */
  readonly publicPart: Uint8Array;
  readonly sealed: Uint8Array;
  /** To everything but the file, which is not complete yet. */
  readonly commitments: Readonly<Record<string, string>>;
};

/** `source` is JSON (UTF-8) that was checked against the schema of a creation. */
export function readAndSeal(given: {
  readonly source: string | Uint8Array;
  readonly policies: LenderPolicies;
  readonly today: PlainDate;
  readonly sealing: Sealing;
}): SealedCreation | Mistakes | Refusal {
  const { source, policies, today, sealing } = given;
  const text =
    typeof source === 'string' ? source : Buffer.from(source.buffer, source.byteOffset, source.length).toString();
  const creation = readCreation(text, { policies, today, macro: macroOfDay(today) });
  if (isRefusal(creation) || isMistakes(creation)) return creation;
  const { applies, file, personal } = creation;
  if (!applies) return sealCreation(creation, sealing);
  const isStopped = stopsBefore(JSON.parse(requestOf(personal.record)), creation, today).length > 0;
  const marks = { isApplication: true, ...(isStopped ? { isStopped } : {}) } as const;
  return sealCreation({ ...creation, file: { ...file, ...marks } }, sealing);
}

export function sealCreation(creation: Creation, { organizationId, partyKey, dataKey, salt }: Sealing): SealedCreation {
  const { contract, policy, file, published, boarded, publicPart } = creation;
  const loanId = newLoanId(partyKey, organizationId, file);
  const { search, customData, ...personal } = creation.personal;
  const record = Buffer.from(personal.record);
  const shown = Buffer.from(publicPart);
  const key = Buffer.from(dataKey) as DataKey;
  return {
    loanId,
    contract,
    policy,
    file,
    published,
    boarded,
    search,
    customData,
    publicPart: sealPublicPart(key, loanId, shown),
    sealed: sealRecord(key, loanId, { ...personal, record }, salt),
    commitments: commitmentsToParts(salt, { personal, record, publicPart: shown }),
  };
}
