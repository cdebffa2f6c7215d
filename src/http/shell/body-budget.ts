/**
 * Bounds the bytes of bodies that the process holds at once, from their first byte until the answer has left. Without a bound, two hundred
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

/** A `preParsing` hook for operations with a body: past the budget a large body is refused before it is read. */
export function openBodyBudget(bodyLimitBytes: number) {
  // An operator who allows larger bodies wants at least one of them to be read.
  const total = Math.max(TOTAL, 4 * bodyLimitBytes);
  const share = Math.max(SHARE, bodyLimitBytes);
  let held = 0;
  const heldBy = new Map<string, number>();

  return (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload, done: Done): void => {
    const holder = request.context.caller?.organizationId ?? '';
    let own = 0;
    let over = false;
    const take = (bytes: number): boolean => {
      // Bytes that arrive after the answer was sent, or after the caller disconnected, are not held.
      if (over) return true;
      const theirs = heldBy.get(holder) ?? 0;
      if (own + bytes > ALWAYS_READ && (held + bytes > total || theirs + bytes > share)) return false;
      own += bytes;
      held += bytes;
      heldBy.set(holder, theirs + bytes);
      return true;
    };
    const end = () => {
      over = true;
      held -= own;
      const left = (heldBy.get(holder) ?? 0) - own;
      if (left > 0) heldBy.set(holder, left);
      else heldBy.delete(holder);
    };
    // If the caller disconnected during the lookup, the event has already fired and will not fire again.
    if (reply.raw.closed) end();
    else reply.raw.once('close', end);

    const declared = Number(request.headers['content-length']);
    // One that is larger than the operation accepts is refused without being read, and counts for nothing.
    const fits = Number.isNaN(declared) || declared > request.routeOptions.bodyLimit || take(declared);
    // Without a length (chunks) it is counted as it arrives.
    let chunks = 0;
    const count = (chunk: Buffer) => {
      // Already refused, for its size for instance: there is no listener any more, and an unhandled error would end the process.
      if (over || payload.listenerCount('error') === 0) {
        payload.off('data', count);
        return;
      }
      chunks += 1;
      const tooSmall = chunks > FREE_CHUNKS + own / LEAST_CHUNK;
      if (!tooSmall && take(chunk.length)) return;
      payload.off('data', count);
      // Further data is still parsed but emits no more events: ten thousand chunks fit into one read of the socket.
      (request.raw as { _dump?: () => void })._dump?.();
      payload.emit('error', tooSmall ? new Problem('invalid_body', CHUNKS_TOO_SMALL) : tooManyBytes());
    };
    if (Number.isNaN(declared)) payload.on('data', count);
    done(fits ? null : tooManyBytes(), payload);
  };
}

function tooManyBytes(): Problem {
  return unavailable('Too many large requests are being received; try again in a moment.');
}
