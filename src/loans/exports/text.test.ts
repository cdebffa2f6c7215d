/** CSV and NDJSON of values that are hard to write. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { Column } from './columns.ts';
import { type Cell, headText, rowWriter } from './text.ts';

const COLUMNS: readonly Column[] = [
  { name: 'note', kind: 'text', about: '' },
  { name: 'amount', kind: 'amount', about: '' },
  { name: 'rate', kind: 'number', about: '' },
  { name: 'done', kind: 'boolean', about: '' },
  { name: 'cursor', kind: 'code', about: '' },
];
const written = (format: 'csv' | 'ndjson', ...cells: Cell[]) => rowWriter(format, COLUMNS)(cells, 'c');

test.each([
  ['=HYPERLINK("http://example.com"), "two"', true],
  ['+1', true],
  ['-7', true],
  ['@SUM(A1)', true],
  ['\t=1', true],
  ['\r=1', true],
  ['  =1', true],
  ['＝1', true],
  ['two\r\nlines, "quoted"', false],
  ['Zoë – 名前', false],
  ["O'Neil", false],
])('%j comes back from CSV as text', (text, marked) => {
  const csv = headText('csv', COLUMNS) + written('csv', text, 123, '7.25', true);
  const rows: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: '\r\n' });
  expect(rows).toEqual([{ note: marked ? `'${text}` : text, amount: '1.23', rate: '7.25', done: 'true', cursor: 'c' }]);
  expect(JSON.parse(written('ndjson', text, 123, '7.25', true)).note).toBe(text);
});

test('negative amounts are numbers, no value is an empty cell or null', () => {
  expect(written('csv', null, -5, null, false)).toBe(',-0.05,,false,c\r\n');
  expect(written('ndjson', null, -123_456, null, false)).toBe(
    '{"note":null,"amount":"-1234.56","rate":null,"done":false,"cursor":"c"}\n',
  );
});
