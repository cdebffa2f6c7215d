import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { PlainDate } from '../../core/calendar.ts';
import { csvOf } from '../reports/portfolio-text.ts';

test('in CSV the name of a slice is never a formula, and a negative amount stays a number', () => {
  const row = { credits: -1_200n };
  const slices = ['＝1', ' =1', '-7', 'a, "b"'].map((slice) => ({ slice, rows: [row] }));
  const asOf = '2026-11-17' as PlainDate;
  const text = csvOf('summary', { asOf, from: null, knownAt: null, by: 'lender', table: { totals: [row], slices } });
  const rows: Record<string, string>[] = parse(text, { columns: true, record_delimiter: '\r\n' });
  expect(rows.map(({ slice }) => slice)).toEqual(['', "'＝1", "' =1", "'-7", 'a, "b"']);
  expect(new Set(rows.map(({ credits }) => credits))).toEqual(new Set(['-12']));
});
