/** A service whose database is rolled back behind its last root: while it runs, and at its next starts. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { urlOf } from '../support/server.ts';
import { call, cli, endAll, eventually, newDataDir, spawnService, startService } from '../support/service.ts';

const PATIENT = 90_000;
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await endAll();
  await database.drop();
}, PATIENT);

const hash = (number: number) => `0x${String(number).padStart(64, '0')}`;
const add = (number: number) =>
  database.db.query(`INSERT INTO ledger_roots VALUES ($1, sha256(''), sha256(''), '[]', sha256(''), '[]', now(), $2)`, [
    number,
    `\\x${hash(number).slice(2)}`,
  ]);

test('is not ready, refuses to start, and continues from the root that the operator names', {
  timeout: PATIENT,
}, async () => {
  const dataDir = newDataDir();
  const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32) };
  await add(1);
  await add(2);
  const service = await startService({ dataDir, env });
  await eventually(() => existsSync(join(dataDir, 'ledger-root.json')));
  expect((await call(service.url, 'GET', '/readyz')).status).toBe(200);

  await database.db.query('DELETE FROM ledger_roots WHERE number = 2');
  await eventually(async () => (await call(service.url, 'GET', '/readyz')).status === 503);
  const { body } = await call(service.url, 'GET', '/readyz');
  expect(body.detail).toContain('does not contain root 2 of the ledger');
  await eventually(() => service.output().includes('the database was rolled back or replaced'));
  expect(service.output().split('the database was rolled back or replaced')).toHaveLength(2);
  await service.stop();

  const refused = spawnService({ dataDir, env });
  expect(await refused.ended).toBe(2);
  expect(refused.output()).toMatch(/^The last root of the ledger was number 2 .* ACCEPT_RESTORE=0x0+1\.\n$/);
  const checked = await cli(['verify'], { ...env, DATA_DIR: dataDir });
  expect(checked.code).toBe(1);
  expect(checked.output).toContain('root 2 differs from the one in ledger-root.json');
  for (const accepted of [{ ACCEPT_RESTORE: hash(1) }, {}]) {
    const again = await startService({ dataDir, env: { ...env, ...accepted } });
    expect((await call(again.url, 'GET', '/readyz')).status).toBe(200);
    await again.stop();
  }
});

test('verify says that a database lacks writes which the service has missed, although it has the root', {
  timeout: PATIENT,
}, async () => {
  const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32), DATA_DIR: newDataDir() };
  mkdirSync(env.DATA_DIR, { recursive: true });
  await add(9);
  const mark = (more: object) =>
    writeFileSync(join(env.DATA_DIR, 'ledger-root.json'), `${JSON.stringify({ number: 9, hash: hash(9), ...more })}\n`);
  const SET_BACK = 'ledger_roots: after root 9 the database was set back to an older copy while the service ran';
  mark({});
  expect((await cli(['verify'], env)).output).not.toContain(SET_BACK);
  mark({ setBack: true });
  const checked = await cli(['verify'], env);
  expect(checked.code).toBe(1);
  expect(checked.output).toContain(SET_BACK);
});
