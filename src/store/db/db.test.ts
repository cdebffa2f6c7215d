import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { urlOf } from '../../../test/support/server.ts';
import { type Connection, DatabaseUnavailable, type Db, OutcomeUnknown, openDb } from './db.ts';
import { asUnavailable } from './unavailable.ts';

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

test('a server that stops answering is unavailable, and a new connection is tried when there is one', async () => {
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

describe('a server that cannot serve now', () => {
  const raise = (code: string) => `DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '${code}'; END $$`;
  const troubled = ['25006', '28000', '28P01', '3D000', '53000', '53100', '53200', '53300', '53400', '55000', '58030'];
  const others = ['08006', '25P03', '57P01', '57P02', '57P03', '57P04'];

  test.each([...troubled, ...others])(
    '%s: unavailable, nothing changed, and the connection is dropped',
    async (code) => {
      const db = open(database.connection, { max: 1 });
      const pid = async () => (await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid;
      const before = await pid();
      for (const fails of [() => db.query(raise(code)), () => db.transaction((tx) => tx.query(raise(code)))]) {
        const error: unknown = await fails().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(DatabaseUnavailable);
        // The server has reported that it did not do it.
        expect(error).not.toBeInstanceOf(OutcomeUnknown);
      }
      expect(await pid()).not.toBe(before);
      // One that answers reads and refuses writes, or new connections, does not become ready by answering a read.
      expect(await db.takesWrites()).toBe(!troubled.includes(code));
    },
  );

  test('refused credentials and a missing database are mistakes at the start, and unavailability later', () => {
    for (const code of ['28000', '28P01', '3D000']) {
      const error = Object.assign(new Error('refused'), { code });
      expect(asUnavailable(error, false)).toBe(error);
      expect(asUnavailable(error, true)).toBeInstanceOf(DatabaseUnavailable);
    }
  });

  test('other errors stay what they are', async () => {
    const db = open(database.connection, { max: 1 });
    for (const code of ['23505', '22003', '42501', 'XX000', '55P03', '40001']) {
      await expect(db.query(raise(code))).rejects.toMatchObject({ code });
    }
    expect(await db.takesWrites()).toBe(true);
  });

  test('a read-only server is not connected to', async () => {
    const plain = urlOf(database.connection);
    const url = `${plain}${plain.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`;
    const db = open({ connectionString: url }, { max: 1 });
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ name: 'DatabaseUnavailable', cause: { code: '25006' } });
    await expect(db.session((session) => session.query('SELECT 1'))).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await db.takesWrites()).toBe(false);
    const any = open({ connectionString: `${url}&target_session_attrs=any` }, { max: 1 });
    expect(await any.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  test('a write whose connection is cut has an unknown outcome; a read does not', async () => {
    const way = await openWay(database.connection);
    const db = open(way.connection, { max: 1, silenceMs: 200 });
    const cut = async (text: string) => {
      await db.query('SELECT 1');
      way.silence();
      return db.query(text).catch((thrown: unknown) => thrown);
    };
    expect(await cut('UPDATE one_row SET n = n')).toBeInstanceOf(OutcomeUnknown);
    expect(await cut('WITH moved AS (UPDATE one_row SET n = n RETURNING n) SELECT n FROM moved')).toBeInstanceOf(
      OutcomeUnknown,
    );
    expect(await cut('SELECT n FROM one_row')).not.toBeInstanceOf(OutcomeUnknown);
    const committing: unknown = await db
      .transaction(async (tx) => {
        await tx.query('UPDATE one_row SET n = n');
        way.silence();
      })
      .catch((thrown: unknown) => thrown);
    expect(committing).toBeInstanceOf(OutcomeUnknown);
    await db.close();
    opened.splice(opened.indexOf(db), 1);
    await way.close();
  });
});

test('of several servers one that goes silent is left for another, long before its connections time out', async () => {
  const ways = [await openWay(database.connection), await openWay(database.connection)] as const;
  const [first, second] = ways.map(({ connection }) => new URL(urlOf(connection))) as [URL, URL];
  const both = urlOf(ways[0].connection).replace(first.host, `${first.host},${second.host}`);
  const db = open({ connectionString: both }, { max: 2 });
  const moved = Promise.withResolvers<void>();
  db.onMoved(() => moved.resolve());
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  // Each has the connection that watches it; one has that of the statement as well.
  const used = ways[0].open() > ways[1].open() ? ways[0] : ways[1];
  used.silence();
  used.stop();
  // Waits for an answer that never comes: thirty seconds if no other server were tried.
  const stuck = db.query('SELECT 1 AS n');
  stuck.catch(() => {});
  await moved.promise;
  await expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await db.close();
  opened.splice(opened.indexOf(db), 1);
  await Promise.all(ways.map((way) => way.close()));
});

/** A proxy to the server that can silence all its connections: they stay open, and no data passes any more. */
async function openWay(
  connection: Connection,
): Promise<{ connection: Connection; open(): number; silence(): void; stop(): void; close(): Promise<void> }> {
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
    open: () => ways.size,
    silence() {
      for (const [from, to] of ways) {
        from.unpipe(to).pause();
        to.unpipe(from).pause();
      }
    },
    stop() {
      server.close();
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
