/** The values of a servicing policy: as they are given, and as they are shown. */

import { Type } from 'typebox';
import { DEFAULT_WATERFALL } from '../../loans/policies/policies.ts';
import { shape } from '../shared/named.ts';
import { decimalOut, money } from '../shared/numbers.ts';
import { closed } from '../shared/operation.ts';
import { Amount, maybe, Rate } from '../shared/shapes.ts';
import { wordOut } from '../shared/texts.ts';
import { AllowanceIn, AllowanceOut, allowanceExample } from './allowance-values.ts';

const JUDGE = ['currentFirst', 'oldestFirst'];
const WHEN_DUE = ['propose', 'record'];
const APPROVERS = ['any', 'people'];
const IN_NON_ACCRUAL = ['income', 'memo'];
const PAYMENTS =
  'Installments paid in full within their grace days, one after the other; 0: having nothing past due is enough.';
const ROUNDING = ['half-up', 'half-even'];

/** The meaning of each value; the same in requests and answers. */
const MEANING = {
  waterfall: 'The order in which a payment is applied: each of the twelve buckets once.',
  rounding: 'How half a cent is rounded.',
  graceDays: 'Days after a due date before the loan shows as Delinquent and a late fee is charged.',
  lateFee: 'The late fee of loans whose contract has none; null: none.',
  satisfiedPercent:
    'An installment paid to this percentage is not past due. After the last due date whatever is owed is past due from that date.',
  overpaymentDays: 'Excess up to this many days of interest becomes a credit without confirmation.',
  backdateDays: 'A date further back than this requires a reason.',
  payoffDays: 'How many days a payoff quote covers when no last day is given.',
  returnFee: 'Charged when a payment is returned; 0: none.',
  smallBalance:
    'The nightly cycle writes off what is left of a loan that payments have brought to this amount or below it, at most 100.00; null: never.',
  nonAccrualDays: 'Days past due from which the books recognise interest only when it is received; null: never.',
  returnToAccrual:
    'What a loan in non-accrual needs to accrue again, beside having nothing past due: `payments` installments paid in full and in time, one after the other.',
  feesInNonAccrual: 'Late fees charged in non-accrual: `income` at once, or `memo`: income when they are paid.',
  defaultDays: 'Days past due at which a loan may be set Defaulted.',
  chargeOffDays: 'Days past due at whose month end a loan is due for charge-off.',
  chargeOff: 'Whether the nightly cycle proposes a charge-off that is due, or records it.',
  extension: 'Limits of extensions, counted in installments moved.',
  reage: 'Limits of re-aging, counted in times.',
  accrueAfterChargeOff: 'Whether the contract earns interest after charge-off; the books never do.',
  documentsRequired: 'Whether documents must be verified before underwriting.',
  collateralRequired: 'Whether the collateral must be approved before funding.',
  publish: 'Whether a new loan is public when its request does not say.',
  autopayDiscount:
    'Percentage points off the rate while payments are debited automatically; null: none. Stored only: the service does not apply it.',
  markupCap:
    'Percentage points above the buy rate, as text, at most 25 with two decimals: underwriting declines a requested rate above that, with counter-offers, ' +
    'and offers no deal above it. Null: a requested rate above the highest offer (the buy rate and what a dealer may add to it) only brings a warning.',
  offerDays:
    'Days for which an approval, and the offers of an underwriting run, stand; after that underwriting starts again.',
  reportDays: 'The greatest age, in days, of a credit report on which an application may be approved.',
  lienReleaseDays:
    'Days after the last payment within which the lien is released; null: not set. Stored only: the service does not apply it.',
  retentionDays:
    'Days after the last event of an ended loan before its borrower can be erased; null: the default of the service.',
  approvalDays: 'Days after which a request for approval lapses.',
  approvals:
    'By operation: `true`, or the amount above which a second person or client must approve it (`POST /approve`). `override` is an approval of an ' +
    'application against the assessment, by the loan amount. The policy without a lender may also name operations on no loan, such as `create-client` and `close-period`.',
  approvers: 'Who may approve: `any`, people and clients; `people`, only people in a session.',
} as const;

const Points = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'Percentage points, such as 2.5.',
});

const whole = (name: keyof typeof MEANING, least: number, most: number) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description: MEANING[name] }));

const wholeOrNull = (name: keyof typeof MEANING, least: number, most: number) =>
  Type.Optional(maybe(Type.Integer({ minimum: least, maximum: most }), MEANING[name]));

const flag = (name: keyof typeof MEANING) => Type.Optional(Type.Boolean({ description: MEANING[name] }));

const limit = (most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: most, description }));

const limits = {
  perTwelveMonths: limit(12, 'The most in twelve months.'),
  perLife: limit(120, 'The most in the life of the loan.'),
  minimumPaid: limit(120, 'Installments paid since origination or since the last one.'),
};

const rule = {
  flat: Type.Optional(maybe(Amount, 'A flat amount.')),
  percent: Type.Optional(maybe(Rate, 'A percentage of the installment.')),
  floor: Type.Optional(maybe(Amount, 'The minimum fee, with a percentage.')),
  cap: Type.Optional(maybe(Amount, 'The maximum fee, with a percentage.')),
};

const DAYS = 3_660;

const MOST_DAYS_PAST_DUE = 'The most days past due at which a loan may be extended.';
const JUDGED_BY =
  'The installment that a payment counts for when a late fee is assessed: `currentFirst`, the one most recently due, then older ones; ' +
  '`oldestFirst`, as it is allocated.';

export const PolicyValuesIn = closed(
  {
    waterfall: Type.Optional(
      Type.Array(Type.String({ maxLength: 40 }), { maxItems: 24, description: MEANING.waterfall }),
    ),
    rounding: Type.Optional(Type.Enum(ROUNDING, { description: MEANING.rounding })),
    graceDays: whole('graceDays', 0, 366),
    lateFee: Type.Optional(
      maybe(
        closed(
          {
            ...rule,
            judge: Type.Optional(Type.Enum(JUDGE, { description: JUDGED_BY })),
            byState: Type.Optional(
              Type.Record(
                Type.String({ pattern: '^[A-Z]{2}$' }),
                closed(
                  {
                    ...rule,
                    graceDays: Type.Optional(
                      Type.Integer({ minimum: 0, maximum: 366, description: 'In place of `graceDays`.' }),
                    ),
                  },
                  { title: 'StateLateFeeChange', description: 'The late fee in a state.' },
                ),
                {
                  maxProperties: 60,
                  additionalProperties: false,
                  description: 'By the borrower’s state, such as `CA`: the late fee there.',
                },
              ),
            ),
          },
          { title: 'PolicyLateFeeChange', description: 'A flat amount or a percentage.' },
        ),
        MEANING.lateFee,
      ),
    ),
    satisfiedPercent: whole('satisfiedPercent', 1, 100),
    overpaymentDays: whole('overpaymentDays', 0, 366),
    backdateDays: whole('backdateDays', 0, DAYS),
    payoffDays: whole('payoffDays', 1, 366),
    returnFee: Type.Optional(
      Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, description: MEANING.returnFee }),
    ),
    smallBalance: Type.Optional(maybe(Amount, MEANING.smallBalance)),
    nonAccrualDays: wholeOrNull('nonAccrualDays', 1, DAYS),
    returnToAccrual: Type.Optional(
      closed(
        { payments: Type.Integer({ minimum: 0, maximum: 24, description: PAYMENTS }) },
        { title: 'ReturnToAccrualChange', description: MEANING.returnToAccrual },
      ),
    ),
    feesInNonAccrual: Type.Optional(Type.Enum(IN_NON_ACCRUAL, { description: MEANING.feesInNonAccrual })),
    defaultDays: whole('defaultDays', 1, DAYS),
    chargeOffDays: whole('chargeOffDays', 1, DAYS),
    chargeOff: Type.Optional(Type.Enum(WHEN_DUE, { description: MEANING.chargeOff })),
    extension: Type.Optional(
      closed(
        { ...limits, maximumDaysPastDue: limit(DAYS, MOST_DAYS_PAST_DUE) },
        { title: 'ExtensionLimitsChange', description: MEANING.extension },
      ),
    ),
    reage: Type.Optional(closed(limits, { title: 'ReageLimitsChange', description: MEANING.reage })),
    accrueAfterChargeOff: flag('accrueAfterChargeOff'),
    documentsRequired: flag('documentsRequired'),
    collateralRequired: flag('collateralRequired'),
    publish: flag('publish'),
    autopayDiscount: Type.Optional(maybe(Rate, MEANING.autopayDiscount)),
    markupCap: Type.Optional(maybe(Points, MEANING.markupCap)),
    offerDays: whole('offerDays', 1, 366),
    reportDays: whole('reportDays', 1, 366),
    lienReleaseDays: wholeOrNull('lienReleaseDays', 1, 366),
    retentionDays: wholeOrNull('retentionDays', 1, 36_600),
    approvalDays: whole('approvalDays', 1, 90),
    approvals: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z-]{1,40}$' }),
        Type.Union([
          Type.Literal(true, { description: 'Every call.' }),
          closed({ above: Amount }, { title: 'ApprovalAbove', description: 'Calls above an amount.' }),
        ]),
        { maxProperties: 80, additionalProperties: false, description: MEANING.approvals },
      ),
    ),
    approvers: Type.Optional(Type.Enum(APPROVERS, { description: MEANING.approvers })),
    allowance: Type.Optional(AllowanceIn),
  },
  { title: 'PolicyValueChanges', description: 'The values. Those that are left out have their defaults.' },
);

const days = (name: keyof typeof MEANING) => Type.Integer({ description: MEANING[name] });
const daysOrNull = (name: keyof typeof MEANING) => maybe(Type.Integer(), MEANING[name]);
const yes = (name: keyof typeof MEANING) => Type.Boolean({ description: MEANING[name] });

const limitsShown = {
  perTwelveMonths: Type.Integer({ description: 'The most in twelve months.' }),
  perLife: Type.Integer({ description: 'The most in the life of the loan.' }),
  minimumPaid: Type.Integer({ description: 'Installments paid since origination or since the last one.' }),
};

const ruleShown = {
  flat: maybe(money('An amount.'), 'A flat amount; null: a percentage.'),
  percent: maybe(decimalOut('A number.'), 'A percentage of the installment, as text; null: a flat amount.'),
  floor: maybe(money('An amount.'), 'The minimum fee, with a percentage; null: none.'),
  cap: maybe(money('An amount.'), 'The maximum fee, with a percentage; null: none.'),
};

export const PolicyValuesOut = shape('PolicyValues', 'All values of a policy.', {
  waterfall: Type.Array(wordOut('A word.'), { description: MEANING.waterfall }),
  rounding: Type.Enum(ROUNDING, { description: MEANING.rounding }),
  graceDays: days('graceDays'),
  lateFee: maybe(
    shape('PolicyLateFee', 'A late fee.', {
      ...ruleShown,
      judge: Type.Enum(JUDGE, { description: JUDGED_BY }),
      byState: Type.Record(
        Type.String(),
        shape('StateLateFee', 'The late fee in a state.', {
          ...ruleShown,
          graceDays: Type.Integer({ description: 'Days after a due date before it is charged.' }),
        }),
        { description: 'By the borrower’s state. Empty in the policy of a loan, whose late fee is fixed.' },
      ),
    }),
    MEANING.lateFee,
  ),
  satisfiedPercent: days('satisfiedPercent'),
  overpaymentDays: days('overpaymentDays'),
  backdateDays: days('backdateDays'),
  payoffDays: days('payoffDays'),
  returnFee: money(MEANING.returnFee),
  smallBalance: maybe(money('An amount.'), MEANING.smallBalance),
  nonAccrualDays: daysOrNull('nonAccrualDays'),
  returnToAccrual: shape('ReturnToAccrual', 'What a loan in non-accrual needs to accrue again.', {
    payments: Type.Integer({ description: PAYMENTS }),
  }),
  feesInNonAccrual: Type.Enum(IN_NON_ACCRUAL, { description: MEANING.feesInNonAccrual }),
  defaultDays: days('defaultDays'),
  chargeOffDays: days('chargeOffDays'),
  chargeOff: Type.Enum(WHEN_DUE, { description: MEANING.chargeOff }),
  extension: shape('ExtensionLimits', 'Limits of extensions, counted in installments moved.', {
    ...limitsShown,
    maximumDaysPastDue: Type.Integer({ description: MOST_DAYS_PAST_DUE }),
  }),
  reage: shape('ReageLimits', 'Limits of re-aging, counted in times.', limitsShown),
  accrueAfterChargeOff: yes('accrueAfterChargeOff'),
  documentsRequired: yes('documentsRequired'),
  collateralRequired: yes('collateralRequired'),
  publish: yes('publish'),
  autopayDiscount: maybe(decimalOut('A number.'), MEANING.autopayDiscount),
  markupCap: maybe(decimalOut('A number.'), MEANING.markupCap),
  offerDays: days('offerDays'),
  reportDays: days('reportDays'),
  lienReleaseDays: daysOrNull('lienReleaseDays'),
  retentionDays: daysOrNull('retentionDays'),
  approvalDays: days('approvalDays'),
  approvals: Type.Record(
    Type.String(),
    Type.Union([
      Type.Literal(true, { description: 'Every call.' }),
      shape('ApprovalRule', 'Calls above an amount.', { above: money('The amount.') }),
    ]),
    { description: MEANING.approvals },
  ),
  approvers: Type.Enum(APPROVERS, { description: MEANING.approvers }),
  allowance: AllowanceOut,
});

export const policyValuesExample = {
  waterfall: [...DEFAULT_WATERFALL],
  rounding: 'half-up',
  graceDays: 10,
  lateFee: { flat: null, percent: '5', floor: null, cap: '50', judge: 'currentFirst', byState: {} },
  satisfiedPercent: 90,
  overpaymentDays: 10,
  backdateDays: 30,
  payoffDays: 10,
  returnFee: '0',
  smallBalance: '5',
  nonAccrualDays: 90,
  returnToAccrual: { payments: 0 },
  feesInNonAccrual: 'income',
  defaultDays: 90,
  chargeOffDays: 120,
  chargeOff: 'propose',
  extension: { perTwelveMonths: 2, perLife: 6, minimumPaid: 3, maximumDaysPastDue: 89 },
  reage: { perTwelveMonths: 1, perLife: 2, minimumPaid: 3 },
  accrueAfterChargeOff: false,
  documentsRequired: false,
  collateralRequired: false,
  publish: false,
  autopayDiscount: null,
  markupCap: '2.5',
  offerDays: 30,
  reportDays: 30,
  lienReleaseDays: null,
  retentionDays: null,
  approvalDays: 7,
  approvals: { 'charge-off': true, 'waive-fee': { above: '50' } },
  approvers: 'any',
  allowance: allowanceExample,
};
