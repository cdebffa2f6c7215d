import { expect, it } from 'vitest';
import { purposeOf } from './purpose.ts';

it('makes one purpose of the choice and the details', () => {
  expect(purposeOf('Dispute or complaint', '')).toBe('Dispute or complaint');
  expect(purposeOf('Dispute or complaint', ' letter of Nov 2 ')).toBe('Dispute or complaint: letter of Nov 2');
  expect(purposeOf('Other', ' tax form ')).toBe('tax form');
  expect(purposeOf('Other', ' ')).toBe('');
  expect(purposeOf('', 'tax form')).toBe('');
});
