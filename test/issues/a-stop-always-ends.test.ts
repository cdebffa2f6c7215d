/** Nothing that fails or hangs keeps a stop from coming to its end. Whole processes are stopped by `test/slow/stopping.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endParts, type Part } from '../../src/service/shut-down.ts';
import { type Db, openDb } from '../../src/store/db/db.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type TestLoans, testLoans } from '../support/loans.ts';

describe('the parts of a service', () => {
  const never = new Promise<never>(() => {});

  async function ended(steps: Part[][], deadlineMs = 60_000) {
    const failed: [string, string][] = [];
    const left = await endParts(steps, {
      ...{ deadline: performance.now() + deadlineMs, lastMs: 50, monotonic: () => performance.now() },
      onFailure: (name, error) => failed.push([name, (error as Error).name]),
    });
    return { left, failed };
  }

  test('end one after the other, whatever becomes of those before', async () => {
    const order: string[] = [];
    const part = (name: string, end: Part['end'], limitMs = 30): Part => ({
      name,
      limitMs,
      end(ms) {
        order.push(name);
        return end(ms);
      },
    });
    const rejects = () => Promise.reject(new TypeError('It fails.'));
    const throws = () => {
      throw new RangeError('It fails at once.');
    };
    const { left, failed } = await ended([
      [part('hangs', () => never), part('rejects', rejects)],
      [part('throws', throws)],
      [part('ends', () => Promise.resolve())],
    ]);
    expect(order).toEqual(['hangs', 'rejects', 'throws', 'ends']);
    expect(left.sort()).toEqual(['hangs', 'rejects', 'throws']);
    expect(Object.fromEntries(failed)).toEqual({ hangs: 'NotEnded', rejects: 'TypeError', throws: 'RangeError' });
  });

  test('end by the deadline, and the last one has its time', async () => {
    const given: number[] = [];
    const slow = (name: string): Part => ({ name, limitMs: 60_000, end: () => never });
    const last: Part = { name: 'database', limitMs: 60_000, end: (ms) => void given.push(ms) };
    const began = performance.now();
    const { left } = await ended([[slow('a')], [slow('b')], [last]], 500);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(left).toEqual(['a', 'b']);
    expect(given[0]).toBeGreaterThanOrEqual(50);
  });
});

describe('on a database that cannot serve', () => {
  let database: TestDatabase;
  let room: TestLoans;
  beforeAll(async () => {
    database = await testDatabase();
    room = await testLoans();
  });
  afterAll(async () => {
    await room.close();
    await database.drop();
  });

  test('a tick of the feed that fails does not keep the loans from closing', async () => {
    const query: Db['query'] = async (text, values, name) => {
      if (name === 'feed_heads') throw new Error('The server cannot open a file.');
      return room.db.query(text, values, name);
    };
    const loans = room.another({ db: { ...room.db, query } });
    await expect(loans.feed.look()).rejects.toThrow('cannot open a file');
    await expect(loans.close()).resolves.toBeUndefined();
  });

  test('a statement without an answer does not keep the connections from closing', async () => {
    const db = openDb(database.connection);
    const asked = db.query('SELECT pg_sleep(60)').catch((error: Error) => error.name);
    await db.query('SELECT 1');
    const began = performance.now();
    await db.close(100);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await asked).toBe('DatabaseUnavailable');
  });
});
