/**
 * The data a lender submits when a loan is created, in addition to the contract that the engine folds. The file holds figures, values of
 * closed lists and references, and is stored as it is. Personal data is in `Personal`, and every other text of the lender in the
 * public part: both are sealed under the loan's own key before they are stored.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { CustomMembers } from '../core/custom-data.ts';
import type { BoardedPayment } from '../core/handover.ts';
import type { OnFile } from '../core/loan.ts';
import type { Cents } from '../core/money.ts';
import type { Percent } from '../core/rate.ts';
import type { IndexedValue } from './indexed-values.ts';

/** All text is as it is shown, without thousands separators; `''` is "no value". */
export type LoanFile = OnFile & {
  readonly applicationId: string;
  readonly borrowerId: string;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  /** Ledger accounts: the caller's, or derived for the party when the loan is created. */
  readonly borrower: string;
  readonly initialLender: string;
  readonly loanServicer: string;
  readonly loanType: string;
  /** The state of the borrower, two letters: reports slice by it. Alone it identifies nobody, so it is not sealed. */
  readonly state: string;
  /** The advance without financed products. */
  readonly principalAmount: Cents;
  readonly collateralType: string;
  /** The vehicle's value, until the collateral is approved; null when unknown. */
  readonly collateralValue: Cents | null;
  readonly encumberedStatus: string;
  /** The percentage as given. */
  readonly interestRate: string;
  readonly spread: string;
  readonly interestRateType: string;
  readonly amortizationType: string;
  /** Months. */
  readonly term: number;
  readonly paymentFrequency: string;
  readonly prepaymentPenalty: Cents;
  /** The value of `lateFee` in answers: the flat amount, or the floor of a percentage. */
  readonly lateFee: Cents;
  readonly riskRating: string;
  readonly defaultProbability: string;
  readonly grade: string;
  readonly predictedPrincipalPaid: string;
  readonly predictedInterestPaid: string;
  readonly predictedChargeoffAmount: string;
  readonly predictedRecoveredAmount: string;
  readonly predictedGrossCashflow: string;
  readonly predictedNetCashflow: string;
  readonly predictedYield: string;
  /** A fraction; `''`: computed by Appendix J from the schedule. */
  readonly apr: string;
  readonly prepaidFinanceCharge: Cents;
  /** The part of it that is the lender's fee for making the loan. */
  readonly originationFee: Cents;
  readonly dealerReserve: Cents;
  readonly directCosts: Cents;
  readonly fairValuePrice: string;
  readonly ltv: string;
  /** JSON text: what the caller gave; after an assessment the figures of the lending policy that it went by. */
  readonly macroEconomicFeatures: string;
  /** JSON text, as given. */
  readonly macroGiven: string;
  /** JSON text: the lending policy's figures for the day of creation, shown for what was neither given nor assessed. No input of a model. */
  readonly macroAtCreation: string;
  readonly vehicle: {
    readonly year: string;
    readonly age: string;
    readonly mileage: string;
  };
  /** The assessor: another system before it was boarded, or this system's engine. Null: not assessed yet. */
  readonly assessed: 'elsewhere' | 'here' | null;
  /** Inputs of the assessment here besides the application and the reports: a repeated run uses the same. */
  readonly assessedWith: AssessedWith | null;
  /** The runs before it, the latest first. Absent: none. */
  readonly earlierRuns?: readonly AssessedWith[];
  /** Null: it had not ended when it was created here. */
  readonly ended: EndedRecord | null;
};

/** The record of a loan that had ended before it was boarded. It never changes. Null: no value. */
export type EndedRecord = {
  readonly repaid: Cents;
  readonly remaining: Cents;
  readonly pastDue: Cents;
  readonly daysPastDue: number;
  readonly dates: { readonly [K in 'origination' | 'first' | 'next' | 'last' | 'maturity']: PlainDate | '' };
  readonly metadata: {
    readonly fundedDate: PlainDate | null;
    readonly currentDpd: number | null;
    readonly originalBalance: Cents;
    readonly currentBalance: Cents | null;
    readonly originalTerm: number;
    readonly remainingTerm: number | null;
    readonly scheduledPayment: Cents | null;
    readonly currentPaymentDue: Cents | null;
    readonly pastDueAmount: Cents | null;
    readonly totalPrincipalPaid: Cents | null;
    readonly totalInterestPaid: Cents | null;
    readonly totalFeesPaid: Cents | null;
    readonly chargeoffAmount: Cents | null;
    readonly recoveredAmount: Cents | null;
    readonly paymentStatus: string;
    readonly scheduledMaturityDate: PlainDate | null;
  };
  readonly payments: readonly BoardedPayment[];
};

export type AssessedWith = {
  /** Versions. */
  readonly model: string;
  readonly policy: string;
  /** The moment of the run. */
  readonly at: string;
  /** As the lender's policy had it in the run: a version that was recorded later may be in force on the same day. */
  readonly markupCap: Percent | null;
  /** Its number among the runs of the loan, from 1, and the run that pulled the reports it stands on. */
  readonly run: number;
  readonly reportsOf: number;
  /** The loan’s day of the run, and the date of the oldest of its reports. */
  readonly day: PlainDate;
  readonly reportDate: PlainDate;
  readonly decision: 'APPROVED' | 'DECLINED';
  /** A later run may stand on the same reports: they are released files of the people concerned. */
  readonly isReusable: boolean;
};

/** The runs before the last one that are still told of; their events and reports stay in any case. */
export const EARLIER_RUNS = 50;

/** Personal data: sealed under the loan's own key. */
export type Personal = {
  readonly lendingDecisionReason: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly vin: string;
  /** Exact: together with the payment they would reveal the income. */
  readonly pti: string;
  readonly dti: string;
  /** As given. */
  readonly indexRate: string;
  readonly creditReportHash: string;
  readonly retailInstallmentContractHash: string;
  /** JSON text: the signs of the last run (`underwriting/signs.ts`); '' where there was none. They name other loans of the same person. */
  readonly signs: string;
  /** JSON text of three members, ready for the wire: `"Request":{…},"Response":{…},"Underwriting":{…}`. */
  readonly record: string;
  /** The terms by which the loan can be found; empty members are not indexed. */
  readonly search: SearchTerms;
  /** Sealed beside an event of its own. */
  readonly customData: CustomMembers;
};

export type SearchTerms = {
  readonly ssn?: string;
  readonly email?: string;
  readonly phone?: readonly string[];
  readonly vin?: string;
  /** Both or neither. */
  readonly lastName?: string;
  /** YYYYMMDD or YYYY-MM-DD. */
  readonly dateOfBirth?: string;
  /** Beside these: a co-applicant's values, addresses, accounts. Nobody searches by them. */
  readonly also?: readonly IndexedValue[];
};

/** Public texts of `loanDetails`, which are erased with the loan's key. */
export type PublicDetails = {
  readonly indexRate: string;
  /** Whole percent, as fractions, from the coarse income and debts. */
  readonly pti: string;
  readonly dti: string;
  readonly creditReportHash: string;
  readonly retailInstallmentContractHash: string;
  /**
   * The pricing of the deals (`underwriting/pricing.ts`), for the list of deals; the record does not show it. Absent: not assessed here.
   */
  readonly pricing?: string;
};

/** The public part besides the file: a line of JSON with `PublicDetails`, then the members `"loanInfo":{…},"Underwriting":{…}`. */
export type PublicPart = string;
