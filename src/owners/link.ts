/** The link to another process: one connection, opened when first needed and reopened after it breaks. */
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Frames, openFrames } from './frames.ts';
import { TLS } from './tls.ts';

/**
 * - `answered`: the other process has processed or refused it, and this is its answer.
 * - `away`: it has not processed it and will not. `lasting`: nor would it process the next one.
 * - `unknown`: it was sent and no answer came. `lasting`: nor would one come to the next, because the connection is lost or silent.
 */
export type Sent =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'away'; readonly lasting: boolean }
  | { readonly kind: 'unknown'; readonly lasting: boolean };

export type Link = {
  send(message: object, limitMs: number): Promise<Sent>;
  /** Sends nothing more; still waits for answers to what was sent. */
  retire(): void;
};

/** Limit for the connection and both proofs, which take a few milliseconds on a network between machines. */
const CONNECT_MS = 1_000;

type Connection = {
  socket: TLSSocket;
  frames: Frames;
  waiting: Map<number, (sent: Sent) => void>;
  /** The number of answers so far. */
  heard: number;
  /** It has stopped answering: nothing more is sent on it. */
  left: boolean;
};

export function openLink(options: {
  processId: string;
  address: string;
  key: Buffer;
  /** Epoch milliseconds by the clock of the database, for the expiry of messages. */
  now: () => number;
}): Link {
  const { processId, key, now } = options;
  const place = placeOf(options.address);
  let connection: Promise<Connection | null> | null = null;
  let number = 0;
  let retired = false;
  const open = new Set<Connection>();

  return {
    async send(message, limitMs) {
      if (retired) return { kind: 'away', lasting: true };
      connection ??= connect();
      const found = await connection;
      if (found === null) return { kind: 'away', lasting: true };
      return ask(found, message, limitMs);
    },
    retire() {
      retired = true;
      for (const one of open) if (one.waiting.size === 0) one.socket.destroy();
    },
  };

  function connect(): Promise<Connection | null> {
    if (place === null) return Promise.resolve(null);
    const { promise, resolve } = Promise.withResolvers<Connection | null>();

    const socket = connectTls({
      ...TLS,
      ...place,
      pskCallback: () => ({ psk: key, identity: processId }),
      // The key is the identity: there is no certificate whose name could be checked.
      checkServerIdentity: () => undefined,
    });
    const one: Connection = {
      socket,
      waiting: new Map(),
      heard: 0,
      left: false,
      frames: openFrames(socket, (of, answer) => {
        one.heard += 1;
        settle(one, of, told(answer));
      }),
    };
    const timer = setTimeout(() => socket.destroy(), CONNECT_MS);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 5_000);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      open.add(one);
      resolve(one);
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      open.delete(one);
      if (connection === promise) connection = null;
      resolve(null);
      for (const of of [...one.waiting.keys()]) settle(one, of, { kind: 'unknown', lasting: true });
    });
    // An open link does not keep the process alive.
    socket.unref();
    return promise;
  }

  function ask(one: Connection, message: object, limitMs: number): Promise<Sent> {
    number = (number + 1) >>> 0;
    const of = number;
    if (!one.frames.send(of, { until: now() + limitMs, message }))
      return Promise.resolve({ kind: 'away', lasting: false });
    const { heard } = one;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // One slow answer does not mean that a connection on which others arrive is broken.
        const isSilent = one.heard === heard;
        if (isSilent) leave(one);
        settle(one, of, { kind: 'unknown', lasting: isSilent });
      }, limitMs);
      one.waiting.set(of, (sent) => {
        clearTimeout(timer);
        resolve(sent);
      });
    });
  }

  /** The next message opens a new connection. */
  function leave(one: Connection): void {
    if (!one.left) connection = null;
    one.left = true;
  }

  function settle(one: Connection, of: number, sent: Sent): void {
    const resolve = one.waiting.get(of);
    if (resolve === undefined) return;
    one.waiting.delete(of);
    resolve(sent);
    if ((retired || one.left) && one.waiting.size === 0) one.socket.destroy();
  }
}

function told(answer: unknown): Sent {
  const { done, away } = (answer ?? {}) as { done?: unknown; away?: unknown };
  if (done !== undefined) return { kind: 'answered', answer: done };
  return away === undefined ? { kind: 'unknown', lasting: false } : { kind: 'away', lasting: away === 'closing' };
}

/** host:port, or [host]:port for IPv6; null: neither. */
function placeOf(address: string): { host: string; port: number } | null {
  const [, host = '', port = ''] = /^\[?([^[\]]+)\]?:(\d{1,5})$/.exec(address) ?? [];
  return host === '' || Number(port) > 65_535 ? null : { host, port: Number(port) };
}
