/**
 * The quota of requests that need no token: cost units a minute by network address, of which an IPv6 caller has a whole block. It is counted
 * in this process alone, and addresses are neither stored nor reported to other processes.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressBlock } from '../../access/guard.ts';
import type { Operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { addressOf } from './address.ts';
import { costOf } from './cost.ts';
import { type RateLimiter, rateLimitHeaders } from './limits.ts';

type Done = (refused?: Error) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** `perMinute` 0: no limit. */
export function openAddressQuota(limiter: RateLimiter, perMinute: number): (operation: Operation) => Hook {
  return (operation) => (request, reply, done) => {
    if (perMinute === 0) return done();
    const cost = costOf(operation, 0);
    const of = addressBlock(addressOf(request));
    const { states, refused } = limiter.take([{ name: 'default', of, perMinute }], cost);
    reply.headers(rateLimitHeaders(states));
    if (refused === null) return done();
    const { remaining, retryAfterSeconds } = refused;
    done(
      new Problem(
        'rate_limited',
        `This call costs ${cost} quota units, and your network address has ${remaining} of its ${perMinute} units per minute ` +
          `left; try again in ${retryAfterSeconds} s.`,
        { cost, remaining },
        { 'Retry-After': String(retryAfterSeconds) },
      ),
    );
  };
}
