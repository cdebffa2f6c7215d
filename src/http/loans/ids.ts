/** Ids of loans and transactions in requests. A malformed id is answered as not found, like the id of another organization's loan. */
import { Problem } from '../shell/problems.ts';

/** `0x` and 64 hexadecimal digits, in lower case; null for anything else. */
export function idIn(text: string | undefined): string | null {
  return text !== undefined && /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null;
}

export function noSuchLoan(): never {
  throw new Problem('not_found', 'There is no such loan.');
}
