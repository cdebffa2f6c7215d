/**
 * Compressed bodies. A body is decoded when it has arrived whole, so that a slow caller holds no decoder, and a few at a time, so that
 * decoders take little memory. What it becomes has the limits of every body: it is refused at the first byte past the limit of its
 * operation, and counts in the budget of all bodies (`body-budget.ts`) as it grows.
 */
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { openTurns } from '../../workers/turns.ts';
import type { ReadBody } from '../shared/body.ts';
import { Problem } from '../shared/problems.ts';
import { tooManyBytes } from './body-budget.ts';
import { tooLarge } from './errors.ts';

const CHUNK = { chunkSize: 64 * 1024 };

/** `deflate` is the zlib format, as RFC 9110 section 8.4.1.2 says. */
const DECODERS = {
  gzip: () => createGunzip(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  // RFC 9659: a window of up to 8 MiB. A frame may declare 128, and the decoder would take that memory.
  zstd: () => createZstdDecompress({ ...CHUNK, params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
  deflate: () => createInflate(CHUNK),
} as const;
export type BodyCoding = keyof typeof DECODERS;
const NAMES = Object.keys(DECODERS).join(', ');

/** Null: none. Several of them, one after the other, serve nobody but who looks for a way around the limits. */
export function bodyCodingOf(header: string): BodyCoding | null | 'unknown' {
  const name = header.trim().toLowerCase();
  if (name === 'identity' || name === '') return null;
  const coding = name === 'x-gzip' ? 'gzip' : name;
  return Object.hasOwn(DECODERS, coding) ? (coding as BodyCoding) : 'unknown';
}

export function unknownCoding(): Problem {
  const detail = `The Content-Encoding is not supported; send the body uncompressed, or in one of ${NAMES}.`;
  return new Problem('unsupported_media_type', detail, {}, { 'Accept-Encoding': NAMES });
}

/** At the same time: as many threads as Node has for this, less one for everything else. */
const AT_ONCE = 3;

/** Makes a reader of bodies that decodes a compressed one first; organizations take turns. */
export function openDecoding(): (read: ReadBody) => ReadBody {
  const turns = openTurns<() => void>();
  let running = 0;

  return (read) => (request, bytes, done) => {
    const { bodyCoding, caller } = request.context;
    if (bodyCoding === null) return read(request, bytes, done);
    turns.add(caller?.organizationId ?? '', () => {
      decoded(bytes, bodyCoding, request).then(
        (plain) => {
          next();
          read(request, plain, done);
        },
        (error: Error) => {
          next();
          done(error);
        },
      );
    });
    if (running < AT_ONCE) {
      running += 1;
      turns.next()?.();
    }
  };

  function next(): void {
    const following = turns.next();
    if (following === undefined) running -= 1;
    else following();
  }
}

function decoded(bytes: Buffer, coding: BodyCoding, request: FastifyRequest): Promise<Buffer> {
  const limit = request.routeOptions.bodyLimit ?? 0;
  const { hold, settle } = request.context;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const stream = DECODERS[coding]();
    let isOver = false;
    const end = (problem: Problem | null) => {
      if (isOver) return;
      isOver = true;
      stream.destroy();
      // The work is that of the larger one: a body may be all headers, which become nothing.
      settle?.(Math.min(limit, Math.max(size, bytes.length)));
      if (problem === null) resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
      else reject(problem);
    };
    stream
      .on('data', (chunk: Buffer) => {
        if (isOver) return;
        size += chunk.length;
        if (size > limit) return end(tooLarge(request));
        if (hold?.(chunk.length) === false) return end(tooManyBytes());
        chunks.push(chunk);
      })
      .on('error', () => end(notDecoded(coding)))
      // Bytes behind the end would be a second body, which a proxy in front may read differently.
      .on('end', () => end(stream.bytesWritten === bytes.length ? null : notDecoded(coding)));
    stream.end(bytes);
  });
}

function notDecoded(coding: BodyCoding): Problem {
  return new Problem(
    'invalid_body',
    `The body is not valid ${coding}: it is damaged, cut off, or followed by other bytes. Send it again.`,
  );
}
