import { afterEach, describe, expect, it } from 'vitest';
import type * as Work from '../../test/support/thread-work.ts';
import { openWorkers, TooMuchWork, type Workers, WorkersBusy } from './workers.ts';

const address = new URL('../../test/support/thread-work.ts', import.meta.url);
let workers: Workers;
const open = (options: Parameters<typeof openWorkers>[0]) => {
  workers = openWorkers(options);
  return workers.module<typeof Work>(address, { limitMs: 20_000 });
};

afterEach(() => workers.close());

describe('worker threads', () => {
  it('run work outside the event loop and return its value', async () => {
    const work = open({ threads: 2 });
    workers.warm();
    expect(await Promise.all([1, 2, 3].map((n) => work.run('double', 'a', n)))).toEqual([2, 4, 6]);
    expect(await work.run('threadOf', 'a', null)).not.toBe(0);
  });

  it('pass on a failure of the work, and continue', async () => {
    const work = open({ threads: 1 });
    await expect(work.run('fail', 'a', 'no such loan')).rejects.toThrow('no such loan');
    expect(await work.run('double', 'a', 21)).toBe(42);
  });

  it('reject input that cannot be copied to a thread, and continue', async () => {
    const work = open({ threads: 1 });
    await expect(work.run('double', 'a', (() => 1) as never)).rejects.toThrow();
    expect(await work.run('double', 'a', 21)).toBe(42);
  });

  it('end work at its limit and replace the thread', async () => {
    const work = open({ threads: 1 });
    await work.run('double', 'a', 1);
    const short = workers.module<typeof Work>(address, { limitMs: 50 });
    await expect(short.run('spin', 'a', null)).rejects.toThrow(TooMuchWork);
    expect(await work.run('double', 'a', 21)).toBe(42);
  });

  it('count the working time, not the time until the thread has started', async () => {
    workers = openWorkers({ threads: 1 });
    const short = workers.module<typeof Work>(address, { limitMs: 20 });
    expect(await short.run('double', 'a', 21)).toBe(42);
    // Waits for longer than its limit, without working.
    expect(await short.run('rest', 'a', 60)).toBe(60);
  });

  it('count the work of a job, not the import of its module by the first of them', async () => {
    const work = open({ threads: 1 });
    await work.run('double', 'a', 1);
    const slow = new URL('../../test/support/thread-slow-import.ts', import.meta.url);
    const short = workers.module<Pick<typeof Work, 'double'>>(slow, { limitMs: 30 });
    expect(await short.run('double', 'a', 21)).toBe(42);
  });

  it('reject jobs that wait for a thread that cannot start', async () => {
    const work = open({ threads: 1 });
    workers.module(new URL('../../test/support/thread-that-ends.ts', import.meta.url), { limitMs: 1_000 });
    await expect(work.run('double', 'a', 1)).rejects.toThrow('ended unexpectedly');
  });

  it('end work that takes more memory than a thread has', async () => {
    const work = open({ threads: 1, heapMegabytes: 32 });
    await expect(work.run('hoard', 'a', null)).rejects.toThrow(TooMuchWork);
    expect(await work.run('double', 'a', 21)).toBe(42);
  });

  it('take one job of each owner in turn', async () => {
    const work = open({ threads: 1 });
    await work.run('double', 'a', 1);
    const order: string[] = [];
    const asked = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(async (owner) => {
      await work.run('double', owner, 1);
      order.push(owner);
    });
    await Promise.all(asked);
    expect(order.join('')).toBe('aabcaba');
  });

  it('refuse jobs beyond an owner’s share of the queue, for that owner only', async () => {
    const work = open({ threads: 1, waiting: 2 });
    await work.run('double', 'a', 1);
    const asked = [1, 2, 3].map((n) => work.run('double', 'a', n));
    await expect(work.run('double', 'a', 4)).rejects.toThrow(WorkersBusy);
    expect(await work.run('double', 'b', 5)).toBe(10);
    expect(await Promise.all(asked)).toEqual([2, 4, 6]);
  });

  it('finish the running job when they close, and refuse the others', async () => {
    const work = open({ threads: 1 });
    await work.run('double', 'a', 1);
    const first = work.run('double', 'a', 1);
    const second = work.run('double', 'a', 2);
    const closed = workers.close();
    await expect(second).rejects.toThrow(WorkersBusy);
    expect(await first).toBe(2);
    await closed;
    await expect(work.run('double', 'a', 3)).rejects.toThrow(WorkersBusy);
  });
});
