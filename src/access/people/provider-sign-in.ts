/**
 * Signing in by the organization's provider. Each organization has a callback of its own, and a step belongs to the organization, the
 * provider and the browser that it began with. So an organization that names another one's provider as its own never gets a code that was
 * issued for the other: the code comes back to a callback that is not its own, and is sent to nobody.
 */

import { linkSubject, readProvider, readSubject } from '../../store/access/sign-in.ts';
import { acceptInvitation } from './accept-invitation.ts';

import type { Site } from './passkeys.ts';
import { FRESH_MS, type Person } from './people.ts';
import { openedProvider } from './provider-settings.ts';
import { type Identity, type Provider, ProviderUnreachable, type Redirected } from './providers.ts';
import type { From, NotSignedIn, SignedIn, SignInParts } from './sign-in-parts.ts';

export type ProviderSignIn = {
  /**
   * The URL to send the browser to, and the step it has to bring back. `invitation`: for a person who has not signed in before. `again`: a
   * fresh proof is needed, so the provider is asked not to rely on an earlier one.
   */
  toProvider(
    site: Site,
    input: From & { organizationId: string; invitation: string | null; again: boolean },
  ): Promise<{ step: string; url: string } | NotSignedIn>;
  /** `organizationId`: that of the callback's address. */
  fromProvider(
    site: Site,
    input: From & { organizationId: string; step: string; query: string },
  ): Promise<SignedIn | NotSignedIn>;
};

type ProviderStep = {
  organizationId: string;
  provider: Pick<Provider, 'issuer' | 'clientId'>;
  redirected: Redirected;
  invitation: string | null;
  again: boolean;
};

/** The redirect URI that an organization registers with its provider. */
export const callbackOf = (origin: string, organizationId: string): string =>
  `${origin}/sign-in/callback/${encodeURIComponent(organizationId)}`;

export function openProviderSignIn(
  parts: SignInParts,
  shared: {
    begin(person: Person, how: { method: 'provider'; provenAt: number }, from: From): Promise<SignedIn | NotSignedIn>;
    refuse(person: Person | null, method: 'provider', from: From): NotSignedIn;
  },
): ProviderSignIn {
  const { db, clock, people, guard, steps, providers, sealing } = parts;
  return { toProvider, fromProvider };

  async function toProvider(
    site: Site,
    { organizationId, invitation, again, address }: Parameters<ProviderSignIn['toProvider']>[1],
  ): Promise<{ step: string; url: string } | NotSignedIn> {
    if (!guard.mayBegin(address)) return { denied: 'too_many_failures', retryAfterSeconds: 1 };
    const row = await readProvider(db, organizationId);
    if (row === null) return { denied: 'no_provider' };
    const provider = openedProvider(row, sealing);
    try {
      const maxAgeSeconds = again ? FRESH_MS / 1_000 : null;
      const callback = callbackOf(site.origin, organizationId);
      const { url, redirected } = await providers.leave(provider, callback, { maxAgeSeconds });
      const { issuer, clientId } = provider;
      const content: ProviderStep = {
        ...{ organizationId, redirected, invitation, again },
        provider: { issuer, clientId },
      };
      return { url, step: await steps.keep('provider', content) };
    } catch (error) {
      if (error instanceof ProviderUnreachable) return { denied: 'unavailable' };
      throw error;
    }
  }

  async function fromProvider(
    site: Site,
    input: Parameters<ProviderSignIn['fromProvider']>[1],
  ): Promise<SignedIn | NotSignedIn> {
    const step = await steps.take<ProviderStep>('provider', input.step);
    const row = step && (await readProvider(db, step.organizationId));
    const provider = row && openedProvider(row, sealing);
    // Everything that ties the answer to this step comes before the code is sent to the provider of the step.
    if (
      step === null ||
      provider === null ||
      step.organizationId !== input.organizationId ||
      step.provider.issuer !== provider.issuer ||
      step.provider.clientId !== provider.clientId ||
      step.redirected.redirectUri !== callbackOf(site.origin, input.organizationId)
    ) {
      return shared.refuse(null, 'provider', input);
    }
    const identity = await providers.arrive(provider, step.redirected, input.query).catch((error: unknown) => {
      if (error instanceof ProviderUnreachable) return 'unreachable' as const;
      throw error;
    });
    if (identity === 'unreachable') return { denied: 'unavailable' };
    if (identity === null || identity.issuer !== provider.issuer) return shared.refuse(null, 'provider', input);
    const person = await personOf(identity, step, { domains: provider.allowedDomains, requestId: input.requestId });
    if (person === null || person.status !== 'active') return shared.refuse(person, 'provider', input);
    return shared.begin(person, { method: 'provider', provenAt: provenAtOf(identity, step) }, input);
  }

  /**
   * A provider signs in silently whoever it has signed in before, which proves nothing about who sits there now. So the time that it states
   * counts; one that states none although it was asked for a fresh proof is believed.
   */
  function provenAtOf({ authenticatedAt }: Identity, { again }: ProviderStep): number {
    return Math.min(clock(), authenticatedAt ?? (again ? clock() : 0));
  }

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
    const person = await people.byEmail(email, organizationId);
    if (person === null) return null;
    const link = { organizationId, digest, userId: person.userId, at };
    return (await db.transaction((tx) => linkSubject(tx, link))) ? person : null;
  }
}

const isSame = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

function isAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.length === 0 || domains.includes(domain);
}
