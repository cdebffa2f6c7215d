/** The annual percentage rate by Regulation Z Appendix J. */

import { type Static, Type } from 'typebox';
import { apr, expandRuns, MAX_APR_PAYMENTS, type PaymentRun, type UnitPeriod } from '../../core/apr.ts';
import { explainApr } from '../../core/explain.ts';
import { formatCents } from '../../core/money.ts';
import { about, shape } from '../shared/named.ts';
import { decimalOut, money } from '../shared/numbers.ts';
import { closed, computation } from '../shared/operation.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { Amount, day } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';
import {
  answers,
  Count,
  calculator,
  computed,
  DatedAmount,
  type Example,
  Percent,
  readDated,
  requests,
} from './shared.ts';

/** Bound of advances, and of runs of payments (a run may be long). */
const MAX_RUNS = 2_000;

/** 12 CFR 1026 Appendix J (c)(2)(i) and (ii): 9.69 % and 11.82 %. */
const examples: readonly Example[] = [
  {
    request: {
      advances: [{ date: '1978-01-10', amount: '5000.00' }],
      payments: [{ firstDate: '1978-02-10', count: 24, amount: '230.00', every: { unit: 'month', multiple: 1 } }],
    },
    answer: {
      aprPercent: '9.6857080623',
      amountFinanced: '5000.00',
      financeCharge: '520.00',
      totalOfPayments: '5520.00',
      unitPeriod: { unit: 'month', multiple: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.0000000000' },
    },
  },
  {
    request: {
      advances: [{ date: '1978-02-10', amount: 6000 }],
      payments: [{ firstDate: '1978-04-01', count: 36, amount: 200, every: { unit: 'month' } }],
    },
    answer: {
      aprPercent: '11.8165082908',
      amountFinanced: '6000.00',
      financeCharge: '1200.00',
      totalOfPayments: '7200.00',
      unitPeriod: { unit: 'month', multiple: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.6333333333' },
    },
  },
];

const UNITS = ['day', 'week', 'semimonth', 'month', 'year'];

const UnitPeriodShape = closed(
  {
    unit: Type.Enum(['day', 'week', 'semimonth', 'month', 'year'], { description: 'The unit of time.' }),
    multiple: Type.Optional(Count(1_000, 'Number of units; default 1.')),
  },
  { title: 'Interval', description: 'A length of time.' },
);

const AprRequest = closed(
  {
    advances: Type.Array(DatedAmount, {
      minItems: 1,
      maxItems: MAX_RUNS,
      description: 'Amounts paid out to the borrower, less prepaid finance charges.',
    }),
    payments: Type.Array(
      closed(
        {
          firstDate: day('Date of the first payment.'),
          count: Type.Optional(Count(MAX_APR_PAYMENTS, 'Number of payments; default 1.')),
          amount: Amount,
          every: Type.Optional(about(UnitPeriodShape, 'The interval between payments.')),
        },
        { title: 'PaymentRun', description: 'Equal payments at equal intervals.' },
      ),
      {
        minItems: 1,
        maxItems: MAX_RUNS,
        description:
          'Series of equal payments. `every` is the interval between payments; omit it for a single payment.',
      },
    ),
    unitPeriod: Type.Optional(
      about(UnitPeriodShape, 'The unit-period; default: determined by the rules of the regulation.'),
    ),
    explain: Type.Optional(
      Type.Boolean({ description: 'If true, the response also explains how the rate was computed.' }),
    ),
  },
  requests(examples),
);

const AprAnswer = answers(
  shape('AprCalculation', 'An annual percentage rate and the figures it is computed from.', {
    aprPercent: about(Percent, 'The annual percentage rate, in percent with ten decimals, as text.'),
    amountFinanced: money('Amount financed.'),
    financeCharge: money('Finance charge.'),
    totalOfPayments: money('Total of payments.'),
    unitPeriod: shape('UnitPeriod', 'The unit-period of the regulation.', {
      unit: Type.Enum(UNITS, { description: 'The unit of time.' }),
      multiple: Type.Integer({ description: 'Number of units.' }),
    }),
    firstPaymentUnitPeriods: shape('UnitPeriods', 'Unit-periods from the first advance to the first payment.', {
      full: Type.Integer({ description: 'Full unit-periods.' }),
      fraction: decimalOut('Fraction of a unit-period.'),
    }),
    explanation: Type.Optional(
      Type.Array(sentences('A text.'), { description: 'How the rate was computed, if `explain` is true.' }),
    ),
  }),
  examples,
);

export const calculateApr = computation({
  ...calculator,
  at: 'POST /calculate-apr',
  id: 'calculateApr',
  cost: 5,
  summary: 'Calculate an annual percentage rate (Regulation Z, Appendix J)',
  description:
    'The actuarial method of 12 CFR 1026 Appendix J: unit-periods, odd days, single and multiple advances, regular and irregular ' +
    'payments. The unit-period is determined by the rules of paragraph (b)(4) unless `unitPeriod` sets it.',
  body: AprRequest,
  answer: AprAnswer,
  problems: ['no_solution'],
  compute(body) {
    const read = new RequestReader();
    const advances = body.advances.map((advance, i) => readDated(read, advance, `/advances/${i}`));
    const runs = body.payments.map((run, i) => readRun(read, run, `/payments/${i}`));
    read.done();
    const unitPeriod = body.unitPeriod === undefined ? null : readUnit(body.unitPeriod);
    const payments = computed(expandRuns(runs));
    const found = computed(apr({ advances, payments, unitPeriod }));
    return {
      aprPercent: found.aprPercent,
      amountFinanced: formatCents(found.amountFinanced),
      financeCharge: formatCents(found.financeCharge),
      totalOfPayments: formatCents(found.totalOfPayments),
      unitPeriod: found.unitPeriod,
      firstPaymentUnitPeriods: found.firstPaymentUnitPeriods,
      ...(body.explain ? { explanation: explainApr(found) } : {}),
    };
  },
});

function readRun(read: RequestReader, run: Static<typeof AprRequest>['payments'][number], at: string): PaymentRun {
  const { count = 1, every } = run;
  return {
    firstDate: read.date(run, 'firstDate', at),
    count,
    amount: read.positiveAmount(run, 'amount', at),
    every: every === undefined ? null : readUnit(every),
  };
}

function readUnit({ unit, multiple = 1 }: { unit: UnitPeriod['unit']; multiple?: number }): UnitPeriod {
  return { unit, multiple };
}
