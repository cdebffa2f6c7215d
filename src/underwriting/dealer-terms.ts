/** The payment to the dealer who sells a contract: discounts, fees and the share of a rate above the buy rate. */

import type { Grade } from '../core/grade.ts';
import { type Cents, cents, ZERO } from '../core/money.ts';
import type { Facts } from './facts.ts';
import type { LendingPolicy } from './policy.ts';
import type { Sheet } from './rate-sheet.ts';

/** The payment to the dealer who sells the contract. None of it is charged to the borrower. */
export type DealerTerms = {
  /** The cost that the sheet's rate does not cover beyond the acquisition fee, because a cap holds the rate down. */
  readonly loanDiscount: Cents;
  /** The dealer's part of an advance above the vehicle's value. */
  readonly dealerDiscount: Cents;
  /** The acquisition fee: the part of a small or short loan's cost that the sheet's rate does not cover. */
  readonly discountFee: Cents;
  readonly totalDiscount: Cents;
  /** Paid in addition to the price. */
  readonly dealerFlat: Cents;
  /** The loan less the discounts, and the flat fee: what the contract is bought for. */
  readonly funded: Cents;
  /** The dealer's share of what the rate above the buy rate is expected to bring (participation). */
  readonly reserve: Cents;
};

/** A deal with its fair value. */
type ValuedDeal = {
  readonly amount: Cents;
  readonly rate: number;
  readonly sheet: Sheet;
  readonly fairValue: Cents;
};

type DealerSetting = {
  readonly facts: Pick<Facts, 'vehicle' | 'products'>;
  readonly grade: Grade;
  readonly lender: { readonly policy: LendingPolicy };
};

/**
 * If the sheet's own rate covers all costs, the dealer gets the flat fee. Costs that it leaves uncovered are the dealer's, to whole
 * dollars: first as the acquisition fee, then as a discount, each up to the policy's limit. A deal that needs more is worth less than it
 * costs, and the rules decline it. From a rate above the buy rate the dealer gets a share of what it is expected to bring, as far as dealers
 * may add to the rate: never more than it does bring.
 */
export function dealerTerms(
  { amount, rate, sheet, fairValue }: ValuedDeal,
  worthAtBuyRate: Cents,
  originationCost: Cents,
  { facts: { vehicle, products }, grade, lender: { policy } }: DealerSetting,
): DealerTerms {
  const { maximumFee, maximumDiscountPercent } = policy.acquisition;
  const excess = Math.max(0, amount - products - vehicle.value);
  const dealerDiscount = Math.round((excess * policy.excessAdvancePercent) / 100);
  const uncovered = amount - dealerDiscount + originationCost - worthAtBuyRate;
  const usualFlat = atMostATenth(policy.pricing[grade].dealerFlat, amount);
  const flat = uncovered + usualFlat <= 0 ? usualFlat : ZERO;
  const discountFee = Math.min(wholeDollars(uncovered), atMostATenth(maximumFee, amount));
  const most = Math.floor((amount * maximumDiscountPercent) / 100);
  const loanDiscount = Math.min(wholeDollars(uncovered - discountFee), most);
  const totalDiscount = Math.min(loanDiscount + dealerDiscount + discountFee, amount);
  const markup = rate - sheet.buyRate;
  const counted = markup <= 0 ? 0 : Math.min(1, (sheet.highestOffer - sheet.buyRate) / markup);
  const brings = Math.max(0, fairValue - worthAtBuyRate) * counted;
  return {
    loanDiscount: cents(loanDiscount),
    dealerDiscount: cents(dealerDiscount),
    discountFee: cents(discountFee),
    totalDiscount: cents(totalDiscount),
    dealerFlat: flat,
    funded: cents(amount - totalDiscount + flat),
    reserve: cents(Math.floor((brings * policy.dealer.sharePercent) / 100)),
  };
}

/** Up to the next whole dollar; nothing for a surplus. */
function wholeDollars(amount: number): number {
  return Math.ceil(Math.max(0, amount) / 100) * 100;
}

/** Flat amounts are meant for ordinary loans: on a small one they are at most a tenth of it. */
export function atMostATenth(fee: number, amount: Cents): Cents {
  return cents(Math.min(fee, Math.floor(amount / 10)));
}
