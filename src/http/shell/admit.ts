/** Admission of a request: token or session, quota, API key, scope. The first failure is the answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/access.ts';
import type { Denial } from '../../access/refused.ts';
import { denialProblem, scopeProblem } from '../shared/access-problems.ts';
import {
  disclosesPersonal,
  type Operation,
  type Requirements,
  type Services,
  scopesLacking,
} from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { addressOf } from './address.ts';
import { bytesAnnounced, costOf, saysItsSize } from './cost.ts';
import { forgedProblem } from './forged.ts';
import { type Budget, type RateLimiter, rateLimitHeaders, type Taken } from './limits.ts';
import { notServing, type Phase } from './service.ts';
import { isSecure, secretIn, sessionCookie } from './session-cookie.ts';

type Done = (refused?: Error) => void;
type Hooks = {
  /** Whether the request would still be admitted, with the API key that it sent; without charging it. */
  again(request: FastifyRequest): Promise<Caller | null>;
  onRequest(request: FastifyRequest, reply: FastifyReply, done: Done): void;
};

/** Makes the hooks of an operation that needs a token or a session. They put the caller into the request's context. */
export function openAdmission(options: {
  services: () => Services | null;
  phase: () => Phase;
  limiter: RateLimiter;
  /** The address at which, as the operator says, pages are served; null: wherever a request was sent to. */
  publicUrl: string | null;
}): (operation: Operation, required: Requirements, bodyLimit: number) => Hooks {
  const { limiter, publicUrl } = options;
  return (operation, required, bodyLimit) => {
    return {
      again,
      onRequest(request, reply, done) {
        const services = options.services();
        if (services === null) return done(notServing(options.phase()));
        const { authorization, cookie } = request.headers;
        // If both are sent, the token counts.
        const secret = authorization === undefined ? secretIn(cookie, isSecure(request, publicUrl)) : null;
        if (secret !== null) return admitSession(services, secret, request, reply, done);
        // A token or key in memory is answered at once, without a turn of the event loop.
        soon(services.access.authenticate({ authorization, address: () => addressOf(request) }), done, (caller) => {
          if ('denied' in caller) return done(noSession(caller, required) ?? denialProblem(caller));
          admitCaller(services, caller, request, reply, done);
        });
      },
    };

    async function again(request: FastifyRequest): Promise<Caller | null> {
      const services = options.services();
      if (services === null) return null;
      const { authorization, cookie } = request.headers;
      const address = () => addressOf(request);
      const secret = authorization === undefined ? secretIn(cookie, isSecure(request, publicUrl)) : null;
      const caller =
        secret === null
          ? await services.access.authenticate({ authorization, address })
          : await services.access.sessions.readmit({ secret, address });
      if ('denied' in caller) return null;
      const apiKey = secret === null ? keyIn(request) : undefined;
      const keyed = apiKey === undefined ? caller : await services.access.checkKey(caller, apiKey);
      return 'denied' in keyed || lacking(keyed, required, request) !== undefined ? null : keyed;
    }

    function admitSession(
      { access }: Services,
      secret: string,
      request: FastifyRequest,
      reply: FastifyReply,
      done: Done,
    ): void {
      soon(access.sessions.admit({ secret, address: () => addressOf(request) }), done, (caller) => {
        if ('denied' in caller) return done(denialProblem(caller));
        const csrfToken = () => access.sessions.csrfToken(caller);
        const origins = () => {
          const own = `${request.protocol}://${request.headers.host ?? ''}`;
          return [publicUrl ?? own, own];
        };
        const forged = forgedProblem(request, { csrfToken, origins });
        if (forged !== undefined) return done(forged);
        request.context.caller = caller;
        // A request that a page makes by itself, while nobody sits at it, does not keep the session alive.
        const byItself = request.method === 'GET' && 'daybook-background' in request.headers;
        const next = byItself ? null : access.sessions.used(caller, secret);
        const unpaid = charge(caller, request, reply);
        if (next === null) return done(unpaid ?? lacking(caller, required, request));
        soon(next, done, (renewed) => {
          if (renewed !== null) {
            reply.header('Set-Cookie', sessionCookie(renewed, isSecure(request, publicUrl)));
          }
          done(unpaid ?? lacking(caller, required, request));
        });
      });
    }

    function admitCaller(
      { access }: Services,
      caller: Caller,
      request: FastifyRequest,
      reply: FastifyReply,
      done: Done,
    ): void {
      request.context.caller = caller;
      const apiKey = keyIn(request);
      // Before the key, which may need a query: a caller without quota costs none. The call is charged whatever the answer is.
      const unpaid = charge(caller, request, reply);
      if (unpaid !== undefined || apiKey === undefined) {
        done(unpaid ?? lacking(caller, required, request));
        return;
      }
      soon(access.checkKey(caller, apiKey), done, (keyed) => {
        if ('denied' in keyed) return done(denialProblem(keyed));
        request.context.caller = keyed;
        done(lacking(keyed, required, request));
      });
    }

    /** A limit that is raised for a time ends by itself, also for a caller that is cached. */
    function quotaNow(quota: Caller['quota']): Caller['quota'] {
      const now = limiter.now();
      let applies = quota;
      while (applies.next !== null && now >= applies.next.from) applies = applies.next.quota;
      return applies;
    }

    function charge({ quota, clientId, userId }: Caller, request: FastifyRequest, reply: FastifyReply) {
      const budgets: Budget[] = [];
      const { perMinute, organizationPerMinute, countedFor } = quota.next === null ? quota : quotaNow(quota);
      if (perMinute > 0) budgets.push({ name: 'default', of: userId ?? clientId, perMinute });
      if (organizationPerMinute > 0) {
        budgets.push({ name: 'organization', of: countedFor, perMinute: organizationPerMinute });
      }
      if (budgets.length === 0) return undefined;
      const cost = costOf(operation, bytesAnnounced(request, bodyLimit));
      const taken = limiter.take(budgets, cost);
      reply.headers(rateLimitHeaders(taken.states));
      const { light, cost: whole = 1 } = operation;
      if (light !== undefined) {
        request.context.lighten = () => {
          reply.headers(rateLimitHeaders(taken.giveBack(whole - light.cost)));
        };
      }
      const saysSize = saysItsSize(request);
      if (taken.refused !== null) return unaffordable(cost, taken.refused, saysSize);
      if (!saysSize) {
        request.context.settle = (bytes) => {
          reply.headers(rateLimitHeaders(taken.giveBack(cost - costOf(operation, bytes))));
        };
      }
      return undefined;
    }
  };
}

/** An empty header is what a form sends when its field is empty: no key. */
function keyIn({ headers: { key } }: FastifyRequest): string | undefined {
  return (Array.isArray(key) ? key.join(',') : key) || undefined;
}

function soon<T>(value: T | Promise<T>, failed: Done, then: (value: T) => void): void {
  if (value instanceof Promise) value.then(then, failed);
  else then(value);
}

function unaffordable(
  cost: number,
  { budget, remaining, retryAfterSeconds }: NonNullable<Taken['refused']>,
  saysSize: boolean,
): Problem {
  const { name, perMinute } = budget;
  const advice = saysSize
    ? ''
    : ' Send the body uncompressed and with a Content-Length header to reduce the cost: otherwise the largest allowed body is charged first.';
  const whose = name === 'default' ? 'this client' : 'this organization';
  return new Problem(
    'rate_limited',
    `This call costs ${cost} quota units, and ${whose} has ${remaining} of its ${perMinute} units per minute left; ` +
      `try again in ${retryAfterSeconds} s.${advice}`,
    { cost, remaining },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

/** A caller without any credentials is not sent for a token if nothing but a session will do. */
function noSession(denial: Denial, { session }: Requirements): Problem | null {
  if (session !== 'required' || denial.denied !== 'bad_token' || denial.why !== 'missing') return null;
  return new Problem(
    'unauthorized',
    'There is no session; sign in at /sign-in.',
    {},
    { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  );
}

/** The requirement of the operation that the caller lacks: the API key, a scope, or, as a person, the purpose of reading personal data. */
function lacking({ keyId, scopes, userId }: Caller, required: Requirements, { headers }: FastifyRequest) {
  if (required.session === 'required' && userId === null) {
    const detail =
      'A bearer token is not a session: this operation is for people who have signed in on the pages. Who a token belongs to is in GET /me.';
    return new Problem('session_required', detail);
  }
  if (required.key === 'required' && keyId === null) {
    return new Problem('key_required', 'This operation requires the header "key" with an API key of this client.');
  }
  const wanted = scopesLacking(required, scopes);
  if (wanted !== null) return scopeProblem(`This operation requires the scope ${wanted.join(' or ')}.`, wanted);
  if (userId === null || !disclosesPersonal(required)) return undefined;
  return [headers.purpose ?? ''].flat().join().trim() === ''
    ? new Problem('purpose_required', 'Reading personal data requires the header "purpose", which says why.')
    : undefined;
}
