/**
 * Signing in: by password and code, by passkey, by the organization's provider. Whatever is wrong, the answer is the same (`wrong`), and it
 * takes as long: whether an address belongs to somebody, whether they are disabled, which part was wrong, none of it shows.
 *
 * A password belongs to an account: an address in an organization, which whoever signs in names. So one password is checked for one attempt,
 * however many organizations have the address, and none of them can stand in another's way or learn of it.
 */

import {
  type PasswordRow,
  readPasskey,
  readPasswords,
  usePasskey,
  useRecoveryCode,
  useStep,
} from '../../store/access/sign-in.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import { TooBusy } from '../secret-checks.ts';
import { normalizedEmail } from './identity.ts';
import { credentialIdOf, passkeyUse, requestOptions, type Site } from './passkeys.ts';
import { openPasswordAttempts } from './password-attempts.ts';
import type { Person, SignInMethod } from './people.ts';
import { openProviderSignIn, type ProviderSignIn } from './provider-sign-in.ts';
import { readRecoveryCode, recoveryCodeHash } from './recovery-codes.ts';
import type { From, NotSignedIn, SignedIn, SignInParts } from './sign-in-parts.ts';
import { stepOfCode } from './time-codes.ts';

export type SignIn = ProviderSignIn & {
  /** `organizationId` null: the only live organization, if there is just one. */
  withPassword(
    input: From & { email: string; password: string; code: string; organizationId: string | null },
  ): Promise<SignedIn | NotSignedIn>;
  passkeyOptions(site: Site): Promise<{ step: string; options: object }>;
  withPasskey(site: Site, input: From & { step: string; credential: unknown }): Promise<SignedIn | NotSignedIn>;
};

const WRONG: NotSignedIn = { denied: 'wrong' };

type PasskeyStep = { challenge: string; origin: string };

export function openSigningIn(parts: SignInParts): SignIn {
  const { db, clock, people, guard, steps, sealing } = parts;
  const attempts = openPasswordAttempts(parts);

  /** Only for someone who has proven who they are. */
  async function begin(
    person: Person,
    how: { method: SignInMethod; provenAt?: number },
    { requestId }: From,
  ): Promise<SignedIn | NotSignedIn> {
    const session = await people.begin(person.userId, { ...how, requestId });
    return session === null ? WRONG : { session, person };
  }

  function record(person: Person, method: SignInMethod, outcome: string, { requestId }: From): void {
    parts.later(entryOf(person, method, { kind: 'tried', outcome, at: new Date(clock()), requestId }));
  }

  function refuse(person: Person | null, method: SignInMethod, from: From): NotSignedIn {
    guard.failed(from.address);
    if (person !== null) record(person, method, 'invalid_credentials', from);
    return WRONG;
  }

  /** Uses the code up, and says whether it was right and unused; null: it cannot be. */
  function spendingOf(row: PasswordRow, code: string): (() => Promise<boolean>) | null {
    const now = clock();
    if (readRecoveryCode(code) !== null) {
      const hash = recoveryCodeHash(row.user_id, code);
      return () => useRecoveryCode(db, row.user_id, hash, new Date(now));
    }
    const secret = sealing.unseal(row.code_secret, codeLabel(row.user_id));
    if (secret === null) throw new Error('The secret of a person’s time codes cannot be unsealed.');
    const step = stepOfCode(secret, code.replaceAll(/\s/g, ''), now);
    return step === null ? null : () => useStep(db, row.user_id, step);
  }

  return {
    ...openProviderSignIn(parts, { begin, refuse }),

    async withPassword(input) {
      const organizationId = input.organizationId ?? (await people.onlyOrganization());
      if (organizationId === null) return { denied: 'organization' };
      const who = { organizationId, email: normalizedEmail(input.email), address: input.address };
      const person = await people.byEmail(input.email, organizationId);
      const attempt = await attempts.begin({ ...who, exists: person !== null });
      if ('denied' in attempt) {
        if (attempt.denied === 'locked' && attempt.isNew && person !== null) {
          record(person, 'password', 'too_many_failures', input);
        }
        return attempt;
      }
      try {
        // Also for nobody, so that it takes as long.
        const [row = null] = await readPasswords(db, person === null ? [] : [person.userId]);
        const spend = row && spendingOf(row, input.code);
        const right = await guard.isRight(who, input.password, row?.password_hash ?? null);
        // The code is used up last: a wrong password does not cost its owner the code.
        if (right && person !== null && spend !== null && (await spend())) {
          await attempt.end('right');
          return await begin(person, { method: 'password' }, input);
        }
        await attempt.end('wrong');
        if (person !== null) record(person, 'password', 'invalid_credentials', input);
        return WRONG;
      } catch (error) {
        if (error instanceof TooBusy) return { denied: 'unavailable' };
        throw error;
      } finally {
        await attempt.end('undecided');
      }
    },

    async passkeyOptions(site) {
      const options = await requestOptions(site);
      const content: PasskeyStep = { challenge: options.challenge, origin: site.origin };
      return { step: steps.give(content), options };
    },

    async withPasskey(site, input) {
      const step = steps.given<PasskeyStep>(input.step);
      const credentialId = credentialIdOf(input.credential);
      if (step === null || step.origin !== site.origin || credentialId === null) return refuse(null, 'passkey', input);
      const passkey = await readPasskey(db, credentialId);
      if (passkey === null) return refuse(null, 'passkey', input);
      const person = await people.byId(passkey.user_id);
      const counter = await passkeyUse(site, step.challenge, passkey, input.credential);
      if (person === null || counter === null) return refuse(person, 'passkey', input);
      if (person.status !== 'active' || !(await steps.spend(input.step))) return refuse(person, 'passkey', input);
      if (!(await usePasskey(db, credentialId, counter, new Date(clock())))) return refuse(person, 'passkey', input);
      return begin(person, { method: 'passkey' }, input);
    },
  };
}

/** The label that the sealed secret of a person's time codes is bound to. */
export const codeLabel = (userId: string): string => `time codes ${userId}`;

/** The audit entry of a sign-in: person, means and outcome; no address and nothing that was typed. */
export function entryOf(
  { organizationId, userId }: Pick<Person, 'organizationId' | 'userId'>,
  subject: string,
  more: Pick<AuditEntry, 'kind' | 'outcome' | 'at' | 'requestId'> & { operation?: string },
): AuditEntry {
  return { organizationId, userId, clientId: null, operation: 'sign-in', subject, ...more };
}
