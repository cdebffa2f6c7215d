/** Who may call an operation: token, quota, API key, scope. The first failure is the answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Denial } from '../../access/access.ts';
import type { Requirements, Services } from '../operation.ts';
import { denialProblem } from './access-problems.ts';
import { openRateLimiter, rateLimitHeaders } from './limits.ts';
import { Problem } from './problems.ts';
import { notServing, type Phase } from './service.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (refused?: Error) => void) => void;

/** Makes the hook of an operation that needs a token. The hook puts the caller into the request's context. */
export function openAdmission(options: {
  services: () => Services | null;
  phase: () => Phase;
  clock: () => number;
  rateLimitPerMinute: number;
}): (required: Requirements) => Hook {
  const limiter = openRateLimiter(options.clock);
  return (required) => (request, reply, done) => {
    const services = options.services();
    if (services === null) return done(notServing(options.phase()));
    const { authorization, key } = request.headers;
    // An empty header is what a form sends when its field is empty: no key.
    const apiKey = (Array.isArray(key) ? key.join(',') : key) || undefined;
    const answer = services.access.authenticate({ authorization, key: apiKey });
    // A token in memory is answered at once, without a turn of the event loop.
    if (answer instanceof Promise) answer.then((late) => done(admit(required, late, request, reply)), done);
    else done(admit(required, answer, request, reply));
  };

  /** The token has been checked, and the API key if one was sent. Counts the request against the client's quota. */
  function admit(
    required: Requirements,
    answer: Caller | Denial,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Problem | undefined {
    if ('denied' in answer) return denialProblem(answer);
    request.context.caller = answer;
    const quota = answer.rateLimitPerMinute ?? options.rateLimitPerMinute;
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
    if (required.key === 'required' && answer.keyId === null) {
      return new Problem('key_required', 'This operation needs the header "key" with an API key of this client.');
    }
    const { scopes } = required;
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
