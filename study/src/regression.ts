/**
 * Least squares and logistic regression for a handful of variables, written by hand so that a report is the same to the last digit on every
 * machine: only + − × ÷, square roots and `exponential`. The first column of the table is the constant; the caller supplies it.
 */
import { exponential } from '../../src/underwriting/exponential.ts';

export type Estimate = { readonly coefficient: number; readonly error: number };

/** Null: the columns are not independent, or there are too few rows for them. */
export type Fit = readonly Estimate[] | null;

type Rows = readonly (readonly number[])[];

/**
 * Ordinary least squares. The standard errors hold whether or not all rows scatter alike (HC1, White's with n ÷ (n − k)): an outcome of 0
 * or 1 never does.
 */
export function leastSquares(rows: Rows, outcomes: readonly number[]): Fit {
  const width = rows[0]?.length ?? 0;
  if (rows.length <= width) return null;
  const inverse = inverted(weightedProducts(rows, () => 1));
  if (inverse === null) return null;
  const coefficients = times(
    inverse,
    weightedSums(rows, (i) => outcomes[i] as number),
  );
  const residual = (i: number) => (outcomes[i] as number) - dot(rows[i] as readonly number[], coefficients);
  const scatter = weightedProducts(rows, (i) => residual(i) * residual(i));
  const corrected = rows.length / (rows.length - width);
  return coefficients.map((coefficient, j) => {
    const row = inverse[j] as readonly number[];
    return { coefficient, error: Math.sqrt(Math.max(0, dot(row, times(scatter, row)) * corrected)) };
  });
}

const MOST_STEPS = 30;
const CLOSE = 1e-10;

/**
 * Logistic regression by iteratively reweighted least squares. Null also where it does not settle: when the columns tell the two outcomes
 * apart completely, the coefficients have no limit.
 */
export function logistic(rows: Rows, outcomes: readonly number[]): Fit {
  const width = rows[0]?.length ?? 0;
  if (rows.length <= width) return null;
  let coefficients: number[] = new Array<number>(width).fill(0);
  for (let step = 0; step < MOST_STEPS; step++) {
    const expected = rows.map((row) => probability(dot(row, coefficients)));
    const weight = (i: number) => (expected[i] as number) * (1 - (expected[i] as number));
    const inverse = inverted(weightedProducts(rows, weight));
    if (inverse === null) return null;
    const gradient = weightedSums(rows, (i) => (outcomes[i] as number) - (expected[i] as number));
    const change = times(inverse, gradient);
    coefficients = coefficients.map((one, j) => one + (change[j] as number));
    if (change.every((by, j) => Math.abs(by) < CLOSE * (1 + Math.abs(coefficients[j] as number)))) {
      return coefficients.map((coefficient, j) => ({
        coefficient,
        error: Math.sqrt((inverse[j] as readonly number[])[j] as number),
      }));
    }
  }
  return null;
}

/** The average change of the probability when column `j` is 1 instead of 0 and everything else stays. */
export function averageEffect(rows: Rows, fit: Fit, j: number): number | null {
  if (fit === null) return null;
  const coefficients = fit.map(({ coefficient }) => coefficient);
  let sum = 0;
  for (const row of rows) {
    const without = dot(row, coefficients) - (row[j] as number) * (coefficients[j] as number);
    sum += probability(without + (coefficients[j] as number)) - probability(without);
  }
  return sum / rows.length;
}

function probability(logOdds: number): number {
  const odds = exponential(logOdds);
  return odds / (1 + odds);
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

function times(matrix: Rows, vector: readonly number[]): number[] {
  return matrix.map((row) => dot(row, vector));
}

/** Xᵀ·W·X. */
function weightedProducts(rows: Rows, weight: (i: number) => number): number[][] {
  const width = rows[0]?.length ?? 0;
  const sums = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  rows.forEach((row, i) => {
    const w = weight(i);
    for (let j = 0; j < width; j++) {
      const sum = sums[j] as number[];
      const by = w * (row[j] as number);
      for (let k = 0; k < width; k++) sum[k] = (sum[k] as number) + by * (row[k] as number);
    }
  });
  return sums;
}

/** Xᵀ·v. */
function weightedSums(rows: Rows, value: (i: number) => number): number[] {
  const sums = new Array<number>(rows[0]?.length ?? 0).fill(0);
  rows.forEach((row, i) => {
    const v = value(i);
    for (let j = 0; j < row.length; j++) sums[j] = (sums[j] as number) + v * (row[j] as number);
  });
  return sums;
}

/** A pivot this small beside the column's own size means that the column follows from the others. */
const DEPENDENT = 1e-10;

/** The inverse of a symmetric matrix of positive products, by Gauss and Jordan; null where a column follows from the others. */
function inverted(matrix: readonly (readonly number[])[]): number[][] | null {
  const size = matrix.length;
  const left = matrix.map((row) => [...row]);
  const right = matrix.map((_, i) => matrix.map((__, j) => (i === j ? 1 : 0)));
  for (let pivot = 0; pivot < size; pivot++) {
    const at = (left[pivot] as number[])[pivot] as number;
    const own = (matrix[pivot] as readonly number[])[pivot] as number;
    if (!(at > own * DEPENDENT)) return null;
    for (const half of [left, right]) half[pivot] = (half[pivot] as number[]).map((value) => value / at);
    for (let i = 0; i < size; i++) {
      const by = (left[i] as number[])[pivot] as number;
      if (i === pivot || by === 0) continue;
      for (const half of [left, right]) {
        const from = half[pivot] as number[];
        half[i] = (half[i] as number[]).map((value, j) => value - by * (from[j] as number));
      }
    }
  }
  return right;
}
