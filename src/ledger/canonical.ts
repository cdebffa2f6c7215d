/**
 * Canonical JSON (RFC 8785): one text for each value, so that the same facts always have the same hash. Written by hand: the RFC takes
 * numbers and escapes from ECMAScript, so only the order of members remains, and what JSON cannot represent exactly must throw, not
 * be dropped.
 */

/** Deeper nesting is refused; our values have only a few levels. */
const MAX_DEPTH = 500;

/**
 * Members sorted by UTF-16 code units, numbers and escapes as ECMAScript writes them, no space. Throws for what JSON cannot represent
 * exactly: NaN and the infinities, a lone surrogate, undefined, a bigint, an object that is neither plain nor an array.
 */
export function canonical(value: unknown): string {
  return isInOrder(value, 0) ? JSON.stringify(value) : textOf(value, 0);
}

/** Whether ECMAScript's own text of it is the canonical one: a value that is made with its members in their order takes half the time. */
function isInOrder(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    // Not `every`, which passes over what is missing.
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i], depth + 1)) return false;
    return !('toJSON' in value);
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let last = '';
  for (const name in value) {
    if ((name <= last && last !== '') || !name.isWellFormed()) return false;
    if (!isInOrder((value as Record<string, unknown>)[name], depth + 1)) return false;
    last = name;
  }
  return true;
}

/** A text between quotation marks. */
export function quoted(text: string): string {
  if (!UNPLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError('The text contains a lone surrogate.');
  // ECMAScript escapes just what the RFC does, in the same way.
  return JSON.stringify(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are characters that JSON must escape.
const UNPLAIN = /["\\\u0000-\u001f\ud800-\udfff]/;

function textOf(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`JSON cannot represent ${value}.`);
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_DEPTH) throw new RangeError(`The value is nested more than ${MAX_DEPTH} levels deep.`);
      return Array.isArray(value) ? itemsOf(value, depth + 1) : membersOf(value, depth + 1);
    default:
      throw new TypeError(`JSON cannot represent a value of type ${typeof value}.`);
  }
}

function itemsOf(list: readonly unknown[], depth: number): string {
  let text = '';
  for (let i = 0; i < list.length; i++) text += `${i === 0 ? '' : ','}${textOf(list[i], depth)}`;
  return `[${text}]`;
}

function membersOf(object: object, depth: number): string {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('JSON can represent only plain objects and arrays.');
  let text = '';
  // `sort` compares by UTF-16 code units.
  for (const name of Object.keys(object).sort()) {
    text += `${text === '' ? '' : ','}${quoted(name)}:${textOf((object as Record<string, unknown>)[name], depth)}`;
  }
  return `{${text}}`;
}
