/**
 * Requests that never reach Fastify: malformed, too large headers, too slow, CONNECT, or an unknown expectation. They are answered
 * on the socket itself. A good request with malformed bytes behind it still gets its answer, and no request gets two.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, Problem, unavailable } from '../shared/problems.ts';

/** The headers of every answer, and how one that was given here is counted and logged. */
export type RawAnswers = {
  always: Readonly<Record<string, string>>;
  record(requestId: string, problem: Problem): void;
};

/** The code of a request that is not complete when the service stops (`closing.ts`). */
export const STOPPING = 'DAYBOOK_STOPPING';

/** Malformed, too large headers, or too slow. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, answers: RawAnswers): void {
  // A request that was answered before its body was complete has its answer; a second one would belong to no request.
  const incoming = (socket as ParsedSocket).parser?.incoming;
  const answered = incoming != null && !incoming.complete && answeredEarly.has(incoming);
  if (isReset(error) || !socket.writable || answered) {
    socket.destroy();
    return;
  }
  const underway = underwayOn(socket);
  if (underway?.req.complete) {
    // Complete requests came before the malformed bytes. Their answers go first: a refusal in their place would tell the caller
    // that a payment was not understood while it is being made.
    if (spoilt.has(socket)) return;
    spoilt.add(socket);
    underway.once('close', () => {
      spoilt.delete(socket);
      answerBrokenRequest(error, socket, answers);
    });
    return;
  }
  // Bytes behind a request with "Connection: close": it has its answer, and the rest is not read.
  if (error.code === 'HPE_CLOSED_CONNECTION') {
    socket.end();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers_too_large', 'The headers are larger than 16 KiB.')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Problem('request_timeout', 'The request did not arrive in time.')
        : error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
          ? new Problem('payload_too_large', 'The chunk extensions are too large.')
          : error.code === STOPPING
            ? unavailable('The service is shutting down and the request was not complete; send it again.')
            : new Problem('malformed_request', 'The request is not valid HTTP/1.1.');
  answerRaw(socket, problem, answers);
}

/** CONNECT, and any `Expect` but `100-continue`, which Node reports separately from requests. */
export function answerUnserved(server: Server, answers: RawAnswers): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const requestId = randomUUID();
    const problem = new Problem('expectation_failed', 'Only "Expect: 100-continue" is supported.');
    const body = JSON.stringify(problem.document(requestId));
    response.writeHead(problem.status, {
      ...answers.always,
      'Content-Type': PROBLEM_TYPE,
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': requestId,
      Connection: 'close',
    });
    response.end(body);
    answers.record(requestId, problem);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerRaw(socket, new Problem('method_not_allowed', 'This server is not a proxy.'), answers);
  });
}

function answerRaw(socket: Socket, problem: Problem, answers: RawAnswers): void {
  // An answer that is being sent on this socket must not be mixed with a second one.
  if (underwayOn(socket)?.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify(problem.document(requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${REASONS[problem.status] ?? 'Error'}`,
    ...Object.entries(answers.always).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
    ...(problem.status === 405 ? ['Allow: GET, POST'] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  answers.record(requestId, problem);
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** The members that Node keeps on a socket: the answer that is being sent, and the request whose bytes are arriving. */
type ParsedSocket = Socket & {
  _httpMessage?: ServerResponse<IncomingMessage> | null;
  parser?: { incoming?: IncomingMessage | null } | null;
};
const underwayOn = (socket: Socket) => (socket as ParsedSocket)._httpMessage;
/** Requests whose answer was complete before their body was. */
export const answeredEarly = new WeakSet<IncomingMessage>();
/** Sockets with an answer under way and malformed bytes behind its request. */
const spoilt = new WeakSet<Socket>();

export function isReset(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ECONNRESET';
}
