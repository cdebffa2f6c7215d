/** The listener for writes that other processes forward. A peer that does not know the key fails in the handshake. */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { type Frames, openFrames } from './frames.ts';
import { TLS } from './tls.ts';

export type Listener = {
  /** The address it listens on: host:port. */
  address: string;
  /** Accepts no more messages, waits for those it has accepted, and ends all connections. */
  close(): Promise<void>;
};

/** The settings name an address that this process cannot listen on. */
export class AddressNotFree extends Error {
  override name = 'AddressNotFree';
  constructor(port: number, code = '') {
    super(
      code === 'EADDRINUSE'
        ? `FORWARD_PORT ${port} is already in use: choose another port, or remove the setting.`
        : `FORWARD_HOST and FORWARD_PORT must be an address and a port that this process can listen on (${code}).`,
    );
  }
}

/** A handshake takes a few milliseconds; a connection that does not complete it is closed. */
const HANDSHAKE_MS = 3_000;
/** The most connections, including those in their handshake: each process has one. */
const CONNECTIONS = 256;
/** The most messages processed at a time; the queue of writes holds no more than 4,096. */
const AT_A_TIME = 8_192;

export async function openListener(options: {
  listen: { host: string; port: number };
  processId: string;
  key: Buffer;
  /** Epoch milliseconds by the clock of the database. */
  now: () => number;
  /** No message is valid for longer than this. */
  longestMs: number;
  /** The answer; null: this process does not process the message. */
  serve: (message: unknown) => Promise<object | null>;
}): Promise<Listener> {
  const { listen, processId, key, now, longestMs, serve } = options;
  const connections = new Set<Frames>();
  let atATime = 0;
  let closing = false;
  let idle = () => {};

  const server = createServer(
    {
      ...TLS,
      handshakeTimeout: HANDSHAKE_MS,
      pskCallback: (_socket, identity) => (identity === processId ? key : null),
    },
    (socket) => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 5_000);
      socket.on('error', () => socket.destroy());
      const frames = openFrames(socket, async (number, value) => {
        atATime += 1;
        const answer = await answerTo(value);
        // If an answer cannot be sent, the connection is ended, so that the other side knows that the outcome is unknown.
        if (!frames.send(number, answer)) socket.destroy();
        atATime -= 1;
        if (atATime === 0) idle();
      });
      connections.add(frames);
      socket.once('close', () => connections.delete(frames));
    },
  );
  server.maxConnections = CONNECTIONS;
  // A failed handshake is not logged: something else has connected, or a process with another master key.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new AddressNotFree(listen.port, (error as NodeJS.ErrnoException).code)));
    server.listen(listen, resolve);
  });
  server.on('error', () => {});
  const { address, family, port: taken } = server.address() as AddressInfo;

  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      if (closing) return;
      closing = true;
      await new Promise<void>((resolve) => {
        idle = resolve;
        if (atATime === 0) resolve();
      });
      server.close();
      for (const frames of connections) frames.end();
    },
  };

  async function answerTo(value: unknown): Promise<object> {
    if (closing) return { away: 'closing' };
    if (atATime > AT_A_TIME) return { away: 'busy' };
    const { until, message } = (value ?? {}) as { until?: unknown; message?: unknown };
    // By then the sender has given up and may have written it itself: a delayed message must not take effect later.
    if (typeof until !== 'number' || !(until > now()) || until > now() + 2 * longestMs) return { away: 'expired' };
    try {
      const done = await serve(message);
      return done === null ? { away: 'not taken' } : { done };
    } catch {
      return { unknown: true };
    }
  }
}
