/** The database a process works with: the server that `databaseUrl` names, or the embedded one under `dataDir`. */
import { type Db, openDb } from './db.ts';
import { type EmbeddedPostgresEvent, startPostgres } from './embedded.ts';

export type OpenedDatabase = {
  db: Db;
  /** Two connections for access alone, so that work that keeps all others busy cannot block authentication. */
  accessDb: Db;
  close(): Promise<void>;
};

export async function openDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  pool: number;
  /** The service owns the embedded server; a command borrows it, or starts it for its own time. */
  own: boolean;
  onEvent?: (event: EmbeddedPostgresEvent) => void;
}): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir, pool, own, onEvent } = options;
  const embedded = databaseUrl === null ? await startPostgres({ dataDir, own, ...(onEvent ? { onEvent } : {}) }) : null;
  const connection = embedded?.connection ?? { connectionString: databaseUrl ?? '' };
  const db = openDb(connection, { max: pool });
  const accessDb = openDb(connection, { max: 2 });
  return {
    db,
    accessDb,
    async close() {
      await Promise.all([db.close(), accessDb.close()]);
      await embedded?.stop();
    },
  };
}
