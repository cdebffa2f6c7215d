/**
 * e to a power by + − × ÷ alone, written by hand because `Math.exp` may differ in its last digit between engines and processors; these four
 * operations and rounding are fixed by IEEE 754, so that a probability is the same to the last bit wherever it is computed.
 */
/** ln 2 in two parts: the first has so few digits that a small multiple of it is exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/** Beyond this a logit gives 0 or 1 anyway. */
const FARTHEST = 60;

/** 1 ÷ n! for 13 down to 0: beyond them |r| ≤ ln 2 ÷ 2 adds less than the last digit. */
const SERIES: readonly number[] = Array.from({ length: 14 }, (_, i) => 1 / factorial(13 - i));

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/** x = k · ln 2 + r, so that e^x = 2^k · e^r with a small r. */
export function exponential(x: number): number {
  const bounded = x > FARTHEST ? FARTHEST : x < -FARTHEST ? -FARTHEST : x;
  const twos = Math.round(bounded / LN2_HIGH);
  const rest = bounded - twos * LN2_HIGH - twos * LN2_LOW;
  let value = 0;
  for (const term of SERIES) value = value * rest + term;
  for (let k = 0; k < twos; k++) value *= 2;
  for (let k = 0; k > twos; k--) value /= 2;
  return value;
}
