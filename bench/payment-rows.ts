/** The rows of one payment, of the same shape and size as the service writes them, for the baselines that write them without it. */
import { randomBytes, randomUUID } from 'node:crypto';

/** Day of all payments of the baselines. */
export const PAID_ON = '2026-01-15';

/** The journal of a payment of 5.00: its entry, account and cents. A second one on the same day has only the first two: no interest is left. */
export const LINES: readonly (readonly [entry: string, account: string, cents: number])[] = [
  ['receipt', 'cashClearing', 500],
  ['receipt', 'loanPrincipal', -380],
  ['receipt', 'interestReceivable', -120],
  ['accrual', 'interestReceivable', 120],
  ['accrual', 'interestIncome', -120],
];
export const LINES_OF_A_SECOND = 2;

/** For statements that have no parameters for them: `(1, 'accrual', …), …`. */
export const LINES_AS_VALUES = LINES.map(
  ([entry, account, cents], i) => `(${i + 1}, '${entry}', '${account}', ${cents})`,
).join(', ');

/** The id of an entry of the audit trail, which begins with the time. */
export function entryId(): string {
  return `${Date.now().toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

/** `loanId` and `hash` as hexadecimal digits. */
export function bodyOf(loanId: string, sequence: number, hash: string): string {
  const at = `${PAID_ON}T10:00:00.000Z`;
  return `{"event":{"amount":500,"date":"${PAID_ON}","purpose":"installment","recordedAt":"${at}","recordedOn":"${PAID_ON}","refId":"hand-${sequence}","type":"paymentSubmitted"},"loanId":"0x${loanId}","nonce":"${randomUUID()}","previous":"0x${hash}","sequence":${sequence},"v":1}`;
}
