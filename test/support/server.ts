/** Databases on the server of the tests: made from a template, dropped with force. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Connection, type Db, openDb } from '../../src/store/db/db.ts';

/** The server that `setup.ts` passes to every test. */
export type TestServer = {
  /** A connection that may create databases, to the maintenance database. */
  connection: Connection;
  /** The user that owns the databases and uses them: a role with no other right, as for the service. Null: the user that creates them. */
  owner: { user: string; password: string } | null;
  /** Begins the name of every database of this run; they are always dropped at its end. */
  prefix: string;
  /** A database with every migration applied, that does not accept connections. */
  template: string;
  /** Further servers that have each of the databases under the same name: those of a Citus coordinator. */
  workers: readonly Connection[];
};

/** The report of the keeper: the server, and a DATA_DIR with every migration applied, to be copied. */
export type KeeperReport = { server: TestServer; dataDir: string };

/** PostgreSQL refuses to copy a database that has a connection; an autovacuum worker counts as one. */
const TEMPLATE_IN_USE = '55006';
const ATTEMPTS = 20;

type Made = Pick<TestServer, 'connection' | 'owner' | 'workers'>;

/** A distributed database is copied with what each of its servers knows of the others, which are looked for by the name of the copy. */
export async function createDatabase(
  { connection, owner, workers }: Made,
  name: string,
  template: string,
): Promise<void> {
  await Promise.all([connection, ...workers].map((server) => createOn(server, owner, name, template)));
}

async function createOn(server: Connection, owner: TestServer['owner'], name: string, template: string): Promise<void> {
  const whose = owner === null ? '' : ` OWNER ${owner.user}`;
  await withServer(server, async (admin) => {
    for (let attempt = 1; ; attempt++) {
      try {
        // Copied as files: through the log, as is the default, it takes twice the processor time.
        await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy${whose}`);
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== TEMPLATE_IN_USE || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
      }
    }
  });
}

/** Ends all connections: a failed test must not leave its database behind. */
export async function dropDatabase(
  { connection, workers }: Pick<TestServer, 'connection' | 'workers'>,
  name: string,
): Promise<void> {
  for (const server of [connection, ...workers]) {
    await withServer(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  }
}

/** One of its databases, as its owner. */
export function connectionTo(
  { connection, owner }: Pick<TestServer, 'connection' | 'owner'>,
  database: string,
): Connection {
  if (!('connectionString' in connection)) return { ...connection, ...owner, database };
  const url = new URL(connection.connectionString);
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

/** With owners and modes, in milliseconds where the file system can share the blocks. */
export async function copyFolder(from: string, to: string): Promise<string> {
  await promisify(execFile)('cp', ['-a', from, to]);
  return to;
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
