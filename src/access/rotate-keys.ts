/**
 * Master keys over the life of a database: which wrap what, replacing the current one while the service runs, and removing those that wrap
 * nothing. An operation that cannot be done returns `refused`, a sentence that says what to do.
 */
import type { Db, Session } from '../store/db/db.ts';
import * as store from '../store/people/erasure.ts';
import {
  type ChangeableMasterKeys,
  type MasterKey,
  type MasterKeys,
  rewrap as rewrapDataKey,
} from '../vault/master-keys.ts';
import { rewrapRootSecrets } from './root-secrets.ts';

const BATCH = 1_000;
/** Longer than a running service takes to follow a change of its key file. */
const FOLLOWED_MS = 2_000;
const MOST_ROUNDS = 30;
/** Longer than a service may still wrap under an older key: it follows its file within a second, and a running request ends. */
const SETTLED_MS = 60_000;

export type Refused = { readonly refused: string };

const lost = (keyId: string): Refused => ({
  refused: `Master key ${keyId} is missing but still protects data: add it first.`,
});
const BUSY: Refused = { refused: 'Another process holds the lock for changing keys; try again when it has finished.' };

export type KeyInfo = {
  keyId: string;
  /** `missing`: it still wraps something but is not among the given keys. */
  state: 'current' | 'known' | 'missing';
  rootSecrets: number;
  loans: number;
};

/** The current one first. */
export async function listKeys(db: Db, masterKeys: MasterKeys): Promise<KeyInfo[]> {
  const used = new Map((await store.countKeyUse(db)).map((row) => [row.key_id, row]));
  const known = masterKeys.all();
  const missing = [...used.keys()].filter((keyId) => known.every((one) => one.keyId !== keyId));
  return [...known.map(({ keyId }) => keyId), ...missing].map((keyId, i) => ({
    keyId,
    state: i === 0 ? 'current' : i < known.length ? 'known' : 'missing',
    rootSecrets: used.get(keyId)?.secrets ?? 0,
    loans: used.get(keyId)?.loans ?? 0,
  }));
}

export type Rotation = { currentKeyId: string; madeNewKey: boolean; rootSecrets: number; loans: number };

/**
 * Makes a new key current and wraps everything under it. While something is still wrapped under another key, an earlier rotation was
 * interrupted (or the operator has put a new key first), and it is only finished; so it may be killed and run again at any moment. The old
 * keys stay where they are.
 */
export async function rotateKeys(
  db: Db,
  masterKeys: ChangeableMasterKeys,
  options: {
    onProgress?: (done: number, total: number) => void;
    pause?: (ms: number) => Promise<void>;
    rewrap?: typeof rewrapDataKey;
  } = {},
): Promise<Rotation | Refused> {
  const { onProgress = () => {}, pause = wait, rewrap = rewrapDataKey } = options;
  const answer = await store.whileChangingKeys(db, async (session): Promise<Rotation | Refused> => {
    const used = await store.countKeyUse(session);
    const unknown = used.find(({ key_id }) => masterKeys.find(key_id) === null);
    if (unknown !== undefined) return lost(unknown.key_id);
    let to = masterKeys.all()[0] as MasterKey;
    const elsewhere = used.filter(({ key_id }) => key_id !== to.keyId);
    const madeNewKey = elsewhere.length === 0;
    if (madeNewKey && masterKeys.file === null) {
      return {
        refused:
          'All data is protected by the first key of MASTER_KEY. To replace it: add a new key at its end and restart every ' +
          'instance, move the new key to the front and restart them again, then run this command.',
      };
    }
    if (madeNewKey) to = masterKeys.add();
    const rootSecrets = await rewrapRootSecrets(session, masterKeys);
    const total = (madeNewKey ? used : elsewhere).reduce((sum, { loans }) => sum + loans, 0);
    const loans = await rewrapLoans(session, masterKeys, to, {
      rewrap,
      pause,
      onProgress: (n) => onProgress(n, total),
    });
    return typeof loans === 'number' ? { currentKeyId: to.keyId, madeNewKey, rootSecrets, loans } : loans;
  });
  return answer ?? BUSY;
}

/**
 * Rewraps until no data key is wrapped under another key. A running service keeps wrapping with the old key until it has read its file,
 * so the last check comes after that time.
 */
async function rewrapLoans(
  session: Session,
  masterKeys: MasterKeys,
  to: MasterKey,
  options: { rewrap: typeof rewrapDataKey; pause: (ms: number) => Promise<void>; onProgress: (done: number) => void },
): Promise<number | Refused> {
  let done = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (round > 0) await options.pause(FOLLOWED_MS);
    const before = done;
    const damaged: string[] = [];
    for (const keyId of await store.keysOfLoans(session)) {
      if (keyId === to.keyId) continue;
      const from = masterKeys.find(keyId);
      if (from === null) return lost(keyId);
      for await (const batch of rewrapKey(session, from, to, options.rewrap)) {
        done += batch.moved;
        damaged.push(...batch.damaged);
        options.onProgress(done);
      }
    }
    if (round === 0 || done > before) continue;
    if (damaged.length === 0) return done;
    const some = damaged.slice(0, 5).join(', ');
    return {
      refused: `The stored keys of ${damaged.length} loans cannot be decrypted because they were changed, among them ${some}.`,
    };
  }
  return {
    refused:
      'A running service still uses an older master key: give it the new keys or restart it, then run this command again.',
  };
}

/** Each batch is a transaction of its own, so a rotation never blocks a loan for longer than one batch. */
async function* rewrapKey(session: Session, from: MasterKey, to: MasterKey, rewrap: typeof rewrapDataKey) {
  // No loan id is below the empty one.
  let after: Uint8Array = new Uint8Array(0);
  for (;;) {
    const rows = await store.readWrappedKeys(session, from.keyId, after, BATCH);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.loan_id;
    const ready: (store.WrappedKey & { rewrapped: Uint8Array })[] = [];
    const damaged: string[] = [];
    for (const row of rows) {
      const loanId = `0x${row.loan_id.toString('hex')}`;
      const rewrapped = rewrap(from, to, row.wrapped_key, loanId);
      if (rewrapped === null) damaged.push(loanId);
      else ready.push({ ...row, rewrapped });
    }
    yield { moved: await store.replaceWrappedKeys(session, from.keyId, to.keyId, ready), damaged };
  }
}

export type Pruned = { keyId: string; outcome: 'removed' | 'kept' };

/** Removes the keys that wrap nothing from the file; the result does not include the current key. `now` is epoch milliseconds. */
export async function pruneKeys(db: Db, masterKeys: ChangeableMasterKeys, now: number): Promise<Pruned[] | Refused> {
  const answer = await store.whileChangingKeys(db, (session) =>
    session.transaction(async (tx): Promise<Pruned[] | Refused> => {
      const others = masterKeys.all().slice(1);
      const seconds = Math.ceil((masterKeys.changedAt() + SETTLED_MS - now) / 1_000);
      if (others.length > 0 && seconds > 0) {
        return {
          refused: `The key file was just changed and a service may still use an older key: try again in ${seconds} s.`,
        };
      }
      // Loans that are being stored now are counted, and no more are stored until the file is written.
      await store.holdKeys(tx);
      const keyIds = others.map(({ keyId }) => keyId);
      const kept = await store.keysInUse(tx, keyIds);
      const idle = new Set(keyIds.filter((keyId) => !kept.includes(keyId)));
      if (idle.size > 0 && masterKeys.file === null) {
        return {
          refused: `These keys no longer protect any data; remove them from MASTER_KEY: ${[...idle].join(' ')}.`,
        };
      }
      if (idle.size > 0) masterKeys.remove(idle);
      return keyIds.map((keyId) => ({ keyId, outcome: idle.has(keyId) ? 'removed' : 'kept' }));
    }),
  );
  return answer ?? BUSY;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
