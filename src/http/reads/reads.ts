/** Reads of one loan: schedule, forecast, explanations, and the disclosures of its personal data. */

import { Type } from 'typebox';
import { amountText, groupedText } from '../../core/decimal.ts';
import { isRefusal } from '../../core/refusal.ts';
import { explanationOf, FIGURES, scheduleOf } from '../../loans/reads/figures.ts';
import { forecastOf } from '../../loans/reads/forecast.ts';
import type { LoanView } from '../../loans/reads/view.ts';
import { actorOf } from '../shared/actor.ts';
import { amountTexts, noSuchFigure } from '../shared/figures.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { shape } from '../shared/named.ts';
import { decimalOut, grouped, money } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pages } from '../shared/pages.ts';
import { loanIdOf, okText, personal, reading, shown, viewed } from '../shared/read.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import {
  date,
  Explanation,
  Limit,
  LoanIdOut,
  LoanParams,
  loanExample,
  maybe,
  NextCursor,
  personalHeaders,
  TransactionHash,
  time,
  ViewQuery,
} from '../shared/shapes.ts';
import { idOut, requestIdOut, sentences, wordOut } from '../shared/texts.ts';

const ScheduleAnswer = envelope(
  shape('Schedule', 'The installments of a loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the figures.'),
    planned: Type.Boolean({
      description: 'True before funding: the schedule as if the loan were funded on that date.',
    }),
    levelPayment: maybe(money('An amount.'), 'The level payment of the remaining installments; null if there is none.'),
    installments: Type.Array(
      shape('Installment', 'One scheduled payment.', {
        n: Type.Integer({ description: 'The number of the installment, from 1.' }),
        dueDate: date('The due date.'),
        amount: money('The amount due.'),
        principal: money('Scheduled principal.'),
        interest: money('Scheduled interest.'),
        paid: money('The amount paid.'),
        open: money('The amount still unpaid.'),
        pastDue: Type.Boolean({ description: 'Whether it is past due.' }),
        satisfiedOn: maybe(date('A date.'), 'When it was fully paid; null if it is not.'),
      }),
      { description: 'The installments, in order of due dates.' },
    ),
    totals: shape('ScheduleTotals', 'Totals over all installments.', {
      amount: money('Total amount due.'),
      principal: money('Total principal.'),
      interest: money('Total interest.'),
      paid: money('Total paid.'),
      open: money('Total unpaid.'),
    }),
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    planned: false,
    levelPayment: '575.50',
    installments: [
      {
        n: 1,
        dueDate: '2026-02-15',
        amount: '575.50',
        principal: '401.67',
        interest: '173.83',
        paid: '575.50',
        open: '0',
        pastDue: false,
        satisfiedOn: '2026-02-15',
      },
    ],
    totals: { amount: '575.50', principal: '401.67', interest: '173.83', paid: '575.50', open: '0' },
  },
);

const ForecastAnswer = envelope(
  shape('Forecast', 'Expected cash flows and value of a funded loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the forecast.'),
    balance: money('Principal owed on that date.'),
    defaultProbability: decimalOut('Probability of default over the remaining term, as a fraction in text.'),
    grade: wordOut('Credit grade, A to F.'),
    riskRating: wordOut('`Low`, `Medium` or `High`.'),
    figures: Type.Record(Type.String(), grouped('figure', 'A figure.'), {
      description: 'Forecast from this date, with the same field names as `LoanDetails`.',
    }),
    CashflowsCsv: sentences('CSV with one row per month; month 0 is the date itself.'),
    modelVersion: wordOut('Version of the model.'),
    policyVersion: wordOut('Version of the underwriting policy.'),
  }),
  {
    loanId: `0x${'ab'.repeat(32)}`,
    asOf: '2026-02-15',
    balance: '24,500',
    defaultProbability: '0.031',
    grade: 'B',
    riskRating: 'Low',
    figures: { predictedPrincipalPaid: '23,901.12', fairValuePrice: '24,611.40' },
    CashflowsCsv: 'Month,BeginningBalance,…',
    modelVersion: 'auto-hazard-3',
    policyVersion: 'auto-3',
  },
);

const DisclosuresAnswer = envelope(
  shape('DisclosureList', 'The disclosures of a loan: who has read its personal data.', {
    items: Type.Array(
      shape('Disclosure', 'One read of personal data.', {
        at: time('When the data was read.'),
        organizationId: idOut('The organization of the client.'),
        clientId: maybe(idOut('An id.'), 'The client; null if it is another organization’s.'),
        userId: maybe(
          idOut('An id.'),
          'The person who acted through the client; null if it is another organization’s.',
        ),
        keyId: maybe(idOut('An id.'), 'The API key that was sent; null if it is another organization’s.'),
        what: wordOut('The data that was read.'),
        purpose: sentences('The stated purpose; may be empty, and is for another organization’s reads.'),
        requestId: requestIdOut('The request.'),
      }),
      { description: 'The disclosures, newest first.' },
    ),
    nextCursor: NextCursor,
    reasons: Type.Array(
      shape('TransactionReason', 'The reason given for a transaction.', {
        transactionHash: TransactionHash,
        at: time('When the transaction was recorded.'),
        reason: sentences('The reason.'),
      }),
      { description: 'On the first page the reasons given for transactions, all of them; empty on further pages.' },
    ),
  }),
  {
    items: [
      {
        at: '2026-02-15T12:00:00.000Z',
        organizationId: 'org_4n7c2q9d',
        clientId: 'client_8r3k2m5t7x',
        userId: null,
        keyId: 'key_2f9d7c',
        what: 'record',
        purpose: 'payoff letter',
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
      },
    ],
    nextCursor: null,
    reasons: [],
  },
);

const ExplainParams = {
  ...LoanParams,
  figure: Type.String({
    description: `The figure: ${FIGURES.join(', ')}, or \`payment:<refId>\` for a payment.`,
  }),
};

const ExplanationAnswer = envelope(Explanation, {
  figure: 'payoff',
  on: '2026-02-15',
  amount: '28,473.33',
  steps: [{ what: 'principal', how: 'outstanding', amount: '28,473.33' }],
  sentences: ['The payoff amount on 2026-02-15 is 28473.33. Each further day adds 5.61: …'],
});

export const readSchedule = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/schedule',
  id: 'readSchedule',
  summary: 'Get the payment schedule',
  description:
    'The installments, with the paid and unpaid amount of each. Before funding: the schedule as if the loan were funded on that date.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: ScheduleAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { view, options } = await viewed(call);
    return shown(call, view, ['schedule', options], (plain) => okText(scheduleShown(view, plain)));
  },
});

export const readForecast = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/forecast',
  id: 'readForecast',
  cost: 5,
  summary: 'Get the forecast of a funded loan',
  description:
    'Applies the underwriting model to the loan as of the date: expected monthly cash flows, default probability, yield and ' +
    'fair value price. 409 before funding.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: ForecastAnswer,
  problems: ['not_found', 'conflict'],
  async handle(call) {
    const { view, options } = await viewed(call);
    const expected = forecastOf(view);
    if (isRefusal(expected)) throw refusedProblem(expected);
    return shown(call, view, ['forecast', options], (plain) => {
      const { asOf, balance, defaultProbability, grade, riskRating, figures, cashflowsCsv } = expected;
      return okText({
        loanId: view.loanId,
        asOf,
        balance: amountText(balance, plain),
        defaultProbability: String(defaultProbability),
        grade,
        riskRating,
        figures: Object.fromEntries(Object.entries(figures).map(([name, text]) => [name, groupedText(text, plain)])),
        CashflowsCsv: cashflowsCsv,
        modelVersion: expected.modelVersion,
        policyVersion: expected.policyVersion,
      });
    });
  },
});

export const explainFigure = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/explain/{figure}',
  id: 'explainFigure',
  summary: 'Explain a figure',
  description: 'The steps that add up to the figure, and an explanation in sentences suitable for the borrower.',
  scopes: ['loans:read'],
  query: ViewQuery,
  params: ExplainParams,
  answer: ExplanationAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { figure = '' } = call.params;
    const { view, options } = await viewed(call);
    const explained = explanationOf(view.loan, figure) ?? noSuchFigure();
    return shown(call, view, [`explain ${figure}`, options], (plain) =>
      okText({
        ...explained,
        amount: amountText(explained.amount, plain),
        steps: explained.steps.map((step) => ({ ...step, amount: amountText(step.amount, plain) })),
      }),
    );
  },
});

export const listDisclosures = operation({
  ...personal,
  at: 'GET /loans/{loan_id}/disclosures',
  id: 'listDisclosures',
  cost: 2,
  summary: 'List disclosures of personal data',
  description:
    'Who has read the personal data of a loan, when and why; newest first, including this read. Also the reasons given for transactions.',
  query: closed({ limit: Limit(1_000, 100), cursor: pages.cursor }),
  requestHeaders: { purpose: personalHeaders.requestHeaders.purpose },
  answer: DisclosuresAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { limit = 100, cursor = null } = call.query;
    const actor = await actorOf(call);
    const page = await call.services.loans.people.disclosures(actor, loanIdOf(call), { limit, cursor });
    return page === 'bad_cursor' ? badCursor() : ok(page ?? noSuchLoan());
  },
});

function scheduleShown({ loanId, loan }: Pick<LoanView, 'loanId' | 'loan'>, plain: boolean) {
  const { planned, levelPayment, rows, totals } = scheduleOf(loan);
  return {
    loanId,
    asOf: loan.on,
    planned,
    levelPayment: levelPayment === null ? null : amountText(levelPayment, plain),
    installments: rows.map(({ n, dueDate, pastDue, satisfiedOn, ...amounts }) => ({
      n,
      dueDate,
      ...amountTexts(amounts, plain),
      pastDue,
      satisfiedOn,
    })),
    totals: amountTexts(totals, plain),
  };
}
