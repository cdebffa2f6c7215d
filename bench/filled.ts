/** A service in a folder of its own, with a book, and its database beside it: what a benchmark that pays or reads over HTTP begins with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import type { PlainDate } from '../src/core/calendar.ts';
import { openMasterKeys } from '../src/key-files/master-keys.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { masterKeyId } from '../src/vault/master-keys.ts';
import { startFlags, startService } from '../test/support/service.ts';
import { fillBook } from './book.ts';

const CREDENTIALS = {
  clientId: 'bench',
  clientSecret: 'bench-secret-for-measuring',
  apiKey: 'bench-key-for-measuring-it',
};

export type Filled = {
  /** For files of the benchmark; removed at the end. */
  readonly dir: string;
  readonly dataDir: string;
  readonly service: Awaited<ReturnType<typeof startService>>;
  readonly db: Db;
  readonly loanIds: string[];
};

/** The process ends with 0 if `work` says that everything was within its limits, and with 1 otherwise. */
export async function withFilled(
  book: { loans: number; months: number; onProgress?: (done: number) => void; env?: Record<string, string> },
  work: (filled: Filled) => Promise<boolean>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const dataDir = join(dir, 'data');
  const env = { RATE_LIMIT: '0', DEMO: 'off', NODE_OPTIONS: startFlags(), ...book.env };
  const service = await startService({ dataDir, credentials: CREDENTIALS, env });
  const server = await startPostgres({ dataDir, own: false });
  const db = openDb(server.connection, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
  try {
    await openVolumes(db, null);
    const { clientId } = CREDENTIALS;
    const [client] = await db.query<{ organization_id: string }>(
      'SELECT organization_id FROM clients WHERE client_id = $1',
      [clientId],
    );
    const { loanIds } = await fillBook({
      db,
      organizationId: client?.organization_id ?? '',
      clientId,
      master: openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId).current(),
      loans: book.loans,
      months: book.months,
      today: new Date().toISOString().slice(0, 10) as PlainDate,
      onProgress: book.onProgress ?? (() => {}),
    });
    await db.query('ANALYZE');
    process.exitCode = (await work({ dir, dataDir, service, db, loanIds })) ? 0 : 1;
  } finally {
    await db.close();
    await service.stop();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
