import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { hashOf } from './chain.ts';
import { ACCOUNTS, INCOME_AND_EXPENSE, OWNED_BY_LOANS, PROPOSED_CODES } from './chart.ts';
import { type EntryRecorded, postEntry } from './entry-book.ts';

const BOOK = `0x${'1'.repeat(64)}`;
const entry = (more: Partial<EntryRecorded> = {}): EntryRecorded => ({
  type: 'entryRecorded',
  date: date('2026-01-20'),
  datePosted: date('2026-02-10'),
  lines: [
    { account: 'cash', amount: 5_000 },
    { account: 'equity', amount: -5_000 },
  ],
  reasonHash: `0x${'2'.repeat(64)}`,
  reverseOn: null,
  recordedAt: '2026-02-10T12:00:00.000Z',
  ...more,
});

describe('a book of entries by hand', () => {
  test('links each transaction to the one before, and knows the first day on which one is posted', () => {
    const first = postEntry(null, BOOK, entry());
    const second = postEntry(first.head, BOOK, entry({ datePosted: date('2026-01-31') }));
    const third = postEntry(second.head, BOOK, entry());
    expect(first.head).toEqual({ version: 1, lastHash: hashOf(first.body), firstPosted: '2026-02-10' });
    expect(second.body).toContain(`"previous":"${first.head.lastHash}"`);
    expect([second.head.firstPosted, third.head.firstPosted, third.head.version]).toEqual([
      '2026-01-31',
      '2026-01-31',
      3,
    ]);
  });

  test('posts an entry on its day of posting, and the reverse on its own', () => {
    const { lines } = postEntry(null, BOOK, entry({ reverseOn: date('2026-03-01') }));
    const of = (account: string) => lines.filter((line) => line.account === account);
    expect(of('cash')).toEqual([
      { entry: 'manual', account: 'cash', amount: 5_000, dateEffective: '2026-01-20', datePosted: '2026-02-10' },
      {
        entry: 'manualReversal',
        account: 'cash',
        amount: -5_000,
        dateEffective: '2026-03-01',
        datePosted: '2026-03-01',
      },
    ]);
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  });

  test('takes nothing that does not add up, nor a line alone', () => {
    const [cash, equity] = entry().lines;
    for (const lines of [[], [cash], [cash, { ...equity, amount: -4_999 }]]) {
      expect(() => postEntry(null, BOOK, entry({ lines: lines as EntryRecorded['lines'] }))).toThrow('add up to zero');
    }
  });
});

test('the proposed chart has one code for each account, and no account that closes with the year is owned by the loans', () => {
  expect(Object.keys(PROPOSED_CODES).sort()).toEqual([...ACCOUNTS].sort());
  expect(new Set(Object.values(PROPOSED_CODES)).size).toBe(ACCOUNTS.length);
  expect(INCOME_AND_EXPENSE.filter((account) => OWNED_BY_LOANS.has(account))).toEqual([]);
});
