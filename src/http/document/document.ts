/**
 * The OpenAPI 3.1 document, generated from the operations: for each one its request, its answer and every problem it can answer
 * with. `openapi.json` in the repository is this text.
 */
import type { SwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { SCOPE_TEXTS } from '../../access/scopes.ts';
import { limitsText, SMALL_BODY } from '../shared/body-limits.ts';
import { announces, deprecationText } from '../shared/deprecation.ts';
import { disclosesPersonal, type Operation } from '../shared/operation.ts';
import { type Prepared, prepared, sendPrepared } from '../shared/prepared.ts';
import type { ProblemCode } from '../shared/problems.ts';
import { type OpenApi, withNamedSchemas } from './components.ts';
import { withWebhooks } from './event-catalogue.ts';
import { problemResponses, SHELL_PROBLEMS } from './failures.ts';

export function documentOptions(prefix: string, version: string): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Daybook',
        version,
        description:
          'Loan servicing over HTTP: create, underwrite, fund, collect, monitor and close loans.\n\n' +
          `Get a token from \`POST ${prefix}/auth-token\` with a client id and its secret, or from \`POST ${prefix}/oauth/token\` with any OAuth 2.0 ` +
          'client library (client credentials grant). Send it as `Authorization: Bearer …`, and send the API key in the header `key` where ' +
          'an operation requires it.\n\n' +
          'Amounts in responses are decimal strings with thousands separators (`"29,163.75"`), or without them if the request has the header ' +
          '`Prefer: numbers=plain`. Dates are `YYYY-MM-DD`, times are ISO 8601 in UTC. Every error is a problem document (RFC 9457) with a ' +
          'stable `code`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'Access', description: 'Tokens, the calling client, and the business date.' },
        { name: 'Loans', description: 'The life cycle of a loan: create, underwrite, fund, collect, close.' },
        { name: 'Servicing', description: 'Fees, modifications, delinquency, default, charge-off and recoveries.' },
        {
          name: 'Reading',
          description: 'Loans and their details: today, as of another date, or as recorded at an earlier time.',
        },
        {
          name: 'Policies',
          description: 'How a lender services its loans: values by version, each with the date it is in force from.',
        },
        { name: 'Approvals', description: 'Writes that a second person or client has to approve.' },
        { name: 'Portfolio', description: 'Reports over all loans: month ends and today, as reported or restated.' },
        { name: 'Ledger', description: 'Transactions with their proofs, blocks, and the general ledger.' },
        { name: 'Exports', description: 'Loans, payments, journal, events and positions as files of any size.' },
        {
          name: 'Events',
          description: 'Events in one order: by pages, as a stream, or delivered by webhooks.',
        },
        {
          name: 'Administration',
          description: 'People, roles, clients, API keys, grants and sandboxes of an organization, and its clock.',
        },
        {
          name: 'Calculators',
          description:
            'Stateless calculations with the engine that services loans. Amounts and rates are decimal strings.',
        },
        { name: 'Service', description: 'Health checks for operators.' },
      ],
      components: {
        securitySchemes: {
          bearerAuth: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: `A token from \`POST ${prefix}/auth-token\`.`,
          },
          oauth2: {
            type: 'oauth2',
            description:
              'OAuth 2.0 client credentials grant. Client libraries find it at `/.well-known/oauth-authorization-server`.',
            flows: { clientCredentials: { tokenUrl: `${prefix}/oauth/token`, scopes: { ...SCOPE_TEXTS } } },
          },
          apiKey: { type: 'apiKey', in: 'header', name: 'key', description: 'An API key of the token’s client.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'daybook_session',
            description:
              'The session of a person who has signed in on the pages; `__Host-daybook_session` by https. Writes also need the header `X-CSRF-Token` ' +
              'with the `csrfToken` of `GET /session`, and reads of personal data the header `purpose`.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  };
}

export function toRouteSchema(operation: Operation): FastifySchema {
  if (operation.isAlias || operation.hidden) return { hide: true, ...validated(operation) };
  const { scopes, also: besides = null } = operation.access === 'anonymous' ? { scopes: [] } : operation.access;
  const beside = besides === null ? '' : ` and \`${besides}\``;
  const needs =
    scopes.length > 0 ? `\n\nRequires the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}${beside}.` : '';
  const { cost = 1, light, aliases = [] } = operation;
  const less =
    light === undefined ? '' : `, and ${light.cost} when ${light.when}; the difference is given back with the answer`;
  const costs = cost > 1 ? `\n\nCosts ${cost} quota units${less}.` : '';
  const size = operation.body ? `\n\nThe body may have ${limitsText(operation.limits ?? SMALL_BODY)}.` : '';
  const others = aliases.map((alias) => `\`${operation.method} /${alias}\``).join(' and ');
  const also = others === '' ? '' : `\n\nAlso available as ${others}.`;
  const { deprecated } = operation;
  const ends = deprecated === undefined ? '' : `\n\n${deprecationText(deprecated)}`;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description + ends + needs + costs + size + also,
    ...(deprecated === undefined ? {} : { deprecated: true, 'x-sunset': deprecated.sunset }),
    ...(operation.access === 'anonymous'
      ? {}
      : { 'x-cost': cost, ...(light === undefined ? {} : { 'x-cost-light': light.cost }) }),
    security: securityOf(operation),
    ...(operation.form ? { consumes: ['application/x-www-form-urlencoded'] } : {}),
    ...validated(operation),
    ...(operation.params ? { params: Type.Object(operation.params) } : {}),
    ...(operation.requestHeaders ? { headers: Type.Partial(Type.Object(operation.requestHeaders)) } : {}),
    response: {
      200: {
        description: 'Success',
        ...answerHeadersOf(operation),
        content: {
          ...(operation.media === undefined ? { 'application/json': { schema: operation.answer } } : {}),
          ...Object.fromEntries((operation.media ?? []).map((type) => [type, { schema: answerIn(operation, type) }])),
        },
      },
      ...(operation.accepted === undefined
        ? {}
        : {
            202: {
              description: descriptionOf(operation.accepted) ?? 'Nothing was changed: the write waits for an approval.',
              content: { 'application/json': { schema: operation.accepted } },
            },
          }),
      ...(operation.conditional
        ? {
            304: {
              type: 'null',
              description: 'Not modified: the ETag in `If-None-Match` is still current.',
              ...answerHeadersOf(operation),
            },
          }
        : {}),
      ...problemResponses(problemsOf(operation), operation.form),
    },
  };
}

/** An operation that answers with JSON too describes that; its other types are text. */
function answerIn({ media = [], answer }: Operation, type: string) {
  if (type === 'application/json' || !media.includes('application/json')) return answer;
  if (type === 'text/event-stream') {
    return Type.String({ description: 'A message for each event: `id`, and the event as JSON in `data`.' });
  }
  return Type.String({ description: 'The same rows; amounts without thousands separators, an empty cell for null.' });
}

const descriptionOf = ({ description }: { description?: unknown }): string | undefined =>
  typeof description === 'string' ? description : undefined;

/** The schemas that a request is checked against. */
function validated(operation: Operation): FastifySchema {
  return {
    ...(operation.body ? { body: operation.body } : {}),
    ...(takesAnyQuery(operation) ? {} : { querystring: operation.query ?? NO_QUERY }),
  };
}

/** One entry for each way in: a token by either scheme, with one of the scopes and what is needed besides, and the API key where it is needed or may be sent; or a session. */
function securityOf({ access }: Operation): Record<string, string[]>[] {
  if (access === 'anonymous') return [];
  if (access.session === 'required') return [{ session: [] }];
  const besides = access.also === undefined ? [] : [access.also];
  const byScope = access.scopes.length === 0 ? [besides] : access.scopes.map((scope) => [scope, ...besides]);
  const tokens: Record<string, string[]>[] = [{ bearerAuth: [] }, ...byScope.map((scopes) => ({ oauth2: scopes }))];
  const keyed = tokens.map((token) => ({ ...token, apiKey: [] }));
  return [...(access.key === 'required' ? keyed : [...tokens, ...keyed]), { session: [] }];
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** The query of the OAuth token endpoint, and of paths outside the prefix, is defined by standards. */
const takesAnyQuery = ({ form = false, outside = false, query }: Operation) => query === undefined && (form || outside);

/** The problems of the shell, those that follow from how the operation is described, and those that it lists. */
function problemsOf(operation: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>(SHELL_PROBLEMS);
  if (operation.access !== 'anonymous') {
    codes.add('unauthorized').add('invalid_key').add('rate_limited').add('too_many_waiting').add('too_many_failures');
    codes.add('forged_request');
    if (operation.access.session === 'required') codes.add('session_required');
    if (operation.access.key === 'required') codes.add('key_required');
    if (disclosesPersonal(operation.access)) codes.add('purpose_required');
    if (operation.access.scopes.length > 0) codes.add('insufficient_scope');
  }
  if (operation.body) codes.add('invalid_body').add('payload_too_large').add('invalid_request');
  if (operation.body && !operation.form) codes.add('invalid_json');
  if (!takesAnyQuery(operation)) codes.add('invalid_request');
  for (const code of operation.problems) codes.add(code);
  return [...codes];
}

/** Those of its own, and those that say what is deprecated. */
function answerHeadersOf(operation: Operation): { headers?: TProperties } {
  const headers = { ...operation.answerHeaders, ...(announces(operation) ? DEPRECATION_HEADERS : {}) };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

const DEPRECATION_HEADERS = {
  Deprecation: Type.String({ description: 'Since when, as `@` and seconds since 1970 (RFC 9745).' }),
  Sunset: Type.String({ description: 'The earliest time at which it may be missing (RFC 8594).' }),
  Link: Type.String({ description: 'Where it is described, and the operation that replaces it.' }),
};

/** The document as text, in the order of the operations. */
export function documentText(app: FastifyInstance): string {
  return `${JSON.stringify(withWebhooks(withSharedFailures(withNamedSchemas(app.swagger() as OpenApi))), null, 2)}\n`;
}

/** Most operations share their failures: each is written once, under `components`, and referred to. */
function withSharedFailures(document: OpenApi): OpenApi {
  const names = new Map<string, string>();
  const responses: Record<string, object> = {};
  const shared = (status: string, response: object) => {
    const text = JSON.stringify(response);
    let name = names.get(text);
    if (name === undefined) {
      const others = Object.keys(responses).filter((one) => one.startsWith(`Failure${status}`)).length;
      name = `Failure${status}${others === 0 ? '' : `_${others + 1}`}`;
      names.set(text, name);
      responses[name] = response;
    }
    return { $ref: `#/components/responses/${name}` };
  };
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          {
            ...operation,
            responses: Object.fromEntries(
              Object.entries(operation.responses ?? {}).map(([status, response]) => [
                status,
                Number(status) >= 400 ? shared(status, response) : response,
              ]),
            ),
          },
        ]),
      ),
    ]),
  );
  return { ...document, components: { ...document.components, responses }, paths };
}

/** The text is made at the first request; the routes do not change while the service runs. */
export function serveDocument(app: FastifyInstance): void {
  let made: Prepared | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    made ??= prepared('application/json; charset=utf-8', documentText(app));
    reply.header('Cache-Control', 'no-cache');
    return sendPrepared(made, request, reply);
  });
}
