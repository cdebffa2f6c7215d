/** The nightly cycles of an organization: which have run, what each step did, and what needs manual review. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { STEPS } from '../../loans/cycle/sweep.ts';
import { askerOf, signedMoney } from '../books/books.ts';
import { ledger } from '../ledger/ledger.ts';
import { shape } from '../shared/named.ts';
import { money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { missing, tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, Limit, LoanIdOut, loanExample, maybe, NextCursor, time } from '../shared/shapes.ts';
import { referenceOut, sentences, wordOut } from '../shared/texts.ts';

const DATE = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

const Summary = {
  date: date('The business date of the cycle.'),
  startedAt: maybe(time('A time.'), 'When it started; null for a date on which there was nothing to do.'),
  endedAt: maybe(time('A time.'), 'When it ended; null while it is running.'),
  exceptionCount: Type.Integer({ description: 'Number of loans for which a step failed.' }),
  proposalCount: Type.Integer({ description: 'Number of loans proposed for charge-off.' }),
};

const summaryExample = {
  date: '2026-10-31',
  startedAt: '2026-11-01T04:03:20.114Z',
  endedAt: '2026-11-01T04:03:41.870Z',
  exceptionCount: 0,
  proposalCount: 1,
};

const CyclesQuery = closed({
  limit: Limit(),
  cursor: Type.Optional(Type.String({ pattern: DATE, description: '`nextCursor` of the previous page.' })),
});

export const listCycles = operation({
  ...ledger,
  at: 'GET /cycles',
  id: 'listCycles',
  summary: 'List nightly cycles',
  description:
    'Newest first. The cycle of a date runs a few minutes after the end of that date in the organization’s time zone. Dates on which no ' +
    'loan was open are omitted.',
  query: CyclesQuery,
  answer: envelope(
    shape('CyclePage', 'A page of nightly cycles.', {
      through: maybe(date('A date.'), 'The last date whose cycle has run; null if none has.'),
      daysBehind: Type.Integer({ description: 'Number of past dates whose cycles have not run yet.' }),
      items: Type.Array(shape('CycleSummary', 'A nightly cycle.', Summary), { description: 'Newest first.' }),
      nextCursor: NextCursor,
    }),
    { through: '2026-10-31', daysBehind: 0, items: [summaryExample], nextCursor: null },
  ),
  problems: [],
  async handle(call) {
    const { limit = 25 } = call.query;
    const read = new RequestReader();
    const before = call.query.cursor === undefined ? null : read.date(call.query, 'cursor', '');
    read.done();
    const found = await call.services.loans.cycle.list(askerOf(call), { before, limit: limit + 1 });
    const { through, daysBehind, items } = found;
    const nextCursor = items.length > limit ? (items[limit - 1]?.date ?? null) : null;
    return tagged(call, ok({ through, daysBehind, items: items.slice(0, limit), nextCursor }));
  },
});

const CycleQuery = closed({
  limit: Limit(1_000, 100),
  cursor: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-f]{64}$',
      description: '`nextCursor` of the previous page, for further exceptions and proposals.',
    }),
  ),
});

const CycleParams = {
  date: Type.String({ format: 'date', description: 'The date of the cycle, such as `2026-10-31`.' }),
};

export const readCycle = operation({
  ...ledger,
  at: 'GET /cycles/{date}',
  id: 'readCycle',
  summary: 'Get a nightly cycle',
  description:
    'The counts of each step, the loans for which a step failed, and at month end the loans proposed for charge-off. ' +
    'Exceptions and proposals are in order of loan id.',
  query: CycleQuery,
  params: CycleParams,
  answer: envelope(
    shape('Cycle', 'A nightly cycle, step by step.', {
      ...Summary,
      steps: Type.Array(
        shape('CycleStep', 'A step of a nightly cycle.', {
          step: Type.Enum([...STEPS], { description: 'The step.' }),
          startedAt: maybe(time('A time.'), 'When it started; null if it has not.'),
          endedAt: maybe(time('A time.'), 'When it ended; null if it has not.'),
          counts: Type.Record(Type.String(), Type.Integer(), {
            description: 'Counts by name: `loans`, `lateFees`, `bucket 30-59`, `entries`, `quotes`, `holds`.',
          }),
          amount: maybe(
            signedMoney('An amount.'),
            'Total of late fees, of interest posted, or of balances proposed for charge-off.',
          ),
        }),
        { description: 'The steps in order.' },
      ),
      exceptions: Type.Array(
        shape('CycleException', 'A loan for which a step failed.', {
          loanId: LoanIdOut,
          step: wordOut('The step.'),
          error: sentences('The kind of error and its place in the source code.'),
        }),
        { description: 'The loans for which a step failed.' },
      ),
      proposals: Type.Array(
        shape('ChargeOffProposal', 'A loan proposed for charge-off.', {
          loanId: LoanIdOut,
          daysPastDue: Type.Integer({ description: 'Days past due.' }),
          amount: money('The principal owed.'),
          reason: wordOut(
            '`pastDue`: its days past due have reached the limit of the policy. `bankruptcy` or `fraud`: a hold of this kind requires it.',
          ),
          holdId: maybe(referenceOut('A reference.'), 'The hold that requires it; null for `pastDue`.'),
        }),
        { description: 'The loans proposed for charge-off.' },
      ),
      nextCursor: NextCursor,
    }),
    {
      ...summaryExample,
      steps: [
        {
          step: 'lateFeesAndBuckets',
          startedAt: '2026-11-01T04:03:20.120Z',
          endedAt: '2026-11-01T04:03:33.902Z',
          counts: { loans: 412, lateFees: 120, 'bucket 30-59': 31 },
          amount: '3,600',
        },
      ],
      exceptions: [],
      proposals: [{ loanId: loanExample, daysPastDue: 139, amount: '18,204.50', reason: 'pastDue', holdId: null }],
      nextCursor: null,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const { limit = 100, cursor: after = null } = call.query;
    const { plain, headers: applied } = numbersOf(call);
    const read = new RequestReader();
    const date = read.date(call.params, 'date', '');
    read.done();
    const found = await call.services.loans.cycle.read(askerOf(call), { date, after, limit: limit + 1 });
    if (found === null) return missing('cycle');
    const { steps, exceptions, proposals, ...summary } = found;
    // One cursor for both lists: the lower of the ids at which they were cut, so that nothing is left out.
    const cut = [exceptions, proposals].flatMap((list) => (list.length > limit ? [list[limit - 1]?.loanId ?? ''] : []));
    const nextCursor = cut.sort()[0] ?? null;
    const shown = <T extends { loanId: string }>(list: readonly T[]) =>
      list.filter(({ loanId }) => nextCursor === null || loanId <= nextCursor);
    const data = {
      ...summary,
      steps: steps.map(({ amount, ...step }) => ({
        ...step,
        amount: amount === null ? null : amountText(amount, plain),
      })),
      exceptions: shown(exceptions),
      proposals: shown(proposals).map(({ amount, ...one }) => ({ ...one, amount: amountText(amount, plain) })),
      nextCursor,
    };
    return tagged(call, ok(data), applied);
  },
});
