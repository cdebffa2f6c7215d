/**
 * The choice of answers that are compressed, and the headers that say so. Not: short ones, problems, streams of events (a compressor would
 * hold them back), what is compressed already, and everything whose size could tell of a secret in it (docs/decisions/compression.md).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, codedTag, refusesPlain, tagHeld, vary } from '../shared/coding.ts';

/** An answer below this goes into one packet with its headers, compressed or not. So does that of every payment. */
const WORTH_CODING = 1_200;
/** An answer up to this is compressed on the event loop: it takes less than the way to a thread and back. */
export const AT_ONCE = 16 * 1024;

const COMPRESSIBLE = /^(application\/(json|x-ndjson)|text\/(csv|plain))(;|$)/;

/**
 * The coding of an answer whose headers are set, which are changed to say so; null: it is sent as it is. `length` is null where the answer
 * is made while it is sent.
 */
export function codeAnswer(request: FastifyRequest, reply: FastifyReply, length: number | null): Coding | null {
  const { acceptEncoding } = request.context;
  if (acceptEncoding === null || (length !== null && length < WORTH_CODING && !refusesPlain(acceptEncoding)))
    return null;
  if (!COMPRESSIBLE.test(String(reply.getHeader('Content-Type')))) return null;
  vary(reply);
  const { coding } = acceptedCoding(acceptEncoding);
  if (coding === null || mayBeWatched(request)) return null;
  reply.header('Content-Encoding', coding);
  const etag = reply.getHeader('ETag');
  if (etag !== undefined) reply.header('ETag', codedTag(String(etag)));
  return coding;
}

/** The headers of a 304, which are those that the answer would have had (RFC 9110 section 15.4.5). */
export function tagAsHeld({ context, headers }: FastifyRequest, reply: FastifyReply): void {
  if (context.acceptEncoding === null) return;
  vary(reply);
  const etag = reply.getHeader('ETag');
  if (etag !== undefined) reply.header('ETag', tagHeld(headers['if-none-match'], String(etag)));
}

/**
 * An attacker who can make a browser send requests with somebody's session, and sees how long the answers are, could guess at what is in
 * them when a part of them is the attacker's own text (BREACH). The cookie is not sent from other sites; from another origin of the same site
 * it is, and only the browser can say that it was not. A token is sent by no browser of its own accord.
 */
function mayBeWatched({ context, headers }: FastifyRequest): boolean {
  return context.caller?.userId != null && headers['sec-fetch-site'] !== 'same-origin';
}
