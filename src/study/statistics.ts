/** Small statistics of a report: means, spread, confidence intervals, the shift between two distributions. */
import { exponential } from '../underwriting/exponential.ts';

/** 95 percent of a normal distribution lie within so many standard errors. */
export const NORMAL_95 = 1.959963984540054;

export type Interval = { readonly low: number; readonly high: number };

/** Null of an empty list. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Of a sample, with n − 1. */
export function variance(values: readonly number[]): number {
  const middle = mean(values);
  if (middle === null || values.length < 2) return 0;
  let sum = 0;
  for (const value of values) sum += (value - middle) * (value - middle);
  return sum / (values.length - 1);
}

/** The difference of two means in standard deviations: by the root of the mean of the two variances. Null where either is empty. */
export function standardizedDifference(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [mean(one), mean(other)];
  if (a === null || b === null) return null;
  const spread = Math.sqrt((variance(one) + variance(other)) / 2);
  return spread === 0 ? 0 : (a - b) / spread;
}

export type Share = { readonly count: number; readonly of: number };

/**
 * One share over another, with the interval of 95 percent by Katz: the logarithm of the ratio is nearly normal, with the variance
 * 1/a − 1/n + 1/b − 1/m. Null where a share is zero or not defined, because the ratio then has no interval.
 */
export function ratioOfShares(one: Share, other: Share): (Interval & { readonly ratio: number }) | null {
  if (one.count === 0 || other.count === 0) return null;
  const ratio = one.count / one.of / (other.count / other.of);
  const error = Math.sqrt(1 / one.count - 1 / one.of + 1 / other.count - 1 / other.of);
  const factor = exponential(NORMAL_95 * error);
  return { ratio, low: ratio / factor, high: ratio * factor };
}

const BINS = 10;
/** What an empty bin counts as, in rows: a logarithm of zero has no value. */
const ALMOST_NONE = 0.5;

/**
 * The population stability index between two lists of one figure, in ten bins that hold a tenth of the first list each. Below 0.1 is
 * commonly read as stable, above 0.25 as another population. Null where a list is empty.
 */
export function stabilityIndex(before: readonly number[], after: readonly number[]): number | null {
  if (before.length === 0 || after.length === 0) return null;
  const sorted = [...before].sort((a, b) => a - b);
  const edges = Array.from(
    { length: BINS - 1 },
    (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / BINS)] as number,
  );
  const bins = [...new Set(edges)];
  const shares = (values: readonly number[]) => {
    const counts = new Array<number>(bins.length + 1).fill(0);
    for (const value of values) {
      const bin = bins.findIndex((edge) => value < edge);
      const at = bin < 0 ? bins.length : bin;
      counts[at] = (counts[at] as number) + 1;
    }
    return counts.map((count) => Math.max(count, ALMOST_NONE) / values.length);
  };
  const [from, to] = [shares(before), shares(after)];
  let index = 0;
  from.forEach((share, i) => {
    const now = to[i] as number;
    index += (now - share) * naturalLog(now / share);
  });
  return index;
}

/** By + − × ÷ alone, the counterpart of `exponential`: halved or doubled until it is near 1, then 2·artanh((x − 1) ÷ (x + 1)). */
export function naturalLog(x: number): number {
  if (!(x > 0) || x === Number.POSITIVE_INFINITY) throw new Error('A logarithm needs a positive number.');
  let [rest, twos] = [x, 0];
  while (rest > 1.5) {
    rest /= 2;
    twos += 1;
  }
  while (rest < 0.75) {
    rest *= 2;
    twos -= 1;
  }
  const ratio = (rest - 1) / (rest + 1);
  const square = ratio * ratio;
  let sum = 0;
  for (let n = 25; n >= 1; n -= 2) sum = sum * square + 1 / n;
  return twos * 0.6931471805599453 + 2 * ratio * sum;
}
