import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { cents } from '../core/money.ts';
import type { TradeLine } from './bureau.ts';
import { COLUMNS, MAX_LINES, readTradeLines, tradeLinesFrom, writeTradeLines } from './trade-lines.ts';

const TODAY = date('2026-01-15');
const LINE: TradeLine = {
  subscriber: 'EXAMPLE NATIONAL BANK',
  accountType: 'CC',
  member: '1234DB567',
  accountNumber: '****9876',
  opened: date('2019-03-31'),
  closed: null,
  payment: cents(41_00),
  terms: 'MIN',
  portfolioType: 'revolving',
  balance: cents(1_640_50),
  highBalance: cents(5_000_00),
  pastDue: cents(0),
  rating: '01',
  late30: 2,
  late60: 1,
  late90: 0,
  accountClass: 'credit card',
};

test('the columns are those of the interface, in its order', () => {
  expect(COLUMNS.join(', ')).toBe(
    'subscriber, account_type, member, account_num, opened, closed, payment, terms, portfolio_type, balance, high_balance, ' +
      'past_due, rating, 30dpd, 60dpd, 90dpd, account_class, today, age, age_closed, seasoned',
  );
});

test('a line has whole dollars where there are no cents, and ages as of today', () => {
  expect(writeTradeLines([LINE], TODAY)).toBe(
    `${COLUMNS.join(',')}\nEXAMPLE NATIONAL BANK,CC,1234DB567,****9876,2019-03-31,,41,MIN,revolving,1640.50,5000,0,01,2,1,0,` +
      'credit card,2026-01-15,81,,Y\n',
  );
  const closed = { ...LINE, opened: date('2024-02-01'), closed: date('2025-12-16') };
  expect(writeTradeLines([closed], TODAY)).toContain(',credit card,2026-01-15,23,0,N\n');
  expect(writeTradeLines([{ ...LINE, opened: null }], TODAY)).toContain(',2026-01-15,,,N\n');
});

test('without lines there is only the header', () => {
  expect(writeTradeLines([], TODAY)).toBe(`${COLUMNS.join(',')}\n`);
  expect(readTradeLines(`${COLUMNS.join(',')}\n`)).toEqual([]);
  expect(readTradeLines('')).toEqual([]);
});

describe('a written file is read back', () => {
  const text = fc.string({ maxLength: 12, unit: fc.constantFrom(',', '"', '\n', '\r', 'a', 'é', ' ', '|') });
  const amount = fc.integer({ min: 0, max: 99_999_999_99 }).map(cents);
  const line = fc
    .record({
      ...{ subscriber: text, accountNumber: text, terms: text, accountClass: text, payment: amount, balance: amount },
      ...{ pastDue: amount, late90: fc.integer({ min: 0, max: 99 }) },
      closed: fc.constantFrom(null, date('2024-02-29'), TODAY),
    })
    .map((given): TradeLine => ({ ...LINE, ...given }));

  test('with any text in its cells', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        expect(readTradeLines(writeTradeLines(lines, TODAY))).toEqual(lines);
      }),
    );
  });
});

test('CR alone ends a line, and an empty line is skipped', () => {
  const lines = writeTradeLines([LINE, LINE], TODAY);
  expect(readTradeLines(lines.replaceAll('\n', '\r'))).toEqual([LINE, LINE]);
  // More commas than one line may have.
  const many = writeTradeLines(new Array(100).fill(LINE), TODAY);
  expect(readTradeLines(many.replaceAll('\n', '\r'))).toHaveLength(100);
  expect(readTradeLines(lines.replaceAll('\n', '\r\n\r\n'))).toEqual([LINE, LINE]);
  expect(readTradeLines(lines.trimEnd())).toEqual([LINE, LINE]);
});

test('CRLF, columns in another order and extra columns are accepted', () => {
  const header = ['extra', ...COLUMNS.toReversed()];
  const cells: Record<string, string> = {
    subscriber: '"A ""B"", C"',
    opened: '2020-01-01',
    today: '2026-01-15',
    balance: '12',
  };
  const csv = `${header.join(',')}\r\n${header.map((column) => cells[column] ?? '').join(',')}\r\n\r\n`;
  expect(readTradeLines(csv)).toMatchObject([
    { subscriber: 'A "B", C', balance: 1200, payment: 0, late30: 0, closed: null },
  ]);
});

describe('errors are described without quoting the text', () => {
  const header = COLUMNS.join(',');
  const written = (column: string, cell: string) => {
    const cells = (writeTradeLines([LINE], TODAY).split('\n')[1] as string).split(',');
    cells[COLUMNS.indexOf(column as (typeof COLUMNS)[number])] = cell;
    return `${header}\n${cells.join(',')}\n`;
  };
  test.each([
    [written('opened', '31.3.2019'), 'trade line 1 has no valid date in opened'],
    [written('closed', '2025-02-30'), 'trade line 1 has no valid date in closed'],
    [written('balance', '-5'), 'trade line 1 has no valid amount in balance'],
    [written('past_due', '1e9'), 'trade line 1 has no valid amount in past_due'],
    [written('payment', 'NaN'), 'trade line 1 has no valid amount in payment'],
    [written('60dpd', 'two'), 'trade line 1 has no valid count in 60dpd'],
    [`${header}\na,b\n`, 'trade line 1 has a different number of cells than the header'],
    ['subscriber,opened\n', 'tradeLines has no column account_type'],
    [`${header}\n"never closed`, 'tradeLines has a quotation mark that is never closed'],
    [`${header}\n"closed"and more`, 'tradeLines has text after a closed quotation mark'],
    [written('terms', '6"0'), 'tradeLines has a quotation mark in a cell that is not quoted'],
  ])('%#', (csv, complaint) => {
    expect(readTradeLines(csv)).toBe(complaint);
  });

  test('more lines than allowed', () => {
    expect(tradeLinesFrom(new Array(MAX_LINES + 1).fill({}))).toBe(`tradeLines has more than ${MAX_LINES} lines`);
  });
});

test('a list of objects is read as the CSV is; numbers count as their text', () => {
  const entry = { subscriber: 'X', opened: '2020-01-01', balance: 1640.5, '30dpd': 2, closed: null };
  expect(tradeLinesFrom([entry])).toMatchObject([{ subscriber: 'X', balance: 1640_50, late30: 2, closed: null }]);
  expect(tradeLinesFrom([7])).toBe('trade line 1 is not an object');
  expect(tradeLinesFrom([entry, { ...entry, balance: true }])).toBe(
    'trade line 2 has a balance that is neither text nor number',
  );
  expect(tradeLinesFrom([{ ...entry, balance: 0.1 + 0.2 }])).toBe('trade line 1 has no valid amount in balance');
});
