/**
 * Compressing: an answer at once, in pieces while it is made, or a file once for all callers. The levels are measured, with the full record
 * of a loan (1 MB) and rows of an export: docs/decisions/compression.md.
 */
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { Coding } from './coding.ts';

const CHUNK = 64 * 1024;
const GZIP: ZlibOptions = { level: 3 };
const ZSTD: ZstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const brotli = (quality: number): BrotliOptions => ({
  // A window of a megabyte instead of four, because many answers may be on their way at once.
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 20 },
});

/** A few kilobytes: on the event loop, where they take less time than a thread would take to begin. */
export function compressNow(bytes: string | Buffer, coding: Coding): Buffer {
  switch (coding) {
    case 'zstd':
      return zstdCompressSync(bytes, ZSTD);
    case 'br':
      return brotliCompressSync(bytes, brotli(4));
    case 'gzip':
      return gzipSync(bytes, GZIP);
  }
}

const [zstdLater, brotliLater, gzipLater] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];

/** For bytes that are kept and sent many times: smaller, and slower to make, though its first caller waits for it. Beside the event loop. */
export function compressOnce(bytes: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case 'zstd':
      return zstdLater(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 6 } });
    case 'br':
      return brotliLater(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      });
    case 'gzip':
      return gzipLater(bytes, { level: 6 });
  }
}

const KINDS = {
  zstd: { open: () => createZstdCompress({ ...ZSTD, chunkSize: CHUNK }), flush: constants.ZSTD_e_flush },
  br: { open: () => createBrotliCompress({ ...brotli(4), chunkSize: CHUNK }), flush: constants.BROTLI_OPERATION_FLUSH },
  gzip: { open: () => createGzip({ ...GZIP, chunkSize: CHUNK }), flush: constants.Z_SYNC_FLUSH },
} as const;

/** One step of a compressor, on a thread of Node's own: no more of an answer than this is in memory twice. */
const STEP = 256 * 1024;

/**
 * The pieces, compressed. The next one is asked for when the last was taken, so that a slow reader costs no memory. `isLive`: what was made
 * of a piece is given out before the next one is asked for, so that a caller whose connection breaks has every row that was sent.
 */
export async function* compressPieces(
  pieces: AsyncIterator<string | Buffer>,
  coding: Coding,
  { isLive }: { isLive: boolean },
): AsyncGenerator<Buffer> {
  const { open, flush } = KINDS[coding];
  const stream = open();
  let made: Buffer[] = [];
  let fail: (error: Error) => void = () => {};
  stream.on('data', (chunk: Buffer) => made.push(chunk)).on('error', (error) => fail(error));
  const done = (begin: (then: () => void) => void) =>
    new Promise<void>((resolve, reject) => {
      fail = reject;
      begin(resolve);
    });
  const taken = () => {
    const all = made.length === 1 ? (made[0] as Buffer) : Buffer.concat(made);
    made = [];
    return all;
  };
  try {
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) {
      const bytes = typeof piece.value === 'string' ? Buffer.from(piece.value) : piece.value;
      for (let at = 0; at < bytes.length; at += STEP) {
        await done((then) => stream.write(bytes.subarray(at, at + STEP), then));
        if (isLive && at + STEP >= bytes.length) await done((then) => stream.flush(flush, then));
        if (made.length > 0) yield taken();
      }
    }
    await done((then) => stream.once('end', then).end());
    if (made.length > 0) yield taken();
  } finally {
    stream.destroy();
    await pieces.return?.();
  }
}

/** Chunks that are there already, as pieces. */
export async function* piecesOf(chunks: readonly (string | Buffer)[]): AsyncGenerator<string | Buffer> {
  yield* chunks;
}
