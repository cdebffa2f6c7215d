/** The money that a funding moves beside the principal: kept by the lender, or paid so that the loan is made. */
import { type Cents, ZERO } from './money.ts';

export type OriginationCharges = {
  /** Kept out of the loan amount. */
  readonly kept: Cents;
  /** Paid to the dealer, and to others. */
  readonly reserve: Cents;
  readonly costs: Cents;
};

export const NO_CHARGES: OriginationCharges = { kept: ZERO, reserve: ZERO, costs: ZERO };

export const PAYEES = ['dealer', 'borrower', 'lienholder', 'insurer', 'other'] as const;

/** A part of the money that a funding pays out. The payee's name is sealed beside the event. */
export type Disbursement = { readonly payee: (typeof PAYEES)[number]; readonly amount: Cents };
