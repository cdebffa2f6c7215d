/**
 * Answers that are made while they are sent, because they may be larger than a process should hold: one piece at a time, the next one when
 * the caller has taken the last, and only while the caller may still have it. A caller that disconnects, or reads nothing for as long as a
 * request may last, ends the work.
 */
import type { ServerResponse } from 'node:http';
import type { Actor } from '../../loans/door/actor.ts';

/** Aborted when the connection closes before the whole answer is sent. */
export function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else {
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
  }
  return gone.signal;
}

/** The same pieces, once the first one is available: until then an error can still be answered with a problem. */
export async function begun(pieces: AsyncGenerator<string | Buffer>): Promise<AsyncIterator<string | Buffer>> {
  let first: IteratorResult<string | Buffer> | null = await pieces.next();
  return {
    async next() {
      const next = first ?? (await pieces.next());
      first = null;
      return next;
    },
    return: () => pieces.return(undefined),
  };
}

/** For HEAD. */
export function nothingOf(pieces: AsyncIterator<string | Buffer>): AsyncIterator<string | Buffer> {
  return {
    next: async () => ({ value: undefined, done: true }),
    return: async () => (await pieces.return?.()) ?? { value: undefined, done: true },
  };
}

/** The caller lost its access, or a part of it, while the answer was sent. */
class NoLongerAdmitted extends Error {
  override name = 'NoLongerAdmitted';
}

/** Whether the caller, as it is now, has everything that an answer was begun with: its scopes, its API key, and the loans of others. */
export function keepsReach(began: Actor, now: Actor): boolean {
  return (
    [...began.scopes].every((scope) => now.scopes.has(scope)) &&
    (began.keyId === null || began.keyId === now.keyId) &&
    began.grants.every(({ ownerOrganizationId, servicerId }) =>
      now.grants.some(
        (grant) =>
          grant.ownerOrganizationId === ownerOrganizationId &&
          (grant.servicerId === null || grant.servicerId === servicerId),
      ),
    )
  );
}

/**
 * Sends the body of an answer whose head is written. Rejects when a piece cannot be made, or may no longer be sent: the answer is aborted, and
 * its connection is closed, so that the caller does not take it for whole.
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterator<string | Buffer>,
  { patienceMs, mayGoOn }: { patienceMs: number; mayGoOn: () => Promise<boolean> },
): Promise<void> {
  const gone = goneOf(response);
  try {
    while (!gone.aborted) {
      const { value, done } = await pieces.next();
      if (done === true) {
        response.end();
        return;
      }
      if (!(await mayGoOn())) throw new NoLongerAdmitted();
      if (!gone.aborted && !response.write(value)) await drained(response, patienceMs);
      // A connection that takes everything at once would otherwise keep the event loop for itself.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (gone.aborted) return;
    response.destroy();
    throw error;
  } finally {
    await pieces.return?.();
  }
}

/** Resolves when the caller has read what was sent, or when the connection is closed, which also happens on a timeout. */
function drained(response: ServerResponse, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), patienceMs);
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
