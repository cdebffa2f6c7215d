/** The payoff amount for a date, and for each date of a range. */
import { Type } from 'typebox';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { amountText } from '../../core/decimal.ts';
import { payoffOf, payoffsOf } from '../../loans/reads/figures.ts';
import type { LoanView } from '../../loans/reads/view.ts';
import { actorOf } from '../shared/actor.ts';
import { amountTexts } from '../shared/figures.ts';
import { shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { closed, envelope, operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { loanIdOf, okText, reading, seen, shown, viewOptions } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, day, view } from '../shared/shapes.ts';

const PayoffQuery = closed({
  ...view,
  date: Type.Optional(day('The payoff date; default: today.')),
  goodThrough: Type.Optional(day('The last date to list; default: ten days after `date`, at most a year after it.')),
});

/** The longest range of dates in days. */
const PAYOFF_DAYS = 366;

const PayoffAnswer = envelope(
  shape('Payoff', 'The payoff amount for a date and its components.', {
    date: date('The payoff date.'),
    payoff: money('The payoff amount on this date.'),
    principal: money('Unpaid principal.'),
    interest: money('Accrued and unpaid interest.'),
    fees: money('Unpaid fees.'),
    prepaymentPenalty: money('Prepayment penalty.'),
    credits: money('Credits of the borrower, which are deducted.'),
    perDiem: money('Interest for each further day.'),
    goodThrough: date('The last date in `days`.'),
    days: Type.Array(
      shape('PayoffDay', 'The payoff amount on one date.', {
        date: date('The date.'),
        payoff: money('The payoff amount on this date.'),
      }),
      { description: 'The payoff amount for each date from `date` to `goodThrough`, if nothing else happens.' },
    ),
  }),
  {
    date: '2026-02-15',
    payoff: '28,473.33',
    principal: '28,473.33',
    interest: '0',
    fees: '0',
    prepaymentPenalty: '0',
    credits: '0',
    perDiem: '5.61',
    goodThrough: '2026-02-16',
    days: [
      { date: '2026-02-15', payoff: '28,473.33' },
      { date: '2026-02-16', payoff: '28,478.94' },
    ],
  },
);

export const readPayoff = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/payoff',
  id: 'readPayoff',
  summary: 'Get the payoff amount for a date',
  description:
    'Itemized, with the daily interest and the amount for each date up to `goodThrough`. For a binding quote use `POST /payoff-quotes`.',
  scopes: ['loans:read'],
  query: PayoffQuery,
  answer: PayoffAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { date, asOf = date, goodThrough, ...rest } = call.query;
    if (date !== undefined && asOf !== date) {
      const detail = 'Send date or asOf, not both.';
      throw new Problem('invalid_request', detail, { errors: [{ pointer: '/date', code: 'contradiction', detail }] });
    }
    if (date !== undefined) readDay(date, 'date');
    const options = viewOptions({ ...rest, ...(asOf === undefined ? {} : { asOf }) });
    const view = seen(await call.services.loans.reads.read(await actorOf(call), loanIdOf(call), options));
    const through = payoffThrough(view.loan, goodThrough);
    return shown(call, view, ['payoff', options, through], (plain) => {
      const { date: on, ...amounts } = payoffOf(view.loan);
      const days = payoffsOf(view, through).map((one) => ({ date: one.date, payoff: amountText(one.payoff, plain) }));
      return okText({ date: on, ...amountTexts(amounts, plain), goodThrough: through, days });
    });
  },
});

function readDay(given: string, member: string): PlainDate {
  const read = new RequestReader();
  const day = read.date({ [member]: given }, member, '');
  read.done();
  return day;
}

/** The last date of the requested range. */
function payoffThrough({ on, policy }: LoanView['loan'], given: string | undefined): PlainDate {
  if (given === undefined) return addDays(on, policy.payoffDays);
  const read = new RequestReader();
  const through = readDay(given, 'goodThrough');
  if (through < on) read.note('/goodThrough', { code: 'contradiction', detail: 'Must not be before the date.' });
  const last = addDays(on, PAYOFF_DAYS);
  if (through > last) read.note('/goodThrough', { code: 'range', detail: `Must be at most ${last}.` });
  read.done();
  return through;
}
