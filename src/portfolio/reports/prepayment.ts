/** The speed at which loans are paid ahead of schedule, and charged off: month by month, and on average. */
import { isMonthEnd, monthOf } from '../months.ts';
import { absOf, annualRate, averageAbs, averageMonthly, type Ratio, ratio, smmOf, whole } from '../rates.ts';
import type { SumName, Sums } from '../sums.ts';
import { count, type Dated, type Layout, money, number, percent, type Row, text } from './report.ts';

export const PREPAYMENT: Layout = {
  keys: [
    text(
      'period',
      'A month, such as `2026-10`, or an average over the last months: `last3Months`, `last6Months`, `last12Months`, `life`.',
    ),
    count('months', 'Months in the period that had a balance.'),
  ],
  columns: [
    money('openingPrincipal', 'Principal of open loans at the beginning of the period.'),
    money('scheduledPrincipal', 'Principal received from them by schedule or late.'),
    money('unscheduledPrincipal', 'Principal received from them ahead of schedule.'),
    money('chargedOff', 'Principal of them that was charged off.'),
    number('averageAge', 'Their age in months at the end of the first month of the period, weighted by principal.'),
    percent(
      'smm',
      'Single monthly mortality: unscheduled principal as a share of the principal left after scheduled payments.',
    ),
    percent('cpr', 'The same for a year: 1 − (1 − SMM)^12.'),
    percent('abs', 'ABS speed: SMM ÷ (1 + SMM × (age − 1)).'),
    percent('smmWithChargeOffs', 'SMM with charge-offs counted as prepaid.'),
    percent('cprWithChargeOffs', 'CPR with charge-offs counted as prepaid.'),
    percent('absWithChargeOffs', 'ABS speed with charge-offs counted as prepaid.'),
    percent('cdr', 'Conditional default rate for a year: 1 − (1 − charged off ÷ opening principal)^12.'),
  ],
};

export const PREPAYMENT_SUMS: readonly SumName[] = [
  'openingPrincipal',
  'ageOpening',
  'openPrincipalReceived',
  'openUnscheduled',
  'openChargedOff',
];

const AVERAGES = { last3Months: 3, last6Months: 6, last12Months: 12, life: Number.POSITIVE_INFINITY } as const;

type Month = { month: string; sums: Sums; age: Ratio; smm: Ratio; total: Ratio; defaults: Ratio };

/** Only months that are over: a part of one has no speed. */
export function prepaymentRows(all: readonly Dated[]): Row[] {
  const over = all.filter(({ date }) => isMonthEnd(date));
  const months = over.flatMap(({ date, sums }) => speedsOf(monthOf(date), sums) ?? []);
  const rows = months.map((one) => rowOf(one.month, [one]));
  if (months.length === 0) return [];
  return [...rows, ...Object.entries(AVERAGES).map(([period, last]) => rowOf(period, months.slice(-last)))];
}

/** Null: no loan was open when the month began. */
function speedsOf(month: string, sums: Sums): Month | null {
  const { openingPrincipal: opening, openPrincipalReceived: received, openUnscheduled, openChargedOff } = sums;
  const scheduled = received - openUnscheduled;
  const smm = smmOf({ opening, scheduled, unscheduled: openUnscheduled });
  const total = smmOf({ opening, scheduled, unscheduled: openUnscheduled + openChargedOff });
  const defaults = smmOf({ opening, scheduled: 0n, unscheduled: openChargedOff });
  const age = ratio(sums.ageOpening, opening);
  return smm === null || total === null || defaults === null || age === null
    ? null
    : { month, sums, age, smm, total, defaults };
}

function rowOf(period: string, months: readonly Month[]): Row {
  const first = months[0] as Month;
  const sum = (of: (sums: Sums) => bigint) => months.reduce((all, { sums }) => all + of(sums), 0n);
  const single = months.length === 1;
  const speeds = (rates: readonly Ratio[]) => {
    const smm = averageMonthly(rates);
    const abs = single ? absOf(rates[0] as Ratio, first.age) : averageAbs({ monthly: rates, firstAge: first.age });
    return { smm, cpr: smm === null ? null : annualRate(smm), abs };
  };
  const prepaid = speeds(months.map(({ smm }) => smm));
  const total = speeds(months.map(({ total: rate }) => rate));
  const defaults = speeds(months.map(({ defaults: rate }) => rate));
  return {
    period,
    months: BigInt(months.length),
    openingPrincipal: first.sums.openingPrincipal,
    scheduledPrincipal: sum((s) => s.openPrincipalReceived - s.openUnscheduled),
    unscheduledPrincipal: sum((s) => s.openUnscheduled),
    chargedOff: sum((s) => s.openChargedOff),
    averageAge: first.age.over < first.age.under ? whole(1n) : first.age,
    smm: prepaid.smm,
    cpr: prepaid.cpr,
    abs: prepaid.abs,
    smmWithChargeOffs: total.smm,
    cprWithChargeOffs: total.cpr,
    absWithChargeOffs: total.abs,
    cdr: defaults.cpr,
  };
}
