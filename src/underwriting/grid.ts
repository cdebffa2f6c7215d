/**
 * The sixty deals: the requested one first, the others around it. They are terms × down payments × rates: the requested term and the four
 * nearest that the lender offers on this vehicle, the requested down payment and three larger ones, and three rates that the lender and the
 * state allow. The same application gives the same deals, all of them different.
 */
import { PER_YEAR, type PlainDate } from '../core/calendar.ts';
import type { Grade } from '../core/grade.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents } from '../core/money.ts';
import { comparePercent, formatDecimal, type Percent, percent } from '../core/rate.ts';
import { highestRateIn, type LendingPolicy, longestTerm } from './policy.ts';

export const DEALS = 60;

export type DealTerms = {
  readonly contract: Contract;
  /** Months. */
  readonly term: number;
  /** The down payment beyond that of the requested deal. */
  readonly moreDown: Cents;
};

export type Asked = {
  readonly contract: Contract;
  readonly term: number;
  readonly products: Cents;
  readonly vehicleAge: number | null;
  readonly state: string;
  readonly today: PlainDate;
  /** Of the requested deal: other offers begin at its lowest rate. */
  readonly grade: Grade;
};

/** Further down payment, in percent of the loan. The first ones form the grid; the others replace those that are not possible. */
const MORE_DOWN = [0, 5, 10, 20, 15, 25, 30, 40];
const TERMS = 5;
const DOWN_PAYMENTS = 4;
const RATES = 3;

/**
 * The deals besides the requested one, the preferred ones first. There are more than needed, because a deal may turn out impossible (a
 * balloon larger than what is left to lend): the caller takes the first ones that have a schedule.
 */
export function* dealsAround(asked: Asked, policy: LendingPolicy): Generator<DealTerms, void> {
  const terms = termsNear(asked, policy);
  const rates = ratesNear(asked, policy);
  const seen = new Set([keyOf(asked)]);
  const wanted = combinations(terms.slice(0, TERMS), MORE_DOWN.slice(0, DOWN_PAYMENTS), rates.slice(0, RATES));
  const others = combinations(terms, MORE_DOWN, rates);
  for (const combination of [wanted, others]) {
    for (const [term, percentDown, rate] of combination) {
      const deal = dealOf(asked, term, percentDown, rate);
      if (deal === null || seen.has(keyOf(deal))) continue;
      seen.add(keyOf(deal));
      yield deal;
    }
  }
}

function* combinations(
  terms: readonly number[],
  downs: readonly number[],
  rates: readonly Percent[],
): Generator<[term: number, percentDown: number, rate: Percent], void> {
  for (const term of terms) for (const down of downs) for (const rate of rates) yield [term, down, rate];
}

function keyOf({ contract, term }: Pick<DealTerms, 'contract' | 'term'>): string {
  return `${contract.amount} ${formatDecimal(contract.rate)} ${term}`;
}

/** Null where nothing would be lent on the vehicle itself. */
function dealOf(asked: Asked, term: number, percentDown: number, rate: Percent): DealTerms | null {
  const { contract, products } = asked;
  const moreDown = roundDown((contract.amount * percentDown) / 100, contract.amount);
  const amount = cents(contract.amount - moreDown);
  const installments = term * PER_YEAR[contract.frequency];
  if (amount <= products || installments % 12 !== 0) return null;
  // Only the requested deal has the payment that the contract names.
  return { contract: { ...contract, amount, rate, count: installments / 12, payment: null }, term, moreDown };
}

/** To hundreds of dollars for ordinary loans, to smaller steps for small ones, so that different percentages stay different amounts. */
function roundDown(down: number, amount: Cents): Cents {
  const step = amount >= 10_000_00 ? 100_00 : amount >= 1_000_00 ? 10_00 : amount >= 100_00 ? 1_00 : 1;
  return cents(Math.floor(down / step) * step);
}

/** The requested term, where the lender offers it on this vehicle; then the others, the nearest first, the shorter of two first. */
function termsNear({ term, vehicleAge }: Asked, policy: LendingPolicy): number[] {
  const longest = longestTerm(policy, vehicleAge) ?? Number.POSITIVE_INFINITY;
  const first = policy.terms[0] as number;
  const last = policy.terms.at(-1) as number;
  const own = term >= first && term <= last ? [term] : [];
  const others = policy.terms.filter((other) => other !== term);
  return [...own, ...others].sort(
    (a, b) => Number(a > longest) - Number(b > longest) || Math.abs(a - term) - Math.abs(b - term) || a - b,
  );
}

/**
 * The requested rate, where the lender and the state allow it, else the nearest that they do; then a point more, a point less, and so
 * on. Where they leave less than that, in smaller steps.
 */
function ratesNear({ contract, grade, state, today }: Asked, policy: LendingPolicy): Percent[] {
  const highest = highestRateIn(policy, state, today);
  const lowest = Math.min(policy.pricing[grade].minimumRate, highest - 1);
  const [low, high] = [percentOf(lowest), percentOf(highest)];
  const asked =
    comparePercent(contract.rate, low) < 0 ? low : comparePercent(contract.rate, high) > 0 ? high : contract.rate;
  for (const step of [1, 0.5, 0.25, 0.1]) {
    const rates = [asked];
    for (let n = 1; n <= 5; n++) {
      for (const other of [shifted(asked, n * step), shifted(asked, -n * step)]) {
        if (other !== null && comparePercent(other, low) >= 0 && comparePercent(other, high) <= 0) rates.push(other);
      }
    }
    if (rates.length >= RATES) return rates;
  }
  return [asked];
}

function percentOf(value: number): Percent {
  return percent(value.toFixed(2));
}

/** A rate moved by exact points: hundredths are added to the digits. */
function shifted({ digits, scale }: Percent, points: number): Percent | null {
  const places = Math.max(scale, 2);
  let [size, hundredth] = [digits, 1];
  for (let i = scale; i < places; i++) size *= 10;
  for (let i = 2; i < places; i++) hundredth *= 10;
  const total = size + Math.round(points * 100) * hundredth;
  return total < 0 ? null : percent(decimalText(total, places));
}

function decimalText(digits: number, scale: number): string {
  const text = String(digits).padStart(scale + 1, '0');
  return `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
