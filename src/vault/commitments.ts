/** The ledger's commitments to the data submitted with a loan: keyed hashes that only the same text and salt reproduce. */
import { commitments, detailsText, type PersonalDetails } from './seal.ts';

export type HandedOver = {
  readonly personal: PersonalDetails;
  readonly record: string | Uint8Array;
  /** JSON of the file, as it is stored. */
  readonly file: string;
  readonly publicPart: string | Uint8Array;
};

/** By part. */
export function commitmentsTo(salt: Uint8Array, { file, ...parts }: HandedOver): Record<string, string> {
  return { ...commitmentsToParts(salt, parts), ...commitmentToFile(salt, file) };
}

/** Commitments to everything but the file. */
export function commitmentsToParts(
  salt: Uint8Array,
  { personal, record, publicPart }: Omit<HandedOver, 'file'>,
): Record<string, string> {
  return commitments(salt, { record, details: detailsText(personal), publicPart });
}

export function commitmentToFile(salt: Uint8Array, file: string): Record<string, string> {
  return commitments(salt, { file });
}
