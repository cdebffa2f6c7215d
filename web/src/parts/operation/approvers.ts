/** Roles that can approve an operation. */
import { cents } from '../../format.ts';

export type RoleWithLimits = {
  name: string;
  scopes: readonly string[];
  limits: Readonly<Record<string, { amount: string | null } | undefined>>;
};

/** They may bring about what another operation does, and then need what that one needs: their own name does not tell who can approve them. */
const OF_OTHERS: readonly string[] = ['undo', 'initiate-repayment'];

/**
 * The roles with one of the scopes and without a limit below the amount; without an amount, those without a limit. None: the operation alone
 * does not tell.
 */
export function approvers(
  { path, scopes }: { path: string; scopes: readonly string[] },
  amount: string | undefined,
  roles: readonly RoleWithLimits[],
): string[] {
  if (OF_OTHERS.includes(path)) return [];
  const wanted = cents(amount);
  return roles
    .filter((role) => scopes.some((scope) => role.scopes.includes(scope)))
    .filter(({ limits }) => {
      const limit = limits[path];
      if (limit === undefined) return true;
      return wanted !== null && (cents(limit.amount ?? undefined) ?? 0n) >= wanted;
    })
    .map(({ name }) => name);
}

/** "manager", "manager or underwriter". */
export const eitherOf = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
