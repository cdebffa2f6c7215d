/**
 * The state of a sign-in between two requests: a challenge, the state of a redirect, the secret of new time codes. A step is
 * found by a random token that only the browser has, is sealed, ends after minutes, and can be taken once.
 *
 * The challenge of a passkey is kept by the browser itself, sealed: it becomes a row when it has been answered rightly. So nobody runs out
 * of challenges, however many others ask for at the same network.
 */
import { createHash, randomBytes } from 'node:crypto';
import { addStep, dropExpiredSteps, lookAtStep, spendStep, takeStep } from '../../store/access/sign-in.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Sealing } from '../../vault/cipher.ts';

export type StepKind = 'passkey-new' | 'password-new' | 'provider';

export type Steps = {
  /** The token that takes it back. */
  keep(kind: StepKind, content: object): Promise<string>;
  /** Null: there is none, it has expired or was taken before. */
  take<T>(kind: StepKind, token: string): Promise<T | null>;
  /** Without taking it: for what a person may mistype and correct. */
  look<T>(kind: StepKind, token: string): Promise<T | null>;
  /** A step that the browser keeps. */
  give(content: object): string;
  /** The content of a step that was given; null: it is none, or has expired. */
  given<T>(token: string): T | null;
  /** Whether this is its first use. */
  spend(token: string): Promise<boolean>;
};

const LIVES_MS: Record<StepKind, number> = {
  'passkey-new': 5 * 60_000,
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
    give(content) {
      const plain = Buffer.from(JSON.stringify({ content, expiresAt: clock() + GIVEN_MS }));
      return sealing.seal(plain, GIVEN).toString('base64url');
    },
    given<T>(token: string): T | null {
      const plain = sealing.unseal(Buffer.from(token, 'base64url'), GIVEN);
      if (plain === null) return null;
      const { content, expiresAt } = JSON.parse(plain.toString()) as { content: T; expiresAt: number };
      return clock() < expiresAt ? content : null;
    },
    async spend(token) {
      const now = clock();
      await dropExpiredSteps(db, new Date(now));
      // By the bytes: the same ones can be written in several ways.
      return spendStep(db, hashOf(Buffer.from(token, 'base64url')), new Date(now + GIVEN_MS));
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

const GIVEN = 'step that was given';
const GIVEN_MS = 5 * 60_000;

const hashOf = (token: string | Uint8Array): Buffer => createHash('sha256').update(token).digest();
