/** What the ledger holds of what was handed over with a loan: keyed hashes that only the same text and the same salt can give. */
import { commitments, type PersonalDetails } from '../vault/seal.ts';

export type HandedOver = {
  readonly personal: PersonalDetails;
  readonly record: string | Uint8Array;
  /** JSON of the file, as it is stored. */
  readonly file: string;
  readonly publicPart: string | Uint8Array;
};

/** By part. The members of `details` are in this order for good: another order would be another text. */
export function commitmentsTo(salt: Uint8Array, { personal, record, file, publicPart }: HandedOver) {
  const { lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, vin } = personal;
  const details = JSON.stringify({ lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, vin });
  return commitments(salt, { record, details, file, publicPart });
}
