/**
 * Texts that look like personal data. Callers' references and short texts are shown, stored in plain columns and permanently committed to
 * by the ledger, so a person's number or address must not enter through them. The patterns find what a careless system writes there;
 * nothing detects a name, which is why short texts are also erased with the borrower's key.
 *
 * Texts are split into runs of digits and words, so the time is proportional to their length.
 */

/** Between groups of digits: spaces, hyphens of all kinds, and other separators that references may have. */
const GAP = /^[\s._:/\u00ad\u2010-\u2015\u2212-]{1,3}$/;
/** The same, behind the closing parenthesis of an area code. */
const GAP_OF_AREA = /^\)?[\s._:/\u00ad\u2010-\u2015\u2212-]{0,3}$/;

/** A run of digits, and what stands between it and the next one. */
type Run = { readonly digits: string; readonly gap: string };

function runsIn(text: string): Run[] {
  const found = [...text.matchAll(/\d+/g)];
  return found.map(({ 0: digits, index }, i) => ({
    digits,
    gap: text.slice(index + digits.length, found[i + 1]?.index ?? text.length),
  }));
}

/** Whether runs of these lengths follow each other with only a gap between them. */
function grouped(runs: readonly Run[], lengths: readonly number[], gaps: readonly RegExp[]): boolean {
  return runs.some((_, at) =>
    lengths.every((length, i) => {
      const run = runs[at + i];
      return run?.digits.length === length && (i === lengths.length - 1 || (gaps[i] as RegExp).test(run.gap));
    }),
  );
}

/** Three, two and four digits, together or apart. Nine digits that begin with five zeros are a counter, never an SSN. */
function hasSsn(text: string): boolean {
  if (!hasNineDigits(text)) return false;
  const runs = runsIn(text);
  return (
    runs.some(({ digits }) => digits.length === 9 && !digits.startsWith('00000')) ||
    [
      [3, 2, 4],
      [3, 6],
      [5, 4],
    ].some((lengths) => grouped(runs, lengths, [GAP, GAP]))
  );
}

/** Together, wherever they are. Most references have fewer, and need no closer look. */
function hasNineDigits(text: string): boolean {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) digits += 1;
  }
  return digits >= 9;
}

const HEX = /^[0-9a-f]+$/i;
const UUID_LENGTHS = [8, 4, 4, 4, 12];

/**
 * Without UUIDs and words of sixteen or more hexadecimal digits with a letter among them: one in fifty has nine decimal digits in a row
 * by chance.
 */
function withoutOpaqueIds(text: string): string {
  return text.replaceAll(/[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*/g, (hyphened) => {
    const words = hyphened.split('-');
    const kept: string[] = [];
    for (let at = 0; at < words.length; ) {
      const count = opaqueAt(words, at);
      kept.push(count === 0 ? (words[at] as string) : '~');
      at += Math.max(count, 1);
    }
    return kept.join('-');
  });
}

/** The number of words in the opaque id that begins at a word; 0: none begins there. */
function opaqueAt(words: readonly string[], at: number): number {
  const first = (words[at] as string).replace(/^0x/i, '');
  const isUuid = UUID_LENGTHS.every((length, i) => {
    const word = i === 0 ? first : (words[at + i] ?? '');
    return word.length === length && HEX.test(word);
  });
  if (isUuid) return UUID_LENGTHS.length;
  return first.length >= 16 && HEX.test(first) && /[a-f]/i.test(first) ? 1 : 0;
}

/**
 * Whether a text holds a run of exactly nine digits, or three, two and four digits with separators between them, anywhere: "SSN666000001"
 * and "X-666.00.0001" do. Longer runs of digits, UUIDs and long hexadecimal ids do not count.
 */
export function looksLikeSsn(text: string): boolean {
  return hasSsn(text) && hasSsn(withoutOpaqueIds(text));
}

const EMAIL = /[^\s@]@[^\s@]/;
const DATE = /(?<!\d)(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)/;
const LONG_NUMBER = /\d{7}/;

/** Ten digits in groups of three, three and four, seven as three and four, or an international number behind a plus sign. */
function hasPhone(text: string): boolean {
  const runs = runsIn(text);
  return (
    grouped(runs, [3, 3, 4], [GAP_OF_AREA, GAP]) ||
    grouped(runs, [6, 4], [GAP]) ||
    grouped(runs, [3, 4], [/^[\s.-]$/]) ||
    text.split('+').some((behind, i) => i > 0 && beginsWithDigits(behind, 7))
  );
}

/** Whether the text begins with this many digits, with at most a gap between two of them. */
function beginsWithDigits(text: string, count: number): boolean {
  if (!/^\d/.test(text)) return false;
  let digits = 0;
  for (const run of runsIn(text)) {
    digits += run.digits.length;
    if (digits >= count) return true;
    if (!GAP.test(run.gap)) return false;
  }
  return false;
}

function hasVin(text: string): boolean {
  return (text.match(/[0-9a-z]+/gi) ?? []).some(
    (word) => word.length === 17 && /\d/.test(word) && !/[ioq]/i.test(word),
  );
}

/** Whether a short text (a make, a model, the name of an index) contains personal data: a number, an address, a date of birth, a VIN. */
export function looksPersonal(text: string): boolean {
  const plain = text.normalize('NFKC');
  return (
    looksLikeSsn(plain) ||
    hasPhone(plain) ||
    hasVin(plain) ||
    [EMAIL, DATE, LONG_NUMBER].some((pattern) => pattern.test(plain))
  );
}

/** Longer than any model name. */
const LONGEST_NAME = 60;
const NAME = /^[\p{L}0-9][\p{L}\p{M}0-9 .,'’&+()/_-]*$/u;

/** A name that may be shown publicly: short, printable, without personal data. */
export function isPublicName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text) && !looksPersonal(text);
}
