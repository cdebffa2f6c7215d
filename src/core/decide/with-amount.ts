/** Operations whose request names an amount of money, so that an approval or a limit of a role can depend on it. */
import type { Operation } from './decide.ts';

export const WITH_AMOUNT = [
  'loan-repay',
  'assess-fee',
  'waive-fee',
  'settle',
  'write-down',
  'record-recovery',
  'refund-credit',
] as const satisfies readonly Operation[];

export type OperationWithAmount = (typeof WITH_AMOUNT)[number];

export function hasAmount(operation: string): operation is OperationWithAmount {
  return (WITH_AMOUNT as readonly string[]).includes(operation);
}
