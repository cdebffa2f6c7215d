/** Changes of the terms: rate, due dates, payment, settlement. */
import { Type } from 'typebox';
import { about, named } from '../named.ts';
import { QuoteAnswer, quoted, quoteId, quoteReference } from './payment.ts';
import { Amount, day, effective, Rate, Reason, request } from './shapes.ts';
import { dateOr, loanWrite } from './write.ts';

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
    interestRate: about(Rate, 'The new rate, in percent a year.'),
    date: effective,
    why: Type.Optional(
      Type.Enum(['contract', 'scra'], {
        description:
          'By `scra` the installments fall with the interest (50 USC 3937); by `contract` (when absent) they stay.',
      }),
    ),
  },
  { interestRate: '6', why: 'scra' },
);

const ExtendRequest = request(
  {
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 12, description: 'The number of payment periods; 1 when absent.' }),
    ),
    date: effective,
  },
  { periods: 1 },
);

const ChangeDueDateRequest = request(
  { to: day('The new due date of the oldest open installment; later ones move with it.'), date: effective },
  { to: '2026-03-10' },
);

const DatedRequest = named(
  'EffectiveDateRequest',
  about(request({ date: effective }), 'The loan, and the date from which the change applies.'),
);

export const changeRate = loanWrite({
  does: 'change-rate',
  id: 'changeRate',
  tag: 'Servicing',
  summary: 'Change the interest rate',
  description: 'From a day on. The rate of a servicemember (`scra`) also lowers the installments.',
  scopes: ['servicing:write'],
  body: ChangeRateRequest,
  names: { rate: 'interestRate' },
  command: (read, body) => ({
    do: 'change-rate',
    rate: read.percent(body, 'interestRate', ''),
    date: dateOr(read, body, 'date'),
    why: body.why ?? 'contract',
  }),
});

export const extendLoan = loanWrite({
  does: 'extend',
  id: 'extendLoan',
  tag: 'Servicing',
  summary: 'Move the open installments by whole periods',
  description: 'Interest goes on meanwhile.',
  scopes: ['servicing:write'],
  body: ExtendRequest,
  command: (read, body) => ({ do: 'extend', periods: body.periods ?? 1, date: dateOr(read, body, 'date') }),
});

export const changeDueDate = loanWrite({
  does: 'change-due-date',
  id: 'changeDueDate',
  tag: 'Servicing',
  summary: 'Move the due date',
  description: 'By 31 days at most; all later installments move with it.',
  scopes: ['servicing:write'],
  body: ChangeDueDateRequest,
  command: (read, body) => ({
    do: 'change-due-date',
    to: read.date(body, 'to', ''),
    date: dateOr(read, body, 'date'),
  }),
});

export const reamortizeLoan = loanWrite({
  does: 'reamortize',
  id: 'reamortizeLoan',
  tag: 'Servicing',
  summary: 'Compute the payment anew',
  description: 'The level payment of the installments not yet due, from what is owed now.',
  scopes: ['servicing:write'],
  body: DatedRequest,
  command: (read, body) => ({ do: 'reamortize', date: dateOr(read, body, 'date') }),
});

export const reageLoan = loanWrite({
  does: 'reage',
  id: 'reageLoan',
  tag: 'Servicing',
  summary: 'Move what is past due to the next due date and beyond',
  description: 'The loan counts as current again. 409 when nothing is past due.',
  scopes: ['servicing:write'],
  body: DatedRequest,
  command: (read, body) => ({ do: 'reage', date: dateOr(read, body, 'date') }),
});

export const settleLoan = loanWrite({
  does: 'settle',
  id: 'settleLoan',
  tag: 'Servicing',
  summary: 'Agree to take less than is owed',
  description: 'If the amount is received by `goodThrough`, any remainder is waived.',
  scopes: ['servicing:write'],
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
