/**
 * The state of a sign-in between two requests: a challenge, the state of a redirect, the secret of new time codes. A step is
 * found by a random token that only the browser has, is sealed, ends after minutes, and can be taken once.
 */
import { createHash, randomBytes } from 'node:crypto';
import { addStep, dropExpiredSteps, lookAtStep, takeStep } from '../../store/access/sign-in.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Sealing } from '../../vault/cipher.ts';

export type StepKind = 'passkey-new' | 'passkey-use' | 'password-new' | 'provider';

export type Steps = {
  /** The token that takes it back. */
  keep(kind: StepKind, content: object): Promise<string>;
  /** Null: there is none, it has expired or was taken before. */
  take<T>(kind: StepKind, token: string): Promise<T | null>;
  /** Without taking it: for what a person may mistype and correct. */
  look<T>(kind: StepKind, token: string): Promise<T | null>;
};

const LIVES_MS: Record<StepKind, number> = {
  'passkey-new': 5 * 60_000,
  'passkey-use': 5 * 60_000,
  // Installing an authenticator app takes a while.
  'password-new': 10 * 60_000,
  provider: 10 * 60_000,
};

export function openSteps({ db, clock, sealing }: { db: Sql; clock: () => number; sealing: Sealing }): Steps {
  const label = (kind: StepKind, hash: Buffer) => `step ${kind} ${hash.toString('hex')}`;
  return {
    async keep(kind, content) {
      const token = randomBytes(32).toString('base64url');
      const tokenHash = hashOf(token);
      const now = clock();
      await dropExpiredSteps(db, new Date(now));
      const sealed = sealing.seal(Buffer.from(JSON.stringify(content)), label(kind, tokenHash));
      await addStep(db, { tokenHash, kind, sealed, expiresAt: new Date(now + LIVES_MS[kind]) });
      return token;
    },
    take: <T>(kind: StepKind, token: string) => opened<T>(takeStep, kind, token),
    look: <T>(kind: StepKind, token: string) => opened<T>(lookAtStep, kind, token),
  };

  async function opened<T>(find: typeof takeStep, kind: StepKind, token: string): Promise<T | null> {
    const tokenHash = hashOf(token);
    const sealed = await find(db, tokenHash, kind, new Date(clock()));
    const plain = sealed && sealing.unseal(sealed, label(kind, tokenHash));
    return plain === null ? null : (JSON.parse(plain.toString()) as T);
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
