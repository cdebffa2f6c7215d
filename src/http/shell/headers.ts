/** Headers that do not depend on the operation: protection of answers, CORS, media types. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On every answer; lower case, as Node keeps them. An API answer is never a page, a script or a frame. The playground sets its own policy. */
export const shellHeaders = (publicUrl: string | null): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // This host alone: others of its domain are not ours to decide on.
  ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

/** No other origin is allowed by default: only those that the operator listed get the CORS headers. */
export function cors(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  if (origins.length === 0) return;
  reply.header('Vary', 'Origin');
  const origin = request.headers.origin;
  if (origin === undefined || !origins.includes(origin)) return;
  reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Headers':
      'Authorization, key, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, purpose, X-Request-Id',
    'Access-Control-Expose-Headers':
      'Allow, Content-Disposition, Daybook-Export-As-Of, Daybook-Export-Cursor, Daybook-Request-Id, Deprecation, ETag, Idempotent-Replayed, Link, ' +
      'Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Loan-Id, X-Loan-Version, X-Request-Id, WWW-Authenticate',
    'Access-Control-Max-Age': '600',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}
