/** Tokens: credentials exchanged for a token, by our own request or by OAuth 2.0, and the public keys that verify it. */

import { Type } from 'typebox';
import type { Denial } from '../../access/refused.ts';
import { SCOPES } from '../../access/scopes.ts';
import { denialProblem } from '../shared/access-problems.ts';
import { shape } from '../shared/named.ts';
import { type Answer, anonymousOperation, closed, envelope, ok } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { time } from '../shared/shapes.ts';
import { scopesOut, secretOut, urlOut, wordOut } from '../shared/texts.ts';

/** No credential is longer. A longer one sent by HTTP Basic is cut off and matches no client. */
const [LONGEST_ID, LONGEST_SECRET] = [128, 512];

const TokenRequest = closed(
  {
    clientId: Type.String({ maxLength: LONGEST_ID, description: 'The client.' }),
    clientSecret: Type.String({ maxLength: LONGEST_SECRET, description: 'Its secret.' }),
  },
  { examples: [{ clientId: 'client_8r3k2m5t7x', clientSecret: 'dbs_…' }] },
);

const TokenAnswer = envelope(
  shape('Token', 'A bearer token.', {
    token: secretOut('The bearer token, a JWT.'),
    expiresIn: Type.Integer({ description: 'When it expires: absolute Unix time in seconds.' }),
    expiresAt: time('When it expires.'),
    tokenType: Type.Literal('Bearer', { description: 'Always `Bearer`.' }),
    scope: scopesOut('The scopes of the token, separated by spaces.'),
  }),
  {
    token: 'eyJhbGciOiJFUzI1NiIs…',
    expiresIn: 1767229200,
    expiresAt: '2026-01-01T01:00:00.000Z',
    tokenType: 'Bearer',
    scope: 'loans:read payments:write',
  },
);

export const createToken = anonymousOperation({
  at: 'POST /auth-token',
  id: 'createToken',
  tag: 'Access',
  summary: 'Get a token',
  description: 'The token is valid for one hour. `expiresIn` is an absolute Unix time, not a number of seconds.',
  body: TokenRequest,
  answer: TokenAnswer,
  problems: ['invalid_credentials', 'too_many_failures'],
  async handle({ services, body, address, place }) {
    const issued = await services.access.issueToken({ ...body, address, issuer: place().origin });
    if ('denied' in issued) throw denialProblem(issued);
    return ok({
      token: issued.token,
      expiresIn: issued.expiresAt,
      expiresAt: new Date(issued.expiresAt * 1000).toISOString(),
      tokenType: 'Bearer',
      scope: issued.scope,
    });
  },
});

const OAuthRequest = Type.Object(
  {
    grant_type: Type.Optional(Type.String({ maxLength: 128, description: 'Must be `client_credentials`.' })),
    scope: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'Scopes, separated by spaces; default: all scopes of the client.' }),
    ),
    client_id: Type.Optional(
      Type.String({ maxLength: LONGEST_ID, description: 'The client id, unless sent by HTTP Basic.' }),
    ),
    client_secret: Type.Optional(
      Type.String({ maxLength: LONGEST_SECRET, description: 'The client secret, unless sent by HTTP Basic.' }),
    ),
  },
  {
    // RFC 6749 section 3.2: unrecognised parameters are ignored. Credentials may come by HTTP Basic instead.
    examples: [{ grant_type: 'client_credentials', client_id: 'client_8r3k2m5t7x', client_secret: 'dbs_…' }],
  },
);

const OAuthAnswer = Type.Object(
  {
    access_token: secretOut('The bearer token, a JWT.'),
    token_type: Type.Literal('Bearer', { description: 'Always `Bearer`.' }),
    expires_in: Type.Integer({ description: 'Seconds until it expires.' }),
    scope: scopesOut('The scopes of the token, separated by spaces.'),
  },
  {
    examples: [{ access_token: 'eyJhbGciOiJFUzI1NiIs…', token_type: 'Bearer', expires_in: 3600, scope: 'loans:read' }],
  },
);

export const createOAuthToken = anonymousOperation({
  at: 'POST /oauth/token',
  id: 'createOAuthToken',
  tag: 'Access',
  summary: 'Get a token with OAuth 2.0',
  description:
    'Client credentials grant of RFC 6749: a form with `grant_type=client_credentials`, the credentials by HTTP Basic or in the ' +
    'form, and optionally a narrower `scope`. Errors have the RFC’s `error` in addition to the fields of a problem document.',
  form: true,
  body: OAuthRequest,
  answer: OAuthAnswer,
  problems: ['oauth_request', 'invalid_credentials', 'too_many_failures'],
  async handle({ services, body, address, headers, place }): Promise<Answer> {
    if (body.grant_type === undefined) throw oauthProblem('invalid_request', 'The parameter grant_type is missing.');
    if (body.grant_type !== 'client_credentials') {
      throw oauthProblem('unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
    }
    const credentials = oauthCredentials(headers.authorization as string | undefined, body);
    const { scope } = body;
    const issued = await services.access.issueToken({
      ...{ ...credentials, address, issuer: place().origin },
      ...(scope ? { scope } : {}),
    });
    if ('denied' in issued) throw oauthDenial(issued);
    return {
      body: {
        access_token: issued.token,
        token_type: 'Bearer',
        expires_in: issued.expiresAt - issued.issuedAt,
        scope: issued.scope,
      },
      headers: { Pragma: 'no-cache' },
    };
  },
});

const JwksAnswer = Type.Object(
  {
    keys: Type.Array(Type.Object({}, { additionalProperties: true, description: 'A JSON Web Key.' }), {
      description: 'The keys that tokens are signed with.',
    }),
  },
  { examples: [{ keys: [{ kty: 'EC', crv: 'P-256', kid: 'sig_…', use: 'sig', alg: 'ES256', x: '…', y: '…' }] }] },
);

export const readSigningKeys = anonymousOperation({
  at: 'GET /.well-known/jwks.json',
  outside: true,
  id: 'readSigningKeys',
  tag: 'Access',
  summary: 'Get the public keys for verifying tokens',
  description: 'A JSON Web Key Set (RFC 7517). Keys rotate: fetch it again when a token names an unknown `kid`.',
  answer: JwksAnswer,
  problems: [],
  async handle({ services }) {
    return { body: await services.access.jwks(), headers: { 'Cache-Control': 'public, max-age=60' } };
  },
});

const MetadataAnswer = Type.Object(
  {
    issuer: urlOut('The URL of the service; `iss` of the tokens that it issues at this address.'),
    token_endpoint: urlOut('The URL of the token endpoint.'),
    jwks_uri: urlOut('The URL of the public keys.'),
    scopes_supported: Type.Array(scopesOut('A scope.'), { description: 'The supported scopes.' }),
    response_types_supported: Type.Array(wordOut('One of them.'), {
      description: 'Empty: there is no authorization endpoint.',
    }),
    grant_types_supported: Type.Array(wordOut('One of them.'), { description: 'Only the client credentials grant.' }),
    token_endpoint_auth_methods_supported: Type.Array(wordOut('One of them.'), {
      description: 'How a client may send its credentials.',
    }),
    service_documentation: urlOut('The API documentation.'),
  },
  { examples: [metadata({ origin: 'https://loans.example', prefix: '/v2/chain' })] },
);

/** The issuer, which tokens name: `PUBLIC_URL`, or else the host that the caller used, because the service does not know its own names. */
function metadata({ origin, prefix }: { origin: string; prefix: string }) {
  return {
    issuer: origin,
    token_endpoint: `${origin}${prefix}/oauth/token`,
    jwks_uri: `${origin}/.well-known/jwks.json`,
    scopes_supported: [...SCOPES],
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${origin}/docs/`,
  };
}

export const readOAuthMetadata = anonymousOperation({
  at: 'GET /.well-known/oauth-authorization-server',
  outside: true,
  // OpenID Connect libraries look here first.
  aliases: ['.well-known/openid-configuration'],
  id: 'readOAuthMetadata',
  tag: 'Access',
  summary: 'Get the OAuth 2.0 server metadata',
  description: 'OAuth 2.0 client libraries use it to find the token endpoint (RFC 8414).',
  answer: MetadataAnswer,
  problems: [],
  handle: ({ place }) => ({ body: metadata(place()), headers: { 'Cache-Control': 'no-store', Vary: 'Host' } }),
});

function oauthProblem(error: string, description: string, headers: Record<string, string> = {}): Problem {
  const code = error === 'invalid_client' ? 'invalid_credentials' : 'oauth_request';
  return new Problem(code, description, { error, error_description: description }, headers);
}

function oauthDenial(denial: Denial): Problem {
  if (denial.denied === 'bad_credentials') {
    const challenge = { 'WWW-Authenticate': 'Basic realm="daybook", charset="UTF-8"' };
    return oauthProblem('invalid_client', 'The client id or the secret is wrong.', challenge);
  }
  if (denial.denied === 'bad_scope') {
    return oauthProblem('invalid_scope', 'The scope is unknown, or this client does not have it.');
  }
  return denialProblem(denial);
}

/** The credentials come by HTTP Basic (both parts form-encoded, RFC 6749 section 2.3.1) or in the form, never in both. */
function oauthCredentials(
  authorization: string | undefined,
  body: { client_id?: string; client_secret?: string },
): { clientId: string; clientSecret: string } {
  if (authorization === undefined) {
    return { clientId: body.client_id ?? '', clientSecret: body.client_secret ?? '' };
  }
  if (body.client_secret !== undefined) {
    throw oauthProblem('invalid_request', 'Send the credentials by HTTP Basic or in the form, not both.');
  }
  const encoded = /^basic +([A-Za-z0-9+/]*={0,2})$/i.exec(
    authorization.length > LONGEST_BASIC ? '' : authorization,
  )?.[1];
  const [, clientId, clientSecret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  return {
    clientId: formDecode(clientId).slice(0, LONGEST_ID + 1),
    clientSecret: formDecode(clientSecret).slice(0, LONGEST_SECRET + 1),
  };
}

/** Client id and secret, form-encoded and then in Base64. */
const LONGEST_BASIC = 2_100;

function formDecode(text = ''): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
