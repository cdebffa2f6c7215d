/**
 * Questions about a person to a service over HTTP, a credit bureau or a screening: one POST for each, with limits, retries and a breaker. The
 * same question can be retried, because its id is the idempotency key. Redirects are not followed: they would send a social security
 * number to another host.
 */
import {
  type AnswerHead,
  isOutboundFailure,
  type Outbound,
  type OutboundFailure,
  openOutbound,
} from '../outbound/client.ts';
import { type BreakerSettings, newBreaker } from './breaker.ts';
import type { BureauFailure } from './bureau.ts';

/** The service, as texts for operators name it. */
export type Asked = 'bureau' | 'screening service';

export type CallSettings = {
  /** `https://…`; plain `http://` only to this machine, since social security numbers are sent. */
  readonly url: string;
  readonly apiKey: string;
  /** Limit for making a connection. */
  readonly connectMs: number;
  /** Limit of one attempt, from its start to the last byte of the answer. */
  readonly attemptMs: number;
  /** Limit of a question with all its attempts and the waits between them. */
  readonly totalMs: number;
  readonly attempts: number;
  /** Larger answers are refused. */
  readonly maxBytes: number;
  /** The most concurrent questions; others wait. */
  readonly connections: number;
  readonly breaker: BreakerSettings;
};

export type Surroundings = {
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
};

/** A question: its id, the same bytes each time, and the reading of the answer: what it says, or what is wrong with it. */
export type Question<T> = {
  readonly id: string;
  readonly body: Buffer;
  read(answer: Buffer): Promise<T | BureauFailure | string>;
};

export type Calls = { ask<T extends object>(question: Question<T>): Promise<T | BureauFailure>; close(): void };

/** The wait before another attempt is a random share of this, doubled with each attempt. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

export function openCalls(asked: Asked, settings: CallSettings, surroundings: Surroundings): Calls {
  const { attempts, attemptMs, totalMs } = settings;
  const { monotonic, sleep, random } = surroundings;
  const breaker = newBreaker(settings.breaker, monotonic);
  const line = openLine(asked, settings);
  return {
    close: line.close,
    async ask(question) {
      const started = monotonic();
      let failure: BureauFailure = {
        failed: 'unavailable',
        detail: `The ${asked} has failed several times in a row and is not called for a while.`,
        retryable: true,
      };
      for (let attempt = 1; ; attempt++) {
        const admission = breaker.admit();
        if (admission === null) return failure;
        const left = totalMs - (monotonic() - started);
        const outcome = await line.ask(question, Math.max(1, Math.min(attemptMs, left)));
        if (outcome.isAlive) admission.alive();
        else admission.failed();
        const { result } = outcome;
        if (!isFailure(result)) return result;
        failure = { ...result, detail: withAttempts(result.detail, attempt) };
        if (!outcome.again || attempt >= attempts) return failure;
        const wait = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) + outcome.retryAfterMs;
        // No retry before the service's `Retry-After`, and none that would start after the caller's limit.
        if (monotonic() - started + wait >= totalMs) return failure;
        await sleep(wait);
      }
    },
  };
}

function isFailure(result: object): result is BureauFailure {
  return 'failed' in result;
}

function withAttempts(detail: string, attempts: number): string {
  return attempts === 1 ? detail : `${detail} This was attempt ${attempts}.`;
}

// ---- one attempt ----

type Outcome<T> = {
  readonly result: T | BureauFailure;
  /** Whether the service itself works, even if it refuses the request. */
  readonly isAlive: boolean;
  /** Whether another attempt may help. */
  readonly again: boolean;
  /** The shortest wait that the service requests. */
  readonly retryAfterMs: number;
};
type Failed = Outcome<never>;

type Line = { ask<T extends object>(question: Question<T>, withinMs: number): Promise<Outcome<T>>; close(): void };

function openLine(asked: Asked, { url, apiKey, connectMs, attemptMs, maxBytes, connections }: CallSettings): Line {
  const address = addressOf(url, asked);
  // The operator has chosen this URL: it may be on the same machine or network.
  const outbound: Outbound = openOutbound({ always: [address.origin], connectMs, silenceMs: attemptMs, connections });
  return {
    async ask<T extends object>({ id, body, read }: Question<T>, withinMs: number): Promise<Outcome<T>> {
      const answer = await outbound.send({
        url: address,
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'idempotency-key': id,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body,
        withinMs,
        maxBytes,
        wants: ({ status }) => status === 200,
      });
      if (isOutboundFailure(answer)) return byFailure(asked, answer, { connectMs, withinMs, maxBytes });
      const decided = byHead(asked, answer);
      if (decided !== null) return decided;
      const result = await read(answer.body);
      if (typeof result === 'string') return unusable(asked, result);
      return { result, isAlive: true, again: false, retryAfterMs: 0 };
    },
    close: () => void outbound.close(),
  };
}

function addressOf(url: string, asked: Asked): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address.hostname);
  const isGood = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLocal);
  if (address === null || !isGood || address.username !== '' || address.password !== '') {
    throw new RangeError(
      `The ${asked} URL must use https, or http for this machine, and must not contain a user name.`,
    );
  }
  return address;
}

function byFailure(
  asked: Asked,
  { failed, code }: OutboundFailure,
  { connectMs, withinMs, maxBytes }: Pick<CallSettings, 'connectMs' | 'maxBytes'> & { readonly withinMs: number },
): Failed {
  switch (failed) {
    case 'connect timeout':
      return troubled('timeout', `No connection to the ${asked} within ${inSeconds(connectMs)}.`);
    case 'timeout':
      return troubled('timeout', `The ${asked} did not answer completely within ${inSeconds(withinMs)}.`);
    case 'cut':
      return troubled('unavailable', `The connection to the ${asked} was cut before its answer was complete.`);
    case 'too large':
      return unusable(asked, `it is larger than ${maxBytes} bytes`);
    case 'compressed':
      return unusable(asked, 'it is compressed');
    case 'unsendable':
      return final('refused', 'The request cannot be sent: its id or the key is not a valid header value.');
    default:
      return troubled('unavailable', `The connection to the ${asked} failed (${code}).`);
  }
}

/** The outcome when the status alone decides it; null when the body does. */
function byHead(asked: Asked, answer: AnswerHead): Failed | null {
  const { status } = answer;
  if (status === 200) return null;
  const said = `The ${asked} answered with status ${status}.`;
  if (status === 429) return { ...troubled('unavailable', said), isAlive: true, retryAfterMs: retryAfterOf(answer) };
  if (status >= 500) return { ...troubled('unavailable', said), retryAfterMs: retryAfterOf(answer) };
  if (status >= 300 && status < 400) return final('refused', `${said} Redirects are not followed.`);
  if (status >= 400) return final('refused', said);
  return unusable(asked, `its status is ${status}`);
}

/** Seconds, or a date, which is compared with the service's own clock. Anything else is ignored. */
function retryAfterOf({ headers }: AnswerHead): number {
  const given = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const wait = Date.parse(given) - Date.parse(headers.date ?? '');
  return wait > 0 ? wait : 0;
}

const troubled = (failed: 'timeout' | 'unavailable', detail: string): Failed => ({
  result: { failed, detail, retryable: true },
  isAlive: false,
  again: true,
  retryAfterMs: 0,
});
const final = (failed: 'refused' | 'malformed', detail: string): Failed => ({
  result: { failed, detail, retryable: false },
  isAlive: failed === 'refused',
  again: false,
  retryAfterMs: 0,
});
const unusable = (asked: Asked, why: string): Failed =>
  final('malformed', `The ${asked}’s answer cannot be used: ${why}.`);

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
