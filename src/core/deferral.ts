/**
 * Fees and costs of making a loan, or the discount or premium of buying it (ASC 310-20). They are no income and no expense of their day: the
 * yield spreads them over the life of the loan. Each stretch of interest amortizes what the carrying amount earns at the yield, less the
 * contract's interest.
 *
 * Net: fees less costs, or the discount; below zero, it reduces income as it is amortized. Carrying amount: principal less the net amount
 * that is left.
 */
import { daysBetween, type PlainDate } from './calendar.ts';
import { type Cents, cents, divide, ZERO } from './money.ts';
import type { OriginationCharges } from './origination.ts';
import { interestOver, type Percent } from './rate.ts';

/** Amounts of the accounts; a discount below zero is a premium. */
export type Deferred = { readonly fees: Cents; readonly costs: Cents; readonly discount: Cents };

export const NOTHING_DEFERRED: Deferred = { fees: ZERO, costs: ZERO, discount: ZERO };

/**
 * The owner bought the loan on this day, for the principal and the interest owed on it. The credit discount is the part of the discount that
 * stands for losses that were expected then (ASC 326-20): it never becomes income.
 */
export type Purchase = { readonly price: Cents; readonly date: PlainDate; readonly creditDiscount: Cents };

/** Below zero: a premium. */
export function discountOf(
  { price, creditDiscount }: Purchase,
  { principal, interest }: { readonly principal: Cents; readonly interest: Cents },
): Cents {
  return cents(principal + interest - price - creditDiscount);
}

/** Replaced, never changed in place. */
export type Deferral = Deferred & {
  /** A year of 365 days. Null: fees and costs are equal, and nothing is amortized. */
  readonly yield: Percent | null;
  /** Net, of the stretches that have ended. */
  readonly amortized: Cents;
  /**
   * The day from which the yield counts: that on which the present stretch began, or a later one on which the terms changed within it. Then
   * `effective` and `interest` are what the stretch had earned by that day, at the yields until then and by the contract.
   */
  readonly since: PlainDate;
  readonly effective: Cents;
  readonly interest: Cents;
  /** The last stretch that ended; null: none has. */
  readonly last: Amortized | null;
  /** The day on which the owner that deferred it sold the loan, and what the open stretch had amortized by then; null: it has the loan. */
  readonly sold: { readonly on: PlainDate; readonly amortized: Cents } | null;
};

/** A stretch, or the part of it until non-accrual began. */
export type Amortized = {
  readonly from: PlainDate;
  readonly to: PlainDate;
  /** Since the yield was solved, if that was within the stretch; and the carrying amount then. */
  readonly since: PlainDate;
  readonly days: number;
  readonly carrying: Cents;
  readonly yield: Percent;
  /** Earned by the carrying amount, and by the contract, over all of it. */
  readonly effective: Cents;
  readonly interest: Cents;
  /** The first less the second, within what was deferred. */
  readonly amount: Cents;
};

/** Null: there is nothing to defer. */
export function deferralOf(deferred: Deferred, since: PlainDate): Deferral | null {
  const { fees, costs, discount } = deferred;
  if (isNothing(deferred)) return null;
  const begins = { yield: null, amortized: ZERO, since, effective: ZERO, interest: ZERO, last: null, sold: null };
  return { fees, costs, discount, ...begins };
}

export function deferredBy({ kept, reserve, costs }: OriginationCharges): Deferred {
  return { fees: kept, costs: cents(reserve + costs), discount: ZERO };
}

export function isNothing({ fees, costs, discount }: Deferred): boolean {
  return fees === 0 && costs === 0 && discount === 0;
}

export function netOf({ fees, costs, discount }: Deferred): Cents {
  return cents(fees - costs + discount);
}

/** The net amount that ended stretches have left. */
export function leftOf(deferral: Deferral): Cents {
  return cents(netOf(deferral) - deferral.amortized);
}

/** The parts of a net amount that was amortized: fees and costs in the proportion in which they were deferred. */
export function partsOf(deferred: Deferred, amortized: number): Deferred {
  const { fees, costs, discount } = deferred;
  if (discount !== 0) return { fees: ZERO, costs: ZERO, discount: cents(amortized) };
  const net = netOf(deferred);
  if (net === 0 || amortized === 0) return NOTHING_DEFERRED;
  const ofCosts = Number(divide(BigInt(amortized) * BigInt(costs), BigInt(net), 'half-up'));
  return { fees: cents(fees === 0 ? 0 : amortized + ofCosts), costs: cents(ofCosts), discount: ZERO };
}

export function less(all: Deferred, part: Deferred): Deferred {
  return {
    fees: cents(all.fees - part.fees),
    costs: cents(all.costs - part.costs),
    discount: cents(all.discount - part.discount),
  };
}

/** At the beginning of the time over which the present yield counts. A loan is never worth less than nothing. */
function carryingOf(deferral: Deferral, principal: Cents): Cents {
  return cents(Math.max(0, principal - leftOf(deferral) + deferral.effective - deferral.interest));
}

/**
 * The amortization of a stretch up to a day on or after `since`, of which the contract has earned this interest. In all never more than was
 * deferred, nor less than nothing of it: an amount below zero, as of a February that the contract counts as thirty days, takes back only what
 * was amortized before.
 */
export function amortizedBy(
  deferral: Deferral & { readonly yield: Percent },
  { from, to, principal, interest }: { from: PlainDate; to: PlainDate; principal: Cents; interest: Cents },
): Amortized {
  const { since, yield: rate, amortized } = deferral;
  const carrying = carryingOf(deferral, principal);
  const days = Math.max(0, daysBetween(since, to));
  const effective = cents(deferral.effective + interestOver(carrying, rate, { days, basis: 365 }, 'half-up'));
  const net = netOf(deferral);
  const [lowest, highest] = net < 0 ? [net, 0] : [0, net];
  const amount = cents(Math.min(highest, Math.max(lowest, amortized + effective - interest)) - amortized);
  return { from, to, since, days, carrying, yield: rate, effective, interest, amount };
}
