/** The clock of a sandbox with two processes on one database: both use it at once, and an advance is finished even if the process that received it is killed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { urlOf } from '../support/server.ts';
import {
  type Answered,
  type Credentials,
  call,
  endAll,
  eventually,
  newDataDir,
  type Service,
  startService,
} from '../support/service.ts';
import { loanIn } from '../support/statuses.ts';

const FIRST: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-a-sandbox-with-two-processes',
  apiKey: 'first-api-key-of-a-sandbox-with-two-processes',
};
const PATIENT = { timeout: 120_000 };

afterAll(endAll, PATIENT.timeout);

describe('a sandbox of two processes', PATIENT, () => {
  let database: TestDatabase;
  let processes: [Service, Service];
  let sandbox: Credentials;
  let token: string;
  let loanId: string;

  const ask = (process: Service, method: string, path: string, body?: object): Promise<Answered> =>
    call(process.url, method, `/v2/chain/${path}`, {
      token,
      key: sandbox.apiKey,
      ...(body === undefined ? {} : { body }),
    });

  beforeAll(async () => {
    database = await testDatabase({ migrated: false });
    const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32), RATE_LIMIT: '0' };
    const start = () => startService({ dataDir: newDataDir(), env, credentials: FIRST });
    const one = await start();
    processes = [one, await start()];
    const admin = await one.token(FIRST);
    const body = { name: 'Two processes', start: '2026-01-01' };
    sandbox = (await call(one.url, 'POST', '/v2/chain/sandboxes', { token: admin, body })).body.data;
    token = await one.token(sandbox);
    loanId = await loanIn(
      'Current',
      (path, more) => ask(one, 'POST', path, more),
      async () => '',
    );
  }, PATIENT.timeout);
  afterAll(async () => {
    await Promise.all((processes ?? []).map((process) => process.stop()));
    await database.drop();
  }, PATIENT.timeout);

  test('a payment through either is dated by an advance that the other has answered', async () => {
    for (let n = 2; n <= 7; n++) {
      const [mover, payer] = n % 2 === 0 ? processes : [processes[1], processes[0]];
      const today = `2026-01-0${n}`;
      const advanced = await ask(mover, 'POST', 'clock/advance', { to: today });
      expect(advanced.body.data).toMatchObject({ today, advancing: null });
      const paid = await ask(payer, 'POST', 'loan-repay', { loanId, amount: '1', refId: `DAY-${n}` });
      expect(paid.status, paid.text).toBe(200);
      expect((await ask(payer, 'GET', 'clock')).body.data.today).toBe(today);
      const last = (await ask(mover, 'GET', `loans/${loanId}/transactions`)).body.data.items.at(-1);
      expect(last.recordedAt.slice(0, 10)).toBe(today);
    }
    const tie = (await ask(processes[0], 'GET', 'ledger/tie-out')).body.data;
    expect(tie.accounts.filter(({ difference }: { difference: string }) => difference !== '0')).toEqual([]);
  });

  test('an advance whose process is killed is finished by the other', async () => {
    const [dying, other] = processes;
    const asked = ask(dying, 'POST', 'clock/advance', { to: '2028-06-01' }).catch(() => null);
    const at = async () => (await ask(other, 'GET', 'clock')).body.data.advancing?.at ?? null;
    await eventually(async () => (await at()) > '2026-01-20', 60_000, 10);
    expect(await dying.stop('SIGKILL')).toBe(null);
    await asked;
    const left = (await at()) as string;
    await eventually(async () => (await at()) > left, 60_000, 50);
    const tie = (await ask(other, 'GET', `ledger/tie-out?asOf=${left}`)).body.data;
    expect(tie.accounts.filter(({ difference }: { difference: string }) => difference !== '0')).toEqual([]);
  });
});
