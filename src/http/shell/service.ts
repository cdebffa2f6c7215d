/** The phase of the service, and the routes for an operator's tools: health, readiness, metrics. */
import type { FastifyInstance } from 'fastify';
import { problemResponses, SHELL_PROBLEMS } from '../document/failures.ts';
import { compressNow } from '../shared/compress.ts';
import { shape } from '../shared/named.ts';
import { MessageOk } from '../shared/operation.ts';
import { type Problem, unavailable } from '../shared/problems.ts';
import { idOut } from '../shared/texts.ts';
import { codeAnswer } from './compression.ts';
import { JSON_TYPE } from './headers.ts';
import type { Metrics } from './metrics.ts';

/** `restored`: the database was set back to an older copy, and nothing is served until the operator has accepted that. */
export type Phase = 'starting' | 'ready' | 'restored' | 'draining';

/** Answered in every phase. A successful probe is not logged: there is one every few seconds. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function notServing(phase: Phase): Problem {
  if (phase === 'draining') return unavailable('The service is shutting down; try again in a moment.');
  if (phase === 'restored') return unavailable(RESTORED, RESTORED_RETRY);
  return unavailable('The service is starting; try again in a moment.');
}

const RESTORED =
  'The database was set back to an older copy. Nothing was done, and nothing is served until the operator of the service has accepted ' +
  'the copy or put the newer one back.';
const RESTORED_RETRY = 60;

const ServiceAnswer = shape(
  'ServiceStatus',
  'The service is healthy.',
  { message: MessageOk, version: idOut('The version of the service.') },
  { examples: [{ message: 'ok', version: '1.0.0' }] },
);

/** These routes are not part of the API: they need no token, and accept any Accept header. */
export function addServiceRoutes(
  app: FastifyInstance,
  options: {
    phase: () => Phase;
    databaseAnswers: () => Promise<boolean>;
    problem: () => string | null;
    metrics: Metrics;
    version: string;
  },
): void {
  const ok = JSON.stringify({ message: 'ok', version: options.version });
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
    { schema: service('readHealth', 'Liveness check', 'Returns 200 while the process is running.') },
    (_request, reply) => {
      reply.type(JSON_TYPE).send(ok);
    },
  );
  const readiness =
    'Returns 503 while the service is starting or draining, if its database is unreachable or read-only, if its clock differs ' +
    'from the database’s by more than a minute, or if the database was restored to an older copy.';
  app.get('/readyz', { schema: service('readReadiness', 'Readiness check', readiness) }, async (_request, reply) => {
    const phase = options.phase();
    if (phase !== 'ready' && phase !== 'restored') throw notServing(phase);
    if (!(await options.databaseAnswers())) throw unavailable('The database is unreachable or read-only.');
    const wrong = options.problem();
    if (wrong !== null) throw unavailable(wrong, 10);
    return reply.type(JSON_TYPE).send(ok);
  });
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const text = await options.metrics.text();
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    const coding = codeAnswer(request, reply, text.length);
    return reply.send(coding === null ? text : compressNow(text, coding));
  });
  app.get('/', { schema: { hide: true } }, (_request, reply) => {
    reply.redirect('/docs/', 302);
  });
}
