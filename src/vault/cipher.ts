/**
 * AES-256-GCM with random 96-bit nonces, and keys that are derived for one purpose each (HKDF, RFC 5869). Every ciphertext is bound to
 * associated data that says what it is and where it belongs: moved elsewhere, it does not decrypt.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Layout: nonce (12), tag (16), ciphertext. */
export function encrypt(key: Uint8Array, associated: Uint8Array, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated);
  // GCM is a stream cipher: all of the text comes out of `update`, and `final` has none left.
  const text = cipher.update(plain);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Null: encrypted under another key or for another place, or changed. */
export function decrypt(key: Uint8Array, associated: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(associated)
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return plain;
}

export function deriveKey(secret: Uint8Array, purpose: string, length = 32): Buffer {
  if (secret.length !== 32) throw new Error('The secret that keys are derived from must be 32 bytes.');
  return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), purpose, length));
}

export type Sealing = {
  /** `label` is bound to the sealed bytes: they unseal under the same label only. */
  seal(plain: Uint8Array, label: string): Buffer;
  /** Null when the bytes were sealed under another key or label, or were changed. */
  unseal(sealed: Uint8Array, label: string): Buffer | null;
};

/** Under a key that is derived from `secret` for one purpose. Layout: version 1 (1), then as `encrypt`. */
export function sealing(secret: Uint8Array, purpose: string): Sealing {
  const key = deriveKey(secret, purpose);
  return {
    seal: (plain, label) => Buffer.concat([Buffer.of(1), encrypt(key, Buffer.from(label), plain)]),
    unseal: (sealed, label) => (sealed[0] === 1 ? decrypt(key, Buffer.from(label), sealed.subarray(1)) : null),
  };
}
