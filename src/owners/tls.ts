/**
 * The connection between two processes is TLS with a pre-shared key (RFC 4279, RFC 7905), so that both sides prove that they know the key
 * before anything is said, and nothing can be read, changed or replayed on the way. The key belongs to the process that listens: it is
 * derived from a root secret, which every process opens with the master key, and from that process's id, which is new at every start.
 */
import type { SecureContextOptions } from 'node:tls';
import { deriveKey } from '../vault/cipher.ts';

/** ECDHE: who learns the root secret later cannot read what was recorded before. Node has pre-shared keys in TLS 1.2 only. */
export const TLS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const satisfies SecureContextOptions;

/** The number is raised when the meaning of a message changes: processes of both releases then do their writes themselves. */
export function forwardingKey(secret: Uint8Array, processId: string): Buffer {
  return deriveKey(secret, `daybook forwarding v1 to ${processId}`);
}
