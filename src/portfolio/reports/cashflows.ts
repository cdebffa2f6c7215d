/** Month by month: what the contracts scheduled, what was received, lent and lost. */
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { monthOf } from '../months.ts';
import type { SumName } from '../sums.ts';
import { type Dated, day, type Layout, money, type Row, text } from './report.ts';

export const CASHFLOWS: Layout = {
  keys: [
    text('month', 'The month, such as `2026-10`.'),
    day('through', 'The last date of the month that is included: its end, or the date of the report.'),
  ],
  columns: [
    money('openingPrincipal', 'Principal of open loans at the end of the month before, as that month shows it.'),
    money(
      'priorPeriod',
      'As reported: by how much facts that were recorded in the month about earlier ones changed that principal; null by status. Restated: 0.',
    ),
    money('disbursed', 'Principal lent, boarded or bought, less principal of loans that were sold or rescinded.'),
    money('scheduled', 'Installments due in the month by contract; null while the month is not over.'),
    money(
      'received',
      'All cash received: the next four amounts and recoveries; as reported with `receivedLate` and `returned`.',
    ),
    money('scheduledPrincipal', 'Principal received by schedule or late.'),
    money('unscheduledPrincipal', 'Principal received ahead of schedule.'),
    money('interest', 'Interest received.'),
    money('fees', 'Fees received.'),
    money('recoveries', 'All money received after a charge-off, less amounts owed back.'),
    money(
      'receivedLate',
      'As reported: payments recorded in the month that took effect in an earlier one. Restated: 0.',
    ),
    money(
      'returned',
      'As reported: payments of earlier months that were returned or reversed in the month, negative. Restated: 0, the payments are not in their months.',
    ),
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
    'returned',
    'receivedLate',
    'principal',
  ] as const),
];

/**
 * The way in which months follow each other. Restated, every month is known alike, so a month opens as the one before closed. As reported, a month also shows what
 * was recorded in it about earlier ones; a slice by status does not chain, because loans move between statuses.
 */
export type Chain = {
  readonly asReported: boolean;
  readonly byStatus: boolean;
  /** The first month of the book, which follows none, and the date of the report. */
  readonly first: string;
  readonly last: string;
};

const RESTATED: Chain = { asReported: false, byStatus: false, first: '', last: '' };

/** `until`: the date of the report, if it is not a month end; then what belongs to the whole month is not known. */
export function cashflowRows(
  all: readonly Dated[],
  until: string | null,
  { asReported, byStatus, first, last }: Chain = RESTATED,
): Row[] {
  const closings = new Map(all.map(({ date, sums }) => [monthOf(date), sums.principal]));
  return [...all, ...(asReported && !byStatus ? emptied(all, last) : [])].sort(byDate).map(({ date, sums }) => {
    const whole = (amount: bigint) => (date === until ? null : amount);
    const { principalReceived, unscheduledPrincipal, interestReceived, feesReceived, recovered } = sums;
    const chained = asReported && !byStatus && date !== first;
    const opening = chained ? (closings.get(monthBefore(date)) ?? 0n) : sums.openingPrincipal;
    const [late, returned] = asReported ? [sums.receivedLate, 0n - sums.returned] : [0n, 0n];
    return {
      month: monthOf(date),
      through: date,
      openingPrincipal: opening,
      priorPeriod: asReported && byStatus ? null : sums.openingPrincipal - opening,
      disbursed: sums.disbursed,
      scheduled: whole(sums.scheduled),
      received: principalReceived + interestReceived + feesReceived + recovered + late + returned,
      scheduledPrincipal: principalReceived - unscheduledPrincipal,
      unscheduledPrincipal,
      interest: interestReceived,
      fees: feesReceived,
      recoveries: recovered,
      receivedLate: late,
      returned,
      chargedOff: sums.chargedOff,
      forgiven: sums.forgiven,
      closingPrincipal: sums.principal,
    };
  });
}

/** Months in which nothing is left of the month before: all of its loans had been boarded by mistake. */
function emptied(all: readonly Dated[], last: string): Dated[] {
  const months = new Set(all.map(({ date }) => monthOf(date)));
  const sums = Object.fromEntries(CASHFLOW_SUMS.map((name) => [name, 0n])) as Dated['sums'];
  return all.flatMap((row) => {
    const end = lastOfMonth(addDays(lastOfMonth(row.date), 1));
    if (row.sums.principal === 0n || monthOf(end) > monthOf(last as PlainDate) || months.has(monthOf(end))) return [];
    return [{ ...row, date: end < last ? end : (last as PlainDate), sums }];
  });
}

const byDate = (a: Dated, b: Dated): number => (a.date < b.date ? -1 : Number(a.date > b.date));

const monthBefore = (date: PlainDate): string => monthOf(addDays(`${monthOf(date)}-01` as PlainDate, -1));
