/**
 * Master keys: the keys outside of the database that wrap every key inside it. They wrap the data keys of loans (here) and the root secrets
 * (`roots.ts`), and are used for nothing else. Keys and rows are passed in; this module does not depend on where master keys are kept.
 */
import { randomBytes } from 'node:crypto';
import { decrypt, deriveKey, encrypt } from './cipher.ts';

export type MasterKey = { readonly keyId: string /** 32 bytes. */; readonly key: Uint8Array };

/** The first one is current: it wraps. All of them unwrap. */
export type MasterKeys = {
  current(): MasterKey;
  find(keyId: string): MasterKey | null;
  /** The current one first. */
  all(): readonly MasterKey[];
};

/** Master keys whose list can be changed: those in a file. */
export type ChangeableMasterKeys = MasterKeys & {
  /** Null: they are in MASTER_KEY, which only the operator can change; `add` and `remove` then throw. */
  readonly file: string | null;
  /** Creates a key, saves it in the file and makes it current. */
  add(): MasterKey;
  /** Removes keys from the file; the current one stays. */
  remove(keyIds: ReadonlySet<string>): void;
  /** The time at which the file was last changed, in epoch milliseconds; 0 without a file. */
  changedAt(): number;
};

/** None of the given master keys unwraps what this database holds. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey';
  /** `lacking`: the other keys match, but this one, which still wraps data, is not among them. */
  constructor(lacking: string | null = null) {
    super(
      lacking === null
        ? 'MASTER_KEY does not match this database: its secrets are encrypted under another key. ' +
            'Start with the MASTER_KEY (or MASTER_KEY_FILE) that this database was last used with.'
        : `Master key ${lacking} is missing from MASTER_KEY but still protects loans of this database: ` +
            'add it after the current key. `npm run keys -- list` shows which keys are needed.',
    );
  }
}

/** A short name that reveals nothing about the key: a one-way derivation of it. */
export function masterKeyId(key: Uint8Array): string {
  return `mk_${deriveKey(key, 'daybook master key id v1', 8).toString('hex')}`;
}

// ---- the data key of a loan ----

declare const dataKeyBrand: unique symbol;
export type DataKey = Buffer & { readonly [dataKeyBrand]: true };

export const newDataKey = (): DataKey => randomBytes(32) as DataKey;

export function wrap(master: MasterKey, dataKey: DataKey, loanId: string): Buffer {
  return encrypt(wrappingKey(master), placeOf(loanId), dataKey);
}

/** Null: wrapped under another master key or for another loan, or changed. */
export function unwrap(master: MasterKey, wrapped: Uint8Array, loanId: string): DataKey | null {
  const plain = decrypt(wrappingKey(master), placeOf(loanId), wrapped);
  return plain?.length === 32 ? (plain as DataKey) : null;
}

/** From one master key to another; null as with `unwrap`. */
export function rewrap(from: MasterKey, to: MasterKey, wrapped: Uint8Array, loanId: string): Buffer | null {
  const dataKey = unwrap(from, wrapped, loanId);
  return dataKey && wrap(to, dataKey, loanId);
}

/** A loan's key, under whichever master key wraps it. */
export function dataKeyOf(
  masterKeys: Pick<MasterKeys, 'find'>,
  { keyId, wrappedKey }: { readonly keyId: string; readonly wrappedKey: Uint8Array },
  loanId: string,
): DataKey {
  const master = masterKeys.find(keyId);
  const key = master === null ? null : unwrap(master, wrappedKey, loanId);
  if (key === null) throw new Error(`The data key of a loan cannot be decrypted with master key ${keyId}.`);
  return key;
}

/** Derived once for a master key, because that takes longer than wrapping does. */
const wrappingKeys = new WeakMap<MasterKey, Buffer>();

function wrappingKey(master: MasterKey): Buffer {
  let key = wrappingKeys.get(master);
  if (key === undefined) {
    key = deriveKey(master.key, 'daybook data key wrap v1');
    wrappingKeys.set(master, key);
  }
  return key;
}

const placeOf = (loanId: string): Buffer => Buffer.from(`daybook key ${loanId}\n`);
