/** Ids of loans and transactions as callers write them. What cannot be one is not found: it is no different from one that is not theirs. */
import { Problem } from '../shell/problems.ts';

/** `0x` and 64 hexadecimal digits, in lower case; null for anything else. */
export function idIn(text: string | undefined): string | null {
  return text !== undefined && /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null;
}

export function noSuchLoan(): never {
  throw new Problem('not_found', 'There is no such loan.');
}
