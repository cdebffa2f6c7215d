/** The OpenID Connect provider of an organization, with which its people may sign in. */

import { Type } from 'typebox';
import { callbackOf } from '../../access/people/provider-sign-in.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { missing } from '../shared/read.ts';
import { time } from '../shared/shapes.ts';
import { urlOut } from '../shared/texts.ts';
import { keptAs, write } from '../shared/writing.ts';
import { administration, signInUrl } from './shared.ts';

const Issuer = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The issuer: the URL under which the provider publishes `/.well-known/openid-configuration`.',
});
const ProviderClientId = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[\\u0021-\\u007E]*$',
  description: 'The client id that the provider has given to this service.',
});
const Domains = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9.-]*$',
    description: 'A domain, such as `harbor.example`.',
  }),
  {
    maxItems: 50,
    description: 'Domains of the e-mail addresses that are linked to people; none: all that the provider has verified.',
  },
);
const EXAMPLE = { issuer: 'https://login.harbor.example', clientId: 'daybook', allowedDomains: ['harbor.example'] };

const ProviderAnswer = envelope(
  shape('IdentityProvider', 'The identity provider of an organization. Its client secret is not shown.', {
    issuer: Issuer,
    clientId: ProviderClientId,
    allowedDomains: Domains,
    changedAt: time('When it was set.'),
    redirectUri: urlOut(
      'The redirect URI that the provider must allow, exactly as it is. It is of this organization alone.',
    ),
    signInUrl: urlOut('Where the people of the organization sign in with it.'),
  }),
  {
    ...EXAMPLE,
    changedAt: '2026-01-01T00:00:00.000Z',
    redirectUri: 'https://loans.example/sign-in/callback/org_4n7c2q9d',
    signInUrl: 'https://loans.example/sign-in?organization=org_4n7c2q9d',
  },
);

const addresses = (origin: string, organizationId: string) => ({
  redirectUri: callbackOf(origin, organizationId),
  signInUrl: signInUrl(origin, organizationId),
});

export const readIdentityProvider = operation({
  ...administration,
  at: 'GET /identity-provider',
  id: 'readIdentityProvider',
  summary: 'Get the identity provider',
  description: 'The OpenID Connect provider with which people of the organization may sign in.',
  answer: ProviderAnswer,
  problems: ['not_found', 'conflict'],
  async handle({ services, caller, linkOrigin }) {
    const found = await services.signIn.provider.read(caller.organizationId);
    return ok({ ...(found ?? missing('identity provider')), ...addresses(linkOrigin(), caller.organizationId) });
  },
});

export const setIdentityProvider = write({
  ...administration,
  at: 'POST /identity-provider',
  id: 'setIdentityProvider',
  cost: 5,
  summary: 'Set the identity provider',
  description:
    'Replaces the one before; with another issuer, people are linked again. Nobody is created by signing in: a person must have been invited, and ' +
    'the first time is found by the e-mail address that the provider has verified. A sandbox has a client of its own at the provider. Whoever runs ' +
    'the provider can sign in as every person, so a client needs all scopes and the header `key`; a person needs `admin`. A person makes the change ' +
    'within five minutes of signing in, and another administrator has to approve it where there is one.',
  body: closed(
    {
      issuer: Issuer,
      clientId: ProviderClientId,
      clientSecret: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[\\u0020-\\u007E]*$',
        description: 'The client secret that the provider has given. It is stored sealed and never shown.',
      }),
      allowedDomains: Type.Optional(Domains),
    },
    { examples: [{ ...EXAMPLE, clientSecret: 'as-the-provider-gave-it' }] },
  ),
  answer: ProviderAnswer,
  problems: ['key_required', 'conflict'],
  // Not the client id, which is the provider's.
  subject: () => null,
  async write({ services, caller, body, linkOrigin }, { keep }) {
    const { allowedDomains = [], ...provider } = body;
    const more = addresses(linkOrigin(), caller.organizationId);
    const keepAll = keptAs(keep, (done) => ({ ...done, ...more }));
    const set = await services.signIn.provider.set(caller, { ...provider, allowedDomains }, keepAll);
    return { ...set, ...more };
  },
  approval: { preview: ({ issuer, clientId, allowedDomains }) => ({ issuer, clientId, allowedDomains }) },
});

export const removeIdentityProvider = write({
  ...administration,
  at: 'POST /remove-identity-provider',
  id: 'removeIdentityProvider',
  cost: 5,
  summary: 'Remove the identity provider',
  description:
    'People who have no other way to sign in need a new invitation. A person makes the change within five minutes of signing in, and another ' +
    'administrator has to approve it where there is one.',
  body: closed({}, { examples: [{}] }),
  answer: envelope(
    shape('RemovedIdentityProvider', 'The provider is removed.', {
      removed: Type.Literal(true, { description: 'Always true.' }),
    }),
    { removed: true },
  ),
  problems: ['not_found'],
  async write({ services, caller }, { keep }) {
    return (await services.signIn.provider.remove(caller, keep)) ?? missing('identity provider');
  },
  approval: { preview: () => ({ removed: true }) },
});
