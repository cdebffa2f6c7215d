import fc from 'fast-check';
import { expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import type { CashflowRow } from '../core/forecast.ts';
import { type Cents, formatCents } from '../core/money.ts';
import { CASHFLOW_COLUMNS, cashflowsCsv } from './cashflows.ts';

function row(amount: number, millionths = 0): CashflowRow {
  const of = amount as Cents;
  return {
    month: 1,
    date: date('2026-02-15'),
    beginningBalance: of,
    scheduledPrincipal: of,
    scheduledInterest: of,
    principalPaid: of,
    prepaid: of,
    interestPaid: of,
    chargedOff: of,
    recovered: of,
    totalPaid: of,
    servicingFee: of,
    totalPaidLessFees: of,
    endingBalance: of,
    defaultMillionths: millionths,
  };
}

const cells = (csv: string, line: number) => csv.split('\n')[line]?.split(',') ?? [];
const flowsOf = (rows: CashflowRow[], funded = 0) => ({
  rows,
  price: { presentValues: rows.map(() => -5 as Cents), fairValues: rows.map(({ totalPaid }) => totalPaid) },
  funded: funded as Cents,
});

test('the header is that of the interface: Month first, Type and Date, row_no last', () => {
  const csv = cashflowsCsv(flowsOf([]));
  expect(csv).toBe(`${CASHFLOW_COLUMNS.join(',')}\n`);
  expect(csv).toMatch(/^Month,.*,Type,Date,row_no\n$/);
});

test('every amount is formatted as everywhere else: small, large, negative, very large', () => {
  const amounts = fc.oneof(
    fc.integer({ min: 0, max: 20_000_00 }),
    fc.integer({ min: -1_000_000, max: 2_147_483_647 }),
    fc.integer({ min: -999_999_999_999, max: 99_999_999_999_999 }),
    fc.constantFrom(
      0,
      1,
      9,
      10,
      99,
      100,
      999,
      1_000,
      999_999,
      1_000_000,
      99_999_999,
      100_000_000,
      2_147_483_647,
      2_147_483_648,
      -1,
    ),
  );
  fc.assert(
    fc.property(amounts, (amount) => {
      const written = cells(cashflowsCsv(flowsOf([row(amount)])), 1);
      expect(written[1]).toBe(formatCents(amount as Cents));
      expect(written[12]).toBe(formatCents(amount as Cents));
      expect(written[21]).toBe('-0.05');
      expect(written.slice(-3)).toEqual(['Projected', '2026-02-15', '0']);
      expect(written).toHaveLength(CASHFLOW_COLUMNS.length);
    }),
    { numRuns: 500, seed: 1 },
  );
});

test('every share is written with six decimals', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(0, 1, 99, 100, 9_999, 999_999, 1_000_000)),
      (millionths) => {
        expect(cells(cashflowsCsv(flowsOf([row(100, millionths)])), 1)[19]).toBe((millionths / 1e6).toFixed(6));
      },
    ),
    { numRuns: 500, seed: 2 },
  );
  expect(() => cashflowsCsv(flowsOf([row(100, 1_000_001)]))).toThrow('between 0 and 1');
});

test('rows name the deal, the funded amount is in month 0, sums run from there', () => {
  const csv = cashflowsCsv(flowsOf([row(200), row(100)], 950), 7);
  const column = (name: (typeof CASHFLOW_COLUMNS)[number]) =>
    [1, 2].map((line) => cells(csv, line)[CASHFLOW_COLUMNS.indexOf(name)]);
  expect(column('row_no')).toEqual(['7', '7']);
  expect(column('FundedAmount')).toEqual(['9.50', '0.00']);
  expect(column('CumulativeInterestPaid')).toEqual(['2.00', '3.00']);
});

test('more rows than fit into the shared buffer get their own', () => {
  const csv = cashflowsCsv(flowsOf(Array.from({ length: 20_000 }, () => row(123_45))), 19);
  expect(csv.split('\n')).toHaveLength(20_002);
  expect(cells(csv, 20_000).at(-1)).toBe('19');
});
