/** Texts that are the same for every caller (pages, scripts, the OpenAPI document): compressed once, for the first caller that takes a coding. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, codedTag, tagHeld, vary } from './coding.ts';
import { compressOnce } from './compress.ts';
import { etagOf, matchesNone } from './etag.ts';

export type Prepared = {
  readonly type: string;
  readonly plain: Buffer;
  /** Null: its name is that of its content, and it is never asked for again. */
  readonly etag: string | null;
  /** The compressed forms, once they are asked for. */
  readonly coded: Map<Coding, Promise<Buffer>>;
};

/** Browsers take both; neither is made before somebody asks. */
const OFFERED: readonly Coding[] = ['br', 'gzip'];
/** Below this, compressing saves nothing: it is a packet either way. */
const LEAST_BYTES = 1_024;

export function prepared(type: string, text: string): Prepared {
  return { type, plain: Buffer.from(text), etag: etagOf(text), coded: new Map() };
}

/** As it is or compressed, or 304 where the caller has it. Other headers are those that are set on `reply`. */
export async function sendPrepared(
  { type, plain, etag, coded }: Prepared,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const compresses = plain.length >= LEAST_BYTES && !type.startsWith('font/');
  const { coding } = acceptedCoding(request.context.acceptEncoding, compresses ? OFFERED : []);
  if (compresses && request.context.acceptEncoding !== null) vary(reply);
  if (etag !== null) {
    const asked = request.headers['if-none-match'];
    if (matchesNone(asked, etag)) return reply.header('ETag', tagHeld(asked, etag)).code(304).send();
    reply.header('ETag', coding === null ? etag : codedTag(etag));
  }
  reply.header('Content-Type', type);
  if (coding === null) return reply.send(plain);
  let bytes = coded.get(coding);
  if (bytes === undefined) {
    bytes = compressOnce(plain, coding);
    coded.set(coding, bytes);
  }
  return reply.header('Content-Encoding', coding).send(await bytes);
}
