/** Both records of a loan, and publishing the public one. */
import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { actorOf } from './actor.ts';
import { loanIdOf, personal, reading, seen, shown, viewOptions } from './read.ts';
import { fullRecordHead, publicRecord, RECORD_END } from './record-text.ts';
import { DayOut, Hash, Money, personalHeaders, request, Version, ViewQuery } from './shapes.ts';
import { loanWrite } from './write.ts';

const PublishRequest = request(
  { published: Type.Boolean({ description: 'Whether every client with `public:read` may read the public record.' }) },
  { published: true },
);

const DETAILS = [
  ...['applicationId', 'borrowerId', 'borrower', 'lenderId', 'initialLender', 'primaryServicerId'],
  ...['secondaryServicerId', 'loanServicer', 'loanType', 'principalAmount', 'loanAmount', 'collateralType'],
  ...['collateralAmount', 'interestRate', 'spread', 'interestRateType', 'indexRate', 'originationDate'],
  ...['maturityDate', 'amortizationType', 'loanStatus', 'encumberedStatus', 'term', 'repaidAmount'],
  ...['remainingBalance', 'startBlock', 'delinquentAmount', 'delinquentDays', 'paymentFrequency', 'installment'],
  ...['riskRating', 'firstPaymentDate', 'lastPaymentDate', 'nextPaymentDate', 'prepaymentPenalty', 'lateFee'],
  ...['createdAt', 'defaultProbability', 'grade', 'predictedPrincipalPaid', 'predictedInterestPaid'],
  ...['predictedChargeoffAmount', 'predictedRecoveredAmount', 'predictedGrossCashflow', 'predictedNetCashflow'],
  ...['predictedYield', 'apr', 'fairValuePrice', 'lendingDecisionReason', 'creditReportHash'],
  ...['retailInstallmentContractHash', 'applicantCreditVision', 'coApplicantCreditVision'],
] as const;

const LoanPayment = Type.Object({
  paymentId: Type.String(),
  paymentAmount: Money,
  paymentDate: DayOut,
  remainingBalance: Money,
  principalAmount: Money,
  principalPaid: Money,
  interestPaid: Money,
  feesPaid: Money,
  status: Type.Enum(['Submitted', 'Acknowledged', 'Returned']),
  transactionHash: Type.String(),
});

const open = (description: string) => Type.Object({}, { additionalProperties: true, description });

/** The members of `loanDetails`. */
export const details = {
  ...Object.fromEntries(DETAILS.map((name) => [name, Type.String()])),
  macroEconomicFeatures: open('`unemployment`, `cpi`, `fedRate`: numbers.'),
  loanPayments: Type.Array(LoanPayment),
  metadata: open('Once funded `{ [loanType]: {…} }`, before `{}`.'),
};

const FullRecordAnswer = Type.Object({
  message: Type.Literal('ok'),
  loanId: Hash,
  version: Version,
  data: Type.Object({
    loanDetails: Type.Object(details, { description: 'Exactly these members, in this order; scalars are strings.' }),
    Request: open(
      'As given: ApplicantInfo, ApplicationInfo, CoApplicantInfo, DealerInfo, PartnerInfo, RequestedTermsInfo, VehicleInfo.',
    ),
    Response: open('As given: the risk assessment.'),
    Underwriting: open(
      'As given: CashflowsCsv, CoApplicantCreditBureauPDF, CoApplicantCreditBureauTradeLines, DealTermsInfo, PrimaryCreditBureauPDF, ' +
        'PrimaryCreditBureauTradeLines, PrimaryCreditInfo (byte for byte), UnderwritingInfo.',
    ),
  }),
});

const PublicRecordAnswer = Type.Object({
  message: Type.Literal('ok'),
  data: Type.Object({
    loanDetails: Type.Object(
      {
        ...details,
        loanInfo: open('`{ "Auto": { make, model, year, age, mileage, vin } }`; of the VIN 11 characters.'),
        Underwriting: open('CashflowsCsv, DealTermsInfo and UnderwritingInfo alone.'),
      },
      {
        description:
          'As in the full record; what is about the person is empty. Ratios are of an income and debts that were rounded by 5 %.',
      },
    ),
  }),
});

export const readLoan = operation({
  ...personal,
  ...personalHeaders,
  at: 'GET /loans/{loan_id}',
  aliases: ['applications/{loan_id}'],
  id: 'readLoan',
  cost: 5,
  summary: 'The complete record, personal data included',
  description: 'Every read is a disclosure, entered durably before the answer leaves; a 304 is one too.',
  query: ViewQuery,
  answer: FullRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.readFull(await actorOf(call), loanId, options));
    const { view, personal: person, record } = found;
    const representation = ['record', options, record.length] as const;
    return shown(call, view, representation, (plain) => ({
      chunks: [fullRecordHead(view, person, { plain }), record, RECORD_END],
    }));
  },
});

export const readLoanData = operation({
  ...reading,
  at: 'GET /loan-data/{loan_id}',
  id: 'readLoanData',
  summary: 'The public record, without personal data',
  description: 'Of own loans with `loans:read`; of every published loan with `public:read`.',
  scopes: ['public:read', 'loans:read'],
  query: ViewQuery,
  answer: PublicRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.readPublic(await actorOf(call), loanId, options));
    // What is left of it when the borrower is erased is another representation of the same version.
    const representation = ['public', options, found.publicPart.length] as const;
    return shown(call, found.view, representation, (plain) => ({ chunks: publicRecord(found, { plain }) }));
  },
});

export const publishLoan = loanWrite({
  does: 'publish',
  id: 'publishLoan',
  summary: 'Show the public record to everybody, or stop it',
  description: 'To every client with `public:read`. The public record holds nothing about the person.',
  scopes: ['loans:write'],
  body: PublishRequest,
  command: (_read, { published }) => ({ do: 'publish', published }),
});
