/** What a fold again changes, as a value. */
import { describe, expect, it } from 'vitest';
import { date } from './calendar.ts';
import type { LoanEvent } from './event.ts';
import { difference, fold } from './fold.ts';
import { DEFAULT_POLICY } from './loan.ts';
import { cents } from './money.ts';
import { percent } from './rate.ts';
import { dueDatesFrom } from './schedule.ts';

const stamp = (day: string) => ({ date: date(day), recordedOn: date(day), recordedAt: `${day}T12:00:00Z` });
const contract = {
  amount: cents(1_200_000),
  rate: percent('12'),
  dayCount: 'actual/365',
  rounding: 'half-up',
  frequency: 'Monthly',
  count: 12,
  contractDate: date('2026-01-01'),
  firstPaymentDate: date('2026-02-01'),
  amortization: 'FullAmortization',
  balloon: cents(0),
  interestOnlyCount: 0,
  payment: null,
  prepaymentPenalty: cents(0),
} as const;
const lateFee = { flat: cents(2_500), percent: null, floor: null, cap: null, graceDays: 10 };
const life: LoanEvent[] = [
  { type: 'created', contract, policy: { ...DEFAULT_POLICY, lateFee }, ...stamp('2026-01-01') },
  {
    type: 'funded',
    terms: {
      disbursements: [{ date: date('2026-01-01'), amount: cents(1_200_000) }],
      rate: percent('12'),
      rateChanges: [],
      dayCount: 'actual/365',
      rounding: 'half-up',
      interestStart: date('2026-01-01'),
      dueDates: dueDatesFrom(date('2026-02-01'), 'Monthly', 12),
      amortization: 'FullAmortization',
      balloon: cents(0),
      interestOnlyCount: 0,
      skip: [],
      payment: null,
    },
    ...stamp('2026-01-01'),
  },
];
const payment = (refId: string, amount: number, day: string): LoanEvent => ({
  type: 'paymentSubmitted',
  refId,
  amount: cents(amount),
  principalOnly: false,
  ...stamp(day),
});
const on = date('2026-03-01');

describe('the difference between two folds', () => {
  it('of a loan and itself is nothing', () => {
    const loan = fold([...life, payment('a', 106_620, '2026-02-01')], on);
    expect(difference(loan, loan)).toEqual({ since: null, parts: [], reasons: [] });
  });

  it('of a backdated payment: the late fee is taken back, interest since its day is less, and each is told', () => {
    const before = fold(life, on);
    const after = fold([...life, payment('a', 106_620, '2026-02-01')], on);
    const { since, parts, reasons } = difference(before, after);
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

  it('of a return: the payment pays nothing, and the parts go back by as much', () => {
    const paid = [...life, payment('a', 106_620, '2026-02-01')];
    const returned = [...paid, { type: 'paymentReturned', refId: 'a', ...stamp('2026-02-20') } as LoanEvent];
    const { parts, reasons } = difference(fold(paid, on), fold(returned, on));
    expect(parts.find(({ part }) => part === 'principal')?.change).toBe(94_390);
    expect(reasons).toContain(
      'payment a was returned; before, it was: pays 122.30 interest, 943.90 principal, 0.00 fees, 0.00 credit',
    );
    expect(reasons).toContain('fee late-1 is 25.00 of 2026-02-20, 0.00 paid, 0.00 waived');
  });
});
