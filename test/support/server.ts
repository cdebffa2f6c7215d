/** Databases on the server of the tests: made from a template, dropped with force. */
import { type Connection, type Db, openDb } from '../../src/store/db.ts';

/** What `setup.ts` passes to every test. */
export type TestServer = {
  /** A connection that may create databases, to the maintenance database. */
  connection: Connection;
  /** Begins the name of every database of this run; they are always dropped at its end. */
  prefix: string;
  /** A database with every migration applied, that does not accept connections. */
  template: string;
};

/** PostgreSQL refuses to copy a database that has a connection; an autovacuum worker counts as one. */
const TEMPLATE_IN_USE = '55006';
const ATTEMPTS = 20;

export async function createDatabase(server: Connection, name: string, template: string): Promise<void> {
  await withServer(server, async (admin) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== TEMPLATE_IN_USE || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
      }
    }
  });
}

/** Ends all connections: a failed test must not leave its database behind. */
export async function dropDatabase(server: Connection, name: string): Promise<void> {
  await withServer(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

/** The same server, another database. */
export function connectionTo(server: Connection, database: string): Connection {
  if (!('connectionString' in server)) return { ...server, database };
  const url = new URL(server.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.toString() };
}

export async function withServer<T>(server: Connection, work: (admin: Db) => Promise<T>): Promise<T> {
  const admin = openDb(server, { max: 1 });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** As DATABASE_URL; with a port, through a gate that listens there. */
export function urlOf(connection: Connection, gatePort?: number): string {
  if ('connectionString' in connection) {
    if (gatePort === undefined) return connection.connectionString;
    const url = new URL(connection.connectionString);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${gatePort}`;
    return url.toString();
  }
  const { host, port, user, password, database } = connection;
  const who = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  if (gatePort !== undefined) return `postgres://${who}@127.0.0.1:${gatePort}/${database}`;
  return host.startsWith('/')
    ? `postgres://${who}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${who}@${host}:${port}/${database}`;
}
