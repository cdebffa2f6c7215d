import { expect, test } from 'vitest';
import { type Known, openLoanCache } from './loan-cache.ts';

/** The fields that the cache looks at, and nothing else of a loan. */
const loan = (loanId: string, version: number) => ({ loanId, version }) as Known;

test('the least recently used loan makes room', () => {
  const cache = openLoanCache(2);
  cache.put(loan('a', 1));
  cache.put(loan('b', 1));
  cache.get('a');
  cache.put(loan('c', 1));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toEqual(loan('a', 1));
  expect(cache.get('c')).toEqual(loan('c', 1));
});

test('a newer version is never replaced by an older one', () => {
  const cache = openLoanCache(2);
  cache.put(loan('a', 3));
  cache.put(loan('a', 2));
  expect(cache.get('a')?.version).toBe(3);
  const again = loan('a', 3);
  cache.put(again);
  expect(cache.get('a'), 'the same version read anew').toBe(again);
  cache.put(loan('a', 4));
  expect(cache.get('a')?.version).toBe(4);
});

test('a loan that is forgotten may come back in an older version', () => {
  const cache = openLoanCache(2);
  cache.put(loan('a', 3));
  cache.forget('a');
  expect(cache.get('a')).toBeUndefined();
  cache.put(loan('a', 1));
  expect(cache.get('a')?.version).toBe(1);
});
