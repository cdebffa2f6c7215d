/**
 * A bureau over HTTP: one POST for each pull, whose JSON `docs/bureau.md` describes. The same pull can be retried, because its id is
 * the idempotency key. Redirects are not followed: they would send a social security number to another host.
 */
import {
  type AnswerHead,
  isOutboundFailure,
  type Outbound,
  type OutboundFailure,
  openOutbound,
} from '../outbound/client.ts';
import type { Workers } from '../workers/workers.ts';
import type * as Answer from './answer.ts';
import { type BreakerSettings, newBreaker } from './breaker.ts';
import {
  type Bureau,
  type BureauFailure,
  type BureauPull,
  type BureauReport,
  type BureauSubject,
  isBureauFailure,
} from './bureau.ts';
import { THREAD_LIMIT_MS, threadFailure } from './on-thread.ts';

export type HttpBureauSettings = {
  /** `https://…`; plain `http://` only to this machine, since social security numbers are sent. */
  readonly url: string;
  readonly apiKey: string;
  /** Limit for making a connection. */
  readonly connectMs: number;
  /** Limit of one attempt, from its start to the last byte of the answer. */
  readonly attemptMs: number;
  /** Limit of a pull with all its attempts and the waits between them. */
  readonly totalMs: number;
  readonly attempts: number;
  /** Larger answers are refused. */
  readonly maxBytes: number;
  /** The most concurrent pulls; others wait. */
  readonly connections: number;
  readonly breaker: BreakerSettings;
};

/** Everything except the URL and the key. */
export const HTTP_BUREAU_DEFAULTS: Omit<HttpBureauSettings, 'url' | 'apiKey'> = {
  connectMs: 3_000,
  attemptMs: 8_000,
  totalMs: 20_000,
  attempts: 3,
  maxBytes: 8 * 1024 * 1024,
  connections: 16,
  breaker: { failures: 5, coolingMs: 30_000 },
};

export type Surroundings = {
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** Threads on which answers are read, because they can be large. */
  readonly workers: Workers;
};

/** The wait before another attempt is a random share of this, doubled with each attempt. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

export function openHttpBureau(settings: HttpBureauSettings, surroundings: Surroundings): Bureau & { close(): void } {
  const { attempts, attemptMs, totalMs } = settings;
  const { monotonic, sleep, random, workers } = surroundings;
  const breaker = newBreaker(settings.breaker, monotonic);
  const line = openLine(settings, workers);
  return {
    name: 'http',
    close: line.close,
    async pull(subject, pull) {
      const started = monotonic();
      const body = questionOf(subject, pull);
      let failure = LEFT_ALONE;
      for (let attempt = 1; ; attempt++) {
        const admission = breaker.admit();
        if (admission === null) return failure;
        const left = totalMs - (monotonic() - started);
        const outcome = await line.ask(body, pull, Math.max(1, Math.min(attemptMs, left)));
        if (outcome.isAlive) admission.alive();
        else admission.failed();
        const { result } = outcome;
        if (!isBureauFailure(result)) return result;
        failure = { ...result, detail: withAttempts(result.detail, attempt) };
        if (!outcome.again || attempt >= attempts) return failure;
        const wait = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) + outcome.retryAfterMs;
        // No retry before the bureau's `Retry-After`, and none that would start after the caller's limit.
        if (monotonic() - started + wait >= totalMs) return failure;
        await sleep(wait);
      }
    },
  };
}

/** The failure when the breaker is open and no attempt is made. */
const LEFT_ALONE: BureauFailure = {
  failed: 'unavailable',
  detail: 'The bureau has failed several times in a row and is not called for a while.',
  retryable: true,
};

function withAttempts(detail: string, attempts: number): string {
  return attempts === 1 ? detail : `${detail} This was attempt ${attempts}.`;
}

/** The same pull is always the same bytes: a bureau may compare them, and refuse an idempotency key that comes with another body. */
function questionOf(subject: BureauSubject, { pullId }: BureauPull): Buffer {
  const { role, firstName, lastName, middleInitial, dateOfBirth, address, city, state, zip } = subject;
  const ssn = subject.ssn.replace(/[\s-]/g, '');
  const person = { role, firstName, lastName, middleInitial, ssn, dateOfBirth, address, city, state, zip };
  return Buffer.from(JSON.stringify({ pullId, subject: person }));
}

// ---- one attempt ----

type Outcome = {
  readonly result: BureauReport | BureauFailure;
  /** Whether the bureau itself works, even if it refuses the request. */
  readonly isAlive: boolean;
  /** Whether another attempt may help. */
  readonly again: boolean;
  /** The shortest wait that the bureau requests. */
  readonly retryAfterMs: number;
};

type Line = { ask(body: Buffer, pull: BureauPull, withinMs: number): Promise<Outcome>; close(): void };

function openLine(
  { url, apiKey, connectMs, attemptMs, maxBytes, connections }: HttpBureauSettings,
  workers: Workers,
): Line {
  const reading = workers.module<typeof Answer>(new URL('./answer.ts', import.meta.url), { limitMs: THREAD_LIMIT_MS });
  const address = addressOf(url);
  // The operator has chosen this URL: it may be on the same machine or network.
  const outbound: Outbound = openOutbound({ always: [address.origin], connectMs, silenceMs: attemptMs, connections });
  return {
    async ask(body, { pullId, organizationId }, withinMs) {
      const answer = await outbound.send({
        url: address,
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'idempotency-key': pullId,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body,
        withinMs,
        maxBytes,
        wants: ({ status }) => status === 200,
      });
      if (isOutboundFailure(answer)) return byFailure(answer, { connectMs, withinMs, maxBytes });
      const decided = byHead(answer);
      if (decided !== null) return decided;
      return outcomeOf(await reading.run('readAnswer', organizationId, answer.body).catch(threadFailure));
    },
    close: () => void outbound.close(),
  };
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address.hostname);
  const isGood = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLocal);
  if (address === null || !isGood || address.username !== '' || address.password !== '') {
    throw new RangeError('The bureau URL must use https, or http for this machine, and must not contain a user name.');
  }
  return address;
}

function byFailure(
  { failed, code }: OutboundFailure,
  {
    connectMs,
    withinMs,
    maxBytes,
  }: { readonly connectMs: number; readonly withinMs: number; readonly maxBytes: number },
): Outcome {
  switch (failed) {
    case 'connect timeout':
      return troubled('timeout', `No connection to the bureau within ${inSeconds(connectMs)}.`);
    case 'timeout':
      return troubled('timeout', `The bureau did not answer completely within ${inSeconds(withinMs)}.`);
    case 'cut':
      return troubled('unavailable', 'The connection to the bureau was cut before its answer was complete.');
    case 'too large':
      return unusable(`it is larger than ${maxBytes} bytes`);
    case 'compressed':
      return unusable('it is compressed');
    case 'unsendable':
      return final('refused', 'The request cannot be sent: its id or the key is not a valid header value.');
    default:
      return troubled('unavailable', `The connection to the bureau failed (${code}).`);
  }
}

/** The outcome when the status alone decides it; null when the body does. */
function byHead(answer: AnswerHead): Outcome | null {
  const { status } = answer;
  if (status === 200) return null;
  const said = `The bureau answered with status ${status}.`;
  if (status === 429) return { ...troubled('unavailable', said), isAlive: true, retryAfterMs: retryAfterOf(answer) };
  if (status >= 500) return { ...troubled('unavailable', said), retryAfterMs: retryAfterOf(answer) };
  if (status >= 300 && status < 400) return final('refused', `${said} Redirects are not followed.`);
  if (status >= 400) return final('refused', said);
  return unusable(`its status is ${status}`);
}

/** A report, why there is none, or what is wrong with the answer. */
function outcomeOf(read: BureauReport | BureauFailure | string): Outcome {
  if (typeof read === 'string') return unusable(read);
  return { result: read, isAlive: true, again: false, retryAfterMs: 0 };
}

/** Seconds, or a date, which is compared with the bureau's own clock. Anything else is ignored. */
function retryAfterOf({ headers }: AnswerHead): number {
  const given = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const wait = Date.parse(given) - Date.parse(headers.date ?? '');
  return wait > 0 ? wait : 0;
}

const troubled = (failed: 'timeout' | 'unavailable', detail: string): Outcome => ({
  result: { failed, detail, retryable: true },
  isAlive: false,
  again: true,
  retryAfterMs: 0,
});
const final = (failed: 'refused' | 'malformed', detail: string): Outcome => ({
  result: { failed, detail, retryable: false },
  isAlive: failed === 'refused',
  again: false,
  retryAfterMs: 0,
});
const unusable = (why: string): Outcome => final('malformed', `The bureau’s answer cannot be used: ${why}.`);

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
