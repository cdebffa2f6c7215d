/**
 * The servicing policy of a loan. A lender sets it; the defaults are those of US auto loans. What the borrower agreed to (waterfall, late
 * fee, grace days) is fixed when the loan is created. The rest follows the version of the policy that is in force on a date: the fold
 * adopts each version on its own day, so no version changes what was charged before it.
 */
import type { PlainDate } from './calendar.ts';
import type { Grade } from './grade.ts';
import { type Cents, type Rounding, ZERO } from './money.ts';
import type { Percent } from './rate.ts';

/** One of the twelve buckets a payment is applied to, such as `pastDue.interest`. */
export type Bucket = `${'pastDue' | 'due' | 'inAdvance'}.${'penalty' | 'fee' | 'interest' | 'principal'}`;

/** Late fees count money for the installment most recently due, then for older ones (UCCC 2.502); or as it is allocated. */
export const LATE_FEE_JUDGEMENTS = ['currentFirst', 'oldestFirst'] as const;

export type LateFeePolicy = {
  /** A flat amount, or a percentage of the installment, within floor and cap. */
  readonly flat: Cents | null;
  readonly percent: Percent | null;
  readonly floor: Cents | null;
  readonly cap: Cents | null;
  readonly graceDays: number;
  readonly judge: (typeof LATE_FEE_JUDGEMENTS)[number];
};

/** Fixed when the loan is created: the contract's own, else those of the policy then in force. */
export type AgreedPolicy = {
  readonly waterfall: readonly Bucket[];
  readonly lateFee: LateFeePolicy | null;
  /** Days after a due date before the loan shows as Delinquent. */
  readonly graceDays: number;
};

/** Limits on extensions, counted in installments moved. */
export type ExtensionLimits = {
  readonly perTwelveMonths: number;
  readonly perLife: number;
  /** Installments that must have been paid since origination or since the last extension. */
  readonly minimumPaid: number;
  readonly maximumDaysPastDue: number;
};

/** Limits on the number of times a loan may be re-aged. */
export type ReageLimits = Omit<ExtensionLimits, 'maximumDaysPastDue'>;

/** The limits that a caller may exceed with an override, by their path in the policy. */
export type PolicyLimit = `extension.${keyof ExtensionLimits}` | `reage.${keyof ReageLimits}`;

/** For an operation: always, or above an amount. */
export type ApprovalRule = true | { readonly above: Cents };

/** To leave non-accrual a loan needs, beside being current, so many installments paid in full, one after the other. */
export type ReturnToAccrual = { readonly payments: number };

/** Late fees of a loan in non-accrual: income when they are charged, or when they are paid (memorandum only until then). */
type FeesInNonAccrual = 'income' | 'memo';

/** The values that follow the version in force on a date. */
export type CurrentPolicy = {
  /** An installment paid to this percentage counts as paid for past-due status (FFIEC Uniform Retail Credit Classification). */
  readonly satisfiedPercent: number;
  /** Excess up to this many days of per-diem becomes a credit without confirmation. */
  readonly overpaymentDays: number;
  /** Payments backdated by more days need a reason. */
  readonly backdateDays: number;
  /** Days past due from which the books recognise interest only when it is received; null: never. */
  readonly nonAccrualDays: number | null;
  readonly returnToAccrual: ReturnToAccrual;
  readonly feesInNonAccrual: FeesInNonAccrual;
  /** Days past due at which a loan may be set Defaulted. */
  readonly defaultDays: number;
  /** Days past due at whose month end a loan is due for charge-off (FFIEC). */
  readonly chargeOffDays: number;
  /** Whether the nightly run only proposes a charge-off that is due, or records it. */
  readonly chargeOff: 'propose' | 'record';
  /** Whether the contract still earns interest after charge-off; the books never do. */
  readonly accrueAfterChargeOff: boolean;
  /** Assessed when a payment is returned; zero: none. */
  readonly returnFee: Cents;
  /** The rest of a loan that is being paid off is written off up to this amount; null: never. */
  readonly smallBalance: Cents | null;
  /** The number of days a payoff answer covers when no last day is given. */
  readonly payoffDays: number;
  readonly extension: ExtensionLimits;
  readonly reage: ReageLimits;
  readonly documentsRequired: boolean;
  readonly collateralRequired: boolean;
  /** Whether a new loan is public from its creation on. */
  readonly publish: boolean;
  /** Taken off the rate while payments are debited automatically. */
  readonly autopayDiscount: Percent | null;
  /** Percentage points above the buy rate beyond which an application is declined when it is assessed; null: it brings a warning. */
  readonly markupCap: Percent | null;
  /** Days for which an approval and the offers of a run stand, and the greatest age of a credit report that is approved on. */
  readonly offerDays: number;
  readonly reportDays: number;
  /** Days after the last payment within which the lien is to be released; null: not set. */
  readonly lienReleaseDays: number | null;
  /** Days after its end for which a loan's personal data is kept; null: not set. */
  readonly retentionDays: number | null;
  /** Days after which a request for approval expires. */
  readonly approvalDays: number;
  /** By operation: whether somebody else must approve it. */
  readonly approvals: Readonly<Record<string, ApprovalRule>>;
  /** Those who may approve: everybody else who may do the operation, or of them people alone. */
  readonly approvers: 'any' | 'people';
};

export type Policy = AgreedPolicy & CurrentPolicy;

/** Open loans by days past due, and what is kept of charged-off loans for their collateral. */
export type AllowanceBucket = 'current' | '1-29' | '30-59' | '60-89' | '90-119' | '120+' | 'chargedOff';

/** Added to the loss of a pool, or taken off it, for what the model does not know of: either points of its principal or an amount in all. */
export type AllowanceOverlay = {
  readonly name: string;
  readonly reason: string;
  readonly effect: 'raise' | 'lower';
  readonly percent: Percent | null;
  readonly amount: Cents | null;
  /** Null: loans of every grade; every bucket. */
  readonly grade: Grade | null;
  readonly bucket: AllowanceBucket | null;
};

/** The estimate of the loss that is expected of the books (CECL). Months count from the day of the estimate. */
export type AllowancePolicy = {
  /** By the service's own model, or not at all. */
  readonly method: 'model' | 'none';
  /** For so many months the economy follows `macro`; over so many more it returns evenly to the average that the model was made on. */
  readonly horizon: number;
  readonly reversion: number;
  /** Each row from its month on, the first being month 1; without any the present economy lasts over the horizon. */
  readonly macro: readonly { readonly fromMonth: number; readonly unemployment: Percent; readonly cpi: Percent }[];
  readonly overlays: readonly AllowanceOverlay[];
};

/** The policy that new loans are created under; rounding is then fixed in the contract. */
export type LenderPolicy = Policy & {
  readonly rounding: Rounding;
  /** By the borrower's state (two capital letters): the late fee in place of `lateFee`. */
  readonly lateFeeByState: Readonly<Record<string, LateFeePolicy>>;
  /** It is about the books of the lender; no loan's figures depend on it. */
  readonly allowance: AllowancePolicy;
};

/** The policies that new loans of an organization are created under on a day. */
export type LenderPolicies = {
  /** Lenders with a policy of their own. */
  readonly lenders: ReadonlyMap<string, LenderPolicy>;
  readonly others: LenderPolicy;
};

/** From this date on another version is in force. */
export type PolicyChange = { readonly from: PlainDate; readonly values: CurrentPolicy };

/** Accrued interest, then principal of installments due, then fees, then further principal. */
export const DEFAULT_WATERFALL: readonly Bucket[] = [
  'pastDue.interest',
  'due.interest',
  'inAdvance.interest',
  'pastDue.principal',
  'due.principal',
  'pastDue.penalty',
  'pastDue.fee',
  'due.penalty',
  'due.fee',
  'inAdvance.penalty',
  'inAdvance.fee',
  'inAdvance.principal',
];

export const DEFAULT_POLICY: Policy = {
  waterfall: DEFAULT_WATERFALL,
  lateFee: null,
  graceDays: 10,
  satisfiedPercent: 90,
  overpaymentDays: 10,
  backdateDays: 30,
  nonAccrualDays: null,
  returnToAccrual: { payments: 0 },
  feesInNonAccrual: 'income',
  defaultDays: 90,
  chargeOffDays: 120,
  chargeOff: 'propose',
  accrueAfterChargeOff: false,
  returnFee: ZERO,
  smallBalance: null,
  payoffDays: 10,
  extension: { perTwelveMonths: 2, perLife: 6, minimumPaid: 3, maximumDaysPastDue: 89 },
  reage: { perTwelveMonths: 1, perLife: 2, minimumPaid: 3 },
  documentsRequired: false,
  collateralRequired: false,
  publish: false,
  autopayDiscount: null,
  markupCap: null,
  offerDays: 30,
  reportDays: 30,
  lienReleaseDays: null,
  retentionDays: null,
  approvalDays: 7,
  approvals: {},
  approvers: 'any',
};

const DEFAULT_ALLOWANCE: AllowancePolicy = {
  ...{ method: 'model', horizon: 24, reversion: 12 },
  ...{ macro: [], overlays: [] },
};

/** The policy under which a lender without its own creates loans. */
export const DEFAULT_LENDER_POLICY: LenderPolicy = {
  ...DEFAULT_POLICY,
  ...{ rounding: 'half-up', lateFeeByState: {}, allowance: DEFAULT_ALLOWANCE },
};

/**
 * The values that change figures by themselves: past-due status, book interest and fees, interest after a charge-off, small balances. All
 * others are limits.
 */
export const FIGURE_VALUES = [
  ...(['satisfiedPercent', 'nonAccrualDays', 'returnToAccrual', 'feesInNonAccrual'] as const),
  ...(['accrueAfterChargeOff', 'smallBalance'] as const),
] as const;

/** Whether figures of a loan may differ between two versions. */
export function figuresDiffer(a: CurrentPolicy, b: CurrentPolicy): boolean {
  return (
    FIGURE_VALUES.some((name) => name !== 'returnToAccrual' && a[name] !== b[name]) ||
    a.returnToAccrual.payments !== b.returnToAccrual.payments
  );
}

/** The policy after a version has come into force: what was agreed stays. */
export function adopted({ waterfall, lateFee, graceDays }: AgreedPolicy, { values }: PolicyChange): Policy {
  return { ...values, waterfall, lateFee, graceDays };
}
