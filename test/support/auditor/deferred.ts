/**
 * The auditor's own deferral of fees and costs: the yield is found by halving, and each stretch earns it on the carrying amount, less the
 * interest of the contract. It shares nothing with the engine; the rules are those of docs/books.md.
 */
import type { Earned, Standing } from './auditor.ts';
import type { Fact } from './facts.ts';

/** Days on which the terms changed, with the contract as it went on from there. */
type Change = { readonly day: number; readonly outlook: () => Earned[] };

export type Amounts = { fees: bigint; costs: bigint; discount: bigint };

const CHANGES = ['rateChanged', 'militaryService', 'dueDateChanged', 'extended', 'reaged', 'reamortized'];
const DIGITS = 1_000_000_000_000;

export class Deferred {
  readonly #all: Amounts;
  readonly #changes: Change[] = [];
  #chargedOffOn: number | null = null;
  #stretches: readonly Earned[] = [];
  #isRepaid = false;

  constructor(all: Amounts) {
    this.#all = all;
  }

  see(event: Fact | null, before: Standing, after: Standing, starts: number): void {
    const { outlook, stretches } = after;
    if (this.#changes.length === 0) this.#changes.push({ day: starts, outlook: after.outlook });
    if (this.#chargedOffOn !== null) return;
    if (event !== null ? CHANGES.includes(event.type) : before.inService && !after.inService) {
      this.#changes.push({ day: Math.max(starts, after.day), outlook });
    }
    if (after.chargedOff) this.#chargedOffOn = after.day;
    this.#stretches = stretches;
    this.#isRepaid = after.principal === 0n && !after.lendsMore;
  }

  /** Amortized by then, and what is left; `uncounted`: the day on which non-accrual had begun, as the end of a day shows it. */
  amounts(uncounted: (day: number) => number | null, asOf: number): { amortized: Amounts; left: Amounts } {
    const amortized = this.#amortized(uncounted, asOf);
    const { fees, costs, discount } = this.#all;
    const left = {
      fees: fees - amortized.fees,
      costs: costs - amortized.costs,
      discount: discount - amortized.discount,
    };
    return { amortized, left };
  }

  get chargedOff(): boolean {
    return this.#chargedOffOn !== null;
  }

  #amortized(uncounted: (day: number) => number | null, asOf: number): Amounts {
    const { fees, costs, discount } = this.#all;
    if (this.#isRepaid && this.#chargedOffOn === null) return this.#all;
    const net = fees - costs + discount;
    if (net === 0n) return { fees: 0n, costs: 0n, discount: 0n };
    const within = (amount: bigint) => {
      const [low, high] = net < 0n ? [net, 0n] : [0n, net];
      return amount < low ? low : amount > high ? high : amount;
    };
    let done = 0n;
    let rate: bigint | null = null;
    const changes = [...this.#changes];
    const solve = (until: number) => {
      while (changes[0] !== undefined && changes[0].day <= until) {
        const { outlook } = changes.shift() as Change;
        rate = yieldOf(outlook(), Number(net - done)) ?? rate;
      }
    };
    for (const stretch of this.#stretches) {
      solve(stretch.from);
      for (let at = stretch.from; at < stretch.to; ) {
        const next = changes[0]?.day ?? stretch.to;
        const to = next < stretch.to ? next : stretch.to;
        const isOpen = to === asOf && stretch === this.#stretches.at(-1) && this.#chargedOffOn === null;
        const since = uncounted(isOpen ? to : to - 1);
        const end = since === null ? to : Math.max(at, Math.min(to, since - 1));
        if (rate !== null && stretch.principal > 0n && end > at) {
          const carrying = stretch.principal - (net - done);
          const earned = carrying <= 0n ? 0n : half(carrying * rate * BigInt(end - at), BigInt(DIGITS) * 365n);
          done = within(done + earned - (stretch.by(end) - stretch.by(at)));
        }
        at = to;
        if (at < stretch.to) solve(at);
      }
    }
    if (discount !== 0n) return { fees: 0n, costs: 0n, discount: done };
    const ofCosts = half((done < 0n ? -done : done) * costs, net < 0n ? -net : net);
    return { fees: fees === 0n ? 0n : done + ofCosts, costs: ofCosts, discount: 0n };
  }
}

function half(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

function yieldOf(stretches: readonly Earned[], left: number): bigint | null {
  const some = stretches.map(({ from, to, principal, interest }) => {
    return { principal: Number(principal), interest: Number(interest), time: (to - from) / 365 };
  });
  if (!some.some(({ principal, time }) => principal > 0 && time > 0)) return null;
  const rest = (rate: number) =>
    some.reduce((sum, one) => sum + one.interest - (one.principal - sum) * rate * one.time, left);
  let [low, high] = [0, 10];
  if (rest(low) <= 0) return 0n;
  if (rest(high) >= 0) return BigInt(high * DIGITS);
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (rest(middle) > 0) low = middle;
    else high = middle;
  }
  return BigInt(Math.round(((low + high) / 2) * DIGITS));
}
