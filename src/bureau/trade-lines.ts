/** Trade lines as CSV: the columns of the interface, quoted as RFC 4180 says. */
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { addMonths, type PlainDate, parseDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';
import type { TradeLine } from './bureau.ts';

export const COLUMNS = [
  'subscriber',
  'account_type',
  'member',
  'account_num',
  'opened',
  'closed',
  'payment',
  'terms',
  'portfolio_type',
  'balance',
  'high_balance',
  'past_due',
  'rating',
  '30dpd',
  '60dpd',
  '90dpd',
  'account_class',
  'today',
  'age',
  'age_closed',
  'seasoned',
] as const;
export type Column = (typeof COLUMNS)[number];

/** Readers that split at `\n` are more common than those that insist on the CRLF of RFC 4180; none of the latter is known to refuse this. */
const LINE_BREAK = '\n';

/** The most lines that an answer may have; the largest real files have a few hundred. */
export const MAX_LINES = 2_000;

/** The most characters in one cell; the longest creditor name is far shorter. */
const MAX_CELL = 200;

/** An account is seasoned from this age in months. */
const SEASONED_MONTHS = 24;

/** The last four columns are computed as of `today`. */
export function writeTradeLines(lines: readonly TradeLine[], today: PlainDate): string {
  const rows = lines.map((line) => cellsOf(line, today));
  // Otherwise a cell with CR alone would not be quoted.
  return stringify([COLUMNS, ...rows], { record_delimiter: LINE_BREAK, quoted_match: /\r/ });
}

function cellsOf(line: TradeLine, today: PlainDate): string[] {
  const age = line.opened === null ? null : monthsBetween(line.opened, today);
  return [
    line.subscriber,
    line.accountType,
    line.member,
    line.accountNumber,
    line.opened ?? '',
    line.closed ?? '',
    amountText(line.payment),
    line.terms,
    line.portfolioType,
    amountText(line.balance),
    amountText(line.highBalance),
    amountText(line.pastDue),
    line.rating,
    String(line.late30),
    String(line.late60),
    String(line.late90),
    line.accountClass,
    today,
    age === null ? '' : String(age),
    line.closed === null ? '' : String(monthsBetween(line.closed, today)),
    age !== null && age >= SEASONED_MONTHS ? 'Y' : 'N',
  ];
}

/** Dollars; cents only where there are some. Bureaus report whole dollars. */
function amountText(amount: Cents): string {
  return amount % 100 === 0 ? String(amount / 100) : (amount / 100).toFixed(2);
}

/** The lines, or where the text is invalid, without quoting it. Extra columns are ignored; columns may be in any order. */
export function readTradeLines(csv: string): TradeLine[] | string {
  const records = readCsv(csv);
  if (typeof records === 'string') return records;
  const [header, ...rows] = records;
  if (header === undefined) return [];
  const missing = COLUMNS.find((column) => !header.includes(column));
  if (missing !== undefined) return `tradeLines has no column ${missing}`;
  const positions = COLUMNS.map((column) => header.indexOf(column));
  return collect(rows, (row) => {
    if (row.length !== header.length) return 'has a different number of cells than the header';
    const cells = {} as Record<Column, string>;
    COLUMNS.forEach((column, i) => {
      cells[column] = row[positions[i] as number] as string;
    });
    return tradeLineOf(cells);
  });
}

/** The same from a list of objects whose fields are named like the columns; amounts and counts may be numbers. */
export function tradeLinesFrom(list: readonly unknown[]): TradeLine[] | string {
  return collect(list, (entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'is not an object';
    const cells = {} as Record<Column, string>;
    for (const column of COLUMNS) {
      const value = (entry as Record<string, unknown>)[column] ?? '';
      if (typeof value !== 'string' && typeof value !== 'number')
        return `has a ${column} that is neither text nor number`;
      cells[column] = String(value);
    }
    return tradeLineOf(cells);
  });
}

function collect<T>(entries: readonly T[], read: (entry: T) => TradeLine | string): TradeLine[] | string {
  if (entries.length > MAX_LINES) return `tradeLines has more than ${MAX_LINES} lines`;
  const lines: TradeLine[] = [];
  for (const [i, entry] of entries.entries()) {
    const line = read(entry);
    if (typeof line === 'string') return `trade line ${i + 1} ${line}`;
    lines.push(line);
  }
  return lines;
}

/** The columns computed as of today (`today`, `age`, `age_closed`, `seasoned`) come from the bureau and stay in its text. */
function tradeLineOf(cells: Readonly<Record<Column, string>>): TradeLine | string {
  const long = COLUMNS.find((column) => cells[column].length > MAX_CELL);
  if (long !== undefined) return `has more than ${MAX_CELL} characters in ${long}`;
  const opened = cells.opened === '' ? null : parseDate(cells.opened);
  if (opened === null && cells.opened !== '') return 'has no valid date in opened';
  const closed = cells.closed === '' ? null : parseDate(cells.closed);
  if (closed === null && cells.closed !== '') return 'has no valid date in closed';
  const amounts = AMOUNT_COLUMNS.map((column) => amountIn(cells[column]));
  const badAmount = amounts.indexOf(null);
  if (badAmount >= 0) return `has no valid amount in ${AMOUNT_COLUMNS[badAmount]}`;
  const [payment, balance, highBalance, pastDue] = amounts as [Cents, Cents, Cents, Cents];
  const counts = COUNT_COLUMNS.map((column) => countIn(cells[column]));
  const badCount = counts.indexOf(null);
  if (badCount >= 0) return `has no valid count in ${COUNT_COLUMNS[badCount]}`;
  const [late30, late60, late90] = counts as [number, number, number];
  return {
    subscriber: cells.subscriber,
    accountType: cells.account_type,
    member: cells.member,
    accountNumber: cells.account_num,
    opened,
    closed,
    payment,
    terms: cells.terms,
    portfolioType: cells.portfolio_type,
    balance,
    highBalance,
    pastDue,
    rating: cells.rating,
    late30,
    late60,
    late90,
    accountClass: cells.account_class,
  };
}

const AMOUNT_COLUMNS = ['payment', 'balance', 'high_balance', 'past_due'] as const;
const COUNT_COLUMNS = ['30dpd', '60dpd', '90dpd'] as const;

/** An empty cell is 0: a creditor with nothing to report leaves it empty. */
function amountIn(text: string): Cents | null {
  if (text === '') return cents(0);
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  return match === null ? null : cents(Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')));
}

function countIn(text: string): number | null {
  if (text === '') return 0;
  return /^\d{1,4}$/.test(text) ? Number(text) : null;
}

/** Whole months from one day to a later one; 0 when it is earlier. */
function monthsBetween(from: PlainDate, to: PlainDate): number {
  const months =
    (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 + Number(to.slice(5, 7)) - Number(from.slice(5, 7));
  return Math.max(0, addMonths(from, months) > to ? months - 1 : months);
}

/** With LF, CRLF or CR between the records; an empty line is skipped. The number of cells is checked by the caller. */
function readCsv(text: string): string[][] | string {
  if (mostCommas(text) > MAX_CELLS) return 'tradeLines has a line that is too long';
  try {
    const records: string[][] = parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // One more than allowed, to detect that there are too many.
      to: MAX_LINES + 2,
      max_record_size: MAX_RECORD,
    });
    return records.filter(([first, ...others]) => first !== '' || others.length > 0);
  } catch (error) {
    // The error's message quotes the text.
    return `tradeLines ${(error instanceof CsvError && CSV_MISTAKES[error.code]) || 'is not CSV'}`;
  }
}

/** The most characters in one line: enough for the columns that are read and as many others. */
const MAX_RECORD = 16_384;

/** The most cells in one line. The parser's own limit does not count empty ones, and eight million of them would take it seconds. */
const MAX_CELLS = 1_000;

function mostCommas(text: string): number {
  let [most, count] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      count += 1;
      if (count > most) most = count;
    } else if (code === CR || code === LF) count = 0;
  }
  return most;
}
const [COMMA, CR, LF] = [0x2c, 0x0d, 0x0a];

const CSV_MISTAKES: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_MAX_RECORD_SIZE: 'has a line that is too long',
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closed quotation mark',
  INVALID_OPENING_QUOTE: 'has a quotation mark in a cell that is not quoted',
};
