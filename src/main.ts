/**
 * The service: reads its settings, listens, opens the database, and serves until it is told to stop. It listens first, so that
 * a busy port is found at once and a health check gets its 503 while the database starts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccess } from './access/access.ts';
import { bootstrap } from './access/bootstrap.ts';
import { WrongMasterKey } from './access/tokens.ts';
import { type Config, ConfigError, loadMasterKey, readConfig, VARIABLES } from './config.ts';
import { buildApp, type Phase } from './http/app.ts';
import { describe, openLog } from './http/log.ts';
import { openMetrics } from './http/metrics.ts';
import type { Services } from './http/operation.ts';
import { DatabaseUnavailable } from './store/db.ts';
import { EmbeddedPostgresError } from './store/embedded.ts';
import { MigrationError, migrate, readMigrations } from './store/migrate.ts';
import { type OpenedDatabase, openDatabase } from './store/open.ts';

/** How long requests under way may still take once the service is told to stop. */
const DRAIN_MS = 25_000;

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  const width = Math.max(...VARIABLES.map(([name]) => name.length));
  console.log('Daybook, an open loan servicing service.\n\nUsage: npm start\n\nSettings are environment variables:');
  for (const [name, meaning] of VARIABLES) console.log(`  ${name.padEnd(width)}  ${meaning}`);
  process.exit(0);
}

const config = readSettings();
const log = openLog(config.logLevel);
let phase: Phase = 'starting';
let services: Services | null = null;
let database: OpenedDatabase | null = null;

const app = await buildApp({
  settings: config,
  log,
  metrics: openMetrics({ pool: () => database?.db.stats() ?? { total: 0, idle: 0, waiting: 0 }, process: true }),
  clock: Date.now,
  phase: () => phase,
  services: () => services,
  databaseAnswers: async () => {
    const asked = database?.db.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return Promise.race([asked ?? false, delay(2_000, false, { ref: false })]);
  },
});
const address = await app.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') return stopWith(2, `PORT ${config.port} is in use: choose another with PORT=…`);
  if (error.code === 'EACCES') return stopWith(2, `PORT ${config.port} needs rights this user does not have.`);
  return stopWith(2, `HOST must be an address of this machine (${error.code}).`);
});

let stopping: Promise<void> | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal is a person in a hurry. The embedded database is left to the next start, which adopts it.
    if (stopping !== null) process.exit(130);
    stopping = shutDown(signal);
  });
}
process.on('unhandledRejection', (error) => log.failure('unhandled rejection', error));
process.on('uncaughtException', (error) => {
  // The state of the process is unknown now: say where, and end; what was answered is on disk.
  console.error(`Daybook stopped: ${JSON.stringify(describe(error))}`);
  process.exit(1);
});

const starting = start().catch((error: unknown) => {
  if (stopping !== null) return;
  const known = [ConfigError, EmbeddedPostgresError, MigrationError, WrongMasterKey].some(
    (kind) => error instanceof kind,
  );
  return abandon(known ? 2 : 1, known ? (error as Error).message : `Start failed: ${JSON.stringify(describe(error))}`);
});

async function start(): Promise<void> {
  const masterKey = loadMasterKey(config);
  database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    pool: config.databasePool,
    own: true,
    onEvent: ({ kind, detail }) => log.event(`database ${kind}`, detail === undefined ? {} : { detail }),
  });
  const { db } = database;
  const migrations = await readMigrations();
  await whenReachable(() => migrate(db, migrations, ({ name }, ms) => log.event('migration applied', { name, ms })));
  const access = openAccess({ db, clock: Date.now, masterKey });
  await whenReachable(() => access.start());
  const first = await bootstrap(db, {
    ...(config.bootstrap.clientId === null ? {} : { clientId: config.bootstrap.clientId }),
    ...(config.bootstrap.clientSecret === null ? {} : { clientSecret: config.bootstrap.clientSecret }),
    ...(config.bootstrap.apiKey === null ? {} : { apiKey: config.bootstrap.apiKey }),
    clock: Date.now,
    masterKey,
    unlimited: config.databaseUrl === null,
  });
  if (stopping !== null) return;
  services = { access };
  phase = 'ready';
  greet(first);
}

/** A server that is not there yet (it may be starting beside us) is waited for; any other failure is final. */
async function whenReachable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || stopping !== null) throw error;
      log.event('waiting for the database', describe(error.cause));
      await delay(1_000);
    }
  }
}

async function shutDown(why: string): Promise<void> {
  phase = 'draining';
  log.event('draining', { why });
  setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref();
  await app.close();
  await starting;
  services?.access.stop();
  await database?.close();
  log.event('stopped');
  log.flush();
  process.exit(0);
}

/** The start failed: nothing is left running. */
async function abandon(exitCode: number, message: string): Promise<never> {
  services?.access.stop();
  await database?.close().catch(() => {});
  return stopWith(exitCode, message);
}

function stopWith(exitCode: number, message: string): never {
  console.error(message);
  process.exit(exitCode);
}

function readSettings(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return stopWith(2, error.message);
    throw error;
  }
}

/** What a person needs to begin. Secrets are shown on a terminal only; everywhere else they stay in their file. */
function greet(first: { created: boolean; clientId?: string; clientSecret?: string; apiKey?: string }): void {
  const lines = ['', `  Daybook is ready at   ${address}/v2/${config.area}`, `  Playground            ${address}/docs`];
  const file = join(config.dataDir, 'credentials.json');
  const shown = relative(process.cwd(), file);
  const given =
    config.bootstrap.clientId !== null && config.bootstrap.clientSecret !== null && config.bootstrap.apiKey !== null;
  if (first.created && !given) {
    const { clientId, clientSecret, apiKey } = first;
    mkdirSync(config.dataDir, { recursive: true });
    writeFileSync(file, `${JSON.stringify({ clientId, clientSecret, apiKey }, null, 2)}\n`, { mode: 0o600 });
    if (process.stdout.isTTY) {
      lines.push('', `  Client id             ${clientId}`, `  Client secret         ${clientSecret}`);
      lines.push(`  API key               ${apiKey}`, `  (shown this once; kept in ${shown})`);
    } else {
      lines.push(`  Credentials           ${shown}`);
    }
  } else if (given) {
    lines.push(`  Client                as BOOTSTRAP_* says`);
  } else {
    lines.push(`  Credentials           ${shown} (made at the first start)`);
  }
  console.log(`${lines.join('\n')}\n`);
}
