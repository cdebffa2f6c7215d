/** Month by month: what the contracts scheduled, what was received, lent and lost. */
import { monthOf } from '../months.ts';
import type { SumName } from '../sums.ts';
import { type Dated, day, type Layout, money, type Row, text } from './report.ts';

export const CASHFLOWS: Layout = {
  keys: [
    text('month', 'The month, such as `2026-10`.'),
    day('through', 'The last date of the month that is included: its end, or the date of the report.'),
  ],
  columns: [
    money('openingPrincipal', 'Principal of open loans at the end of the month before.'),
    money('disbursed', 'Principal lent, boarded or bought, less principal of loans that were sold.'),
    money('scheduled', 'Installments due in the month by contract; null while the month is not over.'),
    money('received', 'All cash received: the next four amounts and recoveries.'),
    money('scheduledPrincipal', 'Principal received by schedule or late.'),
    money('unscheduledPrincipal', 'Principal received ahead of schedule.'),
    money('interest', 'Interest received.'),
    money('fees', 'Fees received.'),
    money('recoveries', 'All money received after a charge-off, less amounts owed back.'),
    money('chargedOff', 'Principal charged off.'),
    money('forgiven', 'Principal forgiven in settlements and waivers.'),
    money('closingPrincipal', 'Principal of open loans at the end.'),
  ],
};

export const CASHFLOW_SUMS: readonly SumName[] = [
  ...(['openingPrincipal', 'disbursed', 'scheduled', 'principalReceived'] as const),
  ...([
    'unscheduledPrincipal',
    'interestReceived',
    'feesReceived',
    'recovered',
    'chargedOff',
    'forgiven',
    'principal',
  ] as const),
];

/** `until`: the date of the report, if it is not a month end; then what belongs to the whole month is not known. */
export function cashflowRows(all: readonly Dated[], until: string | null): Row[] {
  return all.map(({ date, sums }) => {
    const whole = (amount: bigint) => (date === until ? null : amount);
    const { principalReceived, unscheduledPrincipal, interestReceived, feesReceived, recovered } = sums;
    return {
      month: monthOf(date),
      through: date,
      openingPrincipal: sums.openingPrincipal,
      disbursed: sums.disbursed,
      scheduled: whole(sums.scheduled),
      received: principalReceived + interestReceived + feesReceived + recovered,
      scheduledPrincipal: principalReceived - unscheduledPrincipal,
      unscheduledPrincipal,
      interest: interestReceived,
      fees: feesReceived,
      recoveries: recovered,
      chargedOff: sums.chargedOff,
      forgiven: sums.forgiven,
      closingPrincipal: sums.principal,
    };
  });
}
