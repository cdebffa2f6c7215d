/**
 * Envelope encryption. Every loan has a data key of its own; what is personal is sealed under it, and the data key lies beside it,
 * wrapped under a master key that is not in the database. Replacing the master key wraps the data keys anew and leaves what they seal
 * untouched; destroying a data key erases the person.
 *
 * Everything is AES-256-GCM with random 96-bit nonces. What is sealed is bound to its loan and its purpose (as associated data): bytes
 * moved to another loan, or to another place of the same loan, do not open. A data key seals a handful of things in its life, and a
 * master key wraps some ten million: both are far below the 2^32 messages that random nonces are good for (NIST SP 800-38D, 8.3).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export type MasterKey = { readonly keyId: string /** 32 bytes. */; readonly key: Uint8Array };

export type MasterKeys = {
  /** The one that wraps. */
  current(): MasterKey;
  /** Any that may still open something. */
  find(keyId: string): MasterKey | null;
};

declare const dataKeyBrand: unique symbol;
export type DataKey = Buffer & { readonly [dataKeyBrand]: true };

/** The personal values that stand in `loanDetails`: small, so that they can be opened without the record. */
export type PersonalDetails = {
  readonly lendingDecisionReason: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly vin: string;
  /** Payment and debts to income, exact: with the payment they would give the income away. */
  readonly pti: string;
  readonly dti: string;
};

/** The order in which the details are sealed and committed to, for good. */
const DETAILS = [
  'lendingDecisionReason',
  'applicantCreditVision',
  'coApplicantCreditVision',
  'vin',
  'pti',
  'dti',
] as const satisfies (keyof PersonalDetails)[];

/** The details as one text: what is sealed, and what the ledger commits to. */
export function detailsText(personal: PersonalDetails): string {
  return JSON.stringify(DETAILS.map((name) => personal[name]));
}

/** What is stored does not open: it was changed, or belongs to another loan or another place. */
export class SealBroken extends Error {
  override name = 'SealBroken';
  constructor() {
    super('Sealed data does not open: it was changed, or belongs elsewhere.');
  }
}

// ---- the personal part of a loan ----

/*
 * Layout: version 1 (1), length of the head's ciphertext (4), head: nonce (12), tag (16), ciphertext; record: nonce (12), tag (16),
 * ciphertext of its zstd. The head's associated data holds the record's nonce and tag, so that a record of the same loan from an
 * earlier time cannot be put behind a newer head. A head's plain text is the salt (32), the record's length (4) and the details as JSON.
 */
const VERSION = 1;
const NONCE = 12;
const TAG = 16;
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
  const record = encrypt(dataKey, `record ${loanId}`, zstdCompressSync(plain, COMPRESSION));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(plain.length);
  const head = encrypt(
    dataKey,
    `head ${loanId}`,
    Buffer.concat([salt, length, Buffer.from(detailsText(personal))]),
    record.subarray(0, NONCE + TAG),
  );
  const front = Buffer.alloc(FRONT);
  front[0] = VERSION;
  front.writeUInt32BE(head.length - NONCE - TAG, 1);
  return Buffer.concat([front, head, record]);
}

/** Everything. Throws `SealBroken`. */
export function unsealRecord(
  dataKey: DataKey,
  loanId: string,
  sealed: Uint8Array,
): { personal: PersonalDetails; record: Buffer; salt: Buffer } {
  const { head, record } = parts(sealed);
  const { personal, salt, recordLength } = unsealHead(dataKey, loanId, head, record);
  const compressed = decrypt(dataKey, `record ${loanId}`, record);
  // With room for all of it in one piece, zstd's output need not be put together from pieces.
  const plain = zstdDecompressSync(compressed, { chunkSize: Math.max(64, recordLength + 1) });
  if (plain.length !== recordLength) throw new SealBroken();
  return { personal, record: plain, salt };
}

/** The small part alone, some ten microseconds. Throws `SealBroken`. */
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
  const end = FRONT + NONCE + TAG + bytes.readUInt32BE(1);
  if (bytes.length < end + NONCE + TAG) throw new SealBroken();
  return { head: bytes.subarray(FRONT, end), record: bytes.subarray(end) };
}

function unsealHead(dataKey: DataKey, loanId: string, head: Buffer, record: Buffer) {
  const plain = decrypt(dataKey, `head ${loanId}`, head, record.subarray(0, NONCE + TAG));
  const texts = JSON.parse(plain.toString('utf8', SALT + 4)) as string[];
  return {
    personal: Object.fromEntries(DETAILS.map((name, i) => [name, texts[i]])) as PersonalDetails,
    salt: plain.subarray(0, SALT),
    recordLength: plain.readUInt32BE(SALT),
  };
}

// ---- reasons that were given ----

/** The reason beside an event. */
export function sealNote(dataKey: DataKey, loanId: string, note: string): Buffer {
  return encrypt(dataKey, `note ${loanId}`, Buffer.from(note));
}

/** Throws `SealBroken`. */
export function unsealNote(dataKey: DataKey, loanId: string, sealed: Uint8Array): string {
  return decrypt(dataKey, `note ${loanId}`, sealed).toString('utf8');
}

/** A credit report with the bureau's raw answer. */
export function sealReport(dataKey: DataKey, loanId: string, report: Uint8Array): Buffer {
  return encrypt(dataKey, `report ${loanId}`, zstdCompressSync(report, COMPRESSION));
}

/** Throws `SealBroken`. */
export function unsealReport(dataKey: DataKey, loanId: string, sealed: Uint8Array): Buffer {
  return zstdDecompressSync(decrypt(dataKey, `report ${loanId}`, sealed));
}

// ---- what the ledger may say of it ----

/**
 * Keyed hashes of the personal parts, by their names: who has a part and the salt can show that it is the one that was recorded; without
 * the salt, which is sealed with the parts and goes away with them, nothing can be guessed from a hash.
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

// ---- keys ----

/** A name that tells nothing about the key: derived from it one way, and short. */
export function masterKeyId(key: Uint8Array): string {
  return `mk_${derive(key, 'daybook master key id v1', 8).toString('hex')}`;
}

export const newDataKey = (): DataKey => randomBytes(32) as DataKey;

export function wrap(master: MasterKey, dataKey: DataKey, loanId: string): Buffer {
  return encrypt(wrappingKey(master), `key ${loanId}`, dataKey);
}

/** Null: wrapped under another master key or for another loan, or changed. */
export function unwrap(master: MasterKey, wrapped: Uint8Array, loanId: string): DataKey | null {
  try {
    const plain = decrypt(wrappingKey(master), `key ${loanId}`, wrapped);
    return plain.length === 32 ? (plain as DataKey) : null;
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

/** A loan's key, under whichever master key wraps it. */
export function dataKeyOf(
  masterKeys: MasterKeys,
  { keyId, wrappedKey }: { readonly keyId: string; readonly wrappedKey: Uint8Array },
  loanId: string,
): DataKey {
  const master = masterKeys.find(keyId);
  const key = master === null ? null : unwrap(master, wrappedKey, loanId);
  if (key === null) throw new Error(`The data key of a loan does not open under master key ${keyId}.`);
  return key;
}

/** From one master key to another; null as with `unwrap`. */
export function rewrap(from: MasterKey, to: MasterKey, wrapped: Uint8Array, loanId: string): Buffer | null {
  const dataKey = unwrap(from, wrapped, loanId);
  return dataKey && wrap(to, dataKey, loanId);
}

/** Derived once for a master key, because that takes longer than wrapping does. */
const wrappingKeys = new WeakMap<MasterKey, Buffer>();

function wrappingKey(master: MasterKey): Buffer {
  let key = wrappingKeys.get(master);
  if (key === undefined) {
    key = derive(master.key, 'daybook data key wrap v1', 32);
    wrappingKeys.set(master, key);
  }
  return key;
}

function derive(key: Uint8Array, purpose: string, length: number): Buffer {
  if (key.length !== 32) throw new Error('A master key must be 32 bytes.');
  return Buffer.from(hkdfSync('sha256', key, new Uint8Array(0), purpose, length));
}

// ---- AES-256-GCM: nonce (12), tag (16), ciphertext ----

const NOTHING = new Uint8Array(0);

function encrypt(key: Uint8Array, place: string, plain: Uint8Array, boundTo: Uint8Array = NOTHING): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(place, boundTo));
  // GCM is a stream cipher: all of the text comes out of `update`, and `final` has none left.
  const text = cipher.update(plain);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function decrypt(key: Uint8Array, place: string, sealed: Uint8Array, boundTo: Uint8Array = NOTHING): Buffer {
  if (sealed.length < NONCE + TAG) throw new SealBroken();
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(associated(place, boundTo))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  const plain = decipher.update(sealed.subarray(NONCE + TAG));
  try {
    decipher.final();
  } catch {
    throw new SealBroken();
  }
  return plain;
}

/** A place is a word and a loan's id, which has a fixed length: no two pairs of place and bytes read the same. */
function associated(place: string, boundTo: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`daybook ${place}\n`), boundTo]);
}
