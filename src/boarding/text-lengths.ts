/**
 * Length limits of the texts of `Request` that the service reads: for search, for the credit bureau and its printed report, for figures.
 * The objects are open and come back as given, so whatever else they hold has no limit but that of the body.
 */
import type { Reader } from '../core/reader.ts';
import { type Span, scalarText } from './json-source.ts';

/** Names, places, numbers of documents, figures. */
const SHORT = 200;
/** A whole address in one text. */
const ADDRESS = 500;
const ADDRESSES = new Set(['AddressFull', 'ApplicantAddress', 'ApplicantFullAddress']);

/** Notes each of these members of an object of `Request` that is longer than its meaning allows. */
export function checkTextLengths(
  read: Reader,
  source: string,
  at: string,
  members: ReadonlyMap<string, Span>,
  names: Iterable<string>,
): void {
  for (const name of names) {
    const span = members.get(name);
    const longest = ADDRESSES.has(name) ? ADDRESS : SHORT;
    // The text between the quotes is no shorter than what it means.
    if (span === undefined || span.end - span.start - 2 <= longest) continue;
    if ((scalarText(source, span)?.length ?? 0) <= longest) continue;
    read.note(`${at}/${name}`, { code: 'length', detail: `Must have at most ${longest} characters.` });
  }
}
