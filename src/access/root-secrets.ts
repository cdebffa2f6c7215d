/**
 * The root secrets of a database: created where missing, unwrapped when the service starts, rewrapped when the master key changes.
 * `vault/roots.ts` describes their uses.
 */
import { changeAccess, firstClientId, readSigningKeys } from '../store/access/access.ts';
import type { Db, Session, Sql } from '../store/db/db.ts';
import {
  insertRootSecret,
  keysOfLoans,
  type RootSecretRow,
  readRootSecrets,
  replaceRootSecret,
} from '../store/people/erasure.ts';
import { type MasterKeys, WrongMasterKey } from '../vault/master-keys.ts';
import {
  newRootSecret,
  ROOT_SECRETS,
  type RootSecretName,
  type RootSecrets,
  unwrapRootSecret,
  wrapRootSecret,
} from '../vault/roots.ts';
import { keyring } from './secrets.ts';

/** Creates those that are missing and unwraps all of them. Throws `WrongMasterKey`. */
export async function openRootSecrets(db: Db, masterKeys: MasterKeys): Promise<RootSecrets> {
  let rows = await readRootSecrets(db);
  if (missingFrom(rows).length > 0) {
    // One process after another, under the lock that every change of access takes: the second finds what the first one created. No signing key
    // can be created in between, and an existing one marks a database from before root secrets.
    ({ value: rows } = await changeAccess(db, async (tx) => {
      for (const name of missingFrom(await readRootSecrets(tx))) {
        const secret = name === 'access' ? await accessSecret(tx, masterKeys) : newRootSecret();
        await insertRootSecret(tx, wrapRootSecret(masterKeys.current(), name, secret));
      }
      return readRootSecrets(tx);
    }));
  }
  const secrets = new Map(rows.map((row) => [row.name, unwrapRootSecret(masterKeys, row)]));
  // A key that was removed too early should be detected now, not by the first request for one of its loans.
  for (const keyId of await keysOfLoans(db)) if (masterKeys.find(keyId) === null) throw new WrongMasterKey(keyId);
  return Object.fromEntries(ROOT_SECRETS.map((name) => [name, secrets.get(name)])) as RootSecrets;
}

/** Rewraps those under another key with the current one. Repeating it does nothing. */
export async function rewrapRootSecrets(db: Session, masterKeys: MasterKeys): Promise<number> {
  const to = masterKeys.current();
  return db.transaction(async (tx) => {
    const rows = (await readRootSecrets(tx)).filter(({ key_id }) => key_id !== to.keyId);
    for (const row of rows) {
      await replaceRootSecret(tx, wrapRootSecret(to, row.name, unwrapRootSecret(masterKeys, row)));
    }
    return rows.length;
  });
}

function missingFrom(rows: readonly RootSecretRow[]): RootSecretName[] {
  return ROOT_SECRETS.filter((name) => rows.every((row) => row.name !== name));
}

/**
 * Random, unless there was a client before there were root secrets: then all access secrets were derived from the master key itself, so its
 * bytes become the secret. The signing key shows which of several master keys it was.
 */
async function accessSecret(tx: Sql, masterKeys: MasterKeys): Promise<Uint8Array> {
  const { value: signingKeys } = await readSigningKeys(tx);
  const signing = signingKeys.find(({ private_sealed }) => private_sealed !== null);
  if (signing?.private_sealed) {
    const { key_id, private_sealed } = signing;
    const used = masterKeys.all().find(({ key }) => keyring(key).unseal(private_sealed, key_id) !== null);
    if (used === undefined) throw new WrongMasterKey();
    return used.key;
  }
  return (await firstClientId(tx)) === null ? newRootSecret() : masterKeys.current().key;
}
