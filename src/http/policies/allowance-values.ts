/** The allowance in the values of a policy: as it is given, and as it is shown. */
import { Type } from 'typebox';
import { about, shape } from '../shared/named.ts';
import { decimalOut, money } from '../shared/numbers.ts';
import { closed } from '../shared/operation.ts';
import { Amount, maybe, Rate } from '../shared/shapes.ts';
import { sentences, wordOut } from '../shared/texts.ts';

const METHODS = ['model', 'none'];
const EFFECTS = ['raise', 'lower'];
const GRADES = ['A', 'B', 'C', 'D', 'E', 'F'];
const BUCKETS = ['current', '1-29', '30-59', '60-89', '90-119', '120+', 'chargedOff'];

const MEANING = {
  allowance: 'How the loss that is expected of the loans is estimated (CECL, `GET /allowance`).',
  method: '`model`: by the model of the service; `none`: no allowance is required.',
  horizon: 'Months for which the economy follows `macro`.',
  reversion: 'Months after that over which it returns evenly to the average that the model was made on.',
  macro: 'The economy, each row from its month on; empty: that of today lasts.',
  fromMonth: 'The month ahead from which the row counts; that of the first row is 1.',
  unemployment: 'Unemployment in percent.',
  cpi: 'Inflation over twelve months, in percent.',
  overlays: 'What the model does not know of, pool by pool.',
  name: 'Its name; each has one of its own.',
  reason: 'The reason, for whoever reviews the allowance. No personal data: it is stored permanently.',
  effect: 'Whether it raises or lowers what is required.',
  percent: 'In percent of the principal of the pool, as text; null: an amount.',
  amount: 'An amount, spread over the pool by principal; null: a percentage.',
  grade: 'Only loans of this grade; null: of every grade.',
  bucket: 'Only loans so many days past due, or `chargedOff`: what is kept of those; null: all.',
} as const;

const LABEL = '^[A-Za-z0-9 ,.()%/_:-]';
const months = (name: 'horizon' | 'reversion') =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 120, description: MEANING[name] }));

const members = {
  method: Type.Optional(Type.Enum(METHODS, { description: MEANING.method })),
  horizon: months('horizon'),
  reversion: months('reversion'),
  macro: Type.Optional(
    Type.Array(
      closed(
        {
          fromMonth: Type.Integer({ minimum: 1, maximum: 120, description: MEANING.fromMonth }),
          unemployment: about(Rate, MEANING.unemployment),
          cpi: about(Rate, MEANING.cpi),
        },
        { title: 'AllowanceMacroChange', description: 'The economy from a month on.' },
      ),
      { maxItems: 60, description: MEANING.macro },
    ),
  ),
  overlays: Type.Optional(
    Type.Array(
      closed(
        {
          name: Type.String({ pattern: `${LABEL}{1,64}$`, description: MEANING.name }),
          reason: Type.String({ pattern: `${LABEL}{1,200}$`, description: MEANING.reason }),
          effect: Type.Enum(EFFECTS, { description: MEANING.effect }),
          percent: Type.Optional(maybe(Rate, MEANING.percent)),
          amount: Type.Optional(maybe(Amount, MEANING.amount)),
          grade: Type.Optional(maybe(Type.Enum(GRADES), MEANING.grade)),
          bucket: Type.Optional(maybe(Type.Enum(BUCKETS), MEANING.bucket)),
        },
        { title: 'AllowanceOverlayChange', description: 'An overlay: either `percent` or `amount`.' },
      ),
      { maxItems: 40, description: MEANING.overlays },
    ),
  ),
};

export const AllowanceIn = closed(members, { title: 'AllowancePolicyChange', description: MEANING.allowance });

export const AllowanceOut = shape('AllowancePolicy', MEANING.allowance, {
  method: Type.Enum(METHODS, { description: MEANING.method }),
  horizon: Type.Integer({ description: MEANING.horizon }),
  reversion: Type.Integer({ description: MEANING.reversion }),
  macro: Type.Array(
    shape('AllowanceMacro', 'The economy from a month on.', {
      fromMonth: Type.Integer({ description: MEANING.fromMonth }),
      unemployment: decimalOut(MEANING.unemployment),
      cpi: decimalOut(MEANING.cpi),
    }),
    { description: MEANING.macro },
  ),
  overlays: Type.Array(
    shape('AllowanceOverlay', 'An overlay.', {
      name: sentences(MEANING.name),
      reason: sentences(MEANING.reason),
      effect: Type.Enum(EFFECTS, { description: MEANING.effect }),
      percent: maybe(decimalOut('A percentage.'), MEANING.percent),
      amount: maybe(money('An amount.'), MEANING.amount),
      grade: maybe(wordOut('A grade.'), MEANING.grade),
      bucket: maybe(Type.Enum(BUCKETS), MEANING.bucket),
    }),
    { description: MEANING.overlays },
  ),
});

export const allowanceExample = {
  method: 'model',
  horizon: 24,
  reversion: 12,
  macro: [{ fromMonth: 1, unemployment: '5.5', cpi: '3' }],
  overlays: [
    {
      name: 'Flood',
      reason: 'Vehicles in counties under water are worth less',
      effect: 'raise',
      percent: '0.4',
      amount: null,
      grade: null,
      bucket: 'current',
    },
  ],
};
