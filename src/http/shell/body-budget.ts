/**
 * Bounds the bytes of bodies that the process holds at once, as they came and decoded, from their first byte until the answer has left. Without a bound, two hundred
 * connections with 10 MiB each would take the memory of the whole service: a body is held as bytes, as text and as values.
 */
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { Problem, unavailable } from '../shared/problems.ts';

/** Shared by all callers. A body needs about seven times its size while it is worked on. */
const TOTAL = 128 * 1024 * 1024;
/** Per organization, so that the others keep room; callers that are not identified yet share one budget. */
const SHARE = TOTAL / 4;
/** A body that has no more than this is always read: refusing it would save nothing. */
const ALWAYS_READ = 64 * 1024;

/** Each chunk costs some microseconds, however little is in it: beyond the first they must have this many bytes on average. */
const FREE_CHUNKS = 500;
const LEAST_CHUNK = 256;
const CHUNKS_TOO_SMALL =
  'The body is sent in too many small chunks; send larger chunks, or send the whole body with Content-Length.';

type Done = (error?: Error | null, payload?: RequestPayload) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload, done: Done) => void;

/** The bytes of one body: whose they are, how many are held, and whether the answer has left. */
type Held = { readonly holder: string; bytes: number; isOver: boolean };

/**
 * Makes a `preParsing` hook for operations with a body: past the budget a large body is refused before it is read. `bodyLimit` is the
 * operation's own.
 */
export function openBodyBudget(bodyLimitBytes: number): (bodyLimit: number) => Hook {
  // An operator who allows larger bodies wants at least one of them to be read.
  const total = Math.max(TOTAL, 4 * bodyLimitBytes);
  const share = Math.max(SHARE, bodyLimitBytes);
  let held = 0;
  const heldBy = new Map<string, number>();

  return (bodyLimit) => (request, reply, payload, done) => {
    const own: Held = { holder: request.context.caller?.organizationId ?? '', bytes: 0, isOver: false };
    // If the caller disconnected during the lookup, the event has already fired and will not fire again.
    if (reply.raw.closed) end(own);
    else reply.raw.on('close', () => end(own));
    request.context.hold = (bytes) => take(own, bytes);

    const length = request.headers['content-length'];
    if (length === undefined) {
      // Chunks are counted as they arrive.
      countChunks(request, payload, own);
      done(null, payload);
      return;
    }
    const declared = Number(length);
    // One that is larger than the operation accepts is refused without being read, and counts for nothing.
    done(declared > bodyLimit || take(own, declared) ? null : tooManyBytes(), payload);
  };

  function take(own: Held, bytes: number): boolean {
    // Bytes that arrive after the answer was sent, or after the caller disconnected, are not held.
    if (own.isOver) return true;
    const theirs = heldBy.get(own.holder) ?? 0;
    if (own.bytes + bytes > ALWAYS_READ && (held + bytes > total || theirs + bytes > share)) return false;
    own.bytes += bytes;
    held += bytes;
    heldBy.set(own.holder, theirs + bytes);
    return true;
  }

  function end(own: Held): void {
    own.isOver = true;
    held -= own.bytes;
    const left = (heldBy.get(own.holder) ?? 0) - own.bytes;
    if (left > 0) heldBy.set(own.holder, left);
    else heldBy.delete(own.holder);
  }

  function countChunks(request: FastifyRequest, payload: RequestPayload, own: Held): void {
    const { settle, bodyCoding } = request.context;
    // One that is compressed is settled when it is decoded.
    if (settle !== null && bodyCoding === null) {
      let arrived = 0;
      payload.on('data', (chunk: Buffer) => {
        arrived += chunk.length;
      });
      payload.once('end', () => settle(arrived));
    }
    let chunks = 0;
    const count = (chunk: Buffer) => {
      // Already refused, for its size for instance: there is no listener any more, and an unhandled error would end the process.
      if (own.isOver || payload.listenerCount('error') === 0) {
        payload.off('data', count);
        return;
      }
      chunks += 1;
      const tooSmall = chunks > FREE_CHUNKS + own.bytes / LEAST_CHUNK;
      if (!tooSmall && take(own, chunk.length)) return;
      payload.off('data', count);
      // Further data is still parsed but emits no more events: ten thousand chunks fit into one read of the socket.
      (request.raw as { _dump?: () => void })._dump?.();
      payload.emit('error', tooSmall ? new Problem('invalid_body', CHUNKS_TOO_SMALL) : tooManyBytes());
    };
    payload.on('data', count);
  }
}

export function tooManyBytes(): Problem {
  return unavailable('Too many large requests are being received; try again in a moment.');
}
