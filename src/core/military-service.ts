/**
 * Military service (50 USC 3937): from its first day to its last the rate of a debt from before it is at most 6 %, what is above is
 * forgiven and not deferred, and each payment falls by the interest forgiven in it. Fees are interest for this limit. It ends by itself.
 */

import { yieldAgain } from './amortize.ts';
import { BROUGHT_FEES } from './brought.ts';
import { addDays, type PlainDate } from './calendar.ts';
import type { Fee, Loan, ScheduleTerms, Service } from './loan.ts';
import { forgive } from './modify.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { interestOver, lowerPercent, type Percent, SERVICE_LIMIT } from './rate.ts';
import { type Accrual, endStretch, openStretch, type WorkingLoan } from './working-loan.ts';

/** The first day on which it no longer counts; null: its end is not known. */
export function overOn({ to }: Pick<Service, 'to'>): PlainDate | null {
  return to === null ? null : addDays(to, 1);
}

/** The lower of the agreed rate and that of military service. */
export function serviceInForce({ agreedRate, service }: Pick<Loan, 'agreedRate' | 'service'>): Percent {
  return service === null ? agreedRate : lowerPercent(agreedRate, service.rate);
}

export function beginService(
  working: WorkingLoan,
  {
    from,
    to,
    rate,
    date,
    recordedAt,
    feesFrom,
  }: Pick<Service, 'from' | 'to' | 'rate' | 'recordedAt' | 'feesFrom'> & {
    date: PlainDate;
  },
): void {
  endStretch(working, date);
  const counts = { atLimit: ZERO, accrued: ZERO, forgiven: ZERO };
  const service: Service = { from, to, rate, since: date, recordedAt, feesFrom, rateAfter: null, ...counts };
  if (to !== null && to < date) {
    working.pastService.push(service);
    return;
  }
  working.service = service;
  working.rate = serviceInForce(working);
  forgive(working, service);
  yieldAgain(working, date);
}

/** From this day on the agreed rate is in force again. The installments have been computed with the end, where it is known. */
export function endService(working: WorkingLoan, on: PlainDate): void {
  endStretch(working, on);
  if (working.service !== null) working.pastService.push({ ...working.service, rateAfter: working.agreedRate });
  working.service = null;
  working.rate = serviceInForce(working);
  yieldAgain(working, on);
}

/** Periods of service with what each has forgiven up to the loan's day, in the order of their days. */
export function forgivenByService(loan: Loan): { service: Service; interest: Cents; fees: Cents }[] {
  const periods = loan.service === null ? loan.pastService : [...loan.pastService, loan.service];
  return periods.map((service) => {
    const open = service === loan.service ? openStretch(loan, loan.on) : null;
    let interest: number = service.forgiven;
    if (open !== null) {
      interest +=
        interestOver(open.principal, loan.agreedRate, open, (loan.terms as ScheduleTerms).rounding) - open.interest;
    }
    let fees = 0;
    for (const { date, forgiven } of loan.fees) {
      if (date >= service.since && (service.to === null || date <= service.to)) fees += forgiven;
    }
    return { service, interest: cents(interest), fees: cents(fees) };
  });
}

/**
 * The amount of fees that may still be charged on a day: interest at 6 % since service began, less interest that accrued, less fees charged
 * since then and not waived. Null: no service, no limit.
 */
export function feeRoom(loan: Accrual & Pick<Loan, 'service'> & { fees: readonly Fee[] }, on: PlainDate): Cents | null {
  const { service, terms } = loan;
  if (service === null) return null;
  let room = service.atLimit - service.accrued;
  const open = openStretch(loan, on);
  if (open !== null) {
    room += interestOver(open.principal, SERVICE_LIMIT, open, (terms as ScheduleTerms).rounding) - open.interest;
  }
  for (const { date, feeId, amount, waived } of loan.fees) {
    if (date >= service.since && feeId !== BROUGHT_FEES) room -= amount - waived;
  }
  return cents(Math.max(0, room));
}
