/**
 * Signing in: by password and code, by passkey, by the organization's provider. Whatever is wrong, the answer is the same (`wrong`), and it
 * takes as long: whether an address belongs to somebody, whether they are disabled, which part was wrong, none of it shows.
 */

import {
  findRecoveryCodes,
  linkSubject,
  type PasswordRow,
  readPasskey,
  readPasswords,
  readProvider,
  readSubject,
  usePasskey,
  useRecoveryCode,
  useStep,
} from '../../store/access/sign-in.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Db } from '../../store/db/db.ts';
import type { Sealing } from '../../vault/cipher.ts';
import { TooBusy } from '../secret-checks.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { credentialIdOf, passkeyUse, requestOptions, type Site } from './passkeys.ts';
import type { NewSession, People, Person, SignInMethod } from './people.ts';
import { openedProvider } from './provider-settings.ts';
import { type Identity, type Providers, ProviderUnreachable, type Redirected } from './providers.ts';
import { readRecoveryCode, recoveryCodeHash } from './recovery-codes.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import type { Steps } from './steps.ts';
import { stepOfCode } from './time-codes.ts';

/** The services that the parts of signing in share. */
export type SignInParts = {
  db: Db;
  clock: () => number;
  people: People;
  guard: SignInGuard;
  steps: Steps;
  providers: Providers;
  sealing: Sealing;
  /** Records an entry that nobody waits for: waiting would tell that the person exists. */
  later(entry: AuditEntry): void;
};

export type SignedIn = { session: NewSession; person: Person };
export type NotSignedIn =
  | { denied: 'wrong' }
  | { denied: 'too_many_failures'; retryAfterSeconds: number }
  | { denied: 'unavailable' }
  | { denied: 'no_provider' };

type From = { address: string; requestId: string };

export type SignIn = {
  withPassword(
    input: From & { email: string; password: string; code: string; organizationId: string | null },
  ): Promise<SignedIn | NotSignedIn>;
  passkeyOptions(site: Site, from: From): Promise<{ step: string; options: object } | NotSignedIn>;
  withPasskey(site: Site, input: From & { step: string; credential: unknown }): Promise<SignedIn | NotSignedIn>;
  /** The URL to send the browser to, and the step it has to bring back. `invitation`: for a person who has not signed in before. */
  toProvider(
    site: Site,
    input: From & { organizationId: string; invitation: string | null },
  ): Promise<{ step: string; url: string } | NotSignedIn>;
  fromProvider(site: Site, input: From & { step: string; query: string }): Promise<SignedIn | NotSignedIn>;
};

const WRONG: NotSignedIn = { denied: 'wrong' };
/** An address may be that of people of several organizations; more than these are not looked at. */
const MOST_ORGANIZATIONS = 10;
const CALLBACK = '/sign-in/callback';

type Candidate = { row: PasswordRow; spend: (() => Promise<boolean>) | null };
type PasskeyStep = { challenge: string; origin: string };
type ProviderStep = { organizationId: string; redirected: Redirected; invitation: string | null };

export function openSigningIn(parts: SignInParts): SignIn {
  const { db, clock, people, guard, steps, providers, sealing } = parts;

  /** Only for someone who has proven who they are. */
  async function begin(person: Person, method: SignInMethod, { requestId }: From): Promise<SignedIn | NotSignedIn> {
    const session = await people.begin(person.userId, { method, requestId });
    return session === null ? WRONG : { session, person };
  }

  function refuse(person: Person | null, method: SignInMethod, { address, requestId }: From): NotSignedIn {
    guard.failed(address);
    const at = new Date(clock());
    if (person !== null) {
      parts.later(entryOf(person, method, { kind: 'tried', outcome: 'invalid_credentials', at, requestId }));
    }
    return WRONG;
  }

  /**
   * The one person whose password is checked, so that one slow check is made however many organizations know the address: the code, which is
   * cheap to check, tells whose it is.
   */
  async function candidateOf(found: readonly Person[], code: string): Promise<Candidate | null> {
    const rows = await readPasswords(
      db,
      found.map(({ userId }) => userId),
    );
    const now = clock();
    if (readRecoveryCode(code) === null) {
      const typed = code.replaceAll(/\s/g, '');
      for (const row of rows) {
        const secret = sealing.unseal(row.code_secret, codeLabel(row.user_id));
        if (secret === null) throw new Error('The secret of a person’s time codes cannot be unsealed.');
        const step = stepOfCode(secret, typed, now);
        if (step !== null) return { row, spend: () => useStep(db, row.user_id, step) };
      }
    } else {
      const hashes = found.map(({ userId }) => recoveryCodeHash(userId, code));
      const [userId] = await findRecoveryCodes(db, hashes);
      const row = rows.find(({ user_id }) => user_id === userId);
      if (row !== undefined) {
        const hash = recoveryCodeHash(row.user_id, code);
        return { row, spend: () => useRecoveryCode(db, row.user_id, hash, new Date(now)) };
      }
    }
    const [first] = rows;
    return first === undefined ? null : { row: first, spend: null };
  }

  return {
    async withPassword(input) {
      const who = { email: input.email.normalize('NFKC').trim().toLowerCase(), address: input.address };
      const found = (await people.byEmail(input.email, input.organizationId)).slice(0, MOST_ORGANIZATIONS);
      const attempt = guard.begin({ ...who, exists: found.length > 0 });
      if ('retryAfterSeconds' in attempt) return { denied: 'too_many_failures', ...attempt };
      try {
        const candidate = await candidateOf(found, input.code);
        const right = await guard.isRight(who, input.password, candidate?.row.password_hash ?? null);
        const person = found.find(({ userId }) => userId === candidate?.row.user_id) ?? null;
        // The code is used up last: a wrong password does not cost its owner the code.
        if (right && person !== null && candidate?.spend && (await candidate.spend())) {
          attempt.end('right');
          guard.succeeded(who);
          return await begin(person, 'password', input);
        }
        attempt.end('wrong');
        return refuse(person ?? found[0] ?? null, 'password', input);
      } catch (error) {
        if (error instanceof TooBusy) return { denied: 'unavailable' };
        throw error;
      } finally {
        attempt.end('undecided');
      }
    },

    async passkeyOptions(site, { address }) {
      if (!guard.mayBegin(address)) return { denied: 'too_many_failures', retryAfterSeconds: 1 };
      const options = await requestOptions(site);
      const content: PasskeyStep = { challenge: options.challenge, origin: site.origin };
      return { step: await steps.keep('passkey-use', content), options };
    },

    async withPasskey(site, input) {
      const step = await steps.take<PasskeyStep>('passkey-use', input.step);
      const credentialId = credentialIdOf(input.credential);
      if (step === null || step.origin !== site.origin || credentialId === null) return refuse(null, 'passkey', input);
      const passkey = await readPasskey(db, credentialId);
      if (passkey === null) return refuse(null, 'passkey', input);
      const person = await people.byId(passkey.user_id);
      const counter = await passkeyUse(site, step.challenge, passkey, input.credential);
      if (person === null || counter === null) return refuse(person, 'passkey', input);
      if (person.status !== 'active') return refuse(person, 'passkey', input);
      if (!(await usePasskey(db, credentialId, counter, new Date(clock())))) return refuse(person, 'passkey', input);
      return begin(person, 'passkey', input);
    },

    async toProvider(site, { organizationId, invitation, address }) {
      if (!guard.mayBegin(address)) return { denied: 'too_many_failures', retryAfterSeconds: 1 };
      const row = await readProvider(db, organizationId);
      if (row === null) return { denied: 'no_provider' };
      try {
        const { url, redirected } = await providers.leave(openedProvider(row, sealing), site.origin + CALLBACK);
        const content: ProviderStep = { organizationId, redirected, invitation };
        return { url, step: await steps.keep('provider', content) };
      } catch (error) {
        if (error instanceof ProviderUnreachable) return { denied: 'unavailable' };
        throw error;
      }
    },

    async fromProvider(site, input) {
      const step = await steps.take<ProviderStep>('provider', input.step);
      const row = step && (await readProvider(db, step.organizationId));
      if (step === null || row === null || step.redirected.redirectUri !== site.origin + CALLBACK) {
        return refuse(null, 'provider', input);
      }
      const provider = openedProvider(row, sealing);
      const identity = await providers.arrive(provider, step.redirected, input.query).catch((error: unknown) => {
        if (error instanceof ProviderUnreachable) return 'unreachable' as const;
        throw error;
      });
      if (identity === 'unreachable') return { denied: 'unavailable' };
      if (identity === null || identity.issuer !== provider.issuer) return refuse(null, 'provider', input);
      const person = await personOf(identity, step, { domains: provider.allowedDomains, requestId: input.requestId });
      return person === null || person.status !== 'active'
        ? refuse(person, 'provider', input)
        : begin(person, 'provider', input);
    },
  };

  /**
   * The person whose subject is linked; else, once, the person of the organization with the verified address, who is linked now. Nobody
   * is created here: an administrator has invited every person.
   */
  async function personOf(
    identity: Identity,
    { organizationId, invitation }: ProviderStep,
    { domains, requestId }: { domains: readonly string[]; requestId: string },
  ): Promise<Person | null> {
    const digest = providers.subjectDigest(identity);
    const linked = await readSubject(db, organizationId, digest);
    const invited = invitation === null ? null : await people.invited(invitation);
    // A person who was linked before and is invited again accepts, which links them anew.
    const isInvited = linked !== null && linked === invited?.userId;
    if (linked !== null && !isInvited) return people.byId(linked);
    const { email } = identity;
    if (email === null || !isAllowed(email, domains)) return null;
    const at = new Date(clock());
    if (invitation !== null) {
      if (invited === null || invited.organizationId !== organizationId || !isSame(invited.email, email)) return null;
      return acceptInvitation(parts, { invitation, given: { requestId } }, async (tx, { userId }) => {
        await linkSubject(tx, { organizationId, digest, userId, at });
      });
    }
    const [person] = await people.byEmail(email, organizationId);
    if (person === undefined) return null;
    const link = { organizationId, digest, userId: person.userId, at };
    return (await db.transaction((tx) => linkSubject(tx, link))) ? person : null;
  }
}

/** The label that the sealed secret of a person's time codes is bound to. */
export const codeLabel = (userId: string): string => `time codes ${userId}`;

const isSame = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

function isAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.length === 0 || domains.includes(domain);
}

/** The audit entry of a sign-in: person, means and outcome; no address and nothing that was typed. */
export function entryOf(
  { organizationId, userId }: Pick<Person, 'organizationId' | 'userId'>,
  subject: string,
  more: Pick<AuditEntry, 'kind' | 'outcome' | 'at' | 'requestId'> & { operation?: string },
): AuditEntry {
  return { organizationId, userId, clientId: null, operation: 'sign-in', subject, ...more };
}
