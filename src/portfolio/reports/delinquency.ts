/** Open loans by days past due. */
import { BUCKETS } from '../buckets.ts';
import { ratio } from '../rates.ts';
import { BUCKET_NAMES, type SumName } from '../sums.ts';
import { count, type Dated, type Layout, money, percent, type Row, text } from './report.ts';

export const DELINQUENCY: Layout = {
  keys: [text('bucket', 'Days past due: `current`, `1-29`, `30-59`, `60-89`, `90-119` or `120+`.')],
  columns: [
    count('count', 'Open loans in the bucket.'),
    money('principal', 'Their principal.'),
    percent('countShare', 'Percent of all open loans; null if there are none.'),
    percent('principalShare', 'Percent of the principal of all open loans; null if there is none.'),
  ],
};

const sumsOf = (bucket: (typeof BUCKETS)[number]) =>
  [`${BUCKET_NAMES[bucket]}Count`, `${BUCKET_NAMES[bucket]}Principal`] as const;

export const DELINQUENCY_SUMS: readonly SumName[] = ['count', 'principal', ...BUCKETS.flatMap(sumsOf)];

/** A bucket without loans has a row too. */
export function delinquencyRows(all: readonly Dated[], on: string): Row[] {
  const sums = all.find(({ date }) => date === on)?.sums;
  return BUCKETS.map((bucket) => {
    const [countName, principalName] = sumsOf(bucket);
    const [loans, principal] = [sums?.[countName] ?? 0n, sums?.[principalName] ?? 0n];
    return {
      bucket,
      count: loans,
      principal,
      countShare: ratio(loans, sums?.count ?? 0n),
      principalShare: ratio(principal, sums?.principal ?? 0n),
    };
  });
}
