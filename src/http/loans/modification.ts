/** Changes of the terms: rate, due dates, payment, settlement. */
import { Type } from 'typebox';
import { about } from '../shared/named.ts';
import type { RequestReader } from '../shared/request-reader.ts';
import { Amount, day, effective, maybe, Rate, Reason, request } from '../shared/shapes.ts';
import { dateOr, loanWrite } from '../shared/write.ts';
import { QuoteAnswer, quoted, quoteId, quoteReference } from './payment.ts';

const SettleRequest = request(
  {
    amount: about(Amount, 'The amount that settles the loan.'),
    goodThrough: day('The last date on which the settlement is honoured.'),
    quoteId,
    reason: Reason,
  },
  { amount: '20,000', goodThrough: '2026-03-31', reason: 'Hardship plan 7' },
);

const ChangeRateRequest = request(
  {
    interestRate: about(Rate, 'The new rate, in percent per year.'),
    date: effective,
    why: Type.Optional(
      Type.Enum(['contract', 'modification', 'scra'], {
        description:
          '`contract`: the contract of a variable-rate loan sets another rate. `modification`: an agreed reduction of any loan. `scra`: ' +
          'military service (50 USC 3937); the rate is at most 6, from `serviceFrom` to the end of `serviceTo`, and the installments are ' +
          'reduced by the interest forgiven. Default: `contract` for a variable-rate loan, otherwise `modification`.',
      }),
    ),
    serviceFrom: Type.Optional(
      day(
        'With `scra`: the first day of military service, after the date of the contract. The rate takes effect on it.',
      ),
    ),
    serviceTo: Type.Optional(
      maybe(
        day('A date.'),
        'With `scra`: the last day of military service; null while it is not known. Another call with the same `serviceFrom` gives or ' +
          'corrects it.',
      ),
    ),
    chargeRetroactive: Type.Optional(
      Type.Boolean({
        description:
          'With an earlier `serviceTo` than was known: charge the late fees of the days since then, on those days. Default false: late fees begin again today.',
      }),
    ),
    reason: Reason,
  },
  { interestRate: '6', why: 'scra', serviceFrom: '2026-04-20', serviceTo: null, reason: 'Orders of 14 April' },
);

/** For operations with policy limits. */
const override = Type.Optional(
  Type.Boolean({
    description:
      'Whether to exceed the policy’s limits; default false. Needs the scope `servicing:override`, and is recorded. No effect when no limit is exceeded.',
  }),
);

const ExtendRequest = request(
  {
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 12, description: 'The number of payment periods; default 1.' }),
    ),
    date: effective,
    reason: Reason,
    override,
  },
  { periods: 1, reason: 'Parental leave' },
);

const ChangeDueDateRequest = request(
  {
    to: day('The new due date of the next installment that is not past due; later ones move with it.'),
    date: effective,
    reason: Reason,
  },
  { to: '2026-03-10', reason: 'Paid on the tenth' },
);

const ReamortizeRequest = request({ date: effective, reason: Reason }, { reason: 'Asked for a lower payment' });

const ReageRequest = request({ date: effective, reason: Reason, override }, { reason: 'Back at work' });

const changeRate = loanWrite({
  does: 'change-rate',
  id: 'changeRate',
  tag: 'Servicing',
  summary: 'Change the interest rate',
  description:
    'From the effective date. Only the contract of a variable-rate loan can raise a rate; a modification above the rate in force on that ' +
    'date is refused. With `scra`, for a servicemember: interest above the rate is forgiven from the first day of service, the ' +
    'installments fall by it, fees count towards the limit of 6 %, and the former rate returns the day after the last day of service.',
  body: ChangeRateRequest,
  problems: ['not_eligible', 'rate_rise'],
  names: { rate: 'interestRate', 'service.from': 'serviceFrom', 'service.to': 'serviceTo' },
  command: (read, body) => ({
    do: 'change-rate',
    rate: read.percent(body, 'interestRate', ''),
    date: dateOr(read, body, 'date'),
    why: body.why ?? null,
    ...serviceOf(read, body),
    chargeRetroactive: body.chargeRetroactive ?? false,
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
});

/** The end must be given, or null: a correction must not remove it by leaving it out. */
function serviceOf(read: RequestReader, body: { serviceFrom?: string; serviceTo?: string | null }) {
  if (body.serviceFrom === undefined) {
    if (body.serviceTo !== undefined) {
      read.note('/serviceFrom', { code: 'required', detail: 'This field is required with serviceTo.' });
    }
    return {};
  }
  const { serviceTo } = body;
  if (serviceTo === undefined) {
    const detail = 'This field is required with serviceFrom: the last day of service, or null while it is not known.';
    read.note('/serviceTo', { code: 'required', detail });
  }
  const to = typeof serviceTo === 'string' ? read.date(body, 'serviceTo', '') : null;
  return { service: { from: read.date(body, 'serviceFrom', ''), to } };
}

const extendLoan = loanWrite({
  does: 'extend',
  id: 'extendLoan',
  tag: 'Servicing',
  summary: 'Extend a loan by whole periods',
  description: 'Moves the unpaid installments, within the limits of the policy. Interest continues to accrue.',
  body: ExtendRequest,
  problems: ['policy_limit'],
  command: (read, body) => ({
    do: 'extend',
    periods: body.periods ?? 1,
    date: dateOr(read, body, 'date'),
    reason: body.reason,
    override: body.override ?? false,
  }),
  reason: ({ reason }) => reason,
});

const changeDueDate = loanWrite({
  does: 'change-due-date',
  id: 'changeDueDate',
  tag: 'Servicing',
  summary: 'Change the due date',
  description:
    'By at most 31 days from the due dates of the contract, in however many steps; all later installments move with it. What is past due stays ' +
    'past due: use an extension or a re-age.',
  body: ChangeDueDateRequest,
  command: (read, body) => ({
    do: 'change-due-date',
    to: read.date(body, 'to', ''),
    date: dateOr(read, body, 'date'),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
});

const reamortizeLoan = loanWrite({
  does: 'reamortize',
  id: 'reamortizeLoan',
  tag: 'Servicing',
  summary: 'Re-amortize a loan',
  description: 'Recomputes the level payment of the installments not yet due from the current balance.',
  body: ReamortizeRequest,
  command: (read, body) => ({ do: 'reamortize', date: dateOr(read, body, 'date'), reason: body.reason }),
  reason: ({ reason }) => reason,
});

const reageLoan = loanWrite({
  does: 'reage',
  id: 'reageLoan',
  tag: 'Servicing',
  summary: 'Re-age a loan',
  description:
    'Moves the past due installments to the next due dates, so that the loan is current again, within the limits of the policy. 409 if nothing is past due.',
  body: ReageRequest,
  problems: ['policy_limit'],
  command: (read, body) => ({
    do: 'reage',
    date: dateOr(read, body, 'date'),
    reason: body.reason,
    override: body.override ?? false,
  }),
  reason: ({ reason }) => reason,
});

export const settleLoan = loanWrite({
  does: 'settle',
  id: 'settleLoan',
  tag: 'Servicing',
  summary: 'Agree to a settlement',
  description:
    'Accepts less than the amount owed: if the settlement amount is received by `goodThrough`, any remainder is waived.',
  body: SettleRequest,
  answer: QuoteAnswer,
  command: (read, body) => ({
    do: 'settle',
    quoteId: quoteReference(read, body),
    amount: read.positiveAmount(body, 'amount', ''),
    goodThrough: read.date(body, 'goodThrough', ''),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  tells: quoted,
});

/** In the order of the OpenAPI document. */
export const modificationWrites = [changeRate, extendLoan, changeDueDate, reamortizeLoan, reageLoan] as const;
