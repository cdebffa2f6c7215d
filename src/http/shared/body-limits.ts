/**
 * Limits on bodies. Each operation states its own, in bytes and in what the bytes hold: a body of a few hundred kilobytes can
 * have a hundred thousand members, and a parser spends far more time on those than on the bytes. Members and levels are counted in one
 * pass over the bytes, before anything is parsed; the same pass notes whether there is a number.
 */
export type BodyLimits = {
  /** Null: the operator's BODY_LIMIT, which is also the ceiling of the others. */
  readonly bytes: number | null;
  /** Members of objects and entries of lists, at all levels together. */
  readonly members: number;
  /** Objects and lists within each other. */
  readonly levels: number;
};

const KIB = 1024;

/** For anonymous requests: an id, a secret and a scope. */
export const ANONYMOUS_BODY: BodyLimits = { bytes: 8 * KIB, members: 100, levels: 8 };
/** The default. */
export const SMALL_BODY: BodyLimits = { bytes: 64 * KIB, members: 1_000, levels: 64 };
/** Thousands of installments, events or cash flows. */
export const CALCULATOR_BODY: BodyLimits = { bytes: 512 * KIB, members: 50_000, levels: 64 };
/** Ten thousand ids of loans. */
export const BULK_BODY: BodyLimits = { bytes: 1024 * KIB, members: 12_000, levels: 64 };
/** A whole record as another system has it: with 60 deals and the bureau's members it has about 5,200 members and a megabyte. */
export const RECORD_BODY: BodyLimits = { bytes: null, members: 100_000, levels: 64 };

export function bytesText(bytes: number): string {
  if (bytes % (KIB * KIB) === 0) return `${bytes / (KIB * KIB)} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
}

/** The limits in words. */
export function limitsText({ bytes, members, levels }: BodyLimits): string {
  const size = bytes === null ? '10 MiB (or the limit that the operator has set)' : bytesText(bytes);
  return `at most ${size}, ${members.toLocaleString('en-US')} fields and list entries, and ${levels} levels of nesting`;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Every number begins with one from here to here, and outside of strings nothing else in a JSON text does. */
const [MINUS, NINE] = [0x2d, 0x39];

/** The limit that a text exceeds first, or what it has when it keeps to both. */
export type Scanned =
  | { readonly exceeded: 'members' | 'levels' }
  | { readonly exceeded: null; readonly hasNumbers: boolean };

/**
 * For bytes that are not JSON the counts are meaningless, but they are bounded all the same, and the parser refuses what passes. A
 * nanosecond or two for each byte.
 */
export function scanJson(json: Uint8Array, { members, levels }: Pick<BodyLimits, 'members' | 'levels'>): Scanned {
  const { length } = json;
  let counted = 0;
  let depth = 0;
  // Just inside a bracket: what comes next is the first member, or the bracket that closes it.
  let opened = false;
  let hasNumbers = false;
  for (let i = 0; i < length; i++) {
    const byte = json[i] as number;
    if (byte <= 0x20) continue;
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      opened = false;
      continue;
    }
    if (opened || byte === COMMA) {
      opened = false;
      counted += 1;
      if (counted > members) return { exceeded: 'members' };
    }
    if (byte === QUOTE) {
      for (i += 1; i < length && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) i += 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > levels) return { exceeded: 'levels' };
      opened = true;
    } else if (byte >= MINUS && byte <= NINE) hasNumbers = true;
  }
  return { exceeded: null, hasNumbers };
}
