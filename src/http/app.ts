/**
 * The HTTP server, built from the list of operations; it does not listen. The shell knows nothing of loans. A request is
 * checked in this order, and the first failure is the answer:
 *
 *  1. HTTP syntax, size and time of the headers (`raw-socket.ts`); a valid URL (Fastify)
 *  2. Host, Accept, Accept-Encoding, Content-Encoding, address and method (`precheck.ts`)
 *  3. readiness, token (and the API key if one is sent), quota, required API key, scope (`admit.ts`); an anonymous operation
 *     skips this step, and its readiness is checked before step 6
 *  4. the body: media type, size, decoding (`decoding.ts`), UTF-8, members and levels, syntax (`body.ts`)
 *  5. the values of body and query (`validate.ts`)
 *  6. the operation
 *
 * Bodies that may be large, and answers that may take long, are read and made on worker threads (`threads.ts`), in the same order.
 * `errors.ts` makes a problem of what fails, and `send.ts` delivers the answer, compressed where it pays (`compression.ts`).
 */
import swagger from '@fastify/swagger';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type preValidationHookHandler,
} from 'fastify';
import type { Workers } from '../workers/workers.ts';
import { documentOptions, serveDocument, toRouteSchema } from './document/document.ts';
import { ProblemSchema } from './document/failures.ts';
import { servePages } from './pages/pages.ts';
import { servePlayground } from './pages/playground.ts';
import { operations, pageRequests } from './routes.ts';
import { actorOf } from './shared/actor.ts';
import { readBytes, readForm, readJson } from './shared/body.ts';
import { SMALL_BODY } from './shared/body-limits.ts';
import { type Deprecations, deprecationsOf } from './shared/deprecation.ts';
import { placesIn } from './shared/numbers.ts';
import type { Operation, Services } from './shared/operation.ts';
import type { Problem } from './shared/problems.ts';
import { goneOf, keepsReach } from './shared/stream.ts';
import { validateAllButBody, validatorCompiler } from './shared/validate.ts';
import { addressOf } from './shell/address.ts';
import { openAddressQuota } from './shell/address-quota.ts';
import { openAdmission } from './shell/admit.ts';
import { openBodyBudget } from './shell/body-budget.ts';
import { echoedId, newRequestId, type RequestContext, startContext } from './shell/context.ts';
import { openDecoding } from './shell/decoding.ts';
import { requestProblem, toProblem } from './shell/errors.ts';
import { cors, shellHeaders } from './shell/headers.ts';
import type { RateLimiter } from './shell/limits.ts';
import { linkOrigin } from './shell/link-origin.ts';
import type { Log } from './shell/log.ts';
import type { Metrics } from './shell/metrics.ts';
import { openAddresses, precheck, withoutTrailingSlash } from './shell/precheck.ts';
import { answerBrokenRequest, answerUnserved } from './shell/raw-socket.ts';
import { enterRefusal } from './shell/refused.ts';
import { openSender } from './shell/send.ts';
import { addServiceRoutes, notServing, type Phase } from './shell/service.ts';
import { isSecure } from './shell/session-cookie.ts';
import { openThreads } from './threads.ts';

export type AppOptions = {
  settings: {
    /** The version of this release. */
    version: string;
    area: string;
    bodyLimitBytes: number;
    requestTimeoutMs: number;
    corsOrigins: readonly string[];
    trustProxy: boolean;
    /** The address of the service for people, as the operator set it; null: wherever a request was sent to. */
    publicUrl: string | null;
    /** Units a minute of a network address, where there is no client. */
    quotas: { market: number };
    /** Whether answers are compressed for callers that take it. */
    compression: boolean;
    /** Whether the pages of the public market are served. */
    market: boolean;
  };
  log: Log;
  metrics: Metrics;
  limiter: RateLimiter;
  /** Limits network addresses. */
  addressLimiter: RateLimiter;
  workers: Workers;
  phase: () => Phase;
  /** Null until the database is migrated and everything is loaded. */
  services: () => Services | null;
  /** Whether the database answers at this moment; the caller bounds the time. */
  databaseAnswers: () => Promise<boolean>;
  /** The reason why this process should get no requests although its database answers: a wrong clock, or a database restored to an older state. */
  problem: () => string | null;
  /** Served besides those of `routes.ts`: tests try what no operation of ours has. */
  more?: readonly Operation[];
};

/** The headers of the deprecated members and parameters that a request uses. Before its values are checked: a refusal has them too. */
const announcing =
  (of: NonNullable<Deprecations['of']>): preValidationHookHandler =>
  (request, reply, done) => {
    const headers = of(request);
    if (headers !== null) reply.headers(headers);
    done();
  };

/** Fastify looks for the name of a plugin without one among all modules. */
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** The pattern of the address that a request was routed by. */
const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? 'unknown';

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { settings, log, metrics, phase, services } = options;
  const { requestTimeoutMs } = settings;
  const prefix = `/v2/${settings.area}`;
  const always = shellHeaders(settings.publicUrl);
  const send = openSender({ log, metrics, phase, requestTimeoutMs, always, places: placesIn(ProblemSchema) });
  const raw = { always, record: send.recordRaw };
  const admission = openAdmission({ services, phase, limiter: options.limiter, publicUrl: settings.publicUrl });
  const addressQuota = openAddressQuota(options.addressLimiter, settings.quotas.market);
  const threads = openThreads(options.workers);
  const addresses = openAddresses();
  const bodyBudget = openBodyBudget(settings.bodyLimitBytes);
  const decoding = openDecoding();
  const validator = validatorCompiler();

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
    genReqId: newRequestId,
    http: {
      // Node would answer a missing Host itself, without a body; `precheck` answers it with a problem document.
      requireHostHeader: false,
      maxHeaderSize: 16_384,
      headersTimeout: Math.min(requestTimeoutMs, 20_000),
    },
    rewriteUrl: ({ url = '' }) => withoutTrailingSlash(url, prefix),
    routerOptions: { maxParamLength: 256, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      startContext(request as FastifyRequest, routeOf(request as FastifyRequest), settings.compression);
      send.sendProblem(request as FastifyRequest, reply as FastifyReply, toProblem(error));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, raw),
  });
  answerUnserved(app.server, raw);

  app.decorateRequest('context', null as unknown as RequestContext);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler(validator);
  app.removeAllContentTypeParsers();
  app.addSchema(ProblemSchema);
  await app.register(swagger, documentOptions(prefix, settings.version));

  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) addresses.add(method, route.url);
  });
  // Operations and pages begin with `enter` in a hook of their own, which knows the route: Fastify makes a new object of the route's
  // options for every look at them.
  app.addHook('onRequest', (request, reply, done) => {
    done(request.is404 ? enter(request, reply, 'unknown') : undefined);
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
      log.failure('request failed', error, { requestId: request.id, route: request.context.route });
    }
    const entered = enterRefusal(services(), request, problem);
    if (entered === null) return send.sendProblem(request, reply, problem);
    return entered.then(() => {
      send.sendProblem(request, reply, problem);
      return reply;
    });
  });

  for (const operation of [...operations, ...pageRequests, ...(options.more ?? [])]) {
    const plugin = async (scope: FastifyInstance): Promise<void> => addOperation(scope, operation);
    await app.register(Object.assign(plugin, { [DISPLAY_NAME]: operation.name }));
  }
  // Fastify itself sends pages and files, and a hook counts them. Operations do without the hook: it costs as much as a small read.
  await app.register(async (pages) => {
    pages.addHook('onRequest', (request, reply, done) => {
      const refused = enter(request, reply, routeOf(request));
      if (refused !== undefined) return done(refused);
      reply.headers({ ...always, 'x-request-id': echoedId(request), 'daybook-request-id': request.id });
      done();
    });
    pages.addHook('onResponse', (request, reply, done) => {
      send.record(request, reply);
      done();
    });
    addServiceRoutes(pages, { ...options, version: settings.version });
    serveDocument(pages);
    servePlayground(pages, { prefix, services });
    servePages(pages, { prefix, services, publicUrl: settings.publicUrl, market: settings.market });
  });
  return app;

  /** The first steps of every request; what is wrong with it, if something is. */
  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    route: string,
    media?: readonly string[],
  ): Problem | undefined {
    startContext(request, route, settings.compression);
    cors(settings.corsOrigins, request, reply);
    return precheck(request, reply, { media, addresses });
  }

  function addOperation(scope: FastifyInstance, operation: Operation): void {
    const { access, media, limits = SMALL_BODY, exactNumbers = false } = operation;
    const onThread = operation.compute !== undefined || operation.largeBody === true;
    const bodyLimit = Math.min(settings.bodyLimitBytes, limits.bytes ?? settings.bodyLimitBytes);
    const form = { parseAs: 'buffer', bodyLimit } as const;
    if (operation.form) scope.addContentTypeParser('application/x-www-form-urlencoded', form, decoding(readForm));
    else {
      const read = onThread ? readBytes : readJson({ limits, exactNumbers });
      scope.addContentTypeParser('application/json', form, decoding(read));
    }
    const url = (operation.outside ? '' : prefix) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const admitted = access === 'anonymous' ? null : admission(operation, access, bodyLimit);
    const ends = deprecationsOf(operation, prefix);
    const admit = operation.perAddress ? addressQuota(operation) : admitted?.onRequest;
    scope.route({
      method: operation.method,
      url,
      bodyLimit,
      config: { audited: { name: operation.name, changes: operation.changes === true } },
      schema: toRouteSchema(operation),
      // The thread validates the body. A query that is wrong waits for that, so that the order of refusals is the same.
      ...(onThread ? { attachValidation: true, validatorCompiler: validateAllButBody(validator) } : {}),
      onRequest(request, reply, done) {
        const refused = enter(request, reply, url, media);
        if (ends.always !== null) reply.headers(ends.always);
        if (refused !== undefined || admit === undefined) done(refused);
        else admit(request, reply, done);
      },
      ...(operation.body ? { preParsing: bodyBudget(bodyLimit) } : {}),
      ...(ends.of === null ? {} : { preValidation: announcing(ends.of) }),
      handler: (request, reply) => {
        const ready = services();
        if (ready === null) throw notServing(phase());
        const call = {
          services: ready,
          caller: request.context.caller,
          body: request.body,
          source: request.context.source,
          large: null,
          query: request.query,
          params: request.params as Record<string, string>,
          requestId: request.id,
          address: addressOf(request),
          headers: request.headers,
          // As the operator set it, or from the Host header; `precheck` has validated it.
          place: () => ({
            origin: settings.publicUrl ?? `${request.protocol}://${request.headers.host ?? ''}`,
            prefix,
            secure: isSecure(request, settings.publicUrl),
          }),
          linkOrigin: () => linkOrigin(settings.publicUrl, request),
          gone: () => goneOf(reply.raw),
          readmitted: async () => (phase() === 'ready' ? (admitted?.again(request) ?? null) : null),
        };
        const answer = onThread ? threads.answer(operation, call, request.validationError) : operation.handle(call);
        send.sendAnswer(request, reply, answer, {
          isSecret: operation.isSecret === true,
          async mayGoOn(readAs) {
            if (readAs === 'each page' || admitted === null) return true;
            const caller = await admitted.again(request);
            return caller !== null && keepsReach(readAs, await actorOf({ ...call, caller }));
          },
        });
      },
    });
  }
}
