/** Finding personal values where they must not be. */

/**
 * Those of the values that the text has. A number counts where it stands by itself: four digits are found in an id, a hash or a cursor
 * by chance.
 */
export function leaksIn(text: string, values: readonly string[]): string[] {
  const searched = text.replace(UUIDS, 'an-id');
  return values.filter((value) => searched.includes(value) && (!NUMBER.test(value) || standsIn(searched, value)));
}

const UUIDS = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const NUMBER = /^[\d.]+$/;

function standsIn(text: string, number: string): boolean {
  return new RegExp(`(?<![\\w.])${number.replaceAll('.', '\\.')}(?![\\w.])`).test(text);
}
