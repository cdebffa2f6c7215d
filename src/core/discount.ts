/**
 * Money at points in time, and the rate that balances it: the one solver behind the APR, the IRR and the dated IRR. A flow is an amount
 * after `full` whole steps and `part / parts` of a step more; at a rate i a step it is worth
 *
 *     amount ÷ [(1 + part/parts · i) · (1 + i)^full]
 *
 * which is the term of Regulation Z Appendix J (b)(8), and, with no part, that of any discounted cash flow. A step is a unit-period, a
 * period, or a day: a dated IRR is a polynomial in the discount of one day, so that nothing here needs a logarithm of the answer.
 *
 * Doubles only find the neighbourhood. The answer is settled in fixed point (bigint) and certified there by a change of sign on both
 * sides of it, 2^-128 apart or closer. Every loop has a stated bound.
 */
import { divide } from './money.ts';

export type Flow = { readonly amount: bigint; readonly full: number; readonly part: number; readonly parts: number };

/** `value / 2^bits`. */
export type Fixed = { readonly value: bigint; readonly bits: number };

/** Flows of the same moment are one, what cancels out is gone, the earliest comes first at step 0. */
export function mergeFlows(flows: readonly Flow[]): Flow[] {
  const sorted = flows.filter(({ amount }) => amount !== 0n).sort(inTime);
  const merged: Flow[] = [];
  for (const flow of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && inTime(last, flow) === 0) {
      merged[merged.length - 1] = { ...last, amount: last.amount + flow.amount };
    } else merged.push(flow);
  }
  const kept = merged.filter(({ amount }) => amount !== 0n);
  const first = kept[0]?.full ?? 0;
  return first === 0 ? kept : kept.map((flow) => ({ ...flow, full: flow.full - first }));
}

function inTime(a: Flow, b: Flow): number {
  return a.full - b.full || a.part * b.parts - b.part * a.parts;
}

/**
 * The least rate a step, not below zero, at which merged flows balance; null when there is none. With `power` p the caller needs
 * (1 + rate)^p as precisely as the rate itself, and gets null when that is above 2^1024.
 *
 * With one change of sign in time there is one root: of two flows the later loses value faster as the rate grows (the quotient of their
 * terms falls, since part ≤ parts), so everything divided by the last flow before the change is monotone.
 */
export function leastRate(flows: readonly Flow[], power: number): Fixed | null {
  const changes = signChanges(flows);
  if (changes === 0) return null;
  let sum = 0n;
  for (const { amount } of flows) sum += amount;
  if (sum === 0n) return { value: 0n, bits: 0 };
  const curve = new Curve(
    flows.map((flow) => ({ ...flow, times: 1 })),
    power,
  );
  if (changes > 1) return leastOfMany(curve);
  const atZero = sum > 0n ? 1 : -1;
  // At the far end only the earliest flow is worth anything; the same sign at both ends means that the root is below zero.
  if (((flows[0] as Flow).amount > 0n ? 1 : -1) === atZero) return null;
  let low = 0;
  let high = 1 / 64;
  // The earliest flow outweighs the others before 365 times their ratio, which is far below 4^200.
  for (let n = 0; n < 200 && Math.sign(curve.at(high).value) === atZero; n++) {
    low = high;
    high *= 4;
  }
  return curve.refine(low, high);
}

/** The same flows with time running backwards: its rate u is the flows' rate i with 1 + i = 1 / (1 + u). Whole steps only. */
export function reverse(flows: readonly Flow[]): Flow[] {
  const last = flows.at(-1)?.full ?? 0;
  return flows.map((flow) => ({ ...flow, full: last - flow.full })).reverse();
}

function signChanges(flows: readonly Flow[]): number {
  let changes = 0;
  for (let i = 1; i < flows.length; i++) {
    if ((flows[i] as Flow).amount > 0n !== (flows[i - 1] as Flow).amount > 0n) changes += 1;
  }
  return changes;
}

/** Interval halvings before a search with several changes of sign gives up; an ordinary one takes a few dozen. Fewer for thousands of flows. */
const MAX_INTERVALS = 4_096;
const MAX_INTERVALS_TIMES_FLOWS = 8_000_000;

/** Roots up to this many at one place are told apart from none. */
const MAX_ORDER = 5;

/**
 * Several changes of sign, perhaps several roots, perhaps none: intervals from left to right. What comes in and what goes out are each a
 * falling function of the rate, and so are all their derivatives but for the sign, so that the ends of an interval bound the curve and
 * its derivatives between them. An interval is dropped when zero is outside of the bounds. Where some derivative has one sign, the
 * theorem of Budan and Fourier bounds the roots by the changes of sign in the derivatives before it at either end: none drops the
 * interval, one decides it. Else it is halved.
 */
function leastOfMany(curve: Curve): Fixed | null {
  const orders = [curve];
  const ofOrder = (order: number): Curve => {
    orders[order] ??= ofOrder(order - 1).derivative();
    return orders[order];
  };
  let far = 1;
  // From the rate where the earliest flow outweighs all others together there is no further root.
  for (let n = 0; n < 200 && !curve.firstOutweighs(far); n++) far *= 4;
  const open: [low: End, high: End][] = [[endAt(ofOrder, 0), endAt(ofOrder, far)]];
  const most = Math.min(MAX_INTERVALS, MAX_INTERVALS_TIMES_FLOWS / curve.terms.length);
  for (let n = 0; n < most; n++) {
    const interval = open.pop();
    if (interval === undefined) return null;
    const [low, high] = interval;
    if (hasOneSign(low.point(0), high.point(0))) continue;
    let order = 1;
    while (order <= MAX_ORDER && !hasOneSign(low.point(order), high.point(order))) order += 1;
    if (order <= MAX_ORDER) {
      const roots = low.changes(order) - high.changes(order);
      if (roots === 0) continue;
      if (roots === 1) return curve.refine(low.rate, high.rate);
    }
    if (high.rate - low.rate <= 1e-14 * (1 + low.rate)) {
      const found = curve.touches(low.rate, high.rate);
      if (found !== null) return found;
      continue;
    }
    // Halved on the scale of growth, so that a far end at a huge rate costs no more than a near one.
    const middle = endAt(ofOrder, Math.expm1((Math.log1p(low.rate) + Math.log1p(high.rate)) / 2));
    open.push([middle, high], [low, middle]);
  }
  return null;
}

/** An end of an interval: the curve and its derivatives there, each computed when it is asked for. */
type End = {
  readonly rate: number;
  readonly point: (order: number) => Point;
  /** Changes of sign in the sequence of the derivatives up to an order, from fixed point. */
  readonly changes: (order: number) => number;
};

function endAt(ofOrder: (order: number) => Curve, rate: number): End {
  const points: Point[] = [];
  const signs: number[] = [];
  const point = (order: number): Point => {
    points[order] ??= ofOrder(order).at(rate);
    return points[order];
  };
  const changes = (order: number): number => {
    let count = 0;
    let before = 0;
    for (let k = 0; k <= order; k++) {
      // The flows of every other derivative are its negative.
      signs[k] ??= ofOrder(k).sign(rate) * (k % 2 === 0 ? 1 : -1);
      const sign = signs[k] as number;
      if (sign !== 0 && before !== 0 && sign !== before) count += 1;
      if (sign !== 0) before = sign;
    }
    return count;
  };
  return { rate, point, changes };
}

/** Whether the curve is surely above zero, or surely below it, between two points; the slack is for the doubles. */
function hasOneSign(low: Point, high: Point): boolean {
  const slack = 1e-12 * (low.income + low.outgo);
  return low.income - high.outgo < -slack || high.income - low.outgo > slack;
}

type Point = {
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

/** A growth of more than 2^1024 in the caller's year (a rate of 10^310 percent) is not an answer that anybody can use. */
const MAX_GROWTH_BITS = 1_024;

/** What the flows are worth together at a rate: in doubles (`at`), and in fixed point (`sign`, `refine`). */
class Curve {
  readonly terms: readonly Term[];
  readonly power: number;
  readonly amounts: Float64Array;
  readonly fulls: Float64Array;
  readonly fractions: Float64Array;
  readonly times: Float64Array;
  readonly groups: readonly Group[];
  /** Bits that the sum of all amounts takes. */
  readonly size: number;

  constructor(terms: readonly Term[], power: number) {
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

  /** Bits after the point for 2^-128 of the rate, after everything that rounding and the size of the amounts take. */
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
    return new Curve([...merged.values()], this.power);
  }

  /** What the flows are worth at a rate in fixed point (both with `bits` after the point). */
  worth(rate: bigint, bits: number): bigint {
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

/**
 * A quotient with ten decimals, half-up. It is brought to 25 decimals first: the answers are far more exact than that, and a value that
 * is a tie on paper is one again.
 */
export function tenDecimals(numerator: bigint, denominator: bigint): string {
  const fine = divide(numerator * 10n ** 25n, denominator, 'half-up');
  const rounded = divide(fine, 10n ** 15n, 'half-up');
  const text = (rounded < 0n ? -rounded : rounded).toString().padStart(11, '0');
  return `${rounded < 0n ? '-' : ''}${text.slice(0, -10)}.${text.slice(-10)}`;
}
