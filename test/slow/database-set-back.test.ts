/** A database that is set back to an older copy while payments run: nothing hangs, nothing more is served, and a start asks the operator. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { migratedDataDir } from '../support/data-dir.ts';
import { testDatabase } from '../support/database.ts';
import { fundLoans, send, signalDatabase } from '../support/faults.ts';
import { connectionTo, copyFolder, dropDatabase, urlOf, withServer } from '../support/server.ts';
import {
  type Answered,
  call,
  endAll,
  eventually,
  newDataDir,
  type Service,
  spawnService,
  startService,
} from '../support/service.ts';

const PATIENT = { timeout: 180_000 };
const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-set-back-tests',
  apiKey: 'first-api-key-of-the-set-back-tests',
};
const ALARM = 'the database was rolled back or replaced';
const LOANS = 24;
const kept = (dataDir: string) => existsSync(join(dataDir, 'ledger-root.json'));
afterAll(endAll, 60_000);

const entranceOf = async (service: Service) => ({
  url: service.url,
  token: await service.token(FIRST),
  apiKey: FIRST.apiKey,
});
type Entrance = Awaited<ReturnType<typeof entranceOf>>;

/** One payment on each loan, together. */
function payAll(entrance: Entrance, loanIds: readonly string[], name: string): Promise<number[]> {
  const pay = async (loanId: string) =>
    (await send(entrance, 'POST', '/loan-repay', { loanId, refId: `${name}-1`, amount: '1.00' }, `${name}${loanId}`))
      .status;
  return Promise.all(loanIds.map(pay));
}

/** Payments one after the other on all loans, until `ends`. */
async function load(entrance: Entrance, loanIds: readonly string[], ends: () => boolean): Promise<void> {
  await Promise.all(
    loanIds.map(async (loanId, i) => {
      for (let n = 0; !ends(); n++) {
        const body = { loanId, refId: `load-${i}-${n}`, amount: '0.50' };
        await send(entrance, 'POST', '/loan-repay', body).catch(() => null);
      }
    }),
  );
}

/** The answers of a process that has noticed it, to callers and to the operator. */
async function expectRefused(service: Service, entrance: Entrance, loanId: string): Promise<void> {
  const { token } = entrance;
  await eventually(
    async () => (await call(service.url, 'GET', '/readyz')).body.detail?.includes('A restart explains'),
    60_000,
  );
  expect((await call(service.url, 'GET', '/healthz')).status).toBe(200);
  const body = { loanId, refId: 'after', amount: '1.00' };
  const asked: Answered[] = [
    await call(service.url, 'POST', '/v2/chain/loan-repay', { token, body }),
    await call(service.url, 'GET', `/v2/chain/loans/${loanId}/summary`, { token }),
    await call(service.url, 'POST', '/v2/chain/auth-token', {
      body: { clientId: FIRST.clientId, clientSecret: FIRST.clientSecret },
    }),
  ];
  for (const answer of asked) {
    expect(answer.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
    expect(answer.body.detail).toContain('set back to an older copy');
    expect(answer.headers.get('retry-after')).toBe('60');
  }
  await eventually(() => service.output().includes(ALARM));
  expect(service.output().split(ALARM)).toHaveLength(2);
}

async function expectAccepted(dataDir: string, env: Record<string, string>): Promise<void> {
  const refused = spawnService({ dataDir, credentials: FIRST, env });
  expect(await refused.ended).toBe(2);
  const accepted = /ACCEPT_RESTORE=(\S+)\.\n/.exec(refused.output())?.[1] ?? '';
  const again = await startService({ dataDir, credentials: FIRST, env: { ...env, ACCEPT_RESTORE: accepted } });
  expect((await call(again.url, 'GET', '/readyz')).status).toBe(200);
  const entrance = await entranceOf(again);
  const [loanId = ''] = await fundLoans(entrance, 1, 'accepted');
  expect(await payAll(entrance, [loanId], 'accepted')).toEqual([200]);
  expect(await again.stop()).toBe(0);
}

test('the folder of the embedded one, by some seconds', PATIENT, async () => {
  const dataDir = await migratedDataDir();
  const env = { RATE_LIMIT: '0' };
  const service = await startService({ dataDir, credentials: FIRST, env });
  const entrance = await entranceOf(service);
  const old = await fundLoans(entrance, LOANS, 'old');
  await eventually(() => kept(dataDir));
  signalDatabase(dataDir, 'all', 'SIGSTOP');
  await copyFolder(join(dataDir, 'postgres'), join(dataDir, 'copy'));
  signalDatabase(dataDir, 'all', 'SIGCONT');
  // Some that the copy lacks, and payments on all.
  const loans = [...old, ...(await fundLoans(entrance, LOANS, 'lost'))];
  for (const name of ['a', 'b', 'c']) expect(new Set(await payAll(entrance, loans, name))).toEqual(new Set([200]));

  let over = false;
  const loading = load(entrance, loans, () => over);
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'newer'));
  renameSync(join(dataDir, 'copy'), join(dataDir, 'postgres'));
  signalDatabase(dataDir, 'all');
  await expectRefused(service, entrance, loans[0] as string).finally(() => {
    over = true;
  });
  await loading;
  expect(await service.stop()).toBe(0);
  await expectAccepted(dataDir, env);
});

test('an outside one that is swapped, for two processes', PATIENT, async () => {
  const server = inject('server');
  const database = await testDatabase();
  const [{ name } = { name: '' }] = await database.db.query<{ name: string }>('SELECT current_database() AS name');
  await database.db.close();
  const away = async (work: string[]) =>
    withServer(server.connection, async (admin) => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      for (const text of work) await admin.query(text);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    });
  const env = { DATABASE_URL: urlOf(connectionTo(server, name)), MASTER_KEY: '5a'.repeat(32), RATE_LIMIT: '0' };
  const dataDirs = [newDataDir(), newDataDir()];
  const services: Service[] = [];
  for (const dataDir of dataDirs) services.push(await startService({ dataDir, credentials: FIRST, env }));
  const [one, other] = services as [Service, Service];
  const entrances = [await entranceOf(one), await entranceOf(other)] as const;
  const old = await fundLoans(entrances[0], LOANS, 'old');
  await eventually(() => dataDirs.every(kept));
  const owner = server.owner === null ? '' : ` OWNER ${server.owner.user}`;
  await away([`CREATE DATABASE ${name}_copy TEMPLATE ${name} STRATEGY file_copy${owner}`]);
  const loans = [...old, ...(await fundLoans(entrances[0], LOANS, 'lost'))];
  for (const [i, entrance] of entrances.entries()) await payAll(entrance, loans, `p${i}`);

  let over = false;
  const loading = Promise.all(entrances.map((entrance) => load(entrance, loans, () => over)));
  await away([`ALTER DATABASE ${name} RENAME TO ${name}_newer`, `ALTER DATABASE ${name}_copy RENAME TO ${name}`]);
  try {
    await expectRefused(one, entrances[0], loans[0] as string);
    await expectRefused(other, entrances[1], loans[0] as string);
  } finally {
    over = true;
  }
  await loading;
  for (const service of services) await service.stop();
  for (const dataDir of dataDirs) await expectAccepted(dataDir, env);
  for (const left of [name, `${name}_newer`]) await dropDatabase(server, left);
});
