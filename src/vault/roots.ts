/**
 * Root secrets: secrets that outlive a master key. The pepper of API keys, the keys of blind indexes, of ledger accounts and of idempotency
 * hashes cannot be replaced without losing what was hashed with them; so each is a separate random secret, generated once and wrapped under
 * a master key. So is the secret that the keys of forwarding between processes are derived from: all processes know it, whichever master key
 * they were started with.
 */
import { randomBytes } from 'node:crypto';
import { type Sealing, sealing } from './cipher.ts';
import { type MasterKey, type MasterKeys, WrongMasterKey } from './master-keys.ts';

export const ROOT_SECRETS = ['access', 'index', 'party', 'idempotency', 'forwarding'] as const;
export type RootSecretName = (typeof ROOT_SECRETS)[number];

/** 32 bytes each. */
export type RootSecrets = Readonly<Record<RootSecretName, Uint8Array>>;

/** As the database keeps it. */
export type WrappedRootSecret = { readonly name: string; readonly key_id: string; readonly wrapped: Uint8Array };

export const newRootSecret = (): Uint8Array => randomBytes(32);

export function wrapRootSecret(master: MasterKey, name: string, secret: Uint8Array) {
  return { name, key_id: master.keyId, wrapped: wrapping(master).seal(secret, name) };
}

/** Throws `WrongMasterKey`. */
export function unwrapRootSecret(masterKeys: MasterKeys, { name, key_id, wrapped }: WrappedRootSecret): Uint8Array {
  const master = masterKeys.find(key_id);
  const secret = master && wrapping(master).unseal(wrapped, name);
  if (!secret) throw new WrongMasterKey();
  return secret;
}

const wrapping = (master: MasterKey): Sealing => sealing(master.key, 'daybook root secret wrap v1');
