/**
 * Every operation of the API: where it is, who may call it, what it does. Those on loans are in `loans/`, the
 * calculators in `calculators/`; the shapes of all others are in `access/schemas.ts`.
 */
import type { Caller, Denial } from '../access/access.ts';
import * as shape from './access/schemas.ts';
import { calculators } from './calculators/calculators.ts';
import { loanReads } from './loans/reads.ts';
import { loanWrites } from './loans/writes.ts';
import { type Answer, anonymousOperation, type Operation, ok, operation, withAliases } from './operation.ts';
import { denialProblem } from './shell/access-problems.ts';
import { Problem } from './shell/problems.ts';

/** A caller is the same object until its token or its client changes, and so is what `GET /me` says of it. */
const whoIs = new WeakMap<Caller, Answer>();

export const operations: readonly Operation[] = withAliases([
  ...loanWrites,
  ...loanReads,

  anonymousOperation({
    at: 'POST /auth-token',
    id: 'createToken',
    tag: 'Access',
    summary: 'Exchange credentials for a bearer token',
    description: 'The token is valid for an hour. `expiresIn` is the absolute Unix time at which it ends.',
    body: shape.TokenRequest,
    answer: shape.TokenAnswer,
    problems: ['invalid_credentials', 'too_many_failures'],
    async handle({ services, body, address }) {
      const issued = await services.access.issueToken({ ...body, address });
      if ('denied' in issued) throw denialProblem(issued);
      return ok({
        token: issued.token,
        expiresIn: issued.expiresAt,
        expiresAt: new Date(issued.expiresAt * 1000).toISOString(),
        tokenType: 'Bearer',
        scope: issued.scope,
      });
    },
  }),

  anonymousOperation({
    at: 'POST /oauth/token',
    id: 'createOAuthToken',
    tag: 'Access',
    summary: 'The same exchange for standard OAuth 2.0 clients',
    description:
      'Client credentials grant of RFC 6749: a form with `grant_type=client_credentials`, the credentials by HTTP Basic or in the ' +
      'form, and optionally a narrower `scope`. Failures carry the RFC’s `error` beside the members of a problem document.',
    form: true,
    body: shape.OAuthRequest,
    answer: shape.OAuthAnswer,
    problems: ['oauth_request', 'invalid_credentials', 'too_many_failures'],
    async handle({ services, body, address, headers }): Promise<Answer> {
      if (body.grant_type === undefined) throw oauthProblem('invalid_request', 'The parameter grant_type is missing.');
      if (body.grant_type !== 'client_credentials') {
        throw oauthProblem('unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
      }
      const credentials = oauthCredentials(headers.authorization as string | undefined, body);
      const { scope } = body;
      const issued = await services.access.issueToken({ ...credentials, address, ...(scope ? { scope } : {}) });
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
  }),

  anonymousOperation({
    at: 'GET /.well-known/jwks.json',
    outside: true,
    id: 'readSigningKeys',
    tag: 'Access',
    summary: 'Public keys that verify the tokens',
    description: 'A JSON Web Key Set (RFC 7517). Keys rotate: fetch it again when a token names an unknown `kid`.',
    answer: shape.JwksAnswer,
    problems: [],
    async handle({ services }) {
      return { body: await services.access.jwks(), headers: { 'Cache-Control': 'public, max-age=60' } };
    },
  }),

  operation({
    at: 'GET /me',
    id: 'readMe',
    tag: 'Access',
    summary: 'Who the caller is',
    description: 'The organization and client behind the token, and the scopes it has at this moment.',
    scopes: [],
    key: 'checked',
    answer: shape.MeAnswer,
    problems: [],
    handle({ caller }) {
      let answer = whoIs.get(caller);
      if (answer === undefined) {
        const me = {
          organization: { organizationId: caller.organizationId, name: caller.organizationName },
          client: { clientId: caller.clientId, name: caller.clientName },
          scopes: [...caller.scopes],
          keyId: caller.keyId,
          tokenExpiresAt: new Date(caller.tokenExpiresAt * 1000).toISOString(),
        };
        answer = { text: JSON.stringify({ message: 'ok', data: me }) };
        whoIs.set(caller, answer);
      }
      return answer;
    },
  }),

  operation({
    at: 'GET /clients',
    id: 'listClients',
    tag: 'Administration',
    summary: 'Clients of the organization',
    description: 'With their scopes and active keys; revoked clients last. Secrets and keys are never shown again.',
    scopes: ['admin'],
    key: 'checked',
    answer: shape.ClientsAnswer,
    problems: [],
    async handle({ services, caller }) {
      return ok({ items: await services.access.listClients(caller.organizationId) });
    },
  }),

  operation({
    at: 'POST /clients',
    id: 'createClient',
    tag: 'Administration',
    summary: 'Create a client',
    description:
      'Answers its id, secret and first API key. Secret and key are shown this once and stored only as hashes.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.ClientRequest,
    answer: shape.CredentialsAnswer,
    problems: ['conflict'],
    async handle({ services, caller, body }) {
      return ok(await services.access.createClient(caller.organizationId, body));
    },
  }),

  operation({
    at: 'POST /update-client',
    id: 'updateClient',
    tag: 'Administration',
    summary: 'Change a client’s name, scopes or quota',
    description: 'Members left out stay as they are. A scope taken away is gone from tokens in use within a second.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.ClientChangeRequest,
    answer: shape.ClientChangeAnswer,
    problems: ['not_found', 'conflict'],
    async handle({ services, caller, body }) {
      const { clientId, ...to } = body;
      return ok((await services.access.updateClient(caller.organizationId, clientId, to)) ?? missing('active client'));
    },
  }),

  operation({
    at: 'POST /rotate-client',
    id: 'rotateClient',
    tag: 'Administration',
    summary: 'Replace a client’s secret, API keys or both',
    description:
      'The old ones stop working within a second on every instance; with a new secret the tokens issued before end too. To change a ' +
      'key without a gap, create a second one, deploy it, and revoke the first.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.RotateRequest,
    answer: shape.CredentialsAnswer,
    problems: ['not_found', 'conflict'],
    async handle({ services, caller, body }) {
      const { clientId, what } = body;
      return ok(
        (await services.access.rotateClient(caller.organizationId, clientId, { what })) ?? missing('active client'),
      );
    },
  }),

  operation({
    at: 'POST /revoke-client',
    id: 'revokeClient',
    tag: 'Administration',
    summary: 'Revoke a client',
    description: 'Its secret, keys and tokens stop working within a second on every instance. It cannot be undone.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.ClientNameRequest,
    answer: shape.ClientNameAnswer,
    problems: ['not_found'],
    async handle({ services, caller, body }) {
      return ok((await services.access.revokeClient(caller.organizationId, body.clientId)) ?? missing('client'));
    },
  }),

  operation({
    at: 'POST /create-key',
    id: 'createKey',
    tag: 'Administration',
    summary: 'One more API key for a client',
    description: 'Beside the keys it has; shown this once.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.ClientNameRequest,
    answer: shape.KeyAnswer,
    problems: ['not_found', 'conflict'],
    async handle({ services, caller, body }) {
      return ok((await services.access.createKey(caller.organizationId, body.clientId)) ?? missing('active client'));
    },
  }),

  operation({
    at: 'POST /revoke-key',
    id: 'revokeKey',
    tag: 'Administration',
    summary: 'Revoke one API key',
    description: 'The client keeps its secret and its other keys.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.KeyNameRequest,
    answer: shape.KeyNameAnswer,
    problems: ['not_found'],
    async handle({ services, caller, body }) {
      return ok((await services.access.revokeKey(caller.organizationId, body.keyId)) ?? missing('key'));
    },
  }),

  operation({
    at: 'GET /grants',
    id: 'listGrants',
    tag: 'Administration',
    summary: 'Grants given and received',
    description: 'What other organizations may do with this one’s loans, and what this one may do with theirs.',
    scopes: ['admin'],
    key: 'checked',
    answer: shape.GrantsAnswer,
    problems: [],
    async handle({ services, caller }) {
      return ok(await services.access.listGrants(caller.organizationId));
    },
  }),

  operation({
    at: 'POST /grants',
    id: 'createGrant',
    tag: 'Administration',
    summary: 'Let another organization in',
    description:
      '`read` shows this organization’s loans to the other, `servicing` lets it service them; for all loans, or only those of one ' +
      '`servicerId`. The same grant given twice is one grant.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.GrantRequest,
    answer: shape.GrantAnswer,
    problems: ['not_found', 'conflict'],
    async handle({ services, caller, body }) {
      return ok((await services.access.createGrant(caller.organizationId, body)) ?? missing('organization'));
    },
  }),

  operation({
    at: 'POST /revoke-grant',
    id: 'revokeGrant',
    tag: 'Administration',
    summary: 'Take a grant back',
    description: 'Takes effect within a second on every instance.',
    scopes: ['admin'],
    key: 'checked',
    body: shape.GrantNameRequest,
    answer: shape.GrantAnswer,
    problems: ['not_found'],
    async handle({ services, caller, body }) {
      return ok((await services.access.revokeGrant(caller.organizationId, body.grantId)) ?? missing('grant'));
    },
  }),

  ...calculators,
]);

/** What is not there, and what belongs to somebody else, are the same answer. */
function missing(what: string): never {
  throw new Problem('not_found', `There is no such ${what}.`);
}

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

/** By HTTP Basic (both parts form-encoded, RFC 6749 section 2.3.1) or in the form, never both. */
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
  const encoded = /^basic +([A-Za-z0-9+/]{0,2048}={0,2})$/i.exec(authorization)?.[1];
  const [, clientId, clientSecret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  return { clientId: formDecode(clientId), clientSecret: formDecode(clientSecret) };
}

function formDecode(text = ''): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
