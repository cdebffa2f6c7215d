/** The listener for writes that other processes forward. Whoever does not know the key gets no further than the handshake. */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { type Frames, openFrames } from './frames.ts';
import { TLS } from './tls.ts';

export type Listener = {
  /** Where it listens: host:port. */
  address: string;
  /** Takes no more messages, waits for those that it has taken, and ends all connections. */
  close(): Promise<void>;
};

/** The operator's settings name an address that this process cannot listen on. */
export class AddressNotFree extends Error {
  override name = 'AddressNotFree';
  constructor(port: number, code = '') {
    super(
      code === 'EADDRINUSE'
        ? `FORWARD_PORT ${port} is in use: choose another, or leave it out.`
        : `FORWARD_HOST and FORWARD_PORT must be an address and a port that this process may listen on (${code}).`,
    );
  }
}

/** A handshake takes a few milliseconds; a connection that does not make it is ended. */
const HANDSHAKE_MS = 3_000;
/** Connections, those in their handshake included: each process has one. */
const CONNECTIONS = 256;
/** Messages that are being carried out at a time; the queue of writes takes no more than 4,096. */
const AT_A_TIME = 8_192;

export async function openListener(options: {
  listen: { host: string; port: number };
  processId: string;
  key: Buffer;
  /** Epoch milliseconds by the clock of the database. */
  now: () => number;
  /** No message counts for longer than this. */
  longestMs: number;
  /** The answer; null: this process does not carry it out. */
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
        // An answer that cannot be sent must not be waited for: the other side then knows that it does not know.
        if (!frames.send(number, answer)) socket.destroy();
        atATime -= 1;
        if (atATime === 0) idle();
      });
      connections.add(frames);
      socket.once('close', () => connections.delete(frames));
    },
  );
  server.maxConnections = CONNECTIONS;
  // A handshake that fails is no event of ours: somebody else has connected, or a process with another master key.
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
    // Whoever sent it has given it up by then, and may have done it: a message that was held up must not take effect later.
    if (typeof until !== 'number' || !(until > now()) || until > now() + 2 * longestMs) return { away: 'expired' };
    try {
      const done = await serve(message);
      return done === null ? { away: 'not taken' } : { done };
    } catch {
      return { unknown: true };
    }
  }
}
