/** Clients of an organization: the programs that call the service, with their secrets, scopes and quotas. */

import { Type } from 'typebox';
import { NUMBERS } from '../../access/caller.ts';
import { SCOPES } from '../../access/scopes.ts';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pages } from '../shared/pages.ts';
import { missing, moment } from '../shared/read.ts';
import { mistakesProblem, RequestReader } from '../shared/request-reader.ts';
import { maybe, NextCursor, time } from '../shared/shapes.ts';
import { idOut } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import {
  ApiKey,
  administration,
  ClientId,
  ClientIdRequest,
  ClientSecret,
  CreatedAt,
  KeyId,
  Name,
  RevokedAt,
  ScopeName,
} from './shared.ts';

const Scopes = Type.Array(ScopeName, {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: 'Scopes of the client.',
});

const Quota = Type.Integer({
  minimum: 0,
  maximum: 100_000_000,
  description:
    'Quota in cost units per minute, up to the limit that the operator has set for the organization. 0 means no quota, if the organization has no limit.',
});

const NumbersForm = Type.Enum([...NUMBERS], {
  description:
    'How answers to the client write amounts and counts: `interface` with thousands separators ("29,163.75"), `plain` without ("29163.75"). ' +
    'The header `Prefer` of a request overrides it.',
});

const ClientShape = shape('Client', 'A program that calls the service.', {
  clientId: ClientId,
  name: Name,
  kind: Type.Enum(['program', 'console'], {
    description: '`console` stands for the sessions of people: it has no credentials and cannot be changed.',
  }),
  scopes: Type.Array(ScopeName, { description: 'Scopes of the client.' }),
  status: Type.Enum(['active', 'revoked'], { description: 'Whether the client is active.' }),
  rateLimitPerMinute: Type.Union([Quota, Type.Null()], {
    description: 'Quota in cost units per minute; null for the service’s default.',
  }),
  numbers: NumbersForm,
  raisedRateLimit: maybe(
    shape('RaisedRateLimit', 'A quota for a time.', {
      perMinute: Type.Integer({ description: 'Cost units per minute.' }),
      until: time('When it ends.'),
    }),
    'The quota that applies instead until a time; null when there is none now.',
  ),
  keys: Type.Array(
    shape('ApiKey', 'An API key of a client, without the key itself.', {
      keyId: KeyId,
      createdAt: CreatedAt,
      revokedAt: RevokedAt,
    }),
    { description: 'Its API keys.' },
  ),
  holders: Type.Array(idOut('An id.'), {
    description:
      'Ids of the people and clients that made it, rotated its secret or made a key of it. For approvals they count as this client. Empty: the operator alone.',
  }),
  createdAt: CreatedAt,
  revokedAt: RevokedAt,
});

const ClientsAnswer = envelope(
  shape('ClientPage', 'A page of clients.', {
    items: Type.Array(ClientShape, {
      description: 'Active clients first, oldest first; then revoked ones, newest first.',
    }),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        clientId: 'client_8r3k2m5t7x',
        name: 'servicing desk',
        kind: 'program',
        scopes: ['loans:read', 'payments:write'],
        status: 'active',
        rateLimitPerMinute: null,
        numbers: 'interface',
        raisedRateLimit: null,
        keys: [{ keyId: 'key_2f9d7c', createdAt: '2026-01-01T00:00:00.000Z', revokedAt: null }],
        holders: ['user_7h2k9d4m'],
        createdAt: '2026-01-01T00:00:00.000Z',
        revokedAt: null,
      },
    ],
    nextCursor: null,
  },
);

export const listClients = operation({
  ...administration,
  at: 'GET /clients',
  id: 'listClients',
  cost: 2,
  summary: 'List clients',
  description:
    'The organization’s clients with their scopes and active keys; revoked clients come last. Secrets and keys are never shown again.',
  query: closed(pages),
  answer: ClientsAnswer,
  problems: [],
  async handle({ services, caller, query }) {
    const { limit = 25, cursor = null } = query;
    return ok((await services.access.listClients(caller.organizationId, { limit, cursor })) ?? badCursor());
  },
});

const ClientRequest = closed(
  {
    name: Name,
    scopes: Scopes,
    rateLimitPerMinute: Type.Optional(Quota),
    numbers: Type.Optional(
      about(NumbersForm, `How answers to the client write amounts and counts; default: \`interface\`.`),
    ),
  },
  { examples: [{ name: 'servicing desk', scopes: ['loans:read', 'payments:write'] }] },
);

const CredentialsAnswer = envelope(
  shape('ClientCredentials', 'The new credentials of a client.', {
    clientId: ClientId,
    clientSecret: Type.Optional(ClientSecret),
    keyId: Type.Optional(KeyId),
    apiKey: Type.Optional(ApiKey),
  }),
  { clientId: 'client_8r3k2m5t7x', clientSecret: 'dbs_…', keyId: 'key_2f9d7c', apiKey: 'dbk_…' },
);

export const createClient = write({
  ...administration,
  at: 'POST /clients',
  id: 'createClient',
  cost: 15,
  summary: 'Create a client',
  description:
    'Returns the client’s id, secret and first API key. The secret and the key are shown only once and stored only as hashes. The scopes must be among ' +
    'those of the caller’s own token; granting `loans:read_pii` or `loans:fund` also requires the header `key`.',
  body: ClientRequest,
  answer: CredentialsAnswer,
  problems: ['conflict', 'key_required'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    checkName(body);
    return services.access.administering(keep).createClient(caller, body);
  },
  approval: { preview: (_, body) => body },
});

/** A name is shown to every administrator and never erased. */
function checkName(body: { name?: string }): void {
  const read = new RequestReader();
  read.reference(body, 'name', '');
  read.done();
}

const ClientChangeRequest = closed(
  {
    clientId: ClientId,
    name: Type.Optional(Name),
    scopes: Type.Optional(Scopes),
    rateLimitPerMinute: Type.Optional(
      Type.Union([Quota, Type.Null()], {
        description: 'Quota in cost units per minute; null for the service’s default.',
      }),
    ),
    numbers: Type.Optional(NumbersForm),
    raisedRateLimit: Type.Optional(
      maybe(
        shape(
          'RateLimitForATime',
          'A quota that applies until a time, and ends by itself.',
          {
            perMinute: Type.Integer({
              minimum: 1,
              maximum: 100_000_000,
              description: 'Cost units per minute, up to the limit of the organization.',
            }),
            until: Type.String({
              maxLength: 40,
              format: 'date-time',
              description:
                'A time with a zone, such as 2026-11-19T18:00:00Z: in the future, and at most 31 days from now.',
            }),
          },
          { additionalProperties: false },
        ),
        'A quota for a time, in place of the other one: to board a portfolio in a night. Null ends it at once.',
      ),
    ),
  },
  { examples: [{ clientId: 'client_8r3k2m5t7x', scopes: ['loans:read'] }] },
);

function raisedIn<R extends { until: string }>(asked: R | null): R | null {
  if (asked === null) return null;
  const until = moment(asked.until);
  if (until !== null) return { ...asked, until };
  const read = new RequestReader();
  const detail = 'Must be a time with a time zone, such as 2026-11-19T18:00:00Z.';
  read.note('/raisedRateLimit/until', { code: 'format', detail });
  throw mistakesProblem(read);
}

const ClientChangeAnswer = envelope(shape('ClientUpdate', 'The client that was changed.', { clientId: ClientId }), {
  clientId: 'client_8r3k2m5t7x',
});

export const updateClient = write({
  ...administration,
  at: 'POST /update-client',
  id: 'updateClient',
  cost: 5,
  summary: 'Change a client’s name, scopes, quota or form of numbers',
  description:
    'Omitted fields do not change. A removed scope is gone from tokens in use within a second. Only scopes of the caller’s own ' +
    'token can be added; adding `loans:read_pii` or `loans:fund` also requires the header `key`.',
  body: ClientChangeRequest,
  answer: ClientChangeAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  async write({ services, caller, body }, { keep }) {
    checkName(body);
    const { clientId, raisedRateLimit, ...more } = body;
    const to = raisedRateLimit === undefined ? more : { ...more, raisedRateLimit: raisedIn(raisedRateLimit) };
    const changed = await services.access.administering(keep).updateClient(caller, clientId, to);
    return changed ?? missing('active client');
  },
  approval: { preview: (_, body) => body },
});

const RotateRequest = closed(
  {
    clientId: ClientId,
    what: Type.Enum(['secret', 'key', 'both'], {
      description: 'The credentials to replace. `key` replaces all API keys with one new key.',
    }),
  },
  { examples: [{ clientId: 'client_8r3k2m5t7x', what: 'secret' }] },
);

export const rotateClient = write({
  ...administration,
  at: 'POST /rotate-client',
  id: 'rotateClient',
  cost: 15,
  summary: 'Replace a client’s secret, API keys or both',
  description:
    'The old credentials stop working within a second on every instance. Replacing the secret also ends the tokens issued before. To change a ' +
    'key without downtime, create a second one, deploy it, and revoke the first. The caller’s own token must have every scope of the ' +
    'client; if these include `loans:read_pii` or `loans:fund`, the header `key` is also required.',
  body: RotateRequest,
  answer: CredentialsAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    const { clientId, what } = body;
    const made = await services.access.administering(keep).rotateClient(caller, clientId, { what });
    return made ?? missing('active client');
  },
  approval: { preview: (_, body) => body },
});

const RevokedClientAnswer = envelope(
  shape('RevokedClient', 'A revoked client.', { clientId: ClientId, revokedAt: time('When it was revoked.') }),
  { clientId: 'client_8r3k2m5t7x', revokedAt: '2026-01-01T00:00:00.000Z' },
);

export const revokeClient = write({
  ...administration,
  at: 'POST /revoke-client',
  id: 'revokeClient',
  cost: 5,
  summary: 'Revoke a client',
  description:
    'The client’s secret, keys and tokens stop working within a second on every instance. This cannot be undone.',
  body: ClientIdRequest,
  answer: RevokedClientAnswer,
  problems: ['not_found', 'conflict'],
  async write({ services, caller, body }, { keep }) {
    const revoked = await services.access.administering(keep).revokeClient(caller.organizationId, body.clientId);
    return revoked ?? missing('client');
  },
});
