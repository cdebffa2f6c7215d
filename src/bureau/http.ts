/**
 * A bureau over HTTP: one POST a pull, whose JSON `docs/bureau.md` describes. The same pull may be sent again, because its id is the
 * idempotency key.
 *
 * It stands on `node:http` and `node:https` rather than on `fetch`: those tell when a connection is made, so that a bureau that cannot
 * be reached is known in seconds; they follow no redirect, which would carry a social security number to somebody else; and they hand
 * over the body as it arrives, so that a body without end is cut off.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { readAnswer } from './answer.ts';
import { type BreakerSettings, newBreaker } from './breaker.ts';
import {
  type Bureau,
  type BureauFailure,
  type BureauPull,
  type BureauReport,
  type BureauSubject,
  isBureauFailure,
} from './bureau.ts';

export type HttpBureauSettings = {
  /** `https://…`; plain `http://` only to this machine, since social security numbers go there. */
  readonly url: string;
  readonly apiKey: string;
  /** For a connection to be made. */
  readonly connectMs: number;
  /** For one attempt, from its start to the last byte of the answer. */
  readonly attemptMs: number;
  /** For a pull with all its attempts and the waiting in between. */
  readonly totalMs: number;
  readonly attempts: number;
  /** An answer that is larger is cut off. */
  readonly maxBytes: number;
  /** Pulls that may be under way at once; others wait for their turn. */
  readonly connections: number;
  readonly breaker: BreakerSettings;
};

/** All but the address and the key. */
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
  /** Milliseconds that never go back. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
};

/** Waiting before another attempt: a share of this, doubled with each attempt. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

export function openHttpBureau(settings: HttpBureauSettings, surroundings: Surroundings): Bureau & { close(): void } {
  const { attempts, attemptMs, totalMs } = settings;
  const { monotonic, sleep, random } = surroundings;
  const breaker = newBreaker(settings.breaker, monotonic);
  const line = openLine(settings);
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
        const outcome = await line.ask(body, pull.pullId, Math.max(1, Math.min(attemptMs, left)));
        if (outcome.isAlive) admission.alive();
        else admission.failed();
        const { result } = outcome;
        if (!isBureauFailure(result)) return result;
        failure = { ...result, detail: withAttempts(result.detail, attempt) };
        if (!outcome.again || attempt >= attempts) return failure;
        const wait = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) + outcome.retryAfterMs;
        // Asking sooner than the bureau wants would be rude, and waiting longer than the caller does is of no use.
        if (monotonic() - started + wait >= totalMs) return failure;
        await sleep(wait);
      }
    },
  };
}

/** Also what is told when no attempt was made. */
const LEFT_ALONE: BureauFailure = {
  failed: 'unavailable',
  detail: 'The bureau has failed several times in a row and is left alone for a while.',
  retryable: true,
};

function withAttempts(detail: string, attempts: number): string {
  return attempts === 1 ? detail : `${detail} This was attempt ${attempts}.`;
}

/** The same pull is the same bytes, whenever it is sent: a bureau may compare them, and refuse a key that comes with another body. */
function questionOf(subject: BureauSubject, { pullId }: BureauPull): Buffer {
  const { role, firstName, lastName, middleInitial, dateOfBirth, address, city, state, zip } = subject;
  const ssn = subject.ssn.replace(/[\s-]/g, '');
  const person = { role, firstName, lastName, middleInitial, ssn, dateOfBirth, address, city, state, zip };
  return Buffer.from(JSON.stringify({ pullId, subject: person }));
}

// ---- one attempt ----

type Outcome = {
  readonly result: BureauReport | BureauFailure;
  /** Whether the bureau itself is well, whatever it thinks of the question. */
  readonly isAlive: boolean;
  /** Whether another attempt may help. */
  readonly again: boolean;
  /** At least so long it wants to be left in peace. */
  readonly retryAfterMs: number;
};

type Line = { ask(body: Buffer, pullId: string, withinMs: number): Promise<Outcome>; close(): void };

function openLine({ url, apiKey, connectMs, maxBytes, connections }: HttpBureauSettings): Line {
  const address = addressOf(url);
  const isSecure = address.protocol === 'https:';
  const pool = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections };
  const agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool);
  const request = isSecure ? requestHttps : requestHttp;
  const headersOf = (body: Buffer, pullId: string) => ({
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': pullId,
    'content-type': 'application/json',
    'content-length': body.length,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'daybook',
  });

  const ask = (body: Buffer, pullId: string, withinMs: number) =>
    new Promise<Outcome>((resolve) => {
      const sent = request(address, { method: 'POST', agent, headers: headersOf(body, pullId) });
      let connecting: NodeJS.Timeout | undefined;
      /** The first outcome counts. */
      const finish = (outcome: Outcome) => {
        clearTimeout(whole);
        clearTimeout(connecting);
        resolve(outcome);
      };
      const giveUp = (outcome: Outcome) => {
        finish(outcome);
        sent.destroy();
      };
      const tooSlow = (detail: string) => () => giveUp(troubled('timeout', detail));
      const whole = setTimeout(
        tooSlow(`The bureau did not answer completely within ${inSeconds(withinMs)}.`),
        withinMs,
      );
      sent.on('socket', (socket) => {
        if (!socket.connecting) return;
        connecting = setTimeout(tooSlow(`No connection to the bureau within ${inSeconds(connectMs)}.`), connectMs);
        socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
      });
      sent.on('error', (error) =>
        finish(troubled('unavailable', `The connection to the bureau failed (${codeOf(error)}).`)),
      );
      sent.on('response', (answer) => {
        const early = byHead(answer, maxBytes);
        if (early === null) readBody(answer, maxBytes, { finish, giveUp });
        else giveUp(early);
      });
      sent.end(body);
    });

  return {
    ask: (body, pullId, withinMs) =>
      // Only an id or a key that no header can carry makes it throw.
      ask(body, pullId, withinMs).catch(() =>
        final('refused', 'The question cannot be sent: no header takes its id or the key.'),
      ),
    close: () => agent.destroy(),
  };
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address.hostname);
  const isGood = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLocal);
  if (address === null || !isGood || address.username !== '' || address.password !== '') {
    throw new RangeError('The address of the bureau must be https, or http to this machine, without a user in it.');
  }
  return address;
}

/** What the status and the headers already decide; null: the body is to be read. */
function byHead(answer: IncomingMessage, maxBytes: number): Outcome | null {
  const status = answer.statusCode ?? 0;
  if (status === 200) {
    if (Number(answer.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
    if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') return unusable('it is compressed');
    return null;
  }
  const said = `The bureau answered with status ${status}.`;
  if (status === 429) return { ...troubled('unavailable', said), isAlive: true, retryAfterMs: retryAfterOf(answer) };
  if (status >= 500) return { ...troubled('unavailable', said), retryAfterMs: retryAfterOf(answer) };
  if (status >= 300 && status < 400) return final('refused', `${said} Redirects are not followed.`);
  if (status >= 400) return final('refused', said);
  return unusable(`its status is ${status}`);
}

function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  { finish, giveUp }: Record<'finish' | 'giveUp', (outcome: Outcome) => void>,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const cut = () =>
    giveUp(troubled('unavailable', 'The connection to the bureau was cut before its answer was complete.'));
  answer.on('error', cut);
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) giveUp(tooLarge(maxBytes));
    else chunks.push(chunk);
  });
  answer.on('close', () => {
    if (!answer.complete) cut();
    else finish(outcomeOf(Buffer.concat(chunks, size)));
  });
}

function outcomeOf(body: Buffer): Outcome {
  const report = readAnswer(body);
  return typeof report === 'string'
    ? unusable(report)
    : { result: report, isAlive: true, again: false, retryAfterMs: 0 };
}

/** Seconds, or a date, which is compared with the bureau's own clock. Anything else is nothing. */
function retryAfterOf({ headers }: IncomingMessage): number {
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
const unusable = (why: string): Outcome => final('malformed', `The answer of the bureau cannot be used: ${why}.`);
const tooLarge = (maxBytes: number): Outcome => unusable(`it is larger than ${maxBytes} bytes`);

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** `ECONNRESET` and the like. Never the message, which may quote what was sent. */
function codeOf(error: Error): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown';
}
