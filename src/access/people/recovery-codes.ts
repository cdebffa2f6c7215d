/**
 * Recovery codes: ten, shown once, each accepted once in place of a time code. 80 random bits each, so a plain SHA-256 is enough: nobody
 * tries 2^80 of them.
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './time-codes.ts';

const CODES = 10;

/** Ten codes of sixteen letters and digits in groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => (base32(randomBytes(10)).match(/.{4}/g) ?? []).join('-'));
}

/** The sixteen letters without spaces and dashes; null: it cannot be one. */
export function readRecoveryCode(text: string): string | null {
  const letters = text.slice(0, 64).replaceAll(/[\s-]/g, '').toUpperCase();
  return /^[A-Z2-7]{16}$/.test(letters) ? letters : null;
}

/** Bound to the person, so that equal hashes of two people cannot occur. */
export function recoveryCodeHash(userId: string, code: string): Buffer {
  return createHash('sha256')
    .update(`${userId}\n${readRecoveryCode(code) ?? ''}`)
    .digest();
}
