/** The whole life of a loan, computed from its terms and events. */
import { Type } from 'typebox';
import { BUCKETS } from '../../core/delinquency.ts';
import { explain, FIGURES, type Figure } from '../../core/explain.ts';
import { DEFAULT_POLICY, type Loan, STATUSES } from '../../core/loan.ts';
import { type Cents, formatCents } from '../../core/money.ts';
import { isRefusal } from '../../core/refusal.ts';
import { simulate } from '../../core/simulate.ts';
import { truthInLending } from '../../core/truth-in-lending.ts';
import { computation } from '../operation.ts';
import { Problem } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { answers, calculator, computed, DayOut, Money, maybe, texts } from './shared.ts';
import { examples } from './simulate-example.ts';
import { readEvent, readLateFee, SimulationRequest } from './simulate-request.ts';
import { asGiven, readTerms } from './terms.ts';

const Reference = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'A reference of yours.' });
const Allocation = Type.Object({ fees: Money, interest: Money, principal: Money, credit: Money });

const SimulationAnswer = answers(
  Type.Object({
    asOf: DayOut,
    status: Type.Enum([...STATUSES]),
    events: Type.Array(
      Type.Object({
        type: Type.String(),
        date: DayOut,
        refId: Type.Optional(Reference),
        feeId: Type.Optional(Reference),
        amount: Type.Optional(Money),
        allocation: Allocation,
        balance: Type.String({ description: 'Principal after it.' }),
      }),
      {
        description:
          'In the order in which they took effect. `allocation` is what a payment paid when it was made; a return has the negative of what its payment had paid.',
      },
    ),
    installments: Type.Array(
      Type.Object({
        n: Type.Integer(),
        dueDate: DayOut,
        amount: Money,
        paid: Money,
        paidAhead: Type.String({ description: 'Of `paid`: before the due date.' }),
        paidLate: Type.String({ description: 'Of `paid`: after the due date.' }),
        open: Money,
        satisfiedOn: maybe(DayOut, 'When it was fully paid.'),
      }),
    ),
    fees: Type.Array(
      Type.Object({
        feeId: Type.String(),
        name: Type.String(),
        kind: Type.Enum(['fee', 'penalty']),
        date: DayOut,
        amount: Money,
        paid: Money,
        waived: Money,
        open: Money,
        installment: maybe(Type.Integer(), 'The installment a late fee is for.'),
      }),
    ),
    explanations: Type.Optional(
      Type.Array(
        Type.Object({
          figure: Type.String(),
          on: DayOut,
          amount: Money,
          steps: Type.Array(Type.Object({ what: Type.String(), how: Type.String(), amount: Money }), {
            description: 'They add up to the amount.',
          }),
          sentences: Type.Array(Type.String()),
        }),
        { description: 'When `explain` asks for them, in its order.' },
      ),
    ),
    principal: Money,
    accruedInterest: Money,
    unpaidFees: Money,
    credits: Type.String({ description: 'Owed back to the borrower.' }),
    perDiem: Type.String({ description: 'Interest of one more day.' }),
    payoff: Money,
    daysPastDue: Type.Integer(),
    pastDueAmount: Money,
    bucket: Type.Enum([...BUCKETS]),
    nextDueDate: maybe(DayOut, 'Null when nothing is left to pay.'),
    nextDueAmount: Type.String({ description: 'What is open of it, and everything past due.' }),
  }),
  examples,
);

export const simulateLoan = computation({
  ...calculator,
  at: 'POST /simulate-loan',
  id: 'simulateLoan',
  cost: 10,
  summary: 'A whole life of a loan: terms and events in, figures out',
  description:
    'Runs the terms and events through the engine that services loans and answers what each event did and how the loan stands on ' +
    '`asOf`. Each event is known on its own day: a payment shows what it paid when it was made, and a return undoes it. Late fees come ' +
    'by themselves, by `lateFee` or `lateFeePolicy`; without either there are none. Within a day: disbursements, rate changes, moved due ' +
    'dates, late fees, fees and waivers, payments (by reference), re-amortization, refunds, charge-off. `payoff` is principal, ' +
    '`accruedInterest` (all that is unpaid) and `unpaidFees` less `credits`. `pastDueAmount` leaves out what is short of an installment ' +
    'that is 90 % paid; `nextDueAmount` includes it, and neither includes fees. `open` of an installment never exceeds what will be owed ' +
    'on its due date, and the last one’s is everything that is left.',
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
    const detail = `There is no such figure: ${FIGURES.join(', ')}, or payment: and the refId of a payment.`;
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
