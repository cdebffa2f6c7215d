/**
 * Closing the listener so that every caller gets an answer. Fastify closes idle connections and waits for running requests; what it
 * does not see is here: connections that have sent nothing yet, and requests that are not complete. Node stops enforcing its
 * time limits once the listener is closed, so those are ended here, with an answer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { STOPPING } from './raw-socket.ts';

/** The time in which a half-sent request has to arrive once the listener is closed. */
const HALF_SENT_MS = 5_000;
/** The time that running requests may still take. */
const RUNNING_MS = 25_000;

/** Call it before the server listens. The returned function closes the listener, and resolves when every connection has ended. */
export function openClosing(
  app: FastifyInstance,
): (limits?: { halfSentMs: number; runningMs: number }) => Promise<void> {
  const server: Server = app.server;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async ({ halfSentMs, runningMs } = { halfSentMs: HALF_SENT_MS, runningMs: RUNNING_MS }) => {
    const closed = app.close();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const timers = [
      setTimeout(() => {
        for (const socket of sockets) {
          if (!isRunning(socket))
            server.emit('clientError', Object.assign(new Error(STOPPING), { code: STOPPING }), socket);
        }
      }, halfSentMs),
      setTimeout(() => server.closeAllConnections(), runningMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Its request has arrived and is being answered. */
function isRunning(socket: Socket): boolean {
  const { _httpMessage: underway } = socket as Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null };
  return underway?.req.complete === true;
}
