/** A process whose event loop stands still ends by itself and says where; its embedded database goes on, and the next start takes it over. */
import { afterAll, expect, test } from 'vitest';
import { migratedDataDir } from '../support/data-dir.ts';
import { fundLoans } from '../support/faults.ts';
import { call, endAll, eventually, postmasterOf, startService } from '../support/service.ts';

const PATIENT = { timeout: 120_000 };
const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-watchdog-tests',
  apiKey: 'first-api-key-of-the-watchdog-tests',
};
const SPINNING = { NODE_OPTIONS: `--import ${new URL('../support/spinning.mjs', import.meta.url).href}` };
afterAll(endAll);

test('it ends with its own code and a line that names functions and files', PATIENT, async () => {
  const dataDir = await migratedDataDir();
  const env = { ...SPINNING, WATCHDOG_SECONDS: '2', RATE_LIMIT: '0' };
  const service = await startService({ dataDir, credentials: FIRST, env });
  const [loanId] = await fundLoans({ url: service.url, token: await service.token(), apiKey: FIRST.apiKey }, 1);
  const postmaster = postmasterOf(dataDir);
  service.process.kill('SIGUSR2');
  expect(await service.ended).toBe(70);
  const line = service
    .output()
    .split('\n')
    .find((one) => one.includes('the event loop stands still'));
  const said = JSON.parse(line ?? '{}');
  expect(said).toMatchObject({ level: 50, service: 'daybook', seconds: 2, msg: 'the event loop stands still' });
  expect(said.at[0]).toMatch(/^spinForEver \(/);
  for (const frame of said.at) expect(frame).toMatch(/^[\w$.#<> ]+ \([\w./:@+-]+\)$/);

  expect(postmasterOf(dataDir)).toBe(postmaster);
  const again = await startService({ dataDir, credentials: FIRST, env: { LOG_LEVEL: 'info' } });
  expect(again.output()).toContain('database adopted');
  const found = await call(again.url, 'GET', `/v2/chain/loans/${loanId}/summary`, { token: await again.token() });
  expect(found.status).toBe(200);
  expect(await again.stop()).toBe(0);
});

test('a process that is suspended for longer goes on', PATIENT, async () => {
  const dataDir = await migratedDataDir();
  const service = await startService({ dataDir, credentials: FIRST, env: { WATCHDOG_SECONDS: '1' } });
  service.process.kill('SIGSTOP');
  const until = performance.now() + 4_000;
  await eventually(() => performance.now() > until);
  service.process.kill('SIGCONT');
  await eventually(async () => (await call(service.url, 'GET', '/readyz')).status === 200);
  expect(await service.stop()).toBe(0);
});
