/** Reports over the portfolio: month ends and today, divided by lender, servicer, grade, state, vintage or status, as JSON and CSV. */

import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { parseDate } from '../../core/calendar.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { EXAMPLES } from '../../loans/reports/examples.ts';
import {
  type Computing,
  type KnownAt,
  LAYOUTS,
  type Report,
  type ReportName,
  SLICES,
  type SliceName,
  type Viewer,
} from '../../loans/reports/reports.ts';
import { askerOf } from '../books/books.ts';
import { ledger } from '../ledger/ledger.ts';
import { negotiated } from '../shared/accept.ts';
import { header } from '../shared/actor.ts';
import { named, shape } from '../shared/named.ts';
import { numbersOf } from '../shared/numbers.ts';
import { type Answer, type Call, closed, envelope, type Operation, ok, operation } from '../shared/operation.ts';
import { moment, tagged } from '../shared/read.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, day } from '../shared/shapes.ts';
import { csvOf, reportShape, reportText } from './portfolio-text.ts';

const CSV = 'text/csv';

const By = Type.Optional(
  named(
    'PortfolioSlice',
    Type.Enum([...SLICES], {
      description:
        'Divides the report: by lender, primary servicer, credit grade, state of the borrower, vintage (month of funding) or loan status on each date. ' +
        'Absent: totals only.',
    }),
  ),
);

const KnownAtText = Type.Optional(
  named(
    'ReportKnownAt',
    Type.String({
      maxLength: 40,
      description:
        'Counts only facts recorded by then: a date, or a time, of which the last day that was over counts; not before the date of the ' +
        'report. `asReported`: each month as it was known at its own end. Default: everything known now, so past months are restated.',
    }),
  ),
);

const AsOf = day(
  'The date of the report: a month end, or today (the default). For another past date the positions are computed first: the answer is 202 ' +
    'with the progress, and the same request later returns the report.',
);

const ReportQuery = closed({ asOf: Type.Optional(AsOf), by: By, knownAt: KnownAtText });

const RollRatesQuery = closed({
  from: Type.Optional(day('The first date; default: the month end before `to`.')),
  to: Type.Optional(
    day('The second date: a month end or today; default: the last month end. Another past date may be a 202.'),
  ),
  by: By,
  knownAt: KnownAtText,
});

const ComputingAnswer = Type.Object(
  {
    message: Type.Literal('computing', { description: 'The report is not ready.' }),
    data: shape('PositionsComputing', 'The positions that a report waits for.', {
      asOf: date('The date whose positions are being computed.'),
      done: Type.Integer({ description: 'Loans computed so far.' }),
      total: Type.Integer({ description: 'Loans to compute.' }),
    }),
  },
  {
    title: 'ReportComputing',
    description: 'The positions of the date are being computed. Send the same request again later.',
    examples: [{ message: 'computing', data: { asOf: '2026-10-14', done: 1_200, total: 5_000 } }],
  },
);

const described = {
  ...ledger,
  tag: 'Portfolio',
  cost: 20,
  media: ['application/json', CSV],
  accepted: ComputingAnswer,
  problems: ['cycle_pending'],
} as const;

type ReportCall = Call & { caller: Parameters<typeof askerOf>[0]['caller'] };
type Found = Report | Computing | Refusal;

async function viewerOf(call: ReportCall): Promise<Viewer> {
  return { ...askerOf(call), grants: await call.services.access.grantsFor(call.caller) };
}

type Common = { by?: SliceName; knownAt?: string };

/** A report of one date. */
function report(name: Exclude<ReportName, 'roll-rates'>, about: Pick<Operation, 'id' | 'summary' | 'description'>) {
  return operation({
    ...described,
    ...about,
    at: `GET /portfolio/${name}`,
    query: ReportQuery,
    answer: answerOf(name),
    async handle(call): Promise<Answer> {
      const { query } = call;
      const read = new RequestReader();
      const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
      const asked = { asOf, ...commonIn(read, query as Common) };
      read.done();
      return answered(call, name, await call.services.loans.reports.report(await viewerOf(call), name, asked));
    },
  });
}

function commonIn(read: RequestReader, query: Common): { by: SliceName | null; knownAt: KnownAt } {
  return { by: query.by ?? null, knownAt: query.knownAt === undefined ? null : knownAtIn(read, query.knownAt) };
}

function knownAtIn(read: RequestReader, text: string): KnownAt {
  if (text === 'asReported') return text;
  const knownDay = parseDate(text);
  if (knownDay !== null) return { day: knownDay };
  const at = moment(text);
  if (at !== null) return { at };
  const detail = 'Must be a date, a time with a time zone such as 2026-02-15T12:00:00Z, or asReported.';
  read.note('/knownAt', { code: 'format', detail });
  return null;
}

function answered(call: Call & { caller: Caller }, name: ReportName, found: Found): Answer {
  if (isRefusal(found)) throw refusedProblem(found);
  if ('computing' in found) {
    const { computing: asOf, done, total } = found;
    return { body: { message: 'computing', data: { asOf, done, total } }, status: 202 };
  }
  const { headers } = call;
  const { plain, headers: applied } = numbersOf(call);
  const vary = { Vary: 'Authorization, Prefer, Accept' };
  if (negotiated(header(headers, 'accept'), described.media) === CSV) {
    return tagged(call, { text: csvOf(name, found) }, { ...vary, 'Content-Type': `${CSV}; charset=utf-8` });
  }
  return tagged(call, ok(reportText(name, found, plain)), { ...vary, ...applied });
}

const answerOf = (name: ReportName) =>
  envelope(reportShape(name, LAYOUTS[name]), reportText(name, EXAMPLES[name], false));

const csvNote = ' As CSV with `Accept: text/csv`. The definitions are in docs/portfolio.md.';

export const readPortfolioSummary = report('summary', {
  id: 'readPortfolioSummary',
  summary: 'Get the portfolio summary',
  description: `Counts, balances, weighted averages and statuses of the loans on a date, and losses to date.${csvNote}`,
});

export const readPortfolioDelinquency = report('delinquency', {
  id: 'readPortfolioDelinquency',
  summary: 'Get the delinquency of the portfolio',
  description: `Open loans and their principal by days past due on a date.${csvNote}`,
});

export const readPortfolioVintages = report('vintages', {
  id: 'readPortfolioVintages',
  summary: 'Get the static pools of the portfolio',
  description: `For each vintage and month: pool factor, cumulative losses, recoveries and prepayments, and the share past due.${csvNote}`,
});

export const readPortfolioCashflows = report('cashflows', {
  id: 'readPortfolioCashflows',
  summary: 'Get the cashflows of the portfolio',
  description: `For each month: amounts scheduled, received, lent and charged off.${csvNote}`,
});

export const readPortfolioYield = report('yield', {
  id: 'readPortfolioYield',
  summary: 'Get the yield of the portfolio',
  description: `Realized yield for a year, by month, over the last twelve months and in all, beside the yield that underwriting predicted.${csvNote}`,
});

export const readPortfolioPrepayment = report('prepayment', {
  id: 'readPortfolioPrepayment',
  summary: 'Get the prepayment speeds of the portfolio',
  description: `SMM, CPR and ABS speed of every month that is over, with and without charge-offs, and averages over 3, 6 and 12 months and in all.${csvNote}`,
});

export const readPortfolioRollRates = operation({
  ...described,
  at: 'GET /portfolio/roll-rates',
  id: 'readPortfolioRollRates',
  summary: 'Get the roll rates of the portfolio',
  description: `Where the loans of one date were on a later one, by delinquency bucket, count and principal.${csvNote}`,
  query: RollRatesQuery,
  answer: answerOf('roll-rates'),
  async handle(call): Promise<Answer> {
    const { query } = call;
    const read = new RequestReader();
    const from = query.from === undefined ? null : read.date(query, 'from', '');
    const to = query.to === undefined ? null : read.date(query, 'to', '');
    const asked = { from, to, ...commonIn(read, query as Common) };
    read.done();
    return answered(call, 'roll-rates', await call.services.loans.reports.rollRates(await viewerOf(call), asked));
  },
});
