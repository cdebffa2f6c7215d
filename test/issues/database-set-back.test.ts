/** A database that goes back to an older copy under a running process: every write is answered, none is done, and it is noticed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanCommand, SetBackWatch } from '../../src/loans/door/write.ts';
import type { OpenLoans } from '../../src/loans/open.ts';
import { type Db, openDb } from '../../src/store/db/db.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../support/loans.ts';

/** Writes that need of the loan nothing more than what is remembered, its history, or its file. */
const WRITES: readonly [string, LoanCommand][] = [
  ['a payment', repay('new', 1_000)],
  ['a payment that was made before', repay('A', 1_000)],
  ['a payment of an earlier date', repay('early', 1_000, { date: '2026-01-01' })],
  ['an acknowledgement', { do: 'acknowledge-repayment', refId: 'A' } as Command],
  ['a return', { do: 'return-repayment', refId: 'A', date: null, reason: 'R01' } as unknown as Command],
  ['an undo', { do: 'undo', transactionHash: `0x${'00'.repeat(32)}`, reason: 'A mistake' }],
  ['a cancellation', { do: 'cancel', reason: 'Withdrawn' } as unknown as Command],
];

/** The newest state, an older copy of it, and a database in which the loans never were. */
const copies = { newest: null, older: null, another: null } as unknown as Record<'newest' | 'older' | 'another', Db>;
let used: Db;
let room: TestLoans;
let source: TestDatabase;
const made: TestDatabase[] = [];
let loanIds: string[];
beforeAll(async () => {
  source = await testDatabase();
  const [{ name = '' } = {}] = await source.db.query<{ name: string }>('SELECT current_database() AS name');
  used = source.db;
  const db = new Proxy(source.db, { get: (_, property) => Reflect.get(used, property) }) as Db;
  room = await testLoans({}, Promise.resolve({ db, drop: async () => {} }));
  loanIds = [];
  for (let n = 0; n < WRITES.length; n++) loanIds.push(await room.live());
  for (const loanId of loanIds) await room.done(loanId, repay('A', 1_000));
  // A database is copied while nobody uses it.
  await source.db.close();
  const copy = await testDatabase({ template: name });
  made.push(copy, await testDatabase());
  copies.newest = openDb(source.connection);
  await openVolumes(copies.newest, null);
  copies.older = copy.db;
  copies.another = made[1]?.db as Db;
  await copies.another.query(
    "INSERT INTO organizations VALUES ('org_test', 'Test', now()), ('org_other', 'Other', now())",
  );
}, 60_000);
afterAll(async () => {
  await room.close();
  await copies.newest.close();
  for (const one of made) await one.drop();
  await source.drop().catch(() => {});
});

/** A process that remembers all the loans as they are in the newest state. */
async function aProcess(): Promise<{ loans: OpenLoans; noticed: () => number }> {
  used = copies.newest;
  let [found, times]: [string | null, number] = [null, 0];
  const setBack: SetBackWatch = {
    problem: () => found,
    noticed() {
      found = 'It was set back.';
      times += 1;
    },
  };
  const loans = room.another({ setBack });
  const write = { command: repay(`warm ${Math.random()}`, 100), reason: null, answer: () => '{}' };
  for (const loanId of loanIds) expect((await loans.write(ACTOR, { ...write, loanId }, PLAIN)).kind).toBe('done');
  return { loans, noticed: () => times };
}

async function events(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
  return row?.count ?? 0;
}

describe.each(['older', 'another'] as const)('the database is %s', (which) => {
  test.each(WRITES)('%s is answered and not done', async (_, command) => {
    const { loans, noticed } = await aProcess();
    const before = await events(copies[which]);
    used = copies[which];
    const loanId = loanIds[WRITES.findIndex(([, one]) => one === command)] as string;
    const write = { loanId, command, reason: 'reason' in command ? 'A mistake' : null, answer: () => '{}' };
    for (const idempotency of [null, { key: `set back ${_}`, request: _ }]) {
      const outcome = await loans.write(ACTOR, write, { ...PLAIN, idempotency });
      expect(outcome).toEqual({ kind: 'unavailable', detail: 'It was set back.', retryAfterSeconds: 60 });
    }
    expect(noticed()).toBeGreaterThan(0);
    expect(await events(copies[which])).toBe(before);
  });

  test('writes of all loans at once are answered and not done', async () => {
    const { loans } = await aProcess();
    const before = await events(copies[which]);
    used = copies[which];
    const write = { command: repay('together', 500), reason: null, answer: () => '{}' };
    const outcomes = await Promise.all(loanIds.map((loanId) => loans.write(ACTOR, { ...write, loanId }, PLAIN)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
    expect(await events(copies[which])).toBe(before);
  });

  test('it is noticed by the ticks of the feed too, without a write', async () => {
    const { loans, noticed } = await aProcess();
    await loans.feed.look();
    expect(noticed()).toBe(0);
    used = copies[which];
    await loans.feed.look();
    expect(noticed()).toBe(1);
  });
});

describe('the service', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await testApp();
  });
  afterAll(() => service.close());

  test('serves nothing from it but its own state', async () => {
    const token = await service.token();
    const { clientId, clientSecret } = service.credentials;
    service.set.phase = 'restored';
    const asked = [
      await service.call('POST', '/v2/chain/loan-repay', { token, body: { loanId: 'x', amount: '1', refId: 'R' } }),
      await service.call('GET', '/v2/chain/loans', { token }),
      await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } }),
      await service.call('GET', '/v2/chain/events', { token }),
    ];
    for (const answer of asked) {
      expect(answer.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
      expect(answer.body.detail).toContain('until the operator of the service has accepted the copy');
      expect(answer.headers.get('retry-after')).toBe('60');
    }
    expect((await service.call('GET', '/healthz')).status).toBe(200);
    expect((await service.call('GET', '/metrics')).status).toBe(200);
  });
});
