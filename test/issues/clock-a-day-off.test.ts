/**
 * A process whose clock is a day off judges tokens and sessions by the database's clock: good ones are good, whichever process issued
 * them, and nobody's budget of failures is spent. Two processes are started by `test/slow/clock-a-day-off.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Access, openAccess } from '../../src/access/access.ts';
import { bootstrap } from '../../src/access/bootstrap.ts';
import { openSkewCheck } from '../../src/loans/door/skew.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { signedIn } from '../support/people.ts';

const SECRET = new Uint8Array(32).fill(7);
const DAY = 86_400_000;
const FIRST = { clientId: 'first', clientSecret: 'first-secret', apiKey: 'first-key' };
/** More than the bad tokens that an address may send before it has to wait. */
const MANY = 130;
const address = () => '192.0.2.1';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await bootstrap(database.db, { ...FIRST, clock: Date.now, secret: SECRET, unlimited: true });
});
afterAll(() => database.drop());

async function aProcess(shift: number): Promise<Access> {
  const { db } = database;
  const skew = openSkewCheck({ db, clock: () => Date.now() + shift });
  await skew.check();
  return openAccess({ db, clock: skew.now, secret: SECRET });
}

async function tokenOf(access: Access): Promise<string> {
  const issued = await access.issueToken({ ...FIRST, address: address(), issuer: 'https://loans.example' });
  if ('denied' in issued) throw new Error(issued.denied);
  return issued.token;
}

describe.each([
  ['ahead', DAY],
  ['behind', -DAY],
  ['far ahead, past the life of signing keys', 60 * DAY],
])('%s', (_, shift) => {
  test('tokens of each process are good at both, for as many requests as there are', async () => {
    const [right, wrong] = [await aProcess(0), await aProcess(shift)];
    for (const from of [wrong, right]) {
      for (const to of [right, wrong]) {
        const authorization = `Bearer ${await tokenOf(from)}`;
        const answers = new Set<string>();
        for (let n = 0; n < MANY; n++) {
          const caller = await to.authenticate({ authorization, address });
          answers.add('denied' in caller ? caller.denied : caller.clientId);
        }
        expect([...answers]).toEqual(['first']);
      }
    }
  });

  test('a session goes on', async () => {
    const [right, wrong] = [await aProcess(0), await aProcess(shift)];
    const [organization] = await right.listOrganizations();
    const { secret } = await signedIn({ access: right, organizationId: organization?.organizationId ?? '' }, [
      'administrator',
    ]);
    const caller = await wrong.sessions.admit({ secret, address });
    expect(caller).not.toHaveProperty('denied');
  });
});
