/** Short histories: a loan with its terms and events. */
import type { PlainDate } from '../../src/core/calendar.ts';
import type { Fact, LoanEvent } from '../../src/core/event.ts';
import type { Purpose, ScheduleTerms } from '../../src/core/loan.ts';
import { type Cents, cents, parseCents } from '../../src/core/money.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';

export const day = (text: string) => text as PlainDate;
export const money = (text: string) => parseCents(text) as Cents;

export function terms(amount: string, dueDates: string[], more: Partial<ScheduleTerms> = {}): ScheduleTerms {
  return {
    disbursements: [{ date: day('2026-01-01'), amount: money(amount) }],
    rate: percent('0'),
    rateChanges: [],
    dayCount: 'actual/365',
    rounding: 'half-up',
    interestStart: day('2026-01-01'),
    dueDates: dueDates.map(day),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    skip: [],
    payment: null,
    ...more,
  };
}

/** Each fact with its day, and the day it was recorded where that is another. */
type Entry = [date: string, fact: Fact, recordedOn?: string];

export function history(of: ScheduleTerms, policy: Partial<Policy>, ...entries: Entry[]): LoanEvent[] {
  const contract = {
    amount: of.disbursements[0]?.amount ?? cents(0),
    rate: of.rate,
    variable: false,
    dayCount: of.dayCount,
    rounding: of.rounding,
    frequency: 'Monthly' as const,
    count: of.dueDates.length,
    contractDate: day('2026-01-01'),
    firstPaymentDate: of.dueDates[0] as PlainDate,
    amortization: of.amortization,
    balloon: of.balloon,
    interestOnlyCount: of.interestOnlyCount,
    payment: of.payment,
    prepaymentPenalty: cents(0),
  };
  const all: Entry[] = [
    ['2026-01-01', { type: 'created', contract, policy: { ...DEFAULT_POLICY, ...policy } }],
    ['2026-01-01', { type: 'funded', terms: of }],
    ...entries,
  ];
  return all.map(([date, fact, recordedOn = date], i) => ({
    ...fact,
    date: day(date),
    recordedOn: day(recordedOn),
    recordedAt: `${recordedOn}T${String(i).padStart(6, '0')}Z`,
  }));
}

export function paid(refId: string, amount: string, purpose: Purpose = 'installment'): Fact {
  return { type: 'paymentSubmitted', refId, amount: money(amount), purpose };
}
