/** The phase of the service, and the routes for an operator's tools: health, readiness, metrics. */
import type { FastifyInstance } from 'fastify';
import { problemResponses, SHELL_PROBLEMS } from '../document.ts';
import { shape } from '../named.ts';
import { MessageOk } from '../operation.ts';
import { JSON_TYPE } from './headers.ts';
import type { Metrics } from './metrics.ts';
import { type Problem, unavailable } from './problems.ts';

export type Phase = 'starting' | 'ready' | 'draining';

/** Answered in every phase. A successful probe is not logged: there is one every few seconds. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function notServing(phase: Phase): Problem {
  return phase === 'draining'
    ? unavailable('The service is shutting down; another instance will answer.')
    : unavailable('The service is starting; try again in a moment.');
}

const ServiceAnswer = shape(
  'ServiceStatus',
  'The service is well.',
  { message: MessageOk },
  { examples: [{ message: 'ok' }] },
);

/** These routes are not part of the API: they need no token, and accept any Accept header. */
export function addServiceRoutes(
  app: FastifyInstance,
  options: {
    phase: () => Phase;
    databaseAnswers: () => Promise<boolean>;
    problem: () => string | null;
    metrics: Metrics;
  },
): void {
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
  const readiness =
    'Answers 503 while the service starts or drains, when its database cannot be reached or takes no writes, when its clock differs ' +
    'from the database’s by more than a minute, and when the database was set back to an older copy.';
  app.get('/readyz', { schema: service('readReadiness', 'Can it serve?', readiness) }, async (_request, reply) => {
    if (options.phase() !== 'ready') throw notServing(options.phase());
    if (!(await options.databaseAnswers())) throw unavailable('The database does not answer, or takes no writes.');
    const wrong = options.problem();
    if (wrong !== null) throw unavailable(wrong, 10);
    return reply.type(JSON_TYPE).send('{"message":"ok"}');
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await options.metrics.text()),
  );
  app.get('/', { schema: { hide: true } }, (_request, reply) => {
    reply.redirect('/docs/', 302);
  });
}
