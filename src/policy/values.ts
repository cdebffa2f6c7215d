/**
 * The values of a policy: as a lender sends them (amounts and percentages as text or numbers; a value that is left out has its default), as
 * the engine uses them, and as they are shown. Every mistake is reported with its pointer.
 */
import { amountText } from '../core/decimal.ts';
import type { Cents } from '../core/money.ts';
import {
  type ApprovalRule,
  type Bucket,
  DEFAULT_LENDER_POLICY,
  type ExtensionLimits,
  type LateFeePolicy,
  type LenderPolicy,
  type ReageLimits,
} from '../core/policy.ts';
import { formatDecimal, type Percent } from '../core/rate.ts';
import type { Reader } from '../core/reader.ts';
import { type GivenAllowance, readAllowance, shownAllowance } from './allowance.ts';
import { noteContradictions } from './contradictions.ts';

type Amount = string | number;

type GivenLateFeeRule = {
  flat?: Amount | null;
  percent?: Amount | null;
  floor?: Amount | null;
  cap?: Amount | null;
  graceDays?: number;
};

/** Its types were checked against the schema of the operation. */
export type GivenValues = {
  waterfall?: readonly string[];
  rounding?: LenderPolicy['rounding'];
  graceDays?: number;
  lateFee?:
    | (Omit<GivenLateFeeRule, 'graceDays'> & {
        judge?: LateFeePolicy['judge'];
        byState?: Record<string, GivenLateFeeRule>;
      })
    | null;
  satisfiedPercent?: number;
  overpaymentDays?: number;
  backdateDays?: number;
  payoffDays?: number;
  returnFee?: Amount;
  smallBalance?: Amount | null;
  nonAccrualDays?: number | null;
  returnToAccrual?: { payments: number };
  feesInNonAccrual?: LenderPolicy['feesInNonAccrual'];
  defaultDays?: number;
  chargeOffDays?: number;
  chargeOff?: LenderPolicy['chargeOff'];
  extension?: Partial<ExtensionLimits>;
  reage?: Partial<ReageLimits>;
  accrueAfterChargeOff?: boolean;
  documentsRequired?: boolean;
  collateralRequired?: boolean;
  publish?: boolean;
  autopayDiscount?: Amount | null;
  markupCap?: Amount | null;
  offerDays?: number;
  reportDays?: number;
  lienReleaseDays?: number | null;
  retentionDays?: number | null;
  approvalDays?: number;
  approvals?: Record<string, true | { above: Amount }>;
  approvers?: LenderPolicy['approvers'];
  allowance?: GivenAllowance;
};

const D = DEFAULT_LENDER_POLICY;
const YEAR = 366;
const DECADE = 3_660;
const CENTURY = 36_600;

/** The lowest and the highest number of each value. */
const BOUNDS = {
  graceDays: [0, YEAR],
  satisfiedPercent: [1, 100],
  overpaymentDays: [0, YEAR],
  backdateDays: [0, DECADE],
  payoffDays: [1, YEAR],
  nonAccrualDays: [1, DECADE],
  defaultDays: [1, DECADE],
  chargeOffDays: [1, DECADE],
  offerDays: [1, YEAR],
  reportDays: [1, YEAR],
  lienReleaseDays: [1, YEAR],
  retentionDays: [1, CENTURY],
  approvalDays: [1, 90],
} as const;

/** Installments that a loan in non-accrual must have paid in full. */
const PAYMENTS = [0, 24] as const;

/** Installments moved, or times, in twelve months and in a life; installments paid. */
const LIMIT_BOUNDS = {
  perTwelveMonths: [0, 12],
  perLife: [0, 120],
  minimumPaid: [0, 120],
  maximumDaysPastDue: [0, DECADE],
} as const;

/** The policy that these values give. It may be used only if `read` is clean afterwards. */
export function readPolicyValues(read: Reader, given: GivenValues, at: string): LenderPolicy {
  const whole = (name: keyof typeof BOUNDS & keyof GivenValues, otherwise: number) =>
    given[name] === undefined ? otherwise : read.whole(given, name, at, BOUNDS[name]);
  const wholeOrNull = (name: keyof typeof BOUNDS & keyof GivenValues, otherwise: number | null) =>
    given[name] === null ? null : given[name] === undefined ? otherwise : read.whole(given, name, at, BOUNDS[name]);
  const percentOrNull = (name: 'autopayDiscount' | 'markupCap') =>
    (given[name] ?? null) === null ? null : read.percent(given, name, at);
  const graceDays = whole('graceDays', D.graceDays);
  const lateFee = readLateFees(read, given.lateFee ?? null, graceDays, `${at}/lateFee`);
  const policy: LenderPolicy = {
    waterfall: (given.waterfall ?? D.waterfall) as readonly Bucket[],
    rounding: given.rounding ?? D.rounding,
    graceDays,
    ...lateFee,
    satisfiedPercent: whole('satisfiedPercent', D.satisfiedPercent),
    overpaymentDays: whole('overpaymentDays', D.overpaymentDays),
    backdateDays: whole('backdateDays', D.backdateDays),
    payoffDays: whole('payoffDays', D.payoffDays),
    returnFee: given.returnFee === undefined ? D.returnFee : read.amount(given, 'returnFee', at),
    smallBalance: (given.smallBalance ?? null) === null ? null : read.amount(given, 'smallBalance', at),
    nonAccrualDays: wholeOrNull('nonAccrualDays', D.nonAccrualDays),
    returnToAccrual:
      given.returnToAccrual === undefined
        ? D.returnToAccrual
        : { payments: read.whole(given.returnToAccrual, 'payments', `${at}/returnToAccrual`, PAYMENTS) },
    feesInNonAccrual: given.feesInNonAccrual ?? D.feesInNonAccrual,
    defaultDays: whole('defaultDays', D.defaultDays),
    chargeOffDays: whole('chargeOffDays', D.chargeOffDays),
    chargeOff: given.chargeOff ?? D.chargeOff,
    extension: { ...D.extension, ...readLimits(read, given.extension, `${at}/extension`) },
    reage: { ...D.reage, ...readLimits(read, given.reage, `${at}/reage`) },
    accrueAfterChargeOff: given.accrueAfterChargeOff ?? D.accrueAfterChargeOff,
    documentsRequired: given.documentsRequired ?? D.documentsRequired,
    collateralRequired: given.collateralRequired ?? D.collateralRequired,
    publish: given.publish ?? D.publish,
    autopayDiscount: percentOrNull('autopayDiscount'),
    markupCap: percentOrNull('markupCap'),
    offerDays: whole('offerDays', D.offerDays),
    reportDays: whole('reportDays', D.reportDays),
    lienReleaseDays: wholeOrNull('lienReleaseDays', D.lienReleaseDays),
    retentionDays: wholeOrNull('retentionDays', D.retentionDays),
    approvalDays: whole('approvalDays', D.approvalDays),
    approvals: readApprovals(read, given.approvals, `${at}/approvals`),
    approvers: given.approvers ?? D.approvers,
    allowance: readAllowance(read, given.allowance, `${at}/allowance`),
  };
  noteContradictions(read, policy, at);
  return policy;
}

function readLimits(
  read: Reader,
  given: Partial<ExtensionLimits> | undefined,
  at: string,
): { -readonly [name in keyof ExtensionLimits]?: number } {
  const limits: { -readonly [name in keyof ExtensionLimits]?: number } = {};
  for (const [name, bounds] of Object.entries(LIMIT_BOUNDS) as [keyof ExtensionLimits, readonly [number, number]][]) {
    if (given?.[name] !== undefined) limits[name] = read.whole(given, name, at, bounds);
  }
  return limits;
}

function readApprovals(
  read: Reader,
  given: GivenValues['approvals'],
  at: string,
): Readonly<Record<string, ApprovalRule>> {
  return Object.fromEntries(
    Object.entries(given ?? {}).map(([operation, rule]) => [
      operation,
      rule === true ? true : { above: read.amount(rule, 'above', `${at}/${operation}`) },
    ]),
  );
}

function readLateFees(
  read: Reader,
  given: NonNullable<GivenValues['lateFee']> | null,
  graceDays: number,
  at: string,
): Pick<LenderPolicy, 'lateFee' | 'lateFeeByState'> {
  if (given === null) return { lateFee: null, lateFeeByState: {} };
  const { judge = 'currentFirst', byState = {} } = given;
  const states = Object.keys(byState).sort();
  const lateFeeByState: Record<string, LateFeePolicy> = {};
  for (const state of states) {
    const own = byState[state] as GivenLateFeeRule;
    const where = `${at}/byState/${state}`;
    const grace = own.graceDays === undefined ? graceDays : read.whole(own, 'graceDays', where, BOUNDS.graceDays);
    const rule = readRule(read, own, { graceDays: grace, judge }, where);
    if (rule !== null) lateFeeByState[state] = rule;
    else noteWithoutAmount(read, where);
  }
  const lateFee = readRule(read, given, { graceDays, judge }, at);
  if (lateFee === null && states.length === 0) noteWithoutAmount(read, at);
  return { lateFee, lateFeeByState };
}

function noteWithoutAmount(read: Reader, at: string): void {
  read.note(at, { code: 'contradiction', detail: 'Give flat or percent; omit the late fee to charge none.' });
}

/** Null: it has no amount. */
function readRule(
  read: Reader,
  given: GivenLateFeeRule,
  rest: Pick<LateFeePolicy, 'graceDays' | 'judge'>,
  at: string,
): LateFeePolicy | null {
  const amount = (name: 'flat' | 'floor' | 'cap'): Cents | null =>
    (given[name] ?? null) === null ? null : read.amount(given, name, at);
  const percent: Percent | null = (given.percent ?? null) === null ? null : read.percent(given, 'percent', at);
  const rule = { flat: amount('flat'), percent, floor: amount('floor'), cap: amount('cap'), ...rest };
  for (const name of ['floor', 'cap'] as const) {
    if (rule[name] !== null && percent === null) {
      const detail = 'A floor and a cap are allowed only with a percentage.';
      read.note(`${at}/${name}`, { code: 'contradiction', detail });
    }
  }
  return rule.flat === null && percent === null ? null : rule;
}

/** All values, none left out. `plain`: amounts without thousands separators. */
export function shownValues(policy: LenderPolicy, plain = false): object {
  const amount = (given: Cents | null) => (given === null ? null : amountText(given, plain));
  const rate = (given: Percent | null) => (given === null ? null : formatDecimal(given));
  const rule = ({ flat, percent, floor, cap }: LateFeePolicy) => ({
    flat: amount(flat),
    percent: rate(percent),
    floor: amount(floor),
    cap: amount(cap),
  });
  const { lateFee, lateFeeByState, returnFee, smallBalance, autopayDiscount, markupCap, approvals, ...others } = policy;
  const { allowance, ...same } = others;
  const states = Object.entries(lateFeeByState);
  const judge = (lateFee ?? states[0]?.[1])?.judge;
  return {
    ...same,
    lateFee:
      judge === undefined
        ? null
        : {
            ...(lateFee === null ? { flat: null, percent: null, floor: null, cap: null } : rule(lateFee)),
            judge,
            byState: Object.fromEntries(
              states.map(([state, own]) => [state, { ...rule(own), graceDays: own.graceDays }]),
            ),
          },
    returnFee: amount(returnFee),
    smallBalance: amount(smallBalance),
    autopayDiscount: rate(autopayDiscount),
    markupCap: rate(markupCap),
    approvals: Object.fromEntries(
      Object.entries(approvals).map(([operation, one]) => [
        operation,
        one === true ? true : { above: amount(one.above) },
      ]),
    ),
    allowance: shownAllowance(allowance, plain),
  };
}
