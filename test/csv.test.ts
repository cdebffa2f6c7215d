/** CSV has one writer in the service and one in the console. Both keep to this table, and nothing else writes CSV that people open. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as service from '../src/loans/exports/csv.ts';
import * as pages from '../web/src/pages/loans/csv.ts';

/** A text, and the cell it becomes. */
const CELLS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['Zoë – 名前', 'Zoë – 名前'],
  ["O'Neil", "O'Neil"],
  ['a=b+c', 'a=b+c'],
  [' padded ', ' padded '],
  ['2026-11-17', '2026-11-17'],
  ['b,c', '"b,c"'],
  ['d"e', '"d""e"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=HYPERLINK("http://example.com")', `"'=HYPERLINK(""http://example.com"")"`],
  ['+1', "'+1"],
  ['-7', "'-7"],
  ['-12.00', "'-12.00"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
  [' =1', "' =1"],
  ['\u00a0=1', "'\u00a0=1"],
  ['\u3000＝1', "'\u3000＝1"],
  ['\t=1', "'\t=1"],
  ['\tx', "'\tx"],
  ['\rx', `"'\rx"`],
  ['\n=1', `"'\n=1"`],
];

describe.each([
  ['service', service],
  ['console', pages],
])('the writer of the %s', (_, { csvText, csvFigure, csvLine }) => {
  test.each(CELLS)('writes the text %j as %j', (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });

  test('leaves figures as they are', () => {
    expect(csvLine([csvFigure('-12.00'), csvFigure('2026-11-17'), csvText('-7')])).toBe("-12.00,2026-11-17,'-7\r\n");
  });

  test('writes any text so that it comes back, after at most an apostrophe', () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@＝＋－＠ \t\r\n\u00a0",;\'aé名'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (texts) => {
        const [row = []]: string[][] = parse(csvLine(texts.map(csvText)), { record_delimiter: '\r\n' });
        expect(row).toHaveLength(texts.length);
        for (const [i, cell] of row.entries()) {
          expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
          expect([texts[i], `'${texts[i]}`]).toContain(cell);
        }
      }),
    );
  });
});

test('both write a text the same, whichever character it begins with', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    for (const text of [String.fromCharCode(code), `${String.fromCharCode(code)}=1`]) {
      if (pages.csvText(text) !== service.csvText(text)) expect(pages.csvText(text)).toBe(service.csvText(text));
    }
  }
});

test('nothing else writes CSV', () => {
  const root = join(import.meta.dirname, '..');
  const writes = globSync('{src,web/src}/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !path.includes('.test.'))
    .filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return /csv-stringify|join\(','\)[^\n]*\\n|\[=\+/.test(text);
    });
  expect(writes.map((path) => path.replaceAll('\\', '/')).sort()).toEqual([
    // Formats that programs read, held to their own golden files: the cash flows of a record and the trade lines of a bureau.
    'src/boarding/cashflow-columns.ts',
    'src/bureau/trade-lines.ts',
    'src/loans/exports/csv.ts',
    'src/underwriting/cashflows.ts',
    'src/underwriting/pricing.ts',
    'web/src/pages/loans/csv.ts',
  ]);
});
