/**
 * Envelope encryption. Every loan has a data key of its own; personal data is sealed under it, and the data key is stored beside it,
 * wrapped under a master key that is not in the database (`master-keys.ts`). Replacing the master key rewraps the data keys and leaves what
 * they seal untouched; destroying a data key erases the personal data.
 *
 * Sealed data is bound to its loan and its purpose (as associated data): bytes moved to another loan, or to another place of the same
 * loan, do not unseal. A data key seals a few items and the purpose of every read of its loan, and a master key wraps about ten
 * million keys: both are far below the 2^32 messages that random nonces are good for (NIST SP 800-38D, 8.3).
 */
import { createHmac, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from './cipher.ts';
import type { DataKey } from './master-keys.ts';

const decompress = promisify<Buffer, { chunkSize: number }, Buffer>(zstdDecompress);

/** The personal values in `loanDetails`: small, so that they can be unsealed without the record. */
export type PersonalDetails = {
  readonly lendingDecisionReason: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly vin: string;
  /** Payment and debts to income, exact: with the payment they would reveal the income. */
  readonly pti: string;
  readonly dti: string;
  /** Texts of the lender, as given. */
  readonly indexRate: string;
  readonly creditReportHash: string;
  readonly retailInstallmentContractHash: string;
  /** JSON text: what an underwriting run found in other applications and loans, which it names. '': nothing, or there was no run. */
  readonly signs: string;
};

/** The order in which the details are sealed and committed to; it must never change. */
const DETAILS = [
  'lendingDecisionReason',
  'applicantCreditVision',
  'coApplicantCreditVision',
  'vin',
  'pti',
  'dti',
  'indexRate',
  'creditReportHash',
  'retailInstallmentContractHash',
  'signs',
] as const satisfies (keyof PersonalDetails)[];

/** The details of a person who was erased. */
export const NO_DETAILS = Object.fromEntries(DETAILS.map((name) => [name, ''])) as PersonalDetails;

/** The details as one text: what is sealed, and what the ledger commits to. */
export function detailsText(personal: PersonalDetails): string {
  return JSON.stringify(DETAILS.map((name) => personal[name]));
}

/** Stored bytes do not unseal: they were changed, or belong to another loan or another place. */
export class SealBroken extends Error {
  override name = 'SealBroken';
  constructor() {
    super('Sealed data cannot be decrypted: it was changed, or belongs to another record.');
  }
}

// ---- the personal part of a loan ----

/*
 * Layout: version 1 (1), length of the head's ciphertext (4), head: nonce (12), tag (16), ciphertext; record: nonce (12), tag (16),
 * ciphertext of its zstd. The head's associated data holds the record's nonce and tag, so that a record of the same loan from an
 * earlier time cannot be combined with a newer head. A head's plain text is the salt (32), the record's length (4) and the details as JSON.
 */
const VERSION = 1;
const SEALED_FRONT = NONCE_BYTES + TAG_BYTES;
const FRONT = 5;
const SALT = 32;
/** Level 3 takes 3 ms for a record of 620 KB, at creation; opening it takes 1 ms, four fifths of that in zstd. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const LONGEST_RECORD = 0x7fff_ffff;

export const newSalt = (): Buffer => randomBytes(SALT);

export function sealRecord(
  dataKey: DataKey,
  loanId: string,
  personal: PersonalDetails & { readonly record: string | Uint8Array },
  salt: Uint8Array,
): Buffer {
  if (salt.length !== SALT) throw new Error('A salt must be 32 bytes.');
  const plain = typeof personal.record === 'string' ? Buffer.from(personal.record) : personal.record;
  if (plain.length > LONGEST_RECORD) throw new Error('A record must be below 2 GiB.');
  const record = sealAt(`record ${loanId}`, dataKey, zstdCompressSync(plain, COMPRESSION));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(plain.length);
  const head = sealAt(
    `head ${loanId}`,
    dataKey,
    Buffer.concat([salt, length, Buffer.from(detailsText(personal))]),
    record.subarray(0, SEALED_FRONT),
  );
  const front = Buffer.alloc(FRONT);
  front[0] = VERSION;
  front.writeUInt32BE(head.length - SEALED_FRONT, 1);
  return Buffer.concat([front, head, record]);
}

/** Unseals everything. Throws `SealBroken`. */
export function unsealRecord(
  dataKey: DataKey,
  loanId: string,
  sealed: Uint8Array,
): { personal: PersonalDetails; record: Buffer; salt: Buffer } {
  const { head, record } = parts(sealed);
  const { personal, salt, recordLength } = unsealHead(dataKey, loanId, head, record);
  const compressed = unsealAt(`record ${loanId}`, dataKey, record);
  // With one buffer for the whole output, zstd need not join chunks.
  const plain = zstdDecompressSync(compressed, { chunkSize: Math.max(64, recordLength + 1) });
  if (plain.length !== recordLength) throw new SealBroken();
  return { personal, record: plain, salt };
}

/** From here on a record is decompressed beside the event loop: 10 MiB take 30 ms there, and handing it over costs less than 1 ms. */
const LARGE = 1024 * 1024;

/** The same, with a large record decompressed on another thread. Throws `SealBroken`. */
export async function unsealLargeRecord(
  dataKey: DataKey,
  loanId: string,
  sealed: Uint8Array,
): Promise<{ personal: PersonalDetails; record: Buffer; salt: Buffer }> {
  const { head, record } = parts(sealed);
  const { personal, salt, recordLength } = unsealHead(dataKey, loanId, head, record);
  if (recordLength < LARGE) return unsealRecord(dataKey, loanId, sealed);
  const compressed = unsealAt(`record ${loanId}`, dataKey, record);
  const plain = await decompress(compressed, { chunkSize: recordLength + 1 });
  if (plain.length !== recordLength) throw new SealBroken();
  return { personal, record: plain, salt };
}

/** Unseals the small part alone, in about ten microseconds. Throws `SealBroken`. */
export function unsealDetails(
  dataKey: DataKey,
  loanId: string,
  sealed: Uint8Array,
): { personal: PersonalDetails; salt: Buffer } {
  const { head, record } = parts(sealed);
  const { personal, salt } = unsealHead(dataKey, loanId, head, record);
  return { personal, salt };
}

function parts(sealed: Uint8Array): { head: Buffer; record: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  if (bytes.length < FRONT || bytes[0] !== VERSION) throw new SealBroken();
  const end = FRONT + SEALED_FRONT + bytes.readUInt32BE(1);
  if (bytes.length < end + SEALED_FRONT) throw new SealBroken();
  return { head: bytes.subarray(FRONT, end), record: bytes.subarray(end) };
}

function unsealHead(dataKey: DataKey, loanId: string, head: Buffer, record: Buffer) {
  const plain = unsealAt(`head ${loanId}`, dataKey, head, record.subarray(0, SEALED_FRONT));
  const texts = JSON.parse(plain.toString('utf8', SALT + 4)) as string[];
  return {
    personal: Object.fromEntries(DETAILS.map((name, i) => [name, texts[i]])) as PersonalDetails,
    salt: plain.subarray(0, SALT),
    recordLength: plain.readUInt32BE(SALT),
  };
}

// ---- the public part of a loan ----

/** The public part is sealed too: it came from callers, and destroying the key erases it. */
export function sealPublicPart(dataKey: DataKey, loanId: string, part: string | Uint8Array): Buffer {
  return sealAt(`public ${loanId}`, dataKey, zstdCompressSync(part, COMPRESSION));
}

/** Throws `SealBroken`. */
export function unsealPublicPart(dataKey: DataKey, loanId: string, sealed: Uint8Array): Buffer {
  return zstdDecompressSync(unsealAt(`public ${loanId}`, dataKey, sealed));
}

/** The same, decompressed on another thread. Throws `SealBroken`. */
export function unsealLargePublicPart(dataKey: DataKey, loanId: string, sealed: Uint8Array): Promise<Buffer> {
  return decompress(unsealAt(`public ${loanId}`, dataKey, sealed), { chunkSize: 256 * 1024 });
}

// ---- stated reasons ----

/** The reason beside an event. */
export function sealNote(dataKey: DataKey, loanId: string, note: string): Buffer {
  return sealAt(`note ${loanId}`, dataKey, Buffer.from(note));
}

/** Throws `SealBroken`. */
export function unsealNote(dataKey: DataKey, loanId: string, sealed: Uint8Array): string {
  return unsealAt(`note ${loanId}`, dataKey, sealed).toString('utf8');
}

/** The stated purpose of a disclosure. */
export function sealPurpose(dataKey: DataKey, loanId: string, purpose: string): Buffer {
  return sealAt(`purpose ${loanId}`, dataKey, Buffer.from(purpose));
}

/** Throws `SealBroken`. */
export function unsealPurpose(dataKey: DataKey, loanId: string, sealed: Uint8Array): string {
  return unsealAt(`purpose ${loanId}`, dataKey, sealed).toString('utf8');
}

/** A credit report with the bureau's raw answer. */
export function sealReport(dataKey: DataKey, loanId: string, report: Uint8Array): Buffer {
  return sealAt(`report ${loanId}`, dataKey, zstdCompressSync(report, COMPRESSION));
}

/** Throws `SealBroken`. */
export function unsealReport(dataKey: DataKey, loanId: string, sealed: Uint8Array): Buffer {
  return zstdDecompressSync(unsealAt(`report ${loanId}`, dataKey, sealed));
}

/** A notice to an applicant, as it was made. */
export function sealNotice(dataKey: DataKey, loanId: string, text: string): Buffer {
  return sealAt(`notice ${loanId}`, dataKey, Buffer.from(text));
}

/** Throws `SealBroken`. */
export function unsealNotice(dataKey: DataKey, loanId: string, sealed: Uint8Array): string {
  return unsealAt(`notice ${loanId}`, dataKey, sealed).toString('utf8');
}

// ---- requests for approval ----

/** The body of a write that waits for an approval. */
export function sealRequest(dataKey: DataKey, loanId: string, request: string): Buffer {
  return sealAt(`request ${loanId}`, dataKey, Buffer.from(request));
}

/** Throws `SealBroken`. */
export function unsealRequest(dataKey: DataKey, loanId: string, sealed: Uint8Array): string {
  return unsealAt(`request ${loanId}`, dataKey, sealed).toString('utf8');
}

// ---- changes of a party ----

/** The values with a salt of their own, and the hash that the ledger keeps of them. */
export function sealPartyChange(
  dataKey: DataKey,
  loanId: string,
  change: string,
): { readonly sealed: Buffer; readonly commitment: string } {
  const salt = newSalt();
  return {
    sealed: sealAt(`party ${loanId}`, dataKey, Buffer.concat([salt, Buffer.from(change)])),
    commitment: commitmentToParty(salt, change),
  };
}

/** Throws `SealBroken`, also where it is another change than the one that the ledger commits to. */
export function unsealPartyChange(dataKey: DataKey, loanId: string, sealed: Uint8Array, commitment: string): string {
  const plain = unsealAt(`party ${loanId}`, dataKey, sealed);
  const change = plain.toString('utf8', SALT);
  if (commitmentToParty(plain.subarray(0, SALT), change) !== commitment) throw new SealBroken();
  return change;
}

function commitmentToParty(salt: Uint8Array, change: string): string {
  return commitments(salt, { partyChange: change }).partyChange as string;
}

// ---- commitments for the ledger ----

/**
 * Keyed hashes of the personal parts, by their names: a part and the salt together prove that the part is the recorded one; without the
 * salt, which is sealed with the parts and destroyed with them, nothing can be guessed from a hash.
 */
export function commitments(
  salt: Uint8Array,
  parts: Readonly<Record<string, string | Uint8Array>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const hash = createHmac('sha256', salt).update(`${name}\n`).update(part).digest('hex');
      return [name, `0x${hash}`];
    }),
  );
}

// ---- sealing for one place ----

const NOTHING = new Uint8Array(0);

function sealAt(place: string, key: DataKey, plain: Uint8Array, boundTo: Uint8Array = NOTHING): Buffer {
  return encrypt(key, associated(place, boundTo), plain);
}

function unsealAt(place: string, key: DataKey, sealed: Uint8Array, boundTo: Uint8Array = NOTHING): Buffer {
  const plain = decrypt(key, associated(place, boundTo), sealed);
  if (plain === null) throw new SealBroken();
  return plain;
}

/** A place is a word and a loan's id, which has a fixed length: no two pairs of place and bytes read the same. */
function associated(place: string, boundTo: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`daybook ${place}\n`), boundTo]);
}
