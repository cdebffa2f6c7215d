/**
 * The build-up of the price of each deal, as one short text for all of them: a line for each deal, its figures separated by commas. The
 * model sees rounded income and debts alone, so the text says nothing more about the person than the public record does.
 */
import { type Cents, cents } from '../core/money.ts';
import type { AssessedDeal } from './deal.ts';
import { amountText, decimalText } from './texts.ts';

/** Rates and yields in percent a year, amounts in dollars, months, and the severity as a fraction. */
const FIGURES = {
  buyRate: ({ sheet }) => decimalText(sheet.buyRate, 2),
  funds: ({ sheet }) => decimalText(sheet.parts.funds, 2),
  expectedLoss: ({ sheet }) => decimalText(sheet.parts.loss, 2),
  shortTerm: ({ sheet }) => decimalText(sheet.parts.shortTerm, 2),
  servicing: ({ sheet }) => decimalText(sheet.parts.servicing, 2),
  capital: ({ sheet }) => decimalText(sheet.parts.capital, 2),
  acquisition: ({ sheet }) => decimalText(sheet.parts.acquisition, 2),
  markup: ({ rate, sheet }) => decimalText(Math.max(0, rate - sheet.buyRate), 4),
  reserve: ({ dealer }) => amountText(dealer.reserve),
  dealerFlat: ({ dealer }) => amountText(dealer.dealerFlat),
  acquisitionFee: ({ dealer }) => amountText(dealer.discountFee),
  discount: ({ dealer }) => amountText(cents(dealer.loanDiscount + dealer.dealerDiscount)),
  originationCost: ({ originationCost }) => amountText(originationCost),
  paidOut: ({ paidOut }) => amountText(paidOut),
  netYield: ({ netYieldPercent }) => decimalText(netYieldPercent, 4),
  hurdle: ({ hurdlePercent }) => decimalText(hurdlePercent, 4),
  price: ({ price, contract }) => decimalText(priceOf(price.fairValue, contract.amount), 4),
  expectedLife: ({ expectedLifeMonths }) => decimalText(expectedLifeMonths, 2),
  severity: ({ severity }) => decimalText(severity, 4),
} as const satisfies Record<string, (deal: AssessedDeal) => string>;

export type PriceFigure = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as PriceFigure[];

function priceOf(fairValue: Cents, amount: Cents): number {
  return (fairValue / amount) * 100;
}

export function pricingText(deals: readonly AssessedDeal[]): string {
  return deals.map((deal) => NAMES.map((name) => FIGURES[name](deal)).join(',')).join('\n');
}

/** By deal; empty where nothing was priced here. */
export function readPricing(text: string): Readonly<Record<PriceFigure, string>>[] {
  if (text === '') return [];
  return text.split('\n').map((line) => {
    const figures = line.split(',');
    return Object.fromEntries(NAMES.map((name, i) => [name, figures[i] ?? ''])) as Record<PriceFigure, string>;
  });
}
