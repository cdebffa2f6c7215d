/** The parts that the operations on access share: the values in their schemas, and who may administer. */

import { Type } from 'typebox';
import { SCOPES } from '../../access/scopes.ts';
import { named } from '../shared/named.ts';
import { closed } from '../shared/operation.ts';
import { time } from '../shared/shapes.ts';
import { secretOut } from '../shared/texts.ts';

/** Every operation that administers people, clients, keys and grants. */
export const administration = { tag: 'Administration', scopes: ['admin'], key: 'checked' } as const;

/** The page on which the people of an organization sign in: it then knows which one it is. */
export const signInUrl = (origin: string, organizationId: string): string =>
  `${origin}/sign-in?organization=${encodeURIComponent(organizationId)}`;

/** Without control characters: names are shown in lists and on terminals. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  description: 'A display name.',
});
const identifier = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });
export const ClientId = identifier('The client.');
export const KeyId = identifier('The id of the API key, not the key itself.');
export const GrantId = identifier('The grant.');
export const OrganizationId = identifier('The organization.');
export const UserId = identifier('The person.');
export const RoleName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  description: 'The name of a role: lower-case letters, digits and hyphens.',
});
export const CreatedAt = time('When it was created.');
export const RevokedAt = Type.Union([time('A time.'), Type.Null()], {
  description: 'When it was revoked; null while it is active.',
});
export const ScopeName = named('Scope', Type.Enum([...SCOPES], { description: 'A scope.' }));
export const ClientSecret = secretOut('The secret of the client. Shown once.');
export const ApiKey = secretOut('The API key. Shown once.');

/** The request of an operation on one client. */
export const ClientIdRequest = named(
  'ClientIdRequest',
  closed({ clientId: ClientId }, { description: 'The client.', examples: [{ clientId: 'client_8r3k2m5t7x' }] }),
);
