/** The installments of a loan, and its disclosures. */
import { Type } from 'typebox';
import { formatCents } from '../../core/money.ts';
import { truthInLending } from '../../core/truth-in-lending.ts';
import { shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { closed, computation } from '../shared/operation.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, maybe } from '../shared/shapes.ts';
import { answers, calculator, computed, type Example, Percent, requests, texts } from './shared.ts';
import { asGiven, readTerms, Terms } from './terms.ts';

const examples: readonly Example[] = [
  {
    request: {
      disbursements: [{ date: '2026-01-15', amount: '25,000.00' }],
      annualRatePercent: 7.25,
      firstPaymentDate: '2026-03-01',
      count: 6,
      paymentFrequency: 'Monthly',
      prepaidFinanceCharges: '150.00',
    },
    answer: {
      levelPayment: '4267.85',
      rows: [
        {
          n: 1,
          dueDate: '2026-03-01',
          payment: '4267.85',
          interest: '223.46',
          principal: '4044.39',
          balance: '20955.61',
        },
        {
          n: 2,
          dueDate: '2026-04-01',
          payment: '4267.85',
          interest: '129.03',
          principal: '4138.82',
          balance: '16816.79',
        },
        {
          n: 3,
          dueDate: '2026-05-01',
          payment: '4267.85',
          interest: '100.21',
          principal: '4167.64',
          balance: '12649.15',
        },
        {
          n: 4,
          dueDate: '2026-06-01',
          payment: '4267.85',
          interest: '77.89',
          principal: '4189.96',
          balance: '8459.19',
        },
        {
          n: 5,
          dueDate: '2026-07-01',
          payment: '4267.85',
          interest: '50.41',
          principal: '4217.44',
          balance: '4241.75',
        },
        { n: 6, dueDate: '2026-08-01', payment: '4267.87', interest: '26.12', principal: '4241.75', balance: '0.00' },
      ],
      totals: { payment: '25607.12', interest: '607.12', principal: '25000.00' },
      aprPercent: '8.9106888295',
      financeCharge: '757.12',
      amountFinanced: '24850.00',
    },
  },
  {
    request: {
      disbursements: [{ date: '2026-01-31', amount: '10000.00' }],
      annualRatePercent: '6',
      dayCount: '30/360',
      dueDates: ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
      balloonAmount: '4000.00',
      rounding: 'half-even',
    },
    answer: {
      levelPayment: '1539.02',
      rows: [
        {
          n: 1,
          dueDate: '2026-02-28',
          payment: '1539.02',
          interest: '46.67',
          principal: '1492.35',
          balance: '8507.65',
        },
        {
          n: 2,
          dueDate: '2026-03-31',
          payment: '1539.02',
          interest: '46.79',
          principal: '1492.23',
          balance: '7015.42',
        },
        {
          n: 3,
          dueDate: '2026-04-30',
          payment: '1539.02',
          interest: '35.08',
          principal: '1503.94',
          balance: '5511.48',
        },
        { n: 4, dueDate: '2026-05-31', payment: '5539.04', interest: '27.56', principal: '5511.48', balance: '0.00' },
      ],
      totals: { payment: '10156.10', interest: '156.10', principal: '10000.00' },
      aprPercent: '6.0352496899',
      financeCharge: '156.10',
      amountFinanced: '10000.00',
    },
  },
];

const ScheduleRequest = closed(Terms.properties, requests(examples));

const ScheduleAnswer = answers(
  shape('ScheduleCalculation', 'The installments of a loan, and its disclosures.', {
    levelPayment: maybe(money('An amount.'), 'The level payment; null if there is none.'),
    rows: Type.Array(
      shape('ScheduleRow', 'One installment.', {
        n: Type.Integer({ description: 'The number of the installment, from 1.' }),
        dueDate: date('The due date.'),
        payment: money('The payment.'),
        interest: money('Interest portion.'),
        principal: money('Principal portion.'),
        balance: money('Principal balance after the payment.'),
      }),
      {
        description:
          '`interest` and `principal` are the portions of the payment; `balance` is the principal after it. If a given `payment` pays the loan off early, the schedule ends early.',
      },
    ),
    totals: shape('ScheduleSums', 'Totals over all installments.', {
      payment: money('Total of payments.'),
      interest: money('Total interest.'),
      principal: money('Total principal.'),
    }),
    aprPercent: maybe(
      Percent,
      'Annual percentage rate by Regulation Z Appendix J, in percent with ten decimals, as text; null if no rate solves the equation.',
    ),
    financeCharge: money('Finance charge.'),
    amountFinanced: money('Amount financed.'),
  }),
  examples,
);

export const calculateSchedule = computation({
  ...calculator,
  at: 'POST /calculate-schedule',
  id: 'calculateSchedule',
  cost: 5,
  summary: 'Calculate a payment schedule',
  description:
    'Returns the installments of a loan and its Truth in Lending figures. The level payment pays the loan off over the actual dates, including an odd first period, rounded to the cent; the last ' +
    'installment is adjusted to the remaining balance. Interest is rounded at each payment, disbursement and rate change.',
  body: ScheduleRequest,
  answer: ScheduleAnswer,
  problems: [],
  compute(body) {
    const read = new RequestReader();
    const { terms, charges } = readTerms(read, body, '');
    read.done();
    const { schedule, aprPercent, financeCharge, amountFinanced } = computed(
      asGiven(body, truthInLending(terms, charges)),
    );
    return {
      levelPayment: schedule.levelPayment === null ? null : formatCents(schedule.levelPayment),
      rows: schedule.rows.map(({ n, dueDate, ...amounts }) => ({ n, dueDate, ...texts(amounts) })),
      totals: texts(schedule.totals),
      aprPercent,
      financeCharge: formatCents(financeCharge),
      amountFinanced: formatCents(amountFinanced),
    };
  },
});
