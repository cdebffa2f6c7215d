/** The whole life of a loan, computed from its terms and events. */

import { Type } from 'typebox';
import { BUCKETS } from '../../core/delinquency.ts';
import { explain, FIGURES, type Figure } from '../../core/explain.ts';
import type { Loan } from '../../core/loan.ts';
import { type Cents, formatCents } from '../../core/money.ts';
import { DEFAULT_POLICY } from '../../core/policy.ts';
import { isRefusal } from '../../core/refusal.ts';
import { simulate } from '../../core/simulate.ts';
import { truthInLending } from '../../core/truth-in-lending.ts';
import { about, named, shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { computation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { Allocation, date, Explanation, maybe, Status } from '../shared/shapes.ts';
import { referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { answers, calculator, computed, texts } from './shared.ts';
import { examples } from './simulate-example.ts';
import { readEvent, readLateFee, SimulationRequest } from './simulate-request.ts';
import { asGiven, readTerms } from './terms.ts';

const Bucket = named('DelinquencyBucket', Type.Enum([...BUCKETS], { description: 'Days past due today, as a range.' }));

const reference = (description: string) => Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description });

const SimulationAnswer = answers(
  shape('Simulation', 'A simulated loan: its figures after all events, and the effect of each event.', {
    asOf: date('The date of the figures.'),
    status: about(Status, 'The status of the loan on that date.'),
    events: Type.Array(
      shape('SimulatedOutcome', 'An event and its effect.', {
        type: wordOut('The type of event.'),
        date: date('The date of the event.'),
        refId: Type.Optional(reference('The reference of the payment.')),
        feeId: Type.Optional(reference('The reference of the fee.')),
        amount: Type.Optional(money('The amount.')),
        allocation: Allocation,
        balance: money('Principal owed afterwards.'),
      }),
      {
        description:
          'The events in the order in which they took effect. `allocation` is how a payment was applied when it was made; for a return, the negative of its payment’s allocation.',
      },
    ),
    installments: Type.Array(
      shape('SimulatedInstallment', 'One installment of a simulated loan.', {
        n: Type.Integer({ description: 'The number of the installment, from 1.' }),
        dueDate: date('The due date.'),
        amount: money('The amount due.'),
        paid: money('The amount paid.'),
        paidAhead: money('Part of `paid` received before the due date.'),
        paidLate: money('Part of `paid` received after the due date.'),
        open: money('The amount still unpaid.'),
        satisfiedOn: maybe(date('A date.'), 'When it was fully paid; null if it is not.'),
      }),
      { description: 'The installments, in order of due dates.' },
    ),
    fees: Type.Array(
      shape('Fee', 'A fee of a loan.', {
        feeId: referenceOut('The reference of the fee.'),
        name: sentences('The description of the fee.'),
        kind: Type.Enum(['fee', 'penalty'], { description: 'Its place in the payment order.' }),
        date: date('The date on which it was charged.'),
        amount: money('The amount.'),
        paid: money('The amount paid.'),
        waived: money('The amount waived.'),
        open: money('The amount still unpaid.'),
        installment: maybe(Type.Integer(), 'For a late fee: the installment it is charged for; otherwise null.'),
      }),
      { description: 'The fees.' },
    ),
    explanations: Type.Optional(
      Type.Array(Explanation, { description: 'Explanations of the figures named in `explain`, in that order.' }),
    ),
    principal: money('Principal owed.'),
    accruedInterest: money('Accrued and unpaid interest.'),
    unpaidFees: money('Unpaid fees.'),
    credits: money('Credit owed to the borrower.'),
    perDiem: money('Interest per day.'),
    payoff: money('The payoff amount.'),
    daysPastDue: Type.Integer({ description: 'Days past due.' }),
    pastDueAmount: money('The amount past due.'),
    bucket: Bucket,
    nextDueDate: maybe(date('A date.'), 'Due date of the oldest unpaid installment; null if there is none.'),
    nextDueAmount: money('The unpaid amount of that installment plus everything past due.'),
  }),
  examples,
);

export const simulateLoan = computation({
  ...calculator,
  at: 'POST /simulate-loan',
  id: 'simulateLoan',
  cost: 10,
  summary: 'Simulate a loan from its terms and events',
  description:
    'Runs the terms and events through the engine that services loans and returns the effect of each event and the figures of the loan on ' +
    '`asOf`. Each event takes effect on its own date: a payment shows how it was applied when it was made, and a return reverses it. Late fees are ' +
    'assessed automatically under `lateFee` or `lateFeePolicy`; without either there are none. Order within a day: disbursements, rate changes, due date changes, ' +
    'late fees, fees and waivers, payments, re-amortization, refunds, charge-off; several of a kind in the order given. `payoff` is principal plus ' +
    '`accruedInterest` (all unpaid interest) plus `unpaidFees` less `credits`. `pastDueAmount` ignores the shortfall of an installment ' +
    'that is at least 90 % paid, but not after the last due date, when everything is due; `nextDueAmount` includes it. Neither includes fees, ' +
    'but `pastDueAmount` is those past due once nothing else is owed. `open` of an installment never exceeds the amount that will be owed ' +
    'on its due date; for the last installment it is the whole remaining amount.',
  body: SimulationRequest,
  answer: SimulationAnswer,
  problems: [],
  compute(body) {
    const read = new RequestReader();
    const { terms, charges } = readTerms(read, body.terms, '/terms');
    const lateFee = readLateFee(read, body);
    const events = (body.events ?? []).map((event, i) => readEvent(read, event, `/events/${i}`));
    const asOf = body.asOf === undefined ? null : read.date(body, 'asOf', '');
    read.done();
    // Finance charges do not change the figures, but are refused for the same reasons as by calculate-schedule.
    const disclosed = charges.prepaid + charges.financed > 0 ? truthInLending(terms, charges) : null;
    if (isRefusal(disclosed)) throw refusedProblem({ ...disclosed, member: `terms.${disclosed.member}` });
    const simulated = simulate({
      terms,
      frequency: body.terms.paymentFrequency ?? null,
      waterfall: body.waterfall ?? [],
      lateFee,
      graceDays: body.lateFeePolicy?.graceDays ?? DEFAULT_POLICY.graceDays,
      events,
      asOf,
    });
    const found = computed(asGiven(body.terms, simulated, 'terms.'));
    const { loan, payoff, delinquency: late } = found;
    return {
      asOf: loan.on,
      status: found.status,
      events: found.events.map(({ type, date, refId, feeId, amount, allocation, balance }) => ({
        type,
        date,
        ...(refId === null ? {} : { refId }),
        ...(feeId === null ? {} : { feeId }),
        ...(amount === null ? {} : { amount: formatCents(amount) }),
        allocation: texts(allocation),
        balance: formatCents(balance),
      })),
      installments: found.installments.map(({ installment, open }) => ({
        n: installment.n,
        dueDate: installment.dueDate,
        amount: formatCents(installment.amount),
        paid: formatCents(installment.paid),
        paidAhead: formatCents(installment.paidAhead),
        paidLate: formatCents(installment.paidLate),
        open: formatCents(open),
        satisfiedOn: installment.satisfiedOn,
      })),
      fees: loan.fees.map(({ feeId, name, kind, date, amount, paid, waived, installment }) => ({
        feeId,
        name,
        kind,
        date,
        ...texts({ amount, paid, waived, open: (amount - paid - waived) as Cents }),
        installment,
      })),
      principal: formatCents(payoff.principal),
      accruedInterest: formatCents(payoff.interest),
      unpaidFees: formatCents(payoff.fees),
      credits: formatCents(payoff.credits),
      perDiem: formatCents(payoff.perDiem),
      payoff: formatCents(payoff.payoff),
      daysPastDue: late.daysPastDue,
      pastDueAmount: formatCents(late.pastDueAmount),
      bucket: late.bucket,
      nextDueDate: late.nextDueDate,
      nextDueAmount: formatCents(late.nextDueAmount),
      ...(body.explain === undefined
        ? {}
        : { explanations: body.explain.map((figure, i) => explained(loan, figure, i)) }),
    };
  },
});

function explained(loan: Loan, figure: string, i: number): object {
  const found = explain(loan, figure as Figure);
  if (found === null) {
    const detail = `Unknown figure. Must be one of: ${FIGURES.join(', ')}, or payment:<refId> for a payment.`;
    throw new Problem('invalid_request', detail, {
      errors: [{ pointer: `/explain/${i}`, code: 'unknown_figure', detail }],
    });
  }
  return {
    ...found,
    amount: formatCents(found.amount),
    steps: found.steps.map((step) => ({ ...step, amount: formatCents(step.amount) })),
  };
}
