/**
 * Expected cash flows as CSV: one block of monthly rows a deal under one header. Sixty deals are four thousand rows and most of a
 * decision's time if each figure becomes a string of its own, so the text is written as bytes, digit by digit, and becomes a string once.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { CashflowRow } from '../core/forecast.ts';
import type { Cents } from '../core/money.ts';
import type { Price } from '../core/price.ts';

export const CASHFLOW_COLUMNS = [
  'Month',
  'BeginningBalance',
  'ScheduledPrincipal',
  'ScheduledInterest',
  'PrincipalPaid',
  'PrepaidPrincipal',
  'InterestPaid',
  'ChargeoffAmount',
  'RecoveredAmount',
  'TotalPaid',
  'ServicingFee',
  'TotalPaidLessFees',
  'EndingBalance',
  'CumulativePrincipalPaid',
  'CumulativeInterestPaid',
  'CumulativeChargeoffAmount',
  'CumulativeRecoveredAmount',
  'CumulativeTotalPaidLessFees',
  'PoolFactor',
  'DefaultProb',
  'FundedAmount',
  'PresentValue',
  'FairValue',
  'Type',
  'Date',
  'row_no',
] as const;

export type CashflowBlock = {
  readonly rows: readonly CashflowRow[];
  readonly price: Pick<Price, 'presentValues' | 'fairValues'>;
  /** What goes out in month 0. */
  readonly funded: Cents;
};

/** A row is never longer: 22 figures of at most 20 characters, a word, a date. */
const LONGEST_ROW = 600;

export function cashflowsCsv(blocks: readonly CashflowBlock[]): string {
  const header = `${CASHFLOW_COLUMNS.join(',')}\n`;
  let rows = 0;
  for (const block of blocks) rows += block.rows.length;
  const bytes = scratch(header.length + rows * LONGEST_ROW);
  let at = writeText(bytes, 0, header);
  blocks.forEach((block, n) => {
    at = writeBlock(bytes, at, block, n);
  });
  return bytes.toString('latin1', 0, at);
}

/** One piece of memory for all calls: a decision needs two or three megabytes for a moment, and nothing is read that was not just written. */
const SHARED = Buffer.allocUnsafeSlow(4_000_000);

function scratch(size: number): Buffer {
  return size <= SHARED.length ? SHARED : Buffer.allocUnsafeSlow(size);
}

function writeBlock(bytes: Buffer, from: number, { rows, price, funded }: CashflowBlock, n: number): number {
  const amount = rows[0]?.endingBalance ?? 0;
  let at = from;
  let [principal, interest, chargedOff, recovered, net] = [0, 0, 0, 0, 0];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as CashflowRow;
    principal += row.principalPaid;
    interest += row.interestPaid;
    chargedOff += row.chargedOff;
    recovered += row.recovered;
    net += row.totalPaidLessFees;
    at = writeWhole(bytes, at, row.month);
    at = writeCents(bytes, at, row.beginningBalance);
    at = writeCents(bytes, at, row.scheduledPrincipal);
    at = writeCents(bytes, at, row.scheduledInterest);
    at = writeCents(bytes, at, row.principalPaid);
    at = writeCents(bytes, at, row.prepaid);
    at = writeCents(bytes, at, row.interestPaid);
    at = writeCents(bytes, at, row.chargedOff);
    at = writeCents(bytes, at, row.recovered);
    at = writeCents(bytes, at, row.totalPaid);
    at = writeCents(bytes, at, row.servicingFee);
    at = writeCents(bytes, at, row.totalPaidLessFees);
    at = writeCents(bytes, at, row.endingBalance);
    at = writeCents(bytes, at, principal);
    at = writeCents(bytes, at, interest);
    at = writeCents(bytes, at, chargedOff);
    at = writeCents(bytes, at, recovered);
    at = writeCents(bytes, at, net);
    at = writeMillionths(bytes, at, amount === 0 ? 0 : Math.round((row.endingBalance / amount) * 1e6));
    at = writeMillionths(bytes, at, row.defaultMillionths);
    at = writeCents(bytes, at, i === 0 ? funded : 0);
    at = writeCents(bytes, at, price.presentValues[i] as number);
    at = writeCents(bytes, at, price.fairValues[i] as number);
    at = writeText(bytes, at, PROJECTED);
    at = writeDate(bytes, at, row.date);
    at = writeWhole(bytes, at, n);
    bytes[at - 1] = NEWLINE;
  }
  return at;
}

const PROJECTED = 'Projected,';
const COMMA = 44;
const POINT = 46;
const MINUS = 45;
const NEWLINE = 10;
const ZERO_DIGIT = 48;

// Each of these writes a figure and a comma, and answers where the next one begins.

function writeText(bytes: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

function writeDate(bytes: Buffer, at: number, date: PlainDate): number {
  const end = writeText(bytes, at, date);
  bytes[end] = COMMA;
  return end + 1;
}

function writeWhole(bytes: Buffer, at: number, value: number): number {
  const end = writeDigits(bytes, at, value, 1);
  bytes[end] = COMMA;
  return end + 1;
}

/** Amounts below 21 million dollars go two digits at a time in 32-bit arithmetic, which halves the time of a CSV. */
function writeCents(bytes: Buffer, at: number, amount: number): number {
  if (amount < 0 || amount > MAX_INT32) return writeLargeCents(bytes, at, amount);
  let left = amount | 0;
  let end = at + 4;
  for (let bound = 1000; left >= bound && end < at + 11; bound *= 10) end += 1;
  bytes[end] = COMMA;
  let i = end - 1;
  let rest = (left / 100) | 0;
  let pair = left - rest * 100;
  bytes[i] = ONES[pair] as number;
  bytes[i - 1] = TENS[pair] as number;
  bytes[i - 2] = POINT;
  for (i -= 3, left = rest; left >= 100; i -= 2, left = rest) {
    rest = (left / 100) | 0;
    pair = left - rest * 100;
    bytes[i] = ONES[pair] as number;
    bytes[i - 1] = TENS[pair] as number;
  }
  bytes[i] = ONES[left] as number;
  if (left >= 10) bytes[i - 1] = TENS[left] as number;
  return end + 1;
}

const MAX_INT32 = 2_147_483_647;
const ONES = Uint8Array.from({ length: 100 }, (_, i) => ZERO_DIGIT + (i % 10));
const TENS = Uint8Array.from({ length: 100 }, (_, i) => ZERO_DIGIT + Math.floor(i / 10));

function writeLargeCents(bytes: Buffer, at: number, amount: number): number {
  const size = Math.abs(amount);
  const dollars = Math.floor(size / 100);
  if (amount < 0) bytes[at] = MINUS;
  const point = writeDigits(bytes, amount < 0 ? at + 1 : at, dollars, 1);
  bytes[point] = POINT;
  const end = writeDigits(bytes, point + 1, size - dollars * 100, 2);
  bytes[end] = COMMA;
  return end + 1;
}

function writeMillionths(bytes: Buffer, at: number, millionths: number): number {
  const whole = Math.floor(millionths / 1e6);
  const point = writeDigits(bytes, at, whole, 1);
  bytes[point] = POINT;
  const end = writeDigits(bytes, point + 1, millionths - whole * 1e6, 6);
  bytes[end] = COMMA;
  return end + 1;
}

function writeDigits(bytes: Buffer, at: number, value: number, fewest: number): number {
  let count = fewest;
  for (let bound = BOUNDS[fewest] as number; value >= bound; bound *= 10) count += 1;
  let left = value;
  for (let i = at + count - 1; i >= at; i--) {
    const tens = Math.floor(left / 10);
    bytes[i] = ZERO_DIGIT + left - tens * 10;
    left = tens;
  }
  return at + count;
}

const BOUNDS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
