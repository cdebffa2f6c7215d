/** Whole numbers of a request, as text or as JSON numbers. Nothing here becomes a floating-point number. */
import type { Holder, Reader } from './wire.ts';

/** A whole number within bounds, as a string or a JSON number; "36.0" is one too. What is wrong is noted and read as the lower bound. */
export function readWhole(
  read: Reader,
  holder: Holder,
  key: string,
  at: string,
  [least, most]: readonly [number, number],
): number {
  const text = String((holder as Readonly<Record<string, unknown>>)[key]);
  const number = /^(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.0+)?$/.test(text) ? Number(text.replaceAll(',', '')) : null;
  if (number === null) {
    read.note(`${at}/${key}`, { code: 'format', detail: `Must be a whole number from ${least} to ${most}.` });
  } else if (number < least || number > most) {
    read.note(`${at}/${key}`, { code: 'range', detail: `Must be from ${least} to ${most}.` });
  } else return number;
  return least;
}
