/**
 * Ids of loans and transactions in requests. In a path a malformed id is not found, like that of another organization's loan; in a body
 * it is a bad value.
 */
import { Problem } from './problems.ts';

/** `0x` and 64 hexadecimal digits, in lower case; null for anything else. */
export function idIn(text: string | undefined): string | null {
  return text !== undefined && /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null;
}

export function noSuchLoan(): never {
  throw new Problem('not_found', 'No such loan.');
}

/** The id in a body. */
export function loanIdIn({ loanId }: { readonly loanId: string }): string {
  const id = idIn(loanId);
  if (id !== null) return id;
  const detail = 'Must be `0x` and 64 hexadecimal digits.';
  throw new Problem('invalid_request', `/loanId: ${detail}`, {
    errors: [{ pointer: '/loanId', code: 'format', detail }],
  });
}
