/** Custom data: names and texts that the owner of a loan keeps with it for its own use. */
import { Type } from 'typebox';
import {
  type CustomChanges,
  checkCustomMembers,
  LONGEST_CUSTOM_NAME,
  LONGEST_CUSTOM_TEXT,
} from '../../boarding/custom-data.ts';
import { customDataOf, MOST_CUSTOM_MEMBERS } from '../../core/loan.ts';
import { actorOf } from '../shared/actor.ts';
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

const NAMES = `A name has 1 to ${LONGEST_CUSTOM_NAME} letters, digits, \`_\`, \`.\` and \`-\`, and begins with a letter; upper and lower case differ.`;
const TEXTS = `A text has 1 to ${LONGEST_CUSTOM_TEXT} characters in one line.`;

const example = { dealerNumber: 'D-4471', branch: 'Dayton' };

/** Checked by the operation (`checkCustomMembers`), which says what is wrong with a name. */
const Changes = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  additionalProperties: { type: ['string', 'null'], maxLength: LONGEST_CUSTOM_TEXT },
  minProperties: 1,
  maxProperties: 2 * MOST_CUSTOM_MEMBERS,
  description:
    `The members to set; null removes one, and members that are not named stay as they are. ${NAMES} ${TEXTS} ` +
    `A loan has at most ${MOST_CUSTOM_MEMBERS} members.`,
});

/** For a creation: as elsewhere there, `""` and null are members that are not given. */
export const CustomDataInput = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'null'], maxLength: LONGEST_CUSTOM_TEXT },
  maxProperties: MOST_CUSTOM_MEMBERS,
  description:
    'What you keep with the loan for your own use. Sealed like personal data, and not a part of the record: ' +
    `\`GET /loans/{loan_id}/custom-data\` reads it. ${NAMES} ${TEXTS} At most ${MOST_CUSTOM_MEMBERS} members.`,
});

/** For a search: the whole text of each member. */
export const CustomDataSearched = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: LONGEST_CUSTOM_TEXT },
  minProperties: 1,
  maxProperties: MOST_CUSTOM_MEMBERS,
  description:
    'Members of the custom data with their whole texts, in upper and lower case as they were set. Only what the present owner of a loan ' +
    'keeps with it now is looked at.',
});

const UpdateRequest = request(
  { customData: Changes, reason: Type.Optional(about(Reason, 'The reason, in your own words. Stored encrypted.')) },
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
      customData: Type.Record(Type.String(), Type.String(), {
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
