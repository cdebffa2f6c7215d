/** Two processes on one database, one of them with a clock that is a day off: good tokens of both are good at both, and nobody is locked out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { fundLoans } from '../support/faults.ts';
import { urlOf } from '../support/server.ts';
import { call, endAll, newDataDir, type Service, startService } from '../support/service.ts';

const PATIENT = 120_000;
const DAY = 86_400_000;
const FIRST = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-tests-of-clocks',
  apiKey: 'first-api-key-of-the-tests-of-clocks',
};
/** More than the bad tokens that an address may send before it has to wait. */
const MANY = 130;

describe.each([
  ['ahead', DAY],
  ['behind', -DAY],
])('a day %s', (_, shift) => {
  let database: TestDatabase;
  let [right, wrong]: Service[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    const env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY: '5a'.repeat(32), RATE_LIMIT: '0' };
    right = await startService({ dataDir: newDataDir(), credentials: FIRST, env });
    const off = {
      NODE_OPTIONS: `--import ${new URL('../support/shifted-clock.mjs', import.meta.url).href}`,
      CLOCK_SHIFT_MS: String(shift),
    };
    wrong = await startService({ dataDir: newDataDir(), credentials: FIRST, env: { ...env, ...off } });
  }, PATIENT);
  afterAll(async () => {
    await endAll();
    await database.drop();
  }, PATIENT);

  test('tokens of each are good at both, for as many requests as there are', { timeout: PATIENT }, async () => {
    const [one, other] = [right, wrong] as [Service, Service];
    for (const from of [one, other]) {
      for (const to of [one, other]) {
        const token = await from.token();
        const seen = new Set<number>();
        for (let n = 0; n < MANY; n++) seen.add((await call(to.url, 'GET', '/v2/chain/me', { token })).status);
        expect([...seen]).toEqual([200]);
      }
    }
  });

  test('the wrong one reads, writes nothing, and says why', { timeout: PATIENT }, async () => {
    const [one, other] = [right, wrong] as [Service, Service];
    const token = await one.token();
    const [loanId] = await fundLoans({ url: one.url, token, apiKey: FIRST.apiKey }, 1);
    const read = (at: Service) => call(at.url, 'GET', `/v2/chain/loans/${loanId}/summary`, { token });
    // By the day of the database: the same figures.
    expect((await read(other)).body).toEqual((await read(one)).body);
    // A payment would be forwarded to the other process; a new loan is made where it arrives.
    const body = { applicationId: 'A-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', loanAmount: '1000' };
    const made = await call(other.url, 'POST', '/v2/chain/loans', {
      token,
      key: FIRST.apiKey,
      body: { ...body, interestRate: '7.25', term: 12 },
    });
    expect([made.status, made.body.code]).toEqual([503, 'unavailable']);
    const ready = await call(other.url, 'GET', '/readyz');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '10']);
    expect(ready.body.detail).toContain(`s ${shift > 0 ? 'ahead of' : 'behind'} the database's`);
  });
});
