/** Static pools: the loans that began in a month, and what became of them month by month. */
import { monthOf, monthsBetween } from '../months.ts';
import { ratio } from '../rates.ts';
import type { SumName, Sums } from '../sums.ts';
import { count, type Dated, type Layout, money, percent, type Row, text } from './report.ts';

export const VINTAGES: Layout = {
  keys: [
    text(
      'vintage',
      'The month in which the loans were funded; for boarded loans, the month of their contract. Empty: unknown.',
    ),
    text('month', 'The month, such as `2026-10`.'),
    count('age', 'Months since the vintage.'),
  ],
  columns: [
    count('originalCount', 'Loans that entered the pool by then: funded, boarded or bought.'),
    money('original', 'Their original principal.'),
    count('count', 'Open loans.'),
    money('principal', 'Their principal.'),
    percent('poolFactor', 'Principal in percent of original.'),
    money('grossLoss', 'Principal charged off or forgiven so far.'),
    money('recoveries', 'Recoveries so far.'),
    money('netLoss', 'Gross loss less recoveries.'),
    percent('grossLossShare', 'Gross loss in percent of original.'),
    percent('netLossShare', 'Net loss in percent of original: cumulative net loss.'),
    money('prepaid', 'Principal received ahead of schedule so far.'),
    percent('prepaidShare', 'In percent of original.'),
    money('pastDue60Principal', 'Principal of open loans that are 60 or more days past due.'),
    percent('pastDue60Share', 'In percent of the principal of open loans.'),
  ],
};

export const VINTAGE_SUMS: readonly SumName[] = [
  ...(['enteredCount', 'entered', 'count', 'principal', 'chargedOff', 'forgiven', 'recovered'] as const),
  ...(['unscheduledPrincipal', 'past60Principal', 'past90Principal', 'past120Principal'] as const),
];

type Pool = { originalCount: bigint; original: bigint; grossLoss: bigint; recoveries: bigint; prepaid: bigint };

/** A pool has a row for every month from its first on, also for one in which none of its loans was left. */
export function vintageRows(all: readonly Dated[], dates: readonly string[]): Row[] {
  const pools = [...Map.groupBy(all, ({ vintage }) => vintage)].sort(([a], [b]) => (a < b ? -1 : 1));
  return pools.flatMap(([vintage, some]) => {
    const byDate = new Map<string, Sums>(some.map(({ date, sums }) => [date, sums]));
    const first = dates.findIndex((date) => byDate.has(date));
    let pool: Pool = { originalCount: 0n, original: 0n, grossLoss: 0n, recoveries: 0n, prepaid: 0n };
    return dates.slice(first).map((date) => {
      const sums = byDate.get(date);
      if (sums !== undefined) pool = grown(pool, sums);
      return rowOf(vintage, date, pool, sums);
    });
  });
}

function grown(pool: Pool, sums: Sums): Pool {
  return {
    originalCount: pool.originalCount + sums.enteredCount,
    original: pool.original + sums.entered,
    grossLoss: pool.grossLoss + sums.chargedOff + sums.forgiven,
    recoveries: pool.recoveries + sums.recovered,
    prepaid: pool.prepaid + sums.unscheduledPrincipal,
  };
}

function rowOf(vintage: string, date: string, pool: Pool, sums: Sums | undefined): Row {
  const { original, grossLoss, recoveries, prepaid } = pool;
  const principal = sums?.principal ?? 0n;
  const late = sums === undefined ? 0n : sums.past60Principal + sums.past90Principal + sums.past120Principal;
  return {
    vintage,
    month: monthOf(date),
    age: vintage === '' ? null : BigInt(monthsBetween(vintage, date)),
    originalCount: pool.originalCount,
    original,
    count: sums?.count ?? 0n,
    principal,
    poolFactor: ratio(principal, original),
    grossLoss,
    recoveries,
    netLoss: grossLoss - recoveries,
    grossLossShare: ratio(grossLoss, original),
    netLossShare: ratio(grossLoss - recoveries, original),
    prepaid,
    prepaidShare: ratio(prepaid, original),
    pastDue60Principal: late,
    pastDue60Share: ratio(late, principal),
  };
}
