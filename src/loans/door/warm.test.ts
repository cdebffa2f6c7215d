import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Db } from '../../store/db/db.ts';
import type { Write } from './write.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

test('the loans that were last written are folded ahead, as many as there is room for', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await (n === 0 ? room.live() : room.create()));
  const loaded: string[] = [];
  const query = (text: string, values?: readonly unknown[], name?: string) => {
    if (name === 'load_loans') loaded.push(...((values?.[1] ?? []) as string[]));
    return room.db.query(text, values, name);
  };
  const db: Db = { ...room.db, query: query as Db['query'] };
  const here = room.another({ db, memory: { loans: 1_000, openedBytes: 0 } });
  expect(await here.door.warm(() => false)).toBe(12);
  expect(loaded).toHaveLength(12);
  loaded.length = 0;
  const write = { loanId: ids[0] as string, command: repay('P', 1_000), reason: null, answer: () => '' };
  expect((await here.write(ACTOR, write, { dryRun: false, ifVersion: null, idempotency: null })).kind).toBe('done');
  expect(loaded).toEqual([]);

  const small = room.another({ db, memory: { loans: 5, openedBytes: 0 } });
  expect(await small.door.warm(() => false)).toBeLessThanOrEqual(12);
  const stopped = room.another({ db });
  expect(await stopped.door.warm(() => true)).toBe(0);
});

/** The database, with a statement that waits from `hold` to `release`. */
function holding(statement: string) {
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let held = 0;
  const query = async (text: string, values?: readonly unknown[], name?: string) => {
    if (name?.startsWith(statement)) {
      held += 1;
      await gate.promise;
    }
    return room.db.query(text, values, name);
  };
  const hold = () => {
    gate = Promise.withResolvers();
    held = 0;
  };
  return { db: { ...room.db, query: query as Db['query'] }, hold, held: () => held, release: () => gate.resolve() };
}

const asked = (loanId: string, command: Write['command']): Write => ({
  loanId,
  command,
  reason: null,
  answer: () => '',
});

test('while a write is under way nothing is folded ahead', async () => {
  const loanId = await room.live();
  const { db, hold, held, release } = holding('save_batch');
  const here = room.another({ db });
  hold();
  const paid = here.write(ACTOR, asked(loanId, repay('P', 1_000)), PLAIN);
  await expect.poll(held).toBe(1);
  let isWarm = false;
  const warming = here.door.warm(() => false).finally(() => (isWarm = true));
  for (let i = 0; i < 100; i++) await new Promise(setImmediate);
  expect(isWarm).toBe(false);
  release();
  expect((await paid).kind).toBe('done');
  // All but the one that the payment has loaded.
  const [loans] = await room.db.query<{ count: number }>('SELECT count(*)::int AS count FROM loans');
  expect(await warming).toBe((loans?.count ?? 0) - 1);
});

test('a remembered loan does not wait for the histories of many that are not', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 18; n++) ids.push(await room.create());
  const { db, hold, held, release } = holding('load_loans');
  const here = room.another({ db, limits: { lanes: 1 } });
  const [remembered = '', ...cold] = ids;
  // Not funded yet: each is decided, and refused.
  const pay = (loanId: string) => here.write(ACTOR, asked(loanId, repay('P', 1_000)), PLAIN);
  expect((await pay(remembered)).kind).toBe('refused');
  hold();
  const quick = pay(remembered);
  const others = Promise.all(cold.map(pay));
  expect((await quick).kind).toBe('refused');
  await expect.poll(held).toBe(1);
  release();
  expect((await others).map(({ kind }) => kind)).toEqual(cold.map(() => 'refused'));
});
