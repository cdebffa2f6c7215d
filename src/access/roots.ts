/**
 * Root secrets: what outlives a master key. The pepper of API keys, the keys of blind indexes, of ledger accounts and of idempotency
 * hashes cannot be made anew without losing what was hashed with them; so each is a secret of its own, made once at random and kept in
 * the database, wrapped under the current master key.
 */
import { randomBytes } from 'node:crypto';
import { changeAccess, firstClientId, readSigningKeys } from '../store/access.ts';
import type { Db, Session, Sql } from '../store/db.ts';
import {
  insertRootSecret,
  keysOfLoans,
  type RootSecretRow,
  readRootSecrets,
  replaceRootSecret,
} from '../store/people.ts';
import { keyring, type Sealing, sealing } from './secrets.ts';
import { WrongMasterKey } from './tokens.ts';

const NAMES = ['access', 'index', 'party', 'idempotency'] as const;
type SecretName = (typeof NAMES)[number];

/** 32 bytes each. */
export type RootSecrets = Readonly<Record<SecretName, Uint8Array>>;

export type MasterKey = { readonly keyId: string /** 32 bytes. */; readonly key: Uint8Array };

/** The first of `all` is the current one, which wraps. */
export type MasterKeys = {
  current(): MasterKey;
  find(keyId: string): MasterKey | null;
  all(): readonly MasterKey[];
};

/** Makes those that are missing, and opens all of them. Throws `WrongMasterKey`. */
export async function openSecrets(db: Db, masterKeys: MasterKeys): Promise<RootSecrets> {
  let rows = await readRootSecrets(db);
  if (missingFrom(rows).length > 0) {
    // One instance after another, under the lock that every change of access takes: the second finds what the first one made, and no
    // signing key can be made in between, which is what an older database is told by.
    ({ value: rows } = await changeAccess(db, async (tx) => {
      for (const name of missingFrom(await readRootSecrets(tx))) {
        const secret = name === 'access' ? await accessSecret(tx, masterKeys) : randomBytes(32);
        const master = masterKeys.current();
        await insertRootSecret(tx, { name, key_id: master.keyId, wrapped: wrapping(master).seal(secret, name) });
      }
      return readRootSecrets(tx);
    }));
  }
  const secrets = new Map(rows.map((row) => [row.name, openSecret(row, masterKeys)]));
  // A key that was taken away too early is better found now than by whoever asks for one of its loans.
  for (const keyId of await keysOfLoans(db)) if (masterKeys.find(keyId) === null) throw new WrongMasterKey(keyId);
  return Object.fromEntries(NAMES.map((name) => [name, secrets.get(name)])) as RootSecrets;
}

/** Wraps those that are under another key under the current one. Run again, it does nothing. */
export async function rewrapSecrets(db: Session, masterKeys: MasterKeys): Promise<number> {
  const to = masterKeys.current();
  return db.transaction(async (tx) => {
    const rows = (await readRootSecrets(tx)).filter(({ key_id }) => key_id !== to.keyId);
    for (const row of rows) {
      const wrapped = wrapping(to).seal(openSecret(row, masterKeys), row.name);
      await replaceRootSecret(tx, { name: row.name, key_id: to.keyId, wrapped });
    }
    return rows.length;
  });
}

function missingFrom(rows: readonly RootSecretRow[]): SecretName[] {
  return NAMES.filter((name) => rows.every((row) => row.name !== name));
}

/**
 * Random, unless somebody was let in before there were root secrets: then everything of access was derived from the master key itself,
 * so its bytes become the secret. Which of several it was, the signing key tells.
 */
async function accessSecret(tx: Sql, masterKeys: MasterKeys): Promise<Uint8Array> {
  const { value: signingKeys } = await readSigningKeys(tx);
  const signing = signingKeys.find(({ private_sealed }) => private_sealed !== null);
  if (signing?.private_sealed) {
    const { key_id, private_sealed } = signing;
    const used = masterKeys.all().find(({ key }) => keyring(key).open(private_sealed, key_id) !== null);
    if (used === undefined) throw new WrongMasterKey();
    return used.key;
  }
  return (await firstClientId(tx)) === null ? randomBytes(32) : masterKeys.current().key;
}

function openSecret({ name, key_id, wrapped }: RootSecretRow, masterKeys: MasterKeys): Uint8Array {
  const master = masterKeys.find(key_id);
  const secret = master && wrapping(master).open(wrapped, name);
  if (!secret) throw new WrongMasterKey();
  return secret;
}

const wrapping = (master: MasterKey): Sealing => sealing(master.key, 'daybook root secret wrap v1');
