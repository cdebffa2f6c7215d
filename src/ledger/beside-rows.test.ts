import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { live as begin, contractOf, type Life, money } from '../../test/support/life.ts';
import { anyPlan, live } from '../../test/support/simulate/lives.ts';
import { date, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { statement } from '../core/statement.ts';
import { besideRows, unwrittenLines } from './beside-rows.ts';
import { journalOf } from './journal.ts';

const LATE_FEE = {
  ...{ flat: money('25'), percent: null, floor: null, cap: null, graceDays: 10 },
  judge: 'currentFirst' as const,
};

function beside(events: readonly LoanEvent[], on: PlainDate) {
  const { rows } = statement(events, on);
  const written = journalOf(events).lines.flatMap((lines, at) => lines.map((line) => ({ line, at })));
  const placed = [...written, ...unwrittenLines(events, on).map((line) => ({ line, at: null }))];
  return { rows, placed, ...besideRows(rows, events, placed) };
}

/** By row: the accounts that are debited and credited beside it. */
function told(life: Life, on: string) {
  const { rows, byRow, others } = beside(life.events, date(on));
  const short = (lines: (typeof byRow)[number]) => lines.map(({ account, amount }) => `${account} ${amount}`);
  return {
    rows: rows.map(({ kind, reference }, i) => [kind, reference, ...short(byRow[i] ?? [])]),
    others: short(others),
  };
}

describe('the journal beside the statement', () => {
  it('has the lines of an event beside its row, and those of an acknowledgement beside its payment', () => {
    const life = begin().fund().pay('2026-02-01', '888.49', 'p1');
    life.take('2026-02-03', { do: 'acknowledge-repayment', refId: 'p1' });
    expect(told(life, '2026-02-03')).toEqual({
      rows: [
        ['funded', null, 'loanPrincipal 1000000', 'cash -1000000'],
        [
          ...['payment', 'p1', 'interestReceivable 10000', 'interestIncome -10000', 'cashClearing 88849'],
          ...['interestReceivable -10000', 'loanPrincipal -78849', 'cash 88849', 'cashClearing -88849'],
        ],
      ],
      others: [],
    });
  });

  it('has a late fee beside its own row, before it is recorded and after', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    const fee = ['fee', 'late-1', 'feeReceivable 2500', 'feeIncome -2500'];
    expect(told(life, '2026-02-12').rows[1]).toEqual(fee);
    expect(told(life.pay('2026-02-20', '100', 'p1'), '2026-02-20').rows[1]).toEqual(fee);
  });

  it('has a late fee beside its own row where the event of its day is backdated', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    life.pay('2026-02-12', '50', 'p1', { date: date('2026-01-20') });
    const { rows, others } = told(life, '2026-02-12');
    expect([rows[2], others]).toEqual([['fee', 'late-1', 'feeReceivable 2500', 'feeIncome -2500'], []]);
  });

  it('has a late fee that was reversed beside no row, and its correction beside the payment that caused it', () => {
    const life = begin(contractOf(), { lateFee: LATE_FEE }).fund();
    life.pay('2026-02-20', '888.49', 'p1', { date: date('2026-02-01'), reason: 'found' });
    const { rows, others } = told(life, '2026-02-20');
    expect(others).toEqual(['feeReceivable 2500', 'feeIncome -2500']);
    expect(rows[1]).toEqual(expect.arrayContaining(['payment', 'p1', 'feeReceivable -2500', 'feeIncome 2500']));
  });

  it('over random loan histories: every line has exactly one place', () => {
    const property = fc.property(anyPlan, (plan) => {
      const { events, today } = live(plan);
      const { placed, byRow, others } = beside(events, today);
      const all = placed.map(({ line }) => line);
      const shown = new Set([...byRow.flat(), ...others]);
      expect([shown.size, byRow.flat().length + others.length]).toEqual([all.length, all.length]);
      expect(all.every((line) => shown.has(line))).toBe(true);
    });
    fc.assert(property, { numRuns: process.env.TEST_LONG ? 1_000 : 30, seed: 12 });
  });
});
