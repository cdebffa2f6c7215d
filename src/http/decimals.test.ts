import { describe, expect, test } from 'vitest';
import { readWhole } from './decimals.ts';
import type { Problem } from './shell/problems.ts';
import { Reader } from './wire.ts';

describe('a whole number', () => {
  const read = (value: unknown) => {
    const reader = new Reader();
    const number = readWhole(reader, { n: value }, 'n', '', [1, 600]);
    try {
      reader.done();
      return number;
    } catch (error) {
      return (error as Problem).facts.errors?.[0]?.code;
    }
  };

  test('comes as a number or a string', () => {
    expect([36, '36', '36.0', '36.00', '1', '600'].map(read)).toEqual([36, 36, 36, 36, 1, 600]);
  });

  test('is refused when it is something else, or out of bounds', () => {
    expect(['36.5', 36.5, '-1', '1e2', '', ' 36', '36 months', '1,2'].map(read)).toEqual(Array(8).fill('format'));
    expect([0, '601', '1,000'].map(read)).toEqual(Array(3).fill('range'));
  });
});
