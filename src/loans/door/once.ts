/**
 * Writes that belong to no loan, each carried out once under its idempotency key. A key is reserved in its own volume before the write,
 * as for a loan, and its answer is stored there too, in the transaction of the effect: reservation and answer go under the key's own hash
 * in place of a loan. So the same key for another write is noticed, whether that is of a loan or not. The entry of the audit trail is in
 * the same transaction, with a key or without.
 */
import { recordAudit } from '../../store/audit/audit.ts';
import { type Db, OutcomeUnknown, type Sql } from '../../store/db/db.ts';
import { confirmReplicated } from '../../store/db/replica.ts';
import { type Keep, type StoredAnswer, storeAnswer } from '../../store/door/idempotency.ts';
import type { Actor } from './actor.ts';
import { type CallKey, callKey, type Holder, openKeys } from './keys.ts';

/** A write that belongs to no loan. */
export type OnceWrite<T> = {
  /** `request` is everything the call said, as text; or the key of the call that asked for it. Null: it is carried out whenever it is sent. */
  readonly idempotency: { readonly key: string; readonly request: string } | CallKey | null;
  /** The text that is answered, and stored for a repeated call. */
  readonly answer: (done: T) => string;
  /** The answer holds a secret and is never stored, only that there was one. */
  readonly isSecret: boolean;
  /**
   * For the audit trail: the operation's name, the id of what was changed, and another organization whose trail has the entry too. Null:
   * nothing is changed (a dry run).
   */
  readonly audit: {
    readonly operation: string;
    readonly subject: (done: T) => string | null;
    readonly alsoOf?: ((done: T) => string | null) | undefined;
    /** The request that is carried out. */
    readonly approvalId?: string;
  } | null;
};

export type OnceOutcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'replayed'; readonly text: string }
  | { readonly kind: 'already_answered' }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'key_running' };

/** The caller of a write that belongs to no loan. */
export type OnceCaller = Pick<Actor, 'organizationId' | 'clientId' | 'userId' | 'keyId' | 'requestId'>;

/** `work` hands `keep` to whatever changes the database. Its errors are thrown on, and the key is free again. */
export type OnceOnly = {
  <T extends object>(asker: OnceCaller, once: OnceWrite<T>, work: (keep: Keep) => Promise<T>): Promise<OnceOutcome>;
  /** The key of a call, as it is stored. */
  keyOf(asker: OnceCaller, given: { readonly key: string; readonly request: string }): CallKey;
};

export function openOnce(options: {
  db: Db;
  clock: () => number;
  secret: Uint8Array;
  holder: Holder | undefined;
}): OnceOnly {
  const { db, clock, secret } = options;
  const keys = openKeys(db, options.holder);
  /** Hashes of keys whose first call has not been answered yet. */
  const running = new Set<string>();

  return Object.assign(once, { keyOf });

  function keyOf({ userId, clientId }: OnceCaller, given: { readonly key: string; readonly request: string }): CallKey {
    return callKey(secret, { caller: userId ?? clientId, ...given }, false);
  }

  async function once<T extends object>(
    asker: OnceCaller,
    { idempotency: given, answer, isSecret, audit }: OnceWrite<T>,
    work: (keep: Keep) => Promise<T>,
  ): Promise<OnceOutcome> {
    if (given === null) return { kind: 'done', text: await carriedOut(record) };
    const key = 'keyHash' in given ? given : keyOf(asker, given);
    const { keyHash } = key;
    if (running.has(keyHash)) return { kind: 'key_running' };
    running.add(keyHash);
    const asked = { loanId: keyHash, idempotency: key, reserved: false };
    try {
      const before = (await keys.answers([asked], await keys.reserve([asked]))).get(keyHash);
      if (before === 'running') return { kind: 'key_running' };
      if (before !== undefined) return await repeated(before);
      const text = await carriedOut(async (tx, done, told) => {
        await record(tx, done);
        await storeAnswer(tx, { loanId: keyHash, ...key }, { answer: told, version: null });
      });
      return { kind: 'done', text };
    } catch (error) {
      // Without an outcome the key stays reserved: the same call sent again finds the answer, or carries the write out.
      if (error instanceof OutcomeUnknown || !asked.reserved) throw error;
      // A key that expired in the meantime may have been reserved by a repeated call; then that call's answer is the result.
      const late = await keys.answered(keyHash);
      if (late !== undefined) return repeated(late);
      await keys.release([asked]);
      throw error;
    } finally {
      running.delete(keyHash);
    }

    /**
     * The text of the answer. `keep` gets what of it is stored, in the transaction of the effect: of a secret nothing, and its answer may also
     * tell what happened after the transaction.
     */
    async function carriedOut(keep: (tx: Sql, done: T, stored: string) => Promise<void>): Promise<string> {
      let [text, isKept]: [string | null, boolean] = [null, false];
      const kept: Keep = async (tx, done) => {
        if (!isSecret) text = answer(done as T);
        isKept = true;
        await keep(tx, done as T, text ?? '');
      };
      const done = await work(kept);
      // Nothing had to be changed: the requested state was already reached.
      if (!isKept) await db.transaction((tx) => kept(tx, done));
      return text ?? answer(done);
    }

    async function record(tx: Sql, done: T): Promise<void> {
      if (audit === null) return;
      const { organizationId, clientId, userId, keyId, requestId } = asker;
      const by = { organizationId, clientId, userId: userId ?? null, keyId, requestId };
      const what = { kind: 'did', operation: audit.operation, outcome: 'done', subject: audit.subject(done) } as const;
      const also = { ownerId: audit.alsoOf?.(done) ?? null, approvalId: audit.approvalId ?? null };
      await recordAudit(tx, [{ at: new Date(clock()), ...by, ...what, ...also }]);
    }

    async function repeated({ requestHash, answer: stored }: StoredAnswer): Promise<OnceOutcome> {
      await confirmReplicated(db);
      if (requestHash !== key.requestHash) return { kind: 'key_reused' };
      return stored === '' ? { kind: 'already_answered' } : { kind: 'replayed', text: stored };
    }
  }
}
