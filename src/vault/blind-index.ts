/**
 * Blind indexes: a loan can be found by an exact personal value, and the index does not reveal the value. Each is a keyed hash; the key is
 * a root secret that is not readable in the database. Two spellings of the same value give the same hash, which is what `NORMAL` is for.
 * Organizations never share an index: the same person has different hashes at each.
 */
import { createHmac } from 'node:crypto';

/** The terms by which a loan can be found; empty fields are not indexed. */
export type SearchTerms = {
  readonly ssn?: string;
  readonly email?: string;
  readonly phone?: readonly string[];
  readonly vin?: string;
  /** Both or neither. */
  readonly lastName?: string;
  /** YYYYMMDD or YYYY-MM-DD. */
  readonly dateOfBirth?: string;
  /** Values of a kind beside these: a co-applicant's, an address or an account in its one spelling. */
  readonly also?: readonly IndexedText[];
};

export type IndexedText = { readonly kind: 'ssn' | 'phone' | 'vin' | 'address' | 'account'; readonly text: string };

export type IndexKind = 'ssn' | 'email' | 'phone' | 'vin' | 'nameAndBirth' | 'address' | 'account' | 'customData';
export type BlindDigest = { readonly kind: IndexKind; readonly digest: Buffer };

/** Invalid values (a masked number, half a date) are left out: they would match other people. */
export function blindDigests(indexKey: Uint8Array, organizationId: string, terms: SearchTerms): BlindDigest[] {
  const values: [IndexKind, string | null][] = [
    ['ssn', normalSsn(terms.ssn ?? '')],
    ['email', normalEmail(terms.email ?? '')],
    ...(terms.phone ?? []).map((phone): [IndexKind, string | null] => ['phone', normalPhone(phone)]),
    ['vin', normalVin(terms.vin ?? '')],
    ['nameAndBirth', normalNameAndBirth(terms.lastName ?? '', terms.dateOfBirth ?? '')],
    ...(terms.also ?? []).map(({ kind, text }): [IndexKind, string | null] => [kind, NORMAL[kind](text)]),
  ];
  // Home and work phone may be one number, which is one entry.
  const found = new Map<string, BlindDigest>();
  for (const [kind, value] of values) {
    if (value === null) continue;
    found.set(`${kind} ${value}`, { kind, digest: digestOf(indexKey, organizationId, kind, value) });
  }
  return [...found.values()];
}

/** The digest of one value in each of some organizations' indexes; none where the value is invalid. */
export function digestsIn(
  indexKey: Uint8Array,
  organizationIds: readonly string[],
  { kind, text }: IndexedText,
): Buffer[] {
  const value = NORMAL[kind](text);
  return value === null ? [] : organizationIds.map((id) => digestOf(indexKey, id, kind, value));
}

function digestOf(indexKey: Uint8Array, organizationId: string, kind: IndexKind, value: string): Buffer {
  return createHmac('sha256', indexKey).update(`${organizationId}\n${kind}\n${value}`).digest();
}

/**
 * The digests by which a loan is found by its custom data, of the organization that keeps it: one for each member, its name and its whole
 * text. A text can be written with composed characters or with combining ones, and is the same.
 */
export function customDigests(
  indexKey: Uint8Array,
  organizationId: string,
  members: readonly (readonly [name: string, text: string])[],
): BlindDigest[] {
  return members.map(([name, text]) => {
    const value = `${organizationId}\ncustomData\n${name}\n${text.normalize('NFC')}`;
    return { kind: 'customData', digest: createHmac('sha256', indexKey).update(value).digest() };
  });
}

const digits = (text: string): string => text.normalize('NFKC').replace(/\D/g, '');

function normalSsn(text: string): string | null {
  const number = digits(text);
  return number.length === 9 ? number : null;
}

function normalEmail(text: string): string | null {
  const address = text.normalize('NFKC').trim().toLowerCase();
  return address.includes('@') ? address : null;
}

function normalPhone(text: string): string | null {
  const number = digits(text);
  const national = number.length === 11 && number.startsWith('1') ? number.slice(1) : number;
  return national.length >= 7 ? national : null;
}

/** A VIN may be shorter than today's 17 characters on a vehicle from before 1981. */
function normalVin(text: string): string | null {
  const vin = text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return vin.length >= 5 ? vin : null;
}

function normalNameAndBirth(lastName: string, dateOfBirth: string): string | null {
  // Case folding by way of upper case, so that ß and SS are the same.
  const name = lastName
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  const birth = digits(dateOfBirth);
  return name !== '' && birth.length === 8 ? `${name}|${birth}` : null;
}

const asIs = (text: string): string | null => text || null;

const NORMAL: Readonly<Record<IndexedText['kind'], (text: string) => string | null>> = {
  ssn: normalSsn,
  phone: normalPhone,
  vin: normalVin,
  address: asIs,
  account: asIs,
};
