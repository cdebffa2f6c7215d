/**
 * Keeps the PostgreSQL server of a test run, in a process of its own: `setup.ts` starts it, reads one line of
 * JSON (a `KeeperReport`) from its output, and closes its input when the tests are over. However the tests end, by
 * themselves, by Ctrl-C or by `kill -9`, the input closes, and then nothing is left: no server, no folder, no database.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { makeDays } from '../../src/store/db/by-day.ts';
import { type Connection, DatabaseUnavailable, type Db, openDb } from '../../src/store/db/db.ts';
import { openPlace, readPassword } from '../../src/store/db/embedded/cluster.ts';
import { DATABASE, SUPERUSER } from '../../src/store/db/embedded/roles.ts';
import { EmbeddedPostgresError, openDataFolder, startPostgres } from '../../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../../src/store/db/migrate.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { distribute, joinServers, nodesOf, onNode } from './citus.ts';
import { databaseFolder } from './folder.ts';
import {
  connectionTo,
  copyFolder,
  createDatabase,
  dropDatabase,
  type KeeperReport,
  type TestServer,
  withServer,
} from './server.ts';

/** A Citus coordinator, over whose servers each database is spread, or a plain server. Neither: an embedded one. */
const citus = process.env.TEST_CITUS_URL;
const url = citus ?? process.env.TEST_DATABASE_URL;
/** Data need not survive a crash here, so nothing is flushed to disk. */
const UNFLUSHED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const prefix = `daybook_test_${randomBytes(6).toString('hex')}_`;
try {
  await keep();
} catch (error) {
  if (error instanceof DatabaseUnavailable && url)
    console.error(`The server at ${citus ? 'TEST_CITUS_URL' : 'TEST_DATABASE_URL'} cannot be reached.`);
  else console.error(error instanceof EmbeddedPostgresError ? error.message : error);
  process.exitCode = 1;
}

async function keep(): Promise<void> {
  const folder = await mkdtemp(join(databaseFolder(), 'daybook-test-'));
  let stop = async () => {};
  try {
    const dataDir = join(folder, 'migrated');
    await makeDataDir(dataDir);
    const { stop: stopped, ...server } = url
      ? { connection: { connectionString: url }, owner: null, workers: await workersAt(url), stop }
      : await startEmbedded(await copyFolder(dataDir, join(folder, 'data')));
    stop = stopped;
    const template = await makeTemplate(server, `${prefix}template`);
    const given: KeeperReport = { server: { ...server, prefix, template }, dataDir };
    // The reader may have ended already; then the input has ended too.
    process.stdout.on('error', () => {}).write(`${JSON.stringify(given)}\n`);
    await once(process.stdin.resume(), 'end');
    // The embedded server's databases are removed with its folder; on another server they would stay.
    if (url) await dropDatabases(server).catch(() => {});
  } finally {
    // Browsers have their profiles there, and may be ending at this moment.
    await stop().finally(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  }
}

/** A migrated DATA_DIR as a command leaves it: no service has been started there. */
async function makeDataDir(dataDir: string): Promise<void> {
  openDataFolder(dataDir);
  openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId);
  const { connection, stop } = await startPostgres({ dataDir, own: true, settings: UNFLUSHED });
  try {
    await migrated(connection);
  } finally {
    await stop();
  }
}

type Server = Pick<TestServer, 'connection' | 'owner' | 'workers'>;

async function workersAt(coordinator: string): Promise<Connection[]> {
  if (!citus) return [];
  const connection = { connectionString: coordinator };
  return (await nodesOf(connection)).workers.map((worker) => onNode(connection, worker));
}

async function startEmbedded(dataDir: string): Promise<Server & { stop(): Promise<void> }> {
  // Ten services share it in the long tests.
  const settings = { ...UNFLUSHED, max_connections: '200' };
  const { connection, stop } = await startPostgres({ dataDir, own: true, settings });
  const { user, password } = connection;
  // Databases are made by the superuser; the tests use them as the service does.
  const superuser = { user: SUPERUSER, password: readPassword(openPlace(dataDir)), database: 'postgres' };
  return { connection: { ...connection, ...superuser }, owner: { user, password }, workers: [], stop };
}

async function makeTemplate(server: Server, name: string): Promise<string> {
  // The embedded server has its migrated database already.
  await createDatabase(server, name, url ? 'template0' : DATABASE);
  const template = connectionTo(server, name);
  if (citus) await joinServers(template, await nodesOf(server.connection));
  if (url) await migrated(template, citus ? distribute : undefined);
  for (const one of [server.connection, ...server.workers]) {
    await withServer(one, async (admin) => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      // Citus keeps connections between its servers open, and a process that looks after the database.
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    });
  }
  return name;
}

async function migrated(connection: Connection, then: (db: Db) => Promise<void> = async () => {}): Promise<void> {
  const db = openDb(connection);
  try {
    await migrate(db, await readMigrations());
    await openVolumes(db, null);
    await then(db);
    await makeDays(db);
  } finally {
    await db.close();
  }
}

async function dropDatabases(server: Server): Promise<void> {
  const list = 'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)';
  const left = await withServer(server.connection, (admin) => admin.query<{ name: string }>(list, [prefix]));
  for (const { name } of left) await dropDatabase(server, name);
}
