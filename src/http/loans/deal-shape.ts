/** A deal as it is answered: of a loan that was underwritten, and of an offer that is only calculated. */
import { Type } from 'typebox';
import type { DealForecast } from '../../loans/loans.ts';
import { shape } from '../named.ts';
import { maybe } from './shapes.ts';

const dealFigures: Readonly<Record<DealForecast, string>> = {
  principalPaid: 'Principal that is expected to be paid.',
  interestPaid: 'Interest that is expected to be paid.',
  chargeoffAmount: 'Principal that is expected to be charged off.',
  recoveredAmount: 'Amount expected to be recovered of it.',
  netLossAmount: 'Charged off less recovered.',
  totalPaid: 'Total expected to be paid.',
  presentValue: 'Present value of these payments.',
  fairValuePrice: 'The price at which the deal is fairly valued.',
  yield: 'The yield after losses, as a fraction.',
};

export const Deal = shape('Deal', 'A deal that underwriting offered or declined.', {
  dealIndex: Type.Integer({ description: 'For `complete-underwriting`; 0 is the deal asked for.' }),
  loanAmount: Type.String({ description: 'The amount of the loan.' }),
  term: Type.String({ description: 'Months.' }),
  apr: Type.String({ description: 'The annual rate.' }),
  monthlyPayment: Type.String({ description: 'The payment each month.' }),
  downPayment: Type.String({ description: 'The down payment.' }),
  ltv: Type.String({ description: 'Loan to value.' }),
  pti: Type.String({ description: 'Payment to income; rounded without `loans:read_pii` and the key.' }),
  dti: Type.String({ description: 'Debt to income; rounded without `loans:read_pii` and the key.' }),
  decision: Type.String({ description: '`APPROVED` or `DECLINED`; empty when nothing was decided.' }),
  reasons: maybe(
    Type.Array(Type.String()),
    'Why, and the warnings. Null without `loans:read_pii` and the key: they are about the person.',
  ),
  defaultProbability: Type.String({ description: 'The probability of default, as a fraction.' }),
  forecast: shape(
    'DealForecast',
    'The forecast over the life of the deal.',
    Object.fromEntries(Object.entries(dealFigures).map(([name, description]) => [name, Type.String({ description })])),
  ),
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
};
