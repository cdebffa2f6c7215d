/** From the contract to the terms of a schedule: the dates that a contract leaves open are set by the day of funding. */
import { type PlainDate, stepDate } from './calendar.ts';
import type { Contract, ScheduleTerms } from './loan.ts';
import { type Refusal, refuse } from './refusal.ts';
import { dueDatesFrom } from './schedule.ts';

/** The terms of a loan that is funded on a day. A contract date that is given stays: interest runs from it. */
export function termsOf(contract: Contract, fundingDate: PlainDate): ScheduleTerms | Refusal {
  const start = contract.contractDate ?? fundingDate;
  const first = contract.firstPaymentDate ?? stepDate(start, contract.frequency, 1);
  if (first <= start) {
    return refuse('contradiction', `The first payment (${first}) must be after the loan begins (${start}).`, {
      member: 'firstPaymentDate',
    });
  }
  return {
    disbursements: [{ date: start, amount: contract.amount }],
    rate: contract.rate,
    rateChanges: [],
    dayCount: contract.dayCount,
    rounding: contract.rounding,
    interestStart: start,
    dueDates: dueDatesFrom(first, contract.frequency, contract.count),
    amortization: contract.amortization,
    balloon: contract.balloon,
    interestOnlyCount: contract.interestOnlyCount,
    skip: [],
    payment: contract.payment,
  };
}
