/** The link of an invitation, and the mail that carries it. The token is in the fragment, which browsers send to no server. */
import type { Invitation } from '../../access/people/users.ts';
import type { Call } from '../shared/operation.ts';

export const invitationUrl = (origin: string, token: string): string => `${origin}/invitation#${token}`;

/** Whether it was sent; without a mail server it is not. */
export async function sendInvitation(
  { services, place }: Pick<Call, 'services' | 'place'>,
  { userId, token, expiresAt }: Invitation,
): Promise<boolean> {
  const { mail = null, access } = services;
  const person = mail === null ? null : await access.people.byId(userId);
  if (mail === null || person === null || person.email === '') return false;
  const text = `Hello ${person.name},

You are invited to ${person.organizationName} on Daybook. Open this link to choose how you sign in:

${invitationUrl(place().origin, token)}

The link works once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. Do not forward it: whoever opens it gets your account.
If you did not expect this message, ignore it and tell your administrator.
`;
  return mail.send({ to: person.email, subject: `Your invitation to ${person.organizationName}`, text });
}
