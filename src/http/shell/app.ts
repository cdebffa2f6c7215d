/**
 * The HTTP shell: turns the list of operations into a server. It knows nothing of loans; it knows prefixes, tokens, limits,
 * time, bodies, headers and problems. It builds and does not listen. Order of the checks for a request, cheapest first:
 * sane HTTP → serving at all → address → acceptable answer → token → quota → key → scope → body → values → the operation.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import { Ajv, type ValidateFunction } from 'ajv';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Caller, DatabaseUnavailable, type Denial } from '../../access/access.ts';
import { AccessRefused } from '../../access/admin.ts';
import { AmountOutOfRange } from '../../core/money.ts';
import {
  documentOptions,
  ProblemSchema,
  problemResponses,
  SHELL_PROBLEMS,
  serveDocument,
  toRouteSchema,
} from '../document.ts';
import { DryRunSchema } from '../loans/schemas.ts';
import type { Answer, Operation, Services } from '../operation.ts';
import { servePlayground } from '../pages/playground.ts';
import { operations } from '../routes.ts';
import { denialProblem, refusalProblem } from './access-problems.ts';
import { readExactJson, readForm, readJson, sourceOf } from './body.ts';
import { acceptsJson, cors, SHELL_HEADERS } from './headers.ts';
import { openRateLimiter, rateLimitHeaders } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type AjvError, fieldErrors, PROBLEM_TYPE, Problem, unavailable } from './problems.ts';
import { answerBrokenRequest, answeredEarly, answerRaw, isReset } from './raw-socket.ts';

export type Phase = 'starting' | 'ready' | 'draining';

export type AppOptions = {
  settings: {
    area: string;
    bodyLimitBytes: number;
    requestTimeoutMs: number;
    rateLimitPerMinute: number;
    corsOrigins: readonly string[];
    trustProxy: boolean;
  };
  log: Log;
  metrics: Metrics;
  clock: () => number;
  phase: () => Phase;
  /** Null until the database is migrated and the parts are there. */
  services: () => Services | null;
  /** Whether the database answers right now (bounded by the caller). */
  databaseAnswers: () => Promise<boolean>;
};

type Context = { caller: Caller | null; started: number; recorded: boolean; problem?: string };
declare module 'fastify' {
  interface FastifyRequest {
    context: Context;
  }
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { settings, log, metrics } = options;
  const prefix = `/v2/${settings.area}`;
  const limiter = openRateLimiter(options.clock);

  const app = Fastify({
    logger: false,
    // One hop: the address that our own proxy saw. What a caller wrote into the header further left is not believed.
    trustProxy: settings.trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: settings.bodyLimitBytes,
    // The body must have arrived by then; an operation that waits for something has as long again (`within`).
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Node answers a missing Host by itself, without a body; we want a problem document there too.
    http: {
      requireHostHeader: false,
      maxHeaderSize: 16_384,
      headersTimeout: Math.min(settings.requestTimeoutMs, 20_000),
    },
    routerOptions: { maxParamLength: 256, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      prepare(request as FastifyRequest);
      sendProblem(request as FastifyRequest, reply as FastifyReply, toProblem(error));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, recordRaw),
  });
  const server = app.server;
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const requestId = randomUUID();
    const problem = new Problem('expectation_failed', 'Only "Expect: 100-continue" is understood.');
    const body = JSON.stringify(problem.document(requestId));
    response.writeHead(problem.status, {
      ...SHELL_HEADERS,
      'Content-Type': PROBLEM_TYPE,
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': requestId,
      Connection: 'close',
    });
    response.end(body);
    recordRaw(requestId, problem);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerRaw(socket, new Problem('method_not_allowed', 'This server is not a proxy.'), recordRaw);
  });

  app.decorateRequest('context', null as unknown as Context);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler(validatorCompiler());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);
  app.addSchema(ProblemSchema);
  app.addSchema(DryRunSchema);
  await app.register(swagger, documentOptions());

  app.addHook('onRequest', (request, reply, done) => {
    prepare(request);
    cors(settings.corsOrigins, request, reply);
    // A wrong address is told before the body is looked at, whatever is in it.
    done(refuseAtTheDoor(request, options.phase()) ?? (request.is404 ? nothingHere(request, reply) : undefined));
  });
  app.setErrorHandler((error, request, reply) => {
    // A caller that hangs up in the middle of its body is no failure of ours; nobody is there to read the answer.
    const problem = request.raw.complete || !isReset(error) ? toProblem(error) : HUNG_UP;
    if (problem.code === 'internal_error') {
      log.failure('request failed', error, { requestId: request.id, route: request.routeOptions.url ?? 'unknown' });
    }
    sendProblem(request, reply, problem);
  });

  const allowed = routeTable();
  // Only a preflight request that may be granted comes so far; the rest was refused at the door.
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed.methodsAt(request.url);
    reply.code(204).header('Access-Control-Allow-Methods', methods.join(', '));
    deliver(request, reply);
  });
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) allowed.add(method, route.url);
  });

  for (const operation of operations) {
    await app.register(async (scope) => addOperation(scope, operation));
  }
  // Pages and files answer in Fastify's own way; a hook counts them. Operations do without: it costs as much as a small read.
  await app.register(async (pages) => {
    pages.addHook('onRequest', (request, reply, done) => {
      reply.headers(SHELL_HEADERS).header('x-request-id', request.id);
      done();
    });
    pages.addHook('onResponse', (request, reply, done) => {
      record(request, reply);
      done();
    });
    addServiceRoutes(pages, options);
    serveDocument(pages);
    servePlayground(pages);
  });
  return app;

  /** Sends an answer, and counts and logs it. */
  function deliver(request: FastifyRequest, reply: FastifyReply, ...payload: readonly (string | Buffer)[]): void {
    const draining = options.phase() === 'draining';
    let length = 0;
    for (const chunk of payload) length += Buffer.byteLength(chunk);
    const headers: OutgoingHttpHeaders = {
      ...SHELL_HEADERS,
      'x-request-id': request.id,
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      // RFC 9110 section 8.6: an answer without content (204, 304) has no length either.
      ...(length === 0 ? {} : { 'content-length': length }),
      ...(draining ? { connection: 'close' } : {}),
    };
    record(request, reply);
    // Straight to Node's response: the text is ready, and Fastify's way of sending it costs as much as making it.
    const write = () => {
      reply.hijack();
      reply.raw.writeHead(reply.statusCode, headers);
      // Several pieces go to the kernel together, without a copy that puts them into one.
      if (payload.length > 1) reply.raw.cork();
      for (const chunk of payload.slice(0, -1)) reply.raw.write(chunk);
      reply.raw.end(payload.at(-1));
    };
    if (draining || !reply.raw.shouldKeepAlive) afterBody(request.raw, write);
    else write();
  }

  function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.context.problem = problem.code;
    // Fastify closes behind a body that is too large. Many callers (Python's urllib among them) would still be sending, meet a
    // reset and never read the answer; left open, Node throws the rest of the body away.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('Connection')) reply.header('Connection', 'keep-alive');
    reply
      .code(problem.status)
      .headers(problem.headers)
      .header('Content-Type', problem.code === 'oauth_request' || 'error' in problem.facts ? JSON_TYPE : PROBLEM_TYPE);
    deliver(request, reply, JSON.stringify(problem.document(request.id)));
  }

  function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
    const { Vary, ...headers } = answer.headers ?? {};
    reply.headers(headers);
    if (Vary !== undefined) reply.header('Vary', [reply.getHeader('Vary') ?? [], Vary].flat().join(', '));
    if ('unchanged' in answer) reply.code(304);
    else reply.header('Content-Type', JSON_TYPE);
    deliver(request, reply, ...payloadOf(answer));
  }

  function nothingHere(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const methods = allowed.methodsAt(request.url);
    if (methods.length === 0) {
      return new Problem('not_found', 'There is nothing at this address. The operations are listed at /docs.');
    }
    if (request.method === 'OPTIONS' && reply.hasHeader('Access-Control-Allow-Origin')) return undefined;
    const list = methods.join(', ');
    return new Problem('method_not_allowed', `Only ${list} is possible here.`, {}, { Allow: list });
  }

  function record(request: FastifyRequest, reply: FastifyReply): void {
    if (request.context.recorded) return;
    request.context.recorded = true;
    if (!request.raw.complete) answeredEarly.add(request.raw);
    const seconds = (performance.now() - request.context.started) / 1000;
    const route = request.routeOptions.url ?? 'unknown';
    metrics.observe(request.method, route, reply.statusCode, seconds);
    // A probe every few seconds that finds all well is no news.
    if (OPEN_WHILE_NOT_READY.has(route) && reply.statusCode < 400) return;
    if (!log.tellsRequests) return;
    log.request({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(seconds * 1e5) / 100,
      ...(request.context.problem === undefined ? {} : { code: request.context.problem }),
      ...(request.context.caller === null ? {} : { clientId: request.context.caller.clientId }),
    });
  }

  /** What was answered on the bare socket. It may have had no method at all. */
  function recordRaw(requestId: string, { status, code }: Problem): void {
    metrics.observe('unknown', 'unknown', status, 0);
    log.request({ requestId, method: 'unknown', route: 'unknown', status, ms: 0, code });
  }

  function addOperation(scope: FastifyInstance, operation: Operation): void {
    if (operation.form) {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, readForm);
    }
    if (operation.exactNumbers) {
      const bodyLimit = Math.min(settings.bodyLimitBytes, EXACT_BODY_LIMIT);
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit }, readExactJson);
    }
    scope.route({
      method: operation.method,
      url: (operation.outside ? '' : prefix) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: toRouteSchema(operation),
      onRequest: (request, reply, done) => {
        if (operation.access === 'anonymous') return done();
        const services = options.services();
        if (services === null) return done(notServing(options.phase()));
        const { authorization, key } = request.headers;
        // An empty header is what a form sends whose field was left empty: no key.
        const apiKey = (Array.isArray(key) ? key.join(',') : key) || undefined;
        const answer = services.access.authenticate({ authorization, key: apiKey });
        // Known tokens are answered from memory, without a turn of the event loop.
        if (answer instanceof Promise) answer.then((late) => done(admit(operation, late, request, reply)), done);
        else done(admit(operation, answer, request, reply));
      },
      handler: (request, reply) => {
        const services = options.services();
        if (services === null) throw notServing(options.phase());
        const answer = operation.handle({
          services,
          caller: request.context.caller,
          body: request.body,
          source: sourceOf(request),
          query: request.query,
          params: request.params as Record<string, string>,
          requestId: request.id,
          address: request.ip,
          headers: request.headers,
        });
        // What is known at once is answered at once: a promise and a timer cost more than a small read.
        if (!(answer instanceof Promise)) return sendAnswer(request, reply, answer);
        return within(answer, settings.requestTimeoutMs).then((late) => {
          sendAnswer(request, reply, late);
          return reply;
        });
      },
    });
  }

  /** Token answered: puts the caller into the request, or says why not. Counts the request against the client's quota. */
  function admit(
    operation: Operation,
    answer: Caller | Denial,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Problem | undefined {
    if (operation.access === 'anonymous') return undefined;
    if ('denied' in answer) return denialProblem(answer);
    request.context.caller = answer;
    const quota = answer.rateLimitPerMinute ?? settings.rateLimitPerMinute;
    if (quota > 0) {
      const state = limiter.take(answer.clientId, quota);
      reply.headers(rateLimitHeaders(quota, state));
      if (!state.allowed) {
        return new Problem(
          'rate_limited',
          `This client may send ${quota} requests a minute; try again in ${state.resetSeconds} s.`,
          {},
          { 'Retry-After': String(state.resetSeconds) },
        );
      }
    }
    if (operation.access.key === 'required' && answer.keyId === null) {
      return new Problem('key_required', 'This operation needs the header "key" with an API key of this client.');
    }
    const { scopes } = operation.access;
    if (scopes.length > 0 && !scopes.some((scope) => answer.scopes.has(scope))) {
      return new Problem(
        'insufficient_scope',
        `This operation needs the scope ${scopes.join(' or ')}.`,
        { scope: scopes.join(' ') },
        { 'WWW-Authenticate': `Bearer realm="daybook", error="insufficient_scope", scope="${scopes.join(' ')}"` },
      );
    }
    return undefined;
  }
}

function payloadOf(answer: Answer): readonly (string | Buffer)[] {
  if ('text' in answer) return [answer.text];
  if ('chunks' in answer) return answer.chunks;
  return 'body' in answer ? [JSON.stringify(answer.body)] : [];
}

/** The answer, or `timed_out` when it takes too long. The work goes on; what it did is found by asking again. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Problem('timed_out', TOO_LATE, {}, { 'Retry-After': '1' })), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const TOO_LATE = 'The request took too long and may or may not have taken effect; ask again with the same reference.';

/** What an operator's tools ask: alive, ready, figures. Not part of the API, so no token, and any Accept header will do. */
function addServiceRoutes(app: FastifyInstance, options: AppOptions): void {
  const service = (operationId: string, summary: string, description: string) => ({
    operationId,
    tags: ['Service'],
    summary,
    description,
    security: [],
    response: {
      200: { description: 'Success', content: { 'application/json': { schema: ServiceAnswer } } },
      ...problemResponses(SHELL_PROBLEMS),
    },
  });
  app.get(
    '/healthz',
    { schema: service('readHealth', 'Is the process alive?', 'Answers 200 as long as the process can answer at all.') },
    (_request, reply) => {
      reply.type(JSON_TYPE).send('{"message":"ok"}');
    },
  );
  const readiness = 'Answers 503 while the service starts, drains, or cannot reach its database.';
  app.get('/readyz', { schema: service('readReadiness', 'Can it serve?', readiness) }, async (_request, reply) => {
    if (options.phase() !== 'ready') throw notServing(options.phase());
    if (!(await options.databaseAnswers())) throw unavailable('The database does not answer.');
    return reply.type(JSON_TYPE).send('{"message":"ok"}');
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await options.metrics.text()),
  );
  app.get('/', { schema: { hide: true } }, (_request, reply) => {
    reply.redirect('/docs/', 302);
  });
}

const ServiceAnswer = Type.Object({ message: Type.Literal('ok') }, { examples: [{ message: 'ok' }] });

const JSON_TYPE = 'application/json; charset=utf-8';

/** Keeping the text of numbers takes about a microsecond a byte in the worst case; nobody else is served meanwhile. */
const EXACT_BODY_LIMIT = 512 * 1024;

function prepare(request: FastifyRequest): void {
  request.context = { caller: null, started: performance.now(), recorded: false };
}

/** A client's request id is echoed when it is short, plain and no nine-digit number (that could be a person's). */
function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(given) && !/^\d{3}-?\d{2}-?\d{4}$/.test(given)) {
    return given;
  }
  return randomUUID();
}

const OPEN_WHILE_NOT_READY = new Set(['/healthz', '/readyz', '/metrics']);

function refuseAtTheDoor(request: FastifyRequest, phase: Phase): Problem | undefined {
  const { headers } = request;
  const host = headers.host;
  if (host === undefined ? request.raw.httpVersion !== '1.0' : !/^[A-Za-z0-9._~[\]:%-]{0,255}$/.test(host)) {
    return new Problem('malformed_request', 'The Host header is missing or not valid.');
  }
  if (phase === 'draining' && !OPEN_WHILE_NOT_READY.has(request.url)) return notServing(phase);
  if (request.routeOptions.url?.startsWith('/v2/') && !acceptsJson(headers.accept)) {
    return new Problem('not_acceptable', 'Answers are application/json; the Accept header does not allow that.');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new Problem(
      'unsupported_media_type',
      'Compressed bodies are not accepted; send the JSON as it is.',
      {},
      {
        'Accept-Encoding': 'identity',
      },
    );
  }
  return undefined;
}

function notServing(phase: Phase): Problem {
  return phase === 'draining'
    ? unavailable('The service is shutting down; another instance will answer.')
    : unavailable('The service is starting; try again in a moment.');
}

const HUNG_UP = new Problem('invalid_body', 'The connection ended before the body did.');

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof AccessRefused) return refusalProblem(error);
  if (error instanceof DatabaseUnavailable)
    return unavailable(
      'The database cannot be reached; try again in a moment. A write may have taken effect: send it again with the same reference.',
    );
  if (error instanceof AmountOutOfRange) {
    return new Problem(
      'invalid_request',
      'The amounts grow beyond what can be computed exactly; check rate and dates.',
    );
  }
  const { code, validation } = error as { code?: string; validation?: AjvError[] };
  if (validation !== undefined) {
    const errors = fieldErrors(validation);
    const first = errors[0];
    const where = first === undefined || first.pointer === '' ? 'The body' : first.pointer;
    const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return new Problem('invalid_request', `${where}: ${first?.detail ?? 'Is not valid.'}${rest}`, { errors });
  }
  switch (code) {
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_INVALID_URL':
      return new Problem('invalid_url', 'The address is not a valid, percent-encoded path.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('uri_too_long', 'A part of the address is longer than any identifier.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new Problem('unsupported_media_type', 'Send the body in the media type that the operation documents.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The body is larger than this service accepts.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'invalid_body',
        'The body is not as long as Content-Length says.',
        {},
        { Connection: 'close' },
      );
    default:
      return new Problem('internal_error', 'Something went wrong on our side; the request id helps us to find it.');
  }
}

const DRAIN_MS = 5_000;

/**
 * Before an answer that closes the connection: reads the rest of the body and throws it away. A socket that is closed while
 * the caller still sends resets the connection, and the answer is lost on the way.
 */
function afterBody(raw: IncomingMessage, then: () => void): void {
  if (raw.complete || raw.destroyed) {
    then();
    return;
  }
  const finish = () => {
    clearTimeout(timer);
    raw.off('end', finish).off('close', finish);
    then();
  };
  const timer = setTimeout(finish, DRAIN_MS);
  raw.on('end', finish).on('close', finish).resume();
}

/**
 * Nothing is coerced, defaulted or dropped in a body; query values are text and become the number or boolean that the schema
 * names. What stands in the path and in headers is for the operation to judge; its schema is for the document. A bad value stops the check at its first error; only for a body of ordinary size are all errors gathered, so that a
 * huge one cannot make millions of them.
 */
function validatorCompiler() {
  const strict = { coerceTypes: false, useDefaults: false, removeAdditional: false, strict: false } as const;
  const body = { first: new Ajv({ ...strict }), all: new Ajv({ ...strict, allErrors: true }) };
  const text = { ...strict, coerceTypes: true, useDefaults: true } as const;
  const query = { first: new Ajv(text), all: new Ajv({ ...text, allErrors: true }) };
  return ({ schema, httpPart }: { schema: unknown; httpPart?: string }) => {
    if (httpPart === 'params' || httpPart === 'headers') return (data: unknown) => ({ value: data });
    const ajvs = httpPart === 'body' ? body : query;
    const first = ajvs.first.compile(schema as object);
    let all: ValidateFunction | undefined;
    return (data: unknown) => {
      if (first(data)) return { value: data };
      all ??= ajvs.all.compile(schema as object);
      if (isSmall(data)) all(data);
      return { error: Object.assign(new Error('invalid'), { validation: (isSmall(data) ? all : first).errors ?? [] }) };
    };
  };
}

/** At most some thousand values in it, counted without walking further than that. */
function isSmall(data: unknown): boolean {
  let left = 5_000;
  const count = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > 32 || typeof value !== 'object' || value === null) {
      if (depth > 32) left = -1;
      return;
    }
    for (const member of Object.values(value)) {
      if (left < 0) return;
      count(member, depth + 1);
    }
  };
  count(data, 0);
  return left >= 0;
}

/** Which methods exist at an address, for the 405 that names them. */
function routeTable() {
  const routes: { methods: Set<string>; segments: string[] }[] = [];
  return {
    add(method: string, url: string): void {
      const segments = url.split('/');
      const known = routes.find((route) => route.segments.join('/') === url);
      if (known) known.methods.add(method);
      else routes.push({ methods: new Set([method]), segments });
    },
    methodsAt(url: string): string[] {
      // A proxy's absolute form (RFC 9112 section 3.2.2) names scheme and host first.
      const parts = url
        .replace(/^https?:\/\/[^/?]*/i, '')
        .replace(/\?.*$/s, '')
        .split('/');
      const at = routes.filter(
        ({ segments }) =>
          segments.length === parts.length &&
          segments.every((segment, i) => segment.startsWith(':') || segment === parts[i]),
      );
      return [...new Set(at.flatMap(({ methods }) => [...methods]))].sort();
    },
  };
}
