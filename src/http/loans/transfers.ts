/** Transfers of many loans. */
import { Type } from 'typebox';
import { TRANSFER_STATES } from '../../loans/transfers/transfers.ts';
import { shape } from '../named.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { actorOf } from './actor.ts';
import { tagged } from './read.ts';
import { date, Limit, LoanIdOut, loanExample, NextCursor, readHeaders, time } from './shapes.ts';
import { NewOwner } from './transfer.ts';

const State = Type.Enum([...TRANSFER_STATES], {
  description:
    '`scheduled`: to a servicer, on a later date. `offered`: the new owner has not accepted it. `accepted`: it will be carried out on its ' +
    'date. `cancelled`: withdrawn, refused or replaced. `done`: carried out.',
});

const ListQuery = closed({
  direction: Type.Enum(['in', 'out'], {
    description: '`in`: offered to your organization. `out`: scheduled by your organization.',
  }),
  transferId: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'The loans of one transfer.' }),
  ),
  state: Type.Optional(State),
  limit: Limit(1_000, 100),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,64}/0x[0-9a-f]{64}$',
      description: '`nextCursor` of the previous page.',
    }),
  ),
});

const ListAnswer = envelope(
  shape('TransferPage', 'A page of transfers.', {
    items: Type.Array(
      shape('LoanTransfer', 'The transfer of a loan.', {
        transferId: Type.String({ description: 'The transfer; the same for all loans of one request.' }),
        loanId: LoanIdOut,
        organizationId: Type.String({ description: 'The owner that transfers the loan.' }),
        what: Type.Enum(['servicer', 'owner'], { description: 'Whether the loan gets a new servicer or a new owner.' }),
        to: Type.Union([Type.String(), NewOwner], { description: 'The id of the new servicer, or the new owner.' }),
        date: date('The date from which the new servicer or owner has the loan.'),
        state: State,
        scheduledAt: time('When it was requested.'),
        changedAt: time('When its state last changed.'),
      }),
      { description: 'By transfer, then by loan.' },
    ),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        transferId: 'transfer-0b6c2f1e',
        loanId: loanExample,
        organizationId: 'org_harbor',
        what: 'owner',
        to: { organizationId: 'org_lakeside', lenderId: 'L-9' },
        date: '2026-12-01',
        state: 'offered',
        scheduledAt: '2026-11-16T09:00:00.000Z',
        changedAt: '2026-11-16T09:00:00.000Z',
      },
    ],
    nextCursor: null,
  },
);

export const listTransfers = operation({
  at: 'GET /transfers',
  id: 'listTransfers',
  tag: 'Servicing',
  summary: 'List transfers of loans',
  description:
    'Transfers that your organization has scheduled, or that are offered to it. An organization sees no more of an offered loan than this until ' +
    'the transfer is carried out, unless the owner has granted it access.',
  scopes: ['loans:read'],
  key: 'checked',
  query: ListQuery,
  conditional: true,
  requestHeaders: { 'If-None-Match': readHeaders.requestHeaders['If-None-Match'] },
  answerHeaders: { ETag: readHeaders.answerHeaders.ETag },
  answer: ListAnswer,
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { direction, limit = 100, cursor } = query;
    const [transfer = '', loanId = ''] = cursor?.split('/') ?? [];
    const read = new RequestReader();
    const transferId = query.transferId === undefined ? null : read.reference(query, 'transferId', '');
    read.done();
    const found = await services.loans.transfers.list(await actorOf(call), {
      direction,
      transferId,
      state: query.state ?? null,
      after: cursor === undefined ? null : { transferId: transfer, loanId },
      limit: limit + 1,
    });
    const last = found.length > limit ? found[limit - 1] : undefined;
    const nextCursor = last === undefined ? null : `${last.transferId}/${last.loanId}`;
    return tagged(call, ok({ items: found.slice(0, limit), nextCursor }));
  },
});
