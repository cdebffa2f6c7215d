/** Services on a PostgreSQL server (`DATABASE_URL`): several processes on one database, and a server that is not always reachable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  allSealed,
  checkBook,
  checkDisclosures,
  checkRecords,
  type Entrance,
  fundLoans,
  openLoad,
  repeat,
  send,
  zoneAtNoon,
} from '../support/faults.ts';
import { randomFrom } from '../support/fuzz/random.ts';
import { startGate } from '../support/gate.ts';
import { atItsDatabase, signedIn } from '../support/people.ts';
import { urlOf } from '../support/server.ts';
import {
  type Answered,
  type Credentials,
  call,
  cli,
  endAll,
  eventually,
  freePort,
  newDataDir,
  type Service,
  spawnService,
  startService,
} from '../support/service.ts';

const FIRST: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-two-instances',
  apiKey: 'first-key-of-two-instances',
};
const MASTER_KEY = '5a'.repeat(32);
const PATIENT = { timeout: 90_000 };
const LONG = process.env.TEST_LONG !== undefined;
/** The number of processes that start at once on an empty database. */
const INSTANCES = LONG ? 10 : 3;
/** Requests that two of them get in all, and payments of one loan. */
const LOAD = LONG ? 1_500 : 200;
const HOT = LONG ? 250 : 60;
/** Requests that are sent to both at once. */
const SAME = LONG ? 40 : 15;
const APPLICATION = {
  borrowerId: 'B-1',
  lenderId: 'L-1',
  loanType: 'AutoLoan',
  loanAmount: '25000.00',
  interestRate: '7.25',
  term: 60,
};

afterAll(endAll, PATIENT.timeout);

describe('instances of one database', PATIENT, () => {
  const dataDir = newDataDir();
  let database: TestDatabase;
  let env: { DATABASE_URL: string; MASTER_KEY: string };
  let instances: Service[];
  beforeAll(async () => {
    database = await testDatabase({ migrated: false });
    const rest = { RATE_LIMIT: '0', TIME_ZONE: zoneAtNoon() };
    env = { DATABASE_URL: urlOf(database.connection), MASTER_KEY, ...rest };
    instances = await Promise.all(Array.from({ length: INSTANCES }, () => startService({ dataDir, env })));
  }, PATIENT.timeout);
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await database.drop();
  }, PATIENT.timeout);

  test('that start at once on an empty one create one first client, which all of them know', async () => {
    const [count] = await database.db.query<{ clients: bigint; organizations: bigint }>(
      'SELECT (SELECT count(*) FROM clients) AS clients, (SELECT count(*) FROM organizations) AS organizations',
    );
    expect(count).toEqual({ clients: 1n, organizations: 1n });
    // The last root that was seen is kept there too, once there is one.
    expect(readdirSync(dataDir).filter((name) => name !== 'ledger-root.json')).toEqual(['credentials.json']);
    const kept = readKept(dataDir);
    for (const instance of instances) {
      expect((await call(instance.url, 'GET', '/readyz')).status).toBe(200);
      expect(await who(instance, await instance.token(kept))).toBe(200);
      expect(instance.output()).not.toContain(kept.clientSecret);
    }
    // One process reports that it made the client, the others name it.
    const makers = instances.filter((instance) => !instance.output().includes('First client '));
    expect(makers).toHaveLength(1);
  });

  test('a client revoked through one is refused by the others within a second', async () => {
    const kept = readKept(dataDir);
    const [one, other] = instances as [Service, Service];
    const admin = await one.token(kept);
    const made = await call(one.url, 'POST', '/v2/chain/clients', {
      token: admin,
      key: kept.apiKey,
      body: { name: 'short', scopes: ['loans:read'] },
    });
    expect(made.status).toBe(200);
    const client: Credentials = made.body.data;
    // A token of one process is valid on the other.
    const token = await one.token(client);
    expect(await who(other, token)).toBe(200);
    const revoked = await call(one.url, 'POST', '/v2/chain/revoke-client', {
      token: admin,
      key: kept.apiKey,
      body: { clientId: client.clientId },
    });
    expect(revoked.status).toBe(200);
    const since = performance.now();
    await eventually(async () => (await who(other, token)) !== 200, 5_000, 10);
    expect(performance.now() - since).toBeLessThan(1_000);
    await eventually(async () => (await who(other, token)) === 401);
    expect(await who(one, token)).toBe(401);
  });

  test('a person disabled through one is out of the others within a second; a session works on all of them', async () => {
    const kept = readKept(dataDir);
    const [one, other] = instances as [Service, Service];
    const { person, cookie } = await atItsDatabase(env, async (service) => {
      const { userId, cookie } = await signedIn(service, ['auditor']);
      return { person: userId, cookie };
    });
    const me = async (instance: Service) =>
      (await call(instance.url, 'GET', '/v2/chain/me', { headers: cookie })).status;
    for (const instance of instances) expect(await me(instance)).toBe(200);
    const disabled = await call(one.url, 'POST', '/v2/chain/disable-user', {
      token: await one.token(kept),
      body: { userId: person },
    });
    expect(disabled.status).toBe(200);
    const since = performance.now();
    expect(await me(one)).toBe(401);
    await eventually(async () => (await me(other)) === 401, 5_000, 10);
    expect(performance.now() - since).toBeLessThan(1_000);
  });

  test('the key of another database is one line that names it', async () => {
    const wrong = spawnService({ dataDir: newDataDir(), env: { ...env, MASTER_KEY: '11'.repeat(32) } });
    expect(await wrong.ended).toBe(2);
    expect(wrong.output()).toMatch(/^MASTER_KEY does not match this database: .*\n$/);
  });

  test('a database that does not exist is one line that names DATABASE_URL', async () => {
    const connection = { ...env, DATABASE_URL: env.DATABASE_URL.replace(/\/[^/?]+(\?|$)/, '/nowhere_to_be_found$1') };
    const other = newDataDir();
    const wrong = spawnService({ dataDir: other, env: connection });
    const status = await cli(['migrate', '--status'], { DATABASE_URL: connection.DATABASE_URL, DATA_DIR: other });
    expect(await wrong.ended).toBe(2);
    for (const { code, output } of [{ code: 2, output: wrong.output() }, status]) {
      expect(output).toBe('DATABASE_URL names a database that does not exist: create it, or correct the name.\n');
      expect(code).toBe(2);
    }
    expect(existsSync(other)).toBe(false);
  });

  test('the command line works there as well, and migrations need no key', async () => {
    const { DATABASE_URL } = env;
    expect(await cli(['migrate'], { DATABASE_URL })).toMatchObject({
      code: 0,
      stdout: 'The database is up to date.\n',
    });
    const keyless = await cli(['clients', 'list'], { DATABASE_URL });
    expect(keyless.code).toBe(2);
    expect(keyless.output).toMatch(/^MASTER_KEY is required with DATABASE_URL: .*\n$/);
    const list = await cli(['clients', 'list', '--json'], env);
    expect(list.code, list.output).toBe(0);
    expect(JSON.parse(list.stdout)[0]).toMatchObject({ clientId: readKept(dataDir).clientId, status: 'active' });
    const nobody = await cli(['migrate'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
    expect(nobody).toEqual({
      code: 2,
      stdout: '',
      output: 'The database cannot be reached: check DATABASE_URL and that the server is running.\n',
    });
  });

  describe('two of them', () => {
    let entrances: [Entrance, Entrance];
    beforeAll(async () => {
      await openVolumes(database.db, null);
      const kept = readKept(dataDir);
      const open = async (service: Service) => ({
        url: service.url,
        token: await service.token(kept),
        apiKey: kept.apiKey,
      });
      entrances = (await Promise.all(instances.slice(0, 2).map(open))) as [Entrance, Entrance];
    }, PATIENT.timeout);

    /** Sent again for as long as the first call with the key is in progress: both processes forward it to the loan's owner. */
    const settled = async (...request: Parameters<typeof send>): ReturnType<typeof send> => {
      const answer = await send(...request);
      return answer.body.code === 'idempotency_key_in_use' ? settled(...request) : answer;
    };
    /** The same request to both at once, and what each answered. */
    const both = (path: string, body: object, key: string | null = null) =>
      Promise.all(entrances.map((entrance) => settled(entrance, 'POST', path, body, key)));
    const pay = (entrance: Entrance, loanId: string, refId: string, amount: string) =>
      send(entrance, 'POST', '/loan-repay', { loanId, refId, amount });
    const paymentsOf = async (loanId: string) => {
      const { body } = await send(entrances[0], 'GET', `/loans/${loanId}`, {});
      return body.data.loanDetails.loanPayments as { paymentId: string }[];
    };

    test('serve the same loans under load: nothing is lost, done twice, or read before it was written', async () => {
      const loanIds = await fundLoans(entrances[0], 8);
      const seed = Number(process.env.FAULTS_SEED ?? 20_260_115);
      const load = openLoad({
        name: `seed${seed}`,
        loanIds,
        random: randomFrom(seed),
        entrances: () => entrances,
        mayBeCut: false,
      });
      try {
        await eventually(() => load.sent.length > LOAD, 60_000);
      } finally {
        await load.stop();
      }
      expect(load.trouble).toEqual([]);
      await eventually(() => allSealed(database.db), 10_000);
      expect(await checkBook(database.db, loanIds, load.sent)).toEqual([]);
      expect(await checkDisclosures(database.db, load.fullReads)).toEqual([]);
      for (const entrance of entrances) {
        expect(await checkRecords(entrance, loanIds, load.sent)).toEqual([]);
        for (const one of load.sent.slice(-30)) {
          if (one.known === 'acknowledged') expect(await repeat(entrance, one)).toEqual([]);
        }
      }
    });

    test('the same reference sent to both at once is one payment, and both give the same answer', async () => {
      const [loanId] = (await fundLoans(entrances[0], 1, 'reference')) as [string];
      const refIds = Array.from({ length: SAME }, (_, n) => `same-${n}`);
      const answers = await Promise.all(refIds.map((refId) => both('/loan-repay', { loanId, refId, amount: '10.00' })));
      for (const [one, other] of answers) {
        expect(one?.status).toBe(200);
        expect(other?.text).toBe(one?.text);
      }
      expect((await paymentsOf(loanId)).map(({ paymentId }) => paymentId).sort()).toEqual([...refIds].sort());
    });

    test('the same idempotency key sent to both at once is one call, of one loan', async () => {
      const [loanId, other] = (await fundLoans(entrances[0], 2, 'key')) as [string, string];
      const keys = Array.from({ length: SAME }, (_, n) => `key-${n}`);
      const answers = await Promise.all(
        keys.map((key) => both('/assess-fee', { loanId, feeId: key, name: 'Title fee', amount: '1.00' }, key)),
      );
      for (const [one, two] of answers) {
        expect([one?.status, two?.status]).toEqual([200, 200]);
        expect(two?.text).toBe(one?.text);
      }
      const crossed = await Promise.all(
        keys.map((key) =>
          Promise.all(
            [loanId, other].map((id, i) =>
              settled(
                entrances[i] as Entrance,
                'POST',
                '/loan-repay',
                { loanId: id, refId: key, amount: '1.00' },
                `crossed-${key}`,
              ),
            ),
          ),
        ),
      );
      for (const pair of crossed) {
        const codes = pair.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
        expect(codes).toEqual(['200 ', '422 idempotency_key_reused']);
      }
      const counts = await Promise.all([loanId, other].map(async (id) => (await paymentsOf(id)).length));
      expect(counts.reduce((sum, count) => sum + count)).toBe(keys.length);
    });

    test('a change through one decides at once what the other allows', async () => {
      const [loanId] = (await fundLoans(entrances[0], 1, 'stale')) as [string];
      for (let n = 0; n < (LONG ? 20 : 6); n++) {
        const here = entrances[n % 2] as Entrance;
        const there = entrances[(n + 1) % 2] as Entrance;
        // Both have the loan in memory: all but ten dollars are paid through one, and the other must refuse twenty.
        expect((await pay(here, loanId, `most-${n}`, '24990.00')).status).toBe(200);
        const refused = await pay(there, loanId, `more-${n}`, '20.00');
        expect([refused.status, refused.body.refusal]).toEqual([422, 'amount_exceeds_payoff']);
        // Then that payment is returned through the first, and the other must accept what it has just refused.
        const returned = { loanId, refId: `most-${n}`, reason: 'R01' };
        expect((await send(here, 'POST', '/return-repayment', returned)).status).toBe(200);
        expect((await pay(there, loanId, `more-${n}`, '20.00')).status).toBe(200);
        const back = { loanId, refId: `more-${n}`, reason: 'R01' };
        expect((await send(here, 'POST', '/return-repayment', back)).status).toBe(200);
      }
    });

    test('of two writes that exclude each other, one is done and the other is refused with the reason', async () => {
      const loanIds = await fundLoans(entrances[0], LONG ? 10 : 4, 'race');
      for (const loanId of loanIds) {
        const [a, b] = entrances;
        const all = await Promise.all([pay(a, loanId, 'a', '25000.00'), pay(b, loanId, 'b', '25000.00')]);
        expect(all.map(({ status, body }) => body.refusal ?? status).sort()).toEqual([200, 'amount_exceeds_payoff']);
        expect(await paymentsOf(loanId)).toHaveLength(1);
      }
      // Ten at a time.
      for (let ten = 0; ten < (LONG ? 10 : 2); ten++) {
        const applications = Array.from({ length: 10 }, (_, n) => ({
          ...APPLICATION,
          applicationId: `twice-${ten}${n}`,
        }));
        const made = await Promise.all(applications.map((application) => both('/loans', application)));
        const codes = made.map((pair) => pair.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort());
        expect(codes).toEqual(applications.map(() => ['200 ', '409 application_exists']));
      }
    });

    test('a loan that many clients pay at once through both takes every payment', async () => {
      const [loanId] = (await fundLoans(entrances[0], 1, 'hot')) as [string];
      const payOnce = async (n: number): Promise<string | null> => {
        const answer = await pay(entrances[n % 2] as Entrance, loanId, `hot-${n}`, '1.00');
        // A request that loses the race repeatedly gets 503 with Retry-After, and is sent again.
        if (answer.status === 503 && answer.headers.has('retry-after')) return payOnce(n);
        return answer.status === 200 ? null : answer.text;
      };
      const told = await Promise.all(Array.from({ length: HOT }, (_, n) => payOnce(n)));
      expect(told.filter((text) => text !== null)).toEqual([]);
      expect(await paymentsOf(loanId)).toHaveLength(HOT);
    });

    test('have written one book, which verifies', async () => {
      await eventually(() => allSealed(database.db), 10_000);
      const key = Buffer.from(MASTER_KEY, 'hex');
      const master = { keyId: masterKeyId(key), key };
      const masterKeys = {
        current: () => master,
        find: (id: string) => (id === master.keyId ? master : null),
        all: () => [master],
      };
      expect((await verifyBook({ db: database.db, masterKeys })).complaints).toEqual([]);
    });
  });
});

test(
  'it waits for a server that is not reachable yet, and recovers from one that was unreachable for a while',
  PATIENT,
  async () => {
    const database = await testDatabase();
    const gate = await startGate(database.connection);
    const port = await freePort();
    const dataDir = newDataDir();
    const env = {
      PORT: String(port),
      DATABASE_URL: urlOf(database.connection, gate.port),
      MASTER_KEY,
      LOG_LEVEL: 'info',
    };
    const starting = startService({ dataDir, credentials: FIRST, env });
    // Awaited below; a failure before that must be the one reported.
    starting.catch(() => {});
    try {
      const url = `http://127.0.0.1:${port}`;
      let early: Answered | undefined;
      await eventually(async () => {
        early = await call(url, 'GET', '/readyz');
        return early.status === 503;
      });
      expect(early?.body).toMatchObject({
        code: 'unavailable',
        detail: 'The service is starting; try again in a moment.',
      });
      expect(early?.headers.get('retry-after')).toMatch(/^\d+$/);
      const { clientId, clientSecret } = FIRST;
      const issue = () => call(url, 'POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      expect((await issue()).status).toBe(503);
      expect((await call(url, 'GET', '/healthz')).status).toBe(200);

      await gate.asked;
      gate.open();
      const service = await starting;
      expect(service.output()).toContain('"msg":"waiting for the database"');
      const token = await service.token();
      expect(await who(service, token)).toBe(200);
      // Nothing is stored here: credentials and master key are in the settings.
      expect(existsSync(dataDir)).toBe(false);

      for (let round = 0; round < 2; round++) {
        gate.close();
        const seen = new Set<number>();
        await eventually(async () => {
          const answer = await call(service.url, 'GET', '/v2/chain/clients', { token });
          seen.add(answer.status);
          return answer.status === 503 && answer.body.code === 'unavailable' && (await who(service, token)) === 503;
        });
        expect((await call(service.url, 'GET', '/readyz')).body.detail).toBe(
          'The database is unreachable or read-only.',
        );
        gate.open();
        await eventually(async () => {
          seen.add((await call(service.url, 'GET', '/v2/chain/clients', { token })).status);
          return (await call(service.url, 'GET', '/readyz')).status === 200 && (await who(service, token)) === 200;
        });
        expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      }
      gate.close();
      // It stops on a signal also while its database is not reachable.
      expect(await service.stop('SIGTERM')).toBe(0);
    } finally {
      gate.end();
      await database.drop();
    }
  },
);

test('a service that waits for its server stops on a signal', PATIENT, async () => {
  const port = await freePort();
  const env = { PORT: String(port), DATABASE_URL: 'postgres://x@127.0.0.1:1/x', MASTER_KEY };
  const waiting = spawnService({ dataDir: newDataDir(), credentials: FIRST, env });
  await eventually(async () => (await call(`http://127.0.0.1:${port}`, 'GET', '/readyz')).status === 503);
  expect(await waiting.stop('SIGINT')).toBe(0);
  expect(waiting.output()).toBe('');
});

async function who(instance: Service, token: string): Promise<number> {
  return (await call(instance.url, 'GET', '/v2/chain/me', { token })).status;
}

function readKept(dataDir: string): Credentials {
  return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
}
