/** Custom data: names and texts that an owner keeps with a loan for its own use. Nothing here looks at what they mean. */
import type { Reader } from './reader.ts';

/** At most so many members of custom data on a loan. */
export const MOST_CUSTOM_MEMBERS = 20;

/**
 * The custom data that one organization has kept with a loan as its owner, as the last update left it: the number of its members, which are
 * sealed beside the event that was recorded at this time.
 */
export type CustomData = { readonly organizationId: string; readonly members: number; readonly recordedAt: string };

/** Null: this organization has never kept any with the loan. */
export function customDataOf(
  { customData }: { readonly customData: readonly CustomData[] },
  organizationId: string,
): CustomData | null {
  return customData.find((one) => one.organizationId === organizationId) ?? null;
}

/** In the order in which they were first set. */
export type CustomMembers = readonly (readonly [name: string, text: string])[];

/** A change: null removes the member. */
export type CustomChanges = readonly (readonly [name: string, text: string | null])[];

export const LONGEST_CUSTOM_NAME = 40;
export const LONGEST_CUSTOM_TEXT = 200;

/**
 * A letter comes first: then no name is that of an index of a list, which programs would sort to the front, and none means something to
 * JavaScript, such as `__proto__`.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/;

/** Members of every object in JavaScript: a program that reads one of these from an object that lacks it still finds something. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'prototype'],
  ...['toLocaleString', 'toString', 'valueOf', 'toJSON'],
]);

/**
 * Control characters, line and paragraph separators, marks that reverse the direction of what follows, and halves of characters: none of
 * them can be seen, and some change what a person reads around them.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u;

const NAMES = `A name has 1 to ${LONGEST_CUSTOM_NAME} letters (A to Z), digits, "_", "." and "-", and begins with a letter.`;

/** Notes what is wrong with a name or a text; null is a text that is removed. */
export function checkCustomMembers(read: Reader, members: CustomChanges, at: string): void {
  for (const [name, text] of members) {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!NAME.test(name)) read.note(pointer, { code: 'format', detail: NAMES });
    else if (TAKEN.has(name)) {
      const detail = 'Programs that read this name could take it for a part of JavaScript; use another name.';
      read.note(pointer, { code: 'format', detail });
    }
    const wrong = text === null ? null : wrongText(text);
    if (wrong !== null) read.note(pointer, { code: 'format', detail: wrong });
  }
}

function wrongText(text: string): string | null {
  if (text.trim() === '') return 'Must not be empty; send null to remove the member.';
  if (UNSEEN.test(text)) return 'Must be one line, without control characters and marks of writing direction.';
  return [...text].length > LONGEST_CUSTOM_TEXT ? `Must have at most ${LONGEST_CUSTOM_TEXT} characters.` : null;
}

/** The members after a change. One that was there keeps its place. */
export function withCustomChanges(members: CustomMembers, changes: CustomChanges): CustomMembers {
  const after = new Map(members);
  for (const [name, text] of changes) {
    if (text === null) after.delete(name);
    else after.set(name, text);
  }
  return [...after];
}
