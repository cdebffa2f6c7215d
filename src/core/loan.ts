/**
 * The loan: the contract, the policy it is serviced by, and the state that the fold of its events gives. Delinquency, accounting
 * treatment, collateral and ownership are separate facts here, even where `loanStatus` on the wire shows one of them. It is longer than
 * other files because everything that is known of a loan is one type, said in one place.
 */
import type { DayCount, Frequency, PlainDate } from './calendar.ts';
import type { CreditDecision } from './credit-decision.ts';
import type { CustomData } from './custom-data.ts';
import type { Deferral, Purchase } from './deferral.ts';
import type { Handover } from './handover.ts';
import type { Hold } from './holds.ts';
import { type Cents, type Rounding, ZERO } from './money.ts';
import type { OriginationCharges } from './origination.ts';
import { type Bucket, LATE_FEE_JUDGEMENTS, type Policy } from './policy.ts';
import type { Quote } from './quote.ts';
import type { Percent } from './rate.ts';
import type { ListedStipulation, StipulationDone } from './stipulations.ts';

export { type Disbursement, PAYEES } from './origination.ts';
export { LATE_FEE_JUDGEMENTS };

/** The statuses of an application until the decision. */
export const UNDECIDED = [
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
] as const;
/** Funded and neither charged off nor closed. */
export const LIVE = ['Funded', 'Current', 'Delinquent', 'Defaulted'] as const;
export const STATUSES = [
  ...UNDECIDED,
  ...(['Approved', 'Rejected', 'CollateralRequested', 'CollateralApproved'] as const),
  ...LIVE,
  ...(['ChargedOff', 'Closed', 'ClosedEarly', 'Cancelled'] as const),
] as const;
export type LoanStatus = (typeof STATUSES)[number];

export const AMORTIZATIONS = ['FullAmortization', 'InterestOnly', 'Balloon'] as const;
export type Amortization = (typeof AMORTIZATIONS)[number];

/** The longest term, in months: half a century; and the most installments, one for each of its weeks. */
export const MAX_TERM = 600;
export const MAX_COUNT = 2_600;

/** Everything a schedule is made from. Installments are numbered from 1. */
export type ScheduleTerms = {
  readonly disbursements: readonly { readonly date: PlainDate; readonly amount: Cents }[];
  readonly rate: Percent;
  readonly rateChanges: readonly { readonly date: PlainDate; readonly rate: Percent }[];
  readonly dayCount: DayCount;
  readonly rounding: Rounding;
  /** Interest runs from here, or from the first disbursement when that is later. */
  readonly interestStart: PlainDate;
  readonly dueDates: readonly PlainDate[];
  readonly amortization: Amortization;
  /** Due with the last installment, beside it (Balloon). */
  readonly balloon: Cents;
  /** The number of first installments that pay interest alone. */
  readonly interestOnlyCount: number;
  /** Numbers of installments with no payment. */
  readonly skip: readonly number[];
  /** The contract's own level payment; null: the one that clears the loan. */
  readonly payment: Cents | null;
};

/** The terms agreed when the loan was created. Dates that are null are set when it is funded. */
export type Contract = {
  readonly amount: Cents;
  readonly rate: Percent;
  /** Whether the contract lets the rate change. */
  readonly variable: boolean;
  readonly dayCount: DayCount;
  readonly rounding: Rounding;
  readonly frequency: Frequency;
  readonly count: number;
  readonly contractDate: PlainDate | null;
  readonly firstPaymentDate: PlainDate | null;
  readonly amortization: Amortization;
  readonly balloon: Cents;
  readonly interestOnlyCount: number;
  readonly payment: Cents | null;
  readonly prepaymentPenalty: Cents;
};

/** The figures with which a loan is boarded from an earlier servicer. Installments due up to `paidThrough` are paid. */
export type Opening = {
  readonly date: PlainDate;
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  readonly paidThrough: PlainDate | null;
  /** Interest from this day on is the owner's income, earlier interest belongs to the purchase. Absent: from the day of the figures on. */
  readonly ownedFrom?: PlainDate;
  /** On the day of the figures; absent: it was not bought, or at what is owed of it. */
  readonly purchase?: Purchase;
};

/** A deal that a loan may be approved with. */
export type Deal = {
  readonly amount: Cents;
  /** Percent a year, as text. */
  readonly rate: string;
  /** Months. */
  readonly term: number;
  readonly payment: Cents | null;
  /** The engine's decision on this deal; null: offered elsewhere, so the loan's decision applies. */
  readonly decision: 'APPROVED' | 'DECLINED' | null;
  /** Something stands against approving these terms, whoever does. */
  readonly isStopped?: boolean;
};

/**
 * Facts of the loan's file that a decision needs besides the events: the assessment's outcome, the figures of an earlier servicer, the
 * lien.
 */
export type OnFile = {
  /** The decision of the other system or of the engine. */
  readonly decision: 'APPROVED' | 'DECLINED' | null;
  /** By index; those whose terms cannot be read are null. */
  readonly deals: readonly (Deal | null)[];
  /** Something stands against approving the people on the application, on any terms. */
  readonly isStopped?: boolean;
  /** Those of the last run of underwriting; absent: none. */
  readonly stipulations?: readonly ListedStipulation[];
  /** It came as an application that nobody had decided: its approval ends. Absent: it was boarded, and its decision is the caller's. */
  readonly isApplication?: true;
  /** The last run that assessed it: its moment, its day, and the date of the oldest report it stands on. Absent or null: it was not assessed here. */
  readonly assessedWith?: { readonly day: PlainDate; readonly reportDate: PlainDate; readonly at?: string } | null;
  readonly opening: Opening | null;
  /** Kept by the lender, and paid by it beside the loan; absent: nothing. */
  readonly prepaidFinanceCharge?: Cents;
  readonly dealerReserve?: Cents;
  readonly directCosts?: Cents;
  /** `Unencumbered`: there is no lien. */
  readonly encumberedStatus?: string;
};

export type Allocation = {
  readonly fees: Cents;
  readonly interest: Cents;
  readonly principal: Cents;
  readonly credit: Cents;
};

export const NO_ALLOCATION: Allocation = { fees: ZERO, interest: ZERO, principal: ZERO, credit: ZERO };

/** `Returned`: the money went back. `Reversed`: it was posted in error and never existed. */
export type PaymentStatus = 'Submitted' | 'Acknowledged' | 'Returned' | 'Reversed';

/** Whether the money is counted: a payment that was returned or reversed pays nothing. */
export function stayed({ status }: { readonly status: PaymentStatus }): boolean {
  return status === 'Submitted' || status === 'Acknowledged';
}

/**
 * The purpose of a payment. Only `installment` money satisfies installments; all other money reduces what is owed and leaves due dates
 * and days past due as they are.
 */
export const PURPOSES = ['installment', 'principal', 'insurance', 'sale', 'productRefund'] as const;
export type Purpose = (typeof PURPOSES)[number];

export const METHODS = ['ach', 'card', 'cash', 'check', 'debit', 'payroll', 'wire', 'internal', 'other'] as const;
export type Method = (typeof METHODS)[number];

/** Reasons for which a payment came back: the return reasons of the ACH rules, and those of other methods. */
export const RETURN_CODES = [
  ...achCodes([1, 47], [50, 53], [61, 77], [80, 85]),
  'nsf_check',
  'chargeback',
  'other',
] as const;
export type ReturnCode = `R${number}` | 'nsf_check' | 'chargeback' | 'other';

function achCodes(...ranges: [first: number, last: number][]): `R${number}`[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => `R${String(first + i).padStart(2, '0')}` as `R${number}`),
  );
}

/** The ways in which a loan is closed. */
export const CLOSED_BY = ['payoff', 'settlement', 'recovery', 'insurance', 'sale', 'rescinded'] as const;
export type ClosedBy = (typeof CLOSED_BY)[number];

/** The facts of a loan that may change in the past. */
export const CHANGES = [
  'principal',
  'interest',
  'fees',
  'credit',
  'status',
  'daysPastDue',
  'lateFee',
  // The parts of a payment.
  ...(['paymentInterest', 'paymentPrincipal', 'paymentFees', 'paymentCredit'] as const),
  'quote',
  'closedBy',
  'lienRelease',
  'chargeOffGround',
] as const;

export type Payment = {
  readonly refId: string;
  readonly amount: Cents;
  readonly date: PlainDate;
  readonly purpose: Purpose;
  readonly method: Method | null;
  /** The bank's or processor's reference. */
  readonly trace: string | null;
  readonly recovery: boolean;
  readonly status: PaymentStatus;
  readonly recordedOn: PlainDate;
  /** The day on which its return or reversal was recorded; null: it stayed. */
  readonly undoneOn: PlainDate | null;
  /** Its allocation as known now; a returned or reversed payment pays nothing. */
  readonly allocation: Allocation;
  /** Each bucket that took money, in the order of the waterfall. */
  readonly steps: readonly { readonly bucket: Bucket | 'credit'; readonly amount: Cents }[];
  /** Principal after it. */
  readonly balance: Cents;
};

export type FeeKind = 'fee' | 'penalty';

export type Fee = {
  readonly feeId: string;
  readonly kind: FeeKind;
  readonly name: string;
  readonly date: PlainDate;
  readonly amount: Cents;
  readonly paid: Cents;
  readonly waived: Cents;
  /** The installment a late fee is for. */
  readonly installment: number | null;
  /** The part not charged because of military service; `amount` is the rest. */
  readonly forgiven: Cents;
  /** Charged in non-accrual, under a policy by which it is no income until it is paid. */
  readonly memo: boolean;
};

/**
 * A period of military service. From `since` to the end of `to` the rate is at most `rate`, and interest with fees at most 6 %
 * (50 USC 3937).
 */
export type Service = {
  /** Its first and its last day; null while its end is not known. */
  readonly from: PlainDate;
  readonly to: PlainDate | null;
  readonly rate: Percent;
  /** The first day on which it counts here: `from`, or the day of the opening when that is later. */
  readonly since: PlainDate;
  readonly recordedAt: string;
  /** The first day after it on which a late fee is charged again, where its end became known late; null: the day after it. */
  readonly feesFrom: PlainDate | null;
  /** The rate that was in force again when it was over; null before. */
  readonly rateAfter: Percent | null;
  /** Totals of the stretches that have ended: interest at 6 %, interest accrued, and interest forgiven of the rate without service. */
  readonly atLimit: Cents;
  readonly accrued: Cents;
  readonly forgiven: Cents;
};

export type Installment = {
  readonly n: number;
  readonly dueDate: PlainDate;
  /** The amount to be paid; the last installment takes whatever is left. */
  readonly amount: Cents;
  /** As the schedule splits it. */
  readonly principal: Cents;
  readonly interest: Cents;
  readonly paid: Cents;
  /** The parts of `paid` that came before its due date, and after it. */
  readonly paidAhead: Cents;
  readonly paidLate: Cents;
  /** The day it was fully paid. */
  readonly satisfiedOn: PlainDate | null;
};

/** A stretch of interest that has ended: days × rate × balance, rounded to the cent. */
export type Stretch = {
  readonly from: PlainDate;
  readonly to: PlainDate;
  readonly days: number;
  readonly basis: number;
  readonly principal: Cents;
  readonly rate: Percent;
  readonly interest: Cents;
};

/**
 * The progress of a loan before money moves. `Closed` and `ClosedEarly` are stages only of a loan that had ended before it was boarded: nothing
 * of it is on the books here. A loan that ends here stays `Funded`, and its status says that it is closed.
 */
export type Stage = Exclude<LoanStatus, 'Current' | 'Delinquent' | 'Defaulted' | 'ChargedOff'>;

/** Whether the loan had ended before it was boarded. */
export function isHistory({ stage }: { readonly stage: Stage }): boolean {
  return stage === 'Closed' || stage === 'ClosedEarly';
}

export type ChargeOff = {
  readonly date: PlainDate;
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  /** Carried over by an opening: the part open then, which is in `interest` and `fees`, and fees already waived. */
  readonly brought: { readonly interest: Cents; readonly fees: Cents; readonly feesWaived: Cents };
  /** Fees that are no income until they are paid: the part open then, which is in `fees`, and what had been waived. */
  readonly memo: { readonly open: Cents; readonly waived: Cents };
  /** Value of the collateral on that day, less the cost to sell it. */
  readonly collateral: Cents;
  /** The part of `collateral` written down since, and the part still kept when a settlement ended the debt. */
  readonly writtenDown: Cents;
  readonly givenUp: Cents;
  /** Received since. */
  readonly recovered: Cents;
  /** As they were then: on the books a charged-off loan earns no more interest, whatever its contract says. */
  readonly totals: Totals;
  /**
   * Recorded by the nightly cycle for its days past due: whether these are still found on that day. `gone`: a payment or a change of terms that
   * became known since took them away, and a person decides what becomes of it. Null: a person charged it off.
   */
  readonly ground: 'pastDue' | 'gone' | null;
  /** It was charged off by an earlier servicer: only what is kept for the collateral was ever on the books here. */
  readonly elsewhere: boolean;
};

/** The rest of a loan that was written off because it was small. */
export type SmallBalance = {
  readonly date: PlainDate;
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  /** The parts of interest and fees that an opening had carried over. */
  readonly broughtInterest: Cents;
  readonly broughtFees: Cents;
  /** The part of the fees that was no income until it was paid. */
  readonly memoFees: Cents;
};

/** The contract is void from its beginning. */
export type Rescission = {
  readonly date: PlainDate;
  /** The loan as it was until then. */
  readonly before: Loan;
  /** Principal that is to come back: what was paid out, or was open when the loan was boarded; and refunds for which no credit was left. */
  readonly toReturn: Cents;
  /** Refunds since then for which no credit is left. */
  readonly refunded: Cents;
  /** The part that has come back. */
  readonly returned: Cents;
};

/** A quoted payoff or settlement amount; if it arrives in time, any remainder is waived. */
export type { Quote };

export const PARTIES = ['applicant', 'coApplicant'] as const;
export type Party = (typeof PARTIES)[number];

/** Grounds of a default. Only `pastDue` follows from what is paid: such a default ends when nothing is past due. */
export const DEFAULT_GROUNDS = ['pastDue', 'insurance', 'fraud', 'title', 'bankruptcy', 'other'] as const;
export type DefaultGround = (typeof DEFAULT_GROUNDS)[number];

/** Unpaid installments were moved: by an extension, by so many periods, or by a re-age, once. */
export type Move = { readonly kind: 'extension' | 'reage'; readonly date: PlainDate; readonly periods: number };

/** The state of a loan on the date `on`. */
export type Loan = {
  readonly on: PlainDate;
  readonly stage: Stage;
  readonly contract: Contract;
  /** In force on that date. */
  readonly policy: Policy;
  /** The next date from which figures follow another version of the policy (`FIGURE_VALUES`); null: none is known. */
  readonly policyChangesOn: PlainDate | null;
  /** Set when funded. */
  readonly terms: ScheduleTerms | null;
  readonly fundedOn: PlainDate | null;
  /** As it was funded here; zero for a loan that was funded elsewhere. */
  readonly charges: OriginationCharges;
  /** Fees and costs of making it, or the discount or premium of buying it; null: there is nothing to amortize. */
  readonly deferral: Deferral | null;
  /** Null: it was made here, or boarded without a price. */
  readonly purchase: Purchase | null;
  readonly repaymentInitiated: boolean;
  readonly published: boolean;
  readonly collateralValue: Cents | null;
  /** Null: none was made by then, or it was undone. */
  readonly decision: CreditDecision | null;
  /** New contact data in effect by that date, in the order in which it takes effect: sealed, and found by its commitment. */
  readonly partyChanges: readonly { readonly party: Party; readonly commitment: string }[];
  readonly customData: readonly CustomData[];
  /** The last that was recorded of each stipulation. */
  readonly stipulations: readonly StipulationDone[];
  /** The day from which its figures are computed, and the one on which they were recorded here. Anything earlier is another servicer's. */
  readonly openedOn: PlainDate | null;
  readonly boardedOn: PlainDate | null;
  /** The day from which its interest is the owner's income; null: it was funded here. */
  readonly ownedFrom: PlainDate | null;
  /** The day of the last transfer to another owner, whose income begins there; null: there was none. */
  readonly boughtOn: PlainDate | null;
  /** Null: it was not boarded with the record of an earlier servicer. */
  readonly handover: Handover | null;

  readonly principal: Cents;
  /** The rate in force: the agreed one, or during military service a lower one. */
  readonly rate: Percent;
  readonly agreedRate: Percent;
  /** Military service in effect on the day, and periods that are over. */
  readonly service: Service | null;
  readonly pastService: readonly Service[];
  /** Whether interest accrues (not before funding, nor after charge-off unless the policy says so). */
  readonly accruing: boolean;
  /** Unpaid interest of ended stretches, and the day on which the present stretch began. */
  readonly interestEnded: Cents;
  readonly stretchSince: PlainDate;
  readonly stretches: readonly Stretch[];
  /** Unpaid interest including the present stretch up to `on`. */
  readonly interest: Cents;
  readonly fees: readonly Fee[];
  /** Money owed back to the borrower. */
  readonly credit: Cents;
  /** The day on which it last rose from zero; null: there is none. */
  readonly creditSince: PlainDate | null;
  readonly installments: readonly Installment[];
  readonly payments: readonly Payment[];
  readonly quotes: readonly Quote[];
  /** Those that have begun by then, ended ones included: `holdsInForce`. */
  readonly holds: readonly Hold[];
  /** In the order in which they took effect. All come before a charge-off. */
  readonly smallBalances: readonly SmallBalance[];
  readonly chargeOff: ChargeOff | null;
  readonly rescission: Rescission | null;
  /** The day from which the books count interest only when it is received; null: they accrue it. */
  readonly nonAccrualSince: PlainDate | null;
  readonly defaultedOn: PlainDate | null;
  /** Null: it is not in default. */
  readonly defaultGround: DefaultGround | null;
  /** The day on which everything became due; null: it was not accelerated. */
  readonly acceleratedOn: PlainDate | null;
  /** Extensions and re-ages so far, in the order in which they took effect. */
  readonly moves: readonly Move[];
  /** Days by which changes of the due date have moved it, in all; negative: earlier. */
  readonly shiftedDays: number;
  readonly settled: number;
  readonly totals: Totals;
  readonly month: MonthBegun;
};

/**
 * The loan before the first thing that happened to it in the last month in which something did: what has flowed since is the difference. In
 * the month of its funding, or of the opening with the figures of an earlier servicer, it is the loan before that, with nothing owed.
 */
export type MonthBegun = {
  /** YYYY-MM; empty: nothing has happened. */
  readonly of: string;
  readonly principal: Cents;
  readonly totals: Totals;
  readonly installments: readonly Installment[];
  readonly chargeOff: ChargeOff | null;
};

/** Sums since the beginning. They tie the state together: see `accountedFor`. */
export type Totals = {
  readonly disbursed: Cents;
  /** Unpaid interest and fees that an opening carried over. */
  readonly opened: Cents;
  readonly interestAccrued: Cents;
  readonly feesAssessed: Cents;
  readonly feesWaived: Cents;
  readonly received: Cents;
  readonly principalPaid: Cents;
  readonly interestPaid: Cents;
  readonly feesPaid: Cents;
  readonly credited: Cents;
  readonly refunded: Cents;
  readonly principalForgiven: Cents;
  readonly interestForgiven: Cents;
  /** The part of it that an opening had carried over. */
  readonly broughtForgiven: Cents;
  /** Interest and principal taken by money that satisfies no installment. */
  readonly besideInstallments: Cents;
};
