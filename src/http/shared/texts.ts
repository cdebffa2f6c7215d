/** Texts in answers by what they hold, each with a pattern that is true for every value. Numbers as text are in `numbers.ts`. */
import { Type } from 'typebox';

const text = (pattern: string) => (description: string) => Type.String({ pattern, description });

/** A reference that a lender chose, an id of a policy or a transfer. */
export const referenceOut = text('^[A-Za-z0-9._:-]{1,64}$');

/** The same, or nothing. */
export const referenceOrNone = text('^[A-Za-z0-9._:-]{0,64}$');

/** An id that the service gave, or the operator: of an organization, a client, a person, a key, a session. */
export const idOut = text('^[!-~]{1,128}$');

/** The id of a request; a word or nothing where something other than a request did it, such as a command. */
export const requestIdOut = text('^[!-~]{0,128}$');

/** A word that programs compare: a code, an operation, a type of event or entry, an account. The list may grow. */
export const wordOut = text('^[A-Za-z][A-Za-z0-9_.-]{0,79}$');

/** A word, or nothing. */
export const wordOrNone = text('^(?:[A-Za-z][A-Za-z0-9_.-]{0,79})?$');

/** `2026-10`. */
export const monthOut = text('^[0-9]{4}-(?:0[1-9]|1[0-2])$');

/** A date, or nothing. */
export const dateOrNone = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Literal('')], { description });

/** Opaque: where the next page begins. */
export const cursorOut = text('^[!-~]{1,2000}$');

/** Scopes with spaces between them. */
export const scopesOut = text('^[a-z_:]*(?: [a-z_:]+)*$');

/** A URL of the service or of a caller. */
export const urlOut = text('^https?://[!-~]{1,2048}$');

/** A secret that is shown once, or a token. Examples have it cut off, so that nobody tries one. */
export const secretOut = (description: string) => Type.String({ minLength: 1, maxLength: 8192, description });

/** Hexadecimal digits with `0x`, or nothing. */
export const hashOrNone = text('^(?:0x[0-9A-Fa-f]{1,128})?$');

/** A ledger account: a 20-byte address. */
export const addressOut = text('^0x[0-9A-Fa-f]{40}$');

/** The same, or nothing. */
export const addressOrNone = text('^(?:0x[0-9A-Fa-f]{40})?$');

/** Sentences for people: no pattern could be true of them. Where they come from a caller, the request limits them. */
export const sentences = (description: string) => Type.String({ description });
