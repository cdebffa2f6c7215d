/**
 * The OpenAPI 3.1 document, generated from the operations: for each one its request, its answer and every problem it can answer
 * with. `openapi.json` in the repository is this text.
 */
import type { SwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { REFUSALS } from '../core/refusal.ts';
import type { Operation } from './operation.ts';
import { limitsText, SMALL_BODY } from './shell/body-limits.ts';
import { etagOf, matchesNone } from './shell/etag.ts';
import { PROBLEMS, type ProblemCode } from './shell/problems.ts';

export function documentOptions(): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Daybook',
        version: '2',
        description:
          'Loan servicing over HTTP: create, underwrite, fund, collect, watch, close. Get a token from `POST /auth-token` with a ' +
          'client id and its secret, send it as `Authorization: Bearer …`, and send the API key in the header `key` where an ' +
          'operation needs it. Every failure is a problem document (RFC 9457) with a stable `code`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'Access', description: 'Tokens, who the caller is, and what day it is.' },
        { name: 'Loans', description: 'The life of a loan: create, underwrite, fund, collect, close.' },
        { name: 'Servicing', description: 'What happens to a loan beside its payments.' },
        { name: 'Reading', description: 'A loan and everything around it, today, on another day, or as it was known.' },
        { name: 'Ledger', description: 'Transactions with their proofs, blocks, and the books.' },
        { name: 'Administration', description: 'Clients, keys and grants of an organization, and its clock.' },
        {
          name: 'Calculators',
          description: 'Stateless: amounts and rates as decimal text, computed by the engine that services loans.',
        },
        { name: 'Service', description: 'What an operator’s tools ask.' },
      ],
      components: {
        securitySchemes: {
          bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From `POST /auth-token`.' },
          apiKey: { type: 'apiKey', in: 'header', name: 'key', description: 'An API key of the token’s client.' },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  };
}

export function toRouteSchema(operation: Operation): FastifySchema {
  const keyed = { bearerAuth: [], apiKey: [] };
  const security =
    operation.access === 'anonymous' ? [] : operation.access.key === 'required' ? [keyed] : [{ bearerAuth: [] }, keyed];
  const scopes = operation.access === 'anonymous' ? [] : operation.access.scopes;
  const needs = scopes.length > 0 ? `\n\nNeeds the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.` : '';
  const { cost = 1 } = operation;
  const costs = cost > 1 ? `\n\nCosts ${cost} units of the quota.` : '';
  const size = operation.body ? `\n\nThe body may have ${limitsText(operation.limits ?? SMALL_BODY)}.` : '';
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description + needs + costs + size,
    ...(operation.access === 'anonymous' ? {} : { 'x-cost': cost }),
    security,
    ...(operation.form ? { consumes: ['application/x-www-form-urlencoded'] } : {}),
    ...(operation.body ? { body: operation.body } : {}),
    ...(takesAnyQuery(operation) ? {} : { querystring: operation.query ?? NO_QUERY }),
    ...(operation.params ? { params: Type.Object(operation.params) } : {}),
    ...(operation.requestHeaders ? { headers: Type.Partial(Type.Object(operation.requestHeaders)) } : {}),
    response: {
      200: {
        description: 'Success',
        ...(operation.answerHeaders ? { headers: operation.answerHeaders } : {}),
        content: {
          ...(operation.media === undefined ? { 'application/json': { schema: operation.answer } } : {}),
          ...Object.fromEntries((operation.media ?? []).map((type) => [type, { schema: operation.answer }])),
        },
      },
      ...(operation.conditional
        ? { 304: { type: 'null', description: 'It is still what `If-None-Match` names.' } }
        : {}),
      ...problemResponses(problemsOf(operation), operation.form),
    },
  };
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** Standards decide about the query of the OAuth token endpoint and of what is outside the prefix. */
const takesAnyQuery = ({ form = false, outside = false, query }: Operation) => query === undefined && (form || outside);

/** The problems that the shell itself can answer with at any address. */
export const SHELL_PROBLEMS: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_url',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'unsupported_media_type',
  'internal_error',
  'unavailable',
  'outcome_unknown',
  'timed_out',
];

/** The problems of the shell, those that follow from how the operation is described, and those that it lists. */
function problemsOf(operation: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>(SHELL_PROBLEMS);
  if (operation.access !== 'anonymous') {
    codes.add('unauthorized').add('invalid_key').add('rate_limited').add('too_many_waiting').add('too_many_failures');
    if (operation.access.key === 'required') codes.add('key_required');
    if (operation.access.scopes.length > 0) codes.add('insufficient_scope');
  }
  if (operation.body) codes.add('invalid_body').add('payload_too_large').add('invalid_request');
  if (operation.body && !operation.form) codes.add('invalid_json');
  if (!takesAnyQuery(operation)) codes.add('invalid_request');
  for (const code of operation.problems) codes.add(code);
  return [...codes];
}

/** RFC 6749 section 5.2 requires failures of its token endpoint (400, 401) as application/json: `form` operations document both. */
export function problemResponses(codes: readonly ProblemCode[], form = false): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
        content: {
          ...(form && status <= 401 ? { 'application/json': { schema: { $ref: 'Problem#' } } } : {}),
          'application/problem+json': { schema: { $ref: 'Problem#' } },
        },
      },
    ]),
  );
}

const FieldErrorSchema = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer of the member that is wrong.' }),
    code: Type.String(),
    detail: Type.String(),
  },
  { additionalProperties: false },
);

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A URN that ends in the code.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What was wrong and what to do.' }),
    instance: Type.String({ description: 'A URN that ends in the id under which the service logged the request.' }),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Stable; programs may rely on it.' }),
    message: Type.String({ description: 'The same as `detail`.' }),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(FieldErrorSchema, { maxItems: 20 })),
    retryable: Type.Optional(Type.Boolean({ description: 'The same request may succeed later.' })),
    scope: Type.Optional(Type.String({ description: 'The scopes that are missing.' })),
    cost: Type.Optional(
      Type.Integer({ description: 'What the call costs, in units of the quota that cannot pay for it.' }),
    ),
    remaining: Type.Optional(Type.Integer({ description: 'What is left of that quota.' })),
    loanId: Type.Optional(Type.String({ description: 'The loan that the application has already.' })),
    loanStatus: Type.Optional(Type.String({ description: 'The present status of the loan that does not allow this.' })),
    allowed: Type.Optional(Type.Array(Type.String(), { description: 'The operations that this status allows.' })),
    payoff: Type.Optional(Type.String({ description: 'What is owed on the day in question.' })),
    kept: Type.Optional(Type.String({ description: 'What the books keep of a charged-off loan.' })),
    credit: Type.Optional(Type.String({ description: 'What is owed back to the borrower.' })),
    daysPastDue: Type.Optional(Type.Integer({ description: 'How many days past due the loan is.' })),
    defaultDays: Type.Optional(Type.Integer({ description: 'How many days past due it must be.' })),
    date: Type.Optional(Type.String({ description: 'The first day whose interest is not posted, YYYY-MM-DD.' })),
    accounts: Type.Optional(
      Type.Array(Type.String(), { description: 'The accounts without a code, or those that do not tie to the loans.' }),
    ),
    refusal: Type.Optional(
      Type.Enum([...REFUSALS], { description: 'Why the loan refuses the command, more exactly than `code`.' }),
    ),
    error: Type.Optional(Type.String({ description: 'The code of RFC 6749, from the OAuth token endpoint.' })),
    error_description: Type.Optional(Type.String()),
  },
  {
    $id: 'Problem',
    additionalProperties: false,
    description: 'A failure, as RFC 9457 describes it.',
    examples: [
      {
        type: 'urn:daybook:problem:unauthorized',
        title: PROBLEMS.unauthorized.title,
        status: 401,
        detail: 'The token has expired; get a new one from POST /auth-token.',
        instance: 'urn:daybook:request:5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
        code: 'unauthorized',
        message: 'The token has expired; get a new one from POST /auth-token.',
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
      },
    ],
  },
);

/** The document as text, in the order of the operations. */
export function documentText(app: FastifyInstance): string {
  return `${JSON.stringify(withSharedFailures(app.swagger() as OpenApi), null, 2)}\n`;
}

type OpenApi = {
  paths?: Record<string, Record<string, { responses?: Record<string, object> }>>;
  components?: Record<string, unknown>;
};

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
  let made: { text: string; etag: string } | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    if (made === undefined) {
      const text = documentText(app);
      made = { text, etag: etagOf(text) };
    }
    reply.headers({ ETag: made.etag, 'Cache-Control': 'no-cache' });
    if (matchesNone(request.headers['if-none-match'], made.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(made.text);
  });
}
