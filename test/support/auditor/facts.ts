/**
 * The auditor's own words for a contract, a policy and what happens to a loan, so that nothing of it depends on the service. Facts of the
 * engine fit them as they are. Amounts are whole cents, dates YYYY-MM-DD.
 */
export type Rate = { readonly digits: number; readonly scale: number };
export type Frequency = 'Weekly' | 'BiWeekly' | 'SemiMonthly' | 'Monthly' | 'Quarterly' | 'SemiAnnual' | 'Annual';

export type Terms = {
  readonly disbursements: readonly { readonly date: string; readonly amount: number }[];
  readonly rate: Rate;
  readonly rateChanges: readonly { readonly date: string; readonly rate: Rate }[];
  readonly dayCount: string;
  readonly rounding: 'half-up' | 'half-even';
  readonly interestStart: string;
  readonly dueDates: readonly string[];
  readonly amortization: string;
  readonly balloon: number;
  readonly interestOnlyCount: number;
  readonly skip: readonly number[];
  readonly payment: number | null;
};

export type LateFee = {
  readonly flat: number | null;
  readonly percent: Rate | null;
  readonly floor: number | null;
  readonly cap: number | null;
  readonly graceDays: number;
  readonly judge: 'currentFirst' | 'oldestFirst';
};

export type Policy = {
  readonly waterfall: readonly string[];
  readonly lateFee: LateFee | null;
  readonly satisfiedPercent: number;
  readonly nonAccrualDays: number | null;
  readonly returnToAccrual: { readonly payments: number };
  readonly accrueAfterChargeOff: boolean;
};

/** The day it takes effect, and those on which it became known. */
type Times = { readonly date: string; readonly recordedOn: string; readonly recordedAt: string };

type Happened =
  | {
      readonly type: 'funded';
      readonly charges?: { readonly kept: number; readonly reserve: number; readonly costs: number };
    }
  | {
      readonly type: 'opened';
      readonly principal: number;
      readonly interest: number;
      readonly fees: number;
      readonly paidThrough: string | null;
      readonly ownedFrom?: string;
      readonly purchase?: { readonly price: number; readonly creditDiscount: number };
    }
  | { readonly type: 'disbursed'; readonly amount: number }
  | { readonly type: 'rateChanged'; readonly rate: Rate }
  | { readonly type: 'militaryService'; readonly from: string; readonly to: string | null; readonly rate: Rate }
  | { readonly type: 'dueDateChanged'; readonly from: string | null; readonly to: string }
  | { readonly type: 'extended'; readonly periods: number }
  | { readonly type: 'reaged' | 'reamortized' | 'accelerated' }
  | { readonly type: 'feeAssessed'; readonly feeId: string; readonly kind: string; readonly amount: number }
  | { readonly type: 'feeWaived'; readonly feeId: string; readonly amount: number }
  | { readonly type: 'payoffQuoted'; readonly kind: string; readonly amount: number; readonly goodThrough: string }
  | { readonly type: 'paymentSubmitted'; readonly refId: string; readonly amount: number; readonly purpose: string }
  | { readonly type: 'paymentAcknowledged'; readonly refId: string }
  | { readonly type: 'paymentReturned' | 'paymentReversed'; readonly refId: string }
  | { readonly type: 'creditRefunded'; readonly refId: string; readonly amount: number }
  | {
      readonly type: 'holdPlaced';
      readonly holdId: string;
      readonly kind: string;
      readonly to: string | null;
      readonly bankruptcy?: { readonly discharged: string | null; readonly reaffirmed: boolean } | null;
    }
  | { readonly type: 'holdReleased'; readonly holdId: string; readonly feesFrom?: string }
  | { readonly type: 'chargedOff'; readonly collateral: number }
  | { readonly type: 'writtenDown'; readonly amount: number };

/** Facts that change no amount. */
type Unheeded = {
  readonly type:
    | 'created'
    | 'boarded'
    | 'documentsRequested'
    | 'documentsVerified'
    | 'underwritingStarted'
    | 'approved'
    | 'rejected'
    | 'collateralRequested'
    | 'collateralApproved'
    | 'stipulationUpdated'
    | 'cancelled'
    | 'smallBalanceWrittenOff'
    | 'dayEnded'
    | 'delinquencyNoted'
    | 'reminderDue'
    | 'defaulted'
    | 'repaymentInitiated'
    | 'partyUpdated'
    | 'published'
    | 'customDataUpdated'
    | 'transferScheduled'
    | 'transferAccepted'
    | 'transferCancelled'
    | 'transferred'
    | 'boardingCancelled'
    | 'rescinded'
    | 'undone';
};

export type Fact = (Happened | Unheeded) & Times;
