/** The link of an invitation, and the mail that carries it. The token is in the fragment, which browsers send to no server. */
import type { Caller } from '../../access/access.ts';
import type { Invitation } from '../../access/people/users.ts';
import type { Call } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { signInUrl } from './shared.ts';

export const invitationUrl = (origin: string, token: string): string => `${origin}/invitation#${token}`;

/** Before anything is changed: refuses an invitation whose link cannot be made, or that would be one mail too many. */
export async function mayInvite(
  { services, caller, linkOrigin }: Pick<Call, 'services' | 'linkOrigin'> & { caller: Caller },
  whom: { email: string } | { userId: string },
): Promise<void> {
  linkOrigin();
  if (!services.mail) return;
  const person = 'email' in whom ? whom : await services.access.people.byId(whom.userId);
  if (person === null || ('organizationId' in person && person.organizationId !== caller.organizationId)) return;
  // A sandbox counts for the organization that made it, as with other quotas.
  const of = { organizationId: caller.quota.countedFor, email: person.email };
  const wait = services.signIn.mailWait(of);
  if (wait === null) return;
  const { retryAfterSeconds } = wait;
  throw new Problem(
    'rate_limited',
    'Too many invitations were mailed, to this address or by your organization; try again later.',
    {},
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

/** Whether it was sent; without a mail server it is not. */
export async function sendInvitation(
  { services, linkOrigin }: Pick<Call, 'services' | 'linkOrigin'>,
  { userId, token, expiresAt, renews }: Invitation,
): Promise<boolean> {
  const { mail = null, access } = services;
  const person = mail === null ? null : await access.people.byId(userId);
  if (mail === null || person === null || person.email === '') return false;
  const why = renews
    ? `An administrator of ${person.organizationName} has made a new invitation for your account on Daybook. Nothing changes until you open this
link; then you choose anew how you sign in, and everything you signed in with before is removed:`
    : `You are invited to ${person.organizationName} on Daybook. Open this link to choose how you sign in:`;
  const text = `Hello ${person.name},

${why}

${invitationUrl(linkOrigin(), token)}

The link works once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. Do not forward it: whoever opens it gets your account.
Later you sign in at ${signInUrl(linkOrigin(), person.organizationId)}
If you did not expect this message, ignore it and tell your administrator.
`;
  return mail.send({ to: person.email, subject: `Your invitation to ${person.organizationName}`, text });
}

/** Changes of a person's access that wait for an approval, and what follows once they are approved. */
const ASKED = {
  invitation: [
    'a new invitation for your account',
    'Then the link is mailed to you, and nothing changes until you open it.',
  ],
  roles: ['other roles for you', 'You may be the one, and then decide under Approvals in the console.'],
  disabled: ['your account to be disabled', 'You may be the one, and then decide under Approvals in the console.'],
} as const;

/**
 * Tells a person what waits for an approval; without a mail server they are not told. Requests can be withdrawn and made again, so beyond
 * some they are told no more. One for an invitation was counted with the invitation.
 */
export async function tellRequested(
  { services, caller }: Pick<Call, 'services'> & { caller: Caller },
  userId: string,
  asked: keyof typeof ASKED,
): Promise<void> {
  const [what, then] = ASKED[asked];
  const { mail = null, access } = services;
  const person = mail === null ? null : await access.people.byId(userId);
  if (mail === null || person === null || person.email === '') return;
  const of = { organizationId: caller.quota.countedFor, email: person.email, what: 'notice' } as const;
  if (asked !== 'invitation' && services.signIn.mailWait(of) !== null) return;
  const text = `Hello ${person.name},

An administrator of ${person.organizationName} has asked for ${what} on Daybook. Another person has to agree. ${then}
If you did not expect this message, tell another administrator now.
`;
  await mail.send({
    to: person.email,
    subject: `A change of your account at ${person.organizationName} was asked for`,
    text,
  });
}
