/**
 * The connection between two processes is TLS with a pre-shared key (RFC 4279, RFC 7905), so that both sides prove that they know the key
 * before any data is sent, and nothing can be read, changed or replayed in transit. The key belongs to the process that listens: it is
 * derived from a root secret, which every process opens with the master key, and from that process's id, which is new at every start.
 */
import type { SecureContextOptions } from 'node:tls';
import { deriveKey } from '../vault/cipher.ts';

/** ECDHE: a later leak of the root secret does not reveal recorded traffic. Node supports pre-shared keys in TLS 1.2 only. */
export const TLS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const satisfies SecureContextOptions;

/** The version is raised when the meaning of a message changes: processes of different releases then write for themselves. */
export function forwardingKey(secret: Uint8Array, processId: string): Buffer {
  return deriveKey(secret, `daybook forwarding v1 to ${processId}`);
}
