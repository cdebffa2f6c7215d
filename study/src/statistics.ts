/** Small statistics of a report: means, spread, confidence intervals. */
import { exponential } from '../../src/underwriting/exponential.ts';

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

/** The variance of a sample, with n − 1. */
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
