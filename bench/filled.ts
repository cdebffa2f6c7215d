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
import { type MasterKeys, masterKeyId } from '../src/vault/master-keys.ts';
import { startFlags, startService } from '../test/support/service.ts';
import { fillBook } from './book.ts';

const CREDENTIALS = {
  clientId: 'bench',
  clientSecret: 'bench-secret-for-measuring',
  apiKey: 'bench-key-for-measuring-it',
};

type Service = Awaited<ReturnType<typeof startService>>;

export type Filled = {
  /** For files of the benchmark; removed at the end. */
  readonly dir: string;
  readonly dataDir: string;
  readonly service: Service;
  readonly db: Db;
  readonly loanIds: string[];
  readonly masterKeys: MasterKeys;
  /**
   * Stops the service and the database server, and starts both. `service` and `db` are over with it. The result is there as soon as the
   * service is ready; the database beside it is opened meanwhile.
   */
  restart(): Promise<{ readonly service: Service; readonly db: Promise<Db> }>;
};

/** The process ends with 0 if `work` says that everything was within its limits, and with 1 otherwise. */
export async function withFilled(
  book: { loans: number; months: number; onProgress?: (done: number) => void; env?: Record<string, string> },
  work: (filled: Filled) => Promise<boolean>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const dataDir = join(dir, 'data');
  const env = { RATE_LIMIT: '0', DEMO: 'off', NODE_OPTIONS: startFlags(), ...book.env };
  const start = () => startService({ dataDir, credentials: CREDENTIALS, env });
  let service = await start();
  let beside = await openBeside(dataDir);
  const { db } = beside;
  const stop = async () => {
    await beside.db.close();
    await service.stop();
    await beside.server.stop();
  };
  const restart = async () => {
    await stop();
    service = await start();
    const opening = openBeside(dataDir).then((opened) => {
      beside = opened;
      return opened.db;
    });
    return { service, db: opening };
  };
  try {
    const { clientId } = CREDENTIALS;
    const [client] = await db.query<{ organization_id: string }>(
      'SELECT organization_id FROM clients WHERE client_id = $1',
      [clientId],
    );
    const masterKeys = openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId);
    const { loanIds } = await fillBook({
      db,
      organizationId: client?.organization_id ?? '',
      clientId,
      master: masterKeys.current(),
      loans: book.loans,
      months: book.months,
      today: new Date().toISOString().slice(0, 10) as PlainDate,
      onProgress: book.onProgress ?? (() => {}),
    });
    await db.query('ANALYZE');
    const filled = { dir, dataDir, service, db, loanIds, masterKeys, restart };
    process.exitCode = (await work(filled)) ? 0 : 1;
  } finally {
    await stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The database of a running service. */
async function openBeside(dataDir: string) {
  const server = await startPostgres({ dataDir, own: false });
  const db = openDb(server.connection, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
  await openVolumes(db, null);
  return { server, db };
}
