import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Db } from '../../store/db/db.ts';

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
