/**
 * Ledger accounts of parties: 20-byte addresses with the mixed-case checksum of EIP-55. An account that the caller does not give is derived
 * from the party's reference with a keyed hash: the same party of the same organization always gets the same one, and without the key
 * an account cannot be traced to its party or tested against guessed references.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';

export type PartyRole = 'borrower' | 'lender' | 'servicer';

export function partyAddress(partyKey: Uint8Array, organizationId: string, role: PartyRole, reference: string): string {
  const hash = createHmac('sha256', partyKey).update(`${organizationId}\n${role}\n${reference}`).digest('hex');
  return checksummed(hash.slice(0, 40));
}

/**
 * The id of a new loan. Its first byte, which selects the ledger volume of the loan, is derived from the lender and the application, so
 * that the same application sent twice belongs to the same volume. The rest is random.
 */
export function newLoanId(
  partyKey: Uint8Array,
  organizationId: string,
  { lenderId, applicationId }: { lenderId: string; applicationId: string },
): string {
  const place = createHmac('sha256', partyKey)
    .update(`${organizationId}\nloan\n${lenderId}\n${applicationId}`)
    .digest();
  return `0x${place.toString('hex', 0, 1)}${randomBytes(31).toString('hex')}`;
}

/** The id of the book of an organization and one of its lenders. Without the key it does not reveal the lender. */
export function bookIdOf(partyKey: Uint8Array, organizationId: string, lenderId: string): string {
  return `0x${createHmac('sha256', partyKey).update(`${organizationId}\nbook\n${lenderId}`).digest('hex')}`;
}

/** The id of the book of its entries by hand. */
export function entryBookIdOf(partyKey: Uint8Array, organizationId: string, lenderId: string): string {
  return `0x${createHmac('sha256', partyKey).update(`${organizationId}\nentries\n${lenderId}`).digest('hex')}`;
}

/** With the right checksum, or in a single case, which carries no checksum. */
export function isAddress(text: string): boolean {
  return asAddress(text) !== null;
}

/** The address in its checksummed form; null when it is not an address, or its checksum is wrong. */
export function asAddress(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  const digits = text.slice(2);
  const address = checksummed(digits.toLowerCase());
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || address === text ? address : null;
}

/** A letter is upper case where the hash of the lower-case text has a digit of 8 or more. */
function checksummed(lowerCaseDigits: string): string {
  const hash = keccak_256(Buffer.from(lowerCaseDigits, 'latin1'));
  let address = '0x';
  for (let i = 0; i < 40; i += 1) {
    const digit = lowerCaseDigits[i] ?? '';
    const byte = hash[i >> 1] ?? 0;
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15;
    address += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return address;
}
