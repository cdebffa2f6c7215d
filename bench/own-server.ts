/** An embedded PostgreSQL of a bench's own, with empty tables, in a folder that is removed at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDb } from '../src/store/db/db.ts';
import { type EmbeddedPostgres, startPostgres } from '../src/store/db/embedded.ts';
import { migrate, readMigrations } from '../src/store/db/migrate.ts';
import { openVolumes } from '../src/store/db/volumes.ts';

/** Filling takes as long as it takes. */
export const SLOW = { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000, idleTransactionMs: 600_000 };

export async function withServer(
  work: (db: Db, connection: EmbeddedPostgres['connection']) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  try {
    const server = await startPostgres({ dataDir, own: true });
    const db = openDb(server.connection, SLOW);
    try {
      await migrate(db, await readMigrations());
      await openVolumes(db, null);
      await work(db, server.connection);
    } finally {
      await db.close();
      await server.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
