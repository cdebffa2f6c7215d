/**
 * A whole record in the shapes that the interface's specification shows: a car loan that was paid off early, with no payment listed. It is
 * built here by hand and agrees with itself; nobody in it can exist. Nothing of `src` is imported.
 */
import {
  BUREAU_MEMBERS,
  BUREAU_MEMBERS_MORE_THAN,
  DEALS,
  REQUEST,
  TRADE_LINE_COLUMNS,
  UNDERWRITING_INFO,
} from './interface.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads and changes any member of a record
export type AnyRecord = { message: string; data: Record<'loanDetails' | 'Request' | 'Response' | 'Underwriting', any> };

const MONTHS = 12;
const dayOfMonth = (n: number) => new Date(Date.UTC(2024, 2 + n, 15)).toISOString().slice(0, 10);

/** A new one each time, so that it may be changed. */
export function exampleRecord(): AnyRecord {
  return {
    message: 'ok',
    data: { loanDetails: details(), Request: request(), Response: response(), Underwriting: underwriting() },
  };
}

/** The same loan as the public record shows it. */
export function examplePublicRecord(): Pick<AnyRecord, 'message'> & { data: Pick<AnyRecord['data'], 'loanDetails'> } {
  const { loanDetails, Underwriting } = exampleRecord().data;
  const { CashflowsCsv, DealTermsInfo, UnderwritingInfo } = Underwriting;
  const rows = UnderwritingInfo.map((row: object) => ({
    ...row,
    ...{ AllWarnings: '', DecisionReason: '', DecisionReasonSimple: '' },
  }));
  return {
    message: 'ok',
    data: {
      loanDetails: {
        ...loanDetails,
        ...{ borrowerId: '', lendingDecisionReason: '', applicantCreditVision: '', coApplicantCreditVision: '' },
        metadata: { AutoLoan: { ...loanDetails.metadata.AutoLoan, pti: '0.16', dti: '0.31' } },
        loanInfo: {
          Auto: {
            make: 'Example',
            model: 'Estate',
            year: '2022',
            age: '2',
            mileage: '24,000',
            vin: '1HGCM82633A******',
          },
        },
        Underwriting: {
          CashflowsCsv,
          DealTermsInfo: DealTermsInfo.map((row: object) => ({ ...row, TermsPTI: '0.16', TermsDTI: '0.31' })),
          UnderwritingInfo: rows,
        },
      },
    },
  };
}

function details() {
  return {
    applicationId: 'APP-EXAMPLE-1',
    borrowerId: 'BRW-EXAMPLE-1',
    borrower: '0x52908400098527886E0F7030069857D2E4169EE7',
    lenderId: 'LND-EXAMPLE',
    initialLender: '0xde709f2102306220921060314715629080e2fb77',
    primaryServicerId: 'SRV-EXAMPLE',
    secondaryServicerId: '',
    loanServicer: '0x27b1fdb04752bbc536007a920d24acb045561c26',
    loanType: 'AutoLoan',
    principalAmount: '11,500',
    loanAmount: '12,000',
    collateralType: 'Vehicles',
    collateralAmount: '15,250',
    interestRate: '9',
    spread: '',
    interestRateType: 'Fixed',
    indexRate: '',
    originationDate: dayOfMonth(0),
    maturityDate: dayOfMonth(MONTHS),
    amortizationType: 'FullAmortization',
    loanStatus: 'ClosedEarly',
    encumberedStatus: 'Lien',
    term: '12',
    repaidAmount: '12,475.31',
    remainingBalance: '0',
    startBlock: '1,204,511',
    delinquentAmount: '0',
    delinquentDays: '0',
    paymentFrequency: 'Monthly',
    installment: '12',
    riskRating: 'Low',
    firstPaymentDate: dayOfMonth(1),
    lastPaymentDate: dayOfMonth(MONTHS),
    nextPaymentDate: '',
    prepaymentPenalty: '0',
    lateFee: '25',
    createdAt: '1,710,504,000,000',
    defaultProbability: '0.0213',
    grade: 'A',
    predictedPrincipalPaid: '11,850.1234',
    predictedInterestPaid: '560.5',
    predictedChargeoffAmount: '149.88',
    predictedRecoveredAmount: '60',
    predictedGrossCashflow: '12,470.62',
    predictedNetCashflow: '12,350.62',
    predictedYield: '0.0712',
    apr: '0.0938',
    fairValuePrice: '12,060.25',
    lendingDecisionReason: 'Approved as asked for',
    creditReportHash: `0x${'ab'.repeat(32)}`,
    retailInstallmentContractHash: `0x${'cd'.repeat(32)}`,
    applicantCreditVision: 'Credit score 742. Eight accounts, none past due.',
    coApplicantCreditVision: '',
    macroEconomicFeatures: { unemployment: 3.9, cpi: 3.2, fedRate: 5.33 },
    loanPayments: [] as object[],
    metadata: { AutoLoan: servicing() },
  };
}

function servicing() {
  return {
    fundedDate: dayOfMonth(0),
    currentDpd: '0',
    originalBalance: '12,000',
    currentBalance: '0',
    originalTerm: '12',
    remainingTerm: '0',
    pti: '0.1614',
    dti: '0.3102',
    ltv: '0.7869',
    scheduledPayment: '1,049.42',
    currentPaymentDue: '0',
    pastDueAmount: '0',
    totalPrincipalPaid: '12,000',
    totalInterestPaid: '475.31',
    totalFeesPaid: '0',
    chargeoffAmount: '0',
    recoveredAmount: '0',
    paymentStatus: 'On Time',
    scheduledMaturityDate: dayOfMonth(MONTHS),
  };
}

function request() {
  const given: Record<string, Record<string, unknown>> = {
    ApplicantInfo: {
      ApplicantFirstName: 'Robin',
      ApplicantLastName: 'Example',
      ApplicantDOB: '19840229',
      ApplicantAge: '40',
      ApplicantSSN: '666-12-3456',
      ApplicantState: 'TX',
      ApplicantZip: '77101',
      ApplicantIncome: '78,000',
      Email: null,
      AddressTotalMonths: '62',
      MonthlyGross: 6_500,
    },
    ApplicationInfo: { ApplicationID: 'APP-EXAMPLE-1', ApplicationType: 'Complete', ApplicantsNumber: '1' },
    VehicleInfo: { VehicleYear: '2022', VehicleMake: 'Example', VehicleWholesaleValue: '15,250' },
  };
  const empty = { 'text or null': null, 'number or null': null };
  return Object.fromEntries(
    Object.entries(REQUEST).map(([name, table]) => [
      name,
      Object.fromEntries(
        Object.entries(table).map(([member, kind]) => [
          member,
          given[name]?.[member] ?? (typeof kind === 'string' && kind in empty ? null : ''),
        ]),
      ),
    ]),
  );
}

function response() {
  return {
    ApplicationID: 'APP-EXAMPLE-1',
    ApplicationType: 'Complete',
    Comments: ['Asked for 12,000 over 12 months.'],
    CreditScoreCoapplicant: 0,
    CreditScorePrimary: 742,
    Date: dayOfMonth(0),
    DealerID: 'DLR-1',
    Decision: 'APPROVED',
    DecisionDate: `${dayOfMonth(0)} 14:03:11`,
    DeclineReason: '',
    LoanTerms: [
      {
        ...{ AcquisitionFee: 195, AssetPrice: 16_400, DEALER_FLAT: '150', DefaultProb: 0.0213 },
        ...{ Description: '0: as asked for', Discount: 0, FundedAmount: 11_955, GrossYield: 0.0893, IRR: 0.0712 },
        ...{ LTV: 0.7869, Participation: null, Payment: 1_049.42, Rate: 9, TermMonths: 12, TotalLoanAmount: 12_000 },
        VehicleWholesaleValue: 15_250,
      },
    ],
    Stipulations: ['Proof of income'],
  };
}

function underwriting() {
  const flows = Array.from({ length: MONTHS }, (_, i) => `Projected,${dayOfMonth(i + 1)},1049.42`);
  const account = 'EXAMPLE BANK,auto,I,0001,20200115,,310,60M,installment,4100,18000,0,01,0,0,0,loan,20240315,50,,1';
  const bureau: Record<string, string> = Object.fromEntries(
    Array.from({ length: BUREAU_MEMBERS_MORE_THAN }, (_, i) => [`AT${String(i).padStart(4, '0')}`, String(i % 9)]),
  );
  for (const name of BUREAU_MEMBERS) bureau[name] = '';
  bureau.CreditScore = '742';
  bureau.ApplicantCreditReportDate = dayOfMonth(0);
  bureau.TrackingTransactionTimeStamp = `${dayOfMonth(0)}T08:03:10.512-06:00`;
  const figures = Object.fromEntries(Object.keys(UNDERWRITING_INFO).map((name) => [name, '0']));
  return {
    CashflowsCsv: `${['Type,Date,TotalPaid', ...flows].join('\n')}\n`,
    CoApplicantCreditBureauPDF: '',
    CoApplicantCreditBureauTradeLines: '',
    DealTermsInfo: Array.from({ length: DEALS }, (_, i) => ({
      ...{ ApprovedDownPayment: '1000', TermsAPR: '9', TermsDTI: '0.3102', TermsFrontEndLTV: '0.7541' },
      ...{ TermsLTV: '0.7869', TermsLoanAmount: '12000', TermsMonthlyPayment: '1049.42', TermsPTI: '0.1614' },
      TermsTerm: String(MONTHS * (1 + (i % 5))),
    })),
    PrimaryCreditBureauPDF: Buffer.from('%PDF-1.4\nA report on nobody\n%%EOF\n').toString('base64'),
    PrimaryCreditBureauTradeLines: `${TRADE_LINE_COLUMNS.join(',')}\n${account}\n`,
    PrimaryCreditInfo: bureau,
    UnderwritingInfo: Array.from({ length: DEALS }, (_, i) => ({
      ...figures,
      ...{ AllWarnings: '', DecisionReason: 'Approved', DecisionReasonSimple: 'Approved', WarningsNumber: '0' },
      DecisionStatus: i < 50 ? 'APPROVED' : 'DECLINED',
    })),
  };
}
