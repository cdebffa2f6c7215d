/** Delivering answers and problems; each answer is counted and logged once. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Coding } from '../shared/coding.ts';
import { compressNow, compressPieces, piecesOf } from '../shared/compress.ts';
import { numbersOf, type Places, plainValue } from '../shared/numbers.ts';
import type { Answer, ReadAs } from '../shared/operation.ts';
import { PROBLEM_TYPE, type Problem, timedOut } from '../shared/problems.ts';
import { nothingOf, sendPieces } from '../shared/stream.ts';
import { AT_ONCE, codeAnswer, tagAsHeld } from './compression.ts';
import { echoedId } from './context.ts';
import { JSON_TYPE } from './headers.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { answeredEarly } from './raw-socket.ts';
import { type Phase, PROBES } from './service.ts';

type Sending = {
  /** The answer is never compressed. */
  isSecret: boolean;
  /** Whether the next piece of a stream may be sent: the caller is admitted, and has what the answer was begun with. */
  mayGoOn(readAs: ReadAs): Promise<boolean>;
};

export type Sender = {
  /** The answer of an operation: at once, or when its promise resolves, but within the time a request may take. */
  sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer | Promise<Answer>, sending: Sending): void;
  sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void;
  /** The status and headers that are set on `reply`, without a body. */
  sendEmpty(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts and logs an answer that Fastify sends itself. */
  record(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts and logs an answer that was given outside Fastify; the request may not even have had a method. */
  recordRaw(requestId: string, problem: Problem): void;
};

export function openSender({
  log,
  metrics,
  phase,
  requestTimeoutMs,
  always,
  places,
}: {
  log: Log;
  metrics: Metrics;
  phase: () => Phase;
  requestTimeoutMs: number;
  /** The headers of every answer. */
  always: Readonly<Record<string, string>>;
  /** The amounts in the document of a problem. */
  places: Places | null;
}): Sender {
  return { sendAnswer, sendProblem, sendEmpty: deliver, record, recordRaw };

  function sendAnswer(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer | Promise<Answer>,
    sending: Sending,
  ): void {
    // A promise and a timer cost more than a small read, so an answer that is ready is sent without them.
    if (answer instanceof Promise) sendLater(request, reply, answer, sending);
    else sendNow(request, reply, answer, sending);
  }

  /** `timed_out` when it takes too long. The work itself continues; a retry finds out what it did. */
  function sendLater(request: FastifyRequest, reply: FastifyReply, answer: Promise<Answer>, sending: Sending): void {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      fail(reply, timedOut(TOO_LATE));
    }, requestTimeoutMs);
    // Callbacks instead of a chain of promises, because every payment comes this way.
    answer.then(
      (made) => {
        if (isLate) return dropStream(made);
        clearTimeout(timer);
        try {
          sendNow(request, reply, made, sending);
        } catch (error) {
          fail(reply, error);
        }
      },
      (error) => {
        if (isLate) return;
        clearTimeout(timer);
        fail(reply, error);
      },
    );
  }

  function sendNow(request: FastifyRequest, reply: FastifyReply, answer: Answer, sending: Sending): void {
    if (answer.light === true) request.context.lighten?.();
    const { Vary, ...headers } = answer.headers ?? {};
    reply.headers(headers);
    // After the cookie of a session that was renewed meanwhile: browsers keep the last of two.
    for (const cookie of answer.cookies ?? []) reply.header('Set-Cookie', cookie);
    if (Vary !== undefined) reply.header('Vary', [reply.getHeader('Vary') ?? [], Vary].flat().join(', '));
    if (answer.status !== undefined) reply.code(answer.status);
    if ('unchanged' in answer) {
      reply.code(304);
      if (!sending.isSecret) tagAsHeld(request, reply);
    } else if (headers['Content-Type'] === undefined) reply.header('Content-Type', JSON_TYPE);
    if ('stream' in answer) {
      const coding = sending.isSecret ? null : codeAnswer(request, reply, null);
      deliverStream(request, reply, { pieces: answer.stream, coding, isLive: true }, () =>
        sending.mayGoOn(answer.readAs),
      );
      return;
    }
    const payload = payloadOf(answer);
    const length = lengthOf(payload);
    const coding = sending.isSecret || length === 0 ? null : codeAnswer(request, reply, length);
    if (coding === null) deliver(request, reply, ...payload);
    else if (length <= AT_ONCE) deliver(request, reply, coded(payload, coding));
    else deliverStream(request, reply, { pieces: piecesOf(payload), coding, isLive: false }, async () => true);
  }

  function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.context.problem = problem.code;
    // Fastify closes the connection behind a body that is too large. Many callers (Python's urllib among them) are still sending
    // then, get a reset and never read the answer. If the connection stays open, Node discards the rest of the body.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('Connection')) reply.header('Connection', 'keep-alive');
    reply
      .code(problem.status)
      .headers(problem.headers)
      .header('Content-Type', problem.code === 'oauth_request' || 'error' in problem.facts ? JSON_TYPE : PROBLEM_TYPE);
    const document = problem.document(request.id, echoedId(request));
    const { plain } = numbersOf({ headers: request.headers, caller: request.context.caller });
    deliver(request, reply, JSON.stringify(plain ? plainValue(document, places) : document));
  }

  function deliver(request: FastifyRequest, reply: FastifyReply, ...payload: readonly (string | Buffer)[]): void {
    const draining = phase() === 'draining';
    const length = lengthOf(payload);
    const headers = headersOf(request, reply, draining);
    // RFC 9110 section 8.6: an answer without content has no length either.
    if (reply.statusCode !== 204 && reply.statusCode !== 304) headers['content-length'] = length;
    record(request, reply);
    if (draining || !reply.raw.shouldKeepAlive) afterBody(request.raw, () => write(reply, headers, payload));
    else write(reply, headers, payload);
  }

  /** It is counted and logged when it begins, like every answer. An aborted one closes its connection, so that the caller notices. */
  function deliverStream(
    request: FastifyRequest,
    reply: FastifyReply,
    { pieces, coding, isLive }: { pieces: AsyncIterator<string | Buffer>; coding: Coding | null; isLive: boolean },
    mayGoOn: () => Promise<boolean>,
  ): void {
    record(request, reply);
    reply.hijack();
    reply.raw.writeHead(reply.statusCode, headersOf(request, reply, phase() === 'draining'));
    const { socket } = reply.raw;
    const whole = coding === null ? pieces : compressPieces(pieces, coding, { isLive });
    const sent = request.method === 'HEAD' ? nothingOf(pieces) : whole;
    sendPieces(reply.raw, sent, { patienceMs: requestTimeoutMs, mayGoOn })
      .then(() => {
        // It may have begun before the service drained, with a head that keeps the connection.
        if (phase() === 'draining') socket?.end();
      })
      .catch((error) => {
        log.failure('response aborted', error, { requestId: request.id, route: request.context.route });
      });
  }

  function headersOf(request: FastifyRequest, reply: FastifyReply, draining: boolean): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = {
      ...always,
      'x-request-id': echoedId(request),
      'daybook-request-id': request.id,
      ...(reply.getHeaders() as OutgoingHttpHeaders),
    };
    if (draining) headers.connection = 'close';
    return headers;
  }

  function record(request: FastifyRequest, reply: FastifyReply): void {
    const { context } = request;
    if (context.recorded) return;
    context.recorded = true;
    if (!request.raw.complete) answeredEarly.add(request.raw);
    const { route, problem, caller } = context;
    const seconds = (performance.now() - context.started) / 1000;
    metrics.observe(request.method, route, reply.statusCode, seconds);
    if (PROBES.has(route) && reply.statusCode < 400) return;
    if (!log.logsRequests) return;
    log.request({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(seconds * 1e5) / 100,
      ...(problem === null ? {} : { code: problem }),
      ...(caller === null ? {} : { clientId: caller.clientId }),
    });
  }

  function recordRaw(requestId: string, { status, code }: Problem): void {
    metrics.observe('unknown', 'unknown', status, 0);
    log.request({ requestId, method: 'unknown', route: 'unknown', status, ms: 0, code });
  }
}

/**
 * Straight to Node's response: the text is ready, and Fastify's way of sending it costs as much as making it. One text goes to the kernel
 * in one piece with the head.
 */
function write(reply: FastifyReply, headers: OutgoingHttpHeaders, payload: readonly (string | Buffer)[]): void {
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, headers);
  // Several chunks go together, without being copied into one.
  if (payload.length > 1) {
    raw.cork();
    for (const chunk of payload.slice(0, -1)) raw.write(chunk);
  }
  raw.end(payload.at(-1));
}

function lengthOf(payload: readonly (string | Buffer)[]): number {
  let length = 0;
  for (const chunk of payload) length += Buffer.byteLength(chunk);
  return length;
}

function coded(payload: readonly (string | Buffer)[], coding: Coding): Buffer {
  const only = payload.length === 1 ? payload[0] : undefined;
  return compressNow(only ?? Buffer.concat(payload.map((chunk) => Buffer.from(chunk as string))), coding);
}

function payloadOf(answer: Answer): readonly (string | Buffer)[] {
  if ('text' in answer) return [answer.text];
  if ('chunks' in answer) return answer.chunks;
  return 'body' in answer ? [JSON.stringify(answer.body)] : [];
}

/** Through the error handler. Fastify would send anything but an error as an answer. */
function fail(reply: FastifyReply, error: unknown): void {
  reply.send(
    error instanceof Error ? error : new Error('Something that is not an error was thrown.', { cause: error }),
  );
}

/** No caller reads a stream that begins after its request has timed out. */
function dropStream(answer: Answer): void {
  if ('stream' in answer) answer.stream.return?.().catch(() => {});
}

const TOO_LATE =
  'The request took too long and may or may not have taken effect; send it again with the same reference.';

const DISCARD_MS = 5_000;

/**
 * Before an answer that closes the connection: reads the rest of the body and discards it, for at most `DISCARD_MS`. Closing
 * the socket while the caller still sends would reset the connection, and the answer would be lost.
 */
function afterBody(raw: IncomingMessage, then: () => void): void {
  if (raw.complete || raw.destroyed) {
    then();
    return;
  }
  const finish = () => {
    clearTimeout(timer);
    raw.off('end', finish).off('close', finish);
    then();
  };
  const timer = setTimeout(finish, DISCARD_MS);
  raw.on('end', finish).on('close', finish).resume();
}
