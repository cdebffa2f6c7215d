import { expect, test } from 'vitest';
import { type Known, openMemory } from './loan-cache.ts';

/** What the cache looks at, and nothing else of a loan. */
const loan = (loanId: string, version: number) => ({ loanId, version }) as Known;

test('the least recently used loan makes room', () => {
  const memory = openMemory(2);
  memory.put(loan('a', 1));
  memory.put(loan('b', 1));
  memory.get('a');
  memory.put(loan('c', 1));
  expect(memory.get('b')).toBeUndefined();
  expect(memory.get('a')).toEqual(loan('a', 1));
  expect(memory.get('c')).toEqual(loan('c', 1));
});

test('a newer version is never replaced by an older one', () => {
  const memory = openMemory(2);
  memory.put(loan('a', 3));
  memory.put(loan('a', 2));
  expect(memory.get('a')?.version).toBe(3);
  const again = loan('a', 3);
  memory.put(again);
  expect(memory.get('a'), 'the same version read anew').toBe(again);
  memory.put(loan('a', 4));
  expect(memory.get('a')?.version).toBe(4);
});

test('a loan that is forgotten may come back in an older version', () => {
  const memory = openMemory(2);
  memory.put(loan('a', 3));
  memory.forget('a');
  expect(memory.get('a')).toBeUndefined();
  memory.put(loan('a', 1));
  expect(memory.get('a')?.version).toBe(1);
});
