import { expect, it } from 'vitest';
import { csvName } from './csv.ts';

it('names the file by view and day, without what a file name must not have', () => {
  expect(csvName('Collections', '2026-11-17')).toBe('Daybook loans Collections 2026-11-17.csv');
  expect(csvName('../a/b: "c"', '2026-11-17')).toBe('Daybook loans ab c 2026-11-17.csv');
  expect(csvName(undefined, '2026-11-17')).toBe('Daybook loans 2026-11-17.csv');
});
