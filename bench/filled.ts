/** A service in a folder of its own, with a book, and its database beside it: what a benchmark that pays or reads over HTTP begins with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import type { PlainDate } from '../src/core/calendar.ts';
import { openMasterKeys } from '../src/key-files/master-keys.ts';
import { type Db, openDb } from '../src/store/db/db.ts';
import { type EmbeddedPostgres, startPostgres } from '../src/store/db/embedded.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { masterKeyId } from '../src/vault/master-keys.ts';
import { type Service, startFlags, startService } from '../test/support/service.ts';
import { fillBook } from './book.ts';
import { end } from './measure.ts';

export const CREDENTIALS = {
  clientId: 'bench',
  clientSecret: 'bench-secret-for-measuring',
  apiKey: 'bench-key-for-measuring-it',
};

export type Filled = {
  /** For files of the benchmark; removed at the end. */
  readonly dir: string;
  readonly dataDir: string;
  readonly service: Service;
  /** Ends the service and starts it again. */
  restart(): Promise<Service>;
  /**
   * Ends the database server too, and starts both. `service` and `db` are over with it. The result is there as soon as the service is
   * ready; the database beside it is opened meanwhile.
   */
  restartAll(): Promise<{ readonly service: Service; readonly db: Promise<Db> }>;
  readonly db: Db;
  readonly connection: EmbeddedPostgres['connection'];
  readonly masterKeys: ReturnType<typeof openMasterKeys>;
  readonly loanIds: string[];
  /** The events of each loan. */
  readonly events: number;
};

/** The process ends with 0 if `work` says that everything was within its limits, and with 1 otherwise. */
export async function withFilled(
  book: { loans: number; months: number; onProgress?: (done: number) => void; env?: Record<string, string> },
  work: (filled: Filled) => Promise<boolean>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const dataDir = join(dir, 'data');
  const env = { RATE_LIMIT: '0', DEMO: 'off', NODE_OPTIONS: startFlags(), ...book.env };
  const start = () => startService({ dataDir, credentials: CREDENTIALS, env, patience: 300_000 });
  const first = await start();
  let service = first;
  const restart = async () => {
    await service.stop();
    service = await start();
    return service;
  };
  let beside = await openBeside(dataDir);
  const stop = async () => {
    await beside.db.close();
    await service.stop();
    await beside.server.stop();
  };
  const restartAll = async () => {
    await stop();
    service = await start();
    const opening = openBeside(dataDir).then((opened) => {
      beside = opened;
      return opened.db;
    });
    return { service, db: opening };
  };
  const {
    db,
    server: { connection },
  } = beside;
  try {
    const { clientId } = CREDENTIALS;
    const [client] = await db.query<{ organization_id: string }>(
      'SELECT organization_id FROM clients WHERE client_id = $1',
      [clientId],
    );
    const masterKeys = openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId);
    const { loanIds, events } = await fillBook({
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
    const own = { db, connection, masterKeys, loanIds, events };
    end(await work({ dir, dataDir, service: first, restart, restartAll, ...own }));
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
