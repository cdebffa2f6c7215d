/**
 * The HTTP server, built from the list of operations; it does not listen. The shell knows nothing of loans. A request is
 * checked in this order, and the first failure is the answer:
 *
 *  1. HTTP syntax, size and time of the headers (`raw-socket.ts`); a valid URL (Fastify)
 *  2. Host, Accept, Content-Encoding, address and method (`precheck.ts`)
 *  3. readiness, token (and the API key if one is sent), quota, required API key, scope (`admit.ts`); an anonymous operation
 *     skips this step, and its readiness is checked before step 6
 *  4. the body: media type, size, UTF-8, syntax (`body.ts`)
 *  5. the values of body and query (`validate.ts`)
 *  6. the operation
 *
 * `errors.ts` makes a problem of what fails, and `send.ts` delivers the answer.
 */
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { documentOptions, ProblemSchema, serveDocument, toRouteSchema } from '../document.ts';
import { DryRunSchema } from '../loans/shapes.ts';
import type { Operation, Services } from '../operation.ts';
import { servePlayground } from '../pages/playground.ts';
import { operations } from '../routes.ts';
import { openAdmission } from './admit.ts';
import { EXACT_BODY_LIMIT, readExactJson, readForm, readJson, sourceOf } from './body.ts';
import { type RequestContext, requestIdOf, startContext } from './context.ts';
import { requestProblem, toProblem } from './errors.ts';
import { cors, SHELL_HEADERS } from './headers.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { openAddresses, precheck } from './precheck.ts';
import { answerBrokenRequest, answerUnserved } from './raw-socket.ts';
import { openSender } from './send.ts';
import { addServiceRoutes, notServing, type Phase } from './service.ts';
import { validatorCompiler } from './validate.ts';

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
  /** Null until the database is migrated and everything is loaded. */
  services: () => Services | null;
  /** Whether the database answers at this moment; the caller bounds the time. */
  databaseAnswers: () => Promise<boolean>;
};

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { settings, log, metrics, phase, services } = options;
  const { requestTimeoutMs, rateLimitPerMinute } = settings;
  const send = openSender({ log, metrics, phase, requestTimeoutMs });
  const admission = openAdmission({ services, phase, clock: options.clock, rateLimitPerMinute });
  const addresses = openAddresses();

  const app = Fastify({
    logger: false,
    // One hop: the address that the operator's own proxy saw. Addresses further left in the header come from the caller.
    trustProxy: settings.trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: settings.bodyLimitBytes,
    // The body must have arrived by then; an operation that waits has as long again (`sendAnswer`).
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    http: {
      // Node would answer a missing Host itself, without a body; `precheck` answers it with a problem document.
      requireHostHeader: false,
      maxHeaderSize: 16_384,
      headersTimeout: Math.min(requestTimeoutMs, 20_000),
    },
    routerOptions: { maxParamLength: 256, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      startContext(request as FastifyRequest);
      send.sendProblem(request as FastifyRequest, reply as FastifyReply, toProblem(error));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, send.recordRaw),
  });
  answerUnserved(app.server, send.recordRaw);

  app.decorateRequest('context', null as unknown as RequestContext);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler(validatorCompiler());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);
  app.addSchema(ProblemSchema);
  app.addSchema(DryRunSchema);
  await app.register(swagger, documentOptions());

  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) addresses.add(method, route.url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    startContext(request);
    cors(settings.corsOrigins, request, reply);
    done(precheck(request, reply, addresses));
  });
  // Only a preflight request that is granted gets here; `precheck` has refused the others.
  app.setNotFoundHandler((request, reply) => {
    const methods = addresses.methodsAt(request.url);
    reply.code(204).header('Access-Control-Allow-Methods', methods.join(', '));
    send.sendEmpty(request, reply);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = requestProblem(error, request);
    if (problem.code === 'internal_error') {
      log.failure('request failed', error, { requestId: request.id, route: request.routeOptions.url ?? 'unknown' });
    }
    send.sendProblem(request, reply, problem);
  });

  for (const operation of operations) {
    await app.register(async (scope) => addOperation(scope, operation));
  }
  // Fastify itself sends pages and files, and a hook counts them. Operations do without the hook: it costs as much as a small read.
  await app.register(async (pages) => {
    pages.addHook('onRequest', (request, reply, done) => {
      reply.headers(SHELL_HEADERS).header('x-request-id', request.id);
      done();
    });
    pages.addHook('onResponse', (request, reply, done) => {
      send.record(request, reply);
      done();
    });
    addServiceRoutes(pages, options);
    serveDocument(pages);
    servePlayground(pages);
  });
  return app;

  function addOperation(scope: FastifyInstance, operation: Operation): void {
    const { access } = operation;
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
      url: (operation.outside ? '' : `/v2/${settings.area}`) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: toRouteSchema(operation),
      ...(access === 'anonymous' ? {} : { onRequest: admission(access) }),
      handler: (request, reply) => {
        const ready = services();
        if (ready === null) throw notServing(phase());
        const answer = operation.handle({
          services: ready,
          caller: request.context.caller,
          body: request.body,
          source: sourceOf(request),
          query: request.query,
          params: request.params as Record<string, string>,
          requestId: request.id,
          address: request.ip,
          headers: request.headers,
        });
        return send.sendAnswer(request, reply, answer);
      },
    });
  }
}
