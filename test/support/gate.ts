import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '../../src/store/db/db.ts';

/**
 * A TCP proxy to the server: while closed, as at first, it breaks every connection. It keeps its port all the time, because a port that is
 * given up may be another process's a moment later.
 */
export async function startGate(connection: Connection) {
  const target = addressOf(connection);
  const sockets = new Set<Socket>();
  let isOpen = false;
  const server = createServer((from) => {
    if (!isOpen) {
      from.destroy();
      return;
    }
    const to = connect(target);
    for (const [socket, peer] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket);
          peer.destroy();
        });
      socket.pipe(peer);
    }
  }).unref();
  /** The first connection: the service has tried. */
  const asked = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    open: () => {
      isOpen = true;
    },
    /** The connections stay, and nothing passes through them any more. */
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    end: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function addressOf(connection: Connection): { path: string } | { host: string; port: number } {
  const { host, port } = 'connectionString' in connection ? partsOf(connection.connectionString) : connection;
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

function partsOf(text: string): { host: string; port: number } {
  const url = new URL(text);
  return { host: url.searchParams.get('host') ?? url.hostname, port: Number(url.port || 5432) };
}
