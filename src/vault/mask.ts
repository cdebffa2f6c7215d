/**
 * Personal values as they are shown before anybody asks for them: enough to tell one borrower from another, not enough to know them. The
 * given text may be anything that a lender wrote into a field; what does not look like its kind is hidden as a whole.
 */

const HIDDEN = '••••';
/** The number of characters of a text that are read, and of letters of a first name that are shown. */
const LOOKED_AT = 200;
const SHOWN_OF_A_NAME = 30;
/** At most half of a number is shown. */
const SHORTEST_NUMBER = 8;

/** The first name and the initial of the last: `Robin E.`. A last name of a single letter would be shown whole, so it is hidden. Null: neither. */
export function maskedName(first: string, last: string): string | null {
  const shown = [firstName(first), initial(last)].filter((part) => part !== null);
  return shown.length === 0 ? null : shown.join(' ');
}

/** The last four digits: `•••• 1234`. Null: there is none. */
export function maskedNumber(text: string): string | null {
  if (plain(text) === '') return null;
  const digits = plain(text).replace(/\D/g, '');
  return digits.length < SHORTEST_NUMBER ? HIDDEN : `${HIDDEN} ${digits.slice(-4)}`;
}

/** The first letter: `r•••@•••`. Null: there is none. */
export function maskedEmail(text: string): string | null {
  const email = plain(text);
  if (email === '') return null;
  const name = [...email.slice(0, Math.max(0, email.lastIndexOf('@')))];
  if (name.length === 0) return HIDDEN;
  return `${name.length < 3 ? '' : name[0]}•••@•••`;
}

/** Whether there is one, and nothing of it: any part of a date of birth, or of a social security number, helps to guess the rest. */
export function hidden(text: string): string | null {
  return plain(text) === '' ? null : HIDDEN;
}

/** Only the first word: some lenders write the whole name into it. */
function firstName(text: string): string | null {
  const [word] = plain(text)
    .split(/[\s,;]/)
    .filter((part) => part !== '');
  if (word === undefined) return null;
  // A number or an address that stands where a name belongs.
  if (/[\p{N}@]/u.test(word)) return HIDDEN;
  const letters = [...word];
  return letters.length > SHOWN_OF_A_NAME ? `${letters.slice(0, SHOWN_OF_A_NAME).join('')}…` : word;
}

function initial(text: string): string | null {
  const name = plain(text);
  if (name === '') return null;
  const [letter] = name.match(/\p{L}\p{M}*/u) ?? [];
  return letter === undefined || letter === name ? '•' : `${letter}.`;
}

/** Without what has no shape of its own: control characters, marks of direction, halves of characters. */
function plain(text: string): string {
  return text
    .slice(0, LOOKED_AT)
    .replace(/\p{C}/gu, (character) => (/\s/.test(character) ? ' ' : ''))
    .trim();
}
