/** The ledger's commitments to the data submitted with a loan: keyed hashes that only the same text and salt reproduce. */
import { commitments, detailsText, type PersonalDetails } from '../vault/seal.ts';

export type HandedOver = {
  readonly personal: PersonalDetails;
  readonly record: string | Uint8Array;
  /** JSON of the file, as it is stored. */
  readonly file: string;
  readonly publicPart: string | Uint8Array;
};

/** By part. */
export function commitmentsTo(salt: Uint8Array, { personal, record, file, publicPart }: HandedOver) {
  return commitments(salt, { record, details: detailsText(personal), file, publicPart });
}
