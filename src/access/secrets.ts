/**
 * Generates, hashes and seals secrets.
 *
 * A client secret may be chosen by a person, so it is hashed with scrypt, slow on purpose. An API key is sent
 * with every request and must be looked up in microseconds, so it is hashed with HMAC under a pepper that is
 * not readable in the database: a stolen table cannot be tried against guessed keys without a master key.
 */
import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Sealing, sealing } from '../vault/cipher.ts';

/** 16 MiB per hash. The numbers are written into each hash, so raising them here leaves old hashes valid. */
export const SECRET_COST: Readonly<Record<'ln' | 'r' | 'p', number>> = { ln: 14, r: 8, p: 1 };
const SCRYPT_TEXT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22,86})\$([A-Za-z0-9_-]{43})$/;

export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const { ln, r, p } = SECRET_COST;
  const hash = await derive(secret, salt, SECRET_COST);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Whether the secret matches the hash. With null (no client to compare with) the same work is done and the answer is
 * false, so that the time taken does not reveal whether a client exists.
 */
export async function verifySecret(secret: string, hashText: string | null): Promise<boolean> {
  if (hashText === null) {
    await derive(secret, Buffer.alloc(16), SECRET_COST);
    return false;
  }
  const [, ln, r, p, salt, hash] = SCRYPT_TEXT.exec(hashText) ?? [];
  if (!salt || !hash || Number(ln) > 20) throw new Error('A stored secret hash has an unknown format.');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await derive(secret, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url'));
}

function derive(secret: string, salt: Uint8Array, cost: { ln: number; r: number; p: number }): Promise<Buffer> {
  const N = 2 ** cost.ln;
  const options: ScryptOptions = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Everything that needs the root secret `access`; each use has its own derived key. */
export type Keyring = Sealing & {
  hashApiKey(key: string): Buffer;
  /**
   * The name under which a value chosen by a caller, such as its address, is counted and reported. It is the same in every process,
   * and a copy of the database does not reveal the value.
   */
  countedName(text: string): string;
  /** By which a person is found: a keyed digest of the address. */
  emailDigest(normalized: string): Buffer;
  /** The token that a page of a session must send with every write; no other site can know it. */
  csrfToken(sessionId: string): string;
  /** E-mail addresses and names. */
  people: Sealing;
};

export function keyring(secret: Uint8Array): Keyring {
  const pepper = deriveKey(secret, 'daybook api key pepper v1');
  const naming = deriveKey(secret, 'daybook counted names v1');
  const addresses = deriveKey(secret, 'daybook e-mail digest v1');
  const forgery = deriveKey(secret, 'daybook forged requests v1');
  return {
    hashApiKey: (key) => createHmac('sha256', pepper).update(key).digest(),
    // 132 bits: collisions by chance can be ruled out.
    countedName: (text) => createHmac('sha256', naming).update(text).digest('base64url').slice(0, 22),
    emailDigest: (normalized) => createHmac('sha256', addresses).update(normalized).digest(),
    csrfToken: (sessionId) => createHmac('sha256', forgery).update(sessionId).digest('base64url'),
    people: sealing(secret, 'daybook people seal v1'),
    ...sealing(secret, 'daybook signing key seal v1'),
  };
}

const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** A name of 120 random bits: `client_…`, `key_…`. */
export function newId(prefix: 'org' | 'client' | 'key' | 'grant' | 'sig' | 'process' | 'user' | 'session'): string {
  return `${prefix}_${Array.from(randomBytes(24), (byte) => ID_LETTERS[byte & 31]).join('')}`;
}

/** The prefixes let secret scanners recognise a leaked credential. */
export const newClientSecret = (): string => `dbs_${randomBytes(32).toString('base64url')}`;
export const newApiKey = (): string => `dbk_${randomBytes(32).toString('base64url')}`;

// Printable means: no control, format, private or unassigned character, no lone surrogate. That keeps NUL, which PostgreSQL refuses, away from SQL.
const PRINTABLE = /^\P{C}+$/u;
const HEADER_TEXT = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

export const isClientId = (text: string): boolean => text.length <= 128 && PRINTABLE.test(text);
export const isClientSecret = (text: string): boolean => text.length <= 512 && PRINTABLE.test(text);
/** An API key travels in a header: visible ASCII, spaces inside at most. */
export const isApiKey = (text: string): boolean => text.length <= 512 && HEADER_TEXT.test(text);
/** Names of organizations and clients: no control characters, because they are shown in lists and on terminals. */
export const isName = (text: string): boolean =>
  text.length <= 200 && text.trim() !== '' && /^[^\p{Cc}\p{Cs}]+$/u.test(text);
