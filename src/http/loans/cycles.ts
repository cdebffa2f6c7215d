/** The nightly cycles of an organization: which have run, what each step did, and what a person should look at. */
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { STEPS } from '../../loans/cycle/cycles.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { applied, wantsPlain } from './actor.ts';
import { askerOf, SignedMoney } from './books.ts';
import { ledger } from './ledger.ts';
import { missing, tagged } from './read.ts';
import { DayOut, Hash, loanExample, Money, maybe, Timestamp } from './shapes.ts';

const Limit = (most: number, absent: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: `${absent} when absent.` }));

const DATE = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

const Summary = {
  date: DayOut,
  startedAt: maybe(Timestamp, 'Null for a day that could bring nothing.'),
  endedAt: maybe(Timestamp, 'Null until it has ended.'),
  exceptionCount: Type.Integer({ description: 'Loans that a step could not be done for.' }),
  proposalCount: Type.Integer({ description: 'Loans that should be charged off.' }),
};

const summaryExample = {
  date: '2026-10-31',
  startedAt: '2026-11-01T04:03:20.114Z',
  endedAt: '2026-11-01T04:03:41.870Z',
  exceptionCount: 0,
  proposalCount: 1,
};

const CyclesQuery = closed({
  limit: Limit(100, 25),
  cursor: Type.Optional(Type.String({ pattern: DATE, description: '`nextCursor` of the page before.' })),
});

export const listCycles = operation({
  ...ledger,
  at: 'GET /cycles',
  id: 'listCycles',
  summary: 'The nightly cycles',
  description:
    'The newest first. A cycle of a date runs a few minutes after that date is over in the organization’s time zone. Days on which nothing ' +
    'could change, because no loan was open, are left out.',
  query: CyclesQuery,
  answer: envelope(
    Type.Object({
      through: maybe(DayOut, 'The last day whose cycle has run; null: none yet.'),
      daysBehind: Type.Integer({ description: 'Days that are over and whose cycles have not run.' }),
      items: Type.Array(Type.Object(Summary)),
      nextCursor: maybe(Type.String(), 'Null on the last page.'),
    }),
    { through: '2026-10-31', daysBehind: 0, items: [summaryExample], nextCursor: null },
  ),
  problems: [],
  async handle(call) {
    const { limit = 25 } = call.query;
    const read = new RequestReader();
    const before = call.query.cursor === undefined ? null : read.date(call.query, 'cursor', '');
    read.done();
    const found = await call.services.loans.cycles.list(askerOf(call), { before, limit: limit + 1 });
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
      description: '`nextCursor` of the page before, for further exceptions and proposals.',
    }),
  ),
});

const CycleParams = { date: Type.String({ description: 'A day, `2026-10-31`.' }) };

export const readCycle = operation({
  ...ledger,
  at: 'GET /cycles/{date}',
  id: 'readCycle',
  summary: 'A nightly cycle, step by step',
  description:
    'What each step counted, the loans that it could not be done for, and at the end of a month the loans that should be charged off. ' +
    'Exceptions and proposals come in the order of loan ids.',
  query: CycleQuery,
  params: CycleParams,
  answer: envelope(
    Type.Object({
      ...Summary,
      steps: Type.Array(
        Type.Object({
          step: Type.String({ enum: [...STEPS] }),
          startedAt: maybe(Timestamp, 'Null until it has begun.'),
          endedAt: maybe(Timestamp, 'Null until it has ended.'),
          counts: Type.Record(Type.String(), Type.Integer(), {
            description: 'By what was counted: `loans`, `lateFees`, `bucket 30-59`, `entries`, `quotes`.',
          }),
          amount: maybe(SignedMoney, 'Late fees, interest posted, or what the proposed charge-offs owe.'),
        }),
      ),
      exceptions: Type.Array(
        Type.Object({
          loanId: Hash,
          step: Type.String(),
          error: Type.String({ description: 'The kind of the error and where it came from.' }),
        }),
      ),
      proposals: Type.Array(Type.Object({ loanId: Hash, daysPastDue: Type.Integer(), amount: Money })),
      nextCursor: maybe(Type.String(), 'Null when there are no further exceptions or proposals.'),
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
      proposals: [{ loanId: loanExample, daysPastDue: 139, amount: '18,204.50' }],
      nextCursor: null,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const { limit = 100, cursor: after = null } = call.query;
    const plain = wantsPlain(call.headers);
    const read = new RequestReader();
    const date = read.date(call.params, 'date', '');
    read.done();
    const found = await call.services.loans.cycles.read(askerOf(call), { date, after, limit: limit + 1 });
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
    return tagged(call, ok(data), applied(plain));
  },
});
