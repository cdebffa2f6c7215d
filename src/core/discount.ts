/**
 * Dated cash flows and the rate that balances them: the solver behind the APR, the IRR and the dated IRR. A flow is an amount
 * after `full` whole steps and `part / parts` of a step more; at a rate i a step it is worth
 *
 *     amount ÷ [(1 + part/parts · i) · (1 + i)^full]
 *
 * which is the term of Regulation Z Appendix J (b)(8), and, with no part, that of any discounted cash flow. A step is a unit-period, a
 * period, or a day: a dated IRR is a polynomial in the discount of one day, so that nothing here needs a logarithm of the answer.
 *
 * Doubles only approximate the root. The answer is computed in fixed point (bigint) and certified there by a change of sign on both
 * sides of it, 2^-128 apart or closer. Every loop has a stated bound.
 */
import { Curve, type Fixed, type Flow, type Point } from './discount-curve.ts';
import { divide } from './money.ts';
import { type Refusal, refuse } from './refusal.ts';
import { TooManySteps, Work } from './work.ts';

/** Flows of the same time are merged, zero sums are dropped, and the earliest comes first at step 0. */
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
export function leastRate(flows: readonly Flow[], power: number, work: Work): Fixed | null {
  const changes = signChanges(flows);
  if (changes === 0) return null;
  let sum = 0n;
  for (const { amount } of flows) sum += amount;
  if (sum === 0n) return { value: 0n, bits: 0 };
  const curve = new Curve(
    flows.map((flow) => ({ ...flow, times: 1 })),
    power,
    work,
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

/** Limit in steps of `Work`: half a second at most. With one change of sign, as a loan has, thousands of flows take a tenth of it. */
const MAX_STEPS = 12_000_000;

/** The result of solving with `leastRate`, or a refusal when that takes too long. */
export function solved<T>(solve: (work: Work) => T | Refusal): T | Refusal {
  const work = new Work(MAX_STEPS);
  try {
    return solve(work);
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    const detail =
      'The cash flows change sign so often that finding their rate takes too many steps; give fewer, or combine those of a period.';
    return refuse('invalid_value', detail);
  }
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

/** Interval halvings before a search with several changes of sign ends; a typical search takes a few dozen. */
const MAX_INTERVALS = 4_096;

/** Up to this many coinciding roots are distinguished from none. */
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
  for (let n = 0; n < MAX_INTERVALS; n++) {
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

/** An end of an interval: the curve and its derivatives there, each computed on demand. */
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
