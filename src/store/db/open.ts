/** The database a process works with: the server that `databaseUrl` names, or the embedded one under `dataDir`. */
import { type Db, openDb, serversFor } from './db.ts';
import { type EmbeddedPostgresEvent, startPostgres } from './embedded.ts';

export type OpenedDatabase = {
  db: Db;
  /** Two connections for access alone, so that work that occupies all others cannot block authentication. */
  accessDb: Db;
  /** Two connections for the nightly cycle, whose statements may take minutes: it takes none from requests. */
  cycleDb: Db;
  /** The replica that DATABASE_READ_URL names. */
  replica: Db | null;
  /** Whether the server currently accepts writes, as far as both pools know. */
  takesWrites(): Promise<boolean>;
  /** Work under way has a moment to end, and after that its connections are dropped; the embedded server stops within the limit. */
  close(limitMs?: number): Promise<void>;
};

/** The primary answers when the replica does not, so it is not waited for as long. */
const REPLICA = { connectMs: 500, statementTimeoutMs: 9_000, silenceMs: 10_000 };

/** One statement adds up the interest of all loans of an organization. */
const CYCLE = { max: 2, statementTimeoutMs: 600_000, silenceMs: 660_000, idleTransactionMs: 60_000 };

export async function openDatabase(options: {
  databaseUrl: string | null;
  databaseReadUrl: string | null;
  dataDir: string;
  pool: number;
  /** The service owns the embedded server; a command borrows it, or starts it for its own time. */
  own: boolean;
  onEvent?: (event: EmbeddedPostgresEvent) => void;
}): Promise<OpenedDatabase> {
  const { databaseUrl, databaseReadUrl, dataDir, pool, own, onEvent } = options;
  const embedded = databaseUrl === null ? await startPostgres({ dataDir, own, ...(onEvent ? { onEvent } : {}) }) : null;
  const connection = embedded?.connection ?? { connectionString: databaseUrl ?? '' };
  const servers = serversFor(connection);
  const db = openDb(connection, { max: pool }, servers);
  const accessDb = openDb(connection, { max: 2 }, servers);
  const cycleDb = openDb(connection, CYCLE, servers);
  const replica =
    databaseReadUrl === null
      ? null
      : openDb({ connectionString: asReplica(databaseReadUrl) }, { max: pool, ...REPLICA });
  return {
    db,
    accessDb,
    cycleDb,
    replica,
    takesWrites: async () => (await Promise.all([db, accessDb].map((one) => one.takesWrites()))).every((yes) => yes),
    async close(limitMs) {
      const began = performance.now();
      const pools = [db, accessDb, cycleDb, ...(replica === null ? [] : [replica])];
      const grace = limitMs === undefined ? undefined : limitMs / 4;
      // A pool that cannot be closed does not keep the server running.
      const closed = await Promise.allSettled(pools.map((pool) => pool.close(grace)));
      await embedded?.stop(limitMs === undefined ? undefined : limitMs - (performance.now() - began));
      for (const one of closed) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/** A promoted server is no longer a replica: unless the URL says otherwise, it must be in recovery. */
function asReplica(url: string): string {
  if (/[?&]target_session_attrs=/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}target_session_attrs=standby`;
}
