/**
 * Checks whether a text is canonical JSON (RFC 8785) by scanning the text itself. Verifying a book checks every transaction, and
 * serializing each one again to compare takes five times as long. Rare cases (an escape, a number that is not a plain integer) fall back to
 * that comparison.
 */
import { canonical } from './canonical.ts';

/** `text` must be one that `JSON.parse` accepts. */
export function isCanonical(text: string): boolean {
  // Without a backslash every string ends at the next quotation mark.
  if (!text.includes('\\') && text.isWellFormed() && past(text, 0) === text.length) return true;
  try {
    return canonical(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const UNSURE = -1;
const code = (character: string) => character.charCodeAt(0);
const [QUOTE, COLON, COMMA, MINUS, ZERO, NINE] = [code('"'), code(':'), code(','), code('-'), code('0'), code('9')];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [code('{'), code('}'), code('['), code(']')];
const [TRUE, FALSE, NULL] = [code('t'), code('f'), code('n')];

/** The position after the value that begins here, or `UNSURE`. */
function past(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return text.indexOf('"', at + 1) + 1;
  if (first === OBJECT) return pastObject(text, at);
  if (first === LIST) return pastList(text, at);
  if (first === TRUE || first === NULL) return at + 4;
  return first === FALSE ? at + 5 : pastInteger(text, at);
}

function pastObject(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === OBJECT_END) return at + 2;
  let last: string | null = null;
  for (let i = at + 1; ; i++) {
    if (text.charCodeAt(i) !== QUOTE) return UNSURE;
    const end = text.indexOf('"', i + 1);
    const name = text.slice(i + 1, end);
    // Names in the order of their UTF-16 code units, each once.
    if ((last !== null && name <= last) || text.charCodeAt(end + 1) !== COLON) return UNSURE;
    last = name;
    i = past(text, end + 2);
    if (i === UNSURE) return UNSURE;
    const next = text.charCodeAt(i);
    if (next === OBJECT_END) return i + 1;
    if (next !== COMMA) return UNSURE;
  }
}

function pastList(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === LIST_END) return at + 2;
  for (let i = at + 1; ; i++) {
    i = past(text, i);
    if (i === UNSURE) return UNSURE;
    const next = text.charCodeAt(i);
    if (next === LIST_END) return i + 1;
    if (next !== COMMA) return UNSURE;
  }
}

/** Integers of up to fifteen digits are written as they are; JSON has no leading zeros, and the RFC no negative zero. */
function pastInteger(text: string, at: number): number {
  const first = text.charCodeAt(at) === MINUS ? at + 1 : at;
  let i = first;
  for (let digit = text.charCodeAt(i); digit >= ZERO && digit <= NINE; digit = text.charCodeAt(i)) i++;
  const isZero = text.charCodeAt(first) === ZERO;
  return i === first || i - first > 15 || (isZero && first !== at) ? UNSURE : i;
}
