/** The member `Underwriting` of both records as schemas. */
import { Type } from 'typebox';
import { shape } from '../shared/named.ts';

const part = (name: string, description: string, members: Readonly<Record<string, string>>) =>
  shape(
    name,
    description,
    Object.fromEntries(Object.entries(members).map(([member, text]) => [member, Type.String({ description: text })])),
    { additionalProperties: true },
  );

const DealTerms = part('DealTerms', 'The terms of one offered deal.', {
  ApprovedDownPayment: 'Down payment.',
  TermsAPR: 'Interest rate of the contract, in percent per year, as text.',
  TermsDTI: 'Debt to income, as a fraction in text.',
  TermsFrontEndLTV: 'Loan to value without financed products, as a fraction in text.',
  TermsLTV: 'Loan to value, as a fraction in text.',
  TermsLoanAmount: 'Loan amount.',
  TermsMonthlyPayment: 'Monthly payment.',
  TermsPTI: 'Payment to income, as a fraction in text.',
  TermsTerm: 'Term in months.',
});

const DealUnderwriting = part('DealUnderwriting', 'The decision on one deal, and its forecast.', {
  AllWarnings: 'Warnings, separated by semicolons.',
  CollateralDefaultProb:
    'Probability of default by the terms, the vehicle and the economy alone, as a fraction in text.',
  DecisionReason: 'Reason for the decision.',
  DecisionReasonSimple: 'Short reason for the decision.',
  DecisionStatus: '`APPROVED` or `DECLINED`.',
  DefaultProb: 'Probability of default, as a fraction in text.',
  FairValuePrice: 'Fair value of the deal.',
  ForecastChargeoffAmount: 'Forecast of the amount charged off.',
  ForecastCompoundingIRR: 'Forecast of the internal rate of return a year, compounded, as a fraction in text.',
  ForecastCompoundingNetIRR: 'The same, net of costs, as a fraction in text.',
  ForecastFairValuePrice: 'Forecast of the fair value.',
  ForecastInterestPaid: 'Forecast of interest paid.',
  ForecastNetLossAmount: 'Forecast of the net loss.',
  ForecastPresentValue: 'Present value of the forecast.',
  ForecastPrincipalPaid: 'Forecast of principal paid.',
  ForecastRecoveredAmount: 'Forecast of the amount recovered.',
  ForecastSimpleIRR: 'Forecast of the internal rate of return a year, simple, as a fraction in text.',
  ForecastSimpleNetIRR: 'The same, net of costs, as a fraction in text.',
  ForecastTotalPaid: 'Forecast of all payments.',
  ForecastTotalPaidLessFees: 'Forecast of all payments less fees.',
  SolventProb: 'Probability that the loan is paid, as a fraction in text.',
  TermsApprovedBackEndProducts: 'Approved amount of financed products.',
  TermsApprovedFrontEndAmt: 'Approved amount without financed products.',
  TermsApprovedFrontEndLTV: 'Approved loan to value without financed products, as a fraction in text.',
  TermsDealerDiscount: 'Discount on the amount advanced beyond the vehicle’s value.',
  TermsDealerFlat: 'Dealer flat fee.',
  TermsDiscountFee: 'Acquisition fee.',
  TermsFundedAmount: 'Amount funded.',
  TermsLoanDiscount: 'Discount where the acquisition fee does not cover the costs.',
  TermsTotalDiscount: 'The acquisition fee and both discounts together.',
  WarningsNumber: 'Number of warnings.',
});

const CashflowsCsv = Type.String({ description: 'Projected cash flows as CSV: a header row, then one row per month.' });
const DealTermsInfo = Type.Array(DealTerms, { description: 'The offered deals; the first is the requested one.' });
const UnderwritingInfo = Type.Array(DealUnderwriting, { description: 'One entry for each entry of `DealTermsInfo`.' });

export const Underwriting = shape(
  'Underwriting',
  'The underwriting. Further fields may be present, as given.',
  {
    CashflowsCsv,
    CoApplicantCreditBureauPDF: Type.String({ description: 'Credit report of the co-applicant: a PDF in Base64.' }),
    CoApplicantCreditBureauTradeLines: Type.String({ description: 'Trade lines of the co-applicant as CSV.' }),
    DealTermsInfo,
    PrimaryCreditBureauPDF: Type.String({ description: 'Credit report of the applicant: a PDF in Base64.' }),
    PrimaryCreditBureauTradeLines: Type.String({ description: 'Trade lines of the applicant as CSV.' }),
    PrimaryCreditInfo: Type.Record(Type.String(), Type.String(), {
      description: 'Credit bureau fields by name, all strings, byte for byte as given.',
    }),
    UnderwritingInfo,
  },
  { additionalProperties: true },
);

export const PublicUnderwriting = shape(
  'PublicUnderwriting',
  'The underwriting without personal data.',
  { CashflowsCsv, DealTermsInfo, UnderwritingInfo },
  { additionalProperties: true },
);
