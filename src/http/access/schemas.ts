/** The shapes of requests and answers on the wire. Own request shapes are closed: an unknown member is refused. */
import { Type } from 'typebox';
import { SCOPES } from '../../access/scopes.ts';
import { closed, envelope } from '../operation.ts';

export const ServiceAnswer = Type.Object({ message: Type.Literal('ok') }, { examples: [{ message: 'ok' }] });

// No control characters in what a person names: it is shown in lists and on terminals.
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}]*$', description: 'A name people see.' });
const Identifier = Type.String({ minLength: 1, maxLength: 128 });
const Timestamp = Type.String({ description: 'ISO 8601, UTC.' });
const NullableTimestamp = Type.Union([Timestamp, Type.Null()]);
const ScopeName = Type.Enum([...SCOPES]);
const Scopes = Type.Array(ScopeName, { minItems: 1, maxItems: SCOPES.length, uniqueItems: true });
const Quota = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Requests a minute; 0 is no limit.' });

export const TokenRequest = closed(
  { clientId: Type.String({ maxLength: 128 }), clientSecret: Type.String({ maxLength: 512 }) },
  { examples: [{ clientId: 'client_8r3k2m5t7x', clientSecret: 'dbs_…' }] },
);

export const TokenAnswer = envelope(
  Type.Object({
    token: Type.String({ description: 'The bearer token, a JWT.' }),
    expiresIn: Type.Integer({ description: 'When it expires: absolute Unix time in seconds.' }),
    expiresAt: Timestamp,
    tokenType: Type.Literal('Bearer'),
    scope: Type.String({ description: 'Its scopes, separated by spaces.' }),
  }),
  {
    token: 'eyJhbGciOiJFUzI1NiIs…',
    expiresIn: 1767229200,
    expiresAt: '2026-01-01T01:00:00.000Z',
    tokenType: 'Bearer',
    scope: 'loans:read payments:write',
  },
);

export const OAuthRequest = Type.Object(
  {
    grant_type: Type.Optional(Type.String({ description: '`client_credentials`' })),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  {
    // RFC 6749 section 3.2: unrecognised parameters are ignored. Credentials may come by HTTP Basic instead.
    examples: [{ grant_type: 'client_credentials', client_id: 'client_8r3k2m5t7x', client_secret: 'dbs_…' }],
  },
);

export const OAuthAnswer = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds from now.' }),
    scope: Type.String(),
  },
  {
    examples: [{ access_token: 'eyJhbGciOiJFUzI1NiIs…', token_type: 'Bearer', expires_in: 3600, scope: 'loans:read' }],
  },
);

export const JwksAnswer = Type.Object(
  { keys: Type.Array(Type.Object({}, { additionalProperties: true })) },
  { examples: [{ keys: [{ kty: 'EC', crv: 'P-256', kid: 'sig_…', use: 'sig', alg: 'ES256', x: '…', y: '…' }] }] },
);

export const MeAnswer = envelope(
  Type.Object({
    organization: Type.Object({ organizationId: Identifier, name: Name }),
    client: Type.Object({ clientId: Identifier, name: Name }),
    scopes: Type.Array(ScopeName),
    keyId: Type.Union([Identifier, Type.Null()], { description: 'The API key that was sent, if one was.' }),
    tokenExpiresAt: Timestamp,
  }),
  {
    organization: { organizationId: 'org_4n7c2q9d', name: 'Harbor Auto Finance' },
    client: { clientId: 'client_8r3k2m5t7x', name: 'servicing desk' },
    scopes: ['loans:read', 'payments:write'],
    keyId: null,
    tokenExpiresAt: '2026-01-01T01:00:00.000Z',
  },
);

const ClientShape = Type.Object({
  clientId: Identifier,
  name: Name,
  scopes: Type.Array(ScopeName),
  status: Type.Enum(['active', 'revoked']),
  rateLimitPerMinute: Type.Union([Quota, Type.Null()], { description: 'Null: the service’s default.' }),
  keys: Type.Array(Type.Object({ keyId: Identifier, createdAt: Timestamp, revokedAt: NullableTimestamp })),
  createdAt: Timestamp,
  revokedAt: NullableTimestamp,
});

export const ClientsAnswer = envelope(Type.Object({ items: Type.Array(ClientShape) }), {
  items: [
    {
      clientId: 'client_8r3k2m5t7x',
      name: 'servicing desk',
      scopes: ['loans:read', 'payments:write'],
      status: 'active',
      rateLimitPerMinute: null,
      keys: [{ keyId: 'key_2f9d7c', createdAt: '2026-01-01T00:00:00.000Z', revokedAt: null }],
      createdAt: '2026-01-01T00:00:00.000Z',
      revokedAt: null,
    },
  ],
});

export const ClientRequest = closed(
  { name: Name, scopes: Scopes, rateLimitPerMinute: Type.Optional(Quota) },
  { examples: [{ name: 'servicing desk', scopes: ['loans:read', 'payments:write'] }] },
);

export const ClientChangeRequest = closed(
  {
    clientId: Identifier,
    name: Type.Optional(Name),
    scopes: Type.Optional(Scopes),
    rateLimitPerMinute: Type.Optional(
      Type.Union([Quota, Type.Null()], { description: 'Null: the service’s default.' }),
    ),
  },
  { examples: [{ clientId: 'client_8r3k2m5t7x', scopes: ['loans:read'] }] },
);
export const ClientChangeAnswer = envelope(Type.Object({ clientId: Identifier }), { clientId: 'client_8r3k2m5t7x' });

const Secret = Type.String({ description: 'Shown once.' });

export const CredentialsAnswer = envelope(
  Type.Object({
    clientId: Identifier,
    clientSecret: Type.Optional(Secret),
    keyId: Type.Optional(Identifier),
    apiKey: Type.Optional(Secret),
  }),
  { clientId: 'client_8r3k2m5t7x', clientSecret: 'dbs_…', keyId: 'key_2f9d7c', apiKey: 'dbk_…' },
);

export const RotateRequest = closed(
  { clientId: Identifier, what: Type.Enum(['secret', 'key', 'both']) },
  { examples: [{ clientId: 'client_8r3k2m5t7x', what: 'secret' }] },
);

export const ClientNameRequest = closed({ clientId: Identifier }, { examples: [{ clientId: 'client_8r3k2m5t7x' }] });
export const ClientNameAnswer = envelope(Type.Object({ clientId: Identifier, revokedAt: Timestamp }), {
  clientId: 'client_8r3k2m5t7x',
  revokedAt: '2026-01-01T00:00:00.000Z',
});

export const KeyAnswer = envelope(Type.Object({ keyId: Identifier, apiKey: Secret }), {
  keyId: 'key_2f9d7c',
  apiKey: 'dbk_…',
});
export const KeyNameRequest = closed({ keyId: Identifier }, { examples: [{ keyId: 'key_2f9d7c' }] });
export const KeyNameAnswer = envelope(Type.Object({ keyId: Identifier, revokedAt: Timestamp }), {
  keyId: 'key_2f9d7c',
  revokedAt: '2026-01-01T00:00:00.000Z',
});

const GrantShape = Type.Object({
  grantId: Identifier,
  ownerOrganizationId: Identifier,
  granteeOrganizationId: Identifier,
  access: Type.Enum(['read', 'servicing']),
  servicerId: Type.Union([Type.String(), Type.Null()], { description: 'Null: all loans of the owner.' }),
  createdAt: Timestamp,
  revokedAt: NullableTimestamp,
});
const grantExample = {
  grantId: 'grant_7d1e9b',
  ownerOrganizationId: 'org_4n7c2q9d',
  granteeOrganizationId: 'org_9w5s1z6h',
  access: 'servicing',
  servicerId: 'SRV-12',
  createdAt: '2026-01-01T00:00:00.000Z',
  revokedAt: null,
};

export const GrantsAnswer = envelope(Type.Object({ given: Type.Array(GrantShape), received: Type.Array(GrantShape) }), {
  given: [grantExample],
  received: [],
});

export const GrantRequest = closed(
  {
    granteeOrganizationId: Identifier,
    access: Type.Enum(['read', 'servicing']),
    servicerId: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$' })),
  },
  { examples: [{ granteeOrganizationId: 'org_9w5s1z6h', access: 'servicing', servicerId: 'SRV-12' }] },
);
export const GrantAnswer = envelope(GrantShape, grantExample);

export const GrantNameRequest = closed({ grantId: Identifier }, { examples: [{ grantId: 'grant_7d1e9b' }] });
