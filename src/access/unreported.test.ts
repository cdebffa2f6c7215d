import { expect, test } from 'vitest';
import { openUnreported } from './unreported.ts';

test('is taken once, the largest counts first, and resets before everything else', () => {
  const unreported = openUnreported();
  unreported.add('a', 1);
  unreported.add('b', 3);
  unreported.add('b', 4);
  unreported.add('c', -2);
  unreported.add('d', 5);
  unreported.restart('d');
  unreported.add('d', 1);
  expect(unreported.take(2)).toEqual([
    ['d', 1, 1],
    ['b', 7],
  ]);
  unreported.add('a', 1);
  expect(unreported.take(2)).toEqual([
    ['a', 2],
    ['c', -2],
  ]);
  expect(unreported.take(2)).toEqual([]);
});

test('what cancels out is not reported', () => {
  const unreported = openUnreported();
  unreported.add('a', 1);
  unreported.add('a', -1);
  expect(unreported.take(2)).toEqual([]);
});

test('is bounded: the oldest name is dropped, and a known name keeps counting', () => {
  const unreported = openUnreported(3);
  for (const name of ['a', 'b', 'c', 'b', 'd']) unreported.add(name, 1);
  expect(unreported.take(10)).toEqual([
    ['b', 2],
    ['c', 1],
    ['d', 1],
  ]);
});
