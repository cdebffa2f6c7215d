/**
 * Forged requests: another site makes a browser send its cookie along. `SameSite=Strict` already keeps browsers from that; these checks hold
 * without it. A write needs the session's own token in a header, which another site can neither know nor send without our leave. Every
 * browser of today also says where a request comes from.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../shared/problems.ts';

/** Undefined: the request comes from a page of ours. `origins` are those under which our pages are served. */
export function forgedProblem(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { csrfToken, origins }: { csrfToken: () => string; origins: () => readonly string[] },
): Problem | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  // `none`: the address was typed or bookmarked.
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return foreign();
  if (headers.origin !== undefined && !origins().includes(headers.origin)) return foreign();
  if (isRead) return undefined;
  const sent = headers['x-csrf-token'];
  if (typeof sent === 'string' && isSame(sent, csrfToken())) return undefined;
  return new Problem(
    'forged_request',
    'With a session, every write needs the header X-CSRF-Token with the csrfToken of GET /session.',
  );
}

function foreign(): Problem {
  return new Problem('forged_request', 'A session may only be used by the pages of this service.');
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
