/**
 * Positions of the members of an object and the entries of a list in JSON text. A submitted body is returned as it was
 * given: number texts, escapes, order, repeated names and white space included, which a parsed value does not have any more. The text
 * must be valid JSON: `JSON.parse` has already accepted it.
 *
 * Values are passed over without looking into them: strings by searching for their end, everything else by counting brackets. That is
 * one pass over the text for each level that is asked for, and no recursion.
 */

/** From the first character of a value to the one after its last. */
export type Span = { readonly start: number; readonly end: number };
export type MemberSpan = Span & { readonly name: string };

/** The position at which the value of a whole text starts, after any white space. */
export function valueStart(source: string): number {
  return afterSpace(source, 0);
}

/** The members of the object that starts at `at`, in their order; a name that is repeated comes as often as it is written. */
export function memberSpans(source: string, at: number): MemberSpan[] {
  return membersAndEnd(source, at).members;
}

/** The same, and where the object ends. */
export function membersAndEnd(source: string, at: number): { members: MemberSpan[]; end: number } {
  const members: MemberSpan[] = [];
  let i = afterSpace(source, at + 1);
  while (source.charCodeAt(i) !== CLOSE_BRACE) {
    const nameEnd = endOfString(source, i);
    const name = stringAt(source, { start: i, end: nameEnd });
    // Past the colon.
    const start = afterSpace(source, afterSpace(source, nameEnd) + 1);
    const end = endOfValue(source, start);
    members.push({ name, start, end });
    i = afterSpace(source, end);
    if (source.charCodeAt(i) === COMMA) i = afterSpace(source, i + 1);
  }
  return { members, end: i + 1 };
}

/** The entries of the list that starts at `at`, or the first ones of it. */
export function entrySpans(source: string, at: number, most = Number.POSITIVE_INFINITY): Span[] {
  const entries: Span[] = [];
  let i = afterSpace(source, at + 1);
  while (source.charCodeAt(i) !== CLOSE_BRACKET && entries.length < most) {
    const end = endOfValue(source, i);
    entries.push({ start: i, end });
    i = afterSpace(source, end);
    if (source.charCodeAt(i) === COMMA) i = afterSpace(source, i + 1);
  }
  return entries;
}

export function isObjectAt(source: string, at: number): boolean {
  return source.charCodeAt(at) === OPEN_BRACE;
}

/** Whether the value that starts at `at` is null, or a string, list or object with nothing in it. */
export function isEmptyAt(source: string, at: number): boolean {
  const first = source.charCodeAt(at);
  if (first === QUOTE) return source.charCodeAt(at + 1) === QUOTE;
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return source.startsWith('null', at);
  return source.charCodeAt(afterSpace(source, at + 1)) === (first === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
}

export function isListAt(source: string, at: number): boolean {
  return source.charCodeAt(at) === OPEN_BRACKET;
}

/** The JSON type of the value that starts at `at`. */
export function valueKind(source: string, at: number): 'string' | 'number' | 'object' | 'list' | 'boolean' | 'null' {
  switch (source.charCodeAt(at)) {
    case QUOTE:
      return 'string';
    case OPEN_BRACE:
      return 'object';
    case OPEN_BRACKET:
      return 'list';
    case LETTER_T:
    case LETTER_F:
      return 'boolean';
    case LETTER_N:
      return 'null';
    default:
      return 'number';
  }
}

/** The names of at most `most` members of the object that starts at `at` whose values are no strings. Nothing is kept of the others. */
export function membersWithoutString(source: string, at: number, most: number): string[] {
  const found: string[] = [];
  let i = afterSpace(source, at + 1);
  while (source.charCodeAt(i) !== CLOSE_BRACE && found.length < most) {
    const nameEnd = endOfString(source, i);
    const start = afterSpace(source, afterSpace(source, nameEnd) + 1);
    if (source.charCodeAt(start) !== QUOTE) found.push(stringAt(source, { start: i, end: nameEnd }));
    i = afterSpace(source, endOfValue(source, start));
    if (source.charCodeAt(i) === COMMA) i = afterSpace(source, i + 1);
  }
  return found;
}

/** A string as it is meant, a number as it is written; null for null, true and false, objects and lists. */
export function scalarText(source: string, span: Span): string | null {
  const first = source.charCodeAt(span.start);
  if (first === QUOTE) return stringAt(source, span);
  return first === MINUS || (first >= ZERO && first <= NINE) ? source.slice(span.start, span.end) : null;
}

/** Objects and lists within each other beyond this: recursive parsers of the answer would fail. */
export const MAX_DEPTH = 500;

export class TooDeep extends RangeError {
  override name = 'TooDeep';
}

const [QUOTE, BACKSLASH, COMMA, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x2d, 0x30, 0x39];
const [LETTER_F, LETTER_N, LETTER_T] = [0x66, 0x6e, 0x74];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** White space of JSON is tab, line feed, carriage return and space; no other character at these places is as low as a space. */
function afterSpace(source: string, at: number): number {
  let i = at;
  while (source.charCodeAt(i) <= 0x20) i += 1;
  return i;
}

function stringAt(source: string, { start, end }: Span): string {
  const inside = source.slice(start + 1, end - 1);
  return inside.includes('\\') ? JSON.parse(source.slice(start, end)) : inside;
}

/** `at` is the opening quote. A quote ends the string unless an odd number of backslashes stands before it. */
function endOfString(source: string, at: number): number {
  for (let i = at + 1; ; i++) {
    i = source.indexOf('"', i);
    if (i === -1) throw new RangeError('A string in the text is not terminated.');
    let before = i - 1;
    while (source.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((i - before) % 2 === 1) return i + 1;
  }
}

function endOfValue(source: string, at: number): number {
  const first = source.charCodeAt(at);
  if (first === QUOTE) return endOfString(source, at);
  let i = at;
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    // A number, true, false or null ends where something else begins.
    for (i += 1; i < source.length; i++) {
      const code = source.charCodeAt(i);
      if (code <= 0x20 || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) break;
    }
    return i;
  }
  let depth = 0;
  for (; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code === QUOTE) i = endOfString(source, i) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new TooDeep('Objects and lists are nested too deeply.');
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  throw new RangeError('A value in the text is not terminated.');
}
