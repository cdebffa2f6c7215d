/** Transfers of many loans: lists of them, and one request for many. */

import { Type } from 'typebox';
import type { RunStatus, TransferNotStarted } from '../../loans/transfers/runs.ts';
import { TRANSFER_STATES } from '../../loans/transfers/transfers.ts';
import { NewOwner, termsIn, transferTerms } from '../loans/transfer.ts';
import { conditionsIn, LoanFilter } from '../reads/lists.ts';
import { actorOf } from '../shared/actor.ts';
import { BULK_BODY } from '../shared/body-limits.ts';
import { idIn } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import {
  conditionalHeaders,
  date,
  hash,
  Limit,
  LoanId,
  LoanIdOut,
  loanExample,
  maybe,
  NextCursor,
  Reference,
  time,
} from '../shared/shapes.ts';
import { idOut, referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { answered } from '../shared/write.ts';
import { dryRunShown, write } from '../shared/writing.ts';

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
        transferId: referenceOut('The transfer; the same for all loans of one request.'),
        loanId: LoanIdOut,
        organizationId: idOut('The owner that transfers the loan.'),
        what: Type.Enum(['servicer', 'owner'], { description: 'Whether the loan gets a new servicer or a new owner.' }),
        to: Type.Union([referenceOut('A reference.'), NewOwner], {
          description: 'The id of the new servicer, or the new owner.',
        }),
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
  ...conditionalHeaders,
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

// ---- many loans in one request ----

const LOANS_AT_MOST = 10_000;

const run = {
  transferId: referenceOut('The transfer of these loans. `GET /transfers/{transfer_id}` shows its progress.'),
  kind: Type.Enum(['transfer', 'accept'], {
    description: 'Whether loans are transferred, or loans that were offered are accepted.',
  }),
  complete: Type.Boolean({ description: 'Whether all loans are known; before that the counts still grow.' }),
  pending: Type.Integer({ description: 'Loans still to be done.' }),
  done: Type.Integer({
    description: 'Loans that are scheduled, offered, accepted or transferred; in a dry run, loans that would be.',
  }),
  refused: Type.Integer({ description: 'Loans that were refused; in a dry run, loans that would be.' }),
  refusals: Type.Array(
    shape('TransferRefusal', 'Why loans were refused, and how many.', {
      refusal: wordOut('The code of the refusal.'),
      count: Type.Integer({ description: 'The number of loans.' }),
    }),
    { description: 'The reasons.' },
  ),
  stopped: maybe(
    shape('TransferStopped', 'Why a transfer of many loans ended early.', {
      refusal: wordOut('The code of the refusal.'),
      detail: sentences('The reason in a sentence.'),
    }),
    'Why it ended before its loans were done: whoever ordered it may no longer do so. Null: it did not.',
  ),
  createdAt: time('When it was requested.'),
  endedAt: maybe(Type.String({ format: 'date-time' }), 'When it ended; null while it is running.'),
};

const runExample = {
  transferId: 'transfer-0b6c2f1e',
  kind: 'transfer',
  complete: true,
  pending: 0,
  done: 812,
  refused: 3,
  refusals: [{ refusal: 'wrong_status', count: 3 }],
  stopped: null,
  createdAt: '2026-11-16T09:00:00.000Z',
  endedAt: '2026-11-16T09:00:07.000Z',
};

function shownRun({ request, gathered, items: _, dryRun: __, ...status }: RunStatus) {
  return { ...status, kind: request.kind, complete: gathered };
}

/** The run, or the problem that it was not started for. */
function started(result: RunStatus | TransferNotStarted): RunStatus {
  if (!('kind' in result)) return result;
  answered(result, false);
  throw new Error('A transfer that was not started has no problem.');
}

const manyWrites = {
  tag: 'Servicing',
  key: 'checked',
  cost: 20,
  answer: envelope(shape('TransferRunStarted', 'A transfer of many loans.', { ...run, ...dryRunShown }), runExample),
  problems: ['not_granted', 'key_required', 'not_eligible', 'insufficient_scope'],
} as const;

export const transferLoans = write({
  ...manyWrites,
  at: 'POST /transfers',
  id: 'transferLoans',
  limits: BULK_BODY,
  summary: 'Transfer many loans to another servicer or owner',
  description:
    'Each loan in `loanIds`, or each that matches `filter`, is transferred in the background as by `POST /transfer`, with the rights that the ' +
    'caller has then. The response comes at once. In a dry run nothing is changed, and the same counts show what would be done and refused.',
  scopes: ['servicing:write', 'loans:write'],
  body: closed(
    {
      loanIds: Type.Optional(
        Type.Array(LoanId, {
          minItems: 1,
          maxItems: LOANS_AT_MOST,
          description: 'The loans; either this or `filter`.',
        }),
      ),
      filter: Type.Optional(about(LoanFilter, 'The loans of your organization that match; either this or `loanIds`.')),
      ...transferTerms,
    },
    {
      examples: [
        {
          filter: { servicerId: 'SRV-12', status: 'Current,Delinquent' },
          what: 'servicer',
          to: 'SRV-44',
          date: '2026-12-01',
          reason: 'Servicing agreement 7',
        },
      ],
    },
  ),
  hasDryRun: true,
  async write(call, how) {
    const { body, services } = call;
    const read = new RequestReader();
    const { reason, ...terms } = termsIn(read, body);
    if ((body.loanIds === undefined) === (body.filter === undefined)) {
      read.note('/loanIds', { code: 'contradiction', detail: 'Give either loanIds or filter.' });
    }
    const loanIds = body.loanIds?.map((loanId, i) => {
      const id = idIn(loanId);
      if (id === null) {
        read.note(`/loanIds/${i}`, { code: 'format', detail: 'Must be `0x` and 64 hexadecimal digits.' });
      }
      return id ?? '';
    });
    read.done();
    const filter = body.filter === undefined ? null : conditionsIn(body.filter, '/filter');
    const request = { kind: 'transfer', filter, ...terms } as const;
    const asked = { request, loanIds: loanIds === undefined ? null : [...new Set(loanIds)], reason };
    return started(await services.loans.transfers.start(await actorOf(call), asked, how));
  },
  shows: shownRun,
});

export const acceptTransfers = write({
  ...manyWrites,
  at: 'POST /accept-transfers',
  id: 'acceptTransfers',
  summary: 'Accept all loans of a transfer',
  description:
    'Accepts every loan that is offered to your organization under a `transferId`, each as by `POST /accept-transfer`, in the background. ' +
    '`GET /transfers?direction=in` lists them.',
  scopes: ['loans:write'],
  body: closed(
    {
      transferId: about(Reference, 'The transfer, as `GET /transfers` lists it.'),
      servicerId: Type.Optional(about(Reference, 'Your id of the servicer of the loans; default: none.')),
    },
    { examples: [{ transferId: 'transfer-0b6c2f1e', servicerId: 'SRV-2' }] },
  ),
  hasDryRun: true,
  async write(call, how) {
    const { body, services } = call;
    const read = new RequestReader();
    const transferId = read.reference(body, 'transferId', '');
    const servicerId = body.servicerId === undefined ? '' : read.reference(body, 'servicerId', '');
    read.done();
    const request = { kind: 'accept', transferId, servicerId } as const;
    const actor = await actorOf(call);
    return started(await services.loans.transfers.start(actor, { request, loanIds: null, reason: null }, how));
  },
  shows: shownRun,
});

const RunQuery = closed({
  limit: Limit(1_000, 100),
  cursor: Type.Optional(
    Type.String({ pattern: '^0x[0-9a-f]{64}$', description: '`nextCursor` of the previous page.' }),
  ),
});

export const readTransfer = operation({
  at: 'GET /transfers/{transfer_id}',
  id: 'readTransfer',
  tag: 'Servicing',
  summary: 'Get the progress of a transfer of many loans',
  description: 'How many loans are done and refused, and each refused loan with the reason, in order of loan id.',
  scopes: ['loans:read'],
  key: 'checked',
  query: RunQuery,
  params: { transfer_id: Type.String({ description: 'The transfer.' }) },
  ...conditionalHeaders,
  answer: envelope(
    shape('TransferRun', 'A transfer of many loans, and the refused ones.', {
      ...run,
      dryRun: Type.Boolean({ description: 'Whether it is a dry run, which changes nothing.' }),
      items: Type.Array(
        shape('RefusedLoan', 'A loan that was refused.', {
          loanId: hash('The loan.'),
          refusal: wordOut('The code of the refusal.'),
          detail: sentences('The reason in a sentence.'),
        }),
        { description: 'The refused loans.' },
      ),
      nextCursor: NextCursor,
    }),
    {
      ...runExample,
      dryRun: false,
      items: [
        {
          loanId: loanExample,
          refusal: 'wrong_status',
          detail: 'transfer is not allowed while the loan is Approved. Allowed now: fund-loan, cancel, publish.',
        },
      ],
      nextCursor: null,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const { services, query, params } = call;
    const { limit = 100, cursor = null } = query;
    const page = { after: cursor, limit: limit + 1 };
    const found = await services.loans.transfers.run(await actorOf(call), params.transfer_id ?? '', page);
    if (found === null) throw new Problem('not_found', 'There is no such transfer of many loans.');
    const items = found.items.slice(0, limit);
    const nextCursor = found.items.length > limit ? (items.at(-1)?.loanId ?? null) : null;
    return tagged(call, ok({ ...shownRun(found), dryRun: found.dryRun, items, nextCursor }));
  },
});
