/** Custom data in requests: of a creation, an update and a search. */
import { Type } from 'typebox';
import { LONGEST_CUSTOM_NAME, LONGEST_CUSTOM_TEXT, MOST_CUSTOM_MEMBERS } from '../../core/custom-data.ts';

const NAMES = `A name has 1 to ${LONGEST_CUSTOM_NAME} letters, digits, \`_\`, \`.\` and \`-\`, and begins with a letter; upper and lower case differ.`;
const TEXTS = `A text has 1 to ${LONGEST_CUSTOM_TEXT} characters in one line.`;

/** Checked by the operation (`checkCustomMembers`), which says what is wrong with a name. */
export const CustomDataChanges = Type.Unsafe<Record<string, string | null>>({
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
