/** Reads of one loan: schedule, forecast, statement, explanations, and the disclosures of its personal data. */
import { Type } from 'typebox';
import { amountText, groupedText } from '../../core/decimal.ts';
import { CLOSED_BY, METHODS, PURPOSES, RETURN_CODES } from '../../core/loan.ts';
import { isRefusal } from '../../core/refusal.ts';
import { endedBy, explanationOf, FIGURES, scheduleOf, statementOf, unwrittenOf } from '../../loans/figures.ts';
import { forecastOf } from '../../loans/forecast.ts';
import type { LoanView } from '../../loans/loans.ts';
import { envelope, ok, operation } from '../operation.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { actorOf } from './actor.ts';
import { amountTexts, inColumns, noSuchFigure } from './figures.ts';
import { noSuchLoan } from './ids.ts';
import { paidExample } from './payment.ts';
import { loanIdOf, okText, personal, reading, seen, shown, viewed, viewOptions } from './read.ts';
import {
  Allocation,
  DayOut,
  Hash,
  hashExample,
  LoanParams,
  loanExample,
  Money,
  maybe,
  NoQuery,
  personalHeaders,
  Timestamp,
  ViewQuery,
} from './shapes.ts';

const ScheduleAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    planned: Type.Boolean({ description: 'Before funding: what it would be if it were funded on that day.' }),
    levelPayment: maybe(Money, 'The payment of the installments to come; null when none is level.'),
    installments: Type.Array(
      Type.Object({
        n: Type.Integer(),
        dueDate: DayOut,
        amount: Money,
        principal: Money,
        interest: Money,
        paid: Money,
        open: Money,
        pastDue: Type.Boolean(),
        satisfiedOn: maybe(DayOut, 'When it was fully paid.'),
      }),
      { description: '`principal` and `interest` are as the schedule splits the amount.' },
    ),
    totals: Type.Object({ amount: Money, principal: Money, interest: Money, paid: Money, open: Money }),
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
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    balance: Money,
    defaultProbability: Type.String({ description: 'A fraction: of what is still to come.' }),
    grade: Type.String(),
    riskRating: Type.String(),
    figures: Type.Record(Type.String(), Type.String(), {
      description: 'As `loanDetails` names them, from this day on.',
    }),
    CashflowsCsv: Type.String({ description: 'One row a month; `Month` 0 is the day itself.' }),
    modelVersion: Type.String(),
    policyVersion: Type.String(),
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
    modelVersion: 'auto-hazard-1',
    policyVersion: 'auto-1',
  },
);

const HistoryLine = Type.Object({
  entry: Type.String(),
  account: Type.String(),
  debit: Money,
  credit: Money,
  dateEffective: DayOut,
  datePosted: DayOut,
  priorPeriod: Type.Boolean({ description: 'It takes effect in an earlier month than it is posted in.' }),
  transactionHash: maybe(
    Hash,
    'Null: a day brought it, and the next transaction of the loan or the nightly cycle writes it down.',
  ),
});

const HistoryAnswer = envelope(
  Type.Object({
    loanId: Hash,
    asOf: DayOut,
    closedBy: maybe(Type.Enum([...CLOSED_BY]), 'How a closed loan ended; null while it is open.'),
    rows: Type.Array(
      Type.Object({
        date: DayOut,
        kind: Type.String(),
        reference: maybe(Type.String(), 'Of the payment, fee, refund or quote.'),
        detail: Type.String(),
        amount: Money,
        allocation: Allocation,
        balance: Type.String({ description: 'Principal that is owed after it.' }),
        running: Type.Object({ fees: Money, credit: Money, received: Money }),
        purpose: maybe(Type.Enum([...PURPOSES]), 'Of a payment.'),
        method: maybe(Type.Enum([...METHODS]), 'How a payment was made.'),
        trace: maybe(Type.String(), 'The bank’s or processor’s reference of a payment.'),
        code: maybe(Type.Enum([...RETURN_CODES]), 'Why a payment was returned.'),
        journal: Type.Array(HistoryLine, { description: 'What it posted in the general ledger.' }),
      }),
      { description: 'Everything that moved money or terms, in the order in which it took effect.' },
    ),
    otherLines: Type.Array(HistoryLine, {
      description: 'Lines beside no row: the beginning of non-accrual, or a late fee that was taken back since.',
    }),
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    closedBy: null,
    rows: [
      {
        date: '2026-02-15',
        kind: 'payment',
        reference: 'ACH-2026-02-0001',
        detail: '',
        amount: '575.50',
        ...{ allocation: paidExample.allocation, balance: paidExample.remainingBalance },
        running: { fees: '0', credit: '0', received: '575.50' },
        purpose: 'installment',
        method: 'ach',
        trace: '091000010000001',
        code: null,
        journal: [
          {
            entry: 'receipt',
            account: 'cashClearing',
            debit: '575.50',
            credit: '0',
            dateEffective: '2026-02-15',
            datePosted: '2026-02-15',
            priorPeriod: false,
            transactionHash: hashExample,
          },
        ],
      },
    ],
    otherLines: [],
  },
);

const DisclosuresAnswer = envelope(
  Type.Object({
    items: Type.Array(
      Type.Object({
        at: Timestamp,
        organizationId: Type.String(),
        clientId: Type.String(),
        keyId: maybe(Type.String(), 'The API key that was sent.'),
        what: Type.String(),
        purpose: Type.String(),
        requestId: Type.String(),
      }),
    ),
    reasons: Type.Array(Type.Object({ transactionHash: Hash, at: Timestamp, reason: Type.String() }), {
      description: 'What was given as the reason of a transaction.',
    }),
  }),
  {
    items: [
      {
        at: '2026-02-15T12:00:00.000Z',
        organizationId: 'org_4n7c2q9d',
        clientId: 'client_8r3k2m5t7x',
        keyId: 'key_2f9d7c',
        what: 'record',
        purpose: 'payoff letter',
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
      },
    ],
    reasons: [],
  },
);

const ExplainParams = {
  ...LoanParams,
  figure: Type.String({ description: `${FIGURES.join(', ')}, or \`payment:\` and the \`refId\` of a payment.` }),
};

const ExplanationAnswer = envelope(
  Type.Object({
    figure: Type.String(),
    on: DayOut,
    amount: Money,
    steps: Type.Array(Type.Object({ what: Type.String(), how: Type.String(), amount: Money }), {
      description: 'They add up to the amount.',
    }),
    sentences: Type.Array(Type.String()),
  }),
  {
    figure: 'payoff',
    on: '2026-02-15',
    amount: '28,473.33',
    steps: [{ what: 'principal', how: 'outstanding', amount: '28,473.33' }],
    sentences: ['To be done on 2026-02-15 takes 28473.33. Each further day adds 5.61: …'],
  },
);

export const readSchedule = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/schedule',
  id: 'readSchedule',
  summary: 'The installments, and what is paid and open of each',
  description: 'Before funding: what they would be if the loan were funded on that day.',
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
  summary: 'What is still to come of a funded loan, and what that is worth',
  description:
    'The underwriting model on the loan as it stands on the day: expected cash flows month by month, default probability, yield and ' +
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

export const readHistory = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/history',
  id: 'readHistory',
  summary: 'The statement: everything that moved money or terms, with the journal beside it',
  description:
    'As it is known now: a returned payment stands there and pays nothing. The journal has what was posted when, so a correction is beside ' +
    'the row that brought it.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: HistoryAnswer,
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const actor = await actorOf(call);
    const view = seen(await call.services.loans.read(actor, loanIdOf(call), options));
    const journal = (await call.services.loans.journal(actor, loanIdOf(call))) ?? noSuchLoan();
    // A long history takes some 20 ms to fold and as long again to be shown: turns of the event loop between.
    await nextTurn();
    const lines = { journal, unwritten: unwrittenOf(view) };
    await nextTurn();
    return shown(call, view, ['history', options], (plain) => okText(historyOf(view, lines, plain)));
  },
});

export const explainFigure = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/explain/{figure}',
  id: 'explainFigure',
  summary: 'Where a figure comes from',
  description: 'Steps that add up to it, and sentences a borrower can be told.',
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
  summary: 'Who has seen the personal data, when and why',
  description: 'Newest first, this look included; and the reasons that were given for transactions.',
  query: NoQuery,
  requestHeaders: { purpose: personalHeaders.requestHeaders.purpose },
  answer: DisclosuresAnswer,
  problems: ['not_found'],
  async handle(call) {
    return ok((await call.services.loans.disclosures(await actorOf(call), loanIdOf(call))) ?? noSuchLoan());
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

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function historyOf(view: LoanView, lines: Parameters<typeof statementOf>[1], plain: boolean) {
  const { rows, others } = statementOf(view, lines);
  const lineShown = (line: (typeof others)[number]) => {
    const { entry, dateEffective, datePosted, priorPeriod, transactionHash } = line;
    return { entry, ...inColumns(line, plain), dateEffective, datePosted, priorPeriod, transactionHash };
  };
  return {
    loanId: view.loanId,
    asOf: view.loan.on,
    closedBy: endedBy(view.loan),
    rows: rows.map(({ date, kind, reference, detail, ...row }) => ({
      date,
      kind,
      reference,
      detail,
      amount: amountText(row.amount, plain),
      allocation: amountTexts(row.allocation, plain),
      balance: amountText(row.balance, plain),
      running: amountTexts(row.running, plain),
      ...row.facts,
      journal: row.journal.map(lineShown),
    })),
    otherLines: others.map(lineShown),
  };
}
