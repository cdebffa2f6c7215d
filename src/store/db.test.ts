import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { type Connection, DatabaseUnavailable, type Db, openDb } from './db.ts';

let database: TestDatabase;
const opened: Db[] = [];
const open = (...[connection, options]: Parameters<typeof openDb>) => {
  const db = openDb(connection, options);
  opened.push(db);
  return db;
};
beforeAll(async () => {
  database = await testDatabase({ migrated: false });
  await database.db.query('CREATE TABLE one_row AS SELECT 1 AS n');
});
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  await database.drop();
});

test('a statement that takes too long is unavailable, in a transaction too, and the next one works', async () => {
  const db = open(database.connection, { max: 1, statementTimeoutMs: 50 });
  await expect(db.query('SELECT pg_sleep(5)')).rejects.toBeInstanceOf(DatabaseUnavailable);
  await expect(db.transaction((tx) => tx.query('SELECT pg_sleep(5)'))).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test('an idle transaction is ended, and its locks are released', async () => {
  const still = open(database.connection, { max: 1, idleTransactionMs: 100 });
  const holds = Promise.withResolvers<void>();
  const wakes = Promise.withResolvers<void>();
  const stuck = still.transaction(async (tx) => {
    await tx.query('UPDATE one_row SET n = 2');
    holds.resolve();
    await wakes.promise;
    await tx.query('SELECT 1');
  });
  stuck.catch(() => {});
  await holds.promise;
  await database.db.query('UPDATE one_row SET n = n + 10');
  wakes.resolve();
  await expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await still.query('SELECT n FROM one_row')).toEqual([{ n: 11 }]);
});

test('a server that goes silent is unavailable, and a new connection is tried when there is one', async () => {
  const way = await openWay(database.connection);
  const db = open(way.connection, { max: 1, silenceMs: 300 });
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  way.silence();
  await expect(db.query('SELECT 1 AS n')).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  const silenced = db.transaction(async (tx) => {
    way.silence();
    return tx.query('SELECT 1 AS n');
  });
  await expect(silenced).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await db.transaction((tx) => tx.query('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  await db.close();
  opened.splice(opened.indexOf(db), 1);
  await way.close();
});

/** A proxy to the server that can silence all its connections: they stay open, and no data passes any more. */
async function openWay(
  connection: Connection,
): Promise<{ connection: Connection; silence(): void; close(): Promise<void> }> {
  const ways = new Set<[Socket, Socket]>();
  const server: Server = createServer((from) => {
    const to = connect(addressOf(connection));
    const way: [Socket, Socket] = [from, to];
    ways.add(way);
    for (const [socket, peer] of [way, [to, from] as const]) {
      socket.pipe(peer);
      socket.on('error', () => {}).on('close', () => peer.destroy());
    }
    from.on('close', () => ways.delete(way));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    connection: through(connection, port),
    silence() {
      for (const [from, to] of ways) {
        from.unpipe(to).pause();
        to.unpipe(from).pause();
      }
    },
    close() {
      // A silenced connection would not notice that its other end is gone.
      for (const [from, to] of ways) {
        from.destroy();
        to.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function addressOf(connection: Connection): { path: string } | { host: string; port: number } {
  if (!('connectionString' in connection)) {
    const { host, port } = connection;
    return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  }
  const url = new URL(connection.connectionString);
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = Number(url.port || 5432);
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

function through(connection: Connection, port: number): Connection {
  if (!('connectionString' in connection)) return { ...connection, host: '127.0.0.1', port };
  const url = new URL(connection.connectionString);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${port}`;
  return { connectionString: url.toString() };
}

test('statements of a session run one at a time, in order, and a failed one does not stop the next', async () => {
  const answers = await open(database.connection).session(async (session) => {
    const asked = [
      session.query<{ n: number }>('SELECT 1 AS n FROM pg_sleep(0.05)'),
      session.query<{ n: number }>('SELECT no_such_column'),
      session.transaction((tx) => tx.query<{ n: number }>('SELECT 2 AS n')),
      session.query<{ n: number }>('SELECT 3 AS n'),
    ];
    return Promise.allSettled(asked);
  });
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value[0]?.n : 'failed'))).toEqual([1, 'failed', 2, 3]);
});
