/** Quotas and the guard against guessing hold over all processes of one database, as they do in one, to within a second. */
import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const FIRST: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-shared-limits',
  apiKey: 'first-key-of-shared-limits',
};
const PATIENT = { timeout: 90_000 };
const QUOTA = 40;

let database: TestDatabase;
let services: [Service, Service];
let admin: string;
beforeAll(async () => {
  database = await testDatabase();
  const env = {
    DATABASE_URL: urlOf(database.connection),
    MASTER_KEY: '5a'.repeat(32),
    RATE_LIMIT: '0',
    TRUST_PROXY: 'true',
  };
  const dataDir = newDataDir();
  const start = () => startService({ dataDir, credentials: FIRST, env });
  services = [await start(), await start()];
  admin = await services[0].token();
}, PATIENT.timeout);
afterAll(async () => {
  await endAll();
  await database.drop();
}, PATIENT.timeout);

const service = (n: number) => services[n % 2] as Service;

async function newClient(rateLimitPerMinute = 0): Promise<Credentials & { token: string }> {
  const made = await call(services[0].url, 'POST', '/v2/chain/clients', {
    token: admin,
    key: FIRST.apiKey,
    body: { name: 'limited', scopes: ['loans:read'], rateLimitPerMinute },
  });
  expect(made.status, made.text).toBe(200);
  return { ...made.body.data, token: await services[0].token(made.body.data) };
}
const me = (n: number, token: string) => call(service(n).url, 'GET', '/v2/chain/me', { token });
const remainingOf = ({ headers }: Answered) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

let addresses = 0;
/** Callers are distinguished by the address that the proxy reports. */
const newAddress = () => `192.0.2.${++addresses}`;
async function signIn(n: number, address: string, clientId: string, clientSecret: string): Promise<number> {
  const answer = await fetch(`${service(n).url}/v2/chain/auth-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ clientId, clientSecret }),
  });
  await answer.text();
  return answer.status;
}

/** Both processes have exchanged all reports: a count made at one after everything else is known at the other, and the other way round. */
async function exchanged(): Promise<void> {
  const { token } = await newClient(1_000_000);
  let asked = 1;
  await me(0, token);
  for (const n of [1, 0]) {
    await eventually(async () => {
      asked += 1;
      return remainingOf(await me(n, token)) === 1_000_000 - asked;
    }, 5_000);
  }
}

test('a client gets its quota once, and what is left falls at both', PATIENT, async () => {
  const { token } = await newClient(QUOTA);
  const other = await newClient(QUOTA);
  const before = performance.now();
  const [statuses, left] = [[] as number[], [[], []] as number[][]];
  // As long as the client gets 200 from either; without reports that would be twice the quota.
  for (let n = 0; n < 4 * QUOTA; n++) {
    const answer = await me(n, token);
    statuses.push(answer.status);
    left[n % 2]?.push(remainingOf(answer));
    if (n === QUOTA / 2) await exchanged();
    if (n === QUOTA - 4) await exchanged();
  }
  expect(performance.now() - before, 'within one minute of the quota').toBeLessThan(50_000);
  const paid = statuses.filter((status) => status === 200).length;
  expect(paid).toBeGreaterThanOrEqual(QUOTA);
  expect(paid, 'the quota, and what was sent since the last exchange').toBeLessThanOrEqual(QUOTA + 8);
  for (const figures of left) expect(figures).toEqual(figures.toSorted((a, b) => b - a));
  const refused = await me(1, token);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('ratelimit-policy')).toBe(`"default";q=${QUOTA};w=60`);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await me(1, other.token)).status, 'another client').toBe(200);
});

test('a quota used up at one is used up at the other within a second', PATIENT, async () => {
  const { token } = await newClient(QUOTA);
  await me(1, token);
  for (let n = 0; n < QUOTA - 10; n++) expect((await me(0, token)).status).toBe(200);
  const since = performance.now();
  // Each read takes one unit of what is left.
  await eventually(async () => remainingOf(await me(1, token)) < 10, 5_000, 150);
  expect(performance.now() - since).toBeLessThan(2_000);
  await eventually(async () => (await me(1, token)).status === 429, 5_000);
});

test.each(['a client', 'an invented id'])(
  'wrong secrets for %s, spread over both, are stopped as at one',
  PATIENT,
  async (who) => {
    const client = await newClient();
    const clientId = who === 'a client' ? client.clientId : 'client_invented';
    const address = newAddress();
    for (let n = 0; n < 8; n++) expect(await signIn(n, address, clientId, `guess-${n}`)).toBe(401);
    await exchanged();
    // Two more are free. Both processes know of eight, and perhaps not of each other's next, so each tries up to two; without reports it
    // would be six.
    const more = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(n, address, clientId, `more-${n}`)));
    const tried = more.filter((status) => status === 401).length;
    expect(tried).toBeGreaterThanOrEqual(2);
    expect(tried).toBeLessThanOrEqual(4);
    expect(more.filter((status) => status === 429)).toHaveLength(20 - tried);
    const elsewhere = newAddress();
    const right = (n: number) => signIn(n, elsewhere, client.clientId, client.clientSecret);
    expect([await right(0), await right(1)], 'from another address').toEqual([200, 200]);
    const other = await newClient();
    expect(await signIn(1, address, other.clientId, other.clientSecret), 'another client from there').toBe(200);
  },
);

test('invented tokens from one address, sent to one, are refused at the other too', PATIENT, async () => {
  const address = newAddress();
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = async (n: number) => {
    const claims = { ...decodeJwt(admin), jti: randomBytes(8).toString('hex') };
    const token = `${part(decodeProtectedHeader(admin))}.${part(claims)}.${randomBytes(64).toString('base64url')}`;
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
    const answer = await fetch(`${service(n).url}/v2/chain/me`, { headers });
    await answer.text();
    return answer.status;
  };
  const flood = (n: number, count: number) => Promise.all(Array.from({ length: count }, () => forged(n)));
  const begun = performance.now();
  expect(new Set(await flood(0, 100))).toEqual(new Set([401]));
  await exchanged();
  const verified = (await flood(1, 100)).filter((status) => status === 401).length;
  // Ten a second are verified again.
  expect(verified).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / 100));
  expect(verified).toBeLessThan(100);
});

test('the table names no address and no id that was tried, and is empty when idle', PATIENT, async () => {
  const address = newAddress();
  expect(await signIn(0, address, 'client_tried_by_somebody', 'guess')).toBe(401);
  await exchanged();
  const rows = () => database.db.query<{ counts: object }>('SELECT counts FROM usage_reports');
  const text = JSON.stringify(await rows());
  expect(text).toContain('"invented"');
  expect(text).toContain('"wrongSecrets"');
  expect(text).not.toContain(address);
  expect(text).not.toContain('client_tried_by_somebody');
  // Old reports are removed by any running process, and no new ones are written.
  await eventually(async () => {
    await database.db.query("UPDATE usage_reports SET counted_at = counted_at - interval '2 minutes'");
    return (await rows()).length === 0;
  });
});
