/** Refusals that need neither the caller nor the body: Host, Accept, Accept-Encoding, Content-Encoding, address and method. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPES, negotiated, notAcceptable } from '../shared/accept.ts';
import { acceptedCoding, CODINGS, refusesPlain } from '../shared/coding.ts';
import { Problem } from '../shared/problems.ts';
import { bodyCodingOf, unknownCoding } from './decoding.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation in the audit trail, and whether it changes something. */
    audited?: { readonly name: string; readonly changes: boolean };
  }
}

/** `media`: the types that the route can answer with, where those are not JSON. */
export function precheck(
  request: FastifyRequest,
  reply: FastifyReply,
  { media, addresses }: { media: readonly string[] | undefined; addresses: Addresses },
): Problem | undefined {
  const { headers } = request;
  const ambiguous = ambiguity(request.raw);
  if (ambiguous !== null) {
    // The end of its body is ambiguous, so nothing after it is read as a request.
    reply.raw.shouldKeepAlive = false;
    return new Problem('malformed_request', ambiguous);
  }
  const host = headers.host;
  if (host === undefined ? request.raw.httpVersion !== '1.0' : !/^[A-Za-z0-9._~[\]:%-]{0,255}$/.test(host)) {
    return new Problem('malformed_request', 'The Host header is missing or not valid.');
  }
  const types = media ?? JSON_TYPES;
  const isOperation = request.context.route.startsWith('/v2/');
  if (isOperation && negotiated(headers.accept, types) === null) return notAcceptable(types);
  const { acceptEncoding } = request.context;
  if (refusesPlain(acceptEncoding) && acceptedCoding(acceptEncoding).coding === null && isOperation) {
    const detail = `The response can be sent uncompressed or in ${CODINGS.join(', ')}, and the Accept-Encoding header allows none of these.`;
    return new Problem('not_acceptable', detail);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined) {
    const coding = bodyCodingOf(encoding);
    if (coding === 'unknown') return unknownCoding();
    request.context.bodyCoding = coding;
  }
  return request.is404 ? noRoute(request, reply, addresses) : undefined;
}

/** Headers that are sent once. A proxy in front may read the first of two and we the last, and each sees another request. */
const ONCE = new Map(
  ['authorization', 'content-type', 'host', 'idempotency-key', 'key', 'purpose', 'x-request-id'].map((name, i) => [
    name,
    1 << i,
  ]),
);

/**
 * The reason why a proxy and this service could read a request differently (request smuggling): part of one caller's body could be taken
 * for the request of another. Node itself refuses two lengths, a length beside chunks, and line breaks other than CR LF.
 */
function ambiguity({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const bit = ONCE.get(name) ?? 0;
    if ((seen & bit) !== 0) return `The header ${name} is sent more than once.`;
    seen |= bit;
  }
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (httpVersion === '1.0')
    return 'Transfer-Encoding is not allowed in HTTP/1.0; send Content-Length, or use HTTP/1.1.';
  // Without chunks at its end Node does not know where the body ends, and refuses the request itself.
  const last = coding.toLowerCase();
  return last === 'chunked' || !last.endsWith('chunked') ? null : 'The only supported Transfer-Encoding is chunked.';
}

/** 404, or 405 where another method exists. A preflight request of an allowed origin passes, to be answered with 204. */
function noRoute(request: FastifyRequest, reply: FastifyReply, addresses: Addresses): Problem | undefined {
  const methods = addresses.methodsAt(request.url);
  if (methods.length === 0) {
    return new Problem('not_found', 'Unknown path. See /docs for the list of operations.');
  }
  if (request.method === 'OPTIONS' && reply.hasHeader('Access-Control-Allow-Origin')) return undefined;
  const list = methods.join(', ');
  return new Problem('method_not_allowed', `Only ${list} is allowed for this path.`, {}, { Allow: list });
}

/** The methods that exist at an address, for the 405 and the preflight answer that name them. */
export type Addresses = {
  add(method: string, url: string): void;
  methodsAt(url: string): string[];
};

export function openAddresses(): Addresses {
  const routes = new Map<string, { methods: Set<string>; segments: string[] }>();
  return {
    add(method, url) {
      const known = routes.get(url);
      if (known) known.methods.add(method);
      else routes.set(url, { methods: new Set([method]), segments: url.split('/') });
    },
    methodsAt(url) {
      const parts = pathOf(url).split('/');
      const at = [...routes.values()].filter(
        ({ segments }) =>
          segments.length === parts.length &&
          segments.every((segment, i) => segment.startsWith(':') || segment === parts[i]),
      );
      return [...new Set(at.flatMap(({ methods }) => [...methods]))].sort();
    },
  };
}

function pathOf(url: string): string {
  // A proxy's absolute form (RFC 9112 section 3.2.2) names scheme and host first.
  return url.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
}

/**
 * The address without a trailing slash: for an operation it is the same one, so the router, the refusals, the metrics and the log see only
 * this. Outside the prefix, and with two slashes, the address stays as it is.
 */
export function withoutTrailingSlash(url: string, prefix: string): string {
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  if (url[end - 1] !== '/' || url[end - 2] === '/' || !pathOf(url).startsWith(`${prefix}/`)) return url;
  return url.slice(0, end - 1) + url.slice(end);
}
