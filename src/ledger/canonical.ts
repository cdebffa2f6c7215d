/** Canonical JSON (RFC 8785): the one text of a value, so that the same facts always have the same hash. */

/** Deeper nesting is refused; nothing of ours is deeper than a handful. */
const MAX_DEPTH = 500;

/**
 * RFC 8785: members sorted by UTF-16 code units, numbers and escapes as ECMAScript writes them, no space. Throws for what JSON cannot
 * say exactly: NaN, infinities, lone surrogates, undefined, bigint, anything but plain objects and arrays.
 */
export function canonical(value: unknown): string {
  return text(value, 0);
}

function text(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number.`);
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw new TypeError(`JSON has no ${typeof value}.`);
  }
  if (value === null) return 'null';
  if (depth === MAX_DEPTH) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) {
    let items = '';
    for (let i = 0; i < value.length; i++) items += `${i === 0 ? '' : ','}${text(value[i], depth + 1)}`;
    return `[${items}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('JSON has only plain objects.');
  const object = value as Record<string, unknown>;
  let members = '';
  for (const name of Object.keys(object).sort()) {
    members += `${members === '' ? '' : ','}${quoted(name)}:${text(object[name], depth + 1)}`;
  }
  return `{${members}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON must escape.
const UNPLAIN = /["\\\u0000-\u001f\ud800-\udfff]/;

export function quoted(value: string): string {
  if (!UNPLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError('The text has a lone surrogate.');
  return JSON.stringify(value);
}
