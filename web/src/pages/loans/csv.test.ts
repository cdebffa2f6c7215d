import { expect, it } from 'vitest';
import { csvLine, csvName } from './csv.ts';

it('quotes what has commas, quotes and line ends', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', ''])).toBe('a,"b,c","d""e","f\ng",\r\n');
});

it('leaves no formula for a spreadsheet, and numbers as they are', () => {
  expect(csvLine(['=HYPERLINK("x")', '+1-2', '-2+3', '@SUM(A1)', '\tx', '-3.50', '13921.15'])).toBe(
    `"'=HYPERLINK(""x"")",'+1-2,'-2+3,'@SUM(A1),'\tx,-3.50,13921.15\r\n`,
  );
});

it('names the file by view and day, without what a file name must not have', () => {
  expect(csvName('Collections', '2026-11-17')).toBe('Daybook loans Collections 2026-11-17.csv');
  expect(csvName('../a/b: "c"', '2026-11-17')).toBe('Daybook loans ab c 2026-11-17.csv');
  expect(csvName(undefined, '2026-11-17')).toBe('Daybook loans 2026-11-17.csv');
});
