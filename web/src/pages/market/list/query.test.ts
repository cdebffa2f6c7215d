import { expect, test } from 'vitest';
import { filtersOf, mistakeIn, queryIn, tidy } from './query.ts';

test('what an address asks for is taken as far as it is understood', () => {
  expect(queryIn({ grade: 'A', minRate: 7, sort: '-balance', bucket: '120-plus' })).toEqual({
    grade: 'A',
    minRate: '7',
    sort: '-balance',
    bucket: '120-plus',
  });
  expect(queryIn({ grade: 'Z', status: 'Happy', minBalance: '<b>', vintageFrom: '2026-13', other: 'x' })).toEqual({});
});

test('the order is no filter', () => {
  expect(filtersOf({ grade: 'B', sort: 'rate' })).toEqual({ grade: 'B' });
});

test('what is typed is tidied, and a mistake is said in words', () => {
  expect(tidy('minBalance', ' $15,000 ')).toBe('15000');
  expect(tidy('minRate', '7.25 %')).toBe('7.25');
  expect(mistakeIn('minRate', tidy('minRate', '10,5'))).not.toBeNull();
  expect(mistakeIn('minBalance', tidy('minBalance', '150,5'))).not.toBeNull();
  expect(mistakeIn('minRate', '7.25')).toBeNull();
  expect(mistakeIn('minRate', '')).toBeNull();
  expect(mistakeIn('minRate', 'ten')).toBe('A percentage such as 7.25.');
  expect(mistakeIn('maxBalance', '1.234')).toBe('An amount such as 15000.');
  expect(mistakeIn('vintageTo', '2026')).toBe('A month such as 2026-01.');
});
