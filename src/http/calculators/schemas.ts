/** The shapes of the calculators. Amounts and rates come as strings or numbers and go out as plain decimal strings. */
import { Type } from 'typebox';
import { MAX_APR_PAYMENTS } from '../../core/apr.ts';
import { DAY_COUNTS, FREQUENCIES } from '../../core/calendar.ts';
import { BUCKETS } from '../../core/delinquency.ts';
import { FIGURES } from '../../core/explain.ts';
import { AMORTIZATIONS, DEFAULT_WATERFALL, STATUSES } from '../../core/loan.ts';
import { MAX_INSTALLMENTS } from '../../core/schedule.ts';
import { MAX_EVENTS, SIMULATED } from '../../core/simulate.ts';
import { closed } from '../operation.ts';
import * as example from './examples.ts';

/** More than a century of weeks. A rate of return of so many amounts that change sign each time takes about half a second. */
const MAX_CASHFLOWS = 6_000;
/** Advances, and runs of payments; runs may be long, but only so many of them keep the solver within half a second. */
const MAX_RUNS = 2_000;

/** A decimal as text or as a JSON number; `wire.ts` reads its digits. */
const decimal = (description: string) =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, description });
const Amount = decimal(
  'An amount: 1234.50, "1234.50" or "1,234.50". At most two decimals and 15 digits, never negative.',
);
const Rate = decimal('A percentage a year, such as 7.25: below 10,000, at most eight decimals, never negative.');
const Day = Type.String({ maxLength: 10, description: 'A date, YYYY-MM-DD.' });
const Reference = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'A reference of yours.' });
const Count = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

const Money = Type.String({ description: 'An amount with two decimals, without separators: "1234.50".' });
const Percent = Type.String({ description: 'A percentage with ten decimals.' });
const DayOut = Type.String({ description: 'YYYY-MM-DD.' });
const maybe = <T extends Parameters<typeof Type.Optional>[0]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

const answer = <D extends Parameters<typeof Type.Optional>[0]>(data: D, examples: readonly { answer: object }[]) =>
  Type.Object(
    { message: Type.Literal('ok'), data },
    { examples: examples.map(({ answer: shown }) => ({ message: 'ok', data: shown })) },
  );
const requests = (examples: readonly { request: object }[]) => ({ examples: examples.map(({ request }) => request) });

const DatedAmount = closed({ date: Day, amount: Amount });
const UnitPeriod = closed({
  unit: Type.Enum(['day', 'week', 'semimonth', 'month', 'year']),
  multiple: Type.Optional(Count(1_000, 'How many of them; 1 when absent.')),
});

// ---- calculate-apr ----

export const AprRequest = closed(
  {
    advances: Type.Array(DatedAmount, {
      minItems: 1,
      maxItems: MAX_RUNS,
      description: 'What the borrower gets and when, prepaid finance charges taken off.',
    }),
    payments: Type.Array(
      closed({
        firstDate: Day,
        count: Type.Optional(Count(MAX_APR_PAYMENTS, 'How many payments; 1 when absent.')),
        amount: Amount,
        every: Type.Optional(UnitPeriod),
      }),
      {
        minItems: 1,
        maxItems: MAX_RUNS,
        description: 'Runs of equal payments. `every` is the time from one to the next; a single payment needs none.',
      },
    ),
    unitPeriod: Type.Optional(UnitPeriod),
    explain: Type.Optional(Type.Boolean({ description: 'Also answers how the rate comes about.' })),
  },
  requests(example.apr),
);

export const AprAnswer = answer(
  Type.Object({
    aprPercent: Percent,
    amountFinanced: Money,
    financeCharge: Money,
    totalOfPayments: Money,
    unitPeriod: Type.Object({ unit: Type.String(), multiple: Type.Integer() }),
    firstPaymentUnitPeriods: Type.Object(
      { full: Type.Integer(), fraction: Type.String() },
      { description: 'Unit-periods from the first advance to the first payment.' },
    ),
    explanation: Type.Optional(Type.Array(Type.String(), { description: 'When `explain` asks for it.' })),
  }),
  example.apr,
);

// ---- calculate-schedule ----

const terms = {
  disbursements: Type.Array(DatedAmount, { minItems: 1, maxItems: 1_000, description: 'In the order of their dates.' }),
  annualRatePercent: Rate,
  dayCount: Type.Optional(Type.Enum([...DAY_COUNTS], { description: '`actual/365` when absent.' })),
  interestStart: Type.Optional(
    Type.String({ maxLength: 10, description: 'Interest runs from this date; the first disbursement when absent.' }),
  ),
  dueDates: Type.Optional(
    Type.Array(Day, {
      minItems: 1,
      maxItems: MAX_INSTALLMENTS,
      description: 'Either these, or `firstPaymentDate`, `count` and `paymentFrequency`.',
    }),
  ),
  firstPaymentDate: Type.Optional(Day),
  count: Type.Optional(Count(MAX_INSTALLMENTS, 'How many installments.')),
  paymentFrequency: Type.Optional(Type.Enum([...FREQUENCIES])),
  amortizationType: Type.Optional(
    Type.Enum([...AMORTIZATIONS], {
      description: '`Balloon` when absent and there is a `balloonAmount`, else `FullAmortization`.',
    }),
  ),
  balloonAmount: Type.Optional(
    decimal('Due with the last installment, beside it (amortizationType Balloon). An amount.'),
  ),
  interestOnlyCount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INSTALLMENTS,
      description: 'How many of the first installments pay interest alone; 0 when absent.',
    }),
  ),
  skip: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: MAX_INSTALLMENTS }), {
      maxItems: MAX_INSTALLMENTS,
      description: 'Numbers of installments with no payment, from 1; not the last one.',
    }),
  ),
  payment: Type.Optional(
    decimal('A given level payment; the last installment takes what is left, more or less. An amount.'),
  ),
  rounding: Type.Optional(Type.Enum(['half-up', 'half-even'], { description: '`half-up` when absent.' })),
  rateChanges: Type.Optional(
    Type.Array(closed({ date: Day, annualRatePercent: Rate }), {
      maxItems: 1_000,
      description: 'In order, one a day.',
    }),
  ),
  prepaidFinanceCharges: Type.Optional(decimal('Inside the disbursed amounts; not part of the amount financed.')),
  financedFees: Type.Optional(decimal('Inside the disbursed amounts; not part of the amount financed.')),
};
const Terms = closed(terms);
export type TermsBody = Type.Static<typeof Terms>;

export const ScheduleRequest = closed(terms, requests(example.schedule));

export const ScheduleAnswer = answer(
  Type.Object({
    levelPayment: maybe(Money, 'Null when no installment is level.'),
    rows: Type.Array(
      Type.Object({
        n: Type.Integer(),
        dueDate: DayOut,
        payment: Money,
        interest: Money,
        principal: Money,
        balance: Money,
      }),
      {
        description:
          '`interest` and `principal` are what the payment pays; `balance` is the principal after it. A loan that a given payment clears early ends early.',
      },
    ),
    totals: Type.Object({ payment: Money, interest: Money, principal: Money }),
    aprPercent: maybe(Percent, 'By Regulation Z Appendix J; null when no rate solves its equation.'),
    financeCharge: Money,
    amountFinanced: Money,
  }),
  example.schedule,
);

// ---- simulate-loan ----

const LateFeePolicy = closed({
  flat: Type.Optional(decimal('A flat amount instead of a percentage.')),
  percent: Type.Optional(decimal('Percent of what is open of the installment; at most 100.')),
  floor: Type.Optional(decimal('At least this amount.')),
  cap: Type.Optional(decimal('At most this amount.')),
  graceDays: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 366, description: 'Paid by the end of them is in time; 10 when absent.' }),
  ),
});

const SimulatedEvent = closed({
  type: Type.Enum([...SIMULATED]),
  date: Day,
  amount: Type.Optional(
    decimal(
      'Of a payment, fee, disbursement, recovery or refund; of a waiver all that is open when absent; of a return only to find its payment.',
    ),
  ),
  refId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,64}$',
      description:
        'Of a payment or recovery: its reference ("payment-1" and so on when absent). Of a return: which payment; the latest one of its `amount`, else the latest, when absent.',
    }),
  ),
  principalOnly: Type.Optional(Type.Boolean({ description: 'Of a payment: it satisfies no installment.' })),
  feeId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,64}$',
      description:
        'Of a fee ("fee-1" and so on when absent); of a waiver: which fee. Late fees are "late-" and their installment.',
    }),
  ),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of a fee.' })),
  kind: Type.Optional(
    Type.Enum(['fee', 'penalty'], { description: 'Of a fee: in which buckets it is; `fee` when absent.' }),
  ),
  annualRatePercent: Type.Optional(decimal('Of a rateChange: the new rate, a percentage a year.')),
  why: Type.Optional(
    Type.Enum(['contract', 'scra'], {
      description:
        'Of a rateChange: by `scra` the installments fall with the interest (50 USC 3937); by `contract` (when absent) they stay.',
    }),
  ),
  periods: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 12, description: 'Of an extension: by how many periods; 1 when absent.' }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 10, description: 'Of a dueDateChange: where the oldest open installment falls.' }),
  ),
  collateral: Type.Optional(decimal('Of a chargeOff: value of collateral held against it.')),
});

export const SimulationRequest = closed(
  {
    terms: Terms,
    waterfall: Type.Optional(
      Type.Array(Type.Enum([...DEFAULT_WATERFALL]), {
        uniqueItems: true,
        maxItems: DEFAULT_WATERFALL.length,
        description: `The order in which a payment is applied. Buckets left out follow in the default order: ${DEFAULT_WATERFALL.join(', ')}.`,
      }),
    ),
    lateFee: Type.Optional(decimal('A flat late fee.')),
    lateFeePolicy: Type.Optional(LateFeePolicy),
    events: Type.Optional(
      Type.Array(SimulatedEvent, { maxItems: MAX_EVENTS, description: 'In any order; each is known on its own day.' }),
    ),
    asOf: Type.Optional(
      Type.String({
        maxLength: 10,
        description:
          'The day whose figures are wanted; later events have not happened yet. When absent: the last event, or the first disbursement.',
      }),
    ),
    explain: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
        maxItems: 20,
        uniqueItems: true,
        description: `Figures whose derivation is wanted: ${FIGURES.join(', ')}, or \`payment:<refId>\`.`,
      }),
    ),
  },
  requests(example.simulation),
);

const Allocation = Type.Object({ fees: Money, interest: Money, principal: Money, credit: Money });

export const SimulationAnswer = answer(
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
  example.simulation,
);

// ---- calculate-irr ----

export const IrrRequest = closed(
  {
    cashflows: Type.Unsafe<(string | number)[] | { date: string; amount: string | number }[]>({
      type: 'array',
      minItems: 2,
      maxItems: MAX_CASHFLOWS,
      items: {
        type: ['string', 'number', 'object'],
        maxLength: 64,
        properties: {
          date: { type: 'string', maxLength: 10, description: 'YYYY-MM-DD.' },
          amount: { type: ['string', 'number'], maxLength: 64 },
        },
        required: ['date', 'amount'],
        additionalProperties: false,
      },
      description:
        'Amounts at equal distances, with `periodsPerYear`; or all of them with dates. They may be negative and have any decimals.',
    }),
    periodsPerYear: Type.Optional(Count(366, 'With amounts alone: how many of them are a year.')),
  },
  requests(example.irr),
);

export const IrrAnswer = answer(
  Type.Object({
    irrPercent: Type.String({
      description:
        'Ten decimals. With dates the effective annual rate (actual/365); otherwise the periodic rate × `periodsPerYear`. Of several roots the one nearest zero from above, else the nearest.',
    }),
  }),
  example.irr,
);
