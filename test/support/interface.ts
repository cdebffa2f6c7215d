/**
 * The record of a loan as the interface's specification describes it: its tables, written down once more as data, without a look at the
 * source. Nothing of `src` is imported here or in `interface-rules.ts`, so that a mistake there cannot be repeated here. What the
 * specification leaves open (the statuses, the words of a list, the public record, the form of a payment) is as the decisions about it say.
 */

/** The format of the text of a member. A list: one of its words. */
export type Format =
  | 'text'
  | 'reference'
  | 'account'
  | 'amount'
  | 'forecast'
  | 'count'
  | 'epoch'
  | 'date'
  | 'time'
  | 'percent'
  | 'fraction'
  | 'hash'
  | 'birth date'
  | readonly string[];

/** The content of a member. */
export type Kind = Format | 'text or null' | 'number' | 'number or null' | 'number, text or null' | 'list of texts';

export type Table<T = Kind> = Readonly<Record<string, T>>;

export const BEFORE_FUNDING = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
  'Approved',
  'Rejected',
  'CollateralRequested',
  'CollateralApproved',
  'Cancelled',
] as const;

const FUNDED = ['Funded', 'Current', 'Delinquent', 'Defaulted', 'ChargedOff', 'Closed', 'ClosedEarly'] as const;

/** A loan in one of these was approved. */
export const APPROVED = ['Approved', 'CollateralRequested', 'CollateralApproved', ...FUNDED] as const;

const LOAN_TYPES = [
  ...['TermLoan', 'RevolvingCredit', 'AssetBased', 'Bridge', 'Mezzanine', 'Syndicated', 'EquipmentFinance'],
  ...['InvoiceFinance', 'MerchantCashAdvance', 'PersonalLoan', 'AutoLoan', 'StudentLoan', 'Mortgage', 'LineOfCredit'],
  ...['ConstructionLoan', 'HardMoneyLoan', 'Other'],
];
const COLLATERAL_TYPES = [
  ...['RealEstate', 'Equipment', 'Inventory', 'Receivables', 'Securities', 'Cash', 'Vehicles', 'PersonalGuarantee'],
  ...['IntellectualProperty', 'AgriculturalAssets', 'InsurancePolicy', 'DepositAccount', 'PreciousMetals', 'Other'],
  'None',
];
const ENCUMBERED_STATUSES = [
  ...['Lien', 'PostedCollateral', 'SecurityInterest', 'RepossessionInProgress', 'TaxLienOrJudgment'],
  ...['SalvageOrRebuiltTitle', 'LeaseBuyoutEncumbrance', 'Unencumbered'],
];
const FREQUENCIES = ['Monthly', 'SemiMonthly', 'BiWeekly', 'Weekly', 'Quarterly', 'SemiAnnual', 'Annual'];

/** Section 2.3: 53 texts in its order. After them come the three of `DETAILS_THAT_ARE_NO_TEXTS`. */
export const LOAN_DETAILS: Table<Format> = {
  applicationId: 'reference',
  borrowerId: 'reference',
  borrower: 'account',
  lenderId: 'reference',
  initialLender: 'account',
  primaryServicerId: 'reference',
  secondaryServicerId: 'reference',
  loanServicer: 'account',
  loanType: LOAN_TYPES,
  principalAmount: 'amount',
  loanAmount: 'amount',
  collateralType: COLLATERAL_TYPES,
  collateralAmount: 'amount',
  interestRate: 'percent',
  spread: 'percent',
  interestRateType: ['Fixed', 'Variable'],
  indexRate: 'text',
  originationDate: 'date',
  maturityDate: 'date',
  amortizationType: ['FullAmortization', 'InterestOnly', 'Balloon'],
  loanStatus: [...BEFORE_FUNDING, ...FUNDED],
  encumberedStatus: ENCUMBERED_STATUSES,
  term: 'count',
  repaidAmount: 'amount',
  remainingBalance: 'amount',
  startBlock: 'count',
  delinquentAmount: 'amount',
  delinquentDays: 'count',
  paymentFrequency: FREQUENCIES,
  installment: 'count',
  riskRating: ['Low', 'Medium', 'High'],
  firstPaymentDate: 'date',
  lastPaymentDate: 'date',
  nextPaymentDate: 'date',
  prepaymentPenalty: 'amount',
  lateFee: 'amount',
  createdAt: 'epoch',
  defaultProbability: 'fraction',
  grade: ['A', 'B', 'C', 'D', 'E', 'F'],
  predictedPrincipalPaid: 'forecast',
  predictedInterestPaid: 'forecast',
  predictedChargeoffAmount: 'forecast',
  predictedRecoveredAmount: 'forecast',
  predictedGrossCashflow: 'forecast',
  predictedNetCashflow: 'forecast',
  predictedYield: 'fraction',
  apr: 'fraction',
  fairValuePrice: 'forecast',
  lendingDecisionReason: 'text',
  creditReportHash: 'hash',
  retailInstallmentContractHash: 'hash',
  applicantCreditVision: 'text',
  coApplicantCreditVision: 'text',
};

export const DETAILS_THAT_ARE_NO_TEXTS = ['macroEconomicFeatures', 'loanPayments', 'metadata'] as const;

/**
 * Required at creation, or with a value that is computed in every status; the others may be empty. The borrower's account is not among
 * them: the public record loses it when the borrower is erased.
 */
export const NEVER_EMPTY: ReadonlySet<string> = new Set([
  ...['applicationId', 'lenderId', 'initialLender', 'loanServicer', 'loanType', 'principalAmount'],
  ...['loanAmount', 'collateralType', 'interestRate', 'interestRateType', 'amortizationType', 'loanStatus'],
  ...['encumberedStatus', 'term', 'repaidAmount', 'remainingBalance', 'startBlock', 'delinquentAmount'],
  ...['delinquentDays', 'paymentFrequency', 'installment', 'prepaymentPenalty', 'lateFee', 'createdAt'],
]);

export const MACRO = ['unemployment', 'cpi', 'fedRate'] as const;

/** Members of a payment; the specification does not show its shape, so others may stand beside them. */
export const PAYMENT: Table<Format> = {
  // The lender's reference; in the public record the payment's number.
  paymentId: 'text',
  paymentAmount: 'amount',
  paymentDate: 'date',
  remainingBalance: 'amount',
  principalAmount: 'amount',
  principalPaid: 'amount',
  interestPaid: 'amount',
  feesPaid: 'amount',
  status: ['Submitted', 'Acknowledged', 'Returned'],
  transactionHash: 'hash',
};

/** `metadata.AutoLoan`: nineteen texts. */
export const METADATA: Table<Format> = {
  fundedDate: 'date',
  currentDpd: 'count',
  originalBalance: 'amount',
  currentBalance: 'amount',
  originalTerm: 'count',
  remainingTerm: 'count',
  pti: 'fraction',
  dti: 'fraction',
  ltv: 'fraction',
  scheduledPayment: 'amount',
  currentPaymentDue: 'amount',
  pastDueAmount: 'amount',
  totalPrincipalPaid: 'amount',
  totalInterestPaid: 'amount',
  totalFeesPaid: 'amount',
  chargeoffAmount: 'amount',
  recoveredAmount: 'amount',
  paymentStatus: ['On Time', 'Late', 'Defaulted', 'Charged Off'],
  scheduledMaturityDate: 'date',
};

/** Empty, planned and zero until the loan is funded. The three ratios may be known or not. */
export const METADATA_BEFORE_FUNDING: Readonly<Record<'empty' | 'planned' | 'zero', readonly string[]>> = {
  empty: ['fundedDate', 'paymentStatus', 'scheduledMaturityDate'],
  planned: ['originalBalance', 'originalTerm', 'remainingTerm', 'scheduledPayment'],
  zero: [
    ...['currentDpd', 'currentBalance', 'currentPaymentDue', 'pastDueAmount', 'totalPrincipalPaid'],
    ...['totalInterestPaid', 'totalFeesPaid', 'chargeoffAmount', 'recoveredAmount'],
  ],
};

const texts = (names: string): Table<'text'> =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'text' as const]));
const optional = (names: string): Table<'text or null'> =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'text or null' as const]));

/** Section 2.4. */
export const REQUEST: Table<Table> = {
  ApplicantInfo: {
    ...texts('AddressFull'),
    ...optional('AddressTotalMonths'),
    ...texts('ApplicantAddress ApplicantAge ApplicantCity'),
    ApplicantDOB: 'birth date',
    ...texts('ApplicantEmail ApplicantEmploymentTime ApplicantEmploymentTypes ApplicantFirstName'),
    ...texts('ApplicantFullAddress ApplicantIncome ApplicantIncomePrimary ApplicantLastName ApplicantResidencePays'),
    ...texts('ApplicantSSN ApplicantState ApplicantTimeAtResidence ApplicantZip County'),
    ...optional('Email'),
    ...texts('EmploymentCompany'),
    ...optional('EmploymentTotalMonths'),
    ...texts('EmploymentType EmploymentWorkPhone EstimatedIncome HomePhone'),
    ...optional('HousingMonthlyPayment'),
    ...texts('MiddleInitial'),
    MonthlyGross: 'number or null',
    ...optional('OtherIncomeAmount'),
    ...texts('OtherIncomeType ReportedIncome StreetNumber UnitNumber'),
  },
  ApplicationInfo: texts('ApplicantNumber ApplicantsNumber ApplicationID ApplicationType RefiBool RequestedLoanID'),
  CoApplicantInfo: texts('CoApplicantSSN'),
  DealerInfo: texts('DealerID DealerName DealerState'),
  PartnerInfo: texts('PartnerName ProgramPartner'),
  RequestedTermsInfo: texts(
    'RequestedLoanAmount RequestedLoanBackendProductsAmount RequestedLoanDTI RequestedLoanDownPayment RequestedLoanGAP ' +
      'RequestedLoanPTI RequestedLoanPayment RequestedLoanRate RequestedLoanTerm',
  ),
  VehicleInfo: texts(
    'VehicleAge VehicleMake VehicleMileage VehicleModel VehicleRetailValue VehicleVIN VehicleWholesaleValue VehicleYear',
  ),
};

const DECISIONS = ['APPROVED', 'DECLINED'] as const;

/** Section 2.5, without `LoanTerms`. */
export const RESPONSE: Table = {
  ...texts('ApplicationID ApplicationType'),
  Comments: 'list of texts',
  CreditScoreCoapplicant: 'number',
  CreditScorePrimary: 'number',
  Date: 'date',
  DealerID: 'text',
  Decision: DECISIONS,
  DecisionDate: 'time',
  DeclineReason: 'text',
  Stipulations: 'list of texts',
};

export const LOAN_TERMS: Table = {
  AcquisitionFee: 'number',
  AssetPrice: 'number',
  DEALER_FLAT: 'text',
  DefaultProb: 'number',
  Description: 'text',
  Discount: 'number',
  FundedAmount: 'number',
  GrossYield: 'number',
  IRR: 'number',
  LTV: 'number',
  // The specification says only that it may be null.
  Participation: 'number, text or null',
  Payment: 'number',
  Rate: 'number',
  TermMonths: 'number',
  TotalLoanAmount: 'number',
  VehicleWholesaleValue: 'number',
};

/** Section 2.6: the members that are texts. */
export const UNDERWRITING_TEXTS = [
  'CashflowsCsv',
  'CoApplicantCreditBureauPDF',
  'CoApplicantCreditBureauTradeLines',
  'PrimaryCreditBureauPDF',
  'PrimaryCreditBureauTradeLines',
] as const;

export const CASHFLOW_COLUMNS = ['Type', 'Date'] as const;

export const TRADE_LINE_COLUMNS = [
  ...['subscriber', 'account_type', 'member', 'account_num', 'opened', 'closed', 'payment', 'terms', 'portfolio_type'],
  ...['balance', 'high_balance', 'past_due', 'rating', '30dpd', '60dpd', '90dpd', 'account_class', 'today', 'age'],
  ...['age_closed', 'seasoned'],
];

export const DEAL_TERMS = texts(
  'ApprovedDownPayment TermsAPR TermsDTI TermsFrontEndLTV TermsLTV TermsLoanAmount TermsMonthlyPayment TermsPTI TermsTerm',
);

export const UNDERWRITING_INFO: Table = {
  ...texts('AllWarnings CollateralDefaultProb DecisionReason DecisionReasonSimple'),
  DecisionStatus: DECISIONS,
  ...texts('DefaultProb FairValuePrice ForecastChargeoffAmount ForecastCompoundingIRR ForecastCompoundingNetIRR'),
  ...texts('ForecastFairValuePrice ForecastInterestPaid ForecastNetLossAmount ForecastPresentValue'),
  ...texts('ForecastPrincipalPaid ForecastRecoveredAmount ForecastSimpleIRR ForecastSimpleNetIRR ForecastTotalPaid'),
  ...texts('ForecastTotalPaidLessFees SolventProb TermsApprovedBackEndProducts TermsApprovedFrontEndAmt'),
  ...texts('TermsApprovedFrontEndLTV TermsDealerDiscount TermsDealerFlat TermsDiscountFee TermsFundedAmount'),
  ...texts('TermsLoanDiscount TermsTotalDiscount WarningsNumber'),
};

/** Rules 1 to 3 of section 2.6. */
export const DEALS = 60;
export const BUREAU_MEMBERS_MORE_THAN = 1_136;
export const BUREAU_MEMBERS = [
  ...['CreditScore', 'ApplicantCreditReportDate', 'FileSummaryFileHitIndicator', 'FileSummarySsnMatchIndicator'],
  ...['FileSummaryInFileSinceDate', 'FileSummaryMarket', 'FileSummarySubmarket'],
  ...['FileSummaryConsumerStatementIndicator', 'CreditDataStatusSuppressed', 'InFileSinceDate'],
  'TrackingTransactionTimeStamp',
];

/** The public record: what is about the person is there and empty. */
export const PUBLIC_EMPTY = [
  'borrowerId',
  'lendingDecisionReason',
  'applicantCreditVision',
  'coApplicantCreditVision',
] as const;
export const PUBLIC_DEAL_EMPTY = ['AllWarnings', 'DecisionReason', 'DecisionReasonSimple'] as const;
export const PUBLIC_UNDERWRITING = ['CashflowsCsv', 'DealTermsInfo', 'UnderwritingInfo'] as const;
export const VEHICLE = ['make', 'model', 'year', 'age', 'mileage', 'vin'] as const;
