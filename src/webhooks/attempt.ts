/** One attempt to deliver an event: a signed POST, and what came of it. The body of the response is ignored. */

import type { FeedEvent } from '../loans/feed/read.ts';
import { type AnswerHead, isOutboundFailure, type Outbound } from '../outbound/client.ts';
import { signatureOf } from './signing.ts';
import { retryAfter } from './waits.ts';

/** For the guarded client. Many endpoints may share an origin: a slow one takes 16 of these at most, and must not make others wait for one. */
export const WEBHOOK_CONNECTIONS = { connectMs: 5_000, silenceMs: 15_000, connections: 1_024 };

const ATTEMPT_MS = 15_000;
/** A response is read to its end, so that the connection can be used again; one that is longer or takes longer is cut off. */
const LONGEST_ANSWER = 64 * 1024;
const ANSWER_MS = 1_000;
/** Responses that may say when to come back. */
const BUSY = [429, 502, 503, 504];

export type Target = { readonly url: string; readonly secrets: readonly string[] };

export type Attempted = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly ms: number;
  readonly status: number | null;
  /** Null: delivered. `redirect`, `response`: the status says why; otherwise there was none. */
  readonly failure: Failure | null;
  readonly retryAfterMs: number | null;
};

export type Failure = 'redirect' | 'response' | 'timeout' | 'connection' | 'forbidden';

export const FAILURES: readonly Failure[] = ['redirect', 'response', 'timeout', 'connection', 'forbidden'];

export type Posting = { readonly outbound: Outbound; readonly clock: () => number; readonly monotonic: () => number };

const bodyOf = (event: FeedEvent): string =>
  JSON.stringify({ type: event.type, timestamp: event.recordedAt, data: event });

export async function attempt(
  { outbound, clock, monotonic }: Posting,
  { url, secrets }: Target,
  event: FeedEvent,
  withinMs: number = ATTEMPT_MS,
): Promise<Attempted> {
  const [at, started] = [clock(), monotonic()];
  const timestamp = Math.floor(at / 1_000);
  const body = bodyOf(event);
  let head: AnswerHead | null = null;
  const outcome = await outbound.send({
    url: new URL(url),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Daybook-Webhooks/1',
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, { id: event.id, timestamp, body }),
    },
    body: Buffer.from(body),
    withinMs,
    maxBytes: LONGEST_ANSWER,
    bodyMs: ANSWER_MS,
    wants(answered) {
      head = answered;
      const { 'content-length': length = '0', 'content-encoding': encoding = 'identity' } = answered.headers;
      return Number(length) <= LONGEST_ANSWER && encoding === 'identity';
    },
  });
  const ms = Math.round(monotonic() - started);
  // With the head the outcome is known, whatever happens to the body.
  const answered: AnswerHead | null = head ?? (isOutboundFailure(outcome) ? null : outcome);
  if (answered === null) {
    return {
      at,
      ms,
      status: null,
      failure: isOutboundFailure(outcome) ? kindOf(outcome.failed) : null,
      retryAfterMs: null,
    };
  }
  const { status, headers } = answered;
  if (status >= 200 && status < 300) return { at, ms, status, failure: null, retryAfterMs: null };
  const failure = status >= 300 && status < 400 ? 'redirect' : 'response';
  return {
    at,
    ms,
    status,
    failure,
    retryAfterMs: BUSY.includes(status) ? retryAfter(headers['retry-after'], at) : null,
  };
}

function kindOf(failed: string): Failure {
  if (failed === 'forbidden' || failed === 'unsendable') return 'forbidden';
  return failed === 'timeout' || failed === 'connect timeout' ? 'timeout' : 'connection';
}
