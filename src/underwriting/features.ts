/** Ratios of a deal, and the features that the model sees of it. */
import { type Cents, mulDiv } from '../core/money.ts';
import { coarse } from './coarse.ts';
import type { CreditFacts } from './credit-facts.ts';
import type { Facts } from './facts.ts';
import type { Macro } from './policy.ts';
import type { Features, Model } from './score.ts';

/** To four decimals, as the full record shows them and the rules see them. */
export type Ratios = {
  readonly dti: number;
  readonly pti: number;
  readonly ltv: number;
  readonly frontEndLtv: number;
  readonly productsToValue: number;
};

/** Ratios are capped at 200 percent of the income, which also represents no income at all. */
const MOST_OF_INCOME = 2;

/** The facts that ratios are made of: exact, or rounded for the model. */
export type Measured = {
  readonly income: { readonly total: Cents };
  readonly obligations: { readonly total: Cents };
} & Pick<Facts, 'vehicle' | 'products'>;

export function coarseFacts({ income, obligations, vehicle, products }: Facts): Measured {
  const [total, debts] = [coarse(income.total), coarse(obligations.total)];
  return { income: { total }, obligations: { total: debts }, vehicle, products };
}

export function ratiosOf({ income, obligations, vehicle, products }: Measured, amount: Cents, payment: Cents): Ratios {
  return {
    dti: Math.min(MOST_OF_INCOME, ratio(obligations.total + payment, income.total)),
    pti: Math.min(MOST_OF_INCOME, ratio(payment, income.total)),
    ltv: ratio(amount, vehicle.value),
    frontEndLtv: ratio(amount - products, vehicle.value),
    productsToValue: ratio(products, vehicle.value),
  };
}

function ratio(of: number, to: number): number {
  return to === 0 ? (of === 0 ? 0 : MOST_OF_INCOME) : mulDiv(of, 10_000, 1, to, 'half-up') / 10_000;
}

/** `deal`: null for what the standard deal leaves at its reference. */
export function featuresOf(
  { credit, vehicle }: Facts,
  { income, obligations }: Measured,
  { thinFile }: Model,
  { unemployment, cpi }: Macro,
  deal: {
    readonly amount: Cents;
    readonly ltv: number | null;
    readonly term: number | null;
    readonly markup: number | null;
  },
): Features {
  return {
    score: credit.score,
    utilisation: credit.utilisation,
    pastDueLines: credit.pastDueLines,
    seriousLateLines: credit.seriousLateLines,
    inquiries: credit.inquiries,
    thinFile: isThin(credit, thinFile) ? 1 : 0,
    debtToIncome: Math.min(MOST_OF_INCOME, ratio(obligations.total, income.total)),
    amountToIncome: Math.min(MOST_OF_INCOME, ratio(deal.amount, income.total * 12)),
    ltv: deal.ltv,
    term: deal.term,
    markup: deal.markup,
    vehicleAge: vehicle.age,
    mileage: vehicle.mileage,
    unemployment,
    cpi,
  };
}

/** A file without a beginning is thin; one whose accounts or beginning are not known is not thin for that. */
function isThin(credit: CreditFacts, { accounts: few, months }: Model['thinFile']): boolean {
  const { accounts, monthsInFile, monthsUnknown } = credit;
  return (accounts ?? few) < few || (monthsInFile ?? (monthsUnknown ? months : 0)) < months;
}
