/**
 * The database of the service, from before it is open until it is closed: the master keys, the server, the last root of the ledger, the
 * migrations, the volumes and daily tables, and the root secrets.
 */
import { openRootSecrets } from '../access/root-secrets.ts';
import type { Config } from '../config.ts';
import { openRootWatch, type RootWatch } from '../jobs/root-watch.ts';
import { keepRoot, keptRoot } from '../key-files/ledger-root.ts';
import { openMasterKeys } from '../key-files/master-keys.ts';
import { makeDays } from '../store/db/by-day.ts';
import { openDataFolder } from '../store/db/embedded.ts';
import { migrate, readMigrations } from '../store/db/migrate.ts';
import { type OpenedDatabase, openDatabase } from '../store/db/open.ts';
import { openVolumes } from '../store/db/volumes.ts';
import { masterKeyId } from '../vault/master-keys.ts';
import type { WhenReachable } from './when-reachable.ts';

const NOT_OPEN = { total: 0, idle: 0, waiting: 0 };

type DatabaseOptions = {
  config: Config;
  log: { event(message: string, facts: Readonly<Record<string, string | number>>): void };
};

export function openServiceDatabase({ config, log }: DatabaseOptions) {
  let opened: OpenedDatabase | null = null;
  let roots: RootWatch | null = null;
  let closed: Promise<void> | null = null;
  return {
    start,
    /** The connections of requests; zeros until it is open. */
    stats: () => opened?.db.stats() ?? NOT_OPEN,
    /** Whether it is open and the server currently accepts writes. */
    takesWrites: async () => opened?.takesWrites() ?? false,
    /** The reason why the database lacks the last root of the ledger; null: it has it. */
    rootProblem: () => roots?.problem() ?? null,
    /** Closes what is open; repeating it waits for the first. */
    async close(limitMs?: number): Promise<void> {
      closed ??= opened?.close(limitMs) ?? null;
      await closed;
    },
  };

  async function start(whenReachable: WhenReachable) {
    // Keys that the operator provides are read before the folder is created; the embedded default keeps its keys in it.
    const given = config.masterKeyFile === null ? null : openMasterKeys(config, masterKeyId);
    if (config.databaseUrl === null) openDataFolder(config.dataDir);
    const masterKeys = given ?? openMasterKeys(config, masterKeyId);
    const database = await openDatabase({
      databaseUrl: config.databaseUrl,
      databaseReadUrl: config.databaseReadUrl,
      dataDir: config.dataDir,
      pool: config.databasePool,
      own: true,
      onEvent: ({ kind, detail }) => log.event(`database ${kind}`, detail === undefined ? {} : { detail }),
    });
    opened = database;
    const { db, accessDb, cycleDb, replica } = database;
    const watch = openRootWatch({ db, kept: () => keptRoot(config), keep: (root) => keepRoot(config, root) });
    roots = watch;
    await whenReachable(() => watch.admit(config.acceptRestore));
    const migrations = await readMigrations();
    const applied = ({ number, name }: { number: number; name: string }, ms: number) =>
      log.event('migration applied', { number, name, ms: Math.round(ms) });
    await whenReachable(() => migrate(db, migrations, applied));
    const volumes = await whenReachable(() => openVolumes(db, config.volumes));
    for (const other of [replica, accessDb, cycleDb]) other?.useVolumes(volumes);
    await whenReachable(() => makeDays(db));
    const secrets = await whenReachable(() => openRootSecrets(db, masterKeys));
    return { db, accessDb, cycleDb, replica, masterKeys, secrets, roots: watch };
  }
}
