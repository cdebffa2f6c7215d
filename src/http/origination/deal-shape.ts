/** A deal as it is answered: of a loan that was underwritten, and of an offer that is only calculated. */
import { Type } from 'typebox';
import type { DealForecast, DealPricing } from '../../loans/origination/deal-rows.ts';
import { shape } from '../shared/named.ts';
import { decimalOut } from '../shared/numbers.ts';
import { maybe } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';

const dealFigures: Readonly<Record<DealForecast, string>> = {
  principalPaid: 'Principal that is expected to be paid.',
  interestPaid: 'Interest that is expected to be paid.',
  chargeoffAmount: 'Principal that is expected to be charged off.',
  recoveredAmount: 'Amount expected to be recovered of it.',
  netLossAmount: 'Charged off less recovered.',
  totalPaid: 'Total expected to be paid.',
  presentValue: 'Present value of these payments.',
  fairValuePrice: 'The price at which the deal is fairly valued.',
  yield: 'The yield a year after losses, as a fraction in text.',
};

const priceFigures: Readonly<Record<Exclude<keyof DealPricing, 'buyRate' | 'rateParts' | 'participation'>, string>> = {
  dealerFlat: 'The flat fee that the dealer is paid.',
  acquisitionFee: 'The acquisition fee, which the dealer bears.',
  discount: 'Discounts besides the acquisition fee, which the dealer bears.',
  originationCost: 'The cost of originating the loan.',
  paidOut:
    'All that the deal costs on its first day: the funded amount, the dealer’s participation, the cost of origination.',
  netYield: 'The yield on `paidOut` after losses and servicing, in percent a year, as text.',
  hurdle: 'The lowest net yield that the underwriting policy accepts, in percent a year, as text.',
  price: 'The fair value, in percent of the loan amount, as text.',
  expectedLife: 'The average time until principal is paid back, in months.',
  severity: 'The part of a charge-off that is lost, as a fraction in text.',
};
const figures = (described: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(described).map(([name, description]) => [name, decimalOut(description)]));

/** As the record has them, which of a loan that was assessed elsewhere are the texts of its lender. */
const asRecorded = (described: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(described).map(([name, description]) => [name, sentences(description)]));

const Pricing = shape('DealPricing', 'How the price of a deal is built up.', {
  buyRate: decimalOut('The lowest rate at which the lender offers the deal, in percent a year, as text.'),
  rateParts: shape(
    'RateParts',
    'The components of the buy rate, in percent per year, as text. The parts add up to the rate before the cap of a state or of the lender.',
    figures({
      funds: 'Cost of funds.',
      expectedLoss: 'Expected loss.',
      shortTerm:
        'What a loan that is short for its risk pays besides, so that it costs no less than a longer one; 0.00 for others.',
      servicing: 'Servicing.',
      capital: 'Capital and its target return.',
      acquisition: 'Acquisition.',
    }),
  ),
  participation: shape(
    'DealerParticipation',
    'The dealer’s share of a rate above the buy rate.',
    figures({
      markup: 'Percentage points above the buy rate, as text.',
      reserve: 'The dealer’s share of the expected income from these points.',
    }),
  ),
  ...figures(priceFigures),
});

export const Deal = shape('Deal', 'A deal that underwriting offered or declined.', {
  dealIndex: Type.Integer({ description: 'For `complete-underwriting`; 0 is the requested deal.' }),
  ...asRecorded({
    loanAmount: 'The amount of the loan.',
    term: 'Months.',
    apr: 'The interest rate of the contract, in percent a year, as text.',
    monthlyPayment: 'The payment each month.',
    downPayment: 'The down payment.',
    ltv: 'Loan to value, as a fraction in text.',
    pti: 'Payment to income, as a fraction in text; rounded without `loans:read_pii` and the key.',
    dti: 'Debt to income, as a fraction in text; rounded without `loans:read_pii` and the key.',
    decision: '`APPROVED` or `DECLINED`; empty when nothing was decided.',
  }),
  reasons: maybe(
    Type.Array(sentences('A reason.')),
    'Why, and the warnings. Null without `loans:read_pii` and the key: they are about the person.',
  ),
  defaultProbability: sentences('The probability of default, as a fraction in text.'),
  forecast: shape('DealForecast', 'The forecast over the life of the deal.', asRecorded(dealFigures)),
  pricing: maybe(Pricing, 'Null where the loan was not assessed here.'),
});

export const dealExample = {
  dealIndex: 0,
  loanAmount: '28,875.00',
  term: '60',
  apr: '7.25',
  monthlyPayment: '575.17',
  downPayment: '0.00',
  ltv: '0.9168',
  pti: '0.0928',
  dti: '0.2871',
  decision: 'APPROVED',
  reasons: null,
  defaultProbability: '0.0312',
  forecast: Object.fromEntries(Object.keys(dealFigures).map((name) => [name, '27,980.14'])),
  pricing: {
    buyRate: '6.75',
    rateParts: {
      funds: '4.45',
      expectedLoss: '0.62',
      shortTerm: '0.00',
      servicing: '1.00',
      capital: '0.48',
      acquisition: '0.20',
    },
    participation: { markup: '0.5000', reserve: '231.40' },
    dealerFlat: '150.00',
    acquisitionFee: '0.00',
    discount: '0.00',
    originationCost: '250.00',
    paidOut: '29506.40',
    netYield: '5.3120',
    hurdle: '4.9300',
    price: '102.3100',
    expectedLife: '24.61',
    severity: '0.4120',
  },
};
