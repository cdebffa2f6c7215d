/**
 * Passwords of people: the rules for a new one, and how it is hashed. Argon2id (RFC 9106) with more than the memory and passes that OWASP
 * asks for at the least (19 MiB, 2 passes). The numbers are written into each hash, so raising them here leaves old hashes valid.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { COMMON_PASSWORDS } from './common-passwords.ts';

/** 32 MiB and some 90 ms per hash; at most two are computed at a time (../secret-checks.ts). */
export const PASSWORD_COST: Readonly<Record<'memory' | 'passes' | 'parallelism', number>> = {
  memory: 32_768,
  passes: 2,
  parallelism: 1,
};
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

const PASSWORD_LENGTH = { least: 12, most: 200 } as const;

/** The same text typed on two keyboards is the same password: NFKC, as NIST SP 800-63B recommends. */
const normal = (password: string): string => password.normalize('NFKC');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, PASSWORD_COST);
  const { memory, passes, parallelism } = PASSWORD_COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Whether the password matches the hash. With null the same work is done, and the answer is false. */
export async function verifyPassword(password: string, hashText: string | null): Promise<boolean> {
  if (hashText === null) {
    await derive(password, Buffer.alloc(16), PASSWORD_COST);
    return false;
  }
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(hashText) ?? [];
  if (!salt || !hash) throw new Error('A stored password hash has an unknown format.');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const derived = await derive(password, Buffer.from(salt, 'base64'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64'));
}

/** The fault of a new password, in a sentence; null: none. */
export function passwordFault(password: string, person: { email: string; name: string }): string | null {
  const text = normal(password);
  const length = [...text].length;
  if (length < PASSWORD_LENGTH.least) return `The password must have at least ${PASSWORD_LENGTH.least} characters.`;
  if (length > PASSWORD_LENGTH.most) return `The password must have at most ${PASSWORD_LENGTH.most} characters.`;
  const plain = text.toLowerCase();
  const [mailbox = ''] = person.email.toLowerCase().split('@', 1);
  const own = [person.email, mailbox, person.name, person.name.replaceAll(/\s+/g, '')]
    .map((word) => normal(word).toLowerCase())
    .filter((word) => word.length > 0);
  // Their name with a year behind it is as easy to guess as their name.
  const rests = own.filter((word) => plain.includes(word)).map((word) => plain.replaceAll(word, ''));
  if (rests.some((rest) => [...rest].length < 8)) return 'The password must not be your name or e-mail address.';
  if (new Set(text).size < 5 || isCommon(plain)) return 'This password is easy to guess. Choose another.';
  return null;
}

/** A common password, also with digits and signs around it, or repeated. */
function isCommon(plain: string): boolean {
  const letters = plain.search(/[a-z]/);
  const core = letters < 0 ? '' : plain.slice(letters, plain.length - [...plain].reverse().join('').search(/[a-z]/));
  if ([plain, core].some((text) => COMMON_PASSWORDS.has(text))) return true;
  for (let piece = 1; piece <= plain.length / 2; piece += 1) {
    if (plain.slice(piece) === plain.slice(0, -piece)) return true;
  }
  return false;
}

const compute = promisify(argon2);

function derive(password: string, nonce: Uint8Array, cost: typeof PASSWORD_COST): Promise<Buffer> {
  return compute('argon2id', { message: normal(password), nonce, tagLength: 32, ...cost });
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
