/** What a fold again changes, as a value. */
import { describe, expect, it } from 'vitest';
import { contractOf, live, money } from '../../test/life.ts';
import { difference } from './difference.ts';

/** 12,000.00 at 12 % by actual days, with a late fee of 25.00 after ten days. */
const contract = contractOf({ amount: money('12000'), dayCount: 'actual/365' });
const lateFee = { flat: money('25'), percent: null, floor: null, cap: null, graceDays: 10 };
const begin = () => live(contract, { lateFee }).approve('2026-01-01').fund('2026-01-01');
const on = '2026-03-01';

describe('the difference between two folds', () => {
  it('of a loan and itself is nothing', () => {
    const loan = begin().pay('2026-02-01', '1066.20', 'a').loan(on);
    expect(difference(loan, loan)).toEqual({ since: null, parts: [], reasons: [] });
  });

  it('of a backdated payment: the late fee is taken back, interest since its day is less, and each is told', () => {
    const { since, parts, reasons } = difference(begin().loan(on), begin().pay('2026-02-01', '1066.20', 'a').loan(on));
    expect(since).toBe('2026-01-01');
    // 31 days of 12 % on 12,000.00 are 122.30 (12000 × 0.12 × 31 ÷ 365 = 122.301…), so 943.90 of 1,066.20 is principal.
    // Until 1 March: 59 days on 12,000.00 are 232.77; with the payment 122.30, paid, and 28 days on 11,056.10: 101.78.
    expect(parts).toEqual([
      { part: 'principal', before: 1_200_000, after: 1_105_610, change: -94_390 },
      { part: 'interest', before: 23_277, after: 10_178, change: -13_099 },
      { part: 'fees', before: 2_500, after: 0, change: -2_500 },
      { part: 'totals.interestAccrued', before: 0, after: 12_230, change: 12_230 },
      { part: 'totals.feesAssessed', before: 2_500, after: 0, change: -2_500 },
      { part: 'totals.received', before: 0, after: 106_620, change: 106_620 },
      { part: 'totals.principalPaid', before: 0, after: 94_390, change: 94_390 },
      { part: 'totals.interestPaid', before: 0, after: 12_230, change: 12_230 },
    ]);
    expect(reasons).toEqual([
      'payment a pays 122.30 interest, 943.90 principal, 0.00 fees, 0.00 credit',
      'fee late-1 is gone; it was: is 25.00 of 2026-02-12, 0.00 paid, 0.00 waived',
    ]);
  });

  it('of a return: the payment pays nothing, the fee comes on the day it is recorded, and the parts go back', () => {
    const life = begin().pay('2026-02-01', '1066.20', 'a');
    const before = life.loan(on);
    life.take('2026-02-20', { do: 'return-repayment', refId: 'a', date: null, reason: 'insufficient funds' });
    const { parts, reasons } = difference(before, life.loan(on));
    expect(parts.find(({ part }) => part === 'principal')?.change).toBe(94_390);
    expect(reasons).toEqual([
      'payment a was returned; before, it was: pays 122.30 interest, 943.90 principal, 0.00 fees, 0.00 credit',
      'fee late-1 is 25.00 of 2026-02-20, 0.00 paid, 0.00 waived',
    ]);
  });
});
