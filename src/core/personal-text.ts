/**
 * Texts that look as if they named a person. References and short texts of callers are shown, stored in plain columns and committed to by
 * the ledger for good, so a number or an address of a person must not come in through them. The patterns find what a careless system
 * writes there; nothing finds a name, which is why short texts also die with the borrower's key.
 *
 * Every pattern is bounded or anchored, so a text costs a time in proportion to its length.
 */

/** Between groups of digits: spaces, hyphens of all kinds, and what references may have. */
const GAP = '[\\s._:/\\u00ad\\u2010-\\u2015\\u2212-]{0,3}';

/** Three, two and four digits, together or apart. Nine digits that begin with five zeros are a counter: no such number was ever issued. */
const SSN = new RegExp(`(?<!\\d)(?!00000\\d{4}(?!\\d))\\d{3}${GAP}\\d{2}${GAP}\\d{4}(?!\\d)`);

/** UUIDs, and sixteen or more hexadecimal digits with a letter among them: one in fifty has nine decimal digits in a row by chance. */
const OPAQUE =
  /(?<![0-9A-Za-z])(?:0x)?(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9]*[a-f])[0-9a-f]{16,})(?![0-9A-Za-z])/gi;

/**
 * Whether a text holds a run of exactly nine digits, or three, two and four digits with separators between them, anywhere: "SSN666000001"
 * and "X-666.00.0001" do. Longer runs of digits, UUIDs and long hexadecimal ids do not count.
 */
export function looksLikeSsn(text: string): boolean {
  return SSN.test(text) && SSN.test(text.replace(OPAQUE, '~'));
}

const EMAIL = /[^\s@]@[^\s@]/;
/** Ten digits in groups of three, three and four, seven as three and four, or an international number behind a plus sign. */
const PHONE = new RegExp(
  `(?<!\\d)\\(?\\d{3}\\)?${GAP}\\d{3}${GAP}\\d{4}(?!\\d)|(?<!\\d)\\d{3}[\\s.-]\\d{4}(?!\\d)|\\+\\d(?:${GAP}\\d){6}`,
);
const DATE = /(?<!\d)(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)/;
const LONG_NUMBER = /\d{7}/;
const VIN = /(?<![0-9a-z])(?=[a-z]*\d)[a-hj-npr-z0-9]{17}(?![0-9a-z])/i;

/** Whether a short text (a make, a model, the name of an index) holds what belongs to a person: a number, an address, a birthday, a VIN. */
export function looksPersonal(text: string): boolean {
  const plain = text.normalize('NFKC');
  return looksLikeSsn(plain) || [EMAIL, PHONE, DATE, LONG_NUMBER, VIN].some((pattern) => pattern.test(plain));
}

/** As long as the name of a model gets. */
const LONGEST_NAME = 60;
const NAME = /^[\p{L}0-9][\p{L}\p{M}0-9 .,'’&+()/_-]*$/u;

/** The name of a thing, as it may be shown to everybody: short, printable, and nothing in it that belongs to a person. */
export function isPublicName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text) && !looksPersonal(text);
}
