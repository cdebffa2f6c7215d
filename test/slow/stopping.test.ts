/** A stop comes to its end whatever the database does: in the promised time, with its last line, and without a server left behind. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openPlace } from '../../src/store/db/embedded/cluster.ts';
import { processesTitled } from '../../src/store/db/embedded/processes.ts';
import { migratedDataDir } from '../support/data-dir.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { fundLoans, signalDatabase } from '../support/faults.ts';
import { startGate } from '../support/gate.ts';
import { urlOf } from '../support/server.ts';
import { call, endAll, eventually, newDataDir, type Service, startService } from '../support/service.ts';

const PATIENT = { timeout: 120_000 };
/** DRAIN_SECONDS (0) and 30, and what a loaded machine takes to notice. */
const PROMISED_MS = 31_000;
const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-stopping-tests',
  apiKey: 'first-api-key-of-the-stopping-tests',
};

afterEach(endAll, 60_000);

/** With loans, so that every part has something to do. */
async function busyService(dataDir: string, env: Record<string, string>): Promise<Service> {
  const service = await startService({
    dataDir,
    credentials: FIRST,
    env: { LOG_LEVEL: 'info', RATE_LIMIT: '0', ...env },
  });
  const token = await service.token();
  await fundLoans({ url: service.url, token, apiKey: FIRST.apiKey }, 3);
  return service;
}

async function stopped(service: Service): Promise<{ code: number | null; ms: number; last: string }> {
  const began = performance.now();
  const code = await service.stop('SIGTERM');
  const last = service.output().trim().split('\n').at(-1) ?? '';
  return { code, ms: performance.now() - began, last };
}

describe('the embedded database', () => {
  test.each([
    ['its folder was removed', (dataDir: string) => rmSync(join(dataDir, 'postgres'), { recursive: true })],
    ['its processes are suspended', (dataDir: string) => signalDatabase(dataDir, 'all', 'SIGSTOP')],
    ['its folder was moved away, and it was killed', killed],
  ])('%s', PATIENT, async (_, fault) => {
    const dataDir = await migratedDataDir();
    const service = await busyService(dataDir, {});
    const { name } = openPlace(dataDir);
    fault(dataDir);
    // While requests run.
    const token = await service.token().catch(() => 'none');
    void call(service.url, 'GET', '/v2/chain/loans', { token }).catch(() => {});
    const { ms, last } = await stopped(service);
    expect(ms).toBeLessThan(PROMISED_MS);
    expect(last).toContain('"msg":"stopped"');
    expect(service.output()).not.toContain('unhandled rejection');
    await eventually(() => processesTitled(`postgres: ${name}: `).length === 0, 5_000);
  });
});

function killed(dataDir: string): void {
  signalDatabase(dataDir, 'all');
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'moved'));
}

describe('an outside database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test.each([
    ['it breaks every connection', 'close'],
    ['it answers nothing any more', 'silence'],
  ] as const)('%s', PATIENT, async (_, fault) => {
    const gate = await startGate(database.connection);
    gate.open();
    const env = { DATABASE_URL: urlOf(database.connection, gate.port), MASTER_KEY: '5a'.repeat(32) };
    const service = await busyService(newDataDir(), { ...env, DRAIN_SECONDS: '0' });
    // A refusal that is counted, and would be stored at the end.
    await call(service.url, 'GET', '/v2/chain/me', { token: 'none' });
    gate[fault]();
    const { ms, last } = await stopped(service);
    expect(ms).toBeLessThan(PROMISED_MS);
    expect(last).toContain('"msg":"stopped"');
    expect(service.output()).not.toContain('unhandled rejection');
    gate.end();
  });
});
