/**
 * The sixty deals: the requested one first, the others around it. They are terms × down payments × rates: the requested term and the four
 * nearest that the lender offers on this vehicle, the requested down payment and three larger ones, and three rates: the buy rate of the
 * term and amount, all that a dealer may add to it, and half of that. The same application gives the same deals, all of them different.
 */
import { PER_YEAR } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents } from '../core/money.ts';
import { formatDecimal, percent } from '../core/rate.ts';
import { type LendingPolicy, longestTerm } from './policy.ts';
import type { Sheet } from './rate-sheet.ts';

export type DealTerms = {
  readonly contract: Contract;
  /** Months. */
  readonly term: number;
  /** The down payment beyond that of the requested deal. */
  readonly moreDown: Cents;
};

export type RequestedDeal = {
  readonly contract: Contract;
  readonly term: number;
  readonly products: Cents;
  readonly vehicleAge: number | null;
  readonly sheetOf: (terms: DealTerms) => Sheet;
};

/** Further down payment, in percent of the loan. The first ones form the grid; the others replace those that are not possible. */
const MORE_DOWN = [0, 5, 10, 20, 15, 25, 30, 40, 35, 45, 50];
const TERMS = 5;
const DOWN_PAYMENTS = 4;
const RATES = 3;
export const DEALS = TERMS * DOWN_PAYMENTS * RATES;

/**
 * The deals besides the requested one, the preferred ones first. There are more than needed, because a deal may turn out impossible (a
 * balloon larger than what is left to lend): the caller takes the first ones that have a schedule.
 */
export function* dealsAround(requested: RequestedDeal, policy: LendingPolicy): Generator<DealTerms, void> {
  const terms = termsNear(requested, policy);
  const seen = new Set([keyOf(requested)]);
  const near = combinations(terms.slice(0, TERMS), MORE_DOWN.slice(0, DOWN_PAYMENTS));
  const all = combinations(terms, MORE_DOWN);
  const passes = [
    { deals: near, rates: (sheet: Sheet) => offeredRates(sheet).slice(0, RATES) },
    { deals: all, rates: offeredRates },
    { deals: all, rates: lowerRates },
  ];
  for (const { deals, rates } of passes) {
    for (const [term, percentDown] of deals) {
      const unpriced = dealOf(requested, term, percentDown);
      if (unpriced === null) continue;
      for (const rate of rates(requested.sheetOf(unpriced))) {
        const deal = { ...unpriced, contract: { ...unpriced.contract, rate: percent((rate / 100).toFixed(2)) } };
        if (seen.has(keyOf(deal))) continue;
        seen.add(keyOf(deal));
        yield deal;
      }
    }
  }
}

function combinations(terms: readonly number[], downs: readonly number[]): [term: number, percentDown: number][] {
  return terms.flatMap((term) => downs.map((down): [number, number] => [term, down]));
}

function keyOf({ contract, term }: Pick<DealTerms, 'contract' | 'term'>): string {
  return `${contract.amount} ${formatDecimal(contract.rate)} ${term}`;
}

/** Null where nothing would be lent on the vehicle itself. */
function dealOf(requested: RequestedDeal, term: number, percentDown: number): DealTerms | null {
  const { contract, products } = requested;
  const moreDown = roundDown((contract.amount * percentDown) / 100, contract.amount);
  const amount = cents(contract.amount - moreDown);
  const installments = term * PER_YEAR[contract.frequency];
  if (amount <= products || installments % 12 !== 0) return null;
  // Only the requested deal has the payment that the contract names.
  return { contract: { ...contract, amount, count: installments / 12, payment: null }, term, moreDown };
}

/** To hundreds of dollars for ordinary loans, to smaller steps for small ones, so that different percentages stay different amounts. */
function roundDown(down: number, amount: Cents): Cents {
  const step = amount >= 10_000_00 ? 100_00 : amount >= 1_000_00 ? 10_00 : amount >= 100_00 ? 1_00 : 1;
  return cents(Math.floor(down / step) * step);
}

/** The requested term, where the lender offers it on this vehicle; then the others, the nearest first, the shorter of two first. */
function termsNear({ term, vehicleAge }: RequestedDeal, policy: LendingPolicy): number[] {
  const longest = longestTerm(policy, vehicleAge) ?? Number.POSITIVE_INFINITY;
  const first = policy.terms[0] as number;
  const last = policy.terms.at(-1) as number;
  const own = term >= first && term <= last ? [term] : [];
  const others = policy.terms.filter((other) => other !== term);
  return [...own, ...others].sort(
    (a, b) => Number(a > longest) - Number(b > longest) || Math.abs(a - term) - Math.abs(b - term) || a - b,
  );
}

/** Between rates, in hundredths of a percent. */
const STEP = 25;

/** In hundredths of a percent: the buy rate, half and all of what may be added to it, then rates between them. */
function offeredRates({ buyRate, highestOffer }: Sheet): number[] {
  const [low, high] = [Math.round(buyRate * 100), Math.round(highestOffer * 100)];
  const rates = [low, Math.floor((low + high) / 2), high];
  for (let rate = low + STEP; rate < high; rate += STEP) rates.push(rate);
  return [...new Set(rates)];
}

/** Below the buy rate: for applications that leave no other way to sixty deals. The lender declines them. */
function lowerRates({ buyRate }: Sheet): number[] {
  const low = Math.round(buyRate * 100);
  return Array.from({ length: 16 }, (_, i) => low - (i + 1) * STEP).filter((rate) => rate >= 0);
}
