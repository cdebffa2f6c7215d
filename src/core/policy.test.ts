import { describe, expect, test } from 'vitest';
import { day, history, money, paid, terms } from '../../test/support/history.ts';
import { FLAT_LATE_FEE } from '../../test/support/life.ts';
import { bookFiguresOf } from './books.ts';
import { daysPastDue } from './delinquency.ts';
import type { Fact, LoanEvent } from './event.ts';
import { append, fold, foldAll, stateOn } from './fold.ts';
import { cents } from './money.ts';
import { type CurrentPolicy, DEFAULT_POLICY, type LateFeePolicy } from './policy.ts';
import { percent } from './rate.ts';

const { waterfall: _, lateFee: __, graceDays: ___, ...VALUES } = DEFAULT_POLICY;
const DUE = ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'];
const FLAT: LateFeePolicy = { ...FLAT_LATE_FEE, judge: 'oldestFirst' };

/** The lender's versions, as they are added to a loan when it is loaded. */
function under(events: readonly LoanEvent[], ...versions: [from: string, values: Partial<CurrentPolicy>][]) {
  const follows = versions.map(([from, values]) => ({ from: day(from), values: { ...VALUES, ...values } }));
  return events.map((event): LoanEvent => (event.type === 'created' ? { ...event, follows } : event));
}

const on = (events: readonly LoanEvent[], date: string) => fold(events, day(date));
const lateFees = (events: readonly LoanEvent[], date: string) =>
  on(events, date).fees.map(({ feeId, date: charged }) => `${feeId} ${charged}`);

describe('a version of the policy counts from its own day on', () => {
  // 92 % of the first installment of 100.00 is paid.
  const short = history(terms('400', DUE), { lateFee: FLAT }, ['2026-02-01', paid('A', '92')]);

  test('days past due: as they were the day before, by the new percentage from that day on', () => {
    const stricter = under(short, ['2026-02-20', { satisfiedPercent: 95 }]);
    expect(daysPastDue(on(stricter, '2026-02-19'))).toBe(0);
    expect(daysPastDue(on(stricter, '2026-02-20'))).toBe(19);
    expect(on(stricter, '2026-02-19').policyChangesOn).toBe('2026-02-20');
    expect(on(stricter, '2026-02-20').policyChangesOn).toBeNull();
  });

  test('a late fee that was not charged before is not charged by it, and one that was stays', () => {
    expect(lateFees(under(short, ['2026-02-20', { satisfiedPercent: 95 }]), '2026-02-28')).toEqual([]);
    expect(lateFees(under(short, ['2026-02-12', { satisfiedPercent: 95 }]), '2026-02-28')).toEqual([
      'late-1 2026-02-12',
    ]);
    const strict = history(terms('400', DUE), { lateFee: FLAT, satisfiedPercent: 95 }, ['2026-02-01', paid('A', '92')]);
    expect(lateFees(under(strict, ['2026-02-13', { satisfiedPercent: 90 }]), '2026-02-28')).toEqual([
      'late-1 2026-02-12',
    ]);
  });

  test('what was agreed stays: waterfall, late fee and grace days', () => {
    const { policy } = on(under(short, ['2026-02-12', { payoffDays: 3 }]), '2026-02-12');
    expect(policy).toEqual({ ...DEFAULT_POLICY, lateFee: FLAT, payoffDays: 3 });
  });

  test('an event of its first day is decided by it, in every phase', () => {
    const moved: Fact = { type: 'extended', periods: 1 };
    const extended = history(terms('400', DUE), {}, ['2026-02-01', paid('A', '92')], ['2026-02-10', moved]);
    const due = (events: LoanEvent[]) => on(events, '2026-02-10').installments[0]?.dueDate;
    expect(due(extended)).toBe('2026-02-01');
    expect(due(under(extended, ['2026-02-10', { satisfiedPercent: 95 }]))).toBe('2026-03-01');
  });

  test('non-accrual begins and ends with it', () => {
    const events = history(terms('400', DUE, { rate: percent('10') }), {});
    const changed = under(events, ['2026-03-10', { nonAccrualDays: 30 }], ['2026-03-20', { nonAccrualDays: 90 }]);
    const counted = (date: string) => bookFiguresOf(on(changed, date)).accruedInterest > 0;
    expect(['2026-03-09', '2026-03-10', '2026-03-19', '2026-03-20'].map(counted)).toEqual([true, false, false, true]);
  });

  test('after a charge-off the contract earns from then on, and no longer when it ends', () => {
    const charged: Fact = { type: 'chargedOff', collateral: cents(0) };
    const events = history(terms('36500', DUE, { rate: percent('10') }), {}, ['2026-06-01', charged]);
    // 36,500.00 at 10 % is 10.00 a day.
    const earns = under(
      events,
      ['2026-06-11', { accrueAfterChargeOff: true }],
      ['2026-06-21', { accrueAfterChargeOff: false }],
    );
    const interest = (date: string) => on(earns, date).interest - on(events, date).interest;
    expect(['2026-06-11', '2026-06-12', '2026-06-21', '2026-07-01'].map(interest)).toEqual([0, 1000, 10_000, 10_000]);
  });

  test('a folding is continued through it', () => {
    const events = under(short, ['2026-02-12', { satisfiedPercent: 95 }], ['2026-03-05', { satisfiedPercent: 50 }]);
    const folding = foldAll(events);
    for (const date of ['2026-02-11', '2026-02-12', '2026-03-05', '2026-04-30']) {
      expect(stateOn(folding, day(date))).toEqual(on(events, date));
    }
    const next: LoanEvent = {
      ...paid('B', '50'),
      date: day('2026-03-10'),
      recordedOn: day('2026-03-10'),
      recordedAt: '2026-03-10T12:00:00.000Z',
    };
    const continued = append(folding, [next]);
    expect(continued && stateOn(continued, day('2026-04-30'))).toEqual(on([...events, next], '2026-04-30'));
    expect(on([...events, next], '2026-03-10').payments.at(-1)?.amount).toBe(money('50'));
  });
});
