/** The database of a command: the running service's, or one that is started for the duration of the command. */
import { type Config, readConfig } from '../config.ts';
import { hasDatabase } from '../key-files/data-dir.ts';
import { openMasterKeys } from '../key-files/master-keys.ts';
import { measureSkew, skewProblem } from '../loans/door/skew.ts';
import type { Db } from '../store/db/db.ts';
import { openDataFolder } from '../store/db/embedded.ts';
import { migrationStatus, readMigrations } from '../store/db/migrate.ts';
import { type OpenedDatabase, openDatabase } from '../store/db/open.ts';
import { openVolumes } from '../store/db/volumes.ts';
import { type ChangeableMasterKeys, masterKeyId } from '../vault/master-keys.ts';
import { UsageError } from './arguments.ts';

/** `makes`: the command may create the database. Other commands need an existing one: a misspelt DATA_DIR must not create a new database. */
type Needs = { readonly makes?: boolean };

/** For commands that need no master key: migrations and exports. */
export async function withDatabase(work: (db: Db) => Promise<void>, needs: Needs = {}): Promise<void> {
  const config = readSettings(needs);
  // The embedded database must not be created before its master key.
  if (config.databaseUrl === null) openMasterKeys(config, masterKeyId);
  await useDatabase(config, ({ db }) => work(db));
}

export type Opened = {
  readonly config: Config;
  readonly db: Db;
  /** For statements that may take minutes. */
  readonly cycleDb: Db;
  readonly masterKeys: ChangeableMasterKeys;
};

export async function withMasterKeys(work: (opened: Opened) => Promise<void>, needs: Needs = {}): Promise<void> {
  const config = readSettings(needs);
  const masterKeys = openMasterKeys(config, masterKeyId);
  await useDatabase(config, ({ db, cycleDb }) => work({ config, db, cycleDb, masterKeys }));
}

function readSettings({ makes = false }: Needs): Config {
  const config = readConfig(process.env);
  if (config.databaseUrl === null && !hasDatabase(config) && !makes) {
    throw new UsageError(
      `There is no database in DATA_DIR (${config.dataDir}): start the service once, or set DATA_DIR to the folder that holds it.`,
    );
  }
  if (config.databaseUrl === null) openDataFolder(config.dataDir);
  return config;
}

/** Ctrl-C ends the command and stops the database if the command started it. */
async function useDatabase(config: Config, work: (opened: OpenedDatabase) => Promise<void>): Promise<void> {
  let stopped = false;
  const opening = openDatabase({ ...config, pool: 2, own: false });
  const end = (signal: NodeJS.Signals) => {
    if (stopped) return;
    stopped = true;
    const exit = () => process.exit(signal === 'SIGINT' ? 130 : 143);
    opening.then(({ close }) => close()).then(exit, exit);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  const opened = await opening;
  try {
    await work(opened);
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    if (!stopped) await opened.close();
  }
}

/** For commands that depend on the date or time: this machine's clock must agree with the database's. */
export async function expectRightClock(db: Db): Promise<void> {
  const wrong = skewProblem(await measureSkew({ db, clock: Date.now }));
  if (wrong !== null) throw new UsageError(wrong);
}

/** For commands that read loans and must not migrate. */
export async function expectMigrated(db: Db): Promise<void> {
  const states = await migrationStatus(db, await readMigrations());
  if (states.some(({ state }) => state !== 'applied')) {
    throw new UsageError(
      'The database is not up to date: start the service, which brings it up to date, or run `npm run migrate`.',
    );
  }
  await openVolumes(db, null);
}
