/** The books of an organization through the write path: where accrual begins, closing in order, the export, and what is read for it. */

import { afterEach, beforeEach, describe, expect } from 'vitest';
import { onCitus } from '../../../test/support/database.ts';
import { FLAT_LATE_FEE } from '../../../test/support/life.ts';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { slowTest, usualTest as test } from '../../../test/support/whole.ts';
import { date, type PlainDate } from '../../core/calendar.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { ACCOUNTS } from '../../ledger/chart.ts';
import { readAccountTotals, readFirstRecorded, readLoansToFold } from '../../store/books/books.ts';
import { readBookTransactions } from '../../store/books/lender-books.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const on: TestLoans['on'] = (...when) => room.on(...when);
const { organizationId } = ACTOR;
const accrue = (day: string) => room.loans.books.accrue(organizationId, date(day));
const close = (period: string) => room.loans.books.close(ACTOR, period);

function found<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.detail);
  return answer;
}

const LATE = {
  policy: {
    ...DEFAULT_POLICY,
    lateFee: FLAT_LATE_FEE,
  },
};

async function late(lenderId: string): Promise<string> {
  const loanId = await room.create({ lenderId }, LATE);
  await room.done(loanId, { do: 'start-underwriting' });
  await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
  return loanId;
}

/** The same module on a database whose statements are seen. */
function watched(see: (text: string) => void, more: { refuse?: boolean } = {}) {
  const seen =
    (query: Sql['query']): Sql['query'] =>
    (text, values, name) => {
      see(text);
      return query(text, values, name);
    };
  const db: Db = {
    ...room.db,
    query: seen(room.db.query),
    transaction: (work) => room.db.transaction((tx) => work({ ...tx, query: seen(tx.query) })),
  };
  return room.another({ db, ...more });
}

describe('accrual', () => {
  test('begins on the first day on which a loan of the lender was known, however late it is run', async () => {
    on('2026-01-10');
    await room.live({ lenderId: 'L-A' });
    on('2026-02-05');
    await room.live({ lenderId: 'L-B' });
    on('2026-02-10');
    const january = found(await room.loans.books.trialBalance(ACTOR, { asOf: date('2026-01-31'), lenderId: null }));
    await accrue('2026-02-09');
    const books = await room.db.query(
      'SELECT lender_id, accrued_from, accrued_through, version FROM books ORDER BY lender_id',
    );
    expect(books).toEqual([
      { lender_id: 'L-A', accrued_from: '2026-01-10', accrued_through: '2026-02-09', version: 31 },
      { lender_id: 'L-B', accrued_from: '2026-02-05', accrued_through: '2026-02-09', version: 5 },
    ]);
    const asked = { asOf: date('2026-01-31'), lenderId: null };
    expect(found(await room.loans.books.trialBalance(ACTOR, asked))).toEqual(january);
    const { lenders } = found(await room.loans.books.rollForward(ACTOR, { period: '2026-01', lenderId: 'L-A' }));
    const interest = lenders[0]?.accounts.find(({ account }) => account === 'accruedInterest');
    expect(interest?.closing).toBeGreaterThan(0);
  });
});

describe('a month is closed', () => {
  test('from that of the first entry on, and no other', async () => {
    on('2026-04-10');
    expect(await close('2026-03')).toMatchObject({
      refused: 'wrong_period',
      detail: 'There are no loans yet, so there is no month to close.',
    });
    on('2026-01-15');
    await room.live();
    on('2026-04-10');
    await accrue('2026-04-09');
    for (const period of ['1926-10', '2025-12', '2026-02', '2026-03']) {
      expect(await close(period)).toMatchObject({
        refused: 'wrong_period',
        detail: 'Months are closed in order; the next is 2026-01.',
      });
    }
    for (const period of ['2026-01', '2026-02', '2026-03']) expect(await close(period)).toHaveProperty('hash');
  });

  test('whatever lender came after its end', async () => {
    on('2026-01-15');
    await room.live({ lenderId: 'L-A' });
    on('2026-01-31', 9);
    await room.live({ lenderId: 'L-B' });
    on('2026-02-01', 9);
    await accrue('2026-01-31');
    await room.live({ lenderId: 'L-C' });
    const { lenders } = found(await close('2026-01'));
    expect(lenders.map(({ lenderId }) => lenderId)).toEqual(['L-A', 'L-B']);
  });

  test('not while the first days of a lender are not posted', async () => {
    on('2026-01-15');
    await room.live({ lenderId: 'L-A' });
    on('2026-02-02');
    expect(await close('2026-01')).toMatchObject({ refused: 'cycle_pending', facts: { date: '2026-01-15' } });
    await accrue('2026-01-31');
    // A book that began too late.
    await room.db.query(`UPDATE books SET accrued_from = '2026-01-20'`);
    expect(await close('2026-01')).toMatchObject({ refused: 'cycle_pending', facts: { date: '2026-01-15' } });
  });

  test('only when every lender ties, also where the differences of two cancel out', async () => {
    on('2026-01-15');
    for (const lenderId of ['L-A', 'L-B']) await room.live({ lenderId });
    on('2026-02-02');
    await accrue('2026-01-31');
    await room.db.query(
      `UPDATE loans SET book_principal = book_principal + CASE lender_id WHEN 'L-A' THEN 700 ELSE -700 END`,
    );
    expect(await close('2026-01')).toMatchObject({
      refused: 'untied',
      facts: {
        lenders: [
          { lenderId: 'L-A', accounts: ['loanPrincipal'] },
          { lenderId: 'L-B', accounts: ['loanPrincipal'] },
        ],
      },
    });
  });

  slowTest('once by all who ask at the same time', async () => {
    on('2026-01-15');
    await room.live();
    on('2026-03-02');
    await accrue('2026-03-01');
    let computed = 0;
    const loans = watched((text) => {
      if (text.includes('accrues_per_unit')) computed += 1;
    });
    const asked = ['2026-01', '2026-01', '2026-01', '2026-02'].map((period) => loans.books.close(ACTOR, period));
    const [first, ...others] = await Promise.all(asked);
    expect(first).toHaveProperty('hash');
    expect(others.slice(0, 2)).toEqual([first, first]);
    expect(others[2]).toMatchObject({ refused: 'wrong_period' });
    expect(computed).toBe(1);
  });

  slowTest(
    'by one process at a time; the others wait for it, and are told to try again when that takes too long',
    async () => {
      on('2026-01-15');
      await room.live();
      on('2026-03-02');
      await accrue('2026-03-01');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const another = room.db.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(814732991, hashtext($1))', [organizationId]);
        await held;
      });
      const hasty = room.another({ requestMs: 300 });
      try {
        expect(await hasty.books.close(ACTOR, '2026-01')).toMatchObject({ refused: 'wrong_period', retryable: true });
      } finally {
        release();
        await another;
      }
      expect(await close('2026-01')).toHaveProperty('hash');
      const closed = await room.db.query('SELECT period FROM ledger_periods');
      expect(closed).toEqual([{ period: '2026-01' }]);
    },
  );
});

describe('the export', () => {
  async function exportOf(period: string): Promise<string> {
    const chunks = found(await room.loans.books.exported(ACTOR, { period, lenderId: null }));
    let text = '';
    for await (const lines of chunks.lines) for (const line of lines) text += `${JSON.stringify(line)}\n`;
    return text;
  }

  slowTest(
    'of a closed month is the same before and after its loans are written down, added up and in order',
    async () => {
      on('2026-01-01');
      const loans: string[] = [];
      for (const lenderId of ['L-B', 'L-A', 'L-A']) loans.push(await late(lenderId));
      await room.loans.books.setCodes(ACTOR, Object.fromEntries(ACCOUNTS.map((account, i) => [account, `${i}`])));
      on('2026-04-02');
      await accrue('2026-03-31');
      for (const period of ['2026-01', '2026-02', '2026-03']) expect(await close(period)).toHaveProperty('hash');
      const before = await exportOf('2026-02');
      const lines = before
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { date: PlainDate; lenderId: string; entry: string; account: string });
      const names = lines.map(({ date: day, lenderId, entry, account }) => `${day} ${lenderId} ${entry} ${account}`);
      expect(names).toEqual([...new Set(names)].sort());
      // Two loans of one lender, one line.
      expect(before).toMatch(
        /"2026-02-12","lenderId":"L-A","entry":"assessment","account":"feeReceivable","code":"\d+","priorPeriod":false,"debit":5000,"credit":0/,
      );
      for (const [i, loanId] of loans.entries()) {
        await room.done(loanId, repay(`P-${i}`, 88_849));
        if (i === 1) await room.loans.ledger.seal();
        expect(await exportOf('2026-02')).toBe(before);
      }
      expect(await close('2026-03')).toHaveProperty('hash');
      while ((await room.loans.ledger.seal()) > 0);
      const { complaints } = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
      expect(complaints).toEqual([]);
    },
  );
});

describe('what a look reads', () => {
  test('of a day on which no loan was known yet: no event', async () => {
    on('2026-01-15');
    for (const lenderId of ['L-A', 'L-B']) await room.live({ lenderId });
    on('2026-02-15');
    let read = 0;
    const loans = watched((text) => {
      if (/\bbody\b.*\b(FROM|JOIN) events\b/s.test(text)) read += 1;
    });
    const asked = { asOf: date('1990-01-01'), lenderId: null };
    const { accounts } = found(await loans.books.trialBalance(ACTOR, asked));
    expect(accounts.every(({ debit, credit }) => debit === 0 && credit === 0)).toBe(true);
    found(await loans.books.tieOut(ACTOR, asked));
    expect(read).toBe(0);
  });

  type Plan = {
    'Relation Name'?: string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
  };

  /** Rows of a table that a statement's plan has looked at. */
  async function rowsRead(tx: Sql, table: string, ask: (tx: Sql) => Promise<unknown>): Promise<number> {
    const of = ({ Plans = [], ...plan }: Plan): number =>
      Plans.reduce(
        (sum, one) => sum + of(one),
        plan['Relation Name'] === table
          ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
          : 0,
      );
    let read = 0;
    const query = async (text: string, values?: readonly unknown[]) => {
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      read += of(row?.['QUERY PLAN'][0]?.Plan as Plan);
      return [];
    };
    await ask({ ...tx, query: query as Sql['query'] });
    return read;
  }

  const undone = new Error('Undone.');

  /** Some thousand rows the server would rather sort or read whole; of a million it would not. */
  const asIfLarge = (tx: Sql) =>
    tx.query(
      `SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort']) AS name`,
    );

  slowTest('pages of loans to fold are ranges of an index; the lenders are found by one step each', async () => {
    on('2026-01-15');
    await room.live();
    const attempt = room.db.transaction(async (tx) => {
      const [{ columns = '' } = {}] = await tx.query<{ columns: string }>(
        `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
         WHERE attrelid = 'loans'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      );
      await tx.query(
        `INSERT INTO loans (${columns}) SELECT ${columns} FROM (SELECT made.* FROM loans, generate_series(1, 4000) n, LATERAL jsonb_populate_record(loans, jsonb_build_object(
           'volume', n % 16, 'loan_id', '\\x' || encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'lender_id', 'L-' || n % 7,
           'organization_id', CASE WHEN n % 2 = 0 THEN 'org_other' ELSE organization_id END,
           'recorded_on', date '2026-01-15' + n % 400, 'first_recorded_on', date '2026-01-15' + n % 300,
           'books_change_on', CASE WHEN n % 3 = 0 THEN date '2026-01-16' + n % 400 END)) made) rows`,
      );
      await tx.query('ANALYZE loans');
      await asIfLarge(tx);
      const whose = { organizationId, lenderId: null };
      const limit = 100;
      for (const why of ['changed', 'recorded'] as const) {
        const asked = { day: date('2026-08-01'), why, limit };
        const seen: string[] = [];
        let after: Awaited<ReturnType<typeof readLoansToFold>>['last'] = null;
        do {
          const from = after;
          const page = await readLoansToFold(tx, whose, { ...asked, after: from });
          const read = await rowsRead(tx, 'loans', (sql) => readLoansToFold(sql, whose, { ...asked, after: from }));
          expect(read).toBeLessThanOrEqual(limit);
          seen.push(...page.loans.map(({ loanId }) => loanId));
          after = page.last;
        } while (after !== null);
        const condition =
          why === 'changed'
            ? `books_change_on <= '2026-08-01'`
            : `recorded_on > '2026-08-01' AND first_recorded_on <= '2026-08-01'`;
        const [all] = await tx.query<{ count: bigint }>(
          `SELECT count(*) FROM loans WHERE organization_id = $1 AND ${condition}`,
          [organizationId],
        );
        expect([new Set(seen).size, seen.length]).toEqual([Number(all?.count), Number(all?.count)]);
        expect(seen.length).toBeGreaterThan(300);
      }
      const lenders = await readFirstRecorded(tx, whose);
      expect(lenders.size).toBe(7);
      expect(await rowsRead(tx, 'loans', (sql) => readFirstRecorded(sql, whose))).toBeLessThanOrEqual(7 * 16);
      throw undone;
    });
    await expect(attempt).rejects.toBe(undone);
  });

  // The plans are those of one server.
  test.skipIf(onCitus())(
    'entries of a day are one step for each book, and balances begin after the last closed month',
    async () => {
      on('2026-01-15');
      for (const lenderId of ['L-A', 'L-B']) await room.live({ lenderId });
      on('2026-05-02');
      await accrue('2026-05-01');
      while ((await room.loans.ledger.seal()) > 0);
      await room.db.transaction(async (tx) => {
        await tx.query('ANALYZE');
        await asIfLarge(tx);
        const whose = { organizationId, lenderId: null };
        const asked = { day: date('2026-03-07'), after: null, limit: 100 };
        const rows = await readBookTransactions(tx, whose, asked);
        expect(rows.map(({ lenderId, sequence }) => [lenderId, sequence])).toEqual([
          ['L-A', 52],
          ['L-B', 52],
        ]);
        expect(await rowsRead(tx, 'events', (sql) => readBookTransactions(sql, whose, asked))).toBe(2);
        const april = { from: date('2026-04-01'), through: date('2026-04-30') };
        const read = await rowsRead(tx, 'account_days', (sql) => readAccountTotals(sql, whose, april));
        expect(read).toBeLessThanOrEqual(2 * 2 * 30);
      });
      let through = 0;
      const loans = watched((text) => {
        if (text.includes('FROM account_days')) through += 1;
      });
      const asked = { asOf: date('2026-04-15'), lenderId: null };
      const before = found(await loans.books.trialBalance(ACTOR, asked));
      for (const period of ['2026-01', '2026-02', '2026-03']) expect(await close(period)).toHaveProperty('hash');
      expect(found(await loans.books.trialBalance(ACTOR, asked))).toEqual(before);
      expect(through).toBe(2);
      // Nothing before the last closed month is read for it.
      await room.db.query(`UPDATE account_days SET debit = debit + 1 WHERE date_posted < '2026-04-01'`);
      expect(found(await loans.books.trialBalance(ACTOR, asked))).toEqual(before);
    },
  );
});
