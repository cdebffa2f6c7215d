/**
 * Writes that belong to no loan, each carried out once under its idempotency key. A key is reserved in its own volume before the write,
 * as for a loan, and its answer is stored there too, in the transaction of the effect: reservation and answer go under the key's own hash
 * in place of a loan. So the same key for another write is noticed, whether that is of a loan or not.
 */
import { type Db, OutcomeUnknown } from '../store/db.ts';
import { type Keep, type StoredAnswer, storeAnswer } from '../store/idempotency.ts';
import { confirmReplicated } from '../store/replica.ts';
import { callKey, type Holder, openKeys } from './keys.ts';
import type { OnceAsked, OnceOnly, OnceOutcome } from './loans.ts';

export function openOnce(options: { db: Db; secret: Uint8Array; holder: Holder | undefined }): OnceOnly {
  const { db, secret } = options;
  const keys = openKeys(db, options.holder);
  /** Hashes of keys whose first call has not been answered yet. */
  const running = new Set<string>();

  return async function once<T extends object>(
    { clientId, userId }: { readonly clientId: string; readonly userId?: string | null },
    { idempotency: given, answer, isSecret }: OnceAsked<T>,
    work: (keep: Keep) => Promise<T>,
  ): Promise<OnceOutcome> {
    if (given === null) return { kind: 'done', text: answer(await work(async () => {})) };
    const key = callKey(secret, { caller: userId ?? clientId, ...given }, false);
    const { keyHash } = key;
    if (running.has(keyHash)) return { kind: 'key_running' };
    running.add(keyHash);
    const asked = { loanId: keyHash, idempotency: key, reserved: false };
    try {
      const before = (await keys.answers([asked], await keys.reserve([asked]))).get(keyHash);
      if (before === 'running') return { kind: 'key_running' };
      if (before !== undefined) return await repeated(before);
      let [text, isKept]: [string | null, boolean] = [null, false];
      const keep: Keep = async (tx, done) => {
        // A secret is not stored: its answer may also tell what happened after the transaction.
        if (!isSecret) text = answer(done as T);
        isKept = true;
        await storeAnswer(tx, { loanId: keyHash, ...key }, text ?? '');
      };
      const done = await work(keep);
      // Nothing had to be changed: the requested state was already reached.
      if (!isKept) await keep(db, done);
      return { kind: 'done', text: text ?? answer(done) };
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

    async function repeated({ requestHash, answer: stored }: StoredAnswer): Promise<OnceOutcome> {
      await confirmReplicated(db);
      if (requestHash !== key.requestHash) return { kind: 'key_reused' };
      return stored === '' ? { kind: 'already_answered' } : { kind: 'replayed', text: stored };
    }
  };
}
