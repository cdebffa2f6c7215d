/** The database a process works with: the server that `databaseUrl` names, or the embedded one under `dataDir`. */
import { type Db, openDb } from './db.ts';
import { type EmbeddedPostgresEvent, startPostgres } from './embedded.ts';

export type OpenedDatabase = { db: Db; close(): Promise<void> };

export async function openDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  pool: number;
  /** The service owns the embedded server; a command borrows it, or starts it for its own time. */
  own: boolean;
  onEvent?: (event: EmbeddedPostgresEvent) => void;
}): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir, pool, own, onEvent } = options;
  if (databaseUrl !== null) {
    const db = openDb({ connectionString: databaseUrl }, { max: pool });
    return { db, close: () => db.close() };
  }
  const embedded = await startPostgres({ dataDir, own, ...(onEvent ? { onEvent } : {}) });
  const db = openDb(embedded.connection, { max: pool });
  return {
    db,
    async close() {
      await db.close();
      await embedded.stop();
    },
  };
}
