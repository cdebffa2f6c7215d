/** Looks at the books: who may have one, how many at once, and when one ends. */
import { expect, test } from 'vitest';
import type { Db, Sql } from '../../store/db/db.ts';
import { openFairTurns } from '../door/fair-reads.ts';
import { WAITING } from '../door/too-many-waiting.ts';
import { LookGivenUp, openLooks } from './looks.ts';

const asker = (organizationId: string, signal?: AbortSignal) => ({
  organizationId,
  clientId: 'client',
  ...(signal === undefined ? {} : { signal }),
});

/** Looks on a database that does nothing. `connections`: for reads and looks together. */
function opened({ connections = 3, atOnce = 2, requestMs = 60_000 } = {}) {
  const tx = { volumes: { count: 1, sharded: false }, query: async () => [] } as unknown as Sql;
  const db = { transaction: (work: (tx: Sql) => Promise<unknown>) => work(tx) } as unknown as Db;
  const inTurn = openFairTurns(connections, WAITING);
  return { inTurn, ...openLooks({ db, inTurn, atOnce, requestMs }) };
}

/** Work that ends when it is told to. */
function open() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  return { started, work, end: (name: string) => ends.get(name)?.() };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('an organization has one at a time, and the others do not wait for its line', async () => {
  const { look } = opened();
  const { started, work, end } = open();
  const all = ['A1', 'A2', 'A3', 'B1'].map((name) => look(asker(name.slice(0, 1)), work(name)));
  await settle();
  expect(started).toEqual(['A1', 'B1']);
  const late = look(asker('C'), work('C1'));
  end('A1');
  await settle();
  expect(started).toEqual(['A1', 'B1', 'C1']);
  for (const name of ['B1', 'C1', 'A2', 'A3']) {
    end(name);
    await settle();
  }
  await Promise.all([...all, late]);
  expect(started).toEqual(['A1', 'B1', 'C1', 'A2', 'A3']);
});

test('too many of one organization are refused, and another still has its own', async () => {
  const { look } = opened();
  const { work, end, started } = open();
  const first = look(asker('A'), work('A'));
  const waiting = Array.from({ length: 64 }, () => look(asker('A'), async () => {}));
  await expect(look(asker('A'), async () => {})).rejects.toMatchObject({
    name: 'TooManyWaiting',
    whose: 'organization',
  });
  const other = look(asker('B'), work('B'));
  await settle();
  expect(started).toEqual(['A', 'B']);
  end('A');
  end('B');
  await Promise.all([first, other, ...waiting]);
});

test('each counts as one of the reads, so that a connection is left for writes', async () => {
  const { look, inTurn } = opened({ connections: 2 });
  const { started, work, end } = open();
  const looks = ['A', 'B'].map((name) => look(asker(name), work(name)));
  await settle();
  const read = inTurn('C', work('read'));
  await settle();
  expect(started).toEqual(['A', 'B']);
  end('A');
  await settle();
  expect(started).toEqual(['A', 'B', 'read']);
  end('B');
  end('read');
  await Promise.all([...looks, read]);
});

test('one that no caller waits for ends, or does not begin', async () => {
  const { look } = opened();
  const gone = new AbortController();
  let pieces = 0;
  const running = look(asker('A', gone.signal), async ({ pause }) => {
    for (;;) {
      const until = performance.now() + 6;
      while (performance.now() < until);
      pieces += 1;
      if (pieces === 3) gone.abort();
      await pause();
    }
  });
  let begun = false;
  const waiting = look(asker('A', gone.signal), async () => {
    begun = true;
  });
  const ended = await Promise.allSettled([running, waiting]);
  for (const one of ended) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(LookGivenUp) });
  expect([pieces, begun]).toEqual([3, false]);
  expect(await look(asker('A'), async () => 'again')).toBe('again');
});

test('one whose request has been answered without it ends; one that writes goes on', async () => {
  const { look, lookAndWrite } = opened({ requestMs: -1 });
  await expect(look(asker('A'), async () => {})).rejects.toBeInstanceOf(LookGivenUp);
  expect(await lookAndWrite(asker('A'), async () => 'done')).toBe('done');
});

test('others have turns of the event loop while one computes', async () => {
  const { look } = opened();
  let turns = 0;
  let going = true;
  const count = () => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  await look(asker('A'), async ({ pause }) => {
    for (let i = 0; i < 10; i++) {
      const until = performance.now() + 6;
      while (performance.now() < until);
      await pause();
    }
  });
  going = false;
  expect(turns).toBeGreaterThanOrEqual(10);
});
