/**
 * The present value of cash flows as a curve over the rate: in doubles to approximate a root, in fixed point (bigint) to determine it.
 * `discount.ts` defines the value of a flow and searches for the roots.
 */

import type { Work } from './work.ts';

/** Steps of `Work` for each flow: to make a curve and its groups, and to compute a term in fixed point; in doubles it is one. */
const STEPS_TO_MAKE = 30;
const STEPS_IN_FIXED_POINT = 12;
/** For each group of flows that share the part of a step. */
const STEPS_TO_DIVIDE = 20;

export type Flow = { readonly amount: bigint; readonly full: number; readonly part: number; readonly parts: number };

/** `value / 2^bits`. */
export type Fixed = { readonly value: bigint; readonly bits: number };

/** The worth of the flows at a rate, in doubles. */
export type Point = {
  readonly rate: number;
  /** `income - outgo`, and its slope. */
  readonly value: number;
  readonly slope: number;
  readonly income: number;
  readonly outgo: number;
};

/** A flow with the factor of its part of a step to a power, as derivatives have it: amount ÷ [(1 + part/parts · i)^times · (1 + i)^full]. */
type Term = Flow & { readonly times: number };

/** Terms that share the part of a step and its power, latest first: one polynomial in 1 ÷ (1 + i), over one factor. */
type Group = {
  readonly part: bigint;
  readonly parts: bigint;
  readonly times: number;
  readonly fulls: number[];
  readonly amounts: bigint[];
};

/** A growth of more than 2^1024 in the caller's year (a rate of 10^310 percent) is not a useful answer. */
const MAX_GROWTH_BITS = 1_024;

/** The worth of all flows together at a rate: in doubles (`at`), and in fixed point (`sign`, `refine`). */
export class Curve {
  readonly terms: readonly Term[];
  readonly power: number;
  readonly amounts: Float64Array;
  readonly fulls: Float64Array;
  readonly fractions: Float64Array;
  readonly times: Float64Array;
  readonly groups: readonly Group[];
  /** Bits that the sum of all amounts takes. */
  readonly size: number;

  readonly work: Work;

  constructor(terms: readonly Term[], power: number, work: Work) {
    work.spend(STEPS_TO_MAKE * terms.length);
    this.work = work;
    this.terms = terms;
    this.power = power;
    this.amounts = Float64Array.from(terms, ({ amount }) => Number(amount));
    this.fulls = Float64Array.from(terms, ({ full }) => full);
    this.fractions = Float64Array.from(terms, ({ part, parts }) => part / parts);
    this.times = Float64Array.from(terms, ({ times }) => times);
    this.groups = groupsOf(terms);
    let total = 0n;
    for (const { amount } of terms) total += amount < 0n ? -amount : amount;
    this.size = total.toString(2).length;
  }

  at(rate: number): Point {
    const { amounts, fulls, fractions, times } = this;
    this.work.spend(amounts.length);
    const grow = Math.log1p(rate);
    const point = { rate, value: 0, slope: 0, income: 0, outgo: 0 };
    for (let k = 0; k < amounts.length; k++) {
      const fraction = fractions[k] as number;
      const full = fulls[k] as number;
      const power = times[k] as number;
      const partly = 1 + fraction * rate;
      const worth = ((amounts[k] as number) * Math.exp(-full * grow)) / (power === 1 ? partly : partly ** power);
      const fall = worth * (full / (1 + rate) + (power * fraction) / partly);
      if (worth >= 0) point.income += worth;
      else point.outgo -= worth;
      point.slope -= fall;
    }
    point.value = point.income - point.outgo;
    return point;
  }

  firstOutweighs(rate: number): boolean {
    const { income, outgo } = this.at(rate);
    const first = Math.abs(this.amounts[0] as number) / (1 + (this.fractions[0] as number) * rate);
    return first * 2 > (income + outgo) * (1 + 1e-12);
  }

  /** The sign at a rate, from fixed point. */
  sign(rate: number): number {
    const bits = this.bitsFor(rate);
    return signOf(this.worth(toFixed(rate, bits), bits));
  }

  /** Bits after the point for 2^-128 of the rate, after what rounding and the size of the amounts require. */
  bitsFor(rate: number): number {
    return 224 + this.size + Math.ceil(Math.log2(1 + rate));
  }

  /** The root between two rates of different sign; null when its growth is out of bounds. */
  refine(low: number, high: number): Fixed | null {
    const near = this.approximate(low, high);
    const extra = Math.ceil(this.power * Math.log2(1 + near.rate));
    if (extra > MAX_GROWTH_BITS) return null;
    const bits = this.bitsFor(high) + extra;
    return { value: this.polish(near, bits, toFixed(low, bits), toFixed(high, bits)), bits };
  }

  /** Newton's method in doubles, kept inside of the bracket; half the bracket where it leaves it. */
  approximate(low: number, high: number): Point {
    const below = low === 0 ? this.sign(0) : Math.sign(this.at(low).value);
    let rate = Math.expm1((Math.log1p(low) + Math.log1p(high)) / 2);
    let point = this.at(rate);
    for (let n = 0; n < 100; n++) {
      if (Math.sign(point.value) === below) low = rate;
      else high = rate;
      let next = rate - point.value / point.slope;
      if (!(next > low && next < high)) next = Math.expm1((Math.log1p(low) + Math.log1p(high)) / 2);
      const done = Math.abs(next - rate) <= 1e-13 * next;
      rate = next;
      point = this.at(rate);
      if (done) break;
    }
    return point;
  }

  /**
   * Newton's method in fixed point with the slope of the approximation: each step gains about as many digits as that slope has. The
   * answer counts only if the sign changes around it; else the bracket is halved to the end.
   */
  polish(near: Point, bits: number, left: bigint, right: bigint): bigint {
    const margin = 1n << BigInt(Math.max(8, this.size + 72));
    let rate = toFixed(near.rate, bits);
    if (near.slope !== 0 && Number.isFinite(near.slope)) {
      const scale = 60 - Math.ceil(Math.log2(Math.abs(near.slope)));
      const slope = BigInt(Math.round(near.slope * 2 ** scale));
      for (let n = 0; n < 24; n++) {
        const worth = this.worth(rate, bits);
        const step = (scale >= 0 ? worth << BigInt(scale) : worth >> BigInt(-scale)) / slope;
        rate -= step;
        if (rate < left || rate > right) break;
        if ((step < 0n ? -step : step) >= margin) continue;
        const under = rate - margin < 0n ? 0n : rate - margin;
        if (signOf(this.worth(under, bits)) * signOf(this.worth(rate + margin, bits)) <= 0) return rate;
        break;
      }
    }
    return this.halve(left, right, bits);
  }

  /** Each turn takes one bit: it ends when the bracket is one unit wide. */
  halve(left: bigint, right: bigint, bits: number): bigint {
    const below = signOf(this.worth(left, bits));
    if (below === 0) return left;
    let low = left;
    let high = right;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      const sign = signOf(this.worth(middle, bits));
      if (sign === 0) return middle;
      if (sign === below) low = middle;
      else high = middle;
    }
    return low;
  }

  /** A narrow interval that may hold a double root or two close ones: its extremum decides. */
  touches(low: number, high: number): Fixed | null {
    const extra = Math.ceil(this.power * Math.log2(1 + high));
    if (extra > MAX_GROWTH_BITS) return null;
    const bits = this.bitsFor(high) + extra;
    const left = toFixed(low, bits);
    const right = toFixed(high, bits);
    const below = signOf(this.worth(left, bits));
    if (below * signOf(this.worth(right, bits)) <= 0) return { value: this.halve(left, right, bits), bits };
    const slope = this.derivative();
    if (signOf(slope.worth(left, bits)) * signOf(slope.worth(right, bits)) > 0) return null;
    const turn = slope.halve(left, right, bits);
    const worth = this.worth(turn, bits);
    if ((worth < 0n ? -worth : worth) < 1n << BigInt(bits - 100)) return { value: turn, bits };
    return signOf(worth) === below ? null : { value: this.halve(left, turn, bits), bits };
  }

  /**
   * The derivative, times a negative number, is again a sum of terms: each gives one with full × its amount a step later, and one with
   * times × part/parts × its amount over one more factor of its part. They are multiplied by all `parts`, to stay whole numbers.
   */
  derivative(): Curve {
    const denominator = this.terms.reduce((all, { part, parts }) => (part === 0 ? all : leastMultiple(all, parts)), 1);
    const merged = new Map<string, Term>();
    const put = (term: Term) => {
      if (term.amount === 0n) return;
      const key = `${term.full} ${term.part}/${term.parts} ${term.times}`;
      const known = merged.get(key);
      merged.set(key, known === undefined ? term : { ...term, amount: known.amount + term.amount });
    };
    for (const term of this.terms) {
      const { amount, full, part, parts, times } = term;
      put({ ...term, amount: amount * BigInt(full * denominator), full: full + 1 });
      put({ ...term, amount: amount * BigInt(times * part * (denominator / parts)), times: times + 1 });
    }
    return new Curve([...merged.values()], this.power, this.work);
  }

  /** The worth of the flows at a rate in fixed point (both with `bits` after the point). */
  worth(rate: bigint, bits: number): bigint {
    // Longer numbers take longer.
    const steps = STEPS_IN_FIXED_POINT * this.terms.length + STEPS_TO_DIVIDE * this.groups.length;
    this.work.spend(steps * Math.max(1, bits / 512));
    const shift = BigInt(bits);
    const one = 1n << shift;
    const discount = (one << shift) / (one + rate);
    const powers = new Map<number, bigint>([[1, discount]]);
    const discountBy = (steps: number): bigint => {
      let found = powers.get(steps);
      if (found === undefined) {
        found = powerOf(discount, steps, bits);
        powers.set(steps, found);
      }
      return found;
    };
    let total = 0n;
    for (const { part, parts, times, fulls, amounts } of this.groups) {
      let sum = 0n;
      let before = fulls[0] as number;
      for (let k = 0; k < amounts.length; k++) {
        const full = fulls[k] as number;
        if (full !== before) sum = (sum * discountBy(before - full)) >> shift;
        sum += (amounts[k] as bigint) << shift;
        before = full;
      }
      if (before > 0) sum = (sum * discountBy(before)) >> shift;
      if (part !== 0n) {
        const partly = (parts << shift) + part * rate;
        for (let n = 0; n < times; n++) sum = ((sum << shift) * parts) / partly;
      }
      total += sum;
    }
    return total;
  }
}

function groupsOf(terms: readonly Term[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { amount, full, part, parts, times } of [...terms].sort((a, b) => b.full - a.full)) {
    const key = part === 0 ? '0' : `${part}/${parts} ${times}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { part: BigInt(part), parts: BigInt(parts), times, fulls: [], amounts: [] };
      groups.set(key, group);
    }
    group.fulls.push(full);
    group.amounts.push(amount);
  }
  return [...groups.values()];
}

function leastMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}

function signOf(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** A double that is not negative, exactly, as far as `bits` reach. */
function toFixed(value: number, bits: number): bigint {
  if (value === 0) return 0n;
  const scale = 52 - Math.floor(Math.log2(value));
  // In two halves: 2^scale alone is out of range for the smallest numbers.
  const half = Math.floor(scale / 2);
  const digits = BigInt(Math.round(value * 2 ** half * 2 ** (scale - half)));
  return bits >= scale ? digits << BigInt(bits - scale) : digits >> BigInt(scale - bits);
}

/** `base^exponent` by squaring; both with `bits` after the point. */
export function powerOf(base: bigint, exponent: number, bits: number): bigint {
  const shift = BigInt(bits);
  let result = 1n << shift;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) >> shift;
    if (rest > 1) square = (square * square) >> shift;
  }
  return result;
}
