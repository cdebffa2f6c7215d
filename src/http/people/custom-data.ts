/** Custom data: names and texts that the owner of a loan keeps with it for its own use. */
import { Type } from 'typebox';
import { type CustomChanges, checkCustomMembers, customDataOf, LONGEST_CUSTOM_TEXT } from '../../core/custom-data.ts';
import { actorOf } from '../shared/actor.ts';
import { CustomDataChanges } from '../shared/custom-data.ts';
import { about, shape } from '../shared/named.ts';
import { envelope, operation } from '../shared/operation.ts';
import { loanIdOf, okText, personal, seen, shown, viewOptions } from '../shared/read.ts';
import {
  LoanIdOut,
  loanExample,
  maybe,
  personalHeaders,
  Reason,
  request,
  time,
  ViewQuery,
  written,
} from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';

const example = { dealerNumber: 'D-4471', branch: 'Dayton' };

const UpdateRequest = request(
  {
    customData: CustomDataChanges,
    reason: Type.Optional(about(Reason, 'The reason, in your own words. Stored encrypted.')),
  },
  { customData: { branch: 'Dayton', collector: null } },
);

const updateCustomData = loanWrite({
  does: 'update-custom-data',
  id: 'updateCustomData',
  tag: 'Servicing',
  summary: 'Change the custom data of a loan',
  description:
    'Custom data is what you keep with a loan for your own use: numbers of your other systems, a branch, a campaign. Members that are sent ' +
    'are set, those that are null removed, all others stay. The values are stored encrypted and erased with the borrower; the response, the ' +
    'ledger, events and the public record contain none of them. `POST /search-loans` finds the loan by the present values. Each owner of a ' +
    'loan has its own: after a transfer the new owner begins with none.',
  cost: 2,
  body: UpdateRequest,
  answer: written(
    'CustomDataUpdate',
    { members: Type.Integer({ description: 'How many members the loan has now.' }) },
    { members: 2 },
  ),
  command(read, { customData, reason }) {
    const set: CustomChanges = Object.entries(customData);
    checkCustomMembers(read, set, '/customData');
    return { do: 'update-custom-data', set, reasoned: reason !== undefined };
  },
  reason: ({ reason }) => reason,
  tells: ({ loan, events }) => {
    const last = events.findLast((event) => event.type === 'customDataUpdated');
    const kept = last?.type === 'customDataUpdated' ? customDataOf(loan, last.organizationId) : null;
    return { members: kept?.members ?? 0 };
  },
});

/** In the order of the OpenAPI document. */
export const customDataWrites = [updateCustomData] as const;

export const readCustomData = operation({
  ...personal,
  ...personalHeaders,
  at: 'GET /loans/{loan_id}/custom-data',
  id: 'readCustomData',
  cost: 2,
  summary: 'The custom data of a loan',
  description:
    'What the owner keeps with the loan, in the order in which the members were first set. Every read, also one answered with 304, is recorded ' +
    'as a disclosure. A former owner reads what it had on its last day.',
  query: ViewQuery,
  answer: envelope(
    shape('CustomData', 'What the owner of a loan keeps with it for its own use.', {
      loanId: LoanIdOut,
      customData: Type.Record(Type.String(), Type.String({ maxLength: LONGEST_CUSTOM_TEXT }), {
        description: 'The texts by their names. As `POST /loans` and `POST /update-custom-data` take them.',
      }),
      updatedAt: maybe(time('A time.'), 'When it last changed; null: there was never any.'),
      erased: Type.Boolean({ description: 'Whether the borrower was erased, and the custom data with the borrower.' }),
    }),
    { loanId: loanExample, customData: example, updatedAt: '2026-10-05T14:03:11.000Z', erased: false },
  ),
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.people.customData(await actorOf(call), loanIdOf(call), options));
    const { loanId, version, on, members, updatedAt, erased } = found;
    const representation = ['personal custom data', options, String(erased)] as const;
    return shown(call, { version, loan: { on } }, representation, () =>
      okText({ loanId, customData: Object.fromEntries(members), updatedAt, erased }),
    );
  },
});
