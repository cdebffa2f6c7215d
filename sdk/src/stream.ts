/** The feed as it happens: connects, reads, and connects again where it stopped. */
import { ProblemError } from './errors.ts';
import { passes, waitBefore } from './retry.ts';
import { type Opened, readAnswer } from './send.ts';
import { messageReader } from './sse.ts';
import type { FeedEvent, StreamArguments } from './types.ts';

/** Waits longer than a call does: nobody looks at a spinner, and a service that restarts should not be met by all of its readers. */
const LONGEST_WAIT_MS = 30_000;
/** A comment comes every 15 seconds: without one for this long, the connection is dead. */
const QUIET_MS = 45_000;
const ACCEPT = 'text/event-stream';

type FeedArguments = {
  query: Record<string, unknown>;
  accept: string;
  headers: Record<string, string>;
  signal: AbortSignal;
};

export type Following = {
  attempts<T>(id: 'listEvents', feedArgs: FeedArguments, take: (opened: Opened) => Promise<T>): Promise<T>;
  call(id: 'listEvents', feedArgs: Partial<FeedArguments>): Promise<{ data: unknown }>;
  clock: () => number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
};

/**
 * The first connection fails like a call. Once there was one, the stream survives everything that passes, for as long as it takes: the end
 * of the token, a restart, a network that is away for an hour.
 */
export function follow({ attempts, call, clock, sleep, random }: Following) {
  return async function* stream(args: StreamArguments = {}): AsyncGenerator<FeedEvent, void, undefined> {
    const { types, loanId, signal } = args;
    let { after } = args;
    const ended = new AbortController();
    const leave = () => ended.abort(signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
    let last: string | undefined;
    let connected = false;
    let failures = 0;
    try {
      if (after === 'now') {
        // A place that stays the same when the connection is cut before the first event.
        const { data } = await call('listEvents', { query: { after, limit: 1 }, signal: ended.signal });
        after = (data as { nextCursor: string }).nextCursor;
      }
      for (;;) {
        const feedArgs = {
          query: { after, types: types?.join(','), loanId },
          accept: ACCEPT,
          headers: last === undefined ? {} : { 'last-event-id': last },
          signal: ended.signal,
        };
        let failure: unknown;
        let opened: Opened | undefined;
        try {
          opened = await attempts('listEvents', feedArgs, (answer) => begun(answer, clock));
          connected = true;
          const read = messageReader();
          for (let part = await opened.next(QUIET_MS); part !== undefined; part = await opened.next(QUIET_MS)) {
            failures = 0;
            for (const message of read(part)) {
              last = message.id || last;
              yield eventIn(message.data);
            }
          }
        } catch (error) {
          failure = error;
          if (ended.signal.aborted || !connected || !passes(error, false)) throw error;
        } finally {
          opened?.close();
        }
        // The service ends a stream with its token; the next one follows at once, unless that happens again and again.
        await sleep(waitBefore(failures, failure, random, LONGEST_WAIT_MS), ended.signal);
        failures += 1;
      }
    } catch (error) {
      // An abort by the caller ends the loop without an error.
      if (signal?.aborted !== true) throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
      ended.abort();
    }
  };
}

async function begun(opened: Opened, clock: () => number): Promise<Opened> {
  const type = opened.response.headers.get('content-type') ?? '';
  if (opened.response.ok && type.startsWith(ACCEPT)) return opened;
  await readAnswer(opened, { clock, accept: '' });
  throw unexpected(opened.response.status);
}

function unexpected(status: number): ProblemError {
  return new ProblemError(status, {}, { requestId: null, retryAfterSeconds: null });
}

function eventIn(data: string): FeedEvent {
  try {
    return JSON.parse(data) as FeedEvent;
  } catch {
    throw unexpected(200);
  }
}
