/** One page is read ahead, in order, and nothing is left running. */
import { expect, test } from 'vitest';
import { ahead } from './ahead.ts';

function counted(fails = Number.POSITIVE_INFINITY) {
  const state = { read: 0, ended: false };
  async function* pages() {
    try {
      for (let n = 0; n < 4; n += 1) {
        await Promise.resolve();
        if (n === fails) throw new Error('no page');
        state.read += 1;
        yield n;
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pages: ahead(pages()) };
}

test('never more than one', async () => {
  const { state, pages } = counted();
  const seen: number[] = [];
  for await (const n of pages) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.read).toBe(Math.min(4, n + 2));
    seen.push(n);
  }
  expect([seen, state.ended]).toEqual([[0, 1, 2, 3], true]);
});

test('who stops early ends the reading', async () => {
  const { state, pages } = counted();
  for await (const n of pages) if (n === 1) break;
  expect([state.read, state.ended]).toEqual([3, true]);
});

test('a failure is told in its place', async () => {
  const { pages } = counted(2);
  const seen: number[] = [];
  await expect(
    (async () => {
      for await (const n of pages) seen.push(n);
    })(),
  ).rejects.toThrow('no page');
  expect(seen).toEqual([0, 1]);
});
