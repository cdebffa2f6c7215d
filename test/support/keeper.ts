/**
 * Keeps the PostgreSQL server of a test run, in a process of its own: `setup.ts` starts it, reads one line of
 * JSON (a `TestServer`) from its output, and closes its input when the tests are over. However the tests end, by
 * themselves, by Ctrl-C or by `kill -9`, the input closes, and then nothing is left: no server, no folder, no database.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDays } from '../../src/store/by-day.ts';
import { type Connection, DatabaseUnavailable, openDb } from '../../src/store/db.ts';
import { openPlace, readPassword } from '../../src/store/embedded/cluster.ts';
import { SUPERUSER } from '../../src/store/embedded/roles.ts';
import { EmbeddedPostgresError, startPostgres } from '../../src/store/embedded.ts';
import { migrate, readMigrations } from '../../src/store/migrate.ts';
import { openVolumes } from '../../src/store/volumes.ts';
import { connectionTo, createDatabase, dropDatabase, type TestServer, withServer } from './server.ts';

const url = process.env.TEST_DATABASE_URL;
const prefix = `daybook_test_${randomBytes(6).toString('hex')}_`;
try {
  await keep();
} catch (error) {
  if (error instanceof DatabaseUnavailable && url) console.error('The server at TEST_DATABASE_URL cannot be reached.');
  else console.error(error instanceof EmbeddedPostgresError ? error.message : error);
  process.exitCode = 1;
}

async function keep(): Promise<void> {
  const server = url
    ? { connection: { connectionString: url }, owner: null, stop: async () => {} }
    : await startEmbedded();
  try {
    const { connection, owner } = server;
    const template = await makeTemplate({ connection, owner }, `${prefix}template`);
    const given: TestServer = { connection, owner, prefix, template };
    // The reader may have ended already; then the input has ended too.
    process.stdout.on('error', () => {}).write(`${JSON.stringify(given)}\n`);
    await once(process.stdin.resume(), 'end');
  } finally {
    // The embedded server's databases are removed with its folder; on another server they would stay.
    if (url) await dropDatabases(server.connection).catch(() => {});
    await server.stop();
  }
}

/** Data need not survive a crash here, so nothing is flushed to disk. */
async function startEmbedded(): Promise<Pick<TestServer, 'connection' | 'owner'> & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-test-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const dataDir = join(folder, 'data');
    const { connection, stop } = await startPostgres({ dataDir, own: true, settings });
    const { user, password } = connection;
    // Databases are made by the superuser; the tests use them as the service does.
    const superuser = { user: SUPERUSER, password: readPassword(openPlace(dataDir)), database: 'postgres' };
    return {
      connection: { ...connection, ...superuser },
      owner: { user, password },
      stop: () => stop().finally(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeTemplate(server: Pick<TestServer, 'connection' | 'owner'>, name: string): Promise<string> {
  await createDatabase(server, name, 'template0');
  const db = openDb(connectionTo(server, name));
  try {
    await migrate(db, await readMigrations());
    await openVolumes(db, null);
    await makeDays(db);
  } finally {
    await db.close();
  }
  await withServer(server.connection, (admin) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`));
  return name;
}

async function dropDatabases(connection: Connection): Promise<void> {
  const list = 'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)';
  const left = await withServer(connection, (admin) => admin.query<{ name: string }>(list, [prefix]));
  for (const { name } of left) await dropDatabase(connection, name);
}
