/** The internal rate of return of cash flows, at equal intervals or dated. */

import { Type } from 'typebox';
import { datedIrr, irr } from '../../core/irr.ts';
import { shape } from '../shared/named.ts';
import { decimalOut } from '../shared/numbers.ts';
import { closed, computation } from '../shared/operation.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { answers, Count, calculator, computed, type Example, requests } from './shared.ts';

/** More than a century of weeks. */
const MAX_CASHFLOWS = 6_000;

/** The documented examples of the spreadsheet functions IRR (8.66 %) and XIRR (37.34 %). */
const examples: readonly Example[] = [
  {
    request: { cashflows: ['-70000', '12000', '15000', '18000', '21000', '26000'], periodsPerYear: 1 },
    answer: { irrPercent: '8.6630948037' },
  },
  {
    request: {
      cashflows: [
        { date: '2008-01-01', amount: -10000 },
        { date: '2008-03-01', amount: 2750 },
        { date: '2008-10-30', amount: 4250 },
        { date: '2009-02-15', amount: 3250 },
        { date: '2009-04-01', amount: 2750 },
      ],
    },
    answer: { irrPercent: '37.3362533519' },
  },
];

const IrrRequest = closed(
  {
    cashflows: Type.Unsafe<(string | number)[] | { date: string; amount: string | number }[]>({
      type: 'array',
      minItems: 2,
      maxItems: MAX_CASHFLOWS,
      items: {
        title: 'CashFlow',
        description: 'An amount, or an amount with its date.',
        type: ['string', 'number', 'object'],
        maxLength: 64,
        properties: {
          date: { type: 'string', maxLength: 10, format: 'date', description: 'The date.' },
          amount: {
            type: ['string', 'number'],
            maxLength: 64,
            description: 'The amount; negative for money paid out.',
          },
        },
        required: ['date', 'amount'],
        additionalProperties: false,
      },
      description:
        'Amounts at equal intervals, with `periodsPerYear`; or all amounts with dates. Amounts may be negative and have any number of decimals.',
    }),
    periodsPerYear: Type.Optional(Count(366, 'For amounts without dates: number of periods in a year.')),
  },
  requests(examples),
);

const IrrAnswer = answers(
  shape('IrrCalculation', 'An internal rate of return.', {
    irrPercent: decimalOut(
      'Percent with ten decimals, as text. For dated amounts, the effective annual rate (actual/365); otherwise the periodic rate × `periodsPerYear`. If there are several solutions: the smallest that is not negative, otherwise the one nearest to zero.',
    ),
  }),
  examples,
);

export const calculateIrr = computation({
  ...calculator,
  at: 'POST /calculate-irr',
  id: 'calculateIrr',
  cost: 5,
  summary: 'Calculate an internal rate of return',
  description: 'For amounts at equal intervals (nominal annual rate), or for dated amounts (effective annual rate).',
  body: IrrRequest,
  answer: IrrAnswer,
  problems: ['no_solution'],
  compute(body) {
    const read = new RequestReader();
    const { cashflows, periodsPerYear } = body;
    const dated = cashflows.filter((flow) => typeof flow === 'object');
    if (dated.length === 0) {
      const amounts = cashflows.map((_, i) => read.exactDecimal(cashflows, i, '/cashflows'));
      if (periodsPerYear === undefined) {
        const detail = 'This field is required when the amounts have no dates.';
        read.note('/periodsPerYear', { code: 'required', detail });
      }
      read.done();
      return computed(irr(amounts, periodsPerYear as number));
    }
    if (dated.length < cashflows.length) {
      const detail = 'Give a date for every cash flow or for none.';
      read.note('/cashflows', { code: 'contradiction', detail });
      read.done();
    }
    if (periodsPerYear !== undefined) {
      const detail = 'Omit this field when the cash flows have dates.';
      read.note('/periodsPerYear', { code: 'contradiction', detail });
    }
    const flows = dated.map((flow, i) => ({
      date: read.date(flow, 'date', `/cashflows/${i}`),
      amount: read.exactDecimal(flow, 'amount', `/cashflows/${i}`),
    }));
    read.done();
    return computed(datedIrr(flows));
  },
});
