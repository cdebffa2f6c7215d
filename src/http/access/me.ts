/** The calling client. */
import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { NUMBERS } from '../../access/caller.ts';
import { shape } from '../shared/named.ts';
import { type Answer, envelope, operation } from '../shared/operation.ts';
import { time } from '../shared/shapes.ts';
import { ClientId, KeyId, Name, OrganizationId, ScopeName, UserId } from './shared.ts';

const MeAnswer = envelope(
  shape('Caller', 'The calling organization and client.', {
    organization: shape('Organization', 'An organization.', { organizationId: OrganizationId, name: Name }),
    client: shape('ClientName', 'A client and its name.', { clientId: ClientId, name: Name }),
    userId: Type.Union([UserId, Type.Null()], { description: 'The person whose session it is; null with a token.' }),
    scopes: Type.Array(ScopeName, { description: 'The current scopes of the token, or of the person’s roles.' }),
    keyId: Type.Union([KeyId, Type.Null()], {
      description: 'The API key that was sent, or the id of the session; null if none.',
    }),
    numbers: Type.Enum([...NUMBERS], {
      description:
        'How answers write amounts and counts where a request does not say in `Prefer`: the option of the client; of a session `interface`.',
    }),
    tokenExpiresAt: time('When the token expires, or the session.'),
  }),
  {
    organization: { organizationId: 'org_4n7c2q9d', name: 'Harbor Auto Finance' },
    client: { clientId: 'client_8r3k2m5t7x', name: 'servicing desk' },
    userId: null,
    scopes: ['loans:read', 'payments:write'],
    keyId: null,
    numbers: 'interface',
    tokenExpiresAt: '2026-01-01T01:00:00.000Z',
  },
);

/** The answer by caller: a caller is the same object until its token or its client changes. */
const answers = new WeakMap<Caller, Answer>();

export const readMe = operation({
  at: 'GET /me',
  id: 'readMe',
  tag: 'Access',
  summary: 'Get the calling client',
  description: 'The organization and client of the token and its current scopes; of a session also the person.',
  scopes: [],
  key: 'checked',
  answer: MeAnswer,
  problems: [],
  handle({ caller }) {
    let answer = answers.get(caller);
    if (answer === undefined) {
      const me = {
        organization: { organizationId: caller.organizationId, name: caller.organizationName },
        client: { clientId: caller.clientId, name: caller.clientName },
        userId: caller.userId,
        scopes: [...caller.scopes],
        keyId: caller.keyId,
        numbers: caller.numbers,
        tokenExpiresAt: new Date(caller.tokenExpiresAt * 1000).toISOString(),
      };
      answer = { text: JSON.stringify({ message: 'ok', data: me }) };
      answers.set(caller, answer);
    }
    return answer;
  },
});
