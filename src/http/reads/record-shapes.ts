/**
 * The full record and the public record as schemas. `Request`, `Response` and `Underwriting` have the members that the interface lists, in
 * its order and with its types (`boarding/record-members.ts`); they may hold further members, which come back as a lender gave them.
 */
import { type TSchema, Type } from 'typebox';
import { about, shape } from '../shared/named.ts';
import { decimalOut, grouped, money } from '../shared/numbers.ts';
import { MessageOk } from '../shared/operation.ts';
import { date, Status } from '../shared/shapes.ts';
import {
  addressOrNone,
  addressOut,
  dateOrNone,
  hashOrNone,
  referenceOrNone,
  wordOrNone,
  wordOut,
} from '../shared/texts.ts';
import { PublicUnderwriting, Underwriting } from './record-underwriting.ts';

/** Text members by name, each with its description. */
const texts = <N extends string>(members: Readonly<Record<N, string>>) =>
  each(members, (description) => Type.String({ description }));

const numbers = <N extends string>(members: Readonly<Record<N, string>>) =>
  each(members, (description) => Type.Number({ description }));

/** Dates that may be empty. */
const dates = <N extends string>(members: Readonly<Record<N, string>>) => each(members, dateOrNone);

const amounts = <N extends string>(members: Readonly<Record<N, string>>) => each(members, money);

const counts = <N extends string>(members: Readonly<Record<N, string>>) =>
  each(members, (description) => grouped('count', description));

/** Predicted amounts, with the decimals that a lender sent; empty until there is an assessment. */
const forecasts = <N extends string>(members: Readonly<Record<N, string>>) =>
  each(members, (description) => grouped('forecast', description, { empty: true }));

/** Fractions and percentages as text; empty where they are not known. */
const ratios = <N extends string>(members: Readonly<Record<N, string>>) =>
  each(members, (description) => decimalOut(description, { empty: true }));

const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description: `${description} Null if unknown.` });

const numberOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description: `${description} Null if unknown.` });

function each<N extends string, T extends TSchema>(members: Readonly<Record<N, string>>, make: (text: string) => T) {
  const entries = Object.entries<string>(members).map(([name, description]) => [name, make(description)]);
  return Object.fromEntries(entries) as Record<N, T>;
}

const OPEN = { additionalProperties: true };

// ---- loanDetails ----

const Payment = shape('Payment', 'A payment by the borrower.', {
  paymentId: Type.String({
    pattern: '^[A-Za-z0-9._:,-]{1,64}$',
    description: 'The `refId` of the payment; in the public record its number.',
  }),
  paymentAmount: money('The amount.'),
  paymentDate: date('The effective date.'),
  remainingBalance: money('Principal owed after the payment.'),
  principalAmount: money('The original principal of the loan.'),
  principalPaid: money('Applied to principal.'),
  interestPaid: money('Applied to interest.'),
  feesPaid: money('Applied to fees.'),
  status: Type.Enum(['Submitted', 'Acknowledged', 'Returned'], { description: 'Whether the payment is confirmed.' }),
  transactionHash: hashOrNone('The ledger transaction of the payment.'),
});

const MacroEconomicFeatures = shape(
  'MacroEconomicFeatures',
  'Economic indicators: as given, else those of the assessment, else those of the lending policy on the day of creation.',
  numbers({
    unemployment: 'Unemployment rate, in percent; a number.',
    cpi: 'Change of the consumer price index over a year, in percent; a number.',
    fedRate: 'Federal funds rate, in percent; a number.',
  }),
);

const ServicingMetadata = shape('ServicingMetadata', 'The servicing figures of a loan; before funding as planned.', {
  ...dates({ fundedDate: 'The date of funding; empty before it.' }),
  ...counts({ currentDpd: 'Days past due.' }),
  ...amounts({
    originalBalance: 'Principal at funding; before it, the loan amount.',
    currentBalance: 'Principal on the books; after a charge-off the part kept for the collateral.',
  }),
  ...counts({ originalTerm: 'Number of installments.', remainingTerm: 'Number of installments not yet paid.' }),
  ...ratios({
    pti: 'Payment to income, as a fraction in text; empty if unknown.',
    dti: 'Debt to income, as a fraction in text; empty if unknown.',
    ltv: 'Loan to value, as a fraction in text; empty if unknown.',
  }),
  ...amounts({
    scheduledPayment: 'The payment of an installment; before funding, as planned.',
    currentPaymentDue: 'The unpaid amount of the next installment plus everything past due.',
    pastDueAmount: 'The amount past due.',
    totalPrincipalPaid: 'Principal paid so far.',
    totalInterestPaid: 'Interest paid so far.',
    totalFeesPaid: 'Fees paid so far.',
    chargeoffAmount: 'Principal written off so far.',
    recoveredAmount: 'The amount recovered after the charge-off.',
  }),
  ...texts({ paymentStatus: '`On Time`, `Late`, `Defaulted` or `Charged Off`; empty before funding.' }),
  ...dates({ scheduledMaturityDate: 'Due date of the last installment; empty before funding.' }),
});

const details = {
  applicationId: referenceOrNone('The lender’s id of the application.'),
  borrowerId: referenceOrNone('The lender’s id of the borrower.'),
  borrower: addressOrNone('Ledger account of the borrower; empty once the borrower is erased.'),
  lenderId: referenceOrNone('The organization’s id of the lender.'),
  initialLender: addressOut('Ledger account of the lender.'),
  primaryServicerId: referenceOrNone('The organization’s id of the servicer.'),
  secondaryServicerId: referenceOrNone('The organization’s id of a second servicer.'),
  loanServicer: addressOut('Ledger account of the servicer.'),
  ...texts({ loanType: 'The type of loan, such as `AutoLoan`.' }),
  ...amounts({ principalAmount: 'The advance without financed products.', loanAmount: 'The amount financed.' }),
  ...texts({ collateralType: 'The type of collateral, such as `Vehicles`.' }),
  collateralAmount: grouped('amount', 'The value of the collateral; empty if it is unknown.', { empty: true }),
  interestRate: decimalOut('Interest rate, in percent per year, as text: `7.25`.'),
  ...ratios({ spread: 'Margin over the index, in percentage points, as text; empty if none was given.' }),
  ...texts({
    interestRateType: '`Fixed` or `Variable`.',
    indexRate: 'The index of a variable rate: its name, or its rate in percent; as text, as it was given.',
  }),
  ...dates({
    originationDate: 'The contract date; empty until it is known.',
    maturityDate: 'Due date of the last installment; empty until it is known.',
  }),
  amortizationType: wordOut('`FullAmortization`, `InterestOnly` or `Balloon`.'),
  loanStatus: Status,
  ...texts({ encumberedStatus: 'The encumbrance of the collateral, such as `Lien`.' }),
  ...counts({ term: 'The term, in months.' }),
  ...amounts({
    repaidAmount: 'Total of payments received and not returned.',
    remainingBalance:
      'Principal that the borrower owes; before funding, the loan amount; 0 for rejected, cancelled and closed loans.',
  }),
  ...counts({ startBlock: 'The ledger block of the first transaction.' }),
  ...amounts({ delinquentAmount: 'The amount past due.' }),
  ...counts({ delinquentDays: 'Days past due.' }),
  paymentFrequency: wordOut('How often a payment is due, such as `Monthly`.'),
  ...counts({ installment: 'Number of installments.' }),
  riskRating: wordOrNone('`Low`, `Medium` or `High`; empty without a grade.'),
  ...dates({
    firstPaymentDate: 'Due date of the first installment; empty until it is known.',
    lastPaymentDate: 'Due date of the last installment; empty until it is known.',
    nextPaymentDate: 'Due date of the oldest unpaid installment; empty if there is none.',
  }),
  ...amounts({ prepaymentPenalty: 'Prepayment penalty.', lateFee: 'Flat late fee.' }),
  createdAt: grouped('moment', 'When the loan was created: milliseconds since 1970.'),
  ...ratios({ defaultProbability: 'Probability of default, as a fraction in text: `0.0312` is 3.12 %.' }),
  grade: wordOrNone('Credit grade, A to F; empty before an assessment.'),
  ...forecasts({
    predictedPrincipalPaid: 'Forecast of principal paid.',
    predictedInterestPaid: 'Forecast of interest paid.',
    predictedChargeoffAmount: 'Forecast of the amount charged off.',
    predictedRecoveredAmount: 'Forecast of the amount recovered.',
    predictedGrossCashflow: 'Forecast of all payments.',
    predictedNetCashflow: 'Forecast of all payments less the amount financed.',
  }),
  ...ratios({
    predictedYield: 'Forecast of the yield a year, as a fraction in text.',
    apr: 'Annual percentage rate, as a fraction in text: `0.0725` is 7.25 %.',
  }),
  ...forecasts({ fairValuePrice: 'Fair value of the loan.' }),
  ...texts({ lendingDecisionReason: 'Reason for the lending decision.' }),
  creditReportHash: hashOrNone('Digest of the credit report.'),
  retailInstallmentContractHash: hashOrNone('Digest of the contract.'),
  ...texts({
    applicantCreditVision: 'Summary of the applicant’s credit.',
    coApplicantCreditVision: 'Summary of the co-applicant’s credit.',
  }),
  macroEconomicFeatures: MacroEconomicFeatures,
  loanPayments: Type.Array(Payment, { description: 'The payments, in order of their effective dates.' }),
  metadata: Type.Record(Type.String(), ServicingMetadata, {
    description: 'The servicing figures under the type of the loan (`AutoLoan`).',
  }),
};

export const LoanDetails = shape(
  'LoanDetails',
  'The loan as of the date of the request. Scalars are strings; a field without a value is empty.',
  details,
);

// ---- Request ----

const Applicant = shape(
  'ApplicantInfo',
  'The applicant. Personal data.',
  {
    AddressFull: Type.String({ description: 'Full address.' }),
    AddressTotalMonths: textOrNull('Months at all known addresses.'),
    ...texts({
      ApplicantAddress: 'Street address.',
      ApplicantAge: 'Age in years.',
      ApplicantCity: 'City.',
      ApplicantDOB: 'Date of birth, YYYYMMDD.',
      ApplicantEmail: 'E-mail address.',
      ApplicantEmploymentTime: 'Time with the employer.',
      ApplicantEmploymentTypes: 'Types of employment.',
      ApplicantFirstName: 'First name.',
      ApplicantFullAddress: 'Full address.',
      ApplicantIncome: 'Income.',
      ApplicantIncomePrimary: 'Income from the main employment.',
      ApplicantLastName: 'Last name.',
      ApplicantResidencePays: 'Monthly housing cost.',
      ApplicantSSN: 'Social security number.',
      ApplicantState: 'State, two letters.',
      ApplicantTimeAtResidence: 'Time at the address.',
      ApplicantZip: 'ZIP code.',
      County: 'County.',
    }),
    Email: textOrNull('A second e-mail address.'),
    EmploymentCompany: Type.String({ description: 'Employer.' }),
    EmploymentTotalMonths: textOrNull('Months in employment.'),
    ...texts({
      EmploymentType: 'Type of employment.',
      EmploymentWorkPhone: 'Work telephone number.',
      EstimatedIncome: 'Estimated income.',
      HomePhone: 'Home telephone number.',
    }),
    HousingMonthlyPayment: textOrNull('Monthly rent or mortgage payment.'),
    MiddleInitial: Type.String({ description: 'Middle initial.' }),
    MonthlyGross: numberOrNull('Gross monthly income.'),
    OtherIncomeAmount: textOrNull('Other income.'),
    ...texts({
      OtherIncomeType: 'Type of other income.',
      ReportedIncome: 'Reported income.',
      StreetNumber: 'House number.',
      UnitNumber: 'Apartment or unit.',
    }),
  },
  OPEN,
);

const part = (name: string, description: string, members: Readonly<Record<string, string>>) =>
  shape(name, description, texts(members), OPEN);

const Application = shape(
  'LoanApplication',
  'The application. Further fields may be present, as given.',
  {
    ApplicantInfo: Applicant,
    ApplicationInfo: part('ApplicationInfo', 'The application form.', {
      ApplicantNumber: 'Number of the applicant.',
      ApplicantsNumber: 'Number of applicants.',
      ApplicationID: 'The lender’s number of the application.',
      ApplicationType: 'Status of the application, such as `Complete`.',
      RefiBool: 'Whether it refinances another loan.',
      RequestedLoanID: 'The lender’s number of the requested loan.',
    }),
    CoApplicantInfo: shape(
      'CoApplicantInfo',
      'The co-applicant. Personal data.',
      {
        CoApplicantSSN: Type.String({ description: 'Social security number.' }),
        MonthlyGross: Type.Optional(numberOrNull('Gross monthly income; present if it was given.')),
        CoApplicantIncome: Type.Optional(textOrNull('Annual income; present if it was given.')),
      },
      OPEN,
    ),
    DealerInfo: part('DealerInfo', 'The dealer.', {
      DealerID: 'The lender’s number of the dealer.',
      DealerName: 'Name.',
      DealerState: 'State, two letters.',
    }),
    PartnerInfo: part('PartnerInfo', 'The partner that sent the application.', {
      PartnerName: 'Name.',
      ProgramPartner: 'Program.',
    }),
    RequestedTermsInfo: part('RequestedTermsInfo', 'The requested terms.', {
      RequestedLoanAmount: 'Loan amount.',
      RequestedLoanBackendProductsAmount: 'Financed products, such as a service contract.',
      RequestedLoanDTI: 'Debt to income, a fraction or percent as the lender sent it; text.',
      RequestedLoanDownPayment: 'Down payment.',
      RequestedLoanGAP: 'GAP insurance.',
      RequestedLoanPTI: 'Payment to income, a fraction or percent as the lender sent it; text.',
      RequestedLoanPayment: 'Payment.',
      RequestedLoanRate: 'Interest rate, in percent per year, as text.',
      RequestedLoanTerm: 'Term in months.',
    }),
    VehicleInfo: part('VehicleInfo', 'The vehicle.', {
      VehicleAge: 'Age in years.',
      VehicleMake: 'Make.',
      VehicleMileage: 'Mileage.',
      VehicleModel: 'Model.',
      VehicleRetailValue: 'Retail value.',
      VehicleVIN: 'Vehicle identification number.',
      VehicleWholesaleValue: 'Wholesale value.',
      VehicleYear: 'Model year.',
    }),
  },
  OPEN,
);

// ---- Response ----

const Assessment = shape(
  'RiskAssessment',
  'The risk assessment. Further fields may be present, as given.',
  {
    ...texts({
      ApplicationID: 'The lender’s number of the application.',
      ApplicationType: 'Status of the application, such as `Complete`.',
    }),
    Comments: Type.Array(Type.String(), { description: 'Comments.' }),
    ...numbers({
      CreditScoreCoapplicant: 'Credit score of the co-applicant; 0 if there is none.',
      CreditScorePrimary: 'Credit score of the applicant; 0 if there is none.',
    }),
    Date: Type.Union([Type.String({ format: 'date' }), Type.Literal('')], {
      description: 'The date of the assessment; empty if there is none.',
    }),
    ...texts({
      DealerID: 'The lender’s number of the dealer.',
      Decision: '`APPROVED` or `DECLINED`; empty if there is none.',
      DecisionDate: 'Time of the decision, YYYY-MM-DD HH:MM:SS in UTC; empty if there is none.',
      DeclineReason: 'Reasons for the decline.',
    }),
    LoanTerms: Type.Array(
      shape(
        'LoanTerms',
        'Offered terms.',
        {
          ...numbers({ AcquisitionFee: 'Acquisition fee, which the dealer bears.', AssetPrice: 'Price of the asset.' }),
          DEALER_FLAT: Type.String({ description: 'Dealer flat fee.' }),
          ...numbers({ DefaultProb: 'Probability of default, as a fraction; a number.' }),
          Description: Type.String({ description: 'Description.' }),
          ...numbers({
            Discount: 'The loan discount and the dealer’s discount together.',
            FundedAmount: 'Amount funded.',
            GrossYield: 'Gross yield a year, as a fraction; a number.',
            IRR: 'Internal rate of return a year, as a fraction; a number.',
            LTV: 'Loan to value, as a fraction; a number.',
          }),
          Participation: Type.Unsafe<number | string | null>({
            type: ['number', 'string', 'null'],
            description:
              'The dealer’s share of the expected income from a rate above the buy rate; a number, or as given for a loan that was assessed elsewhere. Null if there is none.',
          }),
          ...numbers({
            Payment: 'Payment.',
            Rate: 'Interest rate, in percent per year; a number.',
            TermMonths: 'Term in months.',
            TotalLoanAmount: 'Loan amount.',
            VehicleWholesaleValue: 'Wholesale value of the vehicle.',
          }),
        },
        OPEN,
      ),
      { description: 'The offered terms.' },
    ),
    Stipulations: Type.Array(Type.String(), { description: 'Conditions on the approval.' }),
  },
  OPEN,
);

// ---- the records ----

export const FullRecordAnswer = Type.Object({
  message: MessageOk,
  data: shape('LoanRecord', 'The complete record of a loan. Contains personal data.', {
    loanDetails: LoanDetails,
    Request: Application,
    Response: Assessment,
    Underwriting,
  }),
});

const VehicleDetails = shape('VehicleDetails', 'The vehicle, without personal data.', {
  ...texts({ make: 'Make.', model: 'Model.', year: 'Model year.', age: 'Age in years.' }),
  mileage: grouped('count', 'Mileage; empty if it is unknown.', { empty: true }),
  ...texts({
    vin: 'Vehicle identification number: the first eleven characters followed by six asterisks.',
  }),
});

export const PublicRecordAnswer = Type.Object({
  message: MessageOk,
  data: shape('PublicLoanRecord', 'The public record of a loan.', {
    loanDetails: shape(
      'PublicLoanDetails',
      'As in the full record, but personal fields are empty. Ratios are computed from income and debts rounded to the nearest step of about 10 %.',
      {
        ...details,
        loanInfo: shape('LoanInfo', 'The financed asset.', {
          Auto: Type.Optional(about(VehicleDetails, 'The vehicle.')),
        }),
        Underwriting: PublicUnderwriting,
      },
    ),
  }),
});
