/** Transfers of one loan to another servicer or owner. */

import { type Static, Type } from 'typebox';
import type { Change } from '../../loans/door/write.ts';
import { about, shape } from '../shared/named.ts';
import type { RequestReader } from '../shared/request-reader.ts';
import { date, day, Reason, Reference, request, written } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';
import { loanWrite } from '../shared/write.ts';

export const NewOwner = shape(
  'NewOwner',
  'The organization and lender that a loan is transferred to.',
  {
    organizationId: Type.String({ maxLength: 64, description: 'The organization of the new owner.' }),
    lenderId: about(Reference, 'The lender in whose books the loan will be, as the new owner names it.'),
  },
  { additionalProperties: false },
);

/** The subject, the receiver and the day of a transfer. */
export const transferTerms = {
  what: Type.Enum(['servicer', 'owner'], { description: 'Whether the loan gets a new servicer or a new owner.' }),
  to: Type.Union([Reference, NewOwner], {
    description:
      'For `servicer`, your id of the new servicer. For `owner`, the organization and lender of the new owner.',
  }),
  date: day(
    'The date from which the new servicer or owner has the loan: today or later, by the clock of the present owner; at most 366 days ahead.',
  ),
  reason: Reason,
};

const TransferRequest = request(transferTerms, {
  what: 'servicer',
  to: 'SRV-44',
  date: '2026-12-01',
  reason: 'Servicing agreement 7',
});

const AcceptRequest = request(
  {
    servicerId: Type.Optional(
      about(Reference, 'Your id of the servicer of the loan from the transfer on; default: none.'),
    ),
  },
  { servicerId: 'SRV-2' },
);

const CancelRequest = request(
  {
    what: Type.Optional(
      Type.Enum(['servicer', 'owner'], {
        description: 'The kind of transfer; required when one of each kind is scheduled.',
      }),
    ),
    reason: Type.Optional(Reason),
  },
  { what: 'owner', reason: 'The sale fell through.' },
);

const TransferAnswer = written(
  'Transfer',
  {
    transferId: referenceOut('The transfer.'),
    state: Type.Enum(['scheduled', 'offered', 'accepted', 'cancelled', 'done'], {
      description:
        '`scheduled`: to a servicer, on a later date. `offered`: the new owner has to accept it. `accepted`: it is carried out on its date. ' +
        '`done`: carried out.',
    }),
    date: date('The date from which the new servicer or owner has the loan.'),
  },
  { transferId: 'transfer-0b6c2f1e', state: 'scheduled', date: '2026-12-01' },
);

type Terms = { what: 'servicer' | 'owner'; to: Static<typeof transferTerms.to>; date: string; reason: string };

/** The terms of a transfer, as a command has them. */
export function termsIn(read: RequestReader, body: Terms) {
  const { what, reason } = body;
  const terms = { date: read.date(body, 'date', ''), reason };
  if (what === 'servicer') {
    if (typeof body.to !== 'string') {
      read.note('/to', { code: 'type', detail: 'Must be the id of a servicer when what is "servicer".' });
    }
    return { ...terms, what, to: typeof body.to === 'string' ? read.reference({ to: body.to }, 'to', '') : '' };
  }
  if (typeof body.to === 'string') {
    read.note('/to', { code: 'type', detail: 'Must have organizationId and lenderId when what is "owner".' });
    return { ...terms, what, to: { organizationId: '', lenderId: '' } };
  }
  const { organizationId } = body.to;
  return { ...terms, what, to: { organizationId, lenderId: read.reference(body.to, 'lenderId', '/to') } };
}

/** `transfer` names the state after the call. A repeated call shows the transfer that is there. */
const told = ({ transfer }: Change) => ({ ...transfer });

const transferLoan = loanWrite({
  does: 'transfer',
  id: 'transferLoan',
  tag: 'Servicing',
  summary: 'Transfer a loan to another servicer or owner',
  description:
    'A new servicer has the loan from the date on. A new owner has to accept the transfer by then (`POST /accept-transfer`); balances then ' +
    'leave the books of one lender and enter those of the other. Only the owner of a loan can transfer it: `servicing:write` for a servicer, ' +
    '`loans:write` for an owner. Repeating the call changes nothing.',
  body: TransferRequest,
  answer: TransferAnswer,
  problems: ['key_required', 'not_eligible'],
  command: (read, body) => ({
    do: 'transfer',
    transferId: `transfer-${read.fresh}`,
    from: null,
    ...termsIn(read, body),
  }),
  reason: ({ reason }) => reason,
  tells: told,
});

const acceptTransfer = loanWrite({
  does: 'accept-transfer',
  id: 'acceptTransfer',
  tag: 'Servicing',
  summary: 'Accept a loan that is offered to your organization',
  description:
    'By the new owner, up to the date of the transfer by the clock of the present owner. The transfer is carried out on that date; if it is ' +
    'accepted on the date itself, within minutes. `GET /transfers?direction=in` lists the offered transfers.',
  body: AcceptRequest,
  answer: TransferAnswer,
  command: (read, body) => ({
    do: 'accept-transfer',
    servicerId: body.servicerId === undefined ? '' : read.reference(body, 'servicerId', ''),
  }),
  tells: told,
});

const cancelTransfer = loanWrite({
  does: 'cancel-transfer',
  id: 'cancelTransfer',
  tag: 'Servicing',
  summary: 'Cancel or refuse a transfer',
  description:
    'The owner withdraws a transfer that is scheduled; an organization that a loan is offered to refuses it, or withdraws its acceptance. ' +
    'Not allowed once the transfer has been carried out.',
  body: CancelRequest,
  answer: TransferAnswer,
  command: (_read, { what = null, reason = null }) => ({ do: 'cancel-transfer', what, reason }),
  reason: ({ reason }) => reason,
  tells: told,
});

/** In the order of the OpenAPI document. */
export const transferWrites = [transferLoan, acceptTransfer, cancelTransfer] as const;
