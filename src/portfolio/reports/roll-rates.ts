/** The movement of the loans of one date to a later one: by delinquency bucket, by count and by principal. */
import { BUCKETS } from '../buckets.ts';
import { ratio } from '../rates.ts';
import { count, type Layout, money, percent, type Row, text } from './report.ts';

/**
 * The places of a loan before: in a bucket, or charged off, or not in the book. `chargedOff` and `new` are no part of the balance of
 * `from`.
 */
const BEFORE = [...BUCKETS, 'chargedOff', 'new'] as const;
/** And after: in a bucket, or no longer in the balance. */
const AFTER = [...BUCKETS, 'chargedOff', 'paidOff', 'transferred'] as const;
export type Before = (typeof BEFORE)[number];
export type After = (typeof AFTER)[number];

export const ROLL_RATES: Layout = {
  keys: [
    text(
      'from',
      'Where the loans were on the first date: a bucket, `chargedOff`, or `new` for those that entered the book since.',
    ),
    text(
      'to',
      'Where they were on the second date: a bucket, `chargedOff`, `paidOff` (also rescinded, or boarded by mistake), or `transferred` to another owner.',
    ),
  ],
  columns: [
    count('count', 'Loans.'),
    money('principalFrom', 'Their principal on the first date.'),
    money('principalTo', 'Their principal on the second date; for charged-off loans, the remaining claim.'),
    percent('countRate', 'Percent of the loans that were in `from`; null for new loans.'),
    percent(
      'principalRate',
      'Principal on the first date in percent of that of all loans that were in `from`; null for new loans.',
    ),
  ],
};

/** Loans that went one way. */
export type Rolled = {
  readonly slice: string;
  readonly from: Before;
  readonly to: After;
  readonly count: bigint;
  readonly principalFrom: bigint;
  readonly principalTo: bigint;
};

/** Ways that no loan went are left out. */
export function rollRateRows(all: readonly Rolled[]): Row[] {
  return BEFORE.flatMap((from) => {
    const leaving = all.filter((one) => one.from === from);
    const total = (of: 'count' | 'principalFrom', some = leaving) => some.reduce((sum, one) => sum + one[of], 0n);
    return AFTER.flatMap((to): Row[] => {
      const some = leaving.filter((one) => one.to === to);
      if (some.length === 0) return [];
      const isNew = from === 'new';
      return [
        {
          from,
          to,
          count: total('count', some),
          principalFrom: total('principalFrom', some),
          principalTo: some.reduce((sum, one) => sum + one.principalTo, 0n),
          countRate: isNew ? null : ratio(total('count', some), total('count')),
          principalRate: isNew ? null : ratio(total('principalFrom', some), total('principalFrom')),
        },
      ];
    });
  });
}
